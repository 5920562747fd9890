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
#include <cassert>

using namespace soap;

int64_t soap::recomputeNs(const SegmentCost &cost, Recompute recompute) {
  return recompute == Recompute::Whole       ? cost.wholeNs
         : recompute == Recompute::Selective ? cost.selectiveNs
                                             : 0;
}

int64_t soap::passNs(const SegmentCost &cost, Recompute recompute) {
  return cost.forwardNs + cost.backwardNs + recomputeNs(cost, recompute);
}

int64_t soap::bytesOf(const HybridStage &stage) {
  return stage.parameterBytes + stage.stateBytes + stage.gradientBytes +
         stage.activationBytes + stage.scratchBytes;
}

void StageSums::add(int s) {
  const SegmentCost &cost = found.segments[s];
  // Selective recomputation may keep more: a product whose slices alone are
  // read again is computed from in one case, and not there in the other.
  assert(cost.updatedBytes.all <= cost.parameterBytes &&
         cost.forwardBytes <= cost.parameterBytes && "parts of the whole");
  for (Recompute level :
       {Recompute::None, Recompute::Selective, Recompute::Whole})
    ns[static_cast<int>(level)] += soap::passNs(cost, level);
  parameters += cost.parameterBytes;
  updated += cost.updatedBytes;
  states += cost.stateBytes;
  hostStates += cost.hostBytes;
  HeldBytes before = gradients; // come after this segment's
  gradients += cost.gradientBytes;
  forwardOnly += cost.forwardBytes;
  int64_t largestOwn = 0;
  for (const WeightCost &weight : cost.weights) {
    largestOwn = std::max(largestOwn, weight.gradientBytes);
    if (!weight.isGathered)
      continue;
    gatheredWeights.add(weight.weightBytes, weight.isOfExperts);
    if (!weight.isUpdated)
      gatheredCopies.add(weight.weightBytes, weight.isOfExperts);
    gatheredGradients.add(weight.gradientBytes, weight.isOfExperts);
    largestGathered = std::max(largestGathered, weight.gradientBytes);
    twoWeights = std::max(twoWeights, lastWeight + weight.weightBytes);
    lastWeight = weight.weightBytes;
  }
  bool opensLayer = isFirst || segments.layerOf[s] != segments.layerOf[s - 1];
  layer = opensLayer ? 0 : layer;
  // Values that are not kept are computed again for one segment at a time, or
  // for one layer, beside the values that earlier ones keep.
  int64_t entering = isFirst ? cost.boundaryBytes : 0,
          opening = opensLayer ? cost.boundaryBytes : 0;
  // Of the only microbatch, gradients of later segments are there already, and
  // its own: under ZeRO as shares, and two that are reduced.
  int64_t live = !isSummed         ? cost.liveBytes
                 : shape.zero == 3 ? cost.unreducedBytes
                                   : cost.summingBytes,
          missing = 0;
  if (!isSummed) {
    missing = shareOf(before);
    if (shape.zero >= 1)
      live += std::min(cost.gradientBytes.all, 2 * largestOwn);
  }
  auto keep = [&](Recompute level, int64_t entered, int64_t again,
                  int64_t bytes) {
    int64_t &sum = kept[static_cast<int>(level)],
            &most = atOnce[static_cast<int>(level)];
    most = std::max(most, sum + entered + again + live - missing);
    sum += entered + bytes;
    most = std::max(most, sum - missing);
  };
  keep(Recompute::None, entering, 0, cost.keptBytes);
  keep(Recompute::Selective, entering, 0, cost.selectiveBytes);
  keep(Recompute::Whole, opening, layer, 0);
  layer += cost.keptBytes;
  isFirst = false;
}

int64_t StageSums::shareOf(const HeldBytes &bytes) const {
  if (shape.zero == 0)
    return bytes.all;
  auto share = [](int64_t of, int64_t holders) {
    return (of + holders - 1) / holders;
  };
  return share(bytes.all - bytes.ofExperts, shape.holders()) +
         share(bytes.ofExperts, shape.expertHolders());
}

