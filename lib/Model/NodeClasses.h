//===- NodeClasses.h - Nodes that belong together ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of nodes that are joined one by one.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_MODEL_NODECLASSES_H
#define SOAP_LIB_MODEL_NODECLASSES_H

#include <cstddef>
#include <numeric>
#include <vector>

namespace soap {

/// Each of `count` nodes is a class of its own at first.
class NodeClasses {
public:
  explicit NodeClasses(size_t count) : parent(count) {
    std::iota(parent.begin(), parent.end(), 0);
  }
  /// The least node of a class.
  int leaderOf(int node) {
    while (at(node) != node) {
      at(node) = at(at(node));
      node = at(node);
    }
    return node;
  }
  void join(int a, int b) {
    a = leaderOf(a);
    b = leaderOf(b);
    at(a > b ? a : b) = a > b ? b : a;
  }

private:
  std::vector<int> parent;
  int &at(int node) { return parent[static_cast<size_t>(node)]; }
};

} // namespace soap

#endif // SOAP_LIB_MODEL_NODECLASSES_H
