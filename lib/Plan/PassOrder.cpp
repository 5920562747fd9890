//===- PassOrder.cpp - Microbatches in a plan -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of each pass on a device the last kernels are those that no other kernel of
// the pass on the device reads, directly or through messages and sums; the
// first are those that read none. The first of a pass wait for the last of the
// pass before, so inside of a pass kernels start as they get ready. Where
// receivers copy messages, one of another pass comes right before the kernel
// that reads it, and sums of what a pass has computed are among its last tasks.
// Recomputed ops wait for the gradient of their microbatch that their first
// reader needs; where another stage computes it, they are first.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/PassOrder.h"

#include "OneByOne.h"
#include "PassReads.h"
#include "Soap/Plan/CollectiveGroup.h"
#include "Soap/Plan/StrategyPlan.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <set>
#include <tuple>

using namespace soap;

int soap::sampleLoopOf(const IterationSpace &space,
                       const std::vector<Role> &roles) {
  int found = -1;
  for (size_t l = 0; l < space.loops.size(); ++l) {
    if (roles[l] != Role::Sample || space.loops[l].type == IteratorType::Serial)
      continue;
    if (space.loops[l].extent > 1)
      return static_cast<int>(l);
    if (found < 0)
      found = static_cast<int>(l);
  }
  return found;
}

std::vector<int> soap::stagesOfNodes(const Graph &graph,
                                     const std::vector<int> &forwardOf,
                                     const std::vector<int> &firsts) {
  std::vector<int> stages, stageOfValue(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    int owner = forwardOf[n] >= 0 ? forwardOf[n] : static_cast<int>(n);
    int stage = static_cast<int>(firsts.size()) - 1;
    if (graph.nodes[owner].whole.phase == Phase::Forward)
      stage = static_cast<int>(
                  std::upper_bound(firsts.begin(), firsts.end(), owner) -
                  firsts.begin()) -
              1;
    else
      for (int value : kernel.operands)
        if (stageOfValue[value] >= 0)
          stage = std::min(stage, stageOfValue[value]);
    for (int value : kernel.results)
      stageOfValue[value] = stage;
    stages.push_back(stage);
  }
  return stages;
}

Strategy soap::cutIntoMicrobatches(const Strategy &strategy,
                                   const PassOrder &passes) {
  assert(!strategy.empty() && "no configs");
  Strategy result = strategy;
  for (size_t n = 0; n < strategy.size(); ++n) {
    if (passes.runsOnce(static_cast<int>(n)))
      continue;
    const Config &one = strategy[n];
    Config &all = result[n];
    auto loop = static_cast<size_t>(passes.sampleLoops[n]);
    all.degrees[loop] *= passes.microbatches;
    // Pieces are row-major: those outside of the loop, its own, those inside.
    int64_t inside = 1;
    for (size_t l = loop + 1; l < one.degrees.size(); ++l)
      inside *= one.degrees[l];
    int64_t run = one.degrees[loop] * inside;
    all.devices.clear();
    all.devices.reserve(one.devices.size() *
                        static_cast<size_t>(passes.microbatches));
    for (size_t first = 0; first < one.devices.size();
         first += static_cast<size_t>(run))
      for (int64_t m = 0; m < passes.microbatches; ++m)
        all.devices.insert(all.devices.end(),
                           one.devices.begin() + static_cast<ptrdiff_t>(first),
                           one.devices.begin() + static_cast<ptrdiff_t>(first) +
                               run);
  }
  return result;
}

/// The loop of a kernel that is cut into microbatches, -1: none.
static int cutLoopOf(const Graph &graph, const PassOrder &passes,
                     const Action &action) {
  if (action.node < 0 || passes.runsOnce(action.node))
    return -1;
  int loop = passes.sampleLoops[static_cast<size_t>(action.node)];
  if (action.stage < 0)
    return loop;
  const std::vector<int> &whole = kernelOf(graph, action).wholeLoops;
  auto it = std::find(whole.begin(), whole.end(), loop);
  return it == whole.end() ? -1 : static_cast<int>(it - whole.begin());
}

