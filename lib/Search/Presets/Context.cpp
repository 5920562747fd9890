//===- Context.cpp - Context parallelism ----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the positions of the sequence from the attentions through the graph:
// up to the tokens, then down to losses and gradients. An op lies where its
// first operand with positions lies, but ops that only move elements, as blocks
// of keys from one step to the next, lie where they are read.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "Megatron.h"
#include "PresetSupport.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

using namespace soap;

namespace {

/// The positions within a dim of a tensor: of an index, the digit
/// `index % high / low` stands for position `first + digit * step`.
struct Positions {
  int dim = 0;
  int64_t low = 1, high = 1, step = 1, first = 0;
};

/// A loop over positions: iteration i stands for those from `first + i * step`.
struct PositionLoop {
  int loop = -1;
  int64_t step = 1, first = 0;
  bool operator==(const PositionLoop &) const = default;
};

class Context {
public:
  explicit Context(const ParallelizationProblem &problem)
      : problem(problem), graph(problem.getGraph()), loops(graph.nodes.size()),
        positions(graph.values.size()) {}

  /// Decides where each op lies, from the attentions on.
  void follow(int firstAttention);
  /// `columns`: by node, the loop that tensor parallelism splits, or -1.
  /// `inside`: the same, where it splits positions inside of a part.
  Strategy make(const AttentionSequence &sequence,
                const ContextOptions &options, const std::vector<int> &columns,
                const std::vector<int> &inside) const;

private:
  const Kernel &kernel(int node) const {
    return graph.nodes[static_cast<size_t>(node)].whole;
  }
  std::optional<Positions> &positionsOf(int value) {
    return positions[static_cast<size_t>(graph.rootOf(value))];
  }
  std::optional<PositionLoop> loopOf(int node, const AccessMap &map,
                                     const Positions &of) const;
  std::optional<Positions> accessed(int node, const AccessMap &map,
                                    int value) const;
  void followUp(int firstAttention);
  void followDown();
  void moveToReaders();
  Config config(int node, int columnLoop, const AttentionSequence &sequence,
                const ContextOptions &options, const MachineGrid &grid) const;

  const ParallelizationProblem &problem;
  const Graph &graph;
  std::vector<PositionLoop> loops;                 ///< by node
  std::vector<std::optional<Positions>> positions; ///< by value
};

} // namespace

static bool isAttentionOp(const Kernel &kernel) {
  return kernel.kind == "attention" || kernel.kind == "attention_grad";
}

static int64_t extentOf(const Kernel &kernel, const char *loop) {
  return kernel.space.loops[static_cast<size_t>(kernel.space.findLoop(loop))]
      .extent;
}

/// The attentions of a sequence with itself, which are of the same length.
static Expected<std::vector<int>> findAttentions(const Graph &graph,
                                                 AttentionSequence &sequence) {
  std::vector<int> found;
  for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
    const Kernel &kernel = graph.nodes[static_cast<size_t>(n)].whole;
    if (kernel.kind != "attention" || kernel.phase != Phase::Forward)
      continue;
    int64_t length = extentOf(kernel, "q");
    if (extentOf(kernel, "k") != length || length < 2)
      continue;
    if (!found.empty() && length != sequence.length)
      return Error{"attention '" + kernel.name + "' is over a sequence of " +
                   std::to_string(length) + ", others over " +
                   std::to_string(sequence.length)};
    sequence.length = length;
    const std::optional<Band> &band = kernel.space.band;
    sequence.isCausal |= band && band->high < length - 1;
    found.push_back(n);
  }
  if (found.empty())
    return Error{"there is no 'soap.attention' of a sequence with itself: "
                 "'--soap-fuse-attention' writes it"};
  return found;
}

Expected<AttentionSequence> soap::findAttentionSequence(const Graph &graph) {
  AttentionSequence sequence;
  auto found = findAttentions(graph, sequence);
  if (!found)
    return found.takeError();
  return sequence;
}

