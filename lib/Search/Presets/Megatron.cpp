//===- Megatron.cpp - Tensor parallelism of transformers ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Megatron.h. Structure is read off the graph; names do not matter.
//
//===----------------------------------------------------------------------===//

#include "Megatron.h"

#include "Experts.h"
#include "PartialSums.h"
#include "PresetSupport.h"
#include "Soap/Model/DominantLoop.h"
#include "Soap/Model/OpShape.h"
#include "Soap/Search/Presets/Presets.h"

#include <algorithm>

using namespace soap;

namespace {

/// A dim of heads that is split: how many there are, and where.
struct Heads {
  int64_t count;
  std::string op;
};

class Megatron {
public:
  Megatron(const ParallelizationProblem &problem,
           const MegatronOptions &options)
      : problem(problem), graph(problem.getGraph()),
        grid(problem.getTopology(), options.tensorParallel),
        cutDim(graph.values.size(), -1), isRouter(choosesExperts(graph)) {}

  Strategy make() {
    Strategy strategy = singleStrategy(problem);
    shared.assign(graph.nodes.size(), false);
    for (const OpGroup &group : problem.getGroups()) {
      int loop = cutLoop(group.leader);
      problem.assign(strategy, group, config(group.leader, loop));
      for (size_t m = 0; m < group.nodes.size(); ++m) {
        const std::vector<int> &loops = group.loops[m];
        shared[group.nodes[m]] =
            loop < 0 ||
            std::find(loops.begin(), loops.end(), loop) == loops.end();
        follow(group.nodes[m], loops, group.leader, loop);
      }
    }
    return strategy;
  }

  /// Splits what all devices of a row compute along the sequence, but sums of
  /// contributions, which devices add before one reduce-scatter. Returns how
  /// many ops.
  int splitSequences(Strategy &strategy) const {
    int count = 0;
    PartialSums partial(graph);
    for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
      Config &own = strategy[static_cast<size_t>(n)];
      bool isSplit =
          shared[static_cast<size_t>(n)] && !partial.addsContributions(n);
      if (int loop = isSplit ? sequenceLoop(n) : -1; loop >= 0) {
        own = config(n, loop);
        ++count;
      }
      partial.note(n, own);
    }
    return count;
  }

  const MachineGrid &getGrid() const { return grid; }
  /// Every dim of heads that is split.
  const std::vector<Heads> &getHeads() const { return heads; }

private:
  const ParallelizationProblem &problem;
  const Graph &graph;
  MachineGrid grid;
  std::vector<int> cutDim;    ///< per value: dim that is split in rows, or -1
  std::vector<bool> isRouter; ///< per node: experts are chosen by its results
  /// Per node: all devices of a row compute it.
  std::vector<bool> shared;
  std::vector<Heads> heads;

  bool usable(int node, int loop) const {
    return loop >= 0 &&
           graph.nodes[node].whole.space.loops[loop].type !=
               IteratorType::Serial &&
           problem.getRoles()[node][loop] != Role::Sample;
  }

  /// The loop of a leader that is split over the devices of a row, or -1.
  int cutLoop(int node) const {
    const Kernel &kernel = graph.nodes[node].whole;
    const IterationSpace &space = kernel.space;
    for (size_t o = 0; o < kernel.operands.size(); ++o) {
      int dim = cutDim[kernel.operands[o]];
      if (dim < 0)
        continue;
      // Heads of keys, or, where they are too few, of the queries that share
      // one of them.
      if (isAttention(kernel.kind)) {
        int heads = space.findLoop("h"), shared = space.findLoop("g");
        auto divides = [&](int loop) {
          return space.loops[static_cast<size_t>(loop)].extent %
                     grid.columns() ==
                 0;
        };
        return divides(heads) || !divides(shared) ? heads : shared;
      }
      if (int loop = dominantLoop(space, space.operands[o].map[dim]);
          usable(node, loop))
        return loop;
    }
    if (kernel.phase != Phase::Forward)
      return -1;
    // Whole experts, where they divide evenly; else the layers in each.
    if (kernel.kind == "dispatch") {
      int loop = space.findLoop("e");
      return space.loops[loop].extent % grid.columns() == 0 ? loop : -1;
    }
    if (kernel.kind.starts_with("matmul"))
      return isRouter[node] ? -1 : largestOutputLoop(problem, node);
    // Rows of an embedding: devices look up what they have, and the sum is the
    // result.
    if (kernel.kind == "gather")
      for (int loop : loopsOf(problem, node, Role::Parameter))
        if (!usesLoop(space.results[0].map, loop))
          return loop;
    return -1;
  }

