//===- BuiltinTopologies.cpp - Clusters by name ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generators of the topologies that need no file. Units are bytes and seconds;
// networks are sold in bits. Figures and sources are in docs/Topology.md.
//
//===----------------------------------------------------------------------===//

#include "Soap/Profile/ProfileModel.h"
#include "Soap/Topology/Topology.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>

using namespace soap;

namespace {

constexpr int64_t gib = int64_t(1) << 30;
/// Bytes per second of a link sold in Gb/s.
constexpr double gigabits(double value) { return value * 1e9 / 8; }

// Bandwidths in bytes/s, each direction, and latencies in ns.
constexpr double pcie3 = 12e9; ///< 16 lanes, of 15.75e9 what copies reach
constexpr double pcie4 = 25e9, ///< of 31.5e9
    pcie5 = 50e9;              ///< of 63e9
constexpr int64_t pcieLatency = 1500, nvlinkLatency = 1000,
                  nvswitchLatency = 700, networkLatency = 1000;

/// A GPU: copies run beside kernels, and only between neighbours.
DeviceType gpuType(std::string name, int64_t memoryBytes, double bandwidth,
                   double f32, double f16, double bf16, double f64,
                   int64_t launchNs, double tf32 = 0) {
  DeviceType type;
  type.name = std::move(name);
  type.memoryBytes = memoryBytes;
  type.memoryBandwidthBytesPerSecond = bandwidth;
  type.flopsPerSecond = {{"f32", f32}, {"f64", f64}};
  if (f16 > 0)
    type.flopsPerSecond["f16"] = f16;
  if (bf16 > 0)
    type.flopsPerSecond["bf16"] = bf16;
  if (tf32 > 0)
    type.flopsPerSecond["tf32"] = tf32;
  type.launchNs = launchNs;
  type.forwardsTransfers = false;
  type.collectives = true;
  type.profile = "h200";
  return type;
}

/// Its link to the host, and its part of the host's memory.
DeviceType withHost(DeviceType type, double bandwidth, int64_t memoryBytes) {
  type.hostBandwidthBytesPerSecond = bandwidth;
  type.hostMemoryBytes = memoryBytes;
  return type;
}

// Two K80 or V100 of a machine share the lanes of a switch.
DeviceType k80() {
  return withHost(gpuType("k80", 12 * gib, 240e9, 4.4e12, 0, 0, 1.45e12, 6000),
                  pcie3 / 2, 32 * gib);
}
DeviceType p100() {
  return withHost(
      gpuType("p100", 16 * gib, 732e9, 10.6e12, 21.2e12, 0, 5.3e12, 5000),
      pcie3, 64 * gib);
}
DeviceType v100() {
  return withHost(
      gpuType("v100", 16 * gib, 900e9, 15.7e12, 125e12, 0, 7.8e12, 4000),
      pcie3 / 2, 64 * gib);
}
DeviceType v100Pcie() {
  return withHost(
      gpuType("v100-pcie", 16 * gib, 900e9, 14e12, 112e12, 0, 7e12, 4000),
      pcie3, 64 * gib);
}
DeviceType a100() {
  return withHost(gpuType("a100", 80 * gib, 2039e9, 19.5e12, 312e12, 312e12,
                          9.7e12, 3000, 156e12),
                  pcie4, 128 * gib);
}
DeviceType h100() {
  return withHost(gpuType("h100", 80 * gib, 3350e9, 67e12, 990e12, 990e12,
                          34e12, 2000, 494.5e12),
                  pcie5, 256 * gib);
}
DeviceType h200() {
  return withHost(gpuType("h200", 141 * gib, 4800e9, 67e12, 990e12, 990e12,
                          34e12, 2000, 494.5e12),
                  pcie5, 256 * gib);
}

/// First figures for a core of a present server.
DeviceType cpu() {
  DeviceType type;
  type.name = "cpu";
  type.memoryBytes = 16 * gib;
  type.memoryBandwidthBytesPerSecond = 3e10;
  type.flopsPerSecond = {{"f32", 1e11}, {"f64", 5e10}};
  type.launchNs = 3000;
  type.copiesOccupyReceiver = true;
  return type;
}

/// Numbers of a name: `p100-4x2` has 4 nodes with 2 devices.
struct Size {
  int nodes = 1, perNode = 1;
};

class Builder {
public:
  Builder(DeviceType type, int count, const std::string &prefix) {
    topology.deviceTypes = {std::move(type)};
    for (int d = 0; d < count; ++d)
      topology.devices.push_back({prefix + std::to_string(d), 0});
  }

