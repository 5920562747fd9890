//===- Algorithm2Simulator.h - Propagation of changes ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithm 2 of the SOAP paper, made exact: of a changed strategy only the
// tasks are simulated again whose times may have changed. The same times as
// `simulateFull` and `StrategySimulator`, task by task. See docs/Simulator.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_ALGORITHM2SIMULATOR_H
#define SOAP_SIMULATOR_ALGORITHM2SIMULATOR_H

#include "Soap/Simulator/StrategySimulator.h"

namespace soap {

/// Keeps a reference to a plan and the timeline of what was last committed. A
/// proposal is written beside it, so that refusing one costs nothing.
///
///     simulator.start();                      // after StrategyPlan::set
///     plan.change(...); plan.finish();
///     simulator.propagate();
///     simulator.commit(); plan.commit();      // in this order
///     // or: plan.revert();
class Algorithm2Simulator {
public:
  explicit Algorithm2Simulator(const StrategyPlan &plan);

  /// Simulates the plan, which must have no uncommitted changes, from nothing.
  /// Returns the makespan in ns.
  int64_t start();
  /// The makespan of the plan with its uncommitted changes, which must have
  /// been finished, if it is at most `limitNs`; else some number above the
  /// limit, as soon as a task is found to end after it.
  int64_t propagate(int64_t limitNs = std::numeric_limits<int64_t>::max());
  /// Makes the last proposal, propagated to its end, the timeline that changes
  /// are measured against. Before `StrategyPlan::commit`.
  void commit();

  /// Times of every task after `start`, `commit`, or `propagate` to its end:
  /// `times[block][index]`, as by `StrategySimulator::timeline`.
  void timeline(std::vector<std::vector<TaskTimes>> &times) const;
  /// Tasks that the last call of `propagate` gave a start and an end, or looked
  /// at and left as they were.
  int64_t simulatedTasks() const { return simulated; }

private:
  /// Where a task is in the queues of its resources: `when` is its ready time,
  /// with `lateBit` if it is deferred.
  struct Position {
    int64_t when;
    uint64_t key; ///< block, index
    bool operator==(const Position &) const = default;
    bool operator<(const Position &other) const {
      return when != other.when ? when < other.when : key < other.key;
    }
    bool operator>(const Position &other) const { return other < *this; }
  };
  static constexpr int64_t lateBit = int64_t(1) << 62;

  /// A task as committed.
  struct Base {
    int64_t when = 0, startNs = 0, endNs = 0;
    int64_t durationNs = 0;
    int resource = 0; ///< as in `PlannedTask`
    bool exists = false;
    bool marked = false; ///< a deferred copy
  };
  /// Where a task is in the proposal.
  enum class Place : uint8_t {
    Kept,   ///< where it was, perhaps with another start
    Lifted, ///< nowhere: it has no place yet, or has lost it
    Placed, ///< at a position of its own, for good
    Gone    ///< not in the proposal
  };
  /// What the proposal does to a task. Of another epoch: nothing.
  struct Change {
    uint64_t epoch = 0;
    int64_t when = 0, startNs = 0, endNs = 0;
    int64_t queued = -1; ///< `when` of the last look that was planned
    int pending = 0;     ///< predecessors that are lifted
    Place place = Place::Kept;
    /// Its predecessors are others than before, or have other times.
    bool isStale = false;
  };
  /// The queue of a resource: what is committed, sorted, and what the proposal
  /// does to it. Everything before `next` has been passed.
  struct Line {
    std::vector<Position> tasks;
    int64_t endNs = 0; ///< of the last of them
    uint64_t epoch = 0;
    size_t next = 0;
    int64_t keptEndNs = 0;   ///< of the last kept task before `next`
    int64_t placedEndNs = 0; ///< of the last placed one
    std::vector<Position> placed;
    bool changed = false; ///< not only times
  };

  const StrategyPlan &plan;
  StrategySimulator simulator; ///< for the start
  bool copiesOccupy = false;
  uint64_t epoch = 0;
  int64_t simulated = 0, limitNs = 0, makespanNs = 0;
  bool exceeded = false;
  std::vector<std::vector<Base>> base;      ///< by block
  std::vector<std::vector<Change>> changes; ///< by block, at least as long
  std::vector<Line> lines;                  ///< by resource
  std::vector<uint64_t> touched;            ///< tasks, by key
  std::vector<int> touchedLines;
  std::vector<Position> looks; ///< a heap
  /// Tasks that occupy nothing: as committed, and placed by the proposal.
  std::vector<uint64_t> loose, placedLoose;
  /// Marks of the proposal, by block; empty where copies occupy nobody.
  const std::vector<std::vector<uint8_t>> *marks = nullptr;

  static int blockOf(uint64_t key) { return static_cast<int>(key >> 32); }
  static int indexOf(uint64_t key) {
    return static_cast<int>(key & 0xffffffff);
  }
  static uint64_t keyOf(int block, int index) {
    return static_cast<uint64_t>(block) << 32 | static_cast<uint32_t>(index);
  }
  Base &baseOf(uint64_t key) { return base[blockOf(key)][indexOf(key)]; }
  Change &touch(uint64_t key);
  Line &touchLine(int resource);
  bool isKept(uint64_t key) const;
  int64_t endOf(uint64_t key) const;
  template <typename Visit>
  void forEachPredecessor(uint64_t key, Visit visit);
  template <typename Visit>
  void forEachSuccessor(uint64_t key, Visit visit);
  int taskSlots(int block) const;
  Base describe(int block, int index) const;
  bool isMarked(uint64_t key) const;

  void begin();
  void classify(std::vector<uint64_t> &lifted, std::vector<uint64_t> &stale);
  void lookAt(uint64_t key, int64_t when);
  void look(Position position);
  int64_t whenOf(uint64_t key);
  int64_t endBefore(Line &line, Position position);
  void leave(uint64_t key);
  void lift(uint64_t key);
  void announce(uint64_t key);
  void place(Position position);
  void checkAgain(Position position);
  void lookBehind(int resource, Position position, int64_t oldEndNs,
                  int64_t newEndNs);
  void tell(uint64_t key, bool wasLifted, bool isDifferent);
  void sortLines();
};

} // namespace soap

#endif // SOAP_SIMULATOR_ALGORITHM2SIMULATOR_H
