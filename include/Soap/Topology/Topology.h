//===- Topology.h - Devices, switches and links -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device topology D of the FlexFlow paper (section 3.1): a graph of
// devices, switches and directed links with bandwidth and latency. It is read
// from JSON (docs/Topology.md) or built in by name (`cpu-4`). A transfer
// occupies every link of its route.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOPOLOGY_TOPOLOGY_H
#define SOAP_TOPOLOGY_TOPOLOGY_H

#include "Soap/Support/Error.h"
#include "Soap/Topology/Executor.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace soap {

class ProfileModel;

struct DeviceType {
  std::string name;
  int64_t memoryBytes = 0;
  double memoryBandwidthBytesPerSecond = 0;
  std::map<std::string, double> flopsPerSecond; ///< by dtype, `f32`
  int64_t launchNs = 1;                         ///< fixed cost of one task
  bool copiesOccupyReceiver = false; ///< CPU devices: a local copy occupies the
                                     ///< receiver's compute queue
  bool forwardsTransfers = true;     ///< routes between others may lead through
                                     ///< it; GPUs copy between neighbours only
  /// What kernels reach that read and write the memory of the host; 0: the
  /// device has no memory beside the host's, or no link is known.
  double hostBandwidthBytesPerSecond = 0;
  int64_t hostMemoryBytes = 0; ///< host memory of a device; 0: no limit
  bool collectives = false;    ///< exchanges of several devices are single
                               ///< operations of a library, as NCCL's
  /// Name of a built-in profile or file with measured times, of this type or of
  /// another whose curves are scaled by the peaks (docs/CostModel.md); empty:
  /// none.
  std::string profile;
  std::shared_ptr<const ProfileModel> costs; ///< what `profile` names
};

struct Device {
  std::string name;
  int type = 0; ///< index in `deviceTypes`
  /// Which machine it is in; empty for all devices where links tell.
  std::string machine = {};
};

/// A directed link between two vertices; vertices are devices 0..n-1, then
/// switches.
struct Link {
  std::string name;
  int from = 0, to = 0;
  double bandwidthBytesPerSecond = 0;
  int64_t latencyNs = 0;
};

class Topology {
public:
  std::string name;
  std::vector<DeviceType> deviceTypes;
  std::vector<Device> devices;
  std::vector<std::string> switches;
  std::vector<Link> links;
  /// The framework that runs plans on these devices: no part of a topology
  /// file, but prices and memory are by it.
  Executor executor;

  int deviceCount() const { return static_cast<int>(devices.size()); }
  const DeviceType &typeOf(int device) const {
    return deviceTypes[devices[device].type];
  }

  /// Whether exchanges of several devices are single tasks: all types of
  /// devices have collectives.
  bool hasCollectives() const {
    for (const DeviceType &type : deviceTypes)
      if (!type.collectives)
        return false;
    return true;
  }

  /// Prepares routes: fewest hops, then lowest latency, and of equal routes to
  /// vertex v, ordered by link ids, the one at position v modulo their number
  /// (as D-mod-k routing of fat trees). An error if some pair is not connected.
  /// Called by the readers; call it again after changing links. Devices may
  /// forward for others.
  MaybeError computeRoutes();
  /// Links of the route between two devices; empty for the same device. Routes
  /// of a source are computed when first asked for (all pairs of 4096 devices
  /// would take 200 MB); safe from several threads.
  std::span<const int> route(int from, int to) const;
  /// Time of a transfer alone: sum of latencies plus bytes over the smallest
  /// bandwidth, at least 1 ns.
  int64_t transferNs(int from, int to, int64_t bytes) const;
  /// Ordering of distance: latency sum of the route.
  int64_t distance(int from, int to) const;
  /// Devices by the machine that holds them, in order of their first devices:
  /// as `Device::machine` says, or else as links do (docs/Topology.md).
  std::vector<std::vector<int>> machines() const;
  /// The bytes of a device that tensors may have: the executor holds the rest.
  int64_t memoryBytes(int device) const {
    return executor.usableBytes(typeOf(device).memoryBytes);
  }
  /// The sum over devices of the bytes (one entry per device) that are beyond
  /// their memory.
  int64_t excessBytes(const std::vector<int64_t> &bytes) const;

private:
  class Routes;
  std::shared_ptr<Routes> routes; ///< shared by copies
};

/// `cpu-N`: N devices of one host; every ordered pair has a link through host
/// memory. N in 1..4096.
Expected<Topology> builtinTopology(const std::string &name);
/// Names for help texts.
std::vector<std::string> builtinTopologyNames();
/// Parses the JSON text of a topology; `file` is for messages.
Expected<Topology> parseTopology(const std::string &text,
                                 const std::string &file);
/// Gives device types the times of a profile (a built-in name or a file): the
/// types of the profile's name, or the only type there is.
MaybeError useProfile(Topology &topology, const std::string &nameOrFile);
/// A built-in name, or a file.
Expected<Topology> loadTopology(const std::string &nameOrFile);
std::string printTopology(const Topology &topology);

} // namespace soap

#endif // SOAP_TOPOLOGY_TOPOLOGY_H
