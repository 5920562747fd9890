//===- McmcCheckpoint.cpp - States of searches as JSON --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading checks everything that a search relies on.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/MCMC/McmcCheckpoint.h"

#include "Search/Problem/SearchCheckpoint.h"

#include <array>
#include <cstdio>

using namespace soap;
using jsonfile::Cursor;
using nlohmann::json;
using searchcheckpoint::elements;
using searchcheckpoint::maxCount;
using searchcheckpoint::maxSeconds;

static constexpr const char *algorithm = "mcmc";

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The options that a state depends on, as text to compare.
static std::string describeOptions(const ParallelizationProblem &problem,
                                   const McmcOptions &options) {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers,
                "%.17g, cooling %.17g, tempering %.17g, mates %.17g",
                options.temperature, options.cooling, options.tempering,
                options.mates);
  std::string text =
      "seed " + std::to_string(options.seed) + ", chains " +
      std::to_string(options.chains) + ", temperature " + numbers + ", " +
      (options.kind == ProposalKind::Uniform ? "uniform" : "mixed") +
      " proposals, " + std::to_string(problem.getGroups().size()) +
      " groups, roles";
  for (Role role : problem.searchedRoles)
    text += std::string(" ") + roleName(role);
  if (!problem.anyDevices)
    text += ", devices in order";
  if (!problem.replicas)
    text += ", no replicas";
  if (problem.evenPieces)
    text += ", even pieces";
  for (const auto &[node, config] : problem.getFixed())
    text += ", fixed " + std::to_string(node) + " " +
            json({config.degrees, config.replicas, config.devices}).dump();
  return text;
}

static json toJson(const Strategy &strategy) {
  json list = json::array();
  for (const Config &config : strategy)
    list.push_back({config.degrees, config.replicas, config.devices});
  return list;
}

static json toJson(const Evaluation &evaluation) {
  return {evaluation.makespanNs, evaluation.excessBytes};
}

static json toJson(const std::array<uint64_t, 4> &words) {
  json list = json::array();
  for (uint64_t word : words) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(word));
    list.push_back(text);
  }
  return list;
}

