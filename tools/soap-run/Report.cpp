//===- Report.cpp - Numbers of a run as JSON ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Report.h.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "CallTable.h"
#include "Runtime/Execution/SpeedGauge.h"
#include "Soap/Support/FileIO.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;
using Json = nlohmann::ordered_json;

double run::median(std::vector<double> values) {
  if (values.empty())
    return 0;
  size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 ? values[middle]
                           : (values[middle - 1] + values[middle]) / 2;
}

std::vector<double> run::SpeedLog::fullSpeed() const {
  std::vector<double> result;
  for (size_t i : fullSpeedIterations(gauges))
    result.push_back(milliseconds[i]);
  return result;
}

MaybeError run::writeReport(const std::string &path, const Session &session,
                            size_t entry, const TrainResult &result,
                            const std::vector<double> &milliseconds,
                            const std::optional<Comparison> &comparison,
                            const std::optional<SpeedLog> &speed) {
  auto orNull = [](const std::optional<double> &value) {
    return value ? Json(*value) : Json();
  };
  auto perplexity = [](const EpochResult &epoch, std::optional<double> loss,
                       const Metrics &metrics) {
    if (auto measured = metrics.find("perplexity");
        epoch.tokens && measured != metrics.end())
      return Json(measured->second);
    return epoch.tokens && loss ? Json(std::exp(*loss)) : Json();
  };
  int64_t devices = session.manifest().devices;
  auto sent = session.bytesSent(entry);
  if (!sent)
    return sent.takeError();
  if (!session.placement().isRoot())
    return std::nullopt;
  Json epochs = Json::array();
  for (const EpochResult &epoch : result.epochs)
    epochs.push_back(
        {{"epoch", epoch.epoch},
         {"loss", epoch.loss},
         {"test_loss", orNull(epoch.testLoss)},
         {"perplexity", perplexity(epoch, epoch.loss, epoch.trainMetrics)},
         {"test_perplexity",
          perplexity(epoch, epoch.testLoss, epoch.testMetrics)},
         {"train_accuracy", orNull(epoch.trainAccuracy)},
         {"test_accuracy", orNull(epoch.testAccuracy)},
         {"train_metrics", Json(epoch.trainMetrics)},
         {"metrics", Json(epoch.testMetrics)},
         {"samples_per_second", epoch.samplesPerSecond},
         {"seconds", epoch.seconds}});
  Json evaluations = Json::array();
  for (const Evaluation &evaluation : result.state.evaluations)
    evaluations.push_back({{"iteration", evaluation.step},
                           {"test_loss", evaluation.loss},
                           {"test_accuracy", orNull(evaluation.accuracy)},
                           {"metrics", Json(evaluation.metrics)}});
  // Every iteration sends the same, so the quotient is exact.
  const Execution &execution = session.execution(entry);
  Json bytes = Json::array();
  for (int64_t from = 0; from < devices; ++from) {
    Json row = Json::array();
    for (int64_t to = 0; to < devices; ++to)
      row.push_back((*sent)[size_t(from * devices + to)] /
                    std::max<int64_t>(1, execution.iterations));
    bytes.push_back(std::move(row));
  }
  double fastest =
      milliseconds.empty()
          ? 0
          : *std::min_element(milliseconds.begin(), milliseconds.end());
  Json report = {{"version", 1},
                 {"devices", devices},
                 {"iterations", result.iterations},
                 {"epochs", epochs},
                 {"evaluations", evaluations},
                 {"ended_early", result.endedEarly},
                 {"milliseconds_per_iteration",
                  {{"median", median(milliseconds)}, {"min", fastest}}},
                 {"arena_bytes", session.arenaBytes()},
                 {"bytes_sent", bytes}};
  if (result.unigramLoss)
    report["unigram_loss"] = *result.unigramLoss;
  if (!result.notFinite.empty())
    report["not_finite"] = result.notFinite;
  if (comparison)
    report["comparison"] = {{"loss", comparison->loss},
                            {"weights", comparison->weights},
                            {"parameter", comparison->worst}};
  if (speed) {
    std::vector<double> full = speed->fullSpeed();
    report["gauge"] = {
        {"ns", speed->gauges},
        {"milliseconds", speed->milliseconds},
        {"full_speed",
         {{"iterations", full.size()}, {"median", median(full)}}}};
  }
  if (const CallChecks *checks = session.callChecks())
    report["calls"] = toJson(*checks);
  return writeFile(path, report.dump(1) + "\n");
}
