//===- MessagePassing.cpp - Lower bounds by reparametrization -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MessagePassing.h.
//
//===----------------------------------------------------------------------===//

#include "MessagePassing.h"

#include "IntegerBounds.h"

using namespace soap;
using namespace soap::costgraph;

/// The most that rounding changes a result by, as a share of it.
static constexpr double unitRoundoff = 0x1p-53;

MessagePassing::MessagePassing(const Kernel &kernel)
    : kernel(kernel), edges(kernel) {
  for (const KernelEdge &edge : kernel.edges) {
    messages[0].emplace_back(kernel.nodes[edge.source].costs.size());
    messages[1].emplace_back(kernel.nodes[edge.target].costs.size());
  }
  setPrices(std::vector<double>(kernel.capacity.size()));
}

void MessagePassing::setPrices(std::vector<double> prices) {
  timePrices = std::move(prices);
  std::vector<double> sums(timePrices.size() + 1);
  int priced = 0;
  for (size_t t = 0; t < timePrices.size(); ++t) {
    sums[t + 1] = sums[t] + timePrices[t];
    priced += timePrices[t] > 0;
  }
  // A piece's price is a difference of two sums.
  double priceRounding = 2 * (priced + 1) * unitRoundoff * sums.back();
  costs.resize(kernel.nodes.size());
  costRoundings.assign(kernel.nodes.size(), 0);
  for (size_t n = 0; n < kernel.nodes.size(); ++n) {
    const KernelNode &node = kernel.nodes[n];
    costs[n].assign(node.costs.begin(), node.costs.end());
    double bytes = 0; // of all pieces, each in the state that holds most
    for (const Piece &piece : node.pieces) {
      bytes += static_cast<double>(
          *std::max_element(piece.bytes.begin(), piece.bytes.end()));
      if (double price = sums[piece.to] - sums[piece.from]; price > 0)
        for (size_t s = 0; s < costs[n].size(); ++s)
          costs[n][s] += price * static_cast<double>(piece.bytes[s]);
    }
    double most = *std::max_element(costs[n].begin(), costs[n].end());
    auto terms = static_cast<double>(node.pieces.size() + 4);
    costRoundings[n] = terms * unitRoundoff * most + priceRounding * bytes;
  }
}

/// For each state of the arc's node, the least that its edge leaves.
void MessagePassing::leastOver(const Arc &arc, size_t states,
                               double *result) const {
  const std::vector<double> &other = opposite(arc);
  const double *row = edges.rows(arc);
  size_t count = other.size();
  for (size_t s = 0; s < states; ++s, row += count) {
    double least = forbiddenValue<double>;
    for (size_t o = 0; o < count; ++o) {
      double value = row[o] - other[o];
      least = value < least ? value : least;
    }
    result[s] = least;
  }
}

void MessagePassing::visit(int n, bool isForward, std::vector<double> &sum) {
  const KernelNode &node = kernel.nodes[n];
  size_t states = node.costs.size();
  sum = costs[n];
  int before = 0, after = 0;
  for (const Arc &arc : node.arcs) {
    std::vector<double> &own = message(arc);
    leastOver(arc, states, own.data());
    for (size_t s = 0; s < states; ++s)
      sum[s] += own[s];
    ++(arc.other < n ? before : after);
  }
  if (!isForward)
    std::swap(before, after);
  if (after == 0)
    return;
  double least = *std::min_element(sum.begin(), sum.end());
  double share = 1.0 / std::max(before, after);
  for (double &value : sum)
    value = share * (value - least);
  for (const Arc &arc : node.arcs)
    if ((arc.other > n) == isForward) {
      std::vector<double> &own = message(arc);
      for (size_t s = 0; s < states; ++s)
        own[s] -= sum[s];
    }
}

void MessagePassing::pass() {
  std::vector<double> sum;
  for (int n = 0; n < kernel.nodeCount(); ++n)
    visit(n, true, sum);
  for (int n = kernel.nodeCount(); n-- > 0;)
    visit(n, false, sum);
}

