//===- BlockExplanation.cpp - What a block of a strategy does -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BlockExplanation.h.
//
//===----------------------------------------------------------------------===//

#include "BlockExplanation.h"

#include "Soap/Search/Report/Explain.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

using namespace mlir::soap;
using ::soap::Phase;

bool mlir::soap::isInBlock(llvm::StringRef op, llvm::StringRef block) {
  return op.consume_front(block) && (op.empty() || op.front() == '.');
}

static const char *phaseName(Phase phase) {
  switch (phase) {
  case Phase::Forward:
    return "forward";
  case Phase::Backward:
    return "backward";
  case Phase::Update:
    return "update";
  }
  return "";
}

namespace {

class BlockReader {
public:
  BlockReader(BlockExplanation &result, const ::soap::PlanState &plan,
              const ::soap::StageQuotient *quotient,
              const ::soap::PassOrder &order)
      : result(result), plan(plan), graph(plan.getGraph()), quotient(quotient),
        order(order),
        hasPasses(std::any_of(order.stages.begin(), order.stages.end(),
                              [](int stage) { return stage >= 0; })) {
    const ::soap::Topology &topology = plan.getCost().getTopology();
    machineOf.resize(topology.devices.size());
    std::vector<std::vector<int>> machines = topology.machines();
    for (size_t m = 0; m < machines.size(); ++m)
      for (int device : machines[m])
        machineOf[static_cast<size_t>(device)] = static_cast<int>(m);
  }

  void run() {
    findNodes();
    assert(!result.nodes.empty() && "there must be ops");
    addKernels();
    for (size_t v = 0; v < graph.values.size(); ++v)
      addValue(static_cast<int>(v));
    for (auto &[key, movement] : movements)
      result.movements.push_back(std::move(movement));
    std::stable_sort(result.movements.begin(), result.movements.end(),
                     [](const auto &a, const auto &b) {
                       return a.phase != b.phase ? a.phase < b.phase
                                                 : a.ns > b.ns;
                     });
    addParameters();
  }

private:
  BlockExplanation &result;
  const ::soap::PlanState &plan;
  const ::soap::Graph &graph;
  const ::soap::StageQuotient *quotient;
  const ::soap::PassOrder &order;
  bool hasPasses;
  std::vector<bool> isIn; ///< by node
  std::vector<int> machineOf;
  using Key = std::tuple<Phase, std::string, int, bool>;
  std::map<Key, BlockExplanation::Movement> movements;

  void findNodes() {
    isIn.resize(graph.nodes.size());
    std::set<int> devices;
    bool isFirst = true;
    for (size_t n = 0; n < isIn.size(); ++n) {
      const ::soap::Kernel &kernel = graph.nodes[n].whole;
      isIn[n] = isInBlock(kernel.name, result.name);
      if (!isIn[n])
        continue;
      result.nodes.push_back(static_cast<int>(n));
      if (kernel.phase == Phase::Forward &&
          !order.runsOnce(static_cast<int>(n)))
        result.stage = order.stages[n];
      for (int slot : plan.slotsOf(static_cast<int>(n)))
        for (int device : plan.kernelPlan(slot).devices) {
          devices.insert(device);
          result.device = isFirst ? device : std::min(result.device, device);
          isFirst = false;
        }
    }
    for (int replica = 0; replica < result.replicas; ++replica)
      for (int device : devices)
        result.devices.push_back(
            device + replica * (quotient ? quotient->getUnit() : 0));
    std::sort(result.devices.begin(), result.devices.end());
    // Passes of the stage that are begun and not done.
    int now = 0;
    for (const ::soap::PipelinePass &pass :
         order.order[static_cast<size_t>(result.device)])
      if (pass.stage == result.stage)
        result.inFlight =
            std::max(result.inFlight, now += pass.backward ? -1 : 1);
  }

  /// Whether an op computes the same for all samples.
  bool isShared(int node) const {
    return order.sampleLoops[static_cast<size_t>(node)] < 0 ||
           (hasPasses && order.runsOnce(node));
  }

