//===- OpShape.h - What the time of an op depends on ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape of an op's shard: kind, direction and extents of the loops, and the
// sizes that cost curves are functions of. Profiles are tables by shape, cost
// models price shapes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_OPSHAPE_H
#define SOAP_MODEL_OPSHAPE_H

#include "Soap/Model/IterationSpace.h"

#include <span>
#include <string>
#include <vector>

namespace soap {

/// Whether a kind of task only moves bytes: `fill`, `assemble` or `combine`.
bool isCopy(const std::string &kind);
/// Whether an op computes attention, or its gradient, of some keys.
bool isAttention(const std::string &op);
/// Whether an op only gives the elements of its operand other places: strides
/// of a tensor say the same.
bool isLayoutChange(const std::string &op);

/// The key under which the time of an op is looked up.
struct OpShape {
  std::string op;        ///< "conv2d", "matmul", "relu"
  std::string direction; ///< "forward", "input_grad", "weight_grad", "backward"
  std::vector<std::string> loops; ///< of the op's iteration space, in order
  std::vector<int64_t> extents;   ///< of the loops of this shard
  std::vector<int64_t> strides;   ///< of windows; empty for ops without
  int64_t bytes = 0;              ///< of all operand and result tiles
  double flopsPerPoint = 1;       ///< of the iteration space
  double points = 1;              ///< that count (Band)
  /// Of a product in a type of its own: it converts what it reads, as measured
  /// ones do. `matmul_scaled` reads what is converted already.
  bool converts = true;
  /// The sizes that curves are functions of. conv2d: output positions (input
  /// positions for input_grad) times groups, input channels, output channels,
  /// window positions, stride positions; matmul: m, n, k; attention: points
  /// that count and bytes; all else: points of the loops and bytes.
  std::vector<double> sizes;
};

/// The shape of a shard whose loops have the extents of `box`. `kind` is the op
/// mnemonic.
OpShape shapeOf(const std::string &kind, const IterationSpace &space,
                const LoopBox &box, int64_t bytes);

/// `OpShape::sizes`.
std::vector<double> sizesOf(const std::string &op,
                            const std::vector<std::string> &loops,
                            std::span<const int64_t> extents,
                            std::span<const int64_t> strides,
                            const std::string &direction, int64_t bytes);

/// How many sizes the shapes of an op have.
size_t sizeCount(const std::string &op, size_t loops);

/// Splits the mnemonic of a gradient: `conv2d_input_grad` -> `conv2d`,
/// input_grad.
void splitKind(const std::string &kind, OpShape &shape);

/// Makes the shape of an op on any box that of the same op on another one.
void resizeShape(const IterationSpace &space, const LoopBox &box, int64_t bytes,
                 OpShape &shape);

} // namespace soap

#endif // SOAP_MODEL_OPSHAPE_H
