//===- ShardPosition.h - Where a shard's tile begins, as operand ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a vocabulary are numbered as in the whole table, so ops that look for
// them in a tile must know its first row: an attribute, by which the programs
// of devices would differ. As an argument, which each device is given
// (docs/Partition.md), devices share a program: `soap.local_index` turns
// their indices into indices of the tile. A header of its own, so that only
// files that write or read such programs include it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_SHARDPOSITION_H
#define SOAP_DIALECT_SOAP_SHARDPOSITION_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace mlir::soap {

class DropoutOp;

/// `soap.kind` of the arguments of programs that are positions.
inline constexpr llvm::StringLiteral kPositions = "positions";

/// The tensor that they are tiles of: element i of it is i.
inline constexpr llvm::StringLiteral kPositionsTensor = "soap.positions";

/// How an op looks for rows in its tile (gather, its gradient, softmax
/// statistics, the gradient of cross-entropy).
struct ShardPosition {
  int64_t first;    ///< row of the whole table that the tile begins with
  int64_t wrap;     ///< is added to negative indices
  unsigned operand; ///< number of the operand that holds indices
  unsigned loop;    ///< the loop that counts rows
};

/// None: the op looks for no rows.
std::optional<ShardPosition> positionOf(Operation *op);

/// Makes nothing but what the op behind it reads, of a position: no task, and
/// no memory that plans know.
bool makesPositions(Operation *op);

/// Makes such an op read `indices`, which count from the first row of its tile.
void useLocalIndices(Operation *op, Value indices);

/// Where the first element of a shard of `dropout` is in the whole tensor,
/// row-major. None: it is the whole tensor, drops nothing, or is of more
/// elements than positions can be told.
std::optional<int64_t> firstElement(DropoutOp op);

/// From now on it reads `both`, of `soap.placed_step`.
void usePlacedStep(DropoutOp op, Value both);

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_SHARDPOSITION_H
