//===- PairwiseModel.cpp - Minimal sums of pairwise costs -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PairwiseModel.h.
//
//===----------------------------------------------------------------------===//

#include "PairwiseModel.h"

#include <algorithm>
#include <limits>
#include <set>

using namespace soap;

int PairwiseModel::addVariable(std::vector<int64_t> costs) {
  unary.push_back(std::move(costs));
  return static_cast<int>(unary.size()) - 1;
}

void PairwiseModel::addEdge(int first, int second, const Matrix &costs) {
  bool swap = first > second;
  Matrix &edge = edges[std::minmax(first, second)];
  size_t rows = size(first), columns = size(second);
  edge.resize(rows * columns);
  for (size_t a = 0; a < rows; ++a)
    for (size_t b = 0; b < columns; ++b)
      edge[swap ? b * rows + a : a * columns + b] += costs[a * columns + b];
}

namespace {

/// One elimination, or the choice of a value.
class Solver {
public:
  using Matrix = std::vector<int64_t>;
  Solver(std::vector<Matrix> unary, std::map<std::pair<int, int>, Matrix> edges)
      : unary(std::move(unary)), edges(std::move(edges)) {
    neighbours.resize(this->unary.size());
    gone.resize(this->unary.size());
    for (const auto &[pair, edge] : this->edges) {
      neighbours[pair.first].insert(pair.second);
      neighbours[pair.second].insert(pair.first);
    }
  }

  double work() {
    int v = choose();
    if (v < 0)
      return 1;
    auto n = static_cast<double>(unary[v].size());
    std::vector<int> around(neighbours[v].begin(), neighbours[v].end());
    bool isEnumerated = around.size() > 2;
    double own = n;
    if (!isEnumerated)
      for (int other : around)
        own *= static_cast<double>(unary[other].size());
    drop(v);
    if (around.size() == 2) {
      neighbours[around[0]].insert(around[1]);
      neighbours[around[1]].insert(around[0]);
    }
    return isEnumerated ? own * work() : own + work();
  }

  /// Fills `values`, returns the cost.
  int64_t solve(std::vector<int> &values) {
    int v = choose();
    if (v < 0)
      return 0;
    std::vector<int> around(neighbours[v].begin(), neighbours[v].end());
    switch (around.size()) {
    case 0:
      return eliminateAlone(v, values);
    case 1:
      return eliminateLeaf(v, around[0], values);
    case 2:
      return eliminateBetween(v, around[0], around[1], values);
    default:
      return enumerate(v, around, values);
    }
  }

private:
  std::vector<Matrix> unary;
  std::map<std::pair<int, int>, Matrix> edges;
  std::vector<std::set<int>> neighbours;
  std::vector<bool> gone;

  /// The variable with the fewest neighbours, of equal ones with the fewest
  /// values; if that has more than two, the one with the most. -1: none left.
  int choose() const {
    int fewest = -1, most = -1;
    for (size_t i = 0; i < unary.size(); ++i) {
      if (gone[i])
        continue;
      int v = static_cast<int>(i);
      auto rank = [&](int x) {
        return std::pair(neighbours[x].size(), unary[x].size());
      };
      if (fewest < 0 || rank(v) < rank(fewest))
        fewest = v;
      if (most < 0 || neighbours[v].size() > neighbours[most].size())
        most = v;
    }
    return fewest >= 0 && neighbours[fewest].size() > 2 ? most : fewest;
  }

  void drop(int v) {
    gone[v] = true;
    for (int other : neighbours[v])
      neighbours[other].erase(v);
    neighbours[v].clear();
  }

  int64_t cost(int a, size_t valueA, int b, size_t valueB) const {
    return a < b ? edges.at({a, b})[valueA * unary[b].size() + valueB]
                 : edges.at({b, a})[valueB * unary[a].size() + valueA];
  }

  int64_t eliminateAlone(int v, std::vector<int> &values) {
    auto best = std::min_element(unary[v].begin(), unary[v].end());
    values[v] = static_cast<int>(best - unary[v].begin());
    drop(v);
    return *best + solve(values);
  }

  int64_t eliminateLeaf(int v, int next, std::vector<int> &values) {
    std::vector<int> choice(unary[next].size());
    for (size_t b = 0; b < unary[next].size(); ++b) {
      int64_t best = std::numeric_limits<int64_t>::max();
      for (size_t a = 0; a < unary[v].size(); ++a)
        if (int64_t sum = unary[v][a] + cost(v, a, next, b); sum < best) {
          best = sum;
          choice[b] = static_cast<int>(a);
        }
      unary[next][b] += best;
    }
    drop(v);
    int64_t result = solve(values);
    values[v] = choice[values[next]];
    return result;
  }

  int64_t eliminateBetween(int v, int first, int second,
                           std::vector<int> &values) {
    size_t rows = unary[first].size(), columns = unary[second].size();
    std::vector<int> choice(rows * columns);
    Matrix &merged = edges[{first, second}]; // a set is sorted
    merged.resize(rows * columns);
    // Costs of v's edges by rows of v, so that the inner loop runs in memory.
    Matrix toFirst(unary[v].size() * rows), toSecond(unary[v].size() * columns);
    for (size_t a = 0; a < unary[v].size(); ++a) {
      for (size_t b = 0; b < rows; ++b)
        toFirst[a * rows + b] = unary[v][a] + cost(v, a, first, b);
      for (size_t c = 0; c < columns; ++c)
        toSecond[a * columns + c] = cost(v, a, second, c);
    }
    std::vector<int64_t> best(columns);
    for (size_t b = 0; b < rows; ++b) {
      best.assign(columns, std::numeric_limits<int64_t>::max());
      for (size_t a = 0; a < unary[v].size(); ++a) {
        int64_t base = toFirst[a * rows + b];
        for (size_t c = 0; c < columns; ++c)
          if (int64_t sum = base + toSecond[a * columns + c]; sum < best[c]) {
            best[c] = sum;
            choice[b * columns + c] = static_cast<int>(a);
          }
      }
      for (size_t c = 0; c < columns; ++c)
        merged[b * columns + c] += best[c];
    }
    drop(v);
    neighbours[first].insert(second);
    neighbours[second].insert(first);
    int64_t result = solve(values);
    values[v] = choice[values[first] * columns + values[second]];
    return result;
  }

  int64_t enumerate(int v, const std::vector<int> &around,
                    std::vector<int> &values) {
    int64_t best = std::numeric_limits<int64_t>::max();
    for (size_t a = 0; a < unary[v].size(); ++a) {
      Solver rest = *this;
      for (int other : around)
        for (size_t b = 0; b < unary[other].size(); ++b)
          rest.unary[other][b] += cost(v, a, other, b);
      rest.drop(v);
      std::vector<int> found(values);
      int64_t sum = unary[v][a] + rest.solve(found);
      if (sum < best) {
        best = sum;
        found[v] = static_cast<int>(a);
        values = std::move(found);
      }
    }
    return best;
  }
};

} // namespace

double PairwiseModel::work() const { return Solver(unary, edges).work(); }

PairwiseModel::Solution PairwiseModel::solve() const {
  Solution solution;
  solution.values.resize(unary.size());
  solution.cost = Solver(unary, edges).solve(solution.values);
  return solution;
}
