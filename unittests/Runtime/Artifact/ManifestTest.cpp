//===- ManifestTest.cpp - Good and bad manifests --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents that the parser reads, and the message for every kind of
// mistake.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Artifact/Manifest.h"
#include "Soap/Runtime/Execution/Initialize.h"

#include "gtest/gtest.h"
#include <nlohmann/json.hpp>

using namespace soap;
using namespace soap::runtime;
using nlohmann::json;

namespace {

json good() {
  return json::parse(R"({
    "version": 1, "devices": 2, "topology": "cpu-2",
    "tensors": [
      {"name": "x", "kind": "data", "shape": [4, 3], "dtype": "f32",
       "sample_dim": 0},
      {"name": "w", "kind": "parameter", "shape": [3], "dtype": "f32",
       "init": [1, 2, 3], "fan_in": 3, "fan_out": 1},
      {"name": "loss", "kind": "loss", "shape": [], "dtype": "f32"}],
    "entries": [{"name": "train_step", "batch": 4,
      "schedule": [{"name": "a[0]", "kind": "relu", "start_ns": 0, "end_ns": 5},
                   {"name": "t", "kind": "transfer"}],
      "ranks": [
        {"device": 0, "program": "p0", "arena_bytes": 64,
         "args": [{"tensor": "x", "region": [[[0, 1], [2, 4]], [[0, 3]]]},
                  {"tensor": "w", "region": [[[0, 3]]], "updated": true}],
         "results": [{"tensor": "loss", "region": []}],
         "tasks": [0, 1], "peers": [-1, 1], "transfers": [-1, 0]},
        {"device": 1, "program": "p1", "arena_bytes": 0, "args": [],
         "results": [], "tasks": [1], "peers": [0], "transfers": [0]}]}]})");
}

std::string errorOf(const json &manifest) {
  auto result = parseManifest(manifest.dump(), "m");
  return result ? "no error" : result.error();
}

/// The message after one value is replaced.
std::string errorWith(const char *pointer, json value) {
  json manifest = good();
  manifest[json::json_pointer(pointer)] = std::move(value);
  return errorOf(manifest);
}

TEST(Manifest, Parses) {
  auto manifest = parseManifest(good().dump(), "m");
  ASSERT_TRUE(manifest) << manifest.error();
  EXPECT_EQ(manifest->devices, 2);
  ASSERT_EQ(manifest->tensors.size(), 3u);
  EXPECT_EQ(manifest->tensors[1].kind, TensorKind::Parameter);
  EXPECT_EQ(manifest->tensors[1].init.values, (std::vector<double>{1, 2, 3}));
  const EntryInfo *entry = manifest->entry("train_step");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->transferCount, 1);
  EXPECT_EQ(entry->ranks[0].args[0].region.str(), "[0:1, 2:4], [0:3]");
  EXPECT_TRUE(entry->ranks[0].args[1].updated);
  EXPECT_EQ(manifest->entry("forward"), nullptr);
}

TEST(Manifest, InitialValuesAsBase64) {
  json manifest = good();
  // 1.0f, 2.0f, -0.5f.
  manifest["tensors"][1]["init"] = {{"base64", "AACAPwAAAEAAAAC/"}};
  auto parsed = parseManifest(manifest.dump(), "m");
  ASSERT_TRUE(parsed) << parsed.error();
  const TensorInfo &info = parsed->tensors[1];
  HostTensor value = initialValue(info, info.init, 0);
  EXPECT_EQ(value.at(0), 1);
  EXPECT_EQ(value.at(1), 2);
  EXPECT_EQ(value.at(2), -0.5);
  auto error = [&](const char *text) {
    return errorWith("/tensors/1/init", {{"base64", text}});
  };
  EXPECT_EQ(error("AACAPwAAAEAAAAC/AA=="),
            "m: at /tensors/1/init/base64: expected 12 bytes, got 13");
  EXPECT_EQ(error("AACAPwAAAEAAAA=="),
            "m: at /tensors/1/init/base64: expected 12 bytes, got 10");
  EXPECT_EQ(error("AACA PwAA"), "m: at /tensors/1/init/base64: expected "
                                "base64, got a character of value 32");
  EXPECT_EQ(error("AAAAA"), "m: at /tensors/1/init/base64: expected base64 of "
                            "a multiple of 4 characters");
}

