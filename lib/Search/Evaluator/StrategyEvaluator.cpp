//===- StrategyEvaluator.cpp - Prices of neighbouring strategies ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cheap reasons first: the work of devices, then the work of links, then a
// simulation that stops at a proof.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Evaluator/StrategyEvaluator.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

/// How members follow is kept for this many bytes.
static constexpr size_t maxFollowingBytes = size_t(64) << 20;

StrategyEvaluator::StrategyEvaluator(const ParallelizationProblem &problem,
                                     SimulatorKind kind)
    : problem(problem), kind(kind), cost(problem.getTopology()),
      plan(problem.getGraph(), cost), bounds(plan), memory(plan),
      memoryBound(plan), followings(problem.getGroups().size()),
      heaviest(problem.getGroups().size()) {
  if (kind == SimulatorKind::Delta)
    simulator.emplace(plan, bounds);
  if (kind == SimulatorKind::Propagate)
    propagator.emplace(plan);
}

Evaluation StrategyEvaluator::start(const Strategy &strategy) {
  assert(strategy.size() == problem.getGraph().nodes.size() &&
         "a config a node");
  if (isFull()) {
    current = strategy;
    return problem.evaluate(strategy);
  }
  plan.set(strategy);
  Evaluation evaluation;
  evaluation.makespanNs = propagator ? propagator->start() : simulator->start();
  evaluation.excessBytes = excessBytes();
  return evaluation;
}

/// The cached configs and times of a group whose leader has this config.
StrategyEvaluator::Following &
StrategyEvaluator::followingOf(int number, const Config &config) {
  const OpGroup &group = problem.getGroups()[number];
  followingKey.assign(config.degrees.begin(), config.degrees.end());
  followingKey.push_back(config.replicas);
  Following &following = followings[number][followingKey];
  assert(static_cast<int64_t>(config.devices.size()) ==
             config.replicas * config.piecesPerReplica() &&
         "a device a piece");
  if (following.members.empty()) {
    following.members.resize(group.nodes.size());
    following.leastNs.resize(config.devices.size());
    followingBytes += 200 + config.devices.size() * sizeof(int64_t) +
                      group.nodes.size() * sizeof(Config);
  }
  return following;
}

/// Forgets how members follow where that takes too much. Nothing that
/// `followingOf` returned may be in use.
void StrategyEvaluator::trimFollowings() {
  if (followingBytes <= maxFollowingBytes)
    return;
  for (auto &known : followings)
    known.clear();
  followingBytes = 0;
}

/// How a member follows.
const Config &StrategyEvaluator::memberOf(int number, const Config &config,
                                          Following &following, size_t m) {
  Config &member = following.members[m];
  if (!member.devices.empty())
    return member;
  // The leader's shards stand for its devices.
  const OpGroup &group = problem.getGroups()[number];
  Config numbered = config;
  std::iota(numbered.devices.begin(), numbered.devices.end(), 0);
  const Graph &graph = problem.getGraph();
  member = group.nodes[m] == group.leader
               ? std::move(numbered)
               : followConfig(graph.nodes[group.leader].whole.space, numbered,
                              graph.nodes[group.nodes[m]].whole.space,
                              group.loops[m]);
  followingBytes += member.devices.size() * sizeof(int);
  return member;
}

/// Members of a group, those whose kernels take longest first.
const std::vector<size_t> &StrategyEvaluator::heaviestFirst(int number) {
  std::vector<size_t> &order = heaviest[number];
  if (!order.empty())
    return order;
  const OpGroup &group = problem.getGroups()[number];
  std::vector<int64_t> workNs;
  for (int node : group.nodes) {
    std::vector<int64_t> ns(1);
    bounds.addShardNs(
        node, Config::single(problem.getGraph().nodes[node].whole.space, 0),
        ns);
    workNs.push_back(ns[0]);
    order.push_back(order.size());
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return workNs[a] > workNs[b]; });
  return order;
}

/// Whether the kernels of some device take longer than the limit. Sums the
/// least times of the other groups' kernels and, member by member, the least
/// times of the changed groups, until the limit is exceeded. The times of
/// degrees that were proposed before are cached.
bool StrategyEvaluator::isOverloaded(std::span<const GroupChange> changes,
                                     int64_t limitNs) {
  nodes.clear();
  for (const GroupChange &change : changes) {
    const std::vector<int> &list = problem.getGroups()[change.group].nodes;
    nodes.insert(nodes.end(), list.begin(), list.end());
  }
  trimFollowings();
  bounds.loadWithoutNs(nodes, deviceNs);
  auto add = [&](const GroupChange &change, const std::vector<int64_t> &ns) {
    bool isOver = false;
    for (size_t s = 0; s < ns.size(); ++s)
      isOver |= (deviceNs[static_cast<size_t>(change.config.devices[s])] +=
                 ns[s]) > limitNs;
    return isOver;
  };
  bool isOver = false;
  for (const GroupChange &change : changes)
    isOver |= add(change, followingOf(change.group, change.config).leastNs);
  for (size_t i = 0; i < changes.size() && !isOver; ++i) {
    const GroupChange &change = changes[i];
    Following &following = followingOf(change.group, change.config);
    const std::vector<int> &members = problem.getGroups()[change.group].nodes;
    const std::vector<size_t> &order = heaviestFirst(change.group);
    while (following.counted < members.size() && !isOver) {
      size_t m = order[following.counted++];
      assert(m < members.size() && "each member once");
      memberNs.assign(following.leastNs.size(), 0);
      bounds.addShardNs(members[m],
                        memberOf(change.group, change.config, following, m),
                        memberNs);
      for (size_t s = 0; s < memberNs.size(); ++s)
        following.leastNs[s] += memberNs[s];
      isOver = add(change, memberNs);
    }
  }
  return isOver;
}

