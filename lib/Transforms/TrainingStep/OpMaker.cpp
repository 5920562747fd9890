//===- OpMaker.cpp - Makes named ops of the dialect -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OpMaker.h.
//
//===----------------------------------------------------------------------===//

#include "OpMaker.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::soap;

Value OpMaker::named(Operation *op, StringRef name) {
  setName(op, name.empty() ? prefix : prefix + "." + name.str());
  return op->getResult(0);
}

Value OpMaker::constant(Type element, ArrayRef<int64_t> shape,
                        ArrayRef<double> values, StringRef name) {
  auto type = RankedTensorType::get(shape, element);
  SmallVector<Attribute> elements;
  for (double value : values)
    elements.push_back(builder.getFloatAttr(element, value));
  return make<ConstantOp>(name, type, DenseElementsAttr::get(type, elements));
}

Value OpMaker::scale(Value x, double factor, StringRef name) {
  return make<ScaleOp>(name, x.getType(), x, builder.getF64FloatAttr(factor));
}

Value OpMaker::cast(Value x, Type element, StringRef name) {
  return elementOf(x) == element ? x : make<CastOp>(name, x, element);
}

Value OpMaker::reduce(Value x, ReduceKind kind, ArrayRef<int64_t> axes,
                      StringRef name) {
  return axes.empty() ? x : make<ReduceOp>(name, x, kind, axes);
}

Value OpMaker::sum(Value x, StringRef name) {
  return reduce(x, ReduceKind::Sum,
                llvm::to_vector(llvm::seq<int64_t>(
                    0, static_cast<int64_t>(shapeOf(x).size()))),
                name);
}

Value OpMaker::reshape(Value x, ArrayRef<int64_t> shape, StringRef name) {
  return shapeOf(x) == shape ? x : make<ReshapeOp>(name, x, shape);
}

Value OpMaker::integerPart(Value x, StringRef name) {
  Type element = elementOf(x);
  auto part = [&](StringRef what) { return (name + "." + what).str(); };
  Value above =
      make<MaximumOp>(part("above"), x, scalar(element, -1e9, part("lowest")));
  Value within = make<MinimumOp>(part("within"), above,
                                 scalar(element, 1e9, part("highest")));
  Value integer = cast(within, builder.getI32Type(), part("integer"));
  return cast(integer, element, name);
}
