//===- JudgedPlansTest.cpp - Hybrid plans under a simulator ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which plan a search hands out, by what a simulator says of its candidates.
//
//===----------------------------------------------------------------------===//

#include "Search/Problems.h"

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

#include <gtest/gtest.h>

#include <limits>

using namespace soap;
using namespace soap::test;

namespace {

class JudgedPlans : public ::testing::Test {
protected:
  static constexpr int64_t plenty = int64_t(1) << 30;
  static Mlp layers() {
    constexpr int64_t batch = 64, width = 512;
    constexpr size_t count = 12;
    Mlp mlp = makeMlp(batch, std::vector<int64_t>(count + 1, width));
    mlp.graph.outputs.clear(); // activations, which would be gathered
    return mlp;
  }
  static Topology topologyOf(int64_t bytes) {
    Topology topology = *builtinTopology("h100-2x4");
    topology.deviceTypes[0].memoryBytes = bytes;
    return topology;
  }
  /// The prices, with all bytes times `factor`.
  static HybridSimulation pricesOf(const HybridPlan &plan, double factor = 1) {
    HybridSimulation result;
    result.makespanNs = plan.makespanNs;
    for (int64_t bytes : plan.groupBytes)
      result.groupBytes.push_back(
          static_cast<int64_t>(factor * static_cast<double>(bytes)));
    result.microbatches = plan.microbatches;
    return result;
  }

  using Simulate =
      std::function<Expected<HybridSimulation>(const HybridPlan &)>;
  HierarchicalResult search(int64_t bytes, Simulate simulate,
                            HierarchicalOptions options = {}) {
    problem.emplace(layers(), topologyOf(bytes));
    model = std::move(*HybridModel::make(problem->problem));
    options.simulate = [this, simulate](const HybridPlan &plan,
                                        const SecondsLeft &secondsLeft) {
      left = secondsLeft;
      asked.push_back(plan);
      return simulate(plan);
    };
    asked.clear();
    return searchHybrid(*model, problem->problem, options);
  }

