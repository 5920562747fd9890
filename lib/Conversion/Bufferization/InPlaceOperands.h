//===- InPlaceOperands.h - Which operands are written in place --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One-Shot Analysis of straight-line programs, in a time that is nearly linear
// in the number of ops. The upstream analysis compares every read of a buffer
// with every write to it, again for each operand that it decides on: a sum over
// M microbatches takes M^3 steps. In straight-line code the life of a value is
// a range of ops, and the lives of a buffer are disjoint, so that a sorted map
// of them finds the only neighbours which can be in conflict.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_BUFFERIZATION_INPLACEOPERANDS_H
#define SOAP_LIB_CONVERSION_BUFFERIZATION_INPLACEOPERANDS_H

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <optional>
#include <vector>

namespace mlir::soap {

/// The decisions are the ones that upstream's `OneShotAnalysisState` takes with
/// its default heuristic: from the last op to the first one, an operand is in
/// place unless a read would then see another value than its own.
class InPlaceOperands : public bufferization::AnalysisState {
public:
  explicit InPlaceOperands(const bufferization::BufferizationOptions &options);

  /// Decides on all operands of a function that is one block of ops without
  /// regions. An error if an operand that must be in place cannot be.
  LogicalResult analyze(func::FuncOp program);

  bool isInPlace(OpOperand &operand) const override;
  bool areEquivalentBufferizedValues(Value a, Value b) const override;
  bool areAliasingBufferizedValues(Value a, Value b) const override;
  bool hasUndefinedContents(OpOperand *operand) const override;

  /// How many pairs of lives were compared: the work of the analysis.
  int64_t comparedLives() const { return compared; }

private:
  /// Position of the op that makes a value, and the number of the result;
  /// arguments are made at position -1.
  using Place = std::pair<int64_t, unsigned>;

  /// Of a value in a buffer: from its place to its last read.
  struct Life {
    OpOperand *write = nullptr; ///< in place; none: the buffer begins with it
    int64_t lastRead = -2;
    SmallVector<OpOperand *, 1> lastReads; ///< at that position
  };

  /// Values that share memory.
  struct Buffer {
    std::map<Place, Life> lives;
    bool writable = true, written = false;
  };

  /// Sets of values by their numbers.
  class Sets {
  public:
    void add() { parents.push_back(static_cast<unsigned>(parents.size())); }
    unsigned find(unsigned number) const;
    /// Makes one set of two, whose number is that of `into`.
    void unite(unsigned from, unsigned into);

  private:
    mutable std::vector<unsigned> parents;
  };

  LogicalResult addOp(Operation *op);
  void addValue(Value value, std::optional<Value> definition);
  void addReads(Value value);
  bool isRead(OpOperand &use) const;
  bool isWritable(Value value) const;
  Place placeOf(Value value) const;
  unsigned bufferOf(Value value) const {
    return aliases.find(numbers.at(value));
  }

  /// In place if there is no conflict. False: there is one.
  bool decide(OpOperand &operand);
  bool conflicts(OpOperand &operand, const Buffer &before, const Buffer &after);
  bool conflict(Place first, const Life &a, Place second, const Life &b,
                OpOperand *secondWrite);
  /// An op reads and writes one buffer, and reads no element that it has
  /// written.
  bool mayShare(OpOperand *read, OpOperand *write);

  DenseMap<Operation *, int64_t> positions;
  DenseMap<Value, unsigned> numbers;
  DenseMap<Value, Value> definitions; ///< of values with defined contents
  Sets aliases, equivalents;
  std::vector<Buffer> buffers; ///< by the number of their set
  DenseSet<OpOperand *> inPlace, undefinedUses;
  int64_t compared = 0;
};

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_BUFFERIZATION_INPLACEOPERANDS_H
