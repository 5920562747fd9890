//===- GroupBlocks.cpp - Parts of an op graph that repeat -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups get a colour for what they are, and the sequence of colours is looked
// through for periods.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Problem/GroupBlocks.h"

#include "Soap/Model/KernelClass.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>

using namespace soap;

namespace {

class BlockFinder {
public:
  BlockFinder(const Graph &graph, std::span<const OpGroup> groups,
              const std::vector<std::vector<Role>> &roles)
      : graph(graph), groups(groups) {
    findConstant();
    sortGroups();
    colourGroups(roles);
    findSources();
  }

  GroupBlocks run() {
    result.mates.resize(groups.size());
    for (size_t g = 0; g < groups.size(); ++g)
      result.mates[g] = {static_cast<int>(g)};
    search(0, static_cast<int>(result.order.size()));
    std::sort(result.runs.begin(), result.runs.end(),
              [](const RepeatedRun &a, const RepeatedRun &b) {
                return a.first < b.first;
              });
    for (const RepeatedRun &run : result.runs)
      for (int place = 0; place < run.size; ++place) {
        std::vector<int> mates;
        for (int b = 0; b < run.count; ++b)
          mates.push_back(result.order[at(run.first + b * run.size + place)]);
        for (int group : mates)
          result.mates[at(group)] = mates;
      }
    return std::move(result);
  }

private:
  const Graph &graph;
  std::span<const OpGroup> groups;
  GroupBlocks result;
  std::vector<int> colours; ///< by position in the order
  /// By node: it follows from constants alone, as tables of positions. Such ops
  /// are with their first reader, and no part of its block.
  std::vector<bool> isConstant;
  /// By position: positions of the groups that it reads from, in the order of
  /// its operands; itself left out.
  std::vector<std::vector<int>> sources;

  static size_t at(int position) { return static_cast<size_t>(position); }

  void sortGroups() {
    result.order.resize(groups.size());
    std::iota(result.order.begin(), result.order.end(), 0);
    auto first = [&](int group) {
      const OpGroup &of = groups[at(group)];
      int least = of.leader;
      for (int node : of.nodes)
        if (!isConstant[at(node)])
          least = std::min(least, node);
      return least;
    };
    std::sort(result.order.begin(), result.order.end(),
              [&](int a, int b) { return first(a) < first(b); });
  }

  void findConstant() {
    std::vector<bool> isConstantValue(graph.values.size());
    isConstant.resize(graph.nodes.size());
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const Kernel &kernel = graph.nodes[n].whole;
      isConstant[n] = kernel.phase == Phase::Forward &&
                      std::ranges::all_of(kernel.operands, [&](int value) {
                        return static_cast<bool>(isConstantValue[at(value)]);
                      });
      for (int value : kernel.results)
        isConstantValue[at(value)] = isConstant[n];
    }
  }

  void colourGroups(const std::vector<std::vector<Role>> &roles) {
    // The first of equal blocks may read what no register has.
    KernelClasses classes(graph, /*withRegisters=*/false);
    std::map<std::vector<int64_t>, int> known;
    for (int group : result.order) {
      const OpGroup &of = groups[at(group)];
      std::vector<size_t> members(of.nodes.size());
      std::iota(members.begin(), members.end(), size_t(0));
      std::sort(members.begin(), members.end(),
                [&](size_t a, size_t b) { return of.nodes[a] < of.nodes[b]; });
      std::vector<int64_t> key;
      for (size_t i : members) {
        int node = of.nodes[i];
        if (isConstant[at(node)] && node != of.leader)
          continue;
        const Kernel &kernel = graph.nodes[at(node)].whole;
        key.push_back(classes.of(kernel));
        key.push_back(static_cast<int64_t>(kernel.phase));
        key.push_back(node == of.leader);
        for (const Kernel &stage : graph.nodes[at(node)].stages)
          key.push_back(classes.of(stage));
        for (int loop : of.loops[i])
          key.push_back(loop);
        for (Role role : roles[at(node)])
          key.push_back(static_cast<int64_t>(role));
        key.push_back(INT64_MIN); // the next op
      }
      colours.push_back(
          known.try_emplace(std::move(key), static_cast<int>(known.size()))
              .first->second);
    }
  }

