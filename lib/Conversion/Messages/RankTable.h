//===- RankTable.h - Programs of each rank and what they exchange  -*- C++
//-*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `soap.programs` of a module as structs, read with diagnostics.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_MESSAGES_RANKTABLE_H
#define SOAP_LIB_CONVERSION_MESSAGES_RANKTABLE_H

#include "Soap/Dialect/Soap/SoapCollectives.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace mlir::soap {

/// A part of a tensor that a program takes or returns.
struct RankTile {
  unsigned tensor = 0; ///< position in `RankTable::tensors`
  ::soap::Region region;
  bool updated = false; ///< an argument that the program overwrites
};

/// The program of one device.
struct Rank {
  int64_t device = 0;
  /// After `soap-plan-memory`: arguments, results as arguments, arena.
  func::FuncOp program;
  /// By slot: the other device of a message, and its number; the position of a
  /// collective in `RankTable::collectives`. -1 where there is none.
  ArrayRef<int64_t> peers, transfers, collectives;
  SmallVector<RankTile> args, results;

  /// The entry of a list by slot; -1 if the list has none.
  static int64_t at(ArrayRef<int64_t> list, int64_t slot);
};

/// An exchange of several devices.
struct RankCollective {
  SmallVector<int32_t> members;
};

/// One entry of `soap.programs`.
struct RankTable {
  StringAttr entry;
  /// Whole tensors, in the order of the table: arguments, then results.
  SmallVector<RankedTensorType> tensors;
  SmallVector<StringAttr> names;
  std::vector<Rank> ranks;
  SmallVector<RankCollective> collectives;
};

/// Reads one entry. An error names what the entry lacks.
FailureOr<RankTable> readRankTable(ModuleOp module, DictionaryAttr entry);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_MESSAGES_RANKTABLE_H
