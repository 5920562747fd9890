//===- SpaceBound.cpp - What no strategy beats ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SpaceBound.h. First what the degrees of every kernel cost, then the
// multipliers.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Problem/SpaceBound.h"

#include "ConfigSpace.h"
#include "Soap/Plan/KernelGeometry.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>

using namespace soap;

namespace {

/// The cost of an op with some degrees.
struct Choice {
  int64_t workNs = 0;  ///< of all pieces together
  int64_t pieceNs = 0; ///< of the shortest
};

/// A kernel whatever its degrees.
struct KernelFacts {
  std::vector<Choice> choices;
  /// All pieces compute: none only fills.
  bool computes = true;
  /// By operand: every piece reads some of it. By result: pieces write all of
  /// it.
  std::vector<bool> reads, writes;
};

/// Leaves out what is no better in any respect than another one; sorted by
/// work.
void leaveBest(std::vector<Choice> &choices) {
  std::sort(
      choices.begin(), choices.end(), [](const Choice &a, const Choice &b) {
        return std::pair(a.workNs, a.pieceNs) < std::pair(b.workNs, b.pieceNs);
      });
  std::vector<Choice> kept;
  for (const Choice &choice : choices)
    if (kept.empty() || choice.pieceNs < kept.back().pieceNs)
      kept.push_back(choice);
  choices = std::move(kept);
}

/// Enumerates the degrees of kernels.
class KernelSurvey {
public:
  KernelSurvey(const ParallelizationProblem &problem,
               const std::atomic<bool> *stop, int64_t pieces)
      : graph(problem.getGraph()), cost(problem.getTopology()), stop(stop),
        devices(problem.getTopology().deviceCount()),
        allowedPieces(std::max<int64_t>(devices, pieces)) {
    for (const Device &device : problem.getTopology().devices)
      types.insert(device.type);
  }

  bool isStopped() const { return stop && stop->load(); }

  const KernelFacts &of(const Kernel &kernel) {
    auto [it, isNew] = known.try_emplace(classes.of(kernel));
    KernelFacts &facts = it->second;
    if (!isNew)
      return facts;
    facts.reads.assign(kernel.operands.size(), true);
    facts.writes.assign(kernel.results.size(), true);
    std::vector<int64_t> degrees;
    visit(kernel, degrees, 1, facts);
    builder.clearCache(); // no other kernel needs what is known of its dims
    leaveBest(facts.choices);
    return facts;
  }

private:
  const Graph &graph;
  CostModel cost;
  const std::atomic<bool> *stop;
  int devices;
  int64_t allowedPieces; ///< of an op
  std::set<int> types;   ///< of devices
  KernelClasses classes{graph};
  GraphRegions regions{graph};
  GeometryBuilder builder{graph, cost, classes, regions};
  std::map<int, KernelFacts> known; ///< by class of kernels

  bool isDegree(int64_t degree) const {
    return devices <= maxDevicesForAllDegrees || devices % degree == 0 ||
           (degree & (degree - 1)) == 0;
  }

  static bool mayCut(const Kernel &kernel, size_t loop) {
    return kernel.space.loops[loop].type != IteratorType::Serial &&
           (kernel.wholeLoops.empty() || kernel.wholeLoops[loop] >= 0);
  }

  void visit(const Kernel &kernel, std::vector<int64_t> &degrees,
             int64_t pieces, KernelFacts &facts) {
    if (isStopped())
      return;
    size_t loop = degrees.size();
    if (loop == kernel.space.loops.size()) {
      look(kernel, degrees, facts);
      return;
    }
    int64_t most = mayCut(kernel, loop)
                       ? std::max<int64_t>(kernel.space.loops[loop].extent, 1)
                       : 1;
    // With more pieces than positions, the others have nothing to do.
    bool isAll = false;
    for (int64_t degree = 1; degree * pieces <= allowedPieces && !isAll;
         ++degree) {
      if (!isDegree(degree))
        continue;
      isAll = degree >= most;
      degrees.push_back(degree);
      visit(kernel, degrees, pieces * degree, facts);
      degrees.pop_back();
    }
  }

  void look(const Kernel &kernel, const std::vector<int64_t> &degrees,
            KernelFacts &facts) {
    KernelGeometry geometry = builder.build(kernel, degrees);
    builder.addTiles(kernel, geometry);
    Choice choice;
    choice.pieceNs = std::numeric_limits<int64_t>::max();
    for (int p = 0; p < geometry.pieces; ++p) {
      if (geometry.states[p] == ShardState::Absent)
        continue;
      facts.computes &= geometry.states[p] == ShardState::Compute;
      int64_t ns = std::numeric_limits<int64_t>::max();
      for (int type : types)
        ns = std::min(ns, geometry.durationNs[type][p]);
      choice.workNs += ns;
      choice.pieceNs = std::min(choice.pieceNs, ns);
      for (size_t i = 0; i < facts.reads.size(); ++i)
        if (geometry.operandTiles[i].volumes[p] == 0)
          facts.reads[i] = false;
    }
    for (size_t r = 0; r < facts.writes.size(); ++r)
      if (!geometry.resultTiles[r].everyElement)
        facts.writes[r] = false;
    assert((choice.workNs == 0 || choice.pieceNs <= choice.workNs) &&
           "the shortest of all pieces");
    if (choice.workNs > 0)
      facts.choices.push_back(choice);
  }
};

/// The op graph with what ops cost.
class SpaceBound {
public:
  explicit SpaceBound(const ParallelizationProblem &problem)
      : graph(problem.getGraph()),
        devices(problem.getTopology().deviceCount()) {}

