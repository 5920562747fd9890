//===- ScalarOps.cpp - Elementwise ops of StableHLO on scalars ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of the elementwise ops, their types, and what each is in arith and
// math.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::soap::stablehlo_import;

namespace {

/// How types of operands and result depend on each other.
enum class Rule {
  /// All are the same.
  Same,
  /// Operands are the same, the result is i1.
  Test,
  Select,
  Clamp,
  Convert,
  Bitcast,
};

/// `kinds`: F floats, I integers, B booleans.
struct ScalarOp {
  unsigned operands;
  const char *kinds;
  Rule rule = Rule::Same;
};

const llvm::StringMap<ScalarOp> &scalarOps() {
  static const llvm::StringMap<ScalarOp> table = {
      {"stablehlo.abs", {1, "FI"}},
      {"stablehlo.add", {2, "FIB"}},
      {"stablehlo.and", {2, "IB"}},
      {"stablehlo.atan2", {2, "F"}},
      {"stablehlo.bitcast_convert", {1, "FI", Rule::Bitcast}},
      {"stablehlo.cbrt", {1, "F"}},
      {"stablehlo.ceil", {1, "F"}},
      {"stablehlo.clamp", {3, "FI", Rule::Clamp}},
      {"stablehlo.compare", {2, "FIB", Rule::Test}},
      {"stablehlo.convert", {1, "FIB", Rule::Convert}},
      {"stablehlo.cosine", {1, "F"}},
      {"stablehlo.count_leading_zeros", {1, "I"}},
      {"stablehlo.divide", {2, "FI"}},
      {"stablehlo.exponential", {1, "F"}},
      {"stablehlo.exponential_minus_one", {1, "F"}},
      {"stablehlo.floor", {1, "F"}},
      {"stablehlo.is_finite", {1, "F", Rule::Test}},
      {"stablehlo.log", {1, "F"}},
      {"stablehlo.log_plus_one", {1, "F"}},
      {"stablehlo.logistic", {1, "F"}},
      {"stablehlo.maximum", {2, "FIB"}},
      {"stablehlo.minimum", {2, "FIB"}},
      {"stablehlo.multiply", {2, "FIB"}},
      {"stablehlo.negate", {1, "FI"}},
      {"stablehlo.not", {1, "IB"}},
      {"stablehlo.or", {2, "IB"}},
      {"stablehlo.popcnt", {1, "I"}},
      {"stablehlo.power", {2, "F"}},
      {"stablehlo.reduce_precision", {1, "F"}},
      {"stablehlo.remainder", {2, "FI"}},
      {"stablehlo.round_nearest_afz", {1, "F"}},
      {"stablehlo.round_nearest_even", {1, "F"}},
      {"stablehlo.rsqrt", {1, "F"}},
      {"stablehlo.select", {3, "FIB", Rule::Select}},
      {"stablehlo.shift_left", {2, "I"}},
      {"stablehlo.shift_right_arithmetic", {2, "I"}},
      {"stablehlo.shift_right_logical", {2, "I"}},
      {"stablehlo.sign", {1, "FI"}},
      {"stablehlo.sine", {1, "F"}},
      {"stablehlo.sqrt", {1, "F"}},
      {"stablehlo.subtract", {2, "FI"}},
      {"stablehlo.tan", {1, "F"}},
      {"stablehlo.tanh", {1, "F"}},
      {"stablehlo.xor", {2, "IB"}},
      {"chlo.acos", {1, "F"}},
      {"chlo.acosh", {1, "F"}},
      {"chlo.asin", {1, "F"}},
      {"chlo.asinh", {1, "F"}},
      {"chlo.atan", {1, "F"}},
      {"chlo.atanh", {1, "F"}},
      {"chlo.cosh", {1, "F"}},
      {"chlo.erf", {1, "F"}},
      {"chlo.erfc", {1, "F"}},
      {"chlo.erf_inv", {1, "F"}},
      {"chlo.is_inf", {1, "F", Rule::Test}},
      {"chlo.sinh", {1, "F"}},
      {"chlo.square", {1, "FI"}},
      {"chlo.tan", {1, "F"}},
  };
  return table;
}

char kindOf(Type element) {
  if (isa<FloatType>(element))
    return 'F';
  return element.isInteger(1) ? 'B' : 'I';
}

/// The type that has the bits of `reduce_precision`; null if there is none.
FloatType reducedType(Operation *op) {
  auto bits = [&](StringRef name) {
    auto attribute = dyn_cast_or_null<IntegerAttr>(op->getAttr(name));
    return attribute && attribute.getValue().getActiveBits() < 8
               ? attribute.getValue().getZExtValue()
               : 0;
  };
  MLIRContext *context = op->getContext();
  uint64_t exponent = bits("exponent_bits"), mantissa = bits("mantissa_bits");
  if (exponent == 8 && mantissa == 7)
    return BFloat16Type::get(context);
  if (exponent == 5 && mantissa == 10)
    return Float16Type::get(context);
  if (exponent == 8 && mantissa == 23)
    return Float32Type::get(context);
  if (exponent == 11 && mantissa == 52)
    return Float64Type::get(context);
  return nullptr;
}

/// Emits ops of one place. Constants fold.
class Emitter {
public:
  Emitter(Operation *op, OpBuilder &builder)
      : op(op), builder(builder), loc(op->getLoc()) {}

