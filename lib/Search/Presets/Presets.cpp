//===- Presets.cpp - Strategies that need no search -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data parallelism decides op by op; model and spatial parallelism decide per
// group, so that what follows an op stays on its devices.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Presets/Presets.h"

#include "PresetSupport.h"
#include "Soap/Search/Presets/FewerDevices.h"
#include "Soap/Search/Problem/SomeDevices.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <random>

using namespace soap;

/// Devices 0, 1, ... for all pieces of the config.
static Config onFirstDevices(Config config) {
  config.devices.resize(config.replicas * config.piecesPerReplica());
  std::iota(config.devices.begin(), config.devices.end(), 0);
  return config;
}

Config soap::cutLoops(const IterationSpace &space,
                      const std::vector<int> &loops, int devices) {
  assert(devices > 0 && "at least one device");
  Config config = Config::single(space);
  int64_t rest = devices;
  for (int loop : loops) {
    int64_t degree =
        std::min(rest, std::max<int64_t>(space.loops[loop].extent, 1));
    while (rest % degree != 0)
      --degree;
    config.degrees[loop] = degree;
    rest /= degree;
  }
  assert(config.piecesPerReplica() <= devices && "a product of degrees");
  return onFirstDevices(std::move(config));
}

static Config replicated(const IterationSpace &space, int devices) {
  Config config = Config::single(space);
  config.replicas = devices;
  return onFirstDevices(std::move(config));
}

std::vector<int> soap::loopsOf(const ParallelizationProblem &problem, int node,
                               Role role) {
  const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
  std::vector<int> loops;
  for (size_t l = 0; l < space.loops.size(); ++l)
    if (problem.getRoles()[node][l] == role &&
        space.loops[l].type != IteratorType::Serial)
      loops.push_back(static_cast<int>(l));
  return loops;
}

int soap::largestOutputLoop(const ParallelizationProblem &problem, int node) {
  const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
  int best = -1;
  for (int loop : loopsOf(problem, node, Role::Parameter))
    if (!space.results.empty() && usesLoop(space.results[0].map, loop) &&
        (best < 0 || space.loops[loop].extent > space.loops[best].extent))
      best = loop;
  return best;
}

int soap::sampleLoop(const ParallelizationProblem &problem, int node) {
  std::vector<int> loops = loopsOf(problem, node, Role::Sample);
  return loops.empty() ? -1 : loops[0];
}

MachineGrid::MachineGrid(const Topology &topology, int64_t columns)
    : columnCount(columns) {
  std::vector<std::vector<int>> machines = topology.machines();
  if (columns == 0) {
    columnCount = static_cast<int64_t>(machines[0].size());
    for (const std::vector<int> &machine : machines)
      columnCount = std::min(columnCount, static_cast<int64_t>(machine.size()));
    for (std::vector<int> &machine : machines)
      machine.resize(static_cast<size_t>(columnCount));
  }
  for (const std::vector<int> &machine : machines)
    for (auto row = machine.begin(); machine.end() - row >= columnCount;
         row += columnCount)
      devices.emplace_back(row, row + columnCount);
  assert(columnCount > 0 && "rows of at least one device");
}

/// Sample loop split over as many devices as it has samples for; without one,
/// the same on all devices.
static Config dataParallel(const ParallelizationProblem &problem, int node) {
  const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
  int devices = problem.getTopology().deviceCount();
  std::vector<int> loops = loopsOf(problem, node, Role::Sample);
  if (loops.empty())
    return replicated(space, devices);
  Config config = Config::single(space);
  config.degrees[loops[0]] =
      std::clamp<int64_t>(space.loops[loops[0]].extent, 1, devices);
  return onFirstDevices(std::move(config));
}

Strategy soap::singleStrategy(const ParallelizationProblem &problem) {
  Strategy strategy;
  for (const GraphNode &node : problem.getGraph().nodes)
    strategy.push_back(Config::single(node.whole.space));
  problem.keepFixed(strategy);
  return strategy;
}

