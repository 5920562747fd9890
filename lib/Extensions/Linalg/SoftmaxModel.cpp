//===- SoftmaxModel.cpp - linalg.softmax ----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of the softmax are independent: all loops but the one along the dim may
// be cut.
//
//===----------------------------------------------------------------------===//

#include "KernelLoops.h"
#include "Models.h"

#include "Soap/Dialect/Soap/KernelOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

struct SoftmaxSpace
    : public IterationSpaceOpInterface::ExternalModel<SoftmaxSpace,
                                                      linalg::SoftmaxOp> {
  ::soap::IterationSpace getIterationSpace(Operation *op) const {
    ::soap::IterationSpace space = elementwiseSpaceOf(op);
    space.loops[cast<linalg::SoftmaxOp>(op).getDimension()].type =
        ::soap::IteratorType::Serial;
    space.flopsPerPoint = 5;
    return space;
  }
  Operation *localize(Operation *op, OpBuilder &builder,
                      const ::soap::LoopBox &, ArrayRef<::soap::Region>,
                      ArrayRef<::soap::Region> resultRegions,
                      ValueRange tiles) const {
    auto type = cast<RankedTensorType>(localTypes(op, resultRegions)[0]);
    Value init = tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(),
                                         type.getElementType());
    return linalg::SoftmaxOp::create(
        builder, op->getLoc(), type, tiles[0], init,
        cast<linalg::SoftmaxOp>(op).getDimension());
  }
};

struct SoftmaxKernel
    : public KernelOpInterface::ExternalModel<SoftmaxKernel,
                                              linalg::SoftmaxOp> {
  bool readsOperand(Operation *, unsigned number) const { return number == 0; }

  LogicalResult emitKernel(Operation *op, OpBuilder &builder, ValueRange inputs,
                           ValueRange outputs) const {
    Location loc = op->getLoc();
    Value x = inputs[0], y = outputs[0];
    auto type = cast<MemRefType>(y.getType());
    auto element = dyn_cast<FloatType>(type.getElementType());
    if (!element || cast<MemRefType>(x.getType()).getElementType() != element)
      return failure();
    auto dim = static_cast<size_t>(cast<linalg::SoftmaxOp>(op).getDimension());
    SmallVector<int64_t> rows(type.getShape());
    int64_t extent = rows[dim];
    rows.erase(rows.begin() + static_cast<ptrdiff_t>(dim));
    auto number = [&](OpBuilder &inner, double value) -> Value {
      return arith::ConstantOp::create(inner, loc,
                                       inner.getFloatAttr(element, value));
    };
    forEach(builder, loc, rows, [&](OpBuilder &inner, ValueRange row) {
      Value zero = arith::ConstantIndexOp::create(inner, loc, 0),
            one = arith::ConstantIndexOp::create(inner, loc, 1),
            end = arith::ConstantIndexOp::create(inner, loc, extent);
      // Calls `body(builder, indices, value so far)` along the dim.
      auto fold = [&](Value start, auto body) -> Value {
        auto loop = scf::ForOp::create(
            inner, loc, zero, end, one, start,
            [&](OpBuilder &b, Location, Value i, ValueRange soFar) {
              SmallVector<Value> at(row);
              at.insert(at.begin() + static_cast<ptrdiff_t>(dim), i);
              scf::YieldOp::create(b, loc, body(b, at, soFar[0]));
            });
        return loop.getResult(0);
      };
      double low = -std::numeric_limits<double>::infinity();
      Value most = fold(
          number(inner, low), [&](OpBuilder &b, ValueRange at, Value soFar) {
            Value v = memref::LoadOp::create(b, loc, x, at);
            return arith::MaximumFOp::create(b, loc, soFar, v).getResult();
          });
      Value sum =
          fold(number(inner, 0), [&](OpBuilder &b, ValueRange at, Value soFar) {
            Value v = memref::LoadOp::create(b, loc, x, at);
            Value shifted = arith::SubFOp::create(b, loc, v, most);
            Value power = math::ExpOp::create(b, loc, shifted);
            memref::StoreOp::create(b, loc, power, y, at);
            return arith::AddFOp::create(b, loc, soFar, power).getResult();
          });
      (void)fold(sum, [&](OpBuilder &b, ValueRange at, Value total) {
        Value v = memref::LoadOp::create(b, loc, y, at);
        Value quotient = arith::DivFOp::create(b, loc, v, total);
        memref::StoreOp::create(b, loc, quotient, y, at);
        return total;
      });
    });
    return success();
  }
};

} // namespace

void mlir::soap::attachSoftmaxModel(MLIRContext *context) {
  linalg::SoftmaxOp::attachInterface<SoftmaxSpace, SoftmaxKernel>(*context);
}
