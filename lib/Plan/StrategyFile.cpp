//===- StrategyFile.cpp - Strategies as JSON ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading, writing and resolving of strategy files (docs/Strategy.md), and the
// fingerprints that tie them to a model and a topology.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/StrategyFile.h"
#include "Soap/Model/Reuse.h"
#include "Soap/Profile/ProfileModel.h"
#include "Support/Hasher.h"
#include "Support/Json.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <unordered_map>

using namespace soap;

//===----------------------------------------------------------------------===//
// Fingerprints
//===----------------------------------------------------------------------===//

/// Arguments are named by whoever imports a model, so they count by number;
/// with `namesArguments` by name, as in files of earlier versions.
static std::string fingerprintOf(const Graph &graph, bool namesArguments) {
  Hasher hasher;
  std::vector<int64_t> arguments(graph.values.size(), namesArguments ? 0 : -1);
  for (const GraphNode &node : graph.nodes)
    for (int value : node.whole.results)
      arguments[value] = 0;
  int64_t argumentCount = 0;
  auto addValue = [&](int value) {
    const GraphValue &v = graph.values[value];
    int64_t &argument = arguments[value];
    if (argument == 0) {
      hasher.add(v.name);
    } else {
      if (argument < 0)
        argument = ++argumentCount;
      hasher.add(argument);
    }
    hasher.add(v.elementBytes);
    hasher.add(static_cast<int64_t>(v.shape.size()));
    for (int64_t extent : v.shape)
      hasher.add(extent);
  };
  for (const GraphNode &node : graph.nodes) {
    const Kernel &kernel = node.whole;
    hasher.add(kernel.name);
    hasher.add(kernel.kind);
    hasher.add(static_cast<int64_t>(kernel.space.loops.size()));
    for (const Loop &loop : kernel.space.loops) {
      hasher.add(loop.name);
      hasher.add(loop.extent);
      hasher.add(static_cast<int64_t>(loop.type));
    }
    for (int value : kernel.operands)
      addValue(graph.rootOf(value));
    for (int value : kernel.results)
      addValue(value);
  }
  return hasher.hex();
}

std::string soap::fingerprint(const Graph &graph) {
  return fingerprintOf(graph, /*namesArguments=*/false);
}

std::string soap::fingerprint(const Topology &topology) {
  // Wherever its profiles lie. Configs do not depend on the memory of hosts.
  Topology named = topology;
  for (DeviceType &type : named.deviceTypes) {
    type.profile = std::filesystem::path(type.profile).filename().string();
    type.hostBandwidthBytesPerSecond = 0;
    type.hostMemoryBytes = 0;
  }
  Hasher hasher;
  hasher.add(printTopology(named));
  return hasher.hex();
}

std::string soap::fingerprintOfProfiles(const Topology &topology) {
  Hasher hasher;
  for (const DeviceType &type : topology.deviceTypes) {
    hasher.add(type.name);
    hasher.add(type.costs ? printProfile(type.costs->getProfile())
                          : std::string());
  }
  return hasher.hex();
}

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

static NamedConfig readConfig(const jsonfile::Cursor &at) {
  constexpr int64_t largest = 1 << 20;
  at.expectObject({"name", "degrees", "replicas", "devices"});
  NamedConfig config;
  config.op = at["name"].string();
  if (at.has("degrees"))
    for (const auto &[loop, degree] : at["degrees"].members())
      config.degrees.emplace_back(loop, degree.integer(1, largest));
  if (at.has("replicas"))
    config.replicas = at["replicas"].integer(1, largest);
  for (const jsonfile::Cursor &device : at["devices"].elements())
    config.devices.push_back(static_cast<int>(device.integer(0, largest)));
  return config;
}

static NamedPipeline readPipeline(const jsonfile::Cursor &at) {
  constexpr int64_t largest = 1 << 20;
  at.expectObject({"microbatches", "schedule", "replicas", "stages"});
  NamedPipeline pipeline;
  pipeline.microbatches = at["microbatches"].integer(1, largest);
  pipeline.schedule = at["schedule"].string();
  if (pipeline.schedule != "gpipe" && pipeline.schedule != "1f1b" &&
      pipeline.schedule != "1f1b-overlapped")
    at["schedule"].fail("expected gpipe, 1f1b or 1f1b-overlapped, got \"" +
                        pipeline.schedule + "\"");
  if (at.has("replicas"))
    for (const jsonfile::Cursor &count : at["replicas"].elements())
      pipeline.replicas.push_back(static_cast<int>(count.integer(1, largest)));
  if (at.has("replicas") && at.has("stages"))
    at["replicas"].fail("expected no replicas beside stages");
  if (at.has("stages"))
    for (const jsonfile::Cursor &entry : at["stages"].elements()) {
      entry.expectObject({"first", "devices"});
      NamedStage &stage = pipeline.stages.emplace_back();
      stage.first = entry["first"].string();
      for (const jsonfile::Cursor &device : entry["devices"].elements())
        stage.devices.push_back(static_cast<int>(device.integer(0, largest)));
    }
  return pipeline;
}

