//===- CostModel.cpp - Cost of tasks --------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles and their curves first. Without, a roofline: the longer of computing
// and moving bytes, each at the share of the peak that its class of ops
// reaches, on top of the launch floor. Monotone by construction.
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/CostModel.h"

#include "Soap/Model/OpShape.h"

#include "ProfileRecord.h"
#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Profile/ProfileModel.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace soap;

/// Share of the peak that a class of ops reaches.
namespace {
struct Efficiency {
  double flops, bandwidth;
};
} // namespace

static Efficiency efficiencyOf(const std::string &kind) {
  // Library kernels with high arithmetic intensity.
  if (kind.starts_with("conv2d") || kind.starts_with("matmul"))
    return {0.7, 0.8};
  // Products with exponentials between them.
  if (isAttention(kind))
    return {0.5, 0.8};
  // Small products, one time step after the other.
  if (kind.starts_with("lstm"))
    return {0.5, 0.8};
  // Plain copies.
  if (isCopy(kind))
    return {0.25, 0.8};
  // Loops over elements: no blocking, scalar mathematics now and then.
  return {0.1, 0.6};
}

static double peakFlops(const DeviceType &type, const Work &work) {
  auto find = [&](const char *dtype) {
    auto it = type.flopsPerSecond.find(dtype);
    return it == type.flopsPerSecond.end() ? 0.0 : it->second;
  };
  double f32 = std::max(find("f32"), 1.0);
  if (work.elementBytes == 8)
    return find("f64") > 0 ? find("f64") : f32 / 2;
  if (work.elementBytes == 1)
    return std::max({find("f8"), find("i8"), f32});
  return std::max(find(dtypeOf(type, work)), 1.0);
}

/// Whether tensor cores may compute the work in another precision than f32.
/// Work without a shape goes by its kind.
static bool isProduct(const Work &work) {
  const std::string &op = work.shape.op.empty() ? work.kind : work.shape.op;
  return op.starts_with("conv2d") || op.starts_with("matmul") ||
         op.starts_with("lstm") || isAttention(op);
}

/// Products of 16-bit floats as they are lowered: bf16 by units for it, f16 as
/// tf32, which holds its numbers; else in f32, between conversions.
static const char *narrowDtype(const DeviceType &type, const Work &work) {
  const char *units =
      work.precision == ProductPrecision::BF16 ? "bf16" : "tf32";
  return type.flopsPerSecond.contains(units) ? units : "f32";
}

/// Products of f32 have the precision that was asked for where the device has a
/// rate for it, else f32.
const char *soap::dtypeOf(const DeviceType &type, const Work &work) {
  switch (work.elementBytes) {
  case 8:
    return "f64";
  case 2:
    // Other kernels convert what they load, and compute in f32.
    if (!isProduct(work))
      return "f32";
    return narrowDtype(type, work);
  case 1:
    if (!isProduct(work))
      return "i8";
    // Without units for them, 8-bit floats are converted.
    return type.flopsPerSecond.contains("f8")   ? "f8"
           : type.flopsPerSecond.contains("i8") ? "i8"
                                                : "f32";
  default:
    break;
  }
  const char *asked = precisionName(work.precision);
  return isProduct(work) && type.flopsPerSecond.contains(asked) ? asked : "f32";
}

static double peakOf(const std::map<std::string, double> &peaks,
                     const std::string &dtype) {
  for (const std::string &candidate :
       {dtype, std::string(dtype == "bf16" ? "f16" : "f32")})
    if (auto it = peaks.find(candidate); it != peaks.end())
      return std::max(it->second, 1.0);
  auto f32 = peaks.find("f32");
  double peak = f32 == peaks.end() ? 1.0 : std::max(f32->second, 1.0);
  return dtype == "f64" ? peak / 2 : peak;
}

/// Bytes of an element of a type that a profile knows.
static double widthOf(const std::string &dtype) {
  if (dtype == "f64")
    return 8;
  if (dtype == "f16" || dtype == "bf16")
    return 2;
  return dtype == "f8" || dtype == "i8" ? 1 : 4;
}

