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
#include "llvm/Support/MathExtras.h"

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

/// Indices in the order of their rows: `rows` ascend, and of equal ones the
/// `places` - which index it was - do. Indices that are none of the table's
/// tile come last, with the row behind it.
struct SortedRows {
  Tensor rows, places;
  int64_t outside; ///< the row behind the tile

  SortedRows(KernelBuilder &k, int64_t count, int64_t outside)
      : rows(k.allocate({count}, k.builder.getI32Type())),
        places(k.allocate({count}, k.builder.getI32Type())), outside(outside) {}

  Index rowAt(const Index &i) const {
    Index row = rows.loadIndex({i});
    return {row.k, row.value, 0, outside};
  }
  Index placeAt(const Index &i) const {
    Index place = places.loadIndex({i});
    return {place.k, place.value, 0, places.dim(0) - 1};
  }
  void set(const Index &at, const Index &row, const Index &place) const {
    KernelBuilder &k = *at.k;
    for (auto [tensor, index] :
         {std::pair(rows, row), std::pair(places, place)})
      tensor.storeRaw({at}, arith::IndexCastOp::create(k.builder, k.loc,
                                                       tensor.elementType(),
                                                       k.materialize(index)));
  }
};

/// Sorts blocks of `block` indices: the place of each is the number of those
/// that come before it.
void emitSortBlocks(GatherGradOp op, KernelBuilder &k, const Tensor &indices,
                    int64_t block, const SortedRows &sorted) {
  int64_t count = indices.dim(0), outside = sorted.outside;
  auto rowAt = [&](const Index &i) {
    Index row = rowOf(op, indices, {i});
    return select(within(row, 0, outside), row, k.constant(outside));
  };
  k.forEach({count}, [&](Index i) {
    k.markIndependent();
    Index own = rowAt(i), first = i / block * block;
    Value none = arith::ConstantIntOp::create(k.builder, k.loc, 0, 32);
    Value before = k.foldOf(
        {block}, {none}, [&](ArrayRef<Index> j, ArrayRef<Value> before) {
          Index other = first + j[0], at = min(other, k.constant(count - 1));
          Index least =
              select(within(i - other, 1, count), k.constant(0), k.constant(1));
          Condition counts = within(own - rowAt(at) - least, 0, outside + 1) &&
                             within(other, 0, count);
          Value one = arith::ExtUIOp::create(k.builder, k.loc, none.getType(),
                                             k.materialize(counts));
          return SmallVector<Value>{
              arith::AddIOp::create(k.builder, k.loc, before[0], one)};
        })[0];
    Value position = arith::IndexCastOp::create(
        k.builder, k.loc, k.builder.getIndexType(), before);
    sorted.set(first + Index{&k, position, 0, block - 1}, own, i);
  });
}

/// Merges pairs of sorted runs of `length` indices. The place of each is what
/// its own run has before it and what a binary search finds in the other one.
void emitMergeRuns(KernelBuilder &k, const SortedRows &runs, int64_t length,
                   const SortedRows &merged) {
  int64_t count = runs.rows.dim(0), outside = runs.outside;
  k.forEach({count}, [&](Index i) {
    k.markIndependent();
    Index own = runs.rowAt(i), pair = i / (2 * length) * (2 * length);
    Index middle = min(pair + length, k.constant(count));
    Condition isRight = within(i - middle, 0, count);
    Index begin = select(isRight, pair, middle);
    Index end =
        select(isRight, middle, min(middle + length, k.constant(count)));
    // Of equal rows, the left run's come first.
    Index bound = own + select(isRight, k.constant(1), k.constant(0));
    auto steps = static_cast<int64_t>(llvm::Log2_64(length)) + 1;
    Value found =
        k.foldOf({steps}, {k.materialize(begin), k.materialize(end)},
                 [&](ArrayRef<Index>, ArrayRef<Value> range) {
                   Index low{&k, range[0], 0, count},
                       high{&k, range[1], 0, count};
                   Index half = (low + high) / 2;
                   Index row = runs.rowAt(min(half, k.constant(count - 1)));
                   Condition isAbove = within(high - low, 1, count + 1) &&
                                       within(bound - row, 1, outside + 2);
                   return SmallVector<Value>{
                       k.materialize(select(isAbove, half + 1, low)),
                       k.materialize(select(isAbove, high, half))};
                 })[0];
    merged.set(i + Index{&k, found, 0, count} - middle, own, runs.placeAt(i));
  });
}

/// Indices are sorted by their rows; then the first one of each row sums for
/// all of them: no row has two threads, and sums have the order of the indices.
void emitGatherGradOfThreads(GatherGradOp op, KernelBuilder &k) {
  Tensor indices = k.in(1).flattened(), dtable = asMatrix(k, k.out(), 1);
  Tensor dy = asMatrix(k, k.in(0), k.in(1).shape().size());
  int64_t count = indices.dim(0), rows = dtable.dim(0);
  // So many comparisons of an index take less than launches that merge.
  constexpr int64_t maxBlock = 1024;
  int64_t length = std::min(count, maxBlock);
  SortedRows sorted(k, count, rows);
  emitSortBlocks(op, k, indices, length, sorted);
  for (; length < count; length *= 2) {
    SortedRows merged(k, count, rows);
    emitMergeRuns(k, sorted, length, merged);
    sorted = merged;
  }
  k.forEachOf(dtable.shape(),
              [&](ArrayRef<Index> at) { dtable.set(at, k.number(0)); });
  k.forEach({count, dtable.dim(1)}, [&](Index i, Index d) {
    k.markIndependent();
    Index row = sorted.rowAt(i);
    Condition follows =
        within(i, 1, count) && sorted.rowAt(max(i - 1, k.constant(0))) == row;
    k.ifThen(!follows && within(row, 0, rows), [&] {
      Value zero = k.number(0).value;
      auto sum = scf::WhileOp::create(
          k.builder, k.loc, TypeRange{k.builder.getIndexType(), zero.getType()},
          ValueRange{k.materialize(i), zero},
          [&](OpBuilder &, Location loc, ValueRange at) {
            Index j{&k, at[0], 0, count};
            Condition isOfRow =
                within(j, 0, count) &&
                sorted.rowAt(min(j, k.constant(count - 1))) == row;
            scf::ConditionOp::create(k.builder, loc, k.materialize(isOfRow),
                                     at);
          },
          [&](OpBuilder &, Location loc, ValueRange at) {
            Index j{&k, at[0], 0, count - 1};
            Scalar next = Scalar{&k, at[1]} + dy({sorted.placeAt(j), d});
            scf::YieldOp::create(k.builder, loc,
                                 ValueRange{k.materialize(j + 1), next.value});
          });
      dtable.set({row, d}, Scalar{&k, sum.getResult(1)});
    });
  });
}

void emitGatherGrad(GatherGradOp op, KernelBuilder &k) {
  // Sorted rows and places have 32 bits.
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  int64_t count = llvm::product_of(k.in(1).shape());
  if (k.forThreads && count > 1 && count <= most && k.out().dim(0) < most &&
      k.in(1).rank() > 0 && k.out().rank() > 1)
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
