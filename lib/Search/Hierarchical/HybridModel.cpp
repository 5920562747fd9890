//===- HybridModel.cpp - Prices of hybrid plans ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes come from the plan of one replica of a stage, reductions and messages
// from the links of the whole cluster. docs/Hierarchical.md has the formulas.
//
//===----------------------------------------------------------------------===//

#include "HybridStrategy.h"
#include "MicrobatchGraph.h"
#include "PipelineTime.h"
#include "Search/Presets/Context.h"
#include "Search/Presets/Experts.h"
#include "SegmentCosts.h"
#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Cost/CostModel.h"
#include "Soap/Pipeline/Pipeline.h"
#include "Soap/Search/Hierarchical/HierarchicalSearch.h"
#include "StageCutter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

using namespace soap;

/// Stages and replicas wait for each other: all devices are taken for one of
/// the type with the lowest peak, with the least memory that any has.
static Topology slowestOf(const Topology &topology) {
  Topology result = topology;
  if (std::all_of(topology.devices.begin(), topology.devices.end(),
                  [&](const Device &device) {
                    return device.type == topology.devices[0].type;
                  }))
    return result;
  auto peakOf = [](const DeviceType &type) {
    double peak = 0;
    for (const auto &[dtype, rate] : type.flopsPerSecond)
      peak = std::max(peak, rate);
    return peak;
  };
  int slowest = topology.devices[0].type;
  for (const Device &device : topology.devices)
    if (peakOf(topology.deviceTypes[device.type]) <
        peakOf(topology.deviceTypes[slowest]))
      slowest = device.type;
  DeviceType &type = result.deviceTypes[slowest];
  for (Device &device : result.devices) {
    const DeviceType &own = topology.deviceTypes[device.type];
    type.memoryBytes = std::min(type.memoryBytes, own.memoryBytes);
    // 0: there is no limit.
    if (own.hostMemoryBytes > 0)
      type.hostMemoryBytes =
          type.hostMemoryBytes > 0
              ? std::min(type.hostMemoryBytes, own.hostMemoryBytes)
              : own.hostMemoryBytes;
    device.type = slowest;
  }
  return result;
}

struct HybridModel::Impl {
  const ParallelizationProblem &problem;
  Topology topology; ///< all devices of one type
  CollectiveWorkspace workspace;
  ModelSegments segments;
  int64_t batch = 1;     ///< samples of an iteration
  int64_t stepBatch = 1; ///< samples that the loops of the step go over
  int64_t memoryBytes = 0;
  int64_t fitBytes = 0; ///< of the plan that is priced
  /// Collectives of a group wait for what ZeRO-3 moves.
  bool waitsForMoves = true;
  int perMachine = 1;
  /// An op of the passes that looks for the largest element in all samples;
  /// empty: there is none.
  std::string measured;

  LayerMates mates;
  /// The sequences that context parallelism splits, or why it does not.
  Expected<AttentionSequence> sequence = Error{};

  /// Experts that each mixture has a multiple of; 0: there are none.
  int64_t mixtureExperts = 0;

  using Key = std::tuple<int64_t, int, bool, int, bool, int>;
  /// By samples, tensor, sequence, context, zigzag, experts.
  using Costs = std::map<Key, Expected<SegmentCosts>>;
  std::shared_ptr<Costs> costs = std::make_shared<Costs>();
  /// By samples.
  using Microbatches = std::map<int64_t, Expected<PlannedMicrobatch>>;
  std::shared_ptr<Microbatches> microbatches = std::make_shared<Microbatches>();
  /// By pieces, and pieces of experts.
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> updates;
  struct Reduction {
    std::optional<CollectiveModel> reduceScatter, allGather, allReduce;
    int64_t sharing = 1;
    /// They are on links of the tensor-parallel group of a device, too.
    bool isOnGroup = false;
    /// Times by bytes: layers have equal weights.
    std::unordered_map<int64_t, int64_t> scattered, gathered, reduced;
    int64_t reduceScatterNs(int64_t bytes) {
      return look(*reduceScatter, scattered, bytes);
    }
    int64_t allGatherNs(int64_t bytes) {
      return look(*allGather, gathered, bytes);
    }
    int64_t allReduceNs(int64_t bytes) {
      return look(*allReduce, reduced, bytes);
    }

  private:
    static int64_t look(const CollectiveModel &model,
                        std::unordered_map<int64_t, int64_t> &known,
                        int64_t bytes) {
      auto [it, isNew] = known.try_emplace(bytes);
      if (isNew)
        it->second = model.ns(bytes);
      return it->second;
    }
  };
  std::map<std::tuple<int, int>, Reduction> reductions; ///< by holders, tensor

  explicit Impl(const ParallelizationProblem &problem)
      : problem(problem), topology(slowestOf(problem.getTopology())),
        workspace(topology) {}

  const Expected<SegmentCosts> &costsOf(const HybridShape &shape) {
    Key key{shape.samples, shape.tensor, shape.sequence,
            shape.context, shape.zigzag, shape.experts};
    auto it = costs->find(key);
    if (it != costs->end())
      return it->second;
    int64_t samples = shape.samples * shape.experts;
    auto of = microbatches->find(samples);
    if (of == microbatches->end())
      of = microbatches
               ->emplace(samples,
                         planMicrobatch(problem.getGraph(), problem.getGroups(),
                                        problem.getRoles(), segments, mates,
                                        stepBatch, samples))
               .first;
    const Expected<PlannedMicrobatch> &planned = of->second;
    return costs
        ->emplace(key, planned ? findSegmentCosts(problem.getGraph(),
                                                  problem.getGroups(), *planned,
                                                  mates, topology, shape)
                               : Expected<SegmentCosts>(Error{planned.error()}))
        .first->second;
  }

