//===- LayoutParts.cpp - Which boxes a drawing has ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LayoutParts.h.
//
//===----------------------------------------------------------------------===//

#include "Search/Report/LayoutParts.h"

#include <algorithm>

using namespace soap;
using namespace soap::layout;

std::vector<std::string> layout::components(const std::string &name) {
  std::vector<std::string> parts(1);
  for (char c : name)
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

void Tracks::add(int net, double low, double high) {
  auto [it, added] = nets.try_emplace(net, low, high);
  it->second.first = std::min(it->second.first, low);
  it->second.second = std::max(it->second.second, high);
}

double Tracks::offsetOf(int net, double pitch, double most) const {
  std::map<int, int> trackOf;
  for (const auto &[one, range] : nets) {
    std::set<int> taken;
    for (const auto &[other, track] : trackOf) {
      const auto &[low, high] = nets.at(other);
      if (range.first <= high && low <= range.second)
        taken.insert(track);
    }
    int track = 0;
    while (taken.count(track))
      ++track;
    trackOf[one] = track;
  }
  // 0, -1, 1, -2, 2, ...
  int track = trackOf.at(net), place = (track + 1) / 2;
  return std::clamp(pitch * (track % 2 ? -place : place), -most, most);
}

Boxes::Boxes(const ParallelizationProblem &problem, const Strategy &strategy)
    : problem(problem), graph(problem.getGraph()), strategy(strategy),
      neighbours(problem), producer(graph.values.size(), -1),
      boxOf(graph.nodes.size(), -1) {
  for (const GraphInput &input : graph.inputs)
    inputOf[input.value] = &input;
  collect();
}

std::vector<CutUpdate> Boxes::updatesOf(int node) const {
  std::vector<CutUpdate> result;
  const Kernel &kernel = graph.nodes[node].whole;
  for (size_t i = 0; i < kernel.operands.size(); ++i) {
    int value = kernel.operands[i];
    if (producer[value] >= 0) {
      if (auto it = loose.find(producer[value]); it != loose.end())
        result.insert(result.end(), it->second.begin(), it->second.end());
      continue;
    }
    auto input = inputOf.find(value);
    if (input == inputOf.end() || input->second->updateNode < 0)
      continue;
    CutUpdate update{input->second->updateNode, 1, graph.values[value].bytes()};
    for (int64_t degree : strategy[update.node].degrees)
      update.pieces *= degree;
    int64_t tiles = 1;
    for (size_t l = 0; l < kernel.space.loops.size(); ++l)
      if (usesLoop(kernel.space.operands[i].map, static_cast<int>(l)))
        tiles *= strategy[node].degrees[l];
    if (update.pieces > tiles)
      result.push_back(update);
  }
  return result;
}

void Boxes::claim(int box, const std::vector<CutUpdate> &updates) {
  for (const CutUpdate &update : updates)
    if (claimed.insert(update.node).second)
      boxes[box].drawn.updates.push_back(update);
}

std::vector<int> Boxes::sources(int node) const {
  std::vector<int> result;
  for (int value : graph.nodes[node].whole.operands) {
    int box = producer[value] < 0 ? -1 : boxOf[producer[value]];
    if (box >= 0 &&
        std::find(result.begin(), result.end(), box) == result.end())
      result.push_back(box);
  }
  return result;
}

bool Boxes::belongsTo(int group, const Box &box) const {
  const Kernel &kernel = graph.nodes[problem.getGroups()[group].leader].whole;
  return !box.junction() && kernel.kind.find("norm") != std::string::npos &&
         kernel.name.starts_with(box.name + ".") &&
         neighbours.connected(box.drawn.group, group) &&
         neighbours.translate(box.drawn.group, configOf(box.drawn.group),
                              group) == configOf(group);
}

void Boxes::collect() {
  const std::vector<OpGroup> &groups = problem.getGroups();
  std::vector<int> leads(graph.nodes.size(), -1);
  for (size_t g = 0; g < groups.size(); ++g)
    leads[groups[g].leader] = static_cast<int>(g);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    for (int value : kernel.results)
      producer[value] = static_cast<int>(n);
    if (kernel.phase != Phase::Forward)
      continue;
    std::vector<int> read = sources(static_cast<int>(n));
    int group = leads[n];
    bool passesOn = group < 0
                        ? read.size() <= 1
                        : read.size() == 1 && belongsTo(group, boxes[read[0]]);
    if (passesOn) {
      boxOf[n] = read.empty() ? -1 : read[0];
      if (group >= 0)
        boxes[boxOf[n]].drawn.alike.push_back(group);
      if (read.empty())
        loose[static_cast<int>(n)] = updatesOf(static_cast<int>(n));
      else
        claim(boxOf[n], updatesOf(static_cast<int>(n)));
      continue;
    }
    boxOf[n] = static_cast<int>(boxes.size());
    Box &box = boxes.emplace_back();
    box.drawn.group = group;
    box.name = kernel.name;
    box.kind = kernel.kind;
    box.producers = std::move(read);
    claim(boxOf[n], updatesOf(static_cast<int>(n)));
  }
}
