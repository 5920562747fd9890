//===- PassReads.cpp - What the passes of a pipeline read again -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PassReads.h.
//
//===----------------------------------------------------------------------===//

#include "PassReads.h"

#include "Model/Writers.h"
#include "Soap/Model/ZeRO.h"

#include <algorithm>

using namespace soap;

/// By value, the nodes that read it, ascending.
static std::vector<std::vector<int>> readersOf(const Graph &graph) {
  std::vector<std::vector<int>> readers(graph.values.size());
  auto add = [&](const Kernel &kernel, int node) {
    for (int value : kernel.operands)
      if (std::vector<int> &list = readers[static_cast<size_t>(value)];
          list.empty() || list.back() != node)
        list.push_back(node);
  };
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    add(graph.nodes[n].whole, static_cast<int>(n));
    for (const Kernel &stage : graph.nodes[n].stages)
      add(stage, static_cast<int>(n));
  }
  return readers;
}

static void redirect(GraphNode &node, int from, int to) {
  auto replace = [&](Kernel &kernel) {
    std::replace(kernel.operands.begin(), kernel.operands.end(), from, to);
  };
  replace(node.whole);
  std::for_each(node.stages.begin(), node.stages.end(), replace);
}

Graph soap::graphOfPasses(const Graph &graph, const PassOrder &passes) {
  Graph result = graph;
  std::vector<int> writers = writersOf(graph);
  std::vector<std::vector<int>> readers = readersOf(graph);
  std::erase_if(result.restores, [&](const Restore &restore) {
    if (!restore.delaysReaders)
      return false;
    int writer = writers[static_cast<size_t>(restore.of)];
    bool isRead = false;
    for (int n : readers[static_cast<size_t>(restore.value)]) {
      if (writer >= 0 && !passes.runsOnce(writer) &&
          passes.stages[static_cast<size_t>(writer)] ==
              passes.stages[static_cast<size_t>(n)])
        isRead = true;
      else
        redirect(result.nodes[static_cast<size_t>(n)], restore.value,
                 restore.of);
    }
    return !isRead;
  });
  // Weights that are gathered anew: for recomputed ops, too.
  readers = readersOf(result);
  for (const Restore &restore : result.restores)
    if (!restore.delaysReaders)
      for (int n : readers[static_cast<size_t>(restore.of)])
        if (GraphNode &node = result.nodes[static_cast<size_t>(n)];
            node.whole.phase == Phase::Backward)
          redirect(node, restore.of, restore.value);
  return result;
}

PlanRounds soap::roundsOfPasses(const Graph &graph, const PassOrder &passes) {
  PlanRounds rounds;
  rounds.count = passes.microbatches;
  rounds.oneByOne = true;
  std::vector<bool> moves(graph.values.size());
  bool any = false;
  for (const Restore &restore : graph.restores)
    if (!restore.delaysReaders) {
      any = true;
      moves[static_cast<size_t>(restore.of)] = true;
      moves[static_cast<size_t>(restore.value)] = true;
    }
  if (!any)
    return rounds;
  for (const GatheredWeight &weight : gatheredWeights(graph))
    if (moves[static_cast<size_t>(weight.value)])
      for (int gradient : weight.gradients)
        moves[static_cast<size_t>(gradient)] = true;
  rounds.moves = std::move(moves);
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    rounds.loops.push_back(
        passes.runsOnce(static_cast<int>(n)) ? -1 : passes.sampleLoops[n]);
  return rounds;
}

std::vector<std::vector<int>> soap::triggersOfNodes(const Graph &graph) {
  std::vector<std::vector<int>> triggers(graph.nodes.size());
  std::vector<int> writers = writersOf(graph);
  std::vector<std::vector<int>> readers = readersOf(graph);
  for (const Restore &restore : graph.restores) {
    int trigger = restore.delaysReaders && restore.trigger >= 0
                      ? writers[static_cast<size_t>(restore.trigger)]
                      : -1;
    if (trigger < 0)
      continue;
    for (int n : readers[static_cast<size_t>(restore.value)])
      if (std::vector<int> &of = triggers[static_cast<size_t>(n)];
          std::find(of.begin(), of.end(), trigger) == of.end())
        of.push_back(trigger);
  }
  return triggers;
}

std::string soap::describeCrossing(const std::string &kind) {
  std::string text =
      "it needs more samples than its own, and cannot run in microbatches";
  if (kind.starts_with("batch_norm"))
    text += "; expected statistics of groups of samples "
            "(--soap-build-training-step='batch-norm=groups(N)'), with whole "
            "groups in each microbatch";
  if (kind == "amax" || kind == "quantize" || kind == "matmul_scaled")
    text += "; expected scales of blocks "
            "(--soap-build-training-step='precision=mxfp8')";
  return text;
}
