//===- NamedStrategies.cpp - Presets and recipes by name ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads `zero`, `probe-3` and `megatron(tp=8,sp)`.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Experts.h"
#include "Megatron.h"
#include "Soap/Memory/HostMemory.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/SomeDevices.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <iterator>
#include <optional>

using namespace soap;

/// The whole text as a number of at least `least`.
static std::optional<int> parseNumber(std::string_view text, int least) {
  int number = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number < least)
    return std::nullopt;
  return number;
}

/// Presets of a number: `probe-3`.
static std::optional<Strategy>
numberedPreset(const std::string &name, const ParallelizationProblem &problem) {
  using Make = Strategy (*)(const ParallelizationProblem &, int);
  for (auto [prefix, make] :
       {std::pair<std::string, Make>{"probe-", probeStrategy},
        std::pair<std::string, Make>{"mixed-", mixedStrategy}}) {
    if (!name.starts_with(prefix))
      continue;
    if (std::optional<int> number =
            parseNumber(std::string_view(name).substr(prefix.size()), 0))
      return make(problem, *number);
  }
  return std::nullopt;
}

namespace {
struct Preset {
  const char *name;
  Strategy (*make)(const ParallelizationProblem &problem);
};
} // namespace

static constexpr Preset presets[] = {{"single", singleStrategy},
                                     {"data-parallel", dataParallelStrategy},
                                     {"model-parallel", modelParallelStrategy},
                                     {"spatial", spatialStrategy},
                                     {"expert", expertStrategy},
                                     {"zero", zeroStrategy},
                                     {"weighted", weightedDataParallelStrategy},
                                     {"fast-devices", fastDevicesStrategy}};

const std::vector<std::string> &soap::presetNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Preset &preset : presets)
      result.emplace_back(preset.name);
    return result;
  }();
  return names;
}

/// A preset that is no recipe: no options, and all values in both forms.
static std::optional<Strategy>
plainPreset(const std::string &name, const ParallelizationProblem &problem) {
  for (const Preset &preset : presets)
    if (name == preset.name)
      return preset.make(problem);
  return numberedPreset(name, problem);
}

//===----------------------------------------------------------------------===//
// Recipes
//===----------------------------------------------------------------------===//

/// `megatron(tp=8,sp)`: a name and the options in its parentheses.
static Expected<NamedStrategy> megatron(const std::string &name,
                                        const std::vector<std::string> &options,
                                        const ParallelizationProblem &problem) {
  MegatronOptions chosen;
  for (const std::string &option : options) {
    std::optional<int> degree;
    if (option.starts_with("tp=") &&
        (degree = parseNumber(std::string_view(option).substr(3), 1)))
      chosen.tensorParallel = *degree;
    else if (option == "sp")
      chosen.sequenceParallel = true;
    else
      return Error{"recipe '" + name + "': unknown option '" + option +
                   "', expected tp=N (a number from 1 on) or sp" +
                   (option.starts_with("pp")
                        ? "; 'soap-plan-hybrid' makes pipelines, beside which "
                          "'soap-simulate' prices it"
                        : "")};
  }
  Expected<Strategy> strategy = checkedMegatron(problem, chosen);
  if (!strategy)
    return Error{"recipe '" + name + "': " + strategy.error()};
  return NamedStrategy{std::move(*strategy), {}, false};
}

/// Fully sharded data parallelism: parameters stay where `zero` updates them,
/// and each pass gathers what it reads.
static Expected<NamedStrategy>
fullySharded(const std::string &name, const std::vector<std::string> &options,
             const ParallelizationProblem &problem) {
  if (!options.empty())
    return Error{"recipe '" + name + "': expected no options"};
  const Graph &graph = problem.getGraph();
  NamedStrategy result{zeroStrategy(problem), {}, false};
  // Decisions for one value do not change what may be decided for another one.
  bool updates = false;
  for (const GraphInput &input : graph.inputs) {
    if (input.updateNode < 0)
      continue;
    updates = true;
    if (!checkKeep(graph, input.value, Keep::Before))
      result.keeps.push_back({input.value, Keep::Before});
  }
  if (!updates)
    return Error{"recipe '" + name +
                 "': no op updates a parameter, expected a training step"};
  return result;
}

