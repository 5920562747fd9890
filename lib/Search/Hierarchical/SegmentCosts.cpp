//===- SegmentCosts.cpp - Times and bytes of a microbatch -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SegmentCosts.h.
//
//===----------------------------------------------------------------------===//

#include "SegmentCosts.h"

#include "HybridStrategy.h"
#include "MicrobatchGraph.h"
#include "Model/GradientOrder.h"
#include "Search/Presets/Context.h"
#include "Search/Presets/Experts.h"
#include "Search/Presets/PartialSums.h"
#include "Soap/Memory/PlanMemory.h"
#include "Soap/Model/OpShape.h"
#include "Soap/Model/Reuse.h"
#include "Soap/Pipeline/Pipeline.h"
#include "Soap/Plan/ActionCost.h"
#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/SomeDevices.h"
#include "Soap/Simulator/StrategySimulator.h"

#include <algorithm>
#include <numeric>

using namespace soap;

namespace {

/// The first attribute loop of a result that the devices share evenly, -1:
/// none.
int sequenceLoopOf(const Kernel &kernel, const std::vector<Role> &roles,
                   int64_t devices) {
  for (size_t l = 0; l < kernel.space.loops.size(); ++l) {
    const Loop &loop = kernel.space.loops[l];
    if (roles[l] == Role::Attribute && loop.type == IteratorType::Parallel &&
        !loop.stage && loop.extent % devices == 0 &&
        !kernel.space.results.empty() &&
        usesLoop(kernel.space.results[0].map, static_cast<int>(l)))
      return static_cast<int>(l);
  }
  return -1;
}

/// Sums of tensors of one shape: residual additions, and the sums of their
/// gradients.
bool isSum(const Graph &graph, const Kernel &kernel) {
  if (!kernel.space.linear || kernel.operands.size() < 2 ||
      kernel.results.size() != 1)
    return false;
  return std::all_of(kernel.operands.begin(), kernel.operands.end(),
                     [&](int value) {
                       return graph.values[value].shape ==
                              graph.values[kernel.results[0]].shape;
                     });
}

/// Cuts what all devices of a group would compute along the sequence. Sums
/// follow the products before them, but they are of the tensors that norms
/// read: cut like those, they add and keep a part on each device, and what
/// leaves a stage leaves it once. Sums of contributions to gradients stay
/// whole: each device adds its own, and one reduce-scatter follows.
void cutSequence(const ParallelizationProblem &problem, Strategy &strategy) {
  int64_t devices = problem.getTopology().deviceCount();
  const Graph &graph = problem.getGraph();
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (kernel.phase == Phase::Update || strategy[n].replicas != devices ||
        !isSum(graph, kernel))
      continue;
    if (int loop = sequenceLoopOf(kernel, problem.getRoles()[n], devices);
        loop >= 0) {
      strategy[n].replicas = 1;
      strategy[n].degrees[static_cast<size_t>(loop)] = devices;
    }
  }
  for (const OpGroup &group : problem.getGroups()) {
    const Kernel &leader = problem.getGraph().nodes[group.leader].whole;
    const Config &config = strategy[group.leader];
    if (leader.phase != Phase::Forward || config.replicas != devices)
      continue;
    int loop =
        sequenceLoopOf(leader, problem.getRoles()[group.leader], devices);
    if (loop < 0)
      continue;
    Config cut = Config::single(leader.space);
    cut.degrees[static_cast<size_t>(loop)] = devices;
    cut.devices = config.devices;
    problem.assign(strategy, group, cut);
  }
  PartialSums partial(graph);
  for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
    Config &config = strategy[static_cast<size_t>(n)];
    if (partial.addsContributions(n) &&
        static_cast<int64_t>(config.devices.size()) == devices) {
      config.degrees.assign(config.degrees.size(), 1);
      config.replicas = devices;
    }
    partial.note(n, config);
  }
}

