//===- LayoutParts.h - What both layouts are made of ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, the boxes that a layout places, and tracks for lines that would lie on
// each other.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_REPORT_LAYOUTPARTS_H
#define SOAP_LIB_SEARCH_REPORT_LAYOUTPARTS_H

#include "Search/Evaluator/GroupNeighbours.h"
#include "Search/Report/StrategyLayout.h"

#include <map>
#include <optional>
#include <set>

namespace soap::layout {

constexpr double labelHeight = 16, padding = 6;

/// The parts of a name between dots.
std::vector<std::string> components(const std::string &name);

/// Gives lines that would lie on each other tracks of their own. Lines of one
/// net may share a track.
class Tracks {
public:
  /// A line of `net` from `low` to `high`.
  void add(int net, double low, double high);
  /// Distance of a net's track from the middle, at most `most`. Tracks are
  /// `pitch` apart.
  double offsetOf(int net, double pitch, double most) const;

private:
  std::map<int, std::pair<double, double>> nets;
};

/// The input of both layouts: boxes, which of them reads which, and
/// junctions, where an op that follows another one joins several boxes
/// (concat, add).
class Boxes {
public:
  Boxes(const ParallelizationProblem &problem, const Strategy &strategy);

  struct Box {
    OpBox drawn;
    std::string name, kind;
    std::vector<int> producers; ///< boxes before it
    bool junction() const { return drawn.group < 0; }
  };
  /// In program order.
  std::vector<Box> boxes;

  const Config &configOf(int group) const {
    return strategy[problem.getGroups()[group].leader];
  }

private:
  const ParallelizationProblem &problem;
  const Graph &graph;
  const Strategy &strategy;
  GroupNeighbours neighbours;
  std::vector<int> producer;                 ///< per value: node
  std::map<int, const GraphInput *> inputOf; ///< by value
  std::vector<int> boxOf; ///< per forward node: box whose result it passes on
  /// Per forward node without a box: updates of what it reads.
  std::map<int, std::vector<CutUpdate>> loose;
  std::set<int> claimed; ///< updates that a box has

  /// Updates of the parameters that a node reads, directly or through ops that
  /// have no box.
  std::vector<CutUpdate> updatesOf(int node) const;
  /// Gives a box the updates that none before it has.
  void claim(int box, const std::vector<CutUpdate> &updates);
  /// Boxes that a node reads, in order.
  std::vector<int> sources(int node) const;
  /// A norm after its convolution, `conv1.norm` split as `conv1`: both are one
  /// box.
  bool belongsTo(int group, const Box &box) const;
  void collect();
};

/// Time to the right and depth upwards, where most ops are time steps of
/// layers; nothing where they are not. `below`: height of the texts below
/// boxes.
std::optional<StrategyLayout> layOutOverTime(const std::vector<Boxes::Box> &all,
                                             double below);

/// Depth to the right, broken into lines.
StrategyLayout layOutInLines(const Boxes &boxes, double below);

} // namespace soap::layout

#endif // SOAP_LIB_SEARCH_REPORT_LAYOUTPARTS_H
