//===- FuzzProblem.cpp - Fuzz target: problem files -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accepted input prints and parses as the same, and is either a problem of
// two devices or refused with a message.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Soap/Search/Problem/ProblemFile.h"

using namespace soap;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto problem = parseProblemFile(std::string(fuzz::view(data, size)), "input");
  if (!problem) {
    fuzz::require(!problem.error().empty(), "refused without a message");
    return 0;
  }
  std::string text = printProblemFile(*problem);
  auto again = parseProblemFile(text, "printed");
  fuzz::require(bool(again), "what was printed is refused");
  fuzz::require(printProblemFile(*again) == text,
                "a round trip changes the problem");
  static const Topology topology = *builtinTopology("cpu-2");
  ParallelizationProblem whole(again->graph, topology, again->groups,
                               again->roles);
  if (MaybeError error = whole.check())
    fuzz::require(!error->message.empty(), "refused without a message");
  return 0;
}
