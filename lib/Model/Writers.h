//===- Writers.h - Which node writes a value --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For walks from readers to writers over a whole graph.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_MODEL_WRITERS_H
#define SOAP_LIB_MODEL_WRITERS_H

#include "Soap/Model/Graph.h"

#include <vector>

namespace soap {

/// By value, the node that writes it, -1: none.
inline std::vector<int> writersOf(const Graph &graph) {
  std::vector<int> writers(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (int value : graph.nodes[n].whole.results)
      writers[static_cast<size_t>(value)] = static_cast<int>(n);
  return writers;
}

} // namespace soap

#endif // SOAP_LIB_MODEL_WRITERS_H
