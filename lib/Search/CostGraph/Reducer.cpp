//===- Reducer.cpp - Reductions of cost graphs ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over reductions, states, absorption and edges. ReduceNodes.cpp drops
// and eliminates, ReduceTime.cpp is about memory.
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"

#include <numeric>

using namespace soap;
using namespace soap::costgraph;

uint64_t Reducer::pairKey(int a, int b) {
  return static_cast<uint64_t>(std::min(a, b)) << 32 |
         static_cast<uint32_t>(std::max(a, b));
}

bool Reducer::fail(const std::string &text) {
  conflictText = text;
  return false;
}

Reducer::Reducer(const CostGraph &graph, std::function<bool()> isOver)
    : hasCapacity(graph.capacity.has_value()), isOver(std::move(isOver)) {
  build(graph);
}

Reducer::Reducer(const Kernel &kernel)
    : capacity(kernel.capacity), moments(kernel.moments),
      constant(kernel.constant), hasCapacity(!kernel.capacity.empty()) {
  for (const KernelNode &from : kernel.nodes) {
    Node &node = nodes.emplace_back();
    node.costs = from.costs;
    node.pieces = from.pieces;
    node.configs.resize(node.costs.size());
    std::iota(node.configs.begin(), node.configs.end(), 0);
  }
  for (const KernelEdge &edge : kernel.edges)
    addEdge(edge.source, edge.target, edge.costs);
}

static int64_t finiteOrInfinite(int64_t cost) {
  return cost >= CostGraph::forbidden ? infinite : cost;
}

void Reducer::build(const CostGraph &graph) {
  // Time points are the begins of intervals: memory peaks at one of them.
  std::vector<int64_t> begins;
  if (hasCapacity)
    for (const CostGraphNode &node : graph.nodes)
      if (node.liveFrom < node.liveTo)
        begins.push_back(node.liveFrom);
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  capacity.assign(begins.size(), graph.capacity.value_or(0));
  moments.resize(capacity.size());
  std::iota(moments.begin(), moments.end(), 0);
  auto pointOf = [&](int64_t time) {
    return static_cast<int>(
        std::lower_bound(begins.begin(), begins.end(), time) - begins.begin());
  };

  nodes.resize(graph.nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (isInterrupted())
      return;
    const CostGraphNode &from = graph.nodes[n];
    Node &node = nodes[n];
    for (int64_t cost : from.costs)
      node.costs.push_back(finiteOrInfinite(cost));
    node.configs.resize(node.costs.size());
    std::iota(node.configs.begin(), node.configs.end(), 0);
    if (hasCapacity && from.liveFrom < from.liveTo)
      node.pieces.push_back(
          {pointOf(from.liveFrom), pointOf(from.liveTo), from.memory});
  }
  edges.reserve(graph.edges.size());
  edgeBetween.reserve(graph.edges.size());
  for (const CostGraphEdge &edge : graph.edges) {
    if (isInterrupted())
      return;
    std::vector<int64_t> costs(edge.costs.size());
    std::transform(edge.costs.begin(), edge.costs.end(), costs.begin(),
                   finiteOrInfinite);
    addEdge(edge.source, edge.target, std::move(costs));
  }
}

bool Reducer::reduce() {
  for (bool changed = true; changed && !interrupted;) {
    changed = false;
    bool again = true;
    while (again && !interrupted) {
      again = false;
      if (!dropWithoutPartner(again) || !absorbAll(again))
        return false;
      changed |= again;
    }
    normalize(changed);
    if (!reduceTime(changed) || !dropDominated(changed) || !eliminate(changed))
      return false;
  }
  nameAll();
  return true;
}

void Reducer::nameAll() {
  kernelIds.clear();
  for (size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].isAlive)
      kernelIds.push_back(static_cast<int>(n));
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

void Reducer::enqueue(int edge) {
  if (!edges[edge].isQueued)
    queue.push_back(edge);
  edges[edge].isQueued = true;
}

