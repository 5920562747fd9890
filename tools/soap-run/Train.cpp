//===- Train.cpp - Training, with checkpoints -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-run train: from first weights or a checkpoint to the last epoch.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Processes.h"
#include "Runtime/Artifact/Fingerprint.h"
#include "Soap/Runtime/Execution/Initialize.h"
#include "Soap/Runtime/Processes/Agreement.h"
#include "Soap/Runtime/Training/Checkpoint.h"
#include "Soap/Runtime/Training/FiniteWatch.h"
#include "Soap/Runtime/Training/LearningRate.h"
#include "TrainingData.h"
#include "TrainingLog.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <unistd.h>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

void run::clearLine() {
  if (isatty(STDERR_FILENO))
    std::fprintf(stderr, "\r\x1b[K");
}

static void printMetrics(const char *set, const Metrics &metrics) {
  for (const auto &[name, value] : metrics)
    std::printf(", %s %s %.4f", set, name.c_str(), value);
}

void run::printEvaluation(const std::string &where,
                          const Evaluation &evaluation, bool tokens) {
  clearLine();
  std::printf("%stest loss %.4f", where.c_str(), evaluation.loss);
  // Models that add to the loss of the labels have the perplexity as a metric.
  if (tokens && !evaluation.metrics.contains("perplexity"))
    std::printf(", test perplexity %.2f", std::exp(evaluation.loss));
  if (evaluation.accuracy)
    std::printf(", test accuracy %.4f", *evaluation.accuracy);
  printMetrics("test", evaluation.metrics);
  std::printf("\n");
  std::fflush(stdout);
}

namespace {

/// The flags that the result depends on, beside the options of the training
/// step.
std::string runOptions(const Options &options) {
  std::string text;
  if (options.accumulate > 1)
    text = "accumulate=" + std::to_string(options.accumulate);
  if (options.noShuffle)
    text += std::string(text.empty() ? "" : " ") + "shuffle=false";
  if (options.earlyStop) {
    char improvement[32];
    std::snprintf(improvement, sizeof improvement, "%.17g",
                  options.minImprovement);
    text += (text.empty() ? "" : " ") +
            ("evaluate-every=" + std::to_string(options.evaluateEvery)) +
            " early-stop=" + std::to_string(options.earlyStop) +
            " min-improvement=" + improvement;
  }
  return text;
}

void printEpoch(const EpochResult &epoch) {
  clearLine();
  std::printf("epoch %ld: loss %.4f", long(epoch.epoch), epoch.loss);
  // Models that add to the loss of the labels have the perplexity as a metric.
  if (epoch.tokens && !epoch.trainMetrics.contains("perplexity"))
    std::printf(", perplexity %.2f", std::exp(epoch.loss));
  if (epoch.testLoss)
    std::printf(", test loss %.4f", *epoch.testLoss);
  if (epoch.testLoss && epoch.tokens)
    std::printf(", test perplexity %.2f", std::exp(*epoch.testLoss));
  if (epoch.trainAccuracy)
    std::printf(", train accuracy %.4f", *epoch.trainAccuracy);
  printMetrics("train", epoch.trainMetrics);
  if (epoch.testAccuracy)
    std::printf(", test accuracy %.4f", *epoch.testAccuracy);
  printMetrics("test", epoch.testMetrics);
  std::printf(", %.0f samples/s, %.1f s\n", epoch.samplesPerSecond,
              epoch.seconds);
  std::fflush(stdout);
}

/// A line on the terminal that overwrites itself, at most ten times a second.
class Progress {
public:
  Progress(const TrainOptions &options, bool tokens)
      : options(options), tokens(tokens) {}
  void show(const IterationResult &iteration);

private:
  /// Iterations until the training ends at its limit; none: it has no limit.
  std::optional<int64_t> left(const IterationResult &iteration) const;