/// Expert parallelism.
static Expected<NamedStrategy> gshard(const std::string &name,
                                      const std::vector<std::string> &options,
                                      const ParallelizationProblem &problem) {
  int64_t devices = 0;
  for (const std::string &option : options) {
    std::optional<int> number;
    if (!option.starts_with("ep=") ||
        !(number = parseNumber(std::string_view(option).substr(3), 1)))
      return Error{"recipe '" + name + "': unknown option '" + option +
                   "', expected ep=N (a number from 1 on)"};
    devices = *number;
  }
  Expected<Strategy> strategy = gshardStrategy(problem, devices);
  if (!strategy)
    return Error{"recipe '" + name + "': " + strategy.error()};
  return NamedStrategy{std::move(*strategy), {}, false};
}

static Expected<NamedStrategy> context(const std::string &name,
                                       const std::vector<std::string> &options,
                                       const ParallelizationProblem &problem) {
  ContextOptions chosen;
  for (const std::string &option : options) {
    std::optional<int> number;
    if (option.starts_with("cp=") &&
        (number = parseNumber(std::string_view(option).substr(3), 1)))
      chosen.devices = *number;
    else if (option.starts_with("tp=") &&
             (number = parseNumber(std::string_view(option).substr(3), 1)))
      chosen.tensorParallel = *number;
    else if (option == "zigzag")
      chosen.zigzag = true;
    else if (option == "zero")
      chosen.shardsUpdates = true;
    else
      return Error{"recipe '" + name + "': unknown option '" + option +
                   "', expected cp=N or tp=N (numbers from 1 on), zigzag or "
                   "zero"};
  }
  Expected<Strategy> strategy = contextStrategy(problem, chosen);
  if (!strategy)
    return Error{"recipe '" + name + "': " + strategy.error()};
  NamedStrategy result{std::move(*strategy), {}, false};
  // Each pass sends keys and values, so that a device keeps its own alone.
  const Graph &graph = problem.getGraph();
  for (const GraphNode &node : graph.nodes) {
    if (node.whole.kind != "attention" || node.whole.phase != Phase::Forward)
      continue;
    for (size_t o : {1, 2})
      if (KeptValue kept{node.whole.operands[o], Keep::Before};
          !checkKeep(graph, kept.value, kept.keep) &&
          std::find(result.keeps.begin(), result.keeps.end(), kept) ==
              result.keeps.end())
        result.keeps.push_back(kept);
  }
  return result;
}

namespace {
struct Recipe {
  const char *name;
  Expected<NamedStrategy> (*make)(const std::string &text,
                                  const std::vector<std::string> &options,
                                  const ParallelizationProblem &problem);
};
} // namespace

static constexpr Recipe recipes[] = {{"context", context},
                                     {"fsdp", fullySharded},
                                     {"gshard", gshard},
                                     {"megatron", megatron}};

static std::vector<std::string> splitOptions(std::string_view text) {
  std::vector<std::string> options;
  while (!text.empty()) {
    size_t comma = text.find(',');
    options.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma == text.npos ? text.size() : comma + 1);
  }
  return options;
}

/// Before ops with fixed configs get these.
static Expected<NamedStrategy>
makeNamed(const std::string &text, const ParallelizationProblem &problem) {
  if (std::optional<Strategy> preset = plainPreset(text, problem))
    return NamedStrategy{std::move(*preset), {}, false};
  size_t open = text.find('(');
  std::string name = text.substr(0, open);
  for (const Recipe &recipe : recipes) {
    if (name != recipe.name)
      continue;
    std::vector<std::string> options;
    if (open != text.npos) {
      if (!text.ends_with(')'))
        return Error{"recipe '" + text + "': expected ')' at its end"};
      options = splitOptions(
          std::string_view(text).substr(open + 1, text.size() - open - 2));
    }
    return recipe.make(text, options, problem);
  }
  std::string expected;
  for (const Preset &preset : presets)
    expected += std::string(preset.name) + ", ";
  return Error{"unknown preset '" + text + "', expected " + expected +
               "context(cp=N,zigzag,tp=N,zero), fsdp, gshard(ep=N) or "
               "megatron(tp=N,sp), each also with the options devices=N and "
               "offload"};
}

