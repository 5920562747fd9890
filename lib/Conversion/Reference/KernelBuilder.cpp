//===- KernelBuilder.cpp - Writing kernels as loop nests ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops behind the notation: arith on ranged indices, scf loops, loads and
// stores.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "Float8.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cassert>

using namespace mlir;
using namespace mlir::soap;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

namespace {

/// An index op on materialized operands; `lo`, `hi` bound its result.
template <typename Op>
Index indexOp(const Index &a, const Index &b, int64_t lo, int64_t hi) {
  KernelBuilder &k = *a.k;
  if (lo == hi)
    return k.constant(lo);
  return {&k, Op::create(k.builder, k.loc, k.materialize(a), k.materialize(b)),
          lo, hi};
}

} // namespace

Index mlir::soap::operator+(const Index &a, const Index &b) {
  if (b.isConstant() && b.lo == 0)
    return a;
  if (a.isConstant() && a.lo == 0)
    return b;
  Index sum = indexOp<arith::AddIOp>(a, b, a.lo + b.lo, a.hi + b.hi);
  // Whole blocks further.
  if (a.block && b.isConstant() && b.lo % a.block == 0) {
    KernelBuilder &k = *a.k;
    sum.block = a.block;
    sum.outer = arith::AddIOp::create(
        k.builder, k.loc, a.outer, k.materialize(k.constant(b.lo / a.block)));
    sum.inner = a.inner;
  }
  return sum;
}
Index mlir::soap::operator-(const Index &a, const Index &b) {
  if (b.isConstant())
    return a + a.k->constant(-b.lo);
  return indexOp<arith::SubIOp>(a, b, a.lo - b.hi, a.hi - b.lo);
}
Index mlir::soap::operator+(const Index &a, int64_t b) {
  return a + a.k->constant(b);
}
Index mlir::soap::operator-(const Index &a, int64_t b) {
  return a + a.k->constant(-b);
}
Index mlir::soap::operator*(const Index &a, int64_t b) {
  if (b == 1)
    return a;
  int64_t x = a.lo * b, y = a.hi * b;
  return indexOp<arith::MulIOp>(a, a.k->constant(b), std::min(x, y),
                                std::max(x, y));
}
Index mlir::soap::operator/(const Index &a, int64_t b) {
  assert(b > 0 && "a positive divisor");
  if (b == 1)
    return a;
  return indexOp<arith::DivSIOp>(a, a.k->constant(b), a.lo / b, a.hi / b);
}
Index mlir::soap::operator%(const Index &a, int64_t b) {
  assert(b > 0 && "a positive divisor");
  if (b == 1)
    return a.k->constant(0);
  if (a.isConstant())
    return a.k->constant(a.lo % b);
  return indexOp<arith::RemSIOp>(a, a.k->constant(b), a.lo < 0 ? 1 - b : 0,
                                 a.hi > 0 ? b - 1 : 0);
}
Index mlir::soap::min(const Index &a, const Index &b) {
  if (a.hi <= b.lo)
    return a;
  if (b.hi <= a.lo)
    return b;
  return indexOp<arith::MinSIOp>(a, b, std::min(a.lo, b.lo),
                                 std::min(a.hi, b.hi));
}
Index mlir::soap::max(const Index &a, const Index &b) {
  if (a.lo >= b.hi)
    return a;
  if (b.lo >= a.hi)
    return b;
  return indexOp<arith::MaxSIOp>(a, b, std::max(a.lo, b.lo),
                                 std::max(a.hi, b.hi));
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

Condition mlir::soap::operator&&(const Condition &a, const Condition &b) {
  if (a.isKnown())
    return a.known ? b : a;
  if (b.isKnown())
    return b.known ? a : b;
  return {a.k, arith::AndIOp::create(a.k->builder, a.k->loc, a.value, b.value)};
}

Condition mlir::soap::operator!(const Condition &a) {
  if (a.isKnown())
    return {a.k, nullptr, !a.known};
  Value one = arith::ConstantOp::create(
      a.k->builder, a.k->loc,
      a.k->builder.getIntegerAttr(a.value.getType(), 1));
  return {a.k, arith::XOrIOp::create(a.k->builder, a.k->loc, a.value, one)};
}

static Condition compareIndex(arith::CmpIPredicate predicate, const Index &a,
                              const Index &b) {
  return {a.k, arith::CmpIOp::create(a.k->builder, a.k->loc, predicate,
                                     a.k->materialize(a), a.k->materialize(b))};
}

Condition mlir::soap::within(const Index &index, int64_t lo, int64_t hi) {
  if (index.hi < lo || index.lo >= hi)
    return {index.k, nullptr, false};
  Condition result{index.k, nullptr, true};
  if (index.lo < lo)
    result =
        compareIndex(arith::CmpIPredicate::sge, index, index.k->constant(lo));
  if (index.hi >= hi)
    result = result && compareIndex(arith::CmpIPredicate::slt, index,
                                    index.k->constant(hi));
  return result;
}

Condition mlir::soap::operator==(const Index &a, const Index &b) {
  if (a.hi < b.lo || b.hi < a.lo)
    return {a.k, nullptr, false};
  if (a.isConstant() && b.isConstant())
    return {a.k, nullptr, true};
  return compareIndex(arith::CmpIPredicate::eq, a, b);
}

Index mlir::soap::select(const Condition &condition, const Index &a,
                         const Index &b) {
  if (condition.isKnown())
    return condition.known ? a : b;
  KernelBuilder &k = *a.k;
  return {&k,
          arith::SelectOp::create(k.builder, k.loc, condition.value,
                                  k.materialize(a), k.materialize(b)),
          std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

namespace {
template <typename Op>
Scalar binary(const Scalar &a, const Scalar &b) {
  assert(a.value.getType() == b.value.getType() && "numbers of one type");
  KernelBuilder &k = *a.k;
  return {&k, Op::create(k.builder, k.loc, a.value, b.value, k.flags())};
}
/// Integers are signed. Only what folds parts of tensors computes with them.
template <typename FloatOp, typename IntegerOp>
Scalar fold(const Scalar &a, const Scalar &b) {
  if (!isa<IntegerType>(a.value.getType()))
    return binary<FloatOp>(a, b);
  KernelBuilder &k = *a.k;
  return {&k, IntegerOp::create(k.builder, k.loc, a.value, b.value)};
}
template <typename Op>
Scalar unary(const Scalar &a) {
  KernelBuilder &k = *a.k;
  return {&k, Op::create(k.builder, k.loc, a.value)};
}
} // namespace

Scalar mlir::soap::operator+(const Scalar &a, const Scalar &b) {
  return fold<arith::AddFOp, arith::AddIOp>(a, b);
}
Scalar mlir::soap::operator-(const Scalar &a, const Scalar &b) {
  return binary<arith::SubFOp>(a, b);
}
Scalar mlir::soap::operator*(const Scalar &a, const Scalar &b) {
  return binary<arith::MulFOp>(a, b);
}
Scalar mlir::soap::operator/(const Scalar &a, const Scalar &b) {
  // Without the flags of sums: x * (1 / y) would become x / y, in each
  // iteration of a loop around which 1 / y stands.
  return {a.k, arith::DivFOp::create(a.k->builder, a.k->loc, a.value, b.value)};
}
Scalar mlir::soap::operator-(const Scalar &a) {
  return unary<arith::NegFOp>(a);
}
Scalar mlir::soap::max(const Scalar &a, const Scalar &b) {
  return fold<arith::MaximumFOp, arith::MaxSIOp>(a, b);
}
Scalar mlir::soap::min(const Scalar &a, const Scalar &b) {
  return fold<arith::MinimumFOp, arith::MinSIOp>(a, b);
}
Scalar mlir::soap::exp(const Scalar &a) { return unary<math::ExpOp>(a); }
Scalar mlir::soap::log(const Scalar &a) { return unary<math::LogOp>(a); }
Scalar mlir::soap::sqrt(const Scalar &a) { return unary<math::SqrtOp>(a); }
Scalar mlir::soap::tanh(const Scalar &a) { return unary<math::TanhOp>(a); }
Scalar mlir::soap::abs(const Scalar &a) { return unary<math::AbsFOp>(a); }
Scalar mlir::soap::erf(const Scalar &a) { return unary<math::ErfOp>(a); }
Scalar mlir::soap::log1p(const Scalar &a) { return unary<math::Log1pOp>(a); }
Scalar mlir::soap::expm1(const Scalar &a) { return unary<math::ExpM1Op>(a); }
Scalar mlir::soap::atan2(const Scalar &y, const Scalar &x) {
  return {y.k, math::Atan2Op::create(y.k->builder, y.k->loc, y.value, x.value)};
}
Scalar mlir::soap::copySign(const Scalar &a, const Scalar &sign) {
  return {a.k, math::CopySignOp::create(a.k->builder, a.k->loc, a.value,
                                        sign.value)};
}
Scalar mlir::soap::sin(const Scalar &a) {
  // Without the flags of sums, which allow approximations of large angles.
  return {a.k, math::SinOp::create(a.k->builder, a.k->loc, a.value)};
}
Scalar mlir::soap::cos(const Scalar &a) {
  return {a.k, math::CosOp::create(a.k->builder, a.k->loc, a.value)};
}
Scalar mlir::soap::pow(const Scalar &a, const Scalar &b) {
  // Without the flags of sums: a power is no place to reassociate.
  return {a.k, math::PowFOp::create(a.k->builder, a.k->loc, a.value, b.value)};
}

Condition mlir::soap::compare(arith::CmpFPredicate predicate, const Scalar &a,
                              const Scalar &b) {
  KernelBuilder &k = *a.k;
  return {&k,
          arith::CmpFOp::create(k.builder, k.loc, predicate, a.value, b.value)};
}

Scalar mlir::soap::select(const Condition &condition, const Scalar &a,
                          const Scalar &b) {
  if (condition.isKnown())
    return condition.known ? a : b;
  KernelBuilder &k = *a.k;
  return {&k, arith::SelectOp::create(k.builder, k.loc, condition.value,
                                      a.value, b.value)};
}

Scalar mlir::soap::expBelow(const Scalar &x, const Scalar &maximum) {
  return select(compare(arith::CmpFPredicate::OEQ, x, maximum), x.k->number(1),
                exp(x - maximum));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Type mlir::soap::computeTypeOf(Type element) {
  auto type = dyn_cast<FloatType>(element);
  return type && type.getWidth() < 32 ? Float32Type::get(element.getContext())
                                      : element;
}

ArrayRef<unsigned> mlir::soap::bufferOrder(ImageLayout layout) {
  static constexpr unsigned first[] = {0, 1, 2, 3}, last[] = {0, 2, 3, 1},
                            blocks[] = {0, 1, 2, 3, 1};
  switch (layout) {
  case ImageLayout::ChannelsFirst:
    return first;
  case ImageLayout::ChannelsLast:
    return last;
  case ImageLayout::Blocks8:
  case ImageLayout::Blocks16:
    return blocks;
  }
  return first;
}

Tensor::Tensor(KernelBuilder &k, Value buffer, ImageLayout layout)
    : k(&k), buffer(buffer), type(cast<MemRefType>(buffer.getType())),
      layout(layout), dims(type.getShape()) {
  if (layout == ImageLayout::ChannelsFirst)
    return;
  assert(static_cast<size_t>(type.getRank()) == bufferOrder(layout).size() &&
         "a buffer in this layout");
  dims.assign(4, 1);
  for (auto [place, dim] : llvm::enumerate(bufferOrder(layout)))
    dims[dim] *= type.getDimSize(place);
}

SmallVector<unsigned> Tensor::bufferDims() const {
  if (layout != ImageLayout::ChannelsFirst)
    return SmallVector<unsigned>(bufferOrder(layout));
  return llvm::to_vector(llvm::seq<unsigned>(0, dims.size()));
}

SmallVector<Value> Tensor::positions(ArrayRef<Index> indices) const {
  assert(indices.size() == dims.size() && "an index a dim");
  SmallVector<Value> values;
  if (layout == ImageLayout::ChannelsFirst) {
    for (const Index &index : indices)
      values.push_back(k->materialize(index));
    return values;
  }
  int64_t block = channelBlock(layout);
  bool inside = false;
  for (unsigned dim : bufferOrder(layout)) {
    const Index &index = indices[dim];
    if (!block || dim != 1) {
      values.push_back(k->materialize(index));
      continue;
    }
    if (index.block == block)
      values.push_back(inside ? index.inner : index.outer);
    else
      values.push_back(k->materialize(inside ? index % block : index / block));
    inside = true;
  }
  return values;
}

Value Tensor::loadRaw(ArrayRef<Index> indices) const {
  return memref::LoadOp::create(k->builder, k->loc, buffer, positions(indices));
}

void Tensor::storeRaw(ArrayRef<Index> indices, Value value) const {
  memref::StoreOp::create(k->builder, k->loc, value, buffer,
                          positions(indices));
}

Scalar Tensor::operator()(ArrayRef<Index> indices) const {
  Value value = loadRaw(indices);
  if (isa<FloatType>(value.getType()) &&
      value.getType().getIntOrFloatBitWidth() == 8)
    value = decodeFloat8(k->builder, k->loc, value);
  else if (value.getType() != computeTypeOf(value.getType()))
    value = arith::ExtFOp::create(k->builder, k->loc,
                                  computeTypeOf(value.getType()), value);
  return {k, value};
}

void Tensor::set(ArrayRef<Index> indices, const Scalar &scalar) const {
  assert(scalar.value && "no number");
  Value value = scalar.value;
  if (value.getType() != elementType())
    value = arith::TruncFOp::create(k->builder, k->loc, elementType(), value);
  storeRaw(indices, value);
}

Scalar Tensor::guarded(ArrayRef<Index> indices, double neutral,
                       const Condition &condition) const {
  assert(indices.size() == dims.size() && "an index a dim");
  Condition inside = condition;
  for (auto [d, index] : llvm::enumerate(indices))
    inside = inside && within(index, 0, dim(d));
  if (inside.isKnown())
    return inside.known ? (*this)(indices) : k->number(neutral);
  Value otherwise = k->number(neutral).value;
  auto choice = scf::IfOp::create(
      k->builder, k->loc, inside.value,
      [&](OpBuilder &, Location loc) {
        scf::YieldOp::create(k->builder, loc, (*this)(indices).value);
      },
      [&](OpBuilder &, Location loc) {
        scf::YieldOp::create(k->builder, loc, otherwise);
      });
  return {k, choice.getResult(0)};
}

Index Tensor::loadIndex(ArrayRef<Index> indices) const {
  Value value = arith::IndexCastOp::create(
      k->builder, k->loc, k->builder.getIndexType(), loadRaw(indices));
  constexpr int64_t bound = int64_t(1) << 40;
  return {k, value, -bound, bound};
}

Tensor Tensor::flattened() const {
  if (type.getRank() == 1)
    return *this;
  auto flat = MemRefType::get({type.getNumElements()}, elementType());
  SmallVector<ReassociationIndices> groups;
  if (type.getRank() == 0)
    return Tensor(*k, memref::ExpandShapeOp::create(k->builder, k->loc, flat,
                                                    buffer, groups));
  groups.emplace_back(llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  return Tensor(*k, memref::CollapseShapeOp::create(k->builder, k->loc, flat,
                                                    buffer, groups));
}

Tensor Tensor::joined(ArrayRef<int64_t> counts) const {
  if (static_cast<int64_t>(counts.size()) == rank())
    return *this;
  assert(layout == ImageLayout::ChannelsFirst && "dims as they lie in memory");
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> shape;
  int64_t dim = 0;
  for (int64_t count : counts) {
    shape.push_back(1);
    groups.emplace_back();
    for (int64_t end = dim + count; dim < end; ++dim) {
      shape.back() *= dims[static_cast<size_t>(dim)];
      groups.back().push_back(dim);
    }
  }
  auto joint = MemRefType::get(shape, type.getElementType());
  return Tensor(*k, memref::CollapseShapeOp::create(k->builder, k->loc, joint,
                                                    buffer, groups));
}

Tensor Tensor::positionsByChannels() const {
  if (layout != ImageLayout::ChannelsLast)
    return *this;
  auto matrix = MemRefType::get({dims[0] * dims[2] * dims[3], dims[1]},
                                type.getElementType());
  SmallVector<ReassociationIndices> groups{{0, 1, 2}, {3}};
  return Tensor(*k, memref::CollapseShapeOp::create(k->builder, k->loc, matrix,
                                                    buffer, groups));
}

//===----------------------------------------------------------------------===//
// KernelBuilder
//===----------------------------------------------------------------------===//

KernelBuilder::KernelBuilder(OpBuilder &builder, Location loc,
                             ArrayRef<Value> inputBuffers,
                             ArrayRef<Value> outputBuffers, bool fast,
                             ArrayRef<ImageLayout> layouts)
    : builder(builder), loc(loc), fast(fast) {
  assert((layouts.empty() ||
          layouts.size() == inputBuffers.size() + outputBuffers.size()) &&
         "a layout a buffer");
  auto layoutOf = [&](size_t i) {
    return layouts.empty() ? ImageLayout::ChannelsFirst : layouts[i];
  };
  for (auto [i, buffer] : llvm::enumerate(inputBuffers))
    inputs.emplace_back(*this, buffer, layoutOf(i));
  for (auto [i, buffer] : llvm::enumerate(outputBuffers))
    outputs.emplace_back(*this, buffer, layoutOf(inputs.size() + i));
  for (ImageLayout other : layouts)
    if (other != ImageLayout::ChannelsFirst)
      layout = other;
  for (ArrayRef<Tensor> tensors : {ArrayRef(outputs), ArrayRef(inputs)})
    for (const Tensor &tensor : tensors)
      if (!compute || !isa<FloatType>(compute))
        compute = computeTypeOf(tensor.elementType());
}

arith::FastMathFlags KernelBuilder::flags() const {
  return fast ? arith::FastMathFlags::reassoc | arith::FastMathFlags::contract
              : arith::FastMathFlags::none;
}

Value KernelBuilder::constantOp(TypedAttr attribute) {
  Value &value = constants[attribute];
  if (!value) {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.getInsertionBlock();
    while (block->getParentOp() &&
           !block->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>())
      block = block->getParentOp()->getBlock();
    builder.setInsertionPointToStart(block);
    value = arith::ConstantOp::create(builder, loc, attribute);
  }
  return value;
}

Tensor KernelBuilder::allocate(ArrayRef<int64_t> shape, Type element,
                               ImageLayout layout) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.getInsertionBlock();
  while (!isa<func::FuncOp>(block->getParentOp()))
    block = block->getParentOp()->getBlock();
  builder.setInsertionPointToStart(block);
  return Tensor(
      *this,
      memref::AllocaOp::create(builder, loc, MemRefType::get(shape, element)),
      layout);
}

Tensor KernelBuilder::allocateInBlock(ArrayRef<int64_t> shape, Type element) {
  Tensor memory = allocate(shape, element);
  memory.getBuffer().getDefiningOp()->setAttr(kTogether, builder.getUnitAttr());
  return memory;
}

void KernelBuilder::atBlockEnd(const Condition &isLast, int64_t iterations,
                               function_ref<void()> body) {
  assert(iterations > 0 && "a block of at least one iteration");
  auto end = scf::IfOp::create(builder, loc, materialize(isLast),
                               /*withElseRegion=*/false);
  end->setAttr(kTogether, builder.getUnitAttr());
  end->setAttr(kBlock, builder.getI64IntegerAttr(iterations));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(end.thenBlock()->getTerminator());
  body();
}

void KernelBuilder::markIndependent() {
  for (Operation *op = builder.getInsertionBlock()->getParentOp();
       op && !isa<func::FuncOp>(op); op = op->getParentOp())
    if (isa<scf::ForOp>(op))
      op->setAttr(kIndependent, builder.getUnitAttr());
}

Value KernelBuilder::materialize(const Index &index) {
  return index.value ? index.value : constantOp(builder.getIndexAttr(index.lo));
}

Value KernelBuilder::materialize(const Condition &condition) {
  return condition.value ? condition.value
                         : constantOp(builder.getBoolAttr(condition.known));
}

Scalar KernelBuilder::number(double value) {
  if (auto type = dyn_cast<FloatType>(compute))
    return {this, constantOp(builder.getFloatAttr(type, value))};
  return {this, constantOp(builder.getIntegerAttr(
                    compute, static_cast<int64_t>(value)))};
}

Scalar KernelBuilder::toScalar(const Index &index) {
  if (index.isConstant())
    return number(static_cast<double>(index.lo));
  Value integer = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                             index.value);
  return {this, arith::SIToFPOp::create(builder, loc, compute, integer)};
}

SmallVector<Value> KernelBuilder::foldOf(
    ArrayRef<int64_t> extents, ArrayRef<Value> init,
    function_ref<SmallVector<Value>(ArrayRef<Index>, ArrayRef<Value>)> body) {
  SmallVector<Index> indices;
  auto nest = [&](auto &self, size_t depth,
                  ArrayRef<Value> carried) -> SmallVector<Value> {
    if (depth == extents.size())
      return body(indices, carried);
    if (extents[depth] == 1) {
      indices.push_back(constant(0));
      SmallVector<Value> results = self(self, depth + 1, carried);
      indices.pop_back();
      return results;
    }
    assert(extents[depth] >= 0 && "a negative extent");
    auto loop = scf::ForOp::create(builder, loc, materialize(constant(0)),
                                   materialize(constant(extents[depth])),
                                   materialize(constant(1)), carried);
    OpBuilder::InsertionGuard guard(builder);
    // Without carried values the loop has its terminator already.
    if (carried.empty())
      builder.setInsertionPoint(loop.getBody()->getTerminator());
    else
      builder.setInsertionPointToEnd(loop.getBody());
    indices.push_back({this, loop.getInductionVar(), 0, extents[depth] - 1});
    SmallVector<Value> inner(loop.getRegionIterArgs());
    SmallVector<Value> yielded = self(self, depth + 1, inner);
    indices.pop_back();
    assert(yielded.size() == carried.size() &&
           "a value for each that is carried");
    if (!carried.empty())
      scf::YieldOp::create(builder, loc, yielded);
    return llvm::to_vector_of<Value>(loop.getResults());
  };
  return nest(nest, 0, init);
}

void KernelBuilder::forEachOf(ArrayRef<int64_t> extents,
                              function_ref<void(ArrayRef<Index>)> body) {
  // Two loops per dim: nests over pairs of regions.
  size_t per = extents.size() / 4;
  if (!hasChannelsInside() || per == 0 || per > 2 || extents.size() % 4) {
    forEachInOrder(extents, body);
    return;
  }
  // Of the loops over channels, the last one is split into blocks.
  int64_t block = channelBlock(layout);
  size_t channel = 2 * per - 1;
  if (block && extents[channel] % block != 0) {
    forEachInOrder(extents, body);
    return;
  }
  SmallVector<size_t> order; ///< loop of the body, by place in the nest
  SmallVector<int64_t> ordered;
  for (unsigned dim : bufferOrder(layout).take_front(4))
    for (size_t i = 0; i < per; ++i) {
      order.push_back(dim * per + i);
      ordered.push_back(extents[order.back()]);
    }
  if (block) {
    ordered[channel] /= block;
    ordered.push_back(block);
  }
  forEachInOrder(ordered, [&](ArrayRef<Index> loops) {
    SmallVector<Index> indices(extents.size());
    for (auto [place, loop] : llvm::enumerate(order))
      indices[loop] = loops[place];
    if (block)
      indices[channel] = inBlock(loops[channel], loops.back());
    body(indices);
  });
}

Index KernelBuilder::inBlock(const Index &outer, const Index &inner) {
  int64_t block = channelBlock(layout);
  Index index = outer * block + inner;
  index.block = block;
  index.outer = materialize(outer);
  index.inner = materialize(inner);
  return index;
}

void KernelBuilder::forEachRow(
    const Tensor &image,
    function_ref<void(const Index &, const Index &, const Index &, RowLoop)>
        body) {
  int64_t block = channelBlock(layout);
  SmallVector<int64_t> extents{image.dim(0)};
  if (block)
    extents.push_back(image.dim(1) / block);
  extents.append({image.dim(2), image.dim(3)});
  forEachInOrder(extents, [&](ArrayRef<Index> loops) {
    auto channels = [&](function_ref<void(const Index &)> one) {
      forEachInOrder({block ? block : image.dim(1)}, [&](ArrayRef<Index> i) {
        one(block ? inBlock(loops[1], i[0]) : i[0]);
      });
    };
    body(loops[0], loops[block ? 2 : 1], loops[block ? 3 : 2], channels);
  });
}

void KernelBuilder::forEachInOrder(ArrayRef<int64_t> extents,
                                   function_ref<void(ArrayRef<Index>)> body) {
  foldOf(extents, {}, [&](ArrayRef<Index> indices, ArrayRef<Value>) {
    body(indices);
    return SmallVector<Value>();
  });
}

void KernelBuilder::ifThen(const Condition &condition,
                           function_ref<void()> body) {
  if (condition.isKnown()) {
    if (condition.known)
      body();
    return;
  }
  auto choice = scf::IfOp::create(builder, loc, condition.value,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(choice.thenBlock()->getTerminator());
  body();
}

void KernelBuilder::ifThenElse(const Condition &condition,
                               function_ref<void()> body,
                               function_ref<void()> otherwise) {
  if (condition.isKnown()) {
    condition.known ? body() : otherwise();
    return;
  }
  auto choice = scf::IfOp::create(builder, loc, condition.value,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(choice.thenBlock()->getTerminator());
  body();
  builder.setInsertionPoint(choice.elseBlock()->getTerminator());
  otherwise();
}

Scalar
KernelBuilder::reduceOf(ArrayRef<int64_t> extents, double init,
                        function_ref<Scalar(Scalar, ArrayRef<Index>)> body) {
  return {this, foldOf(extents, {number(init).value},
                       [&](ArrayRef<Index> indices, ArrayRef<Value> carried) {
                         return SmallVector<Value>{
                             body(Scalar{this, carried[0]}, indices).value};
                       })[0]};
}

Scalar KernelBuilder::sumOf(ArrayRef<int64_t> extents,
                            function_ref<Scalar(ArrayRef<Index>)> body) {
  return reduceOf(extents, 0.0, [&](Scalar sum, ArrayRef<Index> indices) {
    return sum + body(indices);
  });
}