std::optional<PipelinePass> soap::passOf(const Graph &graph,
                                         const PassOrder &passes,
                                         const Action &action) {
  int found = cutLoopOf(graph, passes, action);
  if (found < 0)
    return std::nullopt;
  auto loop = static_cast<size_t>(found);
  const Kernel &kernel = kernelOf(graph, action);
  // The last piece that begins at or before the box.
  int64_t extent = kernel.space.loops[loop].extent;
  int64_t microbatch =
      extent > 0
          ? ((action.box[loop].lo + 1) * passes.microbatches - 1) / extent
          : 0;
  return PipelinePass{passes.stages[static_cast<size_t>(action.node)],
                      std::min(microbatch, passes.microbatches - 1),
                      kernel.phase == Phase::Backward};
}

namespace {

class PassWaits {
public:
  PassWaits(const Graph &graph, const PassOrder &passes,
            const Topology &topology, Plan &plan)
      : graph(graph), passes(passes), topology(topology), plan(plan),
        tasks(plan.taskStart.size() - 1) {}

  MaybeError run() {
    if (MaybeError error = findPasses())
      return error;
    findPlaces();
    delayRecomputed();
    delayGathers();
    placeMovements();
    std::vector<std::pair<int, int>> waits = listWaits();
    waits.insert(waits.end(), plan.waits.begin(), plan.waits.end());
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    if (MaybeError error = checkOrder(waits))
      return error;
    plan.waits = std::move(waits);
    return std::nullopt;
  }

private:
  const Graph &graph;
  const PassOrder &passes;
  const Topology &topology;
  Plan &plan;

  struct TaskInfo {
    std::optional<PipelinePass> pass;
    int node = -1, device = -1;
    std::string kernel; ///< name
    bool isFirst = true, isLast = true;
    /// A kernel that adds up over the loop that is cut: its result has no
    /// samples.
    bool isSum = false;
    std::vector<int> preds; ///< tasks
    /// Kernels of passes that it reads, directly or through messages and sums.
    std::vector<int> reads;
    /// A kernel that runs once, behind passes, that it depends on; -1: none.
    int joined = -1;
  };
  std::vector<TaskInfo> tasks;
  /// Of recomputed ops: the gradients that they wait for, and the movements of
  /// what they read that wait for the beginning of a pass.
  std::vector<std::pair<int, int>> delays;
  struct Opening {
    int device;
    PipelinePass pass;
    int task;
  };
  std::vector<Opening> openings;
  /// By device: the place of each pass in its order.
  std::vector<std::map<PipelinePass, size_t>> places;

  std::string describe(int task) const {
    const TaskInfo &info = tasks[static_cast<size_t>(task)];
    std::string text = "'" + info.kernel + "'";
    if (info.pass)
      text += " of microbatch " + std::to_string(info.pass->microbatch);
    return text;
  }

  MaybeError findPasses() {
    for (const Action &action : plan.actions) {
      TaskInfo &info = tasks[static_cast<size_t>(action.task)];
      if (action.node >= 0) {
        info.node = action.node;
        info.device = action.device;
        info.kernel = kernelOf(graph, action).name;
        info.pass = passOf(graph, passes, action);
        if (info.pass)
          info.isSum =
              kernelOf(graph, action)
                  .space
                  .loops[static_cast<size_t>(cutLoopOf(graph, passes, action))]
                  .type == IteratorType::Reduction;
      }
      for (int input : action.inputs)
        if (input >= 0 && plan.buffers[static_cast<size_t>(input)].action >= 0)
          if (int pred =
                  plan
                      .actions[static_cast<size_t>(
                          plan.buffers[static_cast<size_t>(input)].action)]
                      .task;
              pred != action.task)
            info.preds.push_back(pred);
    }
    for (size_t t = 0; t < tasks.size(); ++t)
      if (MaybeError error = lookAt(static_cast<int>(t)))
        return error;
    return std::nullopt;
  }