  const TrainOptions &options;
  bool tokens;
  std::chrono::steady_clock::time_point last;
  /// Of the iterations of this run, without evaluations.
  double seconds = 0;
  int64_t iterations = 0, samples = 0;
};

std::optional<int64_t> Progress::left(const IterationResult &iteration) const {
  std::optional<int64_t> result;
  if (options.epochs)
    result = (options.epochs - iteration.epoch + 1) * iteration.perEpoch -
             iteration.position;
  if (options.iterations)
    result = std::min(result.value_or(std::numeric_limits<int64_t>::max()),
                      options.iterations - iteration.step);
  return result;
}

void Progress::show(const IterationResult &iteration) {
  ++iterations;
  seconds += iteration.seconds;
  samples += iteration.samples;
  auto now = std::chrono::steady_clock::now();
  if (now - last < std::chrono::milliseconds(100))
    return;
  last = now;
  const Tally &tally = iteration.tally;
  std::fprintf(stderr, "\r\x1b[Kepoch %ld", long(iteration.epoch));
  if (options.epochs)
    std::fprintf(stderr, " of %ld", long(options.epochs));
  std::fprintf(stderr, "  %ld/%ld  loss %.4f", long(iteration.position),
               long(iteration.perEpoch), tally.meanLoss());
  if (tokens && !tally.metrics.contains("perplexity"))
    std::fprintf(stderr, "  perplexity %.2f", std::exp(tally.meanLoss()));
  std::fprintf(stderr, "  %.0f samples/s", double(samples) / seconds);
  if (auto more = left(iteration)) {
    auto rest = std::llround(double(*more) * seconds / double(iterations));
    std::fprintf(stderr, "  %lld:%02lld:%02lld left", rest / 3600,
                 rest / 60 % 60, rest % 60);
  }
}

/// The columns of a log of this training.
std::vector<std::string> logColumns(const Trainer &trainer,
                                    const DataSource &source) {
  std::vector<std::string> columns = {"iteration", "epoch",
                                      "loss",      "learning_rate",
                                      "seconds",   "samples_per_second"};
  if (!source.test || !trainer.evaluates())
    return columns;
  columns.push_back("test_loss");
  if (trainer.countsCorrect())
    columns.push_back("test_accuracy");
  for (const std::string &metric : trainer.metricNames())
    columns.push_back("test_" + metric);
  return columns;
}

/// Writes the log of a training, if there is to be one. A file that can no
/// longer be written is one warning, and does not end the training.
class Logger {
public:
  MaybeError open(const Options &options, const Trainer &trainer,
                  const DataSource &source, int64_t after);
  void add(const IterationResult &iteration);
  void addTest(double loss, std::optional<double> accuracy,
               const Metrics &metrics);

private:
  void write();
  std::optional<TrainingLog> log;
  std::string training;
};

MaybeError Logger::open(const Options &options, const Trainer &trainer,
                        const DataSource &source, int64_t after) {
  if (options.log.empty() || !trainer.module().placement().isRoot())
    return std::nullopt;
  training = trainer.module().manifest().training;
  auto opened =
      TrainingLog::open(options.log, logColumns(trainer, source), after);
  if (!opened)
    return opened.takeError();
  log.emplace(std::move(*opened));
  return std::nullopt;
}

void Logger::write() {
  MaybeError error = log->write();
  if (!error)
    return;
  std::fprintf(stderr, "soap-run: warning: %s; the log ends here\n",
               error->message.c_str());
  log.reset();
}

void Logger::add(const IterationResult &iteration) {
  if (!log)
    return;
  log->begin(iteration.step);
  log->set("epoch", double(iteration.epoch));
  log->set("loss", iteration.loss);
  log->set("learning_rate", learningRateAt(training, iteration.step));
  log->set("seconds", iteration.seconds);
  if (iteration.seconds > 0)
    log->set("samples_per_second",
             double(iteration.samples) / iteration.seconds);
  write();
}

void Logger::addTest(double loss, std::optional<double> accuracy,
                     const Metrics &metrics) {
  if (!log)
    return;
  log->set("test_loss", loss);
  log->set("test_accuracy", accuracy);
  for (const auto &[name, value] : metrics)
    log->set("test_" + name, value);
  write();
}

MaybeError save(Session &session, const Options &options,
                const TrainState &state, const TrainingIdentity &identity) {
  auto weights = collectTensors(session.manifest(), session.tensors(),
                                SavedTensors::State, /*rootOnly=*/true);
  if (!weights)
    return weights.takeError();
  if (!session.placement().isRoot())
    return std::nullopt;
  std::lock_guard<std::timed_mutex> lock(writingFiles());
  return writeCheckpoint(options.checkpoint, state, identity, *weights);
}

/// Gives the tensors of the session their values of a checkpoint, and says
/// where the training goes on.
MaybeError resume(Session &session, const Options &options,
                  const Checkpoint &checkpoint,
                  const TrainingIdentity &identity) {
  MaybeError error = checkResumable(checkpoint, identity);
  if (!error)
    error = restoreTensors(checkpoint, session.manifest(), session.tensors());
  if (error)
    return Error{options.resume + ": " + error->message};
  if (options.quiet)
    return std::nullopt;
  const TrainState &state = checkpoint.state;
  std::printf("going on after %ld iterations (epoch %ld, iteration %ld)%s\n",
              long(state.step), long(state.epoch), long(state.position),
              checkpoint.identity.program == identity.program
                  ? ""
                  : " under another strategy: sums may round differently");
  std::fflush(stdout);
  return std::nullopt;
}

/// All ranks read the file, and have to see the same: a folder may be another
/// one on another host, and a file an older one.
MaybeError checkSameCheckpoint(const Session &session, const std::string &path,
                               const Checkpoint &checkpoint) {
  if (session.placement().size() == 1)
    return std::nullopt;
  Hasher hash;
  for (const auto &[name, tensor] : checkpoint.tensors) {
    hash.add(name);
    hash.add(tensor.bytes.data(), size_t(tensor.bytes.size()));
  }
  hash.add(uint64_t(checkpoint.state.step));
  return checkSame(session.placement(), "tensors to go on from", hash.digits(),
                   "'" + path + "', iteration " +
                       std::to_string(checkpoint.state.step));
}

/// The files from which a user may go on after a training that ended without
/// numbers.
std::string whatIsKept(const Options &options, int64_t saved) {
  std::string text;
  std::error_code ignored;
  if (saved)
    text = "; '" + options.checkpoint + "' keeps iteration " +
           std::to_string(saved);
  else if (!options.checkpoint.empty() &&
           std::filesystem::exists(options.checkpoint, ignored))
    text = "; '" + options.checkpoint + "' is left as it was";
  else if (!options.checkpoint.empty())
    text = "; there is no checkpoint yet";
  if (!options.saveWeights.empty())
    text += "; '" + options.saveWeights + "' is not written";
  return text + " (--allow-nonfinite goes on)";
}

} // namespace

