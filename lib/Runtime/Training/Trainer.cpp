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
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>
#include <set>

using namespace soap;
using namespace soap::runtime;
using Clock = std::chrono::steady_clock;

Metrics Tally::meanMetrics() const {
  Metrics means;
  for (const auto &[name, sum] : metrics) {
    double mean = sum.first / (sum.second > 0 ? sum.second : 1);
    // The metric's sum is that of the loss.
    bool isPerplexity = name.rfind("perplexity", 0) == 0;
    means[name] = isPerplexity ? std::exp(mean) : mean;
  }
  return means;
}

std::optional<size_t>
Trainer::EntryTensors::measure(const std::string &name,
                               const std::string &labels) const {
  for (const Measure &measure : measures)
    if (measure.name == name && measure.labels == labels)
      return measure.tensor;
  return std::nullopt;
}

Expected<Trainer::EntryTensors> Trainer::find(size_t entry) const {
  const Manifest &manifest = session->manifest();
  const EntryInfo &info = manifest.entries[entry];
  // A tensor of another batch than that of `train_step` has the entry's name in
  // front of its own.
  auto place = [&](const std::vector<size_t> &known,
                   size_t tensor) -> std::optional<size_t> {
    const std::string &name = manifest.tensors[tensor].name;
    for (size_t i = 0; i < known.size(); ++i)
      if (const std::string &base = manifest.tensors[known[i]].name;
          name == base || name == info.name + "." + base)
        return i;
    return std::nullopt;
  };
  EntryTensors result;
  result.entry = entry;
  result.data.resize(data.size());
  for (size_t tensor : session->arguments(entry, TensorKind::Data)) {
    auto input = place(data, tensor);
    if (!input)
      return Error{"entry '" + info.name + "': 'train_step' has no data '" +
                   manifest.tensors[tensor].name + "'"};
    result.data[*input] = tensor;
  }
  bool isOne =
      labels.size() == 1 && manifest.tensors[labels[0]].dtype == DType::I32;
  if (!isOne)
    result.targets.resize(labels.size());
  for (size_t tensor : session->arguments(entry, TensorKind::Label)) {
    auto label = place(labels, tensor);
    if (!label)
      return Error{"entry '" + info.name + "': 'train_step' has no label '" +
                   manifest.tensors[tensor].name + "'"};
    if (isOne)
      result.label = tensor;
    else
      result.targets[*label] = tensor;
  }
  if (isOne && !result.label)
    return Error{"entry '" + info.name + "' has no label '" +
                 manifest.tensors[labels[0]].name + "'"};
  auto loss = session->resultOf(entry, TensorKind::Loss);
  if (!loss)
    return Error{"entry '" + info.name + "' has no loss"};
  result.loss = *loss;
  result.correct = session->resultOf(entry, TensorKind::Correct);
  std::set<size_t> outputs;
  for (const RankInfo &rank : info.ranks)
    for (const TileInfo &tile : rank.results)
      if (manifest.tensors[tile.tensor].kind == TensorKind::Output)
        outputs.insert(tile.tensor);
  for (size_t tensor : outputs) {
    const std::string &name = manifest.tensors[tensor].name;
    size_t at = name.find('@');
    if (at != std::string::npos && manifest.tensors[tensor].shape.empty())
      result.measures.push_back(
          {name.substr(0, at), name.substr(at + 1), tensor});
  }
  return result;
}

Expected<Trainer> Trainer::create(Session &session, int64_t accumulate) {
  assert(accumulate > 0 && "at least one batch");
  Trainer trainer;
  trainer.session = &session;
  trainer.accumulate = accumulate;
  auto entry = session.entry("train_step");
  if (!entry)
    return entry.takeError();
  trainer.data = session.arguments(*entry, TensorKind::Data);
  if (trainer.data.empty())
    return Error{"entry 'train_step' has no data argument"};
  trainer.labels = session.arguments(*entry, TensorKind::Label);
  auto train = trainer.find(*entry);
  if (!train)
    return train.takeError();
  trainer.train = *train;
  if (accumulate > 1) {
    auto step = session.entry("accumulate_step");
    if (!step)
      return Error{"the module has no 'accumulate_step' for iterations of " +
                   std::to_string(accumulate) +
                   " batches: build the step with the option "
                   "'accumulate=true'"};
    auto add = trainer.find(*step);
    if (!add)
      return add.takeError();
    trainer.add = *add;
  }
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
  if (train.label)
    result.label = tensors[*train.label];
  else
    for (size_t tensor : labels)
      result.targets.push_back(tensors[tensor]);
  return result;
}

