//===- SubspacesTest.cpp - Data parallelism in spaces without replicas ----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches of smaller spaces (space=sap and its like) find nothing worse than
// data parallelism as these spaces have it.
//
//===----------------------------------------------------------------------===//

#include "Search/Problems.h"
#include "Soap/Search/Frontier/FrontierSearch.h"
#include "Soap/Search/MCMC/MCMC.h"

#include <gtest/gtest.h>
#include <random>

using namespace soap;
using namespace soap::test;

namespace {

/// Data parallelism without replicas, by hand: ops are split over their samples
/// on the first devices, and those without samples are whole on the first.
Strategy withoutReplicas(const ParallelizationProblem &problem) {
  Strategy strategy(problem.getGraph().nodes.size());
  for (const OpGroup &group : problem.getGroups()) {
    const IterationSpace &space =
        problem.getGraph().nodes[group.leader].whole.space;
    Config config = Config::single(space);
    for (size_t l = 0; l < space.loops.size(); ++l) {
      if (problem.getRoles()[group.leader][l] != Role::Sample)
        continue;
      int devices = problem.getTopology().deviceCount();
      config.degrees[l] = std::min<int64_t>(space.loops[l].extent, devices);
      config.devices.clear();
      for (int d = 0; d < static_cast<int>(config.degrees[l]); ++d)
        config.devices.push_back(d);
      break;
    }
    problem.assign(strategy, group, config);
  }
  return strategy;
}

bool isInSpace(const ParallelizationProblem &problem,
               const Strategy &strategy) {
  return std::all_of(problem.getGroups().begin(), problem.getGroups().end(),
                     [&](const OpGroup &group) {
                       return problem.contains(group.leader,
                                               strategy[group.leader]);
                     });
}

} // namespace

/// Updates of steps from elsewhere have groups of their own, which data
/// parallelism replicates: it lies outside of spaces without replicas.
TEST(Subspaces, SearchesAreNotWorseThanDataParallelism) {
  using enum Role;
  constexpr unsigned firstSeed = 4700;
  for (unsigned seed = firstSeed; seed < firstSeed + 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    auto width = [&] { return int64_t(16) << (random() % 7); };
    Mlp mlp =
        makeMlp(int64_t(8) << (random() % 7), {width(), width(), width()});
    Topology topology =
        *builtinTopology("h100-1x" + std::to_string(2 + random() % 7));
    bool tied = random() % 4 == 0;
    ParallelizationProblem problem(
        mlp.graph, topology, tied ? layerGroups(mlp) : untiedGroups(mlp.graph),
        mlp.roles);
    problem.anyDevices = problem.replicas = false;
    problem.searchedRoles = {Sample};
    if (random() % 4)
      problem.searchedRoles.push_back(Parameter);
    if (random() % 2)
      problem.searchedRoles.push_back(Attribute);
    Strategy expected = withoutReplicas(problem);
    ASSERT_TRUE(isInSpace(problem, expected));
    int64_t bound = problem.evaluate(expected).makespanNs;

    McmcOptions chains;
    chains.seed = seed;
    chains.proposals = 1 + random() % 30;
    McmcResult found = searchMcmc(problem, chains);
    EXPECT_LE(found.bestEvaluation.makespanNs, bound);
    EXPECT_FALSE(problem.verify(found.best));
    EXPECT_TRUE(isInSpace(problem, found.best));

    FrontierSearchOptions tracking;
    tracking.seconds = random() % 2 ? 0 : 1e-6; // stopped at once
    FrontierSearchResult tracked = searchFrontier(problem, tracking);
    EXPECT_LE(tracked.search.bestEvaluation.makespanNs, bound);
    EXPECT_FALSE(problem.verify(tracked.search.best));
    EXPECT_TRUE(isInSpace(problem, tracked.search.best));
  }
}