void StrategyEvaluator::addMembers(int number, const Config &config) {
  trimFollowings();
  const std::vector<int> &list = problem.getGroups()[number].nodes;
  Following &following = followingOf(number, config);
  size_t first = nodes.size();
  nodes.insert(nodes.end(), list.begin(), list.end());
  if (configs.size() < nodes.size())
    configs.resize(nodes.size());
  for (size_t m = 0; m < list.size(); ++m) {
    const Config &follows = memberOf(number, config, following, m);
    Config &member = configs[first + m];
    member.degrees = follows.degrees;
    member.replicas = follows.replicas;
    member.devices.clear();
    for (int shard : follows.devices)
      member.devices.push_back(config.devices[shard]);
  }
}

Evaluation StrategyEvaluator::propose(int group, const Config &config,
                                      int64_t limitNs) {
  GroupChange change{group, config};
  return propose({&change, 1}, limitNs);
}

/// Sets `pending`, or `nodes` with `configs`.
void StrategyEvaluator::list(std::span<const GroupChange> changes) {
  if (isFull()) {
    pending = current;
    for (const GroupChange &change : changes)
      problem.assign(pending, problem.getGroups()[change.group], change.config);
    return;
  }
  nodes.clear();
  for (const GroupChange &change : changes)
    addMembers(change.group, change.config);
}

Evaluation StrategyEvaluator::propose(std::span<const GroupChange> changes,
                                      int64_t limitNs) {
  assert(!changes.empty() && limitNs >= 0 && "something to price");
  assert((isFull() || plan.changedKernels().empty()) &&
         "accept or reject must have come first");
  isStopped = false;
  if (simulator && limitNs != std::numeric_limits<int64_t>::max() &&
      isOverloaded(changes, limitNs)) {
    ++statistics.proposals;
    ++statistics.prunedByLoad;
    Evaluation evaluation;
    evaluation.makespanNs = limitNs + 1;
    return evaluation;
  }
  list(changes);
  return priceChange(limitNs);
}

void StrategyEvaluator::copyProposal(const StrategyEvaluator &other) {
  assert(&other != this && kind == other.kind && "of the same kind");
  if (simulator)
    simulator->copyProposal(*other.simulator);
}

void StrategyEvaluator::planProposal(std::span<const GroupChange> changes) {
  assert((isFull() || plan.changedKernels().empty()) &&
         "accept or reject must have come first");
  list(changes);
  if (isFull())
    return;
  plan.change(nodes, std::span(configs).first(nodes.size()));
  plan.finish();
  if (propagator)
    propagator->propagate(std::numeric_limits<int64_t>::max());
}

/// Prices `pending`, or `nodes` with `configs`.
Evaluation StrategyEvaluator::priceChange(int64_t limitNs) {
  ++statistics.proposals;
  if (isFull()) {
    Evaluation evaluation = problem.evaluate(pending, limitNs);
    statistics.simulatedTasks += evaluation.tasks;
    return evaluation;
  }
  Evaluation evaluation;
  std::span<const Config> members = std::span(configs).first(nodes.size());
  plan.change(nodes, members);
  if (propagator) {
    plan.finish();
    evaluation.makespanNs = propagator->propagate(limitNs);
    statistics.simulatedTasks += propagator->simulatedTasks();
    lookAtMemory(evaluation, limitNs);
    return evaluation;
  }
  evaluation.makespanNs = bounds.loadBoundNs(limitNs);
  if (evaluation.makespanNs > limitNs) {
    ++statistics.prunedByLoad;
    return evaluation;
  }
  if (limitNs != std::numeric_limits<int64_t>::max() &&
      inboundGate.shouldTry()) {
    evaluation.makespanNs = bounds.boundNs(limitNs);
    bool isPruned = evaluation.makespanNs > limitNs;
    inboundGate.count(isPruned);
    if (isPruned) {
      ++statistics.prunedByTransfers;
      return evaluation;
    }
  }
  evaluation.makespanNs = simulator->propose(limitNs);
  isStopped = simulator->wasStopped();
  statistics.simulatedTasks += simulator->simulatedTasks();
  statistics.prunedByPlan += simulator->simulatedTasks() == 0;
  statistics.simulatedInFull +=
      simulator->usesFullSimulation() && simulator->simulatedTasks() > 0;
  lookAtMemory(evaluation, limitNs);
  return evaluation;
}

/// Of what is within the limit.
void StrategyEvaluator::lookAtMemory(Evaluation &evaluation, int64_t limitNs) {
  if (evaluation.makespanNs > limitNs)
    return;
  if (onWithinLimit && limitNs != std::numeric_limits<int64_t>::max())
    onWithinLimit();
  evaluation.excessBytes = excessBytes();
}

void StrategyEvaluator::accept() {
  if (isFull()) {
    current = std::move(pending);
    return;
  }
  if (propagator)
    propagator->commit();
  else
    simulator->commit();
  plan.commit();
}

void StrategyEvaluator::reject() {
  isStopped = false;
  if (!isFull())
    plan.revert();
}

int64_t StrategyEvaluator::excessBytes() {
  const Topology &topology = problem.getTopology();
  // Where all tiles together fit, lifetimes need not be looked at.
  if (topology.excessBytes(plan.tileBytes()) == 0)
    return 0;
  if (simulator)
    simulator->starts(starts);
  else
    StrategySimulator(plan).starts(starts);
  if (plan.getGraph().restores.empty() &&
      topology.excessBytes(memoryBound.boundBytes(starts)) == 0)
    return 0;
  return topology.excessBytes(memory.peakBytes(starts));
}