void Reducer::addEdge(int a, int b, std::vector<int64_t> costs) {
  auto [found, isNew] =
      edgeBetween.try_emplace(pairKey(a, b), static_cast<int>(edges.size()));
  int id = found->second;
  if (isNew) {
    edges.push_back({a, b, std::move(costs)});
    nodes[a].edges.push_back(id);
    nodes[b].edges.push_back(id);
  } else {
    Edge &edge = edges[id];
    size_t rows = nodes[a].costs.size(), columns = nodes[b].costs.size();
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j) {
        int64_t &sum =
            edge.costs[edge.source == a ? i * columns + j : j * rows + i];
        sum = addCosts(sum, costs[i * columns + j]);
      }
  }
  enqueue(id);
}

void Reducer::removeEdge(int edge) {
  Edge &gone = edges[edge];
  for (int end : {gone.source, gone.target}) {
    std::vector<int> &list = nodes[end].edges;
    list.erase(std::find(list.begin(), list.end(), edge));
  }
  edgeBetween.erase(pairKey(gone.source, gone.target));
  gone.isAlive = false;
  gone.costs = {};
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

template <typename T>
static void keepWhere(std::vector<T> &values, const std::vector<char> &keep) {
  size_t kept = 0;
  for (size_t i = 0; i < values.size(); ++i)
    if (keep[i])
      values[kept++] = values[i];
  values.resize(kept);
}

bool Reducer::keepStates(int node, const std::vector<char> &keep) {
  Node &self = nodes[node];
  if (std::find(keep.begin(), keep.end(), 1) == keep.end())
    return fail("no config of node " + std::to_string(node) +
                " is left: each is forbidden, or its neighbours or the "
                "capacity exclude it");
  size_t before = keep.size();
  for (int e : self.edges) {
    Edge &edge = edges[e];
    size_t others = nodes[otherEnd(edge, node)].costs.size(), kept = 0;
    size_t rows = isSource(edge, node) ? before : others;
    size_t columns = isSource(edge, node) ? others : before;
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j)
        if (keep[isSource(edge, node) ? i : j])
          edge.costs[kept++] = edge.costs[i * columns + j];
    edge.costs.resize(kept);
    enqueue(e);
  }
  keepWhere(self.costs, keep);
  keepWhere(self.configs, keep);
  for (Piece &piece : self.pieces)
    keepWhere(piece.bytes, keep);
  return true;
}

bool Reducer::restrict(const std::vector<std::vector<char>> &keep) {
  for (size_t k = 0; k < keep.size(); ++k)
    if (std::find(keep[k].begin(), keep[k].end(), 0) != keep[k].end() &&
        !keepStates(kernelIds[k], keep[k]))
      return false;
  return true;
}

void Reducer::restrictPairs(const Kernel &kernel,
                            const std::vector<std::vector<char>> &keep) {
  for (size_t e = 0; e < keep.size(); ++e) {
    int source = kernelIds[kernel.edges[e].source],
        target = kernelIds[kernel.edges[e].target];
    int number = edgeBetween.at(pairKey(source, target));
    Edge &edge = edges[number];
    size_t rows = nodes[source].costs.size(),
           columns = nodes[target].costs.size();
    bool changed = false;
    for (size_t s = 0, i = 0; s < rows; ++s)
      for (size_t t = 0; t < columns; ++t, ++i)
        if (int64_t &cost =
                edge.costs[edge.source == source ? i : t * rows + s];
            !keep[e][i] && cost < infinite) {
          cost = infinite;
          changed = true;
        }
    if (changed)
      enqueue(number);
  }
}

