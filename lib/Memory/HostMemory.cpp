//===- HostMemory.cpp - State of the optimizer beside devices -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostMemory.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Memory/HostMemory.h"

#include <algorithm>
#include <cassert>

using namespace soap;

/// Operands of `sgd` and `adam` that are states: behind weight and gradient.
static constexpr int firstState = 2;

static const char expectedState[] =
    "expected the velocity of 'soap.sgd' or a moment of 'soap.adam'";

static bool isState(const Graph &graph, const GraphInput &input) {
  if (input.updateNode < 0 || input.updateOperand < firstState)
    return false;
  const std::string &kind =
      graph.nodes[static_cast<size_t>(input.updateNode)].whole.kind;
  return kind == "sgd" || kind == "adam";
}

static int newValueOf(const Graph &graph, const GraphInput &input) {
  return graph.nodes[static_cast<size_t>(input.updateNode)]
      .whole.results[static_cast<size_t>(input.updateResult)];
}

std::vector<int> soap::optimizerStates(const Graph &graph) {
  std::vector<int> states;
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (isState(graph, graph.inputs[i]))
      states.push_back(static_cast<int>(i));
  return states;
}

MaybeError soap::checkInHost(const Graph &graph, int number) {
  assert(number >= 0 && static_cast<size_t>(number) < graph.inputs.size() &&
         "no such input");
  const GraphInput &input = graph.inputs[static_cast<size_t>(number)];
  if (input.updateNode < 0)
    return Error{std::string("no op replaces it, ") + expectedState};
  if (!isState(graph, input)) {
    const Kernel &kernel =
        graph.nodes[static_cast<size_t>(input.updateNode)].whole;
    bool isWeight = kernel.kind == "sgd" || kernel.kind == "adam";
    return Error{(isWeight ? "it is the weight of '" : "it is replaced by '") +
                 kernel.name + "', " + expectedState};
  }
  // Whatever else reads it would read it over the link, at no price.
  int newValue = newValueOf(graph, input);
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (size_t o = 0; o < graph.nodes[n].whole.operands.size(); ++o) {
      int value = graph.nodes[n].whole.operands[o];
      bool isOwn = static_cast<int>(n) == input.updateNode &&
                   static_cast<int>(o) == input.updateOperand;
      if ((value == input.value && !isOwn) || value == newValue)
        return Error{"'" + graph.nodes[n].whole.name +
                     "' reads it, too, expected a state that only its update "
                     "reads"};
    }
  for (const GraphOutput &output : graph.outputs)
    if (output.value == input.value || output.value == newValue)
      return Error{"it is the result '" + output.name +
                   "', too, expected a state that only its update reads"};
  return std::nullopt;
}

void soap::putInHost(Graph &graph, int number) {
  assert(!checkInHost(graph, number) && "it must have passed checkInHost");
  const GraphInput &input = graph.inputs[static_cast<size_t>(number)];
  graph.values[static_cast<size_t>(input.value)].inHost = true;
  graph.values[static_cast<size_t>(newValueOf(graph, input))].inHost = true;
}

MaybeError soap::putOptimizerInHost(Graph &graph) {
  std::vector<int> states = optimizerStates(graph);
  if (states.empty())
    return Error{"the optimizer has no state that could be in the memory of "
                 "the host, expected sgd with momentum, adam or adamw"};
  for (int input : states)
    if (MaybeError error = checkInHost(graph, input))
      return Error{
          "'" +
          graph.values[static_cast<size_t>(graph.inputs[input].value)].name +
          "' cannot be in the memory of the host: " + error->message};
  for (int input : states)
    putInHost(graph, input);
  return std::nullopt;
}

MaybeError soap::checkHostValues(const Graph &graph) {
  std::vector<bool> isExpected(graph.values.size());
  for (int number : optimizerStates(graph)) {
    const GraphInput &input = graph.inputs[static_cast<size_t>(number)];
    auto value = static_cast<size_t>(input.value),
         newValue = static_cast<size_t>(newValueOf(graph, input));
    isExpected[value] = isExpected[newValue] = graph.values[value].inHost &&
                                               graph.values[newValue].inHost &&
                                               !checkInHost(graph, number);
  }
  for (size_t v = 0; v < graph.values.size(); ++v)
    if (graph.values[v].inHost && !isExpected[v])
      return Error{"value '" + graph.values[v].name +
                   "' is in the memory of the host, " + expectedState +
                   ", with its new value"};
  return std::nullopt;
}

MaybeError soap::resolveHostMemory(Graph &graph, const Topology &topology) {
  if (std::none_of(graph.values.begin(), graph.values.end(),
                   [](const GraphValue &value) { return value.inHost; }))
    return std::nullopt;
  const DeviceType *linked = nullptr, *own = nullptr;
  for (const Device &device : topology.devices) {
    const DeviceType &type =
        topology.deviceTypes[static_cast<size_t>(device.type)];
    if (type.hostBandwidthBytesPerSecond > 0)
      linked = &type;
    else if (type.copiesOccupyReceiver)
      own = &type;
    else
      return Error{"device type '" + type.name + "' of topology '" +
                   topology.name +
                   "' has no link to the memory of its host, expected "
                   "'host_bandwidth_bytes_per_s'"};
  }
  if (linked && own)
    return Error{"topology '" + topology.name +
                 "' has devices beside a host ('" + linked->name +
                 "') and devices that share its memory ('" + own->name +
                 "'), expected one kind"};
  if (own)
    for (GraphValue &value : graph.values)
      value.inHost = false;
  return std::nullopt;
}

std::vector<int64_t> soap::hostBytes(const PlanState &plan) {
  const Graph &graph = plan.getGraph();
  std::vector<int64_t> bytes(plan.getCost().getTopology().devices.size());
  for (size_t v = 0; v < graph.values.size(); ++v) {
    if (!graph.values[v].inHost)
      continue;
    int value = static_cast<int>(v);
    for (auto [device, region] : plan.valuePlan(value).tiles)
      if (region >= 0)
        bytes[static_cast<size_t>(device)] +=
            plan.regionsOf(value).volume(region) * graph.values[v].elementBytes;
  }
  return bytes;
}

std::vector<int64_t> soap::hostBytes(const Graph &graph, const Plan &plan,
                                     int deviceCount) {
  std::vector<int64_t> bytes(static_cast<size_t>(deviceCount));
  for (const Buffer &buffer : plan.buffers)
    if (const GraphValue &value =
            graph.values[static_cast<size_t>(buffer.value)];
        value.inHost && buffer.action < 0)
      bytes[static_cast<size_t>(buffer.device)] +=
          buffer.region.volume() * value.elementBytes;
  return bytes;
}

std::string soap::describeHostLack(const Topology &topology,
                                   const std::vector<int64_t> &bytes) {
  assert(bytes.size() == topology.devices.size() && "bytes of each device");
  for (const std::vector<int> &machine : topology.machines()) {
    int64_t needed = 0, limit = 0;
    bool isLimited = true;
    for (int device : machine) {
      int64_t own = topology.typeOf(device).hostMemoryBytes;
      isLimited &= own > 0;
      limit += own;
      needed += bytes[static_cast<size_t>(device)];
    }
    if (isLimited && needed > limit)
      return std::to_string(needed) +
             " bytes in the memory of the host of "
             "device \"" +
             topology.devices[static_cast<size_t>(machine.front())].name +
             "\", which has " + std::to_string(limit);
  }
  return {};
}