/// The outermost loop over positions of an operand or result.
std::optional<PositionLoop> Context::loopOf(int node, const AccessMap &map,
                                            const Positions &of) const {
  const DimMap &dim = map[static_cast<size_t>(of.dim)];
  const IterationSpace &space = kernel(node).space;
  if (dim.kind == DimMap::Kind::Whole || dim.divisor != 1 || dim.scale != 1)
    return std::nullopt;
  std::optional<PositionLoop> best;
  int64_t bestCoefficient = 0;
  for (const Term &term : dim.terms) {
    int64_t c = term.coefficient,
            end = c * space.loops[static_cast<size_t>(term.loop)].extent;
    bool isWindow = dim.kind == DimMap::Kind::Window;
    // Digits of the positions alone, or all of them and those below.
    bool isWithin = c >= of.low && c % of.low == 0 && end <= of.high &&
                    (c < of.high || of.low == of.high);
    bool isAbove = c < of.low && end == of.high && of.step * c % of.low == 0;
    if (isWindow ? dim.terms.size() != 1 || of.low != 1 : !isWithin && !isAbove)
      continue;
    if (c <= bestCoefficient)
      continue;
    bestCoefficient = c;
    best = PositionLoop{term.loop, of.step * c / of.low,
                        of.first + of.step * dim.offset / of.low};
  }
  return best;
}

/// The positions of a tensor that an op's loop over positions accesses.
std::optional<Positions> Context::accessed(int node, const AccessMap &map,
                                           int value) const {
  const PositionLoop &own = loops[static_cast<size_t>(node)];
  for (size_t d = 0; own.loop >= 0 && d < map.size(); ++d)
    for (const Term &term : map[d].terms) {
      if (term.loop != own.loop || map[d].kind == DimMap::Kind::Whole ||
          map[d].divisor != 1 || map[d].scale != 1)
        continue;
      int64_t c = term.coefficient;
      if (map[d].kind == DimMap::Kind::Radix)
        return Positions{
            static_cast<int>(d), c,
            c * kernel(node).space.loops[static_cast<size_t>(own.loop)].extent,
            own.step, own.first};
      if (map[d].terms.size() == 1 && own.step % c == 0)
        return Positions{static_cast<int>(d), 1, graph.values[value].shape[d],
                         own.step / c,
                         own.first - map[d].offset * (own.step / c)};
    }
  return std::nullopt;
}

/// From the first attention to the tokens, and to what else the ops on the way
/// read.
void Context::followUp(int firstAttention) {
  const Kernel &attention = kernel(firstAttention);
  constexpr int positionDim = 2; // of [N, heads, positions, width]
  for (size_t o = 0; o < 3; ++o)
    positionsOf(attention.operands[o]) =
        Positions{positionDim, 1, extentOf(attention, "q"), 1, 0};
  for (int n = firstAttention; n-- > 0;) {
    const Kernel &own = kernel(n);
    PositionLoop &loop = loops[static_cast<size_t>(n)];
    for (size_t r = 0; r < own.results.size() && loop.loop < 0; ++r)
      if (const auto &of = positionsOf(own.results[r]))
        if (auto found = loopOf(n, own.space.results[r].map, *of))
          loop = *found;
    for (size_t o = 0; o < own.operands.size() && loop.loop >= 0; ++o)
      if (auto &of = positionsOf(own.operands[o]); !of)
        of = accessed(n, own.space.operands[o].map, own.operands[o]);
  }
}

void Context::followDown() {
  for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
    const Kernel &own = kernel(n);
    PositionLoop &loop = loops[static_cast<size_t>(n)];
    for (size_t o = 0; o < own.operands.size() && loop.loop < 0; ++o)
      if (const auto &of = positionsOf(own.operands[o]))
        if (auto found = loopOf(n, own.space.operands[o].map, *of))
          loop = *found;
    for (size_t r = 0; r < own.results.size(); ++r)
      if (auto &of = positionsOf(own.results[r]); !of)
        of = accessed(n, own.space.results[r].map, own.results[r]);
  }
}