TEST(Manifest, ClassesOfElements) {
  json text = good();
  text["tensors"][0]["classes"] = json{2, 50, 1, 0};
  auto manifest = parseManifest(text.dump(), "m");
  ASSERT_TRUE(manifest) << manifest.error();
  EXPECT_EQ(manifest->tensors[0].classes, 0);
  EXPECT_EQ(manifest->tensors[0].classRuns,
            (std::vector<std::pair<int64_t, int64_t>>{{2, 50}, {1, 0}}));
  // A sample has three elements.
  for (const json &wrong :
       {json{2, 50}, json{2, 50, 2, 0}, json{3}, json::array()})
    EXPECT_EQ(errorWith("/tensors/0/classes", wrong),
              "m: at /tensors/0/classes: expected pairs of a number of "
              "elements and their classes, for all elements of a sample");
}

TEST(Manifest, RejectsWithPlaceAndExpectation) {
  auto parsed = parseManifest("{", "m");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error(), "m: expected JSON");
  EXPECT_EQ(errorOf(json::array()),
            "m: at /: expected an object, got an array");
  EXPECT_EQ(errorWith("/version", 3),
            "m: at /version: expected an integer from 1 to 2, got 3");
  EXPECT_EQ(errorWith("/devices", 0),
            "m: at /devices: expected an integer from 1 to 4096, got 0");
  EXPECT_EQ(errorWith("/devices", "two"),
            "m: at /devices: expected an integer from 1 to 4096, got \"two\"");
  EXPECT_EQ(errorWith("/tensors/0/kind", "weights"),
            "m: at /tensors/0/kind: expected one of data, label, parameter, "
            "state, loss, correct, output, positions, got \"weights\"");
  EXPECT_EQ(errorWith("/tensors/0/kind", "positions").substr(0, 71),
            "m: at /tensors/0: expected positions of type i32 in one dimension "
            "of at");
  EXPECT_EQ(errorWith("/tensors/0/dtype", "f8"),
            "m: at /tensors/0/dtype: expected one of f32, f64, i32, i64, f16, "
            "bf16, got \"f8\"");
  EXPECT_EQ(errorWith("/tensors/0/shape", json{1 << 30, 1 << 30}),
            "m: at /tensors/0/shape: the tensor is too large");
  EXPECT_EQ(errorWith("/tensors/0/shape/1", -1),
            "m: at /tensors/0/shape/1: expected an integer from 0 to "
            "17592186044416, got -1");
  EXPECT_EQ(errorWith("/tensors/1/name", "x"),
            "m: at /tensors/1/name: the name 'x' is used twice");
  EXPECT_EQ(errorWith("/tensors/1/init", json{1, 2}),
            "m: at /tensors/1/init: expected 1 or 3 values, got 2");
  EXPECT_EQ(
      errorWith("/tensors/0/sample_dim", 2),
      "m: at /tensors/0/sample_dim: expected an integer from -1 to 1, got "
      "2");
  EXPECT_EQ(errorWith("/tensors/1/memory", "disk"),
            "m: at /tensors/1/memory: expected \"host\", got \"disk\"");
  EXPECT_EQ(errorWith("/tensors/1/memory", "host"),
            "m: at /tensors/1/memory: tensor 'w' is no state: only states are "
            "in host memory");
  EXPECT_EQ(errorWith("/gpu", json::object({{"chip", "gfx90a"}})),
            "m: at /gpu/chip: expected the name of a chip, such as sm_90, got "
            "\"gfx90a\"");
  EXPECT_EQ(
      errorWith("/gpu", json::object({{"chip", "sm_90"}, {"format", "elf"}})),
      "m: at /gpu/format: expected bin or isa, got \"elf\"");
  EXPECT_EQ(errorWith("/gpu", json::object({{"chip", "sm_90"},
                                            {"format", "bin"},
                                            {"host_references", 1}})),
            "m: at /gpu/host_references: expected true or false, got 1");
  auto kernelError = [&](json kernel) {
    return errorWith("/gpu",
                     json::object({{"chip", "sm_90"},
                                   {"format", "bin"},
                                   {"host_references", true},
                                   {"kernels", json::array({kernel})}}));
  };
  EXPECT_EQ(kernelError({{"name", "k"}, {"elements", {"f8"}}, {"counts", {1}}}),
            "m: at /gpu/kernels/0/elements/0: expected a type of elements, or "
            "bytes, got \"f8\"");
  EXPECT_EQ(
      kernelError({{"name", "k"}, {"elements", {"f32"}}, {"counts", {1, 2}}}),
      "m: at /gpu/kernels/0: expected as many counts as elements");
  EXPECT_EQ(
      kernelError({{"name", "k"}, {"elements", {"f32"}}, {"counts", {-1}}}),
      "m: at /gpu/kernels/0/counts/0: expected an integer from 0 to "
      "281474976710656, got -1");
  const std::string rank = "/entries/0/ranks/0";
  auto rankError = [&](const std::string &path, json value) {
    return errorWith((rank + path).c_str(), std::move(value));
  };
  EXPECT_EQ(rankError("/args/0/tensor", "y"),
            "m: at /entries/0/ranks/0/args/0/tensor: expected the name of a "
            "tensor of the manifest, got \"y\"");
  EXPECT_EQ(rankError("/args/0/region/1", json{{0, 4}}),
            "m: at /entries/0/ranks/0/args/0/region/1/0/1: expected an integer "
            "from 1 to 3, got 4");
  EXPECT_EQ(rankError("/args/0/region/0", json{{2, 3}, {0, 1}}),
            "m: at /entries/0/ranks/0/args/0/region/0/1/0: expected 4, got "
            "0");
  EXPECT_EQ(rankError("/args/0/region", json::array()),
            "m: at /entries/0/ranks/0/args/0/region: expected 2 dimensions as "
            "tensor 'x' has, got 0");
  EXPECT_EQ(rankError("/device", 1),
            "m: at /entries/0/ranks/1/device: device 1 has more than one "
            "program");
  EXPECT_EQ(
      rankError("/tasks/0", 7),
      "m: at /entries/0/ranks/0/tasks/0: expected an integer from 0 to 1, "
      "got 7");
  EXPECT_EQ(rankError("/peers", json{-1}),
            "m: at /entries/0/ranks/0/peers: expected 2 numbers as in 'tasks', "
            "got 1");
  EXPECT_EQ(rankError("/peers/1", -1),
            "m: at /entries/0/ranks/0/transfers/1: expected a peer and a "
            "transfer number or neither");
  EXPECT_EQ(rankError("/transfers/1", 1),
            "m: at /entries/0/ranks: transfer 0: expected 2 ends, got 1");
  EXPECT_EQ(rankError("/peers/1", 0),
            "m: at /entries/0/ranks: transfer 0: the ends on devices 0 and 1 "
            "name other peers");
  EXPECT_EQ(
      rankError("/arena_bytes", -5),
      "m: at /entries/0/ranks/0/arena_bytes: expected an integer from 0 to "
      "17592186044416, got -5");
  json missing = good();
  missing["entries"][0].erase("schedule");
  EXPECT_EQ(errorOf(missing),
            "m: at /entries/0: expected key \"schedule\", which is missing");
  json large = good();
  large["entries"][0]["ranks"][0]["transfers"][1] = 1 << 30;
  large["entries"][0]["ranks"][1]["transfers"][0] = 1 << 30;
  EXPECT_EQ(errorOf(large),
            "m: at /entries/0/ranks: transfer 1073741824: the number is too "
            "large for 3 slots");
}

