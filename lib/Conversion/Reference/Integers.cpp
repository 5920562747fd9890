//===- Integers.cpp - Kernels that look at integers or positions ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Casts, the counter of iterations, indices of a shard, Adam's corrections, and
// dropout, whose hash is written with 32-bit operations, which vectorize.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapCollectives.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

//===----------------------------------------------------------------------===//
// Casts and counters
//===----------------------------------------------------------------------===//

Value castTo(KernelBuilder &k, Value value, Type type) {
  OpBuilder &b = k.builder;
  Type from = value.getType();
  if (from == type)
    return value;
  unsigned fromBits = from.getIntOrFloatBitWidth(),
           bits = type.getIntOrFloatBitWidth();
  // As frameworks do; without an instruction for it, it would be a call of
  // compiler-rt.
  if (isa<IntegerType>(from) && type.isBF16())
    return castTo(k, castTo(k, value, b.getF32Type()), type);
  if (isa<IntegerType>(from))
    return isa<FloatType>(type)
               ? arith::SIToFPOp::create(b, k.loc, type, value).getResult()
           : fromBits < bits
               ? arith::ExtSIOp::create(b, k.loc, type, value).getResult()
               : arith::TruncIOp::create(b, k.loc, type, value).getResult();
  if (isa<IntegerType>(type)) {
    // Narrow floats through f32, as everything else.
    Value wide = castTo(k, value, computeTypeOf(from));
    return arith::FPToSIOp::create(b, k.loc, type, wide);
  }
  // Between f16 and bf16; and for bf16 of f64 there is no instruction.
  if (fromBits == bits || (fromBits > 32 && type.isBF16()))
    return castTo(k, castTo(k, value, b.getF32Type()), type);
  if (fromBits < bits)
    return arith::ExtFOp::create(b, k.loc, type, value);
  return arith::TruncFOp::create(b, k.loc, type, value);
}

void emitCast(KernelBuilder &k) {
  Tensor x = k.in(0).flattened(), y = k.out().flattened();
  k.forEachOf(y.shape(), [&](ArrayRef<Index> i) {
    y.storeRaw(i, castTo(k, x.loadRaw(i), y.elementType()));
  });
}

Value integer(KernelBuilder &k, Type type, int64_t value) {
  return arith::ConstantOp::create(k.builder, k.loc,
                                   k.builder.getIntegerAttr(type, value));
}

void emitCounter(KernelBuilder &k) {
  Value step = k.in(0).loadRaw({});
  k.out().storeRaw({}, arith::AddIOp::create(k.builder, k.loc, step,
                                             integer(k, step.getType(), 1)));
}

void emitLocalIndex(LocalIndexOp op, KernelBuilder &k) {
  OpBuilder &b = k.builder;
  Type type = b.getI32Type();
  Value zero = integer(k, type, 0);
  Value nowhere = integer(k, type, std::numeric_limits<int32_t>::max());
  auto isNegative = [&](Value value) {
    return arith::CmpIOp::create(b, k.loc, arith::CmpIPredicate::slt, value,
                                 zero);
  };
  auto choose = [&](Value condition, Value a, Value c) -> Value {
    return arith::SelectOp::create(b, k.loc, condition, a, c);
  };
  Tensor from = k.in(0).flattened(), to = k.out().flattened();
  k.forEachOf(to.shape(), [&](ArrayRef<Index> i) {
    Value index = from.loadRaw(i);
    if (op.getWrap() != 0) {
      Value wrap = integer(k, type, static_cast<int64_t>(op.getWrap()));
      index = choose(isNegative(index),
                     arith::AddIOp::create(b, k.loc, index, wrap), index);
    }
    Value position = k.in(1).loadRaw({k.constant(0)});
    Value local = arith::SubIOp::create(b, k.loc, index, position);
    Value row = choose(isNegative(local), nowhere, local);
    to.storeRaw(i, choose(isNegative(index), index, row));
  });
}

void emitPlacedStep(KernelBuilder &k) {
  k.out().storeRaw({k.constant(0)}, k.in(0).loadRaw({}));
  k.out().storeRaw({k.constant(1)}, k.in(1).loadRaw({k.constant(0)}));
}

/// In f64 whatever the weights are: 1 - beta^step cancels.
void emitBiasCorrection(BiasCorrectionOp op, KernelBuilder &k) {
  OpBuilder &b = k.builder;
  Type f64 = b.getF64Type();
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, k.loc, b.getFloatAttr(f64, value));
  };
  Value step = castTo(k, k.in(0).loadRaw({}), f64);
  Value logarithm = number(std::log(op.getBeta().convertToDouble()));
  Value power = math::ExpOp::create(
      b, k.loc, arith::MulFOp::create(b, k.loc, step, logarithm));
  Value rest = arith::SubFOp::create(b, k.loc, number(1), power);
  Value correction = arith::DivFOp::create(b, k.loc, number(1), rest);
  k.out().storeRaw({}, castTo(k, correction, k.out().elementType()));
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// 32-bit words.
class Hash {
public:
  explicit Hash(KernelBuilder &k) : k(k), type(k.builder.getI32Type()) {}