/// Ops that move elements, or that read nothing with positions, lie where their
/// first reader needs them.
void Context::moveToReaders() {
  std::vector<int> firstReader(graph.values.size(), -1);
  for (int n = static_cast<int>(graph.nodes.size()); n-- > 0;)
    for (int value : kernel(n).operands)
      firstReader[static_cast<size_t>(graph.rootOf(value))] = n;
  for (int n = static_cast<int>(graph.nodes.size()); n-- > 0;) {
    const Kernel &own = kernel(n);
    PositionLoop &loop = loops[static_cast<size_t>(n)];
    bool moves =
        own.kind == "slice" || own.kind == "concat" || own.kind == "cast";
    if (own.results.empty() || (!moves && loop.loop >= 0))
      continue;
    int value = own.results[0],
        reader = firstReader[static_cast<size_t>(graph.rootOf(value))];
    if (reader < 0)
      continue;
    const Kernel &to = kernel(reader);
    for (size_t o = 0; o < to.operands.size(); ++o) {
      if (graph.rootOf(to.operands[o]) != graph.rootOf(value))
        continue;
      if (auto of = accessed(reader, to.space.operands[o].map, value))
        if (auto found = loopOf(n, own.space.results[0].map, *of);
            found && (loop.loop < 0 || loop.loop == found->loop))
          loop = *found;
      break;
    }
  }
}

void Context::follow(int firstAttention) {
  followUp(firstAttention);
  followDown();
  moveToReaders();
}

static int64_t remainder(int64_t number, int64_t by) {
  return (number % by + by) % by;
}

Config Context::config(int node, int columnLoop,
                       const AttentionSequence &sequence,
                       const ContextOptions &options,
                       const MachineGrid &grid) const {
  const IterationSpace &space = kernel(node).space;
  const PositionLoop &own = loops[static_cast<size_t>(node)];
  auto extentOf = [&](int loop) {
    return space.loops[static_cast<size_t>(loop)].extent;
  };
  int64_t devices = options.devices, columns = grid.columns(),
          groups = grid.rows() / devices;
  // A part of a sequence: positions that lie together.
  int64_t parts = options.zigzag ? 2 * devices : devices;
  int64_t partLength = sequence.length / parts;
  int64_t pieces = 0;
  if (own.loop >= 0 &&
      space.loops[static_cast<size_t>(own.loop)].type != IteratorType::Serial) {
    int64_t all = extentOf(own.loop) * own.step;
    if (all % partLength == 0 && partLength % own.step == 0 &&
        own.first % partLength == 0)
      pieces = all / partLength;
  }
  // Each piece in as many as there are columns, if these are even.
  bool isInside = columnLoop >= 0 && columnLoop == own.loop;
  if (isInside &&
      (pieces == 0 || extentOf(own.loop) % (pieces * columns) != 0)) {
    isInside = false;
    columnLoop = -1;
  }
  Config config = Config::single(space);
  auto split = [&](int loop, int64_t degree) {
    if (loop >= 0)
      config.degrees[static_cast<size_t>(loop)] *= degree;
    else
      config.replicas *= degree;
  };
  int samples = sampleLoop(problem, node);
  if (samples == own.loop || samples == columnLoop)
    samples = -1;
  split(samples, samples < 0
                     ? groups
                     : std::clamp<int64_t>(extentOf(samples), 1, groups));
  split(pieces > 0 ? own.loop : -1, pieces > 0 ? pieces : devices);
  split(columnLoop, columns);
  // The keys of a piece are in one part, too.
  if (isAttentionOp(kernel(node)) && pieces > 0)
    if (int keys = space.findLoop("k"); extentOf(keys) == sequence.length)
      split(keys, parts);
  config.devices.assign(config.replicas * config.piecesPerReplica(), 0);
  std::vector<int> places;
  for (const Shard &shard : enumerateShards(space, config)) {
    // Replicas of an op, outermost first: groups, places, columns.
    int64_t rest = shard.replica;
    auto coordinate = [&](int loop, int64_t degree) {
      if (loop >= 0)
        return shard.piece[static_cast<size_t>(loop)];
      int64_t replica = rest % degree;
      rest /= degree;
      return replica;
    };
    int64_t column = coordinate(columnLoop, columns);
    int64_t place = coordinate(pieces > 0 ? own.loop : -1, devices);
    if (isInside) {
      place = column / columns;
      column %= columns;
    }
    int64_t group = coordinate(samples, groups);
    if (pieces > 0) {
      int64_t part = remainder(own.first / partLength + place, parts);
      place = part < devices ? part : 2 * devices - 1 - part;
    }
    places.push_back(grid.device(group * devices + place, column));
  }
  config.devices = std::move(places);
  return config;
}