Expected<TrainResult> run::train(Session &session, const Options &options,
                                 const StopQuestion &stop,
                                 std::vector<double> &milliseconds) {
  auto trainer = Trainer::create(session, options.accumulate);
  if (!trainer)
    return trainer.takeError();
  TrainOptions training;
  training.evaluateEvery = options.evaluateEvery;
  training.patience = options.earlyStop;
  training.minImprovement = options.minImprovement;
  training.epochs = options.epochs;
  training.iterations = options.iterations;
  training.seed = uint64_t(options.seed);
  training.shuffles = !options.noShuffle;
  training.watchesFinite = !options.allowNonFinite;
  Checkpoint checkpoint;
  if (!options.resume.empty()) {
    auto read = readCheckpoint(options.resume);
    if (!read)
      return read.takeError();
    checkpoint = std::move(*read);
    if (MaybeError error =
            checkSameCheckpoint(session, options.resume, checkpoint))
      return *error;
    if (!checkpoint.checked && session.placement().isRoot())
      std::fprintf(stderr,
                   "soap-run: warning: %s: the checkpoint has no checksums, as "
                   "an older version wrote it: damage of its tensors goes "
                   "unnoticed\n",
                   options.resume.c_str());
    training.start = checkpoint.state;
    if (!options.seedGiven)
      training.seed = checkpoint.identity.seed;
  }
  auto source = openData(*trainer, options, training.seed);
  if (!source)
    return source.takeError();
  for (auto [flag, given] :
       {std::pair{"--evaluate-every", options.evaluateEvery != 0},
        std::pair{"--early-stop", options.earlyStop != 0}})
    if (given && (!source->test || !session.entry("evaluate")))
      return Error{std::string("flag '") + flag + "' needs " +
                   (source->test
                        ? "a module with '@evaluate'"
                        : "a test set, and '" + options.data + "' has none")};
  int64_t batch = trainer->batch(*source), samples = source->train.size();
  if (samples < batch)
    return Error{options.data + ": the training set has " +
                 std::to_string(samples) + " samples, fewer than the " +
                 std::to_string(batch) + " of an iteration of " +
                 std::to_string(options.accumulate) + " batches"};
  if (!options.quiet && samples % batch)
    std::printf("batches of %ld: every epoch leaves out %ld of %ld training "
                "samples, %s\n",
                long(batch), long(samples % batch), long(samples),
                options.noShuffle ? "the last ones" : "others each time");
  TrainingIdentity identity;
  if (!options.resume.empty() || !options.checkpoint.empty())
    identity = identify(session.manifest(), *trainer, *source, training.seed,
                        runOptions(options));
  MaybeError error = options.resume.empty()
                         ? setFirstValues(session, options, training.seed)
                         : resume(session, options, checkpoint, identity);
  if (error)
    return *error;
  if (!options.allowNonFinite)
    if (MaybeError error =
            checkFirstValues(session.manifest(), session.tensors()))
      return Error{
          (options.resume.empty() ? options.init : options.resume) +
          (options.resume.empty() && options.init.empty() ? "" : ": ") +
          error->message + " (--allow-nonfinite goes on)"};
  checkpoint.tensors.clear();
  training.checkpointEvery = options.checkpointEvery;
  int64_t saved = 0;
  training.onCheckpoint = [&](const TrainState &state) {
    saved = state.step;
    return save(session, options, state, identity);
  };
  Logger logger;
  if (MaybeError error =
          logger.open(options, *trainer, *source, training.start.step))
    return *error;
  Progress progress(training, source->tokens);
  bool shows = !options.quiet && isatty(STDERR_FILENO);
  training.onIteration = [&](const IterationResult &iteration) {
    logger.add(iteration);
    if (shows)
      progress.show(iteration);
  };
  training.onEpoch = [&](const EpochResult &epoch) {
    if (epoch.testLoss)
      logger.addTest(*epoch.testLoss, epoch.testAccuracy, epoch.testMetrics);
    if (!options.quiet)
      printEpoch(epoch);
  };
  training.onEvaluation = [&](const Evaluation &evaluation) {
    logger.addTest(evaluation.loss, evaluation.accuracy, evaluation.metrics);
    if (!options.quiet)
      printEvaluation("iteration " + std::to_string(evaluation.step) + ": ",
                      evaluation, /*tokens=*/false);
  };
  finishedIterations().store(training.start.step);
  training.stop = [&stop](bool notFinite) {
    ++finishedIterations();
    return stop(notFinite);
  };
  auto result = trainEpochs(*trainer, *source, training);
  milliseconds = trainer->stepMilliseconds();
  if (result && !result->notFinite.empty())
    result->notFinite += whatIsKept(options, saved);
  else if (result && !options.checkpoint.empty())
    if (MaybeError failed = save(session, options, result->state, identity))
      return *failed;
  return result;
}
