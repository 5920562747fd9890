//===- CollectiveCost.cpp - Time of collectives over a topology -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An algorithm is a sequence of steps; a step is a set of messages that move at
// once. A step takes the longest latency of its routes, plus the bytes of the
// fullest link over that link's bandwidth. All is linear in the bytes of the
// tensor, so that an algorithm is two numbers, and their minimum never falls
// when bytes grow.
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/CollectiveCost.h"

#include "CollectiveWorkspace.h"
#include "MeasuredCollectives.h"
#include "Soap/Cost/ExchangeLoads.h"
#include "Soap/Profile/CollectiveCurve.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>

using namespace soap;

namespace {

/// Up to here rings go from neighbour to nearest neighbour; beyond, in the
/// order of device numbers, since the choice is quadratic.
constexpr int maxForGreedyRing = 128;
/// Up to here all pairs are looked at for exchanges that have alternatives.
constexpr int maxForDirect = 256;

/// From here on, what all of a group send to all is counted by sets.
constexpr size_t minForSets = 8;

/// Posting one more message of a step, ns.
constexpr double messageNs = 200;

/// The share of a network's bandwidth that NCCL reaches: 46 to 48 GB/s of a
/// card of 400 Gb/s (docs/CostModel.md has the source).
constexpr double networkShare = 0.94;

/// Messages that move at once.
struct Step {
  double latencyNs = 0;
  double nsPerByte = 0; ///< of the tensor's bytes
  /// Its links: `Parts::links[firstLink .. firstLink + linkCount)`.
  size_t firstLink = 0, linkCount = 0;
};

/// Collects the messages of one step after the other.
class StepBuilder {
public:
  /// `standsForAll`: a machine whose messages stand for the messages of all
  /// others, which take the same links of other machines; -1: there is none.
  StepBuilder(CollectiveWorkspace::Parts &workspace,
              const MachineRoutes *machines, int standsForAll)
      : topology(workspace.topology), machines(machines),
        standsForAll(standsForAll), workspace(workspace) {
    workspace.begin();
    for (const DeviceType &type : topology.deviceTypes)
      anyCopies |= type.copiesOccupyReceiver;
  }

  /// `share` times the tensor's bytes from each device of a group to each
  /// other, of every group, which are of one size. Nothing else in this step.
  void sendAll(const std::vector<std::vector<int>> &groups, double share) {
    assert(workspace.touched.empty() && workspace.used.empty() &&
           "nothing else is in this step");
    RouteSets *sets = nullptr;
    size_t count = groups.front().size();
    if (count >= minForSets && !anyCopies)
      sets = &workspace.routeSets();
    if (!sets || !sets->areProducts()) {
      for (const std::vector<int> &group : groups)
        for (int from : group)
          if (standsForAll < 0 || machines->machineOf(from) == standsForAll)
            for (int to : group)
              send(from, to, share);
      return;
    }
    workspace.ones.assign(count, 1);
    for (const std::vector<int> &group : groups) {
      sets->addLoads(group, workspace.ones, group, workspace.messages,
                     workspace.touched);
      longest =
          std::max(longest, static_cast<double>(sets->longestNs(group, group)));
      for (int device : group)
        endPoint(device).sent += static_cast<int>(count) - 1;
    }
    // Rounded as if one message had come after the other.
    workspace.sums.assign(1, 0);
    for (int link : workspace.touched) {
      int64_t &messages = workspace.messages[link];
      while (static_cast<int64_t>(workspace.sums.size()) <= messages)
        workspace.sums.push_back(workspace.sums.back() + share);
      workspace.load[link] = workspace.sums[messages];
      messages = 0;
    }
  }

