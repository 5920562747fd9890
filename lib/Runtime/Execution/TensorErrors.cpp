//===- TensorErrors.cpp - Tensors of two computations ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TensorErrors.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/TensorErrors.h"

#include "Soap/Support/NarrowFloats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

using namespace soap;
using namespace soap::runtime;

namespace {

/// Calls `body` with a null pointer of the type, of which elements are read.
template <typename Body>
auto onType(ElementType type, Body body) {
  switch (type) {
  case ElementType::F64:
    return body(static_cast<double *>(nullptr));
  case ElementType::I32:
    return body(static_cast<int32_t *>(nullptr));
  case ElementType::I64:
    return body(static_cast<int64_t *>(nullptr));
  case ElementType::F16:
    return body(static_cast<Float16 *>(nullptr));
  case ElementType::BF16:
    return body(static_cast<BFloat16 *>(nullptr));
  case ElementType::U8:
    return body(static_cast<uint8_t *>(nullptr));
  case ElementType::I8:
    return body(static_cast<int8_t *>(nullptr));
  case ElementType::F32:
    break;
  }
  return body(static_cast<float *>(nullptr));
}

template <typename T>
double number(T value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return double(float(value));
  else
    return double(value);
}

template <typename T>
T rounded(double value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return T(float(value));
  else
    return static_cast<T>(value);
}

} // namespace

TensorError runtime::errorOf(const TensorPair &pair) {
  TensorError result;
  double scale = std::max(pair.scale, maxAbs(pair.type, pair.host, pair.count));
  double divisor = scale > 0 ? scale : 1;
  result.tolerance = pair.relative + pair.absolute / divisor;
  if (!std::memcmp(pair.device, pair.host,
                   size_t(pair.count * sizeOf(pair.type))))
    return result;
  onType(pair.type, [&]<typename T>(T *) {
    const T *ours = static_cast<const T *>(pair.device),
            *theirs = static_cast<const T *>(pair.host);
    double worst = 0;
    for (int64_t i = 0; i < pair.count; ++i) {
      double a = number(ours[i]), b = number(theirs[i]);
      if (a == b || (std::isnan(a) && std::isnan(b)))
        if (!std::is_integral_v<T> || ours[i] == theirs[i])
          continue;
      double error = std::isfinite(a) && std::isfinite(b)
                         ? std::abs(a - b)
                         : std::numeric_limits<double>::infinity();
      // Of large integers that are the same number here.
      if (std::is_integral_v<T>)
        error = std::max(error, 1.0);
      if (error > worst) {
        worst = error;
        result.element = i;
      }
    }
    result.error = worst / divisor;
  });
  return result;
}

bool runtime::hasNumber(ElementType type, const void *data, int64_t count) {
  return onType(type, [&]<typename T>(T *) {
    const T *numbers = static_cast<const T *>(data);
    return std::any_of(numbers, numbers + count,
                       [](T value) { return std::isfinite(number(value)); });
  });
}

double runtime::maxAbs(ElementType type, const void *data, int64_t count) {
  return onType(type, [&]<typename T>(T *) {
    const T *numbers = static_cast<const T *>(data);
    double largest = 0;
    for (int64_t i = 0; i < count; ++i) {
      double size = std::abs(number(numbers[i]));
      // Not what is no number.
      if (size > largest && size <= std::numeric_limits<double>::max())
        largest = size;
    }
    return largest;
  });
}

double runtime::rootMeanSquare(ElementType type, const void *data,
                               int64_t count) {
  return onType(type, [&]<typename T>(T *) {
    const T *numbers = static_cast<const T *>(data);
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      double value = number(numbers[i]);
      if (std::isfinite(value))
        sum += value * value;
    }
    return count ? std::sqrt(sum / double(count)) : 0.0;
  });
}

void runtime::perturb(ElementType type, void *data, int64_t count) {
  if (!isFloat(type))
    return;
  onType(type, [&]<typename T>(T *) {
    T *numbers = static_cast<T *>(data);
    for (int64_t i = 0; i < count; ++i) {
      // Bits of a product with an odd number, so that signs have no pattern.
      uint64_t mixed = uint64_t(i + 1) * 0x9e3779b97f4a7c15u;
      double sign = (mixed ^ (mixed >> 29)) >> 40 & 1 ? 1 : -1;
      numbers[i] = rounded<T>(number(numbers[i]) * (1 + sign * perturbation));
    }
  });
}

double runtime::maxDifference(ElementType type, const void *a, const void *b,
                              int64_t count) {
  return onType(type, [&]<typename T>(T *) {
    const T *ours = static_cast<const T *>(a),
            *theirs = static_cast<const T *>(b);
    double largest = 0;
    for (int64_t i = 0; i < count; ++i) {
      double x = number(ours[i]), y = number(theirs[i]);
      if (std::isfinite(x) && std::isfinite(y))
        largest = std::max(largest, std::abs(x - y));
    }
    return largest;
  });
}
