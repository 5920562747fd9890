//===- StrategyComparison.h - A strategy beside named ones ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of --soap-simulate on other strategies: the speedup over those that
// are usual, or the table of --soap-simulate=compare=...: time, memory, bytes,
// and where the time goes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_STRATEGYCOMPARISON_H
#define SOAP_LIB_TRANSFORMS_REPORT_STRATEGYCOMPARISON_H

#include "Search/Report/Baseline.h"
#include "Soap/Topology/Topology.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace mlir::soap {

struct Simulation;

/// A row of the table.
struct ComparedStrategy {
  std::string name;
  int64_t makespanNs = 0;
  int64_t peakBytes = 0; ///< of the device that holds most
  int64_t bytesMoved = 0, bytesBetweenMachines = 0;
  int64_t busiestLinkBytes = 0;
  bool fits = true;   ///< no device holds more than it has
  bool splits = true; ///< some op has several pieces
  /// Shares of the time of all devices together, 0 to 1: kernels, assembled
  /// tiles, communication that neither hides. The rest is idle.
  double compute = 0, movement = 0, exposed = 0;
  double idle() const {
    double rest = 1 - compute - movement - exposed;
    return rest > 0 ? rest : 0;
  }
};

ComparedStrategy summarizeRow(std::string name, const Simulation &simulation,
                              const ::soap::Topology &topology);

/// The speedups of a strategy that takes `makespanNs`, and a line for each
/// baseline that is none to compare with.
void printBaselines(int64_t makespanNs,
                    const std::vector<::soap::Baseline> &baselines,
                    llvm::raw_ostream &stream);
/// The attributes `presets_ns`, `speedup_over` and `no_speedup_over`.
void printBaselines(llvm::json::OStream &json, int64_t makespanNs,
                    const std::vector<::soap::Baseline> &baselines);

/// `first` is the strategy that the gains of all are over.
void printComparison(const ComparedStrategy &first,
                     const std::vector<ComparedStrategy> &others,
                     const ::soap::Topology &topology,
                     llvm::raw_ostream &stream);
/// The attribute `compared`, an array with an object for each row.
void printComparison(llvm::json::OStream &json, const ComparedStrategy &first,
                     const std::vector<ComparedStrategy> &others);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_STRATEGYCOMPARISON_H
