//===- Chips.cpp - What estimates know of a GPU ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Chips.h.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"

using namespace mlir::soap;

static constexpr int64_t kib = 1024, mib = 1024 * kib;

// The H200's bandwidth is a measured copy; the others' have the same share of
// their data sheet's figure, 90 %. docs/Topology.md has the links to hosts.
static constexpr GpuChip chips[] = {
    {"a100", 108, 1.83e12, 25e9, 4.0e12, 40 * mib, 192 * kib, 1.41e9, 312e12,
     19.5e12},
    {"h100", 132, 3.0e12, 50e9, 5.5e12, 50 * mib, 256 * kib, 1.7e9, 990e12,
     67e12},
    {"h200", 132, 4.3e12, 50e9, 5.5e12, 50 * mib, 256 * kib, 1.7e9, 990e12,
     67e12},
};

const GpuChip *mlir::soap::findGpuChip(llvm::StringRef name) {
  for (const GpuChip &chip : chips)
    if (chip.name == name)
      return &chip;
  return nullptr;
}

std::string mlir::soap::gpuChipNames() { return "a100, h100 or h200"; }
