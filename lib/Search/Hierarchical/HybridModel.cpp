//===- HybridModel.cpp - Prices of hybrid plans ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes come from the plan of one tensor-parallel group, reductions and
// messages from the links of the whole cluster. docs/Hierarchical.md has the
// formulas.
//
//===----------------------------------------------------------------------===//

#include "MicrobatchGraph.h"
#include "PipelineTime.h"
#include "SegmentCosts.h"
#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

using namespace soap;

struct HybridModel::Impl {
  const ParallelizationProblem &problem;
  const Topology &topology;
  ModelSegments segments;
  int64_t batch = 1;     ///< samples of an iteration
  int64_t stepBatch = 1; ///< samples that the loops of the step go over
  int64_t memoryBytes = 0;
  int perMachine = 1;

  using Key = std::tuple<int64_t, int, bool>;
  std::map<Key, Expected<SegmentCosts>> costs; ///< by samples, tensor, sequence
  std::map<int64_t, std::vector<int64_t>> updates;
  struct Reduction {
    std::optional<CollectiveModel> reduceScatter, allGather, allReduce;
    int64_t sharing = 1;
  };
  std::map<std::tuple<int, int>, Reduction> reductions; ///< by data, tensor

  explicit Impl(const ParallelizationProblem &problem)
      : problem(problem), topology(problem.getTopology()) {}

  const Expected<SegmentCosts> &costsOf(int64_t samples, int tensor,
                                        bool sequence) {
    auto it = costs.find({samples, tensor, sequence});
    if (it == costs.end())
      it =
          costs
              .emplace(Key{samples, tensor, sequence},
                       findSegmentCosts(problem.getGraph(), problem.getGroups(),
                                        problem.getRoles(), segments, topology,
                                        stepBatch, samples, tensor, sequence))
              .first;
    return it->second;
  }

  const std::vector<int64_t> &updatesOf(int64_t pieces) {
    auto it = updates.find(pieces);
    if (it == updates.end())
      it = updates
               .emplace(pieces, findUpdateNs(problem.getGraph(), segments,
                                             topology, pieces))
               .first;
    return it->second;
  }

  /// Collectives over the replicas of a stage. The groups of all members of a
  /// tensor-parallel group run at once; those that share a link wait for each
  /// other.
  const Reduction &reductionOf(int data, int tensor) {
    auto [it, isNew] = reductions.try_emplace({data, tensor});
    if (!isNew)
      return it->second;
    auto members = [&](int member) {
      std::vector<int> devices;
      for (int r = 0; r < data; ++r)
        devices.push_back(r * tensor + member);
      return devices;
    };
    Reduction &made = it->second;
    made.allReduce.emplace(topology, CollectiveKind::AllReduce, members(0));
    made.reduceScatter.emplace(topology, CollectiveKind::ReduceScatter,
                               members(0));
    made.allGather.emplace(topology, CollectiveKind::AllGather, members(0));
    constexpr int64_t largeBytes = int64_t(1) << 28;
    if (const CollectiveAlgorithm *own = made.allReduce->best(largeBytes))
      for (int member = 1; member < tensor; ++member) {
        CollectiveModel other(topology, CollectiveKind::AllReduce,
                              members(member));
        const CollectiveAlgorithm *theirs = other.best(largeBytes);
        bool shares =
            theirs &&
            std::any_of(own->links.begin(), own->links.end(), [&](int link) {
              return std::binary_search(theirs->links.begin(),
                                        theirs->links.end(), link);
            });
        made.sharing += shares;
      }
    return made;
  }

  int deviceOf(const HybridShape &shape, int stage, int replica,
               int member) const {
    return (stage * shape.data + replica) * shape.tensor + member;
  }

  /// What all replicas of a stage send at once to the next one.
  int64_t sendNs(const HybridShape &shape, int stage, int64_t bytes) const {
    std::vector<Message> messages;
    for (int r = 0; r < shape.data; ++r)
      for (int m = 0; m < shape.tensor; ++m)
        messages.push_back({deviceOf(shape, stage - 1, r, m),
                            deviceOf(shape, stage, r, m), bytes});
    // Stages are all alike: the first machines stand for all.
    size_t most = static_cast<size_t>(4 * perMachine);
    if (messages.size() > most)
      messages.resize(most);
    return exchangeCost(topology, messages).ns;
  }