class Measurement {
public:
  Measurement(const Graph &whole, const ModelSegments &segments,
              const MicrobatchGraph &microbatch, const Topology &topology,
              const Strategy &strategy, bool isContext)
      : whole(whole), segments(segments), graph(microbatch.graph),
        roles(microbatch.roles), isContext(isContext), cost(topology),
        plan(graph, cost) {
    segmentOf.resize(graph.nodes.size());
    for (size_t n = 0; n < microbatch.nodeOf.size(); ++n)
      if (microbatch.nodeOf[n] >= 0)
        segmentOf[microbatch.nodeOf[n]] = segments.ofNode[n];
    producer.assign(graph.values.size(), -1);
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : graph.nodes[n].whole.results)
        producer[value] = static_cast<int>(n);
    hasSamples = valuesOfSamples(graph, roles);
    isOfExperts.resize(whole.nodes.size());
    std::vector<int> expertLoop = expertLoops(whole);
    for (size_t n = 0; n < isOfExperts.size(); ++n)
      isOfExperts[n] = expertLoop[n] >= 0;
    plan.set(strategy);
    findViews();
    costs.segments.resize(static_cast<size_t>(segments.count));
    // Members of a tensor-parallel group do the same; of the places of a
    // sequence, the one that computes most.
    if (isContext)
      own = static_cast<int>(std::max_element(plan.kernelLoadNs().begin(),
                                              plan.kernelLoadNs().end()) -
                             plan.kernelLoadNs().begin());
    const std::vector<PlanState::Slot> &slots = plan.getSlots();
    ownShards.resize(slots.size());
    for (size_t s = 0; s < slots.size(); ++s) {
      const KernelPlan &kernel = plan.kernelPlan(static_cast<int>(s));
      for (size_t i = 0; kernel.active && i < kernel.devices.size(); ++i)
        if (kernel.devices[i] == own && kernel.states[i] != ShardState::Absent)
          ownShards[s].push_back(static_cast<int>(i));
    }
  }

  SegmentCosts run() {
    addKernels();
    addCollectives();
    scaleToTimeline();
    findReads();
    addKept();
    addParameters();
    addLive();
    return std::move(costs);
  }