  /// A message of `share` times the tensor's bytes.
  void send(int from, int to, double share) {
    assert(share > 0 && share <= 1 && "a share of the tensor's bytes");
    if (from == to ||
        (standsForAll >= 0 && machines->machineOf(from) != standsForAll))
      return;
    int64_t latencyNs = 0;
    double slowest = 0;
    bool receiverCopies = topology.typeOf(to).copiesOccupyReceiver;
    auto pass = [&](int link) {
      double &load = workspace.load[link];
      if (load == 0)
        workspace.touched.push_back(link);
      load += share;
      latencyNs += topology.links[link].latencyNs;
      if (receiverCopies)
        slowest = std::max(slowest, nsPerByteOf(link));
    };
    if (machines)
      machines->forEachLink(from, to, [&](int machine, int position) {
        pass(machines->getCluster().linksOf(
            standsForAll >= 0 ? standsForAll
                              : machine)[static_cast<size_t>(position)]);
      });
    else
      for (int link : topology.route(from, to))
        pass(link);
    auto latency = static_cast<double>(latencyNs);
    longest = std::max(longest, latency);
    if (!receiverCopies) {
      endPoint(from).sent++;
      return;
    }
    // The receiver's thread makes one copy after the other.
    StepEndPoint &receiver = endPoint(to);
    receiver.latencyNs += latency;
    receiver.perByte += share * slowest;
  }

  Step take() {
    Step step;
    step.latencyNs = longest;
    for (int device : workspace.used) {
      StepEndPoint &at = workspace.devices[device];
      step.latencyNs = std::max(
          {step.latencyNs, longest + (at.sent - 1) * messageNs, at.latencyNs});
      step.nsPerByte = std::max(step.nsPerByte, at.perByte);
      at = {};
    }
    for (int link : workspace.touched) {
      step.nsPerByte =
          std::max(step.nsPerByte, workspace.load[link] * nsPerByteOf(link));
      workspace.load[link] = 0;
    }
    step.firstLink = workspace.links.size();
    step.linkCount = workspace.touched.size();
    workspace.links.insert(workspace.links.end(), workspace.touched.begin(),
                           workspace.touched.end());
    workspace.touched.clear();
    workspace.used.clear();
    longest = 0;
    return step;
  }

  std::span<const int> linksOf(const Step &step) const {
    return std::span<const int>(workspace.links)
        .subspan(step.firstLink, step.linkCount);
  }

private:
  const Topology &topology;
  const MachineRoutes *machines; ///< null: routes are looked up one by one
  int standsForAll;
  CollectiveWorkspace::Parts &workspace;
  double longest = 0;
  bool anyCopies = false; ///< receivers make copies

  StepEndPoint &endPoint(int device) {
    StepEndPoint &at = workspace.devices[device];
    if (!at.isActive)
      workspace.used.push_back(device);
    at.isActive = true;
    return at;
  }
  double nsPerByteOf(int link) const {
    return 1e9 / topology.links[link].bandwidthBytesPerSecond;
  }
};

/// Builds the algorithms for one sorted list of at least two devices.
class Builder {
public:
  Builder(CollectiveWorkspace::Parts &workspace, CollectiveKind kind,
          std::vector<int> devices, int root)
      : workspace(workspace), topology(workspace.topology),
        devices(std::move(devices)), root(root),
        count(static_cast<int>(this->devices.size())),
        machines(workspace.machineRoutes()), isFolded(canFold(kind)),
        messages(workspace, machines,
                 isFolded ? machines->machineOf(this->devices.front()) : -1) {}

  std::vector<CollectiveAlgorithm> build(CollectiveKind kind) {
    switch (kind) {
    case CollectiveKind::AllToAll:
      addAllToAll();
      break;
    case CollectiveKind::AllReduce:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllGather:
      addSymmetric(kind);
      break;
    case CollectiveKind::Broadcast:
    case CollectiveKind::Reduce:
      addRooted(kind == CollectiveKind::Reduce);
      break;
    case CollectiveKind::Exchange:
      break; // depends on its messages
    }
    return keepBest();
  }
  /// Ascending.
  const std::vector<int> &getDevices() const { return devices; }

