//===- Elimination.cpp - Exact minimum of part of a kernel ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Elimination.h.
//
//===----------------------------------------------------------------------===//

#include "Elimination.h"

#include <queue>

using namespace soap;
using namespace soap::costgraph;

template <typename Value>
static Value toValue(int64_t cost) {
  return cost >= infinite ? forbiddenValue<Value> : static_cast<Value>(cost);
}

template <typename Value>
static Value add(Value a, Value b) {
  if constexpr (std::is_integral_v<Value>)
    return std::min(a + b, forbiddenValue<Value>);
  else
    return a + b;
}

template <typename Value>
EdgeTables<Value>::EdgeTables(const Kernel &kernel) {
  for (const KernelEdge &edge : kernel.edges) {
    size_t rows = kernel.nodes[edge.source].costs.size();
    size_t columns = kernel.nodes[edge.target].costs.size();
    std::vector<Value> &to = forward.emplace_back(rows * columns);
    std::vector<Value> &from = backward.emplace_back(rows * columns);
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j)
        to[i * columns + j] = from[j * rows + i] =
            toValue<Value>(edge.costs[i * columns + j]);
  }
}

template <typename Value>
Eliminator<Value>::Eliminator(const Kernel &kernel)
    : kernel(kernel), edgeTables(kernel), localOf(kernel.nodes.size(), -1) {}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

template <typename Value>
double Eliminator<Value>::tableSize(int local) const {
  double size = 1;
  for (int other : neighbours[local])
    size *= kernel.nodes[members[other]].stateCount();
  return size;
}

static void insertSorted(std::vector<int> &list, int value) {
  auto place = std::lower_bound(list.begin(), list.end(), value);
  if (place == list.end() || *place != value)
    list.insert(place, value);
}

static void eraseSorted(std::vector<int> &list, int value) {
  auto place = std::lower_bound(list.begin(), list.end(), value);
  if (place != list.end() && *place == value)
    list.erase(place);
}

