//===- TrainerTest.cpp - Data, first weights, training --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear model on two hand-written device programs, through session, data
// sources and trainer; and the mistakes that data files can make.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Training/Trainer.h"
#include "Runtime/LinearModel.h"
#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Runtime/Execution/Initialize.h"
#include "Soap/Runtime/Execution/Trace.h"
#include "Soap/Support/InputFile.h"
#include "Support/TemporaryFolder.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

using namespace soap;
using namespace soap::runtime;
using nlohmann::json;

namespace {

TEST(Trainer, LearnsAndCountsEverySample) {
  TemporaryFolder folder;
  writeSigns(folder, "train", 42);
  writeSigns(folder, "test", 7);
  auto session = makeSession();
  Trace trace;
  session->observer = [&](const Execution &run) { trace.add(run); };
  auto trainer = Trainer::create(*session);
  ASSERT_TRUE(trainer) << trainer.error();
  auto source =
      loadData("npy:" + folder.path, trainer->inputs(), Normalization(), 1);
  ASSERT_TRUE(source) << source.error();
  ASSERT_FALSE(initialize(session->manifest(), session->tensors(), "", 1));
  // Before training: w = 0, so each real sample costs exactly 1.
  auto before = trainer->evaluate(*source, *source->test);
  ASSERT_TRUE(before) << before.error();
  EXPECT_EQ((*before)->samples, 7);
  EXPECT_EQ((*before)->loss, 7);

  TrainOptions options;
  options.epochs = 3;
  int64_t calls = 0;
  options.onIteration = [&](const IterationResult &iteration) {
    EXPECT_EQ(iteration.step, ++calls);
    EXPECT_EQ(iteration.perEpoch, 10);
    EXPECT_EQ(iteration.position, (calls - 1) % 10 + 1);
    EXPECT_EQ(iteration.loss, trainer->lastLoss());
    EXPECT_EQ(iteration.samples, 4);
    EXPECT_GT(iteration.seconds, 0);
  };
  auto result = trainEpochs(*trainer, *source, options);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->iterations, 30);
  EXPECT_EQ(calls, 30);
  ASSERT_EQ(result->epochs.size(), 3u);
  EXPECT_LT(result->epochs[2].loss, result->epochs[0].loss);
  EXPECT_EQ(*result->epochs[2].trainAccuracy, 1);
  EXPECT_EQ(*result->epochs[2].testAccuracy, 1);
  EXPECT_EQ(trainer->stepMilliseconds().size(), 30u);
  const Execution &run = session->execution(0);
  EXPECT_EQ(run.bytesSent[1 * 2 + 0] / run.iterations, 12);
  EXPECT_EQ(run.bytesSent[0 * 2 + 1] / run.iterations, 4);

  ASSERT_FALSE(trace.write(folder / "trace.json"));
  json events = json::parse(*readFile(folder / "trace.json"))["traceEvents"];
  EXPECT_EQ(events.size(), trace.size() + 2);
  EXPECT_EQ(events[2]["name"], "work[0]");

  auto weights = collectTensors(session->manifest(), session->tensors(),
                                SavedTensors::State);
  ASSERT_TRUE(weights) << weights.error();
  EXPECT_GT(weights->at("w").at(0), 0.5);
}

TEST(Trainer, StopsAfterTheIteration) {
  auto session = makeSession();
  auto trainer = Trainer::create(*session);
  ASSERT_TRUE(trainer);
  auto source =
      loadData("synthetic:integers", trainer->inputs(), Normalization(), 1);
  ASSERT_TRUE(source) << source.error();
  ASSERT_FALSE(initialize(session->manifest(), session->tensors(), "", 1));
  bool stop = false;
  TrainOptions options;
  options.epochs = 0;
  options.stop = [&](bool) { return stop ? Decision::Stop : Decision::GoOn; };
  options.onIteration = [&](const IterationResult &iteration) {
    stop = iteration.position == 3;
  };
  auto result = trainEpochs(*trainer, *source, options);
  ASSERT_TRUE(result) << result.error();
  EXPECT_TRUE(result->stopped);
  EXPECT_EQ(result->iterations, 3);
}

