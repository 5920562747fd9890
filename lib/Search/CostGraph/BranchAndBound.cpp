//===- BranchAndBound.cpp - Proofs for kernels ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BranchAndBound.h.
//
//===----------------------------------------------------------------------===//

#include "BranchAndBound.h"
#include "IntegerBounds.h"
#include "PriceAscent.h"

#include <cmath>
#include <numeric>

using namespace soap;
using namespace soap::costgraph;

/// Tables of a subproblem that is eliminated rather than split.
static constexpr double maxEntries = 1 << 20;
/// Steps of the ascent in a subproblem, and how many without progress end it.
static constexpr int maxSteps = 120, patience = 12;

BranchAndBound::BranchAndBound(const Kernel &kernel, int64_t rootBound) {
  stack.push_back({Reducer(kernel), rootBound, {}});
}

BranchAndBound::BranchAndBound(const Kernel &kernel,
                               const std::vector<std::vector<char>> &keep)
    : BranchAndBound(kernel) {
  stack[0].reducer.nameAll();
  if (!stack[0].reducer.restrict(keep))
    stack.clear();
}

int64_t BranchAndBound::bound() const {
  int64_t least = infinite;
  for (const Subproblem &problem : stack)
    least = std::min(least, problem.bound);
  return least;
}

void BranchAndBound::run(double work, int64_t known, const Offer &offerTo,
                         const StopCheck &stop) {
  incumbent = std::min(incumbent, known);
  offer = &offerTo;
  for (double end = workDone + work;
       workDone < end && !stack.empty() && !stop();) {
    Subproblem problem = std::move(stack.back());
    stack.pop_back();
    ++nodeCount;
    workDone += 1e5;
    if (!excludes(problem.bound, incumbent))
      solve(std::move(problem), stop);
  }
}

void BranchAndBound::propose(const Reducer &reducer, const Kernel &kernel,
                             const std::vector<int> &states) {
  int64_t cost = kernel.costOf(states);
  if (cost >= incumbent)
    return;
  MemoryProfile profile(kernel);
  profile.assign(states);
  if (!profile.fits())
    return;
  incumbent = cost;
  (*offer)(cost, reducer.lift(states));
}

/// Exactly, if memory is no matter and tables are small.
bool BranchAndBound::eliminate(const Subproblem &problem,
                               const Kernel &kernel) {
  if (kernel.timeCount() > 0)
    return false;
  Eliminator<int64_t> eliminator(kernel);
  RandomGenerator random(0);
  std::vector<int> all(kernel.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  const EliminationPlan &plan = eliminator.plan(all, maxEntries, random);
  if (!plan.fixed.empty() || plan.work > 64 * maxEntries)
    return false;
  for (int n : plan.order)
    eliminator.unary(n) = kernel.nodes[n].costs;
  std::vector<int> states(kernel.nodes.size());
  eliminator.run(states);
  workDone += plan.work;
  propose(problem.reducer, kernel, states);
  return true;
}

/// Prices of a kernel's time points: of a moment that is not a time point any
/// more, the price of the next point.
static std::vector<double>
pricesFor(const Kernel &kernel,
          const std::vector<std::pair<int, double>> &known) {
  std::vector<double> prices;
  if (known.empty() || kernel.timeCount() == 0)
    return prices;
  prices.resize(kernel.capacity.size());
  for (auto [moment, price] : known) {
    auto next =
        std::lower_bound(kernel.moments.begin(), kernel.moments.end(), moment);
    prices[std::min<size_t>(next - kernel.moments.begin(),
                            prices.size() - 1)] += price;
  }
  return prices;
}

double costgraph::shareGone(const std::vector<std::vector<char>> &before,
                            const std::vector<std::vector<char>> &after) {
  double all = 0, left = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    all += static_cast<double>(
        std::count(before[i].begin(), before[i].end(), char(1)));
    left += static_cast<double>(
        std::count(after[i].begin(), after[i].end(), char(1)));
  }
  return all > 0 ? 1 - left / all : 0;
}

void BranchAndBound::solve(Subproblem problem, const StopCheck &stop) {
  for (;;) {
    if (!problem.reducer.reduce())
      return;
    Kernel kernel = problem.reducer.kernel();
    if (kernel.nodes.empty())
      return propose(problem.reducer, kernel, {});
    if (eliminate(problem, kernel))
      return;
    PriceAscent ascent(kernel, pricesFor(kernel, problem.prices));
    std::vector<std::vector<double>> shares;
    for (const KernelNode &node : kernel.nodes)
      shares.emplace_back(node.costs.size());
    Survivors survivors(kernel);
    double last = ascent.bound();
    for (int i = 0, idle = 0; i < maxSteps && idle < patience; ++i) {
      if (stop()) {
        stack.push_back(std::move(problem));
        return;
      }
      ascent.step();
      workDone += ascent.workOfStep();
      for (size_t n = 0; n < shares.size(); ++n) {
        for (double &share : shares[n])
          share *= 0.95;
        shares[n][ascent.states()[n]] += 0.05;
      }
      propose(problem.reducer, kernel, ascent.states());
      if (excludes(integerBound(ascent.bound()), incumbent))
        return;
      if (incumbent < infinite && i % 4 == 3)
        ascent.exclude(incumbent, survivors);
      double gain = ascent.bound() - last;
      double gap = static_cast<double>(incumbent) - last;
      idle = gain > 1e-3 * std::min(gap, std::abs(last)) ? 0 : idle + 1;
      last = std::max(last, ascent.bound());
    }
    problem.bound = std::max(problem.bound, integerBound(ascent.bound()));
    problem.prices.clear();
    for (int t = 0; t < kernel.timeCount(); ++t)
      if (ascent.prices()[t] > 0)
        problem.prices.emplace_back(kernel.moments[t], ascent.prices()[t]);
    std::vector<std::vector<double>> bounds = ascent.boundsOfStates();
    if (incumbent < infinite)
      ascent.exclude(incumbent, survivors);
    Survivors all(kernel);
    problem.reducer.restrictPairs(kernel, survivors.pairs);
    if (shareGone(all.states, survivors.states) >= 0.02 ||
        shareGone(all.pairs, survivors.pairs) >= 0.1) {
      if (!problem.reducer.restrict(survivors.states))
        return;
      continue;
    }
    return split(std::move(problem), kernel, bounds, survivors.states, shares);
  }
}