  /// The latencies of messages between machines, and the time of a byte on the
  /// links between them, where machines have rings and trees of their own: each
  /// device passes its part on to one of equal rank in another machine.
  void addAcross(CollectiveKind kind, CollectiveAlgorithm &algorithm) {
    Groups nodes = findMachines();
    auto outer = static_cast<double>(nodes.size());
    if (kind == CollectiveKind::AllToAll) {
      Pass pass = directPass({devices}, 1.0 / count);
      algorithm.latencyNs = pass.step.latencyNs;
      algorithm.nsPerByte = pass.step.nsPerByte / networkShare;
      return;
    }
    bool isEven = std::ranges::all_of(nodes, [&](const auto &node) {
      return node.size() == nodes.front().size();
    });
    // Without equal ranks, all are on one ring.
    Groups across(isEven ? nodes.front().size() : 1);
    for (const std::vector<int> &node : nodes)
      for (size_t i = 0; i < node.size(); ++i)
        across[isEven ? i : 0].push_back(node[i]);
    Pass pass = ringPass(across, 1.0 / static_cast<double>(across.size()));
    double ways = kind == CollectiveKind::AllReduce ? 2 : 1;
    algorithm.nsPerByte =
        ways * pass.times * pass.step.nsPerByte / networkShare;
    algorithm.latencyNs =
        ways * std::ceil(std::log2(outer)) * pass.step.latencyNs;
  }

private:
  using Groups = std::vector<std::vector<int>>;

  CollectiveWorkspace::Parts &workspace;
  const Topology &topology;
  std::vector<int> devices;
  int root;
  int count;
  const MachineRoutes *machines;
  bool isFolded; ///< one machine stands for all
  StepBuilder messages;
  struct Candidate {
    const char *name = "";
    double latencyNs = 0, nsPerByte = 0;
    size_t firstStep = 0; ///< in `steps`, up to that of the next
  };
  std::vector<Candidate> candidates;
  std::vector<Step> steps;

  /// Whether the next machine, and the first one after the last, does in every
  /// step what a machine does: all have the same places, devices go round in
  /// the order of their numbers, and nodes lie inside of machines.
  bool canFold(CollectiveKind kind) const {
    if (!machines || count <= maxForDirect || !machines->areMachinesApart() ||
        kind == CollectiveKind::Broadcast || kind == CollectiveKind::Reduce)
      return false;
    int per = machines->getCluster().getPerMachine(), first = 0, inside = 1;
    while (inside < count && machines->machineOf(devices[inside]) ==
                                 machines->machineOf(devices[0]))
      ++inside;
    if (count % inside != 0)
      return false;
    for (; first < count; first += inside)
      for (int i = 0; i < inside; ++i)
        if (devices[first + i] % per != devices[i] % per ||
            machines->machineOf(devices[first + i]) !=
                machines->machineOf(devices[first]))
          return false;
    return inside < count;
  }

  int64_t distance(int from, int to) const {
    return machines ? machines->distance(from, to)
                    : topology.distance(from, to);
  }

  /// From the links of one machine to the links of all that take part.
  void unfoldLinks(std::vector<int> &links) const {
    const Cluster &cluster = machines->getCluster();
    std::vector<int> all;
    int before = -1;
    for (int device : devices)
      if (int machine = machines->machineOf(device); machine != before) {
        before = machine;
        for (int link : links)
          all.push_back(cluster.linksOf(
              machine)[static_cast<size_t>(cluster.positionOf(link))]);
      }
    links = std::move(all);
  }

  /// Algorithms that no other one beats in both latency and time per byte; of
  /// equal ones the first.
  std::vector<CollectiveAlgorithm> keepBest() const {
    std::vector<CollectiveAlgorithm> algorithms;
    for (size_t c = 0; c < candidates.size(); ++c) {
      const Candidate &it = candidates[c];
      bool isDominated = false;
      for (size_t o = 0; o < candidates.size() && !isDominated; ++o) {
        const Candidate &other = candidates[o];
        bool isSame =
            other.latencyNs == it.latencyNs && other.nsPerByte == it.nsPerByte;
        isDominated = isSame ? o < c
                             : other.latencyNs <= it.latencyNs &&
                                   other.nsPerByte <= it.nsPerByte;
      }
      if (isDominated)
        continue;
      CollectiveAlgorithm &algorithm = algorithms.emplace_back();
      algorithm.name = it.name;
      algorithm.latencyNs = it.latencyNs;
      algorithm.nsPerByte = it.nsPerByte;
      size_t end = c + 1 < candidates.size() ? candidates[c + 1].firstStep
                                             : steps.size();
      std::vector<int> &links = algorithm.links;
      for (size_t s = it.firstStep; s < end; ++s) {
        std::span<const int> ofStep = messages.linksOf(steps[s]);
        links.insert(links.end(), ofStep.begin(), ofStep.end());
      }
      std::sort(links.begin(), links.end());
      links.erase(std::unique(links.begin(), links.end()), links.end());
      if (isFolded) {
        unfoldLinks(links);
        std::sort(links.begin(), links.end());
      }
    }
    return algorithms;
  }