static StrategyFile readStrategy(const jsonfile::Cursor &root) {
  root.expectObject({"version", "model_fingerprint", "topology",
                     "topology_fingerprint", "ops", "keep", "pipeline",
                     "recompute", "host", "schedule"});
  root.expectVersion();
  StrategyFile strategy;
  if (root.has("model_fingerprint"))
    strategy.modelFingerprint = root["model_fingerprint"].string();
  if (root.has("topology"))
    strategy.topology = root["topology"].string();
  if (root.has("topology_fingerprint"))
    strategy.topologyFingerprint = root["topology_fingerprint"].string();
  std::set<std::string> names;
  for (const jsonfile::Cursor &op : root["ops"].elements()) {
    strategy.configs.push_back(readConfig(op));
    const std::string &name = strategy.configs.back().op;
    if (!names.insert(name).second)
      op["name"].fail("duplicate op '" + name + "'");
  }
  if (root.has("keep"))
    for (const jsonfile::Cursor &entry : root["keep"].elements()) {
      entry.expectObject({"value", "form"});
      std::string form = entry["form"].string();
      std::optional<Keep> keep = findKeep(form);
      if (!keep)
        entry["form"].fail("expected both, before or after, got \"" + form +
                           "\"");
      strategy.keeps.push_back({entry["value"].string(), *keep});
    }
  if (root.has("pipeline"))
    strategy.pipeline = readPipeline(root["pipeline"]);
  if (root.has("recompute")) {
    strategy.recomputed.emplace();
    for (const jsonfile::Cursor &op : root["recompute"].elements())
      strategy.recomputed->push_back(op.string());
  }
  if (root.has("host")) {
    strategy.host.emplace();
    for (const jsonfile::Cursor &argument : root["host"].elements())
      strategy.host->push_back(argument.string());
  }
  if (root.has("schedule"))
    for (const jsonfile::Cursor &task : root["schedule"].elements())
      strategy.schedule.push_back(task.string());
  return strategy;
}

Expected<StrategyFile> soap::parseStrategyFile(const std::string &text,
                                               const std::string &file) {
  Expected<nlohmann::json> document = jsonfile::parse(text, file);
  if (!document)
    return document.takeError();
  return jsonfile::read(*document, file, readStrategy);
}

