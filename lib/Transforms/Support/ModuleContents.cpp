//===- ModuleContents.cpp - What a module holds, for messages -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ModuleContents.h.
//
//===----------------------------------------------------------------------===//

#include "ModuleContents.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapInterfaces.h"
#include "Soap/Transforms/SourceFile.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::soap;

/// `12 linalg ops, 1 tensor op`, in the order in which the dialects occur;
/// empty if there are no ops but terminators.
static std::string describeOps(func::FuncOp function) {
  llvm::MapVector<StringRef, int64_t> counts;
  function.getBody().walk([&](Operation *op) {
    if (!op->hasTrait<OpTrait::IsTerminator>())
      ++counts[op->getName().getDialectNamespace()];
  });
  return llvm::join(llvm::map_range(counts,
                                    [](const auto &count) {
                                      auto [dialect, ops] = count;
                                      return std::to_string(ops) + " " +
                                             dialect.str() +
                                             (ops == 1 ? " op" : " ops");
                                    }),
                    ", ");
}

std::string mlir::soap::describeFunctions(ModuleOp module) {
  constexpr size_t maxListed = 5;
  SmallVector<std::string> listed;
  size_t count = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (++count > maxListed)
      continue;
    std::string ops = describeOps(function);
    if (ops.empty())
      ops = function.isExternal() ? "no body" : "no ops";
    listed.push_back(("'@" + function.getName() + "' (" + ops + ")").str());
  }
  if (listed.empty())
    return "no function";
  std::string text = llvm::join(listed, ", ");
  if (count > maxListed)
    text += " and " + std::to_string(count - maxListed) + " more";
  return text;
}

LogicalResult mlir::soap::checkModelOps(func::FuncOp function) {
  Operation *first = nullptr;
  for (Operation &op : function.getBody().getOps()) {
    if (isa<IterationSpaceOpInterface>(op) ||
        isa_and_nonnull<SoapDialect>(op.getDialect()))
      return success();
    if (!first && !op.hasTrait<OpTrait::IsTerminator>())
      first = &op;
  }
  if (!first)
    return success();
  StringRef import = describeImportOf(first->getName().getDialectNamespace());
  return function.emitError()
         << "'@" << function.getName()
         << "' has no op that a strategy can distribute: found "
         << describeOps(function) << ", the first is '" << first->getName()
         << "'; expected ops that implement 'IterationSpaceOpInterface', as "
            "the ops of the dialect 'soap' do ("
         << (import.empty() ? "'soap-translate' imports models" : import)
         << ")";
}
