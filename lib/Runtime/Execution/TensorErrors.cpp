//===- TensorErrors.cpp - Tensors of two computations ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TensorErrors.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/TensorErrors.h"

#include "Runtime/Data/ElementDispatch.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

using namespace soap;
using namespace soap::runtime;

TensorError runtime::errorOf(const TensorPair &pair) {
  assert(pair.count >= 0 && pair.scale >= 0 && pair.relative >= 0 &&
         pair.absolute >= 0 && "a negative tolerance");
  TensorError result;
  double scale = std::max(pair.scale, maxAbs(pair.type, pair.host, pair.count));
  double divisor = scale > 0 ? scale : 1;
  result.tolerance = pair.relative + pair.absolute / divisor;
  if (!std::memcmp(pair.device, pair.host,
                   size_t(pair.count * sizeOf(pair.type))))
    return result;
  dispatch(pair.type, [&]<typename T>(T *) {
    const T *ours = static_cast<const T *>(pair.device),
            *theirs = static_cast<const T *>(pair.host);
    double worst = 0;
    for (int64_t i = 0; i < pair.count; ++i) {
      double a = convertTo<double>(ours[i]), b = convertTo<double>(theirs[i]);
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
  return dispatch(type, [&]<typename T>(T *) {
    const T *numbers = static_cast<const T *>(data);
    return std::any_of(numbers, numbers + count, [](T value) {
      return std::isfinite(convertTo<double>(value));
    });
  });
}

double runtime::maxAbs(ElementType type, const void *data, int64_t count) {
  return dispatch(type, [&]<typename T>(T *) {
    const T *numbers = static_cast<const T *>(data);
    double largest = 0;
    for (int64_t i = 0; i < count; ++i) {
      double size = std::abs(convertTo<double>(numbers[i]));
      // Not what is no number.
      if (size > largest && size <= std::numeric_limits<double>::max())
        largest = size;
    }
    return largest;
  });
}

double runtime::rootMeanSquare(ElementType type, const void *data,
                               int64_t count) {
  return dispatch(type, [&]<typename T>(T *) {
    const T *numbers = static_cast<const T *>(data);
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      double value = convertTo<double>(numbers[i]);
      if (std::isfinite(value))
        sum += value * value;
    }
    return count ? std::sqrt(sum / double(count)) : 0.0;
  });
}

void runtime::perturb(ElementType type, void *data, int64_t count) {
  if (!isFloat(type))
    return;
  dispatch(type, [&]<typename T>(T *) {
    T *numbers = static_cast<T *>(data);
    for (int64_t i = 0; i < count; ++i) {
      // Bits of a product with an odd number, so that signs have no pattern.
      uint64_t mixed = uint64_t(i + 1) * 0x9e3779b97f4a7c15u;
      double sign = (mixed ^ (mixed >> 29)) >> 40 & 1 ? 1 : -1;
      numbers[i] = convertTo<T>(convertTo<double>(numbers[i]) *
                                (1 + sign * perturbation));
    }
  });
}

double runtime::maxDifference(ElementType type, const void *a, const void *b,
                              int64_t count) {
  return dispatch(type, [&]<typename T>(T *) {
    const T *ours = static_cast<const T *>(a),
            *theirs = static_cast<const T *>(b);
    double largest = 0;
    for (int64_t i = 0; i < count; ++i) {
      double x = convertTo<double>(ours[i]), y = convertTo<double>(theirs[i]);
      if (std::isfinite(x) && std::isfinite(y))
        largest = std::max(largest, std::abs(x - y));
    }
    return largest;
  });
}