int64_t Trainer::batch(const DataSource &source) const {
  return batchOf(train, source) * accumulate;
}

int64_t Trainer::batchOf(const EntryTensors &e,
                         const DataSource &source) const {
  const std::vector<TensorInfo> &tensors = session->manifest().tensors;
  assert(source.inputs.size() >= e.data.size() && !source.inputs.empty() &&
         "a data source must fit the module");
  auto batch = [&](size_t tensor, const DataInput &input) {
    return tensors[tensor].shape[size_t(input.batchDim)];
  };
  for (size_t i = 0; i < e.data.size(); ++i)
    if (e.data[i])
      return batch(*e.data[i], source.inputs[i]);
  // An entry whose loss does not depend on the data.
  return batch(data[0], source.inputs[0]);
}

bool Trainer::evaluatesWholeBatches() const {
  return test && session->manifest().tensors[test->loss].name.find(
                     "batch_loss") != std::string::npos;
}

std::vector<size_t> Trainer::tensorsOf(const EntryTensors &e) {
  std::vector<size_t> tensors;
  if (e.label)
    tensors.push_back(*e.label);
  for (const auto *list : {&e.targets, &e.data})
    for (std::optional<size_t> tensor : *list)
      if (tensor)
        tensors.push_back(*tensor);
  return tensors;
}

int64_t Trainer::fill(const EntryTensors &e, const DataSource &source,
                      const Dataset &set, const std::vector<int64_t> &order,
                      int64_t first, bool isNext) {
  TensorStore &store = session->tensors();
  auto host = [&](std::optional<size_t> tensor) -> HostTensor * {
    if (!tensor)
      return nullptr;
    return isNext ? &store.nextHost(*tensor) : &store.host(*tensor);
  };
  BatchTensors batch;
  for (std::optional<size_t> tensor : e.data)
    batch.data.push_back(host(tensor));
  for (std::optional<size_t> tensor : e.targets)
    batch.targets.push_back(host(tensor));
  batch.label = host(e.label);
  batch.size = batchOf(e, source);
  return fillBatch(source, set, order, first, batch);
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
  return tallyBatch(e, batchOf(e, source), real, tally);
}

std::optional<std::string> Trainer::metricName(const EntryTensors &e,
                                               const EntryTensors::Measure &m) {
  if (m.name == "counted" || m.name == "weight")
    return std::nullopt;
  return e.numLabels() == 1 ? m.name : m.name + "@" + m.labels;
}

std::vector<std::string> Trainer::metricNames() const {
  std::vector<std::string> names;
  if (test)
    for (const EntryTensors::Measure &measure : test->measures)
      if (auto name = metricName(*test, measure))
        names.push_back(*name);
  return names;
}

