//===- Calibrate.cpp - Measures this machine ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-run calibrate: runs ops of many shapes, copies and collectives through
// the compiler and the runtime that also run models, and writes their times as
// a topology and a profile. Measurements that a topology must have come first;
// then both files are written after each group of measurements, so that an
// interruption loses little.
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"

#include "CalibrationProfile.h"
#include "Runtime/Execution/SpeedGauge.h"
#include "Runtime/Processes/Affinity.h"
#include "Soap/Runtime/Artifact/CompiledModule.h"
#include "Soap/Runtime/Execution/Initialize.h"
#include "Soap/Runtime/Execution/Session.h"
#include "Soap/Support/FileIO.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <unistd.h>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

std::string tensorType(const std::vector<int64_t> &shape) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + "f32>";
}

using Case = CalibrationCase;

Case softmax(int64_t rows, int64_t columns) {
  Case c;
  c.mnemonic = "softmax";
  c.op = "softmax";
  c.direction = "forward";
  c.attributes = "axis = 1 : i64, ";
  c.operands = {{rows, columns}};
  c.result = {rows, columns};
  return c;
}

/// In groups that are compiled together; first those that peaks come from.
std::vector<std::vector<Case>> allCases() {
  std::vector<std::vector<Case>> groups;
  std::vector<Case> streams;
  for (int64_t count = 1 << 10; count <= 1 << 22; count *= 4) {
    streams.push_back(elementwiseCase("relu", 1, count));
    streams.push_back(elementwiseCase("add", 2, count));
    streams.push_back(softmax(count / 256, 256));
  }
  groups.push_back(std::move(streams));
  const char *directions[] = {"forward", "input_grad", "weight_grad"};
  for (const char *direction : directions) {
    std::vector<Case> products;
    for (int64_t m : {8, 64, 512})
      for (int64_t n : {16, 128, 1024})
        for (int64_t k : {16, 128, 1024})
          products.push_back(matmulCase(direction, m, n, k));
    products.push_back(matmulCase(direction, 32, 4096, 512));
    products.push_back(matmulCase(direction, 32, 512, 4096));
    products.push_back(matmulCase(direction, 2048, 256, 256));
    groups.push_back(std::move(products));
  }
  for (const char *direction : directions) {
    std::vector<Case> convolutions;
    for (int64_t n : {2, 16})
      for (auto [in, out] : {std::pair<int64_t, int64_t>{1, 6},
                             {3, 32},
                             {16, 16},
                             {64, 64},
                             {64, 256}})
        for (auto [size, window] :
             {std::pair<int64_t, int64_t>{7, 3}, {14, 1}, {14, 5}, {28, 3}})
          convolutions.push_back(
              conv2dCase(direction, n, in, out, size, window, 1));
    for (int64_t window : {1, 3})
      convolutions.push_back(conv2dCase(direction, 8, 64, 128, 14, window, 2));
    groups.push_back(std::move(convolutions));
  }
  return groups;
}

std::string moduleText(const std::vector<Case> &cases) {
  std::string arguments, types, body, results;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case &c = cases[i];
    std::string number = std::to_string(i), operands, operandTypes;
    for (size_t j = 0; j < c.operands.size(); ++j) {
      std::string name = "a" + number + "_" + std::to_string(j),
                  type = tensorType(c.operands[j]);
      arguments +=
          (arguments.empty() ? "%" : ", %") + name + ": " + type +
          " {soap.kind = #soap.kind<parameter>, soap.init = #soap.init<ones>, "
          "soap.name = \"" +
          name + "\"}";
      operands += (j ? ", %" : "%") + name;
      operandTypes += (j ? ", " : "") + type;
    }
    std::string type = tensorType(c.result);
    body += "  %r" + number + " = soap." + c.mnemonic + " " + operands + " {" +
            c.attributes + "soap.name = \"c" + number + "\"} : (" +
            operandTypes + ") -> " + type + "\n";
    types += (i ? ", " : "") + type +
             " {soap.kind = #soap.kind<output>, soap.name = \"r" + number +
             "\"}";
    results += (i ? ", %r" : "%r") + number;
  }
  std::string resultTypes;
  for (size_t i = 0; i < cases.size(); ++i)
    resultTypes += (i ? ", " : "") + tensorType(cases[i].result);
  return "func.func @forward(" + arguments + ") -> (" + types + ") {\n" + body +
         "  return " + results + " : " + resultTypes + "\n}\n";
}

/// A file that goes away with the object.
struct TemporaryFile {
  std::string path;
  ~TemporaryFile() {
    if (!path.empty())
      unlink(path.c_str());
  }
};

class Calibration {
public:
  Calibration(const Options &options, const std::function<bool()> &stop)
      : options(options), stop(stop) {}

