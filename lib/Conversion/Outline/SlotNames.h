//===- SlotNames.h - Which ops of the model a slot computes -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decision about an op of a program must often be the same for the same op
// of the model in all programs of an entry: replicas of a tile hold the same
// bits, whatever else their devices compute. Entries may differ: one computes
// in bf16, another one in f32.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_OUTLINE_SLOTNAMES_H
#define SOAP_LIB_CONVERSION_OUTLINE_SLOTNAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <set>

namespace mlir::soap {

class SlotNames {
public:
  /// Reads the rank tables of the module (`soap.programs`), which stays.
  explicit SlotNames(ModuleOp module);

  /// The ops of the model that `op` computes, as names of entry and op: several
  /// where its program is that of several devices; none without a slot.
  std::set<StringRef> of(func::FuncOp program, Operation *op) const;

private:
  llvm::StringSet<> texts;
  std::map<std::pair<StringRef, int64_t>, std::set<StringRef>> names;
};

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_OUTLINE_SLOTNAMES_H
