//===- HybridSimulator.cpp - Simulated hybrid plans -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HybridSimulator.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Hierarchical/HybridSimulator.h"

#include "MicrobatchGraph.h"
#include "Model/Writers.h"
#include "SegmentCosts.h"
#include "Soap/Memory/HostMemory.h"
#include "Soap/Mesh/Symmetry/PlannedPasses.h"
#include "Soap/Model/Reuse.h"
#include "Soap/Pipeline/StagePasses.h"
#include "Soap/Search/Problem/PricedStrategy.h"
#include "Soap/Search/Problem/SomeDevices.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

using namespace soap;

namespace {

/// A timeline of some microbatches.
struct MicrobatchTimes {
  int64_t makespanNs = 0;
  std::vector<int64_t> groupBytes;
  /// Time in which devices compute, mean of all, in ns.
  double busyNs = 0;
  int64_t tasks = 0;
};

/// The step with the decisions of a plan.
struct PlannedStep {
  RewrittenGraph rewritten;
  Strategy strategy;
  std::vector<std::vector<Role>> roles;
  StepFacts facts;
  std::vector<int> firsts; ///< by stage
  std::vector<std::vector<int>> devices;
};

class PlanSimulator {
public:
  PlanSimulator(HybridModel &model, StepFacts facts, const Topology &topology)
      : model(model), problem(model.getProblem()), facts(std::move(facts)),
        whole(topology), topology(topology),
        pass(problem.getGraph(), this->facts.hasEffects) {}

  Expected<HybridSimulation> operator()(const HybridPlan &plan,
                                        const SecondsLeft &secondsLeft) {
    left = &secondsLeft;
    // Devices that the plan leaves idle are not looked at.
    int used = plan.shape.groups * plan.shape.width();
    if (used != topology.deviceCount())
      topology = used == whole.deviceCount()
                     ? whole
                     : firstDevices(whole, used, /*limitBytes=*/-1);
    Expected<PlannedStep> step = rewrite(plan);
    if (!step)
      return step.takeError();
    return simulate(plan, *step);
  }

private:
  HybridModel &model;
  const ParallelizationProblem &problem;
  StepFacts facts;
  const Topology &whole;
  Topology topology; ///< of the devices that the plan uses
  ForwardPass pass;
  const SecondsLeft *left = nullptr; ///< of the plan that is simulated

  bool isOver() const { return (*left)() <= 0; }

  Expected<PlannedStep> rewrite(const HybridPlan &plan) {
    Expected<HybridPlacement> placement =
        model.placeMicrobatch(plan, facts.forwardOf);
    if (!placement)
      return placement.takeError();
    Expected<RewrittenGraph> rewritten =
        withRecomputation(pass, pass.findRecomputable(placement->isRecomputed),
                          placement->keeps, facts.isClone);
    if (!rewritten)
      return rewritten.takeError();
    if (auto error = resolveHostMemory(rewritten->graph, topology))
      return *error;
    PlannedStep step;
    step.strategy = rewritten->configs(placement->strategy);
    step.roles = rewritten->roles(problem.getGraph(), problem.getRoles());
    step.facts = rewritten->facts(facts);
    if (topology.executor.regathers && plan.shape.tensor > 1)
      delayGathers(rewritten->graph, step.strategy, step.roles);
    for (int first : placement->firsts)
      step.firsts.push_back(rewritten->numberOf[static_cast<size_t>(first)]);
    step.devices = std::move(placement->devices);
    step.rewritten = std::move(*rewritten);
    return step;
  }

  /// Bytes of a tile of the first piece.
  static int64_t tileBytes(const GraphValue &value, const AccessMap &map,
                           const IterationSpace &space, const Config &config) {
    LoopBox box = space.wholeBox();
    for (size_t l = 0; l < box.size(); ++l)
      box[l] = cut(space.loops[l].extent, config.degrees[l], 0);
    return image(map, box, value.shape).volume() * value.elementBytes;
  }

