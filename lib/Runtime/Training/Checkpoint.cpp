//===- Checkpoint.cpp - A training in a file ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Checkpoint.h. The metadata has two texts: "format", which says that this
// is a checkpoint, and "state", a JSON object.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Training/Checkpoint.h"

#include "Runtime/Artifact/Fingerprint.h"
#include "Soap/Runtime/Processes/Agreement.h"
#include "Soap/Support/InputFile.h"
#include "Support/Json.h"

#include <cmath>
#include <cstring>
#include <map>
#include <sstream>

using namespace soap;
using namespace soap::runtime;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char *formatName = "soap-checkpoint";
/// From this version on, checkpoints have checksums.
constexpr int64_t checkedVersion = 2;
constexpr int64_t large = int64_t(1) << 53;

bool isWeight(const TensorInfo &info) {
  return info.kind == TensorKind::Parameter || info.kind == TensorKind::State;
}

/// JSON has no infinities; a training that has diverged is saved all the same.
Json number(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double readNumber(const jsonfile::Cursor &cursor) {
  if (cursor.isNumber())
    return cursor.number();
  std::string text = cursor.isString() ? cursor.text() : "";
  if (text == "nan")
    return std::nan("");
  if (text != "inf" && text != "-inf")
    cursor.failExpected("a number, \"inf\", \"-inf\" or \"nan\"");
  return text == "inf" ? HUGE_VAL : -HUGE_VAL;
}

Json optionalNumber(const std::optional<double> &value) {
  return value ? number(*value) : Json();
}

std::optional<double> readOptional(const jsonfile::Cursor &cursor) {
  if (cursor.isNull())
    return std::nullopt;
  return readNumber(cursor);
}

Json toJson(const Metrics &metrics) {
  Json object = Json::object();
  for (const auto &[name, value] : metrics)
    object[name] = number(value);
  return object;
}

/// Of an object that older checkpoints lack.
Metrics readMetrics(const jsonfile::Cursor &cursor,
                    const char *key = "metrics") {
  Metrics metrics;
  if (!cursor.has(key))
    return metrics;
  for (const auto &[name, value] : cursor[key].members())
    metrics[name] = readNumber(value);
  return metrics;
}

Json toJson(const Evaluation &evaluation) {
  return {{"step", evaluation.step},
          {"loss", number(evaluation.loss)},
          {"accuracy", optionalNumber(evaluation.accuracy)},
          {"metrics", toJson(evaluation.metrics)}};
}

Evaluation readEvaluation(const jsonfile::Cursor &cursor) {
  Evaluation evaluation;
  evaluation.step = cursor["step"].integer(1, large);
  evaluation.loss = readNumber(cursor["loss"]);
  evaluation.accuracy = readOptional(cursor["accuracy"]);
  evaluation.metrics = readMetrics(cursor);
  return evaluation;
}

/// By metric, the two sums.
Json sumsToJson(const Tally &tally) {
  Json object = Json::object();
  for (const auto &[name, sums] : tally.metrics)
    object[name] = {number(sums.first), number(sums.second)};
  return object;
}

void readSums(const jsonfile::Cursor &cursor, Tally &tally) {
  for (const auto &[name, pair] : cursor.members()) {
    if (pair.size() != 2)
      pair.fail("expected a pair of numbers");
    tally.metrics[name] = {readNumber(pair[size_t(0)]),
                           readNumber(pair[size_t(1)])};
  }
}

Json toJson(const EpochResult &epoch) {
  return {{"epoch", epoch.epoch},
          {"iterations", epoch.iterations},
          {"loss", number(epoch.loss)},
          {"test_loss", optionalNumber(epoch.testLoss)},
          {"tokens", epoch.tokens},
          {"train_accuracy", optionalNumber(epoch.trainAccuracy)},
          {"test_accuracy", optionalNumber(epoch.testAccuracy)},
          {"train_metrics", toJson(epoch.trainMetrics)},
          {"metrics", toJson(epoch.testMetrics)},
          {"samples_per_second", number(epoch.samplesPerSecond)},
          {"seconds", number(epoch.seconds)}};
}

EpochResult readEpoch(const jsonfile::Cursor &cursor) {
  EpochResult epoch;
  epoch.epoch = cursor["epoch"].integer(1, large);
  epoch.iterations = cursor["iterations"].integer(0, large);
  epoch.loss = readNumber(cursor["loss"]);
  if (cursor.has("test_loss"))
    epoch.testLoss = readOptional(cursor["test_loss"]);
  epoch.tokens = cursor.has("tokens") && cursor["tokens"].boolean();
  epoch.trainAccuracy = readOptional(cursor["train_accuracy"]);
  epoch.testAccuracy = readOptional(cursor["test_accuracy"]);
  epoch.trainMetrics = readMetrics(cursor, "train_metrics");
  epoch.testMetrics = readMetrics(cursor);
  epoch.samplesPerSecond = readNumber(cursor["samples_per_second"]);
  epoch.seconds = readNumber(cursor["seconds"]);
  return epoch;
}

Json toJson(const TrainState &state, const TrainingIdentity &identity) {
  Json epochs = Json::array();
  for (const EpochResult &epoch : state.epochs)
    epochs.push_back(toJson(epoch));
  Json evaluations = Json::array();
  for (const Evaluation &evaluation : state.evaluations)
    evaluations.push_back(toJson(evaluation));
  return {{"version", checkedVersion},
          {"step", state.step},
          {"epoch", state.epoch},
          {"position", state.position},
          {"seconds", number(state.seconds)},
          {"tally",
           {{"loss", number(state.tally.loss)},
            {"correct", number(state.tally.correct)},
            {"samples", state.tally.samples},
            {"labels", state.tally.labels},
            {"weight", number(state.tally.weight)},
            {"metrics", sumsToJson(state.tally)}}},
          {"epochs", epochs},
          {"evaluations", evaluations},
          {"best_loss", optionalNumber(state.bestLoss)},
          {"since_best", state.sinceBest},
          {"options", identity.options},
          {"seed", identity.seed},
          {"batch", identity.batch},
          {"training_samples", identity.samples},
          {"data", identity.data},
          {"program", identity.program}};
}

void readState(const jsonfile::Cursor &cursor, Checkpoint &checkpoint) {
  int64_t version = cursor["version"].integer(1, checkedVersion);
  if (version >= checkedVersion && !checkpoint.checked)
    cursor.fail("the checksums are missing: the file is damaged, or another "
                "program wrote it");
  TrainState &state = checkpoint.state;
  state.step = cursor["step"].integer(0, large);
  state.epoch = cursor["epoch"].integer(1, large);
  state.position = cursor["position"].integer(0, state.step);
  state.seconds = readNumber(cursor["seconds"]);
  jsonfile::Cursor tally = cursor["tally"];
  state.tally.loss = readNumber(tally["loss"]);
  state.tally.correct = readNumber(tally["correct"]);
  state.tally.samples = tally["samples"].integer(0, large);
  // Older checkpoints have one label per sample.
  state.tally.labels = tally.has("labels") ? tally["labels"].integer(0, large)
                                           : state.tally.samples;
  state.tally.weight = tally.has("weight") ? readNumber(tally["weight"])
                                           : double(state.tally.labels);
  if (tally.has("metrics"))
    readSums(tally["metrics"], state.tally);
  if (cursor.has("evaluations")) {
    jsonfile::Cursor evaluations = cursor["evaluations"];
    for (size_t i = 0; i < evaluations.size(); ++i)
      state.evaluations.push_back(readEvaluation(evaluations[i]));
  }
  if (cursor.has("best_loss"))
    state.bestLoss = readOptional(cursor["best_loss"]);
  if (cursor.has("since_best"))
    state.sinceBest = cursor["since_best"].integer(0, large);
  if (cursor.has("options"))
    checkpoint.identity.options = cursor["options"].text();
  jsonfile::Cursor epochs = cursor["epochs"];
  for (size_t i = 0; i < epochs.size(); ++i)
    state.epochs.push_back(readEpoch(epochs[i]));
  TrainingIdentity &identity = checkpoint.identity;
  identity.seed = uint64_t(cursor["seed"].integer(0));
  identity.batch = cursor["batch"].integer(1, large);
  // Trainings have at least one batch an epoch.
  identity.samples = cursor["training_samples"].integer(identity.batch, large);
  identity.data = cursor["data"].text();
  identity.program = cursor["program"].text();
}

std::string describe(const HostTensor &tensor) {
  return std::string(nameOf(tensor.dtype)) + " " + shapeString(tensor.shape);
}

} // namespace

