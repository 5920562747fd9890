//===- MeshSearch.cpp - Search over mesh strategies -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MeshSearch.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Mesh/MeshSearch.h"

#include "Search/Evaluator/SearchRun.h"
#include "Soap/Mesh/Symmetry/QuotientPlan.h"
#include "Soap/Mesh/TensorSplit.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/GroupBlocks.h"

#include <algorithm>
#include <cassert>

using namespace soap;

namespace {

/// A strategy over one mesh: a config per group, by its leader's loops.
struct Candidate {
  MeshStrategy leaders; ///< by group
  bool cutsUpdates = false;
  Evaluation price;
};

/// The search over one mesh.
class Descent {
public:
  Descent(const ParallelizationProblem &problem, Mesh mesh,
          const std::vector<std::vector<int>> &decisions, bool shardings,
          SearchRun &run, McmcResult &counts, MeshResult &result)
      : problem(problem), graph(problem.getGraph()), mesh(std::move(mesh)),
        decisions(decisions), shardings(shardings), run(run), counts(counts),
        result(result) {
    if (auto made = QuotientModel::make(problem.getTopology(), this->mesh))
      model = std::move(*made);
    pricer = std::make_unique<MeshPricer>(graph, problem.getTopology(),
                                          this->mesh, model.get());
    for (const auto &[node, config] : problem.getFixed()) {
      auto found =
          findMeshConfig(this->mesh, graph.nodes[node].whole.space, config);
      if (!found && misfit < 0)
        misfit = node;
      if (found)
        fixed[node] = std::move(*found);
    }
  }

  const Mesh &getMesh() const { return mesh; }
  /// An op with a fixed config that is none of this mesh; -1: there is none.
  int misfitting() const { return misfit; }

  /// The configs of all nodes.
  MeshStrategy strategyOf(const Candidate &candidate) const {
    MeshStrategy strategy(graph.nodes.size());
    const std::vector<OpGroup> &groups = problem.getGroups();
    for (size_t g = 0; g < groups.size(); ++g)
      for (size_t i = 0; i < groups[g].nodes.size(); ++i)
        strategy[groups[g].nodes[i]] =
            followMesh(candidate.leaders[g], groups[g].loops[i]);
    if (candidate.cutsUpdates)
      for (size_t n = 0; n < strategy.size(); ++n)
        if (graph.nodes[n].whole.phase == Phase::Update &&
            !fixed.contains(static_cast<int>(n)))
          cutUpdate(graph.nodes[n].whole.space, strategy[n]);
    if (shardings)
      for (size_t n = 0; n < strategy.size(); ++n)
        if (!fixed.contains(static_cast<int>(n)))
          keepShardings(graph.nodes[n].whole, strategy[n]);
    return strategy;
  }

  void price(Candidate &candidate) {
    MeshPrice found = pricer->price(strategyOf(candidate));
    run.countProposal();
    (found.unfolded.empty() ? result.folded : result.unfolded)++;
    if (!found.unfolded.empty())
      ++result.reasons[found.unfolded];
    const Topology &topology = problem.getTopology();
    int64_t capacity = topology.memoryBytes(0);
    for (const DeviceType &type : topology.deviceTypes)
      capacity =
          std::min(capacity, topology.executor.usableBytes(type.memoryBytes));
    candidate.price.makespanNs = found.makespanNs;
    candidate.price.excessBytes =
        std::max<int64_t>(found.peakBytes - capacity, 0);
  }

  /// Data parallelism, and what presets do on this mesh.
  std::vector<Candidate>
  starts(const std::vector<std::pair<std::string, Strategy>> &presets) const {
    std::vector<Candidate> list(1);
    for (const OpGroup &group : problem.getGroups())
      list[0].leaders.push_back(overSamples(group.leader));
    for (const auto &[name, strategy] : presets) {
      Candidate candidate;
      for (const OpGroup &group : problem.getGroups())
        if (auto config =
                findMeshConfig(mesh, graph.nodes[group.leader].whole.space,
                               strategy[group.leader]))
          candidate.leaders.push_back(std::move(*config));
      if (candidate.leaders.size() != problem.getGroups().size())
        continue;
      // Small ops that a preset leaves on some devices run on all.
      for (size_t g = 0; g < candidate.leaders.size(); ++g)
        if (std::vector<int> &targets = candidate.leaders[g].targets;
            !fixed.contains(problem.getGroups()[g].leader))
          std::replace(targets.begin(), targets.end(), MeshConfig::nothing,
                       MeshConfig::replicas);
      if (std::none_of(list.begin(), list.end(), [&](const Candidate &known) {
            return known.leaders == candidate.leaders;
          }))
        list.push_back(std::move(candidate));
    }
    std::vector<Candidate> both; // without and with updates cut
    for (Candidate &candidate : list)
      for (bool cuts : {false, true}) {
        both.push_back(candidate);
        both.back().cutsUpdates = cuts;
      }
    return both;
  }

