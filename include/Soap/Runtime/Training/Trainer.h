//===- Trainer.h - Epochs of a training step --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds a session's `train_step` with batches, evaluates with its `evaluate`,
// and keeps the numbers that reports want.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_TRAINING_TRAINER_H
#define SOAP_RUNTIME_TRAINING_TRAINER_H

#include "Soap/Runtime/Data/Data.h"
#include "Soap/Runtime/Execution/Session.h"
#include "Soap/Runtime/Processes/World.h"

namespace soap::runtime {

struct EpochResult {
  int64_t epoch = 0, iterations = 0;
  /// Mean over the labels.
  double loss = 0;
  std::optional<double> testLoss;
  /// Fractions; absent where the module does not count correct answers.
  std::optional<double> trainAccuracy, testAccuracy;
  /// The loss is that of tokens: exp(loss) is the perplexity.
  bool tokens = false;
  double samplesPerSecond = 0, seconds = 0;
};

/// Sums over batches.
struct Tally {
  double loss = 0, correct = 0;
  int64_t samples = 0;
  /// One per sample, or one per token of each.
  int64_t labels = 0;
  double meanLoss() const { return loss / double(labels ? labels : 1); }
  double accuracy() const { return correct / double(labels ? labels : 1); }
};

class Trainer {
public:
  /// Finds entries and tensors; a data source must fit them (see `inputs`).
  static Expected<Trainer> create(Session &session);

  /// The data and labels that `train_step` takes.
  ModelInputs inputs() const;
  /// Samples of an iteration.
  int64_t batch(const DataSource &source) const;
  /// What it trains.
  Session &module() const { return *session; }

  /// Trains on samples `order[first...]`. The next step's are those from `next`
  /// on, if it is not negative: devices of a backend get them while they
  /// compute.
  MaybeError step(const DataSource &source, const std::vector<int64_t> &order,
                  int64_t first, Tally &tally, int64_t next = -1);
  /// Runs `evaluate` on all samples of a set; nothing if the module has no such
  /// entry.
  Expected<std::optional<Tally>> evaluate(const DataSource &source,
                                          const Dataset &set);
  /// The module counts correct answers.
  bool countsCorrect() const { return train.correct.has_value(); }
  /// Loss of the latest step.
  double lastLoss() const { return loss; }
  /// Of all steps, in order.
  const std::vector<double> &stepMilliseconds() const { return times; }

private:
  struct EntryTensors {
    size_t entry = 0, label = 0, loss = 0;
    /// Tensors by input of the data source; absent: the entry does not use it.
    std::vector<std::optional<size_t>> data;
    std::optional<size_t> correct;
  };
  Expected<EntryTensors> find(size_t entry) const;
  MaybeError runBatch(const EntryTensors &e, const DataSource &source,
                      const Dataset &set, const std::vector<int64_t> &order,
                      int64_t first, Tally &tally, int64_t next = -1);
  /// Writes a batch of an entry to the host's tensors or to their next ones.
  int64_t fill(const EntryTensors &e, const DataSource &source,
               const Dataset &set, const std::vector<int64_t> &order,
               int64_t first, bool isNext);
  static std::vector<size_t> tensorsOf(const EntryTensors &e);

  Session *session = nullptr;
  /// Tensors of the data source's inputs.
  std::vector<size_t> data;
  EntryTensors train;
  std::optional<EntryTensors> test;
  double loss = 0;
  std::vector<double> times;
  /// Of the batch that is on its way: where it begins, -1 if there is none, and
  /// how many of its samples are real.
  int64_t staged = -1, stagedReal = 0;
  /// The one batch of a fixed source is on the devices.
  bool hasFixed = false;
};

/// Where a training is: with the tensors, all that the next iteration depends
/// on.
struct TrainState {
  /// Iterations since the start, and in the current epoch (from 1 on).
  int64_t step = 0, epoch = 1, position = 0;
  /// Of the current epoch so far.
  Tally tally;
  double seconds = 0;
  /// The epochs that are finished.
  std::vector<EpochResult> epochs;
};

struct TrainOptions {
  /// Totals, whichever ends first; 0: not limited by it.
  int64_t epochs = 1, iterations = 0;
  uint64_t seed = 0;
  /// Where to go on.
  TrainState start;
  /// Losses, parameters and states that are infinite or not a number end the
  /// training, which is to start from finite ones (`checkFirstValues`).
  bool watchesFinite = true;
  /// Asked once after every iteration: finish here? `notFinite` is the
  /// finding of this rank, that of rank 0 counts. Null: go on unless that says
  /// otherwise.
  std::function<Decision(bool notFinite)> stop;
  /// Called after every `checkpointEvery`-th step; 0: never.
  int64_t checkpointEvery = 0;
  std::function<MaybeError(const TrainState &)> onCheckpoint;
  std::function<void(int64_t epoch, int64_t iteration, int64_t total,
                     const Tally &)>
      onIteration;
  std::function<void(const EpochResult &)> onEpoch;
};

struct TrainResult {
  /// Also the unfinished one, if any.
  std::vector<EpochResult> epochs;
  /// Since the start of the training, and of this run.
  int64_t iterations = 0, ran = 0;
  bool stopped = false;
  /// Why the training has ended: what was not finite, and in which iteration,
  /// the same on every rank. Empty: nothing was. The tensors are worth nothing
  /// then.
  std::string notFinite;
  /// As in DataSource; absent unless labels are tokens.
  std::optional<double> unigramLoss;
  TrainState state;
};

Expected<TrainResult> trainEpochs(Trainer &trainer, const DataSource &source,
                                  const TrainOptions &options);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_TRAINING_TRAINER_H