  const std::vector<int64_t> &updatesOf(const HybridShape &shape) {
    int64_t shares = shape.zero > 0 ? shape.holders() : 1,
            expertShares = shape.zero > 0 ? shape.expertHolders() : 1;
    std::pair<int64_t, int64_t> pieces{
        shape.tensor * shares, shape.experts * shape.tensor * expertShares};
    auto it = updates.find(pieces);
    if (it == updates.end())
      it = updates
               .emplace(pieces,
                        findUpdateNs(problem.getGraph(), segments, topology,
                                     pieces.first, pieces.second))
               .first;
    return it->second;
  }

  /// Collectives over the holders of the weights of a stage: all places of all
  /// replicas. The groups of all members of a tensor-parallel group run at
  /// once; those that share a link wait for each other. Of experts, one of as
  /// many devices as share them holds the same.
  Reduction &reductionOf(const HybridShape &shape, bool ofExperts) {
    return ofExperts ? reductionOf(shape.expertHolders(),
                                   shape.experts * shape.tensor)
                     : reductionOf(shape.holders(), shape.tensor);
  }
  Reduction &reductionOf(int holders, int tensor) {
    auto [it, isNew] = reductions.try_emplace({holders, tensor});
    if (!isNew)
      return it->second;
    auto members = [&](int member, int count) {
      std::vector<int> devices;
      for (int h = 0; h < count; ++h)
        devices.push_back(h * tensor + member);
      return devices;
    };
    Reduction &made = it->second;
    auto share = [](const CollectiveAlgorithm *a,
                    const CollectiveAlgorithm *b) {
      return a && b &&
             std::any_of(a->links.begin(), a->links.end(), [&](int link) {
               return std::binary_search(b->links.begin(), b->links.end(),
                                         link);
             });
    };
    made.allReduce.emplace(workspace, CollectiveKind::AllReduce,
                           members(0, holders));
    made.reduceScatter.emplace(workspace, CollectiveKind::ReduceScatter,
                               members(0, holders));
    made.allGather.emplace(workspace, CollectiveKind::AllGather,
                           members(0, holders));
    // The first machines stand for all.
    constexpr int manyHolders = 64;
    constexpr int64_t largeBytes = int64_t(1) << 28;
    int few = std::min(holders, manyHolders);
    CollectiveModel first(workspace, CollectiveKind::AllReduce,
                          members(0, few));
    const CollectiveAlgorithm *own = first.best(largeBytes);
    for (int member = 1; member < tensor; ++member) {
      CollectiveModel other(workspace, CollectiveKind::AllReduce,
                            members(member, few));
      made.sharing += share(own, other.best(largeBytes));
    }
    std::vector<int> group(static_cast<size_t>(tensor));
    std::iota(group.begin(), group.end(), 0);
    CollectiveModel ofGroup(workspace, CollectiveKind::AllReduce, group);
    made.isOnGroup = share(own, ofGroup.best(largeBytes));
    return made;
  }

