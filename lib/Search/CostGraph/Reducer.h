//===- Reducer.h - Reductions of cost graphs --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a cost graph smaller without losing an optimum within capacity
// (docs/CostGraph.md says why each is exact):
//
//   - states that are forbidden, have no partner across an edge, or exceed the
//     capacity even if all others hold as little as they can, are dropped;
//   - a node whose state follows from a neighbour's is absorbed by it, with its
//     edges and memory; memory of one node over equal times is added up;
//   - costs that depend on one end of an edge are moved into the node; an edge
//     that is left with nothing goes;
//   - a state that another replaces at no cost and no memory, whatever the
//     neighbours do, is dropped;
//   - nodes of degree 0 to 2 that hold no memory that matters are eliminated
//     (OptCNN's node elimination), parallel edges are added up (its edge
//     elimination).
//
// A solution of what is left is lifted to one of the whole.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_COSTGRAPH_REDUCER_H
#define SOAP_LIB_SEARCH_COSTGRAPH_REDUCER_H

#include "Kernel.h"
#include "Soap/Search/CostGraph/CostGraph.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

namespace soap::costgraph {

class Reducer {
public:
  /// The graph has passed `check`; nothing refers to it later. `isOver`, if
  /// there is one, is asked now and then, here and in `reduce`.
  explicit Reducer(const CostGraph &graph,
                   std::function<bool()> isOver = nullptr);
  /// The same for a kernel, whose states are the configs.
  explicit Reducer(const Kernel &kernel);

  /// Reduces until nothing changes; false: there is no solution, because of
  /// what `conflict` says.
  bool reduce();
  /// `isOver` said so: what is left is of no use.
  bool wasInterrupted() const { return interrupted; }
  const std::string &conflict() const { return conflictText; }

  /// The graph that is left, with its own numbers of states.
  Kernel kernel() const;
  /// Choices in the whole graph for a choice of states of `kernel()`.
  std::vector<int> lift(const std::vector<int> &states) const;
  /// States of `kernel()` for choices in the whole graph; none if a config is
  /// not there any more.
  std::optional<std::vector<int>>
  statesOf(const std::vector<int> &choice) const;

  /// Drops states of nodes of the last `kernel()` where `keep` is 0, which a
  /// caller may do if it has proven that no better solution has them. `reduce`
  /// is to follow. False: a node has none left.
  bool restrict(const std::vector<std::vector<char>> &keep);
  /// The same for pairs of states, by edge of the last `kernel()`, which is
  /// given. To come before `restrict`, as states keep their numbers.
  void restrictPairs(const Kernel &kernel,
                     const std::vector<std::vector<char>> &keep);

  /// Makes `kernel()` name all that is left, as `reduce` does.
  void nameAll();

private:
  struct Node {
    std::vector<int64_t> costs;
    std::vector<int> configs;  ///< of the whole graph, by state
    std::vector<Piece> pieces; ///< of unreduced time
    std::vector<int> edges;
    bool isAlive = true;
  };
  struct Edge {
    int source, target;
    std::vector<int64_t> costs;
    bool isAlive = true;
    bool isQueued = false;
  };
  /// How a node that went gets its config: from the configs of no, one or two
  /// other nodes.
  struct Record {
    int node = -1;
    int others[2] = {-1, -1};
    std::vector<int> otherConfigs[2]; ///< by state then
    std::vector<int> configs;         ///< row-major by states of the others
  };

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::unordered_map<uint64_t, int> edgeBetween;
  std::vector<Record> records;
  std::vector<int64_t> capacity; ///< by time point of the pieces
  std::vector<int> moments;      ///< by time point: its first number
  int64_t constant = 0;
  std::string conflictText;
  bool hasCapacity;
  std::vector<int> queue;     ///< edges that absorption is to look at
  std::vector<int> kernelIds; ///< of nodes that are alive, in order
  std::function<bool()> isOver;
  bool interrupted = false;
  int asked = 0;

  /// To be called in each long loop, which ends if it is true.
  bool isInterrupted() {
    if (isOver && !interrupted && ++asked % 1024 == 0)
      interrupted = isOver();
    return interrupted;
  }
  bool fail(const std::string &text);
  static uint64_t pairKey(int a, int b);
  bool isSource(const Edge &edge, int node) const {
    return edge.source == node;
  }
  int otherEnd(const Edge &edge, int node) const {
    return edge.source == node ? edge.target : edge.source;
  }
  int degree(int node) const {
    return static_cast<int>(nodes[node].edges.size());
  }

  void build(const CostGraph &graph);
  /// Adds costs between a and b, row-major by a; merges with an edge that is.
  void addEdge(int a, int b, std::vector<int64_t> costs);
  void removeEdge(int edge);
  void enqueue(int edge);
  /// Keeps the states that `keep` says; false if none is left.
  bool keepStates(int node, const std::vector<char> &keep);

  bool dropWithoutPartner(bool &changed);
  bool absorbAll(bool &changed);
  bool absorbAcross(int edge);
  void absorb(int node, int into, int edge, const std::vector<int> &stateOf);
  void normalize(bool &changed);
  bool dropDominated(bool &changed);
  std::vector<char> undominated(int node) const;
  bool eliminate(bool &changed);
  void eliminateNode(int node);

  bool reduceTime(bool &changed);
  void mergePieces(Node &node);
};

} // namespace soap::costgraph

#endif // SOAP_LIB_SEARCH_COSTGRAPH_REDUCER_H