  void addKernels() {
    for (int node : result.nodes)
      for (int slot : plan.slotsOf(node)) {
        const ::soap::KernelPlan &kernel = plan.kernelPlan(slot);
        for (size_t s = 0; s < kernel.devices.size(); ++s)
          if (kernel.states[s] != ::soap::ShardState::Absent &&
              kernel.devices[s] == result.device)
            result.computeNs[static_cast<size_t>(
                plan.getSlots()[slot].kernel->phase)] += kernel.durationNs[s];
      }
  }

  /// Bytes of a buffer of a value, by its reference.
  int64_t bytesOf(int value, int reference) const {
    const ::soap::ValuePlan &planned = plan.valuePlan(value);
    const ::soap::RegionTable &table = plan.regionsOf(value);
    if (reference >= planned.sources)
      return table.bytes(
          planned.actions[static_cast<size_t>(reference - planned.sources)]
              .region);
    if (!planned.tiles.empty()) {
      int region = planned.tiles[static_cast<size_t>(reference)].second;
      return region < 0 ? 0 : table.bytes(region);
    }
    for (auto [slot, number] : plan.producersOf(value)) {
      const ::soap::KernelPlan &kernel = plan.kernelPlan(slot);
      if (!kernel.active)
        continue;
      const ::soap::BlockSet &set =
          kernel.geometry->results[static_cast<size_t>(number)];
      int block =
          set.blockOf[static_cast<size_t>(reference) % set.blockOf.size()];
      return block < 0 ? 0
                       : table.bytes(set.regions[static_cast<size_t>(block)]);
    }
    return 0;
  }

  /// Buffers of a value that ops of some phases read on the device.
  template <typename Accept>
  std::set<int> referencesRead(int value, Accept accept) const {
    std::set<int> references;
    for (const ::soap::PlanState::Reader &reader : plan.readersOf(value)) {
      if (reader.slot < 0 || !accept(plan.getSlots()[reader.slot]))
        continue;
      const ::soap::KernelPlan &kernel = plan.kernelPlan(reader.slot);
      if (!kernel.active)
        continue;
      const std::vector<int> &binding =
          plan.bindingOf(reader.slot, reader.operand);
      for (size_t s = 0; s < binding.size(); ++s)
        if (binding[s] >= 0 && kernel.devices[s] == result.device)
          references.insert(binding[s]);
    }
    return references;
  }
  int64_t bytesOf(int value, const std::set<int> &references) const {
    int64_t bytes = 0;
    for (int reference : references)
      bytes += bytesOf(value, reference);
    return bytes;
  }

  /// Adds the buffers of a value on the device that values are made again of.
  void addKept(int value, int slot, std::set<int> &references) const {
    for (const ::soap::Restore &restore : graph.restores) {
      if (restore.of != value)
        continue;
      const ::soap::ValuePlan &planned = plan.valuePlan(restore.value);
      auto add = [&](int reference) {
        if (reference < 0 || reference >= planned.sources)
          return;
        int kept = plan.keptReference(restore.value, reference);
        if (plan.kernelPlan(slot).devices[static_cast<size_t>(kept)] ==
            result.device)
          references.insert(kept);
      };
      for (int input : planned.inputs)
        add(input);
      for (const std::vector<int> &binding : planned.bindings)
        for (int reference : binding)
          add(reference);
    }
  }

