//===- PassTimelineMemory.cpp - Peak memory of microbatches ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks back in time: where it meets a buffer first, the buffer is used last.
//
//===----------------------------------------------------------------------===//

#include "PassTimelineMemory.h"

#include "Plan/SumSteps.h"

using namespace soap;

PassMemory::PassMemory(const PlanState &plan,
                       const std::vector<uint32_t> &firstSum,
                       MemoryCourse *course)
    : plan(plan), course(course), buffers(plan, course),
      isSumLive(firstSum.back()) {
  buffers.start();
}

void PassMemory::visitTask(int value, size_t task, int steps, int step,
                           size_t sumsBefore) {
  if (steps == 1)
    return buffers.visitTask(value, task);
  const ValuePlan &planned = plan.valuePlan(value);
  auto begin = static_cast<size_t>(planned.tasks[task].firstAction);
  const PlannedAction &sum = planned.actions[begin];
  std::vector<int> inputs = inputsInOrder(planned, sum).references;
  int64_t bytes = plan.regionsOf(value).bytes(sum.region);
  uint8_t kind = course ? course->kindOf(value) : uint8_t(0);
  int at = step > 0 ? step : steps; // 1, 2, ..., the last
  auto sumOf = [&](int number) {
    return sumsBefore + static_cast<size_t>(number - 1);
  };
  // The last step reads all inputs that are left.
  size_t end = step > 0 ? static_cast<size_t>(at) + 1 : inputs.size();
  std::vector<int> readFrom; // devices
  for (size_t i = static_cast<size_t>(at); i < end; ++i) {
    LiveBuffers::Buffer &input = buffers.bufferOf(value, inputs[i]);
    buffers.touch(input);
    readFrom.push_back(input.device);
  }
  int other = -1;
  if (at == 1) {
    LiveBuffers::Buffer &one = buffers.bufferOf(value, inputs[0]);
    buffers.touch(one);
    other = one.device;
  } else if (!isSumLive[sumOf(at - 1)]) {
    isSumLive[sumOf(at - 1)] = true;
    buffers.add(sum.device, bytes, kind);
  }
  if (step > 0) { // the sum so far
    buffers.notePeak(readFrom[0]);
    buffers.notePeak(other);
    buffers.notePeak(sum.device);
    buffers.add(sum.device, -bytes, kind);
    return;
  }
  LiveBuffers::Buffer &output =
      buffers.bufferOf(value, planned.sources + static_cast<int>(begin));
  buffers.touch(output);
  for (int device : readFrom)
    buffers.notePeak(device);
  buffers.notePeak(sum.device);
  buffers.leave(output);
}