  Value word(uint32_t value) {
    return integer(k, type, static_cast<int32_t>(value));
  }
  Value mixed(Value a, Value b) {
    return mix(create<arith::XOrIOp>(a, mul(b, 0x9e3779b9)));
  }
  template <typename OpTy>
  Value create(Value a, Value b) {
    return OpTy::create(k.builder, k.loc, a, b);
  }

private:
  Value mul(Value a, uint32_t b) { return create<arith::MulIOp>(a, word(b)); }
  Value fold(Value x, unsigned bits) {
    return create<arith::XOrIOp>(x, create<arith::ShRUIOp>(x, word(bits)));
  }
  /// A permutation of the words in which every bit depends on every other.
  Value mix(Value x) {
    x = mul(fold(x, 16), 0x7feb352d);
    x = mul(fold(x, 15), 0x846ca68b);
    return fold(x, 16);
  }

  KernelBuilder &k;
  Type type;
};

void emitDropout(DropoutOp op, KernelBuilder &k) {
  Tensor x = k.in(0), y = k.out();
  if (!op.getStep()) {
    Tensor from = x.flattened(), to = y.flattened();
    k.forEachOf(to.shape(),
                [&](ArrayRef<Index> i) { to.storeRaw(i, from.loadRaw(i)); });
    return;
  }
  OpBuilder &b = k.builder;
  Hash hash(k);
  double rate = op.getRate().convertToDouble();
  auto seed = static_cast<uint64_t>(op.getSeed());
  // One key per step and op.
  Value key = hash.mixed(hash.word(static_cast<uint32_t>(seed)),
                         hash.word(static_cast<uint32_t>(seed >> 32)));
  // Where the tile begins: number of its first element, or offsets.
  Tensor step = k.in(1);
  bool isPlaced = !step.shape().empty();
  key = hash.mixed(key,
                   isPlaced ? step.loadRaw({k.constant(0)}) : step.loadRaw({}));
  Value first = isPlaced ? step.loadRaw({k.constant(1)}) : Value();
  Value threshold =
      hash.word(static_cast<uint32_t>(std::lround(rate * (1 << 24))));
  Value eight = hash.word(8);
  Scalar scale = k.number(1 / (1 - rate)), zero = k.number(0);
  SmallVector<int64_t> extents(op.getExtents()), offsets(op.getOffsets());
  if (extents.empty())
    extents.assign(x.shape().begin(), x.shape().end());
  offsets.resize(extents.size(), 0);
  int64_t elements = 1;
  for (int64_t extent : extents)
    elements *= extent;
  k.forEachOf(x.shape(), [&](ArrayRef<Index> i) {
    Index position = k.constant(0);
    for (size_t d = 0; d < extents.size(); ++d)
      position = position * extents[d] + (i[d] + offsets[d]);
    Value wide = arith::IndexCastOp::create(b, k.loc, b.getI64Type(),
                                            k.materialize(position));
    Value low = arith::TruncIOp::create(b, k.loc, b.getI32Type(), wide);
    if (first) // then there are no more than 2^31 elements
      low = hash.create<arith::AddIOp>(low, first);
    Value word = hash.mixed(key, low);
    if (elements > (int64_t(1) << 32)) {
      Value shift = integer(k, b.getI64Type(), 32);
      Value high = arith::TruncIOp::create(
          b, k.loc, b.getI32Type(),
          arith::ShRUIOp::create(b, k.loc, wide, shift));
      word = hash.mixed(word, high);
    }
    Value keeps = arith::CmpIOp::create(
        b, k.loc, arith::CmpIPredicate::uge,
        hash.create<arith::ShRUIOp>(word, eight), threshold);
    y.set(i, select(Condition{&k, keeps, true}, x(i) * scale, zero));
  });
}

} // namespace

bool mlir::soap::emitIntegerKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](CastOp) { return emitCast(k), true; })
      .Case([&](CounterOp) { return emitCounter(k), true; })
      .Case([&](LocalIndexOp local) { return emitLocalIndex(local, k), true; })
      .Case([&](PlacedStepOp) { return emitPlacedStep(k), true; })
      .Case([&](BiasCorrectionOp correction) {
        return emitBiasCorrection(correction, k), true;
      })
      .Case([&](DropoutOp dropout) { return emitDropout(dropout, k), true; })
      .Default(false);
}
