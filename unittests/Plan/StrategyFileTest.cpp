//===- StrategyFileTest.cpp - Strategies as JSON --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Round trips of random strategies, fingerprints, and one message per kind of
// mistake.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/StrategyFile.h"
#include "Support/Graphs.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>

using namespace soap;
using namespace soap::test;
using Json = nlohmann::json;

TEST(StrategyFile, RoundTrip) {
  Random random(40);
  Topology topology = *builtinTopology("cpu-4");
  Mlp mlp = makeMlp(8, {6, 5, 4});
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(random.trace(round));
    Strategy strategy = randomStrategy(random, mlp.graph, 4);
    StrategyFile file = toStrategyFile(mlp.graph, strategy, topology);
    if (round % 2)
      file.schedule = {"fc0[0]", "a \"task\""};
    file.keeps = {{"relu0.out", Keep::After}, {"w1", Keep::Before}};
    if (round % 3)
      file.pipeline = {4, "gpipe", {}, {}};
    if (round % 3 == 2)
      file.pipeline->stages = {{"fc0", {0, 1}}, {"fc1", {2, 3}}};
    else if (file.pipeline)
      file.pipeline->replicas = {2, 1, 1};
    if (round % 3 == 0)
      file.recomputed.emplace();
    if (round % 3 == 1)
      file.recomputed = {"relu0", "an \"op\""};
    std::string text = printStrategyFile(file);
    Expected<StrategyFile> parsed = parseStrategyFile(text, "s.json");
    ASSERT_TRUE(static_cast<bool>(parsed)) << parsed.error();
    ASSERT_EQ(printStrategyFile(*parsed), text);
    ASSERT_EQ(parsed->schedule, file.schedule);
    ASSERT_EQ(parsed->pipeline.has_value(), file.pipeline.has_value());
    ASSERT_EQ(parsed->recomputed, file.recomputed);
    Graph graph = mlp.graph;
    ASSERT_FALSE(applyKeeps(graph, *parsed, "s.json"));
    ASSERT_EQ(fingerprint(graph), fingerprint(mlp.graph));
    StrategyFile again = toStrategyFile(graph, strategy, topology);
    ASSERT_EQ(again.keeps.size(), 2U);
    ASSERT_EQ(again.keeps[0].value, "relu0.out");
    ASSERT_EQ(again.keeps[0].keep, Keep::After);
    ASSERT_EQ(again.keeps[1].value, "w1");
    ASSERT_EQ(parsed->topology, "cpu-4");
    Expected<Strategy> resolved =
        resolveStrategy(mlp.graph, *parsed, 4, "s.json");
    ASSERT_TRUE(static_cast<bool>(resolved)) << resolved.error();
    ASSERT_EQ(*resolved, strategy);
    ASSERT_FALSE(checkTopologyFingerprint(*parsed, topology, "s.json"));
  }
}

/// The values that no op makes.
static std::vector<int> graphInputs(const Graph &graph) {
  std::vector<bool> isMade(graph.values.size());
  for (const GraphNode &node : graph.nodes)
    for (int value : node.whole.results)
      isMade[value] = true;
  std::vector<int> inputs;
  for (size_t value = 0; value < isMade.size(); ++value)
    if (!isMade[value])
      inputs.push_back(static_cast<int>(value));
  return inputs;
}

TEST(StrategyFile, Fingerprints) {
  Mlp mlp = makeMlp(8, {6, 4}), wider = makeMlp(8, {6, 5}),
      renamed = makeMlp(8, {6, 4});
  EXPECT_EQ(fingerprint(mlp.graph), fingerprint(makeMlp(8, {6, 4}).graph));
  EXPECT_NE(fingerprint(mlp.graph), fingerprint(wider.graph));
  renamed.graph.nodes[0].whole.name = "other";
  EXPECT_NE(fingerprint(mlp.graph), fingerprint(renamed.graph));
  EXPECT_EQ(fingerprint(mlp.graph).size(), 16u);
  // Importers name arguments, each in its way; which one an op reads counts.
  Mlp named = makeMlp(8, {6, 4});
  std::vector<int> arguments = graphInputs(named.graph);
  ASSERT_GE(arguments.size(), 2u);
  for (int value : arguments)
    named.graph.values[value].name = "arg" + std::to_string(value);
  EXPECT_EQ(fingerprint(mlp.graph), fingerprint(named.graph));
  for (GraphNode &node : named.graph.nodes)
    for (int &value : node.whole.operands)
      if (value == arguments[1])
        value = arguments[0];
  EXPECT_NE(fingerprint(mlp.graph), fingerprint(named.graph));
  EXPECT_NE(fingerprint(*builtinTopology("cpu-4")),
            fingerprint(*builtinTopology("cpu-5")));
}

