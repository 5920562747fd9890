//===- Launcher.h - Runs device programs ------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An `Execution` is one entry of a manifest bound to code and memory;
// `Launcher::run` runs it once on all its devices. A device of the CPU is a
// thread of this process: pinned, with its own number of kernel threads, alive
// as long as the launcher. A device of a backend (a GPU) has such a thread,
// too, which gives it work.
//
// Nothing hangs: the first failure stops all communication, and a watchdog ends
// an iteration in which no device makes progress. A device whose program does
// not even return then is *stuck*: its thread is left behind, and uses its code
// and memory on, which therefore stay (Session.h).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_EXECUTION_LAUNCHER_H
#define SOAP_RUNTIME_EXECUTION_LAUNCHER_H

#include "Soap/ABI/Runtime.h"
#include "Soap/Runtime/Artifact/Manifest.h"
#include "Soap/Runtime/Processes/Placement.h"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace soap::runtime {

class Backend;
class CallChecks;
class IterationGraphs;
class PeerMonitor;
class Transport;
class World;

/// When a slot of a program ran, in nanoseconds of the steady clock; 0 if not.
struct SlotTime {
  int64_t beginNs = 0, endNs = 0;
};

/// The code of one device and the memory that it works on.
struct RankBinding {
  SoapProgram program = nullptr;
  /// One pointer per argument, then one per result.
  std::vector<void *> pointers;
  /// 64-byte aligned, of the rank's `arenaBytes`.
  void *arena = nullptr;
};

/// One entry, its code and memory, and the counts of its iterations.
struct Execution {
  /// `entry` points into `manifest`, which it keeps alive.
  Execution(std::shared_ptr<const Manifest> manifest, const EntryInfo &entry,
            Placement placement = {});
  ~Execution();

  std::shared_ptr<const Manifest> manifest;
  const EntryInfo &entry;
  Placement placement;
  /// Parallel to `entry.ranks`; ranks of other processes are not bound.
  std::vector<RankBinding> ranks;
  std::unique_ptr<Transport> transport;
  /// Null: devices run every iteration op by op.
  std::unique_ptr<IterationGraphs> graphs;
  /// Null: calls of the first iteration are not compared with the host's.
  std::shared_ptr<CallChecks> checks;

  /// Times of the latest iteration, by rank and slot; zeros if it was launched
  /// as a whole.
  std::vector<std::vector<SlotTime>> times;
  /// Bytes that devices sent in all iterations, row-major [from][to]; rows of
  /// other processes' devices are 0.
  std::vector<int64_t> bytesSent;
  int64_t iterations = 0;
};

struct LauncherOptions {
  /// Devices of the module.
  int64_t devices = 1;
  /// The devices that run in this process; empty: all.
  std::vector<int64_t> local;
  /// How many devices of other processes come before these on the cores of this
  /// machine.
  int64_t firstOnMachine = 0;
  /// The backend that has the devices; null: they are threads of the CPU. It
  /// outlives the launcher.
  Backend *backend = nullptr;
  /// The watch over other processes; null in a run of one. While devices only
  /// wait for messages, they have patience as long as some other process makes
  /// progress.
  PeerMonitor *peers = nullptr;
  /// Kernel threads of each device; 0: available cores / devices, at least 1.
  int64_t threadsPerDevice = 0;
  /// The watchdog ends an iteration in which no device has made progress for
  /// this long. A device of the CPU that computes makes progress; a thread that
  /// uses processor time for a device of a backend, or a process that does
  /// something else than waiting, has twelve times as long.
  std::chrono::milliseconds timeout{10000};
  /// Bind devices to cores, round robin.
  bool pin = true;

  /// Sets the local devices, cores and peers of this process, which runs
  /// its part of `placement` beside the other processes of `world`. Processes
  /// of one machine then share its cores as threads of one process would.
  void join(const World &world, const Placement &placement);
};

class Launcher {
public:
  explicit Launcher(const LauncherOptions &options);
  /// Joins the device threads, but leaves stuck ones behind.
  ~Launcher();
  Launcher(const Launcher &) = delete;
  Launcher &operator=(const Launcher &) = delete;

  /// Runs one iteration; on failure says which device failed first, in which
  /// op, and why.
  /// `meanwhile`, if any, runs once on the calling thread while the devices are
  /// at work; its error is that of the run, if the run has none.
  MaybeError run(const std::shared_ptr<Execution> &execution,
                 const std::function<MaybeError()> &meanwhile = nullptr);

  /// The speed of each device's core (SpeedGauge.h), all at once, in ns by
  /// local device; empty where devices are a backend's. Between runs only.
  std::vector<int64_t> gauge();

  /// Whether some device never returned; the launcher runs nothing any more.
  bool stuck() const;
  int64_t threadsPerDevice() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace soap::runtime

#endif // SOAP_RUNTIME_EXECUTION_LAUNCHER_H