  /// Collectives over the replicas of the weights of a segment, one after the
  /// other, and of what is left of its bytes.
  int64_t gatherNs(const HybridShape &shape, const SegmentCost &cost,
                   bool isGathered) {
    int64_t ns = 0, rest = cost.parameterBytes;
    for (const WeightCost &weight : cost.weights) {
      rest -= weight.weightBytes;
      if (weight.weightBytes > 0 && weight.isGathered == isGathered)
        ns += gatherNs(shape, weight.weightBytes, weight.isOfExperts);
    }
    if (rest > 0 && !isGathered)
      ns += gatherNs(shape, rest, /*ofExperts=*/false);
    return ns;
  }
  int64_t gatherNs(const HybridShape &shape, int64_t bytes, bool ofExperts) {
    if (ofExperts && shape.expertHolders() == 1)
      return 0;
    Reduction &reduction = reductionOf(shape, ofExperts);
    return reduction.sharing * reduction.allGatherNs(bytes);
  }
  int64_t reduceNs(const HybridShape &shape, int64_t bytes, bool ofExperts) {
    if (ofExperts && shape.expertHolders() == 1)
      return 0;
    Reduction &reduction = reductionOf(shape, ofExperts);
    return reduction.sharing * (shape.zero > 0
                                    ? reduction.reduceScatterNs(bytes)
                                    : reduction.allReduceNs(bytes));
  }
  int64_t reduceNs(const HybridShape &shape, const SegmentCost &cost,
                   bool isGathered) {
    int64_t ns = 0, rest = cost.gradientBytes.all;
    for (const WeightCost &weight : cost.weights) {
      rest -= weight.gradientBytes;
      if (weight.gradientBytes > 0 && weight.isGathered == isGathered)
        ns += reduceNs(shape, weight.gradientBytes, weight.isOfExperts);
    }
    if (rest > 0 && !isGathered)
      ns += reduceNs(shape, rest, /*ofExperts=*/false);
    return ns;
  }
  /// Moves of ZeRO-3 beside a pass, one after the other: the sum of their
  /// times, and of the squares of these.
  struct Moves {
    double ns = 0, squares = 0;
    void add(int64_t of) {
      ns += static_cast<double>(of);
      squares += static_cast<double>(of) * static_cast<double>(of);
    }
  };
  /// How much longer the passes of a stage are beside what ZeRO-3 moves.
  struct Stretch {
    double forward = 1, backward = 1;
    int64_t forwardNs(const SegmentCost &cost) const {
      return static_cast<int64_t>(forward *
                                  static_cast<double>(cost.forwardNs));
    }
    int64_t backwardNs(const SegmentCost &cost, Recompute recompute) const {
      return static_cast<int64_t>(
          backward *
          static_cast<double>(cost.backwardNs + recomputeNs(cost, recompute)));
    }
  };
  /// A pass takes at least what it moves takes. Its collectives wait for moves
  /// that are on their links, as in a queue: for `squares / (time - moves)`
  /// each, twice the mean of a random moment, since both begin when a kernel
  /// ends.
  static double stretch(double ns, const Moves &moves, int64_t collectives) {
    if (moves.ns == 0 || ns == 0)
      return 1;
    double half = (ns - moves.ns) / 2;
    return ((ns + moves.ns) / 2 +
            std::sqrt(half * half +
                      static_cast<double>(collectives) * moves.squares)) /
           ns;
  }
  Stretch stretchOf(const HybridShape &shape, const SegmentCosts &found,
                    const HybridStage &stage) {
    if (shape.zero != 3 || shape.holders() == 1)
      return {};
    Moves forward, backward;
    int64_t forwardNs = 0, backwardNs = 0, forwards = 0, backwards = 0;
    for (int s = stage.firstSegment; s < stage.firstSegment + stage.segments;
         ++s) {
      const SegmentCost &cost = found.segments[s];
      forwardNs += cost.forwardNs;
      backwardNs += cost.backwardNs + recomputeNs(cost, stage.recompute);
      forwards += cost.forwardCollectives;
      backwards += cost.backwardCollectives;
      if (stage.recompute == Recompute::Whole)
        backwards += cost.forwardCollectives;
      for (const WeightCost &weight : cost.weights) {
        if (!weight.isGathered)
          continue;
        int64_t gather =
            gatherNs(shape, weight.weightBytes, weight.isOfExperts);
        forward.add(gather);
        backward.add(gather);
        backward.add(reduceNs(shape, weight.gradientBytes, weight.isOfExperts));
      }
    }
    if (!reductionOf(shape, /*ofExperts=*/false).isOnGroup || !waitsForMoves)
      forwards = backwards = 0;
    return {stretch(static_cast<double>(forwardNs), forward, forwards),
            stretch(static_cast<double>(backwardNs), backward, backwards)};
  }

  /// Time of both passes in which a device computes. Recomputation computes in
  /// as much of its time as the forward pass does.
  static double busyOf(const SegmentCost &cost, Recompute recompute) {
    double busy = static_cast<double>(cost.forwardBusyNs + cost.backwardBusyNs);
    if (cost.forwardNs > 0)
      busy += static_cast<double>(recomputeNs(cost, recompute)) *
              static_cast<double>(cost.forwardBusyNs) /
              static_cast<double>(cost.forwardNs);
    return busy;
  }

  /// Shortens both passes to what they take side by side: one computes while
  /// the other moves.
  static void overlapPasses(HybridStage &stage, double busyNs) {
    auto forward = static_cast<double>(stage.forwardNs),
         backward = static_cast<double>(stage.backwardNs);
    double alone = forward + backward;
    if (alone == 0)
      return;
    double together =
        std::max({busyNs, forward, backward, alone - busyNs}) / alone;
    stage.forwardNs = std::llround(forward * together);
    stage.backwardNs = std::llround(backward * together);
  }

  /// The time to add a microbatch's gradients: under ZeRO-3 a replica's share
  /// of those that each pass reduces.
  static int64_t accumulateNs(const HybridShape &shape,
                              const SegmentCost &cost) {
    if (shape.zero != 3 || cost.gradientBytes.all == 0)
      return cost.accumulateNs;
    double bytes = 0; // that others add
    for (const WeightCost &weight : cost.weights)
      if (weight.isGathered)
        bytes += static_cast<double>(weight.gradientBytes) *
                 (1 - 1.0 / (weight.isOfExperts ? shape.expertHolders()
                                                : shape.holders()));
    double left = 1 - bytes / static_cast<double>(cost.gradientBytes.all);
    return static_cast<int64_t>(static_cast<double>(cost.accumulateNs) * left);
  }

  /// The time in which all replicas of the stage before send to a stage.
  int64_t sendNs(const HybridShape &shape, int stage, int64_t bytes) const {
    int from = (stage - 1) % shape.groups, to = stage % shape.groups;
    // Groups are all alike: the first machines stand for all.
    int most = std::min(shape.width(), 4 * perMachine);
    std::vector<Message> messages;
    for (int i = 0; i < most; ++i)
      messages.push_back(
          {from * shape.width() + i, to * shape.width() + i, bytes});
    return exchangeCost(topology, messages).ns;
  }

  std::vector<int> fitStages(const HybridShape &shape,
                             const SegmentCosts &found, int64_t microbatches,
                             const Recompute *recompute) const;
  void addMemory(const HybridShape &shape, const SegmentCosts &found, int group,
                 const std::vector<PipelinePass> &passes,
                 HybridPlan &plan) const;
  /// Whether the executor runs plans with this level of recomputation: beside
  /// another pass, Megatron computes no whole layers again.
  bool mayRecompute(const HybridShape &shape, Recompute level) const;
  void addSynchronization(const HybridShape &shape, const SegmentCosts &found,
                          HybridStage &made);
  HybridPlan price(const HybridShape &shape, const SegmentCosts &found,
                   const std::vector<int> &firsts, const Recompute *recompute);
};

