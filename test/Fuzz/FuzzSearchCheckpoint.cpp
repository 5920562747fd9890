//===- FuzzSearchCheckpoint.cpp - Fuzz target: states of searches ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accepted input is a state that a search can go on from, and prints and
// parses as the same.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Search/Problems.h"
#include "Soap/Search/Hierarchical/HybridCheckpoint.h"
#include "Soap/Search/MCMC/McmcCheckpoint.h"

using namespace soap;

static void readHybrid(const std::string &input) {
  static const test::MlpProblem p(test::makeMlp(32, {64, 64, 64, 64, 64}),
                                  *builtinTopology("h100-2x4"));
  static const std::unique_ptr<HybridModel> model =
      std::move(*HybridModel::make(p.problem));
  HierarchicalOptions options;
  auto record =
      parseHybridCheckpoint(input, "input", p.problem, *model, options);
  if (!record) {
    fuzz::require(!record.error().empty(), "refused without a message");
    return;
  }
  std::string text = printHybridCheckpoint(p.problem, *model, options, *record);
  auto again =
      parseHybridCheckpoint(text, "printed", p.problem, *model, options);
  fuzz::require(bool(again), "what was printed is refused");
  fuzz::require(printHybridCheckpoint(p.problem, *model, options, *again) ==
                    text,
                "a round trip changes the record");
  record->pauseAfter = 3;
  options.record = &*record;
  HierarchicalResult result = searchHybrid(*model, p.problem, options);
  fuzz::require(result.best.exists(), "no plan after it was resumed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  readHybrid(std::string(fuzz::view(data, size)));
  static const test::MlpProblem p(test::makeMlp(64, {100, 80, 10}), 4);
  McmcOptions options;
  options.proposals = 900;
  options.seed = 4;
  options.chains = 2;
  options.kind = ProposalKind::Mixed;
  auto state = parseMcmcCheckpoint(std::string(fuzz::view(data, size)), "input",
                                   p.problem, options);
  if (!state) {
    fuzz::require(!state.error().empty(), "refused without a message");
    return 0;
  }
  std::string text = printMcmcCheckpoint(p.problem, options, *state);
  auto again = parseMcmcCheckpoint(text, "printed", p.problem, options);
  fuzz::require(bool(again), "what was printed is refused");
  fuzz::require(printMcmcCheckpoint(p.problem, options, *again) == text,
                "a round trip changes the state");
  McmcOptions more = options;
  more.resume = &*state;
  more.pauseAfter = 20;
  McmcResult result = searchMcmc(p.problem, more);
  fuzz::require(!result.best.empty(), "no strategy after it was resumed");
  return 0;
}