  void addValue(int value) {
    int slot = plan.producerOf(value);
    if (slot >= 0) {
      const ::soap::PlanState::Slot &producer = plan.getSlots()[slot];
      if (!isIn[static_cast<size_t>(producer.node)])
        return;
      addMovements(value, producer.kernel->phase);
      auto isOfPhase = [&](Phase phase) {
        return [phase](const ::soap::PlanState::Slot &reader) {
          return reader.kernel->phase == phase;
        };
      };
      if (producer.kernel->phase == Phase::Forward) {
        std::set<int> kept = referencesRead(value, isOfPhase(Phase::Backward));
        if (!order.runsOnce(producer.node))
          addKept(value, slot, kept);
        (isShared(producer.node) ? result.sharedBytes
                                 : result.activationBytes) +=
            bytesOf(value, kept);
      } else if (producer.kernel->phase == Phase::Backward) {
        result.gradientBytes +=
            bytesOf(value, referencesRead(value, isOfPhase(Phase::Update)));
      }
      return;
    }
    // A value that is made again belongs to its source.
    Phase phase = Phase::Forward;
    if (const ::soap::Restore *restore = plan.restoreOfValue(value)) {
      phase = Phase::Backward;
      if (int writer = plan.producerOf(restore->of); writer >= 0) {
        if (isIn[static_cast<size_t>(plan.getSlots()[writer].node)])
          addMovements(value, phase);
        return;
      }
    }
    // An input that the block alone reads.
    bool isOwn = !plan.readersOf(value).empty();
    for (const ::soap::PlanState::Reader &reader : plan.readersOf(value))
      isOwn &= reader.slot >= 0 &&
               isIn[static_cast<size_t>(plan.getSlots()[reader.slot].node)];
    if (isOwn)
      addMovements(value, phase);
  }

  void addMovements(int value, Phase phase) {
    const ::soap::ValuePlan &planned = plan.valuePlan(value);
    for (size_t t = 0; t < planned.tasks.size(); ++t) {
      const ::soap::PlannedTask &task = planned.tasks[t];
      assert(task.bytes >= 0 && task.durationNs >= 0 && "messages take time");
      if (task.resource >= 0)
        continue;
      std::vector<int> devices;
      std::string kind = "transfer";
      int64_t bytes = task.bytes;
      if (task.collective >= 0) {
        const ::soap::PlannedCollective &collective =
            planned.collectives[static_cast<size_t>(task.collective)];
        kind = ::soap::collectiveName(collective.kind);
        bytes = collective.bytes;
        devices = collective.devices;
        if (quotient)
          if (const std::vector<int> &all =
                  quotient->devicesOf(plan.blockOf(value), static_cast<int>(t));
              !all.empty())
            devices = all;
      } else {
        const ::soap::PlannedAction &action =
            planned.actions[static_cast<size_t>(task.firstAction)];
        devices = {action.source, action.device};
      }
      if (std::find(devices.begin(), devices.end(), result.device) ==
          devices.end())
        continue;
      std::set<int> machines;
      for (int device : devices)
        machines.insert(machineOf[static_cast<size_t>(device)]);
      BlockExplanation::Movement &movement = movements[{
          phase, kind, static_cast<int>(devices.size()), machines.size() > 1}];
      movement.phase = phase;
      movement.kind = kind;
      movement.devices = static_cast<int>(devices.size());
      movement.betweenMachines = machines.size() > 1;
      ++movement.count;
      movement.ns += task.durationNs;
      movement.bytes += bytes;
      const std::string &name = graph.values[static_cast<size_t>(value)].name;
      std::vector<std::string> &names = movement.values;
      if (std::find(names.begin(), names.end(), name) != names.end())
        continue;
      // The largest comes first.
      bool isLargest = bytes > movement.largestBytes;
      names.insert(isLargest ? names.begin() : names.end(), name);
      movement.largestBytes = std::max(movement.largestBytes, bytes);
    }
  }

  /// Parameters and states are inputs that updates replace.
  void addParameters() {
    for (const ::soap::GraphInput &input : graph.inputs)
      if (input.updateNode >= 0 && isIn[static_cast<size_t>(input.updateNode)])
        for (auto [device, region] : plan.valuePlan(input.value).tiles)
          if (device == result.device && region >= 0)
            result.parameterBytes += plan.regionsOf(input.value).bytes(region);
  }
};

} // namespace