Strategy soap::dataParallelStrategy(const ParallelizationProblem &problem) {
  Strategy strategy;
  for (size_t n = 0; n < problem.getGraph().nodes.size(); ++n)
    strategy.push_back(dataParallel(problem, static_cast<int>(n)));
  problem.keepFixed(strategy);
  return strategy;
}

double soap::flopsOf(const ParallelizationProblem &problem,
                     const OpGroup &group) {
  double work = 0;
  for (int node : group.nodes) {
    const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
    work += space.flopsPerPoint * pointsOf(space, space.wholeBox());
  }
  return work;
}

Strategy soap::modelParallelStrategy(const ParallelizationProblem &problem) {
  Strategy strategy = singleStrategy(problem);
  int devices = problem.getTopology().deviceCount();
  std::vector<double> load(devices);
  for (const OpGroup &group : problem.getGroups()) {
    const IterationSpace &space =
        problem.getGraph().nodes[group.leader].whole.space;
    int best = -1;
    for (int loop : loopsOf(problem, group.leader, Role::Parameter))
      if (space.loops[loop].extent >= devices &&
          (best < 0 || space.loops[loop].extent > space.loops[best].extent))
        best = loop;
    if (best >= 0) {
      problem.assign(strategy, group, cutLoops(space, {best}, devices));
      continue;
    }
    auto least = std::min_element(load.begin(), load.end());
    *least += flopsOf(problem, group);
    problem.assign(
        strategy, group,
        Config::single(space, static_cast<int>(least - load.begin())));
  }
  return strategy;
}

/// Attribute loops that a window slides along: rows and columns of images, not
/// channels.
static std::vector<int> spatialLoops(const ParallelizationProblem &problem,
                                     int node) {
  const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
  std::vector<int> loops;
  for (int loop : loopsOf(problem, node, Role::Attribute)) {
    bool slides = false;
    for (const OperandAccess &operand : space.operands)
      for (const DimMap &dim : operand.map)
        if (dim.kind == DimMap::Kind::Window)
          slides |= std::any_of(dim.terms.begin(), dim.terms.end(),
                                [&](const Term &t) { return t.loop == loop; });
    // Only loops of the result: others are the window itself.
    bool inResult =
        !space.results.empty() && usesLoop(space.results[0].map, loop);
    if (slides && inResult)
      loops.push_back(loop);
  }
  return loops;
}

Strategy soap::spatialStrategy(const ParallelizationProblem &problem) {
  Strategy strategy = singleStrategy(problem);
  int devices = problem.getTopology().deviceCount();
  for (const OpGroup &group : problem.getGroups()) {
    const IterationSpace &space =
        problem.getGraph().nodes[group.leader].whole.space;
    std::vector<int> loops = spatialLoops(problem, group.leader);
    problem.assign(strategy, group,
                   loops.empty() ? dataParallel(problem, group.leader)
                                 : cutLoops(space, loops, devices));
  }
  return strategy;
}

/// By node: on how many devices its samples are. A node without samples (sums
/// of gradients) has the number of its operands. At least 1.
static std::vector<int64_t> sampleDevices(const Graph &graph,
                                          const Strategy &dataParallel) {
  std::vector<int64_t> ofNode, ofValue(graph.values.size(), 1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    int64_t devices = dataParallel[n].piecesPerReplica();
    if (devices == 1)
      for (int value : kernel.operands)
        devices = std::max(devices, ofValue[value]);
    for (int value : kernel.results)
      ofValue[value] = devices;
    ofNode.push_back(devices);
  }
  return ofNode;
}

/// By node: it computes the new value of a parameter or of a state of the
/// optimizer. An imported training step has no ops of the update phase: there
/// the nodes whose results replace arguments do.
static std::vector<bool> updatesOf(const Graph &graph) {
  std::vector<bool> updates;
  for (const GraphNode &node : graph.nodes)
    updates.push_back(node.whole.phase == Phase::Update);
  if (std::find(updates.begin(), updates.end(), true) == updates.end())
    for (const GraphInput &input : graph.inputs)
      if (input.updateNode >= 0)
        updates[static_cast<size_t>(input.updateNode)] = true;
  return updates;
}

