//===- FrontierTracker.h - One run of frontier tracking ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one order of eliminations: tables of the nodes and edges that
// are left. FrontierTracking.cpp runs it, once for each weight where configs
// are chosen by a heuristic. The tables that it starts from are made in
// InitialTables.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_FRONTIER_FRONTIERTRACKER_H
#define SOAP_LIB_SEARCH_FRONTIER_FRONTIERTRACKER_H

#include "EliminationOrder.h"
#include "FrontierTable.h"

#include <map>

namespace soap {

/// A table and the nodes (or, from the number of nodes on, the edges) that its
/// slots stand for here.
struct Place {
  std::shared_ptr<const FrontierTable> table;
  std::vector<int> slots;
};

inline std::vector<int> concatenate(const std::vector<int> &first,
                                    const std::vector<int> &second) {
  std::vector<int> result(first);
  result.insert(result.end(), second.begin(), second.end());
  return result;
}

/// Carries out one order of eliminations.
class FrontierTracker {
public:
  using Table = std::shared_ptr<const FrontierTable>;

  FrontierTracker(const FrontierProblem &problem,
                  const FrontierOptions &options, TraceArena &arena,
                  const std::function<bool()> &stopped, FrontierResult &result)
      : problem(problem), options(options), arena(arena), stopped(stopped),
        result(result) {}

  /// The result's frontier, as the only entry of a table; none if stopped.
  Place run(const std::vector<EliminationStep> &steps, double memoryWeight);

private:
  const FrontierProblem &problem;
  const FrontierOptions &options;
  TraceArena &arena;
  const std::function<bool()> &stopped;
  FrontierResult &result;

  std::vector<Place> nodes;
  std::map<std::pair<int, int>, Place> edges; ///< first < second
  std::vector<std::map<int, bool>> neighbours;
  Place product; ///< of the factors so far
  /// Edges of a merged node and the other ends.
  std::vector<std::pair<int, Place>> expanded;
  TableBuilder::Limits limits;
  std::unique_ptr<TableBuilder> builder;
  /// Tables of node eliminations by what they were made of. The operands are
  /// kept so that their addresses stay theirs.
  struct Shared {
    Table inputs[3], table;
  };
  std::map<std::tuple<const void *, bool, const void *, const void *, bool>,
           Shared>
      known;

  void makeTables();
  Table makeEdgeTable(size_t edge, bool &hasSlot) const;
  bool measure();

  // Null tables: stopped.
  Place productOf(const Place &left, const Place &right);
  void addEdge(int a, int b, Place place);
  Place takeEdge(int a, int b);
  /// The entry for config `x` of `a` and `y` of `b` of an edge between them.
  static std::span<const FrontierPoint> at(const FrontierTable &edge, int a,
                                           int b, int x, int y) {
    return a < b ? edge.at(x, y) : edge.at(y, x);
  }
  bool eliminateLeaf(int node, int into);
  bool eliminateNode(int node, int first, int second);
  bool mergeBranch(int node, int into);
  bool expandEdges(int from, int into, int rows,
                   const std::function<int(int row)> &configOf);
  double score(int node, int config, double memoryWeight) const;
  bool chooseConfig(int node, double memoryWeight);
  /// Multiplies the result with the union of a node's frontiers.
  bool multiplyUnion(const Place &factor, int firstRow, int lastRow);
  bool carryOut(const EliminationStep &step, double memoryWeight);
};

/// A table whose entries `list` gives points for.
std::shared_ptr<const FrontierTable> initialTable(
    int rows, int columns, int slots,
    const std::function<void(size_t entry, std::vector<FrontierPoint> &)>
        &list);

/// How many trims in a row lead to the result.
int trimDepth(const CostGraph &graph,
              const std::vector<EliminationStep> &steps);

} // namespace soap

#endif // SOAP_LIB_SEARCH_FRONTIER_FRONTIERTRACKER_H