  //===--------------------------------------------------------------------===//
  // Adding steps up
  //===--------------------------------------------------------------------===//

  /// Starts the next algorithm.
  void begin(const char *name) {
    candidates.push_back({name, 0, 0, steps.size()});
  }

  /// `times` times this step; each time, every device folds `reduced` of the
  /// tensor into what it has.
  void add(const Step &step, double times, double reduced = 0) {
    assert(!candidates.empty() && times > 0 && "an algorithm must have begun");
    // Two operands are read, one result is written: beside the copies on a GPU,
    // after them where the receiver's thread copies.
    const DeviceType &type = topology.typeOf(root);
    double folding =
        3 * reduced * 1e9 / std::max(type.memoryBandwidthBytesPerSecond, 1.0);
    double perByte = type.copiesOccupyReceiver
                         ? step.nsPerByte + folding
                         : std::max(step.nsPerByte, folding);
    Candidate &current = candidates.back();
    current.latencyNs += times * step.latencyNs;
    current.nsPerByte += times * perByte;
    // The way there is the way back.
    if (steps.size() == current.firstStep ||
        steps.back().firstLink != step.firstLink ||
        steps.back().linkCount != step.linkCount)
      steps.push_back(step);
  }

  /// Half of an all-reduce over groups of n devices: the step that scatters
  /// sums is also the one that gathers results.
  struct Pass {
    Step step;
    double times, reduced;
  };
  void scatter(const Pass &pass) { add(pass.step, pass.times, pass.reduced); }
  void gather(const Pass &pass) { add(pass.step, pass.times); }

  /// Reduce-scatter or all-gather of `total` of the tensor in all groups (of
  /// equal size) at once, each pair in one hop.
  Pass directPass(const Groups &groups, double total) {
    double n = static_cast<double>(groups.front().size());
    messages.sendAll(groups, total / n);
    return {messages.take(), 1, total * (n - 1) / n};
  }
  /// The same around rings, in one direction or with a half in each.
  Pass ringPass(const Groups &rings, double total, bool bothWays = false) {
    double n = static_cast<double>(rings.front().size());
    for (const std::vector<int> &ring : rings)
      for (size_t i = 0; i < ring.size(); ++i) {
        int a = ring[i], b = ring[(i + 1) % ring.size()];
        double share = total / n;
        messages.send(a, b, bothWays ? share / 2 : share);
        if (bothWays)
          messages.send(b, a, share / 2);
      }
    return {messages.take(), n - 1, total / n};
  }

  //===--------------------------------------------------------------------===//
  // All-reduce, reduce-scatter, all-gather, all-to-all
  //===--------------------------------------------------------------------===//

  static bool reduces(CollectiveKind kind) {
    return kind != CollectiveKind::AllGather;
  }
  static bool gathers(CollectiveKind kind) {
    return kind != CollectiveKind::ReduceScatter;
  }

  void addPass(const char *name, CollectiveKind kind, const Pass &pass) {
    begin(name);
    if (reduces(kind))
      scatter(pass);
    if (gathers(kind))
      gather(pass);
  }

  void addSymmetric(CollectiveKind kind) {
    if (count <= maxForDirect)
      addPass("direct", kind, directPass({devices}, 1));
    Groups ring = {makeRing(devices)};
    addPass("ring", kind, ringPass(ring, 1));
    if (count > 2)
      addPass("rings", kind, ringPass(ring, 1, /*bothWays=*/true));
    addDoubling(kind, ring.front());
    for (const Groups &nodes : findNodes())
      addHierarchical(kind, nodes);
  }