  Config config(int node, int loop) const {
    const IterationSpace &space = graph.nodes[node].whole.space;
    Config config = Config::single(space);
    int samples = sampleLoop(problem, node);
    if (samples >= 0)
      config.degrees[samples] =
          std::clamp<int64_t>(space.loops[samples].extent, 1, grid.rows());
    else
      config.replicas *= grid.rows();
    if (loop >= 0)
      config.degrees[loop] =
          std::clamp<int64_t>(space.loops[loop].extent, 1, grid.columns());
    else
      config.replicas *= grid.columns();
    config.devices.clear();
    for (const Shard &shard : enumerateShards(space, withPlaces(config))) {
      int64_t row = samples >= 0 ? shard.piece[samples] : -1,
              column = loop >= 0 ? shard.piece[loop] : -1, rest = shard.replica;
      if (column < 0) {
        column = rest % grid.columns();
        rest /= grid.columns();
      }
      config.devices.push_back(grid.device(row < 0 ? rest : row, column));
    }
    return config;
  }

  /// Shards are enumerated from a config with a device list.
  static Config withPlaces(Config config) {
    config.devices.assign(config.replicas * config.piecesPerReplica(), 0);
    return config;
  }

  /// Which dims of its results a member has split.
  void follow(int node, const std::vector<int> &loops, int leader,
              int leaderLoop) {
    const Kernel &kernel = graph.nodes[node].whole;
    if (leaderLoop < 0 || kernel.phase != Phase::Forward)
      return;
    int64_t whole = graph.nodes[leader].whole.space.loops[leaderLoop].extent;
    for (size_t r = 0; r < kernel.results.size(); ++r) {
      const AccessMap &map = kernel.space.results[r].map;
      for (size_t d = 0; d < map.size(); ++d) {
        int own = dominantLoop(kernel.space, map[d]);
        if (own < 0 || loops[own] != leaderLoop)
          continue;
        cutDim[kernel.results[r]] = static_cast<int>(d);
        // Features that an op takes apart, and matrices of an attention.
        int64_t extent = kernel.space.loops[own].extent;
        // Blocks that share a scale are no heads.
        if (kernel.kind == "block_scales" || kernel.kind == "quantize")
          continue;
        if (extent != whole ||
            (node == leader && kernel.kind != "dispatch" &&
             problem.getRoles()[node][own] != Role::Parameter))
          heads.push_back({extent, kernel.name});
      }
    }
  }

  /// The loop of the second dim of a tensor of samples, sequence and features;
  /// -1 where an op has none. Products and views stay as they are.
  int sequenceLoop(int node) const {
    const Kernel &kernel = graph.nodes[node].whole;
    if (kernel.phase == Phase::Update || kernel.kind.starts_with("matmul") ||
        kernel.kind == "reshape" || kernel.kind == "transpose")
      return -1;
    auto loopOf = [&](const AccessMap &map) {
      if (map.size() < 3 || sampleLoop(problem, node) < 0 ||
          dominantLoop(kernel.space, map[0]) != sampleLoop(problem, node))
        return -1;
      int loop = dominantLoop(kernel.space, map[1]);
      return usable(node, loop) && kernel.space.loops[loop].extent > 1 ? loop
                                                                       : -1;
    };
    for (const ResultAccess &result : kernel.space.results)
      if (int loop = loopOf(result.map); loop >= 0)
        return loop;
    for (const OperandAccess &operand : kernel.space.operands)
      if (int loop = loopOf(operand.map); loop >= 0)
        return loop;
    return -1;
  }
};

} // namespace

Strategy soap::megatronStrategy(const ParallelizationProblem &problem,
                                const MegatronOptions &options) {
  Megatron megatron(problem, options);
  Strategy strategy = megatron.make();
  if (options.sequenceParallel)
    megatron.splitSequences(strategy);
  return strategy;
}

Expected<Strategy> soap::checkedMegatron(const ParallelizationProblem &problem,
                                         const MegatronOptions &options) {
  if (familyOf(problem) != NetworkFamily::Transformer)
    return Error{"no op multiplies two activations of a sample, as attention "
                 "does: expected a transformer"};
  int64_t degree = options.tensorParallel;
  for (const std::vector<int> &machine : problem.getTopology().machines())
    if (auto size = static_cast<int64_t>(machine.size());
        degree > 0 && size % degree != 0)
      return Error{"tp=" + std::to_string(degree) + " does not divide the " +
                   std::to_string(size) + " devices of a machine of '" +
                   problem.getTopology().name + "'"};
  Megatron megatron(problem, options);
  Strategy strategy = megatron.make();
  degree = megatron.getGrid().columns();
  for (const Heads &heads : megatron.getHeads())
    if (heads.count % degree != 0)
      return Error{"tp=" + std::to_string(degree) + " does not divide the " +
                   std::to_string(heads.count) + " heads of '" + heads.op +
                   "'"};
  if (options.sequenceParallel && megatron.splitSequences(strategy) == 0)
    return Error{"sp: no op has samples, a sequence and features as its first "
                 "three dims"};
  return strategy;
}
