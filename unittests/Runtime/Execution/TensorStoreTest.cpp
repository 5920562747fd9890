//===- TensorStoreTest.cpp - Tiles, versions, copies ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between packed tiles against a naive element loop, and which tiles the
// store refreshes when.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Execution/TensorStore.h"

#include "gtest/gtest.h"
#include <nlohmann/json.hpp>
#include <random>

using namespace soap;
using namespace soap::runtime;
using nlohmann::json;

namespace {

using Rng = std::mt19937;

IndexSet drawSet(Rng &rng, int64_t extent) {
  std::vector<Interval> intervals;
  for (int64_t i = 0; i < extent; ++i)
    if (rng() % 3)
      intervals.push_back({i, i + 1});
  return IndexSet::fromIntervals(intervals);
}

/// Global coordinates of the packed elements of a region, in order.
std::vector<std::vector<int64_t>> elements(const Region &region) {
  std::vector<std::vector<int64_t>> result = {{}};
  for (size_t d = 0; d < region.rank(); ++d) {
    std::vector<std::vector<int64_t>> next;
    for (const auto &prefix : result)
      for (const Interval &interval : region[d].intervals())
        for (int64_t i = interval.lo; i < interval.hi; ++i) {
          next.push_back(prefix);
          next.back().push_back(i);
        }
    result = std::move(next);
  }
  return result;
}

TEST(Tiles, CopiesEqualTheNaiveLoop) {
  Rng rng(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<IndexSet> fromDims, toDims;
    for (size_t d = rng() % 5; d-- > 0;) {
      int64_t extent = 1 + int64_t(rng() % 5);
      bool same = rng() % 3 == 0;
      fromDims.push_back(drawSet(rng, extent));
      toDims.push_back(same ? fromDims.back() : drawSet(rng, extent));
    }
    Region from(fromDims), to(toDims);
    auto fromElements = elements(from), toElements = elements(to);
    std::vector<int32_t> source(fromElements.size()),
        target(toElements.size(), -1);
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = int32_t(i);
    std::vector<int32_t> want = target;
    int64_t common = 0;
    for (size_t i = 0; i < source.size(); ++i)
      for (size_t j = 0; j < target.size(); ++j)
        if (fromElements[i] == toElements[j]) {
          want[j] = source[i];
          ++common;
        }
    EXPECT_EQ(copyPacked(from, source.data(), to, target.data(), 4), common);
    EXPECT_EQ(target, want) << from.str() << " -> " << to.str();
  }
}

/// Two devices; `train` keeps w [4] split in halves, `evaluate` wants it whole
/// on device 0, `other` in the same halves as `train`.
std::shared_ptr<const Manifest> halves() {
  json manifest = json::parse(R"({
    "version": 1, "devices": 2,
    "tensors": [
      {"name": "w", "kind": "parameter", "shape": [4], "dtype": "f32"},
      {"name": "y", "kind": "output", "shape": [4], "dtype": "f32"}],
    "entries": []})");
  auto add = [&](const char *name, json first, json second, bool updated) {
    json ranks = json::array();
    int device = 0;
    for (json region : {first, second}) {
      json args = json::array(), results = json::array();
      if (!region.is_null()) {
        args.push_back(
            {{"tensor", "w"}, {"region", {region}}, {"updated", updated}});
        results.push_back({{"tensor", "y"}, {"region", {region}}});
      }
      ranks.push_back({{"device", device++},
                       {"program", "p"},
                       {"arena_bytes", 0},
                       {"args", args},
                       {"results", results},
                       {"tasks", json::array()},
                       {"peers", json::array()},
                       {"transfers", json::array()}});
    }
    manifest["entries"].push_back({{"name", name},
                                   {"batch", 1},
                                   {"schedule", json::array()},
                                   {"ranks", ranks}});
  };
  add("train", {{0, 2}}, {{2, 4}}, true);
  add("evaluate", {{0, 4}}, nullptr, false);
  add("other", {{0, 2}}, {{2, 4}}, false);
  add("half", {{0, 2}}, nullptr, false);
  auto parsed = parseManifest(manifest.dump(), "m");
  EXPECT_TRUE(parsed) << parsed.error();
  return std::make_shared<const Manifest>(*parsed);
}

