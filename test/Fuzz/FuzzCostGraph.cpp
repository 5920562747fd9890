//===- FuzzCostGraph.cpp - Fuzz target: cost graphs -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accepted input prints and parses as the same. A small graph is solved in a
// few rounds, and the solution passes verification.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Soap/Search/CostGraph/CostGraphFile.h"
#include "Soap/Search/CostGraph/SolveCostGraph.h"

using namespace soap;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string input(fuzz::view(data, size));
  (void)parseCostGraphSolution(input, "input");
  auto graph = parseCostGraph(input, "input");
  if (!graph) {
    fuzz::require(!graph.error().empty(), "refused without a message");
    return 0;
  }
  std::string text = printCostGraph(*graph);
  auto again = parseCostGraph(text, "printed");
  fuzz::require(bool(again), "what was printed is refused");
  fuzz::require(printCostGraph(*again) == text,
                "a round trip changes the graph");
  if (size > 2000)
    return 0;
  CostGraphOptions options;
  options.seconds = 1;
  options.rounds = 1;
  CostGraphResult result = solveCostGraph(*graph, options);
  if (result.status == CostGraphResult::Solved)
    fuzz::require(!graph->verify(result.solution), "a wrong solution");
  return 0;
}