  /// Products of the backward pass, and views for them, that read larger tiles
  /// of a value than the forward pass has written have them once the op before
  /// them is done (Executor::regathers).
  static void delayGathers(Graph &graph, const Strategy &strategy,
                           const std::vector<std::vector<Role>> &roles) {
    std::vector<int> writers = writersOf(graph);
    struct Gather {
      int trigger = -1;
      std::vector<int> readers;
    };
    std::map<int, Gather> gathers; // by value
    int before = -1; // a value of samples that the op before has written
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const Kernel &reader = graph.nodes[n].whole;
      if (reader.phase != Phase::Backward)
        continue;
      for (size_t o = 0; o < reader.operands.size() && before >= 0; ++o) {
        int value = reader.operands[o];
        int from = writers[static_cast<size_t>(value)];
        if (from < 0 || !mayRegather(reader) ||
            graph.nodes[static_cast<size_t>(from)].whole.phase !=
                Phase::Forward)
          continue;
        const Kernel &writer = graph.nodes[static_cast<size_t>(from)].whole;
        auto result = static_cast<size_t>(
            std::ranges::find(writer.results, value) - writer.results.begin());
        const GraphValue &of = graph.values[static_cast<size_t>(value)];
        if (tileBytes(of, writer.space.results[result].map, writer.space,
                      strategy[static_cast<size_t>(from)]) >=
            tileBytes(of, reader.space.operands[o].map, reader.space,
                      strategy[n]))
          continue;
        Gather &gather = gathers[value];
        if (gather.trigger < 0)
          gather.trigger = before;
        gather.readers.push_back(static_cast<int>(n));
      }
      if (std::ranges::find(roles[n], Role::Sample) != roles[n].end())
        before = reader.results.front();
    }
    for (const auto &[value, gather] : gathers)
      delayReaders(graph, value, gather.trigger, gather.readers);
  }

  /// Of long iterations a few microbatches are simulated: with twice and three
  /// times as many as groups of devices, the pipeline is full, and from then on
  /// each more takes as long.
  Expected<HybridSimulation> simulate(const HybridPlan &plan,
                                      const PlannedStep &step) {
    int64_t groups = plan.shape.groups, all = plan.microbatches;
    int64_t few = std::max<int64_t>(2 * groups, 3),
            more = few + std::max<int64_t>(groups, 2);
    int64_t pieces =
        static_cast<int64_t>(step.strategy.size()) * plan.shape.expertUnit();
    bool isLong = all > 2 * more && static_cast<double>(pieces * all) >
                                        piecesIn(PlanForm::Compact);
    // Replicas that differ are simulated one by one, if they are not too many.
    int64_t full = plan.shape.data * plan.shape.samples;
    HybridSimulation result;
    result.isFull = plan.isUneven &&
                    (isLong || static_cast<double>(pieces / plan.shape.experts *
                                                   plan.shape.data * all) >
                                   piecesIn(PlanForm::Written));
    auto last = timesOf(plan, step, isLong ? more : all,
                        isLong          ? more * full
                        : result.isFull ? all * full
                                        : model.getBatch());
    if (!last)
      return last.takeError();
    result.microbatches = isLong ? more : all;
    result.makespanNs = last->makespanNs;
    result.tasks = last->tasks;
    result.groupBytes = std::move(last->groupBytes);
    double busyNs = last->busyNs;
    if (isLong) {
      auto before = timesOf(plan, step, few, few * full);
      if (!before)
        return before.takeError();
      double steps =
          static_cast<double>(all - more) / static_cast<double>(more - few);
      result.makespanNs += std::llround(
          steps * static_cast<double>(last->makespanNs - before->makespanNs));
      busyNs += steps * (last->busyNs - before->busyNs);
      // Data of more samples is there from the start. What else grows is what
      // a pipeline that fills up holds, and does not go on to.
      int64_t ofData = dataBytes(plan.shape) * (all - more);
      for (size_t g = 0; g < result.groupBytes.size(); ++g) {
        auto grown = std::llround(
            steps * static_cast<double>(std::max<int64_t>(
                        result.groupBytes[g] - before->groupBytes[g], 0)));
        result.groupBytes[g] += std::min<int64_t>(grown, ofData);
      }
    }
    result.bubble = 1 - busyNs / static_cast<double>(result.makespanNs);
    return result;
  }

  /// Bytes of the data of a microbatch that a device may hold.
  int64_t dataBytes(const HybridShape &shape) const {
    const Graph &graph = problem.getGraph();
    std::vector<bool> hasSamples = valuesOfSamples(graph, problem.getRoles());
    int64_t bytes = 0;
    for (const GraphInput &input : graph.inputs)
      if (input.updateNode < 0 && hasSamples[static_cast<size_t>(input.value)])
        bytes += graph.values[static_cast<size_t>(input.value)].bytes();
    return bytes / model.getStepBatch() * shape.samples;
  }

