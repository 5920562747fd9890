//===- Trainer.h - Trains a session's module --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `Trainer` feeds the entry `train_step` of a session with batches and
// evaluates with its entry `evaluate`. An iteration may have several batches:
// all but the last go to the entry `accumulate_step`. `trainEpochs` is the
// whole loop: epochs, evaluation, an early stop, checkpoints, and the numbers
// that reports print.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_TRAINING_TRAINER_H
#define SOAP_RUNTIME_TRAINING_TRAINER_H

#include "Soap/Runtime/Data/Data.h"
#include "Soap/Runtime/Execution/Session.h"
#include "Soap/Runtime/Processes/World.h"

#include <map>

namespace soap::runtime {

/// Metrics by name, as "top-5": means over the labels.
using Metrics = std::map<std::string, double>;

/// The numbers of one epoch.
struct EpochResult {
  int64_t epoch = 0, iterations = 0;
  /// Mean over the labels.
  double loss = 0;
  std::optional<double> testLoss;
  /// Fractions; absent where the module does not count correct answers.
  std::optional<double> trainAccuracy, testAccuracy;
  /// Those that the module has beside these, of the training and the test set.
  Metrics trainMetrics, testMetrics;
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
  /// Labels with their weights, or samples: what `loss` is the sum over.
  double weight = 0;
  /// By metric: the sum over labels, and the number of labels or their weight.
  std::map<std::string, std::pair<double, double>> metrics;
  double meanLoss() const { return loss / (weight > 0 ? weight : 1); }
  double accuracy() const { return correct / double(labels ? labels : 1); }
  Metrics meanMetrics() const;
};

/// An evaluation on the test set.
struct Evaluation {
  /// Iterations before it.
  int64_t step = 0;
  double loss = 0;
  std::optional<double> accuracy;
  Metrics metrics;
};

class Trainer {
public:
  /// Finds entries and tensors; a data source must fit them (see `inputs`). An
  /// iteration has `accumulate` batches; an error if that is more than 1 and
  /// the module has no `accumulate_step`.
  static Expected<Trainer> create(Session &session, int64_t accumulate = 1);

  /// The data and labels that `train_step` takes.
  ModelInputs inputs() const;
  /// Samples of an iteration, of all its batches.
  int64_t batch(const DataSource &source) const;
  /// Batches of an iteration.
  int64_t batches() const { return accumulate; }
  /// Evaluation leaves out a last batch that is not full: the loss is one that
  /// the model computes itself, over the whole batch.
  bool evaluatesWholeBatches() const;
  /// The session that it trains.
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
  /// The module has an entry `evaluate`.
  bool evaluates() const { return test.has_value(); }
  /// Metrics of `evaluate`, as `Evaluation` has them.
  std::vector<std::string> metricNames() const;
  /// The module counts correct answers.
  bool countsCorrect() const { return train.correct.has_value(); }
  /// Loss of the latest step.
  double lastLoss() const { return loss; }
  /// Wall time of each step, in order.
  const std::vector<double> &stepMilliseconds() const { return times; }

private:
  struct EntryTensors {
    size_t entry = 0, loss = 0;
    std::optional<size_t> label;
    /// Tensors by input and by target of the data source; absent: the entry
    /// does not use it.
    std::vector<std::optional<size_t>> data, targets;
    std::optional<size_t> correct;
    /// Results called MEASURE@LABELS (docs/TrainingStep.md).
    struct Measure {
      std::string name, labels;
      size_t tensor = 0;
    };
    std::vector<Measure> measures;
    std::optional<size_t> measure(const std::string &name,
                                  const std::string &labels) const;
    size_t numLabels() const { return targets.size() + label.has_value(); }
  };
  Expected<EntryTensors> find(size_t entry) const;
  /// Samples of one batch of an entry.
  int64_t batchOf(const EntryTensors &e, const DataSource &source) const;
  MaybeError tallyBatch(const EntryTensors &e, int64_t batch, int64_t real,
                        Tally &tally);
  /// None: of a count, or of a weight.
  static std::optional<std::string> metricName(const EntryTensors &e,
                                               const EntryTensors::Measure &m);
  MaybeError runBatch(const EntryTensors &e, const DataSource &source,
                      const Dataset &set, const std::vector<int64_t> &order,
                      int64_t first, Tally &tally, int64_t next = -1);
  /// Writes a batch of an entry to the host's tensors or to their next ones.
  int64_t fill(const EntryTensors &e, const DataSource &source,
               const Dataset &set, const std::vector<int64_t> &order,
               int64_t first, bool isNext);
  static std::vector<size_t> tensorsOf(const EntryTensors &e);

