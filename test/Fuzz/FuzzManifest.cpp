//===- FuzzManifest.cpp - Fuzz target: manifests -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything behind the parser trusts it.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Soap/Runtime/Artifact/Manifest.h"

using namespace soap;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto manifest = runtime::parseManifest(fuzz::view(data, size), "input");
  if (!manifest)
    return 0;
  for (const auto &entry : manifest->entries)
    for (const auto &rank : entry.ranks) {
      for (const auto &arg : rank.args)
        fuzz::require(arg.tensor < manifest->tensors.size(),
                      "a tile is of no tensor");
      for (const auto *column :
           {&rank.peers, &rank.transfers, &rank.collectives})
        fuzz::require(column->size() == rank.tasks.size(),
                      "a column of slots has another length");
      for (int64_t task : rank.tasks)
        fuzz::require(task >= 0 && size_t(task) < entry.schedule.size(),
                      "a slot is of no task");
    }
  return 0;
}
