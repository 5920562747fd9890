//===- ValuePlan.cpp - Plan of a value ------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See docs/Plan.md.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/ValuePlan.h"

using namespace soap;

void ValuePlan::clear() {
  sources = 0;
  sourcesAreTasks = isInPlace = delaysReaders = ofProduct = false;
  sourceSlot = triggerSlot = -1;
  actions.clear();
  inputs.clear();
  passingBytes.clear();
  tasks.clear();
  collectives.clear();
  for (std::vector<int> &binding : bindings)
    binding.clear();
  tiles.clear();
  successorStart.clear();
  successors.clear();
  predecessorCounts.clear();
  roots.clear();
}
