//===- HybridPlan.cpp - Stages, tensor and data parallelism ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans in words.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Hierarchical/HybridPlan.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

using namespace soap;

const char *soap::recomputeName(Recompute recompute) {
  switch (recompute) {
  case Recompute::None:
    return "none";
  case Recompute::Selective:
    return "selective";
  case Recompute::Whole:
    return "whole";
  }
  return "";
}

static int64_t dividedUp(int64_t number, int64_t by) {
  return (number + by - 1) / by;
}

int64_t soap::microbatchesOf(const HybridShape &shape, int64_t batch) {
  assert(shape.data > 0 && shape.samples > 0 && batch > 0 && "no samples");
  int64_t microbatches =
      std::max<int64_t>(dividedUp(batch, shape.data * shape.samples), 1);
  return shape.chunks > 1 ? dividedUp(microbatches, shape.groups) * shape.groups
                          : microbatches;
}

int64_t soap::maxSamples(const HybridShape &shape, int64_t batch,
                         int64_t microbatches) {
  return dividedUp(batch, shape.data * microbatches);
}

bool soap::isBetter(const HybridPlan &a, const HybridPlan &b) {
  return a.excessBytes != b.excessBytes ? a.excessBytes < b.excessBytes
                                        : a.makespanNs < b.makespanNs;
}

/// The largest simulated peak over its price, rounded up (bench/hybrid's
/// prices.py). Prices are closest where nothing recomputes whole layers and
/// members of a tensor-parallel group hold nothing twice.
static double maxOverPrice(const HybridShape &shape, bool recomputesLayers) {
  bool repeats = shape.tensor > 1 && !shape.sequence;
  int quarters = 5 + (recomputesLayers ? 1 : 0) + (repeats ? 2 : 0);
  constexpr int withContext = 7;
  if (shape.context > 1)
    quarters = std::max(quarters, withContext);
  return quarters / 4.0;
}

int64_t soap::maxBytes(const HybridPlan &plan) {
  if (plan.isSimulated())
    return plan.peakBytes;
  bool recomputesLayers = std::any_of(
      plan.stages.begin(), plan.stages.end(), [](const HybridStage &stage) {
        return stage.recompute == Recompute::Whole;
      });
  return std::llround(maxOverPrice(plan.shape, recomputesLayers) *
                      static_cast<double>(plan.peakBytes));
}

int64_t soap::priceThatFits(const HybridShape &shape, int64_t bytes) {
  assert(bytes >= 0 && "a negative memory");
  return static_cast<int64_t>(static_cast<double>(bytes) /
                              maxOverPrice(shape, /*recomputesLayers=*/true));
}

void soap::useSimulation(HybridPlan &plan, HybridSimulation simulated,
                         int64_t memoryBytes) {
  assert(!simulated.groupBytes.empty() && "bytes of each group");
  assert(simulated.makespanNs > 0 && simulated.microbatches > 0);
  // Memory of the host is priced in any case.
  int64_t ofHost =
      plan.excessBytes - std::max<int64_t>(plan.peakBytes - memoryBytes, 0);
  assert(simulated.groupBytes.size() ==
             static_cast<size_t>(plan.shape.groups) &&
         "bytes of each group");
  plan.makespanNs = simulated.makespanNs;
  plan.groupBytes = std::move(simulated.groupBytes);
  plan.bubble = simulated.bubble;
  plan.simulatedMicrobatches = simulated.microbatches;
  plan.simulatedTasks = simulated.tasks;
  plan.simulatedFull = simulated.isFull;
  plan.peakBytes =
      *std::max_element(plan.groupBytes.begin(), plan.groupBytes.end());
  plan.excessBytes =
      ofHost + std::max<int64_t>(plan.peakBytes - memoryBytes, 0);
}

static std::string count(int64_t number, const char *one) {
  return std::to_string(number) + " " + one + (number == 1 ? "" : "s");
}

/// ", selective recomputation in stages 0 to 5"
static std::string describeRecompute(const HybridPlan &plan,
                                     Recompute recompute) {
  std::string text;
  auto stages = static_cast<int>(plan.stages.size());
  int total = 0;
  for (int s = 0; s < stages; ++s) {
    if (plan.stages[s].recompute != recompute)
      continue;
    int last = s;
    while (last + 1 < stages && plan.stages[last + 1].recompute == recompute)
      ++last;
    total += last - s + 1;
    text += (text.empty() ? "" : ", ") + std::to_string(s) +
            (last > s ? " to " + std::to_string(last) : "");
    s = last;
  }
  if (total == 0)
    return "";
  std::string kind = recompute == Recompute::Whole ? "whole layers recomputed"
                                                   : "selective recomputation";
  if (total == stages)
    return ", " + kind;
  return ", " + kind + " in stage" + (total > 1 ? "s " : " ") + text;
}

std::string soap::describe(const HybridPlan &plan) {
  const HybridShape &shape = plan.shape;
  std::string text;
  if (shape.groups > 1)
    text += count(static_cast<int64_t>(plan.stages.size()), "stage") + " x ";
  std::string inside;
  auto add = [&](const char *name, int degree, const std::string &how) {
    inside += (inside.empty() ? "" : " x ") + std::string(name) +
              std::to_string(degree) + how;
  };
  if (shape.tensor > 1)
    add("tensor ", shape.tensor, shape.sequence ? " with sequence" : "");
  if (shape.context > 1)
    add("context ", shape.context, shape.zigzag ? " with zigzag" : "");
  if (shape.data > 1 || inside.empty())
    add("data ", shape.data,
        shape.experts > 1 ? " with experts " + std::to_string(shape.experts)
                          : "");
  text += shape.groups > 1 ? "(" + inside + ")" : inside;
  if (plan.microbatches > 1)
    text += ", " + std::to_string(plan.microbatches) + " microbatches of " +
            (plan.isUneven ? "at most " : "") + count(shape.samples, "sample");
  else if (plan.isUneven)
    text += ", at most " + count(shape.samples, "sample") + " a replica";
  if (shape.groups > 1)
    text += shape.chunks > 1 ? ", 1F1B interleaved on " +
                                   std::to_string(shape.groups) + " groups"
                             : ", 1F1B";
  if (shape.overlap)
    text += ", passes side by side";
  text += describeRecompute(plan, Recompute::Selective);
  text += describeRecompute(plan, Recompute::Whole);
  if (shape.zero > 0)
    text += ", ZeRO-" + std::to_string(shape.zero);
  if (plan.hostBytes > 0)
    text += ", optimizer states in host memory";
  return text;
}