  /// Steps over distance 1, 2, 4, ...: few latencies. All-reduce exchanges the
  /// whole tensor, the others what grows or shrinks by two. Any number of
  /// devices (Bruck et al., 1997).
  void addDoubling(CollectiveKind kind, const std::vector<int> &ring) {
    begin("tree");
    bool whole = kind == CollectiveKind::AllReduce;
    for (int distance = 1; distance < count; distance *= 2) {
      double share =
          whole ? 1
                : static_cast<double>(std::min(distance, count - distance)) /
                      count;
      for (int i = 0; i < count; ++i)
        messages.send(ring[i], ring[(i + distance) % count], share);
      add(messages.take(), 1, reduces(kind) ? share : 0);
    }
    if (whole && (count & (count - 1)) != 0) {
      // Devices more than a power of two fold into it first, and hear of the
      // result last: one step more than distances.
      for (int i = 0; i < count; ++i)
        messages.send(ring[i], ring[(i + 1) % count], 1);
      add(messages.take(), 1, 1);
    }
  }

  /// In each node, then between devices of equal rank of all nodes at once,
  /// then in each node again.
  void addHierarchical(CollectiveKind kind, const Groups &nodes) {
    size_t inner = nodes.front().size(), outer = nodes.size();
    assert(inner > 1 && outer > 1 && "nodes of several devices");
    Groups across(inner), rings = nodes;
    for (const std::vector<int> &node : nodes)
      for (size_t i = 0; i < inner; ++i)
        across[i].push_back(node[i]);
    for (std::vector<int> &node : rings)
      node = makeRing(node);
    double part = 1.0 / static_cast<double>(inner);
    // With two, a ring is all pairs.
    std::vector<Pass> insides = {directPass(nodes, 1)}, acrosses;
    if (inner > 2)
      insides.push_back(ringPass(rings, 1));
    if (outer <= maxForDirect)
      acrosses.push_back(directPass(across, part));
    if (outer > 2)
      acrosses.push_back(ringPass(across, part));
    for (const Pass &inside : insides)
      for (const Pass &outside : acrosses) {
        begin("hierarchical");
        if (reduces(kind)) {
          scatter(inside);
          scatter(outside);
        }
        if (gathers(kind)) {
          gather(outside);
          gather(inside);
        }
      }
  }

  void addAllToAll() {
    begin("direct");
    add(directPass({devices}, 1.0 / count).step, 1);
  }

  //===--------------------------------------------------------------------===//
  // Broadcast, reduce
  //===--------------------------------------------------------------------===//

  /// A reduction is a broadcast backwards, with sums.
  void addRooted(bool reduce) {
    auto send = [&](int from, int to, double share) {
      messages.send(reduce ? to : from, reduce ? from : to, share);
    };
    begin("direct");
    for (int device : devices)
      send(root, device, 1);
    add(messages.take(), 1, reduce ? count - 1 : 0);

    // A pipeline along the ring: after the first piece, the others follow.
    std::vector<int> ring = makeRing(devices);
    std::rotate(ring.begin(), std::find(ring.begin(), ring.end(), root),
                ring.end());
    constexpr double pieces = 16;
    begin("ring");
    for (int i = 0; i + 1 < count; ++i)
      send(ring[i], ring[i + 1], 1 / pieces);
    add(messages.take(), pieces + count - 2, reduce ? 1 / pieces : 0);

    // The far half hears of it first, then both halves go on.
    begin("tree");
    int distance = 1;
    while (distance * 2 < count)
      distance *= 2;
    for (; distance >= 1; distance /= 2) {
      for (int i = 0; i + distance < count; i += 2 * distance)
        send(ring[i], ring[i + distance], 1);
      add(messages.take(), 1, reduce ? 1 : 0);
    }

    // Each gets a piece, then all exchange them.
    begin("scatter");
    for (int device : devices)
      send(root, device, 1.0 / count);
    add(messages.take(), 1);
    Pass pass = ringPass({ring}, 1);
    if (reduce)
      scatter(pass);
    else
      gather(pass);
  }

