//===- OpGroups.cpp - Ops that share one decision -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients and updates follow their forward op, ops that only pass elements
// on, and batch norm, follow a producer, constants, views of weights and
// broadcasts of scalars a consumer. Purely structural: what an op is called
// does not matter.
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/OpGroups.h"
#include "LoopCorrespondence.h"

#include "Soap/Model/DominantLoop.h"

#include "llvm/ADT/BitVector.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::soap;
using ::soap::AccessMap;
using ::soap::Kernel;

namespace {

/// The leader of a node.
struct Following {
  /// Node that decides; a leader names itself; -1: not known yet.
  int leader = -1;
  /// Per own loop, the loop of the leader whose degree it takes, or -1: not
  /// split. No two own loops take the same one.
  std::vector<int> loops;
};

/// Decides in program order; nodes that no data reaches decide last, from their
/// consumers.
class FollowingAnalysis {
public:
  explicit FollowingAnalysis(const OpGraph &opGraph);
  std::vector<Following> compute();

private:
  const Kernel &kernel(int node) const {
    return opGraph.graph.nodes[node].whole;
  }
  Following lead(int node) const;
  Following through(int node, int other, ArrayRef<int> loops) const;
  bool normalizesSamples(int node) const;
  bool measures(int node) const;
  bool repeatsScalars(int node) const;
  bool spreadsScalars(int node) const;
  bool followsOrigin(int node);
  bool followsProducer(int node);
  bool followsConsumer(int node);

  const OpGraph &opGraph;
  std::vector<std::vector<::soap::Role>> roles; ///< per node, per loop
  llvm::StringMap<int> names;
  std::vector<int> producer;      ///< per value: node, or -1
  std::vector<int> firstConsumer; ///< per value: node, or -1
  llvm::BitVector dataDependent;  ///< per node: computed from a data argument
  llvm::BitVector uniform; ///< per value: all elements are the same number
  std::vector<Following> result;
};

} // namespace

static bool isOneNumber(const ::soap::GraphValue &value) {
  return value.bytes() == value.elementBytes;
}

/// Elements go to places of a new dim that other operands say, from anywhere in
/// a dim (tokens to experts): how that dim is split is a decision of its own.
static bool placesElements(const Kernel &kernel) {
  if (kernel.space.operands.empty())
    return false;
  const AccessMap &read = kernel.space.operands[0].map;
  bool readsAnywhere = llvm::any_of(read, [](const ::soap::DimMap &map) {
    return map.kind == ::soap::DimMap::Kind::Whole;
  });
  for (size_t l = 0; readsAnywhere && l < kernel.space.loops.size(); ++l)
    if (!::soap::usesLoop(read, static_cast<int>(l)))
      return true;
  return false;
}

/// Every point of the op writes elements of its own and nothing is reduced:
/// elementwise ops, shape ops.
static bool passesElementsOn(const Kernel &kernel) {
  for (size_t l = 0; l < kernel.space.loops.size(); ++l) {
    const ::soap::Loop &loop = kernel.space.loops[l];
    if (loop.stage || loop.type == ::soap::IteratorType::Reduction)
      return false;
    for (const ::soap::ResultAccess &access : kernel.space.results)
      if (!::soap::usesLoop(access.map, static_cast<int>(l)))
        return false;
  }
  if (kernel.space.linear)
    return true;
  if (placesElements(kernel))
    return false;
  for (const ::soap::OperandAccess &access : kernel.space.operands)
    for (const ::soap::DimMap &map : access.map)
      if (map.kind == ::soap::DimMap::Kind::Window)
        return false;
  return true;
}

/// Loops of `own` as loops of `other`, which accesses the same tensor.
static SmallVector<int> loopsThroughTensor(const ::soap::IterationSpace &own,
                                           const AccessMap &ownMap,
                                           const ::soap::IterationSpace &other,
                                           const AccessMap &otherMap) {
  SmallVector<int> loops(own.loops.size(), -1);
  for (size_t d = 0; d < ownMap.size() && d < otherMap.size(); ++d) {
    int loop = ::soap::dominantLoop(own, ownMap[d]);
    if (loop >= 0 && loops[loop] < 0)
      loops[loop] = ::soap::dominantLoop(other, otherMap[d]);
  }
  return loops;
}

