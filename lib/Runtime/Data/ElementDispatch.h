//===- ElementDispatch.h - Code for each element type -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiates a generic lambda for the C++ type of an `ElementType`, and
// converts between these types.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_DATA_ELEMENTDISPATCH_H
#define SOAP_LIB_RUNTIME_DATA_ELEMENTDISPATCH_H

#include "Soap/Runtime/Data/HostTensor.h"
#include "Soap/Support/NarrowFloats.h"

#include <type_traits>

namespace soap::runtime {

/// Calls `body` with a null pointer of the element type.
template <typename Body>
auto dispatch(ElementType type, Body body) {
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
constexpr bool isFloatType =
    std::is_floating_point_v<T> || std::is_same_v<T, Float16> ||
    std::is_same_v<T, BFloat16>;

/// A number of another type; narrow floats are made of f32.
template <typename To, typename From>
To convertTo(const From &value) {
  if constexpr (std::is_same_v<To, Float16> || std::is_same_v<To, BFloat16>)
    return To(float(value));
  else if constexpr (std::is_same_v<From, Float16> ||
                     std::is_same_v<From, BFloat16>)
    return To(float(value));
  else
    return To(value);
}

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_DATA_ELEMENTDISPATCH_H
