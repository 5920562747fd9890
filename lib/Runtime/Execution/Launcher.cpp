//===- Launcher.cpp - Device threads and the watchdog ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calling thread hands an execution to the device threads and is the
// watchdog until they are done. All that a device thread touches is owned by
// shared pointers, so that a stuck one does no harm.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Execution/Launcher.h"

#include "Runtime/Backend/Backend.h"
#include "Runtime/Execution/CheckingDevice.h"
#include "Runtime/Execution/Context.h"
#include "Runtime/Execution/IterationGraphs.h"
#include "Runtime/Execution/SpeedGauge.h"
#include "Runtime/Processes/Affinity.h"
#include "Runtime/Transport/Transport.h"
#include "Soap/Runtime/Processes/World.h"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <pthread.h>
#include <thread>

using namespace soap;
using namespace soap::runtime;
using Clock = std::chrono::steady_clock;

Execution::Execution(std::shared_ptr<const Manifest> m, const EntryInfo &entry,
                     Placement where)
    : manifest(std::move(m)), entry(entry),
      placement(where.group ? where : Placement{nullptr, manifest->devices}),
      ranks(entry.ranks.size()),
      transport(makeTransport(placement, entry.transferCount,
                              int64_t(entry.collectives.size()))),
      bytesSent(size_t(manifest->devices * manifest->devices)) {
  for (const RankInfo &rank : entry.ranks)
    times.emplace_back(rank.tasks.size());
}

Execution::~Execution() = default;

void LauncherOptions::join(const World &world, const Placement &placement) {
  DeviceShare share = world.share(placement);
  peers = &world.peers();
  local = std::move(share.local);
  firstOnMachine = share.firstOnMachine;
  if (threadsPerDevice <= 0)
    threadsPerDevice = share.coresPerDevice;
}

namespace {

/// One iteration, shared by the device threads and the launcher.
struct Iteration {
  std::shared_ptr<Execution> execution;
  IterationGraphs::Mode mode = IterationGraphs::Direct;
  RunState state;
  /// Parallel to the ranks.
  std::vector<SoapContext> contexts;
  int64_t remaining = 0;

