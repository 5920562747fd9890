//===- CalibrateCuda.cpp - Measures the GPUs of this machine --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-run calibrate --backend cuda: library calls and kernels of many
// shapes, copies and all-reduces, through the backend that also runs programs,
// timed by the GPU's clock. Needs no compiler: kernels are PTX that is made
// here. A call that is repeated is a CUDA graph, as in iterations.
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"

#include "CalibrationProfile.h"
#include "Runtime/Backend/Backend.h"
#include "Runtime/Backend/GpuTimes.h"
#include "Runtime/Transport/Collective.h"
#include "Runtime/Transport/NcclTransport.h"
#include "Runtime/Transport/Transport.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <functional>
#include <thread>
#include <unistd.h>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

constexpr int64_t workspaceBytes = int64_t(64) << 20;

//===----------------------------------------------------------------------===//
// Elementwise kernels
//===----------------------------------------------------------------------===//

void reluOnHost(void *const *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(args[1])[i] =
        std::max(static_cast<const float *>(args[0])[i], 0.0f);
}
void addOnHost(void *const *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(args[2])[i] = static_cast<const float *>(args[0])[i] +
                                       static_cast<const float *>(args[1])[i];
}

/// A kernel over `count` numbers, as generated ones are: thread t of T takes t,
/// t + T, t + 2T, ... The last of its buffers is the result.
std::string kernelText(const std::string &name, size_t operands,
                       int64_t count) {
  std::string text = ".visible .entry " + name + "(";
  for (size_t i = 0; i <= operands; ++i)
    text += std::string(i ? "," : "") + "\n\t.param .u64 p" + std::to_string(i);
  text += "\n)\n{\n"
          "\t.reg .pred %p<2>;\n\t.reg .b32 %r<7>;\n\t.reg .f32 %f<4>;\n"
          "\t.reg .b64 %rd<12>;\n";
  for (size_t i = 0; i <= operands; ++i) {
    std::string n = std::to_string(i);
    text += "\tld.param.u64 %rd" + n + ", [p" + n +
            "];\n\tcvta.to.global.u64 %rd" + n + ", %rd" + n + ";\n";
  }
  text += "\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %ntid.x;\n"
          "\tmov.u32 %r3, %tid.x;\n\tmad.lo.s32 %r4, %r1, %r2, %r3;\n"
          "\tmov.u32 %r5, %nctaid.x;\n\tmul.lo.s32 %r6, %r5, %r2;\n"
          "LOOP:\n\tsetp.ge.u32 %p1, %r4, " +
          std::to_string(count) +
          ";\n\t@%p1 bra DONE;\n\tmul.wide.u32 %rd5, %r4, 4;\n";
  for (size_t i = 0; i < operands; ++i) {
    std::string n = std::to_string(i);
    text += "\tadd.s64 %rd6, %rd" + n + ", %rd5;\n\tld.global.f32 %f" + n +
            ", [%rd6];\n";
  }
  text += operands == 1 ? "\tmax.f32 %f3, %f0, 0f00000000;\n"
                        : "\tadd.f32 %f3, %f0, %f1;\n";
  return text + "\tadd.s64 %rd6, %rd" + std::to_string(operands) +
         ", %rd5;\n\tst.global.f32 [%rd6], %f3;\n"
         "\tadd.s32 %r4, %r4, %r6;\n\tbra LOOP;\nDONE:\n\tret;\n}\n";
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

/// In groups that are written together, first those that peaks come from; those
/// with more points than `most` are left out.
std::vector<std::vector<CalibrationCase>> allCases(int64_t most) {
  std::vector<std::vector<CalibrationCase>> groups;
  auto close = [&](std::vector<CalibrationCase> cases) {
    std::erase_if(cases,
                  [&](const CalibrationCase &c) { return c.work() > most; });
    if (!cases.empty())
      groups.push_back(std::move(cases));
  };
  std::vector<CalibrationCase> streams;
  for (int64_t count = 1 << 10; count <= 1 << 26; count *= 4) {
    streams.push_back(elementwiseCase("relu", 1, count));
    streams.push_back(elementwiseCase("add", 2, count));
  }
  close(std::move(streams));
  for (const char *dtype : {"f32", "tf32", "bf16"})
    for (const char *direction : {"forward", "input_grad", "weight_grad"}) {
      std::vector<CalibrationCase> products, convolutions;
      for (int64_t m : {8, 64, 512, 4096})
        for (int64_t n : {16, 128, 1024, 8192})
          for (int64_t k : {16, 128, 1024, 8192})
            products.push_back(matmulCase(direction, m, n, k));
      for (int64_t n : {2, 16, 64})
        for (auto [in, out] : {std::pair<int64_t, int64_t>{1, 6},
                               {3, 64},
                               {16, 16},
                               {64, 64},
                               {64, 256},
                               {512, 512}})
          for (auto [size, window] :
               {std::pair<int64_t, int64_t>{7, 3}, {14, 1}, {14, 5}, {56, 3}})
            convolutions.push_back(
                conv2dCase(direction, n, in, out, size, window, 1));
      for (int64_t window : {1, 3, 7})
        convolutions.push_back(
            conv2dCase(direction, 32, 64, 128, 28, window, 2));
      for (auto *cases : {&products, &convolutions})
        for (CalibrationCase &c : *cases)
          c.dtype = dtype;
      close(std::move(products));
      close(std::move(convolutions));
    }
  return groups;
}

Precision precisionOf(const CalibrationCase &c) {
  return c.dtype == "f32"    ? Precision::F32
         : c.dtype == "tf32" ? Precision::TF32
                             : Precision::BF16;
}

MatmulCall matmulCallOf(const CalibrationCase &c) {
  bool backA = c.direction == "weight_grad", backB = c.direction == "forward";
  MatmulCall call{{1, c.extents[0], c.extents[1], c.extents[2], backA, backB},
                  precisionOf(c)};
  call.narrowResult = call.precision == Precision::BF16;
  call.workspace = workspaceBytes;
  return call;
}

ConvCall convCallOf(const CalibrationCase &c) {
  ConvKind kind = c.direction == "forward"      ? ConvKind::Forward
                  : c.direction == "input_grad" ? ConvKind::InputGrad
                                                : ConvKind::WeightGrad;
  const auto &x = kind == ConvKind::InputGrad ? c.result : c.operands[0];
  const auto &w = kind == ConvKind::WeightGrad ? c.result : c.operands[1];
  const auto &y = kind == ConvKind::Forward     ? c.result
                  : kind == ConvKind::InputGrad ? c.operands[0]
                                                : c.operands[1];
  int64_t pad = w[2] / 2, stride = c.strides[0];
  ConvCall call{{x[0], 1, x[1], x[2], x[3], w[0], y[2], y[3], w[2], w[3],
                 stride, stride, 1, 1, pad, pad, pad, pad},
                kind,
                precisionOf(c)};
  call.workspace = workspaceBytes;
  return call;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

class CudaCalibration {
public:
  CudaCalibration(const Options &options, const std::function<bool()> &stop)
      : options(options), stop(stop) {}

  Expected<CalibrationEnd> run();

private:
  using Work = std::function<MaybeError()>;
  static constexpr int calls = 8, runs = 9;

  const Options &options;
  const std::function<bool()> &stop;
  CalibrationProfile result;
  std::shared_ptr<GpuTimes> times;
  std::shared_ptr<Backend> backend;
  std::vector<GpuTimes::Gpu> gpus;
  std::string image;
  /// Kernels hold names by address.
  std::deque<std::string> names;
  std::map<std::string, SoapKernel> kernels;
  char *memory = nullptr; ///< of device 0
  int64_t memoryBytes = 0;
  size_t done = 0, total = 0;

  void makeKernels(const std::vector<std::vector<CalibrationCase>> &groups);
  void makeTopology();
  MaybeError open(const std::vector<std::vector<CalibrationCase>> &groups);
  MaybeError finish(int64_t device);
  Expected<int64_t> nsOf(const Work &call);
  MaybeError measure(CalibrationCase &c);
  MaybeError measureCases(std::vector<CalibrationCase> cases);
  MaybeError measureHostCopies();
  MaybeError measurePeers();
  MaybeError measureAllReduce(int64_t devices);
  std::vector<int64_t> copySizes() const;
};

std::string kernelName(const CalibrationCase &c) {
  return c.mnemonic + "_" + std::to_string(volumeOf(c.result));
}

void CudaCalibration::makeKernels(
    const std::vector<std::vector<CalibrationCase>> &groups) {
  image = ".version 8.0\n.target sm_75\n.address_size 64\n";
  for (const auto &cases : groups)
    for (const CalibrationCase &c : cases) {
      if (c.op != "elementwise")
        continue;
      size_t operands = c.operands.size();
      int64_t count = volumeOf(c.result);
      names.push_back(kernelName(c));
      image += kernelText(names.back(), operands, count);
      kernels[names.back()] = {names.back().c_str(),
                               operands == 1 ? reluOnHost : addOnHost, count, 1,
                               int64_t(operands) + 1};
    }
}

/// As many GPUs as there are on one switch; measured values are filled in
/// later.
void CudaCalibration::makeTopology() {
  auto count = std::min<size_t>(gpus.size(), 8);
  auto builtin = builtinTopology("h100-1x" + std::to_string(count));
  result.topology = std::move(*builtin);
  result.topology.name = calibrationName(options);
  DeviceType &type = result.topology.deviceTypes[0];
  type.name.clear();
  for (char letter : gpus[0].name)
    type.name += std::isalnum(static_cast<unsigned char>(letter))
                     ? char(std::tolower(static_cast<unsigned char>(letter)))
                     : '-';
  type.memoryBytes = gpus[0].memoryBytes;
  result.profile.device = type.name;
  result.profile.source =
      "soap-run calibrate --backend cuda: " + gpus[0].name +
      ", medians of 9 launches of a CUDA graph of 8 calls each";
}

MaybeError
CudaCalibration::open(const std::vector<std::vector<CalibrationCase>> &groups) {
  auto opened = openGpuTimes();
  if (!opened)
    return opened.takeError();
  times = *opened;
  auto found = times->gpus();
  if (!found)
    return Error{"backend cuda: " + found.error()};
  gpus = std::move(*found);
  makeTopology();
  makeKernels(groups);
  BackendOptions request;
  for (int d = 0; d < result.topology.deviceCount(); ++d)
    request.local.push_back(d);
  request.format = "isa";
  request.image = image;
  request.tunes = !options.noAutotune;
  request.note = [](const std::string &text) {
    std::fprintf(stderr, "soap-run: note: %s\n", text.c_str());
  };
  auto device = openBackend("cuda", request);
  if (!device)
    return device.takeError();
  backend = *device;
  // Operands, a result and a workspace, each aligned.
  for (const auto &cases : groups)
    for (const CalibrationCase &c : cases)
      memoryBytes = std::max(memoryBytes, c.bytes());
  for (int64_t bytes : copySizes())
    memoryBytes = std::max(memoryBytes, 2 * bytes);
  memoryBytes += workspaceBytes + 4 * 256;
  auto place = backend->allocate(0, memoryBytes);
  if (!place)
    return place.takeError();
  memory = static_cast<char *>(*place);
  // Numbers near 0.01, in f32 and in bf16: zeros would be multiplied faster.
  std::vector<char> numbers(size_t(std::min(memoryBytes, int64_t(16) << 20)),
                            0x3c);
  for (int64_t at = 0; at < memoryBytes; at += int64_t(numbers.size()))
    if (MaybeError error = backend->upload(
            0, memory + at, numbers.data(),
            std::min(memoryBytes - at, int64_t(numbers.size()))))
      return error;
  return std::nullopt;
}

MaybeError CudaCalibration::finish(int64_t device) {
  return backend->device(device).finish([] { return false; });
}

/// A call on stream 0 of device 0, as part of a graph of several.
Expected<int64_t> CudaCalibration::nsOf(const Work &call) {
  BackendDevice &device = backend->device(0);
  auto fails = [](MaybeError error) { return error ? *error : Error{""}; };
  auto never = [] { return false; };
  MaybeError error = device.begin();
  if (!error)
    error = call(); // libraries get ready
  if (!error)
    error = finish(0);
  if (error)
    return fails(error);
  auto graph = backend->makeGraph({0}, /*joint=*/true);
  if (!graph)
    return graph.takeError();
  error = (*graph)->begin(0);
  MaybeError given;
  for (int i = 0; i < calls && !error && !given; ++i)
    given = call();
  MaybeError ended = (*graph)->end(0, [&] { return given.has_value(); });
  for (const MaybeError &one : {error, given, ended})
    if (one)
      return fails(one);
  auto stream = device.nativeStream(0);
  if (!stream)
    return stream.takeError();
  std::vector<int64_t> ns;
  for (int i = 0; i <= runs && !stop(); ++i) {
    auto ms = times->milliseconds(*stream, [&] { return (*graph)->launch(0); });
    if (!ms)
      return ms.takeError();
    if (i) // the first is for warming up
      ns.push_back(int64_t(*ms * 1e6 / calls));
  }
  if (MaybeError late = device.finish(never))
    return *late;
  result.spread.add(ns);
  return ns.empty() ? int64_t(1) : medianOf(ns);
}

MaybeError CudaCalibration::measure(CalibrationCase &c) {
  BackendDevice &device = backend->device(0);
  std::vector<void *> places;
  char *next = memory;
  auto take = [&](int64_t bytes) {
    places.push_back(next);
    next += (bytes + 255) / 256 * 256;
  };
  int64_t width = c.dtype == "bf16" ? 2 : 4;
  for (const std::vector<int64_t> &operand : c.operands)
    take(width * volumeOf(operand));
  take(width * volumeOf(c.result));
  take(workspaceBytes);
  Work work;
  if (c.op == "matmul") {
    MatmulCall call = matmulCallOf(c);
    MatmulBuffers buffers{places[0], places[1], nullptr,
                          places[2], nullptr,   places[3]};
    if (MaybeError error = device.prepare(call, buffers))
      return error;
    work = [&device, call, buffers] { return device.matmul(call, buffers, 0); };
  } else if (c.op == "conv2d") {
    ConvCall call = convCallOf(c);
    ConvBuffers buffers{places[0], places[1], places[2], places[3]};
    if (MaybeError error = device.prepare(call, buffers))
      return error;
    work = [&device, call, buffers] { return device.conv(call, buffers, 0); };
  } else {
    const SoapKernel *kernel = &kernels.at(kernelName(c));
    work = [&device, kernel, places] {
      return device.launch(*kernel, places.data(), 0);
    };
  }
  auto ns = nsOf(work);
  if (!ns)
    return Error{"soap." + c.mnemonic + " " + c.direction + " " + c.dtype +
                 ": " + ns.error()};
  c.ns = *ns;
  return std::nullopt;
}

MaybeError CudaCalibration::measureCases(std::vector<CalibrationCase> cases) {
  if (MaybeError error = backend->select(0))
    return error;
  for (CalibrationCase &c : cases) {
    if (MaybeError error = measure(c))
      return error;
    if (stop())
      return std::nullopt; // of the group, nothing is kept
  }
  for (const CalibrationCase &c : cases)
    result.add(c);
  return std::nullopt;
}

/// The first two always: a line needs them.
std::vector<int64_t> CudaCalibration::copySizes() const {
  std::vector<int64_t> sizes;
  for (int64_t bytes = 1 << 12; bytes <= 1 << 28; bytes *= 16)
    if (sizes.size() < 2 || bytes / 4 <= options.calibrationWork)
      sizes.push_back(bytes);
  return sizes;
}

/// Within the device, and from and to pinned memory of the host.
MaybeError CudaCalibration::measureHostCopies() {
  if (MaybeError error = backend->select(0))
    return error;
  BackendDevice &device = backend->device(0);
  std::vector<int64_t> sizes = copySizes();
  auto pinned = backend->allocatePinned(sizes.back());
  if (!pinned)
    return pinned.takeError();
  for (int64_t bytes : sizes) {
    const std::tuple<const char *, void *, void *> ways[] = {
        {"assemble", memory, memory + bytes},
        {"upload", memory, *pinned},
        {"download", *pinned, memory}};
    for (auto [kind, to, from] : ways) {
      auto ns = nsOf([&device, to = to, from = from, bytes] {
        return device.copy(to, from, bytes, 0);
      });
      if (!ns)
        return ns.takeError();
      if (stop())
        return std::nullopt;
      result.addCopy(kind, bytes, *ns);
    }
  }
  return std::nullopt;
}

/// From the first GPU to the second.
MaybeError CudaCalibration::measurePeers() {
  std::vector<int64_t> sizes = copySizes();
  auto there = backend->allocate(1, sizes.back());
  if (!there)
    return there.takeError();
  if (MaybeError error = backend->select(0))
    return error;
  BackendDevice &device = backend->device(0);
  std::vector<std::pair<int64_t, int64_t>> points;
  for (int64_t bytes : sizes) {
    auto ns = nsOf([&] { return device.copy(*there, memory, bytes, 0); });
    if (!ns)
      return ns.takeError();
    if (stop())
      return std::nullopt;
    points.emplace_back(bytes, *ns);
  }
  auto [latency, bandwidth] = fitLink(points);
  // From the GPU to the switch, and from there to the other.
  result.setLinks(std::max<int64_t>(1, latency / 2), bandwidth);
  return std::nullopt;
}

/// By NCCL, all of the group at once: by the clock of the first.
MaybeError CudaCalibration::measureAllReduce(int64_t devices) {
  std::vector<int64_t> group;
  for (int64_t d = 0; d < devices; ++d)
    group.push_back(d);
  auto world =
      NcclWorld::create(Placement{nullptr, devices}, backend.get(), {group});
  if (!world) {
    std::fprintf(stderr, "soap-run: note: all-reduces are not measured: %s\n",
                 world.error().c_str());
    return std::nullopt;
  }
  std::unique_ptr<Transport> transport = (*world)->transport();
  std::vector<int64_t> sizes = copySizes();
  std::vector<void *> places = {memory};
  for (int64_t d = 1; d < devices; ++d) {
    auto place = backend->allocate(d, sizes.back());
    if (!place)
      return place.takeError();
    places.push_back(*place);
  }
  CollectiveEntries measured;
  measured.devices = static_cast<int>(devices);
  int64_t iteration = 0;
  for (int64_t bytes : sizes) {
    std::vector<int64_t> ns;
    for (int run = 0; run <= runs && !stop(); ++run) {
      transport->start(iteration++);
      std::vector<MaybeError> errors(static_cast<size_t>(devices));
      int64_t first = 1;
      auto part = [&](int64_t d) -> MaybeError {
        BackendDevice &device = backend->device(d);
        if (MaybeError error = device.begin())
          return error;
        auto give = [&]() -> MaybeError {
          for (int64_t i = 0; i < calls; ++i) {
            Collective call;
            call.number = i;
            call.group = &group;
            call.place = d;
            call.elementType = SOAP_F32;
            call.outputs = {places[size_t(d)]};
            call.outputCounts = {bytes / 4};
            call.device = &device;
            if (MaybeError error = transport->collective(call))
              return error;
          }
          return std::nullopt;
        };
        auto stream = device.nativeStream(0);
        if (!stream)
          return stream.takeError();
        if (d == 0) {
          auto ms = times->milliseconds(*stream, give);
          if (!ms)
            return ms.takeError();
          first = int64_t(*ms * 1e6 / calls);
        } else if (MaybeError error = give()) {
          return error;
        }
        if (MaybeError error = transport->ended(d))
          return error;
        return finish(d);
      };
      std::vector<std::thread> threads;
      for (int64_t d = 0; d < devices; ++d)
        threads.emplace_back([&, d] {
          errors[size_t(d)] = part(d);
          if (errors[size_t(d)])
            transport->abort();
        });
      for (std::thread &thread : threads)
        thread.join();
      for (const MaybeError &error : errors)
        if (error)
          return Error{"all-reduce of " + std::to_string(devices) + ": " +
                       error->message};
      if (MaybeError error = transport->finish())
        return error;
      if (run)
        ns.push_back(first);
    }
    if (stop())
      return std::nullopt;
    int64_t median = medianOf(ns);
    if (!measured.entries.empty())
      median = std::max(median, measured.entries.back()[1]);
    measured.entries.push_back({bytes, median});
  }
  result.profile.collectives.push_back(std::move(measured));
  return std::nullopt;
}

Expected<CalibrationEnd> CudaCalibration::run() {
  std::vector<std::vector<CalibrationCase>> groups =
      allCases(options.calibrationWork);
  int64_t fewest = matmulCase("forward", 8, 16, 16).work();
  if (options.calibrationWork < fewest)
    return Error{"flag '--calibrate-work' leaves out all products, expected at "
                 "least " +
                 std::to_string(fewest) + ", got " +
                 std::to_string(options.calibrationWork)};
  if (MaybeError error = open(groups))
    return *error;
  std::vector<std::pair<std::string, Work>> steps;
  int64_t devices = result.topology.deviceCount();
  if (devices > 1)
    steps.emplace_back("copies between GPUs",
                       [this] { return measurePeers(); });
  for (const std::vector<CalibrationCase> &cases : groups) {
    const CalibrationCase &c = cases.front();
    steps.emplace_back(c.op + " " + c.direction + " " + c.dtype,
                       [this, cases] { return measureCases(cases); });
  }
  steps.emplace_back("copies", [this] { return measureHostCopies(); });
  for (int64_t count = 2; count <= devices; count *= 2)
    steps.emplace_back("all-reduce of " + std::to_string(count),
                       [this, count] { return measureAllReduce(count); });
  total = steps.size();
  bool shows = !options.quiet && isatty(STDERR_FILENO);
  for (; done < total && !stop(); ++done) {
    if (shows)
      std::fprintf(stderr, "\r\x1b[K%zu of %zu: %s", done, total,
                   steps[done].first.c_str());
    if (MaybeError error = steps[done].second())
      return *error;
    if (MaybeError error = result.write(options.calibrationOutput))
      return *error;
  }
  if (shows)
    std::fprintf(stderr, "\r\x1b[K");
  return result.endOf(done == total && !stop());
}

} // namespace

Expected<CalibrationEnd> run::calibrateCuda(const Options &options,
                                            const std::function<bool()> &stop) {
  return CudaCalibration(options, stop).run();
}