BlockExplanation mlir::soap::explainBlock(const ::soap::PlanState &plan,
                                          const ::soap::StageQuotient *quotient,
                                          const ::soap::PassOrder &order,
                                          const std::string &block) {
  assert(order.microbatches > 0 && "at least one microbatch");
  assert(order.sampleLoops.size() == plan.getGraph().nodes.size() &&
         "an entry a node");
  BlockExplanation result;
  result.name = block;
  result.microbatches = order.microbatches;
  if (quotient)
    result.replicas = quotient->getReplicas();
  BlockReader(result, plan, quotient, order).run();
  result.activationBytes /= result.microbatches;
  return result;
}

static double milliseconds(int64_t ns) {
  return static_cast<double>(ns) * 1e-6;
}
static double mebibytes(int64_t bytes) {
  return static_cast<double>(bytes) / 1048576.0;
}

/// Ops of a direction that are split alike, by kind and config.
static std::vector<std::pair<std::string, std::vector<std::string>>>
configsOf(const BlockExplanation &explanation, const ::soap::Graph &graph,
          const ::soap::Strategy &strategy, Phase phase) {
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  for (int node : explanation.nodes) {
    const ::soap::Kernel &kernel = graph.nodes[static_cast<size_t>(node)].whole;
    if (kernel.phase != phase)
      continue;
    std::string text = ::soap::describeConfig(
        kernel.space, strategy[static_cast<size_t>(node)]);
    auto it = std::find_if(found.begin(), found.end(), [&](const auto &entry) {
      return entry.first == text;
    });
    if (it == found.end())
      it = found.insert(found.end(), {text, {}});
    llvm::StringRef name = kernel.name;
    name.consume_front(explanation.name + ".");
    it->second.push_back(name.str());
  }
  return found;
}

static std::string deviceRange(const BlockExplanation &explanation,
                               const ::soap::Topology &topology) {
  auto name = [&](int device) {
    return topology.devices[static_cast<size_t>(device)].name;
  };
  const std::vector<int> &devices = explanation.devices;
  return devices.size() == 1
             ? name(devices[0])
             : name(devices.front()) + " to " + name(devices.back());
}

void mlir::soap::printBlock(const BlockExplanation &explanation,
                            const ::soap::Graph &graph,
                            const ::soap::Strategy &strategy,
                            const ::soap::Topology &topology,
                            llvm::raw_ostream &stream) {
  auto microbatches = static_cast<double>(explanation.microbatches);
  stream << "block '" << explanation.name << "': " << explanation.nodes.size()
         << " ops on " << topology.name << ", "
         << deviceRange(explanation, topology);
  if (explanation.stage >= 0)
    stream << ", in stage " << explanation.stage;
  if (explanation.replicas > 1)
    stream << ", " << explanation.replicas << " replicas of "
           << explanation.devices.size() /
                  static_cast<size_t>(explanation.replicas)
           << " devices that do the same";
  stream << '\n';
  if (!explanation.unfolded.empty() && explanation.stage >= 0)
    stream << "  replicas may differ: " << explanation.unfolded << '\n';
  const std::string &device =
      topology.devices[static_cast<size_t>(explanation.device)].name;
  stream << "on " << device << ", in each of " << explanation.microbatches
         << (explanation.microbatches == 1 ? " microbatch" : " microbatches")
         << llvm::format(
                ": forward %.3f ms, backward %.3f ms; updates, once: %.3f ms\n",
                milliseconds(explanation.computeNs[0]) / microbatches,
                milliseconds(explanation.computeNs[1]) / microbatches,
                milliseconds(explanation.computeNs[2]));
  stream << llvm::format(
      "memory: parameters and states %.3f MiB, gradients %.3f MiB, copies that "
      "all microbatches share %.3f MiB, activations %.3f MiB a microbatch, of "
      "which %d are in flight: %.3f MiB\n",
      mebibytes(explanation.parameterBytes),
      mebibytes(explanation.gradientBytes), mebibytes(explanation.sharedBytes),
      mebibytes(explanation.activationBytes), explanation.inFlight,
      mebibytes(explanation.activationBytes) * explanation.inFlight);
  stream << (explanation.movements.empty()
                 ? "nothing is moved\n"
                 : "moved in an iteration, that the device takes part in:\n");
  for (const BlockExplanation::Movement &movement : explanation.movements) {
    stream << llvm::format(
                  "  %-9s %-14s %5lld x %4d devices%s %10.3f ms %12.3f "
                  "MiB  ",
                  phaseName(movement.phase), movement.kind.c_str(),
                  static_cast<long long>(movement.count), movement.devices,
                  movement.betweenMachines ? " between machines"
                                           : " of one machine  ",
                  milliseconds(movement.ns), mebibytes(movement.bytes))
           << movement.values.front();
    if (movement.values.size() > 1)
      stream << " and " << movement.values.size() - 1 << " more";
    stream << '\n';
  }
  for (Phase phase : {Phase::Forward, Phase::Backward, Phase::Update}) {
    auto configs = configsOf(explanation, graph, strategy, phase);
    if (configs.empty())
      continue;
    stream << phaseName(phase) << " ops, by config"
           << (explanation.microbatches > 1 && phase != Phase::Update
                   ? " for one microbatch:\n"
                   : ":\n");
    for (const auto &[config, names] : configs) {
      constexpr size_t shown = 6;
      stream << "  " << config << ": ";
      for (size_t i = 0; i < std::min(names.size(), shown); ++i)
        stream << (i ? ", " : "") << names[i];
      if (names.size() > shown)
        stream << " and " << names.size() - shown << " more";
      stream << '\n';
    }
  }
}

