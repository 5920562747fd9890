//===- SumSteps.h - Sums that are added up as they come ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the pieces of a device come one by one, its contributions are folded as
// they come, each in a task of its own: the sum so far and one contribution are
// all that is there at a time. What other devices send comes last.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_PLAN_SUMSTEPS_H
#define SOAP_LIB_PLAN_SUMSTEPS_H

#include "Soap/Plan/TaskTable.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace soap {

/// The steps of a sum, of whose inputs `own` are not sent by other devices. The
/// first one reads two inputs, each of the next ones the sum and one input, and
/// the last one the sum and all inputs that are left: one input, or where sums
/// have 16 bits all that was sent, since a chain would round at each device.
/// 4 own inputs and 2 others are 5 steps, of 16 bits 4.
inline size_t countSumSteps(size_t inputs, size_t own, int64_t elementBytes) {
  if (inputs < 3)
    return 1;
  size_t steps = inputs - 1;
  if (elementBytes < 4)
    steps = std::min(steps, own);
  return std::max<size_t>(steps, 1);
}

/// The inputs of a combine of a value's plan in the order in which they are
/// added.
struct SumInputs {
  std::vector<int> references;
  size_t own = 0; ///< those that other devices do not send: they come first
};
SumInputs inputsInOrder(const ValuePlan &plan, const PlannedAction &combine);

/// The steps of a task of a value's plan; 1 of what is no sum.
size_t countStepsOfTask(const PlanState &plan, int value, size_t task);

/// Calls `visit(task, index, references)` for each task of a value, of a sum
/// for each step in its order; `references` is what it reads.
template <typename Visit>
void forEachReading(const TaskTable &table, int value, Visit visit) {
  const PlanState &plan = *table.plan;
  const ValuePlan &planned = plan.valuePlan(value);
  std::vector<int> references;
  for (size_t t = 0; t < planned.tasks.size(); ++t) {
    size_t task = table.numberOf(plan.blockOf(value), static_cast<int>(t)),
           steps = countStepsOfTask(plan, value, t);
    auto first = static_cast<size_t>(planned.tasks[t].firstAction);
    if (steps > 1) {
      std::vector<int> inputs =
          inputsInOrder(planned, planned.actions[first]).references;
      for (size_t at = 1; at <= steps; ++at) {
        auto begin = inputs.begin() + static_cast<ptrdiff_t>(at);
        references.assign(begin, at < steps ? begin + 1 : inputs.end());
        if (at == 1)
          references.push_back(inputs[0]);
        visit(task + (at < steps ? at : 0), t, references);
      }
      continue;
    }
    references.clear();
    for (size_t a = first; a < planned.actions.size() &&
                           planned.actions[a].task == static_cast<int>(t);
         ++a) {
      auto begin = planned.inputs.begin() + planned.actions[a].firstInput;
      references.insert(references.end(), begin,
                        begin + planned.actions[a].inputCount);
    }
    visit(task, t, references);
  }
}

} // namespace soap

#endif // SOAP_LIB_PLAN_SUMSTEPS_H
