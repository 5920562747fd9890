//===- Differentiation.cpp - Reverse-mode differentiation -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One backward walk over the ops of a block. When the walk reaches an op, all
// uses of its results have been visited, so their gradients are complete.
//
//===----------------------------------------------------------------------===//

#include "Differentiation.h"

#include "Soap/Dialect/Soap/LoopCorrespondence.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::soap;

namespace {
class Backward {
public:
  Backward(OpBuilder &builder, Block &block, ArrayRef<Value> wanted)
      : builder(builder), wanted(wanted) {
    active.insert_range(wanted);
    for (Operation &op : block) {
      ops.push_back(&op);
      if (isConstantNearby(&op))
        continue;
      if (llvm::any_of(op.getOperands(),
                       [&](Value operand) { return active.contains(operand); }))
        for (Value result : op.getResults())
          if (isDifferentiableType(result.getType()))
            active.insert(result);
    }
  }

  LogicalResult run(llvm::DenseMap<Value, Value> &gradients) {
    for (auto [root, seed] : gradients)
      contribute(root, seed);
    for (Operation *op : llvm::reverse(ops))
      if (failed(visit(op)))
        return failure();
    for (Value value : wanted)
      if (Value gradient = total(value))
        gradients[value] = gradient;
    return success();
  }

private:
  static bool isDifferentiableType(Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  }

  /// Ops with derivative zero wherever they have one, as in PyTorch, and what
  /// is told to have none: nothing flows back through them.
  static bool isConstantNearby(Operation *op) {
    return isa<StopGradientOp, SignOp, GreaterOp, GreaterEqualOp, EqualOp>(op);
  }

  void contribute(Value value, Value gradient) {
    if (active.contains(value))
      contributions[value].push_back(gradient);
  }

  LogicalResult visit(Operation *op) {
    if (llvm::none_of(op->getResults(), [&](Value result) {
          return contributions.contains(result);
        }))
      return success();
    SmallVector<bool> operandWanted;
    for (Value operand : op->getOperands())
      operandWanted.push_back(active.contains(operand));
    // A wanted value may be an intermediate result: nothing lies behind it.
    if (llvm::none_of(operandWanted, [](bool wanted) { return wanted; }))
      return success();
    auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
    if (!differentiable)
      return notDifferentiable(op);
    SmallVector<Value> resultGrads, operandGrads;
    for (Value result : op->getResults())
      resultGrads.push_back(total(result));
    if (failed(differentiable.buildGradient(builder, resultGrads, operandWanted,
                                            operandGrads)))
      return failure();
    for (auto [operand, gradient] :
         llvm::zip_equal(op->getOperands(), operandGrads))
      if (gradient)
        contribute(operand, gradient);
    return success();
  }

  static LogicalResult notDifferentiable(Operation *op) {
    InFlightDiagnostic diagnostic =
        op->emitOpError("is not differentiable, and the loss depends on "
                        "parameters through it");
    if (auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName))
      diagnostic << " (op '" << name.getValue() << "')";
    return diagnostic;
  }

  /// Sum of the contributions of all uses, null without any.
  Value total(Value value) {
    auto it = contributions.find(value);
    if (it == contributions.end())
      return Value();
    SmallVector<Value> &parts = it->second;
    if (parts.size() > 1) {
      Operation *joined = concatenate(value, parts);
      if (!joined)
        joined = AccumulateOp::create(builder, value.getLoc(), value.getType(),
                                      ValueRange(parts));
      markJoined(value, joined);
      parts = {joined->getResult(0)};
    }
    return parts.front();
  }

  /// A value that was taken apart along a dim (the queries, keys and values of
  /// attention) has a gradient that is assembled: no sum of tensors that are
  /// mostly zeros. Null unless the parts are pads with zeros of what covers the
  /// value without overlap.
  Operation *concatenate(Value value, ArrayRef<Value> parts) {
    SmallVector<PadOp> pads;
    for (Value part : parts) {
      auto pad = part.getDefiningOp<PadOp>();
      if (!pad || !part.use_empty() || !pad.getValue().isZero() ||
          llvm::any_of(pad.getInterior(), [](int64_t i) { return i != 0; }))
        return nullptr;
      pads.push_back(pad);
    }
    auto shapeOf = [](Value v) {
      return cast<RankedTensorType>(v.getType()).getShape();
    };
    ArrayRef<int64_t> whole = shapeOf(value);
    size_t axis = 0;
    while (axis < whole.size() && shapeOf(pads[0].getX())[axis] == whole[axis])
      ++axis;
    if (axis == whole.size())
      return nullptr;
    llvm::sort(pads, [&](PadOp a, PadOp b) {
      return a.getLow()[axis] < b.getLow()[axis];
    });
    int64_t end = 0;
    SmallVector<Value> operands;
    for (PadOp pad : pads) {
      for (size_t d = 0; d < whole.size(); ++d)
        if (pad.getLow()[d] != (d == axis ? end : 0) ||
            (d != axis && shapeOf(pad.getX())[d] != whole[d]))
          return nullptr;
      end += shapeOf(pad.getX())[axis];
      operands.push_back(pad.getX());
    }
    if (end != whole[axis])
      return nullptr;
    auto result = ConcatOp::create(builder, value.getLoc(), value.getType(),
                                   operands, axis);
    for (PadOp pad : pads)
      pad.erase();
    return result;
  }

  /// The gradient is split like the value: as a result of the op that makes it,
  /// or as an operand of the first op that uses it.
  void markJoined(Value value, Operation *sum) {
    Operation *forward = value.getDefiningOp();
    unsigned tensor = 0;
    std::string name;
    if (forward) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      tensor = forward->getNumOperands() + number;
      if (auto attr = forward->getAttrOfType<StringAttr>(SoapDialect::kName))
        name = attr.str() + (number ? "." + std::to_string(number) : "");
    } else {
      auto argument = cast<BlockArgument>(value);
      name = argumentName(argument);
      for (Operation *op : ops)
        // An op that is gone behind the backward pass is no model of a split.
        if (auto operand = llvm::find(op->getOperands(), value);
            operand != op->operand_end() && !isa<StopGradientOp>(op)) {
          forward = op;
          tensor = operand - op->operand_begin();
          break;
        }
    }
    if (!name.empty())
      sum->setAttr(SoapDialect::kName,
                   builder.getStringAttr(name + ".grad_sum"));
    auto pairs =
        correspondingLoops(sum, sum->getNumOperands(), forward, tensor);
    SmallVector<std::pair<StringRef, StringRef>> views(pairs.begin(),
                                                       pairs.end());
    setGradientOf(sum, forward, views);
  }

  static std::string argumentName(BlockArgument argument) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (!function)
      return "";
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      SoapDialect::kName);
    return name ? name.str() : "";
  }

  OpBuilder &builder;
  ArrayRef<Value> wanted;
  /// The ops to differentiate, without those that are being added.
  SmallVector<Operation *> ops;
  /// Values that depend on a wanted one.
  llvm::DenseSet<Value> active;
  llvm::DenseMap<Value, SmallVector<Value>> contributions;
};
} // namespace

LogicalResult
mlir::soap::buildBackward(OpBuilder &builder, Block &block,
                          ArrayRef<Value> wanted,
                          llvm::DenseMap<Value, Value> &gradients) {
  return Backward(builder, block, wanted).run(gradients);
}
