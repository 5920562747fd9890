//===- StageQuotientTest.cpp - One replica of each stage for all ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compact or written out, folded or not: the times of every task of an
// iteration in microbatches and the peaks of every device are the same; and
// what should fold, folds.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/StageQuotient.h"

#include "Plan/PassReads.h"
#include "Soap/Memory/PeakMemory.h"
#include "Soap/Mesh/Mesh.h"
#include "Soap/Model/Reuse.h"
#include "Soap/Pipeline/OneForwardOneBackward.h"
#include "Soap/Pipeline/RoundPipeline.h"
#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Simulator/Algorithm1Simulator.h"

#include "Support/Graphs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

using namespace soap;
using namespace soap::test;

namespace {

/// Layers on stages; inside of a stage, samples over replicas, and any loop
/// over the devices of each.
struct Instance {
  bool isZigzag = false; ///< devices have two pieces of a loop
  std::string topology;
  int groups = 1, chunks = 1, data = 1, tensor = 1;
  Graph graph;
  Strategy strategy;
  PassOrder passes;
};

/// Adds a counter that all updates read, and the sum of the last layer as the
/// output. `isScaled`: the output is a multiple of the sum, which every device
/// computes of the contributions that it has, if it has any.
void addScalars(Mlp &mlp, int64_t batch, int64_t width, bool isScaled) {
  GraphBuilder builder;
  builder.graph = std::move(mlp.graph);
  builder.roles = std::move(mlp.roles);
  int last = builder.graph.outputs[0].value;
  int loss = builder.value("loss.out", {});
  // Behind the last relu: a node of the forward pass.
  builder.node("loss", "sum", Phase::Forward,
               {{"n", batch, IteratorType::Reduction},
                {"k", width, IteratorType::Reduction}},
               {Role::Sample, Role::Reduction}, {{last, {0, 1}}}, loss, {});
  int output = loss;
  if (isScaled) {
    output = builder.value("scaled.out", {});
    builder.node("scaled", "scale", Phase::Forward, {}, {}, {{loss, {}}},
                 output, {}, 1, /*linear=*/true);
  }
  int step = builder.input("step", {}), counted = builder.value("step.new", {});
  builder.node("counter", "counter", Phase::Update, {}, {}, {{step, {}}},
               counted, {});
  Graph &graph = builder.graph;
  size_t count = graph.nodes.size(), front = 2 * mlp.layers.size(),
         own = isScaled ? 3 : 2;
  // In the order: the counter, the forward pass, the sum, the others.
  std::vector<size_t> order = {count - 1};
  for (size_t n = 0; n + own < count; ++n) {
    for (size_t i = count - own; n == front && i + 1 < count; ++i)
      order.push_back(i);
    order.push_back(n);
  }
  Graph sorted = graph;
  std::vector<std::vector<Role>> roles;
  std::vector<int> placeOf(count);
  sorted.nodes.clear();
  for (size_t n : order) {
    placeOf[n] = static_cast<int>(sorted.nodes.size());
    sorted.nodes.push_back(graph.nodes[n]);
    roles.push_back(builder.roles[n]);
    Kernel &kernel = sorted.nodes.back().whole;
    if (kernel.phase == Phase::Update && kernel.kind == "sgd") {
      kernel.operands.push_back(counted);
      kernel.space.operands.push_back({});
    }
  }
  for (GraphInput &input : sorted.inputs)
    if (input.updateNode >= 0)
      input.updateNode = placeOf[static_cast<size_t>(input.updateNode)];
  GraphInput &parameter = sorted.inputs.back();
  parameter.updateNode = 0;
  parameter.updateOperand = 0;
  parameter.updateResult = 0;
  for (MlpLayer &layer : mlp.layers)
    for (int *node : {&layer.matmul, &layer.relu, &layer.reluGrad,
                      &layer.inputGrad, &layer.weightGrad, &layer.update})
      if (*node >= 0)
        *node = placeOf[static_cast<size_t>(*node)];
  sorted.outputs[0].value = output;
  mlp.graph = std::move(sorted);
  mlp.roles = std::move(roles);
}

/// An op of the forward pass that is computed again in the backward pass.
struct Clone {
  int node = -1, layer = 0;
  int of = -1;      ///< a value of the forward pass that it reads
  int trigger = -1; ///< the gradient that it waits for
};

/// Puts a node in front of another one.
void insertNode(Mlp &mlp, std::vector<Clone> &clones, int place, GraphNode node,
                std::vector<Role> roles) {
  mlp.graph.nodes.insert(mlp.graph.nodes.begin() + place, std::move(node));
  mlp.roles.insert(mlp.roles.begin() + place, std::move(roles));
  auto shift = [&](int &number) { number += number >= place; };
  for (GraphInput &input : mlp.graph.inputs)
    shift(input.updateNode);
  for (MlpLayer &layer : mlp.layers)
    for (int *number : {&layer.matmul, &layer.relu, &layer.reluGrad,
                        &layer.inputGrad, &layer.weightGrad, &layer.update})
      shift(*number);
  for (Clone &clone : clones)
    shift(clone.node);
}

/// Computes some products and relus again, for the gradients of their stage.
std::vector<Clone> addClones(Random &random, Mlp &mlp, int stages) {
  std::vector<Clone> clones;
  auto layers = static_cast<int>(mlp.layers.size());
  auto stageOf = [&](int layer) { return layer * stages / layers; };
  auto kernel = [&](int node) -> Kernel & {
    return mlp.graph.nodes[static_cast<size_t>(node)].whole;
  };
  // A clone of a node, in front of another one; its result.
  auto clone = [&](int layer, int node, int place, int trigger, int operand) {
    GraphNode copy = mlp.graph.nodes[static_cast<size_t>(node)];
    int of = copy.whole.operands[0];
    if (operand >= 0)
      copy.whole.operands[0] = operand;
    copy.whole.phase = Phase::Backward;
    copy.whole.name += ".again";
    auto result = static_cast<int>(mlp.graph.values.size());
    GraphValue value =
        mlp.graph.values[static_cast<size_t>(copy.whole.results[0])];
    value.name += ".again";
    mlp.graph.values.push_back(std::move(value));
    copy.whole.results[0] = result;
    std::vector<Role> roles = mlp.roles[static_cast<size_t>(node)];
    insertNode(mlp, clones, place, std::move(copy), std::move(roles));
    clones.push_back({place, layer, operand < 0 ? of : -1, trigger});
    return result;
  };
  for (int l = layers; l-- > 0;) {
    auto at = static_cast<size_t>(l);
    bool isSame = l + 1 < layers && stageOf(l) == stageOf(l + 1);
    if (isSame && random.chance(60)) {
      // The relu, and perhaps the product before it, for the gradient of the
      // weight of the next layer.
      int reader = mlp.layers[at + 1].weightGrad,
          trigger = kernel(reader).operands[1], made = -1;
      if (random.chance(50))
        made = clone(l, mlp.layers[at].matmul, reader, trigger, -1);
      reader = mlp.layers[at + 1].weightGrad;
      int again = clone(l, mlp.layers[at].relu, reader, trigger, made);
      kernel(mlp.layers[at + 1].weightGrad).operands[0] = again;
      if (made >= 0)
        kernel(mlp.layers[at].reluGrad).operands[1] = made;
    } else if (l + 1 < layers && random.chance(60)) {
      // The product, for the gradient of its relu, which may come from the
      // next stage.
      int reader = mlp.layers[at].reluGrad,
          trigger = kernel(reader).operands[0],
          made = clone(l, mlp.layers[at].matmul, reader, trigger, -1);
      kernel(mlp.layers[at].reluGrad).operands[1] = made;
    }
  }
  return clones;
}

/// Has a layer read the parameter of an earlier one of the same shape, often
/// one of another stage. Its own is updated all the same.
void tieWeights(Random &random, Mlp &mlp, const std::vector<int64_t> &widths) {
  auto layers = static_cast<int64_t>(mlp.layers.size());
  auto of = static_cast<size_t>(random(0, layers - 1)),
       to = static_cast<size_t>(random(0, layers - 1));
  if (of >= to || widths[of] != widths[to] || widths[of + 1] != widths[to + 1])
    return;
  // The samples come first.
  int weight = mlp.graph.inputs[1 + of].value;
  for (int node : {mlp.layers[to].matmul, mlp.layers[to].inputGrad})
    mlp.graph.nodes[static_cast<size_t>(node)].whole.operands[1] = weight;
}

/// Has clones wait for their gradients, and passes gather some weights.
void addRestores(Random &random, Graph &graph, const std::vector<Clone> &clones,
                 bool keepsWeights) {
  std::vector<bool> isWritten(graph.values.size());
  for (const GraphNode &node : graph.nodes)
    for (int value : node.whole.results)
      isWritten[static_cast<size_t>(value)] = true;
  bool isShared = random.chance(50);
  for (const Clone &clone : clones) {
    if (clone.of < 0 || !isWritten[static_cast<size_t>(clone.of)])
      continue;
    std::vector<int> readers = {clone.node};
    for (size_t n = static_cast<size_t>(clone.node) + 1;
         isShared && n < graph.nodes.size(); ++n)
      if (const Kernel &kernel = graph.nodes[n].whole;
          kernel.phase == Phase::Backward &&
          std::find(kernel.operands.begin(), kernel.operands.end(), clone.of) !=
              kernel.operands.end())
        readers.push_back(static_cast<int>(n));
    delayReaders(graph, clone.of, clone.trigger, readers);
  }
  for (size_t i = 0; keepsWeights && i < graph.inputs.size(); ++i)
    if (int value = graph.inputs[i].value;
        random.chance(70) && !checkKeep(graph, value, Keep::Before))
      restoreValue(graph, value, Keep::Before);
}

/// By node, its layer; the last one of those that have none.
std::vector<int> layersOfNodes(const Mlp &mlp,
                               const std::vector<Clone> &clones) {
  std::vector<int> layerOf(mlp.graph.nodes.size(),
                           static_cast<int>(mlp.layers.size()) - 1);
  for (const Clone &clone : clones)
    layerOf[static_cast<size_t>(clone.node)] = clone.layer;
  for (size_t l = 0; l < mlp.layers.size(); ++l)
    for (int node : {mlp.layers[l].matmul, mlp.layers[l].relu,
                     mlp.layers[l].reluGrad, mlp.layers[l].inputGrad,
                     mlp.layers[l].weightGrad, mlp.layers[l].update})
      if (node >= 0)
        layerOf[static_cast<size_t>(node)] = static_cast<int>(l);
  return layerOf;
}

/// A config of a stage: replicas give their axis to one loop, the devices of a
/// replica to another, -1: replicas.
Config configOf(const Instance &instance, int group, const Kernel &kernel,
                int dataLoop, int tensorLoop, bool isDataInside) {
  Mesh mesh;
  mesh.axes = {{"data", instance.data, true}, {"tensor", instance.tensor}};
  MeshConfig targets{{dataLoop, tensorLoop}};
  if (isDataInside) {
    std::swap(mesh.axes[0], mesh.axes[1]);
    std::swap(targets.targets[0], targets.targets[1]);
  }
  Config config = unfold(mesh, targets, kernel.space.loops.size());
  for (int &device : config.devices) {
    if (isDataInside)
      device =
          device % instance.data * instance.tensor + device / instance.data;
    device += group * instance.data * instance.tensor;
  }
  return config;
}

/// Gives each device of a replica two pieces of a loop, an early and a late
/// one, if it has so many points.
void makeZigzag(Config &config, const Kernel &kernel, int loop) {
  if (loop < 0)
    return;
  Config plain = config;
  auto at = static_cast<size_t>(loop);
  int64_t degree = plain.degrees[at];
  if (kernel.space.loops[at].extent < 2 * degree)
    return;
  config.degrees[at] = 2 * degree;
  int64_t inner = 1;
  for (size_t l = at + 1; l < plain.degrees.size(); ++l)
    inner *= plain.degrees[l];
  int64_t pieces = config.piecesPerReplica();
  config.devices.clear();
  for (int64_t i = 0; i < config.replicas * pieces; ++i) {
    int64_t piece = i / inner, digit = piece % (2 * degree);
    int64_t of = piece / (2 * degree) * degree +
                 (digit < degree ? digit : 2 * degree - 1 - digit);
    config.devices.push_back(
        plain.devices[static_cast<size_t>(of * inner + i % inner)]);
  }
}

/// The topologies of clusters of equal machines; large ones are rare, they take
/// most of the time.
const char *randomCluster(Random &random) {
  static const char *names[] = {"h100-1x8", "h100-2x4", "h100-4x4", "a100-4x2",
                                "h100-2x8", "p100-4x4", "a100-8x2", "k80-4x4",
                                "pcie-4x2", "h100-8x8", "v100-4x8"};
  return names[random(0, random.chance(15) ? 10 : 8)];
}

Instance randomInstance(Random &random, const char *topology) {
  Instance made;
  made.topology = topology;
  int devices = builtinTopology(made.topology)->deviceCount();
  // Most stages have replicas.
  int most = random.chance(10) ? devices : devices / 2;
  do
    made.groups = 1 << random(0, 3);
  while (made.groups > most);
  int group = devices / made.groups;
  do
    made.tensor = 1 << random(0, 3);
  while (made.tensor > (most == devices ? group : group / 2));
  made.data = group / made.tensor;
  made.chunks = random.chance(25) ? 2 : 1;
  int stages = made.groups * made.chunks;
  int64_t microbatches =
      made.chunks > 1 ? made.groups * random(1, 2)
                      : std::vector<int64_t>{
                            1, 2, 3, 4, 8}[static_cast<size_t>(random(0, 4))];
  int64_t large = random.chance(30) ? 16 : 1;
  int64_t batch = microbatches * made.data * random(1, 3) * large;
  if (random.chance(10))
    batch += random(1, 3);
  std::vector<int64_t> widths;
  size_t layers = static_cast<size_t>(stages) * random(1, 2);
  for (size_t i = 0; i <= layers; ++i)
    widths.push_back(made.data * made.tensor * random(1, 3) * large);
  bool isTied = random.chance(30);
  if (isTied)
    std::fill(widths.begin(), widths.end(), widths[0]);
  Mlp mlp = makeMlp(batch, widths);
  if (isTied)
    tieWeights(random, mlp, widths);
  bool hasScalars = random.chance(70);
  if (hasScalars)
    addScalars(mlp, batch, widths.back(), random.chance(50));
  else
    mlp.graph.outputs.clear();
  std::vector<Clone> clones;
  if (random.chance(50))
    clones = addClones(random, mlp, stages);
  addRestores(random, mlp.graph, clones, random.chance(40));
  size_t count = mlp.graph.nodes.size();
  std::vector<int> layerOf = layersOfNodes(mlp, clones);
  made.passes = {microbatches,
                 std::vector<int>(count, -1),
                 std::vector<int>(count, -1),
                 {},
                 {}};
  int zero = static_cast<int>(random(-1, 1));
  std::string usual[2] = {"k", "c"};
  bool isWild = random.chance(30);
  made.isZigzag = random.chance(20);
  for (size_t n = 0; n < count; ++n) {
    const Kernel &kernel = mlp.graph.nodes[n].whole;
    int stage = layerOf[n] * stages / static_cast<int>(layers);
    auto loops = static_cast<int>(kernel.space.loops.size());
    int tensorLoop =
        loops == 0 ? -1 : kernel.space.findLoop(usual[layerOf[n] % 2]);
    if (loops > 0 && isWild && random.chance(30))
      tensorLoop = static_cast<int>(random(-1, loops - 1));
    int dataLoop = -1;
    if (kernel.phase == Phase::Update) {
      if (loops > 0)
        dataLoop = zero;
      // Most updates are cut as the products that read their parameters.
      int own = usual[layerOf[n] % 2] == "c" ? 0 : 1;
      if (loops > 0)
        tensorLoop = random.chance(70) ? own : static_cast<int>(random(-1, 1));
    } else {
      made.passes.sampleLoops[n] = sampleLoopOf(kernel.space, mlp.roles[n]);
      made.passes.stages[n] = stage;
      dataLoop = isWild && random.chance(4) ? -1 : made.passes.sampleLoops[n];
    }
    made.strategy.push_back(
        configOf(made, stage % made.groups, kernel, dataLoop, tensorLoop,
                 kernel.phase == Phase::Update && random.chance(50)));
    if (made.isZigzag && tensorLoop != dataLoop)
      makeZigzag(made.strategy.back(), kernel, tensorLoop);
  }
  std::vector<std::vector<int>> stageDevices;
  for (int s = 0; s < stages; ++s) {
    std::vector<int> &list = stageDevices.emplace_back();
    for (int d = 0; d < group; ++d)
      list.push_back(s % made.groups * group + d);
  }
  auto order = schedulePasses(random.chance(30)
                                  ? PipelineSchedule::GPipe
                                  : PipelineSchedule::OneForwardOneBackward,
                              stageDevices, microbatches, devices);
  EXPECT_TRUE(order) << order.error();
  made.passes.order = *order;
  made.graph = std::move(mlp.graph);
  // Sums of 16 bits are not added up message by message.
  std::vector<GraphValue> &values = made.graph.values;
  bool isHalf = random.chance(30);
  for (size_t v = 0; isHalf && v < values.size(); ++v) {
    int root = made.graph.rootOf(static_cast<int>(v));
    values[v].elementBytes =
        root < static_cast<int>(v)
            ? values[static_cast<size_t>(root)].elementBytes
            : (random.chance(70) ? 2 : 4);
  }
  return made;
}

/// Layers whole on devices. A device may have several that do not follow each
/// other, or share them with others, which take turns.
Instance randomPlacement(Random &random, const CostModel &cost) {
  Instance made;
  int devices = cost.getTopology().deviceCount();
  std::vector<int> replicas(static_cast<size_t>(devices), 1), firsts;
  for (int next = 0; next < devices && firsts.size() < 4;) {
    auto count = std::min(static_cast<int>(random(1, 3)), devices - next);
    firsts.push_back(next);
    replicas[static_cast<size_t>(next)] = count;
    next += count;
  }
  std::vector<int64_t> widths(static_cast<size_t>(random(2, 7)));
  for (int64_t &width : widths)
    width = 16 * random(1, 4);
  int layers = static_cast<int>(widths.size()) - 1;
  int64_t microbatches = random(1, 9), batch = microbatches + random(0, 20);
  Mlp mlp = makeMlp(batch, widths);
  if (random.chance(70))
    addScalars(mlp, batch, widths.back(), random.chance(50));
  else
    mlp.graph.outputs.clear();
  std::vector<Clone> clones;
  if (random.chance(50))
    clones = addClones(random, mlp, static_cast<int>(random(1, layers)));
  addRestores(random, mlp.graph, clones, /*keepsWeights=*/false);
  std::vector<int> firstOf; // by layer
  for (int l = 0; l < layers; ++l)
    firstOf.push_back(firsts[static_cast<size_t>(
        random(0, static_cast<int64_t>(firsts.size()) - 1))]);
  std::vector<int> layerOf = layersOfNodes(mlp, clones), deviceOf;
  for (size_t n = 0; n < mlp.graph.nodes.size(); ++n) {
    const Kernel &kernel = mlp.graph.nodes[n].whole;
    int loop = kernel.phase == Phase::Update
                   ? -1
                   : sampleLoopOf(kernel.space, mlp.roles[n]);
    made.passes.sampleLoops.push_back(loop);
    deviceOf.push_back(firstOf[static_cast<size_t>(layerOf[n])]);
    Config config = Config::single(kernel.space, deviceOf.back());
    if (loop < 0)
      config.replicas = replicas[static_cast<size_t>(deviceOf.back())];
    for (int r = 1; r < config.replicas; ++r)
      config.devices.push_back(deviceOf.back() + r);
    made.strategy.push_back(std::move(config));
  }
  Expected<RoundPipeline> rounds = makeRoundPipeline(
      mlp.graph, mlp.roles, deviceOf, replicas, microbatches, cost);
  EXPECT_TRUE(rounds) << rounds.error();
  setRounds(*rounds,
            random.chance(50) ? PipelineSchedule::GPipe
                              : PipelineSchedule::OneForwardOneBackward,
            cost.getTopology(), made.passes);
  made.graph = std::move(mlp.graph);
  return made;
}

/// An instance, planned and written out, and simulated.
struct WrittenOut {
  Plan plan;
  TaskGraph tasks;
  std::vector<int64_t> peaks;
};

Expected<WrittenOut> writeOut(const Instance &instance, const CostModel &cost) {
  const Topology &topology = cost.getTopology();
  WrittenOut result;
  Expected<Plan> plan = buildPipelinePlan(instance.graph, instance.strategy,
                                          instance.passes, topology, nullptr);
  if (!plan)
    return plan.takeError();
  result.plan = std::move(*plan);
  result.tasks = buildTaskGraph(instance.graph, result.plan, cost);
  simulateFull(result.tasks);
  result.peaks =
      peakBytes(instance.graph, result.plan,
                actionOrder(result.plan, scheduleOrder(result.tasks)),
                topology.deviceCount());
  return result;
}

TaskTimes timesOf(const Task &task) {
  return {task.readyNs, task.startNs, task.endNs};
}

/// Whether devices of a replica have copies of the same sum, of which one alone
/// is scaled.
bool hasIdleCopies(const Instance &instance) {
  for (size_t n = 1; n < instance.graph.nodes.size(); ++n)
    if (instance.graph.nodes[n].whole.name == "scaled")
      return instance.data > 1 && instance.strategy[n - 1].replicas > 1;
  return false;
}

/// The compact timeline of all devices against the one that is written out.
/// `mayRefuse`: passes may wait for each other in a circle.
void checkCompact(const Instance &instance, const CostModel &cost,
                  const Expected<WrittenOut> &written, bool mayRefuse) {
  Graph ofPasses = graphOfPasses(instance.graph, instance.passes);
  StrategyPlan plan(ofPasses, cost);
  plan.setRounds(roundsOfPasses(ofPasses, instance.passes));
  plan.set(cutIntoMicrobatches(instance.strategy, instance.passes));
  Expected<PassTimeline> timeline =
      PassTimeline::make(plan, instance.graph, instance.passes, boxesOf(plan));
  ASSERT_EQ(static_cast<bool>(timeline), static_cast<bool>(written));
  if (!written) {
    EXPECT_EQ(timeline.error(), written.error());
    // Values go to later stages, and gradients to earlier ones.
    EXPECT_TRUE(mayRefuse ||
                written.error().find("in a circle") == std::string::npos)
        << written.error();
    return;
  }
  EXPECT_EQ(timeline->getMakespanNs(), written->tasks.makespanNs);
  EXPECT_EQ(timeline->getTaskCount(),
            static_cast<int64_t>(written->tasks.tasks.size()));
  for (const Task &task : written->tasks.tasks)
    ASSERT_EQ(timeline->timesOf(static_cast<int>(task.key[0]),
                                static_cast<int>(task.key[1]),
                                static_cast<int>(task.key[2])),
              timesOf(task));
  EXPECT_EQ(timeline->peakBytes(), written->peaks);
  std::vector<DeviceTimes> mine = timeline->deviceTimes(),
                           all = deviceTimes(written->tasks,
                                             cost.getTopology().deviceCount());
  ASSERT_EQ(mine.size(), all.size());
  for (size_t d = 0; d < all.size(); ++d) {
    EXPECT_EQ(mine[d].computeNs, all[d].computeNs) << "device " << d;
    EXPECT_EQ(mine[d].movementNs, all[d].movementNs) << "device " << d;
    EXPECT_EQ(mine[d].exposedNs, all[d].exposedNs) << "device " << d;
  }
}

using TimesOfBlocks = std::map<int64_t, std::vector<TaskTimes>>;

/// Whether an instance folds; if so, that all times and peaks are equal.
bool checkFolded(const Instance &instance, const CostModel &cost,
                 const Cluster &cluster, const Expected<WrittenOut> &written,
                 std::string &why) {
  Graph ofPasses = graphOfPasses(instance.graph, instance.passes);
  StageQuotient quotient(ofPasses, cost, cluster);
  why = quotient.set(instance.strategy, instance.passes);
  if (!why.empty())
    return false;
  Expected<PassTimeline> timeline = PassTimeline::make(
      quotient, instance.graph, instance.passes, quotient.boxes());
  EXPECT_EQ(static_cast<bool>(timeline), static_cast<bool>(written));
  if (!timeline || !written) {
    why = "error";
    return false;
  }
  why = quotient.whyTimesDiffer(*timeline);
  if (!why.empty())
    return false;
  EXPECT_EQ(timeline->getMakespanNs(), written->tasks.makespanNs);
  // By block: the tasks of replica 0, in the order of keys.
  std::vector<const Task *> sorted;
  for (const Task &task : written->tasks.tasks)
    sorted.push_back(&task);
  std::sort(sorted.begin(), sorted.end(),
            [](auto a, auto b) { return a->key < b->key; });
  auto isFirst = [&](int device) { return quotient.firstOf(device) == device; };
  TimesOfBlocks all, mine;
  std::map<std::pair<int64_t, int>, std::vector<TaskTimes>> onDevice;
  for (const Task *task : sorted) {
    bool isHere =
        isFirst(task->device) ||
        std::any_of(task->devices.begin(), task->devices.end(), isFirst);
    if (isHere)
      all[task->key[0]].push_back(timesOf(*task));
    if (task->devices.empty())
      onDevice[{task->key[0], task->device}].push_back(timesOf(*task));
  }
  for (size_t b = 0; b < quotient.getBlocks().size(); ++b) {
    auto [slot, value] = quotient.getBlocks()[b];
    size_t tasks = slot >= 0 ? quotient.kernelPlan(slot).states.size()
                             : quotient.valuePlan(value).tasks.size();
    for (size_t t = 0; t < tasks; ++t) {
      if (slot >= 0 &&
          quotient.kernelPlan(slot).states[t] == ShardState::Absent)
        continue;
      auto block = static_cast<int>(b), index = static_cast<int>(t);
      for (int step = 0; step < timeline->stepsOf(block, index); ++step)
        mine[block].push_back(timeline->timesOf(block, index, step));
    }
  }
  EXPECT_EQ(mine, all);
  // Every replica has the times of replica 0.
  for (const auto &[place, times] : onDevice)
    EXPECT_EQ(times, (onDevice[{place.first, quotient.firstOf(place.second)}]))
        << "block " << place.first << " device " << place.second;
  std::vector<int64_t> peaks = timeline->peakBytes();
  for (int d = 0; d < static_cast<int>(peaks.size()); ++d) {
    int64_t its = written->peaks[static_cast<size_t>(d)];
    if (isFirst(d))
      EXPECT_EQ(peaks[static_cast<size_t>(d)], its) << "device " << d;
    else
      EXPECT_LE(its, peaks[static_cast<size_t>(quotient.firstOf(d))])
          << "device " << d;
  }
  return true;
}

/// Two stages of replicas of two devices, samples over replicas, layers by
/// outputs over the two.
TEST(StageQuotient, TasksDoNotDependOnTheNumberOfReplicas) {
  std::set<int64_t> tasks;
  for (const char *name : {"h100-2x4", "h100-8x4", "h100-64x4"}) {
    Topology topology = *builtinTopology(name);
    CostModel cost(topology);
    Instance made;
    made.groups = 2;
    made.tensor = 2;
    made.data = topology.deviceCount() / 4;
    constexpr int64_t microbatches = 3;
    Mlp mlp = makeMlp(microbatches * made.data * 2, {64, 64, 64});
    mlp.graph.outputs.clear();
    size_t count = mlp.graph.nodes.size();
    made.passes = {microbatches,
                   std::vector<int>(count, -1),
                   std::vector<int>(count, -1),
                   {},
                   {}};
    for (size_t n = 0; n < count; ++n) {
      const Kernel &kernel = mlp.graph.nodes[n].whole;
      int stage = kernel.name.find('1') != std::string::npos;
      if (kernel.phase != Phase::Update) {
        made.passes.sampleLoops[n] = sampleLoopOf(kernel.space, mlp.roles[n]);
        made.passes.stages[n] = stage;
      }
      made.strategy.push_back(configOf(
          made, stage, kernel, made.passes.sampleLoops[n],
          kernel.space.findLoop(kernel.phase == Phase::Update ? "d1" : "k"),
          false));
    }
    std::vector<std::vector<int>> stageDevices(2);
    for (int d = 0; d < topology.deviceCount(); ++d)
      stageDevices[static_cast<size_t>(d >= topology.deviceCount() / 2)]
          .push_back(d);
    made.passes.order =
        *schedulePasses(PipelineSchedule::OneForwardOneBackward, stageDevices,
                        microbatches, topology.deviceCount());
    Expected<Cluster> cluster = Cluster::of(topology);
    ASSERT_TRUE(cluster) << cluster.error();
    StageQuotient quotient(mlp.graph, cost, *cluster);
    ASSERT_EQ(quotient.set(made.strategy, made.passes), "");
    EXPECT_EQ(quotient.getUnit(), 2);
    EXPECT_EQ(quotient.getReplicas(), made.data);
    Expected<PassTimeline> timeline =
        PassTimeline::make(quotient, mlp.graph, made.passes, quotient.boxes());
    ASSERT_TRUE(timeline) << timeline.error();
    tasks.insert(timeline->getTaskCount());
    // It ends when it is asked to, at the first chance and at later ones.
    for (int chances : {0, 5}) {
      StageQuotient ended(mlp.graph, cost, *cluster);
      StopCheck isOver = [left = chances]() mutable { return left-- <= 0; };
      EXPECT_EQ(ended.set(made.strategy, made.passes, isOver), stoppedMessage);
      isOver = [left = chances]() mutable { return left-- <= 0; };
      Expected<PassTimeline> none = PassTimeline::make(
          quotient, mlp.graph, made.passes, quotient.boxes(), isOver);
      ASSERT_FALSE(none);
      EXPECT_EQ(none.error(), stoppedMessage);
    }
  }
  EXPECT_EQ(tasks.size(), 1u);
}

/// SOAP_TEST_CASES sets how many cases a test has, SOAP_TEST_ROUND where they
/// begin.
struct Rounds {
  const char *text = std::getenv("SOAP_TEST_CASES");
  const char *first = std::getenv("SOAP_TEST_ROUND");
  uint64_t begin = first ? std::strtoull(first, nullptr, 10) : 0, cases;
  explicit Rounds(uint64_t usual)
      : cases(text ? std::strtoull(text, nullptr, 10) : usual) {}
};

/// Where receivers copy messages, these begin passes, sums end them, and some
/// copies are deferred.
TEST(PassTimeline, EqualsTheWrittenPlanWhereReceiversCopy) {
  Rounds rounds(200);
  uint64_t copies = 0, deferred = 0, sums = 0;
  for (uint64_t i = 0; i < rounds.cases && !HasFailure(); ++i) {
    uint64_t round = rounds.begin + i;
    Random random(round);
    SCOPED_TRACE(random.trace(static_cast<int64_t>(round)));
    static const char *names[] = {"cpu-2",    "cpu-4",    "cpu-8",
                                  "h100-1x8", "h100-2x4", "cpu-16"};
    Instance instance = randomInstance(random, names[random(0, 5)]);
    SCOPED_TRACE(instance.topology + ", " + std::to_string(instance.groups) +
                 " groups of " + std::to_string(instance.data) + " x " +
                 std::to_string(instance.tensor));
    Topology topology = *builtinTopology(instance.topology);
    topology.deviceTypes[0].copiesOccupyReceiver = true;
    CostModel cost(topology);
    Expected<WrittenOut> written = writeOut(instance, cost);
    // Interleaved passes that recompute may, where a device has several pieces.
    checkCompact(instance, cost, written,
                 instance.chunks > 1 && instance.isZigzag);
    if (!written)
      continue;
    for (const Task &task : written->tasks.tasks) {
      copies += task.sourceDevice >= 0;
      deferred += task.deferred;
      sums += task.key[2] > 0;
    }
  }
  EXPECT_GT(copies, rounds.cases * 50);
  EXPECT_GT(deferred, rounds.cases);
  EXPECT_GT(sums, rounds.cases);
}

/// Devices that take turns, or have several stages, do not wait in circles.
TEST(PassTimeline, EqualsTheWrittenPlanOfPlacements) {
  Rounds rounds(300);
  uint64_t shared = 0, several = 0;
  for (uint64_t i = 0; i < rounds.cases && !HasFailure(); ++i) {
    uint64_t round = rounds.begin + i;
    Random random(round);
    SCOPED_TRACE(random.trace(static_cast<int64_t>(round)));
    static const char *names[] = {"cpu-2", "cpu-4", "cpu-8", "h100-1x8",
                                  "h100-2x4"};
    Topology topology = *builtinTopology(names[random(0, 4)]);
    CostModel cost(topology);
    Instance instance = randomPlacement(random, cost);
    Expected<WrittenOut> written = writeOut(instance, cost);
    ASSERT_TRUE(written) << written.error();
    checkCompact(instance, cost, written, /*mayRefuse=*/false);
    for (const std::vector<PipelinePass> &order : instance.passes.order) {
      std::set<std::pair<int, bool>> stages;
      for (const PipelinePass &pass : order)
        stages.insert({pass.stage, pass.backward});
      several += stages.size() > 2;
    }
    shared += !instance.passes.replicas.empty();
    Expected<Cluster> cluster = Cluster::of(topology);
    std::string why;
    if (cluster && !instance.passes.replicas.empty())
      EXPECT_FALSE(checkFolded(instance, cost, *cluster, written, why));
  }
  EXPECT_GT(shared, rounds.cases / 3);
  EXPECT_GT(several, rounds.cases / 3);
}

TEST(StageQuotient, EqualsTheUnfoldedPlan) {
  Rounds rounds(400);
  uint64_t cases = rounds.cases, round = rounds.begin, folded = 0;
  // Of those that fold: by whether ops are recomputed, weights gathered,
  // devices have several pieces, and some have nothing to scale.
  uint64_t recomputed = 0, gathered = 0, zigzags = 0, idle = 0;
  std::map<std::string, int> reasons;
  for (uint64_t end = round + cases; round < end && !HasFailure(); ++round) {
    Random random(round);
    SCOPED_TRACE(random.trace(static_cast<int64_t>(round)));
    Instance instance = randomInstance(random, randomCluster(random));
    SCOPED_TRACE(instance.topology + ", " + std::to_string(instance.groups) +
                 " groups of " + std::to_string(instance.data) + " x " +
                 std::to_string(instance.tensor));
    Topology topology = *builtinTopology(instance.topology);
    CostModel cost(topology);
    Expected<Cluster> cluster = Cluster::of(topology);
    ASSERT_TRUE(cluster) << cluster.error();
    Expected<WrittenOut> written = writeOut(instance, cost);
    checkCompact(instance, cost, written, /*mayRefuse=*/false);
    std::string why;
    if (checkFolded(instance, cost, *cluster, written, why)) {
      ++folded;
      bool delays = false, keeps = false;
      for (const Restore &restore :
           graphOfPasses(instance.graph, instance.passes).restores)
        (restore.delaysReaders ? delays : keeps) = true;
      recomputed += delays;
      gathered += keeps;
      zigzags += instance.isZigzag && instance.tensor > 1;
      idle += hasIdleCopies(instance);
    } else if (std::getenv("SOAP_TEST_VERBOSE"))
      ++reasons[(instance.isZigzag && instance.tensor > 1 ? "zigzag: " : "") +
                why];
  }
  for (auto &[reason, count] : reasons)
    std::printf("%6d %s\n", count, reason.c_str());
  if (std::getenv("SOAP_TEST_VERBOSE"))
    std::printf("%llu of %llu folded, %llu recompute, %llu gather, %llu "
                "have several pieces on a device, %llu idle copies\n",
                static_cast<unsigned long long>(folded),
                static_cast<unsigned long long>(cases),
                static_cast<unsigned long long>(recomputed),
                static_cast<unsigned long long>(gathered),
                static_cast<unsigned long long>(zigzags),
                static_cast<unsigned long long>(idle));
  if (!rounds.text && !HasFailure()) {
    EXPECT_GT(folded, cases / 4);
    EXPECT_GT(recomputed, cases / 25);
    EXPECT_GT(gathered, cases / 20);
    EXPECT_GT(zigzags, 0u);
    EXPECT_GT(idle, 0u);
  }
}

} // namespace
