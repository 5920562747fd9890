//===- QuotientPlanTest.cpp - The plan of one machine for all -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folded or not, the times of every task and the peaks of every device are the
// same; and what should fold, folds.
//
//===----------------------------------------------------------------------===//

#include "Support/Graphs.h"
#include "Support/RandomGraphs.h"

#include "Soap/Memory/PlanMemory.h"
#include "Soap/Mesh/Symmetry/QuotientPlan.h"
#include "Soap/Plan/StrategyPlan.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

using namespace soap;
using namespace soap::test;

namespace {

struct Setting {
  Topology topology;
  Mesh mesh;
  std::unique_ptr<QuotientModel> model;
};

/// One per topology and factors, made once.
Setting &settingOf(const std::string &name,
                   const std::vector<int64_t> &across = {},
                   const std::vector<int64_t> &inside = {}) {
  static std::map<std::string, std::unique_ptr<Setting>> known;
  std::string key = name;
  for (const std::vector<int64_t> *list : {&across, &inside}) {
    key += '/';
    for (int64_t size : *list)
      key += std::to_string(size) + ",";
  }
  std::unique_ptr<Setting> &setting = known[key];
  if (!setting) {
    setting = std::make_unique<Setting>();
    setting->topology = *builtinTopology(name);
    setting->mesh = *makeMesh(setting->topology, across, inside);
    setting->model =
        std::move(*QuotientModel::make(setting->topology, setting->mesh));
  }
  return *setting;
}

using Times = std::vector<std::vector<TaskTimes>>;

/// Times of the tasks of a value that machine 0 takes part in, in order.
std::vector<TaskTimes> timesHere(const PlanState &plan, int value,
                                 const std::vector<TaskTimes> &times,
                                 int perMachine) {
  const ValuePlan &planned = plan.valuePlan(value);
  std::vector<TaskTimes> here;
  for (size_t t = 0; t < planned.tasks.size(); ++t) {
    const PlannedTask &task = planned.tasks[t];
    bool isHere = planned.actions[task.firstAction].device < perMachine;
    if (task.collective >= 0)
      for (int device : planned.collectives[task.collective].devices)
        isHere |= device < perMachine;
    if (isHere)
      here.push_back(times[t]);
  }
  return here;
}

/// Whether a strategy folds; if so, that all times and peaks are equal.
bool check(const Graph &graph, const MeshStrategy &strategy, Setting &setting,
           std::string *reason = nullptr) {
  QuotientPlan quotient(graph, *setting.model);
  std::string why = quotient.set(strategy);
  Times folded, unfolded;
  int64_t makespanNs = 0;
  if (why.empty()) {
    makespanNs = StrategySimulator(quotient).timeline(folded);
    if (!quotient.areTimesEven(folded))
      why = "outputs delay others";
  }
  if (reason)
    *reason = why;
  if (!why.empty())
    return false;
  CostModel cost(setting.topology);
  StrategyPlan plan(graph, cost);
  plan.set(unfold(setting.mesh, graph, strategy));
  EXPECT_EQ(StrategySimulator(plan).timeline(unfolded), makespanNs);
  int perMachine = setting.model->getCluster().getPerMachine();
  for (size_t b = 0; b < plan.getBlocks().size(); ++b) {
    auto [slot, value] = plan.getBlocks()[b];
    if (slot < 0) {
      EXPECT_EQ(timesHere(quotient, value, folded[b], perMachine),
                timesHere(plan, value, unfolded[b], perMachine))
          << "value " << graph.values[value].name;
      continue;
    }
    // The shards of every machine have the times of the shards of machine 0.
    const KernelPlan &mine = quotient.kernelPlan(slot),
                     &all = plan.kernelPlan(slot);
    for (size_t s = 0; s < all.devices.size(); ++s) {
      if (all.states[s] == ShardState::Absent)
        continue;
      size_t here = 0;
      while (here < mine.devices.size() &&
             mine.devices[here] != all.devices[s] % perMachine)
        ++here;
      EXPECT_LT(here, mine.devices.size());
      if (here < mine.devices.size())
        EXPECT_EQ(folded[b][here], unfolded[b][s])
            << "kernel " << plan.getSlots()[slot].kernel->name << " shard "
            << s;
    }
  }
  std::vector<int64_t> peaks = peakBytes(plan), here = peakBytes(quotient);
  for (size_t d = 0; d < peaks.size(); ++d) {
    int64_t mine = here[d % static_cast<size_t>(perMachine)];
    if (d < static_cast<size_t>(perMachine))
      EXPECT_EQ(peaks[d], mine) << "device " << d;
    else
      EXPECT_LE(peaks[d], mine) << "device " << d;
  }
  return true;
}

/// The sum of all elements, and its product with them.
int addSum(randomgraphs::GraphBuilder &builder, int x, int64_t n, int64_t m,
           bool isRead) {
  AccessMap identity{DimMap::loop(0), DimMap::loop(1)};
  IterationSpace space = builder.loops({n, m}, 0);
  space.operands = {{identity}};
  space.results = {{{DimMap::constant(0)}, Combiner::Sum}};
  int sum = builder.node("sum", space, {x}, {1});
  if (!isRead)
    return sum;
  space = builder.loops({n, m}, 2);
  space.operands = {{identity}, {{DimMap::constant(0)}}};
  space.results = {{identity, Combiner::Sum}};
  return builder.node("scale", space, {x, sum}, {n, m});
}

struct Instance {
  Graph graph;
  MeshStrategy strategy;
  std::string topology;
  std::vector<int64_t> across, inside;
};

Instance randomInstance(randomgraphs::Random &random) {
  using randomgraphs::uniform;
  struct Machines {
    const char *family;
    int64_t count, each;
  };
  static const Machines all[] = {{"h100", 2, 4}, {"h100", 4, 2}, {"h100", 8, 1},
                                 {"h100", 3, 2}, {"p100", 2, 2}, {"p100", 4, 4},
                                 {"k80", 2, 4},  {"k80", 4, 2},  {"a100", 8, 2},
                                 {"v100", 2, 8}, {"dgx1", 2, 4}, {"pcie", 4, 2},
                                 {"h100", 8, 8}, {"p100", 16, 4}};
  // Large ones are rare, they take most of the time.
  size_t count = uniform(random, 0, 9) ? 12 : 14;
  const Machines &machines =
      all[uniform(random, 0, static_cast<int64_t>(count) - 1)];
  Instance instance;
  instance.topology = std::string(machines.family) + "-" +
                      std::to_string(machines.count) + "x" +
                      std::to_string(machines.each);
  if (machines.count % 4 == 0 && uniform(random, 0, 1))
    instance.across = {2, machines.count / 2};
  if (machines.each % 2 == 0 && uniform(random, 0, 1))
    instance.inside = {machines.each / 2, 2};

  int64_t large = uniform(random, 0, 2) ? 1 : 64;
  int64_t n = machines.count * uniform(random, 1, 6) * large,
          m = machines.count * uniform(random, 1, 6) * large;
  randomgraphs::GraphBuilder builder{{}, random};
  std::vector<int> live{builder.input({n, m}), builder.input({n, m})};
  for (int64_t i = uniform(random, 1, 5); i > 0; --i) {
    auto pick = [&] {
      return live[uniform(random, 0, static_cast<int64_t>(live.size()) - 1)];
    };
    int x = uniform(random, 0, 2) ? live.back() : pick(), y = pick();
    live.push_back(uniform(random, 0, 4) ? builder.randomNode(x, y, n, m)
                                         : addSum(builder, x, n, m, true));
  }
  for (size_t i = 0; i < 2; ++i)
    if (uniform(random, 0, 2))
      builder.update(i, live[live.size() - 1 - i], n, m);
  instance.graph = std::move(builder.graph);
  if (uniform(random, 0, 1)) {
    randomgraphs::GraphBuilder more{std::move(instance.graph), random};
    GraphOutput output;
    output.value = addSum(more, live.back(), n, m, false);
    output.name = "loss";
    instance.graph = std::move(more.graph);
    instance.graph.outputs.push_back(output);
  }
  // Most ops give axes to the same.
  size_t axes = (instance.across.empty() ? 1 : 2) +
                (instance.inside.empty() ? 1 : instance.inside.size());
  std::vector<int> usual;
  for (size_t a = 0; a < axes; ++a)
    usual.push_back(static_cast<int>(uniform(random, MeshConfig::replicas, 1)));
  for (const GraphNode &node : instance.graph.nodes) {
    MeshConfig config;
    auto loops = static_cast<int64_t>(node.whole.space.loops.size());
    bool isInside = false;
    for (size_t a = 0; a < axes; ++a) {
      isInside = a >= (instance.across.empty() ? 1u : 2u);
      int target = usual[a];
      if (uniform(random, 0, 3) == 0)
        target = static_cast<int>(uniform(random,
                                          isInside && uniform(random, 0, 9) == 0
                                              ? MeshConfig::nothing
                                              : MeshConfig::replicas,
                                          loops - 1));
      config.targets.push_back(std::min(target, static_cast<int>(loops) - 1));
    }
    instance.strategy.push_back(std::move(config));
  }
  return instance;
}

/// Samples over the machines, and outputs of layers inside of each if asked.
MeshStrategy layersOver(const Graph &graph, bool cutsOutputs) {
  MeshStrategy strategy;
  for (const GraphNode &node : graph.nodes) {
    int samples = node.whole.space.findLoop("n"),
        outputs = node.whole.space.findLoop("k");
    auto targetOf = [](int loop) {
      return loop < 0 ? MeshConfig::replicas : loop;
    };
    strategy.push_back(
        {{targetOf(samples), targetOf(cutsOutputs ? outputs : samples)}});
  }
  return strategy;
}

TEST(QuotientPlan, DataAndTensorParallelism) {
  Mlp mlp = makeMlp(128, {64, 128, 64});
  mlp.graph.outputs.clear(); // activations, which would be gathered
  for (const char *name :
       {"h100-8x8", "h100-4x2", "p100-4x4", "k80-4x4", "a100-2x8", "dgx1-4x8"})
    for (bool cutsOutputs : {false, true}) {
      SCOPED_TRACE(name);
      std::string reason;
      EXPECT_TRUE(check(mlp.graph, layersOver(mlp.graph, cutsOutputs),
                        settingOf(name), &reason))
          << reason;
    }
}

TEST(QuotientPlan, TasksDoNotDependOnTheNumberOfMachines) {
  Mlp mlp = makeMlp(4096, {64, 128, 64});
  mlp.graph.outputs.clear();
  for (bool cutsOutputs : {false, true}) {
    std::vector<int64_t> tasks;
    for (const char *name : {"h100-2x4", "h100-8x4", "h100-128x4"}) {
      Setting &setting = settingOf(name);
      MeshPricer pricer(mlp.graph, setting.topology, setting.mesh,
                        setting.model.get());
      MeshPrice price = pricer.price(layersOver(mlp.graph, cutsOutputs));
      EXPECT_EQ(price.unfolded, "");
      tasks.push_back(price.tasks);
    }
    EXPECT_EQ(tasks[0], tasks[1]);
    EXPECT_EQ(tasks[0], tasks[2]);
  }
}

TEST(QuotientPlan, WhatDoesNotFoldIsUnfolded) {
  Mlp mlp = makeMlp(100, {64, 128, 64});
  mlp.graph.outputs.clear();
  Setting &setting = settingOf("h100-8x2");
  MeshPricer pricer(mlp.graph, setting.topology, setting.mesh,
                    setting.model.get());
  MeshStrategy strategy = layersOver(mlp.graph, false);
  MeshPrice price = pricer.price(strategy);
  EXPECT_EQ(price.unfolded,
            "loop 'n' of 'fc0' has 100 points, which 8 machines "
            "do not share evenly");
  CostModel cost(setting.topology);
  StrategyPlan plan(mlp.graph, cost);
  plan.set(unfold(setting.mesh, mlp.graph, strategy));
  EXPECT_EQ(price.makespanNs, StrategySimulator(plan).makespan(INT64_MAX));
}

TEST(QuotientPlan, EqualsTheUnfoldedPlan) {
  // SOAP_TEST_CASES sets how many; the continuous build runs this many.
  const char *text = std::getenv("SOAP_TEST_CASES");
  uint64_t cases = text ? std::strtoull(text, nullptr, 10) : 10000;
  const char *first = std::getenv("SOAP_TEST_SEED");
  uint64_t seed = first ? std::strtoull(first, nullptr, 10) : 0;
  uint64_t folded = 0;
  std::map<std::string, int> reasons;
  for (uint64_t end = seed + cases; seed < end && !HasFailure(); ++seed) {
    SCOPED_TRACE("SOAP_TEST_SEED=" + std::to_string(seed));
    randomgraphs::Random random(seed);
    Instance instance = randomInstance(random);
    SCOPED_TRACE(instance.topology);
    Setting &setting =
        settingOf(instance.topology, instance.across, instance.inside);
    std::string reason;
    if (check(instance.graph, instance.strategy, setting, &reason))
      ++folded;
    else if (std::getenv("SOAP_TEST_VERBOSE"))
      ++reasons[reason];
  }
  for (auto &[reason, count] : reasons)
    std::printf("%6d %s\n", count, reason.c_str());
  if (std::getenv("SOAP_TEST_VERBOSE"))
    std::printf("%llu of %llu folded\n",
                static_cast<unsigned long long>(folded),
                static_cast<unsigned long long>(cases));
  if (!text && !HasFailure())
    EXPECT_GT(folded, cases / 6);
}

} // namespace
