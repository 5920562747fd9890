//===- Topology.cpp - Routes ----------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shortest routes, one source at a time and only when asked for: searches on
// thousands of devices touch few pairs.
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/Topology.h"

#include "Machines.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <utility>

using namespace soap;

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

/// Routes from each device, filled row by row. Has its own copy of the links,
/// so that a topology can be changed or moved.
class Topology::Routes {
public:
  /// Up to so many devices, all routes of a device are found at once.
  static constexpr int maxRows = 4096;

  /// Routes from one device to all.
  struct Row {
    std::vector<uint32_t>
        start; ///< per device, in `links`; one more at the end
    std::vector<int> links;
    std::vector<int64_t> latencyNs;
    std::vector<double> bandwidth; ///< the smallest
  };

  Routes(int devices, std::vector<bool> forwards, std::vector<Link> links)
      : devices(devices), vertices(static_cast<int>(forwards.size())),
        forwards(std::move(forwards)), links(std::move(links)),
        outgoing(vertices), incoming(vertices), rows(devices) {
    for (size_t l = 0; l < this->links.size(); ++l) {
      outgoing[this->links[l].from].push_back(static_cast<int>(l));
      incoming[this->links[l].to].push_back(static_cast<int>(l));
    }
  }
  ~Routes() {
    for (std::atomic<const Row *> &row : rows)
      delete row.load();
  }
  Routes(const Routes &) = delete;
  Routes &operator=(const Routes &) = delete;

  /// One route.
  struct Pair {
    int count = 0; ///< of links; -1: the row of the first device has them
    std::array<int, 2> links = {};
    int64_t latencyNs = 0;
    double bandwidth = std::numeric_limits<double>::infinity();
  };

  /// Rows of many devices would take their number squared: routes of one or two
  /// links are found one by one. Null: the row of `source` has the route.
  const Pair *pair(int source, int to) {
    if (devices <= maxRows)
      return nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    auto [it, isNew] = pairs.try_emplace((static_cast<uint64_t>(source) << 32) |
                                         static_cast<uint32_t>(to));
    if (isNew)
      it->second = computePair(source, to);
    return it->second.count < 0 ? nullptr : &it->second;
  }

  const Row &from(int device) {
    if (const Row *row = rows[device].load(std::memory_order_acquire))
      return *row;
    std::lock_guard<std::mutex> lock(mutex);
    if (const Row *row = rows[device].load(std::memory_order_relaxed))
      return *row;
    const Row *row = computeRow(device);
    rows[device].store(row, std::memory_order_release);
    return *row;
  }

private:
  int devices, vertices;
  std::vector<bool> forwards; ///< by vertex
  std::vector<Link> links;
  /// Link ids per vertex, ascending.
  std::vector<std::vector<int>> outgoing, incoming;
  std::vector<std::atomic<const Row *>> rows;
  std::unordered_map<uint64_t, Pair> pairs; ///< by both devices
  std::mutex mutex; ///< of rows that are made, and of pairs

  /// The route that `computeRow` finds, if it has one or two links.
  Pair computePair(int source, int to) const {
    Pair pair;
    if (source == to)
      return pair;
    // Of equal links to a vertex, its number says which.
    auto choose = [&](const std::vector<int> &equal, int vertex) {
      return equal[static_cast<size_t>(vertex) % equal.size()];
    };
    // The fastest links from the source to a vertex; empty: none.
    auto direct = [&](int vertex) {
      std::vector<int> best;
      for (int l : outgoing[source]) {
        if (links[l].to != vertex)
          continue;
        if (!best.empty() && links[l].latencyNs < links[best[0]].latencyNs)
          best.clear();
        if (best.empty() || links[l].latencyNs == links[best[0]].latencyNs)
          best.push_back(l);
      }
      return best;
    };
    if (std::vector<int> one = direct(to); !one.empty()) {
      pair.count = 1;
      pair.links[0] = choose(one, to);
    } else {
      // By first and second link, in this order.
      std::vector<std::pair<int, int>> equal;
      int64_t least = 0;
      for (int second : incoming[to]) {
        int between = links[second].from;
        if (between == source || !forwards[between])
          continue;
        std::vector<int> first = direct(between);
        if (first.empty())
          continue;
        int64_t latency = links[first[0]].latencyNs + links[second].latencyNs;
        if (!equal.empty() && latency > least)
          continue;
        if (latency < least)
          equal.clear();
        least = latency;
        equal.emplace_back(choose(first, between), second);
      }
      pair.count = -1;
      if (equal.empty())
        return pair;
      std::sort(equal.begin(), equal.end());
      auto [first, second] = equal[static_cast<size_t>(to) % equal.size()];
      pair.count = 2;
      pair.links = {first, second};
    }
    for (int i = 0; i < pair.count; ++i) {
      int l = pair.links[i];
      pair.latencyNs += links[l].latencyNs;
      pair.bandwidth =
          std::min(pair.bandwidth, links[l].bandwidthBytesPerSecond);
    }
    return pair;
  }