  /// Changes one axis of one decision at a time while that gains.
  void improve(Candidate &best) {
    for (bool gained = true; gained && !run.isOver();) {
      gained = false;
      for (const std::vector<int> &groups : decisions)
        for (size_t a = 0; a < mesh.axes.size(); ++a)
          if (mesh.axes[a].size > 1)
            gained |= improveAxis(best, groups, a);
      Candidate other = best;
      other.cutsUpdates = !other.cutsUpdates;
      gained |= tryCandidate(best, std::move(other));
    }
  }

private:
  const ParallelizationProblem &problem;
  const Graph &graph;
  Mesh mesh;
  const std::vector<std::vector<int>> &decisions;
  bool shardings; ///< `MeshOptions::shardings`
  SearchRun &run;
  McmcResult &counts;
  MeshResult &result;
  std::unique_ptr<QuotientModel> model;
  std::unique_ptr<MeshPricer> pricer;
  std::map<int, MeshConfig> fixed; ///< by node
  int misfit = -1;

  bool tryCandidate(Candidate &best, Candidate candidate) {
    if (run.isOver())
      return false;
    price(candidate);
    if (!isBetter(candidate.price, best.price))
      return false;
    ++counts.accepted;
    best = std::move(candidate);
    return true;
  }

  bool improveAxis(Candidate &best, const std::vector<int> &groups, size_t a) {
    int leader = problem.getGroups()[groups.front()].leader;
    auto loops = static_cast<int>(graph.nodes[leader].whole.space.loops.size());
    bool gained = false;
    for (int target = MeshConfig::replicas; target < loops; ++target) {
      if (target >= 0 && !problem.mayCut(leader, target))
        continue;
      if (target < 0 && !problem.replicas)
        continue;
      Candidate candidate = best;
      bool isLegal = false;
      for (int group : groups) {
        MeshConfig &config = candidate.leaders[group];
        isLegal |= config.targets[a] != target;
        config.targets[a] = target;
      }
      std::vector<int64_t> degrees = degreesOf(
          mesh, candidate.leaders[groups.front()], static_cast<size_t>(loops));
      isLegal &= target < 0 ||
                 degrees[target] <=
                     graph.nodes[leader].whole.space.loops[target].extent;
      if (isLegal)
        gained |= tryCandidate(best, std::move(candidate));
    }
    return gained;
  }

  /// All axes that fit to the first sample loop, the others to replicas.
  MeshConfig overSamples(int leader) const {
    if (auto it = fixed.find(leader); it != fixed.end())
      return it->second;
    const IterationSpace &space = graph.nodes[leader].whole.space;
    const std::vector<Role> &roles = problem.getRoles()[leader];
    MeshConfig config;
    int samples = -1;
    for (size_t l = 0; l < space.loops.size() && samples < 0; ++l)
      if (roles[l] == Role::Sample &&
          problem.mayCut(leader, static_cast<int>(l)))
        samples = static_cast<int>(l);
    int64_t pieces = 1;
    for (const MeshAxis &axis : mesh.axes) {
      bool fits =
          samples >= 0 && pieces * axis.size <= space.loops[samples].extent;
      pieces *= fits ? axis.size : 1;
      config.targets.push_back(fits ? samples : MeshConfig::replicas);
    }
    return config;
  }

  /// Whether the loops have equal pieces, and results are left in blocks.
  bool hasShardings(const Kernel &op, const MeshConfig &config) const {
    const std::vector<Loop> &loops = op.space.loops;
    std::vector<int64_t> degrees = degreesOf(mesh, config, loops.size());
    Split axes(loops.size());
    for (size_t l = 0; l < loops.size(); ++l)
      if (loops[l].extent % degrees[l] != 0)
        return false;
    for (size_t a = 0; a < mesh.axes.size(); ++a)
      if (config.targets[a] >= 0 && mesh.axes[a].size > 1)
        axes[config.targets[a]].push_back(static_cast<int>(a));
    for (size_t r = 0; r < op.results.size(); ++r)
      if (!splitOf(op.space.results[r].map, graph.values[op.results[r]].shape,
                   op.space, degrees, axes))
        return false;
    return true;
  }

  /// Gives the axes to replicas along which there are no shardings.
  void keepShardings(const Kernel &op, MeshConfig &config) const {
    std::vector<int> targets = config.targets;
    std::fill(config.targets.begin(), config.targets.end(),
              MeshConfig::replicas);
    for (size_t a = 0; a < targets.size(); ++a) {
      if (targets[a] < 0)
        continue;
      config.targets[a] = targets[a];
      if (!hasShardings(op, config))
        config.targets[a] = MeshConfig::replicas;
    }
  }

