//===- OpMaker.h - Makes named ops of the dialect ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses, schedules and the clipping of gradients are composed of small ops,
// each of which needs a name.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_TRAININGSTEP_OPMAKER_H
#define SOAP_LIB_TRANSFORMS_TRAININGSTEP_OPMAKER_H

#include "Soap/Dialect/Soap/SoapOps.h"

#include <functional>
#include <string>

namespace mlir::soap {

class OpMaker {
public:
  /// Gives an op a name that no other op has, made of the given one.
  using Namer = std::function<void(Operation *op, StringRef name)>;

  /// Ops are created at the insertion point of `builder`, which outlives the
  /// maker, and are called `prefix`.name, or `prefix` if the name is empty.
  OpMaker(OpBuilder &builder, Location loc, std::string prefix, Namer setName)
      : builder(builder), loc(loc), prefix(std::move(prefix)),
        setName(std::move(setName)) {}

  /// The first result of a new op.
  template <typename Op, typename... Arguments>
  Value make(StringRef name, Arguments &&...arguments) {
    return named(
        Op::create(builder, loc, std::forward<Arguments>(arguments)...), name);
  }

  /// A constant tensor; `values` are all its elements or the value of each.
  Value constant(Type element, ArrayRef<int64_t> shape, ArrayRef<double> values,
                 StringRef name);
  Value scalar(Type element, double value, StringRef name) {
    return constant(element, {}, value, name);
  }
  /// factor * x.
  Value scale(Value x, double factor, StringRef name);
  /// `x`, with a conversion where it has other elements.
  Value cast(Value x, Type element, StringRef name);
  /// Over `axes`, which the result lacks.
  Value reduce(Value x, ReduceKind kind, ArrayRef<int64_t> axes,
               StringRef name);
  /// The sum of all elements, of rank 0.
  Value sum(Value x, StringRef name);
  Value reshape(Value x, ArrayRef<int64_t> shape, StringRef name);
  /// A number of the same shape within 1 of `x` (of the nearest bound, where
  /// |x| is above 1e9), through which no gradient flows: it has been an
  /// integer.
  Value integerPart(Value x, StringRef name);

  static ArrayRef<int64_t> shapeOf(Value x) { return typeOf(x).getShape(); }
  static Type elementOf(Value x) { return typeOf(x).getElementType(); }

private:
  static RankedTensorType typeOf(Value x) {
    return llvm::cast<RankedTensorType>(x.getType());
  }
  Value named(Operation *op, StringRef name);

  OpBuilder &builder;
  Location loc;
  std::string prefix;
  Namer setName;
};

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_TRAININGSTEP_OPMAKER_H
