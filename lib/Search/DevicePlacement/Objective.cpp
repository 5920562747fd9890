//===- Objective.cpp - What a placement is to minimize --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads from computation and communication.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/Objective.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_set>

using namespace soap;
using namespace soap::placement;

MaybeError Objective::check() const {
  if (replication &&
      !(std::isfinite(allReduceBytesPerTime) && allReduceBytesPerTime > 0))
    return Error{"expected a positive bandwidth of all-reduces where stages "
                 "are replicated, got " +
                 std::to_string(allReduceBytesPerTime)};
  if (acceleratorsPerHost < 0)
    return Error{"expected a number of accelerators per host that is not "
                 "negative, got " +
                 std::to_string(acceleratorsPerHost)};
  if (!(insideHostFactor >= 0 && insideHostFactor <= 1))
    return Error{"expected a factor of transfers inside a host from 0 to 1, "
                 "got " +
                 std::to_string(insideHostFactor)};
  if (replication && hasHosts())
    return Error{"replicated stages and hosts exclude each other"};
  return std::nullopt;
}

StageLoad StageCosts::load(const Objective &objective) const {
  auto combine = [&](double compute, double transfer) {
    return objective.overlap == Overlap::Full ? std::max(compute, transfer)
                                              : compute + transfer;
  };
  if (objective.schedule == Schedule::GPipe)
    return {combine(forwardCompute, forwardTransfer),
            combine(backwardCompute, backwardTransfer)};
  return {combine(forwardCompute + backwardCompute,
                  forwardTransfer + backwardTransfer),
          0};
}

StageLoad placement::replicatedLoad(StageLoad load, const Objective &objective,
                                    double trainedBytes, int replicas) {
  assert(replicas > 0 && "at least one accelerator");
  if (replicas == 1)
    return load;
  assert(objective.allReduceBytesPerTime > 0 &&
         "the objective must have passed check");
  load.forward /= replicas;
  load.backward /= replicas;
  double allReduce = 2.0 * (replicas - 1) / replicas * trainedBytes /
                     objective.allReduceBytesPerTime;
  (objective.schedule == Schedule::GPipe ? load.backward : load.forward) +=
      allReduce;
  return load;
}

std::vector<double> placement::trainedBytesOfNodes(const Problem &problem) {
  std::unordered_set<int64_t> trained;
  for (const Node &node : problem.nodes)
    if (node.backward && node.colorClass)
      trained.insert(*node.colorClass);
  std::vector<double> bytes(problem.nodes.size());
  if (trained.empty())
    return bytes;
  for (size_t i = 0; i < bytes.size(); ++i)
    if (const Node &node = problem.nodes[i];
        node.colorClass && trained.count(*node.colorClass))
      bytes[i] = node.gradientBytes.value_or(node.memoryBytes);
  return bytes;
}

std::vector<double>
placement::trainedBytesOfDevices(const Problem &problem,
                                 const std::vector<int> &deviceOf) {
  assert(deviceOf.size() == problem.nodes.size() && "a device a node");
  std::vector<double> ofNodes = trainedBytesOfNodes(problem);
  std::vector<double> bytes(problem.deviceCount());
  for (size_t i = 0; i < ofNodes.size(); ++i)
    bytes[deviceOf[i]] += ofNodes[i];
  return bytes;
}
