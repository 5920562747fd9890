//===- Plan.cpp - Communication plan: actions on buffers ------------------===//
//
// See docs/Plan.md. Three passes: (1) expand nodes into kernels with shards and
// the regions they touch, and decide which values are partial; (2) collect what
// every device needs of every value; (3) in program order, write shards, and
// right after a value is produced distribute it: transfers of complete values,
// combination of partial ones.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/Plan.h"

#include <algorithm>
#include <limits>
#include <map>

namespace soap {

const Kernel &kernelOf(const Graph &graph, const Action &action) {
  const GraphNode &node = graph.nodes[action.node];
  return action.stage < 0 ? node.whole : node.stages[action.stage];
}

double neutralValue(Combiner combiner) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  switch (combiner) {
  case Combiner::Max:
  case Combiner::Softmax:
    return -inf;
  case Combiner::Min:
    return inf;
  case Combiner::Sum:
  case Combiner::Moments:
    return 0;
  }
  return 0;
}

namespace {

/// Below this size a combined block is not split among its readers: messages
/// would cost more than bytes.
constexpr int64_t minimumSplitBytes = 4096;

/// A kernel with its config applied.
struct PlannedKernel {
  int node = -1, stage = -1;
  const Kernel *kernel = nullptr;
  Config config;
  std::vector<Shard> shards;
  /// Per shard, per operand and result: the region touched.
  std::vector<std::vector<Region>> operandRegions, resultRegions;
  /// Linear op with replicas over a partial operand: each replica handles a
  /// share of the contributions.
  bool partialMode = false;
};

/// One tile that a producer wrote: a piece of a complete value, or one
/// contribution to a partial one.
struct Piece {
  int buffer = -1;
  int device = -1;
};

/// All tiles of one result region.
struct Block {
  Region region;
  /// Complete value: one entry, its replicas. Partial value: one entry per
  /// contribution, each with its replicas.
  std::vector<std::vector<Piece>> contributions;
};

/// Buffers on one device that together hold `region` of block `block`.
struct Part {
  int block = -1;
  Region region;
  std::vector<int> buffers;
};

struct ValueState {
  bool partial = false;
  Combiner combiner = Combiner::Sum;
  std::vector<Block> blocks;
  std::map<int, std::vector<Part>> parts; ///< by device
  std::map<std::pair<int, Region>, int>
      tiles; ///< exact tiles by (device, region)
  std::map<std::tuple<int, int, int, Region>, int>
      moved; ///< contribution (block, index) sent to a device: region -> buffer
  std::map<int, std::vector<Region>> needs; ///< by device
  int preplacedInput = -1; ///< graph input that is loaded wherever it is needed
};

class PlanBuilder {
public:
  PlanBuilder(const Graph &graph, const Strategy &strategy,
              const Topology &topology)
      : graph(graph), strategy(strategy), topology(topology),
        values(graph.values.size()) {}

  Plan run() {
    expandKernels();
    collectNeeds();
    placeInputs();
    for (size_t k = 0; k < kernels.size(); ++k)
      runKernel(static_cast<int>(k));
    placeOutputs();
    return std::move(plan);
  }

private:
  const Graph &graph;
  const Strategy &strategy;
  const Topology &topology;
  Plan plan;
  std::vector<ValueState> values;
  std::vector<PlannedKernel> kernels;
  std::vector<std::vector<std::pair<int, Region>>>
      outputTiles; ///< (device, region) per graph output
  std::map<std::pair<int, int>, int>
      updateInput; ///< (node, operand) -> graph input replaced there
  TaskKey keyPrefix{};
  int64_t sequence = 0;

  //===--- building blocks ------------------------------------------------===//

  int addBuffer(int value, int device, Region region, int action,
                bool partial) {
    plan.buffers.push_back({value, device, std::move(region), action, partial});
    return static_cast<int>(plan.buffers.size()) - 1;
  }

  /// Appends an action with a fresh key under the current prefix.
  int addAction(Action action) {
    action.key = keyPrefix;
    action.key[5] = sequence++;
    plan.actions.push_back(std::move(action));
    return static_cast<int>(plan.actions.size()) - 1;
  }

