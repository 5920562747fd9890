//===- PlanTest.cpp - Plans executed on integers --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A naive interpreter runs the actions of plans of random graphs under random
// configs, and compares every output, replica and updated tile with the
// unsharded graph. Sums of integers are exact, so any lost, doubled or stale
// contribution shows.
//
//===----------------------------------------------------------------------===//

#include "Support/RandomGraphs.h"

#include "Plan/PlanTraffic.h"
#include "Soap/Plan/CollectiveGroup.h"
#include "Soap/Plan/Plan.h"
#include "Soap/Simulator/Algorithm1Simulator.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace soap;
using namespace soap::randomgraphs;

namespace {

using Index = std::vector<int64_t>;
/// Elements by global index.
using Elements = std::map<Index, int64_t>;

/// Index of a tensor at one point of the loops; false if it is outside.
bool indexAt(const AccessMap &map, const Index &point,
             const std::vector<int64_t> &shape, Index &index) {
  LoopBox box;
  for (int64_t i : point)
    box.push_back({i, i + 1});
  Region region = image(map, box, shape);
  if (region.empty())
    return false;
  index.clear();
  for (size_t d = 0; d < region.rank(); ++d)
    index.push_back(region[d].lo());
  return true;
}

template <typename Visit>
void forEachPoint(const LoopBox &box, Visit visit) {
  if (isEmpty(box))
    return;
  Index point;
  for (const Interval &range : box)
    point.push_back(range.lo);
  for (;;) {
    visit(point);
    size_t d = point.size();
    while (d-- > 0) {
      if (++point[d] < box[d].hi)
        break;
      point[d] = box[d].lo;
    }
    if (d == static_cast<size_t>(-1))
      return;
  }
}

/// result[..] += sum of the operands at each point of the box; absent operands
/// give 0.
Elements runKernel(const Graph &graph, const Kernel &kernel, size_t result,
                   const LoopBox &box,
                   const std::vector<const Elements *> &operands) {
  Elements out;
  forEachPoint(box, [&](const Index &point) {
    Index to;
    ASSERT_TRUE(indexAt(kernel.space.results[result].map, point,
                        graph.values[kernel.results[result]].shape, to));
    int64_t &sum = out[to];
    for (size_t i = 0; i < operands.size(); ++i) {
      Index from;
      if (!operands[i] ||
          !indexAt(kernel.space.operands[i].map, point,
                   graph.values[kernel.operands[i]].shape, from))
        continue;
      auto element = operands[i]->find(from);
      ASSERT_TRUE(element != operands[i]->end())
          << kernel.name << " reads what its tile does not hold";
      sum += element->second;
    }
  });
  return out;
}

Elements restrict(const Elements &elements, const Region &region) {
  Elements out;
  for (const auto &[index, value] : elements) {
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d)
      inside &= region[d].contains(index[d]);
    if (inside)
      out[index] = value;
  }
  return out;
}

class Interpreter {
public:
  Interpreter(const Graph &graph, const Plan &plan)
      : graph(graph), plan(plan), tiles(plan.buffers.size()),
        written(plan.buffers.size(), false) {}
  const Graph &graph;
  const Plan &plan;
  std::vector<Elements> tiles;
  std::vector<bool> written;

  void run(const std::vector<Elements> &values) {
    for (const std::vector<int> &buffers : plan.inputs)
      for (int buffer : buffers) {
        tiles[buffer] = restrict(values[plan.buffers[buffer].value],
                                 plan.buffers[buffer].region);
        written[buffer] = true;
      }
    for (const Action &action : plan.actions)
      if (action.kind == ActionKind::Collective)
        runCollective(action);
      else
        runAction(action);
  }

private:
  /// Inputs of the collective that is running.
  std::vector<int> members;

  void runCollective(const Action &action) {
    if (plan.actions[plan.taskStart[action.task]].key == action.key)
      members = action.inputs;
    bool reduces = false;
    for (const PlanCollective &collective : plan.collectives)
      if (collective.task == action.task)
        reduces = collective.kind != CollectiveKind::AllGather &&
                  collective.kind != CollectiveKind::Exchange &&
                  collective.kind != CollectiveKind::Broadcast;
    int output = action.outputs[0];
    const Region &region = plan.buffers[output].region;
    for (int input : members) {
      ASSERT_TRUE(written[input]);
      Elements part = restrict(tiles[input], region);
      if (reduces) {
        ASSERT_EQ(static_cast<int64_t>(part.size()), region.volume());
      }
      for (const auto &[index, value] : part)
        tiles[output][index] = value + (reduces ? tiles[output][index] : 0);
    }
    ASSERT_EQ(static_cast<int64_t>(tiles[output].size()), region.volume())
        << "a tile is not whole";
    written[output] = true;
  }