TEST(TensorStore, MovesWeightsOnlyWhenNeeded) {
  auto manifest = halves();
  TensorStore store(manifest);
  MaybeError error = store.prepare(0);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "parameter 'w' has no value");

  HostTensor value(ElementType::F64, {4});
  for (int i = 0; i < 4; ++i)
    value.set(i, i + 1);
  ASSERT_FALSE(store.set(0, value));
  ASSERT_FALSE(store.prepare(0));
  EXPECT_EQ(store.elementsMoved(), 4);
  auto *first = static_cast<float *>(store.pointers(0, 0)[0]);
  auto *second = static_cast<float *>(store.pointers(0, 1)[0]);
  EXPECT_EQ(first[1], 2);
  EXPECT_EQ(second[0], 3);

  // The program updates its tiles; the next iteration moves nothing.
  first[0] = 10, second[1] = 40;
  store.finished(0);
  ASSERT_FALSE(store.prepare(0));
  EXPECT_EQ(store.elementsMoved(), 4);
  // The same tiles in another entry are the same memory.
  EXPECT_EQ(store.pointers(2, 0)[0], first);
  ASSERT_FALSE(store.prepare(2));
  EXPECT_EQ(store.elementsMoved(), 4);
  // Other tiles are gathered once.
  ASSERT_FALSE(store.prepare(1));
  EXPECT_EQ(store.elementsMoved(), 8);
  auto *whole = static_cast<float *>(store.pointers(1, 0)[0]);
  EXPECT_EQ(std::vector<float>(whole, whole + 4),
            (std::vector<float>{10, 2, 3, 40}));
  store.finished(1);
  ASSERT_FALSE(store.prepare(1));
  EXPECT_EQ(store.elementsMoved(), 8);

  auto gathered = store.get(0);
  ASSERT_TRUE(gathered) << gathered.error();
  EXPECT_EQ(gathered->at(3), 40);
}

TEST(TensorStore, ResultsAreGathered) {
  TensorStore store(halves());
  for (int rank : {0, 1})
    for (int i : {0, 1})
      static_cast<float *>(store.pointers(0, rank)[1])[i] = float(rank * 2 + i);
  auto result = store.result(0, 1);
  ASSERT_TRUE(result) << result.error();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(result->at(i), i);
  auto partial = store.result(3, 1);
  ASSERT_FALSE(partial);
  EXPECT_EQ(partial.error(), "entry 'half' does not compute all of 'y'");
}

TEST(TensorStore, PositionsAreWhatTheirRegionsSay) {
  auto manifest = parseManifest(json::parse(R"({
        "version": 1, "devices": 2,
        "tensors": [
          {"name": "p", "kind": "positions", "shape": [100], "dtype": "i32"}],
        "entries": [{"name": "f", "schedule": [{"name": "a", "kind": "relu"}],
          "ranks": [
            {"device": 0, "program": "p", "arena_bytes": 0, "results": [],
             "args": [{"tensor": "p", "region": [[[0, 1]]]}],
             "tasks": [0], "peers": [-1], "transfers": [-1]},
            {"device": 1, "program": "p", "arena_bytes": 0, "results": [],
             "args": [{"tensor": "p", "region": [[[50, 52], [99, 100]]]}],
             "tasks": [0], "peers": [-1], "transfers": [-1]}]}]})")
                                    .dump(),
                                "m");
  ASSERT_TRUE(manifest) << manifest.error();
  TensorStore store(std::make_shared<const Manifest>(std::move(*manifest)));
  MaybeError error = store.prepare(0);
  ASSERT_FALSE(error) << error->message;
  EXPECT_EQ(*static_cast<int32_t *>(store.pointers(0, 0)[0]), 0);
  const auto *second = static_cast<int32_t *>(store.pointers(0, 1)[0]);
  EXPECT_EQ(std::vector<int32_t>(second, second + 3),
            (std::vector<int32_t>{50, 51, 99}));
}

TEST(TensorStore, WrongShape) {
  TensorStore store(halves());
  MaybeError error = store.set(0, HostTensor(ElementType::F32, {2, 2}));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "tensor 'w': expected shape [4], got [2, 2]");
}

} // namespace