static void addSet(Hasher &hash, const DataSource &source, const Dataset &set) {
  for (size_t i = 0; i < set.samples.size(); ++i) {
    const HostTensor &samples = set.samples[i];
    hash.add(source.inputs[i].factor);
    hash.add(source.inputs[i].offset);
    hash.add(uint64_t(samples.dtype));
    hash.add(samples.shape);
    hash.add(samples.bytes.data(),
             size_t(samples.volume() * sizeOf(samples.dtype)));
  }
  hash.add(set.labels.data(), set.labels.size() * sizeof(set.labels[0]));
  for (const HostTensor &labels : set.targets) {
    hash.add(uint64_t(labels.dtype));
    hash.add(labels.shape);
    hash.add(labels.bytes.data(),
             size_t(labels.volume() * sizeOf(labels.dtype)));
  }
}

std::string runtime::fingerprint(const DataSource &source) {
  Hasher hash;
  addSet(hash, source, source.train);
  return hash.digits();
}

MaybeError runtime::checkSameData(const Placement &placement,
                                  const std::string &spec,
                                  const DataSource &source) {
  if (placement.size() == 1)
    return std::nullopt;
  Hasher hash;
  std::string text = "'" + spec + "', ";
  text += std::to_string(source.train.size()) + " samples";
  addSet(hash, source, source.train);
  if (source.test) {
    text += " and " + std::to_string(source.test->size()) + " to test";
    addSet(hash, source, *source.test);
  }
  return checkSame(placement, "data", hash.digits(), text);
}

