//===- Fusion.cpp - What generated kernels keep in registers --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains grow in program order. An op joins the chain of a producer if it reads
// the result element by element, and if nothing that it reads besides is
// computed from the chain outside of it: that would not be there yet.
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"

#include "Soap/Model/Graph.h"

#include <algorithm>
#include <cassert>

using namespace soap;

namespace {

/// Computed by a library, one call each.
bool isLibraryOp(const Kernel &kernel) {
  return kernel.kind.starts_with("conv2d") ||
         kernel.kind.starts_with("matmul") || kernel.kind.starts_with("lstm") ||
         kernel.kind.starts_with("attention");
}

/// Every dim is a loop of its own, in order, over all of the tensor.
bool isPointwise(const AccessMap &map, const IterationSpace &space,
                 const std::vector<int64_t> &shape) {
  int last = -1;
  for (size_t d = 0; d < map.size(); ++d) {
    const DimMap &dim = map[d];
    if (dim.kind != DimMap::Kind::Radix || dim.terms.size() != 1 ||
        dim.offset != 0 || dim.divisor != 1 || dim.clip >= 0 ||
        dim.scale != 1 || dim.extraLow != 0 || dim.extraHigh != 0 ||
        dim.terms[0].coefficient != 1 || dim.terms[0].loop <= last ||
        space.loops[dim.terms[0].loop].extent != shape[d])
      return false;
    last = dim.terms[0].loop;
  }
  return true;
}

class Chains {
public:
  explicit Chains(Graph &graph)
      : graph(graph), producer(graph.values.size(), -1),
        readers(graph.values.size()), chainOf(graph.nodes.size(), -1) {}

  void run() {
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      Kernel &kernel = graph.nodes[n].whole;
      kernel.registers = {};
      for (int value : kernel.results)
        producer[value] = static_cast<int>(n);
      for (int value : kernel.operands)
        readers[value].push_back(static_cast<int>(n));
    }
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      join(static_cast<int>(n));
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      markRegisters(static_cast<int>(n));
  }

private:
  struct Chain {
    std::vector<int> members; ///< ascending
    bool reduces = false;     ///< one of them is a normalization
  };

  Graph &graph;
  std::vector<int> producer;             ///< by value: node, or -1
  std::vector<std::vector<int>> readers; ///< by value: nodes
  std::vector<int> chainOf;              ///< by node
  std::vector<Chain> chains;

  const Kernel &kernel(int node) const { return graph.nodes[node].whole; }

  /// Elementwise ops and normalizations: the result is written in the order of
  /// the loops. Sums over rows or samples are kernels of their own.
  bool isGenerated(const Kernel &op) const {
    if (isLibraryOp(op) || op.kind == "reshape" || op.kind == "bucket" ||
        op.kind == "unbucket" || op.results.empty())
      return false;
    for (const Loop &loop : op.space.loops)
      if (loop.type != IteratorType::Parallel)
        return false;
    // Of a normalization, statistics are small and come besides.
    return isPointwise(op.space.results[0].map, op.space,
                       graph.values[op.results[0]].shape);
  }
  /// A normalization: it goes over what it reads twice.
  static bool hasReduction(const Kernel &op) {
    return std::any_of(op.space.loops.begin(), op.space.loops.end(),
                       [](const Loop &loop) { return loop.stage; });
  }
  bool readsPointwise(const Kernel &op, size_t operand) const {
    return isPointwise(op.space.operands[operand].map, op.space,
                       graph.values[op.operands[operand]].shape);
  }

  /// Whether something that a node reads is computed from a chain, but not by
  /// it.
  bool waitsForOthers(int node, int chain) const {
    int first = chains[chain].members.front();
    assert(node >= first && "chains grow in program order");
    std::vector<int> open;
    std::vector<bool> seen(static_cast<size_t>(node - first) + 1);
    auto visit = [&](int from) {
      for (int value : kernel(from).operands)
        if (int p = producer[value]; p > first && !seen[p - first]) {
          seen[p - first] = true;
          open.push_back(p);
        }
    };
    for (int value : kernel(node).operands)
      if (int p = producer[value];
          p > first && chainOf[p] != chain && !seen[p - first]) {
        seen[p - first] = true;
        open.push_back(p);
      }
    while (!open.empty()) {
      int next = open.back();
      open.pop_back();
      // Its own operands: does any member of the chain write one?
      for (int value : kernel(next).operands)
        if (int p = producer[value]; p >= 0 && chainOf[p] == chain)
          return true;
      visit(next);
    }
    return false;
  }

  void join(int node) {
    const Kernel &op = kernel(node);
    if (!isGenerated(op))
      return;
    bool reduces = hasReduction(op);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      int from = producer[op.operands[i]];
      if (from < 0 || chainOf[from] < 0 || !readsPointwise(op, i) ||
          kernel(from).phase != op.phase)
        continue;
      Chain &chain = chains[chainOf[from]];
      // A reduced value must be complete before an op can read it.
      if ((reduces && chain.reduces) || waitsForOthers(node, chainOf[from]))
        continue;
      if (!sameElements(op, i, kernel(from)))
        continue;
      chainOf[node] = chainOf[from];
      chain.members.push_back(node);
      chain.reduces |= reduces;
      return;
    }
    chainOf[node] = static_cast<int>(chains.size());
    chains.push_back({{node}, reduces});
  }

  /// A thread that computes an element of the result of `from` has what the op
  /// wants: the tensor has all elements of the op, not a row that is broadcast.
  bool sameElements(const Kernel &op, size_t operand,
                    const Kernel &from) const {
    auto elements = [&](int value) {
      int64_t n = 1;
      for (int64_t extent : graph.values[value].shape)
        n *= extent;
      return n;
    };
    int64_t read = elements(op.operands[operand]);
    int64_t most = 0;
    for (int value : op.results)
      most = std::max(most, elements(value));
    if (!hasReduction(op) && most != read)
      return false;
    // And of the producer: not a statistic of a reduction.
    int64_t written = 0;
    for (int value : from.results)
      written = std::max(written, elements(value));
    return written == read;
  }

  void markRegisters(int node) {
    Kernel &op = graph.nodes[node].whole;
    op.registers.ofProducts = op.kind == "accumulate" && addsProducts(op);
    int chain = chainOf[node];
    if (chain < 0)
      return;
    op.registers.joins = chains[chain].members.front() != node;
    op.registers.operands.assign(op.operands.size(), 0);
    op.registers.results.assign(op.results.size(), 0);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      int from = producer[op.operands[i]];
      op.registers.operands[i] = from >= 0 && chainOf[from] == chain;
    }
    // Written if another kernel reads it.
    for (size_t r = 0; r < op.results.size(); ++r) {
      const std::vector<int> &list = readers[op.results[r]];
      op.registers.results[r] =
          !list.empty() && !isOutput(op.results[r]) &&
          std::all_of(list.begin(), list.end(),
                      [&](int reader) { return chainOf[reader] == chain; });
    }
  }

  bool addsProducts(const Kernel &op) const {
    auto ofProducts = std::ranges::count_if(op.operands, [&](int value) {
      int from = producer[value];
      return from >= 0 && kernel(from).kind.starts_with("matmul") &&
             readers[value].size() == 1;
    });
    return ofProducts > 0 &&
           ofProducts + 1 >= static_cast<ptrdiff_t>(op.operands.size());
  }

  bool isOutput(int value) const {
    return std::any_of(
        graph.outputs.begin(), graph.outputs.end(),
        [&](const GraphOutput &output) { return output.value == value; });
  }
};

} // namespace

void soap::keepInRegisters(Graph &graph) { Chains(graph).run(); }