std::string mlir::soap::printBlockReport(const BlockExplanation &explanation,
                                         const ::soap::Graph &graph,
                                         const ::soap::Strategy &strategy,
                                         const ::soap::Topology &topology) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("block", explanation.name);
    json.attribute("topology", topology.name);
    json.attribute("stage", explanation.stage);
    json.attribute(
        "device",
        topology.devices[static_cast<size_t>(explanation.device)].name);
    json.attribute("devices", static_cast<int64_t>(explanation.devices.size()));
    json.attribute("replicas", explanation.replicas);
    json.attribute("microbatches", explanation.microbatches);
    json.attribute("in_flight", explanation.inFlight);
    for (Phase phase : {Phase::Forward, Phase::Backward, Phase::Update})
      json.attribute(std::string(phaseName(phase)) + "_ns",
                     explanation.computeNs[static_cast<size_t>(phase)]);
    json.attribute("parameter_bytes", explanation.parameterBytes);
    json.attribute("gradient_bytes", explanation.gradientBytes);
    json.attribute("shared_bytes", explanation.sharedBytes);
    json.attribute("activation_bytes", explanation.activationBytes);
    json.attributeArray("movements", [&] {
      for (const BlockExplanation::Movement &movement : explanation.movements)
        json.object([&] {
          json.attribute("pass", phaseName(movement.phase));
          json.attribute("kind", movement.kind);
          json.attribute("devices", movement.devices);
          json.attribute("between_machines", movement.betweenMachines);
          json.attribute("count", movement.count);
          json.attribute("ns", movement.ns);
          json.attribute("bytes", movement.bytes);
          json.attributeArray("values", [&] {
            for (const std::string &name : movement.values)
              json.value(name);
          });
        });
    });
    json.attributeArray("ops", [&] {
      for (int node : explanation.nodes)
        json.object([&] {
          auto n = static_cast<size_t>(node);
          const ::soap::Kernel &kernel = graph.nodes[n].whole;
          json.attribute("name", kernel.name);
          json.attribute("kind", kernel.kind);
          json.attribute("pass", phaseName(kernel.phase));
          json.attribute("config",
                         ::soap::describeConfig(kernel.space, strategy[n]));
        });
    });
  });
  stream << '\n';
  return text;
}
