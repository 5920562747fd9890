//===- Calibrate.cpp - Measures this machine ------------------------------===//
//
// soap-run --calibrate: runs ops of many shapes, copies and collectives through
// the compiler and the runtime that also run models, and writes what they take
// as a topology and a profile. Written after each group of measurements, so
// that what was measured before an interruption is kept.
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"

#include "Soap/Core/ProfileModel.h"
#include "Soap/Runtime/CompiledModule.h"
#include "Soap/Runtime/Files.h"
#include "Soap/Runtime/Initialize.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
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

int64_t volume(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// One op on arguments of its own.
struct Case {
  std::string mnemonic, attributes; ///< `matmul`, `transpose_b`
  std::vector<std::vector<int64_t>> operands;
  std::vector<int64_t> result;
  // What the profile knows it by.
  std::string op, direction;
  std::vector<std::string> loops; ///< empty: for a curve of bytes
  std::vector<int64_t> extents, strides;
  int64_t ns = 0;

  int64_t bytes() const {
    int64_t count = volume(result);
    for (const std::vector<int64_t> &operand : operands)
      count += volume(operand);
    return 4 * count;
  }
};

Case matmul(const char *direction, int64_t m, int64_t n, int64_t k) {
  Case c;
  c.mnemonic = c.op = "matmul";
  c.direction = direction;
  c.loops = {"m", "n", "k"};
  c.extents = {m, n, k};
  c.result = {m, n};
  if (c.direction == "weight_grad") {
    c.operands = {{k, m}, {k, n}};
    c.attributes = "transpose_a, ";
  } else if (c.direction == "forward") {
    c.operands = {{m, k}, {n, k}};
    c.attributes = "transpose_b, ";
  } else {
    c.operands = {{m, k}, {k, n}};
  }
  return c;
}

/// Square images of `size` output positions a side, window `window`, padded by
/// half of it.
Case conv2d(const char *direction, int64_t n, int64_t in, int64_t out,
            int64_t size, int64_t window, int64_t stride) {
  Case c;
  c.op = "conv2d";
  c.direction = direction;
  c.strides = {stride, stride};
  int64_t pad = window / 2, input = (size - 1) * stride + window - 2 * pad;
  std::string p = std::to_string(pad), s = std::to_string(stride);
  c.attributes = "dilations = array<i64: 1, 1>, groups = 1 : i64, padding = "
                 "array<i64: " +
                 p + ", " + p + ", " + p + ", " + p +
                 ">, strides = array<i64: " + s + ", " + s + ">, ";
  std::vector<int64_t> x = {n, in, input, input}, w = {out, in, window, window},
                       y = {n, out, size, size};
  if (c.direction == "forward") {
    c.mnemonic = "conv2d";
    c.operands = {x, w};
    c.result = y;
    c.loops = {"n", "g", "o", "h", "w", "i", "kh", "kw"};
    c.extents = {n, 1, out, size, size, in, window, window};
  } else if (c.direction == "input_grad") {
    c.mnemonic = "conv2d_input_grad";
    c.operands = {y, w};
    c.result = x;
    c.loops = {"n", "g", "i", "h", "w", "o", "kh", "kw"};
    c.extents = {n, 1, in, input, input, out, window, window};
  } else {
    c.mnemonic = "conv2d_weight_grad";
    c.operands = {x, y};
    c.result = w;
    c.loops = {"g", "o", "i", "kh", "kw", "n", "h", "w"};
    c.extents = {1, out, in, window, window, n, size, size};
  }
  return c;
}

Case elementwise(const char *mnemonic, size_t operands, int64_t count) {
  Case c;
  c.mnemonic = mnemonic;
  c.op = "elementwise";
  c.direction = operands == 1 ? "forward" : "backward";
  c.result = {count / 64, 64};
  c.operands.assign(operands, c.result);
  return c;
}

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

/// In groups that are compiled together.
std::vector<std::vector<Case>> allCases() {
  std::vector<std::vector<Case>> groups;
  const char *directions[] = {"forward", "input_grad", "weight_grad"};
  for (const char *direction : directions) {
    std::vector<Case> products;
    for (int64_t m : {8, 64, 512})
      for (int64_t n : {16, 128, 1024})
        for (int64_t k : {16, 128, 1024})
          products.push_back(matmul(direction, m, n, k));
    products.push_back(matmul(direction, 32, 4096, 512));
    products.push_back(matmul(direction, 32, 512, 4096));
    products.push_back(matmul(direction, 2048, 256, 256));
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
              conv2d(direction, n, in, out, size, window, 1));
    for (int64_t window : {1, 3})
      convolutions.push_back(conv2d(direction, 8, 64, 128, 14, window, 2));
    groups.push_back(std::move(convolutions));
  }
  std::vector<Case> rest;
  for (int64_t count = 1 << 10; count <= 1 << 22; count *= 4) {
    rest.push_back(elementwise("relu", 1, count));
    rest.push_back(elementwise("add", 2, count));
    rest.push_back(softmax(count / 256, 256));
  }
  groups.push_back(std::move(rest));
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
      arguments += (arguments.empty() ? "%" : ", %") + name + ": " + type +
                   " {soap.kind = \"parameter\", soap.init = \"ones\", "
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
             " {soap.kind = \"output\", soap.name = \"r" + number + "\"}";
    results += (i ? ", %r" : "%r") + number;
  }
  std::string resultTypes;
  for (size_t i = 0; i < cases.size(); ++i)
    resultTypes += (i ? ", " : "") + tensorType(cases[i].result);
  return "func.func @forward(" + arguments + ") -> (" + types + ") {\n" + body +
         "  return " + results + " : " + resultTypes + "\n}\n";
}

