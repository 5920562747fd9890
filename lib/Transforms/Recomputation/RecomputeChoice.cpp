//===- RecomputeChoice.cpp - Which ops are worth recomputing --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RecomputeChoice.h.
//
//===----------------------------------------------------------------------===//

#include "RecomputeChoice.h"

#include "Soap/Analysis/OpGroups.h"
#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Search/Problem/GroupBlocks.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace mlir::soap;

std::vector<std::vector<int>>
mlir::soap::forwardBlocks(const FunctionProblem &target) {
  const ::soap::Graph &graph = target.opGraph.graph;
  const ::soap::ParallelizationProblem &problem = *target.problem;
  ::soap::GroupBlocks found = ::soap::findBlocks(graph, problem.getGroups(),
                                                 computeRoles(target.opGraph));
  // A block begins with its first leader, and ends where the next one begins.
  // The last one has as many ops of the forward pass as the one before it.
  std::vector<int> forward, placeOf(graph.nodes.size(), -1);
  for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n)
    if (graph.nodes[n].whole.phase == ::soap::Phase::Forward) {
      placeOf[n] = static_cast<int>(forward.size());
      forward.push_back(n);
    }
  int count = static_cast<int>(forward.size());
  std::set<int> begins = {0};
  std::vector<bool> repeats(forward.size());
  for (const ::soap::RepeatedRun &run : found.runs) {
    std::vector<int> starts =
        ::soap::startsOfRun(graph, problem.getGroups(), found, run);
    if (starts.empty())
      continue;
    for (int &start : starts)
      start = placeOf[start];
    starts.push_back(std::min(count, starts.back() + starts.back() -
                                         starts[starts.size() - 2]));
    begins.insert(starts.begin(), starts.end());
    for (int p = starts.front(); p < starts.back(); ++p)
      repeats[p] = true;
  }
  begins.insert(count);
  int most = std::max(
      2, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count)))));
  std::vector<std::vector<int>> blocks;
  for (auto it = begins.begin(); std::next(it) != begins.end(); ++it) {
    int from = *it, to = *std::next(it), length = to - from;
    if (length == 0)
      continue;
    int pieces = repeats[from] ? 1 : (length + most - 1) / most;
    for (int p = 0; p < pieces; ++p)
      blocks.emplace_back(forward.begin() + from + p * length / pieces,
                          forward.begin() + from + (p + 1) * length / pieces);
  }
  return blocks;
}

RecomputeChoice::RecomputeChoice(const FunctionProblem &target,
                                 const ForwardPass &pass,
                                 const ::soap::Strategy &strategy,
                                 double budget)
    : pass(pass), blocks(forwardBlocks(target)),
      blockOf(target.opGraph.graph.nodes.size(), -1),
      ns(target.opGraph.graph.nodes.size()), whole(blockOf.size()),
      selective(blockOf.size()) {
  for (auto [b, block] : llvm::enumerate(blocks))
    for (int n : block)
      blockOf[n] = static_cast<int>(b);
  ::soap::CostModel cost(target.topology);
  ::soap::StrategyPlan plan(target.opGraph.graph, cost);
  plan.set(strategy);
  forwardNs = 0;
  for (size_t n = 0; n < ns.size(); ++n) {
    for (int slot : plan.slotsOf(static_cast<int>(n)))
      for (int64_t shard : plan.kernelPlan(slot).durationNs)
        ns[n] += shard;
    if (pass.isForward(static_cast<int>(n)))
      forwardNs += ns[n];
  }
  forwardNs = std::max<int64_t>(forwardNs, 1);
  for (size_t n = 0; n < blockOf.size(); ++n)
    if (blockOf[n] >= 0 && pass.whyNot(static_cast<int>(n)).empty() &&
        !crosses(static_cast<int>(n)))
      whole[n] = true;
  whole = pass.findUseful(whole);
  chooseSelective(budget);
}

/// Another block, or an update, reads what the node writes: it is there anyway.
bool RecomputeChoice::crosses(int node) const {
  for (int value : pass.recomputedResults(node))
    for (int reader : pass.readersOf(value))
      if (pass.kernel(reader).phase == ::soap::Phase::Update ||
          (pass.isForward(reader) && blockOf[reader] != blockOf[node]))
        return true;
  return false;
}

/// The most bytes per time first. Computing an op again takes the ops before
/// it, back to values that are kept.
void RecomputeChoice::chooseSelective(double budget) {
  struct Candidate {
    int node;
    double bytesPerNs;
    std::vector<int> with;
  };
  std::vector<Candidate> candidates;
  for (int n : ::soap::nodesIn(whole)) {
    int64_t saved = 0, costNs = 0;
    for (int value : pass.recomputedResults(n))
      if (pass.isReadByGradients(value))
        saved += bytesOf(value);
    if (saved == 0)
      continue;
    std::vector<int> with;
    std::set<int> seen = {n};
    std::vector<int> open = {n};
    while (!open.empty()) {
      int next = open.back();
      open.pop_back();
      with.push_back(next);
      costNs += ns[next];
      std::set<int> counted;
      for (int value : pass.kernel(next).operands) {
        int from = pass.writerOf(value);
        if (from < 0 || pass.isReadByGradients(value))
          continue; // an argument, or kept for the backward pass
        if (!whole[from]) {
          if (pass.isForward(from) && counted.insert(value).second)
            saved -= bytesOf(value);
        } else if (seen.insert(from).second) {
          open.push_back(from);
        }
      }
    }
    if (saved > 0)
      candidates.push_back(
          {n,
           static_cast<double>(saved) /
               static_cast<double>(std::max<int64_t>(costNs, 1)),
           std::move(with)});
  }
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.bytesPerNs > b.bytesPerNs;
  });
  double left = budget * static_cast<double>(forwardNs);
  for (const Candidate &candidate : candidates) {
    double added = 0;
    for (int n : candidate.with)
      if (!selective[n])
        added += static_cast<double>(ns[n]);
    if (added > left)
      continue;
    left -= added;
    for (int n : candidate.with)
      selective[n] = true;
  }
}

std::vector<bool>
RecomputeChoice::choose(ArrayRef<RecomputePolicy> policies) const {
  std::vector<bool> nodes(blockOf.size());
  for (int n : ::soap::nodesIn(whole)) {
    RecomputePolicy policy = policies[blockOf[n]];
    if (policy == RecomputePolicy::Whole ||
        (policy == RecomputePolicy::Selective && selective[n]))
      nodes[n] = true;
  }
  return pass.findUseful(nodes);
}

int64_t RecomputeChoice::keptBytes(const std::vector<bool> &nodes) const {
  int64_t sum = 0;
  for (size_t n = 0; n < blockOf.size(); ++n) {
    if (!pass.isForward(static_cast<int>(n)))
      continue;
    std::span<const int> again;
    if (nodes[n])
      again = pass.recomputedResults(static_cast<int>(n));
    for (int value : pass.kernel(static_cast<int>(n)).results)
      if (!llvm::is_contained(again, value) &&
          llvm::any_of(pass.readersOf(value), [&](int reader) {
            return nodes[reader] ||
                   pass.kernel(reader).phase == ::soap::Phase::Backward;
          }))
        sum += bytesOf(value);
  }
  return sum;
}

double RecomputeChoice::shareOf(const std::vector<bool> &nodes) const {
  int64_t sum = 0;
  for (int n : ::soap::nodesIn(nodes))
    sum += ns[n];
  return static_cast<double>(sum) / static_cast<double>(forwardNs);
}