private:
  const Graph &whole;
  const ModelSegments &segments;
  const Graph &graph;
  const std::vector<std::vector<Role>> &roles;
  bool isContext; ///< devices share sequences
  CostModel cost;
  StrategyPlan plan;
  /// By value: the one whose memory it is, as the executor has views.
  std::vector<int> memoryOf;
  int own = 0;                             ///< the device that is measured
  std::vector<std::vector<int>> ownShards; ///< by slot
  std::vector<int> segmentOf;              ///< by node of the microbatch
  std::vector<int> producer;
  std::vector<bool> hasSamples;
  std::vector<bool> isOfExperts; ///< by node of the step
  SegmentCosts costs;
  std::vector<int64_t> nodeNs; ///< on the device, by node
  /// Of parameters that passes only convert.
  int64_t convertedBytes = 0;
  /// By value: it is computed from parameters once for all microbatches, as a
  /// parameter in another precision.
  std::vector<bool> isCopy;
  int64_t copiesOfForward = 0; ///< bytes of those that only forward passes read
  /// By value: whether a node of the backward pass reads it on the device.
  std::vector<bool> isRead;
  /// By value: the most bytes of it, or of its views, that such a node reads.
  std::vector<int64_t> readBytes;
  std::vector<bool> isReadByProduct;

  void findViews() {
    memoryOf.resize(graph.values.size());
    std::iota(memoryOf.begin(), memoryOf.end(), 0);
    const std::vector<PlanState::Slot> &slots = plan.getSlots();
    for (size_t s = 0; s < slots.size(); ++s)
      if (plan.kernelPlan(static_cast<int>(s)).active &&
          plan.isView(static_cast<int>(s)))
        memoryOf[slots[s].kernel->results[0]] =
            memoryOf[slots[s].kernel->operands[0]];
  }
  bool hasMemory(int value) const { return memoryOf[value] == value; }

  bool isOwn(size_t slot) const { return !ownShards[slot].empty(); }
  LoopBox boxOf(int slot, int shard) const {
    const IterationSpace &space = plan.getSlots()[slot].kernel->space;
    const KernelGeometry &geometry = *plan.kernelPlan(slot).geometry;
    LoopBox box = space.wholeBox();
    int64_t piece = shard % geometry.pieces;
    for (size_t l = box.size(); l-- > 0;) {
      box[l] = cut(space.loops[l].extent, geometry.degrees[l],
                   piece % geometry.degrees[l]);
      piece /= geometry.degrees[l];
    }
    return box;
  }
  /// Bytes of the tiles of an operand or result of a slot on the device: equal
  /// ones are one tile.
  int64_t tileBytes(size_t slot, int value, const AccessMap &map) const {
    const GraphValue &of = graph.values[value];
    std::vector<Region> regions;
    int64_t bytes = 0;
    for (int shard : ownShards[slot]) {
      Region region =
          image(map, boxOf(static_cast<int>(slot), shard), of.shape);
      if (std::find(regions.begin(), regions.end(), region) != regions.end())
        continue;
      bytes += region.volume() * of.elementBytes;
      regions.push_back(std::move(region));
    }
    return bytes;
  }
  bool isOfSamples(int node) const {
    const std::vector<Role> &own = roles[node];
    return std::find(own.begin(), own.end(), Role::Sample) != own.end();
  }
  void add(int node, int64_t ns) {
    SegmentCost &segment = costs.segments[segmentOf[node]];
    nodeNs[node] += ns;
    (!isOfSamples(node) ? segment.onceNs
     : isForward(node)  ? segment.forwardNs
                        : segment.backwardNs) += ns;
  }

  /// Time in which the device computes, as opposed to links.
  void addBusy(int node, int64_t ns) {
    if (!isOfSamples(node))
      return;
    SegmentCost &segment = costs.segments[segmentOf[node]];
    (isForward(node) ? segment.forwardBusyNs : segment.backwardBusyNs) += ns;
  }

  void addKernels() {
    nodeNs.assign(graph.nodes.size(), 0);
    const std::vector<PlanState::Slot> &slots = plan.getSlots();
    for (size_t s = 0; s < slots.size(); ++s)
      for (int shard : ownShards[s]) {
        int64_t ns = plan.kernelPlan(static_cast<int>(s)).durationNs[shard];
        add(slots[s].node, ns);
        addBusy(slots[s].node, ns);
      }
  }

  /// Collectives and sums of the device count for the op that made the value,
  /// collectives of graph inputs for its first reader.
  void addCollectives() {
    for (size_t v = 0; v < graph.values.size(); ++v) {
      const ValuePlan &value = plan.valuePlan(static_cast<int>(v));
      if (value.tasks.empty())
        continue;
      int node = producer[v];
      if (node < 0)
        for (const PlanState::Reader &reader :
             plan.readersOf(static_cast<int>(v)))
          if (node < 0 && reader.slot >= 0)
            node = plan.getSlots()[reader.slot].node;
      if (node < 0)
        continue;
      for (const PlannedTask &task : value.tasks)
        if (isOfDevice(value, task)) {
          add(node, task.durationNs);
          if (task.collective < 0)
            addBusy(node, task.durationNs);
          SegmentCost &segment = costs.segments[segmentOf[node]];
          (isForward(node) ? segment.forwardCollectives
                           : segment.backwardCollectives) +=
              task.collective >= 0 && hasSamples[v];
        }
    }
  }

  /// Collectives that other places take part in alone are not the device's.
  bool isOfDevice(const ValuePlan &value, const PlannedTask &task) const {
    if (task.collective < 0)
      return task.resource == own;
    const std::vector<int> &devices =
        value.collectives[task.collective].devices;
    return std::find(devices.begin(), devices.end(), own) != devices.end();
  }

  /// Collectives of the backward pass run beside gradients of weights. What the
  /// simulated passes take less than their tasks one after the other, the
  /// backward pass of each segment takes less. Where devices share sequences,
  /// blocks of keys and values are on their way beside kernels or delay them:
  /// either pass takes as long as it is simulated.
  void scaleToTimeline() {
    int64_t once = 0, forward = 0, backward = 0;
    for (const SegmentCost &segment : costs.segments) {
      once += segment.onceNs;
      forward += segment.forwardNs;
      backward += segment.backwardNs;
    }
    StrategySimulator simulator(plan);
    int64_t makespan = 0, forwardEnd = once + forward;
    if (isContext) {
      std::vector<std::vector<TaskTimes>> times;
      makespan = simulator.timeline(times);
      forwardEnd = endOfForward(times);
    } else {
      makespan = simulator.makespan();
    }
    if (backward == 0 || makespan <= forwardEnd)
      return;
    auto scale = [](int64_t &ns, int64_t to, int64_t from) {
      ns = static_cast<int64_t>(static_cast<double>(to) /
                                static_cast<double>(from) *
                                static_cast<double>(ns));
    };
    for (SegmentCost &segment : costs.segments) {
      scale(segment.backwardNs, makespan - forwardEnd, backward);
      if (isContext && forward > 0 && forwardEnd > once)
        scale(segment.forwardNs, forwardEnd - once, forward);
    }
  }

  /// When the last kernel of the forward pass ends, on any device.
  int64_t endOfForward(const std::vector<std::vector<TaskTimes>> &times) const {
    int64_t end = 0;
    for (const PlanState::Slot &slot : plan.getSlots())
      if (isForward(slot.node))
        for (const TaskTimes &task : times[slot.block])
          end = std::max(end, task.endNs);
    return end;
  }

  void findReads() {
    isRead.assign(graph.values.size(), false);
    isReadByProduct = isRead;
    readBytes.assign(graph.values.size(), 0);
    const std::vector<PlanState::Slot> &slots = plan.getSlots();
    for (size_t s = 0; s < slots.size(); ++s) {
      const Kernel &kernel = *slots[s].kernel;
      if (!isOwn(s) ||
          graph.nodes[slots[s].node].whole.phase != Phase::Backward)
        continue;
      for (size_t o = 0; o < kernel.operands.size(); ++o) {
        int value = kernel.operands[o];
        int64_t &bytes = readBytes[memoryOf[value]];
        bytes =
            std::max(bytes, tileBytes(s, value, kernel.space.operands[o].map));
        isRead[value] = true;
        isReadByProduct[value] = isReadByProduct[value] || mayRegather(kernel);
      }
    }
    if (plan.getCost().getTopology().executor.regathers)
      keepParts();
  }

  /// Of what products read whole, a device keeps its part.
  void keepParts() {
    for (size_t v = 0; v < graph.values.size(); ++v) {
      int node = producer[v];
      if (!isReadByProduct[v] || !hasSamples[v] || node < 0 || !isForward(node))
        continue;
      if (int64_t own = ownTile(node, static_cast<int>(v)); own > 0)
        readBytes[v] = std::min(readBytes[v], own);
    }
  }

  bool isForward(int node) const {
    return graph.nodes[node].whole.phase == Phase::Forward;
  }
  /// A product of samples and a parameter, or an attention, which no
  /// recomputation repeats but the whole one.
  bool isKeptProduct(int node) const {
    const Kernel &kernel = graph.nodes[node].whole;
    if (isAttention(kernel.kind))
      return true;
    if (!kernel.kind.starts_with("matmul") && !kernel.kind.starts_with("conv"))
      return false;
    return std::any_of(kernel.operands.begin(), kernel.operands.end(),
                       [&](int value) { return !hasSamples[value]; });
  }

  /// Values that the backward pass reads before any gradient has come: what the
  /// last layer writes for the loss. Strategies do not compute them again.
  std::vector<bool> readFirst() const {
    GradientOrder order(graph, std::vector<bool>(graph.nodes.size()));
    std::vector<int> firstReader(graph.values.size(), -1);
    for (size_t n = graph.nodes.size(); n-- > 0;)
      if (graph.nodes[n].whole.phase == Phase::Backward)
        for (int value : graph.nodes[n].whole.operands)
          firstReader[value] = static_cast<int>(n);
    std::vector<bool> result(graph.values.size());
    for (int v = 0; v < static_cast<int>(result.size()); ++v)
      result[v] = firstReader[v] >= 0 &&
                  order.trigger(std::span(&v, 1), firstReader[v]) < 0;
    return result;
  }

  /// By node, whether it is computed again for values that the backward pass
  /// reads, of which some are kept.
  std::vector<bool> findRecomputed(const std::vector<bool> &isKept) const {
    std::vector<int> wanted;
    for (size_t v = 0; v < graph.values.size(); ++v)
      if (isRead[v])
        wanted.push_back(static_cast<int>(v));
    std::vector<bool> isRecomputed(graph.nodes.size());
    std::vector<bool> isNeeded(graph.values.size());
    while (!wanted.empty()) {
      int value = wanted.back();
      wanted.pop_back();
      int node = producer[value];
      // Values without samples are of all microbatches together.
      if (isNeeded[value] || isKept[value] || node < 0 || !isForward(node) ||
          !hasSamples[value])
        continue;
      isNeeded[value] = true;
      isRecomputed[node] = true;
      for (int operand : graph.nodes[node].whole.operands)
        wanted.push_back(operand);
    }
    return isRecomputed;
  }

  void addKept() {
    // Whole layers are computed again from what enters them.
    std::vector<bool> isKept = readFirst();
    for (int s = 0; s < segments.count; ++s)
      if (s == 0 || segments.layerOf[s] != segments.layerOf[s - 1])
        for (int value : segments.boundary[s])
          isKept[value] = true;
    std::vector<bool> ofLayers = findRecomputed(isKept);
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      if (ofLayers[n])
        costs.segments[segmentOf[n]].wholeNs += nodeNs[n];
    // Selective recomputation keeps what enters segments and what products with
    // parameters write, and computes the rest of what is read again from these.
    for (const std::vector<int> &boundary : segments.boundary)
      for (int value : boundary)
        isKept[value] = true;
    for (size_t v = 0; v < graph.values.size(); ++v)
      if (int node = producer[v]; node >= 0 && isForward(node))
        isKept[v] = isKept[v] || isKeptProduct(node);
    std::vector<bool> &isRecomputed = costs.isRecomputed;
    isRecomputed = findRecomputed(isKept);
    // A kept value that is only read to compute others again counts, too.
    std::vector<bool> isReadByRecomputed(graph.values.size());
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      if (isRecomputed[n]) {
        costs.segments[segmentOf[n]].selectiveNs += nodeNs[n];
        for (int value : graph.nodes[n].whole.operands)
          isReadByRecomputed[value] = true;
      }
    // The memory of kept values, of which some may be views.
    std::vector<bool> isMemoryKept(graph.values.size());
    for (size_t v = 0; v < graph.values.size(); ++v)
      if (isKept[v] && (isRead[v] || isReadByRecomputed[v]))
        isMemoryKept[memoryOf[v]] = true;
    for (size_t v = 0; v < graph.values.size(); ++v) {
      int node = producer[v];
      if (node < 0 || !isForward(node) || !hasSamples[v] ||
          !hasMemory(static_cast<int>(v)))
        continue;
      SegmentCost &segment = costs.segments[segmentOf[node]];
      segment.keptBytes += readBytes[v];
      if (isMemoryKept[v])
        segment.selectiveBytes += readBytes[v] > 0
                                      ? readBytes[v]
                                      : ownTile(node, static_cast<int>(v));
    }
    for (int s = 0; s < segments.count; ++s)
      for (int value : segments.boundary[s])
        if (producer[value] >= 0)
          costs.segments[s].boundaryBytes += ownTile(producer[value], value);
  }

  /// Bytes of the tiles of a result on the device.
  int64_t ownTile(int node, int value) const {
    for (int slot : plan.slotsOf(node)) {
      if (!isOwn(slot))
        continue;
      const Kernel &kernel = *plan.getSlots()[slot].kernel;
      for (size_t r = 0; r < kernel.results.size(); ++r)
        if (kernel.results[r] == value)
          return tileBytes(slot, value, kernel.space.results[r].map);
    }
    return 0;
  }

  /// Whether passes read a parameter only to convert it.
  bool isOnlyConverted(int value) const {
    const std::vector<PlanState::Slot> &slots = plan.getSlots();
    bool isConverted = false;
    for (const PlanState::Reader &reader : plan.readersOf(value)) {
      if (reader.slot < 0)
        continue;
      if (slots[reader.slot].kernel->kind != "cast")
        return false;
      isConverted = true;
    }
    return isConverted;
  }

  /// Parameters are cut as the ops that read them cut them, and so are their
  /// gradients and states.
  void addParameters() {
    // The share of a parameter that the device reads.
    std::vector<int64_t> tile(graph.values.size(), 0);
    isCopy.assign(graph.values.size(), false);
    std::vector<int> where(graph.values.size(), -1);
    const std::vector<PlanState::Slot> &slots = plan.getSlots();
    for (size_t s = 0; s < slots.size(); ++s) {
      const Kernel &kernel = *slots[s].kernel;
      if (!isOwn(s))
        continue;
      for (size_t o = 0; o < kernel.operands.size(); ++o) {
        int value = kernel.operands[o];
        tile[value] = std::max(
            tile[value], tileBytes(s, value, kernel.space.operands[o].map));
        if (where[value] < 0)
          where[value] = segmentOf[slots[s].node];
        if (int node = producer[value]; node >= 0 && isForward(node))
          isCopy[memoryOf[value]] =
              isCopy[memoryOf[value]] ||
              (!hasSamples[value] && isOfSamples(slots[s].node));
      }
    }
    addWeights(tile, where);
    std::vector<int64_t> gradient(graph.values.size(), -1);
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      if (!isForward(static_cast<int>(n)))
        for (int value : graph.nodes[n].whole.results)
          gradient[value] = ownTile(static_cast<int>(n), value);
    for (size_t v = 0; v < graph.values.size(); ++v)
      if (isCopy[v] && producer[v] >= 0) {
        costs.segments[segmentOf[producer[v]]].parameterBytes += tile[v];
        // One microbatch has its last reader in the forward pass.
        if (readBytes[v] == 0) {
          costs.segments[segmentOf[producer[v]]].forwardBytes += tile[v];
          copiesOfForward += tile[v];
        }
      }
    // The share of a tensor that a device has; updates keep what they are
    // given.
    std::vector<double> share(whole.values.size(), 1);
    for (size_t v = 0; v < share.size(); ++v)
      if (gradient[v] > 0)
        share[v] = static_cast<double>(gradient[v]) /
                   static_cast<double>(graph.values[v].bytes());
    std::vector<bool> ofProducts(whole.values.size());
    for (const GraphNode &node : whole.nodes)
      for (int value : node.whole.results)
        ofProducts[static_cast<size_t>(value)] =
            node.whole.kind.starts_with("matmul");
    for (size_t n = 0; n < whole.nodes.size(); ++n) {
      const Kernel &update = whole.nodes[n].whole;
      if (update.phase != Phase::Update)
        continue;
      SegmentCost &segment = costs.segments[segments.ofNode[n]];
      bool ofExperts = isOfExperts[n];
      double own = 1;
      for (int value : update.operands) {
        own = std::min(own, share[value]);
        if (gradient[value] <= 0)
          continue;
        segment.gradientBytes.add(gradient[value], ofExperts);
        int64_t width = graph.values[value].elementBytes;
        Work sum = localWork(ActionKind::Combine, gradient[value] / width,
                             width, /*inputs=*/2);
        sum.ofProducts = ofProducts[static_cast<size_t>(value)];
        segment.accumulateNs += cost.computeNs(0, sum);
      }
      for (int value : update.results)
        share[value] = own;
      for (const GraphInput &input : inputsOf(static_cast<int>(n)))
        if (tile[input.value] > 0) {
          SegmentCost &reader = costs.segments[where[input.value]];
          if (isOnlyConverted(input.value)) {
            reader.stateBytes.add(tile[input.value], ofExperts);
            convertedBytes += tile[input.value];
          } else {
            reader.parameterBytes += tile[input.value];
            reader.updatedBytes.add(tile[input.value], ofExperts);
          }
        } else {
          const GraphValue &state = whole.values[input.value];
          (state.inHost ? segment.hostBytes : segment.stateBytes)
              .add(static_cast<int64_t>(own *
                                        static_cast<double>(state.bytes())),
                   ofExperts);
        }
    }
  }

  /// Weights and their gradients one by one: collectives move each by itself.
  /// `tile`: by value, the share that the device reads; `where`: its segment.
  void addWeights(const std::vector<int64_t> &tile,
                  const std::vector<int> &where) {
    std::vector<bool> isExpertWeight(whole.values.size());
    for (size_t n = 0; n < isOfExperts.size(); ++n)
      for (int value : whole.nodes[n].whole.operands)
        isExpertWeight[value] = isExpertWeight[value] || isOfExperts[n];
    std::vector<bool> isGathered(whole.values.size());
    for (const GatheredWeight &weight : segments.gathered)
      isGathered[weight.value] = true;
    for (const GatheredWeight &weight : segments.weights) {
      if (where[weight.value] < 0)
        continue;
      WeightCost cost;
      cost.weightBytes = tile[weight.value];
      cost.isUpdated = producer[weight.value] < 0;
      cost.isGathered = isGathered[weight.value];
      cost.isOfExperts = isExpertWeight[weight.value];
      for (int value : weight.gradients)
        if (producer[value] >= 0)
          cost.gradientBytes += ownTile(producer[value], value);
      costs.segments[where[weight.value]].weights.push_back(cost);
    }
  }

  /// By value: the last op that reads it on the device, or makes it; -1: none
  /// of them is there.
  std::vector<int> findLastUses() const {
    std::vector<int> last(graph.values.size(), -1);
    const std::vector<PlanState::Slot> &slots = plan.getSlots();
    for (size_t s = 0; s < slots.size(); ++s) {
      if (!isOwn(s))
        continue;
      for (const std::vector<int> *values :
           {&slots[s].kernel->operands, &slots[s].kernel->results})
        for (int value : *values)
          last[memoryOf[value]] =
              std::max(last[memoryOf[value]], slots[s].node);
    }
    return last;
  }

  /// The most bytes that each segment has at once: the ops one after the other,
  /// values from the op that makes them to the last one that reads them.
  /// Gradients of parameters are counted with these, and here while they are
  /// added to them.
  void addLive() {
    std::vector<bool> isSummed(graph.values.size());
    for (const GraphNode &node : whole.nodes)
      if (node.whole.phase == Phase::Update)
        for (int value : node.whole.operands)
          isSummed[value] = true;
    std::vector<bool> isReduced(graph.values.size());
    for (const GatheredWeight &weight : segments.gathered)
      for (int value : weight.gradients)
        isReduced[value] = true;
    std::vector<int> last = findLastUses();
    // By node: values of microbatches, and the gradients that it makes.
    std::vector<int64_t> liveAt, addedAt, unreducedAt;
    int64_t live = 0, sums = 0;
    int64_t most = 0, sumsAtMost = 0;
    std::vector<std::vector<int>> ending(graph.nodes.size());
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      int64_t added = 0, unreduced = 0;
      for (int value : graph.nodes[n].whole.results) {
        int64_t own = ownTile(static_cast<int>(n), value);
        bool isForwardValue = isForward(static_cast<int>(n));
        if (own == 0 || isCopy[value] || !hasMemory(value))
          continue;
        // A conversion of weights is made once for all microbatches. One that
        // the backward pass converts again is there until it does.
        if (isForwardValue && !hasSamples[value]) {
          if (!isForward(last[memoryOf[value]]))
            costs.segments[segmentOf[n]].parameterBytes += own;
          continue;
        }
        if (!isForwardValue && isSummed[value]) {
          added += own;
          unreduced += isReduced[value] ? 0 : own;
          continue;
        }
        live += isForwardValue && readBytes[value] > 0 ? readBytes[value] : own;
        ending[last[value]].push_back(value);
      }
      liveAt.push_back(live);
      addedAt.push_back(added);
      unreducedAt.push_back(unreduced);
      sums += added;
      if (live + sums > most) {
        most = live + sums;
        sumsAtMost = sums;
      }
      for (int value : ending[n]) {
        int node = producer[value];
        live -= isForward(node) && readBytes[value] > 0 ? readBytes[value]
                                                        : ownTile(node, value);
      }
    }
    scaleToPeak(most, sumsAtMost, liveAt);
    // Bytes that segments before one keep.
    std::vector<int64_t> before(costs.segments.size());
    for (size_t s = 1; s < before.size(); ++s)
      before[s] = before[s - 1] + costs.segments[s - 1].keptBytes;
    auto raise = [](int64_t &bytes, int64_t to) {
      bytes = std::max(bytes, to);
    };
    for (size_t n = 0; n < liveAt.size(); ++n) {
      SegmentCost &segment = costs.segments[segmentOf[n]];
      int64_t own = liveAt[n] - before[segmentOf[n]];
      raise(segment.liveBytes, own);
      raise(segment.summingBytes, own + 2 * addedAt[n]);
      raise(segment.unreducedBytes, own + addedAt[n] + unreducedAt[n]);
    }
  }

  /// Tiles that are gathered, packed or on their way are in no list above. The
  /// peak of the plan counts them: what the passes have at once, at most `most`
  /// with `sums` of gradients, is scaled to it.
  void scaleToPeak(int64_t most, int64_t sums, std::vector<int64_t> &liveAt) {
    int64_t fixed = convertedBytes - copiesOfForward, gradients = 0;
    for (const SegmentCost &segment : costs.segments) {
      fixed += segment.parameterBytes;
      gradients += segment.gradientBytes.all;
    }
    std::vector<int64_t> peaks = peakBytes(plan);
    int64_t peak = *std::max_element(peaks.begin(), peaks.end());
    // The peak may be at the end, with all gradients, little beside them and no
    // activations.
    constexpr double beside = 1.02;
    if (most <= sums || static_cast<double>(peak) <=
                            beside * static_cast<double>(fixed + gradients))
      return;
    double factor = static_cast<double>(peak - fixed - sums) /
                    static_cast<double>(most - sums);
    auto scale = [&](int64_t &bytes) {
      bytes = static_cast<int64_t>(factor * static_cast<double>(bytes));
    };
    for (SegmentCost &segment : costs.segments) {
      scale(segment.keptBytes);
      scale(segment.selectiveBytes);
    }
    for (int64_t &bytes : liveAt)
      scale(bytes);
  }

  std::vector<GraphInput> inputsOf(int update) {
    if (inputs.empty()) {
      inputs.resize(whole.nodes.size());
      for (const GraphInput &input : whole.inputs)
        if (input.updateNode >= 0)
          inputs[input.updateNode].push_back(input);
    }
    return inputs[update];
  }
  std::vector<std::vector<GraphInput>> inputs; ///< by node that updates them
};