MaybeError Trainer::tallyBatch(const EntryTensors &e, int64_t batch,
                               int64_t real, Tally &tally) {
  TensorStore &store = session->tensors();
  auto read = [&](size_t tensor, double &number) -> MaybeError {
    auto value = session->scalar(e.entry, tensor);
    if (!value)
      return value.takeError();
    number = *value;
    return std::nullopt;
  };
  const Manifest &manifest = session->manifest();
  // Labels that count: the module says it where it knows more than the host.
  auto countOf = [&](size_t tensor, double &count) -> MaybeError {
    if (auto counted = e.measure("counted", manifest.tensors[tensor].name))
      return read(*counted, count);
    count = double(countLabels(store.host(tensor)));
    return std::nullopt;
  };
  if (MaybeError error = read(e.loss, loss))
    return error;
  assert(real >= 0 && real <= batch && "a part of the batch");
  tally.samples += real;
  std::optional<size_t> only = e.label;
  if (e.numLabels() == 1 && !only)
    only = e.targets[0];
  double count = double(real), weight = count;
  if (only) {
    const std::string &name = manifest.tensors[*only].name;
    if (MaybeError error = countOf(*only, count))
      return error;
    weight = count;
    if (auto weights = e.measure("weight", name))
      if (MaybeError error = read(*weights, weight))
        return error;
    bool isMean = e.measure("counted", name).has_value();
    // Else the loss is the sum over the real labels divided by all of the
    // batch.
    tally.loss += loss * (isMean ? weight : double(store.host(*only).volume()));
  } else {
    // The mean over the real ones.
    tally.loss += loss * weight;
  }
  tally.labels += int64_t(std::llround(count));
  tally.weight += weight;
  for (const EntryTensors::Measure &measure : e.measures) {
    std::optional<std::string> metric = metricName(e, measure);
    if (!metric)
      continue;
    auto labels = manifest.tensorNamed(measure.labels);
    if (!labels)
      return Error{"result '" + measure.name + "@" + measure.labels +
                   "': there are no labels '" + measure.labels + "'"};
    double sum = 0, divisor = 0;
    if (MaybeError error = read(measure.tensor, sum))
      return error;
    if (MaybeError error = countOf(*labels, divisor))
      return error;
    if (measure.name == "perplexity")
      if (auto weights = e.measure("weight", measure.labels))
        if (MaybeError error = read(*weights, divisor))
          return error;
    auto &[total, divisors] = tally.metrics[*metric];
    total += sum;
    divisors += divisor;
  }
  if (!e.correct)
    return std::nullopt;
  double correct = 0;
  if (MaybeError error = read(*e.correct, correct))
    return error;
  tally.correct += correct;
  return std::nullopt;
}

MaybeError Trainer::step(const DataSource &source,
                         const std::vector<int64_t> &order, int64_t first,
                         Tally &tally, int64_t next) {
  assert(first >= 0 && first <= int64_t(order.size()) && "no such sample");
  // Only a batch of the same entry can be on its way.
  if (accumulate > 1)
    next = -1;
  double milliseconds = 0, losses = 0;
  for (int64_t i = 0; i < accumulate; ++i) {
    const EntryTensors &e = i + 1 < accumulate ? *add : train;
    int64_t at = source.fixed ? first : first + i * batchOf(e, source);
    if (MaybeError error =
            runBatch(e, source, source.train, order, at, tally, next))
      return error;
    losses += loss;
    milliseconds += session->lastMilliseconds();
  }
  loss = losses / double(accumulate);
  times.push_back(milliseconds);
  return std::nullopt;
}

Expected<std::optional<Tally>> Trainer::evaluate(const DataSource &source,
                                                 const Dataset &set) {
  if (!test)
    return std::optional<Tally>();
  Tally tally;
  std::vector<int64_t> order(static_cast<size_t>(set.size()));
  std::iota(order.begin(), order.end(), 0);
  int64_t size = batchOf(*test, source), end = set.size();
  if (evaluatesWholeBatches())
    end -= end % size;
  if (end == 0)
    return Error{"the test set has " + std::to_string(set.size()) +
                 " samples, fewer than a batch of " + std::to_string(size) +
                 ", whose loss the model computes itself"};
  for (int64_t first = 0; first < end; first += size)
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
  numbers.trainMetrics = state.tally.meanMetrics();
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
    result.endedEarly =
        options.patience && options.start.sinceBest >= options.patience;
    if (source.tokens)
      result.unigramLoss = source.unigramLoss;
    if (options.watchesFinite)
      watch.emplace(trainer.module(), options.start.step);
  }

  MaybeError train();
  TrainResult result;

