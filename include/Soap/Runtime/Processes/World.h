//===- World.h - All processes of a run -------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `World` is a run in several processes: their process group, the watch of
// each over the others, and the few things on which they agree. Rank 0 is the
// root: it reads results, prints, and writes files. Runs of one process have no
// world.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_PROCESSES_WORLD_H
#define SOAP_RUNTIME_PROCESSES_WORLD_H

#include "Soap/Runtime/Artifact/Manifest.h"
#include "Soap/Runtime/Processes/PeerMonitor.h"
#include "Soap/Runtime/Processes/Placement.h"
#include "Soap/Support/Version.h"

namespace soap::runtime {

/// How all ranks go on after an iteration.
enum class Decision : char { GoOn, Stop, NotFinite };

/// The devices of one process among the devices of its machine.
struct DeviceShare {
  /// Devices of this process, ascending.
  std::vector<int64_t> local;
  /// How many devices of other processes come before these on the cores of the
  /// machine.
  int64_t firstOnMachine = 0;
  /// Cores for each device, at least 1: of the machine that has the fewest, so
  /// that kernels of all devices sum in the same order.
  int64_t coresPerDevice = 1;
};

class World {
public:
  /// Finds the other ranks of the group and watches them. An error if another
  /// rank runs another version of Soap than `version`. Collective.
  static Expected<std::unique_ptr<World>>
  create(ProcessGroup &group, PeerMonitorOptions options,
         const std::string &version = soap::version());

  int rank() const { return group.rank(); }
  int size() const { return group.size(); }
  ProcessGroup &processes() const { return group; }
  /// "rank 2 (process 4711 on 'host')".
  const std::string &name() const { return ownName; }

  /// Deals the devices of a module to the ranks; an error if there are more
  /// ranks than devices, or if the ranks have loaded different modules.
  /// Collective.
  Expected<Placement> place(const Manifest &manifest);
  /// Which devices of a placement this process runs, on which cores.
  DeviceShare share(const Placement &placement) const;
  /// "3 a device on 'a', 1 on 'b'", if machines differ in the cores that
  /// they have for each of their devices; else empty.
  std::string differingCores(const Placement &placement) const;
  /// The watch over the other processes.
  PeerMonitor &peers() const { return *monitor; }

  /// Whether to stop, the same answer on every rank. All ranks call it after
  /// every iteration. The root decides one iteration ahead, so no rank waits
  /// for the answer. `notFinite`, which counts on the root alone, says that the
  /// training has reached a number that is infinite or not a number.
  Expected<Decision> agreeToStop(bool notFinite = false);

  /// Ends the other ranks with a message that names this one.
  void fail(const std::string &message);
  /// Waits for the other ranks at the end of a run. Collective.
  MaybeError leave();

private:
  World(ProcessGroup &group) : group(group) {}

  ProcessGroup &group;
  std::unique_ptr<PeerMonitor> monitor;
  std::string ownName;
  /// Cores for each device, by machine; at least 1.
  std::vector<std::pair<std::string, int64_t>>
  coresByMachine(const Placement &placement) const;

  /// The machine of each rank, the name of its host, and the cores that its
  /// process may use.
  std::vector<std::string> machines, hosts;
  std::vector<std::vector<int>> cores;
  bool asked = false;
  Decision decision = Decision::GoOn;
};

} // namespace soap::runtime

#endif // SOAP_RUNTIME_PROCESSES_WORLD_H
