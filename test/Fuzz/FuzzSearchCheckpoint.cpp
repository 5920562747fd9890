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
#include "Soap/Search/MCMC/McmcCheckpoint.h"

using namespace soap;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
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