namespace {

constexpr Recompute levels[] = {Recompute::None, Recompute::Selective,
                                Recompute::Whole};

} // namespace

bool HybridModel::Impl::mayRecompute(const HybridShape &shape,
                                     Recompute level) const {
  const Executor &executor = topology.executor;
  if (level == Recompute::Whole)
    return !shape.overlap || executor.configs;
  return level != Recompute::Selective || executor.selective;
}

/// The first segments of stages, one a group, whose longest pass is shortest
/// with the least recomputation with which each fits; empty if none fit.
std::vector<int>
HybridModel::Impl::fitStages(const HybridShape &shape,
                             const SegmentCosts &found, int64_t microbatches,
                             const Recompute *recompute) const {
  return cutSegments(
      shape, segments, found, shape.groups, microbatches,
      [&](int stage, const StageSums &sums) {
        int64_t least = neverNs;
        for (Recompute level : levels) {
          if (recompute ? level != *recompute : !mayRecompute(shape, level))
            continue;
          HybridStage made;
          made.recompute = level;
          made.inFlight = static_cast<int>(
              std::min<int64_t>(microbatches, shape.groups - stage));
          sums.fill(made);
          if (bytesOf(made) <= fitBytes)
            least = std::min(least, sums.passNs(level));
        }
        return least;
      });
}

/// Bytes on each device of a group.
void HybridModel::Impl::addMemory(const HybridShape &shape,
                                  const SegmentCosts &found, int group,
                                  const std::vector<PipelinePass> &passes,
                                  HybridPlan &plan) const {
  std::vector<StageSums> sums;
  std::vector<int64_t> kept(plan.stages.size());
  for (size_t s = group; s < plan.stages.size(); s += shape.groups) {
    StageSums &of = sums.emplace_back(shape, segments, found, plan.microbatches,
                                      /*isAlone=*/plan.stages.size() == 1);
    for (int i = 0; i < plan.stages[s].segments; ++i)
      of.add(plan.stages[s].firstSegment + i);
    kept[s] = of.keptBytes(plan.stages[s].recompute);
  }
  std::vector<int> inFlight = maxInFlight(passes, kept);
  int64_t bytes = 0, scratch = 0, host = 0;
  for (size_t s = group, i = 0; s < plan.stages.size(); s += shape.groups) {
    HybridStage &made = plan.stages[s];
    made.inFlight = inFlight[s];
    sums[i++].fill(made);
    bytes += bytesOf(made) - made.scratchBytes;
    scratch = std::max(scratch, made.scratchBytes);
    host += made.hostBytes;
  }
  plan.groupBytes[group] = bytes + scratch;
  plan.hostBytes = std::max(plan.hostBytes, host);
}

/// Times that come once for an iteration. The gradients of a segment are
/// reduced while the segments before it run their last backward pass.
void HybridModel::Impl::addSynchronization(const HybridShape &shape,
                                           const SegmentCosts &found,
                                           HybridStage &made) {
  int64_t shares = shape.zero > 0 ? shape.holders() : 1;
  const std::vector<int64_t> &update = updatesOf(shape);
  Stretch stretch = stretchOf(shape, found, made);
  int end = made.firstSegment + made.segments;
  int64_t pass = 0, link = 0, gather = 0, forward = 0, allPasses = 0;
  made.updateNs = 0;
  for (int s = end; s-- > made.firstSegment;) {
    const SegmentCost &cost = found.segments[s];
    made.updateNs += update[s] + cost.onceNs / shares;
    pass += stretch.backwardNs(cost, made.recompute);
    allPasses = pass;
    if (shape.holders() == 1 || cost.gradientBytes.all == 0)
      continue;
    link = std::max(link, pass) + reduceNs(shape, cost, false);
    // Of the gradients that each pass reduces, all but the last are beside
    // passes.
    if (shape.zero < 3 || s == made.firstSegment)
      link += reduceNs(shape, cost, true);
  }
  made.exposedNs = std::max<int64_t>(link - allPasses, 0);
  if (shape.zero == 0)
    return;
  // The first forward pass waits for the weights of each segment.
  int64_t plain = 0;
  for (int s = made.firstSegment; s < end && shape.holders() > 1; ++s) {
    const SegmentCost &cost = found.segments[s];
    gather += gatherNs(shape, cost, false);
    if (shape.zero < 3)
      gather += gatherNs(shape, cost, true);
    int64_t ns = stretch.forwardNs(cost);
    forward = std::max(forward, gather) + ns;
    plain += ns;
  }
  made.exposedNs += std::max<int64_t>(forward - plain, 0);
}

/// An op that reads samples and has no loop over them, -1: none. A step of one
/// sample has such ops: reshapes leave out dims of extent 1, so neither they
/// nor what follows them say what counts samples.
static int nodeWithoutSamples(const Graph &graph,
                              const std::vector<std::vector<Role>> &roles) {
  std::vector<bool> hasSamples = valuesOfSamples(graph, roles);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    bool reads = std::any_of(kernel.operands.begin(), kernel.operands.end(),
                             [&](int value) { return hasSamples[value]; });
    if (reads && std::find(roles[n].begin(), roles[n].end(), Role::Sample) ==
                     roles[n].end())
      return static_cast<int>(n);
  }
  return -1;
}