/// Where memory is what leaves the gap: of a node that decoded states give now
/// much, now little memory (in prices), those that hold more than its mean from
/// those that hold less.
bool BranchAndBound::splitMemory(
    const Subproblem &problem, const Kernel &kernel,
    const std::vector<std::vector<double>> &bounds,
    const std::vector<std::vector<char>> &keep,
    const std::vector<std::vector<double>> &shares) {
  std::vector<double> sums(kernel.capacity.size() + 1);
  std::vector<double> prices = pricesFor(kernel, problem.prices);
  for (size_t t = 0; t < prices.size(); ++t)
    sums[t + 1] = sums[t] + prices[t];
  int chosen = -1;
  double most = 0, threshold = 0;
  std::vector<double> held, chosenHeld;
  for (int n = 0; n < kernel.nodeCount() && !prices.empty(); ++n) {
    const KernelNode &node = kernel.nodes[n];
    held.assign(node.costs.size(), 0);
    for (const Piece &piece : node.pieces)
      for (size_t s = 0; s < held.size(); ++s)
        held[s] += (sums[piece.to] - sums[piece.from]) *
                   static_cast<double>(piece.bytes[s]);
    double all = 0, mean = 0, squares = 0;
    for (size_t s = 0; s < held.size(); ++s)
      if (keep[n][s]) {
        all += shares[n][s];
        mean += shares[n][s] * held[s];
      }
    if (all <= 0)
      continue;
    mean /= all;
    for (size_t s = 0; s < held.size(); ++s)
      if (keep[n][s])
        squares += shares[n][s] / all * (held[s] - mean) * (held[s] - mean);
    if (squares > most) {
      most = squares;
      chosen = n;
      threshold = mean;
      chosenHeld = held;
    }
  }
  if (chosen < 0 || std::sqrt(most) < 1e-4 * static_cast<double>(problem.bound))
    return false;
  // The side of the least bound is next.
  Subproblem sides[2] = {problem, problem};
  int64_t leastOf[2];
  for (int side = 0; side < 2; ++side) {
    std::vector<std::vector<char>> own = keep;
    int64_t least = infinite;
    for (size_t s = 0; s < own[chosen].size(); ++s) {
      own[chosen][s] =
          own[chosen][s] && (chosenHeld[s] > threshold) == (side > 0);
      if (own[chosen][s])
        least = std::min(least, integerBound(bounds[chosen][s]));
    }
    leastOf[side] = least;
    sides[side].bound = std::max(problem.bound, least);
    if (!sides[side].reducer.restrict(own))
      leastOf[side] = infinite;
  }
  int next = leastOf[0] <= leastOf[1] ? 0 : 1;
  for (int side : {1 - next, next})
    if (!excludes(leastOf[side], incumbent))
      stack.push_back(std::move(sides[side]));
  return true;
}

/// Over a node whose states differ most; the most promising is next.
void BranchAndBound::split(Subproblem problem, const Kernel &kernel,
                           const std::vector<std::vector<double>> &bounds,
                           std::vector<std::vector<char>> keep,
                           const std::vector<std::vector<double>> &shares) {
  if (splitMemory(problem, kernel, bounds, keep, shares))
    return;
  int chosen = -1;
  double most = -1;
  for (int n = 0; n < kernel.nodeCount(); ++n) {
    size_t states = bounds[n].size();
    if (states < 2)
      continue;
    double first = forbiddenValue<double>, second = first;
    for (double bound : bounds[n]) {
      if (bound < first) {
        second = first;
        first = bound;
      } else {
        second = std::min(second, bound);
      }
    }
    double score = (second - first + 1) *
                   static_cast<double>(kernel.nodes[n].arcs.size() + 1) /
                   static_cast<double>(states);
    if (score > most) {
      most = score;
      chosen = n;
    }
  }
  std::vector<int> order(bounds[chosen].size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return bounds[chosen][a] > bounds[chosen][b];
  });
  std::vector<char> left = keep[chosen];
  for (int state : order) {
    if (!left[state])
      continue;
    int64_t bound =
        std::max(problem.bound, integerBound(bounds[chosen][state]));
    if (excludes(bound, incumbent))
      continue;
    std::fill(keep[chosen].begin(), keep[chosen].end(), 0);
    keep[chosen][state] = 1;
    Subproblem &child = stack.emplace_back(problem);
    child.bound = bound;
    child.reducer.restrict(keep);
  }
}
