//===- Trainer.cpp - Epochs of a training step ----------------------------===//
//
// See Trainer.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Trainer.h"

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

/// Trains until the epoch, the training or the patience of the user ends.
MaybeError trainEpoch(Trainer &trainer, const DataSource &source,
                      const TrainOptions &options, int64_t perEpoch,
                      TrainResult &result) {
  TrainState &state = result.state;
  std::vector<int64_t> order =
      shuffledOrder(source.train.size(), options.seed, state.epoch);
  while (state.position < perEpoch && !result.stopped &&
         (!options.iterations || state.step < options.iterations)) {
    Clock::time_point start = Clock::now();
    int64_t batch = trainer.batch(source),
            first = source.fixed ? 0 : state.position * batch;
    bool isLast = state.position + 1 == perEpoch ||
                  (options.iterations && state.step + 1 >= options.iterations);
    if (MaybeError error = trainer.step(source, order, first, state.tally,
                                        isLast ? -1 : first + batch))
      return Error{"epoch " + std::to_string(state.epoch) + ", iteration " +
                   std::to_string(state.position + 1) + ": " + error->message};
    ++state.step;
    ++state.position;
    ++result.ran;
    state.seconds +=
        std::chrono::duration<double>(Clock::now() - start).count();
    if (options.onIteration)
      options.onIteration(state.epoch, state.position, perEpoch, state.tally);
    result.stopped = options.stop && options.stop();
    if (options.checkpointEvery && state.step % options.checkpointEvery == 0)
      if (MaybeError error = options.onCheckpoint(state))
        return error;
  }
  return std::nullopt;
}

} // namespace

Expected<TrainResult> runtime::trainEpochs(Trainer &trainer,
                                           const DataSource &source,
                                           const TrainOptions &options) {
  TrainResult result;
  result.state = options.start;
  TrainState &state = result.state;
  if (source.tokens)
    result.unigramLoss = source.unigramLoss;
  int64_t perEpoch = source.fixed ? DataSource::fixedIterations
                                  : source.train.size() / trainer.batch(source);
  while (!result.stopped &&
         (!options.iterations || state.step < options.iterations) &&
         (!options.epochs || state.epoch <= options.epochs)) {
    if (MaybeError error =
            trainEpoch(trainer, source, options, perEpoch, result))
      return *error;
    EpochResult numbers = summarize(trainer, source, state);
    if (source.test && !result.stopped) {
      auto test = trainer.evaluate(source, *source.test);
      if (!test)
        return Error{"evaluation after epoch " + std::to_string(state.epoch) +
                     ": " + test.error()};
      if (*test)
        numbers.testLoss = (*test)->meanLoss();
      if (*test && trainer.countsCorrect())
        numbers.testAccuracy = (*test)->accuracy();
    }
    if (options.onEpoch)
      options.onEpoch(numbers);
    // An epoch that was stopped after its last iteration still lacks its
    // evaluation.
    if (result.stopped || state.position < perEpoch) {
      result.epochs = state.epochs;
      result.epochs.push_back(numbers);
      result.iterations = state.step;
      return result;
    }
    state.epochs.push_back(numbers);
    ++state.epoch;
    state.position = 0;
    state.seconds = 0;
    state.tally = Tally();
  }
  result.epochs = state.epochs;
  result.iterations = state.step;
  return result;
}