  /// Keys sort by (owner, kind of step, value); actions of one step are
  /// numbered in their canonical order.
  void beginStep(int64_t owner, int64_t step, int64_t value) {
    keyPrefix = {owner, step, value, 0, 0, 0};
    sequence = 0;
  }

  int addTransfer(int value, int source, int device, const Region &region) {
    Action action;
    action.kind = ActionKind::Transfer;
    action.device = device;
    action.sourceDevice = plan.buffers[source].device;
    action.inputs = {source};
    bool partial = plan.buffers[source].partial;
    int id = addAction(std::move(action));
    int buffer = addBuffer(value, device, region, id, partial);
    plan.actions[id].outputs = {buffer};
    return buffer;
  }

  /// Assemble, Combine or Fill on one device.
  int addLocal(ActionKind kind, int value, int device, const Region &region,
               std::vector<int> inputs, Combiner combiner, bool partial) {
    Action action;
    action.kind = kind;
    action.device = device;
    action.inputs = std::move(inputs);
    action.combiner = combiner;
    int id = addAction(std::move(action));
    int buffer = addBuffer(value, device, region, id, partial);
    plan.actions[id].outputs = {buffer};
    return buffer;
  }

  /// Nearest of some replicas, ties by device id.
  const Piece &nearest(const std::vector<Piece> &replicas, int device) const {
    const Piece *best = nullptr;
    int64_t bestDistance = 0;
    for (const Piece &piece : replicas) {
      int64_t distance =
          piece.device == device ? -1 : topology.distance(piece.device, device);
      if (!best || distance < bestDistance ||
          (distance == bestDistance && piece.device < best->device)) {
        best = &piece;
        bestDistance = distance;
      }
    }
    return *best;
  }

  //===--- pass 1: kernels, shards, partial values ------------------------===//

  void expandKernels() {
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      if (graph.inputs[i].updateNode >= 0)
        updateInput[{graph.inputs[i].updateNode,
                     graph.inputs[i].updateOperand}] = static_cast<int>(i);
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const GraphNode &node = graph.nodes[n];
      if (!usesStages(node, strategy[n])) {
        addKernel(static_cast<int>(n), -1, node.whole, strategy[n]);
        continue;
      }
      for (size_t s = 0; s < node.stages.size(); ++s)
        addKernel(static_cast<int>(n), static_cast<int>(s), node.stages[s],
                  stageConfig(node, strategy[n], node.stages[s]));
    }
  }

  void addKernel(int node, int stage, const Kernel &kernel, Config config) {
    PlannedKernel planned;
    planned.node = node;
    planned.stage = stage;
    planned.kernel = &kernel;
    planned.shards = enumerateShards(kernel.space, config);
    for (const Shard &shard : planned.shards) {
      std::vector<Region> &operands = planned.operandRegions.emplace_back();
      std::vector<Region> &results = planned.resultRegions.emplace_back();
      if (isEmpty(shard.box))
        continue;
      for (size_t i = 0; i < kernel.operands.size(); ++i)
        operands.push_back(image(kernel.space.operands[i].map, shard.box,
                                 graph.values[kernel.operands[i]].shape));
      for (size_t i = 0; i < kernel.results.size(); ++i)
        results.push_back(image(kernel.space.results[i].map, shard.box,
                                graph.values[kernel.results[i]].shape));
    }
    if (kernel.space.linear && config.replicas > 1)
      for (int operand : kernel.operands)
        planned.partialMode |= values[operand].partial &&
                               values[operand].combiner == Combiner::Sum;
    for (size_t i = 0; i < kernel.results.size(); ++i) {
      ValueState &state = values[kernel.results[i]];
      state.combiner = kernel.space.results[i].combiner;
      state.partial = planned.partialMode;
      for (size_t l = 0; l < kernel.space.loops.size(); ++l)
        state.partial |=
            config.degrees[l] > 1 &&
            !usesLoop(kernel.space.results[i].map, static_cast<int>(l));
    }
    planned.config = std::move(config);
    kernels.push_back(std::move(planned));
  }

  /// Whether a shard's operand is read as contributions (partial mode) and not
  /// as a complete tile.
  bool readsContributions(const PlannedKernel &k, size_t operand) const {
    const ValueState &state = values[k.kernel->operands[operand]];
    return k.partialMode && state.partial && state.combiner == Combiner::Sum;
  }