double MessagePassing::sumsOf(int n, std::vector<double> &sums) const {
  sums = costs[n];
  double magnitude = 0;
  for (double cost : sums)
    magnitude = std::max(magnitude, cost);
  const KernelNode &node = kernel.nodes[n];
  for (const Arc &arc : node.arcs) {
    const std::vector<double> &own = message(arc);
    double most = 0;
    for (size_t s = 0; s < sums.size(); ++s) {
      sums[s] += own[s];
      most = std::max(most, std::abs(own[s]));
    }
    magnitude += most;
  }
  return costRoundings[n] +
         static_cast<double>(node.arcs.size()) * unitRoundoff * magnitude;
}

double MessagePassing::restOf(const Arc &arc, size_t states,
                              std::vector<double> &rest) const {
  rest.resize(states);
  leastOver(arc, states, rest.data());
  const std::vector<double> &own = message(arc);
  double most = 0, messages = 0;
  for (size_t s = 0; s < states; ++s) {
    if (rest[s] < forbiddenValue<double>)
      most = std::max(most, std::abs(rest[s]));
    messages = std::max(messages, std::abs(own[s]));
    rest[s] -= own[s];
  }
  double others = 0;
  for (double value : opposite(arc))
    others = std::max(others, std::abs(value));
  // The cost itself, and two differences.
  return 4 * unitRoundoff * (most + messages + others);
}

double MessagePassing::bound() const {
  long double sum = kernel.constant, magnitudes = sum;
  double rounding = 0;
  size_t count = 1;
  auto add = [&](double term) {
    sum += term;
    ++count;
    if (std::isfinite(term))
      magnitudes += std::abs(term);
  };
  std::vector<double> own, rest;
  for (int n = 0; n < kernel.nodeCount(); ++n) {
    rounding += sumsOf(n, own);
    add(*std::min_element(own.begin(), own.end()));
    for (const Arc &arc : kernel.nodes[n].arcs)
      if (arc.isSource) {
        rounding += restOf(arc, own.size(), rest);
        add(*std::min_element(rest.begin(), rest.end()));
      }
  }
  for (size_t t = 0; t < timePrices.size(); ++t)
    if (timePrices[t] > 0) {
      double term = timePrices[t] * static_cast<double>(kernel.capacity[t]);
      rounding += 2 * unitRoundoff * term;
      add(-term);
    }
  // Roundings are sums of their own; twice them is more than enough.
  constexpr long double epsilon = std::numeric_limits<long double>::epsilon();
  long double error = 2 * static_cast<long double>(rounding) +
                      static_cast<long double>(count) * epsilon * magnitudes;
  return std::nextafter(static_cast<double>(sum - error),
                        -std::numeric_limits<double>::infinity());
}

std::vector<int> MessagePassing::decode() const {
  std::vector<int> states(kernel.nodes.size());
  std::vector<double> own, least;
  for (int n = 0; n < kernel.nodeCount(); ++n) {
    own = costs[n];
    least.resize(own.size());
    for (const Arc &arc : kernel.nodes[n].arcs) {
      if (arc.other < n) {
        const double *rows = edges.rows(arc);
        size_t count = kernel.nodes[arc.other].costs.size();
        for (size_t s = 0; s < own.size(); ++s)
          own[s] += rows[s * count + states[arc.other]];
      } else {
        leastOver(arc, own.size(), least.data());
        for (size_t s = 0; s < own.size(); ++s)
          own[s] += least[s];
      }
    }
    states[n] = static_cast<int>(std::min_element(own.begin(), own.end()) -
                                 own.begin());
  }
  return states;
}

