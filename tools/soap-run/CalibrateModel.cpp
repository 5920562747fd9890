//===- CalibrateModel.cpp - Measures the shapes of a model ----------------===//
//
// soap-run MODEL --calibrate: runs training iterations of the model under
// strategies that together show the shapes which a search meets, and keeps what
// every shape took where it ran, among its neighbours, with all devices at
// work.
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"

#include "Commands.h"
#include "Soap/Core/ProfileRecord.h"
#include "Soap/Runtime/CompiledModule.h"
#include "Soap/Runtime/Files.h"
#include "Soap/Runtime/SpeedGauge.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <unistd.h>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

/// Probes beyond these bring pairs of loops only.
constexpr int mostProbes = 24;
/// The first iterations make primitives and touch memory.
constexpr int warmIterations = 3, fewestIterations = 7, mostIterations = 200;
constexpr std::chrono::milliseconds longEnough(1200);
/// ... and at most so long for enough iterations at full speed.
constexpr std::chrono::milliseconds tooLong(5000);

/// Times of the tasks of one device over iterations, by slot.
struct DeviceTimes {
  std::vector<std::vector<int64_t>> ns;
  std::vector<size_t> order; ///< slots in the order in which they ran
};

/// What was seen of a probe.
struct ProbeTimes {
  std::shared_ptr<const Manifest> manifest;
  const EntryInfo *entry = nullptr; ///< of the manifest
  std::vector<DeviceTimes> devices;
  std::vector<int64_t> lengths; ///< of iterations, ns
  std::vector<int64_t> gauges;  ///< before the first of them, and after each

  /// Those at full speed or, if `slow`, those while the host had a part of the
  /// cores (SpeedGauge.h); all if these are too few.
  std::vector<size_t> steadyIterations(int64_t bestGauge, bool slow) const {
    std::vector<size_t> steady = slow ? slowIterations(gauges, bestGauge)
                                      : fullSpeedIterations(gauges, bestGauge);
    if (steady.size() < size_t(fewestIterations)) {
      steady.resize(lengths.size());
      std::iota(steady.begin(), steady.end(), size_t(0));
    }
    return steady;
  }
};

/// Those of these iterations whose length is in the middle half: interruptions
/// are no part of an op, but what always varies is part of an iteration. Times
/// of ops over these add up to an iteration of the usual length, as medians of
/// the ops would not.
std::vector<size_t> typicalIterations(std::vector<size_t> order,
                                      const std::vector<int64_t> &lengths) {
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lengths[a] < lengths[b]; });
  auto quarter = static_cast<ptrdiff_t>(order.size() / 4);
  return {order.begin() + quarter, order.end() - quarter};
}

double meanOf(const std::vector<int64_t> &values,
              const std::vector<size_t> &which) {
  double sum = 0;
  for (size_t i : which)
    sum += static_cast<double>(values[i]);
  return sum / static_cast<double>(which.size());
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

  Expected<bool> run();

private:
  const Options &options;
  const std::function<bool()> &stop;
  std::string base;
  Profile profile;
  /// Of all probes: what a shape takes depends on its neighbours (layouts,
  /// what is in the cache), which are others in each of them.
  ProfileRecord record;
  std::set<std::string> seen, known;
  std::vector<ProbeTimes> probes;
  int64_t bestGauge = std::numeric_limits<int64_t>::max();

  /// Iterations of all probes at full speed, and of those that were not.
  std::pair<size_t, size_t> speeds() const;
  /// Times are of one state of the cores, the one that most probes were in.
  bool isSlow() const;
  Expected<ProgramSource> compileProbe(int number);
  MaybeError runProbe(ProgramSource source);
  void collect(const ProbeTimes &probe);
  MaybeError write();
};

Expected<ProgramSource> ModelCalibration::compileProbe(int number) {
  CompileRequest request;
  request.path = options.file;
  request.topology = base + ".topology.json";
  request.preset = "probe-" + std::to_string(number);
  request.optLevel = int(options.optLevel);
  request.reference = options.reference;
  request.cache = !options.noCache;
  request.diagnostic = [](const std::string &message) {
    std::fprintf(stderr, "%s\n", message.c_str());
  };
  return compileModule(request);
}

std::pair<size_t, size_t> ModelCalibration::speeds() const {
  std::pair<size_t, size_t> sums;
  for (const ProbeTimes &probe : probes) {
    sums.first += fullSpeedIterations(probe.gauges, bestGauge).size();
    sums.second += slowIterations(probe.gauges, bestGauge).size();
  }
  return sums;
}

bool ModelCalibration::isSlow() const {
  // Full speed if each probe has enough of it, or at least as much as not.
  bool enough =
      std::all_of(probes.begin(), probes.end(), [&](const ProbeTimes &probe) {
        return fullSpeedIterations(probe.gauges, bestGauge).size() >=
               size_t(fewestIterations);
      });
  auto [full, slow] = speeds();
  return !enough && slow > full;
}