  /// Tasks are numbered in the order of dependencies.
  MaybeError lookAt(int task) {
    TaskInfo &info = tasks[static_cast<size_t>(task)];
    std::vector<int> &reads = info.reads;
    for (int pred : info.preds) {
      const TaskInfo &other = tasks[static_cast<size_t>(pred)];
      if (other.joined >= 0)
        info.joined = other.joined;
      if (other.pass)
        reads.push_back(pred);
      else if (other.node < 0)
        reads.insert(reads.end(), other.reads.begin(), other.reads.end());
    }
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    if (info.node < 0)
      return std::nullopt;
    if (!info.pass) {
      if (info.joined < 0 && !reads.empty())
        info.joined = task;
      return std::nullopt;
    }
    if (info.joined >= 0)
      return Error{describe(task) + " waits for " + describe(info.joined) +
                   ", which needs all samples of the batch at once: it cannot "
                   "run in microbatches"};
    // Where rows do not divide evenly, a piece of a sum over them may have some
    // of the next microbatch: it is part of that one's pass.
    if (info.isSum)
      for (int read : reads)
        info.pass->microbatch =
            std::max(info.pass->microbatch,
                     tasks[static_cast<size_t>(read)].pass->microbatch);
    for (int read : reads) {
      TaskInfo &other = tasks[static_cast<size_t>(read)];
      if (other.pass->microbatch != info.pass->microbatch && !info.isSum)
        return Error{
            describe(task) + " reads " + describe(read) + ": " +
            describeCrossing(
                graph.nodes[static_cast<size_t>(info.node)].whole.kind)};
      if (other.device == info.device && *other.pass == *info.pass) {
        info.isFirst = false;
        other.isLast = false;
      }
    }
    return std::nullopt;
  }

  /// Tasks of a kernel, by node, device and microbatch.
  using Computed = std::map<std::tuple<int, int, int64_t>, std::vector<int>>;

  /// Has a task of a backward pass wait for nodes of that pass on a device.
  /// Whether there are some.
  bool waitFor(const std::vector<int> &triggers, const Computed &computed,
               int device, const PipelinePass &pass, int task) {
    bool found = false;
    for (int node : triggers) {
      auto it = computed.find({node, device, pass.microbatch});
      if (it == computed.end() ||
          passes.stages[static_cast<size_t>(node)] != pass.stage)
        continue;
      found = true;
      for (int before : it->second)
        delays.emplace_back(before, task);
    }
    return found;
  }

  /// Recomputed ops run when the backward pass of their microbatch gets there,
  /// and what they read is made again then.
  void delayRecomputed() {
    std::vector<std::vector<int>> triggers = triggersOfNodes(graph);
    std::vector<bool> isTrigger(graph.nodes.size());
    for (const std::vector<int> &of : triggers)
      for (int node : of)
        isTrigger[static_cast<size_t>(node)] = true;
    Computed computed;
    for (size_t t = 0; t < tasks.size(); ++t)
      if (const TaskInfo &info = tasks[t];
          info.pass && isTrigger[static_cast<size_t>(info.node)])
        computed[{info.node, info.device, info.pass->microbatch}].push_back(
            static_cast<int>(t));
    if (computed.empty())
      return;
    for (size_t t = 0; t < tasks.size(); ++t)
      if (TaskInfo &info = tasks[t];
          info.pass &&
          waitFor(triggers[static_cast<size_t>(info.node)], computed,
                  info.device, *info.pass, static_cast<int>(t)))
        info.isFirst = false;
    delayMovements(computed);
  }

  /// Tasks that make values again from what the forward pass has kept.
  void delayMovements(const Computed &computed) {
    std::map<int, const Restore *> restored; // by value
    std::vector<int> writers(graph.values.size(), -1);
    for (const Restore &restore : graph.restores)
      if (restore.delaysReaders)
        restored[restore.value] = &restore;
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : graph.nodes[n].whole.results)
        writers[static_cast<size_t>(value)] = static_cast<int>(n);
    std::map<int, const PlanCollective *> collectives; // by task
    for (const PlanCollective &collective : plan.collectives)
      collectives[collective.task] = &collective;
    // By task: the devices that it starts from.
    std::map<int, std::pair<const Restore *, std::set<int>>> moving;
    for (const Action &action : plan.actions) {
      if (action.node >= 0)
        continue;
      auto it = restored.find(
          plan.buffers[static_cast<size_t>(action.outputs[0])].value);
      if (it == restored.end())
        continue;
      for (int input : action.inputs) {
        const Buffer &buffer = plan.buffers[static_cast<size_t>(input)];
        if (buffer.value != it->second->of)
          continue;
        auto &[restore, devices] = moving[action.task];
        restore = it->second;
        devices.insert(buffer.device);
      }
    }
    for (auto &[task, move] : moving) {
      auto &[restore, devices] = move;
      if (auto it = collectives.find(task); it != collectives.end())
        devices.insert(it->second->devices.begin(), it->second->devices.end());
      const std::vector<int> &reads = tasks[static_cast<size_t>(task)].reads;
      if (reads.empty())
        continue;
      PipelinePass pass = *tasks[static_cast<size_t>(reads.front())].pass;
      pass.backward = true;
      std::vector<int> triggers = {
          writers[static_cast<size_t>(restore->trigger)]};
      for (int device : devices)
        if (!waitFor(triggers, computed, device, pass, task))
          openings.push_back({device, pass, task});
    }
  }

