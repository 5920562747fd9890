//===- FuzzTopology.cpp - Fuzz target: topology files --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accepted input prints and parses as the same.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Soap/Topology/Topology.h"

using namespace soap;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto topology = parseTopology(std::string(fuzz::view(data, size)), "input");
  if (!topology)
    return 0;
  auto again = parseTopology(printTopology(*topology), "printed");
  fuzz::require(bool(again), "what was printed is refused");
  fuzz::require(printTopology(*again) == printTopology(*topology),
                "a round trip changes the topology");
  return 0;
}