  Value emit(ValueRange operands);

private:
  Operation *op;
  OpBuilder &builder;
  Location loc;

  template <typename Op, typename... Args>
  Value make(Args &&...args) {
    return builder.createOrFold<Op>(loc, std::forward<Args>(args)...);
  }
  Value number(Type type, double value) {
    TypedAttr attribute = isa<FloatType>(type)
                              ? TypedAttr(builder.getFloatAttr(type, value))
                              : TypedAttr(builder.getIntegerAttr(
                                    type, static_cast<int64_t>(value)));
    return arith::ConstantOp::create(builder, loc, attribute);
  }
  Value bits(Type type, const APInt &value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }
  Value test(arith::CmpIPredicate predicate, Value a, Value b) {
    return make<arith::CmpIOp>(predicate, a, b);
  }
  Value test(arith::CmpFPredicate predicate, Value a, Value b) {
    return make<arith::CmpFOp>(predicate, a, b);
  }
  Value choose(Value condition, Value a, Value b) {
    return make<arith::SelectOp>(condition, a, b);
  }
  Value polynomial(Value x, ArrayRef<double> coefficients);

  Value emitBoolean(StringRef name, ValueRange x);
  Value emitFloat(StringRef name, ValueRange x);
  Value emitInteger(StringRef name, ValueRange x, bool isUnsigned);
  Value compare(ValueRange x, Type source);
  Value convert(Value x, Type from, Type to);
  Value divide(ValueRange x, bool isUnsigned, bool remainder);
  Value shift(StringRef name, ValueRange x);
  Value erfInverse(Value x);
};

Value Emitter::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = number(x.getType(), coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = make<arith::AddFOp>(make<arith::MulFOp>(sum, x),
                              number(x.getType(), coefficient));
  return sum;
}

/// M. Giles, Approximating the erfinv function, 2010: two polynomials in
/// w = -log(1 - x^2).
Value Emitter::erfInverse(Value x) {
  Type type = x.getType();
  Value one = number(type, 1), half = number(type, 2.5), five = number(type, 5),
        three = number(type, 3);
  Value square = make<arith::MulFOp>(x, x);
  Value w = make<arith::NegFOp>(
      make<math::Log1pOp>(Value(make<arith::NegFOp>(square))));
  Value central = polynomial(make<arith::SubFOp>(w, half),
                             {2.81022636e-08, 3.43273939e-07, -3.5233877e-06,
                              -4.39150654e-06, 0.00021858087, -0.00125372503,
                              -0.00417768164, 0.246640727, 1.50140941});
  Value tail = polynomial(make<arith::SubFOp>(make<math::SqrtOp>(w), three),
                          {-0.000200214257, 0.000100950558, 0.00134934322,
                           -0.00367342844, 0.00573950773, -0.0076224613,
                           0.00943887047, 1.00167406, 2.83297682});
  Value factor =
      choose(test(arith::CmpFPredicate::OLT, w, five), central, tail);
  Value result = make<arith::MulFOp>(factor, x);
  // The ends are infinite.
  Value infinity = make<math::CopySignOp>(
      number(type, std::numeric_limits<double>::infinity()), x);
  return choose(test(arith::CmpFPredicate::OEQ, make<math::AbsFOp>(x), one),
                infinity, result);
}

Value Emitter::compare(ValueRange x, Type source) {
  StringRef direction = enumText(op, "comparison_direction");
  bool isTotal = enumText(op, "compare_type") == "TOTALORDER";
  if (isa<FloatType>(source) && !isTotal) {
    auto predicate = llvm::StringSwitch<arith::CmpFPredicate>(direction)
                         .Case("EQ", arith::CmpFPredicate::OEQ)
                         .Case("NE", arith::CmpFPredicate::UNE)
                         .Case("LT", arith::CmpFPredicate::OLT)
                         .Case("LE", arith::CmpFPredicate::OLE)
                         .Case("GT", arith::CmpFPredicate::OGT)
                         .Default(arith::CmpFPredicate::OGE);
    return test(predicate, x[0], x[1]);
  }
  SmallVector<Value> keys(x);
  bool isSigned = !isUnsigned(source) && !source.isInteger(1);
  using P = arith::CmpIPredicate;
  auto predicate = llvm::StringSwitch<P>(direction)
                       .Case("EQ", P::eq)
                       .Case("NE", P::ne)
                       .Case("LT", isSigned ? P::slt : P::ult)
                       .Case("LE", isSigned ? P::sle : P::ule)
                       .Case("GT", isSigned ? P::sgt : P::ugt)
                       .Default(isSigned ? P::sge : P::uge);
  if (isa<FloatType>(source))
    for (Value &key : keys)
      key = totalOrderKey(builder, loc, key);
  return test(predicate, keys[0], keys[1]);
}

/// Floats become integers as XLA converts them: towards 0, what is out of range
/// becomes the nearest integer, and NaN 0.
Value Emitter::convert(Value x, Type from, Type to) {
  Type type = signless(to), source = x.getType();
  if (from == to || source == type)
    return x;
  if (type.isInteger(1))
    return isa<FloatType>(source)
               ? test(arith::CmpFPredicate::UNE, x, number(source, 0))
               : test(arith::CmpIPredicate::ne, x, number(source, 0));
  bool zeroExtends = isUnsigned(from) || source.isInteger(1);
  unsigned width = type.getIntOrFloatBitWidth(),
           sourceWidth = source.getIntOrFloatBitWidth();
  if (isa<FloatType>(type)) {
    if (isa<IntegerType>(source))
      return zeroExtends ? make<arith::UIToFPOp>(type, x)
                         : make<arith::SIToFPOp>(type, x);
    if (width > sourceWidth)
      return make<arith::ExtFOp>(type, x);
    if (width < sourceWidth)
      return make<arith::TruncFOp>(type, x);
    // f16 and bf16.
    return make<arith::TruncFOp>(
        type, Value(make<arith::ExtFOp>(Type(builder.getF32Type()), x)));
  }
  if (isa<IntegerType>(source)) {
    if (width < sourceWidth)
      return make<arith::TruncIOp>(type, x);
    return zeroExtends ? make<arith::ExtUIOp>(type, x)
                       : make<arith::ExtSIOp>(type, x);
  }
  bool toUnsigned = isUnsigned(to);
  unsigned digits = toUnsigned ? width : width - 1;
  if (sourceWidth < 32) { // 2^32 is no f16.
    x = make<arith::ExtFOp>(Type(builder.getF32Type()), x);
    source = x.getType();
  }
  Value high = number(source, std::ldexp(1.0, static_cast<int>(digits))),
        low =
            number(source, toUnsigned ? -1 : -std::ldexp(1.0, int(width) - 1));
  Value tooHigh = test(arith::CmpFPredicate::OGE, x, high);
  Value tooLow =
      test(toUnsigned ? arith::CmpFPredicate::OLE : arith::CmpFPredicate::OLT,
           x, low);
  Value isNaN = test(arith::CmpFPredicate::UNO, x, x);
  Value outside =
      make<arith::OrIOp>(make<arith::OrIOp>(tooHigh, tooLow), isNaN);
  Value inside = choose(outside, number(source, 0), x);
  Value result = toUnsigned ? make<arith::FPToUIOp>(type, inside)
                            : make<arith::FPToSIOp>(type, inside);
  APInt most = toUnsigned ? APInt::getMaxValue(width)
                          : APInt::getSignedMaxValue(width),
        least = toUnsigned ? APInt::getZero(width)
                           : APInt::getSignedMinValue(width);
  return choose(tooHigh, bits(type, most),
                choose(tooLow, bits(type, least), result));
}

/// A division by 0 gives -1 and the dividend as remainder, and the one of the
/// least integer by -1 wraps around: XLA's results, without a trap.
Value Emitter::divide(ValueRange x, bool isUnsigned, bool remainder) {
  Type type = x[0].getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value zero = number(type, 0), one = number(type, 1),
        ones = bits(type, APInt::getAllOnes(width));
  Value byZero = test(arith::CmpIPredicate::eq, x[1], zero);
  Value unsafe = byZero, overflows;
  if (!isUnsigned) {
    overflows =
        make<arith::AndIOp>(test(arith::CmpIPredicate::eq, x[0],
                                 bits(type, APInt::getSignedMinValue(width))),
                            test(arith::CmpIPredicate::eq, x[1], ones));
    unsafe = make<arith::OrIOp>(byZero, overflows);
  }
  Value divisor = choose(unsafe, one, x[1]);
  if (remainder) {
    Value result = isUnsigned ? make<arith::RemUIOp>(x[0], divisor)
                              : make<arith::RemSIOp>(x[0], divisor);
    return choose(byZero, x[0], result);
  }
  Value result = isUnsigned ? make<arith::DivUIOp>(x[0], divisor)
                            : make<arith::DivSIOp>(x[0], divisor);
  return choose(byZero, ones, result);
}

/// A shift by the width or more leaves nothing but the sign.
Value Emitter::shift(StringRef name, ValueRange x) {
  Type type = x[0].getType();
  int64_t width = type.getIntOrFloatBitWidth();
  Value limit = number(type, static_cast<double>(width));
  Value fits = test(arith::CmpIPredicate::ult, x[1], limit);
  Value most = number(type, static_cast<double>(width - 1));
  Value amount = choose(fits, x[1], most);
  if (name == "stablehlo.shift_right_arithmetic")
    return make<arith::ShRSIOp>(x[0], amount);
  Value shifted = name == "stablehlo.shift_left"
                      ? make<arith::ShLIOp>(x[0], amount)
                      : make<arith::ShRUIOp>(x[0], amount);
  return choose(fits, shifted, number(type, 0));
}

Value Emitter::emitBoolean(StringRef name, ValueRange x) {
  if (name == "stablehlo.not")
    return make<arith::XOrIOp>(x[0], number(x[0].getType(), 1));
  if (name == "stablehlo.xor")
    return make<arith::XOrIOp>(x[0], x[1]);
  bool isAnd = name == "stablehlo.and" || name == "stablehlo.multiply" ||
               name == "stablehlo.minimum";
  return isAnd ? make<arith::AndIOp>(x[0], x[1])
               : make<arith::OrIOp>(x[0], x[1]);
}

Value Emitter::emitInteger(StringRef name, ValueRange x, bool isUnsigned) {
  Type type = x[0].getType();
  StringRef own = name.substr(name.find('.') + 1);
  if (own.starts_with("shift_"))
    return shift(name, x);
  if (own == "add")
    return make<arith::AddIOp>(x[0], x[1]);
  if (own == "subtract")
    return make<arith::SubIOp>(x[0], x[1]);
  if (own == "multiply")
    return make<arith::MulIOp>(x[0], x[1]);
  if (own == "square")
    return make<arith::MulIOp>(x[0], x[0]);
  if (own == "divide" || own == "remainder")
    return divide(x, isUnsigned, own == "remainder");
  if (own == "maximum")
    return isUnsigned ? make<arith::MaxUIOp>(x[0], x[1])
                      : make<arith::MaxSIOp>(x[0], x[1]);
  if (own == "minimum")
    return isUnsigned ? make<arith::MinUIOp>(x[0], x[1])
                      : make<arith::MinSIOp>(x[0], x[1]);
  if (own == "and")
    return make<arith::AndIOp>(x[0], x[1]);
  if (own == "or")
    return make<arith::OrIOp>(x[0], x[1]);
  if (own == "xor")
    return make<arith::XOrIOp>(x[0], x[1]);
  if (own == "not")
    return make<arith::XOrIOp>(
        x[0], bits(type, APInt::getAllOnes(type.getIntOrFloatBitWidth())));
  if (own == "negate")
    return make<arith::SubIOp>(number(type, 0), x[0]);
  if (own == "abs")
    return isUnsigned ? x[0] : make<math::AbsIOp>(x[0]);
  if (own == "popcnt")
    return make<math::CtPopOp>(x[0]);
  if (own == "count_leading_zeros")
    return make<math::CountLeadingZerosOp>(x[0]);
  if (own == "clamp") {
    Value low = isUnsigned ? make<arith::MaxUIOp>(x[1], x[0])
                           : make<arith::MaxSIOp>(x[1], x[0]);
    return isUnsigned ? make<arith::MinUIOp>(low, x[2])
                      : make<arith::MinSIOp>(low, x[2]);
  }
  // sign
  Value one = number(type, 1), zero = number(type, 0);
  if (isUnsigned)
    return make<arith::MinUIOp>(x[0], one);
  Value positive =
      choose(test(arith::CmpIPredicate::sgt, x[0], zero), one, zero);
  return choose(test(arith::CmpIPredicate::slt, x[0], zero), number(type, -1),
                positive);
}

Value Emitter::emitFloat(StringRef name, ValueRange x) {
  Type type = x[0].getType();
  StringRef own = name.substr(name.find('.') + 1);
  if (own == "add")
    return make<arith::AddFOp>(x[0], x[1]);
  if (own == "subtract")
    return make<arith::SubFOp>(x[0], x[1]);
  if (own == "multiply")
    return make<arith::MulFOp>(x[0], x[1]);
  if (own == "square")
    return make<arith::MulFOp>(x[0], x[0]);
  if (own == "divide")
    return make<arith::DivFOp>(x[0], x[1]);
  if (own == "remainder")
    return make<arith::RemFOp>(x[0], x[1]);
  if (own == "maximum")
    return make<arith::MaximumFOp>(x[0], x[1]);
  if (own == "minimum")
    return make<arith::MinimumFOp>(x[0], x[1]);
  if (own == "power")
    return make<math::PowFOp>(x[0], x[1]);
  if (own == "atan2")
    return make<math::Atan2Op>(x[0], x[1]);
  if (own == "clamp")
    return make<arith::MinimumFOp>(Value(make<arith::MaximumFOp>(x[1], x[0])),
                                   x[2]);
  if (own == "negate")
    return make<arith::NegFOp>(x[0]);
  if (own == "abs")
    return make<math::AbsFOp>(x[0]);
  if (own == "cbrt")
    return make<math::CbrtOp>(x[0]);
  if (own == "ceil")
    return make<math::CeilOp>(x[0]);
  if (own == "floor")
    return make<math::FloorOp>(x[0]);
  if (own == "cosine")
    return make<math::CosOp>(x[0]);
  if (own == "sine")
    return make<math::SinOp>(x[0]);
  if (own == "tan")
    return make<math::TanOp>(x[0]);
  if (own == "tanh")
    return make<math::TanhOp>(x[0]);
  if (own == "exponential")
    return make<math::ExpOp>(x[0]);
  if (own == "exponential_minus_one")
    return make<math::ExpM1Op>(x[0]);
  if (own == "log")
    return make<math::LogOp>(x[0]);
  if (own == "log_plus_one")
    return make<math::Log1pOp>(x[0]);
  if (own == "logistic") {
    Value one = number(type, 1);
    Value power = make<math::ExpOp>(Value(make<arith::NegFOp>(x[0])));
    return make<arith::DivFOp>(one, Value(make<arith::AddFOp>(one, power)));
  }
  if (own == "round_nearest_afz")
    return make<math::RoundOp>(x[0]);
  if (own == "round_nearest_even")
    return make<math::RoundEvenOp>(x[0]);
  if (own == "sqrt")
    return make<math::SqrtOp>(x[0]);
  if (own == "rsqrt")
    return make<arith::DivFOp>(number(type, 1),
                               Value(make<math::SqrtOp>(x[0])));
  if (own == "acos")
    return make<math::AcosOp>(x[0]);
  if (own == "acosh")
    return make<math::AcoshOp>(x[0]);
  if (own == "asin")
    return make<math::AsinOp>(x[0]);
  if (own == "asinh")
    return make<math::AsinhOp>(x[0]);
  if (own == "atan")
    return make<math::AtanOp>(x[0]);
  if (own == "atanh")
    return make<math::AtanhOp>(x[0]);
  if (own == "cosh")
    return make<math::CoshOp>(x[0]);
  if (own == "sinh")
    return make<math::SinhOp>(x[0]);
  if (own == "erf")
    return make<math::ErfOp>(x[0]);
  if (own == "erfc")
    return make<math::ErfcOp>(x[0]);
  if (own == "erf_inv")
    return erfInverse(x[0]);
  // sign: zeros and NaN stay.
  Value isNumber = test(arith::CmpFPredicate::ONE, x[0], number(type, 0));
  return choose(isNumber, make<math::CopySignOp>(number(type, 1), x[0]), x[0]);
}

Value Emitter::emit(ValueRange x) {
  StringRef name = op->getName().getStringRef();
  Type first = elementOf(op->getOperand(0));
  if (name == "stablehlo.convert")
    return convert(x[0], first, elementOf(op->getResult(0)));
  if (name == "stablehlo.bitcast_convert") {
    Type to = signless(elementOf(op->getResult(0)));
    return x[0].getType() == to ? x[0] : make<arith::BitcastOp>(to, x[0]);
  }
  if (name == "stablehlo.reduce_precision") {
    FloatType type = reducedType(op);
    if (type.getWidth() >= first.getIntOrFloatBitWidth())
      return x[0];
    return make<arith::ExtFOp>(first, Value(make<arith::TruncFOp>(type, x[0])));
  }
  if (name == "stablehlo.compare")
    return compare(x, first);
  if (name == "stablehlo.select")
    return choose(x[0], x[1], x[2]);
  if (name == "stablehlo.is_finite" || name == "chlo.is_inf") {
    Value size = make<math::AbsFOp>(x[0]);
    Value infinity =
        number(x[0].getType(), std::numeric_limits<double>::infinity());
    return test(name == "chlo.is_inf" ? arith::CmpFPredicate::OEQ
                                      : arith::CmpFPredicate::OLT,
                size, infinity);
  }
  switch (kindOf(first)) {
  case 'F':
    return emitFloat(name, x);
  case 'B':
    return emitBoolean(name, x);
  default:
    return emitInteger(name, x, isUnsigned(first));
  }
}

} // namespace

