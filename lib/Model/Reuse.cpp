//===- Reuse.cpp - Values kept in one form for the backward pass ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Reuse.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/Reuse.h"

#include "Writers.h"

#include <algorithm>
#include <cassert>

using namespace soap;

const char *soap::keepName(Keep keep) {
  switch (keep) {
  case Keep::Both:
    return "both";
  case Keep::Before:
    return "before";
  case Keep::After:
    return "after";
  }
  return "";
}

std::optional<Keep> soap::findKeep(const std::string &name) {
  for (Keep keep : {Keep::Both, Keep::Before, Keep::After})
    if (name == keepName(keep))
      return keep;
  return std::nullopt;
}

static bool reads(const GraphNode &node, int value) {
  assert(value >= 0 && "no value");
  auto has = [&](const Kernel &kernel) {
    return std::find(kernel.operands.begin(), kernel.operands.end(), value) !=
           kernel.operands.end();
  };
  return has(node.whole) ||
         std::any_of(node.stages.begin(), node.stages.end(), has);
}

/// The operand that the first reader of the backward pass waits for: of its
/// operands that are written in that pass the one that is written last; of a
/// recomputed op, which may read none, what it is delayed for. -1: none.
static int triggerOf(const Graph &graph, int value,
                     const std::vector<int> &writers) {
  for (const GraphNode &node : graph.nodes) {
    if (node.whole.phase != Phase::Backward || !reads(node, value))
      continue;
    int last = -1;
    for (int operand : node.whole.operands) {
      for (const Restore &restore : graph.restores)
        if (restore.delaysReaders && restore.value == operand)
          operand = restore.trigger;
      if (int writer = writers[operand];
          writer >= 0 && graph.nodes[writer].whole.phase == Phase::Backward &&
          (last < 0 || writer > writers[last]))
        last = operand;
    }
    return last;
  }
  return -1;
}

MaybeError soap::checkKeep(const Graph &graph, int value, Keep keep) {
  assert(value >= 0 && static_cast<size_t>(value) < graph.values.size() &&
         "no value of the graph");
  auto fail = [&](const std::string &why) {
    return Error{"value '" + graph.values[value].name +
                 "' cannot be kept in one form: " + why};
  };
  if (keep == Keep::Both)
    return std::nullopt;
  if (graph.values[value].restores >= 0)
    return fail("it is made again itself");
  for (const Restore &restore : graph.restores)
    if (restore.of == value && !restore.delaysReaders)
      return fail("that is decided already");
  std::vector<int> writers = writersOf(graph);
  if (writers[value] < 0) {
    if (keep == Keep::After)
      return fail("an argument is there as it is given, expected 'before'");
    for (const GraphInput &input : graph.inputs)
      if (input.value == value && input.updateNode < 0 && !input.hasConfig)
        return fail("an argument without a place is wherever it is read");
  } else if (graph.nodes[writers[value]].whole.phase != Phase::Forward) {
    return fail("it is not of the forward pass");
  }
  // Tiles are made again once the forward pass is done with them.
  bool inForward = false, inBackward = false;
  for (const GraphNode &node : graph.nodes) {
    if (!reads(node, value))
      continue;
    inBackward |= node.whole.phase == Phase::Backward;
    if (node.whole.phase != Phase::Forward)
      continue;
    inForward = true;
    if (inBackward)
      return fail("'" + node.whole.name +
                  "', which is not of the backward "
                  "pass, reads it after ops of that pass");
  }
  if (!inForward)
    return fail("no op of the forward pass reads it");
  if (triggerOf(graph, value, writers) < 0)
    return fail("no op of the backward pass that waits for another one there "
                "reads it first");
  return std::nullopt;
}

/// Adds a restored value, which nothing reads yet.
static int addRestore(Graph &graph, Restore restore, const char *suffix) {
  assert(restore.of >= 0 &&
         static_cast<size_t>(restore.of) < graph.values.size() &&
         "no value of the graph");
  restore.value = static_cast<int>(graph.values.size());
  GraphValue copy = graph.values[restore.of];
  copy.name += suffix;
  copy.restores = restore.of;
  graph.values.push_back(std::move(copy));
  graph.restores.push_back(restore);
  return restore.value;
}

/// A node reads another value in place of one.
static void redirect(GraphNode &node, int from, int to) {
  assert(from != to && "the value itself");
  auto replace = [&](Kernel &kernel) {
    std::replace(kernel.operands.begin(), kernel.operands.end(), from, to);
  };
  replace(node.whole);
  for (Kernel &stage : node.stages)
    replace(stage);
}

void soap::restoreValue(Graph &graph, int value, Keep keep) {
  assert(!checkKeep(graph, value, keep) && "it must have passed checkKeep");
  if (keep == Keep::Both)
    return;
  int copy = addRestore(
      graph, {-1, value, keep, triggerOf(graph, value, writersOf(graph))},
      "'again");
  // Updates read the tile that they replace.
  for (GraphNode &node : graph.nodes)
    if (node.whole.phase == Phase::Backward)
      redirect(node, value, copy);
}

void soap::delayReaders(Graph &graph, int value, int trigger,
                        std::span<const int> readers) {
  assert(!readers.empty() && "at least one reader");
  assert(trigger >= 0 && static_cast<size_t>(trigger) < graph.values.size() &&
         "no value of the graph");
  int copy =
      addRestore(graph, {-1, value, Keep::Before, trigger, true}, "'recompute");
  for (int node : readers)
    redirect(graph.nodes[node], value, copy);
}

std::vector<KeptValue> soap::keptValues(const Graph &graph) {
  std::vector<KeptValue> kept;
  for (const Restore &restore : graph.restores)
    if (!restore.delaysReaders)
      kept.push_back({restore.of, restore.keep});
  return kept;
}