/// Inputs go to the devices once, and every iteration has them.
TEST(Trainer, FixedDataStays) {
  auto session = makeSession();
  auto trainer = Trainer::create(*session);
  ASSERT_TRUE(trainer);
  auto source =
      loadData("synthetic:fixed", trainer->inputs(), Normalization(), 1);
  ASSERT_TRUE(source) << source.error();
  EXPECT_EQ(source->train.size(), trainer->batch(*source));
  EXPECT_FALSE(source->test);
  ASSERT_FALSE(initialize(session->manifest(), session->tensors(), "", 1));
  TrainOptions options;
  options.epochs = 2;
  std::vector<int64_t> moved;
  std::vector<double> losses;
  options.onIteration = [&](const IterationResult &iteration) {
    const Tally &tally = iteration.tally;
    moved.push_back(session->tensors().elementsMoved());
    losses.push_back(tally.meanLoss());
    EXPECT_EQ(tally.samples,
              trainer->batch(*source) * int64_t((losses.size() - 1) % 8 + 1));
  };
  auto result = trainEpochs(*trainer, *source, options);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->iterations, 2 * DataSource::fixedIterations);
  EXPECT_EQ(moved.front(), moved.back());
  EXPECT_GT(losses[0], losses[7]);
}

TEST(Data, EpochsAreDifferentPermutations) {
  auto first = epochOrder(100, 5, 1, true), again = epochOrder(100, 5, 1, true),
       second = epochOrder(100, 5, 2, true);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, second);
  std::sort(first.begin(), first.end());
  for (int64_t i = 0; i < 100; ++i)
    EXPECT_EQ(first[size_t(i)], i);
  EXPECT_EQ(first, epochOrder(100, 5, 2, false));
}

TEST(Data, BytesAreScaledAndNormalized) {
  TemporaryFolder folder;
  HostTensor x(ElementType::U8, {4, 1, 1}), y(ElementType::U8, {4});
  for (int i = 0; i < 4; ++i)
    x.set(i, i * 85);
  ASSERT_FALSE(writeNpy(folder / "x_train.npy", x));
  ASSERT_FALSE(writeNpy(folder / "y_train.npy", y));
  auto model = linearModel();
  const auto &tensors = model.manifest->tensors;
  std::vector<int64_t> order = {3, 2, 1, 0};
  for (auto [text, want] : {std::pair{"none", 1.0},
                            {"0.5,0.25", 2.0},
                            {"auto", 0.5 / std::sqrt(5.0 / 36)}}) {
    auto source = loadData("npy:" + folder.path, {{tensors[0]}, tensors[1]},
                           *parseNormalization(text), 0);
    ASSERT_TRUE(source) << source.error();
    HostTensor data(DType::F32, {4, 1}), label(DType::I32, {4});
    EXPECT_EQ(fillBatch(*source, source->train, order, 0, {&data}, label), 4);
    EXPECT_FLOAT_EQ(data.as<float>()[0], float(want)) << text;
    // The batch beyond the end: two samples, two fillers.
    EXPECT_EQ(fillBatch(*source, source->train, order, 2, {&data}, label), 2);
    EXPECT_EQ(label.at(1), 0);
    EXPECT_EQ(label.at(2), -1);
  }
}

std::string dataError(const TemporaryFolder &folder, const std::string &spec) {
  auto model = linearModel();
  auto source =
      loadData(spec, {{model.manifest->tensors[0]}, model.manifest->tensors[1]},
               Normalization(), 0);
  if (source)
    return "no error";
  std::string text = source.error();
  for (size_t at; (at = text.find(folder.path)) != std::string::npos;)
    text.replace(at, folder.path.size(), "DIR");
  return text;
}

TEST(Data, Rejects) {
  TemporaryFolder folder;
  std::string spec = "npy:" + folder.path;
  EXPECT_EQ(dataError(folder, "csv:x"),
            "expected 'idx:DIR', 'npy:DIR', 'npz:FILE', 'text:FILE', "
            "'tokens:FILE', 'synthetic', 'synthetic:integers' or "
            "'synthetic:fixed' as data, got 'csv:x'");
  EXPECT_EQ(dataError(folder, spec),
            "DIR/x_train.npy: cannot open: No such file or directory");
  EXPECT_EQ(dataError(folder, "idx:" + folder.path),
            "DIR/train-images-idx3-ubyte.gz: cannot open: No such file or "
            "directory");
  auto write = [&](const char *name, ElementType type,
                   std::vector<int64_t> shape, double value = 0) {
    HostTensor tensor(type, std::move(shape));
    for (int64_t i = 0; i < tensor.volume(); ++i)
      tensor.set(i, value);
    ASSERT_FALSE(writeNpy(folder / name, tensor));
  };
  write("x_train.npy", ElementType::F32, {8, 2, 2});
  write("y_train.npy", ElementType::I32, {8});
  EXPECT_EQ(dataError(folder, spec),
            "DIR/x_train.npy: samples of shape [2, 2] do not fit data 'x', "
            "which expects [1]");
  write("x_train.npy", ElementType::F32, {});
  EXPECT_EQ(dataError(folder, spec),
            "DIR/x_train.npy: expected samples along dimension 0, got shape "
            "[]");
  write("x_train.npy", ElementType::F32, {8, 1});
  write("y_train.npy", ElementType::I32, {7});
  EXPECT_EQ(dataError(folder, spec),
            "DIR/y_train.npy: expected shape [8] as DIR/x_train.npy has so "
            "many samples, got [7]");
  write("y_train.npy", ElementType::F32, {8});
  EXPECT_EQ(dataError(folder, spec),
            "DIR/y_train.npy: expected integer labels, got f32");
  write("y_train.npy", ElementType::I32, {8}, 2);
  EXPECT_EQ(dataError(folder, spec),
            "DIR/y_train.npy: label 2 of sample 0: expected 0 to 1");
  write("y_train.npy", ElementType::I8, {8}, -1);
  EXPECT_EQ(dataError(folder, spec),
            "DIR/y_train.npy: label -1 of sample 0: expected 0 to 1, or "
            "'--ignore-index -1' if it says that there is none");
  write("x_train.npy", ElementType::F32, {3, 1});
  write("y_train.npy", ElementType::I32, {3});
  EXPECT_EQ(dataError(folder, spec),
            "npy:DIR: the training set has 3 samples, fewer than a batch of 4");
  write("x_train.npy", ElementType::F32, {8, 1});
  write("y_train.npy", ElementType::I32, {8});
  EXPECT_EQ(dataError(folder, spec), "no error");
  write("x_test.npy", ElementType::F32, {8, 1});
  EXPECT_EQ(dataError(folder, spec),
            "DIR/y_test.npy: cannot open: No such file or directory");
}

