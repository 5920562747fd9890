//===- BranchAndBound.cpp - Proofs for kernels ----------------------------===//
//
// See BranchAndBound.h.
//
//===----------------------------------------------------------------------===//

#include "BranchAndBound.h"
#include "PriceAscent.h"

#include <numeric>

using namespace soap;
using namespace soap::costgraph;

/// Tables of a subproblem that is eliminated rather than split.
static constexpr double mostEntries = 1 << 20;
/// Steps of the ascent in a subproblem, and how many without progress end it.
static constexpr int mostSteps = 120, patience = 12;

/// Costs are integers: a bound above the incumbent less one excludes.
static bool excludes(double bound, int64_t incumbent) {
  return incumbent < infinite &&
         bound > static_cast<double>(incumbent) - 1 + 1e-6;
}

std::vector<std::vector<char>>
costgraph::statesWorthKeeping(const std::vector<std::vector<double>> &bounds,
                              int64_t incumbent, int64_t &count) {
  std::vector<std::vector<char>> keep;
  count = 0;
  for (const std::vector<double> &node : bounds) {
    std::vector<char> &states = keep.emplace_back();
    for (double bound : node) {
      states.push_back(!excludes(bound, incumbent));
      count += !states.back();
    }
  }
  return keep;
}

int64_t costgraph::costIn(const Kernel &kernel,
                          const std::vector<int> &states) {
  int64_t sum = kernel.constant;
  for (int n = 0; n < kernel.nodeCount(); ++n)
    sum += kernel.nodes[n].costs[states[n]];
  for (const KernelEdge &edge : kernel.edges)
    sum = addCosts(
        sum, kernel.edgeCost(edge, states[edge.source], states[edge.target]));
  return sum;
}

BranchAndBound::BranchAndBound(const Kernel &kernel, double rootBound) {
  stack.push_back({Reducer(kernel), rootBound});
}

BranchAndBound::BranchAndBound(const Kernel &kernel,
                               const std::vector<std::vector<char>> &keep)
    : BranchAndBound(kernel) {
  stack[0].reducer.nameAll();
  if (!stack[0].reducer.restrict(keep))
    stack.clear();
}

double BranchAndBound::bound() const {
  double least = static_cast<double>(infinite);
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
  int64_t cost = costIn(kernel, states);
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
  const EliminationPlan &plan = eliminator.plan(all, mostEntries, random);
  if (!plan.fixed.empty() || plan.work > 64 * mostEntries)
    return false;
  for (int n : plan.order)
    eliminator.unary(n) = kernel.nodes[n].costs;
  std::vector<int> states(kernel.nodes.size());
  eliminator.run(states);
  workDone += plan.work;
  propose(problem.reducer, kernel, states);
  return true;
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
    PriceAscent ascent(kernel);
    double last = ascent.bound();
    for (int i = 0, idle = 0; i < mostSteps && idle < patience; ++i) {
      if (stop()) {
        stack.push_back(std::move(problem));
        return;
      }
      ascent.step();
      workDone += ascent.workOfStep();
      propose(problem.reducer, kernel, ascent.states());
      if (excludes(ascent.bound(), incumbent))
        return;
      double gain = ascent.bound() - last;
      double gap = static_cast<double>(incumbent) - last;
      idle = gain > 1e-3 * std::min(gap, std::abs(last)) ? 0 : idle + 1;
      last = std::max(last, ascent.bound());
    }
    problem.bound = std::max(problem.bound, ascent.bound());
    std::vector<std::vector<double>> bounds = ascent.boundsOfStates();
    int64_t dropped = 0, states = 0;
    auto keep = statesWorthKeeping(bounds, incumbent, dropped);
    for (const KernelNode &node : kernel.nodes)
      states += node.stateCount();
    if (20 * dropped >= states) {
      if (!problem.reducer.restrict(keep))
        return;
      continue;
    }
    return split(std::move(problem), kernel, bounds);
  }
}

/// Over a node whose states differ most; the most promising is next.
void BranchAndBound::split(Subproblem problem, const Kernel &kernel,
                           const std::vector<std::vector<double>> &bounds) {
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
  std::vector<std::vector<char>> keep;
  for (const KernelNode &node : kernel.nodes)
    keep.emplace_back(node.costs.size(), 1);
  for (int state : order) {
    double bound = std::max(problem.bound, bounds[chosen][state]);
    if (excludes(bound, incumbent))
      continue;
    std::fill(keep[chosen].begin(), keep[chosen].end(), 0);
    keep[chosen][state] = 1;
    Subproblem &child = stack.emplace_back(problem);
    child.bound = bound;
    child.reducer.restrict(keep);
  }
}
