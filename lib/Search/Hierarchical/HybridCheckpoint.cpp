//===- HybridCheckpoint.cpp - Records of searches as JSON -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading checks everything that a search relies on.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Hierarchical/HybridCheckpoint.h"

#include "Search/Problem/SearchCheckpoint.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

using namespace soap;
using jsonfile::Cursor;
using nlohmann::json;
using searchcheckpoint::elements;
using searchcheckpoint::maxCount;
using searchcheckpoint::maxSeconds;

static constexpr const char *algorithm = "hybrid";
static constexpr int64_t maxDegree = 1 << 20;

/// The options that a record depends on, and what its prices depend on beside
/// the fingerprints, as text to compare.
static std::string describeOptions(const ParallelizationProblem &problem,
                                   const HybridModel &model,
                                   const HierarchicalOptions &options) {
  const std::vector<GraphValue> &values = problem.getGraph().values;
  auto inHost =
      std::count_if(values.begin(), values.end(),
                    [](const GraphValue &value) { return value.inHost; });
  const DeviceType &type = problem.getTopology().typeOf(0);
  char bandwidth[40];
  std::snprintf(bandwidth, sizeof bandwidth, "%.17g",
                type.hostBandwidthBytesPerSecond);
  return "batch " + std::to_string(model.getBatch()) + ", " +
         std::to_string(model.getSegmentCount()) + " segments, " +
         (options.recompute ? "" : "no ") + "recomputation, " +
         (options.exhaustive ? "every shape" : "bounds") + ", " +
         std::to_string(options.simulations) + " simulations, " +
         std::to_string(inHost) + " values in host memory of " +
         std::to_string(type.hostMemoryBytes) + " bytes at " + bandwidth +
         " bytes/s";
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static json toJson(const HybridShape &shape) {
  json list = {shape.groups, shape.data,    shape.tensor,
               shape.chunks, shape.samples, int(shape.sequence),
               shape.zero,   shape.context, int(shape.zigzag)};
  if (shape.experts > 1) {
    list.push_back(shape.experts);
    list.push_back(int(shape.overlap));
  }
  return list;
}

static json toJson(const HybridStage &stage) {
  return {stage.firstSegment,  stage.segments,       int(stage.recompute),
          stage.forwardNs,     stage.backwardNs,     stage.exposedNs,
          stage.updateNs,      stage.parameterBytes, stage.stateBytes,
          stage.gradientBytes, stage.hostBytes,      stage.activationBytes,
          stage.scratchBytes,  stage.inFlight};
}

/// Shape, microbatches and what follows from other members are left out.
static json toJson(const HybridPlan &plan) {
  if (!plan.exists())
    return nullptr;
  json stages = json::array();
  for (const HybridStage &stage : plan.stages)
    stages.push_back(toJson(stage));
  return {{"stages", std::move(stages)},     {"ns", plan.makespanNs},
          {"least_ns", plan.leastNs},        {"group_bytes", plan.groupBytes},
          {"host_bytes", plan.hostBytes},    {"bubble", plan.bubble},
          {"excess_bytes", plan.excessBytes}};
}

static json toJson(const HybridJudgement &judged) {
  json members = {{"seconds", judged.seconds}};
  if (const auto &simulated = judged.simulated) {
    members["ns"] = simulated->makespanNs;
    members["group_bytes"] = simulated->groupBytes;
    members["bubble"] = simulated->bubble;
    members["microbatches"] = simulated->microbatches;
    if (simulated->isFull)
      members["full"] = true;
    return members;
  }
  members["error"] = judged.error;
  members["seconds_left"] = std::isfinite(judged.secondsLeft)
                                ? json(judged.secondsLeft)
                                : json(nullptr);
  return members;
}

static json toJson(const HybridPart &part) {
  json bounds = json::array(), prices = json::array();
  for (const auto &[shape, ns] : part.bounds)
    bounds.push_back({toJson(shape), ns});
  for (const HybridPrice &price : part.prices) {
    json members = {{"shape", toJson(price.shape)},
                    {"plan", toJson(price.plan)}};
    if (price.fitBytes > 0)
      members["fit_bytes"] = price.fitBytes;
    if (price.judged)
      members["simulation"] = toJson(*price.judged);
    prices.push_back(std::move(members));
  }
  return {{"name", part.name},
          {"seconds", part.seconds},
          {"bounds", std::move(bounds)},
          {"prices", std::move(prices)}};
}

std::string soap::printHybridCheckpoint(const ParallelizationProblem &problem,
                                        const HybridModel &model,
                                        const HierarchicalOptions &options,
                                        const HybridRecord &record) {
  json parts = json::array();
  for (const HybridPart &part : record.parts)
    parts.push_back(toJson(part));
  return searchcheckpoint::print(problem, algorithm,
                                 describeOptions(problem, model, options),
                                 {{"parts", std::move(parts)}});
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

class RecordReader {
public:
  RecordReader(const ParallelizationProblem &problem, HybridModel &model,
               const HierarchicalOptions &options)
      : problem(problem), model(model), options(options) {}

  HybridRecord read(const Cursor &document) {
    searchcheckpoint::checkIdentity(document, problem, algorithm,
                                    describeOptions(problem, model, options),
                                    {"parts"});
    HybridRecord record;
    std::set<std::string> names;
    for (const Cursor &entry : document["parts"].elements()) {
      record.parts.push_back(readPart(entry));
      if (!names.insert(record.parts.back().name).second)
        entry["name"].fail("duplicate part");
    }
    return record;
  }

  /// Prices with the model's first microbatch, which it has made anyway: a
  /// record of another version may have others.
  void checkPrices(const Cursor &document, const HybridRecord &record) {
    size_t index = 0;
    for (const HybridPart &part : record.parts) {
      Cursor entry = document["parts"][index++];
      if (part.name == HierarchicalOptions().part)
        checkPrices(entry, part);
    }
  }

private:
  const ParallelizationProblem &problem;
  HybridModel &model;
  const HierarchicalOptions &options;

  static bool isOfFirstMicrobatch(const HybridShape &shape) {
    return shape.samples == 1 && shape.tensor == 1 && shape.context == 1 &&
           shape.experts == 1;
  }

  static void expectSame(const Cursor &entry, int64_t actual,
                         int64_t expected) {
    if (actual != expected)
      entry.fail("expected " + std::to_string(expected) +
                 " ns, the price of this version of Soap, got " +
                 std::to_string(actual));
  }

  void checkPrices(const Cursor &entry, const HybridPart &part) {
    for (size_t i = 0; i < part.bounds.size(); ++i)
      if (const auto &[shape, ns] = part.bounds[i];
          isOfFirstMicrobatch(shape)) {
        Cursor at = entry["bounds"][i];
        checkShape(at[size_t(0)], shape);
        expectSame(at[size_t(1)], ns, model.boundNs(shape));
      }
    for (size_t i = 0; i < part.prices.size(); ++i) {
      const HybridPrice &price = part.prices[i];
      if (!isOfFirstMicrobatch(price.shape) || !price.plan.exists())
        continue;
      Cursor at = entry["prices"][i];
      checkShape(at["shape"], price.shape);
      constexpr Recompute none = Recompute::None;
      HybridPlan plan = model.price(
          price.shape, options.recompute ? nullptr : &none, price.fitBytes);
      return expectSame(at["plan"]["ns"], price.plan.makespanNs,
                        plan.makespanNs);
    }
  }

  void checkShape(const Cursor &entry, const HybridShape &shape) {
    if (std::string why = model.check(shape, /*mayIdle=*/true); !why.empty())
      entry.fail(why);
  }

  static bool flag(const Cursor &entry) { return entry.integer(0, 1) == 1; }

  static int degree(const Cursor &entry) {
    return static_cast<int>(entry.integer(1, maxDegree));
  }

  HybridShape readShape(const Cursor &entry) {
    // Without experts, as of models that have none, nine.
    constexpr size_t withExperts = 11;
    std::vector<Cursor> list = elements(
        entry,
        entry.elements().size() == withExperts ? withExperts : withExperts - 2);
    HybridShape shape;
    shape.groups = degree(list[0]);
    shape.data = degree(list[1]);
    shape.tensor = degree(list[2]);
    shape.chunks = degree(list[3]);
    shape.samples = list[4].integer(1, model.getBatch());
    shape.sequence = flag(list[5]);
    shape.zero = static_cast<int>(list[6].integer(0, 3));
    shape.context = degree(list[7]);
    shape.zigzag = flag(list[8]);
    if (list.size() == withExperts) {
      shape.experts = degree(list[9]);
      shape.overlap = flag(list[10]);
    }
    int64_t devices = problem.getTopology().deviceCount(), product = 1;
    for (int64_t of : {shape.groups, shape.data, shape.tensor, shape.context})
      product = std::min(product * of, devices + 1);
    if (shape.data % shape.experts != 0)
      entry.failExpected("experts of a divisor of the replicas");
    if (product > devices)
      entry.failExpected("a shape of at most " + std::to_string(devices) +
                         " devices");
    if (maxSamples(shape, model.getBatch(),
                   microbatchesOf(shape, model.getBatch())) != shape.samples)
      entry.failExpected("microbatches of a batch of " +
                         std::to_string(model.getBatch()));
    return shape;
  }

  static std::vector<int64_t> readBytes(const Cursor &entry, int groups) {
    std::vector<int64_t> bytes;
    for (const Cursor &each : elements(entry, static_cast<size_t>(groups)))
      bytes.push_back(each.integer(0, maxCount));
    return bytes;
  }

  static double readBubble(const Cursor &entry) {
    constexpr double most = 1e6;
    return entry.number(-most, most);
  }

  static HybridStage readStage(const Cursor &entry, int firstSegment) {
    std::vector<Cursor> list = elements(entry, 14);
    HybridStage stage;
    stage.firstSegment =
        static_cast<int>(list[0].integer(firstSegment, firstSegment));
    stage.segments = degree(list[1]);
    stage.recompute = static_cast<Recompute>(list[2].integer(0, 2));
    size_t next = 3;
    for (int64_t *number :
         {&stage.forwardNs, &stage.backwardNs, &stage.exposedNs,
          &stage.updateNs, &stage.parameterBytes, &stage.stateBytes,
          &stage.gradientBytes, &stage.hostBytes, &stage.activationBytes,
          &stage.scratchBytes})
      *number = list[next++].integer(0, maxCount);
    stage.inFlight = static_cast<int>(list[next].integer(0, 1 << 30));
    return stage;
  }

  HybridPlan readPlan(const Cursor &entry, const HybridShape &shape) {
    HybridPlan plan;
    if (entry.isNull())
      return plan;
    entry.expectObject({"stages", "ns", "least_ns", "group_bytes", "host_bytes",
                        "bubble", "excess_bytes"});
    plan.shape = shape;
    plan.microbatches = microbatchesOf(shape, model.getBatch());
    plan.isUneven =
        model.getBatch() != plan.microbatches * shape.data * shape.samples;
    int64_t stages = int64_t(shape.groups) * shape.chunks;
    int segment = 0;
    for (const Cursor &each :
         elements(entry["stages"], static_cast<size_t>(stages))) {
      plan.stages.push_back(readStage(each, segment));
      segment += plan.stages.back().segments;
      if (segment > maxDegree)
        each.fail("too many segments");
    }
    plan.makespanNs = plan.pricedNs = entry["ns"].integer(1, maxCount);
    plan.leastNs = entry["least_ns"].integer(0, maxCount);
    plan.groupBytes = readBytes(entry["group_bytes"], shape.groups);
    plan.peakBytes = plan.pricedBytes =
        *std::max_element(plan.groupBytes.begin(), plan.groupBytes.end());
    plan.hostBytes = entry["host_bytes"].integer(0, maxCount);
    plan.bubble = readBubble(entry["bubble"]);
    plan.excessBytes = entry["excess_bytes"].integer(0, maxCount);
    return plan;
  }

  static HybridJudgement readJudgement(const Cursor &entry,
                                       const HybridPlan &plan) {
    if (!plan.exists())
      entry.fail("expected no simulation of a shape without a plan");
    HybridJudgement judged;
    judged.seconds = entry["seconds"].number(0, maxSeconds);
    if (entry.has("error")) {
      entry.expectObject({"seconds", "error", "seconds_left"});
      judged.error = entry["error"].string();
      if (Cursor left = entry["seconds_left"]; !left.isNull())
        judged.secondsLeft = left.number(0, maxSeconds);
      return judged;
    }
    entry.expectObject(
        {"seconds", "ns", "group_bytes", "bubble", "microbatches", "full"});
    HybridSimulation simulated;
    simulated.makespanNs = entry["ns"].integer(1, maxCount);
    simulated.groupBytes = readBytes(entry["group_bytes"], plan.shape.groups);
    simulated.bubble = readBubble(entry["bubble"]);
    simulated.microbatches =
        entry["microbatches"].integer(1, plan.microbatches);
    simulated.isFull = entry.has("full");
    judged.simulated = std::move(simulated);
    return judged;
  }

  HybridPart readPart(const Cursor &entry) {
    entry.expectObject({"name", "seconds", "bounds", "prices"});
    HybridPart part;
    part.name = entry["name"].string();
    part.seconds = entry["seconds"].number(0, maxSeconds);
    for (const Cursor &each : entry["bounds"].elements()) {
      std::vector<Cursor> list = elements(each, 2);
      part.bounds.emplace_back(readShape(list[0]), list[1].integer(0));
    }
    for (const Cursor &each : entry["prices"].elements()) {
      each.expectObject({"shape", "plan", "fit_bytes", "simulation"});
      HybridPrice &price = part.prices.emplace_back();
      price.shape = readShape(each["shape"]);
      price.plan = readPlan(each["plan"], price.shape);
      if (each.has("fit_bytes"))
        price.fitBytes = each["fit_bytes"].integer(1, maxCount);
      if (each.has("simulation"))
        price.judged = readJudgement(each["simulation"], price.plan);
    }
    return part;
  }
};

} // namespace

Expected<HybridRecord>
soap::parseHybridCheckpoint(const std::string &text, const std::string &file,
                            const ParallelizationProblem &problem,
                            HybridModel &model,
                            const HierarchicalOptions &options) {
  Expected<json> document = jsonfile::parse(text, file);
  if (!document)
    return document.takeError();
  return jsonfile::read(*document, file, [&](const Cursor &root) {
    RecordReader reader(problem, model, options);
    HybridRecord record = reader.read(root);
    searchcheckpoint::checkChecksum(*document, root);
    reader.checkPrices(root, record);
    return record;
  });
}
