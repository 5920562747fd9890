//===- HybridCheckpointTest.cpp - Searches that go on ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search over hybrid plans that is stopped anywhere ends as if it had not
// been, and does nothing twice; records of other searches are refused.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Hierarchical/HybridCheckpoint.h"
#include "Search/Problems.h"

#include <gtest/gtest.h>

#include <random>

using namespace soap;
using namespace soap::test;

namespace {

Mlp layersOf(int64_t width) {
  constexpr int64_t batch = 32;
  constexpr size_t count = 8;
  Mlp mlp = makeMlp(batch, std::vector<int64_t>(count + 1, width));
  mlp.graph.outputs.clear(); // activations, which would be gathered
  return mlp;
}

Topology topologyOf(int64_t bytes) {
  Topology topology = *builtinTopology("h100-2x4");
  topology.deviceTypes[0].memoryBytes = bytes;
  return topology;
}

constexpr int64_t plenty = int64_t(1) << 30, little = 5 << 20;

/// A run of the search with a model of its own, as a process has.
struct KeptSearch {
  MlpProblem problem;
  std::unique_ptr<HybridModel> model;
  HierarchicalOptions options;
  HybridRecord record;
  int64_t simulations = 0;
  std::string text; ///< as it was written last

  explicit KeptSearch(int64_t bytes = plenty, int64_t width = 256,
                      int64_t batch = 0)
      : problem(layersOf(width), topologyOf(bytes)),
        model(std::move(*HybridModel::make(problem.problem, batch))) {
    options.simulate =
        [this](const HybridPlan &plan,
               const SecondsLeft &) -> Expected<HybridSimulation> {
      ++simulations;
      if (plan.shape.tensor == 2)
        return Error{"no simulation of two"};
      HybridSimulation result;
      result.makespanNs = plan.makespanNs + plan.makespanNs / 40;
      for (int64_t of : plan.groupBytes)
        result.groupBytes.push_back(of + of / 30);
      result.bubble = 0.1 + plan.bubble / 3;
      result.microbatches = plan.microbatches;
      return result;
    };
    record.write = [this](const HybridRecord &of) { text = print(of); };
  }
  KeptSearch(const KeptSearch &) = delete;

