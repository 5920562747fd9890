//===- DeltaTimeline.h - The timeline that proposals differ from ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of delta simulation (DeltaSimulator.h): the committed timeline, and
// the record of a proposal, which is the tasks that were simulated and the
// segments of the committed timeline between them that were reused.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_DELTATIMELINE_H
#define SOAP_SIMULATOR_DELTATIMELINE_H

#include "Soap/Simulator/TaskBundle.h"
#include "Soap/Simulator/TaskQueue.h"

#include <cassert>
#include <limits>
#include <vector>

namespace soap {

/// Times are in ns. Positions are places of tasks among all tasks, in the order
/// in which they left the queue.
struct DeltaTimeline {
  static constexpr int never = std::numeric_limits<int>::max();
  /// A task of the committed timeline.
  struct Done {
    int64_t endNs = 0;
    int position = never;
  };
  /// How far a block was.
  struct Progress {
    int first = never, last = -1; ///< positions of its tasks; none: as here
    /// Each predecessor of its tasks has this position or a later one.
    int touched = never;
    int64_t endNs = 0; ///< no task of it ended later
    /// Whether none of its tasks was over before a position.
    bool isUntouchedAt(int position) const { return first >= position; }
    /// Whether all were, and had ended at a time.
    bool isOverAt(int position, int64_t ns) const {
      return last >= 0 && last < position && endNs <= ns;
    }
  };
  /// A device or a link.
  struct Resource {
    int64_t freeNs;      ///< end of what was simulated
    int64_t remainingNs; ///< work that was not
  };
  /// The state before a position.
  struct Checkpoint {
    int position = 0;
    int64_t makespanNs = 0;          ///< of the tasks before
    std::vector<Resource> resources; ///< `remainingNs`: less what was to do
    std::vector<TaskQueue::Entry> queue;
    TaskQueue::Entry next = {0, 0}; ///< the first task of the queue, alone
  };
  /// A reused segment: a part of the timeline, earlier or later as a whole,
  /// from the state before one position to that before another.
  struct Segment {
    int first, last;    ///< these positions; the last may be the end
    int offset;         ///< what its positions are greater by now
    int64_t shiftNs;    ///< and its times
    int64_t makespanNs; ///< of the tasks before it
    /// Checkpoints in it, from its first position on.
    size_t firstCheckpoint, lastCheckpoint;
    size_t popped, passed;       ///< what was simulated before it
    std::vector<int64_t> workNs; ///< less was done before it, by resource
  };
  /// The result of the simulation of a proposal.
  struct Record {
    size_t from = 0; ///< checkpoints before its start
    int start = 0;   ///< position of the last of them
    int64_t makespanNs = 0;
    std::vector<TaskBundle> popped; ///< in the order of the queue
    std::vector<int64_t> endsNs;    ///< of their tasks, and memory for more
    size_t tasks = 0;
    // Of these, so many entries are in use; memory is kept.
    std::vector<Checkpoint> passed;
    size_t passedCount = 0;
    std::vector<Segment> segments;
    size_t segmentCount = 0;
    /// Blocks of which a task was touched, and the position of the last task
    /// that was simulated before.
    std::vector<std::pair<int, int>> touched;

    /// Starts from the checkpoint before an entry of a list, 0: from nothing.
    void restart(size_t checkpoint, int position);
    void copy(const Record &other);
    /// Gives a task of a reused segment its new position and end. Returns false
    /// if the task is in none.
    bool move(Done &task) const;
  };

  std::vector<std::vector<Done>> done; ///< by block
  std::vector<Progress> progress;      ///< by block
  std::vector<Checkpoint> checkpoints;
  int taskCount = 0;
  int64_t makespanNs = 0;

  explicit DeltaTimeline(size_t blocks)
      : done(blocks), progress(blocks), stamped(blocks) {}
  /// Forgets a block, which has so many tasks now.
  void replace(int block, size_t tasks) {
    assert(block >= 0 && static_cast<size_t>(block) < done.size() &&
           "no such block");
    done[block].assign(tasks, Done{});
    progress[block] = {};
  }
  /// Takes over what was found of a proposal, whose blocks were replaced. The
  /// record is of no more use.
  void commit(Record &record);

private:
  std::vector<uint64_t> stamped; ///< by block, in `commit`
  uint64_t stamp = 0;

  void moveReused(const Record &record);
  void takeSimulated(const Record &record);
  void findProgress(int start);
  void mergeCheckpoints(Record &record);
};

} // namespace soap

#endif // SOAP_SIMULATOR_DELTATIMELINE_H