void soap::shardWorkingCopies(const Graph &graph, Strategy &strategy) {
  std::vector<int> updateOf(graph.values.size(), -1);
  for (const GraphInput &input : graph.inputs)
    updateOf[input.value] = input.updateNode;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (kernel.phase != Phase::Forward || kernel.kind != "cast" ||
        kernel.operands.size() != 1)
      continue;
    int update = updateOf[kernel.operands[0]];
    if (update >= 0 &&
        strategy[update].degrees.size() == kernel.space.loops.size())
      strategy[n] = strategy[update];
  }
}

void soap::shardUpdates(const ParallelizationProblem &problem,
                        const std::vector<int64_t> &devices,
                        Strategy &strategy) {
  assert(devices.size() == strategy.size() && "a number a node");
  std::vector<bool> updates = updatesOf(problem.getGraph());
  for (size_t n = 0; n < strategy.size(); ++n) {
    const Kernel &kernel = problem.getGraph().nodes[n].whole;
    if (!updates[n])
      continue;
    const std::vector<Loop> &loops = kernel.space.loops;
    // Longest first; of equal ones the outer one, whose parts are contiguous.
    std::vector<int> order;
    for (size_t l = 0; l < loops.size(); ++l)
      if (loops[l].type == IteratorType::Parallel)
        order.push_back(static_cast<int>(l));
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return loops[a].extent != loops[b].extent
                 ? loops[a].extent > loops[b].extent
                 : a < b;
    });
    if (!order.empty())
      strategy[n] = cutLoops(kernel.space, order, static_cast<int>(devices[n]));
  }
  shardWorkingCopies(problem.getGraph(), strategy);
}

/// Data parallelism of which every device keeps and updates a part of the
/// weights only (Rajbhandari et al., 2020): gradients are reduced and scattered
/// to where their updates are, and kernels gather the weights that they read.
Strategy soap::zeroStrategy(const ParallelizationProblem &problem) {
  Strategy strategy = dataParallelStrategy(problem);
  // Gradients are on the devices that have samples. Between two sets of devices
  // there is no collective, so that others would receive every part of them,
  // and send every part of the weights, on its own.
  shardUpdates(problem, sampleDevices(problem.getGraph(), strategy), strategy);
  return strategy;
}

/// A reduction over the positions of a window.
static bool isWindowLoop(const IterationSpace &space, int loop) {
  if (space.loops[static_cast<size_t>(loop)].type != IteratorType::Reduction)
    return false;
  auto isOver = [&](const DimMap &map) {
    return map.kind == DimMap::Kind::Window &&
           std::any_of(map.terms.begin(), map.terms.end(),
                       [&](const Term &term) { return term.loop == loop; });
  };
  return std::any_of(space.operands.begin(), space.operands.end(),
                     [&](const OperandAccess &access) {
                       return std::any_of(access.map.begin(), access.map.end(),
                                          isOver);
                     });
}

/// Each loop of a group's leader split over all devices, then, from four
/// devices on, every two.
static std::vector<Config> probeChoices(const ParallelizationProblem &problem,
                                        const OpGroup &group) {
  const IterationSpace &space =
      problem.getGraph().nodes[group.leader].whole.space;
  int devices = problem.getTopology().deviceCount();
  std::vector<Config> choices;
  auto loopsFrom = [&](bool windows) {
    std::vector<int> loops;
    for (size_t l = 0; l < space.loops.size(); ++l)
      if (problem.mayCut(group.leader, static_cast<int>(l)) &&
          space.loops[l].extent >= 2 &&
          (windows || !isWindowLoop(space, static_cast<int>(l))))
        loops.push_back(static_cast<int>(l));
    return loops;
  };
  // Windows are split for want of other loops.
  std::vector<int> loops = loopsFrom(false);
  if (loops.empty())
    loops = loopsFrom(true);
  for (int loop : loops)
    choices.push_back(cutLoops(space, {loop}, devices));
  constexpr int forPairs = 4;
  for (int first : loops)
    for (int second : loops) {
      if (devices < forPairs || first == second)
        continue;
      Config config = Config::single(space);
      config.degrees[first] = 2;
      config.degrees[second] =
          std::min<int64_t>(devices / 2, space.loops[second].extent);
      choices.push_back(onFirstDevices(std::move(config)));
    }
  return choices;
}