  /// Gives the axes of replicas to the longest loop that they share evenly and
  /// that no other axis cuts.
  void cutUpdate(const IterationSpace &space, MeshConfig &config) const {
    std::vector<int64_t> degrees = degreesOf(mesh, config, space.loops.size());
    int best = -1;
    int64_t pieces = 1;
    for (size_t a = 0; a < mesh.axes.size(); ++a)
      if (config.targets[a] == MeshConfig::replicas)
        pieces *= mesh.axes[a].size;
    for (size_t l = 0; l < space.loops.size(); ++l)
      if (space.loops[l].type == IteratorType::Parallel && degrees[l] == 1 &&
          space.loops[l].extent % pieces == 0 &&
          (best < 0 || space.loops[l].extent > space.loops[best].extent))
        best = static_cast<int>(l);
    if (best >= 0)
      for (int &target : config.targets)
        if (target == MeshConfig::replicas)
          target = best;
  }
};

/// Groups that are decided on together; those with fixed configs are not.
std::vector<std::vector<int>>
findDecisions(const ParallelizationProblem &problem, bool untied) {
  GroupBlocks blocks =
      findBlocks(problem.getGraph(), problem.getGroups(), problem.getRoles());
  std::vector<std::vector<int>> decisions;
  for (int group : blocks.order) {
    const std::vector<int> &mates = blocks.mates[group];
    if (untied)
      decisions.push_back({group});
    else if (mates.front() == group)
      decisions.push_back(mates);
  }
  for (std::vector<int> &groups : decisions)
    std::erase_if(groups, [&](int group) {
      return problem.fixedConfig(problem.getGroups()[group].leader) != nullptr;
    });
  std::erase_if(decisions, [](const auto &groups) { return groups.empty(); });
  return decisions;
}

std::string nameOf(const Mesh &mesh) {
  std::string name;
  for (const MeshAxis &axis : mesh.axes)
    name += (name.empty() ? "" : " x ") + std::to_string(axis.size);
  return name;
}

} // namespace

MeshResult soap::searchMesh(const ParallelizationProblem &problem,
                            const MeshOptions &options) {
  assert(!problem.check() && "the problem must have passed check");
  MeshResult result;
  SearchRun run(options, result.search);
  std::vector<std::vector<int>> decisions =
      findDecisions(problem, options.untied);
  result.decisions = static_cast<int>(decisions.size());
  const Topology &topology = problem.getTopology();
  Mesh plain = *makeMesh(topology);
  int64_t inside = plain.deviceCount() / plain.machineCount();
  std::vector<std::vector<int64_t>> factors = {{}};
  for (int64_t outer = 2; outer < inside; outer *= 2)
    if (inside % outer == 0)
      factors.push_back({outer, inside / outer});
  std::vector<std::pair<std::string, Strategy>> presets = presetStarts(problem);

  struct Started {
    Descent *descent;
    Candidate candidate;
  };
  std::vector<std::unique_ptr<Descent>> descents;
  std::vector<Started> started;
  for (const std::vector<int64_t> &sizes : factors) {
    if (!started.empty() && run.isOver())
      break;
    descents.push_back(std::make_unique<Descent>(
        problem, *makeMesh(topology, {}, sizes), decisions, options.shardings,
        run, result.search, result));
    if (descents.back()->misfitting() >= 0)
      continue;
    for (Candidate &candidate : descents.back()->starts(presets)) {
      // The first two in any case: one of them may be all that fits.
      if (started.size() > 1 && run.isOver())
        break;
      descents.back()->price(candidate);
      started.push_back({descents.back().get(), std::move(candidate)});
    }
  }
  std::stable_sort(started.begin(), started.end(),
                   [](const Started &a, const Started &b) {
                     return isBetter(a.candidate.price, b.candidate.price);
                   });
  auto offer = [&](const Started &found) {
    Strategy strategy = unfold(found.descent->getMesh(), problem.getGraph(),
                               found.descent->strategyOf(found.candidate));
    problem.keepFixed(strategy);
    if (!run.offer(strategy, problem.evaluate(strategy)))
      return;
    result.mesh = nameOf(found.descent->getMesh());
    result.cutsUpdates = found.candidate.cutsUpdates;
  };
  if (!options.shardings || started.empty())
    run.offerStarts(problem);
  if (started.empty())
    result.misfit = descents.front()->misfitting();
  else
    offer(started.front());
  // Each mesh once, from the best of its starts.
  std::vector<const Descent *> done;
  for (Started &start : started) {
    if (run.isOver())
      break;
    if (std::find(done.begin(), done.end(), start.descent) != done.end())
      continue;
    done.push_back(start.descent);
    start.descent->improve(start.candidate);
    offer(start);
  }
  run.finish({});
  return result;
}