  explicit Iteration(std::shared_ptr<Execution> e)
      : execution(std::move(e)), contexts(execution->ranks.size()) {
    assert(contexts.size() == execution->entry.ranks.size() &&
           execution->times.size() == contexts.size() &&
           "code and times of each rank");
    Execution &run = *execution;
    int64_t devices = run.manifest->devices;
    for (size_t i = 0; i < contexts.size(); ++i) {
      SoapContext &ctx = contexts[i];
      remaining += run.placement.isHere(run.entry.ranks[i].device);
      ctx.entry = &run.entry;
      ctx.rank = &run.entry.ranks[i];
      ctx.run = &state;
      ctx.transport = run.transport.get();
      ctx.times = run.times[i].data();
      ctx.bytesTo = run.bytesSent.data() + ctx.rank->device * devices;
    }
  }
};

/// How fast the cores are, by local device.
struct Gauging {
  std::vector<int64_t> ns;
  size_t remaining = 0;
};

/// State that the threads and the launcher share beyond one iteration.
struct Shared {
  std::mutex mutex;
  std::condition_variable work, done;
  /// At most one of the two.
  std::shared_ptr<Iteration> iteration;
  std::shared_ptr<Gauging> gauging;
  uint64_t generation = 0;
  bool stop = false;
};

void runRank(Iteration &iteration, size_t index, KernelCache &kernels,
             BackendDevice *device) {
  SoapContext &ctx = iteration.contexts[index];
  RankBinding &rank = iteration.execution->ranks[index];
  const Execution &execution = *iteration.execution;
  ctx.kernels = &kernels;
  ctx.device = device;
  std::optional<CheckingDevice> checking;
  if (device && execution.checks && execution.iterations == 0)
    ctx.device = &checking.emplace(*device, ctx, *execution.checks,
                                   execution.manifest->gpu);
  ctx.activity.store(SoapContext::Running);
  auto check = [&](const MaybeError &error) {
    if (error)
      ctx.fail(error->message);
    return !error;
  };
  BackendGraph *graph = iteration.mode == IterationGraphs::Direct
                            ? nullptr
                            : iteration.execution->graphs->graph();
  bool records = iteration.mode == IterationGraphs::Record;
  assert((iteration.mode == IterationGraphs::Direct || (graph && device)) &&
         "a graph of a backend");
  int64_t number = ctx.rank->device;
  try {
    bool begun = !device || check(device->begin());
    // The devices of a graph wait for each other, even after a failure.
    if (records)
      begun = check(graph->begin(number)) && begun;
    if (begun && (!graph || records))
      rank.program(&ctx, rank.pointers.data(), rank.arena);
    // Failures from here on belong to no op.
    ctx.slot.store(-1);
    if (!ctx.failed() && (!graph || records))
      check(ctx.transport->ended(number));
    if (records)
      check(graph->end(number, [&] { return ctx.failed(); }));
    if (graph && !ctx.failed()) {
      ctx.run->recording.store(false);
      check(graph->launch(number));
    }
    if (device)
      check(device->finish([&] { return ctx.failed(); }));
  } catch (const std::exception &error) {
    ctx.fail(error.what());
  }
  ctx.activity.store(SoapContext::Idle);
}

void deviceMain(std::shared_ptr<Shared> shared, int64_t device, size_t local,
                std::vector<int> cores, int64_t firstCore, int64_t threads,
                bool pin, Backend *backend) {
  setUpDeviceThread(cores, firstCore, threads, pin);
  KernelCache kernels;
  BackendDevice *place = backend ? &backend->device(device) : nullptr;
  uint64_t seen = 0;
  for (;;) {
    std::shared_ptr<Iteration> iteration;
    std::shared_ptr<Gauging> gauging;
    {
      std::unique_lock<std::mutex> lock(shared->mutex);
      shared->work.wait(
          lock, [&] { return shared->stop || shared->generation != seen; });
      if (shared->stop)
        return;
      seen = shared->generation;
      iteration = shared->iteration;
      gauging = shared->gauging;
    }
    if (gauging) {
      gauging->ns[local] = gaugeSpeed();
      std::lock_guard<std::mutex> lock(shared->mutex);
      if (--gauging->remaining == 0)
        shared->done.notify_all();
      continue;
    }
    // Null: a device without work woke after the others were done.
    if (!iteration)
      continue;
    const std::vector<RankInfo> &ranks = iteration->execution->entry.ranks;
    for (size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i].device != device)
        continue;
      runRank(*iteration, i, kernels, place);
      std::lock_guard<std::mutex> lock(shared->mutex);
      assert(iteration->remaining > 0 && "more than were begun");
      if (--iteration->remaining == 0)
        shared->done.notify_all();
    }
  }
}

int64_t processorNs(std::thread &thread) {
  clockid_t clock;
  timespec time;
  if (pthread_getcpuclockid(thread.native_handle(), &clock) ||
      clock_gettime(clock, &time))
    return 0;
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

/// Some device waits for a message, and none does anything else.
bool onlyWaits(Iteration &iteration) {
  bool some = false;
  for (SoapContext &ctx : iteration.contexts) {
    int activity = ctx.activity.load();
    if (activity == SoapContext::Running)
      return false;
    some |= activity == SoapContext::Receiving;
  }
  return some;
}

/// The message of the watchdog: it names a device that is not waiting for a
/// message, else all devices, which wait for each other.
std::string describeSilence(Iteration &iteration, int64_t ms) {
  std::string after = " for " + std::to_string(ms) + " ms";
  std::string waiting;
  for (SoapContext &ctx : iteration.contexts) {
    int activity = ctx.activity.load();
    if (activity == SoapContext::Running)
      return ctx.place() + ": no progress" + after;
    if (activity == SoapContext::Receiving)
      waiting += (waiting.empty() ? "" : "; ") + ctx.place();
  }
  return "all devices wait for messages" + after + ": " + waiting;
}

} // namespace

struct Launcher::Impl {
  LauncherOptions options;
  std::shared_ptr<Shared> shared = std::make_shared<Shared>();
  std::vector<std::thread> threads;
  bool stuck = false;

