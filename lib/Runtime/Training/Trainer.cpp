//===- Trainer.cpp - Epochs of a training step ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Trainer.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Training/Trainer.h"

#include "Soap/Runtime/Training/FiniteWatch.h"

#include <algorithm>
#include <numeric>

using namespace soap;
using namespace soap::runtime;
using Clock = std::chrono::steady_clock;

Expected<Trainer::EntryTensors> Trainer::find(size_t entry) const {
  const Manifest &manifest = session->manifest();
  const std::string &name = manifest.entries[entry].name;
  EntryTensors result;
  result.entry = entry;
  result.data.resize(data.size());
  for (size_t tensor : session->arguments(entry, TensorKind::Data)) {
    auto input = std::find(data.begin(), data.end(), tensor);
    if (input == data.end())
      return Error{"entry '" + name + "': 'train_step' has no data '" +
                   manifest.tensors[tensor].name + "'"};
    result.data[size_t(input - data.begin())] = tensor;
  }
  auto label = session->argument(entry, TensorKind::Label);
  if (!label)
    return label.takeError();
  auto loss = session->resultOf(entry, TensorKind::Loss);
  if (!loss)
    return Error{"entry '" + name + "' has no loss"};
  result.label = *label;
  result.loss = *loss;
  result.correct = session->resultOf(entry, TensorKind::Correct);
  return result;
}

Expected<Trainer> Trainer::create(Session &session) {
  Trainer trainer;
  trainer.session = &session;
  auto entry = session.entry("train_step");
  if (!entry)
    return entry.takeError();
  trainer.data = session.arguments(*entry, TensorKind::Data);
  if (trainer.data.empty())
    return Error{"entry 'train_step' has no data argument"};
  auto train = trainer.find(*entry);
  if (!train)
    return train.takeError();
  trainer.train = *train;
  if (auto evaluate = session.entry("evaluate")) {
    auto test = trainer.find(*evaluate);
    if (!test)
      return test.takeError();
    trainer.test = *test;
  }
  return trainer;
}

ModelInputs Trainer::inputs() const {
  const std::vector<TensorInfo> &tensors = session->manifest().tensors;
  ModelInputs result;
  for (size_t tensor : data)
    result.data.push_back(tensors[tensor]);
  result.label = tensors[train.label];
  return result;
}

int64_t Trainer::batch(const DataSource &source) const {
  return session->manifest()
      .tensors[data[0]]
      .shape[size_t(source.inputs[0].batchDim)];
}

std::vector<size_t> Trainer::tensorsOf(const EntryTensors &e) {
  std::vector<size_t> tensors = {e.label};
  for (std::optional<size_t> tensor : e.data)
    if (tensor)
      tensors.push_back(*tensor);
  return tensors;
}

int64_t Trainer::fill(const EntryTensors &e, const DataSource &source,
                      const Dataset &set, const std::vector<int64_t> &order,
                      int64_t first, bool isNext) {
  TensorStore &store = session->tensors();
  auto host = [&](size_t tensor) {
    return isNext ? &store.nextHost(tensor) : &store.host(tensor);
  };
  std::vector<HostTensor *> inputs;
  for (std::optional<size_t> tensor : e.data)
    inputs.push_back(tensor ? host(*tensor) : nullptr);
  return fillBatch(source, set, order, first, inputs, *host(e.label));
}

