//===- HierarchicalSearch.h - Search over hybrid plans ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For many devices and deep models. Outside, the shapes of hybrid plans are
// enumerated, those that a bound excludes left out; between, a dynamic program
// cuts the segments of the model into stages; inside, the plan of one replica
// says what a microbatch costs. docs/Hierarchical.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_HIERARCHICAL_HIERARCHICALSEARCH_H
#define SOAP_SEARCH_HIERARCHICAL_HIERARCHICALSEARCH_H

#include "Soap/Model/Reuse.h"
#include "Soap/Search/Hierarchical/HybridPlan.h"
#include "Soap/Search/Hierarchical/HybridRecord.h"
#include "Soap/Search/Problem/ParallelizationProblem.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

namespace soap {

/// A hybrid plan as configs and stages.
struct HybridPlacement {
  /// By node: of one microbatch (docs/Pipeline.md).
  Strategy strategy;
  /// By stage: the node of the forward pass that it begins with, and its
  /// devices.
  std::vector<int> firsts;
  std::vector<std::vector<int>> devices;
  /// By node: the backward pass computes it again.
  std::vector<bool> isRecomputed;
  /// Weights that each pass gathers for itself (ZeRO-3).
  std::vector<KeptValue> keeps;
};

/// Prices hybrid plans of one problem. Not safe from several threads.
class HybridModel {
public:
  /// Keeps a reference. `batch`: samples of an iteration, 0: the step has them
  /// all. `forwardOf`: by node, the node whose gradient or update it computes,
  /// -1: none; empty: stages of gradients follow from what they read. An error
  /// says why the step has no hybrid plans. `other` has the same step, on
  /// another number of the same machines, whose prices of microbatches are
  /// shared.
  static Expected<std::unique_ptr<HybridModel>>
  make(const ParallelizationProblem &problem, int64_t batch = 0,
       const std::vector<int> &forwardOf = {},
       const HybridModel *other = nullptr);
  ~HybridModel();

  const ParallelizationProblem &getProblem() const;
  int64_t getBatch() const;
  /// Tokens of a sample, where an embedding gathers by sequences of them; 0:
  /// samples are no sequences of tokens.
  int64_t getTokensPerSample() const;
  int getSegmentCount() const;
  int getLayerCount() const;
  /// How many layers are alike; 0: layers are ranges of segments.
  int getRepeatedLayerCount() const;
  /// Floating-point operations of an iteration, without what is recomputed.
  double iterationFlops();
  /// The rate of a device for the products of the step, mean of all: the peak
  /// that the floating-point operations are compared with.
  double peakFlopsPerSecond() const;

  /// Why a shape is none of this problem; empty: it is one. `mayIdle`: it may
  /// leave devices over.
  std::string check(const HybridShape &shape, bool mayIdle = false) const;
  /// The degrees of context parallelism that are looked at, ascending from 1:
  /// more than that of long sequences only. And whether a zigzag balances them.
  std::vector<std::pair<int, bool>> contexts() const;
  /// The numbers of replicas that may share experts, of `data` replicas of
  /// `tensor` devices each; ascending from 1: they do not.
  std::vector<int> expertDegrees(int data, int tensor) const;
  bool hasLongSequences() const { return contexts().size() > 1; }
  /// The plan of a shape that passes `check`, with the stages that are balanced
  /// best. By stage, the least recomputation with which it fits, or all of it;
  /// with `recompute`, that of all stages.
  /// `fitBytes`: what a device may hold by these prices; 0: its memory.
  HybridPlan price(const HybridShape &shape,
                   const Recompute *recompute = nullptr, int64_t fitBytes = 0);
  /// Bytes of a device.
  int64_t getMemoryBytes() const;
  /// Whether ZeRO-3 gathers weights: some are large and read in both passes.
  bool gathersWeights() const;
  /// A time that the plan does not go below, in ns.
  int64_t boundNs(const HybridShape &shape);

