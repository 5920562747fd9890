//===- FactorMoves.cpp - Descent by factor moves --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FactorMoves.h.
//
//===----------------------------------------------------------------------===//

#include "FactorMoves.h"

#include "Search/Evaluator/SearchRun.h"

#include <cassert>

using namespace soap;

bool soap::isLegalFor(const ParallelizationProblem &problem, int group,
                      const Config &config) {
  int leader = problem.getGroups()[group].leader;
  return checkConfig(problem.getGraph().nodes[leader].whole.space, config,
                     problem.getTopology().deviceCount())
                 .fault == ConfigFault::None &&
         problem.contains(leader, config);
}

/// The prime factors, and the number itself, each once.
static std::vector<int64_t> movableFactors(int64_t n) {
  std::vector<int64_t> factors;
  int64_t whole = n;
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0)
      factors.push_back(p);
    while (n % p == 0)
      n /= p;
  }
  if (n > 1)
    factors.push_back(n);
  if (whole > 1 && factors.back() != whole)
    factors.push_back(whole);
  return factors;
}

std::vector<Config> soap::factorMovesOf(const ParallelizationProblem &problem,
                                        int group, const Config &config) {
  int leader = problem.getGroups()[group].leader;
  constexpr int replicas = -1;
  std::vector<int> loops;
  for (size_t l = 0; l < config.degrees.size(); ++l)
    if (problem.mayCut(leader, static_cast<int>(l)))
      loops.push_back(static_cast<int>(l));
  if (problem.replicas)
    loops.push_back(replicas);
  Config moved = config;
  auto degree = [&](int loop) -> int64_t & {
    return loop == replicas ? moved.replicas : moved.degrees[loop];
  };
  std::vector<Config> factorMoves;
  for (int from : loops)
    for (int64_t factor : movableFactors(degree(from)))
      for (int to : loops) {
        if (to == from)
          continue;
        degree(from) /= factor;
        degree(to) *= factor;
        assert(moved.replicas * moved.piecesPerReplica() ==
                   config.replicas * config.piecesPerReplica() &&
               "as many pieces");
        factorMoves.push_back(moved);
        moved = config;
      }
  return factorMoves;
}

/// Takes the first factor move of a set of groups that gains, with the config
/// of the first of them, until none gains. False if `isOver` has ended it.
static bool descend(const ParallelizationProblem &problem,
                    const std::vector<std::vector<int>> &sets,
                    StrategyEvaluator &evaluator, Evaluation &now,
                    const std::function<bool(const Evaluation &)> &isOver) {
  for (size_t at = 0, unimproved = 0; unimproved < sets.size();
       at = (at + 1) % sets.size(), ++unimproved) {
    int group = sets[at].front();
    Config config = evaluator.getStrategy()[problem.getGroups()[group].leader];
    for (const Config &moved : factorMovesOf(problem, group, config)) {
      if (!isLegalFor(problem, group, moved))
        continue;
      if (isOver(now))
        return false;
      std::vector<GroupChange> changes;
      for (int mate : sets[at])
        if (isLegalFor(problem, mate, moved))
          changes.push_back({mate, moved});
      Evaluation next = evaluator.propose(changes, now.makespanNs - 1);
      if (!isBetter(next, now)) {
        evaluator.reject();
        continue;
      }
      evaluator.accept();
      now = next;
      // These again, then all others.
      at = (at + sets.size() - 1) % sets.size();
      unimproved = static_cast<size_t>(-1);
      break;
    }
  }
  return true;
}

/// Adds a group together with others, once for all of them.
static void addSet(std::vector<std::vector<int>> &sets, int group,
                   const std::vector<int> &others) {
  if (!others.empty() && others.front() < group)
    return;
  sets.push_back({group});
  sets.back().insert(sets.back().end(), others.begin(), others.end());
}

Evaluation soap::descendByFactorMoves(
    const ParallelizationProblem &problem, const GroupMates &mates, bool tied,
    StrategyEvaluator &evaluator, Evaluation now,
    const std::function<bool(const Evaluation &)> &isOver) {
  assert(now.excessBytes == 0 && "the strategy fits into memory");
  int groups = static_cast<int>(problem.getGroups().size());
  std::vector<std::vector<int>> sets;
  for (int group = 0; tied && group < groups; ++group)
    if (!mates.inBlocks(group).empty())
      addSet(sets, group, mates.inBlocks(group));
  if (!descend(problem, sets, evaluator, now, isOver))
    return now;
  // Then groups that share weights together, and each group by itself, the last
  // time step first.
  sets.clear();
  for (int group = 0; group < groups; ++group)
    addSet(sets, group, mates.sharing(group));
  for (int group = groups; group-- > 0;)
    if (!mates.sharing(group).empty())
      sets.push_back({group});
  descend(problem, sets, evaluator, now, isOver);
  return now;
}