  /// In partial mode, operands that are not partial belong to replica 0.
  bool readsZero(const PlannedKernel &k, const Shard &shard,
                 size_t operand) const {
    return k.partialMode && !readsContributions(k, operand) &&
           shard.replica > 0;
  }

  /// Some operand tile of a shard is empty, so that its result is the neutral
  /// value.
  bool isFill(const PlannedKernel &k, size_t shard) const {
    if (k.kernel->space.allowsEmptyOperands)
      return false;
    for (const Region &region : k.operandRegions[shard])
      if (region.empty())
        return true;
    return false;
  }

  //===--- pass 2: needs --------------------------------------------------===//

  void addNeed(int value, int device, const Region &region) {
    std::vector<Region> &needs = values[value].needs[device];
    if (std::find(needs.begin(), needs.end(), region) == needs.end())
      needs.push_back(region);
  }

  void collectNeeds() {
    for (const PlannedKernel &k : kernels)
      for (size_t s = 0; s < k.shards.size(); ++s) {
        const Shard &shard = k.shards[s];
        if (isEmpty(shard.box) || isFill(k, s))
          continue;
        for (size_t i = 0; i < k.kernel->operands.size(); ++i) {
          if (k.operandRegions[s][i].empty() || readsContributions(k, i) ||
              readsZero(k, shard, i))
            continue;
          if (k.stage < 0 && updateInput.count({k.node, static_cast<int>(i)}))
            continue; // reads its own tile
          addNeed(k.kernel->operands[i], shard.device, k.operandRegions[s][i]);
        }
      }
    for (const GraphOutput &output : graph.outputs) {
      std::vector<std::pair<int, Region>> &tiles = outputTiles.emplace_back();
      const std::vector<int64_t> &shape = graph.values[output.value].shape;
      if (output.hasConfig) {
        IterationSpace space = tensorSpace(shape);
        for (const Shard &shard : enumerateShards(space, output.config))
          if (!isEmpty(shard.box))
            tiles.emplace_back(shard.device,
                               image(space.results[0].map, shard.box, shape));
      } else {
        tiles.emplace_back(firstDevice(output.value), Region::whole(shape));
      }
      for (const auto &[device, region] : tiles)
        addNeed(output.value, device, region);
    }
    for (ValueState &state : values)
      for (auto &[device, needs] : state.needs)
        std::stable_sort(needs.begin(), needs.end(),
                         [](const Region &a, const Region &b) {
                           return a.volume() > b.volume();
                         });
  }

  int firstDevice(int value) const {
    for (const PlannedKernel &k : kernels)
      for (int result : k.kernel->results)
        if (result == value)
          for (const Shard &shard : k.shards)
            if (!isEmpty(shard.box))
              return shard.device;
    return 0;
  }

  //===--- inputs and outputs ---------------------------------------------===//

