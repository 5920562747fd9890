//===- CheckpointTest.cpp - Trainings in files ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training that is interrupted after any iteration and goes on in another
// process computes the same bits; files that are not a checkpoint of it are
// refused.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Training/Checkpoint.h"
#include "Runtime/LinearModel.h"
#include "Soap/Runtime/Execution/Initialize.h"
#include "Soap/Support/InputFile.h"

#include <cmath>
#include <limits>

using namespace soap;
using namespace soap::runtime;
using nlohmann::json;

namespace {

/// A training of its own, as a process would have it.
struct Training {
  std::unique_ptr<Session> session = makeSession();
  Trainer trainer;
  DataSource source;
  TrainOptions options;
  TrainingIdentity identity;

  Training(const TemporaryFolder &folder, uint64_t seed)
      : trainer(*Trainer::create(*session)) {
    auto loaded =
        loadData("npy:" + folder.path, trainer.inputs(), Normalization(), seed);
    EXPECT_TRUE(loaded) << loaded.error();
    source = std::move(*loaded);
    options.seed = seed;
    options.epochs = 3;
    identity = identify(session->manifest(), trainer, source, seed);
    EXPECT_FALSE(initialize(session->manifest(), session->tensors(), "", seed));
  }

  TrainResult run() {
    auto result = trainEpochs(trainer, source, options);
    EXPECT_TRUE(result) << result.error();
    return *result;
  }
  void save(const std::string &path, const TrainState &state) {
    auto weights = collectTensors(session->manifest(), session->tensors(),
                                  SavedTensors::State);
    ASSERT_TRUE(weights) << weights.error();
    MaybeError error = writeCheckpoint(path, state, identity, *weights);
    ASSERT_FALSE(error) << error->message;
  }
  void load(const std::string &path) {
    auto checkpoint = readCheckpoint(path);
    ASSERT_TRUE(checkpoint) << checkpoint.error();
    MaybeError error = checkResumable(*checkpoint, identity);
    ASSERT_FALSE(error) << error->message;
    error =
        restoreTensors(*checkpoint, session->manifest(), session->tensors());
    ASSERT_FALSE(error) << error->message;
    options.start = checkpoint->state;
  }
  double weight() { return session->tensors().get(2)->at(0); }
};

TEST(Checkpoint, GoesOnWithTheSameBitsFromEveryIteration) {
  TemporaryFolder folder;
  writeSigns(folder, "train", 22);
  writeSigns(folder, "test", 7);
  Training whole(folder, 9);
  TrainResult want = whole.run();
  ASSERT_EQ(want.iterations, 15);
  ASSERT_EQ(want.epochs.size(), 3u);
  for (int64_t stop = 1; stop < 15; ++stop) {
    std::string path = folder / "c.safetensors";
    Training first(folder, 9);
    int64_t steps = 0;
    first.options.stop = [&](bool) {
      return ++steps == stop ? Decision::Stop : Decision::GoOn;
    };
    TrainResult part = first.run();
    EXPECT_TRUE(part.stopped);
    EXPECT_EQ(part.iterations, stop);
    first.save(path, part.state);
    Training second(folder, 9);
    second.load(path);
    TrainResult rest = second.run();
    EXPECT_EQ(second.weight(), whole.weight());
    EXPECT_EQ(rest.iterations, 15);
    EXPECT_EQ(rest.ran, 15 - stop);
    ASSERT_EQ(rest.epochs.size(), 3u);
    for (size_t e = 0; e < 3; ++e) {
      EXPECT_EQ(rest.epochs[e].epoch, int64_t(e) + 1);
      EXPECT_EQ(rest.epochs[e].loss, want.epochs[e].loss) << stop;
      EXPECT_EQ(rest.epochs[e].trainAccuracy, want.epochs[e].trainAccuracy);
      EXPECT_EQ(rest.epochs[e].testAccuracy, want.epochs[e].testAccuracy);
    }
  }
}

TEST(Checkpoint, IsWrittenEveryFewIterations) {
  TemporaryFolder folder;
  writeSigns(folder, "train", 22);
  Training training(folder, 1);
  std::vector<int64_t> steps;
  training.options.checkpointEvery = 4;
  training.options.onCheckpoint = [&](const TrainState &state) {
    steps.push_back(state.step);
    EXPECT_EQ((state.epoch - 1) * 5 + state.position, state.step);
    return MaybeError();
  };
  training.run();
  EXPECT_EQ(steps, (std::vector<int64_t>{4, 8, 12}));
  training.options.onCheckpoint = [](const TrainState &) {
    return MaybeError(Error{"the disk is full"});
  };
  auto result =
      trainEpochs(training.trainer, training.source, training.options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), "the disk is full");
}

