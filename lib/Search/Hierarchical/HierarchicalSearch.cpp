//===- HierarchicalSearch.cpp - Search over hybrid plans ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HierarchicalSearch.h.
//
//===----------------------------------------------------------------------===//

#include "Search/Hierarchical/RecordedModel.h"
#include "Soap/Search/Problem/SomeDevices.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

using namespace soap;

/// How many devices plans use: all of them; if the batch does not divide into
/// as many replicas, the most that it divides into, one device each or one
/// machine each. The rest is idle.
static std::vector<int> usedDevices(const HybridModel &model,
                                    const Topology &topology) {
  int all = topology.deviceCount();
  auto inside = static_cast<int>(topology.machines().front().size());
  std::vector<int> counts = {all};
  for (int replica : {1, inside}) {
    int count = all;
    while (count > replica &&
           (count % replica != 0 || model.getBatch() % (count / replica) != 0))
      --count;
    if (std::find(counts.begin(), counts.end(), count) == counts.end())
      counts.push_back(count);
  }
  return counts;
}

static std::vector<int64_t> divisorsOf(int64_t number) {
  std::vector<int64_t> divisors;
  for (int64_t i = 1; i * i <= number; ++i)
    if (number % i == 0) {
      divisors.push_back(i);
      if (i * i != number)
        divisors.push_back(number / i);
    }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

/// Samples of a microbatch in a replica, ascending: divisors of the batch,
/// powers of two, and all samples of each number of replicas. The model's check
/// leaves out numbers that another one stands for.
static std::vector<int64_t> sampleCounts(int64_t batch, int devices) {
  std::vector<int64_t> counts = divisorsOf(batch);
  for (int64_t samples = 1; samples < batch; samples *= 2)
    counts.push_back(samples);
  for (int64_t replicas : divisorsOf(devices))
    if (replicas < batch)
      counts.push_back((batch + replicas - 1) / replicas);
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

/// All shapes of a problem on a number of devices, small microbatches first.
static std::vector<HybridShape> listShapes(const HybridModel &model,
                                           int devices) {
  std::vector<HybridShape> shapes;
  auto add = [&](int64_t samples, int tensor, int stages,
                 const std::pair<int, bool> &context) {
    int inside = tensor * stages * context.first;
    if (devices % inside != 0)
      return;
    int data = devices / inside;
    for (int experts : model.expertDegrees(data, tensor))
      for (bool sequence : {false, true})
        for (int zero : {0, 1, 3})
          for (int chunks : {1, 2, 4}) {
            HybridShape shape{stages,         data,     tensor, chunks,
                              samples,        sequence, zero,   context.first,
                              context.second, experts};
            if (sequence && tensor == 1)
              continue;
            if (!model.check(shape, /*mayIdle=*/true).empty())
              continue;
            shapes.push_back(shape);
            // Stages that are not interleaved keep twice as much for it.
            shape.overlap = experts > 1 && (stages == 1 || chunks > 1);
            if (shape.overlap && model.check(shape, /*mayIdle=*/true).empty())
              shapes.push_back(shape);
          }
  };
  for (int64_t samples : sampleCounts(model.getBatch(), devices))
    for (int64_t tensor : divisorsOf(devices))
      for (int64_t stages : divisorsOf(devices / tensor))
        for (const std::pair<int, bool> &context : model.contexts())
          // Sequences that are split are long: one at a time is enough work.
          if (samples == 1 || context.first == 1)
            add(samples, static_cast<int>(tensor), static_cast<int>(stages),
                context);
  return shapes;
}

/// Numbers of devices to look at, all of them first, the fewest last: so more
/// devices are never slower.
static std::vector<int> countsToLookAt(const HybridModel &model,
                                       const Topology &topology) {
  std::vector<int> counts = usedDevices(model, topology);
  for (int count : deviceCounts(topology))
    counts.push_back(count);
  std::sort(counts.rbegin(), counts.rend());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

/// Ranks shapes by how soon they are priced. Replicas alone are few, and with
/// ZeRO-3 often the best there is, so that bounds exclude much behind them.
/// Then comes the shape of each number of stages and each tensor parallelism
/// that is likely to be good.
static int rankOf(const HybridShape &shape) {
  if (shape.data == shape.width() && shape.groups == 1)
    return 0;
  bool isUsual = shape.chunks == 1 && !shape.sequence &&
                 shape.zero == (shape.data > 1 ? 1 : 0);
  return isUsual ? 1 : 2;
}

/// Sorts the shapes from the first one that have its samples: by rank, then by
/// bound.
static void sortByBound(RecordedModel &recorded,
                        std::vector<HybridShape> &shapes, size_t first,
                        const std::function<bool()> &isOver) {
  using Entry = std::pair<std::pair<int, int64_t>, HybridShape>;
  std::vector<Entry> bounded;
  for (size_t i = first;
       i < shapes.size() && shapes[i].samples == shapes[first].samples; ++i)
    bounded.push_back(
        {{rankOf(shapes[i]), isOver() && !recorded.isBounded(shapes[i])
                                 ? 0
                                 : recorded.boundNs(shapes[i])},
         shapes[i]});
  std::stable_sort(
      bounded.begin(), bounded.end(),
      [](const Entry &a, const Entry &b) { return a.first < b.first; });
  for (size_t i = 0; i < bounded.size(); ++i)
    shapes[first + i] = bounded[i].second;
}

/// The longest time that may be better than a price of `best`.
static double slowest(const HybridPlan &best) {
  return static_cast<double>(best.makespanNs) * (1 + priceMargin);
}

namespace {

/// Priced plans, the best one first. Some memory more than there is may be an
/// error of a price, too.
class Candidates {
public:
  explicit Candidates(int64_t memoryBytes)
      : maxExcess(static_cast<int64_t>(memoryMargin *
                                       static_cast<double>(memoryBytes))) {}

  void add(const HybridPlan &plan) {
    if (plan.excessBytes > maxExcess)
      return;
    auto place = std::upper_bound(plans.begin(), plans.end(), plan,
                                  [](const HybridPlan &a, const HybridPlan &b) {
                                    return isBetter(a, b);
                                  });
    plans.insert(place, plan);
  }
  /// Takes the best one, by what is known of its kind; none is left: it does
  /// not exist.
  HybridPlan take() {
    auto first = plans.begin();
    for (auto it = plans.begin(); it != plans.end(); ++it)
      if (it->excessBytes != plans.front().excessBytes)
        break;
      else if (expectedNs(*it) < expectedNs(*first))
        first = it;
    if (first == plans.end())
      return {};
    HybridPlan plan = std::move(*first);
    plans.erase(first);
    return plan;
  }

  /// Prices of plans of one kind are off by about as much: from now on plans
  /// are compared by the time that is expected of a simulation. So a kind whose
  /// prices are low does not take the time of all others.
  void learnRatio(const HybridPlan &simulated) {
    double ratio = static_cast<double>(simulated.makespanNs) /
                   static_cast<double>(simulated.pricedNs);
    auto [it, isNew] = ratios.try_emplace(kindOf(simulated.shape), ratio);
    it->second = std::min(it->second, ratio);
  }

  /// Plans of one kind take about as long to simulate: plans of many stages
  /// much longer than others.
  void learnSeconds(const HybridPlan &plan, double taken) {
    double &longest = seconds[kindOf(plan.shape)];
    longest = std::max(longest, taken);
  }
  /// How long a simulation is expected to take: as the longest of its kind; of
  /// a new kind, as the shortest of all.
  double expectedSeconds(const HybridPlan &plan) const {
    if (auto it = seconds.find(kindOf(plan.shape)); it != seconds.end())
      return it->second;
    double shortest = 0;
    for (const auto &[kind, longest] : seconds)
      shortest = shortest == 0 ? longest : std::min(shortest, longest);
    return shortest;
  }

private:
  static constexpr double memoryMargin = 0.1;
  int64_t maxExcess;
  std::deque<HybridPlan> plans;
  /// Stages, chunks, tensor parallelism, sequence, context, gathered weights,
  /// experts.
  using Kind = std::tuple<bool, bool, bool, bool, bool, bool, bool>;
  std::map<Kind, double> ratios;  ///< least of simulated time to price
  std::map<Kind, double> seconds; ///< most of a simulation

  static Kind kindOf(const HybridShape &shape) {
    return {shape.groups > 1, shape.chunks > 1,  shape.tensor > 1,
            shape.sequence,   shape.context > 1, shape.zero == 3,
            shape.experts > 1};
  }
  double expectedNs(const HybridPlan &plan) const {
    auto it = ratios.find(kindOf(plan.shape));
    return static_cast<double>(plan.makespanNs) *
           (it == ratios.end() ? 1 : it->second);
  }
};

} // namespace

/// The best of plans that no simulation has judged. It fits if it does with
/// what a price may fall short of; a plan that does not is made anew as it is
/// with less memory. Without one that fits, the plan that exceeds memory least,
/// with the shortfall in its excess.
static HybridPlan bestOfPrices(RecordedModel &recorded,
                               const HierarchicalOptions &options,
                               int64_t memoryBytes,
                               std::vector<HybridPlan> plans) {
  std::stable_sort(
      plans.begin(), plans.end(),
      [](const HybridPlan &a, const HybridPlan &b) { return isBetter(a, b); });
  HybridPlan best;
  auto consider = [&](HybridPlan plan) {
    plan.excessBytes += std::max<int64_t>(maxBytes(plan) - memoryBytes, 0) -
                        std::max<int64_t>(plan.peakBytes - memoryBytes, 0);
    if (!best.exists() || isBetter(plan, best))
      best = std::move(plan);
  };
  for (const HybridPlan &plan : plans)
    consider(plan);
  constexpr int maxAgain = 64; // some milliseconds each
  std::vector<HybridShape> again;
  for (const HybridPlan &plan : plans) {
    int64_t fitBytes = priceThatFits(plan.shape, memoryBytes);
    bool isLate = best.excessBytes == 0 && isBetter(best, plan);
    if (!options.recompute || isLate || again.size() == maxAgain ||
        recorded.isStopped())
      break;
    if (plan.peakBytes <= fitBytes ||
        std::find(again.begin(), again.end(), plan.shape) != again.end())
      continue;
    again.push_back(plan.shape);
    if (HybridPlan other = recorded.price(plan.shape, fitBytes); other.exists())
      consider(std::move(other));
  }
  return best;
}

/// Simulates candidates, best prices first. The best plan is the one whose
/// simulation is best. One that does not fit then is made anew as it is with
/// less memory. `addMore`: where no candidate is left, adds plans that may take
/// less than the time that it is given; false: there are none. Returns what was
/// simulated.
static std::vector<HybridPlan>
judge(HybridModel &model, RecordedModel &recorded,
      const HierarchicalOptions &options, Candidates &candidates,
      const std::function<bool(int64_t)> &addMore, HierarchicalResult &result) {
  std::vector<HybridPlan> judged, failed;
  HybridPlan best;
  double bestPrice = std::numeric_limits<double>::max();
  // No time is left for these.
  std::vector<HybridPlan> tooLong;
  // By shape: how often a plan of it was made anew.
  std::vector<std::pair<HybridShape, int>> again;
  auto fits = [&] { return best.exists() && best.excessBytes == 0; };
  auto timesOf = [&](const HybridShape &shape) -> int & {
    auto it = std::find_if(again.begin(), again.end(), [&](const auto &entry) {
      return entry.first == shape;
    });
    return it == again.end() ? again.emplace_back(shape, 0).second : it->second;
  };
  auto isRefused = [&](const HybridPlan &plan) {
    MaybeError why = options.check ? options.check(model, plan) : std::nullopt;
    if (why)
      result.whyRefused = why->message;
    return why.has_value();
  };
  SecondsLeft secondsLeft = [&] {
    if (recorded.isStopped())
      return 0.0;
    return options.seconds > 0 ? options.seconds - recorded.seconds()
                               : std::numeric_limits<double>::infinity();
  };
  // Where the best ones do not fit, more are asked for.
  constexpr int more = 4;
  for (;;) {
    HybridPlan plan = candidates.take();
    // Only what fits sets a price to compare with.
    if (!plan.exists() || (fits() && plan.excessBytes > 0)) {
      if (secondsLeft() > 0 &&
          addMore(fits() ? best.makespanNs
                         : std::numeric_limits<int64_t>::max()))
        continue;
      break;
    }
    bool isUsual = static_cast<int>(judged.size() + failed.size()) <
                   options.simulations * (fits() ? 1 : more);
    if (!fits() && !isUsual) {
      candidates.add(plan);
      break;
    }
    // Prices may be high, but a plan whose price is below what has been
    // simulated would be said to be better in the same table. Without a limit
    // there is time for plans whose prices are far from the best, and none is
    // needed for simulations of an earlier run.
    bool isNear =
        options.seconds == 0 || recorded.isJudged(plan, secondsLeft()) ||
        static_cast<double>(plan.leastNs) <= bestPrice * (1 + priceMargin);
    if (fits() && !(isUsual && isNear) && plan.makespanNs >= best.makespanNs)
      continue;
    // Without a limit of time there is one of plans.
    constexpr int most = 64;
    if (options.seconds == 0 &&
        static_cast<int>(judged.size() + failed.size()) >= most)
      break;
    if (double left = secondsLeft(); left <= candidates.expectedSeconds(plan) &&
                                     !recorded.isJudged(plan, left)) {
      tooLong.push_back(std::move(plan));
      continue;
    }
    HybridJudgement judgement = recorded.simulate(plan, secondsLeft);
    candidates.learnSeconds(plan, judgement.seconds);
    if (!judgement.simulated) {
      // Of one that the limit has ended there is nothing else to say.
      if (!judgement.error.empty())
        result.whyPriced = judgement.error;
      failed.push_back(std::move(plan));
      continue;
    }
    int64_t memory = model.getMemoryBytes();
    useSimulation(plan, std::move(*judgement.simulated), memory);
    candidates.learnRatio(plan);
    bool isBest = !best.exists() || isBetter(plan, best);
    if (isBest && plan.excessBytes == 0 && isRefused(plan))
      continue;
    if (plan.excessBytes > 0 && options.recompute) {
      int &times = timesOf(plan.shape);
      auto fitBytes = static_cast<int64_t>(
          static_cast<double>(memory) * static_cast<double>(plan.pricedBytes) /
          static_cast<double>(plan.peakBytes));
      constexpr int maxAgain = 4;
      if (times++ < maxAgain) {
        HybridPlan other = recorded.price(plan.shape, fitBytes);
        if (other.exists() && other.peakBytes <= fitBytes)
          candidates.add(other);
      }
    }
    if (plan.excessBytes == 0)
      bestPrice = std::min(bestPrice,
                           static_cast<double>(std::clamp(
                               plan.makespanNs, plan.leastNs, plan.pricedNs)));
    if (isBest)
      best = plan;
    judged.push_back(std::move(plan));
  }
  for (const HybridPlan &plan : tooLong)
    candidates.add(plan);
  result.simulated = static_cast<int64_t>(judged.size());
  if (fits()) {
    result.best = std::move(best);
    return judged;
  }
  // A price stands in where no simulated plan fits: the best of the others.
  for (HybridPlan plan = candidates.take(); plan.exists();
       plan = candidates.take())
    failed.push_back(std::move(plan));
  HybridPlan priced;
  do {
    std::erase_if(failed, [&](const HybridPlan &plan) {
      return priced.exists() && plan.shape == priced.shape;
    });
    priced = bestOfPrices(recorded, options, model.getMemoryBytes(), failed);
  } while (priced.exists() && priced.excessBytes == 0 && isRefused(priced));
  if (priced.exists() && (!best.exists() || priced.excessBytes == 0)) {
    result.best = std::move(priced);
    if (result.whyPriced.empty() && !judged.empty())
      result.whyPriced = "none of " + std::to_string(judged.size()) +
                         " plans that were simulated fits into memory";
  } else if (best.exists())
    result.best = std::move(best);
  return judged;
}

HierarchicalResult soap::searchHybrid(HybridModel &model,
                                      const ParallelizationProblem &problem,
                                      const HierarchicalOptions &options) {
  RecordedModel recorded(model, options);
  // A part of the time is left for simulations.
  constexpr double searchShare = 0.6;
  double searchSeconds = options.seconds * (options.simulate ? searchShare : 1);
  auto isOver = [&] {
    return recorded.isStopped() ||
           (options.seconds > 0 && recorded.seconds() >= searchSeconds);
  };
  HierarchicalResult result;
  using Kind = std::tuple<int, int, int, int>;
  auto kindOf = [](const HybridShape &shape) {
    return Kind{shape.groups, shape.tensor, shape.context, shape.experts};
  };
  std::map<Kind, HybridPlan> byKind;
  Candidates candidates(model.getMemoryBytes());
  // Bounds exclude them: only the table of other kinds has them, if there is
  // time.
  std::vector<HybridShape> forTable;
  auto price = [&](const HybridShape &shape) {
    HybridPlan plan = recorded.price(shape);
    if (!plan.exists())
      return plan;
    ++result.priced;
    if (options.exhaustive)
      result.all.push_back(plan);
    auto [it, isNew] = byKind.try_emplace(kindOf(shape), plan);
    if (!isNew && isBetter(plan, it->second))
      it->second = plan;
    candidates.add(plan);
    if (!result.best.exists() || isBetter(plan, result.best))
      result.best = plan;
    return plan;
  };
  auto isSpent = [&] {
    return options.prices > 0 && result.priced >= options.prices;
  };
  // Looks at all shapes on a number of devices. False: a limit ended it.
  auto look = [&](int devices) {
    std::vector<HybridShape> shapes = listShapes(model, devices);
    result.shapes += static_cast<int64_t>(shapes.size());
    // The most samples of a microbatch with which the best plan of these, or
    // while there is none the least bound, was better than with fewer.
    int64_t lastGain = 1;
    HybridPlan best;
    double minBoundNs = std::numeric_limits<double>::max();
    for (size_t i = 0; i < shapes.size(); ++i) {
      // Of equal samples, what is likely to be good first.
      if (!options.exhaustive &&
          (i == 0 || shapes[i].samples != shapes[i - 1].samples))
        sortByBound(recorded, shapes, i,
                    [&] { return result.best.exists() && isOver(); });
      const HybridShape &shape = shapes[i];
      // A resumed search takes all bounds and prices that it has.
      bool isLate =
          result.best.exists() && isOver() && !recorded.isPriced(shape);
      if (isLate && !recorded.isBounded(shape))
        return false;
      // Longer microbatches than twice the longest that gained do not gain.
      bool fits = result.best.exists() && result.best.excessBytes == 0;
      if (!options.exhaustive && shape.samples > 4 * lastGain && fits)
        return true;
      if (!options.exhaustive && fits) {
        auto boundNs = static_cast<double>(recorded.boundNs(shape));
        if (boundNs >= slowest(result.best)) {
          constexpr double gain = 0.99;
          if (!best.exists() && boundNs < gain * minBoundNs) {
            minBoundNs = boundNs;
            lastGain = shape.samples;
          }
          forTable.push_back(shape);
          continue;
        }
      }
      if (isLate || isSpent())
        return false;
      if (HybridPlan plan = price(shape);
          plan.exists() && (!best.exists() || isBetter(plan, best))) {
        best = std::move(plan);
        lastGain = shape.samples;
      }
    }
    return true;
  };
  result.complete = true;
  for (int count : countsToLookAt(model, problem.getTopology())) {
    // The time of the products at the peak of so many devices.
    double leastNs =
        1e9 * model.iterationFlops() / (count * model.peakFlopsPerSecond());
    if (!options.exhaustive && result.best.exists() &&
        result.best.excessBytes == 0 && leastNs >= slowest(result.best))
      break;
    result.complete = result.complete && look(count);
  }
  for (const HybridShape &shape : forTable) {
    if (byKind.contains(kindOf(shape)))
      continue;
    if (isSpent() || (isOver() && !recorded.isPriced(shape)))
      break;
    price(shape);
  }
  // A price that no simulation has come to excludes nothing for good: shapes
  // whose bounds are below the best simulated time are priced after all.
  size_t looked = 0;
  std::stable_sort(forTable.begin(), forTable.end(),
                   [&](const HybridShape &a, const HybridShape &b) {
                     return recorded.boundNs(a) < recorded.boundNs(b);
                   });
  auto addMore = [&](int64_t belowNs) {
    constexpr size_t atOnce = 16;
    size_t end = std::min(looked + atOnce, forTable.size()), before = looked;
    for (; looked < end && recorded.boundNs(forTable[looked]) < belowNs;
         ++looked) {
      if (recorded.isStopped() || isSpent())
        break;
      price(forTable[looked]);
    }
    return looked > before;
  };
  if (options.simulate) {
    for (const HybridPlan &plan :
         judge(model, recorded, options, candidates, addMore, result)) {
      HybridPlan &known = byKind[kindOf(plan.shape)];
      if (known.shape == plan.shape)
        known = plan;
    }
    if (recorded.isStopped() && result.whyPriced.empty())
      result.whyPriced = "the search was stopped";
  }
  for (auto &[kind, plan] : byKind)
    result.others.push_back(std::move(plan));
  std::stable_sort(
      result.others.begin(), result.others.end(),
      [](const HybridPlan &a, const HybridPlan &b) { return isBetter(a, b); });
  // Before it is written, so that a later run has more.
  result.seconds = recorded.seconds();
  recorded.write();
  return result;
}