  int64_t passNs(const SegmentCost &cost, Recompute recompute) const {
    return cost.forwardNs + cost.backwardNs + againNs(cost, recompute);
  }
  static int64_t againNs(const SegmentCost &cost, Recompute recompute) {
    return recompute == Recompute::Whole       ? cost.forwardNs
           : recompute == Recompute::Selective ? cost.selectiveNs
                                               : 0;
  }

  /// Cuts the segments into stages whose largest pass is as short as can be:
  /// the first segment of each.
  std::vector<int> cutStages(const std::vector<int64_t> &ns, int stages) const {
    auto count = static_cast<int>(ns.size());
    std::vector<int64_t> before(ns.size() + 1, 0);
    std::partial_sum(ns.begin(), ns.end(), before.begin() + 1);
    constexpr int64_t never = std::numeric_limits<int64_t>::max();
    // best[k][i]: the largest of k stages over the first i segments.
    std::vector<std::vector<int64_t>> best(
        stages + 1, std::vector<int64_t>(ns.size() + 1, never));
    std::vector<std::vector<int>> from(stages + 1,
                                       std::vector<int>(ns.size() + 1, 0));
    best[0][0] = 0;
    for (int k = 1; k <= stages; ++k)
      for (int i = k; i <= count; ++i)
        for (int j = k - 1; j < i; ++j) {
          if (best[k - 1][j] == never)
            continue;
          int64_t largest = std::max(best[k - 1][j], before[i] - before[j]);
          if (largest < best[k][i]) {
            best[k][i] = largest;
            from[k][i] = j;
          }
        }
    std::vector<int> firsts;
    for (int k = stages, i = count; k > 0; --k) {
      i = from[k][i];
      firsts.push_back(i);
    }
    std::reverse(firsts.begin(), firsts.end());
    return firsts;
  }

  void addMemory(const HybridShape &shape, const SegmentCosts &found, int stage,
                 int64_t microbatches, HybridStage &made) const;
  void addSynchronization(const HybridShape &shape, const SegmentCosts &found,
                          HybridStage &made);
};

/// Bytes on each device of a stage.
void HybridModel::Impl::addMemory(const HybridShape &shape,
                                  const SegmentCosts &found, int stage,
                                  int64_t microbatches,
                                  HybridStage &made) const {
  made.parameterBytes = made.stateBytes = made.gradientBytes = 0;
  int64_t kept = 0, layer = 0, largestLayer = 0, gathered = 0, scratch = 0;
  int end = made.firstSegment + made.segments;
  for (int s = made.firstSegment; s < end; ++s) {
    const SegmentCost &cost = found.segments[s];
    made.parameterBytes += cost.parameterBytes;
    made.stateBytes += cost.stateBytes;
    made.gradientBytes += cost.gradientBytes;
    gathered = std::max(gathered, cost.parameterBytes);
    scratch = std::max(scratch, cost.scratchBytes);
    bool isFirst = s == made.firstSegment;
    bool opensLayer = isFirst || segments.layerOf[s] != segments.layerOf[s - 1];
    if (opensLayer)
      layer = 0;
    layer += cost.keptBytes;
    largestLayer = std::max(largestLayer, layer);
    switch (made.recompute) {
    case Recompute::None:
      kept += cost.keptBytes + (isFirst ? cost.boundaryBytes : 0);
      break;
    case Recompute::Selective:
      kept += cost.selectiveBytes + (isFirst ? cost.boundaryBytes : 0);
      break;
    case Recompute::Whole:
      kept += opensLayer ? cost.boundaryBytes : 0;
      break;
    }
  }
  if (shape.zero >= 1)
    made.stateBytes = (made.stateBytes + shape.data - 1) / shape.data;
  if (shape.zero >= 2)
    made.gradientBytes = (made.gradientBytes + shape.data - 1) / shape.data;
  if (shape.zero >= 3) // and two segments that are gathered
    made.parameterBytes =
        (made.parameterBytes + shape.data - 1) / shape.data + 2 * gathered;
  made.inFlight =
      static_cast<int>(std::min<int64_t>(microbatches, shape.stages - stage));
  made.activationBytes = kept * made.inFlight;
  // One layer at a time is computed again, and an op reads and writes.
  if (made.recompute != Recompute::None)
    made.activationBytes += largestLayer;
  made.scratchBytes = 2 * scratch;
}

