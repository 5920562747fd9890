//===- CostModel.cpp - Analytic cost of tasks -----------------------------===//
//
// Roofline: the longer of computing and moving bytes, each at the share of the
// peak that its class of ops reaches, on top of the launch floor. Monotone by
// construction.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/CostModel.h"

#include <algorithm>
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
  // Small products, one time step after the other.
  if (kind.starts_with("lstm"))
    return {0.5, 0.8};
  // Plain copies.
  if (kind == "fill" || kind == "assemble" || kind == "combine")
    return {0.25, 0.8};
  // Loops over elements: no blocking, scalar mathematics now and then.
  return {0.1, 0.6};
}

static double peakFlops(const DeviceType &type, int64_t elementBytes) {
  auto find = [&](const char *dtype) {
    auto it = type.flopsPerSecond.find(dtype);
    return it == type.flopsPerSecond.end() ? 0.0 : it->second;
  };
  double f32 = std::max(find("f32"), 1.0);
  if (elementBytes == 8)
    return find("f64") > 0 ? find("f64") : f32 / 2;
  if (elementBytes == 2)
    return std::max({find("f16"), find("bf16"), f32});
  if (elementBytes == 1)
    return std::max({find("f8"), find("i8"), f32});
  return f32;
}

int64_t CostModel::computeNs(int device, const Work &work) const {
  const DeviceType &type = topology->typeOf(device);
  Efficiency efficiency = efficiencyOf(work.kind);
  double computing =
      work.flops / (peakFlops(type, work.elementBytes) * efficiency.flops);
  double moving = static_cast<double>(work.bytes) /
                  (type.memoryBandwidthBytesPerSecond * efficiency.bandwidth);
  double ns = static_cast<double>(type.launchNs) +
              std::ceil(std::max(computing, moving) * 1e9);
  // The upper end keeps sums over many tasks inside of int64.
  return static_cast<int64_t>(std::clamp(ns, 1.0, 1e15));
}

int64_t CostModel::transferNs(int from, int to, int64_t bytes) const {
  return topology->transferNs(from, to, bytes);
}

Work soap::workOf(const Graph &graph, const Plan &plan, const Action &action) {
  auto elements = [&](int buffer) {
    return plan.buffers[buffer].region.volume();
  };
  auto elementBytes = [&](int buffer) {
    return graph.values[plan.buffers[buffer].value].elementBytes;
  };
  auto bytes = [&](const std::vector<int> &buffers) {
    int64_t sum = 0;
    for (int buffer : buffers)
      if (buffer >= 0) // -1: an empty tile
        sum += elements(buffer) * elementBytes(buffer);
    return sum;
  };

  Work work;
  int64_t written = bytes(action.outputs);
  if (!action.outputs.empty())
    work.elementBytes = elementBytes(action.outputs[0]);
  switch (action.kind) {
  case ActionKind::Compute: {
    const Kernel &kernel = kernelOf(graph, action);
    double points = 1;
    for (const Interval &range : action.box)
      points *= static_cast<double>(range.size());
    work.kind = kernel.kind;
    work.flops = points * kernel.space.flopsPerPoint;
    work.bytes = bytes(action.inputs) + written;
    break;
  }
  case ActionKind::Fill:
    work.kind = "fill";
    work.bytes = written;
    break;
  case ActionKind::Assemble:
    work.kind = "assemble";
    work.bytes = 2 * written;
    break;
  case ActionKind::Combine:
    // Of every input, the part that the output covers.
    work.kind = "combine";
    work.bytes = written * static_cast<int64_t>(action.inputs.size() + 1);
    work.flops = static_cast<double>(elements(action.outputs[0])) *
                 static_cast<double>(action.inputs.size() - 1);
    break;
  case ActionKind::Transfer:
    work.kind = "transfer";
    work.bytes = written;
    break;
  }
  return work;
}