  /// Breadth first, layer by layer. Inside a layer, vertices are numbered by
  /// the link sequence of their route, so that sequences are compared by the
  /// number of the previous vertex and the last link.
  const Row *computeRow(int source) const {
    struct Vertex {
      int hops = -1;
      int64_t latencyNs = 0;
      int rank = 0; ///< order of link sequences in the layer
      int link = -1;
      int choices = 0; ///< last links of equal hops and latency
      int seen = 0;
    };
    std::vector<Vertex> state(vertices);
    state[source].hops = 0;
    std::vector<int> layer = {source};
    for (int hops = 1; !layer.empty(); ++hops) {
      std::vector<int> next;
      auto eachLink = [&](auto visit) {
        for (int u : layer)
          if (u == source || forwards[u])
            for (int l : outgoing[u])
              visit(state[links[l].to], links[l].to, l,
                    state[u].latencyNs + links[l].latencyNs);
      };
      eachLink([&](Vertex &at, int v, int l, int64_t latency) {
        if (at.hops < 0) {
          at = {hops, latency, 0, l, 1, 0};
          next.push_back(v);
        } else if (at.hops == hops && latency < at.latencyNs) {
          at.latencyNs = latency;
          at.choices = 1;
        } else if (at.hops == hops && latency == at.latencyNs) {
          ++at.choices;
        }
      });
      // Links are visited in the order of their sequences. Which of equal
      // routes is taken depends on where it leads, so that routes through a fat
      // tree spread over its switches.
      eachLink([&](Vertex &at, int v, int l, int64_t latency) {
        if (at.hops == hops && latency == at.latencyNs &&
            at.seen++ == v % at.choices)
          at.link = l;
      });
      std::sort(next.begin(), next.end(), [&](int a, int b) {
        int la = state[a].link, lb = state[b].link;
        int ra = state[links[la].from].rank, rb = state[links[lb].from].rank;
        return ra != rb ? ra < rb : la < lb;
      });
      for (size_t i = 0; i < next.size(); ++i)
        state[next[i]].rank = static_cast<int>(i);
      layer = std::move(next);
    }
    Row *row = new Row;
    row->start.reserve(devices + 1);
    for (int device = 0; device < devices; ++device) {
      row->start.push_back(static_cast<uint32_t>(row->links.size()));
      double bandwidth = std::numeric_limits<double>::infinity();
      for (int v = device; v != source && state[v].link >= 0;
           v = links[state[v].link].from) {
        row->links.push_back(state[v].link);
        bandwidth =
            std::min(bandwidth, links[state[v].link].bandwidthBytesPerSecond);
      }
      std::reverse(row->links.begin() + row->start.back(), row->links.end());
      row->latencyNs.push_back(state[device].latencyNs);
      row->bandwidth.push_back(bandwidth);
    }
    row->start.push_back(static_cast<uint32_t>(row->links.size()));
    assert(row->start.size() == static_cast<size_t>(devices) + 1 &&
           row->start[source] == row->start[source + 1] &&
           "no links to the device itself");
    return row;
  }
};

/// Vertices that are reached from `start`, along links or against them, through
/// vertices that forward.
static std::vector<bool> reachable(int start, const std::vector<bool> &forwards,
                                   const std::vector<std::vector<int>> &next) {
  std::vector<bool> seen(forwards.size());
  std::vector<int> stack = {start};
  seen[start] = true;
  while (!stack.empty()) {
    int u = stack.back();
    stack.pop_back();
    if (u != start && !forwards[u])
      continue;
    for (int v : next[u])
      if (!seen[v]) {
        seen[v] = true;
        stack.push_back(v);
      }
  }
  return seen;
}