/// Times that come once for an iteration. The gradients of a segment are
/// reduced while the segments before it run their last backward pass.
void HybridModel::Impl::addSynchronization(const HybridShape &shape,
                                           const SegmentCosts &found,
                                           HybridStage &made) {
  const std::vector<int64_t> &update =
      updatesOf(shape.tensor * (shape.zero > 0 ? shape.data : 1));
  int end = made.firstSegment + made.segments;
  int64_t pass = 0, link = 0, gather = 0, forward = 0, allPasses = 0;
  made.updateNs = 0;
  for (int s = end; s-- > made.firstSegment;) {
    const SegmentCost &cost = found.segments[s];
    made.updateNs += update[s];
    pass += cost.backwardNs + againNs(cost, made.recompute);
    allPasses = pass;
    if (shape.data == 1 || cost.gradientBytes == 0)
      continue;
    const Reduction &reduction = reductionOf(shape.data, shape.tensor);
    // ZeRO-3 reduces after each pass, which the passes have.
    if (shape.zero < 3)
      link =
          std::max(link, pass) +
          reduction.sharing *
              (shape.zero > 0 ? reduction.reduceScatter->ns(cost.gradientBytes)
                              : reduction.allReduce->ns(cost.gradientBytes));
  }
  made.exposedNs = std::max<int64_t>(link - allPasses, 0);
  if (shape.zero != 1 && shape.zero != 2)
    return;
  // The first forward pass waits for the weights of each segment.
  int64_t plain = 0;
  for (int s = made.firstSegment; s < end && shape.data > 1; ++s) {
    const SegmentCost &cost = found.segments[s];
    const Reduction &reduction = reductionOf(shape.data, shape.tensor);
    if (cost.parameterBytes > 0)
      gather +=
          reduction.sharing * reduction.allGather->ns(cost.parameterBytes);
    forward = std::max(forward, gather) + cost.forwardNs;
    plain += cost.forwardNs;
  }
  made.exposedNs += std::max<int64_t>(forward - plain, 0);
}

