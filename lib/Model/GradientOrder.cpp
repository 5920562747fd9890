//===- GradientOrder.cpp - What waits for gradients -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GradientOrder.h.
//
//===----------------------------------------------------------------------===//

#include "Model/GradientOrder.h"

#include <set>

using namespace soap;

GradientOrder::GradientOrder(const Graph &graph, std::vector<bool> isClone)
    : graph(graph), isClone(std::move(isClone)), late(graph.nodes.size()),
      writer(graph.values.size(), -1), readers(graph.values.size()) {
  // Derived from a seed, as of the loss; from the forward pass.
  std::vector<bool> fromSeed(graph.nodes.size()),
      fromForward(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    bool isBackward = kernel.phase == Phase::Backward && !this->isClone[n];
    bool readsNode = false;
    for (int value : kernel.operands) {
      std::vector<int> &own = readers[static_cast<size_t>(value)];
      own.push_back(static_cast<int>(n));
      int from = writer[static_cast<size_t>(value)];
      if (from < 0) {
        // An input of the backward pass alone is a seed, too.
        fromSeed[n] = fromSeed[n] ||
                      graph.nodes[static_cast<size_t>(own[0])].whole.phase ==
                          Phase::Backward;
        continue;
      }
      readsNode = true;
      fromSeed[n] = fromSeed[n] || fromSeed[static_cast<size_t>(from)];
      fromForward[n] = fromForward[n] || fromForward[static_cast<size_t>(from)];
    }
    if (!isBackward) {
      fromSeed[n] = false;
      fromForward[n] = true;
    } else if (!readsNode) {
      fromSeed[n] = true;
    }
    late[n] = isBackward && fromSeed[n] && fromForward[n];
    for (int value : kernel.results)
      writer[static_cast<size_t>(value)] = static_cast<int>(n);
  }
}

int GradientOrder::firstLateReader(std::span<const int> results) const {
  int first = -1;
  std::vector<int> open(results.begin(), results.end());
  std::set<int> seen(open.begin(), open.end());
  while (!open.empty()) {
    int value = open.back();
    open.pop_back();
    for (int reader : readers[static_cast<size_t>(value)]) {
      auto r = static_cast<size_t>(reader);
      if (graph.nodes[r].whole.phase != Phase::Backward || isClone[r])
        continue;
      if (late[r]) {
        if (first < 0 || reader < first)
          first = reader;
        continue;
      }
      for (int result : graph.nodes[r].whole.results)
        if (seen.insert(result).second)
          open.push_back(result);
    }
  }
  return first;
}

int GradientOrder::trigger(std::span<const int> results, int before) const {
  int first = firstLateReader(results);
  if (first < 0)
    return -1;
  int trigger = -1;
  std::vector<int> open = {first};
  std::set<int> seen = {first};
  while (!open.empty()) {
    auto node = static_cast<size_t>(open.back());
    open.pop_back();
    for (int value : graph.nodes[node].whole.operands) {
      int from = writer[static_cast<size_t>(value)];
      if (from < 0 || !late[static_cast<size_t>(from)])
        continue;
      if (from >= before) {
        if (seen.insert(from).second)
          open.push_back(from);
      } else if (trigger < 0 || from > writer[static_cast<size_t>(trigger)]) {
        trigger = value;
      }
    }
  }
  return trigger;
}