HybridModel::HybridModel(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
HybridModel::~HybridModel() = default;

/// The first op of the passes whose result is a maximum over samples.
static std::string findMeasured(const ParallelizationProblem &problem) {
  const Graph &graph = problem.getGraph();
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (kernel.phase == Phase::Update)
      continue;
    for (const ResultAccess &result : kernel.space.results)
      for (size_t l = 0; l < kernel.space.loops.size(); ++l)
        if (result.combiner == Combiner::Max &&
            problem.getRoles()[n][l] == Role::Sample &&
            !usesLoop(result.map, static_cast<int>(l)))
          return kernel.name;
  }
  return "";
}

Expected<std::unique_ptr<HybridModel>>
HybridModel::make(const ParallelizationProblem &problem, int64_t batch,
                  const std::vector<int> &forwardOf, const HybridModel *other) {
  auto impl = std::make_unique<Impl>(problem);
  const Graph &graph = problem.getGraph();
  auto has = [&](Phase phase) {
    return std::any_of(
        graph.nodes.begin(), graph.nodes.end(),
        [&](const GraphNode &node) { return node.whole.phase == phase; });
  };
  // An imported step says nothing of which ops are whose gradients.
  if (!has(Phase::Backward) || !has(Phase::Update))
    return Error{"no op is known as a gradient or an update, expected a step "
                 "that '--soap-build-training-step' has made"};
  if (!problem.getFixed().empty())
    return Error{"op '" +
                 graph.nodes[problem.getFixed().begin()->first].whole.name +
                 "' has a fixed config, which stages on some of the devices "
                 "do not keep"};
  if (!graph.restores.empty())
    return Error{"values are restored for the backward pass, expected a step "
                 "without tensor reuse"};
  Expected<int64_t> ofStep = batchOf(graph, problem.getRoles());
  if (!ofStep)
    return Error{ofStep.error()};
  if (int node =
          *ofStep == 1 ? nodeWithoutSamples(graph, problem.getRoles()) : -1;
      node >= 0)
    return Error{"op '" + graph.nodes[node].whole.name +
                 "' does not say which of its dims count samples, as the step "
                 "has one sample, expected a step of at least two"};
  impl->stepBatch = *ofStep;
  impl->batch = batch == 0 ? *ofStep : batch;
  impl->measured = findMeasured(problem);
  impl->sequence = findAttentionSequence(graph);
  impl->mixtureExperts = commonExperts(graph);
  impl->memoryBytes = impl->topology.memoryBytes(0);
  if (other) {
    impl->costs = other->impl->costs;
    impl->microbatches = other->impl->microbatches;
    impl->segments = other->impl->segments;
    impl->mates = other->impl->mates;
  } else {
    impl->segments =
        findSegments(graph, problem.getGroups(), problem.getRoles(), forwardOf);
    impl->mates = findLayerMates(graph, problem.getGroups(), problem.getRoles(),
                                 impl->segments);
  }
  std::vector<std::vector<int>> machines = impl->topology.machines();
  impl->perMachine = static_cast<int>(machines[0].size());
  for (const std::vector<int> &machine : machines)
    if (machine.size() != machines[0].size())
      return Error{"topology '" + impl->topology.name +
                   "' has machines of several sizes, expected one"};
  if (auto &one = impl->costsOf({}); !one)
    return Error{one.error()};
  return std::unique_ptr<HybridModel>(new HybridModel(std::move(impl)));
}

int64_t HybridModel::getBatch() const { return impl->batch; }
int64_t HybridModel::getTokensPerSample() const {
  const Graph &graph = impl->problem.getGraph();
  std::vector<bool> isData(graph.values.size());
  for (const GraphInput &input : graph.inputs)
    isData[input.value] = input.updateNode < 0;
  for (const GraphNode &node : graph.nodes) {
    const Kernel &kernel = node.whole;
    if (kernel.phase != Phase::Forward || kernel.kind != "gather")
      continue;
    constexpr size_t indices = 1; // behind the table
    int value = kernel.operands[indices];
    const std::vector<int64_t> &shape = graph.values[value].shape;
    if (isData[value] && shape.size() == 2 && shape[0] == impl->stepBatch)
      return shape[1];
  }
  return 0;
}
int HybridModel::getSegmentCount() const { return impl->segments.count; }
int HybridModel::getLayerCount() const { return impl->segments.layers; }
int HybridModel::getRepeatedLayerCount() const {
  return impl->segments.repeated;
}

double HybridModel::iterationFlops() {
  return impl->costsOf({})->flops * static_cast<double>(impl->batch);
}

double HybridModel::peakFlopsPerSecond() const {
  const Graph &graph = impl->problem.getGraph();
  double most = 0;
  std::string dtype = "f32";
  for (const GraphNode &node : graph.nodes) {
    Work work = kernelWork(graph, node.whole, node.whole.space.wholeBox());
    if (work.flops > most) {
      most = work.flops;
      dtype = work.elementBytes == 8   ? "f64"
              : work.elementBytes == 1 ? "f8"
              : work.elementBytes == 2 ? "bf16"
                                       : precisionName(work.precision);
    }
  }
  const Topology &topology = impl->problem.getTopology();
  double sum = 0;
  for (int device = 0; device < topology.deviceCount(); ++device) {
    const auto &rates = topology.typeOf(device).flopsPerSecond;
    auto it = rates.find(dtype);
    sum += it == rates.end() ? rates.at("f32") : it->second;
  }
  return sum / topology.deviceCount();
}

