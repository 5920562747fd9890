//===- Float8.cpp - Bits of 8-bit floats ----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OCP 8-bit Floating Point Specification 1.0 and Microscaling Formats 1.0. None
// of the additions may be reassociated: they round.
//
//===----------------------------------------------------------------------===//

#include "Float8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cassert>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Layout and range of a type.
struct Format {
  int64_t bias, fractionBits;
  double largest;

  explicit Format(Type type)
      : bias(isa<Float8E5M2Type>(type) ? 15 : 7),
        fractionBits(isa<Float8E5M2Type>(type) ? 2 : 3),
        largest(isa<Float8E5M2Type>(type) ? 57344 : 448) {
    assert((isa<Float8E4M3FNType, Float8E5M2Type>(type)) && "an 8-bit float");
  }
};

constexpr int64_t biasOfF32 = 127, fractionBitsOfF32 = 23;
constexpr int64_t sizeMask = 0x7FFFFFFF, infinityBits = 0x7F800000;

/// Writes operations on bits.
class Bits {
public:
  Bits(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc), i32(builder.getI32Type()),
        f32(builder.getF32Type()) {}

  Value constant(int64_t value) {
    return arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value number(double value) {
    return arith::ConstantOp::create(
        builder, loc, builder.getF32FloatAttr(static_cast<float>(value)));
  }
  /// The code of an 8-bit float as i32.
  Value codeOf(Value value) {
    Value code =
        arith::BitcastOp::create(builder, loc, builder.getI8Type(), value);
    return arith::ExtUIOp::create(builder, loc, i32, code);
  }
  Value withCode(Value code, Type type) {
    Value byte =
        arith::TruncIOp::create(builder, loc, builder.getI8Type(), code);
    return arith::BitcastOp::create(builder, loc, type, byte);
  }
  Value bitsOf(Value number) {
    return arith::BitcastOp::create(builder, loc, i32, number);
  }
  Value withBits(Value bits) {
    return arith::BitcastOp::create(builder, loc, f32, bits);
  }
  Value both(Value a, Value b) {
    return arith::AndIOp::create(builder, loc, a, b);
  }
  Value either(Value a, Value b) {
    return arith::OrIOp::create(builder, loc, a, b);
  }
  Value left(Value a, int64_t by) {
    return arith::ShLIOp::create(builder, loc, a, constant(by));
  }
  Value right(Value a, int64_t by) {
    return arith::ShRUIOp::create(builder, loc, a, constant(by));
  }
  Value sum(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, int64_t b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, constant(b));
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }

  OpBuilder &builder;
  Location loc;
  Type i32, f32;
};

} // namespace

double mlir::soap::largestFloat8(Type type) { return Format(type).largest; }

int64_t mlir::soap::largestExponent(Type type) {
  return isa<Float8E5M2Type>(type) ? 15 : 8;
}

Value mlir::soap::decodeFloat8(OpBuilder &builder, Location loc, Value value) {
  Bits b(builder, loc);
  Value code = b.codeOf(value);
  if (isa<Float8E8M0FNUType>(value.getType())) {
    // The exponent of an f32, except its ends: 2^-127, and NaN.
    Value isLeast = b.compare(arith::CmpIPredicate::eq, code, 0),
          isNaN = b.compare(arith::CmpIPredicate::eq, code, 0xFF);
    Value bits = b.select(isLeast, b.constant(int64_t(1) << 22),
                          b.left(code, fractionBitsOfF32));
    return b.withBits(b.select(isNaN, b.constant(0x7FC00000), bits));
  }
  // As an f16 whose exponent has the bias of f16: then a factor is missing,
  // which is exact in f32.
  Format format(value.getType());
  Value sign = b.left(b.both(code, b.constant(0x80)), 8);
  Value size = b.both(code, b.constant(0x7F));
  Value half = b.either(sign, b.left(size, 10 - format.fractionBits));
  half = arith::TruncIOp::create(builder, loc, builder.getI16Type(), half);
  half = arith::BitcastOp::create(builder, loc, builder.getF16Type(), half);
  Value wide = arith::ExtFOp::create(builder, loc, b.f32, half);
  if (isa<Float8E5M2Type>(value.getType()))
    return wide;
  wide = arith::MulFOp::create(builder, loc, wide, b.number(256));
  Value isNaN = b.compare(arith::CmpIPredicate::eq, size, 0x7F);
  return b.select(isNaN, b.withBits(b.constant(0x7FC00000)), wide);
}

Value mlir::soap::encodeFloat8(OpBuilder &builder, Location loc, Value value,
                               Type type) {
  Bits b(builder, loc);
  Format format(type);
  Value bits = b.bitsOf(value), size = b.both(bits, b.constant(sizeMask));
  Value sign = b.both(b.right(bits, 24), b.constant(0x80));
  Value isNaN = b.compare(arith::CmpIPredicate::ugt, size, infinityBits);
  // Bits of positive numbers compare as the numbers do.
  Value most = b.bitsOf(b.number(format.largest));
  Value isBeyond = arith::CmpIOp::create(builder, loc,
                                         arith::CmpIPredicate::ugt, size, most);
  size = b.select(isBeyond, most, size);
  // Normal numbers: half of the last bit that stays, less if that is even.
  int64_t dropped = fractionBitsOfF32 - format.fractionBits;
  Value isOdd = b.both(b.right(size, dropped), b.constant(1));
  Value rounded =
      b.sum(b.sum(size, isOdd), b.constant((int64_t(1) << (dropped - 1)) - 1));
  Value normal =
      b.right(b.sum(rounded, b.constant((format.bias - biasOfF32) *
                                        (int64_t(1) << fractionBitsOfF32))),
              dropped);
  // Others: an addition rounds to multiples of the least number, and leaves
  // their count in the last bits.
  double magic =
      static_cast<double>(int64_t(1) << (fractionBitsOfF32 + 1 - format.bias -
                                         format.fractionBits));
  Value shifted =
      arith::AddFOp::create(builder, loc, b.withBits(size), b.number(magic));
  Value small = arith::SubIOp::create(builder, loc, b.bitsOf(shifted),
                                      b.bitsOf(b.number(magic)));
  int64_t leastNormal = (biasOfF32 + 1 - format.bias) << fractionBitsOfF32;
  Value isSmall = b.compare(arith::CmpIPredicate::ult, size, leastNormal);
  Value code = b.select(isSmall, small, normal);
  code = b.select(isNaN, b.constant(0x7F), code);
  return b.withCode(b.either(code, sign), type);
}

Value mlir::soap::encodeBlockScale(OpBuilder &builder, Location loc, Value amax,
                                   Type type) {
  Bits b(builder, loc);
  Value exponent = b.right(b.bitsOf(amax), fractionBitsOfF32);
  Value isFinite = b.compare(arith::CmpIPredicate::ult, exponent, 0xFF);
  Value scale = b.sum(exponent, b.constant(-largestExponent(type)));
  Value isLess = b.compare(arith::CmpIPredicate::slt, scale, 0);
  scale = b.select(isLess, b.constant(0), scale);
  return b.withCode(b.select(isFinite, scale, b.constant(0xFF)),
                    Float8E8M0FNUType::get(builder.getContext()));
}