  Expected<CalibrationEnd> run();

private:
  const Options &options;
  const std::function<bool()> &stop;
  CalibrationProfile result;
  int64_t bestGauge = std::numeric_limits<int64_t>::max();
  /// How long runs at full speed are waited for, of one session and in all.
  static constexpr std::chrono::steady_clock::duration maxPatience =
      std::chrono::seconds(3);
  std::chrono::steady_clock::duration patience = std::chrono::seconds(30);
  Topology &topology = result.topology;
  Profile &profile = result.profile;
  size_t done = 0, total = 0;

  void progress(const std::string &what);
  Expected<std::unique_ptr<Session>> open(const std::string &text,
                                          const std::string &topologyName);
  MaybeError measure(Session &session,
                     const std::function<void(const Execution &)> &look);
  MaybeError measureCases(std::vector<Case> cases);
  MaybeError measureTiles(int64_t bytes);
  MaybeError measureCopies();
  MaybeError measureAllReduce(int64_t devices);
};

void Calibration::progress(const std::string &what) {
  if (!options.quiet && isatty(STDERR_FILENO))
    std::fprintf(stderr, "\r\x1b[K%zu of %zu: %s", done, total, what.c_str());
}

Expected<std::unique_ptr<Session>>
Calibration::open(const std::string &text, const std::string &topologyName) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error)
    return Error{"cannot find a folder for temporary files: " +
                 error.message()};
  TemporaryFile file;
  std::string path = folder / "soap-XXXXXX";
  int descriptor = mkstemp(path.data());
  if (descriptor < 0)
    return Error{path + ": cannot create a temporary file"};
  close(descriptor);
  file.path = path;
  // Configs need a topology to be of; without, all runs on the first device.
  bool hasConfigs = text.find("soap.config") != std::string::npos;
  if (MaybeError error = writeFile(
          path, "module attributes {soap.topology = #soap.topology<\"" +
                    topologyName + "\">} {\n" + text + "}\n"))
    return *error;
  CompileRequest request;
  request.path = path;
  if (!hasConfigs) {
    request.topology = topologyName;
    request.preset = "single";
  }
  request.optLevel = int(options.optLevel);
  request.reference = options.reference;
  request.cache = !options.noCache;
  request.diagnostic = [](const std::string &message) {
    std::fprintf(stderr, "%s\n", message.c_str());
  };
  auto source = compileModule(request);
  if (!source)
    return source.takeError();
  LauncherOptions launcher;
  launcher.threadsPerDevice =
      options.threadsPerDevice ? options.threadsPerDevice : 1;
  launcher.timeout = std::chrono::milliseconds(options.timeoutMs);
  auto session = Session::create(std::move(*source), launcher);
  if (!session)
    return session;
  if (MaybeError error =
          initialize((*session)->manifest(), (*session)->tensors(), "", 0))
    return *error;
  return session;
}

/// Some runs for warming up, then as many as are looked at: those at full speed
/// (SpeedGauge.h), as far as they come soon enough.
MaybeError
Calibration::measure(Session &session,
                     const std::function<void(const Execution &)> &look) {
  auto entry = session.entry("forward");
  if (!entry)
    return entry.takeError();
  constexpr int warm = 3, runs = 15;
  using Clock = std::chrono::steady_clock;
  auto begin = Clock::now(), end = begin + std::min(patience, maxPatience);
  int64_t before = 0;
  for (int i = 0, looked = 0; looked < runs && !stop(); ++i) {
    if (MaybeError error = session.run(*entry))
      return error;
    int64_t after = session.gauge(*entry);
    bestGauge = std::min(bestGauge, after);
    bool isFast = isFullSpeed(std::max(before, after), bestGauge);
    before = after;
    if (i < warm || (!isFast && Clock::now() < end))
      continue;
    look(session.execution(*entry));
    ++looked;
  }
  patience -= std::min(patience, Clock::now() - begin);
  return std::nullopt;
}

/// Calls `visit(task, device, time)` for every slot that ran.
template <typename Visit>
void eachTask(const Execution &run, Visit visit) {
  for (size_t r = 0; r < run.entry.ranks.size(); ++r)
    for (size_t slot = 0; slot < run.times[r].size(); ++slot)
      if (const SlotTime &time = run.times[r][slot]; time.endNs) {
        const ScheduledTask &task =
            run.entry.schedule[size_t(run.entry.ranks[r].tasks[slot])];
        visit(task, run.entry.ranks[r].device, time);
      }
}

