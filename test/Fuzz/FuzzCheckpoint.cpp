//===- FuzzCheckpoint.cpp - Fuzz target: checkpoints ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and shapes of what is accepted agree, and its training can be asked
// for.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Soap/Runtime/Training/Checkpoint.h"

using namespace soap;
using namespace soap::runtime;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::MemoryFile file(data, size);
  auto checkpoint = readCheckpoint(file.path());
  if (!checkpoint)
    return 0;
  for (const auto &[name, tensor] : checkpoint->tensors)
    fuzz::require(tensor.bytes.size() == tensor.volume() * sizeOf(tensor.dtype),
                  "a tensor has another size than its shape says");
  // The training that it says it is of goes on, or is told why not.
  MaybeError refused = checkResumable(*checkpoint, checkpoint->identity);
  fuzz::require(!refused || !refused->message.empty(),
                "refused without a message");
  return 0;
}
