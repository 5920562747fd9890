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
      plan(problem.getGraph(), cost), memory(plan),
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

Evaluation StrategyEvaluator::propose(int number, const Config &config,
                                      int64_t limitNs) {
  const OpGroup &group = problem.getGroups()[number];
  if (isFull()) {
    ++statistics.proposals;
    pending = current;
    problem.assign(pending, group, config);
    Evaluation evaluation = problem.evaluate(pending, limitNs);
    statistics.simulatedTasks += evaluation.tasks;
    return evaluation;
  }
  std::vector<int64_t> key = config.degrees;
  key.push_back(config.replicas);
  if (followingBytes > mostFollowingBytes) {
    for (auto &known : following)
      known.clear();
    followingBytes = 0;
  }
  auto [it, isNew] = following[number].try_emplace(std::move(key));
  std::vector<Following> &members = it->second;
  if (isNew) {
    // The leader's shards stand for its devices.
    Config numbered = config;
    std::iota(numbered.devices.begin(), numbered.devices.end(), 0);
    const Graph &graph = problem.getGraph();
    const IterationSpace &leader = graph.nodes[group.leader].whole.space;
    for (size_t m = 0; m < group.nodes.size(); ++m) {
      Config member =
          group.nodes[m] == group.leader
              ? numbered
              : followConfig(leader, numbered,
                             graph.nodes[group.nodes[m]].whole.space,
                             group.loops[m]);
      members.push_back({std::move(member.degrees), member.replicas,
                         std::move(member.devices)});
      followingBytes += 100 + members.back().devices.size() * sizeof(int);
    }
  }
  if (configs.size() < members.size())
    configs.resize(members.size());
  for (size_t m = 0; m < members.size(); ++m) {
    configs[m].degrees = members[m].degrees;
    configs[m].replicas = members[m].replicas;
    configs[m].devices.clear();
    for (int shard : members[m].devices)
      configs[m].devices.push_back(config.devices[shard]);
  }
  ++statistics.proposals;
  plan.change(group.nodes, std::span(configs).first(members.size()));
  Evaluation evaluation;
  if (propagator) {
    plan.finish();
    evaluation.makespanNs = propagator->propagate(limitNs);
    statistics.simulatedTasks += propagator->simulatedTasks();
    if (evaluation.makespanNs <= limitNs)
      evaluation.excessBytes = excessBytes();
    return evaluation;
  }
  evaluation.makespanNs = plan.loadBoundNs(limitNs);
  if (evaluation.makespanNs > limitNs) {
    ++statistics.rejectedByLoad;
    return evaluation;
  }
  if (limitNs != std::numeric_limits<int64_t>::max()) {
    evaluation.makespanNs = plan.boundNs();
    if (evaluation.makespanNs > limitNs) {
      ++statistics.rejectedByArrivals;
      return evaluation;
    }
  }
  evaluation.makespanNs = simulator->propose(limitNs);
  statistics.simulatedTasks += simulator->simulatedTasks();
  statistics.rejectedUnsimulated += simulator->simulatedTasks() == 0;
  if (evaluation.makespanNs <= limitNs)
    evaluation.excessBytes = excessBytes();
  return evaluation;
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
  return topology.excessBytes(memory.peakBytes());
}
