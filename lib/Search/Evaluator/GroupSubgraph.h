//===- GroupSubgraph.h - Groups cut out of a graph --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph of the ops of one group or two alone, whose plan says what they cost
// (GroupCosts.h).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_EVALUATOR_GROUPSUBGRAPH_H
#define SOAP_LIB_SEARCH_EVALUATOR_GROUPSUBGRAPH_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

#include <map>
#include <set>

namespace soap {

/// Calls `visit` with the value lists of the op and its stages.
template <typename Node, typename Visit>
void forEachKernel(Node &node, Visit visit) {
  visit(node.whole);
  for (auto &stage : node.stages)
    visit(stage);
}

/// The nodes of some groups. What others write is an input that is wherever it
/// is needed.
struct GroupSubgraph {
  Graph graph;
  std::vector<std::vector<int>> nodes; ///< by group and member
  std::map<int, int> valueOf;          ///< number here of a value of the whole

  GroupSubgraph(const Graph &whole, const std::vector<OpGroup> &groups);
  /// Cuts all values but these (numbers here) off their writers: those that
  /// read them find them wherever they need them. Saves planning them.
  /// Ops that touch none of them are left out: their numbers are -1.
  void keepOnly(const std::set<int> &values);

private:
  void dropOthers(const std::set<int> &values);
};

/// Two groups together and each alone, with nothing to plan but the values of
/// both; what one has without the other is counted there.
struct PairCut {
  GroupSubgraph first, second, pair;
  std::vector<int> crossing; ///< values of both, numbers of the whole graph

  PairCut(const ParallelizationProblem &problem, int a, int b);
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_EVALUATOR_GROUPSUBGRAPH_H