HybridModel::HybridModel(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
HybridModel::~HybridModel() = default;

Expected<std::unique_ptr<HybridModel>>
HybridModel::make(const ParallelizationProblem &problem, int64_t batch) {
  auto impl = std::make_unique<Impl>(problem);
  const Graph &graph = problem.getGraph();
  if (!graph.restores.empty())
    return Error{"values are restored for the backward pass, expected a step "
                 "without tensor reuse"};
  for (const Device &device : impl->topology.devices)
    if (device.type != impl->topology.devices[0].type)
      return Error{"topology '" + impl->topology.name +
                   "' has devices of several types, expected one"};
  Expected<int64_t> ofStep = batchOf(graph, problem.getRoles());
  if (!ofStep)
    return Error{ofStep.error()};
  impl->stepBatch = *ofStep;
  impl->batch = batch == 0 ? *ofStep : batch;
  impl->memoryBytes = impl->topology.typeOf(0).memoryBytes;
  impl->segments = findSegments(graph, problem.getGroups(), problem.getRoles());
  std::vector<std::vector<int>> machines = impl->topology.machines();
  impl->perMachine = static_cast<int>(machines[0].size());
  for (const std::vector<int> &machine : machines)
    if (machine.size() != machines[0].size())
      return Error{"topology '" + impl->topology.name +
                   "' has machines of several sizes, expected one"};
  if (auto &one = impl->costsOf(1, 1, false); !one)
    return Error{one.error()};
  return std::unique_ptr<HybridModel>(new HybridModel(std::move(impl)));
}

int64_t HybridModel::getBatch() const { return impl->batch; }
int HybridModel::getSegmentCount() const { return impl->segments.count; }
int HybridModel::getLayerCount() const { return impl->segments.layers; }

double HybridModel::iterationFlops() {
  return impl->costsOf(1, 1, false)->flops * static_cast<double>(impl->batch);
}

std::string HybridModel::check(const HybridShape &shape) const {
  auto number = [](int64_t n) { return std::to_string(n); };
  int devices = impl->topology.deviceCount();
  if (shape.stages < 1 || shape.data < 1 || shape.tensor < 1 ||
      shape.samples < 1 || shape.zero < 0 || shape.zero > 3)
    return "expected at least one stage, replica, member and sample, and ZeRO "
           "0 to 3";
  if (int64_t(shape.stages) * shape.data * shape.tensor != devices)
    return number(shape.stages) + " stages x data " + number(shape.data) +
           " x tensor " + number(shape.tensor) + " are not the topology's " +
           number(devices) + " devices";
  if (shape.stages > impl->segments.count)
    return number(shape.stages) + " stages for a model of " +
           number(impl->segments.count) + " segments";
  if (shape.tensor > impl->perMachine || impl->perMachine % shape.tensor != 0)
    return "tensor " + number(shape.tensor) +
           " does not divide the devices of a machine, " +
           number(impl->perMachine);
  if (impl->batch % (shape.data * shape.samples) != 0)
    return "the batch of " + number(impl->batch) +
           " does not divide into replicas and microbatches of " +
           number(shape.data) + " x " + number(shape.samples) + " samples";
  if (shape.zero > 0 && shape.data == 1)
    return "ZeRO without replicas";
  if (shape.zero >= 2 && shape.stages > 1)
    return "ZeRO-" + number(shape.zero) +
           " would reduce gradients for every microbatch of every stage";
  return "";
}

int64_t HybridModel::boundNs(const HybridShape &shape) {
  const auto &found =
      impl->costsOf(shape.samples, shape.tensor, shape.sequence);
  if (!found)
    return std::numeric_limits<int64_t>::max();
  int64_t sum = 0, largest = 0;
  for (const SegmentCost &cost : found->segments) {
    int64_t ns = impl->passNs(cost, Recompute::None);
    sum += ns;
    largest = std::max(largest, ns);
  }
  int64_t microbatches = impl->batch / (shape.data * shape.samples);
  // The slowest stage runs all microbatches; the others are passed once.
  int64_t slowest = std::max(largest, (sum + shape.stages - 1) / shape.stages);
  return slowest * (microbatches - 1) + sum;
}

HybridPlan HybridModel::price(const HybridShape &shape,
                              const Recompute *recompute) {
  HybridPlan plan;
  plan.shape = shape;
  plan.microbatches = impl->batch / (shape.data * shape.samples);
  const auto &found =
      impl->costsOf(shape.samples, shape.tensor, shape.sequence);
  if (!found)
    return plan;
  std::vector<int64_t> ns;
  for (const SegmentCost &cost : found->segments)
    ns.push_back(impl->passNs(cost, recompute ? *recompute : Recompute::None));
  std::vector<int> firsts = impl->cutStages(ns, shape.stages);
  std::vector<int64_t> sendNs;
  for (size_t k = 0; k < firsts.size(); ++k) {
    HybridStage &stage = plan.stages.emplace_back();
    stage.firstSegment = firsts[k];
    stage.segments =
        (k + 1 < firsts.size() ? firsts[k + 1] : impl->segments.count) -
        firsts[k];
    for (Recompute level :
         {Recompute::None, Recompute::Selective, Recompute::Whole}) {
      stage.recompute = recompute ? *recompute : level;
      impl->addMemory(shape, *found, static_cast<int>(k), plan.microbatches,
                      stage);
      if (recompute || stage.peakBytes() <= impl->memoryBytes)
        break;
    }
    for (int s = stage.firstSegment; s < stage.firstSegment + stage.segments;
         ++s) {
      const SegmentCost &cost = found->segments[s];
      int64_t forward = cost.forwardNs,
              backward = cost.backwardNs + impl->againNs(cost, stage.recompute);
      if (shape.zero == 3 && shape.data > 1) {
        const Impl::Reduction &reduction =
            impl->reductionOf(shape.data, shape.tensor);
        int64_t gather =
            reduction.sharing * reduction.allGather->ns(cost.parameterBytes);
        int64_t scatter =
            reduction.sharing * reduction.reduceScatter->ns(cost.gradientBytes);
        forward = std::max(forward, gather);
        backward = std::max(backward, gather + scatter);
      }
      stage.forwardNs += forward;
      stage.backwardNs += backward;
    }
    impl->addSynchronization(shape, *found, stage);
    sendNs.push_back(
        k == 0
            ? 0
            : impl->sendNs(shape, static_cast<int>(k),
                           found->segments[stage.firstSegment].boundaryBytes));
    plan.peakBytes = std::max(plan.peakBytes, stage.peakBytes());
  }
  plan.excessBytes = std::max<int64_t>(plan.peakBytes - impl->memoryBytes, 0);
  std::vector<int64_t> ends =
      pipelineEnds(plan.stages, sendNs, plan.microbatches);
  double busy = 0;
  for (size_t k = 0; k < plan.stages.size(); ++k) {
    const HybridStage &stage = plan.stages[k];
    plan.makespanNs =
        std::max(plan.makespanNs, ends[k] + stage.exposedNs + stage.updateNs);
    busy += static_cast<double>(plan.microbatches) *
                static_cast<double>(stage.forwardNs + stage.backwardNs) +
            static_cast<double>(stage.updateNs);
  }
  plan.bubble = 1 - busy / (static_cast<double>(plan.makespanNs) *
                            static_cast<double>(plan.stages.size()));
  return plan;
}
