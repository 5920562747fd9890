//===- BuiltinTopologies.cpp - Clusters by name ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generators of the topologies that need no file. Units are bytes and seconds;
// networks are sold in bits. Figures and sources are in docs/Topology.md.
//
//===----------------------------------------------------------------------===//

#include "BuiltinDevices.h"
#include "Soap/Profile/ProfileModel.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <span>

using namespace soap;

namespace {

/// Bytes per second of a link sold in Gb/s.
constexpr double gigabits(double value) { return value * 1e9 / 8; }

// Latencies in ns.
constexpr int64_t pcieLatency = 1500, nvlinkLatency = 1000,
                  nvswitchLatency = 700, networkLatency = 1000;

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

  /// Devices are in machines of so many, `node0`, `node1`, ...
  void setMachines(int perMachine, const std::string &name = "node") {
    for (int d = 0; d < topology.deviceCount(); ++d)
      topology.devices[static_cast<size_t>(d)].machine =
          name + std::to_string(d / perMachine);
  }

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
  Builder builder(builtinDevice("cpu"), count, "cpu");
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
  builder.setMachines(size.perNode);
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
      builtinDevice("p100"), size, gigabits(100),
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
      builtinDevice("k80"), size, gigabits(56),
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
  Builder builder(builtinDevice("v100"), size.nodes * size.perNode, "gpu");
  builder.setMachines(size.perNode);
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
  return makeCluster(builtinDevice("v100"), size, networkBandwidth,
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
  return makeCluster(builtinDevice("v100-pcie"), size, gigabits(100),
                     [](Builder &builder, int, int first, int count, int host) {
                       connectToHost(builder, first, count, host);
                     });
}

//===----------------------------------------------------------------------===//
// NVSwitch nodes, a network card for each GPU
//===----------------------------------------------------------------------===//

/// Each device on a switch that never blocks, and a card a device. `inside`: of
/// a device to the switch, each direction.
Topology makeSwitched(DeviceType type, Size size, double inside,
                      int64_t insideLatency, double network,
                      const char *switchName = "nvswitch") {
  Builder builder(std::move(type), size.nodes * size.perNode, "gpu");
  builder.setMachines(size.perNode);
  for (int node = 0; node < size.nodes; ++node) {
    int nvswitch = builder.addSwitch(nodeName(node, switchName));
    for (int d = 0; d < size.perNode; ++d)
      builder.connect(node * size.perNode + d, nvswitch, inside, insideLatency);
  }
  if (size.nodes > 1) {
    int network_ = builder.addSwitch("network");
    for (int d = 0; d < size.nodes * size.perNode; ++d)
      builder.connect(d, network_, network, networkLatency + pcieLatency);
  }
  return builder.take();
}

template <const char *name, int nvlinkGb, int networkGb>
Topology makeNVSwitch(Size size) {
  return makeSwitched(builtinDevice(name), size, nvlinkGb * 1e9,
                      nvswitchLatency, gigabits(networkGb));
}

/// Cards of a workstation or server: all copies through the host, whose switch
/// never blocks; a network card of the host's.
template <const char *name, int pcieGb, int networkGb>
Topology makeCards(Size size) {
  return makeCluster(builtinDevice(name), size, gigabits(networkGb),
                     [](Builder &builder, int, int first, int count, int host) {
                       for (int d = first; d < first + count; ++d)
                         builder.connect(d, host, pcieGb * 1e9, pcieLatency);
                     });
}

/// MI300X: a link between each pair of eight.
Topology makeMi300x(Size size) {
  constexpr double infinityFabric = 64e9;
  Builder builder(builtinDevice("mi300x"), size.nodes * size.perNode, "gpu");
  builder.setMachines(size.perNode);
  for (int node = 0; node < size.nodes; ++node)
    for (int a = 0; a < size.perNode; ++a)
      for (int b = a + 1; b < size.perNode; ++b)
        builder.connect(node * size.perNode + a, node * size.perNode + b,
                        infinityFabric, nvlinkLatency);
  if (size.nodes > 1) {
    int network = builder.addSwitch("network");
    for (int d = 0; d < size.nodes * size.perNode; ++d)
      builder.connect(d, network, gigabits(400), networkLatency + pcieLatency);
  }
  return builder.take();
}

/// Torus of `extents`, the first fastest; devices forward for each other. With
/// two along an axis there is one link, not two.
void connectTorus(Builder &builder, int first, std::span<const int> extents,
                  double bandwidth, int64_t latencyNs) {
  int count = 1, stride = 1;
  for (int extent : extents)
    count *= extent;
  for (int extent : extents) {
    for (int d = 0; d < count; ++d) {
      int place = d / stride % extent;
      int next = d + ((place + 1) % extent - place) * stride;
      if (extent > 1 && (extent > 2 || place == 0))
        builder.connect(first + d, first + next, bandwidth, latencyNs);
    }
    stride *= extent;
  }
}

/// The three factors of a count that are nearest to each other.
std::array<int, 3> torusOf(int count) {
  std::array<int, 3> best = {count, 1, 1};
  for (int a = 1; a * a * a <= count; ++a)
    for (int b = a; count % a == 0 && b * b <= count / a; ++b)
      if (count / a % b == 0 && count / a / b < best[0])
        best = {count / a / b, b, a};
  return best;
}

/// TPU v5p: 4,800 Gb/s a chip over six links of a torus.
Topology makeTpuV5p(Size size) {
  Builder builder(builtinDevice("tpu-v5p"), size.perNode, "tpu");
  builder.setMachines(size.perNode);
  connectTorus(builder, 0, torusOf(size.perNode), gigabits(800), 1000);
  return builder.take();
}

/// Trn2: 16 chips of an instance in a torus of 4 x 4, 200 Gb/s a chip outside.
Topology makeTrn2(Size size) {
  Builder builder(builtinDevice("trn2"), size.nodes * size.perNode, "trn");
  builder.setMachines(size.perNode);
  int rows = size.perNode % 4 == 0 ? 4 : 1;
  std::array<int, 2> extents = {size.perNode / rows, rows};
  for (int node = 0; node < size.nodes; ++node)
    connectTorus(builder, node * size.perNode, extents, 160e9, 1000);
  if (size.nodes > 1) {
    int network = builder.addSwitch("network");
    for (int d = 0; d < size.nodes * size.perNode; ++d)
      builder.connect(d, network, gigabits(200), networkLatency + pcieLatency);
  }
  return builder.take();
}

constexpr char a100Name[] = "a100", a100SmallName[] = "a100-40gb",
               h100Name[] = "h100", h200Name[] = "h200", h20Name[] = "h20",
               b200Name[] = "b200", b300Name[] = "b300", gb200Name[] = "gb200",
               gb300Name[] = "gb300", l40sName[] = "l40s",
               rtx4090Name[] = "rtx4090", rtxProName[] = "rtx-pro-6000";

//===----------------------------------------------------------------------===//
// Networks of single devices
//===----------------------------------------------------------------------===//

/// Neighbours linked both ways, the last with the first; devices forward.
Topology makeRing(Size size) {
  DeviceType type = builtinDevice("h100");
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
  Builder builder(builtinDevice("h100"), k * half * half, "gpu");
  builder.setMachines(half * half, "pod");
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
    {"a100-40gb-", true, 8, makeNVSwitch<a100SmallName, 300, 200>,
     "N nodes of M A100 of 40 GB, NVSwitch, 200 Gb/s a GPU"},
    {"a100-", true, 8, makeNVSwitch<a100Name, 300, 400>,
     "N nodes of M A100, NVSwitch, 400 Gb/s a GPU"},
    {"h100-", true, 8, makeNVSwitch<h100Name, 450, 400>,
     "N nodes of M H100, NVSwitch, 400 Gb/s a GPU"},
    {"h200-", true, 8, makeNVSwitch<h200Name, 450, 400>,
     "N nodes of M H200, NVSwitch, 400 Gb/s a GPU"},
    {"h20-", true, 8, makeNVSwitch<h20Name, 450, 400>,
     "N nodes of M H20, NVSwitch, 400 Gb/s a GPU"},
    {"b200-", true, 8, makeNVSwitch<b200Name, 900, 400>,
     "N nodes of M B200, NVSwitch, 400 Gb/s a GPU"},
    {"b300-", true, 8, makeNVSwitch<b300Name, 900, 800>,
     "N nodes of M B300, NVSwitch, 800 Gb/s a GPU"},
    {"gb200-", true, 72, makeNVSwitch<gb200Name, 900, 400>,
     "N racks of M GB200 in one NVLink domain, 400 Gb/s a GPU"},
    {"gb300-", true, 72, makeNVSwitch<gb300Name, 900, 800>,
     "N racks of M GB300 in one NVLink domain, 800 Gb/s a GPU"},
    {"l40s-", true, 8, makeCards<l40sName, 25, 200>,
     "N nodes of M L40S on PCIe 4, 200 Gb/s a node"},
    {"rtx4090-", true, 8, makeCards<rtx4090Name, 12, 100>,
     "N nodes of M RTX 4090 on PCIe 4 without peer access, 100 Gb/s a node"},
    {"rtx-pro-6000-", true, 8, makeCards<rtxProName, 50, 400>,
     "N nodes of M RTX PRO 6000 on PCIe 5, 400 Gb/s a node"},
    {"mi300x-", true, 8, makeMi300x,
     "N nodes of M MI300X, a link between each two, 400 Gb/s a GPU"},
    {"tpu-v5p-", false, maxOfHost, makeTpuV5p, "N TPU v5p in a torus"},
    {"trn2-", true, 16, makeTrn2,
     "N instances of M Trainium2 in a torus, 200 Gb/s a chip"},
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
