//===- BlockSearch.cpp - Local search by elimination of blocks ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BlockSearch.h.
//
//===----------------------------------------------------------------------===//

#include "BlockSearch.h"

#include <cmath>

using namespace soap;
using namespace soap::costgraph;

/// Blocks have at least and at most so many nodes, tables so many entries.
static constexpr double leastBlock = 4, maxBlock = 400;
static constexpr double leastEntries = 1 << 8, maxEntries = 1 << 16;
/// Of kernels that one block may cover: barriers are crossed by large tables.
static constexpr double maxEntriesOfSmall = 1 << 20;
/// How often a move is tried again with higher prices.
static constexpr int maxTries = 6;

BlockSearch::BlockSearch(const Kernel &kernel, uint64_t seed)
    : kernel(kernel), random(seed), eliminator(kernel), profile(kernel),
      marks(kernel.nodes.size()) {
  setPrices(std::vector<double>(kernel.capacity.size()));
}

void BlockSearch::setPrices(const std::vector<double> &prices) {
  priceSums.assign(prices.size() + 1, 0);
  int priced = 0;
  for (size_t t = 0; t < prices.size(); ++t) {
    priceSums[t + 1] = priceSums[t] + prices[t];
    priced += prices[t] > 0;
  }
  usualPrice = priced ? priceSums.back() / priced : 0;
}

void BlockSearch::start(const std::vector<int> &from, const StopCheck &stop) {
  states = proposed = from;
  best = infinite;
  cost = kernel.costOf(states);
  if (cost >= infinite)
    mendForbidden(stop);
  proposed = states;
  profile.assign(states);
  record();
}