/// What every shape takes over these iterations. A kernel of several
/// ops is shared out by their bytes.
void ModelCalibration::collect(const ProbeTimes &probe) {
  const EntryInfo &entry = *probe.entry;
  const std::vector<DeviceTimes> &times = probe.devices;
  std::vector<size_t> iterations = typicalIterations(
      probe.steadyIterations(bestGauge, isSlow()), probe.lengths);
  using Part = std::pair<const std::string *, double>;
  for (size_t r = 0; r < times.size(); ++r) {
    std::vector<Part> fused; // and ns
    auto flush = [&] {
      for (const auto &[shape, ns] : fused)
        record.add(*shape, ns);
      fused.clear();
    };
    for (size_t slot : times[r].order) {
      const ScheduledTask &task =
          entry.schedule[size_t(entry.ranks[r].tasks[slot])];
      double ns = meanOf(times[r].ns[slot], iterations);
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
    // What has no time is a view of its operand. Copies are skipped where the
    // pieces happen to be in place already.
    for (size_t slot = 0; slot < times[r].ns.size(); ++slot) {
      const ScheduledTask &task =
          entry.schedule[size_t(entry.ranks[r].tasks[slot])];
      if (times[r].ns[slot].empty() && !task.shape.empty() &&
          !isCopy(task.kind))
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
    int64_t gauge = (*session)->gauge(*entry);
    bestGauge = std::min(bestGauge, gauge);
    if (++iterations <= warmIterations) {
      probe.gauges = {gauge};
      begin = std::chrono::steady_clock::now();
      return;
    }
    probe.gauges.push_back(gauge);
    int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
    for (size_t r = 0; r < run.times.size(); ++r) {
      DeviceTimes &device = times[r];
      const auto &slots = run.times[r];
      if (device.ns.empty()) {
        device.ns.resize(slots.size());
        for (size_t slot = 0; slot < slots.size(); ++slot)
          if (slots[slot].endNs)
            device.order.push_back(slot);
        std::stable_sort(device.order.begin(), device.order.end(),
                         [&](size_t a, size_t b) {
                           return slots[a].beginNs < slots[b].beginNs;
                         });
      }
      for (size_t slot : device.order) {
        device.ns[slot].push_back(slots[slot].endNs - slots[slot].beginNs);
        first = std::min(first, slots[slot].beginNs);
        last = std::max(last, slots[slot].endNs);
      }
    }
    probe.lengths.push_back(last - first);
  };
  auto enough = [&] {
    int measured = iterations - warmIterations;
    auto time = std::chrono::steady_clock::now() - begin;
    return stop() || measured >= mostIterations ||
           (measured >= fewestIterations && time > longEnough &&
            (time > tooLong ||
             fullSpeedIterations(probe.gauges, bestGauge).size() >=
                 size_t(fewestIterations)));
  };
  Options training = options;
  training.data = "synthetic";
  training.quiet = true;
  training.iterations = warmIterations + mostIterations;
  std::vector<double> milliseconds;
  auto result = train(**session, training, enough, milliseconds);
  if (!result)
    return result.takeError();
  if (iterations < warmIterations + fewestIterations)
    return std::nullopt;
  probe.manifest = (*session)->execution(*entry).manifest;
  probes.push_back(std::move(probe));
  return std::nullopt;
}

MaybeError ModelCalibration::write() {
  // From all probes, since full speed may have been seen in the last one only.
  record = ProfileRecord();
  for (const ProbeTimes &probe : probes)
    collect(probe);
  if (MaybeError error = record.addTo(profile))
    return error;
  return writeFile(base + ".profile.json", printProfile(profile));
}

Expected<bool> ModelCalibration::run() {
  base = options.calibrationOutput;
  if (!std::ifstream(base + ".topology.json")) {
    auto all = calibrate(options, stop);
    if (!all || !*all)
      return all;
  }
  auto loaded = loadProfile(base + ".profile.json");
  if (!loaded)
    return loaded.takeError();
  profile = std::move(*loaded);
  for (const ProfileTable &table : profile.tables)
    for (const ProfileEntry &entry : table.entries)
      known.insert(printShape(table, entry));
  for (int number = 0; number < mostProbes && !stop(); ++number) {
    auto source = compileProbe(number);
    if (!source)
      return source.takeError();
    const EntryInfo *step = nullptr;
    for (const EntryInfo &entry : source->manifest->entries)
      if (entry.name == "train_step")
        step = &entry;
    if (!step)
      return Error{options.file + ": expected a module with train_step, as "
                                  "'--soap-build-training-step' makes it"};
    bool fresh = false, unknown = false;
    for (const ScheduledTask &task : step->schedule)
      if (!task.shape.empty()) {
        fresh |= seen.insert(task.shape).second;
        // Copies have curves, and some are never made.
        unknown |= !isCopy(task.kind) && !known.contains(task.shape);
      }
    // From here on choices begin again.
    if (!fresh)
      break;
    if (!unknown)
      continue;
    if (!options.quiet && isatty(STDERR_FILENO))
      std::fprintf(stderr, "\r\x1b[Kprobe %d: %zu shapes so far", number,
                   seen.size());
    if (MaybeError error = runProbe(std::move(*source)))
      return *error;
    if (MaybeError error = write())
      return *error;
  }
  clearLine();
  if (auto [full, slow] = speeds(); !options.quiet && full + slow > 0)
    std::printf("cores: %s speed; %zu iterations at full speed, %zu at less\n",
                isSlow() ? "reduced" : "full", full, slow);
  return !stop();
}

} // namespace

Expected<bool> run::calibrateModel(const Options &options,
                                   const std::function<bool()> &stop) {
  return ModelCalibration(options, stop).run();
}