private:
  bool wantsMore() const {
    return !result.stopped && !result.endedEarly && result.notFinite.empty() &&
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
  /// The evaluation of `evaluateEvery`, after an iteration.
  MaybeError evaluateBetween();
  /// The test loss of rank 0, on all ranks.
  Expected<double> agreeOn(double loss) const;
  /// Whether the training has to end early, after another evaluation.
  MaybeError judge(double testLoss);

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
  std::vector<int64_t> order = epochOrder(source.train.size(), options.seed,
                                          state.epoch, options.shuffles);
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
      options.onIteration({state.step, state.epoch, state.position, perEpoch(),
                           trainer.lastLoss(), seconds, batch, state.tally});
    Decision decision = options.stop ? options.stop(notFinite)
                        : notFinite  ? Decision::NotFinite
                                     : Decision::GoOn;
    result.stopped = decision == Decision::Stop;
    if (options.evaluateEvery && state.step % options.evaluateEvery == 0 &&
        decision != Decision::NotFinite && source.test)
      if (MaybeError error = evaluateBetween())
        return error;
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

Expected<double> Run::agreeOn(double loss) const {
  const Placement &place = trainer.module().placement();
  if (place.size() == 1)
    return loss;
  auto texts = exchangeTexts(*place.group,
                             std::to_string(std::bit_cast<uint64_t>(loss)));
  if (!texts)
    return texts.takeError();
  return std::bit_cast<double>(uint64_t(std::stoull(texts->front())));
}

MaybeError Run::judge(double testLoss) {
  if (!options.patience)
    return std::nullopt;
  auto loss = agreeOn(testLoss);
  if (!loss)
    return loss.takeError();
  TrainState &state = result.state;
  if (!state.bestLoss || *loss < *state.bestLoss - options.minImprovement) {
    state.bestLoss = *loss;
    state.sinceBest = 0;
  } else {
    ++state.sinceBest;
  }
  result.endedEarly = state.sinceBest >= options.patience;
  // Nothing comes behind this that would look at the weights.
  return result.endedEarly ? settle(/*looks=*/true) : std::nullopt;
}

MaybeError Run::evaluateBetween() {
  TrainState &state = result.state;
  std::string where =
      "evaluation after iteration " + std::to_string(state.step);
  auto test = evaluateTest(trainer, source, state.step);
  if (!test)
    return Error{where + ": " + test.error()};
  if (!*test)
    return std::nullopt;
  const Evaluation &evaluation = **test;
  if (watch) {
    watch->observeTest(where, evaluation.loss, *source.test,
                       trainer.inputs().data);
    if (MaybeError error = settle(/*looks=*/false))
      return error;
    if (!result.notFinite.empty())
      return std::nullopt;
  }
  state.evaluations.push_back(evaluation);
  if (options.onEvaluation)
    options.onEvaluation(evaluation);
  return judge(evaluation.loss);
}

MaybeError Run::evaluate(EpochResult &numbers) {
  std::string where =
      "evaluation after epoch " + std::to_string(result.state.epoch);
  const std::vector<Evaluation> &known = result.state.evaluations;
  bool isKnown = !known.empty() && known.back().step == result.state.step;
  auto test = isKnown ? Expected<std::optional<Evaluation>>(known.back())
                      : evaluateTest(trainer, source, result.state.step);
  if (!test)
    return Error{where + ": " + test.error()};
  if (!*test)
    return std::nullopt;
  numbers.testLoss = (*test)->loss;
  numbers.testAccuracy = (*test)->accuracy;
  numbers.testMetrics = (*test)->metrics;
  if (isKnown)
    return std::nullopt;
  if (watch) {
    watch->observeTest(where, *numbers.testLoss, *source.test,
                       trainer.inputs().data);
    if (MaybeError error = settle(/*looks=*/false))
      return error;
  }
  bool counts = !options.evaluateEvery && result.notFinite.empty() &&
                result.state.position >= perEpoch();
  return counts ? judge(*numbers.testLoss) : std::nullopt;
}

MaybeError Run::train() {
  TrainState &state = result.state;
  assert(state.epoch >= 1 && state.position >= 0 &&
         state.position <= state.step && "a position of a training");
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

Expected<std::optional<Evaluation>>
runtime::evaluateTest(Trainer &trainer, const DataSource &source,
                      int64_t step) {
  assert(source.test && "a test set");
  auto tally = trainer.evaluate(source, *source.test);
  if (!tally)
    return tally.takeError();
  if (!*tally)
    return std::optional<Evaluation>();
  Evaluation evaluation;
  evaluation.step = step;
  evaluation.loss = (*tally)->meanLoss();
  if (trainer.countsCorrect())
    evaluation.accuracy = (*tally)->accuracy();
  evaluation.metrics = (*tally)->meanMetrics();
  return std::optional<Evaluation>(evaluation);
}

Expected<TrainResult> runtime::trainEpochs(Trainer &trainer,
                                           const DataSource &source,
                                           const TrainOptions &options) {
  Run run(trainer, source, options);
  if (MaybeError error = run.train())
    return *error;
  return std::move(run.result);
}
