//===- PriceAscent.cpp - Prices of memory, bounds and starts --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PriceAscent.h. Constants hold for problems of any scale.
//
//===----------------------------------------------------------------------===//

#include "PriceAscent.h"

using namespace soap;
using namespace soap::costgraph;

/// Prices are few: time points nearby are held by the same nodes.
static constexpr int maxStretches = 128;
/// Messages settle before there are prices, for at most so many steps.
static constexpr int maxWarmSteps = 30;
/// Of the bound, what first prices may cost.
static constexpr double firstShare = 0.01;
/// How much of the excess a step remembers.
static constexpr double memory = 0.8;

PriceAscent::PriceAscent(const Kernel &kernel, const std::vector<double> &start)
    : kernel(kernel), messages(kernel), excess(kernel.capacity.size()) {
  int points = kernel.timeCount(), count = std::min(points, maxStretches);
  for (int64_t i = 0; i < count; ++i) {
    Stretch stretch{static_cast<int>(i * points / count),
                    static_cast<int>((i + 1) * points / count)};
    stretches.push_back(stretch);
  }
  for (const KernelEdge &edge : kernel.edges)
    stepWork += 10.0 * static_cast<double>(edge.costs.size());
  for (const KernelNode &node : kernel.nodes)
    stepWork +=
        static_cast<double>((node.pieces.size() + 1) * (node.costs.size() + 1));
  if (!start.empty())
    setStart(start);
  best = lastBound = messages.bound();
  bestPrices = messages.prices();
  decoded = messages.decode();
}

/// Prices in the order of their size, and steps that are small beside them.
void PriceAscent::setStart(const std::vector<double> &start) {
  constexpr double startShare = 0.05;
  double most = *std::max_element(start.begin(), start.end());
  if (most <= 0)
    return;
  for (Stretch &stretch : stretches) {
    for (int t = stretch.from; t < stretch.to; ++t)
      stretch.price += start[t];
    stretch.stepSize = startShare * std::max(stretch.price, startShare * most);
  }
  messages.setPrices(start);
  decoded = messages.decode();
  updateExcess();
  isWarm = true;
}

void PriceAscent::updateExcess() {
  std::vector<double> changes(excess.size() + 1);
  for (int n = 0; n < kernel.nodeCount(); ++n)
    for (const Piece &piece : kernel.nodes[n].pieces) {
      auto bytes = static_cast<double>(piece.bytes[decoded[n]]);
      changes[piece.from] += bytes;
      changes[piece.to] -= bytes;
    }
  double held = 0;
  bool isFirst = !isWarm;
  for (size_t t = 0; t < excess.size(); ++t) {
    held += changes[t];
    double now = held - static_cast<double>(kernel.capacity[t]);
    excess[t] = isFirst ? now : memory * excess[t] + (1 - memory) * now;
  }
}

void PriceAscent::updatePrices() {
  std::vector<double> prices(excess.size());
  std::vector<int> worst;
  double above = 0;
  for (const Stretch &stretch : stretches) {
    auto begin = excess.begin() + stretch.from;
    auto most = std::max_element(begin, excess.begin() + stretch.to);
    worst.push_back(static_cast<int>(most - excess.begin()));
    above += std::max(*most, 0.0);
  }
  double firstStep = firstShare * std::max(best, 1.0) / std::max(above, 1.0);
  for (size_t i = 0; i < stretches.size(); ++i) {
    Stretch &stretch = stretches[i];
    double now = excess[worst[i]];
    if (stretch.stepSize == 0)
      stretch.stepSize = firstStep;
    else if (now * stretch.lastExcess > 0)
      stretch.stepSize *= stretch.price > 0 || now > 0 ? 1.1 : 0.99;
    else if (now * stretch.lastExcess < 0)
      stretch.stepSize *= 0.5;
    stretch.lastExcess = now;
    stretch.price = std::max(
        stretch.price + (now > 0 ? stretch.stepSize : -stretch.stepSize), 0.0);
    prices[worst[i]] = stretch.price;
  }
  messages.setPrices(std::move(prices));
}

void PriceAscent::step() {
  if (isWarm && !stretches.empty()) {
    updateExcess();
    updatePrices();
  }
  messages.pass();
  messages.pass();
  ++steps;
  double now = messages.bound();
  if (!isWarm && (steps >= maxWarmSteps ||
                  (steps > 10 && now - lastBound <= 1e-3 * std::abs(now)))) {
    decoded = messages.decode();
    updateExcess();
    isWarm = true;
  }
  lastBound = now;
  if (now > best) {
    best = now;
    bestPrices = messages.prices();
  }
  decoded = messages.decode();
}
