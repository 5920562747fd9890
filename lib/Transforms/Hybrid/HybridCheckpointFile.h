//===- HybridCheckpointFile.h - Hybrid searches go on later -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option `checkpoint` for searches over hybrid plans.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDCHECKPOINTFILE_H
#define SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDCHECKPOINTFILE_H

#include "Transforms/Support/StrategySupport.h"

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

namespace mlir::soap {

/// Gives a search the record that the file has, and lets it write there.
/// `record` is that of the options, and lives as long as the search. Keeps
/// references. Without a file (empty) there is no record.
LogicalResult useCheckpoint(const FunctionProblem &target,
                            ::soap::HybridModel &model, const std::string &file,
                            int64_t pauseAfter, ::soap::HybridRecord &record,
                            ::soap::HierarchicalOptions &options);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDCHECKPOINTFILE_H