  /// False if it was stopped.
  bool survey(KernelSurvey &kernels) {
    std::vector<int> producer(graph.values.size(), -1);
    before.resize(graph.nodes.size());
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      addNode(graph.nodes[n], kernels);
      if (kernels.isStopped())
        return false;
      for (int value : graph.nodes[n].whole.operands)
        if (int from = producer[value];
            from >= 0 && waits(from, static_cast<int>(n), value, kernels))
          before[n].push_back(from);
      for (int value : graph.nodes[n].whole.results)
        producer[value] = static_cast<int>(n);
    }
    return true;
  }

  int64_t find() {
    double best = 0;
    for (double share :
         {0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0})
      best = std::max(best, boundWith(share));
    // Roundings of the sums; times are whole.
    return std::max<int64_t>(
        1, static_cast<int64_t>(std::ceil(best * (1 - 1e-9))));
  }

private:
  const Graph &graph;
  int devices;
  std::vector<std::vector<Choice>> choices; ///< by node
  std::vector<std::vector<int>> before;     ///< by node: ops it waits for

  /// Of an op with stages, paths go through the last one.
  static const Kernel &lastKernel(const GraphNode &node) {
    return node.stages.empty() ? node.whole : node.stages.back();
  }

  void addNode(const GraphNode &node, KernelSurvey &kernels) {
    std::vector<Choice> list = kernels.of(node.whole).choices;
    if (!node.stages.empty()) {
      int64_t others = 0;
      for (size_t s = 0; s + 1 < node.stages.size(); ++s) {
        const std::vector<Choice> &stage = kernels.of(node.stages[s]).choices;
        others += stage.empty() ? 0 : stage.front().workNs;
      }
      for (Choice last : kernels.of(node.stages.back()).choices) {
        last.workNs += others;
        list.push_back(last);
      }
      leaveBest(list);
    }
    choices.push_back(std::move(list));
  }

  /// Whatever the degrees of both, every piece of `to` that has something to do
  /// waits for some piece of `from`.
  bool waits(int from, int to, int value, KernelSurvey &kernels) {
    const GraphNode &writer = graph.nodes[from], &reader = graph.nodes[to];
    auto writes = [&](const Kernel &kernel) {
      const KernelFacts &facts = kernels.of(kernel);
      for (size_t r = 0; r < kernel.results.size(); ++r)
        if (kernel.results[r] == value)
          return facts.computes && facts.writes[r];
      return false;
    };
    auto reads = [&](const Kernel &kernel) {
      const KernelFacts &facts = kernels.of(kernel);
      for (size_t i = 0; i < kernel.operands.size(); ++i)
        if (kernel.operands[i] == value && facts.computes && facts.reads[i])
          return true;
      return false;
    };
    return writes(writer.whole) && writes(lastKernel(writer)) &&
           reads(reader.whole) && reads(lastKernel(reader));
  }

  /// The bound if paths have this share of the multipliers.
  double boundWith(double share) const {
    assert(share >= 0 && share <= 1 && "multipliers add up to 1");
    size_t count = choices.size();
    std::vector<double> flow(count); // by node
    std::vector<int64_t> pieces(count);
    constexpr int rounds = 60;
    double best = 0;
    for (int round = 0; round <= rounds; ++round) {
      double sum = 0;
      for (size_t n = 0; n < count; ++n) {
        double least = std::numeric_limits<double>::infinity();
        for (const Choice &choice : choices[n]) {
          auto piece = static_cast<double>(choice.pieceNs);
          double value = (1 - share) * static_cast<double>(choice.workNs) /
                             static_cast<double>(devices) +
                         flow[n] * piece;
          if (value < least) {
            least = value;
            pieces[n] = choice.pieceNs;
          }
        }
        if (!choices[n].empty())
          sum += least;
      }
      best = std::max(best, sum);
      if (share == 0)
        break;
      double step = 2.0 / (round + 2);
      std::vector<int> path = longestPath(pieces);
      for (double &part : flow)
        part *= 1 - step;
      for (int n : path)
        flow[n] += step * share;
    }
    return best;
  }

  std::vector<int> longestPath(const std::vector<int64_t> &weights) const {
    std::vector<int64_t> length(weights.size());
    std::vector<int> from(weights.size(), -1);
    size_t last = 0;
    for (size_t n = 0; n < weights.size(); ++n) {
      for (int m : before[n])
        if (from[n] < 0 || length[m] > length[from[n]])
          from[n] = m;
      length[n] = weights[n] + (from[n] < 0 ? 0 : length[from[n]]);
      if (length[n] > length[last])
        last = n;
    }
    std::vector<int> path;
    for (int n = static_cast<int>(last); n >= 0; n = from[n]) {
      assert((path.empty() || n < path.back()) && "in a topological order");
      path.push_back(n);
    }
    return path;
  }
};

} // namespace

int64_t soap::maxPieces(const Strategy &strategy) {
  size_t most = 0;
  for (const Config &config : strategy)
    most = std::max(most, config.devices.size());
  return static_cast<int64_t>(most);
}

int64_t soap::spaceBoundNs(const ParallelizationProblem &problem,
                           const std::atomic<bool> *stop, int64_t pieces) {
  assert(!problem.check() && "the problem must have passed check");
  if (problem.getGraph().nodes.empty())
    return 0;
  KernelSurvey kernels(problem, stop, pieces);
  SpaceBound bound(problem);
  return bound.survey(kernels) ? bound.find() : 0;
}