/// By node: the loop that tensor parallelism splits, or -1.
static std::vector<int> columnLoops(const ParallelizationProblem &problem,
                                    const Strategy &megatron) {
  std::vector<int> result(megatron.size(), -1);
  for (size_t n = 0; n < megatron.size(); ++n)
    for (size_t l = 0; l < megatron[n].degrees.size(); ++l)
      if (megatron[n].degrees[l] > 1 &&
          static_cast<int>(l) != sampleLoop(problem, static_cast<int>(n)))
        result[n] = static_cast<int>(l);
  return result;
}

Strategy Context::make(const AttentionSequence &sequence,
                       const ContextOptions &options,
                       const std::vector<int> &columns,
                       const std::vector<int> &inside) const {
  // Devices of one machine lie together.
  MachineGrid grid(problem.getTopology(), options.tensorParallel);
  Strategy strategy;
  for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
    int column = columns[static_cast<size_t>(n)],
        positionLoop = loops[static_cast<size_t>(n)].loop;
    if (column == positionLoop)
      column = -1;
    if (column < 0 && inside[static_cast<size_t>(n)] == positionLoop)
      column = positionLoop;
    strategy.push_back(config(n, column, sequence, options, grid));
  }
  return strategy;
}

/// The strategy of options that fit the sequence and the devices.
static Expected<Strategy>
makeContext(const ParallelizationProblem &problem, ContextOptions options,
            const std::function<MaybeError(std::vector<int> &columns,
                                           std::vector<int> &inside)> &split) {
  AttentionSequence sequence;
  auto attentions = findAttentions(problem.getGraph(), sequence);
  if (!attentions)
    return attentions.takeError();
  int64_t perDevice = options.zigzag ? 2 : 1;
  if (options.devices == 0)
    options.devices = std::max<int64_t>(
        problem.getTopology().deviceCount() / options.tensorParallel, 1);
  int64_t least = perDevice * options.devices;
  std::string text = "cp=" + std::to_string(options.devices);
  if (sequence.length % least != 0)
    return Error{text + (options.zigzag ? ",zigzag" : "") +
                 ": the sequence has " + std::to_string(sequence.length) +
                 " positions, expected a multiple of " + std::to_string(least)};
  if (options.tensorParallel > 1)
    text += " times tp=" + std::to_string(options.tensorParallel);
  int64_t together = options.devices * options.tensorParallel;
  if (int64_t has = problem.getTopology().deviceCount(); has % together != 0)
    return Error{text + " does not divide the " + std::to_string(has) +
                 " devices of '" + problem.getTopology().name + "'"};
  std::vector<int> columns(problem.getGraph().nodes.size(), -1),
      inside = columns;
  if (options.tensorParallel > 1)
    if (MaybeError error = split(columns, inside))
      return *error;
  Context context(problem);
  context.follow(attentions->front());
  Strategy strategy = context.make(sequence, options, columns, inside);
  if (options.shardsUpdates)
    shardUpdates(problem,
                 std::vector<int64_t>(strategy.size(),
                                      problem.getTopology().deviceCount()),
                 strategy);
  return strategy;
}

Expected<Strategy> soap::contextStrategy(const ParallelizationProblem &problem,
                                         const ContextOptions &options) {
  return makeContext(
      problem, options,
      [&](std::vector<int> &columns, std::vector<int> &) -> MaybeError {
        Expected<Strategy> megatron = checkedMegatron(
            problem, {options.tensorParallel, /*sequenceParallel=*/false});
        if (!megatron)
          return Error{megatron.error()};
        columns = columnLoops(problem, *megatron);
        return std::nullopt;
      });
}

Expected<Strategy> soap::contextStrategy(const ParallelizationProblem &problem,
                                         const ContextOptions &options,
                                         const Strategy &tensor,
                                         const Strategy *sequence) {
  return makeContext(
      problem, options,
      [&](std::vector<int> &columns, std::vector<int> &inside) -> MaybeError {
        columns = columnLoops(problem, tensor);
        if (sequence)
          inside = columnLoops(problem, *sequence);
        return std::nullopt;
      });
}