  std::optional<MlpProblem> problem;
  std::unique_ptr<HybridModel> model;
  std::vector<HybridPlan> asked;
  SecondsLeft left; ///< of the simulation that runs
};

TEST_F(JudgedPlans, AreThoseWithTheBestPrices) {
  // Without a limit, plans whose prices are far from the best are simulated.
  HierarchicalOptions limited;
  limited.seconds = 1e6;
  HierarchicalResult found = search(
      plenty, [](const HybridPlan &plan) { return pricesOf(plan); }, limited);
  HierarchicalResult priced = searchHybrid(*model, problem->problem);
  EXPECT_TRUE(found.best.isSimulated());
  EXPECT_FALSE(priced.best.isSimulated());
  EXPECT_EQ(found.best.shape, priced.best.shape);
  EXPECT_EQ(found.best.makespanNs, priced.best.makespanNs);
  ASSERT_EQ(found.simulated, static_cast<int64_t>(asked.size()));
  EXPECT_LE(found.simulated, HierarchicalOptions().simulations);
  for (const HybridPlan &plan : asked)
    EXPECT_LE(static_cast<double>(plan.leastNs),
              static_cast<double>(priced.best.makespanNs) * (1 + priceMargin));
}

TEST_F(JudgedPlans, AreBetterByTheSimulatedTime) {
  // The second one is fastest.
  HierarchicalResult found = search(plenty, [this](const HybridPlan &plan) {
    HybridSimulation result = pricesOf(plan);
    result.makespanNs *= asked.size() == 2 ? 1 : 2;
    return result;
  });
  ASSERT_GE(asked.size(), 2u);
  EXPECT_EQ(found.best.shape, asked[1].shape);
  EXPECT_EQ(found.best.makespanNs, asked[1].makespanNs);
  EXPECT_EQ(found.best.pricedNs, asked[1].makespanNs);
}

TEST_F(JudgedPlans, FitByTheSimulatedBytes) {
  constexpr double factor = 1.3;
  auto simulate = [](const HybridPlan &plan) { return pricesOf(plan, factor); };
  int64_t wanted = search(plenty, simulate).best.pricedBytes;
  // By its price the plan fits.
  HierarchicalResult found = search(wanted * 11 / 10, simulate);
  int64_t memory = model->getMemoryBytes();
  ASSERT_FALSE(asked.empty());
  EXPECT_LE(asked[0].peakBytes, memory);
  EXPECT_GT(factor * static_cast<double>(asked[0].peakBytes),
            static_cast<double>(memory));
  EXPECT_TRUE(found.best.isSimulated());
  EXPECT_LE(found.best.peakBytes, memory);
  EXPECT_EQ(found.best.excessBytes, 0);
  EXPECT_NEAR(static_cast<double>(found.best.peakBytes),
              factor * static_cast<double>(found.best.pricedBytes), 1);
}

TEST_F(JudgedPlans, MayNeedLessThanTheirPrices) {
  auto simulate = [](const HybridPlan &plan) { return pricesOf(plan, 0.9); };
  HierarchicalResult least =
      search(1 << 20, [](const HybridPlan &plan) { return pricesOf(plan); });
  ASSERT_GT(least.best.excessBytes, 0);
  // A little less memory than by the price.
  HierarchicalResult found = search(least.best.pricedBytes * 19 / 20, simulate);
  HierarchicalResult priced = searchHybrid(*model, problem->problem);
  EXPECT_GT(priced.best.excessBytes, 0);
  EXPECT_EQ(found.best.excessBytes, 0);
  EXPECT_TRUE(found.best.isSimulated());
}

TEST_F(JudgedPlans, ArePricedWhereNoneCanBeSimulated) {
  HierarchicalResult found =
      search(plenty, [](const HybridPlan &) -> Expected<HybridSimulation> {
        return Error{"replicas differ"};
      });
  HierarchicalResult priced = searchHybrid(*model, problem->problem);
  EXPECT_FALSE(found.best.isSimulated());
  EXPECT_EQ(found.whyPriced, "replicas differ");
  EXPECT_EQ(found.simulated, 0);
  EXPECT_EQ(found.best.shape, priced.best.shape);
  EXPECT_EQ(found.best.makespanNs, priced.best.makespanNs);
}

TEST_F(JudgedPlans, FitForCertainIfTheyArePriced) {
  auto refuse = [](const HybridPlan &) -> Expected<HybridSimulation> {
    return Error{"replicas differ"};
  };
  int64_t wanted = search(plenty, refuse).best.peakBytes;
  int fitting = 0, others = 0;
  for (int64_t percent : {1, 20, 50, 80, 110, 120, 150, 200}) {
    SCOPED_TRACE(percent);
    HierarchicalResult found = search(wanted * percent / 100, refuse);
    int64_t most = maxBytes(found.best);
    EXPECT_GT(most, found.best.peakBytes);
    EXPECT_EQ(found.best.excessBytes == 0, most <= model->getMemoryBytes());
    fitting += found.best.excessBytes == 0;
    others += found.best.excessBytes > 0;
  }
  EXPECT_GT(fitting, 0);
  EXPECT_GT(others, 0);
}

TEST_F(JudgedPlans, HaveTheTimeThatIsLeft) {
  HierarchicalOptions options;
  options.seconds = 0.2;
  double before = 0;
  HierarchicalResult found = search(
      plenty,
      [&](const HybridPlan &) -> Expected<HybridSimulation> {
        before = left();
        while (left() > 0)
          continue;
        return Error{"what a simulation says that has no time"};
      },
      options);
  EXPECT_EQ(asked.size(), 1u);
  EXPECT_GT(before, 0);
  EXPECT_LE(before, options.seconds);
  // No time was left: that is all there is to say.
  EXPECT_FALSE(found.best.isSimulated());
  EXPECT_EQ(found.whyPriced, "");
  search(plenty, [&](const HybridPlan &plan) {
    before = left();
    return pricesOf(plan);
  });
  EXPECT_EQ(before, std::numeric_limits<double>::infinity());
}

TEST_F(JudgedPlans, ArePricedWhereNoTimeIsLeft) {
  HierarchicalOptions options;
  options.seconds = 1e-9;
  HierarchicalResult found = search(
      plenty, [](const HybridPlan &plan) { return pricesOf(plan); }, options);
  EXPECT_TRUE(asked.empty());
  EXPECT_TRUE(found.best.exists());
  EXPECT_FALSE(found.best.isSimulated());
  EXPECT_EQ(found.whyPriced, "");
}

} // namespace
