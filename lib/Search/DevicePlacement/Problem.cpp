//===- Problem.cpp - The device placement problem -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that an instance is well-formed.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/Problem.h"

#include "IdentifierTable.h"

#include <cmath>
#include <sstream>
#include <unordered_set>

using namespace soap;
using namespace soap::placement;

namespace {

/// Edges by source, as compressed rows.
struct Successors {
  std::vector<int> first, target;

  explicit Successors(const Problem &problem)
      : first(problem.nodes.size() + 1), target(problem.edges.size()) {
    for (const Edge &edge : problem.edges)
      ++first[edge.source + 1];
    for (size_t i = 1; i < first.size(); ++i)
      first[i] += first[i - 1];
    std::vector<int> next(first.begin(), first.end() - 1);
    for (const Edge &edge : problem.edges)
      target[next[edge.source]++] = edge.target;
  }
};

std::string nameOf(const Node &node) {
  std::string text = "node " + std::to_string(node.id);
  return node.name.empty() ? text : text + " ('" + node.name + "')";
}

std::string shortest(double value) {
  std::ostringstream text;
  text.precision(15);
  text << value;
  return text.str();
}

/// Names a cycle among the nodes that are not in `order`.
std::string describeCycle(const Problem &problem,
                          const std::vector<int> &order) {
  std::vector<char> done(problem.nodes.size());
  for (int node : order)
    done[node] = true;
  // Each node that is left has a predecessor that is left: going back from any
  // of them meets a node twice.
  std::vector<int> before(problem.nodes.size(), -1);
  for (const Edge &edge : problem.edges)
    if (!done[edge.source])
      before[edge.target] = edge.source;
  int at = 0;
  while (done[at])
    ++at;
  std::vector<char> seen(problem.nodes.size());
  for (; !seen[at]; at = before[at])
    seen[at] = true;
  std::vector<int> cycle;
  int first = at;
  do {
    cycle.push_back(at);
    at = before[at];
  } while (at != first);
  std::reverse(cycle.begin(), cycle.end());
  std::string text;
  constexpr size_t maxNamed = 8;
  for (size_t i = 0; i < std::min(cycle.size(), maxNamed); ++i)
    text += std::to_string(problem.nodes[cycle[i]].id) + " -> ";
  if (cycle.size() > maxNamed)
    text += "... -> ";
  return text + std::to_string(problem.nodes[cycle[0]].id);
}

MaybeError checkNumber(const Node &node, const char *what, double value,
                       double &sum) {
  if (!std::isfinite(value) || value < 0)
    return Error{nameOf(node) + ": expected " + what +
                 " that is finite and not negative, got " +
                 std::to_string(value)};
  sum += value;
  return std::nullopt;
}

MaybeError checkNumbers(const Problem &problem) {
  double accelerator = 0, cpu = 0, memory = 0, transfers = 0;
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    const Node &node = problem.nodes[i];
    for (auto [what, value, sum] :
         {std::tuple{"a time on an accelerator", node.acceleratorTime,
                     &accelerator},
          std::tuple{"a time on a CPU", node.cpuTime, &cpu},
          std::tuple{"a size", node.memoryBytes, &memory},
          std::tuple{"a time of its transfer", problem.transferTime[i],
                     &transfers}})
      if (MaybeError error = checkNumber(node, what, value, *sum))
        return error;
    double gradients = node.gradientBytes.value_or(0);
    if (!(gradients >= 0 && gradients <= node.memoryBytes))
      return Error{nameOf(node) +
                   ": expected a size of gradients from 0 to the size, " +
                   shortest(node.memoryBytes) + ", got " + shortest(gradients)};
  }
  // A device may read what every node writes; sums of loads stay finite, too.
  for (auto [what, sum] :
       {std::pair{"times on an accelerator", accelerator},
        std::pair{"times on a CPU", cpu}, std::pair{"sizes", memory},
        std::pair{"times of transfers", transfers}})
    if (!(sum * (problem.deviceCount() + 4.0) < 1e300))
      return Error{std::string("the sum of the ") + what +
                   " overflows: expected it to be below 1e300 for all devices "
                   "together"};
  return std::nullopt;
}

