//===- RecordedModel.cpp - A model and its record -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RecordedModel.h.
//
//===----------------------------------------------------------------------===//

#include "Search/Hierarchical/RecordedModel.h"

#include <algorithm>

using namespace soap;

HybridPart &HybridRecord::part(const std::string &name) {
  for (HybridPart &each : parts)
    if (each.name == name)
      return each;
  HybridPart &added = parts.emplace_back();
  added.name = name;
  return added;
}

bool soap::isStopped(const HierarchicalOptions &options) {
  return (options.stop && options.stop->load(std::memory_order_relaxed)) ||
         (options.record && options.record->isPaused());
}

RecordedModel::Key RecordedModel::keyOf(const HybridShape &shape) {
  return {shape.groups,
          shape.data,
          shape.tensor,
          shape.chunks,
          shape.samples,
          static_cast<int64_t>(shape.sequence),
          shape.zero,
          shape.context,
          static_cast<int64_t>(shape.zigzag),
          shape.experts,
          static_cast<int64_t>(shape.overlap)};
}

/// The number of segments that the stages of a plan cover.
static int segmentsOf(const HybridPlan &plan) {
  return plan.stages.back().firstSegment + plan.stages.back().segments;
}

RecordedModel::RecordedModel(HybridModel &model,
                             const HierarchicalOptions &options)
    : model(model), options(options),
      record(options.record ? *options.record : own),
      part(record.part(options.part)), secondsBefore(part.seconds) {
  for (const auto &[shape, ns] : part.bounds)
    boundOf[keyOf(shape)] = ns;
  for (size_t i = 0; i < part.prices.size(); ++i) {
    const HybridPrice &price = part.prices[i];
    if (!price.plan.exists() ||
        segmentsOf(price.plan) == model.getSegmentCount())
      priceOf[{keyOf(price.shape), price.fitBytes}] = i;
  }
}

double RecordedModel::seconds() const {
  return secondsBefore +
         std::chrono::duration<double>(Clock::now() - begin).count();
}

void RecordedModel::write() {
  part.seconds = seconds();
  if (record.write)
    record.write(record);
  written = Clock::now();
}

void RecordedModel::writeSometimes() {
  if (record.write &&
      std::chrono::duration<double>(Clock::now() - written).count() >=
          record.writeSeconds)
    write();
}

int64_t RecordedModel::boundNs(const HybridShape &shape) {
  auto [it, isNew] = boundOf.try_emplace(keyOf(shape), 0);
  if (isNew) {
    it->second = model.boundNs(shape);
    part.bounds.emplace_back(shape, it->second);
    writeSometimes();
  }
  return it->second;
}

HybridPlan RecordedModel::price(const HybridShape &shape, int64_t fitBytes) {
  auto [it, isNew] =
      priceOf.try_emplace({keyOf(shape), fitBytes}, part.prices.size());
  if (isNew) {
    constexpr Recompute none = Recompute::None;
    HybridPlan plan =
        model.price(shape, options.recompute ? nullptr : &none, fitBytes);
    part.prices.push_back({shape, fitBytes, std::move(plan), std::nullopt});
    ++record.steps;
    writeSometimes();
  }
  return part.prices[it->second].plan;
}

/// Whether stages begin at the same segments and recompute the same.
static bool hasEqualStages(const HybridPlan &a, const HybridPlan &b) {
  return std::equal(
      a.stages.begin(), a.stages.end(), b.stages.begin(), b.stages.end(),
      [](const HybridStage &x, const HybridStage &y) {
        return x.firstSegment == y.firstSegment && x.recompute == y.recompute;
      });
}

const HybridPrice *RecordedModel::find(const HybridPlan &plan) const {
  const HybridPrice *found = nullptr;
  for (const HybridPrice &price : part.prices)
    if (price.shape == plan.shape && hasEqualStages(price.plan, plan) &&
        (!found || price.judged))
      found = &price;
  return found;
}

bool RecordedModel::isJudged(const HybridPlan &plan, double secondsLeft) const {
  const HybridPrice *price = find(plan);
  return price && price->judged &&
         (price->judged->simulated ||
          secondsLeft <= price->judged->secondsLeft);
}

HybridJudgement RecordedModel::simulate(const HybridPlan &plan,
                                        const SecondsLeft &secondsLeft) {
  HybridJudgement judged;
  judged.secondsLeft = secondsLeft();
  const HybridPrice *price = find(plan);
  if (isJudged(plan, judged.secondsLeft))
    return *price->judged;
  Clock::time_point start = Clock::now();
  Expected<HybridSimulation> simulated = options.simulate(plan, secondsLeft);
  judged.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (simulated)
    judged.simulated = std::move(*simulated);
  else if (secondsLeft() > 0)
    judged.error = simulated.error();
  else
    return judged;
  if (price && (judged.simulated || !judged.error.empty()))
    part.prices[static_cast<size_t>(price - part.prices.data())].judged =
        judged;
  ++record.steps;
  writeSometimes();
  return judged;
}