/// `good` for four microbatches, with its schedule in rows: two tasks each on
/// device 0, of which the second sends to device 1.
json rows() {
  json manifest = good();
  manifest["version"] = 2;
  json &entry = manifest["entries"][0];
  entry["schedule"] = {{"names", {"a[*]", "t:0>1#*.*"}},
                       {"kinds", {"relu", "transfer"}},
                       {"shapes", {"relu 5"}},
                       {"counts", "4 4"},
                       {"durations_ns", "5 2"},
                       {"shape", "0 -1"},
                       {"start_ns", "0 3x1+10 4x4+5"},
                       {"numbers", "0 3x1+1 7 3x1 0 3x1+1"},
                       {"key_block", "1 3x1 2 3x1"},
                       {"key_task", "0 3x1+1 4x4"},
                       {"key_step", "0 7x1"}};
  entry["ranks"][0]["slots"] = "1 1";
  entry["ranks"][0]["peers"] = "-1 3x1 1 3x1";
  entry["ranks"][0]["transfers"] = "-1 3x1 0 3x1+1";
  entry["ranks"][1]["slots"] = "0 1";
  entry["ranks"][1]["peers"] = "0 3x1";
  entry["ranks"][1]["transfers"] = "0 3x1+1";
  for (json &rank : entry["ranks"]) {
    rank.erase("tasks");
    rank["collectives"] = rank["device"] == 0 ? "-1 7x1" : "-1 3x1";
  }
  return manifest;
}