int64_t medianOf(std::vector<int64_t> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return std::max<int64_t>(values[values.size() / 2], 1);
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

  Expected<bool> run();

private:
  const Options &options;
  const std::function<bool()> &stop;
  Profile profile;
  Topology topology;
  std::map<std::string, ProfileTable> tables;
  /// Bytes and ns by class and direction.
  std::map<std::pair<std::string, std::string>, ProfileTable> classes;
  size_t done = 0, total = 0;

  void progress(const std::string &what);
  Expected<std::unique_ptr<Session>> open(const std::string &text,
                                          const std::string &topologyName);
  MaybeError measure(Session &session,
                     const std::function<void(const Execution &)> &look);
  MaybeError measureCases(std::vector<Case> cases);
  MaybeError measureCopies();
  MaybeError measureAllReduce(int64_t devices);
  void summarize();
  MaybeError write();
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
  if (MaybeError error =
          writeFile(path, "module attributes {soap.topology = \"" +
                              topologyName + "\"} {\n" + text + "}\n"))
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

/// Some runs for warming up, then as many as are looked at.
MaybeError
Calibration::measure(Session &session,
                     const std::function<void(const Execution &)> &look) {
  auto entry = session.entry("forward");
  if (!entry)
    return entry.takeError();
  constexpr int warm = 3, runs = 15;
  for (int i = 0; i < warm + runs && !stop(); ++i) {
    if (MaybeError error = session.run(*entry))
      return error;
    if (i >= warm)
      look(session.execution(*entry));
  }
  return std::nullopt;
}

/// Calls `visit(name, kind, device, time)` for every slot that ran.
template <typename Visit>
void eachTask(const Execution &run, Visit visit) {
  for (size_t r = 0; r < run.entry.ranks.size(); ++r)
    for (size_t slot = 0; slot < run.times[r].size(); ++slot)
      if (const SlotTime &time = run.times[r][slot]; time.endNs) {
        const ScheduledTask &task =
            run.entry.schedule[size_t(run.entry.ranks[r].tasks[slot])];
        visit(task.name, task.kind, run.entry.ranks[r].device, time);
      }
}

MaybeError Calibration::measureCases(std::vector<Case> cases) {
  auto session = open(moduleText(cases), "cpu-1");
  if (!session)
    return session.takeError();
  std::map<std::string, std::vector<int64_t>> times;
  if (MaybeError error = measure(**session, [&](const Execution &run) {
        eachTask(run, [&](const std::string &name, const std::string &, int64_t,
                          const SlotTime &time) {
          times[name].push_back(time.endNs - time.beginNs);
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
    bool isClass = c.loops.empty();
    ProfileTable &table = isClass ? classes[{c.op, c.direction}]
                                  : tables[c.op + " " + c.direction];
    table.op = c.op;
    table.direction = c.direction;
    table.dtype = "f32";
    table.loops = isClass ? std::vector<std::string>{"points"} : c.loops;
    table.strides = static_cast<int>(c.strides.size());
    ProfileEntry entry;
    entry.shape = isClass ? std::vector<int64_t>{volume(c.result)} : c.extents;
    entry.shape.insert(entry.shape.end(), c.strides.begin(), c.strides.end());
    entry.shape.push_back(c.bytes());
    entry.ns = c.ns;
    table.entries.push_back(std::move(entry));
  }
  return std::nullopt;
}

/// One device makes a tensor, another reads it: what the message takes after it
/// was sent, on the receiver.
MaybeError Calibration::measureCopies() {
  std::vector<std::array<double, 2>> points;
  for (int64_t rows : {16, 256, 4096, 65536}) {
    std::string type = tensorType({rows, 64});
    std::string text =
        "func.func @forward(%x: " + type +
        " {soap.kind = \"parameter\", soap.init = \"ones\", soap.name = "
        "\"x\"}) -> (" +
        type +
        " {soap.kind = \"output\", soap.name = \"z\"}) {\n"
        "  %y = soap.relu %x {soap.name = \"make\", soap.config = "
        "#soap.config<{}, devices = [0]>} : (" +
        type + ") -> " + type +
        "\n  %z = soap.neg %y {soap.name = \"read\", soap.config = "
        "#soap.config<{}, devices = [1]>} : (" +
        type + ") -> " + type + "\n  return %z : " + type + "\n}\n";
    auto session = open(text, "cpu-2");
    if (!session)
      return session.takeError();
    std::vector<int64_t> times;
    if (MaybeError error = measure(**session, [&](const Execution &run) {
          int64_t sent = 0, begin = 0, end = 0;
          eachTask(run, [&](const std::string &name, const std::string &kind,
                            int64_t device, const SlotTime &time) {
            if (name == "make[0]")
              sent = time.endNs;
            if (kind == "transfer" && device == 1) {
              begin = time.beginNs;
              end = time.endNs;
            }
          });
          times.push_back(end - std::max(begin, sent));
        }))
      return error;
    if (stop())
      return std::nullopt;
    points.push_back({static_cast<double>(rows * 64 * 4),
                      static_cast<double>(medianOf(times))});
  }
  // The smallest is all latency, the largest all bandwidth.
  double bandwidth = (points.back()[0] - points.front()[0]) /
                     std::max(points.back()[1] - points.front()[1], 1.0);
  double latency =
      std::max(1.0, points.front()[1] - points.front()[0] / bandwidth);
  for (Link &link : topology.links) {
    link.bandwidthBytesPerSecond = std::clamp(bandwidth * 1e9, 1e6, 1e15);
    link.latencyNs = static_cast<int64_t>(latency);
  }
  return std::nullopt;
}

/// A product whose reduction is cut leaves partial sums, and all devices read
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
        " {soap.kind = \"parameter\", soap.init = \"ones\", "
        "soap.name = \"";
    std::string text =
        "func.func @forward(%a: " + a + parameter + "a\"}, %b: " + b +
        parameter + "b\"}) -> (" + y +
        " {soap.kind = \"output\", soap.name = \"z\"}) {\n"
        "  %y = soap.matmul %a, %b {soap.name = \"make\", soap.config = "
        "#soap.config<{k = " +
        count + "}, devices = [" + list + "]>} : (" + a + ", " + b + ") -> " +
        y +
        "\n  %z = soap.relu %y {soap.name = \"read\", soap.config = "
        "#soap.config<{}, replicas = " +
        count + ", devices = [" + list + "]>} : (" + y + ") -> " + y +
        "\n  return %z : " + y + "\n}\n";
    auto session = open(text, "cpu-" + count);
    if (!session)
      return session.takeError();
    std::vector<int64_t> times;
    if (MaybeError error = measure(**session, [&](const Execution &run) {
          int64_t made = 0, read = 0;
          eachTask(run, [&](const std::string &name, const std::string &,
                            int64_t, const SlotTime &time) {
            if (name.starts_with("make["))
              made = std::max(made, time.endNs);
            if (name.starts_with("read["))
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

/// Peaks are the best that was measured; curves for what has no tables.
void Calibration::summarize() {
  profile.tables.clear();
  profile.curves.clear();
  double flops = 1, bandwidth = 1;
  for (const auto &[key, table] : tables) {
    for (const ProfileEntry &entry : table.entries) {
      double work = 2;
      for (size_t i = 0; i < table.loops.size(); ++i)
        work *= static_cast<double>(entry.shape[i]);
      // Input gradients visit every output position once for each stride.
      for (int s = 0; s < table.strides; ++s)
        if (table.direction == "input_grad")
          work /= static_cast<double>(entry.shape[table.loops.size() + s]);
      flops = std::max(flops, work / static_cast<double>(entry.ns) * 1e9);
    }
    profile.tables.push_back(table);
    profile.curves.push_back(fitCurve(table));
  }
  for (const auto &[key, table] : classes) {
    for (const ProfileEntry &entry : table.entries)
      bandwidth = std::max(bandwidth, static_cast<double>(entry.shape.back()) /
                                          static_cast<double>(entry.ns) * 1e9);
    CostCurve curve = fitCurve(table);
    // One curve stands for all ops of the class: by bytes alone.
    profile.curves.push_back(std::move(curve));
  }
  double launch = 1000;
  for (const CostCurve &curve : profile.curves)
    if (curve.op == "elementwise" && curve.direction == "forward")
      launch = std::max(1.0, curve.terms.front().ns);
  profile.launchNs = static_cast<int64_t>(launch);
  profile.flopsPerSecond = {{"f32", flops}, {"f64", flops / 2}};
  profile.memoryBandwidthBytesPerSecond = bandwidth;
  for (DeviceType &type : topology.deviceTypes) {
    type.flopsPerSecond = profile.flopsPerSecond;
    type.memoryBandwidthBytesPerSecond = bandwidth;
    type.launchNs = profile.launchNs;
    type.profile = options.calibrationOutput + ".profile.json";
  }
}

MaybeError Calibration::write() {
  summarize();
  const std::string &base = options.calibrationOutput;
  if (MaybeError error =
          writeFile(base + ".profile.json", printProfile(profile)))
    return error;
  return writeFile(base + ".topology.json", printTopology(topology));
}

Expected<bool> Calibration::run() {
  int64_t cores = std::min<int64_t>(availableCores(), 64);
  auto builtin = builtinTopology("cpu-" + std::to_string(cores));
  if (!builtin)
    return builtin.takeError();
  topology = std::move(*builtin);
  topology.name = "calibrated";
  profile.device = topology.deviceTypes[0].name;
  profile.source =
      "soap-run --calibrate: medians of 15 runs of each op, " +
      std::to_string(options.threadsPerDevice ? options.threadsPerDevice : 1) +
      " thread(s) a device";
  long pages = sysconf(_SC_PHYS_PAGES), pageSize = sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && pageSize > 0)
    topology.deviceTypes[0].memoryBytes =
        std::max<int64_t>(1, int64_t(pages) * pageSize / cores);

  std::vector<std::function<MaybeError()>> steps;
  std::vector<std::string> names;
  for (std::vector<Case> &cases : allCases()) {
    names.push_back(cases.front().op + " " + cases.front().direction);
    steps.push_back([this, cases] { return measureCases(cases); });
  }
  if (cores >= 2) {
    names.push_back("copies");
    steps.push_back([this] { return measureCopies(); });
    for (int64_t devices : {int64_t(2), cores})
      if (devices == 2 || devices > 2) {
        if (devices == 2 && names.back() == "all-reduce of 2")
          continue;
        names.push_back("all-reduce of " + std::to_string(devices));
        steps.push_back([this, devices] { return measureAllReduce(devices); });
      }
  }
  total = steps.size();
  for (; done < total && !stop(); ++done) {
    progress(names[done]);
    if (MaybeError error = steps[done]())
      return *error;
    if (MaybeError error = write())
      return *error;
  }
  if (!options.quiet && isatty(STDERR_FILENO))
    std::fprintf(stderr, "\r\x1b[K");
  return done == total && !stop();
}

} // namespace

Expected<bool> run::calibrate(const Options &options,
                              const std::function<bool()> &stop) {
  return Calibration(options, stop).run();
}
