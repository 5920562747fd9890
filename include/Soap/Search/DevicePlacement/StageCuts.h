//===- StageCuts.h - Ranges of ops as pipeline stages -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts the forward ops, in program order, into ranges whose longest work for a
// microbatch is shortest.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_DEVICEPLACEMENT_STAGECUTS_H
#define SOAP_SEARCH_DEVICEPLACEMENT_STAGECUTS_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

struct StageCuts {
  std::vector<int> firsts;    ///< by stage: its first node
  std::vector<int> stages;    ///< by node
  std::vector<double> shares; ///< by stage: of all work, from 0 to 1
};

/// `forwardOf`: by node, the node whose gradient or update it computes, -1:
/// none; it is on the same stage. The work of a stage is that of its ops,
/// forward and backward, shared by `devices`, and what it receives from the
/// stage before and sends back. A stage begins with an op that reads samples.
/// An error if there are not enough of them.
Expected<StageCuts> cutIntoStages(const ParallelizationProblem &problem,
                                  const std::vector<int> &forwardOf, int stages,
                                  int64_t microbatches, int devices);

} // namespace soap

#endif // SOAP_SEARCH_DEVICEPLACEMENT_STAGECUTS_H