/// Configs of the microbatch's ops, and of updates, which follow the leaders of
/// their groups in the strategy of the tensor-parallel devices.
Strategy strategyOfStep(const Graph &graph, const std::vector<OpGroup> &groups,
                        const MicrobatchGraph &microbatch,
                        const LayerMates &mates, const Strategy &strategy,
                        const Strategy &ofTensor) {
  Strategy result(graph.nodes.size());
  for (const OpGroup &group : groups) {
    int leader = microbatch.nodeOf[group.leader];
    const IterationSpace &space = graph.nodes[group.leader].whole.space;
    for (size_t m = 0; m < group.nodes.size(); ++m) {
      int node = group.nodes[m];
      if (int made = microbatch.nodeOf[node]; made >= 0)
        result[node] = strategy[made];
      else if (leader >= 0)
        result[node] =
            followConfig(space, ofTensor[leader], graph.nodes[node].whole.space,
                         group.loops[m]);
      else
        result[node] = Config::single(graph.nodes[node].whole.space);
    }
  }
  for (size_t n = 0; n < result.size(); ++n)
    if (mates.leavesOut(static_cast<int>(n)))
      result[n] = result[mates.ofNode[n]];
  return result;
}

/// Whether an op multiplies tensors: elements take part in several of its
/// points, or a point is a product itself, as in recurrent cells.
bool isProduct(const Graph &graph, const Kernel &kernel, double points) {
  constexpr double flopsOfCells = 64;
  if (kernel.space.flopsPerPoint >= flopsOfCells)
    return true;
  auto hasFewer = [&](int value) {
    const GraphValue &of = graph.values[static_cast<size_t>(value)];
    return static_cast<double>(of.bytes()) <
           points * static_cast<double>(of.elementBytes);
  };
  return std::all_of(kernel.operands.begin(), kernel.operands.end(),
                     hasFewer) &&
         std::all_of(kernel.results.begin(), kernel.results.end(), hasFewer);
}

