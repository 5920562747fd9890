//===- SearchTuning.cpp - Expert options of a search ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SearchTuning.h.
//
//===----------------------------------------------------------------------===//

#include "SearchTuning.h"

#include "Transforms/Support/CheckedOptions.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

using namespace mlir;
using namespace mlir::soap;

static std::optional<::soap::SimulatorKind> simulatorKind(StringRef name) {
  return llvm::StringSwitch<std::optional<::soap::SimulatorKind>>(name)
      .Case("delta", ::soap::SimulatorKind::Delta)
      .Case("propagate", ::soap::SimulatorKind::Propagate)
      .Case("full", ::soap::SimulatorKind::Full)
      .Default(std::nullopt);
}

std::unique_ptr<SearchTuning> SearchTuning::parse(StringRef text,
                                                  std::string &message) {
  auto fail = [&](const Twine &reason) -> LogicalResult {
    message = reason.str();
    return failure();
  };
  if (failed(checkOptionText(text, fail)))
    return nullptr;
  auto tuning = std::make_unique<SearchTuning>();
  std::string error;
  llvm::raw_string_ostream stream(error);
  if (succeeded(tuning->parseFromString(text, stream)))
    return tuning;
  message =
      describeOptionError(error, /*pass=*/"") +
      "; expected some of beta, cooling, chains, proposals-kind, "
      "mates, tempering, epsilon, configs, untied, simulator, early-rejection, "
      "target and pause-after (docs/Search.md)";
  return nullptr;
}

/// `option 'tuning={name=value}': expected ...`.
static ::soap::Error unexpected(const Twine &name, const Twine &value,
                                const Twine &expected) {
  return {("option 'tuning={" + name + "=" + value + "}': expected " + expected)
              .str()};
}

::soap::MaybeError SearchTuning::check(StringRef algorithm,
                                       bool isCheckpointed) const {
  auto number = [](double value) { return optionNumber(value); };
  auto count = [](auto value) { return std::to_string(value); };
  if (!(beta > 0 && beta <= 1e12))
    return unexpected("beta", number(beta), "a number above 0, up to 1e12");
  if (!(cooling > 0 && cooling <= 1))
    return unexpected("cooling", number(cooling), "a share above 0, up to 1");
  if (chains > 1024)
    return unexpected("chains", count(chains.getValue()), "at most 1024");
  if (proposalsKind != "uniform" && proposalsKind != "mixed")
    return unexpected("proposals-kind", proposalsKind.getValue(),
                      "uniform or mixed");
  if (!(mates >= 0 && mates <= 1))
    return unexpected("mates", number(mates), "a share from 0 to 1");
  if (!(tempering >= 1 && tempering <= 1000))
    return unexpected("tempering", number(tempering), "a ratio from 1 to 1000");
  if (!(epsilon >= 0 && epsilon <= 1))
    return unexpected("epsilon", number(epsilon), "a number from 0 to 1");
  if (configs < 1 || configs > 1000)
    return unexpected("configs", count(configs.getValue()),
                      "a number from 1 to 1000");
  if (!simulatorKind(simulator))
    return unexpected("simulator", simulator.getValue(),
                      "delta, propagate or full");
  if (targetNs < 0)
    return unexpected("target", count(targetNs.getValue()), "ns, at least 0");
  if (pauseAfter < 0)
    return unexpected("pause-after", count(pauseAfter.getValue()),
                      "a number of at least 0");
  const std::pair<const char *, bool> ofChains[] = {
      {"beta", beta.hasValue()},
      {"cooling", cooling.hasValue()},
      {"chains", chains.hasValue()},
      {"proposals-kind", proposalsKind.hasValue()},
      {"mates", mates.hasValue()},
      {"tempering", tempering.hasValue()},
      {"simulator", simulator.hasValue()},
      {"early-rejection", earlyRejection.hasValue()},
      {"target", targetNs.hasValue()},
      {"pause-after", pauseAfter.hasValue()}};
  for (auto [name, isGiven] : ofChains)
    if (isGiven && algorithm != "mcmc" &&
        !(algorithm == "hybrid" && name == StringRef("pause-after")))
      return ::soap::Error{"option 'tuning={" + std::string(name) +
                           "}': expected algorithm=mcmc: no other search has "
                           "Markov chains"};
  const std::pair<const char *, bool> ofFrontiers[] = {
      {"epsilon", epsilon.hasValue()}, {"configs", configs.hasValue()}};
  for (auto [name, isGiven] : ofFrontiers)
    if (isGiven && algorithm != "frontier")
      return ::soap::Error{"option 'tuning={" + std::string(name) +
                           "}': expected algorithm=frontier: no other search "
                           "tracks a frontier"};
  if (pauseAfter > 0 && !isCheckpointed)
    return unexpected("pause-after", count(pauseAfter.getValue()),
                      "the option 'checkpoint=FILE', too");
  return std::nullopt;
}

bool SearchTuning::saysHowToSearch() const {
  return beta.hasValue() || cooling.hasValue() || chains.hasValue() ||
         proposalsKind.hasValue() || mates.hasValue() || tempering.hasValue() ||
         epsilon.hasValue() || configs.hasValue() || untied.hasValue() ||
         simulator.hasValue() || earlyRejection.hasValue() ||
         targetNs.hasValue();
}

void SearchTuning::apply(::soap::McmcOptions &options) const {
  assert(beta > 0 && cooling > 0 && cooling <= 1 && tempering >= 1 &&
         chains <= 1024 && simulatorKind(simulator) &&
         "values must be checked");
  options.temperature = 1 / beta;
  options.cooling = cooling;
  options.chains = static_cast<int>(chains);
  options.kind = proposalsKind == "mixed" ? ::soap::ProposalKind::Mixed
                                          : ::soap::ProposalKind::Uniform;
  // Uniform proposals are the paper's, which knows no mates; where every op
  // decides alone, so do the ops of repeated blocks.
  bool isTied = options.kind == ::soap::ProposalKind::Mixed && !untied;
  options.mates = isTied || mates.hasValue() ? mates.getValue() : 0;
  options.tempering = tempering;
  options.simulator = *simulatorKind(simulator);
  options.earlyRejection = earlyRejection;
  options.targetNs = targetNs;
  options.pauseAfter = pauseAfter;
}