std::string soap::printMcmcCheckpoint(const ParallelizationProblem &problem,
                                      const McmcOptions &options,
                                      const McmcState &state) {
  json chains = json::array(), curve = json::array();
  for (const McmcChainState &chain : state.chains)
    chains.push_back({{"start", chain.start},
                      {"random", toJson(chain.random)},
                      {"current", toJson(chain.current)},
                      {"current_price", toJson(chain.currentEvaluation)},
                      {"best", toJson(chain.best)},
                      {"best_price", toJson(chain.bestEvaluation)},
                      {"proposals", chain.proposals},
                      {"accepted", chain.accepted},
                      {"gain_proposals", chain.gainProposals},
                      {"seconds", chain.seconds},
                      {"gain_seconds", chain.gainSeconds},
                      {"step", chain.step},
                      {"weights", chain.weights},
                      {"accepted_at_weights", chain.acceptedAtWeights}});
  for (const McmcPoint &point : state.curve)
    curve.push_back({point.seconds, point.proposals, point.bestNs});
  json members = {
      {"round", state.round},
      {"seconds", state.seconds},
      {"scale_ns", state.scaleNs},
      {"factor_moves", state.factorMoves},
      {"exchanges", toJson(state.exchanges)},
      {"has_last", state.hasLast},
      {"initial", {{"names", state.initialNames}, {"ns", state.initialNs}}},
      {"curve", std::move(curve)},
      {"chains", std::move(chains)}};
  return searchcheckpoint::print(problem, algorithm,
                                 describeOptions(problem, options),
                                 std::move(members));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

class StateReader {
public:
  StateReader(const ParallelizationProblem &problem, const McmcOptions &options)
      : problem(problem), options(options) {}

  McmcState read(const Cursor &document) {
    McmcState state;
    searchcheckpoint::checkIdentity(
        document, problem, algorithm, describeOptions(problem, options),
        {"round", "seconds", "scale_ns", "factor_moves", "exchanges",
         "has_last", "initial", "curve", "chains"});
    state.round = document["round"].integer(0, maxCount);
    state.seconds = document["seconds"].number(0, maxSeconds);
    state.scaleNs = document["scale_ns"].integer(0, maxCount);
    // Older files have no such entry.
    if (document.has("factor_moves"))
      state.factorMoves = document["factor_moves"].integer(0, maxCount);
    state.exchanges = words(document["exchanges"]);
    state.hasLast = document["has_last"].boolean();
    Cursor initial = document["initial"];
    initial.expectObject({"names", "ns"});
    for (const Cursor &name : initial["names"].elements())
      state.initialNames.push_back(name.string());
    for (const Cursor &ns : initial["ns"].elements())
      state.initialNs.push_back(ns.integer(0, maxCount));
    if (state.initialNames.size() != state.initialNs.size())
      initial.fail("expected as many names as times");
    for (const Cursor &point : document["curve"].elements()) {
      std::vector<Cursor> entries = elements(point, 3);
      state.curve.push_back({entries[0].number(0, maxSeconds),
                             entries[1].integer(0, maxCount),
                             entries[2].integer(0, maxCount)});
    }
    for (const Cursor &chain : document["chains"].elements())
      state.chains.push_back(readChain(chain));
    checkChains(document["chains"], state);
    return state;
  }

private:
  const ParallelizationProblem &problem;
  const McmcOptions &options;

  std::array<uint64_t, 4> words(const Cursor &entry) {
    std::array<uint64_t, 4> result = {};
    std::vector<Cursor> list = elements(entry, 4);
    bool any = false;
    for (size_t i = 0; i < list.size(); ++i) {
      std::string text = list[i].string();
      if (text.size() != 16 ||
          text.find_first_not_of("0123456789abcdef") != std::string::npos)
        list[i].failExpected("16 hexadecimal digits");
      result[i] = std::strtoull(text.c_str(), nullptr, 16);
      any |= result[i] != 0;
    }
    if (!any)
      entry.fail("expected a state that is not zero");
    return result;
  }

  Evaluation price(const Cursor &entry) {
    std::vector<Cursor> list = elements(entry, 2);
    return {list[0].integer(0, maxCount), list[1].integer(0, maxCount)};
  }

  Strategy strategy(const Cursor &entry) {
    Strategy result;
    const std::vector<GraphNode> &nodes = problem.getGraph().nodes;
    std::vector<Cursor> configs = elements(entry, nodes.size());
    for (size_t n = 0; n < configs.size(); ++n) {
      std::vector<Cursor> parts = elements(configs[n], 3);
      Config &config = result.emplace_back();
      for (const Cursor &degree : parts[0].elements())
        config.degrees.push_back(degree.integer(1, 1 << 20));
      config.replicas = parts[1].integer(1, 1 << 20);
      for (const Cursor &device : parts[2].elements())
        config.devices.push_back(
            static_cast<int>(device.integer(0, (1 << 20) - 1)));
      ConfigCheck check = checkConfig(nodes[n].whole.space, config,
                                      problem.getTopology().deviceCount());
      if (check.fault != ConfigFault::None)
        configs[n].fail("op '" + nodes[n].whole.name + "': " + check.message);
    }
    return result;
  }

  McmcChainState readChain(const Cursor &entry) {
    entry.expectObject({"start", "random", "current", "current_price", "best",
                        "best_price", "proposals", "accepted", "gain_proposals",
                        "seconds", "gain_seconds", "step", "weights",
                        "accepted_at_weights"});
    McmcChainState chain;
    chain.start = entry["start"].string();
    chain.random = words(entry["random"]);
    chain.current = strategy(entry["current"]);
    chain.currentEvaluation = price(entry["current_price"]);
    chain.best = strategy(entry["best"]);
    chain.bestEvaluation = price(entry["best_price"]);
    chain.proposals = entry["proposals"].integer(0, maxCount);
    chain.accepted = entry["accepted"].integer(0, chain.proposals);
    chain.gainProposals = entry["gain_proposals"].integer(0, chain.proposals);
    chain.seconds = entry["seconds"].number(0, maxSeconds);
    chain.gainSeconds = entry["gain_seconds"].number(0, maxSeconds);
    chain.step = static_cast<int>(entry["step"].integer(0, 1 << 20));
    for (const Cursor &weight : entry["weights"].elements())
      chain.weights.push_back(weight.integer(0, maxCount >> 20));
    if (!chain.weights.empty() &&
        chain.weights.size() != problem.getGroups().size())
      entry["weights"].failExpected("a weight per group");
    chain.acceptedAtWeights =
        entry["accepted_at_weights"].integer(0, chain.accepted);
    return chain;
  }

  /// Each chain on a step of its own of the ladder, but the last.
  void checkChains(const Cursor &entry, const McmcState &state) {
    size_t count =
        state.chains.size() - (state.hasLast && !state.chains.empty());
    if (count == 0 && !problem.getGroups().empty())
      return entry.fail("expected a chain");
    if (options.chains > 0 && count != static_cast<size_t>(options.chains))
      return entry.fail("expected " + std::to_string(options.chains) +
                        " chains besides a last one, got " +
                        std::to_string(count));
    std::vector<bool> taken(count);
    for (size_t i = 0; i < count; ++i) {
      auto step = static_cast<size_t>(state.chains[i].step);
      if (step >= count || taken[step])
        return entry.fail("expected chains on different steps of the ladder");
      taken[step] = true;
    }
  }
};

} // namespace

Expected<McmcState>
soap::parseMcmcCheckpoint(const std::string &text, const std::string &file,
                          const ParallelizationProblem &problem,
                          const McmcOptions &options) {
  Expected<json> document = jsonfile::parse(text, file);
  if (!document)
    return document.takeError();
  return jsonfile::read(*document, file, [&](const Cursor &root) {
    McmcState state = StateReader(problem, options).read(root);
    if (searchcheckpoint::hasChecksum(root))
      searchcheckpoint::checkChecksum(*document, root);
    return state;
  });
}