  Topology take() { return std::move(topology); }

  int addSwitch(std::string name) {
    topology.switches.push_back(std::move(name));
    return topology.deviceCount() + static_cast<int>(topology.switches.size()) -
           1;
  }
  void addLink(int from, int to, double bandwidth, int64_t latencyNs,
               const std::string &suffix = "") {
    topology.links.push_back({nameOf(from) + "->" + nameOf(to) + suffix, from,
                              to, bandwidth, latencyNs});
  }
  /// Both directions.
  void connect(int a, int b, double bandwidth, int64_t latencyNs,
               const std::string &suffix = "") {
    addLink(a, b, bandwidth, latencyNs, suffix);
    addLink(b, a, bandwidth, latencyNs, suffix);
  }

private:
  Topology topology;

  const std::string &nameOf(int vertex) const {
    int devices = topology.deviceCount();
    return vertex < devices ? topology.devices[vertex].name
                            : topology.switches[vertex - devices];
  }
};

std::string nodeName(int node, const std::string &what) {
  return "node" + std::to_string(node) + "." + what;
}

//===----------------------------------------------------------------------===//
// CPUs
//===----------------------------------------------------------------------===//

/// Up to here every ordered pair has a link of its own; beyond, devices share
/// one switch.
constexpr int maxDevicesWithPairLinks = 64;

Topology makeCpu(Size size) {
  constexpr double copyBandwidth = 8e9;
  constexpr int64_t latencyNs = 2000;
  int count = size.perNode;
  Builder builder(cpu(), count, "cpu");
  if (count <= maxDevicesWithPairLinks) {
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b)
        if (a != b)
          builder.addLink(a, b, copyBandwidth, latencyNs);
    return builder.take();
  }
  int memory = builder.addSwitch("host memory");
  for (int d = 0; d < count; ++d)
    builder.addLink(d, memory, copyBandwidth, latencyNs / 2);
  for (int d = 0; d < count; ++d)
    builder.addLink(memory, d, copyBandwidth, latencyNs / 2);
  return builder.take();
}

//===----------------------------------------------------------------------===//
// Nodes of GPUs with one network card
//===----------------------------------------------------------------------===//

/// The part that differs between nodes: connects the node's devices, from
/// `first` on, with each other and with its host switch.
using ConnectNode =
    std::function<void(Builder &, int node, int first, int count, int host)>;

/// Nodes whose devices share one card to a switch that never blocks.
Topology makeCluster(DeviceType type, Size size, double networkBandwidth,
                     const ConnectNode &connectNode) {
  Builder builder(std::move(type), size.nodes * size.perNode, "gpu");
  std::vector<int> hosts;
  for (int node = 0; node < size.nodes; ++node) {
    hosts.push_back(builder.addSwitch(nodeName(node, "host")));
    connectNode(builder, node, node * size.perNode, size.perNode, hosts.back());
  }
  if (size.nodes > 1) {
    int network = builder.addSwitch("network");
    for (int host : hosts)
      builder.connect(host, network, networkBandwidth, networkLatency);
  }
  return builder.take();
}

void connectToHost(Builder &builder, int first, int count, int host) {
  for (int d = first; d < first + count; ++d)
    builder.connect(d, host, pcie3, pcieLatency);
}

/// Section 8.1 and Figure 6a of the FlexFlow paper: NVLink inside of a node,
/// EDR InfiniBand (100 Gb/s) between nodes.
Topology makeP100(Size size) {
  constexpr double nvlink1 = 20e9; // one of four links to each peer
  return makeCluster(
      p100(), size, gigabits(100),
      [&](Builder &builder, int, int first, int count, int host) {
        for (int a = first; a < first + count; ++a)
          for (int b = a + 1; b < first + count; ++b)
            builder.connect(a, b, nvlink1, nvlinkLatency);
        connectToHost(builder, first, count, host);
      });
}

