//===- CalibrateModel.cpp - Measures the shapes of a model ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-run calibrate MODEL: runs training iterations of the model under
// strategies that together show the shapes which a search meets, under the plan
// that the model has, and in pipelines of the asked numbers of microbatches. It
// keeps the time of every shape on its device, among its neighbours, with all
// devices at work.
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"

#include "Commands.h"
#include "Cost/ProfileRecord.h"
#include "Plan.h"
#include "Runtime/Execution/SpeedGauge.h"
#include "Soap/Runtime/Artifact/CompiledModule.h"
#include "Soap/Support/FileIO.h"
#include "Soap/Topology/Topology.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <unistd.h>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

using Duration = std::chrono::steady_clock::duration;

/// Probes beyond these bring pairs of loops only.
constexpr int maxProbes = 24;
/// The first iterations make primitives and touch memory.
constexpr int warmIterations = 3, minIterations = 7, maxIterations = 4000;
constexpr int usualIterations = 500; ///< memory for them is there at once
constexpr std::chrono::milliseconds longEnough(1200);
/// Longer, until there are enough iterations at full speed: a probe at most so
/// long, and all probes together.
constexpr std::chrono::milliseconds maxPatience(20000), allPatience(90000);

/// Times of the tasks of one device over iterations, by slot.
struct DeviceTimes {
  std::vector<size_t> order;    ///< slots in the order in which they ran
  std::vector<bool> isMeasured; ///< by place in `order`: has a shape
  /// By iteration, then by place in `order`: the times that
  /// are written between two iterations lie next to each other, so that little
  /// of the cache is lost.
  std::vector<int64_t> ns;
  std::vector<int64_t> lengths; ///< of its tasks in an iteration, ns
  /// Of its core (SpeedGauge.h), before the first iteration and after each.
  std::vector<int64_t> gauges;
};

/// The times of a probe.
struct ProbeTimes {
  std::shared_ptr<const Manifest> manifest;
  const EntryInfo *entry = nullptr; ///< of the manifest
  std::vector<DeviceTimes> devices; ///< by rank
};

/// Mean time of the task at a place of `order` over some iterations.
double meanOf(const DeviceTimes &device, size_t place,
              const std::vector<size_t> &iterations) {
  double sum = 0;
  for (size_t i : iterations)
    sum += static_cast<double>(device.ns[i * device.order.size() + place]);
  return sum / static_cast<double>(iterations.size());
}

/// Bytes are the last word of a shape.
double bytesOf(const std::string &shape) {
  return std::strtod(shape.c_str() + shape.rfind(' ') + 1, nullptr);
}

/// Elementwise ops may run as part of the next one's kernel, and then seem to
/// take no time.
bool mayFuse(const std::string &kind) {
  for (const char *prefix :
       {"conv2d", "matmul", "lstm", "batch_norm", "softmax", "cross_entropy",
        "embedding", "assemble", "combine", "fill", "transfer"})
    if (kind.starts_with(prefix))
      return false;
  return kind.find("pool") == std::string::npos;
}

class ModelCalibration {
public:
  ModelCalibration(const Options &options, const std::function<bool()> &stop)
      : options(options), stop(stop) {}

  Expected<CalibrationEnd> run();

private:
  const Options &options;
  const std::function<bool()> &stop;
  std::string base;
  Profile profile;
  /// Of all probes: the time of a shape depends on its neighbours (layouts, the
  /// contents of the cache), which differ from probe to probe.
  ProfileRecord record;
  RunSpread spread;
  double machineSpread = 0; ///< of the times that the profile had before
  std::set<std::string> seen, known;
  std::set<std::string> told; ///< diagnostics of probes
  std::vector<ProbeTimes> probes;
  int64_t bestGauge = std::numeric_limits<int64_t>::max();
  Duration patience = allPatience; ///< the rest of it

  /// Iterations of all probes, device by device, and how many of these were at
  /// full speed.
  std::pair<size_t, size_t> speeds() const;
  Expected<ProgramSource> compileProbe(const std::string &file,
                                       const std::string &topology,
                                       const std::string &preset);
  Expected<CalibrationEnd> measureMachine();
  MaybeError loadKnown();
  std::pair<bool, bool> look(const EntryInfo &step);
  MaybeError measure(ProgramSource source, const std::string &name,
                     std::set<std::string> &added);
  MaybeError runProbes();
  MaybeError runOwnPlan(int devices);
  MaybeError runPipelines(int devices);
  MaybeError runProbe(ProgramSource source);
  void collect(const ProbeTimes &probe);
  MaybeError write();
};

