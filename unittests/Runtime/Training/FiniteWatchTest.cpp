//===- FiniteWatchTest.cpp - Trainings that come to no numbers ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linear model on data that make its loss, its weight or both infinite or
// not a number, in one process and on two ranks: when it ends, what it says,
// and what was saved before.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Training/FiniteWatch.h"

#include "Runtime/LinearModel.h"
#include "Runtime/ThreadGroup.h"
#include "Soap/Runtime/Execution/Initialize.h"
#include "Soap/Runtime/Training/Trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int64_t samples = 12, batch = 4;

/// Samples are 1 except one, and labels are 1.
void writeData(const TemporaryFolder &folder, const std::string &name,
               int64_t odd, double value, double others = 1) {
  HostTensor x(ElementType::F32, {samples}), y(ElementType::I64, {samples});
  for (int64_t i = 0; i < samples; ++i) {
    x.set(i, i == odd ? value : others);
    y.set(i, 1);
  }
  ASSERT_FALSE(writeNpy(folder / ("x_" + name + ".npy"), x));
  ASSERT_FALSE(writeNpy(folder / ("y_" + name + ".npy"), y));
}

struct Outcome {
  std::string notFinite;
  std::vector<int64_t> saved;
  std::vector<EpochResult> epochs;
  int64_t iterations = 0;
};

Outcome train(const std::string &folder, World *world = nullptr,
              bool watches = true, int64_t epochs = 2, int64_t every = 1) {
  Outcome outcome;
  auto session = Session::create(linearModel(), LauncherOptions(), world);
  EXPECT_TRUE(session) << session.error();
  auto trainer = Trainer::create(**session);
  EXPECT_TRUE(trainer) << trainer.error();
  auto source =
      loadData("npy:" + folder, trainer->inputs(), Normalization(), 1);
  EXPECT_TRUE(source) << source.error();
  EXPECT_FALSE(
      initialize((*session)->manifest(), (*session)->tensors(), "", 1));
  TrainOptions options;
  options.epochs = epochs;
  options.watchesFinite = watches;
  options.checkpointEvery = every;
  options.onCheckpoint = [&](const TrainState &state) {
    // Collective, as the saving of one is.
    auto weight = (*session)->tensors().get(2);
    EXPECT_TRUE(!watches || std::isfinite(weight->at(0)));
    outcome.saved.push_back(state.step);
    return MaybeError();
  };
  if (world)
    options.stop = [&](bool notFinite) {
      auto decision = world->agreeToStop(notFinite);
      EXPECT_TRUE(decision) << decision.error();
      return *decision;
    };
  auto result = trainEpochs(*trainer, *source, options);
  EXPECT_TRUE(result) << result.error();
  outcome.notFinite = result->notFinite;
  outcome.epochs = result->epochs;
  outcome.iterations = result->iterations;
  return outcome;
}

/// The iteration of the first epoch in which a sample comes.
int64_t iterationOf(int64_t sample) {
  std::vector<int64_t> order =
      epochOrder(samples, TrainOptions().seed, 1, true);
  auto at = std::find(order.begin(), order.end(), sample) - order.begin();
  return at / batch + 1;
}

TEST(FiniteWatch, NamesTheSample) {
  for (int64_t sample : {0, 5, 11}) {
    TemporaryFolder folder;
    writeData(folder, "train", sample, std::nan(""));
    Outcome outcome = train(folder.path);
    int64_t when = iterationOf(sample);
    EXPECT_EQ(outcome.notFinite, "epoch 1, iteration " + std::to_string(when) +
                                     ": the loss is nan; sample " +
                                     std::to_string(sample) +
                                     " has nan in 'x'");
    EXPECT_EQ(outcome.iterations, when);
    EXPECT_EQ(int64_t(outcome.saved.size()), when - 1);
  }
}

/// The weight is finite, its product with the data is not.
TEST(FiniteWatch, SaysThatTheIterationOverflows) {
  TemporaryFolder folder;
  writeData(folder, "train", 0, 1e25, 1e25);
  Outcome outcome = train(folder.path);
  EXPECT_EQ(outcome.notFinite,
            "epoch 1, iteration 2: the loss is inf; parameters, states and "
            "data were finite before this iteration");
  EXPECT_EQ(outcome.saved, std::vector<int64_t>({1}));
}

/// The gradient overflows, and the weight with it; the loss has not seen it
/// yet.
TEST(FiniteWatch, SeesTheWeightBeforeTheLoss) {
  TemporaryFolder folder;
  writeData(folder, "train", 0, 3e38, 3e38);
  Outcome outcome = train(folder.path);
  EXPECT_EQ(outcome.notFinite, "epoch 1, iteration 1: parameter 'w' is not "
                               "finite, while the loss is");
  EXPECT_TRUE(outcome.saved.empty());
}