  void placeInputs() {
    plan.inputs.resize(graph.inputs.size());
    plan.updates.resize(graph.inputs.size());
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const GraphInput &input = graph.inputs[i];
      int value = input.value;
      if (input.updateNode >= 0) {
        const PlannedKernel &k = *std::find_if(
            kernels.begin(), kernels.end(),
            [&](const PlannedKernel &k) { return k.node == input.updateNode; });
        for (size_t s = 0; s < k.shards.size(); ++s)
          if (!isEmpty(k.shards[s].box))
            addInputPiece(i, k.operandRegions[s][input.updateOperand],
                          k.shards[s].device);
      } else if (input.hasConfig) {
        IterationSpace space = tensorSpace(graph.values[value].shape);
        for (const Shard &shard : enumerateShards(space, input.config))
          if (!isEmpty(shard.box))
            addInputPiece(i,
                          image(space.results[0].map, shard.box,
                                graph.values[value].shape),
                          shard.device);
      } else {
        placeWhereNeeded(i);
        continue;
      }
      beginStep(static_cast<int64_t>(i) -
                    static_cast<int64_t>(graph.inputs.size()),
                1, value);
      distribute(value);
    }
  }

  void addInputPiece(size_t input, const Region &region, int device) {
    int value = graph.inputs[input].value;
    int buffer = addBuffer(value, device, region, -1, false);
    plan.inputs[input].push_back(buffer);
    addPiece(value, region, 0, buffer);
  }

  /// Preplaced: one tile per device and distinct need; needs inside of larger
  /// ones are cut out of them.
  void placeWhereNeeded(size_t input) {
    ValueState &state = values[graph.inputs[input].value];
    state.blocks.push_back(
        {Region::whole(graph.values[graph.inputs[input].value].shape), {}});
    for (const auto &[device, needs] : state.needs)
      for (const Region &region : needs) {
        std::vector<Part> &parts = state.parts[device];
        if (std::any_of(parts.begin(), parts.end(), [&](const Part &part) {
              return part.region.contains(region);
            }))
          continue;
        int buffer =
            addBuffer(graph.inputs[input].value, device, region, -1, false);
        plan.inputs[input].push_back(buffer);
        parts.push_back({0, region, {buffer}});
        state.tiles[{device, region}] = buffer;
      }
  }

  void placeOutputs() {
    for (size_t o = 0; o < graph.outputs.size(); ++o) {
      PlanOutput &output = plan.outputs.emplace_back();
      output.value = graph.outputs[o].value;
      beginStep(static_cast<int64_t>(graph.nodes.size() + o) << 8, 2,
                output.value);
      for (const auto &[device, region] : outputTiles[o])
        output.buffers.push_back(materialize(output.value, device, region));
    }
  }

  //===--- pass 3: shards
  //--------------------------------------------------===//

  /// Sorts before the kernels of later nodes, after those of earlier ones.
  static int64_t owner(const PlannedKernel &k) {
    return (static_cast<int64_t>(k.node) << 8) + k.stage + 1;
  }

  void runKernel(int index) {
    const PlannedKernel &k = kernels[index];
    const Kernel &kernel = *k.kernel;
    std::vector<int> shardActions;
    std::vector<int> nextUpdateTile(kernel.operands.size(), 0);
    for (size_t s = 0; s < k.shards.size(); ++s) {
      const Shard &shard = k.shards[s];
      if (isEmpty(shard.box))
        continue;
      Action action;
      action.node = k.node;
      action.stage = k.stage;
      action.shard = shard.index;
      action.device = shard.device;
      action.box = shard.box;
      if (isFill(k, s)) {
        if (k.partialMode && shard.replica > 0)
          continue; // contributes nothing
        action.kind = ActionKind::Fill;
        action.fillValue = kernel.space.neutral;
      } else {
        bool contributes = !k.partialMode || shard.replica == 0;
        for (size_t i = 0; i < kernel.operands.size(); ++i) {
          const Region &region = k.operandRegions[s][i];
          int value = kernel.operands[i];
          int tile = -1;
          beginStep(owner(k), 2,
                    static_cast<int64_t>(s * kernel.operands.size() + i));
          if (region.empty()) {
          } else if (auto it = k.stage < 0 ? updateInput.find(
                                                 {k.node, static_cast<int>(i)})
                                           : updateInput.end();
                     it != updateInput.end()) {
            tile = plan.inputs[it->second][nextUpdateTile[i]++];
          } else if (readsContributions(k, i)) {
            tile = gatherContributions(k, shard, i, region);
            contributes |= tile >= 0;
          } else if (!readsZero(k, shard, i)) {
            tile = materialize(value, shard.device, region);
          }
          action.inputs.push_back(tile);
        }
        if (!contributes)
          continue; // a replica in partial mode without contributions: nothing
                    // to add
        bool any = kernel.operands.empty();
        for (size_t i = 0; i < action.inputs.size(); ++i) {
          if (action.inputs[i] < 0 && !k.operandRegions[s][i].empty())
            action.inputs[i] =
                addLocal(ActionKind::Fill, kernel.operands[i], shard.device,
                         k.operandRegions[s][i], {}, Combiner::Sum, false);
          any |= action.inputs[i] >= 0;
        }
        // All operands of an op that allows empty ones are empty or zero.
        action.kind = any ? ActionKind::Compute : ActionKind::Fill;
        if (!any)
          action.inputs.clear(), action.fillValue = kernel.space.neutral;
      }
      beginStep(owner(k), 0, static_cast<int64_t>(s));
      int id = addAction(std::move(action));
      shardActions.push_back(id);
      for (size_t i = 0; i < kernel.results.size(); ++i) {
        int value = kernel.results[i];
        int buffer = addBuffer(value, shard.device, k.resultRegions[s][i], id,
                               values[value].partial);
        plan.actions[id].outputs.push_back(buffer);
        addPiece(value, k.resultRegions[s][i], contributionOf(k, shard, i),
                 buffer);
      }
    }
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      if (graph.inputs[i].updateNode == k.node)
        for (int id : shardActions)
          plan.updates[i].push_back(
              plan.actions[id].outputs[graph.inputs[i].updateResult]);
    for (int result : kernel.results) {
      beginStep(owner(k), 1, result);
      distribute(result);
    }
  }

  /// Number of a shard among the contributions to one region of a result: its
  /// coordinates along the loops that the result lacks, and its replica in
  /// partial mode. Complete values have one contribution.
  int64_t contributionOf(const PlannedKernel &k, const Shard &shard,
                         size_t result) const {
    if (!values[k.kernel->results[result]].partial)
      return 0;
    int64_t index = k.partialMode ? shard.replica : 0;
    for (size_t l = 0; l < shard.piece.size(); ++l)
      if (!usesLoop(k.kernel->space.results[result].map, static_cast<int>(l)))
        index = index * k.config.degrees[l] + shard.piece[l];
    return index;
  }

  void addPiece(int value, const Region &region, int64_t contribution,
                int buffer) {
    ValueState &state = values[value];
    int device = plan.buffers[buffer].device;
    auto block =
        std::find_if(state.blocks.begin(), state.blocks.end(),
                     [&](const Block &b) { return b.region == region; });
    if (block == state.blocks.end()) {
      state.blocks.push_back({region, {}});
      block = state.blocks.end() - 1;
    }
    if (block->contributions.size() <= static_cast<size_t>(contribution))
      block->contributions.resize(contribution + 1);
    block->contributions[contribution].push_back({buffer, device});
    if (!state.partial) {
      int id = static_cast<int>(block - state.blocks.begin());
      std::vector<Part> &parts = state.parts[device];
      if (std::none_of(parts.begin(), parts.end(),
                       [&](const Part &p) { return p.block == id; }))
        parts.push_back({id, region, {buffer}});
      state.tiles.try_emplace({device, region}, buffer);
    }
  }

  //===--- communication
  //---------------------------------------------------===//

  /// Moves a value to where it is needed, block by block.
  void distribute(int value) {
    ValueState &state = values[value];
    for (size_t b = 0; b < state.blocks.size(); ++b)
      state.partial ? combineBlock(value, static_cast<int>(b))
                    : sendBlock(value, static_cast<int>(b));
  }

  static const Part *findPart(const ValueState &state, int device, int block,
                              const Region &region) {
    auto it = state.parts.find(device);
    if (it == state.parts.end())
      return nullptr;
    for (const Part &part : it->second)
      if (part.block == block && part.region.contains(region))
        return &part;
    return nullptr;
  }

  void sendBlock(int value, int b) {
    ValueState &state = values[value];
    for (const auto &[device, needs] : state.needs)
      for (const Region &need : needs) {
        Region region = need.intersect(state.blocks[b].region);
        if (region.empty() || findPart(state, device, b, region))
          continue;
        const Piece &source = nearest(state.blocks[b].contributions[0], device);
        int buffer = addTransfer(value, source.buffer, device, region);
        state.parts[device].push_back({b, region, {buffer}});
        state.tiles.try_emplace({device, region}, buffer);
      }
  }

  /// The parts of a block that devices need are combined once each: split among
  /// the devices that need the same part, which then exchange their results
  /// (reduce-scatter, then all-gather; one reader: reduce to it).
  void combineBlock(int value, int b) {
    ValueState &state = values[value];
    std::vector<std::pair<Region, std::vector<int>>>
        groups; // region, devices that need it
    std::map<int, std::vector<Region>> planned;
    for (const auto &[device, needs] : state.needs)
      for (const Region &need : needs) {
        Region region = need.intersect(state.blocks[b].region);
        // Statistics are combined jointly, whoever needs only some of them.
        if (!region.empty() && hasStatisticsDim(state.combiner))
          region[0] = state.blocks[b].region[0];
        std::vector<Region> &covered = planned[device];
        if (region.empty() ||
            std::any_of(covered.begin(), covered.end(),
                        [&](const Region &r) { return r.contains(region); }))
          continue;
        covered.push_back(region);
        auto group =
            std::find_if(groups.begin(), groups.end(),
                         [&](const auto &g) { return g.first == region; });
        if (group == groups.end()) {
          groups.push_back({region, {}});
          group = groups.end() - 1;
        }
        group->second.push_back(device);
      }
    for (const auto &[region, devices] : groups) {
      std::vector<std::pair<int, Region>> slices =
          splitAmong(state, b, value, region, devices);
      std::map<int, std::vector<int>> buffers;
      for (const auto &[ownerDevice, slice] : slices)
        buffers[ownerDevice].push_back(
            combineSlice(value, b, ownerDevice, slice));
      std::vector<int> combined;
      for (const auto &[ownerDevice, slice] : slices) {
        combined.push_back(buffers[ownerDevice].front());
        buffers[ownerDevice].erase(buffers[ownerDevice].begin());
      }
      for (int device : devices) {
        Part part{b, region, {}};
        for (size_t i = 0; i < slices.size(); ++i) {
          int buffer =
              slices[i].first == device
                  ? combined[i]
                  : addTransfer(value, combined[i], device, slices[i].second);
          part.buffers.push_back(buffer);
          state.tiles.try_emplace({device, slices[i].second}, buffer);
        }
        state.parts[device].push_back(std::move(part));
      }
    }
  }

  /// Who combines which slice of a region that several devices need.
  std::vector<std::pair<int, Region>>
  splitAmong(const ValueState &state, int b, int value, const Region &region,
             const std::vector<int> &devices) const {
    // The first dim that gives about equal slices: they lie together in memory,
    // so that nobody packs them. Else the largest.
    auto count = static_cast<int64_t>(devices.size());
    size_t dim = region.rank();
    for (size_t d = hasStatisticsDim(state.combiner) ? 1 : 0; d < region.rank();
         ++d) {
      int64_t extent = region[d].size();
      if (extent <= 1)
        continue;
      if (extent >= 8 * count || extent % count == 0) {
        dim = d;
        break;
      }
      if (dim == region.rank() || extent > region[dim].size())
        dim = d;
    }
    bool small =
        region.volume() * graph.values[value].elementBytes < minimumSplitBytes;
    if (devices.size() == 1 || small || dim == region.rank()) {
      // One device combines all: one that holds a contribution, if there is
      // one.
      int best = devices.front();
      for (int device : devices)
        for (const std::vector<Piece> &replicas : state.blocks[b].contributions)
          for (const Piece &piece : replicas)
            if (piece.device == device)
              return {{device, region}};
      return {{best, region}};
    }
    std::vector<std::pair<int, Region>> slices;
    for (size_t i = 0; i < devices.size(); ++i) {
      Interval range = cut(region[dim].size(), count, static_cast<int64_t>(i));
      if (range.size() == 0)
        continue;
      Region slice = region;
      slice[dim] = region[dim].slicePositions(range.lo, range.hi);
      slices.emplace_back(devices[i], std::move(slice));
    }
    return slices;
  }

  /// All contributions to `slice`, folded on `device` in the order of the
  /// contributions; those of another device are folded there first.
  int combineSlice(int value, int b, int device, const Region &slice) {
    ValueState &state = values[value];
    std::vector<std::pair<int, std::vector<int>>> bySource; // device, buffers
    for (const std::vector<Piece> &replicas : state.blocks[b].contributions) {
      if (replicas.empty())
        continue;
      const Piece &piece = nearest(replicas, device);
      auto it =
          std::find_if(bySource.begin(), bySource.end(),
                       [&](const auto &s) { return s.first == piece.device; });
      if (it == bySource.end()) {
        bySource.push_back({piece.device, {}});
        it = bySource.end() - 1;
      }
      it->second.push_back(piece.buffer);
    }
    return fold(value, device, slice, bySource, false);
  }

  int fold(int value, int device, const Region &region,
           const std::vector<std::pair<int, std::vector<int>>> &bySource,
           bool partial) {
    Combiner combiner = values[value].combiner;
    std::vector<int> inputs;
    for (const auto &[source, buffers] : bySource) {
      if (source == device) {
        inputs.insert(inputs.end(), buffers.begin(), buffers.end());
        continue;
      }
      int buffer = buffers.size() == 1
                       ? buffers.front()
                       : addLocal(ActionKind::Combine, value, source, region,
                                  buffers, combiner, true);
      inputs.push_back(addTransfer(value, buffer, device, region));
    }
    if (inputs.size() == 1) {
      if (plan.buffers[inputs[0]].region == region)
        return inputs[0];
      return addLocal(ActionKind::Assemble, value, device, region, inputs,
                      combiner, partial);
    }
    return addLocal(ActionKind::Combine, value, device, region, inputs,
                    combiner, partial);
  }

  /// Partial mode: the sum of the contributions that belong to this replica, on
  /// its device; -1 if there are none.
  int gatherContributions(const PlannedKernel &k, const Shard &shard,
                          size_t operand, const Region &need) {
    int value = k.kernel->operands[operand];
    ValueState &state = values[value];
    int64_t pieces = k.config.piecesPerReplica();
    int64_t piece = shard.index % pieces;
    std::vector<int> tiles;
    std::vector<Region> missing;
    for (Block &block : state.blocks) {
      Region region = need.intersect(block.region);
      if (region.empty())
        continue;
      std::vector<std::pair<int, std::vector<int>>> bySource;
      for (size_t c = 0; c < block.contributions.size(); ++c) {
        const std::vector<Piece> &replicas = block.contributions[c];
        if (replicas.empty() ||
            assignedReplica(k, piece, pieces, replicas,
                            static_cast<int64_t>(c)) != shard.replica)
          continue;
        const Piece &source = nearest(replicas, shard.device);
        auto it =
            std::find_if(bySource.begin(), bySource.end(), [&](const auto &s) {
              return s.first == source.device;
            });
        if (it == bySource.end()) {
          bySource.push_back({source.device, {}});
          it = bySource.end() - 1;
        }
        it->second.push_back(source.buffer);
      }
      if (bySource.empty())
        missing.push_back(region);
      else
        tiles.push_back(fold(value, shard.device, region, bySource, true));
    }
    if (tiles.empty())
      return -1;
    for (const Region &region : missing)
      tiles.push_back(addLocal(ActionKind::Fill, value, shard.device, region,
                               {}, Combiner::Sum, true));
    if (tiles.size() == 1 && plan.buffers[tiles[0]].region == need)
      return tiles[0];
    return addLocal(ActionKind::Assemble, value, shard.device, need, tiles,
                    Combiner::Sum, true);
  }

  /// The replica of a piece that handles a contribution: one that runs where
  /// the contribution is, else by its number.
  static int64_t assignedReplica(const PlannedKernel &k, int64_t piece,
                                 int64_t pieces,
                                 const std::vector<Piece> &replicas,
                                 int64_t contribution) {
    for (int64_t r = 0; r < k.config.replicas; ++r)
      for (const Piece &p : replicas)
        if (k.config.devices[r * pieces + piece] == p.device)
          return r;
    return contribution % k.config.replicas;
  }

  /// The buffer that holds exactly `region` of a complete (or combined) value
  /// on a device where its parts already are.
  int materialize(int value, int device, const Region &region) {
    ValueState &state = values[value];
    if (auto it = state.tiles.find({device, region}); it != state.tiles.end())
      return it->second;
    std::vector<int> inputs;
    for (size_t b = 0; b < state.blocks.size(); ++b) {
      Region part = region.intersect(state.blocks[b].region);
      if (part.empty())
        continue;
      for (int buffer :
           findPart(state, device, static_cast<int>(b), part)->buffers)
        if (!plan.buffers[buffer].region.intersect(part).empty())
          inputs.push_back(buffer);
    }
    int buffer = addLocal(ActionKind::Assemble, value, device, region,
                          std::move(inputs), Combiner::Sum, false);
    state.tiles[{device, region}] = buffer;
    return buffer;
  }
};

} // namespace