  void findPlaces() {
    places.resize(passes.order.size());
    for (size_t device = 0; device < places.size(); ++device)
      for (size_t i = 0; i < passes.order[device].size(); ++i)
        places[device][passes.order[device][i]] = i;
  }

  /// A movement of a value between kernels of passes.
  struct Movement {
    int device = -1; ///< where it goes, -1: to several
    ActionKind kind = ActionKind::Transfer;
    /// The receiver is busy while it lasts.
    bool isCopied = false;
    /// The first pass there that it is for, and the first node that reads it.
    std::optional<PipelinePass> reader;
    int node = -1;
  };

  /// Where receivers copy messages: what is on the way between passes has the
  /// same place in the program for all microbatches, whenever it arrives.
  void placeMovements() {
    std::vector<Movement> movements = findMovements();
    delayMessages(movements);
    closePasses(movements);
  }

  std::vector<Movement> findMovements() const {
    std::vector<Movement> movements(tasks.size());
    for (const Action &action : plan.actions)
      if (action.node < 0) {
        Movement &movement = movements[static_cast<size_t>(action.task)];
        movement.device = action.device;
        movement.kind = action.kind;
        movement.isCopied = action.kind == ActionKind::Transfer &&
                            action.sourceDevice != action.device &&
                            topology.typeOf(action.device).copiesOccupyReceiver;
      }
    for (const PlanCollective &collective : plan.collectives)
      movements[static_cast<size_t>(collective.task)] = {};
    // Readers are behind what they read.
    for (size_t t = tasks.size(); t-- > 0;) {
      const TaskInfo &info = tasks[t];
      const std::optional<PipelinePass> &pass =
          info.node < 0 ? movements[t].reader : info.pass;
      if (!pass)
        continue;
      int node = info.node < 0 ? movements[t].node : info.node;
      for (int pred : info.preds) {
        Movement &before = movements[static_cast<size_t>(pred)];
        if (before.device < 0)
          continue;
        const auto &own = places[static_cast<size_t>(before.device)];
        auto place = own.find(*pass);
        if (place == own.end())
          continue;
        auto isBefore = [&](const std::optional<PipelinePass> &other) {
          return !other || place->second < own.at(*other);
        };
        if (isBefore(before.reader)) {
          before.reader = pass;
          before.node = node;
        } else if (*before.reader == *pass) {
          before.node = std::min(before.node, node);
        }
      }
    }
    return movements;
  }

  /// A message of another pass that a device copies waits for the begin of the
  /// pass that reads it, and for kernels of the pass that come before all
  /// readers of this message and of later ones: they do not wait behind it.
  void delayMessages(const std::vector<Movement> &movements) {
    // By device and pass: first node that reads it, task.
    std::map<std::pair<int, PipelinePass>, std::vector<std::pair<int, int>>>
        messages;
    for (size_t t = 0; t < tasks.size(); ++t) {
      const Movement &message = movements[t];
      if (message.isCopied && message.reader &&
          std::any_of(tasks[t].reads.begin(), tasks[t].reads.end(),
                      [&](int read) {
                        return *tasks[static_cast<size_t>(read)].pass !=
                               *message.reader;
                      }))
        messages[{message.device, *message.reader}].emplace_back(
            message.node, static_cast<int>(t));
    }
    if (messages.empty())
      return;
    std::map<std::pair<int, PipelinePass>, std::vector<int>> kernels;
    std::vector<bool> isDelayed = findDelayed();
    for (size_t t = 0; t < tasks.size(); ++t)
      if (const TaskInfo &info = tasks[t]; info.pass && !isDelayed[t])
        if (std::pair key(info.device, *info.pass); messages.contains(key))
          kernels[key].push_back(static_cast<int>(t));
    std::vector<int> followers = findFollowers();
    for (auto &[key, list] : messages) {
      for (size_t i = list.size() - 1; i-- > 0;)
        list[i].first = std::min(list[i].first, list[i + 1].first);
      for (auto [node, task] : list) {
        openings.push_back({key.first, key.second, task});
        for (int kernel : kernels[key]) {
          int follower = followers[static_cast<size_t>(kernel)];
          if (tasks[static_cast<size_t>(kernel)].node < node &&
              (follower < 0 ||
               tasks[static_cast<size_t>(follower)].node >= node))
            delays.emplace_back(kernel, task);
        }
      }
    }
  }

