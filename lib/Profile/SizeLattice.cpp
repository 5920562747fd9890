//===- SizeLattice.cpp - Logarithms of times over sizes -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SizeLattice.h.
//
//===----------------------------------------------------------------------===//

#include "SizeLattice.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

using namespace soap;

void SizeLattice::makeMonotone() {
  std::vector<double> upper = values, &lower = values;
  size_t inner = 1;
  for (size_t d = axes.size(); d-- > 0;) {
    size_t extent = axes[d].size(), block = inner * extent;
    for (size_t base = 0; base < upper.size(); base += block)
      for (size_t i = 0; i < inner; ++i) {
        for (size_t k = 1; k < extent; ++k) {
          double &value = upper[base + k * inner + i];
          value = std::max(value, upper[base + (k - 1) * inner + i]);
        }
        for (size_t k = extent - 1; k-- > 0;) {
          double &value = lower[base + k * inner + i];
          value = std::min(value, lower[base + (k + 1) * inner + i]);
        }
      }
    inner = block;
  }
  for (size_t i = 0; i < upper.size(); ++i)
    lower[i] = (lower[i] + upper[i]) / 2;
}

double SizeLattice::at(std::span<const double> sizes) const {
  size_t dims = axes.size();
  std::array<size_t, 8> node{}, step{};
  std::array<double, 8> part{};
  assert(dims <= node.size() && sizes.size() >= dims && "a size an axis");
  double beyond = 0;
  size_t stride = 1;
  for (size_t d = dims; d-- > 0;) {
    const std::vector<double> &axis = axes[d];
    double at = std::log2(std::max(sizes[d], 1.0));
    if (at > axis.back()) {
      beyond += (at - axis.back()) * std::log(2.0);
      at = axis.back();
    }
    at = std::max(at, axis.front());
    size_t upper =
        std::upper_bound(axis.begin(), axis.end(), at) - axis.begin();
    size_t i = std::min(std::max<size_t>(upper, 1) - 1, axis.size() - 1);
    node[d] = i * stride;
    if (i + 1 < axis.size()) {
      step[d] = stride;
      part[d] = (at - axis[i]) / (axis[i + 1] - axis[i]);
    }
    stride *= axis.size();
  }
  double sum = 0;
  for (size_t corner = 0; corner < (size_t(1) << dims); ++corner) {
    double weight = 1;
    size_t index = 0;
    for (size_t d = 0; d < dims; ++d) {
      bool high = corner >> d & 1;
      weight *= high ? part[d] : 1 - part[d];
      index += node[d] + (high ? step[d] : 0);
    }
    if (weight != 0)
      sum += weight * values[index];
  }
  return sum + beyond;
}