MaybeError Calibration::measureCases(std::vector<Case> cases) {
  auto session = open(moduleText(cases), "cpu-1");
  if (!session)
    return session.takeError();
  std::map<std::string, std::vector<int64_t>> times;
  if (MaybeError error = measure(**session, [&](const Execution &run) {
        eachTask(run,
                 [&](const ScheduledTask &task, int64_t, const SlotTime &time) {
                   times[task.name].push_back(time.endNs - time.beginNs);
                 });
      }))
    return error;
  if (stop())
    return std::nullopt; // half of the runs say too little
  for (size_t i = 0; i < cases.size(); ++i) {
    Case &c = cases[i];
    auto it = times.find("c" + std::to_string(i) + "[0]");
    if (it == times.end())
      return Error{"no time was measured for soap." + c.mnemonic};
    c.ns = medianOf(it->second);
    result.spread.add(it->second);
    result.add(c);
  }
  return std::nullopt;
}

/// Tensors of so many bytes that are split into four blocks of columns, which
/// are assembled again: copies of short and long rows. Large ones have left the
/// cache when they are read.
MaybeError Calibration::measureTiles(int64_t bytes) {
  std::string arguments, types, body, results, resultTypes;
  for (int64_t run = 16; run <= 1 << 16 && 8 * run <= bytes; run *= 4) {
    std::string type = tensorType({bytes / (4 * run), run}),
                number = std::to_string(run),
                comma = arguments.empty() ? "" : ", ";
    arguments +=
        comma + "%x" + number + ": " + type +
        " {soap.kind = #soap.kind<parameter>, soap.init = #soap.init<ones>, "
        "soap.name = \"x" +
        number + "\"}";
    body += "  %y" + number + " = soap.relu %x" + number +
            " {soap.name = \"make" + number +
            "\", soap.config = #soap.config<{}, devices = [0]>} : " + type +
            "\n  %z" + number + " = soap.neg %y" + number +
            " {soap.name = \"read" + number +
            "\", soap.config = #soap.config<{d1 = 4}, devices = [0, 0, 0, "
            "0]>} : " +
            type + "\n";
    types += comma + type +
             " {soap.kind = #soap.kind<output>, soap.name = \"z" + number +
             "\"}";
    results += comma + "%z" + number;
    resultTypes += comma + type;
  }
  auto session =
      open("func.func @forward(" + arguments + ") -> (" + types + ") {\n" +
               body + "  return " + results + " : " + resultTypes + "\n}\n",
           "cpu-1");
  if (!session)
    return session.takeError();
  std::map<std::string, std::vector<int64_t>> times; // by shape
  if (MaybeError error = measure(**session, [&](const Execution &run) {
        eachTask(run,
                 [&](const ScheduledTask &task, int64_t, const SlotTime &time) {
                   if (task.kind == "assemble")
                     times[task.shape].push_back(time.endNs - time.beginNs);
                 });
      }))
    return error;
  if (stop())
    return std::nullopt;
  for (const auto &[shape, ns] : times)
    if (MaybeError error = result.addCopy(shape, medianOf(ns)))
      return error;
  return std::nullopt;
}

/// One device makes a tensor, another reads it: the time of the message on the
/// receiver, from the moment when it was sent.
MaybeError Calibration::measureCopies() {
  std::vector<std::pair<int64_t, int64_t>> points;
  for (int64_t rows : {16, 256, 4096, 65536}) {
    std::string type = tensorType({rows, 64});
    std::string text =
        "func.func @forward(%x: " + type +
        " {soap.kind = #soap.kind<parameter>, soap.init = #soap.init<ones>, "
        "soap.name = "
        "\"x\"}) -> (" +
        type +
        " {soap.kind = #soap.kind<output>, soap.name = \"z\"}) {\n"
        "  %y = soap.relu %x {soap.name = \"make\", soap.config = "
        "#soap.config<{}, devices = [0]>} : " +
        type +
        "\n  %z = soap.neg %y {soap.name = \"read\", soap.config = "
        "#soap.config<{}, devices = [1]>} : " +
        type + "\n  return %z : " + type + "\n}\n";
    auto session = open(text, "cpu-2");
    if (!session)
      return session.takeError();
    std::vector<int64_t> times;
    if (MaybeError error = measure(**session, [&](const Execution &run) {
          int64_t sent = 0, begin = 0, end = 0;
          eachTask(run, [&](const ScheduledTask &task, int64_t device,
                            const SlotTime &time) {
            if (task.name == "make[0]")
              sent = time.endNs;
            if (task.kind == "transfer" && device == 1) {
              begin = time.beginNs;
              end = time.endNs;
            }
          });
          times.push_back(end - std::max(begin, sent));
        }))
      return error;
    if (stop())
      return std::nullopt;
    points.emplace_back(rows * 64 * 4, medianOf(times));
  }
  auto [latency, bandwidth] = fitLink(points);
  result.setLinks(latency, bandwidth);
  return std::nullopt;
}

