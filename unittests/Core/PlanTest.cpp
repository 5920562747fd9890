//===- PlanTest.cpp - Plans executed on integers --------------------------===//
//
// A naive interpreter runs the actions of plans of random graphs under random
// configs, and compares every output, replica and updated tile with the
// unsharded graph. Sums of integers are exact, so any lost, doubled or stale
// contribution shows.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/Plan.h"
#include "Soap/Core/Simulator.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace soap;

namespace {

using Random = std::mt19937_64;
int64_t uniform(Random &random, int64_t lo, int64_t hi) {
  return std::uniform_int_distribution<int64_t>(lo, hi)(random);
}

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

struct GraphBuilder {
  Graph graph;
  Random &random;

  int value(std::vector<int64_t> shape) {
    graph.values.push_back(
        {"v" + std::to_string(graph.values.size()), std::move(shape), 4});
    return static_cast<int>(graph.values.size()) - 1;
  }
  int input(std::vector<int64_t> shape) {
    int v = value(std::move(shape));
    GraphInput in;
    in.value = v;
    graph.inputs.push_back(in);
    return v;
  }
  int node(const std::string &kind, IterationSpace space,
           std::vector<int> operands, std::vector<int64_t> shape) {
    Kernel kernel;
    kernel.name = kind + std::to_string(graph.nodes.size());
    kernel.kind = kind;
    kernel.space = std::move(space);
    kernel.operands = std::move(operands);
    int result = value(std::move(shape));
    kernel.results = {result};
    graph.nodes.push_back({std::move(kernel), {}});
    return result;
  }
  IterationSpace loops(const std::vector<int64_t> &extents, size_t parallel) {
    IterationSpace space;
    for (size_t l = 0; l < extents.size(); ++l)
      space.loops.push_back(
          {"l" + std::to_string(l), extents[l],
           l < parallel ? IteratorType::Parallel : IteratorType::Reduction,
           false});
    return space;
  }
  /// One random op on 2-D tensors of shape n x m.
  int randomNode(int x, int y, int64_t n, int64_t m) {
    AccessMap identity{DimMap::loop(0), DimMap::loop(1)};
    IterationSpace space = loops({n, m}, 2);
    switch (uniform(random, 0, 4)) {
    case 0: // elementwise, not linear as far as the plan knows
      space.operands = {{identity}};
      space.results = {{identity, Combiner::Sum}};
      return node("copy", space, {x}, {n, m});
    case 1: // linear: passes partial sums on
      space.operands = {{identity}, {identity}};
      space.results = {{identity, Combiner::Sum}};
      space.linear = true;
      return node("add", space, {x, y}, {n, m});
    case 2: { // window of three rows: halos
      space = loops({n, m, 3}, 2);
      space.operands = {
          {{DimMap::window({{0, 1}, {2, 1}}, -1), DimMap::loop(1)}}};
      space.results = {{identity, Combiner::Sum}};
      return node("window", space, {x}, {n, m});
    }
    case 3: // contraction over the columns of x, which are the rows of y:
            // partial sums
      space = loops({n, m, n}, 2);
      space.loops[2].extent = std::min(n, m);
      space.operands = {{{DimMap::loop(0), DimMap::loop(2)}},
                        {{DimMap::loop(2), DimMap::loop(1)}}};
      space.results = {{identity, Combiner::Sum}};
      return node("contract", space, {x, y}, {n, m});
    default: // linear with a permutation of rows: y[i, j] = x[n - 1 - i, j]
      space.operands = {{{DimMap::window({{0, -1}}, n - 1), DimMap::loop(1)}}};
      space.results = {{identity, Combiner::Sum}};
      space.linear = true;
      return node("flip", space, {x}, {n, m});
    }
  }
  /// An update op that replaces an input.
  void update(size_t input, int gradient, int64_t n, int64_t m) {
    AccessMap identity{DimMap::loop(0), DimMap::loop(1)};
    IterationSpace space = loops({n, m}, 2);
    space.operands = {{identity}, {identity}};
    space.results = {{identity, Combiner::Sum}};
    node("update", space, {graph.inputs[input].value, gradient}, {n, m});
    graph.inputs[input].updateNode = static_cast<int>(graph.nodes.size()) - 1;
    graph.inputs[input].updateOperand = 0;
    graph.inputs[input].updateResult = 0;
  }
};

Config randomConfig(Random &random, const IterationSpace &space, int devices) {
  for (;;) {
    Config config;
    for (size_t l = 0; l < space.loops.size(); ++l)
      config.degrees.push_back(uniform(random, 0, 1) ? 1
                                                     : uniform(random, 1, 5));
    config.replicas = uniform(random, 0, 1) ? 1 : uniform(random, 1, 3);
    int64_t pieces = config.piecesPerReplica() * config.replicas;
    if (pieces > 12)
      continue;
    for (int64_t i = 0; i < pieces; ++i)
      config.devices.push_back(
          static_cast<int>(uniform(random, 0, devices - 1)));
    return config;
  }
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
      runAction(action);
  }

private:
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

void checkOne(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  int64_t n = uniform(random, 1, 6), m = uniform(random, 1, 6);
  GraphBuilder builder{{}, random};
  std::vector<int> live{builder.input({n, m}), builder.input({n, m}),
                        builder.input({n, m})};
  for (int64_t i = uniform(random, 1, 6); i > 0; --i) {
    auto pick = [&] {
      return live[uniform(random, 0, static_cast<int64_t>(live.size()) - 1)];
    };
    int x = pick(), y = pick();
    live.push_back(builder.randomNode(x, y, n, m));
  }
  if (uniform(random, 0, 1))
    builder.update(0, live.back(), n, m);
  Graph &graph = builder.graph;
  int devices = static_cast<int>(uniform(random, 1, 6));
  for (int i = 0; i < 2; ++i) {
    GraphOutput output;
    output.value = live[live.size() - 1 - static_cast<size_t>(i)];
    output.name = "out" + std::to_string(i);
    output.hasConfig = uniform(random, 0, 1);
    if (output.hasConfig)
      output.config = randomConfig(random, tensorSpace({n, m}), devices);
    graph.outputs.push_back(output);
  }
  for (GraphInput &input : graph.inputs)
    if (input.updateNode < 0 && uniform(random, 0, 1)) {
      input.hasConfig = true;
      input.config = randomConfig(random, tensorSpace({n, m}), devices);
    }
  Strategy strategy;
  for (const GraphNode &node : graph.nodes)
    strategy.push_back(randomConfig(random, node.whole.space, devices));

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

  Topology topology = *builtinTopology("cpu-" + std::to_string(devices));
  Plan plan = buildPlan(graph, strategy, topology);
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
    checkOne(seed);
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