  /// Tasks that wait for others of which they read nothing, and their readers.
  std::vector<bool> findDelayed() const {
    std::vector<bool> isDelayed(tasks.size());
    for (auto [before, task] : delays)
      isDelayed[static_cast<size_t>(task)] = true;
    for (const Opening &opening : openings)
      isDelayed[static_cast<size_t>(opening.task)] = true;
    for (size_t t = 0; t < tasks.size(); ++t)
      for (int pred : tasks[t].preds)
        if (isDelayed[static_cast<size_t>(pred)])
          isDelayed[t] = true;
    return isDelayed;
  }

  /// The sums that a device makes of the results of a pass end the pass there.
  void closePasses(const std::vector<Movement> &movements) {
    std::vector<bool> isLocal(tasks.size()); // sums of what the device has
    for (size_t t = 0; t < tasks.size(); ++t) {
      const Movement &sum = movements[t];
      const TaskInfo &info = tasks[t];
      if (info.node >= 0 || sum.device < 0 || info.reads.empty() ||
          sum.kind != ActionKind::Combine ||
          !topology.typeOf(sum.device).copiesOccupyReceiver)
        continue;
      const auto &own = places[static_cast<size_t>(sum.device)];
      const std::pair<const PipelinePass, size_t> *pass = nullptr;
      isLocal[t] =
          std::all_of(info.preds.begin(), info.preds.end(), [&](int pred) {
            const TaskInfo &other = tasks[static_cast<size_t>(pred)];
            if (!other.pass || other.device != sum.device)
              return bool(isLocal[static_cast<size_t>(pred)]);
            auto it = own.find(*other.pass);
            if (it != own.end() && (!pass || pass->second < it->second))
              pass = &*it;
            return it != own.end();
          });
      if (!isLocal[t] || !pass)
        continue;
      closedBy[{sum.device, pass->first}].push_back(static_cast<int>(t));
      for (int pred : info.preds)
        if (TaskInfo &other = tasks[static_cast<size_t>(pred)];
            other.pass && *other.pass == pass->first)
          other.isLast = false;
    }
  }
  /// By device and pass: sums that end it.
  std::map<std::pair<int, PipelinePass>, std::vector<int>> closedBy;

  /// A weight that a device gathers for a pass.
  struct Gather {
    size_t place; ///< of the pass in the order of the device
    int node;     ///< the first one that reads it, and its kernels
    std::set<int> readers;
    /// The tasks that bring it, and the ones among them that read what the
    /// update has left.
    std::set<int> movements, starts;
    int64_t bytes = 0;
  };