  MaybeError run(const std::shared_ptr<Execution> &execution,
                 const std::function<MaybeError()> &meanwhile);
  MaybeError runOnce(const std::shared_ptr<Execution> &execution,
                     IterationGraphs::Mode mode,
                     const std::function<MaybeError()> &meanwhile,
                     bool *nothingDone = nullptr);
  bool wait(Iteration &iteration, std::unique_lock<std::mutex> &lock,
            Clock::duration limit) {
    return shared->done.wait_for(lock, limit,
                                 [&] { return iteration.remaining == 0; });
  }
  void watch(Iteration &iteration, std::unique_lock<std::mutex> &lock);
  int64_t processorTime() {
    int64_t sum = 0;
    for (std::thread &thread : threads)
      sum += processorNs(thread);
    return sum;
  }
};

/// Waits for the end of the iteration, and ends it when no device makes
/// progress.
void Launcher::Impl::watch(Iteration &iteration,
                           std::unique_lock<std::mutex> &lock) {
  auto poll = std::clamp<Clock::duration>(options.timeout / 10,
                                          std::chrono::milliseconds(1),
                                          std::chrono::milliseconds(200));
  auto progressNow = [&] {
    uint64_t sum = 0;
    for (SoapContext &ctx : iteration.contexts)
      sum += ctx.progress.load(std::memory_order_relaxed);
    return sum;
  };
  uint64_t progress = progressNow(), worked = 0;
  int64_t processor = processorTime();
  Clock::time_point lastProgress = Clock::now(), lastWork = lastProgress,
                    lastBurn = lastProgress;
  while (!wait(iteration, lock, poll)) {
    Clock::time_point now = Clock::now();
    if (iteration.state.failed.load())
      break;
    if (auto trouble = iteration.execution->transport->trouble()) {
      iteration.state.recording.store(false);
      for (SoapContext &ctx : iteration.contexts)
        if (ctx.rank->device == trouble->device)
          ctx.fail(trouble->message);
      break;
    }
    if (uint64_t sum = progressNow(); sum != progress) {
      progress = sum;
      lastProgress = now;
    }
    // A kernel may be long; it counts as work while it burns processor time. A
    // transport that polls for a message burns it, too, and so does a thread
    // that waits for a device of a backend.
    bool waits = onlyWaits(iteration);
    if (int64_t time = processorTime(); time > processor + 100000) {
      bool computes =
          !options.backend &&
          std::chrono::nanoseconds(time - processor) > (now - lastBurn) / 20;
      processor = time;
      lastBurn = now;
      if (!waits)
        lastWork = now;
      if (!waits && computes) {
        lastProgress = now;
        ++worked;
      }
    }
    Clock::duration silence = now - std::max(lastProgress, lastWork),
                    withoutProgress = now - lastProgress;
    if (options.peers) {
      options.peers->publish(progress + worked, waits);
      if (waits) {
        silence = std::min<Clock::duration>(silence, options.peers->silence());
        withoutProgress = std::min<Clock::duration>(
            withoutProgress, options.peers->withoutProgress());
      }
    }
    if (silence < options.timeout && withoutProgress < 12 * options.timeout)
      continue;
    int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                     now - lastProgress)
                     .count();
    // A device that does not even record is stuck.
    iteration.state.recording.store(false);
    iteration.state.fail(*iteration.execution->transport,
                         describeSilence(iteration, ms));
    break;
  }
  if (options.peers)
    options.peers->publish(progress + worked, false);
  // A failed iteration: the others return at their next call of the runtime.
  auto grace = std::max<Clock::duration>(options.timeout,
                                         std::chrono::milliseconds(500));
  if (iteration.remaining && !wait(iteration, lock, grace))
    stuck = true;
}

