//===- PipelineStages.cpp - Virtual devices of a pipeline -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Section 5.2 of the paper: a device whose nodes are not contiguous becomes
// several virtual devices that can be ordered.
//
//===----------------------------------------------------------------------===//

#include "Search/DevicePlacement/Rows.h"
#include "Soap/Search/DevicePlacement/Solution.h"

using namespace soap;
using namespace soap::placement;

namespace {

std::vector<std::pair<int, int>> edgePairs(const Problem &problem) {
  std::vector<std::pair<int, int>> pairs;
  pairs.reserve(problem.edges.size());
  for (const Edge &edge : problem.edges)
    pairs.emplace_back(edge.source, edge.target);
  return pairs;
}

/// Computes nodes as they get ready, on one device as long as it has any, then
/// on the device with the most ready ones.
class StageBuilder {
public:
  StageBuilder(const Problem &problem, const Placement &placement, bool apart)
      : problem(problem), placement(placement), apart(apart),
        successors(problem.nodes.size(), edgePairs(problem)),
        waiting(problem.nodes.size()), ready(problem.deviceCount()) {
    for (size_t i = 0; i < waiting.size(); ++i)
      for (int to : successors[i])
        ++waiting[to];
  }

  std::vector<PipelineStage> build() {
    for (size_t i = 0; i < waiting.size(); ++i)
      if (waiting[i] == 0)
        makeReady(static_cast<int>(i));
    std::vector<PipelineStage> stages;
    addStages(stages);
    // No forward node waits for a backward one.
    for (int node : std::exchange(held, {}))
      ready[placement.deviceOf[node]].push_back(node);
    apart = false;
    addStages(stages);
    return stages;
  }

private:
  const Problem &problem;
  const Placement &placement;
  bool apart; ///< backward nodes are held until all forward nodes are computed
  Rows successors;
  std::vector<int> waiting;
  std::vector<std::vector<int>> ready; ///< per device
  std::vector<int> held;

  void addStages(std::vector<PipelineStage> &stages) {
    for (int device = next(); device >= 0; device = next()) {
      PipelineStage stage{device, {}};
      while (!ready[device].empty()) {
        int node = ready[device].back();
        ready[device].pop_back();
        stage.nodes.push_back(node);
        for (int successor : successors[node])
          if (--waiting[successor] == 0)
            makeReady(successor);
      }
      stages.push_back(std::move(stage));
    }
  }

  void makeReady(int node) {
    if (apart && problem.nodes[node].backward)
      held.push_back(node);
    else
      ready[placement.deviceOf[node]].push_back(node);
  }

  int next() const {
    int best = -1;
    for (int device = 0; device < problem.deviceCount(); ++device)
      if (!ready[device].empty() &&
          (best < 0 || ready[device].size() > ready[best].size()))
        best = device;
    return best;
  }
};

} // namespace

std::vector<PipelineStage> placement::pipelineStages(const Problem &problem,
                                                     const Placement &placement,
                                                     bool apart) {
  return StageBuilder(problem, placement, apart).build();
}

MaybeError placement::verifyPipeline(const Problem &problem,
                                     const Placement &placement,
                                     const std::vector<PipelineStage> &stages) {
  std::vector<int> stageOf(problem.nodes.size(), -1);
  for (size_t s = 0; s < stages.size(); ++s)
    for (int node : stages[s].nodes) {
      std::string where = "stage " + std::to_string(s) + ": node " +
                          std::to_string(problem.nodes[node].id);
      if (stageOf[node] >= 0)
        return Error{where + ": expected it in one stage, it is in stage " +
                     std::to_string(stageOf[node]) + ", too"};
      if (placement.deviceOf[node] != stages[s].device)
        return Error{where + ": expected a node of device " +
                     std::to_string(stages[s].device) + ", it is on device " +
                     std::to_string(placement.deviceOf[node])};
      stageOf[node] = static_cast<int>(s);
    }
  for (size_t i = 0; i < stageOf.size(); ++i)
    if (stageOf[i] < 0)
      return Error{"node " + std::to_string(problem.nodes[i].id) +
                   ": expected it in a stage of the pipeline, got none"};
  for (const Edge &edge : problem.edges)
    if (stageOf[edge.source] > stageOf[edge.target])
      return Error{"expected stages in an order that edges allow, but node " +
                   std::to_string(problem.nodes[edge.source].id) +
                   " of stage " + std::to_string(stageOf[edge.source]) +
                   " is read by node " +
                   std::to_string(problem.nodes[edge.target].id) +
                   " of stage " + std::to_string(stageOf[edge.target])};
  return std::nullopt;
}