  //===--------------------------------------------------------------------===//
  // Rings, nodes and machines
  //===--------------------------------------------------------------------===//

  /// From each device to the nearest one that is left: time of a message that
  /// is large enough for bandwidth to matter, then the smaller number.
  std::vector<int> makeRing(const std::vector<int> &members) const {
    int n = static_cast<int>(members.size());
    if (n > maxForGreedyRing || n < 4)
      return members;
    const std::vector<int64_t> *pairNs = workspace.messageTimesNs();
    auto all = static_cast<size_t>(topology.deviceCount());
    auto nsOf = [&](int from, int to) {
      size_t pair = static_cast<size_t>(from) * all + static_cast<size_t>(to);
      if (pairNs)
        return (*pairNs)[pair];
      return machines ? machines->messageNs(from, to)
                      : topology.transferNs(from, to, ringMessageBytes);
    };
    std::vector<int> ring = members;
    for (int i = 0; i + 2 < n; ++i) {
      int nearest = i + 1;
      int64_t shortest = INT64_MAX;
      for (int j = i + 1; j < n; ++j) {
        int64_t ns = nsOf(ring[i], ring[j]);
        if (ns < shortest) {
          shortest = ns;
          nearest = j;
        }
      }
      // Keeps the order of the others.
      std::rotate(ring.begin() + i + 1, ring.begin() + nearest,
                  ring.begin() + nearest + 1);
    }
    return ring;
  }

  /// The devices by their machines.
  Groups findMachines() const {
    const std::vector<int> &numbers = workspace.machineOf();
    std::map<int, std::vector<int>> found;
    for (int device : devices)
      found[numbers[static_cast<size_t>(device)]].push_back(device);
    Groups nodes;
    for (auto &[number, node] : found)
      nodes.push_back(std::move(node));
    return nodes;
  }

  /// Ways to see the list as nodes of equal size: devices that are within each
  /// distance that occurs from the first.
  std::vector<Groups> findNodes() const {
    std::vector<int64_t> radii;
    for (int device : devices)
      if (device != devices.front())
        radii.push_back(distance(devices.front(), device));
    std::sort(radii.begin(), radii.end());
    radii.erase(std::unique(radii.begin(), radii.end()), radii.end());
    assert(!radii.empty() && "at least two devices");
    // The largest has all in one node.
    radii.pop_back();
    constexpr size_t most = 3;
    radii.resize(std::min(radii.size(), most));
    std::vector<Groups> found;
    for (int64_t radius : radii) {
      Groups nodes;
      std::vector<bool> taken(devices.size());
      bool equal = true;
      for (size_t i = 0; i < devices.size() && equal; ++i) {
        if (taken[i])
          continue;
        std::vector<int> &node = nodes.emplace_back();
        for (size_t j = i; j < devices.size(); ++j) {
          // Machines are farther from each other than the largest radius.
          if (machines && machines->areMachinesApart() &&
              machines->machineOf(devices[j]) !=
                  machines->machineOf(devices[i]))
            break;
          if (!taken[j] &&
              (i == j || distance(devices[i], devices[j]) <= radius)) {
            taken[j] = true;
            node.push_back(devices[j]);
          }
        }
        equal = node.size() == nodes.front().size();
      }
      if (equal && nodes.size() > 1 && nodes.front().size() > 1)
        found.push_back(std::move(nodes));
    }
    return found;
  }
};

} // namespace

CollectiveModel::CollectiveModel(const Topology &topology, CollectiveKind kind,
                                 std::span<const int> list) {
  CollectiveWorkspace workspace(topology);
  *this = CollectiveModel(workspace, kind, list);
}