TEST(Checkpoint, KeepsNumbersThatAreNone) {
  TemporaryFolder folder;
  TrainState state;
  state.tally.loss = std::nan("");
  state.tally.correct = -std::numeric_limits<double>::infinity();
  EpochResult epoch;
  epoch.epoch = 1;
  epoch.loss = std::numeric_limits<double>::infinity();
  epoch.trainAccuracy = 0.1;
  state.epochs = {epoch};
  TrainingIdentity identity{7, 4, 22, "d", "p"};
  std::string path = folder / "c.safetensors";
  ASSERT_FALSE(writeCheckpoint(path, state, identity, TensorMap()));
  auto read = readCheckpoint(path);
  ASSERT_TRUE(read) << read.error();
  EXPECT_TRUE(std::isnan(read->state.tally.loss));
  EXPECT_EQ(read->state.tally.correct, state.tally.correct);
  ASSERT_EQ(read->state.epochs.size(), 1u);
  EXPECT_EQ(read->state.epochs[0].loss, epoch.loss);
  EXPECT_EQ(read->state.epochs[0].trainAccuracy, epoch.trainAccuracy);
  EXPECT_FALSE(read->state.epochs[0].testAccuracy);
}

TEST(Checkpoint, FingerprintsTellApart) {
  TemporaryFolder folder;
  writeSigns(folder, "train", 22);
  Training training(folder, 1);
  Manifest manifest = training.session->manifest();
  std::string program = fingerprint(manifest);
  EXPECT_EQ(program.size(), 16u);
  EXPECT_EQ(program, fingerprint(manifest));
  manifest.entries[0].ranks[1].transfers[2] = 0;
  EXPECT_NE(program, fingerprint(manifest));
  std::string data = fingerprint(training.source);
  training.source.train.labels[21] ^= 1;
  EXPECT_NE(data, fingerprint(training.source));
  training.source.train.labels[21] ^= 1;
  EXPECT_EQ(data, fingerprint(training.source));
  training.source.train.samples[0].set(21, 77);
  EXPECT_NE(data, fingerprint(training.source));
}

/// A checkpoint of 4 tensors as bytes.
std::string writtenCheckpoint(const TemporaryFolder &folder) {
  TensorMap tensors;
  for (const char *name : {"conv1.weight", "conv1.bias", "step", "fc.weight"}) {
    HostTensor tensor(ElementType::F32, {5, int64_t(tensors.size()) + 1});
    for (int64_t i = 0; i < tensor.volume(); ++i)
      tensor.set(i, double(i) / 8);
    tensors.emplace(name, std::move(tensor));
  }
  TrainState state;
  state.step = 7;
  state.epoch = 2;
  state.position = 2;
  TrainingIdentity identity{7, 4, 22, "d", "p"};
  std::string path = folder / "c.safetensors";
  EXPECT_FALSE(writeCheckpoint(path, state, identity, tensors));
  return *readFile(path);
}

TEST(Checkpoint, NoticesEveryChangedByte) {
  TemporaryFolder folder;
  const std::string good = writtenCheckpoint(folder);
  auto whole = parseCheckpoint(good, "c");
  ASSERT_TRUE(whole) << whole.error();
  EXPECT_TRUE(whole->checked);
  // Each byte of the file, each bit of it, and all at once.
  std::string bytes = good;
  for (size_t at = 0; at < good.size(); ++at)
    for (int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      bytes[at] = char(good[at] ^ change);
      EXPECT_FALSE(parseCheckpoint(bytes, "c")) << at << " " << change;
      bytes[at] = good[at];
    }
}