/// Null: the model has none.
const EntryInfo *findTrainStep(const ProgramSource &source) {
  for (const EntryInfo &entry : source.manifest->entries)
    if (entry.name == "train_step")
      return &entry;
  return nullptr;
}

/// The module of `file` under a preset, or, without one, under the plan that it
/// has. An error if it has no training step.
Expected<ProgramSource>
ModelCalibration::compileProbe(const std::string &file,
                               const std::string &topology,
                               const std::string &preset) {
  CompileRequest request;
  request.path = file;
  request.topology = topology;
  request.preset = preset;
  request.optLevel = int(options.optLevel);
  request.reference = options.reference;
  request.cache = !options.noCache;
  // Messages about the profile are the same for all probes.
  request.diagnostic = [this](const std::string &message) {
    if (told.insert(message).second)
      std::fprintf(stderr, "%s\n", message.c_str());
  };
  auto source = compileModule(request);
  if (source && !findTrainStep(*source))
    return Error{file + ": expected a module with train_step, as "
                        "'--soap-build-training-step' makes it"};
  return source;
}

std::pair<size_t, size_t> ModelCalibration::speeds() const {
  std::pair<size_t, size_t> sums;
  for (const ProbeTimes &probe : probes)
    for (const DeviceTimes &device : probe.devices) {
      if (device.order.empty())
        continue; // without work
      sums.first += device.lengths.size();
      sums.second += fullSpeedIterations(device.gauges, bestGauge).size();
    }
  return sums;
}

/// The time of every shape in a probe. A kernel of several ops is shared out by
/// their bytes.
void ModelCalibration::collect(const ProbeTimes &probe) {
  const EntryInfo &entry = *probe.entry;
  const std::vector<DeviceTimes> &times = probe.devices;
  using Part = std::pair<const std::string *, double>;
  for (size_t r = 0; r < times.size(); ++r) {
    const std::vector<int64_t> &lengths = times[r].lengths;
    std::vector<size_t> steady =
        steadyIterations(times[r].gauges, bestGauge, lengths, minIterations);
    std::vector<int64_t> runs;
    for (size_t i : steady)
      runs.push_back(lengths[i]);
    spread.add(std::move(runs));
    std::vector<size_t> iterations =
        typicalIterations(std::move(steady), lengths);
    std::vector<Part> fused; // and ns
    auto flush = [&] {
      for (const auto &[shape, ns] : fused)
        record.add(*shape, ns);
      fused.clear();
    };
    std::vector<bool> ran(entry.ranks[r].tasks.size());
    for (size_t place = 0; place < times[r].order.size(); ++place) {
      size_t slot = times[r].order[place];
      ran[slot] = true;
      const ScheduledTask &task =
          entry.schedule[size_t(entry.ranks[r].tasks[slot])];
      double ns = meanOf(times[r], place, iterations);
      if (task.shape.empty() || !mayFuse(task.kind)) {
        flush();
        if (!task.shape.empty())
          record.add(task.shape, ns);
        continue;
      }
      fused.emplace_back(&task.shape, ns);
      constexpr double nothing = 400;
      if (ns < nothing)
        continue;
      double sum = 0, bytes = 0;
      for (const auto &[shape, part] : fused) {
        sum += part;
        bytes += bytesOf(*shape);
      }
      for (auto &[shape, part] : fused)
        part = sum * bytesOf(*shape) / bytes;
      flush();
    }
    flush();
    // An op without a time is a view of its operand. Copies are skipped where
    // the pieces happen to be in place already.
    for (size_t slot = 0; slot < ran.size(); ++slot) {
      const ScheduledTask &task =
          entry.schedule[size_t(entry.ranks[r].tasks[slot])];
      if (!ran[slot] && !task.shape.empty() && !isCopy(task.kind))
        record.add(task.shape, 0);
    }
  }
}