Plan buildPlan(const Graph &graph, const Strategy &strategy,
               const Topology &topology) {
  return PlanBuilder(graph, strategy, topology).run();
}

const char *patternName(ExchangePattern pattern) {
  switch (pattern) {
  case ExchangePattern::PointToPoint:
    return "point-to-point";
  case ExchangePattern::AllReduce:
    return "all-reduce";
  case ExchangePattern::ReduceScatter:
    return "reduce-scatter";
  case ExchangePattern::AllGather:
    return "all-gather";
  case ExchangePattern::AllToAll:
    return "all-to-all";
  case ExchangePattern::Broadcast:
    return "broadcast";
  case ExchangePattern::HaloExchange:
    return "halo-exchange";
  }
  return "";
}

std::vector<Exchange> classifyExchanges(const Graph &graph, const Plan &plan) {
  struct Traffic {
    std::vector<const Action *> transfers, partials;
    int64_t bytes = 0;
  };
  std::map<int, Traffic> byValue;
  for (const Action &action : plan.actions) {
    if (action.kind != ActionKind::Transfer)
      continue;
    const Buffer &message = plan.buffers[action.outputs[0]];
    Traffic &traffic = byValue[message.value];
    (message.partial ? traffic.partials : traffic.transfers).push_back(&action);
    traffic.bytes +=
        message.region.volume() * graph.values[message.value].elementBytes;
  }
  std::vector<Exchange> exchanges;
  for (const auto &[value, traffic] : byValue) {
    Exchange exchange;
    exchange.value = value;
    exchange.bytes = traffic.bytes;
    std::map<int, std::map<int, int64_t>>
        pairs; // source -> receiver -> elements
    std::vector<int> devices;
    auto add = [&](const std::vector<const Action *> &actions,
                   std::map<int, std::map<int, int64_t>> &to) {
      for (const Action *action : actions) {
        to[action->sourceDevice][action->device] +=
            plan.buffers[action->outputs[0]].region.volume();
        devices.push_back(action->sourceDevice);
        devices.push_back(action->device);
      }
    };
    std::map<int, std::map<int, int64_t>> partialPairs;
    add(traffic.transfers, pairs);
    add(traffic.partials, partialPairs);
    std::sort(devices.begin(), devices.end());
    devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
    exchange.devices = devices;
    size_t n = devices.size();
    auto complete = [&](const std::map<int, std::map<int, int64_t>> &p) {
      if (p.size() != n)
        return false;
      return std::all_of(p.begin(), p.end(), [&](const auto &row) {
        return row.second.size() == n - 1;
      });
    };
    // Whether every message carries a whole piece of its sender, or only a part
    // of it.
    bool wholePieces = true, halos = true;
    for (const Action *action : traffic.transfers) {
      bool whole = plan.buffers[action->inputs[0]].region ==
                   plan.buffers[action->outputs[0]].region;
      wholePieces &= whole;
      halos &= !whole;
    }
    if (!traffic.partials.empty()) {
      if (traffic.transfers.empty())
        exchange.pattern = complete(partialPairs)
                               ? ExchangePattern::ReduceScatter
                               : ExchangePattern::PointToPoint;
      else if ((complete(partialPairs) && complete(pairs)) ||
               (partialPairs.size() == n - 1 && pairs.size() == 1 &&
                pairs.begin()->second.size() == n - 1))
        exchange.pattern = ExchangePattern::AllReduce;
    } else if (complete(pairs)) {
      exchange.pattern = wholePieces
                             ? ExchangePattern::AllGather
                             : (n == 2 && halos ? ExchangePattern::HaloExchange
                                                : ExchangePattern::AllToAll);
    } else if (pairs.size() == 1 && wholePieces &&
               pairs.begin()->second.size() > 1) {
      exchange.pattern = ExchangePattern::Broadcast;
    } else if (halos && pairs.size() == n) {
      exchange.pattern = ExchangePattern::HaloExchange;
    }
    exchanges.push_back(std::move(exchange));
  }
  return exchanges;
}

} // namespace soap