MaybeError Trainer::runBatch(const EntryTensors &e, const DataSource &source,
                             const Dataset &set,
                             const std::vector<int64_t> &order, int64_t first,
                             Tally &tally, int64_t next) {
  TensorStore &store = session->tensors();
  int64_t real = stagedReal;
  bool isTrain = &e == &train, isFixed = isTrain && source.fixed;
  if (isFixed && hasFixed) {
    // The batch is there.
  } else if (isTrain && staged >= 0 && staged == first) {
    if (MaybeError error = store.adopt())
      return error;
  } else {
    real = fill(e, source, set, order, first, /*isNext=*/false);
    for (size_t tensor : tensorsOf(e))
      store.hostWritten(tensor);
  }
  if (isFixed) {
    hasFixed = true;
    stagedReal = real;
  }
  if (isTrain)
    staged = -1;
  auto meanwhile = [&]() -> MaybeError {
    stagedReal = fill(e, source, set, order, next, /*isNext=*/true);
    if (MaybeError error = store.stage(e.entry, tensorsOf(e)))
      return error;
    staged = store.canStage() ? next : -1;
    return std::nullopt;
  };
  bool pipelines = next >= 0 && !isFixed && store.canStage();
  if (MaybeError error = session->run(
          e.entry, pipelines ? std::function<MaybeError()>(meanwhile)
                             : std::function<MaybeError()>()))
    return error;
  auto value = session->scalar(e.entry, e.loss);
  if (!value)
    return value.takeError();
  loss = *value;
  // The loss is the sum over the real labels divided by all of the batch.
  const HostTensor &labels = store.host(e.label);
  tally.loss += loss * double(labels.volume());
  tally.samples += real;
  for (int64_t i = 0; i < labels.volume(); ++i)
    tally.labels += labels.at(i) >= 0;
  if (!e.correct)
    return std::nullopt;
  auto correct = session->scalar(e.entry, *e.correct);
  if (!correct)
    return correct.takeError();
  tally.correct += *correct;
  return std::nullopt;
}

MaybeError Trainer::step(const DataSource &source,
                         const std::vector<int64_t> &order, int64_t first,
                         Tally &tally, int64_t next) {
  if (MaybeError error =
          runBatch(train, source, source.train, order, first, tally, next))
    return error;
  times.push_back(session->lastMilliseconds());
  return std::nullopt;
}

Expected<std::optional<Tally>> Trainer::evaluate(const DataSource &source,
                                                 const Dataset &set) {
  if (!test)
    return std::optional<Tally>();
  Tally tally;
  std::vector<int64_t> order(static_cast<size_t>(set.size()));
  std::iota(order.begin(), order.end(), 0);
  int64_t size = batch(source);
  for (int64_t first = 0; first < set.size(); first += size)
    if (MaybeError error = runBatch(*test, source, set, order, first, tally))
      return *error;
  return std::optional<Tally>(tally);
}

namespace {

EpochResult summarize(const Trainer &trainer, const DataSource &source,
                      const TrainState &state) {
  EpochResult numbers;
  numbers.epoch = state.epoch;
  numbers.iterations = state.position;
  numbers.seconds = state.seconds;
  numbers.tokens = source.tokens;
  numbers.loss = state.tally.meanLoss();
  if (trainer.countsCorrect())
    numbers.trainAccuracy = state.tally.accuracy();
  numbers.samplesPerSecond =
      state.seconds > 0 ? double(state.tally.samples) / state.seconds : 0;
  return numbers;
}

/// A training in progress.
class Run {
public:
  Run(Trainer &trainer, const DataSource &source, const TrainOptions &options)
      : trainer(trainer), source(source), options(options) {
    result.state = options.start;
    if (source.tokens)
      result.unigramLoss = source.unigramLoss;
    if (options.watchesFinite)
      watch.emplace(trainer.module(), options.start.step);
  }

  MaybeError train();
  TrainResult result;

private:
  bool wantsMore() const {
    return !result.stopped && result.notFinite.empty() &&
           (!options.iterations || result.state.step < options.iterations);
  }
  int64_t perEpoch() const {
    return source.fixed ? DataSource::fixedIterations
                        : source.train.size() / trainer.batch(source);
  }
  MaybeError trainEpoch();
  /// Whether the iteration's numbers are any.
  bool observe(const std::vector<int64_t> &order, int64_t first,
               double seconds);
  /// Gives all ranks the finding of any.
  MaybeError settle(bool looks);
  MaybeError evaluate(EpochResult &numbers);