/// Negative floats have their bits but the sign inverted.
Value mlir::soap::stablehlo_import::totalOrderKey(OpBuilder &builder,
                                                  Location loc, Value x) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Type type = builder.getIntegerType(width);
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  Value bits = builder.createOrFold<arith::BitcastOp>(loc, type, x);
  Value sign = builder.createOrFold<arith::ShRSIOp>(
      loc, bits, constant(APInt(width, width - 1)));
  Value mask = builder.createOrFold<arith::AndIOp>(
      loc, sign, constant(APInt::getSignedMaxValue(width)));
  return builder.createOrFold<arith::XOrIOp>(loc, bits, mask);
}

Type mlir::soap::stablehlo_import::elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

Type mlir::soap::stablehlo_import::signless(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element))
    return IntegerType::get(element.getContext(), integer.getWidth());
  return element;
}

bool mlir::soap::stablehlo_import::isUnsigned(Type element) {
  return element.isUnsignedInteger();
}

bool mlir::soap::stablehlo_import::isElementwise(StringRef name) {
  return scalarOps().contains(name);
}

LogicalResult mlir::soap::stablehlo_import::checkElementwise(Importer &importer,
                                                             Operation *op) {
  const ScalarOp &entry =
      scalarOps().find(op->getName().getStringRef())->second;
  if (op->getNumOperands() != entry.operands || op->getNumResults() != 1)
    return importer.error(op)
           << "has " << op->getNumOperands() << " operands and "
           << op->getNumResults() << " results, expected " << entry.operands
           << " and 1";
  RankedTensorType result = importer.resultType(op);
  if (!result)
    return failure();
  StringRef name = op->getName().getStringRef();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    RankedTensorType type = importer.typeOf(op, operand.getType());
    if (!type)
      return failure();
    bool mayBeScalar = (entry.rule == Rule::Select && i == 0) ||
                       (entry.rule == Rule::Clamp && i != 1);
    if (type.getShape() != result.getShape() &&
        !(mayBeScalar && type.getRank() == 0))
      return importer.error(op)
             << "has an operand of type " << operand.getType()
             << " and a result of type " << op->getResult(0).getType()
             << ", expected one shape";
  }
  auto element = [&](unsigned i) { return elementOf(op->getOperand(i)); };
  Type own = elementOf(op->getResult(0));
  bool isFine = true;
  unsigned main = entry.rule == Rule::Select ? 1 : 0;
  switch (entry.rule) {
  case Rule::Same:
  case Rule::Clamp:
    for (unsigned i = 0; i < entry.operands; ++i)
      isFine &= element(i) == own;
    break;
  case Rule::Test:
    isFine = own.isInteger(1) && element(0) == element(entry.operands - 1);
    break;
  case Rule::Select:
    isFine = element(0).isInteger(1) && element(1) == own && element(2) == own;
    break;
  case Rule::Convert:
    break;
  case Rule::Bitcast:
    isFine = element(0).getIntOrFloatBitWidth() == own.getIntOrFloatBitWidth();
    break;
  }
  isFine &= StringRef(entry.kinds).contains(kindOf(element(main)));
  if (name == "stablehlo.compare") {
    StringRef direction = enumText(op, "comparison_direction");
    if (!llvm::is_contained({"EQ", "NE", "LT", "LE", "GT", "GE"}, direction))
      return importer.error(op) << "has the comparison direction '" << direction
                                << "', expected EQ, NE, LT, LE, GT or GE";
  }
  if (name == "stablehlo.reduce_precision" && !reducedType(op))
    return importer.error(op) << "has other exponent and mantissa bits than "
                                 "bf16, f16, f32 and f64";
  if (name == "chlo.erf_inv")
    isFine &= !own.isF64();
  if (!isFine)
    return importer.error(op) << "is not supported from " << element(main)
                              << " to " << own << " elements";
  return success();
}

Value mlir::soap::stablehlo_import::emitScalar(Operation *op,
                                               OpBuilder &builder,
                                               ValueRange operands) {
  return Emitter(op, builder).emit(operands);
}
