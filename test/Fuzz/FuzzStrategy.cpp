//===- FuzzStrategy.cpp - Fuzz target: strategy files --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accepted input prints and parses as the same.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Soap/Plan/StrategyFile.h"

using namespace soap;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto strategy =
      parseStrategyFile(std::string(fuzz::view(data, size)), "input");
  if (!strategy)
    return 0;
  std::string text = printStrategyFile(*strategy);
  auto again = parseStrategyFile(text, "printed");
  fuzz::require(bool(again), "what was printed is refused");
  fuzz::require(printStrategyFile(*again) == text,
                "a round trip changes the strategy");
  return 0;
}