  void runAction(const Action &action) {
    for (int input : action.inputs)
      if (input >= 0) {
        ASSERT_TRUE(written[input])
            << "an action reads a buffer before it is written";
        int place = action.kind == ActionKind::Transfer ? action.sourceDevice
                                                        : action.device;
        ASSERT_EQ(plan.buffers[input].device, place)
            << "an action reads a buffer of another device";
      }
    for (size_t i = 0; i < action.outputs.size(); ++i) {
      int output = action.outputs[i];
      const Region &region = plan.buffers[output].region;
      Elements &out = tiles[output];
      switch (action.kind) {
      case ActionKind::Compute: {
        const Kernel &kernel = kernelOf(graph, action);
        std::vector<const Elements *> operands;
        for (int input : action.inputs)
          operands.push_back(input < 0 ? nullptr : &tiles[input]);
        out = runKernel(graph, kernel, i, action.box, operands);
        break;
      }
      case ActionKind::Fill:
        forEachPoint(box(region), [&](const Index &point) {
          if (isInside(point, region))
            out[point] = static_cast<int64_t>(action.fillValue);
        });
        break;
      case ActionKind::Assemble:
      case ActionKind::Transfer:
        for (int input : action.inputs)
          for (const auto &[index, value] : restrict(tiles[input], region))
            out[index] = value;
        break;
      case ActionKind::Collective:
        FAIL();
      case ActionKind::Combine:
        for (int input : action.inputs) {
          Elements part = restrict(tiles[input], region);
          ASSERT_EQ(static_cast<int64_t>(part.size()), region.volume());
          for (const auto &[index, value] : part)
            out[index] += value;
        }
        break;
      }
      ASSERT_EQ(static_cast<int64_t>(out.size()), region.volume())
          << "a tile is not whole";
      written[output] = true;
    }
  }
  static LoopBox box(const Region &region) {
    LoopBox ranges;
    for (const IndexSet &set : region.indexSets())
      ranges.push_back({set.lo(), set.hi()});
    return ranges;
  }
  static bool isInside(const Index &point, const Region &region) {
    for (size_t d = 0; d < point.size(); ++d)
      if (!region[d].contains(point[d]))
        return false;
    return true;
  }
};

void checkOne(uint64_t seed, const std::string &cluster, bool expand) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  RandomProblem problem = randomProblem(random);
  const auto &[graph, strategy, n, m, devices] = problem;

  // Unsharded.
  std::vector<Elements> values(graph.values.size());
  for (const GraphInput &input : graph.inputs)
    forEachPoint({{0, n}, {0, m}}, [&](const Index &point) {
      values[input.value][point] = uniform(random, -9, 9);
    });
  for (const GraphNode &node : graph.nodes) {
    std::vector<const Elements *> operands;
    for (int operand : node.whole.operands)
      operands.push_back(&values[operand]);
    values[node.whole.results[0]] =
        runKernel(graph, node.whole, 0, node.whole.space.wholeBox(), operands);
  }

  Topology topology = *builtinTopology(
      cluster == "cpu" ? "cpu-" + std::to_string(devices)
                       : "p100-" + std::to_string(devices) + "x1");
  Plan plan = buildPlan(graph, strategy, topology, expand);
  if (expand) {
    // The same tasks, whether messages are written out or not.
    TaskGraph one = buildTaskGraph(graph, plan, CostModel(topology)),
              other =
                  buildTaskGraph(graph, buildPlan(graph, strategy, topology),
                                 CostModel(topology));
    ASSERT_EQ(one.tasks.size(), other.tasks.size());
    for (size_t t = 0; t < one.tasks.size(); ++t) {
      ASSERT_EQ(one.tasks[t].name, other.tasks[t].name);
      ASSERT_EQ(one.tasks[t].preds, other.tasks[t].preds);
      ASSERT_EQ(one.tasks[t].durationNs, other.tasks[t].durationNs);
    }
    // Nor whether programs run regular ones as one operation, which moves as
    // much in all, or less: messages of a spread sum also go to readers that
    // contribute nothing and sum a part.
    Plan program = buildProgramPlan(graph, strategy, topology,
                                    [](int value) { return value % 3 != 0; });
    TaskGraph third = buildTaskGraph(graph, program, CostModel(topology));
    ASSERT_EQ(one.tasks.size(), third.tasks.size());
    for (size_t t = 0; t < one.tasks.size(); ++t) {
      ASSERT_EQ(one.tasks[t].name, third.tasks[t].name);
      ASSERT_EQ(one.tasks[t].preds, third.tasks[t].preds);
      ASSERT_EQ(one.tasks[t].bytes, third.tasks[t].bytes);
    }
    auto sentIn = [&](const Plan &any) {
      int64_t bytes = 0;
      for (const std::vector<int64_t> &row :
           messageBytes(graph, any, topology.deviceCount()))
        for (int64_t sent : row)
          bytes += sent;
      return bytes;
    };
    ASSERT_GE(sentIn(plan), sentIn(program));
  }
  Interpreter interpreter(graph, plan);
  interpreter.run(values);
  if (::testing::Test::HasFatalFailure())
    return;
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    Elements whole;
    for (int buffer : plan.outputs[o].buffers) {
      EXPECT_EQ(interpreter.tiles[buffer],
                restrict(values[graph.outputs[o].value],
                         plan.buffers[buffer].region));
      whole.insert(interpreter.tiles[buffer].begin(),
                   interpreter.tiles[buffer].end());
    }
    EXPECT_EQ(whole, values[graph.outputs[o].value]);
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (graph.inputs[i].updateNode < 0)
      continue;
    int result = graph.nodes[graph.inputs[i].updateNode].whole.results[0];
    ASSERT_EQ(plan.updates[i].size(), plan.inputs[i].size());
    for (size_t b = 0; b < plan.updates[i].size(); ++b) {
      EXPECT_EQ(plan.buffers[plan.updates[i][b]].region,
                plan.buffers[plan.inputs[i][b]].region);
      EXPECT_EQ(plan.buffers[plan.updates[i][b]].device,
                plan.buffers[plan.inputs[i][b]].device);
      EXPECT_EQ(
          interpreter.tiles[plan.updates[i][b]],
          restrict(values[result], plan.buffers[plan.updates[i][b]].region));
    }
  }
  // Keys are unique, and the schedule respects dependencies.
  TaskGraph tasks = buildTaskGraph(graph, plan, CostModel(topology));
  simulateFull(tasks);
  std::vector<int> place(tasks.tasks.size()), order = scheduleOrder(tasks);
  for (size_t i = 0; i < order.size(); ++i)
    place[order[i]] = static_cast<int>(i);
  std::map<TaskKey, int> keys;
  std::map<std::string, int> names;
  for (size_t t = 0; t < tasks.tasks.size(); ++t) {
    EXPECT_EQ(keys[tasks.tasks[t].key]++, 0);
    EXPECT_EQ(names[tasks.tasks[t].name]++, 0) << tasks.tasks[t].name;
    for (int pred : tasks.tasks[t].preds)
      EXPECT_LT(place[pred], place[t]);
  }
}