/// Takes the options for which `isTaken` holds out of those in parentheses, and
/// these away if there are no others.
template <typename IsTaken>
static std::vector<std::string> takeOptions(std::string &text,
                                            IsTaken isTaken) {
  size_t open = text.find('(');
  if (open == text.npos || !text.ends_with(')'))
    return {};
  std::vector<std::string> options = splitOptions(
      std::string_view(text).substr(open + 1, text.size() - open - 2));
  auto rest = std::stable_partition(options.begin(), options.end(), isTaken);
  std::vector<std::string> taken(options.begin(), rest);
  if (taken.empty())
    return taken;
  text.resize(open);
  for (auto it = rest; it != options.end(); ++it)
    text += (it == rest ? "(" : ",") + *it;
  text += rest == options.end() ? "" : ")";
  return taken;
}

bool soap::takeOffload(std::string &text) {
  return !takeOptions(text, [](const std::string &option) {
            return option == "offload";
          }).empty();
}

/// Makes the strategy on the first devices of the topology where the text says
/// how many.
static Expected<NamedStrategy>
makeOnDevices(const std::string &text, const ParallelizationProblem &problem) {
  constexpr std::string_view option = "devices=";
  std::string name = text;
  std::vector<std::string> taken = takeOptions(
      name, [&](const std::string &each) { return each.starts_with(option); });
  if (taken.empty())
    return makeNamed(name, problem);
  const Topology &topology = problem.getTopology();
  std::optional<int> count =
      parseNumber(std::string_view(taken[0]).substr(option.size()), 1);
  if (!count || taken.size() > 1 || *count > topology.deviceCount())
    return Error{"preset '" + text + "': option '" + taken.back() +
                 "', expected one number of devices from 1 to " +
                 std::to_string(topology.deviceCount())};
  Topology some = firstDevices(topology, *count, /*limitBytes=*/-1);
  ParallelizationProblem part(problem.getGraph(), some, problem.getGroups(),
                              problem.getRoles());
  return makeNamed(name, part);
}

static Expected<NamedStrategy>
makeWithOffload(const std::string &text,
                const ParallelizationProblem &problem) {
  std::string name = text;
  bool offload = takeOffload(name);
  Expected<NamedStrategy> made = makeOnDevices(name, problem);
  if (!made)
    return made;
  made->offload = offload;
  problem.keepFixed(made->strategy);
  if (!offload)
    return made;
  Graph graph = problem.getGraph();
  MaybeError error = putOptimizerInHost(graph);
  if (!error)
    error = resolveHostMemory(graph, problem.getTopology());
  if (error)
    return Error{"recipe '" + text + "': " + error->message};
  return made;
}

Expected<NamedStrategy>
soap::namedStrategy(const std::string &text,
                    const ParallelizationProblem &problem) {
  assert(keptValues(problem.getGraph()).empty() &&
         "the graph must restore nothing yet");
  return makeWithOffload(text, problem);
}

Expected<Strategy> soap::presetStrategy(const std::string &name,
                                        const ParallelizationProblem &problem) {
  Expected<NamedStrategy> named = makeWithOffload(name, problem);
  if (!named)
    return named.takeError();
  if (named->offload)
    return Error{"recipe '" + name +
                 "' also decides where states of the optimizer are, expected "
                 "it without 'offload'"};
  // Context parallelism is the same with keys and values in both forms.
  if (!named->keeps.empty() && !name.starts_with("context"))
    return Error{"recipe '" + name +
                 "' also decides in which form values are kept, expected one "
                 "that does not, as 'zero'"};
  return std::move(named->strategy);
}
