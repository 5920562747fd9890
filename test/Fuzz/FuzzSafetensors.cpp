//===- FuzzSafetensors.cpp - Fuzz target: weights ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and shapes of what is accepted agree.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Soap/Runtime/Data/TensorFiles.h"

using namespace soap;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto tensors = runtime::parseSafetensors(fuzz::view(data, size), "input");
  if (!tensors)
    return 0;
  for (const auto &[name, tensor] : *tensors)
    fuzz::require(tensor.bytes.size() ==
                      tensor.volume() * runtime::sizeOf(tensor.dtype),
                  "a tensor has another size than its shape says");
  return 0;
}
