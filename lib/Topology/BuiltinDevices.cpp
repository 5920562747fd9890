//===- BuiltinDevices.cpp - Device types by name --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BuiltinDevices.h.
//
//===----------------------------------------------------------------------===//

#include "BuiltinDevices.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

using namespace soap;

namespace {

/// An accelerator. Rates are dense, in TFLOP/s; 0: no units of this type.
struct Accelerator {
  const char *name;
  int gib;          ///< of memory
  double bandwidth; ///< of it, GB/s
  double f32, tf32, f16, bf16, f64, f8, f4;
  int64_t launchNs;
  double hostBandwidth; ///< what copies reach, bytes/s
  int hostGib;          ///< host memory of a device
  const char *profile;  ///< of its own name, or of the one that is most alike
  bool forwards = false;
};

constexpr double pcie4 = 25e9, ///< 16 lanes, of 31.5e9
    pcie5 = 50e9;              ///< of 63e9
/// NVLink from a Grace processor to each of its two GPUs: half of 450e9.
constexpr double graceLink = 225e9;

// Two K80 or V100 of a machine share the lanes of a switch.
const Accelerator accelerators[] = {
    {"k80", 12, 240, 4.4, 0, 0, 0, 1.45, 0, 0, 6000, pcie3 / 2, 32, "h200"},
    {"p100", 16, 732, 10.6, 0, 21.2, 0, 5.3, 0, 0, 5000, pcie3, 64, "h200"},
    {"v100", 16, 900, 15.7, 0, 125, 0, 7.8, 0, 0, 4000, pcie3 / 2, 64, "h200"},
    {"v100-pcie", 16, 900, 14, 0, 112, 0, 7, 0, 0, 4000, pcie3, 64, "h200"},
    {"a100", 80, 2039, 19.5, 156, 312, 312, 9.7, 0, 0, 3000, pcie4, 128,
     "a100"},
    {"a100-40gb", 40, 1555, 19.5, 156, 312, 312, 9.7, 0, 0, 3000, pcie4, 128,
     "a100"},
    {"h100", 80, 3350, 67, 494.5, 990, 990, 34, 1979, 0, 2000, pcie5, 256,
     "h100"},
    {"h200", 141, 4800, 67, 494.5, 990, 990, 34, 1979, 0, 2000, pcie5, 256,
     "h200"},
    {"h20", 96, 4000, 44, 74, 148, 148, 1, 296, 0, 2000, pcie5, 256, "h200"},
    {"b200", 180, 8000, 75, 1100, 2250, 2250, 37, 4500, 9000, 2000, pcie5, 256,
     "b200"},
    {"b300", 270, 8000, 75, 1100, 2250, 2250, 1.2, 4500, 13500, 2000, pcie5,
     256, "b300"},
    {"gb200", 186, 8000, 80, 1250, 2500, 2500, 40, 5000, 10000, 2000, graceLink,
     240, "gb200"},
    {"gb300", 279, 8000, 80, 1250, 2500, 2500, 1.3, 5000, 15000, 2000,
     graceLink, 240, "gb300"},
    {"l40s", 48, 864, 91.6, 183, 362, 362, 1.4, 733, 0, 3000, pcie4, 128,
     "l40s"},
    {"rtx4090", 24, 1008, 82.6, 82.6, 165.2, 165.2, 1.3, 330.3, 0, 3000, pcie4,
     64, "l40s"},
    {"rtx-pro-6000", 96, 1597, 117, 250, 500, 500, 1.8, 1000, 2000, 2000, pcie5,
     128, "rtx-pro-6000"},
    {"mi300x", 192, 5300, 163.4, 653.7, 1307.4, 1307.4, 81.7, 2614.9, 0, 3000,
     pcie5, 256, "h200"},
    {"tpu-v5p", 95, 2765, 115, 0, 0, 459, 0, 0, 0, 2000, 0, 0, "h200", true},
    {"trn2", 96, 2900, 181, 0, 667, 667, 0, 1299, 0, 3000, 0, 0, "h200", true},
};

constexpr int64_t gib = int64_t(1) << 30;

/// Copies run beside kernels, and where it does not forward only between
/// neighbours.
DeviceType typeOf(const Accelerator &from) {
  DeviceType type;
  type.name = from.name;
  type.memoryBytes = from.gib * gib;
  type.memoryBandwidthBytesPerSecond = from.bandwidth * 1e9;
  for (auto [dtype, rate] :
       {std::pair("f32", from.f32), std::pair("tf32", from.tf32),
        std::pair("f16", from.f16), std::pair("bf16", from.bf16),
        std::pair("f64", from.f64), std::pair("f8", from.f8),
        std::pair("f4", from.f4)})
    if (rate > 0)
      type.flopsPerSecond[dtype] = std::round(rate * 1e12);
  type.launchNs = from.launchNs;
  type.forwardsTransfers = from.forwards;
  type.collectives = true;
  type.profile = from.profile;
  type.hostBandwidthBytesPerSecond = from.hostBandwidth;
  type.hostMemoryBytes = from.hostGib * gib;
  return type;
}

/// First figures for a core of a present server.
DeviceType cpu() {
  DeviceType type;
  type.name = "cpu";
  type.memoryBytes = 16 * gib;
  type.memoryBandwidthBytesPerSecond = 3e10;
  type.flopsPerSecond = {{"f32", 1e11}, {"f64", 5e10}};
  type.launchNs = 3000;
  type.copiesOccupyReceiver = true;
  return type;
}

} // namespace

std::string soap::builtinDevicesWith(const std::string &dtype) {
  std::string names;
  for (const Accelerator &accelerator : accelerators)
    if (typeOf(accelerator).flopsPerSecond.contains(dtype))
      names += (names.empty() ? "" : ", ") + std::string(accelerator.name);
  return names;
}

DeviceType soap::builtinDevice(std::string_view name) {
  if (name == "cpu")
    return cpu();
  const auto *found =
      std::ranges::find_if(accelerators, [&](const Accelerator &candidate) {
        return candidate.name == name;
      });
  assert(found != std::end(accelerators) && "a built-in device");
  return typeOf(*found);
}