/// Of a point: without the scores that the gradient of attention computes
/// again.
double modelFlops(const Graph &graph, const Kernel &kernel) {
  double flops = kernel.space.flopsPerPoint;
  constexpr size_t queries = 1; // among the operands
  if (kernel.kind == "attention_grad")
    flops -= 2 * static_cast<double>(
                     graph.values[static_cast<size_t>(kernel.operands[queries])]
                         .shape.back());
  return flops;
}

/// The operations of products. Keys that queries do not see count, too.
double flopsOf(const Graph &graph) {
  double flops = 0;
  for (const GraphNode &node : graph.nodes) {
    const Kernel &kernel = node.whole;
    double points = 1;
    for (const Loop &loop : kernel.space.loops)
      points *= static_cast<double>(loop.extent);
    if (isProduct(graph, kernel, points))
      flops += modelFlops(graph, kernel) * points;
  }
  return flops;
}

} // namespace

Expected<PlannedMicrobatch>
soap::planMicrobatch(const Graph &graph, const std::vector<OpGroup> &groups,
                     const std::vector<std::vector<Role>> &roles,
                     const ModelSegments &segments, const LayerMates &mates,
                     int64_t batch, int64_t samples) {
  Expected<MicrobatchGraph> passes =
      makeMicrobatchGraph(graph, groups, roles, batch, samples);
  if (!passes)
    return Error{passes.error()};
  PlannedMicrobatch made;
  made.flops = flopsOf(passes->graph);
  made.passes = std::move(*passes);
  made.segments = segments;
  if (mates.exist())
    leaveOut(mates, graph, made.segments, made.passes);
  return made;
}