Strategy soap::probeStrategy(const ParallelizationProblem &problem,
                             int number) {
  Strategy strategy = singleStrategy(problem);
  if (number == 0)
    return strategy;
  int devices = problem.getTopology().deviceCount(), turn = 0;
  for (const OpGroup &group : problem.getGroups()) {
    std::vector<Config> choices = probeChoices(problem, group);
    // Ops that cannot be split are on all devices in turn.
    if (choices.empty())
      choices.push_back(
          Config::single(problem.getGraph().nodes[group.leader].whole.space,
                         turn++ % devices));
    problem.assign(strategy, group,
                   choices[static_cast<size_t>(number - 1) % choices.size()]);
  }
  return strategy;
}

Strategy soap::mixedStrategy(const ParallelizationProblem &problem, int seed) {
  Strategy strategy = singleStrategy(problem);
  int devices = problem.getTopology().deviceCount();
  std::mt19937 random(static_cast<uint32_t>(seed));
  for (const OpGroup &group : problem.getGroups()) {
    std::vector<Config> choices = probeChoices(problem, group);
    for (int device = 0; device < devices; ++device)
      choices.push_back(Config::single(
          problem.getGraph().nodes[group.leader].whole.space, device));
    problem.assign(strategy, group, choices[random() % choices.size()]);
  }
  return strategy;
}

/// Gives groups whose config a search may not give the nearest one that it may:
/// without replicas, or whole on the first device. False: a group has none.
static bool moveIntoSpace(const ParallelizationProblem &problem,
                          Strategy &strategy) {
  for (const OpGroup &group : problem.getGroups()) {
    if (problem.contains(group.leader, strategy[group.leader]))
      continue;
    Config config = strategy[group.leader];
    config.replicas = 1;
    config.devices.resize(static_cast<size_t>(config.piecesPerReplica()));
    if (!problem.contains(group.leader, config))
      config =
          Config::single(problem.getGraph().nodes[group.leader].whole.space);
    if (!problem.contains(group.leader, config))
      return false;
    problem.assign(strategy, group, config);
  }
  return true;
}

/// Adds a strategy that is a new one and lies in the space of the problem.
static void addStart(const ParallelizationProblem &problem,
                     const std::string &name, Strategy strategy,
                     std::vector<std::pair<std::string, Strategy>> &starts) {
  bool isNew =
      std::none_of(starts.begin(), starts.end(),
                   [&](const auto &start) { return start.second == strategy; });
  bool inSpace = std::all_of(
      problem.getGroups().begin(), problem.getGroups().end(),
      [&](const OpGroup &group) {
        return problem.contains(group.leader, strategy[group.leader]);
      });
  if (isNew && inSpace)
    starts.emplace_back(name, std::move(strategy));
}

std::vector<std::pair<std::string, Strategy>>
soap::presetStarts(const ParallelizationProblem &problem) {
  std::vector<std::pair<std::string, Strategy>> starts;
  // Spaces without replicas have data parallelism of all but a few small ops.
  Strategy dataParallel = dataParallelStrategy(problem);
  if (moveIntoSpace(problem, dataParallel))
    addStart(problem, "data-parallel", std::move(dataParallel), starts);
  for (const std::string &name : presetNames())
    addStart(problem, name, *presetStrategy(name, problem), starts);
  return starts;
}

std::vector<std::pair<std::string, Strategy>>
soap::presetStartsOnAnyDevices(const ParallelizationProblem &problem) {
  std::vector<std::pair<std::string, Strategy>> starts = presetStarts(problem);
  std::vector<int> counts = deviceCounts(problem.getTopology());
  // All devices are above, and one is `single`.
  for (size_t i = counts.size(); i-- > 0;)
    if (counts[i] > 1 && counts[i] < problem.getTopology().deviceCount())
      for (const std::string &name : presetNames()) {
        std::string some = name + "(devices=" + std::to_string(counts[i]) + ")";
        addStart(problem, some, *presetStrategy(some, problem), starts);
      }
  return starts;
}
