//===- StrategyEvaluator.cpp - Prices of neighbouring strategies ----------===//
//
// Cheap reasons first: the work of devices, then the work of links, then a
// simulation that stops at a proof.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/StrategyEvaluator.h"

#include <algorithm>
#include <numeric>

using namespace soap;

/// How members follow is kept for this many bytes.
static constexpr size_t mostFollowingBytes = size_t(64) << 20;

StrategyEvaluator::StrategyEvaluator(const ParallelizationProblem &problem,
                                     SimulatorKind kind)
    : problem(problem), kind(kind), cost(problem.getTopology()),
      plan(problem.getGraph(), cost), memory(plan), memoryBound(plan),
      following(problem.getGroups().size()) {
  if (kind == SimulatorKind::Delta)
    simulator.emplace(plan);
  if (kind == SimulatorKind::Propagate)
    propagator.emplace(plan);
}

Evaluation StrategyEvaluator::start(const Strategy &strategy) {
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

/// How the members of a group follow a config of its leader.
const std::vector<StrategyEvaluator::Following> &
StrategyEvaluator::membersOf(int number, const Config &config) {
  const OpGroup &group = problem.getGroups()[number];
  std::vector<int64_t> key = config.degrees;
  key.push_back(config.replicas);
  if (followingBytes > mostFollowingBytes) {
    for (auto &known : following)
      known.clear();
    followingBytes = 0;
  }
  auto [it, isNew] = following[number].try_emplace(std::move(key));
  std::vector<Following> &members = it->second;
  if (!isNew)
    return members;
  // The leader's shards stand for its devices.
  Config numbered = config;
  std::iota(numbered.devices.begin(), numbered.devices.end(), 0);
  const Graph &graph = problem.getGraph();
  const IterationSpace &leader = graph.nodes[group.leader].whole.space;
  for (size_t m = 0; m < group.nodes.size(); ++m) {
    Config member = group.nodes[m] == group.leader
                        ? numbered
                        : followConfig(leader, numbered,
                                       graph.nodes[group.nodes[m]].whole.space,
                                       group.loops[m]);
    members.push_back({std::move(member.degrees), member.replicas,
                       std::move(member.devices)});
    followingBytes += 100 + members.back().devices.size() * sizeof(int);
  }
  return members;
}

void StrategyEvaluator::addMembers(int number, const Config &config) {
  const std::vector<int> &list = problem.getGroups()[number].nodes;
  const std::vector<Following> &members = membersOf(number, config);
  size_t first = nodes.size();
  nodes.insert(nodes.end(), list.begin(), list.end());
  if (configs.size() < nodes.size())
    configs.resize(nodes.size());
  for (size_t m = 0; m < members.size(); ++m) {
    Config &member = configs[first + m];
    member.degrees = members[m].degrees;
    member.replicas = members[m].replicas;
    member.devices.clear();
    for (int shard : members[m].devices)
      member.devices.push_back(config.devices[shard]);
  }
}

Evaluation StrategyEvaluator::propose(int group, const Config &config,
                                      int64_t limitNs) {
  if (isFull()) {
    pending = current;
    problem.assign(pending, problem.getGroups()[group], config);
    return priceChange(limitNs);
  }
  nodes.clear();
  addMembers(group, config);
  return priceChange(limitNs);
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
  list(changes);
  return priceChange(limitNs);
}

void StrategyEvaluator::prepareTakeOver(std::span<const GroupChange> changes,
                                        int64_t limitNs) {
  list(changes);
  if (isFull())
    return;
  plan.change(nodes, std::span(configs).first(nodes.size()));
  if (propagator) {
    plan.finish();
    propagator->propagate(limitNs);
  } else {
    simulator->propose(limitNs);
  }
}

void StrategyEvaluator::takeOver(std::span<const GroupChange> changes,
                                 int64_t limitNs) {
  prepareTakeOver(changes, limitNs);
  accept();
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
  if (propagator) {
    plan.change(nodes, members);
    plan.finish();
    evaluation.makespanNs = propagator->propagate(limitNs);
    statistics.simulatedTasks += propagator->simulatedTasks();
    lookAtMemory(evaluation, limitNs);
    return evaluation;
  }
  evaluation.makespanNs = plan.change(nodes, members, limitNs)
                              ? plan.loadBoundNs(limitNs)
                              : limitNs + 1;
  if (evaluation.makespanNs > limitNs) {
    ++statistics.rejectedByLoad;
    return evaluation;
  }
  if (limitNs != std::numeric_limits<int64_t>::max() && arrivals.pays()) {
    evaluation.makespanNs = plan.boundNs(limitNs);
    bool refused = evaluation.makespanNs > limitNs;
    arrivals.count(refused);
    if (refused) {
      ++statistics.rejectedByArrivals;
      return evaluation;
    }
  }
  evaluation.makespanNs = simulator->propose(limitNs);
  statistics.simulatedTasks += simulator->simulatedTasks();
  statistics.rejectedUnsimulated += simulator->simulatedTasks() == 0;
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
