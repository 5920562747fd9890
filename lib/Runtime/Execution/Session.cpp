//===- Session.cpp - A loaded module with its tensors and devices ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Session.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Execution/Session.h"

#include "Runtime/Backend/Backend.h"
#include "Runtime/Backend/GpuDriver.h"
#include "Runtime/Execution/IterationGraphs.h"
#include "Runtime/Execution/PrepareCalls.h"
#include "Runtime/Transport/NcclTransport.h"
#include "Soap/Runtime/Processes/World.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <set>

using namespace soap;
using namespace soap::runtime;

/// The backend that runs the module's kernels; null: the CPU.
static Expected<std::shared_ptr<Backend>> openFor(const ProgramSource &source,
                                                  const Placement &placement,
                                                  int64_t firstOnMachine,
                                                  const DeviceChoice &choice) {
  const Manifest &manifest = *source.manifest;
  const std::optional<GpuTarget> &gpu = manifest.gpu;
  std::string name = choice.backend;
  if (name == "auto") {
    name = "cpu";
    if (gpu) {
      auto count = countGpus();
      if (!count && !gpu->hostReferences)
        return Error{"the module is for GPUs only (" + gpu->chip + "), and " +
                     count.error()};
      name = count ? "cuda" : "cpu";
    }
  }
  if (name == "cpu") {
    if (gpu && !gpu->hostReferences)
      return Error{"the module is for GPUs only (" + gpu->chip +
                   "): expected --backend cuda, or a module lowered with "
                   "host-references=true"};
    return std::shared_ptr<Backend>();
  }
  if (!gpu || !source.data)
    return Error{"the module is lowered for the CPU: backend " + name +
                 " needs one of --soap-lower-to-cuda"};
  auto *image = static_cast<const char *>(source.data("soap_gpu_image"));
  auto *bytes =
      static_cast<const int64_t *>(source.data("soap_gpu_image_bytes"));
  if (!image || !bytes || *bytes < 0)
    return Error{"the module has no image of GPU kernels"};
  BackendOptions options;
  options.local = placement.devicesHere();
  options.first = firstOnMachine;
  options.chip = gpu->chip;
  options.format = gpu->format;
  options.image = std::string_view(image, size_t(*bytes));
  options.virtualDevices = choice.virtualDevices;
  options.tunes = choice.tunes;
  options.note = choice.note;
  return openBackend(name, options);
}

/// The tensors that a device has to hold, the largest first.
static std::string memoryTable(const Manifest &manifest, int64_t device) {
  std::map<std::string, int64_t> sizes;
  for (const EntryInfo &entry : manifest.entries)
    for (const RankInfo &rank : entry.ranks) {
      if (rank.device != device)
        continue;
      sizes["temporary tiles (arena)"] =
          std::max(sizes["temporary tiles (arena)"], rank.arenaBytes);
      for (const std::vector<TileInfo> *tiles : {&rank.args, &rank.results})
        for (const TileInfo &tile : *tiles) {
          const TensorInfo &info = manifest.tensors[tile.tensor];
          int64_t &size =
              sizes["'" + info.name + "' (" + nameOf(info.kind) + ")"];
          size = std::max(size, tile.region.volume() * sizeOf(info.dtype));
        }
    }
  std::vector<std::pair<int64_t, std::string>> rows;
  int64_t total = 0;
  for (const auto &[name, bytes] : sizes) {
    rows.emplace_back(bytes, name);
    total += bytes;
  }
  std::sort(rows.rbegin(), rows.rend());
  constexpr size_t shown = 10;
  std::string text =
      "\n  bytes on device " + std::to_string(device) + ", largest first:";
  for (size_t i = 0; i < std::min(rows.size(), shown); ++i)
    text += "\n  " + std::to_string(rows[i].first) + "  " + rows[i].second;
  return text + "\n  " + std::to_string(total) + "  all " +
         std::to_string(rows.size());
}

MaybeError Session::allocate(const Placement &placement) {
  const Manifest &all = manifest();
  arenaSizes.resize(size_t(all.devices));
  arenaPlaces.resize(size_t(all.devices));
  for (const EntryInfo &entry : all.entries)
    for (const RankInfo &rank : entry.ranks) {
      int64_t &size = arenaSizes[size_t(rank.device)];
      size = std::max(size, rank.arenaBytes);
    }
  auto failed = [&](int64_t device, const std::string &message) {
    return Error{message + memoryTable(all, device)};
  };
  int64_t first =
      placement.devicesHere().empty() ? 0 : placement.devicesHere().front();
  try {
    // Devices first: where their memory is too small, the error lists the
    // tensors that they have to hold.
    for (int64_t d = 0; d < all.devices; ++d) {
      bool onHost = placement.isHere(d) && !backend;
      arenas.emplace_back(onHost ? arenaSizes[size_t(d)] : 0);
      arenaPlaces[size_t(d)] = arenas.back().data();
      if (!placement.isHere(d) || !backend)
        continue;
      auto arena = backend->allocate(d, arenaSizes[size_t(d)]);
      if (!arena)
        return failed(d, arena.error());
      arenaPlaces[size_t(d)] = *arena;
    }
    store = std::make_unique<TensorStore>(source.manifest, placement,
                                          backend.get());
  } catch (const std::bad_alloc &) {
    const char *message =
        "not enough memory for the tensors and arenas of the module";
    return backend ? failed(first, std::string(message) + ", on the host")
                   : Error{message};
  }
  if (auto error = store->allocate())
    return failed(error->device, error->message);
  return std::nullopt;
}

