//===- ActionCost.h - Work of the actions of a plan -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of an action in the terms of the cost model: of a shard, of a copy,
// of a fold of partial tiles.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_ACTIONCOST_H
#define SOAP_PLAN_ACTIONCOST_H

#include "Soap/Cost/CostModel.h"
#include "Soap/Plan/Plan.h"

namespace soap {

/// Work of a Fill, Assemble or Combine of `inputs` tiles that writes
/// `elements`; without the parts of an Assemble.
Work localWork(ActionKind kind, int64_t elements, int64_t elementBytes,
               size_t inputs);

/// The part of an input that an Assemble copies, or a Transfer sends.
CopyPart copyPart(const Graph &graph, const Plan &plan, const Action &action,
                  int input);

/// Work of a Compute action: flops = points of the box x flopsPerPoint; bytes =
/// operand and result tiles.
Work workOf(const Graph &graph, const Plan &plan, const Action &action);

} // namespace soap

#endif // SOAP_PLAN_ACTIONCOST_H