/// Files of earlier versions have the names of arguments in the fingerprint.
TEST(StrategyFile, FingerprintOfEarlierVersions) {
  Graph graph;
  graph.values = {{"x", {4}, 4}, {"y", {4}, 4}};
  GraphNode node;
  node.whole.name = "relu";
  node.whole.kind = "relu";
  node.whole.operands = {0};
  node.whole.results = {1};
  graph.nodes.push_back(node);
  StrategyFile file;
  file.configs.push_back({"relu", {}, 1, {0}});
  file.modelFingerprint = "f713f94d9b9612a6";
  EXPECT_NE(fingerprint(graph), file.modelFingerprint);
  EXPECT_TRUE(static_cast<bool>(resolveStrategy(graph, file, 1, "s.json")));
  graph.values[0].name = "z";
  EXPECT_FALSE(static_cast<bool>(resolveStrategy(graph, file, 1, "s.json")));
}

/// The fingerprint of strings must not change between versions: files would be
/// refused.
TEST(StrategyFile, FingerprintIsStable) {
  Graph graph;
  EXPECT_EQ(fingerprint(graph), "cbf29ce484222325");
}

class StrategyFileErrors : public testing::Test {
protected:
  Mlp mlp = makeMlp(8, {6, 4});
  Topology topology = *builtinTopology("cpu-4");

  Json validFile() {
    Strategy strategy;
    for (const GraphNode &node : mlp.graph.nodes)
      strategy.push_back(Config::single(node.whole.space));
    strategy[0].degrees = {2, 1, 1};
    strategy[0].devices = {1, 3};
    return Json::parse(
        printStrategyFile(toStrategyFile(mlp.graph, strategy, topology)));
  }
  void expectError(const std::string &text, const std::string &message) {
    Expected<StrategyFile> file = parseStrategyFile(text, "s.json");
    if (!file) {
      EXPECT_EQ(file.error(), "s.json: " + message);
      return;
    }
    if (MaybeError error =
            checkTopologyFingerprint(*file, topology, "s.json")) {
      EXPECT_EQ(error->message, "s.json: " + message);
      return;
    }
    Expected<Strategy> strategy =
        resolveStrategy(mlp.graph, *file, 4, "s.json");
    ASSERT_FALSE(static_cast<bool>(strategy)) << message;
    EXPECT_EQ(strategy.error(), "s.json: " + message);
  }
  void expectError(const std::function<void(Json &)> &change,
                   const std::string &message) {
    Json file = validFile();
    change(file);
    expectError(file.dump(), message);
  }
};

TEST_F(StrategyFileErrors, ValidFileIsValid) {
  Expected<StrategyFile> file = parseStrategyFile(validFile().dump(), "s.json");
  ASSERT_TRUE(static_cast<bool>(file)) << file.error();
  Expected<Strategy> strategy = resolveStrategy(mlp.graph, *file, 4, "s.json");
  ASSERT_TRUE(static_cast<bool>(strategy)) << strategy.error();
  EXPECT_EQ((*strategy)[0], (Config{{2, 1, 1}, 1, {1, 3}}));
}

TEST_F(StrategyFileErrors, Structure) {
  expectError([](Json &f) { f["version"] = 7; },
              "at /version: expected version 1, got 7");
  expectError([](Json &f) { f.erase("version"); },
              "at /: expected key \"version\", which is missing");
  expectError([](Json &f) { f.erase("ops"); },
              "at /: expected key \"ops\", which is missing");
  expectError([](Json &f) { f["ops"] = Json::object(); },
              "at /ops: expected an array, got an object");
  expectError([](Json &f) { f["ops"][0] = 3; },
              "at /ops/0: expected an object, got 3");
  expectError([](Json &f) { f["ops"][0]["name"] = 3; },
              "at /ops/0/name: expected a string that is not empty, got 3");
  expectError([](Json &f) { f["ops"][0]["device"] = 3; },
              "at /ops/0: unknown key \"device\", expected one of name, "
              "degrees, replicas, devices");
  expectError([](Json &f) { f["ops"][0].erase("devices"); },
              "at /ops/0: expected key \"devices\", which is missing");
  expectError([](Json &f) { f["schedule"] = {1, 2}; },
              "at /schedule/0: expected a string that is not empty, got 1");
  expectError(
      [](Json &f) { f["hint"] = 1; },
      "at /: unknown key \"hint\", expected one of version, model_fingerprint, "
      "topology, topology_fingerprint, ops, keep, pipeline, recompute, host, "
      "schedule");
}