TrainingIdentity runtime::identify(const Manifest &manifest,
                                   const Trainer &trainer,
                                   const DataSource &source, uint64_t seed,
                                   const std::string &options) {
  TrainingIdentity identity;
  identity.options = manifest.training;
  if (!options.empty())
    identity.options += (identity.options.empty() ? "" : " ") + options;
  identity.seed = seed;
  identity.batch = trainer.batch(source);
  identity.samples = source.train.size();
  identity.data = fingerprint(source);
  identity.program = fingerprint(manifest);
  return identity;
}

MaybeError runtime::writeCheckpoint(const std::string &path,
                                    const TrainState &state,
                                    const TrainingIdentity &identity,
                                    const TensorMap &tensors) {
  return writeSafetensors(
      path, tensors,
      {{"format", formatName}, {"state", toJson(state, identity).dump()}});
}

Expected<Checkpoint> runtime::readCheckpoint(const std::string &path) {
  auto file = readFile(path);
  if (!file)
    return file.takeError();
  return parseCheckpoint(*file, path);
}

Expected<Checkpoint> runtime::parseCheckpoint(std::string_view data,
                                              const std::string &path) {
  SafetensorsInfo info;
  auto tensors = parseSafetensors(data, path, &info);
  if (!tensors)
    return tensors.takeError();
  Metadata &metadata = info.metadata;
  if (metadata["format"] != formatName)
    return Error{path + ": expected a checkpoint, got other safetensors (use "
                        "'--init' to start from its weights)"};
  auto json = nlohmann::json::parse(metadata["state"], nullptr, false);
  if (!json.is_object())
    return Error{path + ": expected a JSON object as state of the checkpoint"};
  Checkpoint checkpoint;
  checkpoint.tensors = std::move(*tensors);
  checkpoint.checked = info.checked;
  try {
    readState(jsonfile::Cursor(json), checkpoint);
  } catch (const jsonfile::JsonError &error) {
    return Error{path + ": state " + error.what()};
  }
  return checkpoint;
}