TEST(Manifest, ListsTasksOfRows) {
  auto manifest = parseManifest(rows().dump(), "m");
  ASSERT_TRUE(manifest) << manifest.error();
  const EntryInfo &entry = manifest->entries[0];
  ASSERT_EQ(entry.schedule.size(), 8u);
  for (size_t i = 0; i < 8; ++i) {
    const ScheduledTask &task = entry.schedule[i];
    std::string number = std::to_string(i / 2);
    int64_t start = int64_t(i / 2) * 10 + (i % 2 ? 5 : 0);
    EXPECT_EQ(task.name, i % 2 ? "t:0>1#7." + number : "a[" + number + "]");
    EXPECT_EQ(task.kind, i % 2 ? "transfer" : "relu");
    EXPECT_EQ(task.shape, i % 2 ? "" : "relu 5");
    EXPECT_EQ(task.startNs, start);
    EXPECT_EQ(task.endNs, start + (i % 2 ? 2 : 5));
  }
  using Numbers = std::vector<int64_t>;
  EXPECT_EQ(entry.ranks[0].tasks, (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(entry.ranks[0].peers, (Numbers{-1, 1, -1, 1, -1, 1, -1, 1}));
  EXPECT_EQ(entry.ranks[0].transfers, (Numbers{-1, 0, -1, 1, -1, 2, -1, 3}));
  EXPECT_EQ(entry.ranks[1].tasks, (Numbers{1, 3, 5, 7}));
  EXPECT_EQ(entry.ranks[1].peers, (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(entry.ranks[1].transfers, (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(entry.transferCount, 4);
  // The same tasks one by one are the same program.
  json listed = good();
  json &tasks = listed["entries"][0]["schedule"];
  tasks = json::array();
  for (const ScheduledTask &task : entry.schedule)
    tasks.push_back({{"name", task.name}, {"kind", task.kind}});
  for (size_t r = 0; r < 2; ++r) {
    json &rank = listed["entries"][0]["ranks"][r];
    rank["tasks"] = entry.ranks[r].tasks;
    rank["peers"] = entry.ranks[r].peers;
    rank["transfers"] = entry.ranks[r].transfers;
  }
  auto other = parseManifest(listed.dump(), "m");
  ASSERT_TRUE(other) << other.error();
  EXPECT_EQ(fingerprint(*other), fingerprint(*manifest));
}

TEST(Manifest, RejectsWrongRows) {
  auto error = [](const std::string &pointer, json value) {
    json manifest = rows();
    manifest[json::json_pointer("/entries/0" + pointer)] = std::move(value);
    return errorOf(manifest);
  };
  EXPECT_EQ(error("/schedule/counts", "4 5"),
            "m: at /entries/0/schedule: 'start_ns': expected 9 numbers, got 8");
  EXPECT_EQ(error("/schedule/counts", json{4, 4}),
            "m: at /entries/0/schedule/counts: expected a string, got an "
            "array");
  EXPECT_EQ(error("/schedule/start_ns", "0 3x1+10 4x4-15"),
            "m: at /entries/0/schedule: 'start_ns': expected numbers from 0 to "
            "4611686018427387903, got -15");
  EXPECT_EQ(error("/schedule/shape", "1 -1"),
            "m: at /entries/0/schedule/shape: expected numbers of 'shapes', of "
            "which there are 1, got 1");
  EXPECT_EQ(error("/ranks/0/slots", "1 2"),
            "m: at /entries/0/ranks/0: 'peers': expected 12 numbers, got 8");
  EXPECT_EQ(error("/ranks/0/slots", json()),
            "m: at /entries/0/ranks/0/slots: expected a string, got null");
  EXPECT_EQ(error("/ranks/0/peers", "-1 3x1 2 3x1"),
            "m: at /entries/0/ranks/0/peers: expected numbers below 2, got 2");
  EXPECT_EQ(error("/ranks/0/peers", "-1 7x1"),
            "m: at /entries/0/ranks/0/transfers: slot 1: expected a peer and a "
            "transfer number or neither");
  EXPECT_EQ(error("/ranks/0/transfers", "-1 3x1 2147483649 3x1+1"),
            "m: at /entries/0/ranks/0/transfers: expected numbers below "
            "2147483649, got 2147483649");
  EXPECT_EQ(error("/ranks/1/transfers", "0 2x1+1 0"),
            "m: at /entries/0/ranks: transfer 0: expected 2 ends, got 3");
  EXPECT_EQ(error("/ranks/0/collectives", "0 7x1"),
            "m: at /entries/0/ranks/0/collectives: expected numbers below 0, "
            "got 0");
  json manifest = rows();
  manifest["entries"][0]["ranks"][0].erase("slots");
  EXPECT_EQ(errorOf(manifest),
            "m: at /entries/0/ranks/0: expected a text of numbers 'slots', as "
            "'counts' is one");
}

} // namespace
