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

TEST(Manifest, RejectsWithPlaceAndExpectation) {
  auto parsed = parseManifest("{", "m");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error(), "m: expected JSON");
  EXPECT_EQ(errorOf(json::array()),
            "m: at /: expected an object, got an array");
  EXPECT_EQ(errorWith("/version", 2), "m: at /version: expected 1, got 2");
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

} // namespace