/// Section 8.1 and Figure 6b: adjacent GPUs share a PCIe switch, all reach the
/// host through a shared one, 56 Gb/s between nodes.
Topology makeK80(Size size) {
  return makeCluster(
      k80(), size, gigabits(56),
      [&](Builder &builder, int node, int first, int count, int host) {
        for (int d = 0; d < count; d += 2) {
          int pair =
              builder.addSwitch(nodeName(node, "pcie" + std::to_string(d / 2)));
          for (int g = d; g < std::min(d + 2, count); ++g)
            builder.connect(first + g, pair, pcie3, pcieLatency / 2);
          builder.connect(pair, host, pcie3, pcieLatency / 2);
        }
      });
}

/// NVLink 2 of a hybrid cube mesh of eight V100: two quads, pairs with one or
/// two of the six links of a GPU.
void connectCubeMesh(Builder &builder, int first, int count) {
  constexpr double nvlink2 = 25e9;
  constexpr std::array<std::array<int, 3>, 16> links = {{
      {0, 1, 1},
      {0, 2, 1},
      {0, 3, 2},
      {0, 4, 2},
      {1, 2, 2},
      {1, 3, 1},
      {1, 5, 2},
      {2, 3, 2},
      {2, 6, 1},
      {3, 7, 1},
      {4, 5, 1},
      {4, 6, 1},
      {4, 7, 2},
      {5, 6, 2},
      {5, 7, 1},
      {6, 7, 2},
  }};
  for (auto [a, b, lanes] : links)
    if (a < count && b < count)
      builder.connect(first + a, first + b, lanes * nvlink2, nvlinkLatency);
}

/// DGX-1: a PCIe switch and an EDR card for each two GPUs.
Topology makeDgx1(Size size) {
  Builder builder(v100(), size.nodes * size.perNode, "gpu");
  std::vector<int> cards;
  for (int node = 0; node < size.nodes; ++node) {
    int first = node * size.perNode;
    int host = builder.addSwitch(nodeName(node, "host"));
    connectCubeMesh(builder, first, size.perNode);
    for (int d = 0; d < size.perNode; d += 2) {
      int pair =
          builder.addSwitch(nodeName(node, "pcie" + std::to_string(d / 2)));
      for (int g = d; g < std::min(d + 2, size.perNode); ++g)
        builder.connect(first + g, pair, pcie3, pcieLatency / 2);
      builder.connect(pair, host, pcie3, pcieLatency / 2);
      cards.push_back(pair);
    }
  }
  if (size.nodes > 1) {
    int network = builder.addSwitch("network");
    for (int card : cards)
      builder.connect(card, network, gigabits(100), networkLatency);
  }
  return builder.take();
}

/// The same mesh and one card a node.
Topology makeV100(Size size, double networkBandwidth) {
  return makeCluster(v100(), size, networkBandwidth,
                     [](Builder &builder, int, int first, int count, int host) {
                       connectCubeMesh(builder, first, count);
                       connectToHost(builder, first, count, host);
                     });
}

/// p3.16xlarge: 25 Gb/s between nodes.
Topology makeP3(Size size) { return makeV100(size, gigabits(25)); }
/// The cluster of TensorOpt (Cai et al., 2020, section 5): EDR InfiniBand.
Topology makeV100Edr(Size size) { return makeV100(size, gigabits(100)); }

/// A box without NVLink: all copies through the host's PCIe switch.
Topology makePcie(Size size) {
  return makeCluster(v100Pcie(), size, gigabits(100),
                     [](Builder &builder, int, int first, int count, int host) {
                       connectToHost(builder, first, count, host);
                     });
}

//===----------------------------------------------------------------------===//
// NVSwitch nodes, a network card for each GPU
//===----------------------------------------------------------------------===//