TEST(Initialize, DependsOnNameAndSeedOnly) {
  TensorInfo info;
  info.name = "conv.weight";
  info.shape = {50, 40, 5, 5};
  info.fanIn = 1000;
  info.fanOut = 1250;
  auto moments = [](const HostTensor &value) {
    double sum = 0, squares = 0, largest = 0;
    for (int64_t i = 0; i < value.volume(); ++i) {
      sum += value.at(i);
      squares += value.at(i) * value.at(i);
      largest = std::max(largest, std::fabs(value.at(i)));
    }
    double mean = sum / double(value.volume());
    return std::array<double, 3>{
        mean, squares / double(value.volume()) - mean * mean, largest};
  };
  InitRule he, glorot;
  he.kind = InitRule::He;
  glorot.kind = InitRule::Glorot;
  HostTensor value = initialValue(info, he, 3);
  auto [mean, variance, largest] = moments(value);
  EXPECT_NEAR(mean, 0, 1e-3);
  EXPECT_NEAR(variance, 2.0 / 1000, 5e-5);
  EXPECT_EQ(value.at(7), initialValue(info, he, 3).at(7));
  EXPECT_NE(value.at(7), initialValue(info, he, 4).at(7));
  auto [gm, gv, gl] = moments(initialValue(info, glorot, 3));
  EXPECT_NEAR(gv, 2.0 / 2250, 2e-5);
  EXPECT_LE(gl, std::sqrt(6.0 / 2250));
  info.name = "other.weight";
  EXPECT_NE(value.at(7), initialValue(info, he, 3).at(7));
}

TEST(Initialize, FromFile) {
  TemporaryFolder folder;
  auto session = makeSession();
  std::string path = folder / "w.safetensors";
  auto message = [&] {
    MaybeError error =
        initialize(session->manifest(), session->tensors(), path, 0);
    return error ? error->message.substr(folder.path.size() + 1) : "no error";
  };
  auto write = [&](const char *name, ElementType type,
                   std::vector<int64_t> shape) {
    TensorMap map;
    HostTensor tensor(type, std::move(shape));
    tensor.set(0, 5);
    map.emplace(name, std::move(tensor));
    ASSERT_FALSE(writeSafetensors(path, map));
  };
  write("v", ElementType::F32, {1});
  EXPECT_EQ(message(), "w.safetensors: expected a tensor 'w' of shape [1]");
  write("w", ElementType::F32, {1, 1});
  EXPECT_EQ(message(), "w.safetensors: tensor 'w': expected shape [1], got "
                       "[1, 1]");
  write("w", ElementType::I32, {1});
  EXPECT_EQ(message(), "w.safetensors: tensor 'w': expected type f32, got i32");
  write("w", ElementType::F64, {1});
  EXPECT_EQ(message(), "no error");
  EXPECT_EQ(session->tensors().get(2)->at(0), 5);
}

TEST(Session, Rejects) {
  ProgramSource source = linearModel();
  source.program = [](const std::string &) -> SoapProgram { return nullptr; };
  auto session = Session::create(source, LauncherOptions());
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error(),
            "entry 'train_step': the module has no program 'train_0'");
  auto good = makeSession();
  auto entry = good->entry("forward");
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error(), "the module has no entry 'forward', only "
                           "'train_step', 'evaluate'");
}

} // namespace
