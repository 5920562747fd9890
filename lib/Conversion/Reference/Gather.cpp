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

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Of an index: its row, which may be none of the table's tile.
template <typename OpTy>
Index rowOf(OpTy op, const Tensor &indices, ArrayRef<Index> i) {
  auto wrap = static_cast<int64_t>(op.getWrap());
  Index index = indices.loadIndex(i);
  if (wrap != 0)
    index = select(within(index, 0, std::numeric_limits<int64_t>::max()), index,
                   index + wrap);
  return index - static_cast<int64_t>(op.getOffset());
}

/// Indices of one element of the gathered tensor, and of the table.
SmallVector<Index> join(ArrayRef<Index> front, ArrayRef<Index> back) {
  SmallVector<Index> indices(front);
  indices.append(back.begin(), back.end());
  return indices;
}

/// Calls `body(i, row, inside)` for every index: `row` is a row of the table's
/// tile where `inside` holds.
template <typename OpTy, typename Body>
void forEachIndex(OpTy op, KernelBuilder &k, const Tensor &indices,
                  int64_t rows, Body body) {
  k.forEachOf(indices.shape(), [&](ArrayRef<Index> i) {
    Index row = rowOf(op, indices, i);
    body(i, row, within(row, 0, rows));
  });
}

/// An element is a thread's.
void emitGatherOfThreads(GatherOp op, KernelBuilder &k) {
  Tensor table = k.in(0), indices = k.in(1), y = k.out();
  size_t rank = indices.shape().size();
  k.forEachOf(y.shape(), [&](ArrayRef<Index> at) {
    Index row = rowOf(op, indices, at.take_front(rank));
    Condition inside = within(row, 0, table.dim(0));
    k.ifThenElse(
        inside,
        [&] { y.storeRaw(at, table.loadRaw(join(row, at.drop_front(rank)))); },
        [&] { y.set(at, k.number(0)); });
  });
}

void emitGather(GatherOp op, KernelBuilder &k) {
  if (k.forThreads)
    return emitGatherOfThreads(op, k);
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

/// The first `front` dims as one, and the others.
Tensor asMatrix(KernelBuilder &k, const Tensor &tensor, size_t front) {
  size_t rank = tensor.shape().size();
  SmallVector<ReassociationIndices> groups(2);
  for (size_t dim = 0; dim < rank; ++dim)
    groups[dim < front ? 0 : 1].push_back(static_cast<int64_t>(dim));
  auto type =
      MemRefType::get({llvm::product_of(tensor.shape().take_front(front)),
                       llvm::product_of(tensor.shape().drop_front(front))},
                      tensor.elementType());
  if (rank == 2)
    return tensor;
  return Tensor(k, memref::CollapseShapeOp::create(k.builder, k.loc, type,
                                                   tensor.getBuffer(), groups));
}

/// Indices of the same row are a list in their order, from the first one on,
/// which sums for all of them: no row has two threads, and sums have the order
/// of the indices.
void emitGatherGradOfThreads(GatherGradOp op, KernelBuilder &k) {
  Tensor indices = k.in(1).flattened(), dtable = asMatrix(k, k.out(), 1);
  Tensor dy = asMatrix(k, k.in(0), k.in(1).shape().size());
  int64_t count = indices.dim(0);
  Type i32 = k.builder.getI32Type();
  Tensor before = k.allocate({count}, i32), next = k.allocate({count}, i32);
  auto narrow = [&](const Index &index) -> Value {
    return arith::IndexCastOp::create(k.builder, k.loc, i32,
                                      k.materialize(index));
  };
  // The nearest index behind, and the first one before, that has the same row;
  // else `count`.
  k.forEach({count}, [&](Index i) {
    Index row = rowOf(op, indices, {i});
    Value none = narrow(k.constant(count));
    SmallVector<Value> found = k.foldOf(
        {count}, {none, none}, [&](ArrayRef<Index> j, ArrayRef<Value> nearest) {
          Condition same = rowOf(op, indices, j) == row;
          Value here = narrow(j[0]);
          SmallVector<Value> results;
          Condition sides[] = {within(j[0] - i, 1, count),
                               within(i - j[0], 1, count)};
          for (auto [value, onSide] : llvm::zip(nearest, sides)) {
            Value candidate = arith::SelectOp::create(
                k.builder, k.loc, k.materialize(same && onSide), here, none);
            results.push_back(
                arith::MinSIOp::create(k.builder, k.loc, value, candidate));
          }
          return results;
        });
    next.storeRaw({i}, found[0]);
    before.storeRaw({i}, found[1]);
  });
  k.forEachOf(dtable.shape(),
              [&](ArrayRef<Index> at) { dtable.set(at, k.number(0)); });
  k.forEach({count, dtable.dim(1)}, [&](Index i, Index d) {
    k.markIndependent();
    Index row = rowOf(op, indices, {i});
    Condition isFirst = before.loadIndex({i}) == k.constant(count);
    k.ifThen(isFirst && within(row, 0, dtable.dim(0)), [&] {
      Value zero = k.number(0).value;
      auto list = scf::WhileOp::create(
          k.builder, k.loc, TypeRange{k.builder.getIndexType(), zero.getType()},
          ValueRange{k.materialize(i), zero},
          [&](OpBuilder &, Location loc, ValueRange at) {
            Value isIndex =
                arith::CmpIOp::create(k.builder, loc, arith::CmpIPredicate::slt,
                                      at[0], k.materialize(k.constant(count)));
            scf::ConditionOp::create(k.builder, loc, isIndex, at);
          },
          [&](OpBuilder &, Location loc, ValueRange at) {
            Index j{&k, at[0], 0, count - 1};
            Scalar sum = Scalar{&k, at[1]} + dy({j, d});
            Index following = next.loadIndex({j});
            scf::YieldOp::create(k.builder, loc,
                                 ValueRange{following.value, sum.value});
          });
      dtable.set({row, d}, Scalar{&k, list.getResult(1)});
    });
  });
}

void emitGatherGrad(GatherGradOp op, KernelBuilder &k) {
  // Looking for equal rows takes the square of the number of indices.
  constexpr int64_t maxIndices = 65536;
  int64_t count = llvm::product_of(k.in(1).shape());
  if (k.forThreads && count > 1 && count <= maxIndices &&
      k.in(1).shape().size() > 0 && k.out().shape().size() > 1)
    return emitGatherGradOfThreads(op, k);
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
