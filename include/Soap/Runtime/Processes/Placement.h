//===- Placement.h - Which process has which device -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices are dealt to the processes of a run in blocks of device numbers.
// Without a process group, one process has all devices, and every function
// answers as if it were the only rank.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_PROCESSES_PLACEMENT_H
#define SOAP_RUNTIME_PROCESSES_PLACEMENT_H

#include "Soap/Runtime/Processes/ProcessGroup.h"

#include <cassert>
#include <cstdint>
#include <vector>

namespace soap::runtime {

struct Placement {
  ProcessGroup *group = nullptr;
  int64_t devices = 0;

  int size() const { return group ? group->size() : 1; }
  int rank() const { return group ? group->rank() : 0; }
  /// Rank 0 reads the results, prints and writes.
  bool isRoot() const { return rank() == 0; }
  int rankOf(int64_t device) const {
    assert((!group || (device >= 0 && device < devices)) && "no such device");
    return group ? int(device * size() / devices) : 0;
  }
  bool isHere(int64_t device) const { return rankOf(device) == rank(); }
  /// The devices of this process.
  std::vector<int64_t> devicesHere() const {
    std::vector<int64_t> result;
    for (int64_t device = 0; device < devices; ++device)
      if (isHere(device))
        result.push_back(device);
    return result;
  }
};

} // namespace soap::runtime

#endif // SOAP_RUNTIME_PROCESSES_PLACEMENT_H