  Session *session = nullptr;
  /// Tensors of the data source's inputs, and of all labels of `train_step`.
  std::vector<size_t> data, labels;
  EntryTensors train;
  std::optional<EntryTensors> add, test;
  int64_t accumulate = 1;
  double loss = 0;
  std::vector<double> times;
  /// Of the batch that is on its way: where it begins, -1 if there is none, and
  /// how many of its samples are real.
  int64_t staged = -1, stagedReal = 0;
  /// The one batch of a fixed source is on the devices.
  bool hasFixed = false;
};

/// Runs `evaluate` on the test set, which the source has, after `step`
/// iterations; nothing if the module has no such entry.
Expected<std::optional<Evaluation>>
evaluateTest(Trainer &trainer, const DataSource &source, int64_t step);

/// The position of a training. The next iteration depends on this and on the
/// tensors only.
struct TrainState {
  /// Iterations since the start, and in the current epoch (from 1 on).
  int64_t step = 0, epoch = 1, position = 0;
  /// Sums over the current epoch so far, and its seconds.
  Tally tally;
  double seconds = 0;
  /// The epochs that are finished.
  std::vector<EpochResult> epochs;
  /// The evaluations of `evaluateEvery`.
  std::vector<Evaluation> evaluations;
  /// For an early stop: the best test loss, and how many evaluations since have
  /// not been better.
  std::optional<double> bestLoss;
  int64_t sinceBest = 0;
};

/// An iteration that has run.
struct IterationResult {
  /// Iterations since the start of the training, and in the epoch; of how many
  /// in the whole epoch.
  int64_t step = 0, epoch = 0, position = 0, perEpoch = 0;
  double loss = 0, seconds = 0;
  int64_t samples = 0;
  /// The epoch so far.
  const Tally &tally;
};

/// Limits and callbacks of a training.
struct TrainOptions {
  /// The training ends after this many epochs or iterations in all, whichever
  /// comes first. 0: no limit.
  int64_t epochs = 1, iterations = 0;
  uint64_t seed = 0;
  /// Every epoch has an order of its own; else that of the data.
  bool shuffles = true;
  /// The state to go on from.
  TrainState start;
  /// Losses, parameters and states that are infinite or not a number end the
  /// training. The caller has checked the first values (`checkFirstValues`).
  bool watchesFinite = true;
  /// Called once after every iteration; decides whether to go on. `notFinite`
  /// is the finding of this rank; the one of rank 0 counts. May be empty: the
  /// training then goes on unless `notFinite`.
  std::function<Decision(bool notFinite)> stop;
  /// Evaluates after every so many iterations; 0: after epochs only.
  int64_t evaluateEvery = 0;
  /// The training ends after so many evaluations (of `evaluateEvery`,
  /// else of epochs) whose loss is not below the best by more than
  /// `minImprovement`. 0: it does not.
  int64_t patience = 0;
  double minImprovement = 0;
  std::function<void(const Evaluation &)> onEvaluation;
  /// Called after every `checkpointEvery`-th step; 0: never.
  int64_t checkpointEvery = 0;
  std::function<MaybeError(const TrainState &)> onCheckpoint;
  std::function<void(const IterationResult &)> onIteration;
  std::function<void(const EpochResult &)> onEpoch;
};

/// The outcome of `trainEpochs`.
struct TrainResult {
  /// All epochs, with the unfinished one if there is one.
  std::vector<EpochResult> epochs;
  /// Iterations since the start of the training, and since the start of this
  /// run.
  int64_t iterations = 0, ran = 0;
  bool stopped = false;
  /// The training has ended because evaluations became no better.
  bool endedEarly = false;
  /// The first number that was infinite or not a number, and its iteration, the
  /// same text on every rank. The tensors are then useless. Empty: all numbers
  /// are finite.
  std::string notFinite;
  /// As `DataSource::unigramLoss`; absent unless labels are tokens.
  std::optional<double> unigramLoss;
  TrainState state;
};

/// Trains until a limit of `options` is reached, `options.stop` ends it, or a
/// number is not finite. Collective. An error if a device fails or a file
/// cannot be written.
Expected<TrainResult> trainEpochs(Trainer &trainer, const DataSource &source,
                                  const TrainOptions &options);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_TRAINING_TRAINER_H