TEST(Checkpoint, NoticesEveryTruncationAndAppendedBytes) {
  TemporaryFolder folder;
  const std::string good = writtenCheckpoint(folder);
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(parseCheckpoint(std::string_view(good).substr(0, size), "c"))
        << size;
  for (size_t more : {1, 4, 4096})
    EXPECT_FALSE(parseCheckpoint(good + std::string(more, '\0'), "c")) << more;
}

TEST(Checkpoint, NoticesBlocksThatWereOverwritten) {
  TemporaryFolder folder;
  std::string bytes = writtenCheckpoint(folder);
  // The bits of a NaN, from an element on that is none.
  for (size_t at = bytes.size() - 32; at < bytes.size(); at += 4)
    bytes.replace(at, 4, "\0\0\xc0\x7f", 4);
  auto read = parseCheckpoint(bytes, "c");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), "c: tensor 'step': the checksum is wrong: the file "
                          "is damaged, or a program changed the tensor and "
                          "kept the metadata");
}

TEST(Checkpoint, OfOlderVersionsHaveNoChecksums) {
  // Version 1 wrote the same without the two texts.
  std::string state =
      R"({\"version\":VERSION,\"step\":0,\"epoch\":1,\"position\":0,)"
      R"(\"seconds\":1.0,\"tally\":{\"loss\":0.0,\"correct\":0.0,)"
      R"(\"samples\":0,\"labels\":0},\"epochs\":[],\"seed\":0,)"
      R"(\"batch\":4,\"training_samples\":8,\"data\":\"d\",)"
      R"(\"program\":\"p\"})";
  auto read = [&](const char *version) {
    std::string text = state;
    text.replace(text.find("VERSION"), 7, version);
    std::string header =
        R"({"__metadata__":{"format":"soap-checkpoint","state":")" + text +
        R"("},"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    std::string length{char(header.size() & 255), char(header.size() >> 8)};
    return parseCheckpoint(
        length + std::string(6, '\0') + header + std::string(4, '\0'), "c");
  };
  auto old = read("1");
  ASSERT_TRUE(old) << old.error();
  EXPECT_FALSE(old->checked);
  EXPECT_EQ(old->tensors.size(), 1u);
  auto stripped = read("2");
  ASSERT_FALSE(stripped);
  EXPECT_EQ(stripped.error(),
            "c: state at /: the checksums are missing: the file is damaged, or "
            "another program wrote it");
}

/// The message for a file with this state, after the file's name.
std::string readError(const Metadata &metadata) {
  TemporaryFolder folder;
  std::string path = folder / "c.safetensors";
  EXPECT_FALSE(writeSafetensors(path, TensorMap(), metadata));
  auto read = readCheckpoint(path);
  return read ? "no error" : read.error().substr(path.size() + 2);
}

TEST(Checkpoint, RejectsOtherFiles) {
  const char *format = "soap-checkpoint";
  EXPECT_EQ(readError({}), "expected a checkpoint, got other safetensors (use "
                           "'--init' to start from its weights)");
  EXPECT_EQ(readError({{"format", format}}),
            "expected a JSON object as state of the checkpoint");
  EXPECT_EQ(readError({{"format", format}, {"state", "[1]"}}),
            "expected a JSON object as state of the checkpoint");
  auto message = [&](const std::string &edit) {
    json state = json::parse(R"({"version": 1, "step": 7, "epoch": 2,
        "position": 2, "seconds": 1, "tally": {"loss": 1, "correct": 2,
        "samples": 8}, "epochs": [], "seed": 0, "batch": 4,
        "training_samples": 22, "data": "d", "program": "p"})");
    state.merge_patch(json::parse(edit));
    return readError({{"format", format}, {"state", state.dump()}});
  };
  EXPECT_EQ(message("{}"), "no error");
  EXPECT_EQ(message(R"({"version": 3})"),
            "state at /version: expected an integer from 1 to 2, got 3");
  EXPECT_EQ(message(R"({"step": null})"),
            "state at /: expected key \"step\", which is missing");
  EXPECT_EQ(message(R"({"position": 8})"),
            "state at /position: expected an integer from 0 to 7, got 8");
  EXPECT_EQ(message(R"({"tally": {"loss": "much"}})"),
            "state at /tally/loss: expected a number, \"inf\", \"-inf\" or "
            "\"nan\", got \"much\"");
  EXPECT_EQ(message(R"({"epochs": [{"epoch": 0}]})"),
            "state at /epochs/0/epoch: expected an integer from 1 to "
            "9007199254740992, got 0");
  EXPECT_EQ(message(R"({"batch": 0})"),
            "state at /batch: expected an integer from 1 to 9007199254740992, "
            "got 0");
}