template <typename Value>
const EliminationPlan &Eliminator<Value>::plan(const std::vector<int> &nodes,
                                               double maxEntries,
                                               RandomGenerator &random) {
  for (int node : members)
    localOf[node] = -1;
  members = nodes;
  size_t count = nodes.size();
  for (size_t i = 0; i < count; ++i)
    localOf[nodes[i]] = static_cast<int>(i);
  position.assign(count, -1);
  if (neighbours.size() < count) {
    neighbours.resize(count);
    unaries.resize(count);
    factors.resize(count);
  }
  for (size_t i = 0; i < count; ++i) {
    neighbours[i].clear();
    for (const Arc &arc : kernel.nodes[nodes[i]].arcs)
      if (localOf[arc.other] >= 0)
        neighbours[i].push_back(localOf[arc.other]);
    std::sort(neighbours[i].begin(), neighbours[i].end());
  }

  current = EliminationPlan();
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
  std::vector<double> sizes(count);
  std::vector<char> isGone(count);
  auto update = [&](int local) {
    sizes[local] = tableSize(local);
    waiting.push({sizes[local], local});
  };
  for (size_t i = 0; i < count; ++i)
    update(static_cast<int>(i));
  auto drop = [&](int local) {
    isGone[local] = 1;
    for (int other : neighbours[local])
      eraseSorted(neighbours[other], local);
  };
  while (!waiting.empty()) {
    auto [size, local] = waiting.top();
    if (isGone[local] || size != sizes[local]) {
      waiting.pop();
      continue;
    }
    if (size > maxEntries) {
      // One of the nodes with most neighbours is fixed.
      size_t most = 0;
      for (size_t i = 0; i < count; ++i)
        if (!isGone[i])
          most = std::max(most, neighbours[i].size());
      std::vector<int> heavy;
      for (size_t i = 0; i < count; ++i)
        if (!isGone[i] && 4 * neighbours[i].size() >= 3 * most)
          heavy.push_back(static_cast<int>(i));
      int chosen = heavy[static_cast<size_t>(
          random.below(static_cast<int64_t>(heavy.size())))];
      drop(chosen);
      current.fixed.push_back(members[chosen]);
      for (int other : neighbours[chosen])
        update(other);
      continue;
    }
    waiting.pop();
    drop(local);
    position[local] = static_cast<int>(current.order.size());
    current.order.push_back(members[local]);
    current.largest = std::max(current.largest, size);
    current.work += size * kernel.nodes[members[local]].stateCount() *
                    static_cast<double>(2 + neighbours[local].size());
    const std::vector<int> &around = neighbours[local];
    for (size_t a = 0; a < around.size(); ++a)
      for (size_t b = a + 1; b < around.size(); ++b) {
        insertSorted(neighbours[around[a]], around[b]);
        insertSorted(neighbours[around[b]], around[a]);
      }
    for (int other : around)
      update(other);
  }
  for (int node : current.order)
    unaries[localOf[node]].assign(kernel.nodes[node].costs.size(), 0);
  return current;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

template <typename Value>
void Eliminator<Value>::addFactors() {
  for (size_t i = 0; i < members.size(); ++i)
    factors[i].clear();
  for (int node : current.order) {
    int local = localOf[node];
    for (const Arc &arc : kernel.nodes[node].arcs) {
      int other = localOf[arc.other];
      if (other >= 0 && position[other] > position[local])
        factors[local].push_back({{local, other}, edgeTables.rows(arc), 0});
    }
  }
}

/// out[i] = min(out[i], constant + sum of rows[i]).
template <typename Value>
static void minimizeRow(Value *out, size_t length, Value constant,
                        const Value *const *rows, size_t rowCount) {
  auto raise = [&](auto sum) {
    for (size_t i = 0; i < length; ++i) {
      Value value = sum(i);
      out[i] = value < out[i] ? value : out[i];
    }
  };
  switch (rowCount) {
  case 0:
    raise([&](size_t) { return constant; });
    break;
  case 1:
    raise([&, a = rows[0]](size_t i) { return add(constant, a[i]); });
    break;
  case 2:
    raise([&, a = rows[0], b = rows[1]](size_t i) {
      return add(add(constant, a[i]), b[i]);
    });
    break;
  case 3:
    raise([&, a = rows[0], b = rows[1], c = rows[2]](size_t i) {
      return add(add(constant, a[i]), add(b[i], c[i]));
    });
    break;
  default:
    raise([&](size_t i) {
      Value sum = constant;
      for (size_t r = 0; r < rowCount; ++r)
        sum = add(sum, rows[r][i]);
      return sum;
    });
  }
}

template <typename Value>
void Eliminator<Value>::eliminate(int local) {
  std::vector<Factor> &own = factors[local];
  std::vector<int> scope;
  for (const Factor &factor : own)
    scope.insert(scope.end(), factor.scope.begin() + 1, factor.scope.end());
  std::sort(scope.begin(), scope.end(),
            [&](int a, int b) { return position[a] < position[b]; });
  scope.erase(std::unique(scope.begin(), scope.end()), scope.end());

  size_t dims = scope.size(), entries = 1;
  std::vector<size_t> extents(dims);
  for (size_t d = 0; d < dims; ++d) {
    extents[d] = kernel.nodes[members[scope[d]]].costs.size();
    entries *= extents[d];
  }
  Factor result{scope, nullptr, storage.size()};
  storage.resize(storage.size() + entries, forbiddenValue<Value>);
  Value *out = storage.data() + result.offset;

  size_t count = own.size(), states = unaries[local].size();
  size_t inner = dims ? extents[dims - 1] : 1;
  std::vector<const Value *> base(count), rows(count);
  std::vector<size_t> stateStride(count);
  std::vector<char> isRow(count);
  // strides[d * count + f]: of dimension d in factor f.
  std::vector<size_t> strides(dims * count);
  for (size_t f = 0; f < count; ++f) {
    const Factor &factor = own[f];
    base[f] = dataOf(factor);
    size_t stride = 1;
    for (size_t i = factor.scope.size(); i-- > 1;) {
      size_t d = std::find(scope.begin(), scope.end(), factor.scope[i]) -
                 scope.begin();
      strides[d * count + f] = stride;
      stride *= extents[d];
    }
    stateStride[f] = stride;
    isRow[f] = dims && strides[(dims - 1) * count + f] == 1;
  }
  std::vector<size_t> index(dims ? dims - 1 : 0);
  for (size_t done = 0; done < entries; done += inner) {
    for (size_t s = 0; s < states; ++s) {
      Value constant = unaries[local][s];
      size_t rowCount = 0;
      for (size_t f = 0; f < count; ++f) {
        const Value *at = base[f] + s * stateStride[f];
        if (isRow[f])
          rows[rowCount++] = at;
        else
          constant = add(constant, *at);
      }
      if (constant < forbiddenValue<Value>)
        minimizeRow(out + done, inner, constant, rows.data(), rowCount);
    }
    for (size_t d = index.size(); d-- > 0;) {
      const size_t *stride = strides.data() + d * count;
      if (++index[d] < extents[d]) {
        for (size_t f = 0; f < count; ++f)
          base[f] += stride[f];
        break;
      }
      index[d] = 0;
      for (size_t f = 0; f < count; ++f)
        base[f] -= stride[f] * (extents[d] - 1);
    }
  }
  if (dims)
    factors[scope[0]].push_back(std::move(result));
}

template <typename Value>
int Eliminator<Value>::bestState(int local) const {
  const std::vector<Value> &own = unaries[local];
  std::vector<const Value *> base;
  std::vector<size_t> stateStride;
  for (const Factor &factor : factors[local]) {
    size_t offset = 0, stride = 1;
    for (size_t i = factor.scope.size(); i-- > 1;) {
      offset += stride * static_cast<size_t>(states[factor.scope[i]]);
      stride *= kernel.nodes[members[factor.scope[i]]].costs.size();
    }
    base.push_back(dataOf(factor) + offset);
    stateStride.push_back(stride);
  }
  Value least = forbiddenValue<Value>;
  int best = 0;
  for (size_t s = 0; s < own.size(); ++s) {
    Value sum = own[s];
    for (size_t f = 0; f < base.size(); ++f)
      sum = add(sum, base[f][s * stateStride[f]]);
    if (sum < least) {
      least = sum;
      best = static_cast<int>(s);
    }
  }
  return best;
}

template <typename Value>
Value Eliminator<Value>::run(std::vector<int> &choice) {
  storage.clear();
  addFactors();
  Value total = 0;
  for (int node : current.order) {
    eliminate(localOf[node]);
    // The least cost of a node without neighbours has nothing to be added to.
    if (factors[localOf[node]].empty())
      total = add(total, storage.back());
  }
  states.assign(members.size(), 0);
  for (size_t i = current.order.size(); i-- > 0;) {
    int local = localOf[current.order[i]];
    states[local] = bestState(local);
    choice[current.order[i]] = states[local];
  }
  return total;
}

namespace soap::costgraph {
template class EdgeTables<SearchCost>;
template class EdgeTables<double>;
template class EdgeTables<int64_t>;
template class Eliminator<SearchCost>;
template class Eliminator<int64_t>;
} // namespace soap::costgraph
