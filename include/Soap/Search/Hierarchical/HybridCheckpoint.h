//===- HybridCheckpoint.h - Records of searches as JSON ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The record of a search over hybrid plans as JSON, with which a search that
// was stopped goes on; docs/Hierarchical.md, Stopping and going on.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_HIERARCHICAL_HYBRIDCHECKPOINT_H
#define SOAP_SEARCH_HIERARCHICAL_HYBRIDCHECKPOINT_H

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

namespace soap {

/// The record with fingerprints of model and topology, the options that it
/// depends on (not the time limit, which may be raised), and a checksum.
/// `problem` and `model`: of the step as it is.
std::string printHybridCheckpoint(const ParallelizationProblem &problem,
                                  const HybridModel &model,
                                  const HierarchicalOptions &options,
                                  const HybridRecord &record);
/// Errors name the file, the path in it and what was expected: a record of
/// another model, topology or of other options is refused, and so is one with
/// other bounds and prices than the model has, and a damaged one.
Expected<HybridRecord>
parseHybridCheckpoint(const std::string &text, const std::string &file,
                      const ParallelizationProblem &problem, HybridModel &model,
                      const HierarchicalOptions &options);

} // namespace soap

#endif // SOAP_SEARCH_HIERARCHICAL_HYBRIDCHECKPOINT_H