  void findSources() {
    std::vector<int> positionOf(graph.nodes.size(), -1),
        writerOf(graph.values.size(), -1);
    for (size_t p = 0; p < result.order.size(); ++p)
      for (int node : groups[at(result.order[p])].nodes)
        positionOf[at(node)] = static_cast<int>(p);
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : graph.nodes[n].whole.results)
        writerOf[at(value)] = isConstant[n] ? -1 : positionOf[n];
    for (int group : result.order) {
      std::vector<int> nodes = groups[at(group)].nodes;
      std::sort(nodes.begin(), nodes.end());
      std::vector<int> &list = sources.emplace_back();
      for (int node : nodes)
        if (!isConstant[at(node)])
          for (int value : graph.nodes[at(node)].whole.operands)
            list.push_back(writerOf[at(value)]);
    }
  }

  /// Whether two blocks read what they write themselves from the same places.
  bool areWiredAlike(int a, int b, int size) const {
    for (int place = 0; place < size; ++place) {
      const std::vector<int> &mine = sources[at(a + place)],
                             &its = sources[at(b + place)];
      if (mine.size() != its.size())
        return false;
      for (size_t i = 0; i < mine.size(); ++i) {
        bool isInside = mine[i] >= a && mine[i] < a + size,
             isItsInside = its[i] >= b && its[i] < b + size;
        if (isInside != isItsInside || (isInside && mine[i] - a != its[i] - b))
          return false;
      }
    }
    return true;
  }

  /// The run that covers most of a range; then the ranges beside it.
  void search(int begin, int end) {
    RepeatedRun best;
    for (int size = 1; size <= (end - begin) / 2; ++size) {
      int alike = 0;
      for (int p = begin; p + size <= end; ++p) {
        bool isAlike =
            p + size < end && colours[at(p)] == colours[at(p + size)];
        if (isAlike) {
          ++alike;
          continue;
        }
        // Positions p - alike .. p + size - 1 have this period.
        if (int count = alike / size + 1;
            count > 1 && count * size > best.count * best.size) {
          RepeatedRun run{p - alike, size, 1};
          while (run.count < count &&
                 areWiredAlike(run.first, run.first + run.count * size, size))
            ++run.count;
          if (run.count > 1 && run.count * size > best.count * best.size)
            best = run;
        }
        alike = 0;
      }
    }
    if (best.count < 2)
      return;
    assert(best.first >= begin && best.first + best.count * best.size <= end &&
           "inside of the range");
    result.runs.push_back(best);
    search(begin, best.first);
    search(best.first + best.count * best.size, end);
  }
};

} // namespace

GroupBlocks soap::findBlocks(const Graph &graph,
                             std::span<const OpGroup> groups,
                             const std::vector<std::vector<Role>> &roles) {
  return BlockFinder(graph, groups, roles).run();
}

std::vector<int> soap::startsOfRun(const Graph &graph,
                                   std::span<const OpGroup> groups,
                                   const GroupBlocks &blocks,
                                   const RepeatedRun &run) {
  assert(run.count > 1 &&
         static_cast<size_t>(run.first) + static_cast<size_t>(run.size) *
                                              static_cast<size_t>(run.count) <=
             blocks.order.size() &&
         "a run of these blocks");
  auto none = static_cast<int>(graph.nodes.size());
  std::vector<int> starts;
  for (int b = 0; b < run.count; ++b) {
    int first = none;
    for (int g = 0; g < run.size; ++g) {
      int leader = groups[blocks.order[run.first + b * run.size + g]].leader;
      if (graph.nodes[leader].whole.phase == Phase::Forward)
        first = std::min(first, leader);
    }
    if (first < none)
      starts.push_back(first);
  }
  if (starts.size() < 2 || !std::is_sorted(starts.begin(), starts.end()))
    starts.clear();
  return starts;
}