  std::string print(const HybridRecord &of) {
    return printHybridCheckpoint(problem.problem, *model, options, of);
  }
  Expected<HybridRecord> parse(const std::string &from) {
    return parseHybridCheckpoint(from, "h.ckpt", problem.problem, *model,
                                 options);
  }
  void goOnFrom(const std::string &from) {
    Expected<HybridRecord> read = parse(from);
    ASSERT_TRUE(read) << read.error();
    record.parts = std::move(read->parts);
  }
  HierarchicalResult search(int64_t pauseAfter = 0) {
    record.pauseAfter = pauseAfter;
    options.record = &record;
    return searchHybrid(*model, problem.problem, options);
  }
  std::string errorOf(const std::string &from) {
    Expected<HybridRecord> read = parse(from);
    return read ? "" : read.error();
  }
};

void expectSame(const HierarchicalResult &a, const HierarchicalResult &b) {
  EXPECT_EQ(describe(a.best), describe(b.best));
  EXPECT_EQ(a.best.shape, b.best.shape);
  EXPECT_EQ(a.best.makespanNs, b.best.makespanNs);
  EXPECT_EQ(a.best.pricedNs, b.best.pricedNs);
  EXPECT_EQ(a.best.groupBytes, b.best.groupBytes);
  EXPECT_EQ(a.best.bubble, b.best.bubble);
  EXPECT_EQ(a.best.excessBytes, b.best.excessBytes);
  ASSERT_EQ(a.best.stages.size(), b.best.stages.size());
  for (size_t s = 0; s < a.best.stages.size(); ++s) {
    EXPECT_EQ(a.best.stages[s].firstSegment, b.best.stages[s].firstSegment);
    EXPECT_EQ(a.best.stages[s].exposedNs, b.best.stages[s].exposedNs);
    EXPECT_EQ(a.best.stages[s].inFlight, b.best.stages[s].inFlight);
  }
  EXPECT_EQ(a.shapes, b.shapes);
  EXPECT_EQ(a.priced, b.priced);
  EXPECT_EQ(a.simulated, b.simulated);
  EXPECT_EQ(a.complete, b.complete);
  ASSERT_EQ(a.others.size(), b.others.size());
  for (size_t i = 0; i < a.others.size(); ++i)
    EXPECT_EQ(describe(a.others[i]), describe(b.others[i]));
}

TEST(HybridCheckpoint, GoesOnFromAnywhere) {
  for (int64_t bytes : {plenty, little}) {
    KeptSearch whole(bytes);
    HierarchicalResult expected = whole.search();
    ASSERT_TRUE(expected.complete);
    ASSERT_GT(expected.simulated, 0);
    // A search without a record finds the same.
    KeptSearch plain(bytes);
    expectSame(searchHybrid(*plain.model, plain.problem.problem, plain.options),
               expected);
    int64_t all = whole.record.steps;
    // Pauses of runs, each of which goes on from the one before.
    const std::vector<std::vector<int64_t>> schedules = {
        {1, 1, 3, 8, 0}, {all / 2, 0}, {all - 1, 0}};
    for (const std::vector<int64_t> &pauses : schedules) {
      std::string text;
      int64_t steps = 0, simulations = 0;
      for (int64_t pause : pauses) {
        SCOPED_TRACE(pause);
        KeptSearch run(bytes);
        if (!text.empty())
          run.goOnFrom(text);
        HierarchicalResult found = run.search(pause);
        text = run.text;
        steps += run.record.steps;
        simulations += run.simulations;
        if (pause > 0) {
          EXPECT_EQ(run.record.steps, pause);
          EXPECT_TRUE(found.best.exists());
        } else {
          expectSame(found, expected);
        }
      }
      // Nothing is done twice.
      EXPECT_EQ(steps, all);
      EXPECT_EQ(simulations, whole.simulations);
    }
  }
}

/// A run that is killed leaves a state that was written while it searched.
TEST(HybridCheckpoint, GoesOnFromWhatWasWrittenBetween) {
  KeptSearch whole;
  std::vector<std::string> texts;
  int writes = 0;
  whole.record.writeSeconds = 0;
  whole.record.write = [&](const HybridRecord &of) {
    // In bounds, and in prices.
    if (++writes == 3 || writes == 120)
      texts.push_back(whole.print(of));
  };
  HierarchicalResult expected = whole.search();
  // Every bound, price and simulation is written.
  const HybridPart &part = whole.record.parts.front();
  EXPECT_EQ(writes, static_cast<int>(part.bounds.size()) +
                        static_cast<int>(whole.record.steps) + 1);
  ASSERT_EQ(texts.size(), 2u);
  for (const std::string &text : texts) {
    KeptSearch run;
    run.goOnFrom(text);
    expectSame(run.search(), expected);
    EXPECT_EQ(run.record.parts.front().bounds.size(), part.bounds.size());
    EXPECT_EQ(run.record.parts.front().prices.size(), part.prices.size());
  }
}

TEST(HybridCheckpoint, HasNothingToDoAfterTheEnd) {
  KeptSearch whole;
  HierarchicalResult expected = whole.search();
  KeptSearch again;
  again.goOnFrom(whole.text);
  again.options.seconds = 1e-9; // used up
  expectSame(again.search(), expected);
  EXPECT_EQ(again.record.steps, 0);
  EXPECT_EQ(again.simulations, 0);
}

/// The limit is that of all runs, and all that there is counts.
TEST(HybridCheckpoint, KeepsWhatWasFoundWithinTheLimit) {
  KeptSearch first;
  HierarchicalResult found = first.search(/*pauseAfter=*/9);
  EXPECT_EQ(found.priced, 9);
  EXPECT_FALSE(found.complete);
  first.record.parts.front().seconds = 100;
  KeptSearch second;
  second.goOnFrom(first.print(first.record));
  second.options.seconds = 100;
  HierarchicalResult later = second.search();
  EXPECT_EQ(second.record.steps, 0);
  EXPECT_EQ(later.priced, 9);
  EXPECT_FALSE(later.complete);
  EXPECT_EQ(later.best.shape, found.best.shape);
  EXPECT_GE(later.seconds, 100);
  // A raised limit is what is left.
  KeptSearch third;
  third.goOnFrom(second.text);
  third.options.seconds = 1e6;
  KeptSearch whole;
  whole.options.seconds = 1e6;
  expectSame(third.search(), whole.search());
}

/// An error may be for want of time.
TEST(HybridCheckpoint, SimulatesAgainWithMoreTime) {
  KeptSearch first;
  first.options.seconds = 100;
  bool fails = true;
  auto simulate = first.options.simulate;
  auto failing = [&](const HybridPlan &plan,
                     const SecondsLeft &left) -> Expected<HybridSimulation> {
    if (fails)
      return Error{"too many pieces"};
    return simulate(plan, left);
  };
  first.options.simulate = failing;
  HierarchicalResult found = first.search();
  EXPECT_EQ(found.whyPriced, "too many pieces");
  int64_t failed = first.record.steps - found.priced;
  EXPECT_GT(failed, 0);
  for (double seconds : {100.0, 1e6}) {
    KeptSearch later;
    later.goOnFrom(first.text);
    later.options.seconds = seconds;
    later.options.simulate = failing;
    fails = seconds == 100;
    HierarchicalResult result = later.search();
    EXPECT_EQ(result.best.isSimulated(), !fails);
    EXPECT_EQ(later.record.steps == 0, fails);
    if (fails) {
      EXPECT_EQ(result.whyPriced, "too many pieces");
    }
  }
}

void expectIn(const std::string &error, const std::string &part) {
  EXPECT_NE(error.find(part), std::string::npos) << error;
  EXPECT_EQ(error.find("h.ckpt"), 0u) << error;
}

TEST(HybridCheckpoint, ReadsWhatItWrites) {
  KeptSearch run;
  run.search(/*pauseAfter=*/20);
  Expected<HybridRecord> read = run.parse(run.text);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(run.print(*read), run.text);
}

TEST(HybridCheckpoint, RefusesOthers) {
  KeptSearch run;
  run.search();
  auto changed = [&](const std::string &from, const std::string &to) {
    std::string text = run.text;
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return run.errorOf(text.replace(at, from.size(), to));
  };
  expectIn(run.errorOf(run.text.substr(0, run.text.size() / 2)), "line");
  expectIn(changed("\"version\":1", "\"version\":2"), "expected version 1");
  expectIn(changed("\"search\":\"hybrid\"", "\"search\":\"mcmc\""),
           "at /search: expected a checkpoint of algorithm \"hybrid\"");
  expectIn(changed("\"name\":\"step\"", "\"name\":\"part\""),
           "at /checksum: the file is damaged");
  expectIn(changed("\"checksum\":", "\"checksums\":"), "checksums");
  expectIn(changed("\"seconds\":", "\"seconds\":-"), "/seconds: expected");

  KeptSearch model(plenty, /*width=*/128), topology(little),
      batch(plenty, 256, /*batch=*/64), options;
  expectIn(model.errorOf(run.text), "at /model: expected");
  expectIn(topology.errorOf(run.text), "at /topology: expected");
  expectIn(batch.errorOf(run.text), "at /options: expected");
  options.options.recompute = false;
  expectIn(options.errorOf(run.text), "no recomputation");

  // Prices of another version.
  HybridRecord other = run.record;
  for (auto &[shape, ns] : other.parts.front().bounds)
    ns += 5;
  expectIn(run.errorOf(run.print(other)), "the price of this version of Soap");
  other = run.record;
  for (HybridPrice &price : other.parts.front().prices)
    price.plan.makespanNs += 5;
  expectIn(run.errorOf(run.print(other)), "the price of this version of Soap");
}

/// Damaged anywhere: refused, or the same record in another layout.
TEST(HybridCheckpoint, RefusesDamage) {
  KeptSearch run;
  run.search(/*pauseAfter=*/20);
  std::mt19937_64 random(11);
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    std::string text = run.text;
    for (uint64_t changes = random() % 3 + 1; changes > 0; --changes) {
      size_t at = random() % text.size();
      switch (random() % 3) {
      case 0:
        text[at] = "0123456789-[]{},\"e."[random() % 19];
        break;
      case 1:
        text.erase(at, random() % 20);
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), random() % 20));
      }
    }
    Expected<HybridRecord> read = run.parse(text);
    if (!read)
      ++refused;
    else
      EXPECT_EQ(run.print(*read), run.text);
  }
  EXPECT_GT(refused, 75);
}

} // namespace