/// A normalization over samples (batch norm): statistics apart, it passes
/// elements on.
bool FollowingAnalysis::normalizesSamples(int node) const {
  const Kernel &own = kernel(node);
  if (own.operands.empty() || own.results.empty())
    return false;
  bool overSamples = false;
  for (auto [l, loop] : llvm::enumerate(own.space.loops)) {
    if (!::soap::usesLoop(own.space.results[0].map, static_cast<int>(l)))
      return false;
    overSamples |= loop.stage && roles[node][l] == ::soap::Role::Sample;
  }
  return overSamples && own.space.results[0].map == own.space.operands[0].map;
}

/// Scales of a tensor: one result, the maximum of all of the one operand or of
/// blocks that stay whole. It is computed where the tensor is.
bool FollowingAnalysis::measures(int node) const {
  const Kernel &own = kernel(node);
  if (own.operands.size() != 1 || own.results.size() != 1 ||
      own.space.results[0].combiner != ::soap::Combiner::Max)
    return false;
  bool drops = false;
  for (auto [l, loop] : llvm::enumerate(own.space.loops)) {
    int number = static_cast<int>(l);
    if (loop.stage || !::soap::usesLoop(own.space.operands[0].map, number))
      return false;
    if (::soap::usesLoop(own.space.results[0].map, number))
      continue;
    drops = true;
    if (loop.type != ::soap::IteratorType::Serial &&
        !own.space.results[0].map.empty())
      return false;
  }
  return drops;
}

/// Every element of the results comes from numbers that are the same for all:
/// a broadcast of a scalar, a product of two such.
bool FollowingAnalysis::repeatsScalars(int node) const {
  const Kernel &own = kernel(node);
  return !own.operands.empty() && passesElementsOn(own) &&
         llvm::all_of(own.operands,
                      [&](int value) { return uniform.test(value); });
}

/// The same, and the result has more elements than one.
bool FollowingAnalysis::spreadsScalars(int node) const {
  return repeatsScalars(node) &&
         llvm::any_of(kernel(node).results, [&](int value) {
           return !isOneNumber(opGraph.graph.values[value]);
         });
}

FollowingAnalysis::FollowingAnalysis(const OpGraph &opGraph)
    : opGraph(opGraph), roles(computeRoles(opGraph)),
      names(nodesByName(opGraph)), producer(opGraph.graph.values.size(), -1),
      firstConsumer(opGraph.graph.values.size(), -1),
      dataDependent(opGraph.graph.nodes.size()),
      uniform(opGraph.graph.values.size()), result(opGraph.graph.nodes.size()) {
  std::vector<bool> data(opGraph.graph.values.size(), false);
  for (auto [input, argument] :
       llvm::zip_equal(opGraph.graph.inputs, opGraph.inputs))
    data[input.value] = isDataArgument(argument);
  for (auto [value, type] : llvm::enumerate(opGraph.graph.values))
    if (isOneNumber(type))
      uniform.set(value);
  for (int node = 0; node < static_cast<int>(result.size()); ++node) {
    for (int value : kernel(node).operands) {
      if (firstConsumer[value] < 0 && !measures(node))
        firstConsumer[value] = node;
      if (data[opGraph.graph.rootOf(value)])
        dataDependent.set(node);
    }
    for (int value : kernel(node).results) {
      producer[value] = node;
      data[value] = dataDependent[node];
      if (repeatsScalars(node))
        uniform.set(value);
    }
  }
}

Following FollowingAnalysis::lead(int node) const {
  Following following;
  following.leader = node;
  following.loops.resize(kernel(node).space.loops.size());
  std::iota(following.loops.begin(), following.loops.end(), 0);
  return following;
}

