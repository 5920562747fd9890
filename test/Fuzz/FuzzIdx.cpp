//===- FuzzIdx.cpp - Fuzz target: IDX files ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain and gzipped, as zlib tells them apart.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Soap/Runtime/Data/TensorFiles.h"

using namespace soap;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::MemoryFile file(data, size);
  auto tensor = runtime::readIdx(file.path());
  if (tensor)
    fuzz::require(tensor->bytes.size() ==
                      tensor->volume() * runtime::sizeOf(tensor->dtype),
                  "the array has another size than its shape says");
  return 0;
}
