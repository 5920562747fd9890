//===- SearchTuning.h - Expert options of a search --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option `tuning` of soap-auto-parallel: parameters of the algorithms that
// few users change, and settings for measurements. One text of `name=value`
// pairs, so that the pass's own options stay few.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SEARCH_SEARCHTUNING_H
#define SOAP_LIB_TRANSFORMS_SEARCH_SEARCHTUNING_H

#include "Soap/Search/MCMC/MCMC.h"

#include "mlir/Pass/PassOptions.h"

#include <memory>

namespace mlir::soap {

/// Parsed by MLIR's parser of pass options; docs/Search.md has the table.
struct SearchTuning : PassPipelineOptions<SearchTuning> {
  // Markov chains.
  Option<double> beta{*this, "beta", llvm::cl::init(200.0)};
  Option<double> cooling{*this, "cooling", llvm::cl::init(0.1)};
  Option<unsigned> chains{*this, "chains", llvm::cl::init(2)};
  Option<std::string> proposalsKind{*this, "proposals-kind",
                                    llvm::cl::init("mixed")};
  Option<double> mates{*this, "mates", llvm::cl::init(0.5)};
  Option<double> tempering{*this, "tempering", llvm::cl::init(1.0)};
  // Frontier tracking.
  Option<double> epsilon{*this, "epsilon", llvm::cl::init(0.0)};
  Option<int64_t> configs{*this, "configs", llvm::cl::init(16)};
  // Of the problem.
  Option<bool> untied{*this, "untied", llvm::cl::init(false)};
  // Measurements.
  Option<std::string> simulator{*this, "simulator", llvm::cl::init("delta")};
  Option<bool> earlyRejection{*this, "early-rejection", llvm::cl::init(true)};
  Option<int64_t> targetNs{*this, "target", llvm::cl::init(0)};
  Option<int64_t> pauseAfter{*this, "pause-after", llvm::cl::init(0)};

  /// Parses `beta=100 chains=4`; null and a message without the name of the
  /// option for bad text.
  static std::unique_ptr<SearchTuning> parse(llvm::StringRef text,
                                             std::string &message);

  /// Whether values are in range and go with the algorithm. `isCheckpointed`:
  /// whether the search writes a checkpoint, which a pause needs.
  ::soap::MaybeError check(llvm::StringRef algorithm,
                           bool isCheckpointed) const;

  /// Whether anything but a pause is given.
  bool saysHowToSearch() const;

  /// Sets what concerns Markov chains. Values must be checked.
  void apply(::soap::McmcOptions &options) const;
};

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SEARCH_SEARCHTUNING_H
