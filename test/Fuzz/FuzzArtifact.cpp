//===- FuzzArtifact.cpp - Fuzz target: artifacts -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container alone: its code is never run. What is accepted is what the
// writer writes.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Soap/Artifact/Artifact.h"

using namespace soap;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // With right checksums, too, or mutation would never get behind them.
  runtime::Artifact made;
  std::string_view text = fuzz::view(data, size);
  made.manifest = text;
  made.info.architecture = std::string(text.substr(0, 10));
  for (char &c : made.info.architecture)
    c = char(c & 127);
  std::string bytes = runtime::serializeArtifact(made);
  auto read = runtime::parseArtifact(bytes, "made");
  fuzz::require(read && read->manifest == text,
                "what was written is refused or changed");
  auto artifact = runtime::parseArtifact(text, "input");
  if (artifact)
    (void)runtime::checkArtifactHost(*artifact, "input");
  return 0;
}
