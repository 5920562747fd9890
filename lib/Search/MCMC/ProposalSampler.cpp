//===- ProposalSampler.cpp - What a Markov chain proposes -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every random decision comes from one generator.
//
//===----------------------------------------------------------------------===//

#include "ProposalSampler.h"

#include "FactorMoves.h"
#include "Search/Presets/UnevenDevices.h"
#include "Search/Problem/ConfigSpace.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

ProposalSampler::ProposalSampler(const ParallelizationProblem &problem,
                                 ProposalKind kind)
    : problem(problem), kind(kind),
      devices(problem.getTopology().deviceCount()), neighbours(problem),
      mates(problem) {
  for (size_t g = 0; g < problem.getGroups().size(); ++g) {
    degrees.push_back(legalDegrees(problem, problem.getGroups()[g].leader));
    assert(!degrees.back().empty() && "whole is always legal");
    neighboursOf.push_back(neighbours.of(static_cast<int>(g)));
  }
  constexpr size_t maxLists = 12;
  if (kind == ProposalKind::Mixed && problem.anyDevices)
    unevenLists = unevenDeviceLists(problem, maxLists);
}

Config ProposalSampler::drawConfig(RandomGenerator &random, int group) const {
  assert(group >= 0 &&
         static_cast<size_t>(group) < problem.getGroups().size() &&
         "no such group");
  if (const Config *own =
          problem.fixedConfig(problem.getGroups()[group].leader))
    return *own;
  const std::vector<std::vector<int64_t>> &choices = degrees[group];
  Config config;
  config.degrees = choices[random.below(static_cast<int64_t>(choices.size()))];
  config.replicas = config.degrees.back();
  config.degrees.pop_back();
  int64_t count = config.replicas * config.piecesPerReplica();
  if (!problem.anyDevices) {
    config.devices.resize(count);
    std::iota(config.devices.begin(), config.devices.end(), 0);
    return config;
  }
  // Half of the draws take devices in their order: those often fit what the
  // neighbours do. The others are any list without repetition.
  if (random.below(2) == 0) {
    int64_t start = random.below(devices);
    for (int64_t i = 0; i < count; ++i)
      config.devices.push_back(static_cast<int>((start + i) % devices));
    return config;
  }
  std::vector<int> order(devices);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = 0; i < count; ++i) {
    std::swap(order[i], order[i + random.below(devices - i)]);
    config.devices.push_back(order[i]);
  }
  return config;
}

int ProposalSampler::drawGroup(RandomGenerator &random,
                               const std::vector<int64_t> &weights) const {
  assert((weights.empty() || weights.size() == problem.getGroups().size()) &&
         "a weight a group");
  assert(!problem.getGroups().empty() && "the problem must have groups");
  int64_t total = std::accumulate(weights.begin(), weights.end(), int64_t(0));
  if (kind == ProposalKind::Uniform || total <= 0 || random.below(2) == 0)
    return static_cast<int>(
        random.below(static_cast<int64_t>(problem.getGroups().size())));
  int64_t at = random.below(total);
  size_t group = 0;
  while (at >= weights[group])
    at -= weights[group++];
  return static_cast<int>(group);
}

bool ProposalSampler::isLegal(const Config &config, int group) const {
  return isLegalFor(problem, group, config);
}

/// The config of a neighbour, so that no tile has to move between the two.
Config ProposalSampler::asNeighbour(RandomGenerator &random,
                                    const Strategy &current, int group) const {
  const std::vector<int> &others = neighboursOf[group];
  if (others.empty())
    return {};
  int other = others[random.below(static_cast<int64_t>(others.size()))];
  return neighbours.translate(other, current[problem.getGroups()[other].leader],
                              group);
}

/// The same degrees elsewhere. No devices: there is no such block. A list may
/// name a device several times, and so be longer than the number of devices.
Config ProposalSampler::moved(RandomGenerator &random, Config config) const {
  assert(!config.devices.empty() && "nothing to move");
  auto count = static_cast<int64_t>(config.devices.size());
  switch (random.below(4)) {
  case 0: { // all by the same distance
    int64_t shift = random.below(devices);
    for (int &device : config.devices)
      device = static_cast<int>((device + shift) % devices);
    break;
  }
  case 1: // pieces among the same devices
    std::rotate(config.devices.begin(),
                config.devices.begin() + random.below(count),
                config.devices.end());
    break;
  case 2: // two pieces
    std::swap(config.devices[random.below(count)],
              config.devices[random.below(count)]);
    break;
  default: { // an aligned block in order
    if (count > devices)
      return {};
    int64_t start = random.below(devices / count) * count;
    std::iota(config.devices.begin(), config.devices.end(),
              static_cast<int>(start));
  }
  }
  return config;
}

/// A factor from one degree to another, on the same devices.
Config ProposalSampler::drawFactorMove(RandomGenerator &random,
                                       const Config &config, int group) const {
  std::vector<Config> factorMoves = factorMovesOf(problem, group, config);
  if (factorMoves.empty())
    return {};
  return factorMoves[random.below(static_cast<int64_t>(factorMoves.size()))];
}

