//===- KernelClass.h - Kernels that are alike -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the classes of equal kernels: those with the same loops, maps and
// shapes, as time steps, blocks and branches of a network have. What the pieces
// of a kernel touch and how long they take is computed once per class
// (KernelGeometry.h, SpaceBound.h).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_KERNELCLASS_H
#define SOAP_MODEL_KERNELCLASS_H

#include "Soap/Model/Graph.h"

#include <string>
#include <unordered_map>

namespace soap {

/// Numbers classes of kernels. Two are alike if kind, loops, maps, shapes and
/// sizes of elements, and what stays in registers are equal; names, phases,
/// combiners and which values they are do not matter. Numbers are given in the
/// order of questions.
class KernelClasses {
public:
  /// Keeps a reference. `withRegisters`: kernels that keep other values in
  /// registers are of different classes.
  explicit KernelClasses(const Graph &graph, bool withRegisters = true)
      : graph(graph), withRegisters(withRegisters) {}

  /// The class of a kernel, of which the address is remembered.
  int of(const Kernel &kernel);
  /// Classes so far.
  int count() const { return static_cast<int>(byKey.size()); }

private:
  const Graph &graph;
  bool withRegisters;
  std::unordered_map<const Kernel *, int> known;
  std::unordered_map<std::string, int> byKey;

  std::string keyOf(const Kernel &kernel) const;
};

} // namespace soap

#endif // SOAP_MODEL_KERNELCLASS_H