std::string HybridModel::check(const HybridShape &shape, bool mayIdle) const {
  auto number = [](int64_t n) { return std::to_string(n); };
  int devices = impl->topology.deviceCount();
  if (std::string why = checkExecutor(shape); !why.empty())
    return why;
  if (shape.groups < 1 || shape.data < 1 || shape.tensor < 1 ||
      shape.chunks < 1 || shape.samples < 1 || shape.context < 1 ||
      shape.experts < 1 || shape.zero < 0 || shape.zero > 3)
    return "expected at least one stage, replica, place, member, chunk, sample "
           "and part of experts, and ZeRO 0 to 3";
  int64_t used = int64_t(shape.groups) * shape.width();
  if (mayIdle ? used > devices : used != devices)
    return number(shape.groups) + " stages x data " + number(shape.data) +
           (shape.context > 1 ? " x context " + number(shape.context) : "") +
           " x tensor " + number(shape.tensor) +
           (mayIdle ? " are more than" : " are not") + " the topology's " +
           number(devices) + " devices";
  if (int64_t(shape.groups) * shape.chunks > impl->segments.count)
    return number(int64_t(shape.groups) * shape.chunks) +
           " stages for a model of " + number(impl->segments.count) +
           " segments";
  if (shape.tensor > impl->perMachine || impl->perMachine % shape.tensor != 0)
    return "tensor " + number(shape.tensor) +
           " does not divide the devices of a machine, " +
           number(impl->perMachine);
  if (shape.chunks > 1 && shape.groups == 1)
    return number(shape.chunks) + " chunks without pipeline stages";
  if (shape.data > impl->batch)
    return number(shape.data) + " replicas for a batch of " +
           number(impl->batch) + " samples";
  int64_t microbatches = microbatchesOf(shape, impl->batch);
  if (microbatches > impl->batch)
    return number(impl->batch) + " samples cannot be interleaved over " +
           number(shape.groups) + " groups of devices, expected at least " +
           number(microbatches) + " microbatches";
  if (int64_t most = maxSamples(shape, impl->batch, microbatches);
      most != shape.samples)
    return "samples " + number(shape.samples) + ": the batch of " +
           number(impl->batch) + " is " + number(microbatches) +
           " microbatches of at most " + number(most) +
           (most == 1 ? " sample" : " samples") + " on " + number(shape.data) +
           " replicas, expected samples " + number(most);
  if (shape.overlap && microbatches == 1)
    return "passes side by side: expected several microbatches, got one";
  if (microbatches > 1 && !impl->measured.empty())
    return number(microbatches) + " microbatches: '" + impl->measured +
           "' is the largest element of all samples, expected one microbatch, "
           "or scales of blocks (precision=mxfp8)";
  if (std::string why = checkContext(shape); !why.empty())
    return why;
  if (std::string why = checkExperts(shape); !why.empty())
    return why;
  if (shape.zero > 0 && shape.holders() == 1)
    return "ZeRO without replicas";
  if (shape.zero == 3 && !gathersWeights())
    return "ZeRO-3 of weights of which none has " + number(largeWeightBytes) +
           " bytes and is read in both passes: expected ZeRO-1, which is the "
           "same";
  if (shape.zero >= 2 && shape.groups > 1)
    return "ZeRO-" + number(shape.zero) +
           " would reduce gradients for every microbatch of every stage";
  return "";
}

/// The first part of a shape that the executor does not run.
std::string HybridModel::checkExecutor(const HybridShape &shape) const {
  const Executor &executor = impl->topology.executor;
  auto blocks = static_cast<int>(impl->segments.blocks.size());
  const std::pair<bool, std::string> parts[] = {
      {shape.groups > 1 && !executor.stages, "pipeline stages"},
      {!executor.anyCut && blocks > 0 &&
           !mayCutByBlocks(impl->segments, shape.groups * shape.chunks),
       std::to_string(shape.groups * shape.chunks) + " stages of " +
           std::to_string(blocks) + " blocks"},
      {shape.chunks > 1 && !executor.chunks, "interleaved stages"},
      {shape.tensor > 1 && !executor.tensor, "tensor parallelism"},
      {shape.tensor > 1 && shape.sequence && !executor.sequence,
       "tensor parallelism with 'sequence'"},
      {shape.tensor > 1 && !shape.sequence && !executor.noSequence,
       "tensor parallelism without 'sequence'"},
      {shape.context > 1 && !executor.context, "context parallelism"},
      {shape.context > 1 && shape.zigzag && !executor.zigzag,
       "context parallelism with 'zigzag'"},
      {shape.context > 1 && !shape.zigzag && !executor.contiguous,
       "context parallelism without 'zigzag'"},
      {shape.experts > 1 && !executor.experts, "expert parallelism"},
      {shape.overlap && !executor.overlap, "passes side by side"},
      // Plans of Soap with ZeRO-2 are priced, and have no strategy.
      {!executor.configs && shape.holders() > 1 &&
           std::ranges::find(executor.zero, shape.zero) == executor.zero.end(),
       "ZeRO-" + std::to_string(shape.zero)},
      {!executor.uneven && impl->batch % (shape.data * shape.samples) != 0,
       "replicas of different numbers of samples, here " +
           std::to_string(impl->batch) + " on " + std::to_string(shape.data) +
           " replicas of microbatches of " + std::to_string(shape.samples) +
           ","}};
  for (const auto &[isPart, text] : parts)
    if (isPart)
      return "the executor '" + executor.name + "' does not run " + text;
  return "";
}