static std::string printNumbers(const std::vector<int> &numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

static std::string printPipeline(const NamedPipeline &pipeline) {
  using jsonfile::quote;
  std::string text =
      "{\"microbatches\": " + std::to_string(pipeline.microbatches) +
      ", \"schedule\": " + quote(pipeline.schedule);
  if (!pipeline.replicas.empty())
    text += ", \"replicas\": " + printNumbers(pipeline.replicas);
  if (pipeline.stages.empty())
    return text + "}";
  text += ", \"stages\": [";
  for (const NamedStage &stage : pipeline.stages)
    text += (&stage == &pipeline.stages.front() ? "\n    {\"first\": "
                                                : ",\n    {\"first\": ") +
            quote(stage.first) +
            ", \"devices\": " + printNumbers(stage.devices) + "}";
  return text + "\n  ]}";
}

std::string soap::printStrategyFile(const StrategyFile &strategy) {
  using jsonfile::quote;
  std::string text = "{\n  \"version\": 1,\n";
  auto add = [&](const char *key, const std::string &value) {
    if (!value.empty())
      text += "  \"" + std::string(key) + "\": " + quote(value) + ",\n";
  };
  add("model_fingerprint", strategy.modelFingerprint);
  add("topology", strategy.topology);
  add("topology_fingerprint", strategy.topologyFingerprint);
  text += "  \"ops\": [";
  for (const NamedConfig &config : strategy.configs) {
    text += &config == &strategy.configs.front() ? "\n" : ",\n";
    text += "    {\"name\": " + quote(config.op);
    // By name, as they are read: the text of a file does not change on a round
    // trip.
    std::vector<std::pair<std::string, int64_t>> degrees = config.degrees;
    std::sort(degrees.begin(), degrees.end());
    if (!degrees.empty())
      text += ", \"degrees\": {";
    for (size_t i = 0; i < degrees.size(); ++i)
      text += (i ? ", " : "") + quote(degrees[i].first) + ": " +
              std::to_string(degrees[i].second);
    if (!degrees.empty())
      text += "}";
    if (config.replicas != 1)
      text += ", \"replicas\": " + std::to_string(config.replicas);
    text += ", \"devices\": " + printNumbers(config.devices) + "}";
  }
  text += "\n  ]";
  if (!strategy.keeps.empty()) {
    text += ",\n  \"keep\": [";
    for (size_t i = 0; i < strategy.keeps.size(); ++i)
      text += (i ? ",\n    {\"value\": " : "\n    {\"value\": ") +
              quote(strategy.keeps[i].value) +
              ", \"form\": " + quote(keepName(strategy.keeps[i].keep)) + "}";
    text += "\n  ]";
  }
  if (strategy.pipeline)
    text += ",\n  \"pipeline\": " + printPipeline(*strategy.pipeline);
  auto addNames = [&](const char *key, const std::vector<std::string> &names) {
    text += std::string(",\n  \"") + key + "\": [";
    for (size_t i = 0; i < names.size(); ++i)
      text += (i ? ",\n    " : "\n    ") + quote(names[i]);
    text += names.empty() ? "]" : "\n  ]";
  };
  if (strategy.recomputed)
    addNames("recompute", *strategy.recomputed);
  if (strategy.host)
    addNames("host", *strategy.host);
  if (!strategy.schedule.empty())
    addNames("schedule", strategy.schedule);
  return text + "\n}\n";
}

//===----------------------------------------------------------------------===//
// Resolving
//===----------------------------------------------------------------------===//

MaybeError soap::checkTopologyFingerprint(const StrategyFile &file,
                                          const Topology &topology,
                                          const std::string &fileName) {
  if (file.topologyFingerprint.empty() ||
      file.topologyFingerprint == fingerprint(topology))
    return std::nullopt;
  return Error{fileName + ": at /topology_fingerprint: expected \"" +
               fingerprint(topology) + "\" of topology '" + topology.name +
               "', got \"" + file.topologyFingerprint + "\""};
}

Expected<Strategy> soap::resolveStrategy(const Graph &graph,
                                         const StrategyFile &file,
                                         int deviceCount,
                                         const std::string &fileName) {
  auto fail = [&](const std::string &path, const std::string &message) {
    return Error{fileName + ": at " + path + ": " + message};
  };
  if (!file.modelFingerprint.empty() &&
      file.modelFingerprint != fingerprint(graph) &&
      file.modelFingerprint != fingerprintOf(graph, /*namesArguments=*/true))
    return fail("/model_fingerprint", "expected \"" + fingerprint(graph) +
                                          "\" of this model, got \"" +
                                          file.modelFingerprint + "\"");
  std::unordered_map<std::string, int> nodes;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    nodes.emplace(graph.nodes[n].whole.name, static_cast<int>(n));

  Strategy strategy(graph.nodes.size());
  std::vector<bool> found(graph.nodes.size());
  for (size_t i = 0; i < file.configs.size(); ++i) {
    const NamedConfig &named = file.configs[i];
    std::string path = "/ops/" + std::to_string(i);
    auto it = nodes.find(named.op);
    if (it == nodes.end())
      return fail(path + "/name", "unknown op '" + named.op +
                                      "', expected the name of an op of the "
                                      "model");
    if (found[it->second])
      return fail(path + "/name", "duplicate op '" + named.op + "'");
    found[it->second] = true;
    const IterationSpace &space = graph.nodes[it->second].whole.space;
    Config &config = strategy[it->second];
    config.degrees.assign(space.loops.size(), 1);
    config.replicas = named.replicas;
    config.devices = named.devices;
    for (const auto &[name, degree] : named.degrees) {
      int loop = space.findLoop(name);
      if (loop < 0) {
        std::string loops;
        for (const Loop &known : space.loops)
          loops += (loops.empty() ? "" : ", ") + known.name;
        return fail(path + "/degrees/" + name,
                    "unknown loop '" + name + "' of op '" + named.op +
                        "', expected one of " + loops);
      }
      config.degrees[loop] = degree;
    }
    ConfigCheck check = checkConfig(space, config, deviceCount);
    if (check.fault != ConfigFault::None)
      return fail(path, "op '" + named.op + "': " + check.message);
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (!found[n])
      return fail("/ops", "expected a config for op '" +
                              graph.nodes[n].whole.name +
                              "', which is missing");
  return strategy;
}

StrategyFile soap::toStrategyFile(const Graph &graph, const Strategy &strategy,
                                  const Topology &topology) {
  StrategyFile file;
  file.modelFingerprint = fingerprint(graph);
  file.topologyFingerprint = fingerprint(topology);
  file.topology = topology.name;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    NamedConfig named;
    named.op = kernel.name;
    for (size_t l = 0; l < kernel.space.loops.size(); ++l)
      if (strategy[n].degrees[l] != 1)
        named.degrees.emplace_back(kernel.space.loops[l].name,
                                   strategy[n].degrees[l]);
    named.replicas = strategy[n].replicas;
    named.devices = strategy[n].devices;
    file.configs.push_back(std::move(named));
  }
  for (const KeptValue &kept : keptValues(graph))
    file.keeps.push_back({graph.values[kept.value].name, kept.keep});
  return file;
}

MaybeError soap::applyKeeps(Graph &graph, const StrategyFile &file,
                            const std::string &fileName) {
  std::unordered_map<std::string, int> values;
  for (size_t v = 0; v < graph.values.size(); ++v)
    values.emplace(graph.values[v].name, static_cast<int>(v));
  for (size_t i = 0; i < file.keeps.size(); ++i) {
    std::string path =
        fileName + ": at /keep/" + std::to_string(i) + "/value: ";
    auto it = values.find(file.keeps[i].value);
    if (it == values.end())
      return Error{path + "unknown value '" + file.keeps[i].value +
                   "', expected the name of a value of the model"};
    if (MaybeError error = checkKeep(graph, it->second, file.keeps[i].keep))
      return Error{path + error->message};
    restoreValue(graph, it->second, file.keeps[i].keep);
  }
  return std::nullopt;
}
