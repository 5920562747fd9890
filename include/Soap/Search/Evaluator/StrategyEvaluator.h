//===- StrategyEvaluator.h - Prices of neighbouring strategies --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices neighbours of a strategy: the current strategy with another config for
// one group, or for some, at most up to a limit. The prices equal the results
// of `ParallelizationProblem::evaluate`, and are found hundreds of times as
// fast.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_EVALUATOR_STRATEGYEVALUATOR_H
#define SOAP_SEARCH_EVALUATOR_STRATEGYEVALUATOR_H

#include "Soap/Bounds/ProofGate.h"
#include "Soap/Memory/PlanMemory.h"
#include "Soap/Memory/PlanMemoryBound.h"
#include "Soap/Search/Problem/ParallelizationProblem.h"
#include "Soap/Simulator/Algorithm2Simulator.h"
#include "Soap/Simulator/DeltaSimulator.h"

#include <functional>

namespace soap {

/// How proposals are priced; all ways give the same prices and decisions.
enum class SimulatorKind {
  /// Plans and simulates what a proposal changes, up to a proof that it is
  /// above the limit.
  Delta,
  /// Algorithm 2 of the SOAP paper: plans what a proposal changes, and gives
  /// new times to the tasks that have others (Algorithm2Simulator.h).
  Propagate,
  /// Algorithm 1: plans and simulates every proposal from nothing.
  Full
};

/// Another config for a group: for its leader, which the members follow.
struct GroupChange {
  int group = -1;
  Config config;
};

/// Counts since the evaluator was made.
struct EvaluatorStatistics {
  int64_t proposals = 0;
  /// By the load bound: before any value was planned.
  int64_t prunedByLoad = 0;
  /// By the paths and the inbound-transfer bound: before values were planned.
  int64_t prunedByTransfers = 0;
  /// By a bound of the planned proposal: before a task was simulated.
  int64_t prunedByPlan = 0;
  int64_t simulatedTasks = 0; ///< tasks that were given times
  /// Delta simulation fell back to Algorithm 1 (docs/Simulator.md).
  int64_t simulatedInFull = 0;

  EvaluatorStatistics &operator+=(const EvaluatorStatistics &other) {
    proposals += other.proposals;
    prunedByLoad += other.prunedByLoad;
    prunedByTransfers += other.prunedByTransfers;
    prunedByPlan += other.prunedByPlan;
    simulatedTasks += other.simulatedTasks;
    simulatedInFull += other.simulatedInFull;
    return *this;
  }
};

/// Holds a strategy, its plan and at most one pending proposal. Keeps a
/// reference to the problem. Not safe from several threads.
class StrategyEvaluator {
public:
  explicit StrategyEvaluator(const ParallelizationProblem &problem,
                             SimulatorKind kind = SimulatorKind::Delta);

  /// Makes a strategy the current one and prices it.
  Evaluation start(const Strategy &strategy);
  /// Prices the current strategy with `config` for the leader of a group,
  /// followed by its members. If the makespan is above the limit, some number
  /// above the limit is returned instead, and memory is not looked at.
  /// `accept` or `reject` must follow.
  Evaluation propose(int group, const Config &config,
                     int64_t limitNs = std::numeric_limits<int64_t>::max());
  /// As this, of several groups at once, each named once.
  Evaluation propose(std::span<const GroupChange> changes,
                     int64_t limitNs = std::numeric_limits<int64_t>::max());
  void accept();
  void reject();
  /// Makes the pending proposal of another evaluator of the same strategy,
  /// which is within its limit, the pending one of this: `copyProposal`, which
  /// the other must not be used during, and `planProposal`, in any order.
  /// `accept` or `reject` must follow; where nothing was copied, `reject`.
  /// Memory is not looked at again, and nothing is counted.
  void copyProposal(const StrategyEvaluator &other);
  void planProposal(std::span<const GroupChange> changes);
  /// Called by `propose` when a proposal is found to be within its limit,
  /// before memory is looked at; not without a limit, nor if full.
  std::function<void()> onWithinLimit;
  /// Asked now and then by `propose` with a limit where the simulator is delta:
  /// if it returns true, a number above the limit is returned that proves
  /// nothing, and `reject` must follow.
  void setShouldStop(std::function<bool()> shouldStop) {
    if (simulator)
      simulator->shouldStop = std::move(shouldStop);
  }
  /// Whether the pending proposal ended so; false after `reject`.
  bool wasStopped() const { return isStopped; }

  const Strategy &getStrategy() const {
    return isFull() ? current : plan.getStrategy();
  }
  /// The plan of the current strategy, or of the pending proposal; null if
  /// full.
  const StrategyPlan *getPlan() const { return isFull() ? nullptr : &plan; }
  /// Tasks of the current strategy, or of the pending proposal; 0 if full.
  int64_t taskCount() const { return isFull() ? 0 : plan.taskCount(); }
  const EvaluatorStatistics &getStatistics() const { return statistics; }

private:
  /// How members follow their leader for given degrees and replicas, filled on
  /// demand.
  struct Following {
    /// By member: devices are positions in the leader's list; no devices: not
    /// computed yet.
    std::vector<Config> members;
    /// By position: the least time of the kernels of the first members of
    /// `heaviest`.
    std::vector<int64_t> leastNs;
    size_t counted = 0; ///< of them
  };

  const ParallelizationProblem &problem;
  SimulatorKind kind;
  Strategy current, pending; ///< if full
  CostModel cost;
  StrategyPlan plan;
  MakespanBounds bounds;
  std::optional<DeltaSimulator> simulator;       ///< if delta
  std::optional<Algorithm2Simulator> propagator; ///< if propagate
  PlanMemory memory;
  PlanMemoryBound memoryBound;
  std::vector<TaskQueue::Entry> starts; ///< memory kept
  EvaluatorStatistics statistics;
  bool isStopped = false;
  ProofGate inboundGate{6}; ///< for the path and inbound-transfer bounds
  /// By group: for degrees and replicas of the leader.
  std::vector<std::unordered_map<std::vector<int64_t>, Following, VectorHash>>
      followings;
  std::vector<std::vector<size_t>> heaviest; ///< by group: members
  size_t followingBytes = 0;                 ///< about
  // Of the nodes that a proposal changes, memory kept.
  std::vector<int> nodes;
  std::vector<Config> configs;

  std::vector<int64_t> followingKey, deviceNs, memberNs;

  Following &followingOf(int group, const Config &config);
  void trimFollowings();
  const Config &memberOf(int group, const Config &config, Following &following,
                         size_t member);
  const std::vector<size_t> &heaviestFirst(int group);
  bool isOverloaded(std::span<const GroupChange> changes, int64_t limitNs);
  void addMembers(int group, const Config &config);
  void list(std::span<const GroupChange> changes);
  Evaluation priceChange(int64_t limitNs);
  bool isFull() const { return kind == SimulatorKind::Full; }
  void lookAtMemory(Evaluation &evaluation, int64_t limitNs);
  int64_t excessBytes();
};

} // namespace soap

#endif // SOAP_SEARCH_EVALUATOR_STRATEGYEVALUATOR_H