std::string HybridModel::checkContext(const HybridShape &shape) const {
  auto number = [](int64_t n) { return std::to_string(n); };
  if (shape.context == 1)
    return shape.zigzag ? "zigzag without context" : "";
  const Expected<AttentionSequence> &sequence = impl->sequence;
  std::string text = "context " + number(shape.context);
  if (!sequence)
    return text + ": " + sequence.error();
  if (shape.zigzag)
    text += " with zigzag";
  int64_t parts = int64_t(shape.context) * (shape.zigzag ? 2 : 1);
  if (sequence->length % parts != 0)
    return text + ": the sequence has " + number(sequence->length) +
           " positions, expected a multiple of " + number(parts);
  if (shape.unit() % impl->perMachine != 0 &&
      impl->perMachine % shape.unit() != 0)
    return text + " x tensor " + number(shape.tensor) +
           " devices neither divide a machine of " + number(impl->perMachine) +
           " nor are several";
  if (shape.zero == 2)
    return text + " has no price with ZeRO-2, expected ZeRO 0, 1 or 3";
  return "";
}

std::string HybridModel::checkExperts(const HybridShape &shape) const {
  if (shape.experts == 1)
    return "";
  auto number = [](int64_t n) { return std::to_string(n); };
  std::string text = "experts " + number(shape.experts);
  if (impl->mixtureExperts == 0)
    return text + ": no op dispatches tokens to experts, expected a mixture of "
                  "experts";
  if (shape.context > 1)
    return text + " with context " + number(shape.context) +
           ": tokens of a sample find their experts together, expected "
           "context 1";
  if (shape.data % shape.experts != 0)
    return text + " does not divide the " + number(shape.data) + " replicas";
  if (impl->mixtureExperts % shape.expertUnit() != 0)
    return text +
           (shape.tensor > 1 ? " x tensor " + number(shape.tensor) : "") +
           " devices do not divide the experts of every layer, expected a "
           "divisor of " +
           number(impl->mixtureExperts);
  return "";
}

std::vector<int> HybridModel::expertDegrees(int data, int tensor) const {
  std::vector<int> result = {1};
  if (!impl->topology.executor.experts)
    return result;
  // Replicas that share experts fill a machine or several, or are a part of
  // one: links are used alike.
  for (int experts = 2; experts <= data; ++experts) {
    int devices = experts * tensor;
    bool isAligned =
        impl->perMachine % devices == 0 || devices % impl->perMachine == 0;
    if (data % experts == 0 && impl->mixtureExperts % devices == 0 &&
        impl->mixtureExperts > 0 && isAligned)
      result.push_back(experts);
  }
  return result;
}

std::vector<std::pair<int, bool>> HybridModel::contexts() const {
  // Shorter sequences fit; more parts are too short to hide their messages.
  constexpr int64_t longSequence = 16384, maxParts = 16;
  std::vector<std::pair<int, bool>> result = {{1, false}};
  if (!impl->sequence || impl->sequence->length < longSequence)
    return result;
  int64_t length = impl->sequence->length;
  for (int64_t places = 2; places <= maxParts; places *= 2)
    if (length % places == 0)
      result.emplace_back(
          static_cast<int>(places),
          impl->sequence->isCausal && impl->topology.executor.zigzag &&
              2 * places <= maxParts && length % (2 * places) == 0);
  return result;
}

bool HybridModel::gathersWeights() const {
  return !impl->segments.gathered.empty();
}

int64_t HybridModel::boundNs(const HybridShape &shape) {
  // A place does at least its part of what one place does of all positions.
  HybridShape whole = shape;
  whole.context = 1;
  whole.zigzag = false;
  const auto &found = impl->costsOf(whole);
  if (!found)
    return std::numeric_limits<int64_t>::max();
  int64_t sum = 0, largest = 0;
  for (const SegmentCost &cost : found->segments) {
    int64_t ns =
        (shape.overlap
             ? static_cast<int64_t>(Impl::busyOf(cost, Recompute::None))
             : passNs(cost, Recompute::None)) /
        shape.context;
    sum += ns;
    largest = std::max(largest, ns);
  }
  int64_t microbatches = microbatchesOf(shape, impl->batch);
  // The slowest group runs all microbatches; the others are passed once. With
  // chunks some of that is filled.
  int64_t slowest = std::max(largest, (sum + shape.groups - 1) / shape.groups);
  if (shape.chunks > 1)
    return std::max(slowest * microbatches, sum);
  return slowest * (microbatches - 1) + sum;
}

const ParallelizationProblem &HybridModel::getProblem() const {
  return impl->problem;
}
int64_t HybridModel::getMemoryBytes() const { return impl->memoryBytes; }
int64_t HybridModel::getStepBatch() const { return impl->stepBatch; }

HybridPlan HybridModel::price(const HybridShape &shape,
                              const Recompute *recompute, int64_t fitBytes) {
  const auto &found = impl->costsOf(shape);
  if (!found)
    return {};
  impl->fitBytes = fitBytes > 0 ? fitBytes : impl->memoryBytes;
  Recompute level = recompute ? *recompute : Recompute::None;
  int stages = shape.groups * shape.chunks;
  bool ofBlocks = stages > 1 && !impl->topology.executor.anyCut &&
                  !impl->segments.blocks.empty();
  if (ofBlocks && !mayCutByBlocks(impl->segments, stages))
    return {};
  HybridPlan plan =
      impl->price(shape, *found,
                  ofBlocks ? cutByBlocks(impl->segments, *found, stages, level)
                           : cutByTime(*found, stages, level),
                  recompute);
  if (shape.zero == 3 && shape.tensor > 1) {
    impl->waitsForMoves = false;
    plan.leastNs =
        impl->price(shape, *found, {plan.stages[0].firstSegment}, recompute)
            .makespanNs;
    impl->waitsForMoves = true;
  }
  if (shape.groups == 1 || shape.chunks > 1 || ofBlocks)
    return plan;
  // Stages that hold or recompute more are better shorter.
  bool isTight =
      plan.peakBytes > impl->fitBytes ||
      (!recompute && std::any_of(plan.stages.begin(), plan.stages.end(),
                                 [](const HybridStage &stage) {
                                   return stage.recompute != Recompute::None;
                                 }));
  std::vector<int> firsts =
      isTight ? impl->fitStages(shape, *found, plan.microbatches, recompute)
              : std::vector<int>();
  if (firsts.empty())
    return plan;
  HybridPlan other = impl->price(shape, *found, firsts, recompute);
  return isBetter(other, plan) ? other : plan;
}