void BlockSearch::record() {
  if (cost < best && profile.fits()) {
    best = cost;
    bestFound = states;
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

std::vector<int> BlockSearch::growBlock(int seed, size_t size) {
  ++mark;
  marks[seed] = mark;
  std::vector<int> block, waiting = {seed};
  while (block.size() < size && !waiting.empty()) {
    auto i =
        static_cast<size_t>(random.below(static_cast<int64_t>(waiting.size())));
    int node = waiting[i];
    waiting[i] = waiting.back();
    waiting.pop_back();
    block.push_back(node);
    for (const Arc &arc : kernel.nodes[node].arcs)
      if (marks[arc.other] != mark) {
        marks[arc.other] = mark;
        waiting.push_back(arc.other);
      }
  }
  return block;
}

/// Any node; while memory is exceeded, mostly one that is live there.
int BlockSearch::chooseSeed() {
  int any = static_cast<int>(random.below(kernel.nodeCount()));
  if (random.below(4) == 0)
    return any;
  std::vector<int> exceeded;
  for (int b = 0; b < profile.blockCount(); ++b)
    if (profile.excess(b) > 0)
      exceeded.push_back(b);
  if (exceeded.empty())
    return any;
  int time = profile.worstPoint(exceeded[static_cast<size_t>(
      random.below(static_cast<int64_t>(exceeded.size())))]);
  std::vector<int> live;
  for (int n = 0; n < kernel.nodeCount(); ++n)
    for (const Piece &piece : kernel.nodes[n].pieces)
      if (piece.from <= time && time < piece.to && piece.bytes[states[n]] > 0)
        live.push_back(n);
  return live.empty() ? any
                      : live[static_cast<size_t>(
                            random.below(static_cast<int64_t>(live.size())))];
}

void BlockSearch::setUnaries(const EliminationPlan &plan, double temperature,
                             const std::vector<PointPrice> &extra) {
  for (int n : plan.order) {
    const KernelNode &node = kernel.nodes[n];
    std::vector<SearchCost> &costs = eliminator.unary(n);
    size_t count = costs.size();
    for (size_t s = 0; s < count; ++s)
      costs[s] = static_cast<SearchCost>(node.costs[s]);
    for (const Piece &piece : node.pieces) {
      double price = priceSums[piece.to] - priceSums[piece.from];
      for (const PointPrice &point : extra)
        if (piece.from <= point.time && point.time < piece.to)
          price += point.price;
      if (price > 0)
        for (size_t s = 0; s < count; ++s)
          costs[s] += static_cast<SearchCost>(
              price * static_cast<double>(piece.bytes[s]));
    }
    if (temperature > 0)
      for (size_t s = 0; s < count; ++s)
        costs[s] += static_cast<SearchCost>(
            temperature * std::log(-std::log(random.unit() * 0.9999999)));
    for (const Arc &arc : node.arcs)
      if (!eliminator.isFree(arc.other)) {
        const SearchCost *rows = eliminator.tables().rows(arc);
        size_t others = kernel.nodes[arc.other].costs.size();
        for (size_t s = 0; s < count; ++s)
          costs[s] += rows[s * others + states[arc.other]];
      }
  }
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// Of `proposed` against `states`; `infinite`: a pair would be forbidden.
int64_t BlockSearch::costChange(const std::vector<int> &nodes) const {
  int64_t gained = 0, lost = 0; // apart, as neither exceeds all costs
  for (int n : nodes) {
    if (proposed[n] == states[n])
      continue;
    const KernelNode &node = kernel.nodes[n];
    gained = addCosts(gained, node.costs[proposed[n]]);
    lost = addCosts(lost, node.costs[states[n]]);
    for (const Arc &arc : node.arcs) {
      int o = arc.other;
      if (proposed[o] != states[o] && o < n)
        continue; // counted from the other end
      gained = addCosts(gained, kernel.arcCost(arc, proposed[n], proposed[o]));
      if (gained >= infinite)
        return infinite;
      lost = addCosts(lost, kernel.arcCost(arc, states[n], states[o]));
    }
  }
  return gained >= infinite ? infinite : gained - lost;
}

void BlockSearch::moveProfile(const std::vector<int> &nodes, bool back) {
  const std::vector<int> &from = back ? proposed : states;
  const std::vector<int> &to = back ? states : proposed;
  for (int n : nodes)
    profile.move(n, from[n], to[n]);
}

void BlockSearch::raisePrices(std::vector<PointPrice> &extra,
                              double factor) const {
  for (int b = 0; b < profile.blockCount(); ++b)
    if (profile.excess(b) > 0) {
      int time = profile.worstPoint(b);
      double least = usualPrice > 0
                         ? usualPrice
                         : 1e-3 * static_cast<double>(cost) /
                               static_cast<double>(profile.excess(b));
      extra.push_back({time, factor * least});
    }
}

void BlockSearch::move(double temperature) {
  auto logUniform = [&](double low, double high) {
    return low * std::pow(high / low, random.unit());
  };
  double largest = std::min(static_cast<double>(kernel.nodeCount()), maxBlock);
  auto size = static_cast<size_t>(
      largest <= leastBlock ? largest : logUniform(leastBlock, largest));
  double entries = logUniform(leastEntries, kernel.nodeCount() > maxBlock
                                                ? maxEntries
                                                : maxEntriesOfSmall);
  const EliminationPlan &plan =
      eliminator.plan(growBlock(chooseSeed(), size), entries, random);
  int64_t before = profile.overload();
  std::vector<PointPrice> extra;
  for (int i = 0; i < maxTries; ++i) {
    setUnaries(plan, temperature, extra);
    eliminator.run(proposed);
    workDone += plan.work + 1000;
    int64_t change = costChange(plan.order);
    if (change >= infinite)
      break;
    moveProfile(plan.order, false);
    int64_t after = profile.overload();
    double threshold =
        temperature > 0 ? -temperature * std::log(random.unit()) : 0;
    if (after < before ||
        (after == before && static_cast<double>(change) <= threshold)) {
      for (int n : plan.order)
        states[n] = proposed[n];
      cost += change;
      record();
      return;
    }
    if (after > before)
      raisePrices(extra, std::exp2(i - 2));
    moveProfile(plan.order, true);
    if (after <= before)
      break;
  }
  for (int n : plan.order)
    proposed[n] = states[n];
}

void BlockSearch::run(double work, double temperature, const StopCheck &stop) {
  if (cost >= infinite || kernel.nodes.empty())
    return;
  for (double end = workDone + work; workDone < end && !stop(); ++moveCount)
    move(temperature);
}

/// Forbidden pairs cost much instead, and blocks around them are minimized.
void BlockSearch::mendForbidden(const StopCheck &stop) {
  Kernel soft = kernel;
  int64_t penalty = int64_t(1) << 50;
  for (const KernelEdge &edge : kernel.edges)
    for (int64_t cost : edge.costs)
      if (cost < infinite)
        penalty = std::max(penalty, addCosts(cost, cost) - 1);
  for (KernelEdge &edge : soft.edges)
    for (int64_t &cost : edge.costs)
      cost = std::min(cost, penalty);
  BlockSearch mender(soft, random.next());
  mender.states = mender.proposed = states;
  for (int i = 0; i < 200 && !stop(); ++i) {
    std::vector<int> seeds;
    for (const KernelEdge &edge : kernel.edges)
      if (kernel.edgeCost(edge, mender.states[edge.source],
                          mender.states[edge.target]) >= infinite)
        seeds.push_back(edge.source);
    if (seeds.empty())
      break;
    int seed = seeds[static_cast<size_t>(
        random.below(static_cast<int64_t>(seeds.size())))];
    size_t size = size_t(8) << random.below(6);
    const EliminationPlan &plan = mender.eliminator.plan(
        mender.growBlock(seed, size), maxEntries, mender.random);
    mender.setUnaries(plan, 0, {});
    mender.eliminator.run(mender.states);
    workDone += plan.work;
  }
  states = mender.states;
  cost = kernel.costOf(states);
}