bool Reducer::dropWithoutPartner(bool &changed) {
  std::vector<int> waiting;
  std::vector<char> isWaiting(nodes.size(), 1), keep;
  for (size_t n = nodes.size(); n-- > 0;)
    waiting.push_back(static_cast<int>(n));
  while (!waiting.empty() && !isInterrupted()) {
    int n = waiting.back();
    waiting.pop_back();
    isWaiting[n] = 0;
    Node &node = nodes[n];
    if (!node.isAlive)
      continue;
    keep.assign(node.costs.size(), 1);
    for (size_t s = 0; s < keep.size(); ++s)
      keep[s] = node.costs[s] < infinite;
    for (int e : node.edges) {
      const Edge &edge = edges[e];
      size_t others = nodes[otherEnd(edge, n)].costs.size();
      for (size_t s = 0; s < keep.size(); ++s) {
        bool hasPartner = false;
        for (size_t o = 0; keep[s] && o < others && !hasPartner; ++o)
          hasPartner =
              edge.costs[isSource(edge, n) ? s * others + o
                                           : o * keep.size() + s] < infinite;
        keep[s] = keep[s] && hasPartner;
      }
    }
    if (std::find(keep.begin(), keep.end(), 0) == keep.end())
      continue;
    changed = true;
    if (!keepStates(n, keep))
      return false;
    for (int e : node.edges)
      if (int other = otherEnd(edges[e], n); !isWaiting[other]) {
        isWaiting[other] = 1;
        waiting.push_back(other);
      }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Absorption
//===----------------------------------------------------------------------===//

bool Reducer::absorbAll(bool &changed) {
  while (!queue.empty() && !isInterrupted()) {
    int edge = queue.back();
    queue.pop_back();
    edges[edge].isQueued = false;
    if (edges[edge].isAlive && absorbAcross(edge))
      changed = true;
  }
  return true;
}

/// The only state of the other end that each state allows; empty if one allows
/// several or none.
static std::vector<int> followers(const std::vector<int64_t> &costs,
                                  size_t states, size_t stride, size_t others,
                                  size_t otherStride) {
  std::vector<int> result(states, -1);
  for (size_t s = 0; s < states; ++s)
    for (size_t o = 0; o < others; ++o)
      if (costs[s * stride + o * otherStride] < infinite) {
        if (result[s] >= 0)
          return {};
        result[s] = static_cast<int>(o);
      }
  if (std::find(result.begin(), result.end(), -1) != result.end())
    return {};
  return result;
}

bool Reducer::absorbAcross(int id) {
  const Edge &edge = edges[id];
  int a = edge.source, b = edge.target;
  size_t rows = nodes[a].costs.size(), columns = nodes[b].costs.size();
  std::vector<int> ofRow = followers(edge.costs, rows, columns, columns, 1);
  std::vector<int> ofColumn = followers(edge.costs, columns, 1, rows, columns);
  if (ofRow.empty() && ofColumn.empty())
    return false;
  // Hubs absorb leaves: their edges would have to be moved.
  bool intoSource =
      ofColumn.empty() || (!ofRow.empty() && degree(a) >= degree(b));
  if (intoSource)
    absorb(b, a, id, ofRow);
  else
    absorb(a, b, id, ofColumn);
  return true;
}

void Reducer::absorb(int node, int into, int id,
                     const std::vector<int> &stateOf) {
  Node &gone = nodes[node], &hub = nodes[into];
  size_t states = hub.costs.size(), own = gone.costs.size();
  const Edge &edge = edges[id];
  for (size_t s = 0; s < states; ++s) {
    size_t t = stateOf[s];
    hub.costs[s] = addCosts(
        hub.costs[s],
        addCosts(
            gone.costs[t],
            edge.costs[isSource(edge, into) ? s * own + t : t * states + s]));
  }
  Record record;
  record.node = node;
  record.others[0] = into;
  record.otherConfigs[0] = hub.configs;
  for (int t : stateOf)
    record.configs.push_back(gone.configs[t]);
  records.push_back(std::move(record));
  removeEdge(id);

  for (const Piece &piece : gone.pieces) {
    Piece copy{piece.from, piece.to, {}};
    for (int t : stateOf)
      copy.bytes.push_back(piece.bytes[t]);
    hub.pieces.push_back(std::move(copy));
  }
  std::vector<int> moved = gone.edges;
  for (int e : moved) {
    const Edge &old = edges[e];
    int other = otherEnd(old, node);
    size_t others = nodes[other].costs.size();
    std::vector<int64_t> costs(states * others);
    for (size_t s = 0; s < states; ++s)
      for (size_t o = 0; o < others; ++o)
        costs[s * others + o] =
            old.costs[isSource(old, node) ? stateOf[s] * others + o
                                          : o * own + stateOf[s]];
    removeEdge(e);
    addEdge(into, other, std::move(costs));
  }
  gone = Node();
  gone.isAlive = false;
}

void Reducer::normalize(bool &changed) {
  for (size_t e = 0; e < edges.size(); ++e) {
    Edge &edge = edges[e];
    if (isInterrupted())
      return;
    if (!edge.isAlive)
      continue;
    std::vector<int64_t> &rowCosts = nodes[edge.source].costs;
    std::vector<int64_t> &columnCosts = nodes[edge.target].costs;
    size_t rows = rowCosts.size(), columns = columnCosts.size();
    auto subtract = [&](int64_t &cost, int64_t least) {
      if (cost < infinite)
        cost -= least;
    };
    for (size_t i = 0; i < rows; ++i) {
      auto row = edge.costs.begin() + i * columns;
      int64_t least = *std::min_element(row, row + columns);
      if (least == 0 || least >= infinite)
        continue;
      rowCosts[i] = addCosts(rowCosts[i], least);
      for (size_t j = 0; j < columns; ++j)
        subtract(row[j], least);
    }
    int64_t most = 0;
    for (size_t j = 0; j < columns; ++j) {
      int64_t least = infinite;
      for (size_t i = 0; i < rows; ++i)
        least = std::min(least, edge.costs[i * columns + j]);
      for (size_t i = 0; i < rows; ++i) {
        if (least < infinite)
          subtract(edge.costs[i * columns + j], least);
        most = std::max(most, edge.costs[i * columns + j]);
      }
      if (least < infinite)
        columnCosts[j] = addCosts(columnCosts[j], least);
    }
    if (most == 0) {
      removeEdge(static_cast<int>(e));
      changed = true;
    }
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Kernel Reducer::kernel() const {
  Kernel result;
  result.constant = constant;
  result.capacity = capacity;
  result.moments = moments;
  std::vector<int> idOf(nodes.size(), -1);
  for (int n : kernelIds) {
    idOf[n] = result.nodeCount();
    KernelNode &node = result.nodes.emplace_back();
    node.costs = nodes[n].costs;
    node.pieces = nodes[n].pieces;
  }
  for (const Edge &edge : edges) {
    if (!edge.isAlive)
      continue;
    int id = static_cast<int>(result.edges.size());
    int a = idOf[edge.source], b = idOf[edge.target];
    result.edges.push_back({a, b, edge.costs});
    result.nodes[a].arcs.push_back({id, b, true});
    result.nodes[b].arcs.push_back({id, a, false});
  }
  return result;
}

std::vector<int> Reducer::lift(const std::vector<int> &states) const {
  std::vector<int> choice(nodes.size(), -1);
  for (size_t k = 0; k < states.size(); ++k)
    choice[kernelIds[k]] = nodes[kernelIds[k]].configs[states[k]];
  for (size_t r = records.size(); r-- > 0;) {
    const Record &record = records[r];
    size_t index = 0;
    for (int i = 0; i < 2; ++i)
      if (record.others[i] >= 0) {
        const std::vector<int> &configs = record.otherConfigs[i];
        index =
            index * configs.size() + (std::find(configs.begin(), configs.end(),
                                                choice[record.others[i]]) -
                                      configs.begin());
      }
    choice[record.node] = record.configs[index];
  }
  return choice;
}

std::optional<std::vector<int>>
Reducer::statesOf(const std::vector<int> &choice) const {
  std::vector<int> states;
  for (int n : kernelIds) {
    const std::vector<int> &configs = nodes[n].configs;
    auto found = std::find(configs.begin(), configs.end(), choice[n]);
    if (found == configs.end())
      return std::nullopt;
    states.push_back(static_cast<int>(found - configs.begin()));
  }
  return states;
}
