//===- FrontierTracker.cpp - One run of frontier tracking -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The eliminations (TensorOpt, section 3.2).
//
//===----------------------------------------------------------------------===//

#include "FrontierTracker.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace soap;

using Table = FrontierTracker::Table;

/// Says whether tables may grow further.
bool FrontierTracker::measure() {
  int64_t bytes = arena.bytes();
  std::map<const void *, int64_t> tables;
  auto add = [&](const Table &table) {
    if (table)
      tables[table.get()] = table->bytes();
  };
  for (const Place &place : nodes)
    add(place.table);
  for (const auto &[pair, place] : edges)
    add(place.table);
  for (const auto &[key, shared] : known) {
    for (const Table &input : shared.inputs)
      add(input);
    add(shared.table);
  }
  add(product.table);
  for (const auto &[table, size] : tables)
    bytes += size;
  result.peakBytes = std::max(result.peakBytes, bytes);
  result.largestFrontier =
      std::max(result.largestFrontier, builder->largestFrontier());
  return bytes <= options.maxBytes && !stopped();
}

/// Sum of sizes over the mean entry, about what a product takes.
static double meanPoints(const FrontierTable &table) {
  return static_cast<double>(table.points.size()) /
         std::max(1.0, static_cast<double>(table.start.size() - 1));
}

Place FrontierTracker::productOf(const Place &left, const Place &right) {
  const FrontierTable &a = *left.table, &b = *right.table;
  return {builder->build(
              a.rows, a.columns, a, b, meanPoints(a) * meanPoints(b) + 1,
              [&](int row, int column,
                  std::vector<TableBuilder::Product> &products) {
                products.push_back({a.at(row, column), b.at(row, column)});
              }),
          concatenate(left.slots, right.slots)};
}

void FrontierTracker::addEdge(int a, int b, Place place) {
  auto [it, isNew] = edges.try_emplace(std::minmax(a, b), place);
  neighbours[a][b] = neighbours[b][a] = true;
  if (isNew)
    return;
  ++result.edgeEliminations;
  if (it->second.table && place.table)
    it->second = productOf(it->second, place);
  else
    it->second.table = nullptr;
}

Place FrontierTracker::takeEdge(int a, int b) {
  auto it = edges.find(std::minmax(a, b));
  assert(it != edges.end() && "there must be an edge");
  Place place = std::move(it->second);
  edges.erase(it);
  neighbours[a].erase(b);
  neighbours[b].erase(a);
  return place;
}

bool FrontierTracker::multiplyUnion(const Place &factor, int firstRow,
                                    int lastRow) {
  static const Table unit =
      initialTable(1, 1, 0, [](size_t, std::vector<FrontierPoint> &points) {
        points.push_back({});
      });
  const FrontierTable &own = *factor.table;
  Place united = {
      builder->build(1, 1, own, *unit, static_cast<double>(own.points.size()),
                     [&](int, int, std::vector<TableBuilder::Product> &list) {
                       for (int k = firstRow; k <= lastRow; ++k)
                         list.push_back({own.at(k), unit->at(0)});
                     }),
      factor.slots};
  if (!united.table)
    return false;
  product = product.table ? productOf(product, united) : std::move(united);
  return product.table != nullptr;
}

/// F(into, p) = union over k of F(node, k) x F(edge, k, p) x F(into, p), which
/// is a step of LDP.
bool FrontierTracker::eliminateLeaf(int node, int into) {
  ++result.leafEliminations;
  Place edge = takeEdge(node, into);
  if (!edge.table)
    return false;
  const FrontierTable &own = *nodes[node].table, &between = *edge.table;
  Place united = {
      builder->build(nodes[into].table->rows, 1, own, between,
                     own.rows * meanPoints(own) * meanPoints(between),
                     [&](int p, int, std::vector<TableBuilder::Product> &list) {
                       for (int k = 0; k < own.rows; ++k)
                         list.push_back(
                             {own.at(k), at(between, node, into, k, p)});
                     }),
      concatenate(nodes[node].slots, edge.slots)};
  nodes[node] = {};
  if (!united.table)
    return false;
  nodes[into] = productOf(united, nodes[into]);
  return nodes[into].table != nullptr;
}