bool soap::mayRegather(const Kernel &kernel) {
  return kernel.kind.starts_with("matmul") || kernel.kind == "reshape" ||
         kernel.kind == "transpose";
}

Expected<SegmentCosts>
soap::findSegmentCosts(const Graph &graph, const std::vector<OpGroup> &groups,
                       const PlannedMicrobatch &planned,
                       const LayerMates &mates, const Topology &topology,
                       const HybridShape &shape) {
  const MicrobatchGraph &microbatch = planned.passes;
  Topology ofPlace = firstDevices(topology, shape.tensor, /*limitBytes=*/-1);
  ParallelizationProblem problem(microbatch.graph, ofPlace, microbatch.groups,
                                 microbatch.roles);
  Strategy plain =
      shape.tensor == 1 ? singleStrategy(problem) : expertStrategy(problem);
  Strategy ofTensor = plain;
  if (shape.sequence)
    cutSequence(problem, ofTensor);
  Topology group = firstDevices(topology, shape.unit(), /*limitBytes=*/-1);
  Strategy strategy = ofTensor;
  if (shape.context > 1) {
    ContextOptions options;
    options.devices = shape.context;
    // Permuted positions lie in one piece (Executor::permutes).
    options.zigzag = shape.zigzag && !topology.executor.permutes();
    options.tensorParallel = shape.tensor;
    ParallelizationProblem ofReplica(microbatch.graph, group, microbatch.groups,
                                     microbatch.roles);
    Expected<Strategy> made =
        contextStrategy(ofReplica, options, plain, &ofTensor);
    if (!made)
      return Error{made.error()};
    strategy = std::move(*made);
  }
  Strategy ofGroup = strategy;
  if (shape.experts > 1) {
    group = firstDevices(topology, shape.expertUnit(), /*limitBytes=*/-1);
    std::vector<int> loops = expertLoops(microbatch.graph);
    for (size_t n = 0; n < ofGroup.size(); ++n)
      ofGroup[n] = overReplicas(
          ofGroup[n],
          loops[n] >= 0 ? loops[n]
                        : sampleLoopOf(microbatch.graph.nodes[n].whole,
                                       microbatch.roles[n]),
          /*isOutside=*/loops[n] < 0, /*first=*/0, shape.experts, shape.unit());
  }
  SegmentCosts costs = Measurement(graph, planned.segments, microbatch, group,
                                   ofGroup, shape.context > 1)
                           .run();
  costs.flops = planned.flops;
  for (size_t s = 0; s < costs.segments.size(); ++s)
    if (auto mate = static_cast<size_t>(mates.ofSegment[s]); mate != s)
      costs.segments[s] = costs.segments[mate];
  costs.strategy =
      strategyOfStep(graph, groups, microbatch, mates, strategy, ofTensor);
  costs.expertLoops = shape.experts > 1
                          ? expertLoops(graph)
                          : std::vector<int>(graph.nodes.size(), -1);
  std::vector<bool> isRecomputed(graph.nodes.size());
  for (size_t n = 0; n < isRecomputed.size(); ++n)
    if (int made = microbatch.nodeOf[mates.ofNode[n]]; made >= 0)
      isRecomputed[n] = costs.isRecomputed[made];
  costs.isRecomputed = std::move(isRecomputed);
  return costs;
}

std::vector<int64_t> soap::findUpdateNs(const Graph &graph,
                                        const ModelSegments &segments,
                                        const Topology &topology,
                                        int64_t pieces, int64_t expertPieces) {
  CostModel cost(topology);
  std::vector<int> loops = expertLoops(graph);
  std::vector<int64_t> result(static_cast<size_t>(segments.count));
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (kernel.phase != Phase::Update)
      continue;
    LoopBox box = kernel.space.wholeBox();
    size_t longest = 0;
    for (size_t l = 1; l < box.size(); ++l)
      if (box[l].size() > box[longest].size())
        longest = l;
    if (!box.empty())
      box[longest] = cut(box[longest].size(),
                         std::min(loops[n] < 0 ? pieces : expertPieces,
                                  std::max<int64_t>(box[longest].size(), 1)),
                         0);
    result[segments.ofNode[n]] +=
        cost.computeNs(0, kernelWork(graph, kernel, box));
  }
  return result;
}
