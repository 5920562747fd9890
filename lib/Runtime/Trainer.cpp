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

Expected<Trainer::EntryTensors> Trainer::find(Session &session, size_t entry) {
  EntryTensors result;
  result.entry = entry;
  auto data = session.argument(entry, TensorKind::Data);
  if (!data)
    return data.takeError();
  auto label = session.argument(entry, TensorKind::Label);
  if (!label)
    return label.takeError();
  auto loss = session.resultOf(entry, TensorKind::Loss);
  if (!loss)
    return Error{"entry '" + session.manifest().entries[entry].name +
                 "' has no loss"};
  result.data = *data;
  result.label = *label;
  result.loss = *loss;
  result.correct = session.resultOf(entry, TensorKind::Correct);
  return result;
}

Expected<Trainer> Trainer::create(Session &session) {
  Trainer trainer;
  trainer.session = &session;
  auto entry = session.entry("train_step");
  if (!entry)
    return entry.takeError();
  auto train = find(session, *entry);
  if (!train)
    return train.takeError();
  trainer.train = *train;
  if (auto evaluate = session.entry("evaluate")) {
    auto test = find(session, *evaluate);
    if (!test)
      return test.takeError();
    trainer.test = *test;
  }
  return trainer;
}

const TensorInfo &Trainer::dataTensor() const {
  return session->manifest().tensors[train.data];
}

const TensorInfo &Trainer::labelTensor() const {
  return session->manifest().tensors[train.label];
}

int64_t Trainer::batch() const { return dataTensor().shape[0]; }

MaybeError Trainer::runBatch(const EntryTensors &e, const DataSource &source,
                             const Dataset &set,
                             const std::vector<int64_t> &order, int64_t first,
                             Tally &tally) {
  TensorStore &store = session->tensors();
  int64_t real = fillBatch(source, set, order, first, store.host(e.data),
                           store.host(e.label));
  store.hostWritten(e.data);
  store.hostWritten(e.label);
  if (MaybeError error = session->run(e.entry))
    return error;
  auto value = session->scalar(e.entry, e.loss);
  if (!value)
    return value.takeError();
  loss = *value;
  // The loss is the sum over the real samples divided by the whole batch.
  tally.loss += loss * double(store.host(e.data).shape[0]);
  tally.samples += real;
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
                         Tally &tally) {
  if (MaybeError error =
          runBatch(train, source, source.train, order, first, tally))
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
  int64_t size = session->manifest().tensors[test->data].shape[0];
  for (int64_t first = 0; first < set.size(); first += size)
    if (MaybeError error = runBatch(*test, source, set, order, first, tally))
      return *error;
  return std::optional<Tally>(tally);
}

Expected<TrainResult> runtime::trainEpochs(Trainer &trainer,
                                           const DataSource &source,
                                           const TrainOptions &options) {
  TrainResult result;
  int64_t perEpoch = source.train.size() / trainer.batch();
  auto stopped = [&] { return options.stop && options.stop->load(); };
  auto done = [&] {
    return options.iterations && result.iterations >= options.iterations;
  };
  for (int64_t epoch = 1; !done() && !stopped() &&
                          (options.epochs == 0 || epoch <= options.epochs);
       ++epoch) {
    EpochResult numbers;
    numbers.epoch = epoch;
    Tally tally;
    std::vector<int64_t> order =
        shuffledOrder(source.train.size(), options.seed, epoch);
    Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < perEpoch && !done() && !stopped(); ++i) {
      if (MaybeError error =
              trainer.step(source, order, i * trainer.batch(), tally))
        return Error{"epoch " + std::to_string(epoch) + ", iteration " +
                     std::to_string(i + 1) + ": " + error->message};
      ++result.iterations;
      ++numbers.iterations;
      if (options.onIteration)
        options.onIteration(epoch, i + 1, perEpoch, tally);
    }
    numbers.seconds =
        std::chrono::duration<double>(Clock::now() - start).count();
    double samples = double(std::max<int64_t>(1, tally.samples));
    numbers.loss = tally.loss / samples;
    if (trainer.countsCorrect())
      numbers.trainAccuracy = tally.correct / samples;
    numbers.samplesPerSecond = double(tally.samples) / numbers.seconds;
    result.stopped = stopped();
    if (source.test && !result.stopped) {
      auto test = trainer.evaluate(source, *source.test);
      if (!test)
        return Error{"evaluation after epoch " + std::to_string(epoch) + ": " +
                     test.error()};
      if (*test && trainer.countsCorrect())
        numbers.testAccuracy = (*test)->correct / double((*test)->samples);
    }
    if (numbers.iterations) {
      result.epochs.push_back(numbers);
      if (options.onEpoch)
        options.onEpoch(numbers);
    }
  }
  result.stopped = stopped();
  return result;
}