CollectiveModel::CollectiveModel(CollectiveWorkspace &workspace,
                                 CollectiveKind kind,
                                 std::span<const int> list) {
  const Topology &topology = workspace.getTopology();
  assert(std::ranges::all_of(list,
                             [&](int device) {
                               return device >= 0 &&
                                      device < topology.deviceCount();
                             }) &&
         "the numbers must be in range");
  if (list.empty())
    return;
  int root = list.front();
  std::vector<int> devices(list.begin(), list.end());
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  if (devices.size() < 2)
    return;
  speed = topology.executor.collectives;
  double launch = 0;
  for (int device : devices)
    launch =
        std::max(launch, static_cast<double>(topology.typeOf(device).launchNs));
  Builder builder(*workspace.parts, kind, devices, root);
  algorithms = builder.build(kind);
  assert((kind == CollectiveKind::Exchange || !algorithms.empty()) &&
         "there is a way of doing it");
  for (CollectiveAlgorithm &algorithm : algorithms)
    algorithm.latencyNs += launch;
  // The algorithm that libraries choose is unknown, but its time is known.
  measured = measuredCollective(*workspace.parts, kind, builder.getDevices(),
                                [&](CollectiveAlgorithm &algorithm) {
                                  builder.addAcross(kind, algorithm);
                                });
}

static double durationOf(const CollectiveAlgorithm &algorithm, int64_t bytes) {
  auto all = static_cast<double>(std::max<int64_t>(bytes, 0));
  double moving = algorithm.nsPerByte * all;
  if (algorithm.inside)
    moving =
        std::max(moving, algorithm.inside->ns(all * algorithm.insideShare));
  return algorithm.latencyNs + moving;
}

const CollectiveAlgorithm *CollectiveModel::best(int64_t bytes) const {
  const CollectiveAlgorithm *best = nullptr;
  for (const CollectiveAlgorithm &algorithm : algorithms)
    if (!best || durationOf(algorithm, bytes) < durationOf(*best, bytes))
      best = &algorithm;
  return best;
}

int64_t CollectiveModel::ns(int64_t bytes) const {
  const CollectiveAlgorithm *algorithm = measured ? &*measured : best(bytes);
  if (!algorithm)
    return 1;
  // Rounding errors must not cost a nanosecond; the upper end keeps sums over
  // many tasks inside of int64.
  double ns = std::ceil(durationOf(*algorithm, bytes) / speed * (1 - 1e-12));
  return static_cast<int64_t>(std::clamp(ns, 1.0, 1e15));
}

CollectiveCost soap::collectiveCost(const Topology &topology,
                                    CollectiveKind kind,
                                    std::span<const int> devices,
                                    int64_t bytes) {
  CollectiveWorkspace workspace(topology);
  return collectiveCost(workspace, kind, devices, bytes);
}

CollectiveCost soap::collectiveCost(CollectiveWorkspace &workspace,
                                    CollectiveKind kind,
                                    std::span<const int> devices,
                                    int64_t bytes) {
  CollectiveModel model(workspace, kind, devices);
  CollectiveCost cost;
  cost.ns = model.ns(bytes);
  if (const CollectiveAlgorithm *algorithm = model.best(bytes))
    cost.links = algorithm->links;
  return cost;
}

CollectiveCost soap::exchangeCost(const Topology &topology,
                                  std::span<const Message> messages) {
  ExchangeLoads loads(topology);
  for (const Message &message : messages)
    loads.add(message);
  return loads.take();
}

CollectiveCost soap::exchangeCost(CollectiveWorkspace &workspace,
                                  std::span<const Message> messages) {
  CollectiveCost cost = exchangeCost(workspace.getTopology(), messages);
  InsideExchange &inside = workspace.parts->inside;
  inside.begin(workspace);
  std::vector<int> devices;
  for (const Message &message : messages) {
    inside.add(std::span(&message.from, 1), std::span(&message.bytes, 1),
               std::span(&message.to, 1));
    devices.insert(devices.end(), {message.from, message.to});
  }
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  if (devices.empty())
    return cost;
  if (auto found = inside.measured(devices))
    cost.ns =
        std::max(cost.ns, CollectiveModel(workspace, CollectiveKind::AllToAll,
                                          found->devices)
                              .ns(found->bytes));
  return cost;
}