  Trainer &trainer;
  const DataSource &source;
  const TrainOptions &options;
  std::optional<FiniteWatch> watch;
};

bool Run::observe(const std::vector<int64_t> &order, int64_t first,
                  double seconds) {
  if (!watch)
    return false;
  const TrainState &state = result.state;
  std::string where = "epoch " + std::to_string(state.epoch) + ", iteration " +
                      std::to_string(state.position);
  bool found = watch->observe(state.step, where, trainer.lastLoss(), seconds);
  if (found)
    watch->blame(nonFiniteSample(source.train, trainer.inputs().data, order,
                                 first, trainer.batch(source)));
  return found;
}

MaybeError Run::settle(bool looks) {
  if (!watch)
    return std::nullopt;
  auto found = watch->settle(looks);
  if (!found)
    return found.takeError();
  result.notFinite = *found;
  return std::nullopt;
}

/// Trains until the epoch, the training or the patience of the user ends.
MaybeError Run::trainEpoch() {
  TrainState &state = result.state;
  std::vector<int64_t> order =
      shuffledOrder(source.train.size(), options.seed, state.epoch);
  while (state.position < perEpoch() && wantsMore()) {
    Clock::time_point start = Clock::now();
    int64_t batch = trainer.batch(source),
            first = source.fixed ? 0 : state.position * batch;
    bool isLast = state.position + 1 == perEpoch() ||
                  (options.iterations && state.step + 1 >= options.iterations);
    if (MaybeError error = trainer.step(source, order, first, state.tally,
                                        isLast ? -1 : first + batch))
      return Error{"epoch " + std::to_string(state.epoch) + ", iteration " +
                   std::to_string(state.position + 1) + ": " + error->message};
    ++state.step;
    ++state.position;
    ++result.ran;
    double seconds =
        std::chrono::duration<double>(Clock::now() - start).count();
    state.seconds += seconds;
    bool notFinite = observe(order, first, seconds);
    if (options.onIteration)
      options.onIteration(state.epoch, state.position, perEpoch(), state.tally);
    Decision decision = options.stop ? options.stop(notFinite)
                        : notFinite  ? Decision::NotFinite
                                     : Decision::GoOn;
    result.stopped = decision == Decision::Stop;
    bool saves =
        options.checkpointEvery && state.step % options.checkpointEvery == 0;
    // A checkpoint with NaNs would replace a good one.
    if (decision == Decision::NotFinite || saves)
      if (MaybeError error = settle(/*looks=*/saves))
        return error;
    if (saves && result.notFinite.empty())
      if (MaybeError error = options.onCheckpoint(state))
        return error;
  }
  return std::nullopt;
}

MaybeError Run::evaluate(EpochResult &numbers) {
  std::string where =
      "evaluation after epoch " + std::to_string(result.state.epoch);
  auto test = trainer.evaluate(source, *source.test);
  if (!test)
    return Error{where + ": " + test.error()};
  if (!*test)
    return std::nullopt;
  numbers.testLoss = (*test)->meanLoss();
  if (trainer.countsCorrect())
    numbers.testAccuracy = (*test)->accuracy();
  if (!watch)
    return std::nullopt;
  watch->observeTest(where, *numbers.testLoss, *source.test,
                     trainer.inputs().data);
  return settle(/*looks=*/false);
}

MaybeError Run::train() {
  TrainState &state = result.state;
  while (wantsMore() && (!options.epochs || state.epoch <= options.epochs)) {
    if (MaybeError error = trainEpoch())
      return error;
    bool isWhole = state.position >= perEpoch() && !result.stopped;
    bool isEnd = !isWhole || !wantsMore() || state.epoch == options.epochs;
    // Between epochs no rank waits for the others without need.
    if (result.notFinite.empty() && (isEnd || source.test))
      if (MaybeError error = settle(/*looks=*/isEnd))
        return error;
    EpochResult numbers = summarize(trainer, source, state);
    if (source.test && !result.stopped && result.notFinite.empty())
      if (MaybeError error = evaluate(numbers))
        return error;
    if (options.onEpoch && result.notFinite.empty())
      options.onEpoch(numbers);
    // An epoch that was stopped after its last iteration still lacks its
    // evaluation.
    if (!isWhole || !result.notFinite.empty()) {
      result.epochs = state.epochs;
      result.epochs.push_back(numbers);
      result.iterations = state.step;
      return std::nullopt;
    }
    state.epochs.push_back(numbers);
    ++state.epoch;
    state.position = 0;
    state.seconds = 0;
    state.tally = Tally();
  }
  result.epochs = state.epochs;
  result.iterations = state.step;
  return std::nullopt;
}

} // namespace

Expected<TrainResult> runtime::trainEpochs(Trainer &trainer,
                                           const DataSource &source,
                                           const TrainOptions &options) {
  Run run(trainer, source, options);
  if (MaybeError error = run.train())
    return *error;
  return std::move(run.result);
}