/// By a profile: as measured, or by the measured device's curve and the ratio
/// of peaks. `dtype` is of the work, `measured` the one that the profile is
/// asked for.
static std::optional<double> nsBy(const ProfileModel &costs,
                                  const DeviceType &type, const Work &work,
                                  const std::string &dtype,
                                  const std::string &measured) {
  const Profile &profile = costs.getProfile();
  bool isMeasured = profile.device == type.name;
  // On a GPU, blocks sum up what they read, and another kernel their sums.
  bool sumsOfBlocks = (work.shape.op == "reduce" || work.shape.op == "amax") &&
                      !type.copiesOccupyReceiver;
  KernelPart part{work.registerBytes, work.joins, work.operandBytes,
                  sumsOfBlocks ? 2 : 1};
  if (isMeasured && measured == dtype) {
    if (dtype != "bf16" || work.elementBytes == 2)
      return costs.opNs(work.shape, dtype, part);
    // Measured on tensors of bf16.
    OpShape narrow = work.shape;
    narrow.bytes = std::max<int64_t>(narrow.bytes / 2, 1);
    return costs.opNs(narrow, dtype, part);
  }
  CurveScale scale;
  if (!isMeasured) {
    scale.launch = static_cast<double>(type.launchNs) /
                   static_cast<double>(std::max<int64_t>(profile.launchNs, 1));
    scale.memory = profile.memoryBandwidthBytesPerSecond /
                   std::max(type.memoryBandwidthBytesPerSecond, 1.0);
  }
  // Curves of products count elements.
  if (isProduct(work))
    scale.memory *= widthOf(dtype) / widthOf(measured);
  scale.compute = peakOf(profile.flopsPerSecond, measured) /
                  peakOf(type.flopsPerSecond, dtype);
  return costs.curveNs(work.shape, measured, scale, part);
}

/// By the profile of the device's type, or by those that it is based on.
static std::optional<double> profileNs(const DeviceType &type,
                                       const Work &work) {
  const ProfileModel *own = type.costs.get();
  if (!own)
    return std::nullopt;
  if (work.shape.op.empty()) {
    if (own->getProfile().device != type.name)
      return std::nullopt;
    return own->copyNs(work.kind, static_cast<double>(work.bytes),
                       assembleSizes(work.parts, own->getProfile().cacheBytes));
  }
  std::string dtype = dtypeOf(type, work);
  if (!isProduct(work)) {
    for (const ProfileModel *costs = own; costs; costs = costs->getBase())
      if (std::optional<double> ns = nsBy(*costs, type, work, dtype, dtype))
        return ns;
    return std::nullopt;
  }
  // The very type, of another device if need be; else one whose kernels are
  // most like it, tensor cores in f32 before others.
  for (const std::string &measured :
       {dtype, std::string("tf32"), std::string("f32"), std::string("bf16"),
        std::string("f16")})
    for (const ProfileModel *costs = own; costs; costs = costs->getBase())
      if (costs->knows(work.shape, measured))
        return nsBy(*costs, type, work, dtype, measured);
  return std::nullopt;
}

/// The upper end keeps sums over many tasks inside of int64.
static constexpr double longest = 1e15;

/// The time of the bytes that a kernel reads and writes in the memory of the
/// host, one after the other over the link of its device. 0 on devices without
/// memory beside it.
static double hostNs(const DeviceType &type, const Work &work) {
  if (work.hostBytes == 0 || type.hostBandwidthBytesPerSecond <= 0)
    return 0;
  return (work.joins ? 0 : static_cast<double>(type.launchNs)) +
         std::ceil(static_cast<double>(work.hostBytes) /
                   type.hostBandwidthBytesPerSecond * 1e9);
}

const char *soap::basisName(PriceBasis basis) {
  switch (basis) {
  case PriceBasis::Measured:
    return "measured";
  case PriceBasis::BetweenMeasurements:
    return "between measurements";
  case PriceBasis::DataSheet:
    return "by data sheet";
  }
  return "";
}

PriceBasis CostModel::basisOf(int device, const Work &work) const {
  const DeviceType &type = topology->typeOf(device);
  const ProfileModel *costs = type.costs.get();
  if (!costs || costs->getProfile().device != type.name ||
      work.shape.op.empty() || !costs->knows(work.shape, dtypeOf(type, work)))
    return PriceBasis::DataSheet;
  return costs->isWithinMeasured(work.shape, dtypeOf(type, work))
             ? PriceBasis::Measured
             : PriceBasis::BetweenMeasurements;
}