MaybeError checkEdges(const Problem &problem) {
  int count = static_cast<int>(problem.nodes.size());
  for (const Edge &edge : problem.edges) {
    if (edge.source < 0 || edge.source >= count || edge.target < 0 ||
        edge.target >= count)
      return Error{"expected edges between nodes, got one from " +
                   std::to_string(edge.source) + " to " +
                   std::to_string(edge.target) + " of " +
                   std::to_string(count) + " nodes"};
    const Node &source = problem.nodes[edge.source];
    const Node &target = problem.nodes[edge.target];
    if (source.backward && !target.backward)
      return Error{"expected no edge from the backward to the forward pass, "
                   "got one from " +
                   nameOf(source) + " to " + nameOf(target)};
  }
  std::vector<int> order = topologicalOrder(problem);
  if (order.size() != problem.nodes.size())
    return Error{"expected a graph without cycles, got " +
                 describeCycle(problem, order)};
  return std::nullopt;
}

/// Weights and what updates them must meet somewhere.
MaybeError checkClasses(const Problem &problem) {
  std::unordered_set<int64_t> forward;
  for (const Node &node : problem.nodes)
    if (!node.backward && node.colorClass)
      forward.insert(*node.colorClass);
  bool anyBackward = false, anyForward = false;
  for (const Node &node : problem.nodes) {
    anyForward |= !node.backward;
    anyBackward |= node.backward;
    if (node.backward && node.colorClass && forward.count(*node.colorClass))
      return std::nullopt;
  }
  if (anyBackward && anyForward)
    return Error{"expected a color class of forward and backward nodes, as "
                 "there are backward nodes, got none: their weights would be "
                 "on other devices"};
  return std::nullopt;
}

} // namespace

bool Problem::isTraining() const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const Node &node) { return node.backward; });
}

MaybeError Problem::check() const {
  if (nodes.empty())
    return Error{"expected at least one node, got none"};
  if (nodes.size() > maxNodes)
    return Error{"expected at most " + std::to_string(maxNodes) +
                 " nodes, got " + std::to_string(nodes.size())};
  if (edges.size() > maxEdges)
    return Error{"expected at most " + std::to_string(maxEdges) +
                 " edges, got " + std::to_string(edges.size())};
  if (transferTime.size() != nodes.size())
    return Error{"expected a time of transfer for each of " +
                 std::to_string(nodes.size()) + " nodes, got " +
                 std::to_string(transferTime.size())};
  if (accelerators < 0 || accelerators > maxAccelerators || cpus < 0 ||
      cpus > maxCpus || deviceCount() == 0)
    return Error{"expected 1 to " + std::to_string(maxAccelerators) +
                 " accelerators or CPUs, got " + std::to_string(accelerators) +
                 " and " + std::to_string(cpus)};
  if (!std::isfinite(acceleratorMemoryBytes) || acceleratorMemoryBytes < 0)
    return Error{"expected a memory of accelerators that is finite and not "
                 "negative, got " +
                 std::to_string(acceleratorMemoryBytes)};
  if (std::optional<int> again = IdentifierTable(nodes).duplicate())
    return Error{"expected nodes of distinct identifiers, got two of " +
                 std::to_string(nodes[*again].id)};
  if (MaybeError error = checkNumbers(*this))
    return error;
  if (MaybeError error = checkEdges(*this))
    return error;
  return checkClasses(*this);
}

MaybeError Problem::checkDevices() const {
  for (const Node &node : nodes)
    if (cpus == 0 && !node.acceleratable)
      return Error{nameOf(node) + " needs a CPU, as accelerators can not " +
                   "compute it, and there is none"};
  return std::nullopt;
}

std::vector<int> placement::topologicalOrder(const Problem &problem) {
  Successors successors(problem);
  std::vector<int> waiting(problem.nodes.size());
  for (const Edge &edge : problem.edges)
    ++waiting[edge.target];
  std::vector<int> order;
  order.reserve(problem.nodes.size());
  for (size_t i = 0; i < problem.nodes.size(); ++i)
    if (waiting[i] == 0)
      order.push_back(static_cast<int>(i));
  for (size_t next = 0; next < order.size(); ++next)
    for (int e = successors.first[order[next]];
         e < successors.first[order[next] + 1]; ++e)
      if (--waiting[successors.target[e]] == 0)
        order.push_back(successors.target[e]);
  return order;
}