MaybeError Session::connect(const Placement &placement,
                            const DeviceChoice &choice) {
  if (choice.nccl) {
    std::vector<std::vector<int64_t>> groups;
    for (const EntryInfo &entry : manifest().entries)
      groups.insert(groups.end(), entry.groups.begin(), entry.groups.end());
    // Of all devices, before the first operation that waits for one of them.
    for (int64_t device : placement.devicesHere())
      if (MaybeError error = backend ? backend->load(device) : std::nullopt)
        return Error{"device " + std::to_string(device) + ": " +
                     error->message};
    auto world = NcclWorld::create(placement, backend.get(), groups);
    if (!world)
      return world.takeError();
    nccl = *world;
  } else if (backend && placement.size() > 1) {
    return Error{"devices of backend cuda in several processes need "
                 "--transport nccl"};
  }
  if (choice.checks) {
    if (!backend)
      return Error{"calls are compared with the host on a backend only: "
                   "expected --backend cuda, and a module of "
                   "--soap-lower-to-cuda"};
    // A device that waits for each call would wait for a message that another
    // one takes later.
    if (nccl)
      return Error{"calls cannot be compared with the host over NCCL: expected "
                   "--transport local"};
    checks = std::make_shared<CallChecks>(*choice.checks);
  }
  for (auto &execution : executions) {
    execution->checks = checks;
    if (nccl)
      execution->transport = nccl->transport();
    else if (backend)
      execution->transport =
          makeDeviceTransport(*backend, execution->entry.transferCount,
                              int64_t(execution->entry.collectives.size()));
    // NCCL joins the devices of any graphs; without it they meet at signals.
    if (backend && choice.graphs)
      execution->graphs = std::make_unique<IterationGraphs>(
          *backend, /*joint=*/!nccl, choice.note);
  }
  return std::nullopt;
}

Session::~Session() {
  if (!devices || !devices->stuck())
    return;
  struct Kept {
    ProgramSource source;
    std::shared_ptr<Backend> backend;
    std::shared_ptr<NcclWorld> nccl;
    std::unique_ptr<TensorStore> store;
    std::vector<AlignedBytes> arenas;
  };
  // Reachable, and never destroyed.
  static std::mutex mutex;
  static auto *kept = new std::vector<Kept>;
  std::lock_guard<std::mutex> lock(mutex);
  kept->push_back({std::move(source), std::move(backend), std::move(nccl),
                   std::move(store), std::move(arenas)});
}

Expected<std::unique_ptr<Session>> Session::create(ProgramSource source,
                                                   LauncherOptions options,
                                                   World *world,
                                                   const DeviceChoice &choice) {
  std::unique_ptr<Session> session(new Session());
  session->source = std::move(source);
  const Manifest &manifest = session->manifest();
  Placement placement{nullptr, manifest.devices};
  if (world) {
    auto placed = world->place(manifest);
    if (!placed)
      return placed.takeError();
    placement = *placed;
    options.join(*world, placement);
  }
  auto backend =
      openFor(session->source, placement, options.firstOnMachine, choice);
  if (!backend)
    return backend.takeError();
  session->backend = *backend;
  options.backend = session->backend.get();
  if (MaybeError error = session->allocate(placement))
    return *error;
  for (size_t e = 0; e < manifest.entries.size(); ++e) {
    const EntryInfo &entry = manifest.entries[e];
    auto execution =
        std::make_shared<Execution>(session->source.manifest, entry, placement);
    for (size_t r = 0; r < entry.ranks.size(); ++r) {
      if (!placement.isHere(entry.ranks[r].device))
        continue;
      RankBinding &rank = execution->ranks[r];
      rank.program = session->source.program(entry.ranks[r].program);
      if (!rank.program)
        return Error{"entry '" + entry.name + "': the module has no program '" +
                     entry.ranks[r].program + "'"};
      rank.pointers = session->store->pointers(e, r);
      rank.arena = session->arenaPlaces[size_t(entry.ranks[r].device)];
    }
    session->executions.push_back(std::move(execution));
  }
  if (MaybeError error = session->connect(placement, choice))
    return *error;
  options.devices = manifest.devices;
  session->devices = std::make_unique<Launcher>(options);
  return session;
}

