//===- HostCopies.h - Operands of a call on the host ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of parts of a device's memory. Parts that overlap are one copy, so
// that operands which are in place on the device are in place here.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_EXECUTION_HOSTCOPIES_H
#define SOAP_LIB_RUNTIME_EXECUTION_HOSTCOPIES_H

#include "Runtime/Backend/Backend.h"
#include "Soap/Runtime/Data/HostTensor.h"

namespace soap::runtime {

class HostCopies {
public:
  /// Before `read`.
  void add(const void *device, int64_t bytes);
  /// Whether a part of the device's memory meets one that is copied.
  bool meets(const void *device, int64_t bytes) const;
  /// Bytes of all copies.
  int64_t bytes() const;
  /// Begins to copy all parts; they are there when the stream has done it.
  MaybeError read(BackendDevice &device, int64_t stream);
  /// The same copies once more.
  HostCopies clone() const;

  /// Where a place of the device is here; null is null.
  template <typename T>
  T *of(T *device) const {
    return static_cast<T *>(find(device));
  }

private:
  struct Part {
    const char *device;
    int64_t bytes;
    AlignedBytes copy;
  };
  std::vector<Part> parts; ///< by address
  void *find(const void *device) const;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_EXECUTION_HOSTCOPIES_H
