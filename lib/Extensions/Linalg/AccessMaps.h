//===- AccessMaps.h - Affine maps as access maps ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which indexing maps of linalg an iteration space can express.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_EXTENSIONS_LINALG_ACCESSMAPS_H
#define SOAP_LIB_EXTENSIONS_LINALG_ACCESSMAPS_H

#include "Soap/Model/IterationSpace.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mlir::soap {

/// `constant + sum(coefficients[d] * d)` over the dims of a map.
struct LinearExpr {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;

  /// The value at the low ends of a box.
  int64_t atLow(const ::soap::LoopBox &box) const;
};

/// The expression as a linear one; none if it divides, has a symbol or
/// multiplies dims.
std::optional<LinearExpr> linearOf(AffineExpr expr, unsigned dims);

/// The access of an operand. What is not linear is whole, and its loops are
/// marked in `uncut`: they may not be split, for the op on a tile would read
/// elsewhere.
::soap::AccessMap operandAccess(AffineMap map, SmallVectorImpl<bool> &uncut);

/// The access of a result. Dims must be different loops, or constant and of
/// extent 1; of any other map all loops are marked in `uncut`, for parts of
/// such a result are no tiles.
::soap::AccessMap resultAccess(AffineMap map, ArrayRef<int64_t> shape,
                               SmallVectorImpl<bool> &uncut);

/// The map by which the op on tiles reads an operand whose tile holds `region`,
/// for the loops in `box`.
AffineMap tileMap(AffineMap map, const ::soap::LoopBox &box,
                  const ::soap::Region &region);

} // namespace mlir::soap

#endif // SOAP_LIB_EXTENSIONS_LINALG_ACCESSMAPS_H