/// One degree more or less, on an aligned block around the first device.
Config ProposalSampler::recut(RandomGenerator &random, const Config &config,
                              int group) const {
  int leader = problem.getGroups()[group].leader;
  std::vector<int> loops;
  for (size_t l = 0; l < config.degrees.size(); ++l)
    if (problem.mayCut(leader, static_cast<int>(l)))
      loops.push_back(static_cast<int>(l));
  if (problem.replicas)
    loops.push_back(-1);
  if (loops.empty())
    return {};
  Config result = config;
  auto draw = [&]() -> int64_t & {
    int loop = loops[random.below(static_cast<int64_t>(loops.size()))];
    return loop < 0 ? result.replicas : result.degrees[loop];
  };
  // Down, up, or from one loop to another.
  int64_t change = random.below(3);
  if (change != 1) {
    int64_t &degree = draw();
    if (degree % 2 != 0)
      return {};
    degree /= 2;
  }
  if (change != 0)
    draw() *= 2;
  int64_t count = result.replicas * result.piecesPerReplica();
  if (count > devices)
    return {};
  int64_t start =
      problem.anyDevices
          ? std::min(config.devices.front() / count * count, devices - count)
          : 0;
  result.devices.resize(count);
  std::iota(result.devices.begin(), result.devices.end(),
            static_cast<int>(start));
  return result;
}

/// An equal partition among all devices in order, half of the time of one loop.
Config ProposalSampler::repartitioned(RandomGenerator &random,
                                      int group) const {
  // The first of a few draws that uses all devices, and, of one loop only,
  // splits no other.
  bool oneLoop = random.below(2) == 0;
  const std::vector<std::vector<int64_t>> &choices = degrees[group];
  constexpr int maxDraws = 64;
  for (int i = 0; i < maxDraws; ++i) {
    const std::vector<int64_t> &choice =
        choices[random.below(static_cast<int64_t>(choices.size()))];
    int64_t count = 1;
    int cuts = 0;
    for (int64_t degree : choice) {
      count *= degree;
      cuts += degree > 1;
    }
    if (count != devices || (oneLoop && cuts > 1))
      continue;
    Config config;
    config.degrees.assign(choice.begin(), choice.end() - 1);
    config.replicas = choice.back();
    config.devices.resize(count);
    std::iota(config.devices.begin(), config.devices.end(), 0);
    return config;
  }
  return {};
}

/// One loop in pieces for unequal devices.
Config ProposalSampler::weighted(RandomGenerator &random, int group) const {
  const std::vector<int> &list =
      unevenLists[random.below(static_cast<int64_t>(unevenLists.size()))];
  int leader = problem.getGroups()[group].leader;
  const IterationSpace &space = problem.getGraph().nodes[leader].whole.space;
  auto count = static_cast<int64_t>(list.size());
  std::vector<int> loops;
  for (size_t l = 0; l < space.loops.size(); ++l)
    if (problem.mayCut(leader, static_cast<int>(l)) &&
        space.loops[l].extent >= count)
      loops.push_back(static_cast<int>(l));
  if (loops.empty())
    return {};
  Config config = Config::single(space);
  config.degrees[loops[random.below(static_cast<int64_t>(loops.size()))]] =
      count;
  config.devices = list;
  return config;
}

/// No devices: the move is not possible here.
ProposalSampler::Move ProposalSampler::drawMixed(RandomGenerator &random,
                                                 const Strategy &current,
                                                 int group) const {
  const Config &config = current[problem.getGroups()[group].leader];
  int64_t percent = random.below(100);
  if (percent < 20)
    return {asNeighbour(random, current, group)};
  if (percent < 30)
    return {problem.anyDevices ? moved(random, config) : Config()};
  if (percent < 40)
    return {recut(random, config, group)};
  if (percent < 60)
    return {drawFactorMove(random, config, group), 60, 15};
  if (percent < 80)
    return {repartitioned(random, group)};
  if (percent < 90 && !unevenLists.empty())
    return {weighted(random, group)};
  return {};
}

/// A config for a group, and for all others where it is legal.
Proposal ProposalSampler::forAll(int group, const std::vector<int> &others,
                                 const Config &config) const {
  Proposal proposal = {{group, config}};
  for (int other : others)
    if (isLegal(config, other))
      proposal.push_back({other, config});
  return proposal;
}

/// Whether mates change together. Groups without mates draw no number.
bool ProposalSampler::drawTied(RandomGenerator &random, int group,
                               double tied) const {
  assert(tied >= 0 && tied <= 1 && "a share of the draws");
  return tied > 0 && !mates.inBlocks(group).empty() && random.unit() <= tied;
}

Proposal ProposalSampler::drawUniform(RandomGenerator &random, int group,
                                      double tied) const {
  bool isTied = drawTied(random, group, tied);
  Config config = drawConfig(random, group);
  return isTied ? forAll(group, mates.inBlocks(group), config)
                : Proposal{{group, std::move(config)}};
}

Proposal ProposalSampler::draw(RandomGenerator &random, const Strategy &current,
                               const std::vector<int64_t> &weights,
                               double tied) const {
  int group = drawGroup(random, weights);
  if (kind == ProposalKind::Uniform)
    return drawUniform(random, group, tied);
  bool isTied = drawTied(random, group, tied);
  auto [config, sharing, alike] = drawMixed(random, current, group);
  if (config.devices.empty() || !isLegal(config, group))
    config = drawConfig(random, group);
  if (isTied)
    return forAll(group, mates.inBlocks(group), config);
  // Groups that share weights pay for each difference between them, so a way
  // out often needs a step of all of them.
  int64_t percent = random.below(100);
  if (percent >= sharing + alike)
    return {{group, config}};
  return forAll(group,
                percent < sharing ? mates.sharing(group) : mates.alike(group),
                config);
}