MaybeError Topology::computeRoutes() {
  size_t vertices = devices.size() + switches.size();
  if (devices.empty())
    return Error{"expected at least one device"};
  std::vector<bool> forwards(vertices, true);
  for (int d = 0; d < deviceCount(); ++d)
    forwards[d] = typeOf(d).forwardsTransfers;
  std::vector<std::vector<int>> next(vertices), previous(vertices);
  for (const Link &link : links) {
    next[link.from].push_back(link.to);
    previous[link.to].push_back(link.from);
  }
  // All pairs are connected if every device is, in both directions, with one
  // vertex that forwards. Without such a vertex, every device is asked.
  auto isHub = [&](int v) {
    std::vector<bool> to = reachable(v, forwards, next),
                      from = reachable(v, forwards, previous);
    for (int d = 0; d < deviceCount(); ++d)
      if (!to[d] || !from[d])
        return false;
    return true;
  };
  // Vertices with most links are tried: one of them is likely to be a hub.
  constexpr size_t tries = 2;
  std::vector<int> hubs;
  for (size_t v = 0; v < vertices; ++v)
    if (forwards[v])
      hubs.push_back(static_cast<int>(v));
  std::stable_sort(hubs.begin(), hubs.end(), [&](int a, int b) {
    return next[a].size() > next[b].size();
  });
  hubs.resize(std::min(hubs.size(), tries));
  bool connected = std::any_of(hubs.begin(), hubs.end(), isHub);
  for (int a = 0; a < deviceCount() && !connected; ++a) {
    std::vector<bool> to = reachable(a, forwards, next);
    for (int b = 0; b < deviceCount(); ++b)
      if (!to[b])
        return Error{"no route from device '" + devices[a].name +
                     "' to device '" + devices[b].name + "'"};
  }
  routes = std::make_shared<Routes>(deviceCount(), std::move(forwards), links);
  return std::nullopt;
}

std::span<const int> Topology::route(int from, int to) const {
  assert(routes && "routes must have been computed");
  assert(from >= 0 && from < deviceCount() && to >= 0 && to < deviceCount());
  if (const Routes::Pair *pair = routes->pair(from, to))
    return std::span<const int>(pair->links.data(),
                                static_cast<size_t>(pair->count));
  const Routes::Row &row = routes->from(from);
  return std::span<const int>(row.links).subspan(
      row.start[to], row.start[to + 1] - row.start[to]);
}

int64_t Topology::transferNs(int from, int to, int64_t bytes) const {
  assert(from >= 0 && from < deviceCount() && to >= 0 && to < deviceCount());
  assert(bytes >= 0 && "a negative message");
  if (from == to)
    return 1;
  assert(routes && "routes must have been computed");
  int64_t latencyNs = 0;
  double bandwidth = 0;
  if (const Routes::Pair *pair = routes->pair(from, to)) {
    latencyNs = pair->latencyNs;
    bandwidth = pair->bandwidth;
  } else {
    const Routes::Row &row = routes->from(from);
    latencyNs = row.latencyNs[to];
    bandwidth = row.bandwidth[to];
  }
  // Far below the largest int64, so that sums over many tasks cannot overflow.
  constexpr double longest = 1e15;
  double ns = std::ceil(static_cast<double>(bytes) / bandwidth * 1e9) +
              static_cast<double>(latencyNs);
  return static_cast<int64_t>(std::clamp(ns, 1.0, longest));
}

int64_t Topology::distance(int from, int to) const {
  assert(from >= 0 && from < deviceCount() && to >= 0 && to < deviceCount());
  assert((from == to || routes) && "routes must have been computed");
  if (from == to)
    return 0;
  if (const Routes::Pair *pair = routes->pair(from, to))
    return pair->latencyNs;
  return routes->from(from).latencyNs[to];
}

std::vector<std::vector<int>> Topology::machines() const {
  std::vector<int> machineOf = machineOfVertices(*this);
  std::vector<std::vector<int>> result;
  for (int d = 0; d < deviceCount(); ++d) {
    auto machine = static_cast<size_t>(machineOf[static_cast<size_t>(d)]);
    result.resize(std::max(result.size(), machine + 1));
    result[machine].push_back(d);
  }
  return result;
}

int64_t Topology::excessBytes(const std::vector<int64_t> &bytes) const {
  assert(bytes.size() == devices.size() && "bytes of each device");
  int64_t sum = 0;
  for (int d = 0; d < deviceCount(); ++d)
    sum += std::max<int64_t>(bytes[d] - memoryBytes(d), 0);
  return sum;
}