TEST(Plan, RandomGraphsComputeWhatTheUnshardedGraphComputes) {
  for (uint64_t seed = 0; seed < 3000 && !HasFailure(); ++seed)
    checkOne(seed, "cpu", false);
}

TEST(Plan, RandomGraphsWithCollectives) {
  for (uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    checkOne(seed, "p100", false);
    checkOne(seed, "p100", true);
  }
}

/// Gradient of a replicated weight: the data-parallel all-reduce moves 2 (n -
/// 1) / n of the tensor per device.
TEST(Plan, DataParallelGradientIsAnAllReduce) {
  Random random(1);
  GraphBuilder builder{{}, random};
  int weight = builder.input({64, 64}), x = builder.input({8, 64});
  (void)weight;
  IterationSpace space = builder.loops({64, 64, 8}, 2);
  space.operands = {{{DimMap::loop(2), DimMap::loop(0)}},
                    {{DimMap::loop(2), DimMap::loop(1)}}};
  space.results = {{{DimMap::loop(0), DimMap::loop(1)}, Combiner::Sum}};
  int gradient = builder.node("contract", space, {x, x}, {64, 64});
  builder.update(0, gradient, 64, 64);
  Config cut{{1, 1, 4}, 1, {0, 1, 2, 3}}, replicated{{1, 1}, 4, {0, 1, 2, 3}};
  Topology topology = *builtinTopology("cpu-4");
  Plan plan = buildPlan(builder.graph, {cut, replicated}, topology);
  std::vector<Exchange> exchanges = classifyExchanges(builder.graph, plan);
  ASSERT_EQ(exchanges.size(), 1u);
  EXPECT_EQ(exchanges[0].pattern, ExchangePattern::AllReduce);
  EXPECT_EQ(exchanges[0].bytes, 2 * 3 * 64 * 64 * 4);

  // The same gradient with a sharded update (ZeRO): a reduce-scatter, half of
  // the bytes.
  Config sharded{{4, 1}, 1, {0, 1, 2, 3}};
  plan = buildPlan(builder.graph, {cut, sharded}, topology);
  exchanges = classifyExchanges(builder.graph, plan);
  ASSERT_EQ(exchanges.size(), 1u);
  EXPECT_EQ(exchanges[0].pattern, ExchangePattern::ReduceScatter);
  EXPECT_EQ(exchanges[0].bytes, 3 * 64 * 64 * 4);
}

} // namespace
