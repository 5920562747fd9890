//===- Session.h - A module with its memory and devices ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `Session` binds a `ProgramSource` to memory and devices and runs its
// entries: the object that trainers, comparisons and other embedders use.
//
//      source = loadArtifact(path)
//      session = Session::create(source, options)
//      initialize(session.manifest(), session.tensors(), "", seed)
//      session.run(entry)
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_EXECUTION_SESSION_H
#define SOAP_RUNTIME_EXECUTION_SESSION_H

#include "Soap/Runtime/Artifact/ProgramSource.h"
#include "Soap/Runtime/Execution/CallChecks.h"
#include "Soap/Runtime/Execution/Launcher.h"
#include "Soap/Runtime/Execution/TensorStore.h"

#include <functional>
#include <optional>
#include <set>

namespace soap::runtime {

class Backend;
class NcclWorld;
class World;

/// The devices that a session runs on, and how they communicate.
struct DeviceChoice {
  /// "cpu", "cuda", or "auto": cuda for modules lowered to GPUs, where CUDA's
  /// driver has one, else cpu.
  std::string backend = "cpu";
  /// Over NCCL; otherwise in memory, or over the processes of the world.
  bool nccl = false;
  /// All devices of a backend are one real device.
  bool virtualDevices = false;
  /// Iterations on a backend are launched as a whole after the first
  /// (IterationGraphs.h).
  bool graphs = true;
  /// A backend chooses the algorithms of its libraries by measuring, before the
  /// first iteration of an entry (docs/GPU.md).
  bool tunes = true;
  /// The first iteration of each entry on a backend is compared with the host,
  /// call by call; not over NCCL.
  std::optional<CallCheckOptions> checks = {};
  /// Receives remarks that are no errors. May be empty.
  std::function<void(const std::string &)> note = {};
};

class Session {
public:
  /// Code and memory of a session with a stuck device stay for the life of the
  /// process: the device still uses them.
  ~Session();

  /// Allocates tiles and arenas and starts the devices; an error if a program
  /// is missing, memory is not enough, or the devices are not there.
  /// `options.devices` comes from the manifest. With a world, the session is
  /// one of several that together run all devices, and functions that run or
  /// read something are collective.
  static Expected<std::unique_ptr<Session>>
  create(ProgramSource source, LauncherOptions options, World *world = nullptr,
         const DeviceChoice &choice = {});

  const Manifest &manifest() const { return *source.manifest; }
  TensorStore &tensors() { return *store; }
  Launcher &launcher() { return *devices; }

  /// Index of an entry, or an error that lists the entries of the module.
  Expected<size_t> entry(const std::string &name) const;
  /// The tensors of a kind that an entry has as arguments, in the order of the
  /// manifest.
  std::vector<size_t> arguments(size_t entry, TensorKind kind) const;
  /// The one tensor of a kind that an entry has as argument.
  Expected<size_t> argument(size_t entry, TensorKind kind) const;
  /// The result of a kind, if the entry has one.
  std::optional<size_t> resultOf(size_t entry, TensorKind kind) const;

  /// One iteration of an entry: refreshes its arguments, runs, takes over
  /// updated tensors. `meanwhile` is for `Launcher::run`.
  MaybeError run(size_t entry,
                 const std::function<MaybeError()> &meanwhile = nullptr);
  /// Wall time of the latest run, without the refresh.
  double lastMilliseconds() const { return milliseconds; }
  /// How fast the cores are (SpeedGauge.h) of the devices that the ranks of an
  /// entry run on: ns by rank, 0 of ranks without tasks, of other processes,
  /// and on a backend. Takes some 50 us.
  std::vector<int64_t> gauges(size_t entry);
  /// The slowest of these.
  int64_t gauge(size_t entry);
  /// A rank-0 result of the latest run; on other ranks than 0, any number.
  Expected<double> scalar(size_t entry, size_t tensor) const;

  const Execution &execution(size_t entry) const { return *executions[entry]; }
  /// The execution's `bytesSent` with the rows of all processes, on rank 0.
  Expected<std::vector<int64_t>> bytesSent(size_t entry) const;
  const Placement &placement() const { return store->placement(); }
  /// Per device, the largest over the entries.
  const std::vector<int64_t> &arenaBytes() const { return arenaSizes; }

  /// The calls that `DeviceChoice::checks` has compared so far; null: not asked
  /// for.
  const CallChecks *callChecks() const { return checks.get(); }

  /// Called after every successful run.
  std::function<void(const Execution &)> observer;

private:
  Session() = default;

  /// Memory of all devices here: arenas, and on a backend also tiles.
  MaybeError allocate(const Placement &placement);
  MaybeError connect(const Placement &placement, const DeviceChoice &choice);

  ProgramSource source;
  /// Null on the CPU. Outlives what is in its memory.
  std::shared_ptr<Backend> backend;
  std::shared_ptr<NcclWorld> nccl;
  std::unique_ptr<TensorStore> store;
  std::vector<AlignedBytes> arenas;
  /// By device: on the host, or on the device itself.
  std::vector<void *> arenaPlaces;
  std::vector<int64_t> arenaSizes;
  std::vector<std::shared_ptr<Execution>> executions;
  std::shared_ptr<CallChecks> checks;
  std::unique_ptr<Launcher> devices;
  double milliseconds = 0;
  /// Entries whose library calls are prepared.
  std::set<size_t> prepared;
  /// By entry: `TensorStore::addressVersion` of its pointers.
  std::vector<uint64_t> addressVersions;
};

} // namespace soap::runtime

#endif // SOAP_RUNTIME_EXECUTION_SESSION_H
