//===- MessagePassing.cpp - Lower bounds by reparametrization -------------===//
//
// See MessagePassing.h.
//
//===----------------------------------------------------------------------===//

#include "MessagePassing.h"

#include <cmath>

using namespace soap;
using namespace soap::costgraph;

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
  for (size_t t = 0; t < timePrices.size(); ++t)
    sums[t + 1] = sums[t] + timePrices[t];
  costs.resize(kernel.nodes.size());
  for (size_t n = 0; n < kernel.nodes.size(); ++n) {
    const KernelNode &node = kernel.nodes[n];
    costs[n].assign(node.costs.begin(), node.costs.end());
    for (const Piece &piece : node.pieces)
      if (double price = sums[piece.to] - sums[piece.from]; price > 0)
        for (size_t s = 0; s < costs[n].size(); ++s)
          costs[n][s] += price * static_cast<double>(piece.bytes[s]);
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

/// What rounding may have added to a sum of terms of some size.
static double roundingOf(double magnitudes) { return 1e-12 * magnitudes; }

double MessagePassing::bound() const {
  double sum = static_cast<double>(kernel.constant), magnitudes = 0;
  auto count = [&](double term) {
    sum += term;
    magnitudes += std::abs(term);
  };
  std::vector<double> own, least;
  for (int n = 0; n < kernel.nodeCount(); ++n) {
    own = costs[n];
    for (const Arc &arc : kernel.nodes[n].arcs)
      for (size_t s = 0; s < own.size(); ++s)
        own[s] += message(arc)[s];
    count(*std::min_element(own.begin(), own.end()));
    for (const Arc &arc : kernel.nodes[n].arcs)
      if (arc.isSource) {
        least.resize(own.size());
        leastOver(arc, own.size(), least.data());
        for (size_t s = 0; s < own.size(); ++s)
          least[s] -= message(arc)[s];
        count(*std::min_element(least.begin(), least.end()));
      }
  }
  for (size_t t = 0; t < timePrices.size(); ++t)
    count(-timePrices[t] * static_cast<double>(kernel.capacity[t]));
  return sum - roundingOf(magnitudes);
}

std::vector<int> MessagePassing::preferred() const {
  std::vector<int> states;
  std::vector<double> own;
  for (int n = 0; n < kernel.nodeCount(); ++n) {
    own = costs[n];
    for (const Arc &arc : kernel.nodes[n].arcs)
      for (size_t s = 0; s < own.size(); ++s)
        own[s] += message(arc)[s];
    states.push_back(static_cast<int>(std::min_element(own.begin(), own.end()) -
                                      own.begin()));
  }
  return states;
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

std::vector<std::vector<double>> MessagePassing::boundsOfStates() const {
  double base = bound();
  std::vector<std::vector<double>> result(kernel.nodes.size());
  std::vector<double> least;
  for (int n = 0; n < kernel.nodeCount(); ++n) {
    std::vector<double> &own = result[n];
    own = costs[n];
    for (const Arc &arc : kernel.nodes[n].arcs)
      for (size_t s = 0; s < own.size(); ++s)
        own[s] += message(arc)[s];
    double first = *std::min_element(own.begin(), own.end());
    for (double &value : own)
      value += base - first;
    for (const Arc &arc : kernel.nodes[n].arcs) {
      least.resize(own.size());
      leastOver(arc, own.size(), least.data());
      for (size_t s = 0; s < own.size(); ++s)
        least[s] -= message(arc)[s];
      double low = *std::min_element(least.begin(), least.end());
      for (size_t s = 0; s < own.size(); ++s)
        own[s] += least[s] - low;
    }
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
  double base = bound(), limit = static_cast<double>(incumbent) - 1 + 1e-6;
  std::vector<std::vector<double>> bounds = boundsOfStates();
  for (size_t n = 0; n < bounds.size(); ++n)
    for (size_t s = 0; s < bounds[n].size(); ++s)
      if (bounds[n][s] > limit)
        survivors.states[n][s] = 0;
  std::vector<double> left, least[2];
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
    for (size_t s = 0, i = 0; s < rows.size(); ++s) {
      double own = bounds[edge.source][s] - (least[0][s] - low) - base - low;
      for (size_t t = 0; t < columns.size(); ++t, ++i)
        if (own + bounds[edge.target][t] - (least[1][t] - low) + left[i] >
            limit)
          survivors.pairs[e][i] = 0;
    }
  }
}