  /// The plan as a strategy. `forwardOf`: by node, the node whose gradient or
  /// update it computes, -1: none. An error if no strategy says the same:
  /// ZeRO-2, or an iteration of other samples than the step has.
  Expected<HybridPlacement> place(const HybridPlan &plan,
                                  const std::vector<int> &forwardOf);
  /// The same, whatever number of samples an iteration has: configs of a
  /// microbatch do not depend on it. For simulations.
  Expected<HybridPlacement> placeMicrobatch(const HybridPlan &plan,
                                            const std::vector<int> &forwardOf);
  /// Samples that the loops of the step go over.
  int64_t getStepBatch() const;

private:
  std::string checkContext(const HybridShape &shape) const;
  std::string checkExperts(const HybridShape &shape) const;
  std::string checkExecutor(const HybridShape &shape) const;

  struct Impl;
  explicit HybridModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// How many seconds are left; at most 0: none. Infinity: there is no limit.
using SecondsLeft = std::function<double()>;
/// Simulates a plan within the time that is left; an error says why it cannot.
using HybridSimulator = std::function<Expected<HybridSimulation>(
    const HybridPlan &, const SecondsLeft &)>;

struct HierarchicalOptions {
  double seconds = 0; ///< 0: no limit
  /// The most shapes that are priced; 0: no limit. Without a limit of time, the
  /// result is the same wherever the search runs.
  int64_t prices = 0;
  /// Judges the plans with the best prices; null: prices decide.
  HybridSimulator simulate;
  /// Why programs cannot be made of a plan of a model, which is left out then;
  /// null: all plans are taken. Asked only of plans that would be the best.
  std::function<MaybeError(HybridModel &, const HybridPlan &)> check;
  /// Plans that are simulated, if their prices are within `priceMargin` of the
  /// best one; beyond these, plans whose price is below the best simulated time
  /// are.
  int simulations = 4;
  /// Prices every shape, whatever the bounds say: what the search is compared
  /// with.
  bool exhaustive = false;
  /// Stages may recompute what does not fit.
  bool recompute = true;
  const std::atomic<bool> *stop = nullptr;
  /// Of earlier runs of this search, which goes on from it and adds to it; the
  /// time limit is that of all runs. Null: there is none.
  HybridRecord *record = nullptr;
  /// The part of the record that is of this search.
  std::string part = "step";
};

/// Whether a search with these options has been told to stop.
bool isStopped(const HierarchicalOptions &options);

/// A preset of the whole batch, by its simulation.
struct PresetResult {
  std::string name;
  int64_t makespanNs = 0;
  int64_t peakBytes = 0; ///< of the fullest device
};

struct HierarchicalResult {
  /// Of all that fit, the fastest; none fits: the one that exceeds memory
  /// least. Simulated, if there is a simulator and it had the time; else
  /// priced.
  HybridPlan best;
  /// One that fits and is faster than the best plan; passes look for it.
  std::optional<PresetResult> preset;
  /// The best plans of other kinds, fastest first: by stages, tensor, context
  /// and experts.
  std::vector<HybridPlan> others;
  std::vector<HybridPlan> all;    ///< if exhaustive, in the order of the shapes
  int64_t shapes = 0, priced = 0; ///< enumerated, and not excluded by bounds
  int64_t simulated = 0;          ///< plans
  /// Why no simulation has judged the best plan: an error of the simulator;
  /// empty: it has, or no time was left.
  std::string whyPriced;
  /// Why programs cannot be made of a plan that was left out for it; empty:
  /// none was.
  std::string whyRefused;
  double seconds = 0;    ///< in all runs
  bool complete = false; ///< everything was looked at
};

/// How much a price may be below the simulated time: plans whose prices are
/// further from the best price are only simulated if they are below the best
/// simulated time.
inline constexpr double priceMargin = 0.03;

HierarchicalResult searchHybrid(HybridModel &model,
                                const ParallelizationProblem &problem,
                                const HierarchicalOptions &options = {});

} // namespace soap

#endif // SOAP_SEARCH_HIERARCHICAL_HIERARCHICALSEARCH_H