/// `nvlink`: of one GPU to the switch, each direction.
Topology makeNVSwitch(DeviceType type, Size size, double nvlink) {
  Builder builder(std::move(type), size.nodes * size.perNode, "gpu");
  for (int node = 0; node < size.nodes; ++node) {
    int nvswitch = builder.addSwitch(nodeName(node, "nvswitch"));
    for (int d = 0; d < size.perNode; ++d)
      builder.connect(node * size.perNode + d, nvswitch, nvlink,
                      nvswitchLatency);
  }
  if (size.nodes > 1) {
    int network = builder.addSwitch("network");
    for (int d = 0; d < size.nodes * size.perNode; ++d)
      builder.connect(d, network, gigabits(400), networkLatency + pcieLatency);
  }
  return builder.take();
}

Topology makeA100(Size size) { return makeNVSwitch(a100(), size, 300e9); }
Topology makeH100(Size size) { return makeNVSwitch(h100(), size, 450e9); }
Topology makeH200(Size size) { return makeNVSwitch(h200(), size, 450e9); }

//===----------------------------------------------------------------------===//
// Networks of single devices
//===----------------------------------------------------------------------===//

/// Neighbours linked both ways, the last with the first; devices forward.
Topology makeRing(Size size) {
  DeviceType type = h100();
  type.forwardsTransfers = true;
  int count = size.perNode;
  Builder builder(std::move(type), count, "gpu");
  for (int d = 0; d + 1 < count; ++d)
    builder.connect(d, d + 1, gigabits(400), networkLatency);
  if (count > 2)
    builder.connect(count - 1, 0, gigabits(400), networkLatency);
  return builder.take();
}

/// k-ary fat tree (Al-Fares et al., 2008): k pods of k/2 edge and k/2
/// aggregation switches, (k/2)^2 cores, k^3/4 devices, all links equal.
Topology makeFatTree(Size size) {
  int k = size.perNode, half = k / 2;
  double bandwidth = gigabits(400);
  Builder builder(h100(), k * half * half, "gpu");
  std::vector<int> cores;
  for (int c = 0; c < half * half; ++c)
    cores.push_back(builder.addSwitch("core" + std::to_string(c)));
  for (int pod = 0; pod < k; ++pod) {
    auto name = [&](const char *kind, int i) {
      return "pod" + std::to_string(pod) + "." + kind + std::to_string(i);
    };
    std::vector<int> aggregation;
    for (int a = 0; a < half; ++a) {
      aggregation.push_back(builder.addSwitch(name("agg", a)));
      for (int c = 0; c < half; ++c)
        builder.connect(aggregation[a], cores[a * half + c], bandwidth,
                        networkLatency / 2);
    }
    for (int e = 0; e < half; ++e) {
      int edge = builder.addSwitch(name("edge", e));
      for (int a = 0; a < half; ++a)
        builder.connect(edge, aggregation[a], bandwidth, networkLatency / 2);
      for (int d = 0; d < half; ++d)
        builder.connect((pod * half + e) * half + d, edge, bandwidth,
                        networkLatency / 2);
    }
  }
  return builder.take();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

constexpr int maxDevices = 16384, maxOfHost = 4096;

struct Family {
  const char *prefix;
  bool nodes;     ///< NxM, not N
  int maxPerNode; ///< of M; of N without nodes
  Topology (*make)(Size);
  const char *summary;
};

const Family families[] = {
    {"cpu-", false, maxOfHost, makeCpu, "N CPU devices of one host"},
    {"k80-", true, 8, makeK80,
     "N nodes of M K80 GPUs, pairs on PCIe switches, 56 Gb/s"},
    {"p100-", true, 4, makeP100, "N nodes of M P100, NVLink, 100 Gb/s"},
    {"dgx1-", true, 8, makeDgx1,
     "N DGX-1 of M V100, hybrid cube mesh, 100 Gb/s for two GPUs"},
    {"p3-", true, 8, makeP3,
     "N p3.16xlarge of M V100, hybrid cube mesh, 25 Gb/s"},
    {"v100-", true, 8, makeV100Edr,
     "N nodes of M V100, hybrid cube mesh, 100 Gb/s a node"},
    {"a100-", true, 8, makeA100, "N nodes of M A100, NVSwitch, 400 Gb/s a GPU"},
    {"h100-", true, 8, makeH100, "N nodes of M H100, NVSwitch, 400 Gb/s a GPU"},
    {"h200-", true, 8, makeH200, "N nodes of M H200, NVSwitch, 400 Gb/s a GPU"},
    {"pcie-", true, 8, makePcie, "N boxes of M V100 on PCIe, 100 Gb/s"},
    {"ring-", false, maxOfHost, makeRing, "N H100 in a ring, 400 Gb/s"},
    {"fat-tree-", false, 24, makeFatTree,
     "k-ary fat tree (k even) of k^3/4 H100, 400 Gb/s"},
};

/// A number without sign or leading zero, from the front of the text.
std::optional<int> takeNumber(std::string_view &text) {
  int value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 1 || text[0] == '0')
    return std::nullopt;
  text.remove_prefix(end - text.data());
  return value;
}

