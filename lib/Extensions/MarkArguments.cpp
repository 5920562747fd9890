//===- MarkArguments.cpp - What the arguments of a function are -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds and sample dims of arguments by number, and extents for dynamic dims.
//
//===----------------------------------------------------------------------===//

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Extensions/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
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
    if (!chosen || failed(mark(chosen)) || failed(fixSizes(chosen)))
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

  /// Extents by argument and dim; none, with an error, if an entry of `sizes`
  /// is not one of a dynamic dim.
  std::optional<llvm::DenseMap<std::pair<unsigned, unsigned>, int64_t>>
  parseSizes(func::FuncOp chosen) {
    llvm::DenseMap<std::pair<unsigned, unsigned>, int64_t> extents;
    for (const std::string &entry : sizes) {
      auto fail = [&](const Twine &why) {
        chosen.emitError() << "option 'sizes': '" << entry << "' " << why;
        return std::nullopt;
      };
      auto [place, size] = StringRef(entry).split(':');
      auto [argument, dim] = place.split('.');
      unsigned number = 0, position = 0;
      int64_t extent = 0;
      if (argument.getAsInteger(10, number) || dim.getAsInteger(10, position) ||
          size.getAsInteger(10, extent) || extent < 1)
        return fail("is not ARGUMENT.DIM:EXTENT with a positive extent, such "
                    "as 0.1:128");
      if (number >= chosen.getNumArguments())
        return fail("names no argument of '@" + chosen.getName() +
                    "', which has " + Twine(chosen.getNumArguments()));
      auto type = dyn_cast<RankedTensorType>(chosen.getArgumentTypes()[number]);
      if (!type || position >= type.getRank() || !type.isDynamicDim(position)) {
        std::string shown;
        llvm::raw_string_ostream(shown) << chosen.getArgumentTypes()[number];
        return fail("is no dynamic dim: argument " + Twine(number) +
                    " has type " + shown);
      }
      auto [known, isNew] =
          extents.try_emplace(std::pair(number, position), extent);
      if (!isNew && known->second != extent)
        return fail("gives a dim a second extent");
    }
    return extents;
  }

  /// Arguments get their static types and are cast to the old ones; casts
  /// vanish as upstream's passes make their users static.
  LogicalResult fixSizes(func::FuncOp chosen) {
    if (batch == 0 && sizes.empty())
      return success();
    if (batch < 0)
      return chosen.emitError() << "option 'batch=" << batch.getValue()
                                << "': expected a positive number";
    if (!chosen.getBody().hasOneBlock())
      return chosen.emitError()
             << "'@" << chosen.getName() << "' has several blocks, expected "
             << "one for 'batch' and 'sizes'";
    auto extents = parseSizes(chosen);
    if (!extents)
      return failure();
    Block &body = chosen.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    for (BlockArgument argument : body.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type || type.hasStaticShape())
        continue;
      SmallVector<int64_t> shape(type.getShape());
      for (auto [d, extent] : llvm::enumerate(shape)) {
        if (!ShapedType::isDynamic(extent))
          continue;
        auto given = extents->find(
            std::pair(argument.getArgNumber(), static_cast<unsigned>(d)));
        if (given != extents->end())
          extent = given->second;
        else if (d == 0 && batch > 0)
          extent = batch;
      }
      auto fixed = RankedTensorType::get(shape, type.getElementType());
      if (fixed == type)
        continue;
      argument.setType(fixed);
      auto cast =
          tensor::CastOp::create(builder, argument.getLoc(), type, argument);
      argument.replaceAllUsesExcept(cast, cast);
    }
    setTypes(chosen);
    do {
      OpPassManager pipeline(ModuleOp::getOperationName());
      pipeline.addNestedPass<func::FuncOp>(createCanonicalizerPass());
      pipeline.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
      pipeline.addNestedPass<func::FuncOp>(createCanonicalizerPass());
      if (failed(runPipeline(pipeline, getOperation())))
        return failure();
    } while (passCasts(body));
    for (OpOperand &result : body.getTerminator()->getOpOperands())
      while (auto cast = result.get().getDefiningOp<tensor::CastOp>())
        result.set(cast.getSource());
    setTypes(chosen);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
    return checkStatic(chosen);
  }

  /// Concatenations of what was cast to a dynamic type are static; upstream has
  /// no pattern for it. Whether there was one.
  static bool passCasts(Block &body) {
    bool changed = false;
    for (auto concat :
         llvm::make_early_inc_range(body.getOps<tensor::ConcatOp>())) {
      SmallVector<Value> inputs(concat.getInputs());
      SmallVector<Type> types;
      for (Value &input : inputs) {
        if (auto cast = input.getDefiningOp<tensor::CastOp>();
            cast && isa<RankedTensorType>(cast.getSource().getType()))
          input = cast.getSource();
        types.push_back(input.getType());
      }
      RankedTensorType type =
          tensor::ConcatOp::inferResultType(concat.getDim(), types);
      if (type == concat.getResultType() || !type.hasStaticShape())
        continue;
      OpBuilder builder(concat);
      Value whole = tensor::ConcatOp::create(builder, concat.getLoc(), type,
                                             concat.getDim(), inputs);
      concat.replaceAllUsesWith(tensor::CastOp::create(builder, concat.getLoc(),
                                                       concat.getResultType(),
                                                       whole)
                                    .getResult());
      concat.erase();
      changed = true;
    }
    return changed;
  }

  static LogicalResult checkStatic(func::FuncOp chosen) {
    for (auto [i, type] : llvm::enumerate(chosen.getArgumentTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || tensor.hasStaticShape())
        continue;
      int64_t dim = 0;
      while (!tensor.isDynamicDim(dim))
        ++dim;
      return chosen.emitError()
             << "argument " << i << " has type " << type << " whose dim " << dim
             << " is dynamic, expected an extent by "
             << "'--soap-mark-arguments=sizes=" << i << "." << dim << ":N'";
    }
    for (auto [i, type] : llvm::enumerate(chosen.getResultTypes()))
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          tensor && !tensor.hasStaticShape())
        return chosen.emitError()
               << "result " << i << " has type " << type
               << " although no argument is dynamic, expected extents that "
                  "follow from the dims of arguments";
    for (Operation &op : chosen.getBody().front())
      for (Type type : op.getResultTypes())
        if (auto tensor = dyn_cast<RankedTensorType>(type);
            tensor && !tensor.hasStaticShape())
          return op.emitError()
                 << "'" << op.getName() << "' has a result of type " << type
                 << " although no argument is dynamic, expected extents that "
                    "follow from the dims of arguments";
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
