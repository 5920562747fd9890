//===- MarkArguments.cpp - What the arguments of a function are -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds and sample dims of arguments by number, and a batch size for dynamic
// dims.
//
//===----------------------------------------------------------------------===//

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Extensions/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPMARKARGUMENTS
#include "Soap/Extensions/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Numbers below `count` of a list such as `0,2-4`; none, with an error, if it
/// is no such list.
std::optional<SmallVector<unsigned>>
parseNumbers(func::FuncOp function, StringRef option, StringRef list) {
  SmallVector<unsigned> numbers;
  unsigned count = function.getNumArguments();
  auto fail = [&](StringRef what) {
    function.emitError() << "option '" << option << "=" << list << "': '"
                         << what << "' is no argument of '@"
                         << function.getName() << "', expected numbers and "
                         << "ranges from 0 to " << static_cast<int>(count) - 1
                         << ", such as 0,2-4";
    return std::nullopt;
  };
  SmallVector<StringRef> parts;
  list.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/true);
  if (list.empty())
    return numbers;
  for (StringRef part : parts) {
    auto [from, to] = part.split('-');
    unsigned first = 0, last = 0;
    if (from.getAsInteger(10, first) ||
        (part.contains('-') ? to.getAsInteger(10, last)
                            : ((last = first), false)) ||
        first > last || last >= count)
      return fail(part);
    for (unsigned i = first; i <= last; ++i)
      numbers.push_back(i);
  }
  return numbers;
}

struct MarkArgumentsPass
    : public mlir::soap::impl::SoapMarkArgumentsBase<MarkArgumentsPass> {
  using SoapMarkArgumentsBase::SoapMarkArgumentsBase;

  void runOnOperation() override {
    func::FuncOp chosen = chooseFunction();
    if (!chosen || failed(mark(chosen)) || failed(fixBatch(chosen)))
      signalPassFailure();
  }

private:
  func::FuncOp chooseFunction() {
    SmallVector<func::FuncOp> candidates;
    for (auto one : getOperation().getOps<func::FuncOp>())
      if (!one.isExternal() && (function.empty() || one.getName() == function))
        candidates.push_back(one);
    if (candidates.size() == 1)
      return candidates.front();
    if (function.empty())
      getOperation().emitError()
          << "has " << candidates.size()
          << " functions with a body, expected one or the option "
             "'function=NAME'";
    else
      getOperation().emitError() << "option 'function=" << function
                                 << "' names no function with a body";
    return nullptr;
  }

  LogicalResult mark(func::FuncOp chosen) {
    Builder builder(&getContext());
    llvm::DenseMap<unsigned, StringRef> known;
    for (auto [option, list, kind] :
         {std::tuple<StringRef, StringRef, StringRef>{"data", data, "data"},
          {"labels", labels, "label"},
          {"parameters", parameters, "parameter"},
          {"states", states, "state"}}) {
      auto numbers = parseNumbers(chosen, option, list);
      if (!numbers)
        return failure();
      for (unsigned number : *numbers) {
        auto [other, isNew] = known.try_emplace(number, option);
        if (!isNew)
          return chosen.emitError()
                 << "argument " << number << " is in '" << other->second
                 << "' and in '" << option << "', expected one of them";
        chosen.setArgAttr(number, SoapDialect::kKind,
                          builder.getStringAttr(kind));
        bool hasSamples = kind == "data" || kind == "label";
        if (hasSamples && failed(markSamples(chosen, number)))
          return failure();
      }
    }
    return success();
  }

  LogicalResult markSamples(func::FuncOp chosen, unsigned number) {
    auto type = dyn_cast<RankedTensorType>(chosen.getArgumentTypes()[number]);
    if (sampleDim < 0 || !type || type.getRank() == 0)
      return success();
    if (sampleDim >= type.getRank())
      return chosen.emitError()
             << "option 'sample-dim=" << sampleDim.getValue() << "': argument "
             << number << " has type " << type << ", which has no such dim";
    chosen.setArgAttr(number, SoapDialect::kSampleDim,
                      Builder(&getContext()).getI64IntegerAttr(sampleDim));
    return success();
  }

  /// Arguments get their static types and are cast to the old ones; casts
  /// vanish as canonicalization makes their users static.
  LogicalResult fixBatch(func::FuncOp chosen) {
    if (batch == 0)
      return success();
    if (batch < 0)
      return chosen.emitError() << "option 'batch=" << batch.getValue()
                                << "': expected a positive number";
    if (!chosen.getBody().hasOneBlock())
      return chosen.emitError()
             << "'@" << chosen.getName() << "' has several blocks, expected "
             << "one for 'batch'";
    Block &body = chosen.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    for (BlockArgument argument : body.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type || type.getRank() == 0 || !type.isDynamicDim(0))
        continue;
      SmallVector<int64_t> shape(type.getShape());
      shape[0] = batch;
      argument.setType(RankedTensorType::get(shape, type.getElementType()));
      auto cast =
          tensor::CastOp::create(builder, argument.getLoc(), type, argument);
      argument.replaceAllUsesExcept(cast, cast);
    }
    setTypes(chosen);
    OpPassManager pipeline(ModuleOp::getOperationName());
    pipeline.addNestedPass<func::FuncOp>(createCanonicalizerPass());
    if (failed(runPipeline(pipeline, getOperation())))
      return failure();
    for (OpOperand &result : body.getTerminator()->getOpOperands())
      while (auto cast = result.get().getDefiningOp<tensor::CastOp>())
        result.set(cast.getSource());
    setTypes(chosen);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
    return success();
  }

  void setTypes(func::FuncOp chosen) {
    Block &body = chosen.getBody().front();
    chosen.setFunctionType(
        FunctionType::get(&getContext(), body.getArgumentTypes(),
                          body.getTerminator()->getOperandTypes()));
  }
};

} // namespace