MaybeError runtime::restoreTensors(const Checkpoint &checkpoint,
                                   const Manifest &manifest,
                                   TensorStore &store) {
  size_t used = 0;
  for (size_t t = 0; t < manifest.tensors.size(); ++t) {
    const TensorInfo &info = manifest.tensors[t];
    if (!isWeight(info))
      continue;
    auto it = checkpoint.tensors.find(info.name);
    if (it == checkpoint.tensors.end())
      return Error{"the checkpoint is of another model: it lacks " +
                   std::string(nameOf(info.kind)) + " '" + info.name + "'"};
    const HostTensor &value = it->second;
    if (value.shape != info.shape || value.dtype != elementType(info.dtype))
      return Error{"the checkpoint is of another model: '" + info.name +
                   "' is " + describe(value) + ", expected " +
                   nameOf(info.dtype) + " " + shapeString(info.shape)};
    if (MaybeError error = store.set(t, value))
      return error;
    ++used;
  }
  if (used == checkpoint.tensors.size())
    return std::nullopt;
  for (const auto &[name, value] : checkpoint.tensors) {
    auto t = manifest.tensorNamed(name);
    if (!t || !isWeight(manifest.tensors[*t]))
      return Error{"the checkpoint is of another model: the module has no '" +
                   name + "'"};
  }
  return std::nullopt;
}

/// "name=value name=value", by name.
static std::map<std::string, std::string>
splitOptions(const std::string &text) {
  std::map<std::string, std::string> options;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    size_t equals = word.find('=');
    options[word.substr(0, equals)] =
        equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  return options;
}

MaybeError runtime::checkResumable(const Checkpoint &checkpoint,
                                   const TrainingIdentity &identity) {
  const TrainingIdentity &was = checkpoint.identity;
  auto differs = [](const std::string &what, const std::string &had,
                    const std::string &got) {
    return Error{"the checkpoint was written by a training with " + what + " " +
                 had + ", got " + got +
                 " (use '--init' to start anew from its weights)"};
  };
  // Older checkpoints, and modules that were built by hand, do not say.
  if (!was.options.empty() && !identity.options.empty()) {
    auto had = splitOptions(was.options), got = splitOptions(identity.options);
    // Other options follow from the precision, as the scale of the loss.
    const std::map<std::string, std::string> first = {{"precision", ""}};
    for (const auto &options : {first, had, got})
      for (const auto &[name, ignored] : options) {
        auto text = [&name = name](auto &from) {
          auto found = from.find(name);
          return found == from.end() ? "its default"
                                     : "'" + found->second + "'";
        };
        if (text(had) != text(got))
          return differs("the option '" + name + "' at", text(had), text(got));
      }
  }
  if (was.batch != identity.batch)
    return differs("a batch of", std::to_string(was.batch),
                   std::to_string(identity.batch));
  if (was.seed != identity.seed)
    return differs("seed", std::to_string(was.seed),
                   std::to_string(identity.seed));
  if (was.samples != identity.samples)
    return differs("a number of samples of", std::to_string(was.samples),
                   std::to_string(identity.samples));
  if (was.data != identity.data)
    return differs("data of fingerprint", was.data, identity.data);
  int64_t perEpoch = identity.samples / identity.batch;
  const TrainState &state = checkpoint.state;
  if (state.position > perEpoch ||
      (state.epoch - 1) > (state.step - state.position) / perEpoch ||
      (state.epoch - 1) * perEpoch + state.position != state.step)
    return Error{"the checkpoint contradicts itself: step " +
                 std::to_string(state.step) + " is not iteration " +
                 std::to_string(state.position) + " of epoch " +
                 std::to_string(state.epoch) + " of " +
                 std::to_string(perEpoch) + " iterations"};
  return std::nullopt;
}
