//===- LibraryTimes.cpp - Times of library calls --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LibraryTimes.h. Runtime/Kernels describes the descriptors.
//
//===----------------------------------------------------------------------===//

#include "LibraryTimes.h"

#include "../../PostedSends.h"

#include "Runtime/Kernels/AttentionCall.h"
#include "Runtime/Kernels/LibraryCalls.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::soap;
using ::soap::OpShape;
using ::soap::runtime::AttentionCall;
using ::soap::runtime::ConvKind;
using CallPrecision = ::soap::runtime::Precision;

static const char *typeName(int64_t precision) {
  switch (CallPrecision(precision)) {
  case CallPrecision::F32:
    return "f32";
  case CallPrecision::TF32:
    return "tf32";
  case CallPrecision::BF16:
    return "bf16";
  }
  return "f32";
}

/// Bytes of all buffers except the workspace.
static double bytesOf(LibraryCallOp call, bool hasWorkspace) {
  double bytes = 0;
  for (Value input : call.getInputs())
    bytes +=
        static_cast<double>(sizeInBytes(cast<MemRefType>(input.getType())));
  auto outputs = call.getOutputs();
  for (Value output : hasWorkspace ? outputs.drop_back() : outputs)
    bytes +=
        static_cast<double>(sizeInBytes(cast<MemRefType>(output.getType())));
  return bytes;
}

static bool hasWorkspace(LibraryCallOp call) {
  auto outputs = call.getOutputs();
  return outputs.size() > 1 && cast<MemRefType>(outputs.back().getType())
                                   .getElementType()
                                   .isInteger(8);
}

double LibraryTimes::flopsPerSecond(const std::string &dtype) const {
  return dtype == "bf16"   ? chip.tensorFlops
         : dtype == "tf32" ? chip.tensorFlops / 2
                           : chip.f32Flops;
}

LibraryTime LibraryTimes::byProfile(const OpShape &shape,
                                    const std::string &dtype, double flops,
                                    double otherBytes) const {
  LibraryTime time;
  std::optional<double> ns;
  if (profile->knows(shape, dtype)) {
    const GpuChip &measured = *findGpuChip("h200");
    ns = chip.name == measured.name
             ? profile->opNs(shape, dtype)
             : profile->curveNs(shape, dtype,
                                {1, measured.bandwidth / bandwidth,
                                 measured.tensorFlops / chip.tensorFlops});
  }
  time.isMeasured = ns.has_value();
  // Two thirds of the peak, where nothing was measured.
  double assumed = std::max(1.5 * flops / flopsPerSecond(dtype),
                            static_cast<double>(shape.bytes) / bandwidth) +
                   GpuChip::gapS;
  time.seconds = (ns ? *ns * 1e-9 : assumed) + otherBytes / bandwidth;
  return time;
}

LibraryTime LibraryTimes::timeOf(LibraryCallOp call) const {
  ArrayRef<int64_t> d = call.getDescriptor();
  double bytes = bytesOf(call, hasWorkspace(call));
  auto product = [](std::initializer_list<int64_t> factors) {
    double result = 1;
    for (int64_t factor : factors)
      result *= static_cast<double>(factor);
    return result;
  };
  auto text = [](std::initializer_list<int64_t> extents) {
    return llvm::join(
        llvm::map_range(extents, [](int64_t e) { return std::to_string(e); }),
        "x");
  };
  OpShape shape;
  shape.flopsPerPoint = 2;
  LibraryTime time;
  if (call.getName() == "matmul" && d.size() >= 10) {
    int64_t batch = d[0], m = d[1], n = d[2], k = d[3];
    shape.op = "matmul";
    shape.direction = d[4] ? "weight_grad" : d[5] ? "forward" : "input_grad";
    shape.loops = {"m", "n", "k"};
    shape.extents = {batch * m, n, k};
    std::string dtype = typeName(d[6]);
    double element = CallPrecision(d[6]) == CallPrecision::BF16 ? 2 : 4;
    shape.bytes = static_cast<int64_t>(element * (product({batch, m, k}) +
                                                  product({batch, k, n}) +
                                                  product({batch, m, n})));
    shape.sizes = ::soap::sizesOf(shape.op, shape.loops, shape.extents, {},
                                  shape.direction, shape.bytes);
    time = byProfile(shape, dtype, 2 * product({batch, m, n, k}),
                     std::max(0.0, bytes - static_cast<double>(shape.bytes)));
    time.name = "matmul " + dtype + " " + text({batch * m, n, k});
    return time;
  }
  if (call.getName() == "conv2d" && d.size() >= 24) {
    int64_t n = d[0], g = d[1], c = d[2], h = d[3], w = d[4], o = d[5],
            oh = d[6], ow = d[7], kh = d[8], kw = d[9];
    auto kind = ConvKind(d[20]);
    std::string dtype = typeName(d[21]);
    shape.op = "conv2d";
    shape.strides = {d[10], d[11]};
    switch (kind) {
    case ConvKind::Forward:
      shape.direction = "forward";
      shape.loops = {"n", "g", "o", "h", "w", "i", "kh", "kw"};
      shape.extents = {n, g, o, oh, ow, c, kh, kw};
      break;
    case ConvKind::InputGrad:
      shape.direction = "input_grad";
      shape.loops = {"n", "g", "i", "h", "w", "o", "kh", "kw"};
      shape.extents = {n, g, c, h, w, o, kh, kw};
      break;
    case ConvKind::WeightGrad:
      shape.direction = "weight_grad";
      shape.loops = {"g", "o", "i", "kh", "kw", "n", "h", "w"};
      shape.extents = {g, o, c, kh, kw, n, oh, ow};
      break;
    }
    double element = CallPrecision(d[21]) == CallPrecision::BF16 ? 2 : 4;
    shape.bytes = static_cast<int64_t>(element * (product({n, g, c, h, w}) +
                                                  product({g, o, c, kh, kw}) +
                                                  product({n, g, o, oh, ow})));
    shape.sizes = ::soap::sizesOf(shape.op, shape.loops, shape.extents,
                                  shape.strides, shape.direction, shape.bytes);
    time = byProfile(shape, dtype, 2 * product({n, g, c, o, oh, ow, kh, kw}),
                     std::max(0.0, bytes - static_cast<double>(shape.bytes)));
    time.name = "conv2d " + shape.direction + " " + dtype + " " +
                text({n, g * c, h, w}) + " to " + text({g * o, oh, ow}) + ", " +
                text({kh, kw});
    return time;
  }
  if (call.getName() == "attention" && d.size() == AttentionCall::numbers) {
    AttentionCall attention = AttentionCall::fromArray(d.data());
    auto widths = static_cast<double>(attention.width + attention.valueWidth);
    // Five products in place of two; fused kernels reach about a third of the
    // peak at heads of 64.
    double flops = 2 * static_cast<double>(attention.pairs()) * widths *
                   (attention.isBackward() ? 2.5 : 1);
    time.seconds = std::max(3 * flops / chip.tensorFlops, bytes / bandwidth) +
                   GpuChip::gapS;
    time.name =
        (attention.isBackward() ? "attention backward " : "attention ") +
        text({attention.batch, attention.heads, attention.queries,
              attention.keys, attention.width});
    return time;
  }
  // Norms and pooling read what they reduce twice.
  time.seconds = 1.5 * bytes / bandwidth + GpuChip::gapS;
  time.name = call.getName().str() + " of " +
              std::to_string(static_cast<int64_t>(bytes)) + " bytes";
  return time;
}