MaybeError Launcher::Impl::run(const std::shared_ptr<Execution> &execution,
                               const std::function<MaybeError()> &meanwhile) {
  if (stuck)
    return Error{"a device is stuck since an earlier failure"};
  for (size_t i = 0; i < execution->ranks.size(); ++i) {
    int64_t device = execution->entry.ranks[i].device;
    if (!execution->placement.isHere(device))
      continue;
    if (std::find(options.local.begin(), options.local.end(), device) ==
        options.local.end())
      return Error{"device " + std::to_string(device) + " does not exist"};
    if (!execution->ranks[i].program)
      return Error{"device " + std::to_string(device) + ": no program '" +
                   execution->entry.ranks[i].program + "'"};
  }
  // A graph would launch messages past the transport.
  if (MaybeError error = execution->transport->ready())
    return error;
  if (!execution->graphs)
    return runOnce(execution, IterationGraphs::Direct, meanwhile);
  IterationGraphs &graphs = *execution->graphs;
  IterationGraphs::Mode mode = graphs.start(*execution);
  bool nothingDone = false;
  MaybeError error = runOnce(execution, mode, meanwhile, &nothingDone);
  nothingDone = nothingDone && error && !stuck;
  graphs.finish(*execution, mode, error, nothingDone);
  // An aborted transport waits for them (NcclTransport.cpp).
  if (error && !nothingDone && !stuck)
    graphs.drop();
  if (!nothingDone)
    return error;
  return runOnce(execution, IterationGraphs::Direct, nullptr);
}

MaybeError Launcher::Impl::runOnce(const std::shared_ptr<Execution> &execution,
                                   IterationGraphs::Mode mode,
                                   const std::function<MaybeError()> &meanwhile,
                                   bool *nothingDone) {
  for (std::vector<SlotTime> &times : execution->times)
    std::fill(times.begin(), times.end(), SlotTime());
  auto iteration = std::make_shared<Iteration>(execution);
  iteration->mode = mode;
  iteration->state.recording.store(mode == IterationGraphs::Record);
  execution->transport->start(execution->iterations);
  std::unique_lock<std::mutex> lock(shared->mutex);
  shared->iteration = iteration;
  ++shared->generation;
  shared->work.notify_all();
  MaybeError besides;
  if (meanwhile) {
    lock.unlock();
    besides = meanwhile();
    lock.lock();
  }
  watch(*iteration, lock);
  shared->iteration.reset();
  lock.unlock();
  if (nothingDone)
    *nothingDone = iteration->state.recording.load();
  ++execution->iterations;
  if (iteration->state.failed.load())
    return Error{iteration->state.firstMessage()};
  if (MaybeError error = execution->transport->finish())
    return error;
  return besides;
}

Launcher::Launcher(const LauncherOptions &options)
    : impl(std::make_unique<Impl>()) {
  impl->options = options;
  std::vector<int> cores = availableCoreList();
  int64_t &threads = impl->options.threadsPerDevice;
  if (threads <= 0)
    threads = std::max<int64_t>(1, int64_t(cores.size()) / options.devices);
  std::vector<int64_t> &local = impl->options.local;
  if (local.empty())
    for (int64_t device = 0; device < options.devices; ++device)
      local.push_back(device);
  for (size_t i = 0; i < local.size(); ++i)
    impl->threads.emplace_back(deviceMain, impl->shared, local[i], i, cores,
                               (options.firstOnMachine + int64_t(i)) * threads,
                               threads, options.pin, options.backend);
}

Launcher::~Launcher() {
  {
    std::lock_guard<std::mutex> lock(impl->shared->mutex);
    impl->shared->stop = true;
    impl->shared->work.notify_all();
  }
  for (std::thread &thread : impl->threads)
    if (impl->stuck)
      thread.detach();
    else
      thread.join();
}

MaybeError Launcher::run(const std::shared_ptr<Execution> &execution,
                         const std::function<MaybeError()> &meanwhile) {
  return impl->run(execution, meanwhile);
}

std::vector<int64_t> Launcher::gauge() {
  if (impl->options.backend || impl->stuck)
    return {};
  auto gauging = std::make_shared<Gauging>();
  gauging->ns.resize(impl->threads.size());
  gauging->remaining = impl->threads.size();
  Shared &shared = *impl->shared;
  std::unique_lock<std::mutex> lock(shared.mutex);
  shared.gauging = gauging;
  ++shared.generation;
  shared.work.notify_all();
  shared.done.wait(lock, [&] { return gauging->remaining == 0; });
  shared.gauging.reset();
  return gauging->ns;
}

bool Launcher::stuck() const { return impl->stuck; }

int64_t Launcher::threadsPerDevice() const {
  return impl->options.threadsPerDevice;
}