MaybeError ModelCalibration::runProbe(ProgramSource source) {
  LauncherOptions launcher;
  launcher.threadsPerDevice =
      options.threadsPerDevice ? options.threadsPerDevice : 1;
  launcher.timeout = std::chrono::milliseconds(options.timeoutMs);
  auto session = Session::create(std::move(source), launcher);
  if (!session)
    return Error{session.error()};
  auto entry = (*session)->entry("train_step");
  if (!entry)
    return entry.takeError();
  const EntryInfo &info = (*session)->manifest().entries[*entry];
  ProbeTimes probe;
  probe.entry = &info;
  probe.devices.resize(info.ranks.size());
  std::vector<DeviceTimes> &times = probe.devices;
  int iterations = 0;
  std::chrono::steady_clock::time_point begin;
  (*session)->observer = [&](const Execution &run) {
    if (&run.entry != &info)
      return;
    std::vector<int64_t> gauges = (*session)->gauges(*entry);
    for (int64_t gauge : gauges)
      if (gauge > 0)
        bestGauge = std::min(bestGauge, gauge);
    bool isWarm = ++iterations > warmIterations;
    for (size_t r = 0; r < times.size(); ++r) {
      if (!isWarm)
        times[r].gauges.clear();
      times[r].gauges.push_back(gauges[r]);
    }
    if (!isWarm) {
      begin = std::chrono::steady_clock::now();
      return;
    }
    for (size_t r = 0; r < run.times.size(); ++r) {
      DeviceTimes &device = times[r];
      const auto &slots = run.times[r];
      if (device.lengths.empty()) {
        for (size_t slot = 0; slot < slots.size(); ++slot)
          if (slots[slot].endNs)
            device.order.push_back(slot);
        std::stable_sort(device.order.begin(), device.order.end(),
                         [&](size_t a, size_t b) {
                           return slots[a].beginNs < slots[b].beginNs;
                         });
        for (size_t slot : device.order)
          device.isMeasured.push_back(
              !info.schedule[size_t(info.ranks[r].tasks[slot])].shape.empty());
        device.ns.reserve(device.order.size() * size_t(usualIterations));
      }
      // Waiting for another device is no part of its speed.
      int64_t length = 0;
      for (size_t place = 0; place < device.order.size(); ++place) {
        const SlotTime &time = slots[device.order[place]];
        device.ns.push_back(time.endNs - time.beginNs);
        if (device.isMeasured[place])
          length += device.ns.back();
      }
      device.lengths.push_back(length);
    }
  };
  auto enough = [&] {
    int measured = iterations - warmIterations;
    auto time = std::chrono::steady_clock::now() - begin;
    if (stop() || measured >= maxIterations)
      return true;
    if (measured < minIterations || time <= longEnough)
      return false;
    if (time - longEnough > std::min(patience, Duration(maxPatience)))
      return true;
    constexpr int betweenLooks = 8;
    return measured % betweenLooks == 0 &&
           std::all_of(times.begin(), times.end(), [&](const DeviceTimes &d) {
             return d.order.empty() ||
                    fullSpeedIterations(d.gauges, bestGauge).size() >=
                        size_t(minIterations);
           });
  };
  Options training = options;
  training.data = "synthetic";
  training.quiet = true;
  training.iterations = warmIterations + maxIterations;
  // Times are asked for, whatever becomes of weights on made-up data.
  training.allowNonFinite = true;
  std::vector<double> milliseconds;
  auto result = train(
      **session, training,
      [&](bool) { return enough() ? Decision::Stop : Decision::GoOn; },
      milliseconds);
  if (!result)
    return result.takeError();
  patience -= std::clamp<Duration>(std::chrono::steady_clock::now() - begin -
                                       longEnough,
                                   Duration(0), patience);
  if (iterations < warmIterations + minIterations)
    return std::nullopt;
  probe.manifest = (*session)->execution(*entry).manifest;
  probes.push_back(std::move(probe));
  return std::nullopt;
}

MaybeError ModelCalibration::write() {
  // From all probes, since full speed may have been seen in the last one only.
  record = ProfileRecord();
  spread = RunSpread();
  for (const ProbeTimes &probe : probes)
    collect(probe);
  if (MaybeError error = record.addTo(profile))
    return error;
  profile.runSpread = std::max(machineSpread, spread.value());
  return writeFile(base + ".profile.json", printProfile(profile));
}

/// Takes long: a model that is no good is known before.
Expected<CalibrationEnd> ModelCalibration::measureMachine() {
  if (auto source = compileProbe(options.file, "cpu-1", "probe-0"); !source)
    return source.takeError();
  return calibrate(options, stop);
}

MaybeError ModelCalibration::loadKnown() {
  auto loaded = loadProfile(base + ".profile.json");
  if (!loaded)
    return loaded.takeError();
  profile = std::move(*loaded);
  machineSpread = profile.runSpread;
  for (const ProfileTable &table : profile.tables)
    for (const ProfileEntry &entry : table.entries)
      known.insert(printShape(table, entry));
  return std::nullopt;
}

/// Whether the step has shapes that no probe before it had, and whether it has
/// some that neither the profile nor a probe that was run has.
std::pair<bool, bool> ModelCalibration::look(const EntryInfo &step) {
  bool fresh = false, unknown = false;
  for (const ScheduledTask &task : step.schedule)
    if (!task.shape.empty()) {
      fresh |= seen.insert(task.shape).second;
      // Copies have curves, and some are never made.
      unknown |= !isCopy(task.kind) && !known.contains(task.shape);
    }
  return {fresh, unknown};
}