TEST(Checkpoint, RejectsOtherTrainings) {
  TrainingIdentity now{7, 4, 22, "d", "p"};
  auto message = [&](auto edit) {
    Checkpoint checkpoint;
    checkpoint.identity = now;
    checkpoint.state.step = 7;
    checkpoint.state.epoch = 2;
    checkpoint.state.position = 2;
    edit(checkpoint);
    MaybeError error = checkResumable(checkpoint, now);
    return error ? error->message : "no error";
  };
  const std::string hint = " (use '--init' to start anew from its weights)",
                    start = "the checkpoint was written by a training with ";
  EXPECT_EQ(message([](Checkpoint &) {}), "no error");
  EXPECT_EQ(message([](Checkpoint &c) { c.identity.program = "q"; }),
            "no error");
  EXPECT_EQ(message([](Checkpoint &c) { c.identity.batch = 8; }),
            start + "a batch of 8, got 4" + hint);
  EXPECT_EQ(message([](Checkpoint &c) { c.identity.seed = 0; }),
            start + "seed 0, got 7" + hint);
  EXPECT_EQ(message([](Checkpoint &c) { c.identity.samples = 30; }),
            start + "a number of samples of 30, got 22" + hint);
  EXPECT_EQ(message([](Checkpoint &c) { c.identity.data = "e"; }),
            start + "data of fingerprint e, got d" + hint);
  for (auto [step, epoch, position] :
       {std::array{8, 2, 2}, {7, 1, 7}, {7, 3, 2}, {1 << 30, 1 << 30, 0}})
    EXPECT_NE(message([&](Checkpoint &c) {
                c.state.step = step;
                c.state.epoch = epoch;
                c.state.position = position;
              }).find("the checkpoint contradicts itself: step"),
              std::string::npos);
}

TEST(Checkpoint, RejectsOtherModels) {
  auto session = makeSession();
  auto message = [&](const char *name, ElementType type,
                     std::vector<int64_t> shape, bool withW) {
    Checkpoint checkpoint;
    checkpoint.tensors.emplace(name, HostTensor(type, std::move(shape)));
    if (withW)
      checkpoint.tensors.emplace("w", HostTensor(ElementType::F32, {1}));
    MaybeError error =
        restoreTensors(checkpoint, session->manifest(), session->tensors());
    return error ? error->message : "no error";
  };
  const std::string start = "the checkpoint is of another model: ";
  EXPECT_EQ(message("w", ElementType::F32, {1}, false), "no error");
  EXPECT_EQ(message("v", ElementType::F32, {1}, false),
            start + "it lacks parameter 'w'");
  EXPECT_EQ(message("w", ElementType::F32, {2}, false),
            start + "'w' is f32 [2], expected f32 [1]");
  EXPECT_EQ(message("w", ElementType::F64, {1}, false),
            start + "'w' is f64 [1], expected f32 [1]");
  EXPECT_EQ(message("v", ElementType::F32, {1}, true),
            start + "the module has no 'v'");
  EXPECT_EQ(message("x", ElementType::F32, {4, 1}, true),
            start + "the module has no 'x'");
}

} // namespace
