//===- HostTensor.cpp - Whole tensors and copies between tiles ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostTensor.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data/HostTensor.h"

#include "Runtime/Data/ElementDispatch.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace soap;
using namespace soap::runtime;

AlignedBytes::AlignedBytes(int64_t size) : length(size) {
  assert(size >= 0 && "a negative size");
  size_t rounded = (size_t(size) + 63) / 64 * 64;
  if (rounded == 0)
    rounded = 64;
  memory.reset(static_cast<char *>(std::aligned_alloc(64, rounded)));
  if (!memory)
    throw std::bad_alloc();
  std::memset(memory.get(), 0, rounded);
}

void AlignedBytes::Free::operator()(char *pointer) const { std::free(pointer); }

namespace {

int64_t volumeOf(const std::vector<int64_t> &shape) {
  int64_t volume = 1;
  for (int64_t extent : shape)
    volume *= extent;
  return volume;
}

/// Runs of consecutive elements of `sub` in the packed orders of two index
/// sets that contain it.
struct Run {
  int64_t from, to, count;
};

std::vector<Run> runsOf(const IndexSet &from, const IndexSet &to,
                        const IndexSet &sub) {
  std::vector<Run> runs;
  for (const Interval &part : sub.intervals()) {
    IndexSet one(part.lo, part.hi);
    // Each part lies inside of one interval of either set, so it is
    // consecutive in both packed orders.
    runs.push_back(
        {from.positionsOf(one).lo(), to.positionsOf(one).lo(), part.size()});
  }
  return runs;
}

struct CopyPlan {
  std::vector<std::vector<Run>> runs;
  /// Elements per step of a dimension, in either tile.
  std::vector<int64_t> fromStride, toStride;
  const char *source;
  char *target;
  int64_t elementSize;

  void copy(size_t dim, int64_t from, int64_t to) const {
    for (const Run &run : runs[dim]) {
      int64_t f = from + run.from * fromStride[dim];
      int64_t t = to + run.to * toStride[dim];
      // Inner dims that are whole in both tiles make longer runs.
      if (dim + 1 == runs.size()) {
        std::memcpy(target + t * elementSize, source + f * elementSize,
                    size_t(run.count * fromStride[dim] * elementSize));
        continue;
      }
      for (int64_t i = 0; i < run.count; ++i)
        copy(dim + 1, f + i * fromStride[dim], t + i * toStride[dim]);
    }
  }
};

} // namespace

HostTensor::HostTensor(ElementType dtype, std::vector<int64_t> s)
    : dtype(dtype), shape(std::move(s)),
      bytes(volumeOf(shape) * sizeOf(dtype)) {}

int64_t HostTensor::volume() const { return volumeOf(shape); }

double HostTensor::at(int64_t index) const {
  assert(index >= 0 && (index + 1) * sizeOf(dtype) <= bytes.size() &&
         "no such element");
  return dispatch(dtype, [&](auto *type) {
    return double(as<std::remove_pointer_t<decltype(type)>>()[size_t(index)]);
  });
}

void HostTensor::set(int64_t index, double value) {
  assert(index >= 0 && (index + 1) * sizeOf(dtype) <= bytes.size() &&
         "no such element");
  dispatch(dtype, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    as<T>()[size_t(index)] = convertTo<T>(value);
  });
}

HostTensor HostTensor::converted(ElementType type) const {
  HostTensor result(type, shape);
  int64_t count = volume();
  dispatch(dtype, [&](auto *fromType) {
    using From = std::remove_pointer_t<decltype(fromType)>;
    dispatch(type, [&](auto *toType) {
      using To = std::remove_pointer_t<decltype(toType)>;
      const From *from = as<From>();
      To *to = result.template as<To>();
      for (int64_t i = 0; i < count; ++i)
        to[i] = convertTo<To>(from[i]);
    });
  });
  return result;
}

int64_t runtime::sizeOf(ElementType type) {
  return dispatch(type,
                  [](auto *element) { return int64_t(sizeof(*element)); });
}

const char *runtime::nameOf(ElementType type) {
  constexpr const char *names[] = {"f32", "f64",  "i32", "i64",
                                   "f16", "bf16", "u8",  "i8"};
  return names[size_t(type)];
}

int64_t runtime::findNonFinite(ElementType type, const void *data,
                               int64_t count) {
  return dispatch(type, [&](auto *element) -> int64_t {
    using T = std::remove_pointer_t<decltype(element)>;
    if constexpr (isFloatType<T>) {
      const T *values = static_cast<const T *>(data);
      // A difference from itself that is not 0: no branch, so that blocks are
      // vectorized.
      constexpr int64_t block = 1024;
      for (int64_t begin = 0; begin < count; begin += block) {
        int64_t end = std::min(begin + block, count);
        int bad = 0;
        for (int64_t i = begin; i < end; ++i)
          bad |= !(values[i] - values[i] == 0);
        for (int64_t i = begin; bad && i < end; ++i)
          if (!(values[i] - values[i] == 0))
            return i;
      }
    }
    return -1;
  });
}

std::string runtime::shapeString(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

int64_t runtime::copyPacked(const Region &from, const void *source,
                            const Region &to, void *target,
                            int64_t elementSize) {
  assert(elementSize > 0 && "a size of an element");
  Region common = from.intersect(to);
  if (common.empty())
    return 0;
  if (common.rank() == 0) {
    std::memcpy(target, source, size_t(elementSize));
    return 1;
  }
  CopyPlan plan;
  plan.source = static_cast<const char *>(source);
  plan.target = static_cast<char *>(target);
  plan.elementSize = elementSize;
  // Trailing dims that both tiles hold alike collapse into one element.
  size_t rank = common.rank();
  int64_t inner = 1;
  while (rank > 1 && from[rank - 1] == to[rank - 1])
    inner *= from[--rank].size();
  plan.fromStride.resize(rank);
  plan.toStride.resize(rank);
  int64_t fromStride = inner, toStride = inner;
  for (size_t d = rank; d-- > 0;) {
    plan.fromStride[d] = fromStride;
    plan.toStride[d] = toStride;
    fromStride *= from[d].size();
    toStride *= to[d].size();
  }
  for (size_t d = 0; d < rank; ++d)
    plan.runs.push_back(runsOf(from[d], to[d], common[d]));
  plan.copy(0, 0, 0);
  return common.volume();
}