/// Equation 4.
bool FrontierTracker::eliminateNode(int node, int first, int second) {
  ++result.nodeEliminations;
  Place toFirst = takeEdge(node, first), toSecond = takeEdge(node, second);
  if (!toFirst.table || !toSecond.table)
    return false;
  std::vector<int> slots = concatenate(
      concatenate(toFirst.slots, nodes[node].slots), toSecond.slots);
  // The same numbers in the same places give the same table. `first` is less
  // than `second`, so their edge needs no turning.
  Shared &shared =
      known[{toFirst.table.get(), first < node, nodes[node].table.get(),
             toSecond.table.get(), node < second}];
  if (shared.table) {
    ++result.sharedTables;
  } else {
    const FrontierTable &a = *toFirst.table, &own = *nodes[node].table,
                        &b = *toSecond.table;
    shared.inputs[0] = toFirst.table;
    shared.inputs[1] = nodes[node].table;
    shared.inputs[2] = toSecond.table;
    int rows = nodes[first].table->rows, columns = nodes[second].table->rows;
    Table partial = builder->build(
        rows, own.rows, a, own, meanPoints(a) * meanPoints(own),
        [&](int w, int k, std::vector<TableBuilder::Product> &list) {
          list.push_back({at(a, first, node, w, k), own.at(k)});
        });
    if (!partial)
      return false;
    const FrontierTable &half = *partial;
    shared.table = builder->build(
        rows, columns, half, b, own.rows * meanPoints(half) * meanPoints(b),
        [&](int w, int p, std::vector<TableBuilder::Product> &list) {
          for (int k = 0; k < own.rows; ++k)
            list.push_back({half.at(w, k), at(b, node, second, k, p)});
        });
    if (!shared.table)
      return false;
  }
  Place edge = {shared.table, std::move(slots)};
  nodes[node] = {};
  addEdge(first, second, std::move(edge));
  return edges.at({first, second}).table != nullptr;
}

/// Equation 6: config p of `into` with k of the node is config
/// p * configs(node) + k.
bool FrontierTracker::mergeBranch(int node, int into) {
  ++result.branchEliminations;
  Place edge = takeEdge(node, into);
  if (!edge.table)
    return false;
  const FrontierTable &own = *nodes[node].table, &other = *nodes[into].table,
                      &between = *edge.table;
  int inner = own.rows, rows = other.rows * inner;
  Table both = builder->build(
      rows, 1, own, other, meanPoints(own) * meanPoints(other),
      [&](int row, int, std::vector<TableBuilder::Product> &list) {
        list.push_back({own.at(row % inner), other.at(row / inner)});
      });
  if (!both)
    return false;
  Place merged = {
      builder->build(
          rows, 1, *both, between, meanPoints(*both) * meanPoints(between),
          [&](int row, int, std::vector<TableBuilder::Product> &list) {
            list.push_back({both->at(row),
                            at(between, node, into, row % inner, row / inner)});
          }),
      concatenate(concatenate(nodes[node].slots, nodes[into].slots),
                  edge.slots)};
  if (!merged.table)
    return false;
  expanded.clear();
  if (!expandEdges(into, into, rows, [&](int row) { return row / inner; }) ||
      !expandEdges(node, into, rows, [&](int row) { return row % inner; }))
    return false;
  nodes[node] = {};
  nodes[into] = std::move(merged);
  for (auto &[x, place] : expanded) {
    addEdge(into, x, std::move(place));
    if (!edges.at(std::minmax(into, x)).table)
      return false;
  }
  return true;
}

/// Takes the edges of `from`; they are to be edges of `into` once that has
/// `rows` configs.
bool FrontierTracker::expandEdges(int from, int into, int rows,
                                  const std::function<int(int row)> &configOf) {
  std::map<int, bool> around = neighbours[from];
  for (auto [x, unused] : around) {
    Place old = takeEdge(from, x);
    if (!old.table)
      return false;
    auto table = std::make_shared<FrontierTable>();
    int others = nodes[x].table->rows;
    table->rows = into < x ? rows : others;
    table->columns = into < x ? others : rows;
    table->slots = old.table->slots;
    table->error = old.table->error;
    table->leastBytes = old.table->leastBytes;
    for (int r = 0; r < table->rows; ++r)
      for (int c = 0; c < table->columns; ++c) {
        table->start.push_back(table->points.size());
        std::span<const FrontierPoint> points =
            into < x ? at(*old.table, from, x, configOf(r), c)
                     : at(*old.table, from, x, configOf(c), r);
        table->points.insert(table->points.end(), points.begin(), points.end());
      }
    table->start.push_back(table->points.size());
    expanded.emplace_back(x, Place{std::move(table), std::move(old.slots)});
  }
  return true;
}

