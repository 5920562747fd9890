//===- DeltaTimeline.cpp - The timeline that proposals differ from --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Committing a proposal: reused segments move, simulated tasks get their times,
// and checkpoints are merged.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/DeltaTimeline.h"

#include <algorithm>
#include <cassert>
#include <span>

using namespace soap;

void DeltaTimeline::Record::restart(size_t checkpoint, int position) {
  from = checkpoint;
  start = position;
  popped.clear();
  tasks = 0;
  passedCount = 0;
  segmentCount = 0;
  touched.clear();
}

void DeltaTimeline::Record::copy(const Record &other) {
  auto take = [](auto &to, const auto &from, size_t count) {
    if (to.size() < count)
      to.resize(count);
    std::copy_n(from.begin(), count, to.begin());
  };
  from = other.from;
  start = other.start;
  makespanNs = other.makespanNs;
  popped = other.popped;
  tasks = other.tasks;
  take(endsNs, other.endsNs, tasks);
  passedCount = other.passedCount;
  take(passed, other.passed, passedCount);
  segmentCount = other.segmentCount;
  take(segments, other.segments, segmentCount);
  touched = other.touched;
}

bool DeltaTimeline::Record::move(Done &task) const {
  for (size_t s = 0; s < segmentCount; ++s) {
    const Segment &part = segments[s];
    if (task.position >= part.last)
      continue;
    if (task.position < part.first)
      return false;
    task.position += part.offset;
    task.endNs += part.shiftNs;
    return true;
  }
  return false;
}

/// Moves the tasks of reused segments. A block whose first predecessors were
/// simulated counts as touched where the next reused segment begins.
void DeltaTimeline::moveReused(const Record &record) {
  std::span<const Segment> segments(record.segments.data(),
                                    record.segmentCount);
  for (size_t b = 0; b < done.size(); ++b) {
    if (progress[b].last < record.start)
      continue;
    for (Done &task : done[b])
      if (task.position >= record.start && task.position != never)
        record.move(task);
    int &first = progress[b].touched;
    if (first < record.start || first == never)
      continue;
    auto next = std::ranges::find_if(
        segments, [&](const Segment &part) { return first < part.last; });
    first = next == segments.end()
                ? never
                : std::max(first, next->first) + next->offset;
  }
}

/// The tasks that were simulated.
void DeltaTimeline::takeSimulated(const Record &record) {
  for (auto [block, position] : record.touched) {
    // Positions after the start of the run are old, or positions of reused
    // segments.
    int &first = progress[block].touched;
    if (first >= record.start)
      first = record.segmentCount > 0 ? std::min(first, position) : position;
  }
  ++stamp;
  int position = record.start;
  const int64_t *endNs = record.endsNs.data();
  size_t part = 0;
  auto skip = [&](size_t popped) {
    for (; part < record.segmentCount && record.segments[part].popped == popped;
         ++part)
      position = record.segments[part].last + record.segments[part].offset;
  };
  for (size_t i = 0; i < record.popped.size(); ++i) {
    skip(i);
    const TaskBundle &bundle = record.popped[i];
    Progress &now = progress[bundle.block];
    if (stamped[bundle.block] != stamp) {
      stamped[bundle.block] = stamp;
      if (now.first >= record.start) {
        now.first = position;
        now.endNs = 0;
      }
    }
    Done *task = done[bundle.block].data() + bundle.first;
    for (int t = 0; t < bundle.count; ++t) {
      now.endNs = std::max(now.endNs, *endNs);
      *task++ = {*endNs++, position++};
    }
    now.last = position - 1;
  }
  assert(endNs == record.endsNs.data() + record.tasks &&
         "an end of each task that was simulated");
  skip(record.popped.size());
  taskCount = position;
}

/// Of blocks with tasks behind a position, from all their tasks.
void DeltaTimeline::findProgress(int start) {
  for (size_t b = 0; b < done.size(); ++b) {
    Progress &now = progress[b];
    if (now.last < start)
      continue;
    now.first = never;
    now.last = -1;
    now.endNs = 0;
    for (const Done &task : done[b])
      if (task.position != never) {
        now.first = std::min(now.first, task.position);
        now.last = std::max(now.last, task.position);
        now.endNs = std::max(now.endNs, task.endNs);
      }
  }
}

/// Keeps the checkpoints before the start, the checkpoints that the run has
/// taken, and the checkpoints of reused segments.
void DeltaTimeline::mergeCheckpoints(Record &record) {
  std::vector<Checkpoint> merged;
  auto keep = [&](std::vector<Checkpoint> &list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      merged.push_back(std::move(list[i]));
  };
  keep(checkpoints, 0, record.from);
  size_t passed = 0;
  for (size_t s = 0; s < record.segmentCount; ++s) {
    const Segment &part = record.segments[s];
    assert(part.first <= part.last &&
           part.firstCheckpoint <= part.lastCheckpoint && "a negative segment");
    assert(passed <= part.passed && "segments in order");
    keep(record.passed, passed, part.passed);
    passed = part.passed;
    size_t first = merged.size();
    keep(checkpoints, part.firstCheckpoint, part.lastCheckpoint);
    for (Checkpoint &moved : std::span(merged).subspan(first)) {
      moved.position += part.offset;
      moved.makespanNs =
          std::max(part.makespanNs, moved.makespanNs + part.shiftNs);
      for (size_t r = 0; r < moved.resources.size(); ++r) {
        moved.resources[r].freeNs += part.shiftNs;
        moved.resources[r].remainingNs += part.workNs[r];
      }
      for (TaskQueue::Entry &entry : moved.queue)
        entry.readyNs += part.shiftNs;
      moved.next.readyNs += part.shiftNs;
    }
  }
  keep(record.passed, passed, record.passedCount);
  assert(std::ranges::is_sorted(merged, {}, &Checkpoint::position) &&
         "checkpoints in the order of their positions");
  checkpoints = std::move(merged);
}

void DeltaTimeline::commit(Record &record) {
  assert(record.from <= checkpoints.size() && "another timeline");
  assert(record.passedCount <= record.passed.size() &&
         record.segmentCount <= record.segments.size() && "more than there is");
  makespanNs = record.makespanNs;
  if (record.segmentCount > 0) {
    moveReused(record);
    takeSimulated(record);
    findProgress(record.start);
    mergeCheckpoints(record);
  } else {
    takeSimulated(record);
    // Exchanged, so that the memory of both is kept.
    checkpoints.resize(record.from + record.passedCount);
    std::swap_ranges(record.passed.begin(),
                     record.passed.begin() +
                         static_cast<ptrdiff_t>(record.passedCount),
                     checkpoints.begin() + static_cast<ptrdiff_t>(record.from));
  }
  // All of it is in the timeline now.
  record.restart(checkpoints.size(), taskCount);
}