HybridPlan HybridModel::Impl::price(const HybridShape &shape,
                                    const SegmentCosts &found,
                                    const std::vector<int> &firsts,
                                    const Recompute *recompute) {
  HybridPlan plan;
  plan.shape = shape;
  plan.microbatches = microbatchesOf(shape, batch);
  plan.isUneven = batch != plan.microbatches * shape.data * shape.samples;
  plan.groupBytes.assign(shape.groups, 0);
  auto count = static_cast<int>(firsts.size());
  GroupPasses passes =
      passesOfGroups(count, shape.groups, plan.microbatches, shape.overlap);
  for (int k = 0; k < count; ++k) {
    HybridStage &stage = plan.stages.emplace_back();
    stage.firstSegment = firsts[k];
    stage.segments =
        (k + 1 < count ? firsts[k + 1] : segments.count) - firsts[k];
  }
  for (int group = 0; group < shape.groups; ++group)
    for (Recompute level : levels) {
      if (!recompute && !mayRecompute(shape, level))
        continue;
      for (int s = group; s < count; s += shape.groups)
        plan.stages[s].recompute = recompute ? *recompute : level;
      addMemory(shape, found, group, passes[group], plan);
      if (recompute || plan.groupBytes[group] <= fitBytes)
        break;
    }
  std::vector<int64_t> sends;
  double busyNs = 0; // of the devices of all groups, one each
  for (int k = 0; k < count; ++k) {
    HybridStage &stage = plan.stages[k];
    Stretch stretch = stretchOf(shape, found, stage);
    double ofMicrobatchNs = 0;
    for (int s = stage.firstSegment; s < stage.firstSegment + stage.segments;
         ++s) {
      const SegmentCost &cost = found.segments[s];
      stage.forwardNs += stretch.forwardNs(cost);
      stage.backwardNs += stretch.backwardNs(cost, stage.recompute);
      int64_t accumulated =
          plan.microbatches > 1 ? accumulateNs(shape, cost) : 0;
      stage.backwardNs += accumulated;
      ofMicrobatchNs +=
          busyOf(cost, stage.recompute) + static_cast<double>(accumulated);
    }
    busyNs += static_cast<double>(plan.microbatches) * ofMicrobatchNs;
    if (shape.overlap && plan.microbatches > 1)
      overlapPasses(stage, ofMicrobatchNs);
    addSynchronization(shape, found, stage);
    sends.push_back(
        k == 0 ? 0
               : sendNs(shape, k,
                        found.segments[stage.firstSegment].boundaryBytes));
  }
  plan.peakBytes =
      *std::max_element(plan.groupBytes.begin(), plan.groupBytes.end());
  plan.excessBytes = std::max<int64_t>(plan.peakBytes - memoryBytes, 0);
  if (int64_t limit = topology.typeOf(0).hostMemoryBytes; limit > 0)
    plan.excessBytes += std::max<int64_t>(plan.hostBytes - limit, 0);
  std::vector<int64_t> ends =
      passEnds(passes, plan.stages, sends, plan.microbatches);
  for (int group = 0; group < shape.groups; ++group) {
    // Gradients of the first chunk are ready last.
    int64_t end = ends[group] + plan.stages[group].exposedNs;
    for (int s = group; s < count; s += shape.groups) {
      const HybridStage &stage = plan.stages[s];
      end += stage.updateNs;
      busyNs += static_cast<double>(stage.updateNs);
    }
    plan.makespanNs = std::max(plan.makespanNs, end);
  }
  plan.bubble = std::max(
      1 - busyNs / (static_cast<double>(plan.makespanNs) * shape.groups), 0.0);
  plan.pricedNs = plan.leastNs = plan.makespanNs;
  plan.pricedBytes = plan.peakBytes;
  return plan;
}

Expected<HybridPlacement>
HybridModel::place(const HybridPlan &plan, const std::vector<int> &forwardOf) {
  if (impl->batch != impl->stepBatch)
    return Error{"an iteration of " + std::to_string(impl->batch) +
                 " samples, expected the " + std::to_string(impl->stepBatch) +
                 " of the step"};
  return placeMicrobatch(plan, forwardOf);
}

Expected<HybridPlacement>
HybridModel::placeMicrobatch(const HybridPlan &plan,
                             const std::vector<int> &forwardOf) {
  const HybridShape &shape = plan.shape;
  if (shape.zero == 2)
    return Error{"ZeRO-2 has no strategy"};
  const auto &found = impl->costsOf(shape);
  if (!found)
    return Error{found.error()};
  return placeHybrid(impl->problem.getGraph(), impl->problem.getRoles(),
                     impl->segments, *found, plan, forwardOf);
}