/// The profile of the device or its nearest base that has attention.
static const ProfileModel *attentionCosts(const DeviceType &type) {
  const ProfileModel *costs = type.costs.get();
  while (costs && !costs->getAttention())
    costs = costs->getBase();
  return costs;
}

std::optional<int64_t> CostModel::attentionNs(int device,
                                              const AttentionShape &shape,
                                              bool isBackward) const {
  const DeviceType &type = topology->typeOf(device);
  const ProfileModel *costs = attentionCosts(type);
  if (!costs)
    return std::nullopt;
  const AttentionModel &model = *costs->getAttention();
  double ns = isBackward ? model.backwardNs(shape) : model.forwardNs(shape);
  const Profile &profile = costs->getProfile();
  // Measured with 16 bits. Wider elements are multiplied as tf32, or f64.
  const char *dtype = shape.elementBytes >= 8   ? "f64"
                      : shape.elementBytes >= 4 ? "tf32"
                                                : "bf16";
  double computing = peakOf(profile.flopsPerSecond, "bf16") /
                     peakOf(type.flopsPerSecond, dtype);
  double moving = profile.memoryBandwidthBytesPerSecond /
                  std::max(type.memoryBandwidthBytesPerSecond, 1.0) *
                  std::max(static_cast<double>(shape.elementBytes) / 2, 1.0);
  bool isOther = profile.device != type.name;
  if (isOther || shape.elementBytes > 2)
    ns *= std::max(computing, isOther ? moving : computing);
  return static_cast<int64_t>(std::clamp(std::ceil(ns), 1.0, longest));
}

PriceBasis CostModel::attentionBasis(int device, const AttentionShape &shape,
                                     bool isBackward) const {
  const DeviceType &type = topology->typeOf(device);
  const ProfileModel *costs = attentionCosts(type);
  if (!costs || costs->getProfile().device != type.name)
    return PriceBasis::DataSheet;
  return !isBackward && costs->getAttention()->isWithinMeasured(shape)
             ? PriceBasis::Measured
             : PriceBasis::BetweenMeasurements;
}

/// One kernel of 16-bit elements; others are products and kernels between them.
/// None if the work is no such attention.
static std::optional<AttentionShape> attentionShapeOf(const Work &work) {
  const OpShape &shape = work.shape;
  constexpr int64_t bytesOfHalf = 2;
  if (!isAttention(work.kind) || work.elementBytes != bytesOfHalf)
    return std::nullopt;
  auto extentOf = [&](const char *loop) {
    auto it = std::find(shape.loops.begin(), shape.loops.end(), loop);
    assert(it != shape.loops.end() && "attention has these loops");
    return shape.extents[static_cast<size_t>(it - shape.loops.begin())];
  };
  AttentionShape of;
  of.samples = extentOf("n");
  of.keyHeads = extentOf("h");
  of.queryHeads = of.keyHeads * extentOf("g");
  of.queries = extentOf("q");
  of.keys = extentOf("k");
  // Two products of a pair forward, five backward.
  int products = shape.direction == "backward" ? 5 : 2;
  of.width = std::llround(shape.flopsPerPoint / (2 * products));
  of.visiblePairs =
      shape.points / static_cast<double>(of.samples * of.queryHeads);
  of.elementBytes = work.elementBytes;
  return of;
}

/// How fast the kernels of the executor are, over the price.
static double speedOf(const Executor &executor, const Work &work) {
  if (isAttention(work.kind))
    return executor.attention;
  return isProduct(work) ? executor.products : executor.others;
}

