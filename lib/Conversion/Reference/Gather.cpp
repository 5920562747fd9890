//===- Gather.cpp - Kernels of gather and its gradient --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole rows are copied or added: the inner loops have no condition.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Calls `body(i, row, inside)` for every index: `row` is a row of the table's
/// tile where `inside` holds.
template <typename OpTy, typename Body>
void forEachIndex(OpTy op, KernelBuilder &k, const Tensor &indices,
                  int64_t rows, Body body) {
  auto wrap = static_cast<int64_t>(op.getWrap());
  auto offset = static_cast<int64_t>(op.getOffset());
  k.forEachOf(indices.shape(), [&](ArrayRef<Index> i) {
    Index index = indices.loadIndex(i);
    if (wrap != 0)
      index = select(within(index, 0, std::numeric_limits<int64_t>::max()),
                     index, index + wrap);
    Index row = index - offset;
    body(i, row, within(row, 0, rows));
  });
}

/// Indices of one element of the gathered tensor, and of the table.
SmallVector<Index> join(ArrayRef<Index> front, ArrayRef<Index> back) {
  SmallVector<Index> indices(front);
  indices.append(back.begin(), back.end());
  return indices;
}

void emitGather(GatherOp op, KernelBuilder &k) {
  Tensor table = k.in(0), y = k.out();
  ArrayRef<int64_t> width = table.shape().drop_front();
  forEachIndex(op, k, k.in(1), table.dim(0),
               [&](ArrayRef<Index> i, const Index &row, Condition inside) {
                 k.ifThen(inside, [&] {
                   k.forEachOf(width, [&](ArrayRef<Index> d) {
                     y.storeRaw(join(i, d), table.loadRaw(join(row, d)));
                   });
                 });
                 k.ifThen(!inside, [&] {
                   k.forEachOf(width, [&](ArrayRef<Index> d) {
                     y.set(join(i, d), k.number(0));
                   });
                 });
               });
}

void emitGatherGrad(GatherGradOp op, KernelBuilder &k) {
  Tensor dy = k.in(0), dtable = k.out();
  ArrayRef<int64_t> width = dtable.shape().drop_front();
  k.forEachOf(dtable.shape(),
              [&](ArrayRef<Index> at) { dtable.set(at, k.number(0)); });
  forEachIndex(op, k, k.in(1), dtable.dim(0),
               [&](ArrayRef<Index> i, const Index &row, Condition inside) {
                 k.ifThen(inside, [&] {
                   k.forEachOf(width, [&](ArrayRef<Index> d) {
                     SmallVector<Index> at = join(row, d);
                     dtable.set(at, dtable(at) + dy(join(i, d)));
                   });
                 });
               });
}

} // namespace

bool mlir::soap::emitGatherKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](GatherOp gather) { return emitGather(gather, k), true; })
      .Case([&](GatherGradOp grad) { return emitGatherGrad(grad, k), true; })
      .Default(false);
}
