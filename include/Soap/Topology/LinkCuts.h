//===- LinkCuts.h - Links that everything passes to get somewhere ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cuts of a topology, for lower bounds of a makespan: everything that gets
// into a device, or into a group of devices from others, passes one of the
// links that lead in. Such a set of links is a cut. The part of a task is
// counted in bytes, as if each of its links moved bytes for as long as it is
// occupied; so planned tasks and bytes that must move can be added up.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOPOLOGY_LINKCUTS_H
#define SOAP_TOPOLOGY_LINKCUTS_H

#include "Soap/Topology/Topology.h"

#include <array>
#include <cassert>

namespace soap {

/// The cuts of a topology: that of each device, numbered as devices, then those
/// of groups: devices of one machine, and of one switch.
class LinkCuts {
public:
  explicit LinkCuts(const Topology &topology);

  struct Group {
    std::vector<int> devices; ///< ascending
    int cut = -1;
  };

  size_t count() const { return nsPerByte.size(); }
  /// Groups of two devices or more, none of all.
  const std::vector<Group> &getGroups() const { return groups; }
  /// The shortest time in ns in which bytes pass a cut; 0 if it has no links.
  int64_t shortestNs(size_t cut, int64_t bytes) const {
    assert(cut < nsPerByte.size() && bytes >= 0 && "no such cut");
    return static_cast<int64_t>(static_cast<double>(bytes) * nsPerByte[cut]);
  }
  double getNsPerByte(size_t cut) const { return nsPerByte[cut]; }
  /// The same of the links that lead out.
  double getOutNsPerByte(size_t cut) const { return outNsPerByte[cut]; }
  /// Adds what a task takes of each cut, in bytes (`bytes` has an entry per
  /// cut). Resources are devices, then links.
  void add(std::span<const int> resources, int64_t durationNs,
           std::vector<int64_t> &bytes) const {
    assert(durationNs >= 0 && bytes.size() == count() && "an entry a cut");
    for (int resource : resources)
      if (resource >= deviceCount)
        for (int i = start[resource - deviceCount];
             i < start[resource - deviceCount + 1]; ++i)
          bytes[members[i]] +=
              static_cast<int64_t>(static_cast<double>(durationNs) *
                                   bytesPerNs[resource - deviceCount]);
  }

private:
  int deviceCount;
  std::vector<Group> groups;
  /// By cut, over all of its links: those that lead there, and those from
  /// there.
  std::vector<double> nsPerByte, outNsPerByte;
  std::vector<double> bytesPerNs;  ///< by link
  std::vector<int> start, members; ///< cuts by link
};

} // namespace soap

#endif // SOAP_TOPOLOGY_LINKCUTS_H