  /// Weights that passes gather for themselves come in the order in which they
  /// are read, no earlier than memory for two of the largest allows: each waits
  /// until the first reader of one before is done, and what that has written
  /// has been read, since kernels wait for sums on their way and for gathers
  /// only later.
  void delayGathers() {
    std::vector<bool> isWeight(graph.values.size());
    bool any = false;
    for (const Restore &restore : graph.restores)
      if (!restore.delaysReaders) {
        any = true;
        isWeight[static_cast<size_t>(restore.of)] = true;
        isWeight[static_cast<size_t>(restore.value)] = true;
      }
    if (!any)
      return;
    // By task that moves a weight: the value, and the kernels that it is for.
    struct Movement {
      int value = -1;
      std::vector<int> kernels;
      std::map<int, int64_t> bytes; ///< by device that gets some
      bool reads = false;           ///< what the update has left
    };
    std::map<int, Movement> movements;
    for (const Action &action : plan.actions) {
      const Buffer &output =
          plan.buffers[static_cast<size_t>(action.outputs[0])];
      if (action.node >= 0 || !isWeight[static_cast<size_t>(output.value)])
        continue;
      Movement &movement = movements[action.task];
      movement.value = output.value;
      movement.bytes[action.device] +=
          output.region.volume() *
          graph.values[static_cast<size_t>(output.value)].elementBytes;
      for (int input : action.inputs)
        if (int from = plan.buffers[static_cast<size_t>(input)].action;
            from < 0 || plan.actions[static_cast<size_t>(from)].node >= 0)
          movement.reads = true;
    }
    // Readers are behind what they read.
    for (size_t t = tasks.size(); t-- > 0;) {
      const TaskInfo &info = tasks[t];
      auto own = movements.find(static_cast<int>(t));
      if (own == movements.end() && !info.pass)
        continue;
      for (int pred : info.preds)
        if (auto it = movements.find(pred); it != movements.end()) {
          std::vector<int> &kernels = it->second.kernels;
          if (own == movements.end())
            kernels.push_back(static_cast<int>(t));
          else
            kernels.insert(kernels.end(), own->second.kernels.begin(),
                           own->second.kernels.end());
        }
    }
    // By device, then pass and value.
    std::map<int, std::map<std::pair<size_t, int>, Gather>> gathers;
    for (const auto &[task, movement] : movements) {
      // One that several passes share comes for the first of them: passes of
      // other devices could wait for each other in a circle.
      bool isShared = std::any_of(
          movement.kernels.begin(), movement.kernels.end(), [&](int kernel) {
            return *tasks[static_cast<size_t>(kernel)].pass !=
                   *tasks[static_cast<size_t>(movement.kernels[0])].pass;
          });
      for (int kernel : movement.kernels) {
        const TaskInfo &info = tasks[static_cast<size_t>(kernel)];
        auto bytes = movement.bytes.find(info.device);
        if (bytes == movement.bytes.end())
          continue;
        size_t place = places[static_cast<size_t>(info.device)][*info.pass];
        auto [it, isNew] =
            gathers[info.device].try_emplace({place, movement.value});
        Gather &gather = it->second;
        if (isNew || info.node < gather.node) {
          gather.place = place;
          gather.node = info.node;
          gather.readers.clear();
        }
        if (info.node == gather.node)
          gather.readers.insert(kernel);
        if (gather.movements.insert(task).second)
          gather.bytes += bytes->second;
        if (movement.reads && !isShared)
          gather.starts.insert(task);
      }
    }
    std::vector<int> followers = findFollowers();
    for (auto &[device, ofDevice] : gathers)
      delayGathers(ofDevice, followers);
  }

  /// By kernel task, the first kernel of its pass and device that reads what it
  /// writes; -1: none.
  std::vector<int> findFollowers() const {
    std::vector<int> followers(tasks.size(), -1);
    for (size_t t = 0; t < tasks.size(); ++t) {
      const TaskInfo &info = tasks[t];
      if (!info.pass)
        continue;
      for (int read : info.reads) {
        const TaskInfo &other = tasks[static_cast<size_t>(read)];
        int &follower = followers[static_cast<size_t>(read)];
        if (other.device == info.device && *other.pass == *info.pass &&
            (follower < 0 ||
             info.node < tasks[static_cast<size_t>(follower)].node))
          follower = static_cast<int>(t);
      }
    }
    return followers;
  }

  void delayGathers(const std::map<std::pair<size_t, int>, Gather> &ofDevice,
                    const std::vector<int> &followers) {
    std::vector<const Gather *> order;
    int64_t largest = 0;
    for (const auto &[key, gather] : ofDevice) {
      order.push_back(&gather);
      largest = std::max(largest, gather.bytes);
    }
    std::sort(order.begin(), order.end(), [](const Gather *a, const Gather *b) {
      return std::pair(a->place, a->node) < std::pair(b->place, b->node);
    });
    int64_t held = 0;
    for (size_t i = 0, first = 0; i < order.size(); ++i) {
      held += order[i]->bytes;
      for (; held > 2 * largest; ++first)
        held -= order[first]->bytes;
      // One kernel may read several.
      if (first == 0 || (order[first - 1]->place == order[i]->place &&
                         order[first - 1]->node == order[i]->node))
        continue;
      for (int reader : order[first - 1]->readers) {
        // The gather runs beside the kernel that reads the weight before: only
        // what comes before that one can be waited for.
        int follower = followers[static_cast<size_t>(reader)];
        const Gather &beside = *order[i - 1];
        bool isBefore =
            follower >= 0 &&
            (order[first - 1]->place < beside.place ||
             tasks[static_cast<size_t>(follower)].node < beside.node);
        for (int start : order[i]->starts)
          delays.emplace_back(isBefore ? follower : reader, start);
      }
    }
  }