/// A product whose reduction is split leaves partial sums, and all devices read
/// the whole: from the end of the last product to the start of the last reader.
MaybeError Calibration::measureAllReduce(int64_t devices) {
  CollectiveEntries measured;
  measured.devices = static_cast<int>(devices);
  std::string list;
  for (int64_t d = 0; d < devices; ++d)
    list += (d ? ", " : "") + std::to_string(d);
  for (int64_t rows : {16, 128, 1024, 8192}) {
    std::string y = tensorType({rows, 128}), a = tensorType({rows, devices}),
                b = tensorType({devices, 128}), count = std::to_string(devices);
    std::string parameter =
        " {soap.kind = #soap.kind<parameter>, soap.init = #soap.init<ones>, "
        "soap.name = \"";
    std::string text =
        "func.func @forward(%a: " + a + parameter + "a\"}, %b: " + b +
        parameter + "b\"}) -> (" + y +
        " {soap.kind = #soap.kind<output>, soap.name = \"z\"}) {\n"
        "  %y = soap.matmul %a, %b {soap.name = \"make\", soap.config = "
        "#soap.config<{k = " +
        count + "}, devices = [" + list + "]>} : (" + a + ", " + b + ") -> " +
        y +
        "\n  %z = soap.relu %y {soap.name = \"read\", soap.config = "
        "#soap.config<{}, replicas = " +
        count + ", devices = [" + list + "]>} : " + y + "\n  return %z : " + y +
        "\n}\n";
    auto session = open(text, "cpu-" + count);
    if (!session)
      return session.takeError();
    std::vector<int64_t> times;
    if (MaybeError error = measure(**session, [&](const Execution &run) {
          int64_t made = 0, read = 0;
          eachTask(run, [&](const ScheduledTask &task, int64_t,
                            const SlotTime &time) {
            if (task.name.starts_with("make["))
              made = std::max(made, time.endNs);
            if (task.name.starts_with("read["))
              read = std::max(read, time.beginNs);
          });
          times.push_back(read - made);
        }))
      return error;
    if (stop())
      return std::nullopt;
    int64_t ns = medianOf(times);
    if (!measured.entries.empty())
      ns = std::max(ns, measured.entries.back()[1]);
    measured.entries.push_back({rows * 128 * 4, ns});
  }
  profile.collectives.push_back(std::move(measured));
  return std::nullopt;
}

Expected<CalibrationEnd> Calibration::run() {
  int64_t cores = std::min<int64_t>(availableCores(), 64);
  auto builtin = builtinTopology("cpu-" + std::to_string(cores));
  if (!builtin)
    return builtin.takeError();
  topology = std::move(*builtin);
  topology.name = calibrationName(options);
  profile.device = topology.deviceTypes[0].name;
  profile.source =
      "soap-run calibrate: medians of 15 runs of each op, " +
      std::to_string(options.threadsPerDevice ? options.threadsPerDevice : 1) +
      " thread(s) a device";
  long pages = sysconf(_SC_PHYS_PAGES), pageSize = sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && pageSize > 0)
    topology.deviceTypes[0].memoryBytes =
        std::max<int64_t>(1, int64_t(pages) * pageSize / cores);

  // The device's share of the last cache.
  long cache = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE) / long(cores),
                        sysconf(_SC_LEVEL2_CACHE_SIZE));
  profile.cacheBytes = std::max<int64_t>(cache, defaultCacheBytes);

  std::vector<std::function<MaybeError()>> steps;
  std::vector<std::string> names;
  if (cores >= 2) {
    names.push_back("copies");
    steps.push_back([this] { return measureCopies(); });
  }
  for (std::vector<Case> &cases : allCases()) {
    names.push_back(cases.front().op + " " + cases.front().direction);
    steps.push_back([this, cases] { return measureCases(cases); });
  }
  for (int64_t bytes : {1 << 14, 1 << 17, 1 << 22}) {
    names.push_back("tiles of " + std::to_string(bytes) + " bytes");
    steps.push_back([this, bytes] { return measureTiles(bytes); });
  }
  if (cores >= 2)
    for (int64_t devices : {int64_t(2), cores})
      if (devices == 2 || devices > 2) {
        if (devices == 2 && names.back() == "all-reduce of 2")
          continue;
        names.push_back("all-reduce of " + std::to_string(devices));
        steps.push_back([this, devices] { return measureAllReduce(devices); });
      }
  total = steps.size();
  for (; done < total && !stop(); ++done) {
    progress(names[done]);
    if (MaybeError error = steps[done]())
      return *error;
    if (MaybeError error = result.write(options.calibrationOutput))
      return *error;
  }
  if (!options.quiet && isatty(STDERR_FILENO))
    std::fprintf(stderr, "\r\x1b[K");
  return result.endOf(done == total && !stop());
}

} // namespace

Expected<CalibrationEnd> run::calibrate(const Options &options,
                                        const std::function<bool()> &stop) {
  return Calibration(options, stop).run();
}
