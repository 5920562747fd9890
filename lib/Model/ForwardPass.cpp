//===- ForwardPass.cpp - What the backward pass may compute again ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ForwardPass.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/ForwardPass.h"

#include "GradientOrder.h"
#include "NodeClasses.h"

#include <algorithm>
#include <cassert>
#include <map>

using namespace soap;

std::vector<int> soap::nodesIn(const std::vector<bool> &nodes) {
  std::vector<int> list;
  for (size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n])
      list.push_back(static_cast<int>(n));
  return list;
}

ForwardPass::ForwardPass(const Graph &graph, std::vector<bool> hasEffects)
    : graph(graph), hasEffects(std::move(hasEffects)),
      writer(graph.values.size(), -1), readers(graph.values.size()),
      isOutput(graph.values.size()), updatesState(graph.nodes.size()),
      order(std::make_unique<GradientOrder>(
          graph, std::vector<bool>(graph.nodes.size(), false))) {
  for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
    for (int value : kernel(n).results)
      writer[static_cast<size_t>(value)] = n;
    for (int value : kernel(n).operands) {
      std::vector<int> &own = readers[static_cast<size_t>(value)];
      if (own.empty() || own.back() != n)
        own.push_back(n);
    }
  }
  for (const GraphOutput &output : graph.outputs)
    isOutput[static_cast<size_t>(output.value)] = true;
  for (const GraphInput &input : graph.inputs)
    if (input.updateNode >= 0)
      updatesState[static_cast<size_t>(input.updateNode)] = true;
}

ForwardPass::~ForwardPass() = default;

bool ForwardPass::isReadByGradients(int value) const {
  return std::ranges::any_of(readersOf(value), [&](int reader) {
    return kernel(reader).phase == Phase::Backward;
  });
}

std::string ForwardPass::whyNot(int node) const {
  assert(node >= 0 && static_cast<size_t>(node) < graph.nodes.size() &&
         "no such node");
  if (!isForward(node))
    return "it is not of the forward pass";
  if (has(updatesState, node))
    return "it updates a state";
  if (std::ranges::any_of(kernel(node).results, [&](int value) {
        return isOutput[static_cast<size_t>(value)];
      }))
    return "its result is one of the function";
  if (std::ranges::none_of(kernel(node).operands,
                           [&](int value) { return writerOf(value) >= 0; }))
    return "it reads arguments alone, so nothing of the backward pass can be "
           "waited for";
  if (!hasEffects.empty() && has(hasEffects, node))
    return "it may have side effects";
  return "";
}

std::span<const int> ForwardPass::recomputedResults(int node) const {
  std::span<const int> results = kernel(node).results;
  return kernel(node).kind == "batch_norm_train" ? results.first(1) : results;
}

std::vector<bool> ForwardPass::findRead(const std::vector<bool> &nodes) const {
  assert(nodes.size() == graph.nodes.size() && "a bit a node");
  std::vector<bool> read(nodes.size());
  for (int n = static_cast<int>(nodes.size()); n-- > 0;)
    if (has(nodes, n))
      read[static_cast<size_t>(n)] =
          std::ranges::any_of(recomputedResults(n), [&](int value) {
            return isReadByGradients(value) ||
                   std::ranges::any_of(readersOf(value), [&](int reader) {
                     return has(read, reader);
                   });
          });
  return read;
}

std::vector<ForwardPass::Together>
ForwardPass::findTogether(const std::vector<bool> &nodes) const {
  assert(nodes.size() == graph.nodes.size() && "a bit a node");
  NodeClasses classes(nodes.size());
  std::vector<int> chosen = nodesIn(nodes);
  for (int n : chosen)
    for (int value : kernel(n).operands)
      if (int from = writerOf(value);
          from >= 0 && has(nodes, from) &&
          std::ranges::count(recomputedResults(from), value) > 0)
        classes.join(n, from);
  std::vector<Together> result;
  std::map<int, size_t> numbers; // by leader
  for (int n : chosen) {
    auto [it, isNew] = numbers.try_emplace(classes.leaderOf(n), result.size());
    if (isNew)
      result.emplace_back();
    Together &together = result[it->second];
    together.nodes.push_back(n);
    for (int value : recomputedResults(n))
      for (int reader : readersOf(value))
        if (kernel(reader).phase == Phase::Backward &&
            (together.firstReader < 0 || reader < together.firstReader))
          together.firstReader = reader;
  }
  for (Together &together : result) {
    std::vector<int> results;
    for (int n : together.nodes)
      results.insert(results.end(), recomputedResults(n).begin(),
                     recomputedResults(n).end());
    together.isUseless = together.firstReader < 0 ||
                         order->trigger(results, together.firstReader) < 0;
  }
  return result;
}

std::vector<bool>
ForwardPass::findUseful(const std::vector<bool> &nodes) const {
  std::vector<bool> useful = findRead(nodes);
  // The values that the first reader needs are kept then, and the rest may wait
  // for the gradient that it computes.
  for (bool changes = true; changes; useful = findRead(useful)) {
    changes = false;
    for (const Together &together : findTogether(useful)) {
      if (!together.isUseless)
        continue;
      changes = true;
      std::vector<int> firstLate;
      int first = -1;
      for (int n : together.nodes) {
        int reader = order->firstLateReader(recomputedResults(n));
        firstLate.push_back(reader);
        if (reader >= 0 && (first < 0 || reader < first))
          first = reader;
      }
      for (size_t i = 0; i < firstLate.size(); ++i)
        if (firstLate[i] == first)
          useful[static_cast<size_t>(together.nodes[i])] = false;
    }
  }
  return useful;
}

std::vector<bool> ForwardPass::findRecomputable(std::vector<bool> nodes) const {
  for (int n : nodesIn(nodes))
    if (!whyNot(n).empty())
      nodes[static_cast<size_t>(n)] = false;
  return findUseful(nodes);
}
