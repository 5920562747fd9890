//===- FrontierCandidates.cpp - Configs that groups may choose ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FrontierGraph.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/FrontierGraph.h"

#include <algorithm>
#include <numeric>

using namespace soap;

namespace {

/// Lists the candidates of one group loop by loop.
class Lister {
public:
  Lister(const ParallelizationProblem &problem, int group,
         const FrontierGraphOptions &options)
      : problem(problem), options(options),
        leader(problem.getGroups()[group].leader),
        space(problem.getGraph().nodes[leader].whole.space) {}

  std::vector<Config> list() {
    degrees.assign(space.loops.size(), 1);
    extend(0, options.devices, 0);
    return std::move(found);
  }

private:
  static constexpr int maxCutLoops = 3;
  const ParallelizationProblem &problem;
  const FrontierGraphOptions &options;
  int leader;
  const IterationSpace &space;
  std::vector<int64_t> degrees;
  std::vector<Config> found;

  bool isSample(size_t loop) const {
    return problem.getRoles()[leader][loop] == Role::Sample;
  }

  /// Whether the largest piece is not much larger than the mean.
  bool isBalanced(size_t loop, int64_t degree) const {
    int64_t extent = space.loops[loop].extent;
    if (problem.evenPieces && extent % degree != 0)
      return false;
    return extent >= degree &&
           (extent + degree - 1) / degree * degree * 4 <= extent * 5;
  }

  bool mayHave(size_t loop, int64_t degree) const {
    if (degree == 1)
      return true;
    if (!problem.mayCut(leader, static_cast<int>(loop)) ||
        !isBalanced(loop, degree))
      return false;
    if (options.space == FrontierSpace::OptCnn && !isSample(loop))
      return space.results.empty() ||
             usesLoop(space.results[0].map, static_cast<int>(loop));
    return true;
  }

  void extend(size_t loop, int64_t left, int cut) {
    if (loop == degrees.size()) {
      add(left);
      return;
    }
    for (int64_t degree = 1; degree <= left; ++degree) {
      if (left % degree != 0 || !mayHave(loop, degree) ||
          (degree > 1 && cut == maxCutLoops))
        continue;
      degrees[loop] = degree;
      extend(loop + 1, left / degree, cut + (degree > 1));
    }
    degrees[loop] = 1;
  }

  /// `left`: how many devices there are for each piece.
  void add(int64_t left) {
    switch (options.space) {
    case FrontierSpace::All:
      emit(1);
      if (left > 1 && problem.replicas)
        emit(left);
      break;
    case FrontierSpace::OptCnn:
      emit(1);
      break;
    case FrontierSpace::ToFu:
      if (left == 1)
        emit(1);
      break;
    case FrontierSpace::Mesh:
      if (isOnMesh(left))
        emit(left);
      break;
    }
  }

  bool isOnMesh(int64_t left) const {
    int64_t columns = options.devices / options.meshSamples;
    int64_t samples = 1, others = 1;
    int cutOthers = 0;
    bool hasSamples = false;
    for (size_t l = 0; l < degrees.size(); ++l)
      if (isSample(l)) {
        samples *= degrees[l];
        hasSamples = true;
      } else if (degrees[l] > 1) {
        others *= degrees[l];
        ++cutOthers;
      }
    return samples == (hasSamples ? options.meshSamples : 1) &&
           (others == 1 || others == columns) && cutOthers <= 1 &&
           samples * others * left == options.devices;
  }

  void emit(int64_t replicas) {
    Config config;
    config.degrees = degrees;
    config.replicas = replicas;
    config.devices.resize(
        static_cast<size_t>(config.piecesPerReplica() * replicas));
    std::iota(config.devices.begin(), config.devices.end(), 0);
    found.push_back(std::move(config));
  }
};

} // namespace

std::vector<Config>
soap::frontierCandidates(const ParallelizationProblem &problem, int group,
                         const FrontierGraphOptions &options) {
  int leader = problem.getGroups()[group].leader;
  if (const Config *own = problem.fixedConfig(leader))
    return {*own};
  std::vector<Config> result = Lister(problem, group, options).list();
  for (const Strategy &strategy : options.known) {
    const Config &config = strategy[leader];
    bool inOrder = static_cast<int>(config.devices.size()) <= options.devices;
    for (size_t i = 0; inOrder && i < config.devices.size(); ++i)
      inOrder = config.devices[i] == static_cast<int>(i);
    if (inOrder &&
        std::find(result.begin(), result.end(), config) == result.end())
      result.push_back(config);
  }
  // An op that nothing of the space suits.
  if (result.empty())
    result.push_back(
        Config::single(problem.getGraph().nodes[leader].whole.space));
  return result;
}

std::vector<size_t> soap::bestCandidates(const std::vector<int64_t> &timesNs,
                                         const std::vector<int64_t> &bytes,
                                         size_t most) {
  std::vector<size_t> left(timesNs.size()), chosen;
  std::iota(left.begin(), left.end(), 0);
  std::stable_sort(left.begin(), left.end(), [&](size_t a, size_t b) {
    return timesNs[a] != timesNs[b] ? timesNs[a] < timesNs[b]
                                    : bytes[a] < bytes[b];
  });
  while (!left.empty() && chosen.size() < most) {
    std::vector<size_t> layer, rest;
    for (size_t c : left)
      (layer.empty() || bytes[c] < bytes[layer.back()] ? layer : rest)
          .push_back(c);
    // Of a layer that is too large some at equal distances, both ends among
    // them.
    size_t room = std::min(most - chosen.size(), layer.size());
    for (size_t i = 0; i < room; ++i)
      chosen.push_back(
          layer[room == 1 ? 0 : i * (layer.size() - 1) / (room - 1)]);
    left = std::move(rest);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}