  Expected<MicrobatchTimes> timesOf(const HybridPlan &plan,
                                    const PlannedStep &step,
                                    int64_t microbatches, int64_t samples) {
    Graph graph = step.rewritten.graph;
    if (MaybeError error =
            scaleSamples(graph, step.roles, model.getStepBatch(), samples))
      return *error;
    Expected<PassOrder> order = passesOfStages(
        graph, step.strategy, step.roles, step.facts, step.firsts, step.devices,
        microbatches,
        plan.shape.overlap ? PipelineSchedule::Overlapped
                           : PipelineSchedule::OneForwardOneBackward,
        topology.deviceCount());
    if (!order)
      return order.takeError();
    int64_t pieces = countPieces(step.strategy, *order);
    auto mayBe = [&](PlanForm form) { // of all devices
      return pieces <= maxPieces(form) &&
             static_cast<double>(pieces) <= piecesIn(form, (*left)());
    };
    auto planned = PlannedPasses::make(graph, step.strategy, *order, topology,
                                       /*foldOnly=*/!mayBe(PlanForm::Compact),
                                       [this] { return isOver(); });
    if (planned)
      return summarize(plan, (*planned)->getTimeline());
    if (isOver() || !mayBe(PlanForm::Written))
      return Error{planned.error() + " (all devices have " +
                   std::to_string(pieces) + " pieces)"};
    Expected<Plan> whole = buildPipelinePlan(graph, step.strategy, *order,
                                             topology, /*mayAdd=*/nullptr);
    if (!whole)
      return whole.takeError();
    return summarize(plan, graph,
                     pricePlan(graph, std::move(*whole), CostModel(topology),
                               /*names=*/false));
  }

  static void addBytes(const HybridPlan &plan,
                       const std::vector<int64_t> &bytes,
                       MicrobatchTimes &result) {
    result.groupBytes.assign(static_cast<size_t>(plan.shape.groups), 0);
    auto width = static_cast<size_t>(plan.shape.width());
    for (size_t d = 0; d < width * result.groupBytes.size(); ++d) {
      int64_t &most = result.groupBytes[d / width];
      most = std::max(most, bytes[d]);
    }
  }

  MicrobatchTimes summarize(const HybridPlan &plan, const Graph &graph,
                            const PricedStrategy &priced) const {
    MicrobatchTimes result;
    int devices = topology.deviceCount();
    result.makespanNs = priced.tasks.makespanNs;
    result.tasks = static_cast<int64_t>(priced.tasks.tasks.size());
    addBytes(plan, priced.peakBytes(graph, priced.schedule(), devices), result);
    std::vector<int64_t> busyNs(static_cast<size_t>(devices));
    for (const Task &task : priced.tasks.tasks)
      for (int resource : task.resources)
        if (resource < devices)
          busyNs[static_cast<size_t>(resource)] += task.endNs - task.startNs;
    for (int64_t ns : busyNs)
      result.busyNs += static_cast<double>(ns) / static_cast<double>(devices);
    return result;
  }

  MicrobatchTimes summarize(const HybridPlan &plan,
                            const PassTimeline &timeline) const {
    MicrobatchTimes result;
    result.makespanNs = timeline.getMakespanNs();
    result.tasks = timeline.getTaskCount();
    addBytes(plan, timeline.peakBytes(), result);
    // Devices of other replicas are not simulated.
    std::vector<bool> computes(topology.devices.size());
    for (const PassSpan &span : timeline.getPasses())
      computes[static_cast<size_t>(span.device)] = true;
    double busy = 0, devices = 0;
    for (size_t d = 0; d < computes.size(); ++d)
      if (computes[d]) {
        busy += static_cast<double>(timeline.busyNs()[d]);
        ++devices;
      }
    result.busyNs = devices > 0 ? busy / devices : 0;
    return result;
  }
};

} // namespace

HybridSimulator soap::simulatorOf(HybridModel &model, StepFacts facts,
                                  const Topology &topology) {
  return [simulator = std::make_shared<PlanSimulator>(model, std::move(facts),
                                                      topology)](
             const HybridPlan &plan, const SecondsLeft &secondsLeft) {
    return (*simulator)(plan, secondsLeft);
  };
}

SecondsLeft soap::secondsLeftOf(double limit, double passed) {
  using Clock = std::chrono::steady_clock;
  return [limit, passed, begin = Clock::now()] {
    std::chrono::duration<double> since = Clock::now() - begin;
    return limit > 0 ? limit - passed - since.count()
                     : std::numeric_limits<double>::infinity();
  };
}