/// A weighted sum of memory and time, the least of all points.
static double leastSum(std::span<const FrontierPoint> points,
                       double memoryWeight, double timeWeight) {
  double least = std::numeric_limits<double>::infinity();
  for (const FrontierPoint &point : points)
    least =
        std::min(least, memoryWeight * static_cast<double>(point.memoryBytes) +
                            timeWeight * static_cast<double>(point.timeNs));
  return least;
}

/// The cost of a config with those configs of its neighbours that are best for
/// it alone.
double FrontierTracker::score(int node, int config, double memoryWeight) const {
  // Both dimensions count by what the node's own configs have on average.
  double memory = 1, time = 1;
  for (const FrontierPoint &point : nodes[node].table->points) {
    memory += static_cast<double>(point.memoryBytes);
    time += static_cast<double>(point.timeNs);
  }
  double ofMemory = memoryWeight / memory, ofTime = (1 - memoryWeight) / time;
  double sum = leastSum(nodes[node].table->at(config), ofMemory, ofTime);
  for (auto [other, unused] : neighbours[node]) {
    const FrontierTable &edge = *edges.at(std::minmax(node, other)).table;
    double least = std::numeric_limits<double>::infinity();
    for (int p = 0; p < nodes[other].table->rows; ++p)
      least = std::min(
          least, leastSum(at(edge, node, other, config, p), ofMemory, ofTime) +
                     leastSum(nodes[other].table->at(p), ofMemory, ofTime));
    sum += least;
  }
  return sum;
}

/// Equation 7.
bool FrontierTracker::chooseConfig(int node, double memoryWeight) {
  ++result.heuristicEliminations;
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < nodes[node].table->rows; ++k)
    if (double sum = score(node, k, memoryWeight); sum < least) {
      least = sum;
      best = k;
    }
  std::map<int, bool> around = neighbours[node];
  for (auto [other, unused] : around) {
    Place edge = takeEdge(node, other);
    if (!edge.table)
      return false;
    const FrontierTable &own = *nodes[other].table, &between = *edge.table;
    int end = other;
    nodes[other] = {
        builder->build(
            own.rows, 1, own, between, meanPoints(own) * meanPoints(between),
            [&](int p, int, std::vector<TableBuilder::Product> &list) {
              list.push_back({own.at(p), at(between, node, end, best, p)});
            }),
        concatenate(nodes[other].slots, edge.slots)};
    if (!nodes[other].table)
      return false;
  }
  return multiplyUnion(nodes[node], best, best);
}

//===----------------------------------------------------------------------===//
// All steps
//===----------------------------------------------------------------------===//

bool FrontierTracker::carryOut(const EliminationStep &step,
                               double memoryWeight) {
  switch (step.kind) {
  case EliminationStep::Kind::Isolated:
    return multiplyUnion(nodes[step.node], 0, nodes[step.node].table->rows - 1);
  case EliminationStep::Kind::Leaf:
    return eliminateLeaf(step.node, step.first);
  case EliminationStep::Kind::Node:
    return eliminateNode(step.node, step.first, step.second);
  case EliminationStep::Kind::Branch:
    return mergeBranch(step.node, step.first);
  case EliminationStep::Kind::Heuristic:
    return chooseConfig(step.node, memoryWeight);
  }
  return false;
}

Place FrontierTracker::run(const std::vector<EliminationStep> &steps,
                           double memoryWeight) {
  limits.maxPoints = options.maxPoints;
  limits.limitBytes = options.limitBytes;
  // (1 + tolerance)^depth = 1 + epsilon, with room for rounding.
  if (options.epsilon > 0)
    limits.tolerance = std::expm1(std::log1p(options.epsilon) /
                                  trimDepth(problem.graph, steps)) *
                       (1 - 1e-9);
  builder =
      std::make_unique<TableBuilder>(arena, options.threads, limits, stopped);
  makeTables();
  // Now that the least memory of everything is known.
  builder =
      std::make_unique<TableBuilder>(arena, options.threads, limits, stopped);
  for (const EliminationStep &step : steps) {
    bool done = carryOut(step, memoryWeight);
    if (!measure() || !done)
      return {};
  }
  return std::move(product);
}