Expected<size_t> Session::entry(const std::string &name) const {
  std::string names;
  for (size_t e = 0; e < manifest().entries.size(); ++e) {
    if (manifest().entries[e].name == name)
      return e;
    names += (e ? ", '" : "'") + manifest().entries[e].name + "'";
  }
  return Error{"the module has no entry '" + name + "', only " +
               (names.empty() ? "none" : names)};
}

std::vector<size_t> Session::arguments(size_t entry, TensorKind kind) const {
  std::set<size_t> found;
  for (const RankInfo &rank : manifest().entries[entry].ranks)
    for (const TileInfo &arg : rank.args)
      if (manifest().tensors[arg.tensor].kind == kind)
        found.insert(arg.tensor);
  return {found.begin(), found.end()};
}

Expected<size_t> Session::argument(size_t entry, TensorKind kind) const {
  std::vector<size_t> found = arguments(entry, kind);
  const std::string &name = manifest().entries[entry].name;
  if (found.empty())
    return Error{"entry '" + name + "' has no " + nameOf(kind) + " argument"};
  if (found.size() > 1)
    return Error{"entry '" + name + "': expected one " + nameOf(kind) +
                 " argument, got '" + manifest().tensors[found[0]].name +
                 "' and '" + manifest().tensors[found[1]].name + "'"};
  return found[0];
}

std::optional<size_t> Session::resultOf(size_t entry, TensorKind kind) const {
  for (const RankInfo &rank : manifest().entries[entry].ranks)
    for (const TileInfo &result : rank.results)
      if (manifest().tensors[result.tensor].kind == kind)
        return result.tensor;
  return std::nullopt;
}

MaybeError Session::run(size_t entry,
                        const std::function<MaybeError()> &meanwhile) {
  if (MaybeError error = store->prepare(entry))
    return error;
  addressVersions.resize(executions.size());
  if (addressVersions[entry] != store->addressVersion()) {
    addressVersions[entry] = store->addressVersion();
    std::vector<RankBinding> &ranks = executions[entry]->ranks;
    for (size_t r = 0; r < ranks.size(); ++r)
      if (ranks[r].program)
        ranks[r].pointers = store->pointers(entry, r);
  }
  if (backend && backend->tunes() && prepared.insert(entry).second)
    if (MaybeError error = prepareCalls(*executions[entry], *backend))
      return error;
  auto start = std::chrono::steady_clock::now();
  if (MaybeError error = devices->run(executions[entry], meanwhile))
    return error;
  milliseconds = std::chrono::duration<double, std::milli>(
                     std::chrono::steady_clock::now() - start)
                     .count();
  store->finished(entry);
  if (observer)
    observer(*executions[entry]);
  return std::nullopt;
}

std::vector<int64_t> Session::gauges(size_t entry) {
  std::vector<int64_t> here = placement().devicesHere(),
                       ofDevices = devices->gauge();
  std::vector<int64_t> byRank;
  for (const RankInfo &rank : manifest().entries[entry].ranks) {
    byRank.push_back(0);
    for (size_t i = 0; i < std::min(here.size(), ofDevices.size()); ++i)
      if (here[i] == rank.device && !rank.tasks.empty())
        byRank.back() = ofDevices[i];
  }
  return byRank;
}

int64_t Session::gauge(size_t entry) {
  int64_t slowest = 0;
  for (int64_t ns : gauges(entry))
    slowest = std::max(slowest, ns);
  return slowest;
}

Expected<std::vector<int64_t>> Session::bytesSent(size_t entry) const {
  std::vector<int64_t> sum = executions[entry]->bytesSent, row(sum.size());
  const Placement &place = placement();
  auto bytes = int64_t(sum.size() * sizeof(int64_t));
  if (!place.isRoot())
    if (MaybeError error =
            place.group->send(0, Channel::Tensor, 0, sum.data(), bytes))
      return *error;
  for (int from = 1; place.isRoot() && from < place.size(); ++from) {
    if (MaybeError error =
            place.group->receive(from, Channel::Tensor, 0, row.data(), bytes))
      return *error;
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] += row[i];
  }
  return sum;
}

Expected<double> Session::scalar(size_t entry, size_t tensor) const {
  auto value = store->result(entry, tensor);
  if (!value)
    return value.takeError();
  if (value->volume() != 1)
    return Error{"result '" + manifest().tensors[tensor].name +
                 "': expected one number, got shape " +
                 shapeString(value->shape)};
  return value->at(0);
}
