//===- FiniteWatch.cpp - Whether a training still computes numbers --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FiniteWatch.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Training/FiniteWatch.h"

#include <cassert>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

using namespace soap;
using namespace soap::runtime;
using Clock = std::chrono::steady_clock;

namespace {

/// Looking at tensors takes at most this part of the time.
constexpr double share = 0.01;

bool isWeight(const TensorInfo &info) {
  return info.kind == TensorKind::Parameter || info.kind == TensorKind::State;
}

std::string describe(const TensorInfo &info) {
  return std::string(nameOf(info.kind)) + " '" + info.name + "'";
}

} // namespace

std::string runtime::nonFiniteName(double value) {
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string runtime::nonFiniteSample(const Dataset &set,
                                     const std::vector<TensorInfo> &inputs,
                                     const std::vector<int64_t> &order,
                                     int64_t first, int64_t batch) {
  assert(first >= 0 && batch > 0 && inputs.size() >= set.samples.size() &&
         "a tensor for each part of a sample");
  for (size_t i = 0; i < set.samples.size(); ++i) {
    const HostTensor &samples = set.samples[i];
    int64_t size = samples.volume() / std::max<int64_t>(1, set.size());
    int64_t end = std::min(first + batch, int64_t(order.size()));
    for (int64_t at = first; at < end; ++at) {
      int64_t sample = order[size_t(at)];
      const char *data =
          samples.bytes.data() + sample * size * sizeOf(samples.dtype);
      int64_t element = findNonFinite(samples.dtype, data, size);
      if (element >= 0)
        return "sample " + std::to_string(sample) + " has " +
               nonFiniteName(samples.at(sample * size + element)) + " in '" +
               inputs[i].name + "'";
    }
  }
  return "";
}

MaybeError runtime::checkFirstValues(const Manifest &manifest,
                                     TensorStore &store) {
  for (size_t t = 0; t < manifest.tensors.size(); ++t) {
    const TensorInfo &info = manifest.tensors[t];
    if (!isWeight(info) || !store.hasValue(t))
      continue;
    const HostTensor &value = store.host(t);
    int64_t element =
        findNonFinite(value.dtype, value.bytes.data(), value.volume());
    if (element >= 0)
      return Error{describe(info) + " starts with " +
                   nonFiniteName(value.at(element)) + " in element " +
                   std::to_string(element) + ", expected finite numbers"};
  }
  return std::nullopt;
}

MaybeError FiniteWatch::look(bool downloads) {
  if (mine.tensorStep)
    return std::nullopt;
  auto found = session->tensors().findNonFinite(downloads);
  if (!found)
    return found.takeError();
  if (!*found) {
    mine.cleanStep = step;
    return std::nullopt;
  }
  mine.tensorStep = std::max<int64_t>(1, step);
  mine.tensorWhere = where;
  mine.tensor = describe(session->manifest().tensors[**found]);
  return std::nullopt;
}

bool FiniteWatch::observe(int64_t now, const std::string &place, double loss,
                          double seconds) {
  step = now;
  where = place;
  bool isRoot = session->placement().isRoot();
  if (isRoot && !std::isfinite(loss) && !mine.lossStep) {
    mine.lossStep = step;
    mine.loss = where + ": the loss is " + nonFiniteName(loss);
  }
  stepSeconds += seconds;
  // Tiles on devices of a backend would have to be copied for it.
  if (session->tensors().isOnHost() && lookSeconds <= share * stepSeconds) {
    Clock::time_point start = Clock::now();
    (void)look(/*downloads=*/false);
    lookSeconds += std::chrono::duration<double>(Clock::now() - start).count();
  }
  return mine.lossStep || mine.tensorStep;
}

void FiniteWatch::blame(const std::string &data) {
  if (mine.lossStep == step && mine.data.empty())
    mine.data = data;
}

void FiniteWatch::observeTest(const std::string &place, double loss,
                              const Dataset &set,
                              const std::vector<TensorInfo> &inputs) {
  if (!session->placement().isRoot() || std::isfinite(loss) || mine.lossStep)
    return;
  mine.lossStep = std::max<int64_t>(1, step);
  mine.loss = place + ": the test loss is " + nonFiniteName(loss);
  std::vector<int64_t> order(static_cast<size_t>(set.size()));
  std::iota(order.begin(), order.end(), 0);
  mine.data = nonFiniteSample(set, inputs, order, 0, set.size());
  // That is of iterations.
  mine.cleanStep = -1;
}

std::string FiniteWatch::conclude(const std::vector<Finding> &findings) {
  const Finding *loss = nullptr, *tensor = nullptr;
  int64_t clean = findings[0].cleanStep;
  for (const Finding &finding : findings) {
    if (finding.lossStep)
      loss = &finding;
    if (finding.tensorStep &&
        (!tensor || finding.tensorStep < tensor->tensorStep))
      tensor = &finding;
    clean = std::min(clean, finding.cleanStep);
  }
  if (!loss)
    return !tensor ? ""
                   : tensor->tensorWhere + ": " + tensor->tensor +
                         " is not finite, while the loss is";
  if (!loss->data.empty())
    return loss->loss + "; " + loss->data;
  if (tensor && tensor->tensorStep < loss->lossStep)
    return loss->loss + "; " + tensor->tensor + " is not finite since " +
           tensor->tensorWhere;
  if (clean >= loss->lossStep - 1)
    return loss->loss +
           "; parameters, states and data were finite before this iteration";
  return loss->loss;
}

Expected<std::string> FiniteWatch::settle(bool looks) {
  if (looks)
    if (MaybeError error = look(/*downloads=*/true))
      return *error;
  const Placement &place = session->placement();
  if (place.size() == 1)
    return conclude({mine});
  using nlohmann::json;
  json array = {mine.lossStep, mine.loss,        mine.data,     mine.tensorStep,
                mine.tensor,   mine.tensorWhere, mine.cleanStep};
  auto texts = exchangeTexts(
      *place.group, array.dump(-1, ' ', false, json::error_handler_t::replace));
  if (!texts)
    return texts.takeError();
  std::vector<Finding> findings;
  for (const std::string &text : *texts) {
    json row = json::parse(text, nullptr, false);
    Finding finding;
    try {
      row.at(0).get_to(finding.lossStep);
      row.at(1).get_to(finding.loss);
      row.at(2).get_to(finding.data);
      row.at(3).get_to(finding.tensorStep);
      row.at(4).get_to(finding.tensor);
      row.at(5).get_to(finding.tensorWhere);
      row.at(6).get_to(finding.cleanStep);
    } catch (const json::exception &) {
      return Error{"a rank has sent no finding: " + text.substr(0, 100)};
    }
    findings.push_back(std::move(finding));
  }
  return conclude(findings);
}