TEST(FiniteWatch, SeesTheTestLoss) {
  TemporaryFolder folder;
  writeData(folder, "train", 0, 1);
  writeData(folder, "test", 3, -infinity);
  Outcome outcome = train(folder.path);
  EXPECT_EQ(outcome.notFinite, "evaluation after epoch 1: the test loss is "
                               "inf; sample 3 has -inf in 'x'");
  EXPECT_EQ(outcome.iterations, 3);
}

TEST(FiniteWatch, GoesOnIfAsked) {
  TemporaryFolder folder;
  writeData(folder, "train", 0, std::nan(""));
  Outcome outcome = train(folder.path, nullptr, /*watches=*/false);
  EXPECT_EQ(outcome.notFinite, "");
  EXPECT_EQ(outcome.saved.size(), 6u);
  EXPECT_TRUE(std::isnan(outcome.epochs[1].loss));
}

TEST(FiniteWatch, LeavesGoodTrainingsAlone) {
  TemporaryFolder folder;
  writeData(folder, "train", 0, 0.5);
  writeData(folder, "test", 0, 0.5);
  Outcome outcome = train(folder.path);
  EXPECT_EQ(outcome.notFinite, "");
  EXPECT_EQ(outcome.saved.size(), 6u);
  EXPECT_EQ(outcome.epochs.size(), 2u);
}

/// All ranks end after the same iteration with the same message, whichever has
/// seen it, and whether the training would have gone on or not.
TEST(FiniteWatch, OnTwoRanks) {
  struct Case {
    double value, others;
    int64_t epochs, every;
    std::string expected;
  };
  std::string late = std::to_string(iterationOf(7));
  for (const Case &test : std::vector<Case>{
           {std::nan(""), 1, 2, 0,
            "epoch 1, iteration " + late +
                ": the loss is nan; sample 7 has nan in 'x'"},
           {std::nan(""), 1, 2, 1,
            "epoch 1, iteration " + late +
                ": the loss is nan; sample 7 has nan in 'x'"},
           {std::nan(""), 1, 1, 0,
            "epoch 1, iteration " + late +
                ": the loss is nan; sample 7 has nan in 'x'"},
           {3e38, 3e38, 2, 1,
            "epoch 1, iteration 1: parameter 'w' is not finite, while the "
            "loss is"}}) {
    TemporaryFolder folder;
    writeData(folder, "train", 7, test.value, test.others);
    Outcome outcomes[2];
    EXPECT_EQ(onRanks(2,
                      [&](ProcessGroup &group) {
                        auto world = World::create(group, PeerMonitorOptions());
                        ASSERT_TRUE(world) << world.error();
                        outcomes[group.rank()] =
                            train(folder.path, world->get(), true, test.epochs,
                                  test.every);
                        EXPECT_FALSE((*world)->leave());
                      }),
              0u);
    for (const Outcome &outcome : outcomes)
      EXPECT_EQ(outcome.notFinite, test.expected);
    EXPECT_EQ(outcomes[0].iterations, outcomes[1].iterations);
    EXPECT_EQ(outcomes[0].saved, outcomes[1].saved);
  }
}

TEST(FiniteWatch, FirstValues) {
  auto session = makeSession();
  TensorStore &store = session->tensors();
  HostTensor w(ElementType::F32, {1});
  ASSERT_FALSE(store.set(2, w));
  EXPECT_FALSE(checkFirstValues(session->manifest(), store));
  w.set(0, -infinity);
  ASSERT_FALSE(store.set(2, w));
  auto error = checkFirstValues(session->manifest(), store);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "parameter 'w' starts with -inf in element 0, "
                            "expected finite numbers");
}

TEST(FiniteWatch, EveryElement) {
  HostTensor tensor(ElementType::F32, {5000});
  for (int64_t i = 0; i < 5000; ++i)
    tensor.set(i, i % 2 ? 3.4e38 : -3.4e38);
  EXPECT_EQ(findNonFinite(tensor.dtype, tensor.bytes.data(), 5000), -1);
  for (int64_t at : {0, 1, 1023, 1024, 4095, 4999})
    for (double value : {std::nan(""), infinity, -infinity}) {
      double before = tensor.at(at);
      tensor.set(at, value);
      EXPECT_EQ(findNonFinite(tensor.dtype, tensor.bytes.data(), 5000), at);
      HostTensor wide = tensor.converted(ElementType::F64);
      EXPECT_EQ(findNonFinite(wide.dtype, wide.bytes.data(), 5000), at);
      tensor.set(at, before);
    }
  HostTensor integers(ElementType::I32, {4});
  for (int64_t i = 0; i < 4; ++i)
    integers.as<int32_t>()[i] = 0x7f800000;
  EXPECT_EQ(findNonFinite(integers.dtype, integers.bytes.data(), 4), -1);
}

} // namespace