TEST_F(StrategyFileErrors, Keeps) {
  auto keep = [](const char *value, const char *form) {
    return [=](Json &f) { f["keep"] = {{{"value", value}, {"form", form}}}; };
  };
  expectError(keep("relu0.out", "none"),
              "at /keep/0/form: expected both, before or after, got \"none\"");
  for (auto [value, message] :
       {std::pair("nothing", "unknown value 'nothing', expected the name of a "
                             "value of the model"),
        {"x", "value 'x' cannot be kept in one form: an argument without a "
              "place is wherever it is read"}}) {
    Json file = validFile();
    keep(value, "before")(file);
    Expected<StrategyFile> parsed = parseStrategyFile(file.dump(), "s.json");
    ASSERT_TRUE(static_cast<bool>(parsed)) << parsed.error();
    Graph graph = mlp.graph;
    MaybeError error = applyKeeps(graph, *parsed, "s.json");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->message,
              std::string("s.json: at /keep/0/value: ") + message);
  }
}

TEST_F(StrategyFileErrors, Pipelines) {
  auto pipeline = [](int64_t microbatches, const char *schedule) {
    return [=](Json &f) {
      f["pipeline"] = {{"microbatches", microbatches}, {"schedule", schedule}};
    };
  };
  expectError(
      pipeline(0, "1f1b"),
      "at /pipeline/microbatches: expected an integer from 1 to 1048576, "
      "got 0");
  expectError(pipeline(2, "2f2b"), "at /pipeline/schedule: expected gpipe, "
                                   "1f1b or 1f1b-overlapped, got \"2f2b\"");
}

TEST_F(StrategyFileErrors, InvalidJson) {
  std::string text = validFile().dump();
  for (size_t length :
       {size_t(0), size_t(5), text.size() / 2, text.size() - 1}) {
    Expected<StrategyFile> file =
        parseStrategyFile(text.substr(0, length), "s.json");
    ASSERT_FALSE(static_cast<bool>(file));
    EXPECT_EQ(file.error().rfind(
                  "s.json: invalid JSON: parse error at line 1, column ", 0),
              0u)
        << file.error();
  }
  expectError(text.substr(0, text.size() - 1) + ",\"version\":1}",
              "duplicate key \"version\"");
  std::string twice = text;
  twice.replace(twice.find("\"degrees\":{\"n\":2}"), 17,
                "\"degrees\":{\"n\":2,\"n\":1}");
  expectError(twice, "duplicate key \"n\"");
}

TEST_F(StrategyFileErrors, Ops) {
  expectError([](Json &f) { f["ops"][0]["name"] = "fc9"; },
              "at /ops/0/name: unknown op 'fc9', expected the name of an op of "
              "the model");
  expectError([](Json &f) { f["ops"].erase(1); },
              "at /ops: expected a config for op 'relu0', which is missing");
  expectError([](Json &f) { f["ops"].push_back(f["ops"][1]); },
              "at /ops/5/name: duplicate op 'relu0'");
  expectError([](Json &f) { f["ops"][0]["degrees"]["z"] = 1; },
              "at /ops/0/degrees/z: unknown loop 'z' of op 'fc0', expected one "
              "of n, k, c");
}

TEST_F(StrategyFileErrors, Configs) {
  expectError(
      [](Json &f) { f["ops"][0]["degrees"]["n"] = 0; },
      "at /ops/0/degrees/n: expected an integer from 1 to 1048576, got 0");
  expectError(
      [](Json &f) { f["ops"][0]["degrees"]["n"] = "2"; },
      "at /ops/0/degrees/n: expected an integer from 1 to 1048576, got \"2\"");
  expectError([](Json &f) { f["ops"][0]["degrees"] = Json::array({2}); },
              "at /ops/0/degrees: expected an object, got an array");
  expectError(
      [](Json &f) { f["ops"][0]["replicas"] = -2; },
      "at /ops/0/replicas: expected an integer from 1 to 1048576, got -2");
  expectError(
      [](Json &f) { f["ops"][0]["devices"] = {1, -1}; },
      "at /ops/0/devices/1: expected an integer from 0 to 1048576, got -1");
  expectError([](Json &f) { f["ops"][0]["devices"] = {1, 4}; },
              "at /ops/0: op 'fc0': device 4 is not in the topology, which has "
              "4 devices");
  expectError([](Json &f) { f["ops"][0]["devices"] = {1, 2, 3}; },
              "at /ops/0: op 'fc0': expected 2 devices, replicas times the "
              "product of the degrees, got 3");
  mlp.graph.nodes[0].whole.space.loops[0].type = IteratorType::Serial;
  expectError([](Json &) {}, "at /ops/0: op 'fc0': loop 'n' is serial and may "
                             "not be split, got degree 2");
}

TEST_F(StrategyFileErrors, Fingerprints) {
  std::string model = fingerprint(mlp.graph), place = fingerprint(topology);
  expectError([](Json &f) { f["model_fingerprint"] = "0123"; },
              "at /model_fingerprint: expected \"" + model +
                  "\" of this model, got \"0123\"");
  expectError([](Json &f) { f["topology_fingerprint"] = "0123"; },
              "at /topology_fingerprint: expected \"" + place +
                  "\" of topology 'cpu-4', got \"0123\"");
}
