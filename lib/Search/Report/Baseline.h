//===- Baseline.h - What a strategy is compared with ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "1.55 times as fast as data parallelism" says something if data parallelism
// runs on these devices, and is not one device by another name. All that prints
// or writes such a figure prices the other strategy here, and asks here whether
// there is a figure.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_REPORT_BASELINE_H
#define SOAP_LIB_SEARCH_REPORT_BASELINE_H

#include "Soap/Search/Evaluator/StrategyEvaluator.h"

#include <optional>
#include <string>

namespace soap {

struct Baseline {
  std::string name;
  std::string plan; ///< in words, where the name alone does not say it
  int64_t makespanNs = 0;
  /// Of the device that lacks most: what it needs and has, in bytes. 0: all
  /// devices have what they need.
  int64_t neededBytes = 0, memoryBytes = 0;
  bool splits = true; ///< some op has several pieces

  bool fits() const { return neededBytes == 0; }
  /// How many times as fast a strategy that takes `ns` is; none if the baseline
  /// does not fit or splits nothing, or where no time is.
  std::optional<double> gainOf(int64_t ns) const;
  /// "does not fit: it needs 37.1 GiB on a device of 16.0 GiB", "splits
  /// nothing"; empty if there is a gain.
  std::string whyNoGain() const;
};

/// Sets what the device that lacks most needs and has. `needed`: by device.
void setNeeded(Baseline &baseline, const Topology &topology,
               const std::vector<int64_t> &needed);

/// Whether some op has several pieces.
bool splitsOps(const Strategy &strategy);

/// Prices a strategy of a problem. What strategies have in common `evaluator`,
/// which is of the problem, plans once.
Baseline priceBaseline(std::string name, const ParallelizationProblem &problem,
                       StrategyEvaluator &evaluator, const Strategy &strategy);

} // namespace soap

#endif // SOAP_LIB_SEARCH_REPORT_BASELINE_H