int64_t CostModel::computeNs(int device, const Work &work) const {
  const Executor &executor = topology->executor;
  if (!executor.changesKernels())
    return kernelNs(device, work);
  if (executor.accumulates && work.ofProducts)
    return 1;
  if (executor.quantizesAtOnce && work.kind == "block_scales")
    return 1;
  bool isSeparate = !executor.fuses && (work.joins || work.registerBytes > 0);
  int64_t ns = 0;
  if (isSeparate) {
    Work alone = work;
    alone.joins = false;
    alone.registerBytes = 0;
    ns = kernelNs(device, alone);
  } else if (executor.quantizesAtOnce && work.kind == "quantize") {
    // Each of both copies has half of what is read.
    Work half = work;
    half.operandBytes /= 2;
    half.bytes -= half.operandBytes;
    half.registerBytes = std::min(half.registerBytes, half.bytes);
    ns = kernelNs(device, half);
  } else {
    ns = kernelNs(device, work);
  }
  if (ns <= 1 || (isLayoutChange(work.kind) && executor.views))
    return 1;
  if (executor.attentionFlops > 0 && isAttention(work.kind))
    ns = std::max(ns, static_cast<int64_t>(std::ceil(
                          work.flops / executor.attentionFlops * 1e9)));
  auto slowed = std::ceil(static_cast<double>(ns) / speedOf(executor, work));
  bool isLaunched = !work.joins || isSeparate;
  if (isLaunched)
    slowed = std::max(slowed, static_cast<double>(executor.dispatchNs));
  return static_cast<int64_t>(std::clamp(slowed, 1.0, longest));
}

int64_t CostModel::kernelNs(int device, const Work &work) const {
  assert(work.flops >= 0 && work.bytes >= 0 && "negative work");
  assert(work.registerBytes >= 0 && work.registerBytes <= work.bytes &&
         "registers keep a part of the bytes");
  assert(work.operandBytes >= 0 && work.operandBytes <= work.bytes &&
         "operands have a part of the bytes");
  assert(work.hostBytes >= 0 && work.hostBytes <= work.bytes &&
         "the host has a part of the bytes");
  const DeviceType &type = topology->typeOf(device);
  // Packed tiles have the same elements in the same order: a view, no kernel.
  // So have those that a slice takes without gaps, as each shard has just them.
  if (work.kind == "reshape" ||
      (work.kind == "slice" && 2 * work.operandBytes == work.bytes))
    return 1;
  double leastNs = std::clamp(hostNs(type, work), 1.0, longest);
  if (std::optional<AttentionShape> attention = attentionShapeOf(work);
      attention && attention->visiblePairs > 0)
    if (std::optional<int64_t> ns =
            attentionNs(device, *attention, work.shape.direction == "backward"))
      return *ns;
  if (std::optional<double> ns = profileNs(type, work))
    return static_cast<int64_t>(std::clamp(std::ceil(*ns), leastNs, longest));
  Efficiency efficiency = efficiencyOf(work.kind);
  double computing = work.flops / (peakFlops(type, work) * efficiency.flops);
  double moving = static_cast<double>(work.bytes - work.registerBytes) /
                  (type.memoryBandwidthBytesPerSecond * efficiency.bandwidth);
  double ns = (work.joins ? 0 : static_cast<double>(type.launchNs)) +
              std::ceil(std::max(computing, moving) * 1e9);
  return static_cast<int64_t>(std::clamp(ns, leastNs, longest));
}

int64_t CostModel::transferNs(int from, int to, int64_t bytes) const {
  return topology->transferNs(from, to, bytes);
}

bool CostModel::knowsRuns(int device) const {
  const DeviceType &type = topology->typeOf(device);
  return type.costs && type.costs->getProfile().device == type.name &&
         type.costs->knowsRuns();
}

int64_t CostModel::packNs(int device, const CopyPart &part) const {
  if (part.runs <= 1 || !knowsRuns(device))
    return 0;
  const ProfileModel &costs = *topology->typeOf(device).costs;
  std::optional<double> ns =
      costs.copyNs("assemble", 2 * static_cast<double>(part.bytes),
                   packSizes(part, costs.getProfile().cacheBytes));
  return static_cast<int64_t>(
      std::clamp(std::ceil(ns.value_or(0)), 0.0, longest));
}

bool CostModel::hasMeasuredCollectives() const {
  return std::ranges::any_of(
      topology->deviceTypes, [&](const DeviceType &type) {
        if (!type.costs || !knowsCollectives(type.costs->getProfile(), type))
          return false;
        const Profile &profile = type.costs->getProfile();
        return profile.device == type.name ||
               hasMeasuredLinks(*topology, profile);
      });
}

