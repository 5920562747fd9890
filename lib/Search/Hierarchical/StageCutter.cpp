//===- StageCutter.cpp - Segments as pipeline stages ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StageCutter.h.
//
//===----------------------------------------------------------------------===//

#include "StageCutter.h"

#include <algorithm>

using namespace soap;

int64_t soap::againNs(const SegmentCost &cost, Recompute recompute) {
  return recompute == Recompute::Whole       ? cost.wholeNs
         : recompute == Recompute::Selective ? cost.selectiveNs
                                             : 0;
}

int64_t soap::passNs(const SegmentCost &cost, Recompute recompute) {
  return cost.forwardNs + cost.backwardNs + againNs(cost, recompute);
}

int64_t soap::bytesOf(const HybridStage &stage) {
  return stage.parameterBytes + stage.stateBytes + stage.gradientBytes +
         stage.activationBytes + stage.scratchBytes;
}

void StageSums::add(int s) {
  const SegmentCost &cost = found.segments[s];
  for (Recompute level :
       {Recompute::None, Recompute::Selective, Recompute::Whole})
    ns[static_cast<int>(level)] += soap::passNs(cost, level);
  parameters += cost.parameterBytes;
  states += cost.stateBytes;
  gradients += cost.gradientBytes;
  for (const WeightCost &weight : cost.weights)
    if (weight.isGathered) {
      gatheredWeights += weight.weightBytes;
      gatheredGradients += weight.gradientBytes;
      largestWeight = std::max(largestWeight, weight.weightBytes);
      largestGradient = std::max(largestGradient, weight.gradientBytes);
    }
  bool opensLayer = isFirst || segments.layerOf[s] != segments.layerOf[s - 1];
  layer = (opensLayer ? 0 : layer) + cost.keptBytes;
  layerScratch = std::max(opensLayer ? 0 : layerScratch, cost.scratchBytes);
  // One layer, or what is not kept of a segment, is there again at a time, and
  // an op reads and writes.
  auto atOnce = [&](Recompute level, int64_t bytes) {
    int64_t &most = scratch[static_cast<int>(level)];
    most = std::max(most, bytes);
  };
  atOnce(Recompute::None, 2 * cost.scratchBytes);
  atOnce(Recompute::Selective,
         cost.keptBytes - cost.selectiveBytes + 2 * cost.scratchBytes);
  atOnce(Recompute::Whole, layer + 2 * layerScratch);
  int64_t entering = isFirst ? cost.boundaryBytes : 0;
  kept[static_cast<int>(Recompute::None)] += cost.keptBytes + entering;
  kept[static_cast<int>(Recompute::Selective)] +=
      cost.selectiveBytes + entering;
  kept[static_cast<int>(Recompute::Whole)] +=
      opensLayer ? cost.boundaryBytes : 0;
  isFirst = false;
}

void StageSums::fill(HybridStage &stage) const {
  auto share = [&](int64_t bytes) {
    return (bytes + shape.data - 1) / shape.data;
  };
  stage.parameterBytes = parameters;
  stage.stateBytes = shape.zero >= 1 ? share(states) : states;
  stage.gradientBytes = shape.zero == 2 ? share(gradients) : gradients;
  if (shape.zero >= 3) {
    // Two weights are gathered, and one gradient is on its way.
    stage.parameterBytes +=
        share(gatheredWeights) - gatheredWeights + 2 * largestWeight;
    stage.gradientBytes +=
        share(gatheredGradients) - gatheredGradients + largestGradient;
  }
  stage.activationBytes = keptBytes(stage.recompute) * stage.inFlight;
  stage.scratchBytes = scratch[static_cast<int>(stage.recompute)];
}

/// Leaves what `isEnough` makes of the least limit in (0, high] that is enough;
/// false if `high` is not.
static bool findLeast(int64_t high,
                      const std::function<bool(int64_t)> &isEnough) {
  if (!isEnough(high))
    return false;
  int64_t low = 0;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (isEnough(middle) ? high : low) = middle;
  }
  return isEnough(high);
}

static int64_t longestNs(const SegmentCosts &found) {
  int64_t sum = 0;
  for (const SegmentCost &cost : found.segments)
    sum += passNs(cost, Recompute::Whole);
  return sum;
}

std::vector<int> soap::cutByTime(const SegmentCosts &found, int stages,
                                 Recompute recompute) {
  std::vector<int> firsts(stages);
  // From the back; earlier stages have a segment left for each.
  auto isEnough = [&](int64_t limitNs) {
    auto s = static_cast<int>(found.segments.size());
    for (int k = stages; k-- > 0;) {
      int64_t ns = 0;
      int end = s;
      while (s > k && ns + passNs(found.segments[s - 1], recompute) <= limitNs)
        ns += passNs(found.segments[--s], recompute);
      if (s == end)
        return false;
      firsts[k] = s;
    }
    return s == 0;
  };
  findLeast(longestNs(found), isEnough);
  return firsts;
}

std::vector<int>
soap::cutSegments(const HybridShape &shape, const ModelSegments &segments,
                  const SegmentCosts &found, int stages,
                  const std::function<int64_t(int, const StageSums &)> &nsOf) {
  std::vector<int> firsts;
  // Greedily; later stages have a segment left for each.
  auto isEnough = [&](int64_t limitNs) {
    firsts.clear();
    int s = 0;
    for (int k = 0; k < stages; ++k) {
      StageSums sums(shape, segments, found);
      int first = s;
      for (int end = segments.count - (stages - 1 - k); s < end; ++s) {
        sums.add(s);
        if (nsOf(k, sums) > limitNs)
          break;
      }
      if (s == first)
        return false;
      firsts.push_back(first);
    }
    return s == segments.count;
  };
  if (!findLeast(longestNs(found), isEnough))
    firsts.clear();
  return firsts;
}