  std::vector<std::pair<int, int>> listWaits() const {
    struct Ends {
      std::vector<int> first, last;
    };
    std::map<std::pair<int, PipelinePass>, Ends> ends;
    for (size_t t = 0; t < tasks.size(); ++t) {
      const TaskInfo &info = tasks[t];
      if (!info.pass)
        continue;
      Ends &found = ends[{info.device, *info.pass}];
      if (info.isFirst)
        found.first.push_back(static_cast<int>(t));
      if (info.isLast)
        found.last.push_back(static_cast<int>(t));
    }
    for (const Opening &opening : openings)
      ends[{opening.device, opening.pass}].first.push_back(opening.task);
    for (const auto &[pass, sums] : closedBy) {
      std::vector<int> &last = ends[pass].last;
      last.insert(last.end(), sums.begin(), sums.end());
    }
    std::vector<std::pair<int, int>> waits = delays;
    for (size_t device = 0; device < passes.order.size(); ++device) {
      const Ends *before = nullptr;
      for (const PipelinePass &pass : passes.order[device]) {
        auto it = ends.find({static_cast<int>(device), pass});
        if (it == ends.end())
          continue;
        if (before)
          for (int last : before->last)
            for (int first : it->second.first)
              waits.emplace_back(last, first);
        before = &it->second;
      }
    }
    return waits;
  }

  /// Whether some order of all tasks obeys dependencies and waits.
  MaybeError checkOrder(const std::vector<std::pair<int, int>> &waits) const {
    std::vector<int> missing(tasks.size());
    std::vector<std::vector<int>> next(tasks.size());
    auto add = [&](int before, int task) {
      next[static_cast<size_t>(before)].push_back(task);
      ++missing[static_cast<size_t>(task)];
    };
    for (size_t t = 0; t < tasks.size(); ++t)
      for (int pred : tasks[t].preds)
        add(pred, static_cast<int>(t));
    for (auto [before, task] : waits)
      add(before, task);
    std::vector<int> ready;
    for (size_t t = 0; t < tasks.size(); ++t)
      if (missing[t] == 0)
        ready.push_back(static_cast<int>(t));
    size_t done = 0;
    while (!ready.empty()) {
      int task = ready.back();
      ready.pop_back();
      ++done;
      for (int other : next[static_cast<size_t>(task)])
        if (--missing[static_cast<size_t>(other)] == 0)
          ready.push_back(other);
    }
    if (done == tasks.size())
      return std::nullopt;
    std::string text;
    for (size_t t = 0, listed = 0; t < tasks.size() && listed < 2; ++t)
      if (missing[t] > 0 && tasks[t].pass) {
        text += (listed++ ? " and " : "") + describe(static_cast<int>(t));
      }
    return Error{"the passes of the stages wait for each other in a circle, "
                 "with " +
                 text +
                 " in it: forward values have to go to later stages, and "
                 "gradients to earlier ones"};
  }
};

} // namespace

MaybeError soap::orderPasses(const Graph &graph, const PassOrder &passes,
                             const Topology &topology, Plan &plan) {
  return PassWaits(graph, passes, topology, plan).run();
}

int64_t soap::countPieces(const Strategy &strategy, const PassOrder &passes) {
  int64_t pieces = 0;
  for (size_t n = 0; n < strategy.size(); ++n)
    pieces += static_cast<int64_t>(strategy[n].devices.size()) *
              (passes.runsOnce(static_cast<int>(n)) ? 1 : passes.microbatches);
  return pieces;
}

Expected<Plan> soap::buildPipelinePlan(const Graph &graph,
                                       const Strategy &strategy,
                                       const PassOrder &passes,
                                       const Topology &topology,
                                       const std::function<bool(int)> *mayAdd) {
  if (int64_t pieces = countPieces(strategy, passes); pieces > maxWrittenPieces)
    return Error{std::to_string(passes.microbatches) +
                 " microbatches of all ops are " + std::to_string(pieces) +
                 " pieces, expected at most " +
                 std::to_string(maxWrittenPieces) +
                 ": fewer microbatches or devices; '--soap-plan-hybrid' "
                 "prices larger plans"};
  OneByOneScope scope;
  CostModel cost(topology);
  Graph ofPasses = graphOfPasses(graph, passes);
  StrategyPlan state(ofPasses, cost);
  state.setRounds(roundsOfPasses(ofPasses, passes));
  state.set(cutIntoMicrobatches(strategy, passes));
  Plan plan = mayAdd ? buildProgramPlan(state, *mayAdd) : buildPlan(state);
  if (MaybeError error = orderPasses(graph, passes, topology, plan))
    return *error;
  return plan;
}