void StageSums::fill(HybridStage &stage) const {
  auto share = [&](const HeldBytes &bytes) { return shareOf(bytes); };
  // Of two microbatches, the first has no gradients yet when it is computed
  // back, and the second none of these copies.
  stage.parameterBytes = parameters - (microbatches <= 2 ? forwardOnly : 0);
  stage.stateBytes = share(states);
  stage.hostBytes = share(hostStates);
  stage.gradientBytes = gradients.all;
  if (!isSummed)
    stage.gradientBytes = share(gradients);
  else if (shape.zero == 2)
    stage.gradientBytes = share(gradients);
  else if (shape.zero >= 3)
    stage.gradientBytes +=
        share(gatheredGradients) - gatheredGradients.all + largestGathered;
  // A replica has its share beside the whole that it gathers.
  if (shape.zero >= 1)
    stage.parameterBytes += share(updated);
  // One weight is read while the next is gathered, and no whole is kept.
  if (shape.zero >= 3)
    stage.parameterBytes +=
        share(gatheredCopies) - gatheredWeights.all + twoWeights;
  assert(stage.inFlight >= 0 && "microbatches in flight");
  stage.activationBytes = keptBytes(stage.recompute) * stage.inFlight;
  // One of the microbatches in flight is computed.
  stage.scratchBytes =
      atOnce[static_cast<int>(stage.recompute)] - keptBytes(stage.recompute);
  // Not all gradients of the only microbatch are there at the peak.
  if (stage.scratchBytes < 0) {
    stage.gradientBytes += stage.scratchBytes;
    stage.scratchBytes = 0;
  }
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

/// The first of `units`, times in order, of each stage.
static std::vector<int> cutUnits(const std::vector<int64_t> &units, int stages,
                                 int64_t longest) {
  assert(stages > 0 && static_cast<size_t>(stages) <= units.size() &&
         "at least one unit a stage");
  std::vector<int> firsts(stages);
  // From the back; earlier stages have a unit left for each.
  auto isEnough = [&](int64_t limitNs) {
    auto u = static_cast<int>(units.size());
    for (int k = stages; k-- > 0;) {
      int64_t ns = 0;
      int end = u;
      while (u > k && ns + units[u - 1] <= limitNs)
        ns += units[--u];
      if (u == end)
        return false;
      firsts[k] = u;
    }
    return u == 0;
  };
  findLeast(longest, isEnough);
  return firsts;
}

std::vector<int> soap::cutByTime(const SegmentCosts &found, int stages,
                                 Recompute recompute) {
  std::vector<int64_t> units;
  for (const SegmentCost &cost : found.segments)
    units.push_back(passNs(cost, recompute));
  return cutUnits(units, stages, longestNs(found));
}

/// How many blocks each stage has if what is around all blocks counts as two.
static int countedBlocks(const ModelSegments &segments, int stages) {
  auto blocks = static_cast<int>(segments.blocks.size());
  bool isAround = segments.blocks[0] > 0 && segments.blocksEnd < segments.count;
  return (blocks + 2) % stages == 0 && (blocks >= stages || isAround)
             ? (blocks + 2) / stages
             : 0;
}

bool soap::mayCutByBlocks(const ModelSegments &segments, int stages) {
  auto blocks = static_cast<int>(segments.blocks.size());
  return stages <= blocks ||
         (blocks > 0 && countedBlocks(segments, stages) > 0);
}

std::vector<int> soap::cutByBlocks(const ModelSegments &segments,
                                   const SegmentCosts &found, int stages,
                                   Recompute recompute) {
  assert(mayCutByBlocks(segments, stages) && "a block a stage");
  auto blocks = static_cast<int>(segments.blocks.size());
  std::vector<int> firsts = {0};
  bool isEven = blocks % stages == 0;
  int each = isEven ? blocks / stages : countedBlocks(segments, stages);
  if (each > 0) {
    for (int k = 1; k < stages; ++k) {
      int block = k * each - (isEven ? 0 : 1);
      firsts.push_back(block < blocks ? segments.blocks[block]
                                      : segments.blocksEnd);
    }
    return firsts;
  }
  // The first and the last block have what is around all of them.
  std::vector<int64_t> units(blocks);
  int64_t sum = 0;
  for (int s = 0, b = 0; s < segments.count; ++s) {
    b += b + 1 < blocks && segments.blocks[b + 1] <= s;
    int64_t ns = passNs(found.segments[s], recompute);
    units[b] += ns;
    sum += ns;
  }
  for (int block : cutUnits(units, stages, sum))
    if (block > 0)
      firsts.push_back(segments.blocks[block]);
  return firsts;
}

std::vector<int>
soap::cutSegments(const HybridShape &shape, const ModelSegments &segments,
                  const SegmentCosts &found, int stages, int64_t microbatches,
                  const std::function<int64_t(int, const StageSums &)> &nsOf) {
  std::vector<int> firsts;
  // Greedily; later stages have a segment left for each.
  auto isEnough = [&](int64_t limitNs) {
    firsts.clear();
    int s = 0;
    for (int k = 0; k < stages; ++k) {
      StageSums sums(shape, segments, found, microbatches);
      int first = s;
      [[maybe_unused]] int64_t before = 0;
      for (int end = segments.count - (stages - 1 - k); s < end; ++s) {
        sums.add(s);
        int64_t ns = nsOf(k, sums);
        assert(ns >= before && "nsOf must not fall when a range grows");
        before = ns;
        if (ns > limitNs)
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