bool CostModel::usesProfiles() const {
  for (const DeviceType &type : topology->deviceTypes)
    if (type.costs)
      return true;
  return false;
}

static int64_t bytesOf(const GraphValue &value, const AccessMap &map,
                       const LoopBox &box) {
  return image(map, box, value.shape).volume() * value.elementBytes;
}

Work soap::fillWork(const Graph &graph, const Kernel &kernel,
                    const LoopBox &box) {
  Work work;
  assert(box.size() == kernel.space.loops.size() && "a range a loop");
  work.kind = "fill";
  for (size_t r = 0; r < kernel.results.size(); ++r) {
    const GraphValue &value = graph.values[kernel.results[r]];
    if (r == 0)
      work.elementBytes = value.elementBytes;
    work.bytes += bytesOf(value, kernel.space.results[r].map, box);
  }
  return work;
}

Work soap::kernelWork(const Graph &graph, const Kernel &kernel,
                      const LoopBox &box) {
  Work work = fillWork(graph, kernel, box);
  work.kind = kernel.kind;
  work.precision = graph.precision;
  // Sums of products may have more bits than their factors.
  if (isProduct(work) && !kernel.operands.empty())
    work.elementBytes = std::min(work.elementBytes,
                                 graph.values[kernel.operands[0]].elementBytes);
  for (size_t i = 0; i < kernel.operands.size(); ++i)
    work.operandBytes += bytesOf(graph.values[kernel.operands[i]],
                                 kernel.space.operands[i].map, box);
  work.bytes += work.operandBytes;
  const RegisterUse &registers = kernel.registers;
  for (size_t i = 0; i < registers.operands.size(); ++i)
    if (registers.operands[i])
      work.registerBytes += bytesOf(graph.values[kernel.operands[i]],
                                    kernel.space.operands[i].map, box);
  for (size_t r = 0; r < registers.results.size(); ++r)
    if (registers.results[r])
      work.registerBytes += bytesOf(graph.values[kernel.results[r]],
                                    kernel.space.results[r].map, box);
  work.joins = registers.joins;
  work.ofProducts = registers.ofProducts;
  for (size_t i = 0; i < kernel.operands.size(); ++i)
    if (graph.values[kernel.operands[i]].inHost)
      work.hostBytes += bytesOf(graph.values[kernel.operands[i]],
                                kernel.space.operands[i].map, box);
  for (size_t r = 0; r < kernel.results.size(); ++r)
    if (graph.values[kernel.results[r]].inHost)
      work.hostBytes += bytesOf(graph.values[kernel.results[r]],
                                kernel.space.results[r].map, box);
  work.flops = pointsOf(kernel.space, box) * kernel.space.flopsPerPoint;
  work.shape = shapeOf(kernel.kind, kernel.space, box, work.bytes);
  return work;
}

void soap::resizeWork(const Graph &graph, const Kernel &kernel,
                      const LoopBox &box, std::span<const int64_t> volumes,
                      Work &work) {
  assert(work.kind == kernel.kind && "work of the same kernel");
  assert(volumes.size() == kernel.operands.size() + kernel.results.size() &&
         "a volume a tile");
  const RegisterUse &registers = kernel.registers;
  work.bytes = work.operandBytes = work.registerBytes = work.hostBytes = 0;
  auto add = [&](const std::vector<int> &values,
                 const std::vector<uint8_t> &inRegisters, size_t first) {
    int64_t sum = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      int64_t bytes = volumes[first + i] * graph.values[values[i]].elementBytes;
      sum += bytes;
      if (graph.values[values[i]].inHost)
        work.hostBytes += bytes;
      if (i < inRegisters.size() && inRegisters[i])
        work.registerBytes += bytes;
    }
    return sum;
  };
  work.operandBytes = add(kernel.operands, registers.operands, 0);
  work.bytes = work.operandBytes +
               add(kernel.results, registers.results, kernel.operands.size());
  work.flops = pointsOf(kernel.space, box) * kernel.space.flopsPerPoint;
  resizeShape(kernel.space, box, work.bytes, work.shape);
}
