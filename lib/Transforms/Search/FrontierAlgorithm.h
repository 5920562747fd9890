//===- FrontierAlgorithm.h - algorithm=frontier of a search -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of soap-auto-parallel that frontier tracking alone has, and its
// files. Apart from SearchAlgorithms.h because no other search has either.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SEARCH_FRONTIERALGORITHM_H
#define SOAP_LIB_TRANSFORMS_SEARCH_FRONTIERALGORITHM_H

#include "SearchAlgorithms.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::soap {

/// As given; empty: not given.
struct FrontierPassOptions {
  std::string mode, memoryLimit, file, svg;
  double epsilon = 0;
  int64_t configs = 16;
  bool reuse = true;
};

/// Bytes of `16GB`, `512 MiB` or `1000`; none if it is no such thing, or not
/// from 1 to 2^62.
std::optional<int64_t> parseBytes(llvm::StringRef text);

/// Whether the options are well-formed and go with the algorithm; says what is
/// wrong.
LogicalResult checkFrontierOptions(ModuleOp module, llvm::StringRef algorithm,
                                   const FrontierPassOptions &options);

/// Runs the search and writes its files. Where nothing fits into memory, says
/// so and how much the least strategy takes. `options` as for `runSearch`.
FailureOr<SearchOutcome>
runFrontier(ModuleOp module, const ::soap::ParallelizationProblem &problem,
            const ::soap::McmcOptions &options,
            const FrontierPassOptions &frontier);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SEARCH_FRONTIERALGORITHM_H
