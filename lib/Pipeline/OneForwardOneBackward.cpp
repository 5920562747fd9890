//===- OneForwardOneBackward.cpp - Orders of passes on devices ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group of devices counts its forward passes and its backward passes; the
// schedule says how many of the first come before the second begin.
//
//===----------------------------------------------------------------------===//

#include "Soap/Pipeline/OneForwardOneBackward.h"

#include <algorithm>
#include <cassert>

using namespace soap;

namespace {

/// The passes of one group of devices.
class GroupSchedule {
public:
  GroupSchedule(int group, int groups, int chunks, int64_t microbatches)
      : group(group), groups(groups), chunks(chunks),
        microbatches(microbatches), count(microbatches * chunks) {}

  /// Forward passes alone until `ahead` are done, then a forward and a backward
  /// pass in turn.
  std::vector<PipelinePass> run(int64_t ahead) const {
    std::vector<PipelinePass> passes;
    ahead = std::clamp<int64_t>(ahead, 0, count);
    for (int64_t i = 0; i < ahead; ++i)
      passes.push_back(pass(i, false));
    for (int64_t i = 0; i < count; ++i) {
      if (ahead + i < count)
        passes.push_back(pass(ahead + i, false));
      passes.push_back(pass(i, true));
    }
    assert(static_cast<int64_t>(passes.size()) == 2 * count &&
           "both passes of every microbatch and stage");
    return passes;
  }
  int64_t passCount() const { return count; }

private:
  int group, groups, chunks;
  int64_t microbatches, count;

  /// The i-th pass of a direction: `groups` microbatches through one stage,
  /// then through the next one of this group.
  PipelinePass pass(int64_t i, bool backward) const {
    int64_t round = i / (static_cast<int64_t>(groups) * chunks);
    int64_t first = round * groups;
    int64_t width = std::min<int64_t>(groups, microbatches - first);
    int64_t rest = i - first * chunks;
    auto chunk = static_cast<int>(rest / width);
    assert(chunk >= 0 && chunk < chunks && "no such stage");
    if (backward)
      chunk = chunks - 1 - chunk;
    return {chunk * groups + group, first + rest % width, backward};
  }
};

} // namespace

Expected<std::vector<std::vector<PipelinePass>>>
soap::schedulePasses(PipelineSchedule schedule,
                     const std::vector<std::vector<int>> &stageDevices,
                     int64_t microbatches, int devices,
                     const std::vector<int> &inFlight) {
  assert(microbatches > 0 && "at least one microbatch");
  // The first ones, each on other devices.
  size_t groups = 0;
  while (groups < stageDevices.size() &&
         std::find(stageDevices.begin(),
                   stageDevices.begin() + static_cast<ptrdiff_t>(groups),
                   stageDevices[groups]) ==
             stageDevices.begin() + static_cast<ptrdiff_t>(groups))
    ++groups;
  for (size_t s = groups; s < stageDevices.size(); ++s) {
    if (stageDevices[s] != stageDevices[s % groups])
      return Error{"stage " + std::to_string(s) +
                   " is on other devices than expected: stages go round the " +
                   std::to_string(groups) +
                   " groups of devices that the first ones have"};
  }
  if (groups > 0 && stageDevices.size() % groups != 0)
    return Error{"there are " + std::to_string(stageDevices.size()) +
                 " stages on " + std::to_string(groups) +
                 " groups of devices, expected as many on each"};
  auto count = static_cast<int>(groups);
  int chunks = count ? static_cast<int>(stageDevices.size()) / count : 1;
  bool interleaved = chunks > 1 && schedule != PipelineSchedule::GPipe;
  bool overlaps = schedule == PipelineSchedule::Overlapped;
  if (interleaved && microbatches % count != 0)
    return Error{std::to_string(microbatches) +
                 " microbatches cannot be interleaved over " +
                 std::to_string(count) +
                 " groups of devices, expected a multiple"};
  std::vector<std::vector<PipelinePass>> order(static_cast<size_t>(devices));
  for (int g = 0; g < count; ++g) {
    GroupSchedule group(g, count, chunks, microbatches);
    int64_t ahead = group.passCount(); // GPipe: all
    if (interleaved)
      ahead = microbatches == count
                  ? ahead
                  : int64_t(count - g - 1) * 2 + int64_t(chunks - 1) * count +
                        overlaps;
    else if (overlaps && inFlight.empty())
      // A pass of a pair takes as long as the pair: twice as many are on the
      // way, and one more, so that none waits for the other.
      ahead = int64_t(count - g - 1) * 2 + 1;
    else if (schedule != PipelineSchedule::GPipe)
      ahead =
          (inFlight.empty() ? count - g : inFlight[static_cast<size_t>(g)]) - 1;
    std::vector<PipelinePass> passes = group.run(ahead);
    for (int device : stageDevices[static_cast<size_t>(g)])
      order[static_cast<size_t>(device)] = passes;
  }
  return order;
}