/// Follows the leader of `other`; `loops` are own loops as loops of `other`.
Following FollowingAnalysis::through(int node, int other,
                                     ArrayRef<int> loops) const {
  const Following &next = result[other];
  Following following;
  following.leader = next.leader;
  llvm::BitVector taken(kernel(next.leader).space.loops.size());
  const std::vector<::soap::Loop> &own = kernel(node).space.loops;
  for (size_t l = 0; l < own.size(); ++l) {
    int loop = loops[l] < 0 ? -1 : next.loops[loops[l]];
    if (loop >= 0 &&
        (taken.test(loop) || own[l].type == ::soap::IteratorType::Serial))
      loop = -1;
    if (loop >= 0)
      taken.set(loop);
    following.loops.push_back(loop);
  }
  return following;
}

bool FollowingAnalysis::followsOrigin(int node) {
  Origin origin = originOf(opGraph, names, node);
  if (origin.node < 0 || result[origin.node].leader < 0)
    return false;
  result[node] = through(node, origin.node, origin.loops);
  return true;
}

bool FollowingAnalysis::followsProducer(int node) {
  const Kernel &own = kernel(node);
  if (!passesElementsOn(own) && !normalizesSamples(node) && !measures(node))
    return false;
  // The producer that determines most loops: the full operand of a broadcast.
  int bestCount = 0;
  Following best;
  for (size_t o = 0; o < own.operands.size(); ++o) {
    int value = own.operands[o];
    int other = producer[value];
    // Numbers that are the same for all elements say nothing of how to split.
    if ((uniform.test(value) && !repeatsScalars(node)) || other < 0 ||
        result[other].leader < 0)
      continue;
    const Kernel &from = kernel(other);
    size_t r = llvm::find(from.results, value) - from.results.begin();
    Following candidate =
        through(node, other,
                loopsThroughTensor(own.space, own.space.operands[o].map,
                                   from.space, from.space.results[r].map));
    int count = static_cast<int>(
        llvm::count_if(candidate.loops, [](int loop) { return loop >= 0; }));
    if (count > bestCount) {
      bestCount = count;
      best = std::move(candidate);
    }
  }
  if (!bestCount)
    return false;
  result[node] = std::move(best);
  return true;
}

bool FollowingAnalysis::followsConsumer(int node) {
  const Kernel &own = kernel(node);
  if (own.results.empty() || !passesElementsOn(own))
    return false;
  int value = own.results.front();
  int other = firstConsumer[value];
  if (other < 0 || result[other].leader < 0)
    return false;
  const Kernel &to = kernel(other);
  size_t o = llvm::find(to.operands, value) - to.operands.begin();
  result[node] =
      through(node, other,
              loopsThroughTensor(own.space, own.space.results.front().map,
                                 to.space, to.space.operands[o].map));
  return true;
}

std::vector<Following> FollowingAnalysis::compute() {
  int count = static_cast<int>(result.size());
  for (int node = 0; node < count; ++node)
    if (dataDependent[node] && !followsOrigin(node) && !followsProducer(node) &&
        !spreadsScalars(node))
      result[node] = lead(node);
  // Nodes that depend on no data (constants, reshaped weights), and broadcasts
  // of scalars, follow their consumer, which comes later in the program;
  // gradients and updates come last.
  for (int node = count; node-- > 0;)
    if (result[node].leader < 0 && !measures(node) && !followsConsumer(node) &&
        !followsOrigin(node))
      result[node] = lead(node);
  // Scales of weights are where the weights are.
  for (int node = 0; node < count; ++node)
    if (result[node].leader < 0 && !followsOrigin(node) &&
        !followsProducer(node))
      result[node] = lead(node);
  return std::move(result);
}

std::vector<::soap::OpGroup> mlir::soap::computeGroups(const OpGraph &opGraph) {
  std::vector<Following> following = FollowingAnalysis(opGraph).compute();
  std::map<int, ::soap::OpGroup> groups;
  for (size_t node = 0; node < following.size(); ++node) {
    ::soap::OpGroup &group = groups[following[node].leader];
    group.leader = following[node].leader;
    group.nodes.push_back(static_cast<int>(node));
    group.loops.push_back(std::move(following[node].loops));
  }
  std::vector<::soap::OpGroup> result;
  for (auto &[leader, group] : groups)
    result.push_back(std::move(group));
  return result;
}