/// Null: not of this family's form, or too large.
std::optional<Size> parseSize(const Family &family, std::string_view text) {
  Size size;
  std::optional<int> first = takeNumber(text), second = 1;
  if (!first)
    return std::nullopt;
  if (family.nodes && !text.empty()) {
    if (!text.starts_with('x'))
      return std::nullopt;
    text.remove_prefix(1);
    second = takeNumber(text);
    if (!second)
      return std::nullopt;
    size = {*first, *second};
  } else {
    size = {1, *first}; // of a cluster: one node
  }
  bool isFatTree = family.make == makeFatTree;
  if (!text.empty() || size.perNode > family.maxPerNode ||
      (isFatTree && size.perNode % 2 != 0) ||
      static_cast<int64_t>(size.nodes) * size.perNode > maxDevices)
    return std::nullopt;
  return size;
}

/// `p100-NxM or M, M up to 4`.
std::string formOf(const Family &family) {
  std::string form = family.prefix;
  form += family.nodes ? "NxM or M" : "N";
  if (family.nodes)
    return form + ", M up to " + std::to_string(family.maxPerNode);
  return form + ", N up to " + std::to_string(family.maxPerNode);
}

} // namespace

std::vector<std::string> soap::builtinTopologyNames() {
  std::vector<std::string> names;
  for (const Family &family : families)
    names.push_back(formOf(family) + ": " + family.summary);
  return names;
}

/// Behind the name of a cluster of GPUs.
static constexpr std::string_view pointToPoint = "-p2p";

/// Exchanges are messages between two devices, as on the clusters of the SOAP
/// paper, which had no library of collectives.
static MaybeError leaveOutCollectives(Topology &topology) {
  for (DeviceType &type : topology.deviceTypes) {
    if (!type.collectives)
      return Error{"unknown topology '" + topology.name +
                   "': its devices have no collectives that '-p2p' could "
                   "leave out, expected the name without it"};
    type.collectives = false;
  }
  return std::nullopt;
}

Expected<Topology> soap::builtinTopology(const std::string &name) {
  std::string forms;
  for (const Family &family : families) {
    forms += (forms.empty() ? "" : "; ") + formOf(family);
    std::string_view text = name;
    if (!text.starts_with(family.prefix))
      continue;
    text.remove_prefix(std::string_view(family.prefix).size());
    bool isPointToPoint = text.ends_with(pointToPoint);
    if (isPointToPoint)
      text.remove_suffix(pointToPoint.size());
    std::optional<Size> size = parseSize(family, text);
    if (!size)
      return Error{"unknown topology '" + name + "', expected a file or " +
                   formOf(family) + " (" + family.summary + "), at most " +
                   std::to_string(maxDevices) + " devices"};
    Topology topology = family.make(*size);
    topology.name = name;
    if (isPointToPoint)
      if (MaybeError error = leaveOutCollectives(topology))
        return *std::move(error);
    for (DeviceType &type : topology.deviceTypes) {
      if (type.profile.empty())
        continue;
      Expected<std::shared_ptr<const ProfileModel>> model =
          loadProfileModel(type.profile);
      if (!model)
        return model.takeError();
      type.costs = *model;
    }
    if (MaybeError error = topology.computeRoutes())
      return *std::move(error);
    return topology;
  }
  return Error{"unknown topology '" + name + "', expected a file or " + forms};
}
