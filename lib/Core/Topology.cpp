//===- Topology.cpp - Routes and built-in topologies ----------------------===//
//
// Shortest routes, one source at a time and only when asked for: searches on
// thousands of devices touch few pairs.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/Topology.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

using namespace soap;

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

/// Routes from each device, filled row by row. Has its own copy of the links,
/// so that a topology can be changed or moved.
class Topology::Routes {
public:
  /// Routes from one device to all.
  struct Row {
    std::vector<uint32_t>
        start; ///< per device, in `links`; one more at the end
    std::vector<int> links;
    std::vector<int64_t> latencyNs;
    std::vector<double> bandwidth; ///< the smallest
  };

  Routes(int devices, int vertices, std::vector<Link> links)
      : devices(devices), vertices(vertices), links(std::move(links)),
        outgoing(vertices), rows(devices) {
    for (size_t l = 0; l < this->links.size(); ++l)
      outgoing[this->links[l].from].push_back(static_cast<int>(l));
  }
  ~Routes() {
    for (std::atomic<const Row *> &row : rows)
      delete row.load();
  }
  Routes(const Routes &) = delete;
  Routes &operator=(const Routes &) = delete;

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
  std::vector<Link> links;
  std::vector<std::vector<int>> outgoing; ///< link ids per vertex, ascending
  std::vector<std::atomic<const Row *>> rows;
  std::mutex mutex;

  /// Breadth first, layer by layer. Inside a layer, vertices are numbered by
  /// the link sequence of their route, so that sequences are compared by the
  /// number of the previous vertex and the last link.
  const Row *computeRow(int source) const {
    struct Vertex {
      int hops = -1;
      int64_t latencyNs = 0;
      int rank = 0; ///< order of link sequences in the layer
      int link = -1;
    };
    std::vector<Vertex> state(vertices);
    state[source].hops = 0;
    std::vector<int> layer = {source};
    for (int hops = 1; !layer.empty(); ++hops) {
      std::vector<int> next;
      for (int u : layer)
        for (int l : outgoing[u]) {
          int v = links[l].to;
          int64_t latency = state[u].latencyNs + links[l].latencyNs;
          if (state[v].hops < 0) {
            state[v] = {hops, latency, 0, l};
            next.push_back(v);
          } else if (state[v].hops == hops && latency < state[v].latencyNs) {
            // Vertices of a layer are visited in the order of their sequences:
            // the first of equal latencies has the smallest.
            state[v].latencyNs = latency;
            state[v].link = l;
          }
        }
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
    return row;
  }
};

/// Vertices that are reached from vertex 0, along links or against them.
static std::vector<bool> reachable(int vertices, const std::vector<Link> &links,
                                   bool backward) {
  std::vector<std::vector<int>> next(vertices);
  for (const Link &link : links)
    backward ? next[link.to].push_back(link.from)
             : next[link.from].push_back(link.to);
  std::vector<bool> seen(vertices);
  std::vector<int> stack = {0};
  seen[0] = true;
  while (!stack.empty()) {
    int u = stack.back();
    stack.pop_back();
    for (int v : next[u])
      if (!seen[v]) {
        seen[v] = true;
        stack.push_back(v);
      }
  }
  return seen;
}

MaybeError Topology::computeRoutes() {
  int vertices = static_cast<int>(devices.size() + switches.size());
  if (devices.empty())
    return Error{"expected at least one device"};
  // All pairs are connected if every device is, in both directions, with the
  // first.
  std::vector<bool> to = reachable(vertices, links, false);
  std::vector<bool> from = reachable(vertices, links, true);
  for (int d = 0; d < deviceCount(); ++d)
    if (!to[d] || !from[d])
      return Error{"no route from device '" + devices[to[d] ? d : 0].name +
                   "' to device '" + devices[to[d] ? 0 : d].name + "'"};
  routes = std::make_shared<Routes>(deviceCount(), vertices, links);
  return std::nullopt;
}

std::span<const int> Topology::route(int from, int to) const {
  const Routes::Row &row = routes->from(from);
  return std::span<const int>(row.links).subspan(
      row.start[to], row.start[to + 1] - row.start[to]);
}

int64_t Topology::transferNs(int from, int to, int64_t bytes) const {
  if (from == to)
    return 1;
  const Routes::Row &row = routes->from(from);
  // Far below the largest int64, so that sums over many tasks cannot overflow.
  constexpr double longest = 1e15;
  double ns = std::ceil(static_cast<double>(bytes) / row.bandwidth[to] * 1e9) +
              static_cast<double>(row.latencyNs[to]);
  return static_cast<int64_t>(std::clamp(ns, 1.0, longest));
}

int64_t Topology::distance(int from, int to) const {
  return from == to ? 0 : routes->from(from).latencyNs[to];
}

//===----------------------------------------------------------------------===//
// Built-in topologies
//===----------------------------------------------------------------------===//

/// First figures for a core of a present server; see docs/Topology.md.
static DeviceType cpuType() {
  DeviceType type;
  type.name = "cpu";
  type.memoryBytes = int64_t(16) << 30;
  type.memoryBandwidthBytesPerSecond = 1.2e10;
  type.flopsPerSecond = {{"f32", 5e10}, {"f64", 2.5e10}};
  type.launchNs = 3000;
  type.copiesOccupyReceiver = true;
  return type;
}

/// Up to here every ordered pair has a link of its own; beyond, devices share
/// one switch.
static constexpr int mostDevicesWithPairLinks = 64;
static constexpr int mostDevices = 4096;

static Topology makeCpu(int count) {
  constexpr double copyBandwidth = 8e9;
  constexpr int64_t latencyNs = 2000;
  Topology topology;
  topology.name = "cpu-" + std::to_string(count);
  topology.deviceTypes = {cpuType()};
  for (int d = 0; d < count; ++d)
    topology.devices.push_back({"cpu" + std::to_string(d), 0});
  auto name = [&](int d) { return topology.devices[d].name; };
  if (count <= mostDevicesWithPairLinks) {
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b)
        if (a != b)
          topology.links.push_back(
              {name(a) + "->" + name(b), a, b, copyBandwidth, latencyNs});
    return topology;
  }
  topology.switches = {"host memory"};
  for (int d = 0; d < count; ++d)
    topology.links.push_back(
        {name(d) + "->host memory", d, count, copyBandwidth, latencyNs / 2});
  for (int d = 0; d < count; ++d)
    topology.links.push_back(
        {"host memory->" + name(d), count, d, copyBandwidth, latencyNs / 2});
  return topology;
}

static const std::string cpuPrefix = "cpu-";

std::vector<std::string> soap::builtinTopologyNames() {
  return {"cpu-N (N CPU devices of one host, 1 to " +
          std::to_string(mostDevices) + ")"};
}

Expected<Topology> soap::builtinTopology(const std::string &name) {
  std::string digits =
      name.starts_with(cpuPrefix) ? name.substr(cpuPrefix.size()) : "";
  bool valid = !digits.empty() && digits.size() <= 4 && digits[0] != '0' &&
               std::all_of(digits.begin(), digits.end(),
                           [](char c) { return c >= '0' && c <= '9'; });
  int count = valid ? std::stoi(digits) : 0;
  if (count < 1 || count > mostDevices)
    return Error{"unknown topology '" + name +
                 "', expected a file or cpu-N with N from 1 to " +
                 std::to_string(mostDevices)};
  Topology topology = makeCpu(count);
  if (MaybeError error = topology.computeRoutes())
    return *std::move(error);
  return topology;
}
