//===- HostTensor.h - Tensors in host memory --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `HostTensor` is a whole tensor in row-major order, as files of tensors and
// batches hold it. `copyPacked` moves data between packed tiles of a tensor: a
// whole tensor is the tile of its whole region, so scattering, gathering and
// resharding are all this one copy.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_DATA_HOSTTENSOR_H
#define SOAP_RUNTIME_DATA_HOSTTENSOR_H

#include "Soap/Model/Region.h"
#include "Soap/Runtime/Artifact/Manifest.h"
#include "Soap/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace soap::runtime {

/// Element types of files: types of programs, and bytes.
enum class ElementType { F32, F64, I32, I64, F16, BF16, U8, I8 };

constexpr bool isFloat(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F64 ||
         type == ElementType::F16 || type == ElementType::BF16;
}

constexpr ElementType elementType(DType type) { return ElementType(type); }
int64_t sizeOf(ElementType type);
const char *nameOf(ElementType type);

/// Owns zeroed memory, 64-byte aligned.
class AlignedBytes {
public:
  AlignedBytes() = default;
  explicit AlignedBytes(int64_t size);
  char *data() const { return memory.get(); }
  int64_t size() const { return length; }

private:
  struct Free {
    void operator()(char *pointer) const;
  };
  std::unique_ptr<char, Free> memory;
  int64_t length = 0;
};

struct HostTensor {
  ElementType dtype = ElementType::F32;
  std::vector<int64_t> shape;
  AlignedBytes bytes;

  HostTensor() = default;
  /// Zeros.
  HostTensor(ElementType dtype, std::vector<int64_t> shape);
  HostTensor(DType dtype, std::vector<int64_t> shape)
      : HostTensor(elementType(dtype), std::move(shape)) {}

  int64_t volume() const;
  template <typename T>
  T *as() const {
    return reinterpret_cast<T *>(bytes.data());
  }
  /// The element at a row-major index, as a double.
  double at(int64_t index) const;
  void set(int64_t index, double value);
  /// A copy with elements of another type.
  HostTensor converted(ElementType type) const;
  HostTensor clone() const { return converted(dtype); }
};

/// The first of `count` elements that is infinite or not a number; -1 if there
/// is none, as of integers.
int64_t findNonFinite(ElementType type, const void *data, int64_t count);

/// "[64, 1, 28, 28]".
std::string shapeString(const std::vector<int64_t> &shape);

/// Copies the common part of two regions of one tensor from the packed tile
/// `source` to the packed tile `target`. Returns the number of elements.
int64_t copyPacked(const Region &from, const void *source, const Region &to,
                   void *target, int64_t elementSize);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_DATA_HOSTTENSOR_H
