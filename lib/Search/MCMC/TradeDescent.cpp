//===- TradeDescent.cpp - Descent by trades between loops -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TradeDescent.h.
//
//===----------------------------------------------------------------------===//

#include "TradeDescent.h"

#include "Search/Evaluator/SearchRun.h"

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
static std::vector<int64_t> tradableFactors(int64_t n) {
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

std::vector<Config> soap::tradesOf(const ParallelizationProblem &problem,
                                   int group, const Config &config) {
  int leader = problem.getGroups()[group].leader;
  constexpr int replicas = -1;
  std::vector<int> loops;
  for (size_t l = 0; l < config.degrees.size(); ++l)
    if (problem.mayCut(leader, static_cast<int>(l)))
      loops.push_back(static_cast<int>(l));
  if (problem.replicas)
    loops.push_back(replicas);
  Config trade = config;
  auto degree = [&](int loop) -> int64_t & {
    return loop == replicas ? trade.replicas : trade.degrees[loop];
  };
  std::vector<Config> trades;
  for (int from : loops)
    for (int64_t factor : tradableFactors(degree(from)))
      for (int to : loops) {
        if (to == from)
          continue;
        degree(from) /= factor;
        degree(to) *= factor;
        trades.push_back(trade);
        trade = config;
      }
  return trades;
}

Evaluation
soap::descendByTrades(const ParallelizationProblem &problem,
                      const GroupMates &mates, StrategyEvaluator &evaluator,
                      Evaluation now,
                      const std::function<bool(const Evaluation &)> &isOver) {
  int groups = static_cast<int>(problem.getGroups().size());
  // Those that share weights together, with the config of the first of them,
  // then each by itself, the last time step first.
  std::vector<std::vector<int>> sets;
  for (int group = 0; group < groups; ++group)
    if (mates.sharing(group).empty() || mates.sharing(group).front() > group) {
      sets.push_back({group});
      sets.back().insert(sets.back().end(), mates.sharing(group).begin(),
                         mates.sharing(group).end());
    }
  for (int group = groups; group-- > 0;)
    if (!mates.sharing(group).empty())
      sets.push_back({group});

  for (size_t at = 0, unimproved = 0; unimproved < sets.size();
       at = (at + 1) % sets.size(), ++unimproved) {
    int group = sets[at].front();
    Config config = evaluator.getStrategy()[problem.getGroups()[group].leader];
    for (const Config &trade : tradesOf(problem, group, config)) {
      if (!isLegalFor(problem, group, trade))
        continue;
      if (isOver(now))
        return now;
      std::vector<GroupChange> changes;
      for (int mate : sets[at])
        if (isLegalFor(problem, mate, trade))
          changes.push_back({mate, trade});
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
  return now;
}
