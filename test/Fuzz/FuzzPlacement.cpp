//===- FuzzPlacement.cpp - Fuzz target: placement problems ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accepted input prints and parses as the same; small problems are solved
// without time, and the answer is written, read and verified.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Soap/Search/DevicePlacement/Files.h"
#include "Soap/Search/DevicePlacement/Throughput.h"

using namespace soap;
using namespace soap::placement;

static void solve(const Problem &problem) {
  Budget budget;
  budget.seconds = 0;
  Answer answer = solveDpl(problem, {}, budget);
  if (!answer.placement)
    return;
  auto evaluation = verify(problem, {}, *answer.placement);
  fuzz::require(bool(evaluation), "an answer breaks a rule");
  SolutionFile solution;
  solution.placement = *answer.placement;
  solution.maxLoad = answer.value;
  solution.bound = answer.bound;
  for (int device = 0; device < problem.deviceCount(); ++device) {
    solution.devices.push_back(device);
    solution.loads.push_back(evaluation->loads[device].total());
  }
  auto read = parseSolution(problem, printSolution(problem, solution), "s");
  fuzz::require(bool(read), "a solution that was printed is refused");
  fuzz::require(bool(verifySolution(problem, *read)),
                "a solution that was printed is wrong");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto problem = parseProblem(std::string(fuzz::view(data, size)), "input");
  if (!problem) {
    fuzz::require(!problem.error().empty(), "refused without a message");
    return 0;
  }
  std::string text = printProblem(*problem);
  auto again = parseProblem(text, "printed");
  fuzz::require(bool(again), "what was printed is refused");
  fuzz::require(printProblem(*again) == text,
                "a round trip changes the problem");
  if (problem->nodes.size() <= 100 && problem->deviceCount() <= 16)
    solve(*problem);
  return 0;
}