/// Runs a program and adds its times to the profile, and its shapes to `added`:
/// one that several programs of a run have gets the mean of all.
MaybeError ModelCalibration::measure(ProgramSource source,
                                     const std::string &name,
                                     std::set<std::string> &added) {
  for (const ScheduledTask &task : findTrainStep(source)->schedule)
    added.insert(task.shape);
  if (!options.quiet && isatty(STDERR_FILENO))
    std::fprintf(stderr, "\r\x1b[K%s: %zu shapes so far", name.c_str(),
                 seen.size());
  if (MaybeError error = runProbe(std::move(source)))
    return error;
  return write();
}

/// The strategies whose tasks have the shapes of a search.
MaybeError ModelCalibration::runProbes() {
  std::set<std::string> added;
  for (int number = 0; number < maxProbes && !stop(); ++number) {
    std::string name = "probe-" + std::to_string(number);
    auto source = compileProbe(options.file, base + ".topology.json", name);
    if (!source)
      return source.takeError();
    const EntryInfo *step = findTrainStep(*source);
    auto [fresh, unknown] = look(*step);
    // From here on choices begin again.
    if (!fresh)
      break;
    if (!unknown)
      continue;
    if (MaybeError error = measure(std::move(*source), name, added))
      return error;
  }
  known.merge(added);
  return std::nullopt;
}

/// The plan that the file has, as one with pipeline stages, whose microbatches
/// have shapes of their own.
MaybeError ModelCalibration::runOwnPlan(int devices) {
  auto source = compileProbe(options.file, "", "");
  if (!source)
    return source.takeError();
  const EntryInfo *step = findTrainStep(*source);
  int used = 0;
  for (const RankInfo &rank : step->ranks)
    used += !rank.tasks.empty();
  if (!look(*step).second)
    return std::nullopt;
  if (used > devices) {
    std::fprintf(stderr,
                 "soap-run: %s: the module has a plan for %d devices, and %s "
                 "has %d: shapes that only this plan has are not measured\n",
                 options.file.c_str(), used, (base + ".topology.json").c_str(),
                 devices);
    return std::nullopt;
  }
  std::set<std::string> added;
  return measure(std::move(*source), "plan of the model", added);
}

/// For each number of microbatches: pipelines of all devices, with one or more
/// of them a stage. The samples of a microbatch are split among these.
MaybeError ModelCalibration::runPipelines(int devices) {
  ScratchFolder folder;
  if (!options.microbatches.empty())
    if (MaybeError error = folder.make())
      return error;
  std::set<std::string> added;
  for (int64_t microbatches : options.microbatches)
    for (int stages = devices; stages >= std::min(devices, 2) && !stop();
         --stages) {
      if (devices % stages != 0)
        continue;
      std::string name = std::to_string(microbatches) + " microbatches, " +
                         std::to_string(stages) + " stages";
      Options planned = options;
      planned.plan =
          "soap-pipeline summary=false stages=" + std::to_string(stages) +
          " microbatches=" + std::to_string(microbatches);
      std::string file = folder.getPath() + "pipeline.mlirbc";
      if (MaybeError error = runTool(
              planCommand(planned, base + ".topology.json", devices, file)))
        return Error{options.file + ": flag '--microbatches', " + name + ": " +
                     error->message};
      auto source = compileProbe(file, "", "");
      if (!source)
        return source.takeError();
      const EntryInfo *step = findTrainStep(*source);
      if (!look(*step).second)
        continue;
      if (MaybeError error = measure(std::move(*source), name, added))
        return error;
    }
  known.merge(added);
  return std::nullopt;
}

Expected<CalibrationEnd> ModelCalibration::run() {
  base = options.calibrationOutput;
  if (!std::filesystem::exists(base + ".topology.json")) {
    auto end = measureMachine();
    if (!end || *end != CalibrationEnd::Complete)
      return end;
  }
  auto topology = loadTopology(base + ".topology.json");
  if (!topology)
    return topology.takeError();
  int devices = topology->deviceCount();
  if (MaybeError error = loadKnown())
    return *error;
  if (MaybeError error = runProbes())
    return *error;
  if (!stop())
    if (MaybeError error = runPipelines(devices))
      return *error;
  if (!stop())
    if (MaybeError error = runOwnPlan(devices))
      return *error;
  clearLine();
  if (auto [all, full] = speeds(); !options.quiet && all > 0)
    std::printf("cores: %zu of %zu iterations at full speed\n", full, all);
  return stop() ? CalibrationEnd::Interrupted : CalibrationEnd::Complete;
}

} // namespace

Expected<CalibrationEnd>
run::calibrateModel(const Options &options, const std::function<bool()> &stop) {
  return ModelCalibration(options, stop).run();
}