/// Of the bound, the terms of a node and its edges are replaced by those with
/// a state.
std::vector<std::vector<double>> MessagePassing::boundsOfStates() const {
  double base = bound();
  std::vector<std::vector<double>> result(kernel.nodes.size());
  std::vector<double> rest;
  for (int n = 0; n < kernel.nodeCount(); ++n) {
    std::vector<double> &own = result[n];
    double rounding = 2 * sumsOf(n, own);
    double first = *std::min_element(own.begin(), own.end());
    double magnitude = std::abs(base) + std::abs(first);
    for (double &value : own)
      value += base - first;
    for (const Arc &arc : kernel.nodes[n].arcs) {
      rounding += 2 * restOf(arc, own.size(), rest);
      double low = *std::min_element(rest.begin(), rest.end());
      magnitude += std::abs(low);
      for (size_t s = 0; s < own.size(); ++s)
        own[s] += rest[s] - low;
    }
    // Each term above is at least 0, so no sum on the way is above the last.
    auto terms = 2 * static_cast<double>(kernel.nodes[n].arcs.size() + 2);
    for (double &value : own)
      if (std::isfinite(value))
        value -=
            2 * rounding + terms * unitRoundoff * (magnitude + std::abs(value));
  }
  return result;
}

Survivors::Survivors(const Kernel &kernel) {
  for (const KernelNode &node : kernel.nodes)
    states.emplace_back(node.costs.size(), 1);
  for (const KernelEdge &edge : kernel.edges) {
    std::vector<char> &own = pairs.emplace_back();
    for (int64_t cost : edge.costs)
      own.push_back(cost < infinite);
  }
}

/// A pair costs at least the bounds of both states, but counts its edge once.
void MessagePassing::exclude(int64_t incumbent, Survivors &survivors) const {
  double base = bound(), limit = exclusionLimit(incumbent);
  std::vector<std::vector<double>> bounds = boundsOfStates();
  for (size_t n = 0; n < bounds.size(); ++n)
    for (size_t s = 0; s < bounds[n].size(); ++s)
      if (bounds[n][s] > limit)
        survivors.states[n][s] = 0;
  std::vector<double> left, least[2], columnSizes;
  auto largest = [](const std::vector<double> &values) {
    double most = 0;
    for (double value : values)
      most = std::max(most, std::abs(value));
    return most;
  };
  // More than all roundings of the sums below together.
  constexpr double roundingShare = 16 * unitRoundoff;
  for (size_t e = 0; e < kernel.edges.size(); ++e) {
    const KernelEdge &edge = kernel.edges[e];
    const std::vector<double> &rows = messages[0][e], &columns = messages[1][e];
    left.resize(rows.size() * columns.size());
    least[0].assign(rows.size(), forbiddenValue<double>);
    least[1].assign(columns.size(), forbiddenValue<double>);
    double low = forbiddenValue<double>;
    const double *costs = edges.rows(Arc{static_cast<int>(e), 0, true});
    for (size_t s = 0, i = 0; s < rows.size(); ++s)
      for (size_t t = 0; t < columns.size(); ++t, ++i) {
        left[i] = costs[i] - rows[s] - columns[t];
        least[0][s] = std::min(least[0][s], left[i]);
        least[1][t] = std::min(least[1][t], left[i]);
        low = std::min(low, left[i]);
      }
    double size =
        std::abs(base) + std::abs(low) + largest(rows) + largest(columns);
    columnSizes.resize(columns.size());
    for (size_t t = 0; t < columns.size(); ++t)
      columnSizes[t] = std::abs(bounds[edge.target][t]) + std::abs(least[1][t]);
    for (size_t s = 0, i = 0; s < rows.size(); ++s) {
      double bound = bounds[edge.source][s];
      double own = bound - (least[0][s] - low) - base - low;
      double rowSize = 2 * size + std::abs(bound) + std::abs(least[0][s]);
      for (size_t t = 0; t < columns.size(); ++t, ++i) {
        double both =
            own + bounds[edge.target][t] - (least[1][t] - low) + left[i];
        double rounding =
            roundingShare * (rowSize + columnSizes[t] + std::abs(left[i]));
        if (both - rounding > limit)
          survivors.pairs[e][i] = 0;
      }
    }
  }
}
