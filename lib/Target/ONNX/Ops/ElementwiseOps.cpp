//===- ElementwiseOps.cpp - Elementwise ops of ONNX -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unary functions, binary ops with broadcasting, n-ary ones as chains, and
// activations that are short compositions.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

template <typename OpTy>
LogicalResult importUnary(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  // Functions that take whole numbers to whole numbers.
  constexpr bool takesIntegers =
      std::is_same_v<OpTy, NegOp> || std::is_same_v<OpTy, AbsOp> ||
      std::is_same_v<OpTy, ReluOp> || std::is_same_v<OpTy, SignOp>;
  Value x = takesIntegers ? node.floats(0) : node.tensor(0);
  return node.setResult(0, node.createUnary<OpTy>("", x), node.typeOf(0));
}

template <typename OpTy>
Value createBinary(NodeContext &node, StringRef suffix, Value x, Value y) {
  return node.createBinary<OpTy>(suffix, x, y);
}

/// Parameters of elementwise ops begin at what changes nothing.
Value elementwiseOperand(NodeContext &node, size_t index, Role role) {
  return node.floats(index, node.operand(index).parameter ? role : Role::Other);
}

/// Both operands have one type.
bool haveOneType(NodeContext &node, size_t first, size_t second) {
  if (node.typeOf(first) == node.typeOf(second))
    return true;
  (void)node.error("operands of " + dataTypeName(node.typeOf(first)) + " and " +
                   dataTypeName(node.typeOf(second)) + " do not match");
  return false;
}

template <typename OpTy>
constexpr Role neutralRole =
    std::is_same_v<OpTy, MulOp> || std::is_same_v<OpTy, DivOp> ? Role::Scale
                                                               : Role::Bias;

template <typename OpTy>
LogicalResult importBinary(NodeContext &node) {
  if (!node.checkCounts(2, 2) || !haveOneType(node, 0, 1))
    return failure();
  constexpr Role role = neutralRole<OpTy>;
  // The linear cases have ops of their own: a factor, and a vector along the
  // last dim.
  if (std::is_same_v<OpTy, MulOp> || std::is_same_v<OpTy, DivOp>) {
    for (size_t i = std::is_same_v<OpTy, MulOp> ? 0 : 1; i < 2; ++i) {
      auto factor = node.isConstant(i) ? node.constantScalar(i) : std::nullopt;
      if (!factor || node.isConstant(1 - i) ||
          broadcastShapes(node.shape(i), node.shape(1 - i)) !=
              node.shape(1 - i))
        continue;
      double value = std::is_same_v<OpTy, MulOp> ? *factor : 1.0 / *factor;
      if (!std::isfinite(value))
        break;
      return node.setResult(
          0,
          node.createScale("", elementwiseOperand(node, 1 - i, role), value));
    }
  }
  if (std::is_same_v<OpTy, AddOp>) {
    for (size_t i = 0; i < 2; ++i) {
      const Shape &x = node.shape(1 - i), &b = node.shape(i);
      if (!node.operand(i).parameter || b.size() != 1 || x.size() < 2 ||
          x.back() != b[0])
        continue;
      Value value = node.tensor(1 - i), bias = node.tensor(i, Role::Bias);
      return value && bias
                 ? node.setResult(0, node.create<BiasAddOp>("", x, value, bias,
                                                            x.size() - 1))
                 : failure();
    }
  }
  Value x = elementwiseOperand(node, 0, role),
        y = elementwiseOperand(node, 1, role);
  if (std::is_same_v<OpTy, DivOp> && node.isInteger(0)) {
    // Towards zero. A quotient of floats below 2^24 never rounds to the next
    // whole number.
    Value quotient = createBinary<OpTy>(node, "quotient", x, y);
    return node.setResult(0, node.createCast("", quotient), node.typeOf(0));
  }
  return node.setResult(0, createBinary<OpTy>(node, "", x, y), node.typeOf(0));
}

/// `above` where x is above 0, else `below`.
Value pickAbove(NodeContext &node, Value x, Value above, Value below) {
  Value mask =
      createBinary<GreaterOp>(node, "above", x, node.createScalar("zero", 0));
  if (!mask || !above || !below)
    return Value();
  auto shape = broadcastShapes(shapeOf(above), shapeOf(below));
  return shape ? node.create<WhereOp>("", *shape, mask, above, below) : Value();
}

/// max(x, bound) as a clamp: x has no gradient where both are equal.
Value atLeast(NodeContext &node, StringRef suffix, Value x, Value bound) {
  return node.createWhere(
      suffix, createBinary<GreaterEqualOp>(node, "is_low", bound, x), bound, x);
}

/// min(x, bound), the same.
Value atMost(NodeContext &node, StringRef suffix, Value x, Value bound) {
  return node.createWhere(
      suffix, createBinary<GreaterEqualOp>(node, "is_high", x, bound), bound,
      x);
}

/// Whether a Max or Min is a clamp of PyTorch by one number, which its newer
/// exporter writes so: the result keeps the name of the function.
bool isClamp(NodeContext &node) {
  return node.numInputs() == 2 &&
         StringRef(node.node.outputs[0]).starts_with("clamp") &&
         (node.isConstant(0) || node.isConstant(1));
}

/// Sum, Max, Min, Mean of any number of operands.
template <typename OpTy, bool isMean = false>
LogicalResult importNary(NodeContext &node) {
  if (!node.checkCounts(1, SIZE_MAX))
    return failure();
  size_t count = node.numInputs();
  if (count == 1)
    return node.setOperand(0, node.operand(0));
  Value result;
  for (size_t i = 0; i < count; ++i) {
    if (!node.hasInput(i))
      return node.error("operand " + Twine(i) + " is missing");
    if (!haveOneType(node, 0, i))
      return failure();
    Value x = elementwiseOperand(node, i, Role::Bias);
    bool isLast = i + 1 == count && !isMean;
    if constexpr (std::is_same_v<OpTy, MaximumOp> ||
                  std::is_same_v<OpTy, MinimumOp>)
      if (i == 1 && isClamp(node)) {
        constexpr auto clamp =
            std::is_same_v<OpTy, MaximumOp> ? atLeast : atMost;
        return node.setResult(0,
                              node.isConstant(0) ? clamp(node, "", x, result)
                                                 : clamp(node, "", result, x),
                              node.typeOf(0));
      }
    result = i == 0 ? x
                    : createBinary<OpTy>(node,
                                         isLast ? std::string()
                                                : "part" + std::to_string(i),
                                         result, x);
    if (!result)
      return failure();
  }
  return node.setResult(
      0, isMean ? node.createScale("", result, 1.0 / count) : result,
      node.typeOf(0));
}

/// min(max(x, low), high); bounds that every float meets are left out. Bounds
/// that are computed share the gradient with an equal x.
LogicalResult importClip(NodeContext &node) {
  if (!node.checkCounts(1, node.opset() >= 11 ? 3 : 1))
    return failure();
  std::optional<float> bounds[2] = {-INFINITY, INFINITY};
  if (node.opset() < 11) {
    bounds[0] = node.floatAttribute("min", *bounds[0]);
    bounds[1] = node.floatAttribute("max", *bounds[1]);
  }
  for (size_t i = 1; i < 3; ++i) {
    if (!node.hasInput(i))
      continue;
    if (auto bound = node.constantNumber(i))
      bounds[i - 1] = static_cast<float>(*bound);
    else
      bounds[i - 1].reset();
    if (!bounds[i - 1] && !(node.operand(i).value && node.shape(i).empty()))
      return node.error("bound " + quote(node.node.inputs[i]) +
                        ": expected a float scalar");
  }
  if (node.failed())
    return failure();
  bool has[2] = {!bounds[0] ||
                     *bounds[0] > std::numeric_limits<float>::lowest(),
                 !bounds[1] || *bounds[1] < std::numeric_limits<float>::max()};
  if (!has[0] && !has[1])
    return node.setOperand(0, node.operand(0));
  Value x = node.floats(0);
  auto bound = [&](size_t i, StringRef suffix) {
    return bounds[i] ? node.createScalar(suffix, *bounds[i])
                     : node.floats(i + 1);
  };
  StringRef first = has[1] ? "low" : "";
  if (x && has[0])
    x = bounds[0] == 0.0f ? node.create<ReluOp>(first, node.shape(0), x)
        : bounds[0] ? atLeast(node, first, x, bound(0, "min"))
                    : createBinary<MaximumOp>(node, first, x, bound(0, "min"));
  if (x && has[1])
    x = bounds[1] ? atMost(node, "", x, bound(1, "max"))
                  : createBinary<MinimumOp>(node, "", x, bound(1, "max"));
  return node.setResult(0, x, node.typeOf(0));
}

LogicalResult importLeakyRelu(NodeContext &node) {
  float alpha = node.floatAttribute("alpha", 0.01f);
  if (node.failed() || !node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0), scaled = node.createScale("slope", x, alpha);
  return node.setResult(0, pickAbove(node, x, x, scaled));
}

/// max(0, min(1, alpha * x + beta)), with the gradient 0 at both ends.
Value createHardSigmoid(NodeContext &node, StringRef suffix, Value x,
                        float alpha, float beta) {
  Value line =
      createBinary<AddOp>(node, "line", node.createScale("alpha", x, alpha),
                          node.createScalar("beta", beta));
  return atMost(node, suffix, node.createUnary<ReluOp>("positive", line),
                node.createScalar("one", 1));
}

LogicalResult importHardSigmoid(NodeContext &node) {
  float alpha = node.floatAttribute("alpha", 0.2f),
        beta = node.floatAttribute("beta", 0.5f);
  if (node.failed() || !node.checkCounts(1, 1))
    return failure();
  return node.setResult(
      0, createHardSigmoid(node, "", node.tensor(0), alpha, beta));
}

LogicalResult importHardSwish(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0);
  return node.setResult(
      0, createBinary<MulOp>(
             node, "", x, createHardSigmoid(node, "gate", x, 1.0f / 6, 0.5f)));
}

LogicalResult importReciprocal(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0);
  return x ? node.setResult(0, node.create<ReciprocalOp>("", shapeOf(x), x))
           : failure();
}

/// Exponents that are known have ops of their own; others are floats.
LogicalResult importPow(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  auto exponent = node.isConstant(1) ? node.constantScalar(1) : std::nullopt;
  if (!exponent && node.isConstant(1) &&
      isInteger(node.operand(1).constant->dataType) &&
      node.operand(1).constant->size() == 1)
    exponent = static_cast<float>(node.operand(1).constant->ints[0]);
  bool keepsShape =
      broadcastShapes(node.shape(0), node.shape(1)) == node.shape(0);
  if (exponent == 1.0f && keepsShape)
    return node.setOperand(0, node.operand(0));
  Value x = node.floats(0);
  if (!x)
    return failure();
  if (node.isInteger(0)) {
    // Rounded to the nearest: powers of whole numbers are found by logarithms.
    Value power = createBinary<PowOp>(node, "power", x, node.floats(1));
    if (!node.isInteger(1))
      return node.setResult(0, node.createCast("", power), node.typeOf(0));
    Value half = node.createScalar("half", 0.5);
    Value isNegative = createBinary<GreaterOp>(
        node, "sign", node.createScalar("zero", 0), power);
    Value rounding = node.createWhere("rounding", isNegative,
                                      node.createScalar("low", -0.5), half);
    return node.setResult(
        0,
        node.createCast("", createBinary<AddOp>(node, "near", power, rounding)),
        node.typeOf(0));
  }
  if (!exponent || !keepsShape)
    return node.setResult(0, createBinary<PowOp>(node, "", x, node.floats(1)));
  if (*exponent == 2)
    return node.setResult(0, createBinary<MulOp>(node, "", x, x));
  if (*exponent == 3)
    return node.setResult(
        0, createBinary<MulOp>(node, "",
                               createBinary<MulOp>(node, "square", x, x), x));
  if (*exponent == 0.5f)
    return node.setResult(0, node.create<SqrtOp>("", shapeOf(x), x));
  if (*exponent == -1)
    return node.setResult(0, node.create<ReciprocalOp>("", shapeOf(x), x));
  return node.setResult(
      0, createBinary<PowOp>(node, "", x,
                             node.createScalar("exponent", *exponent)));
}

LogicalResult importGelu(NodeContext &node) {
  std::string form = node.stringAttribute("approximate", "none");
  if (node.failed() || !node.checkCounts(1, 1))
    return failure();
  if (form != "none" && form != "tanh")
    return node.error("attribute 'approximate': " + quote(form) +
                      " is not supported, only 'none' and 'tanh'");
  Value x = node.tensor(0);
  return x ? node.setResult(0,
                            node.create<GeluOp>("", shapeOf(x), x,
                                                /*approximate=*/form == "tanh"))
           : failure();
}

//===----------------------------------------------------------------------===//
// Activations with an exponential on one side
//===----------------------------------------------------------------------===//

/// min(x, 0), with the gradient 1 at 0.
Value partBelow(NodeContext &node, Value x) {
  Value zero = node.createScalar("zero", 0);
  return node.createWhere(
      "low", createBinary<GreaterOp>(node, "is_above", x, zero), zero, x);
}

/// e^min(x, 0) - 1: what is not picked does not overflow.
Value expBelow(NodeContext &node, Value x) {
  return node.createUnary<Expm1Op>("curve", partBelow(node, x));
}

LogicalResult importElu(NodeContext &node) {
  bool isSelu = node.node.opType == "Selu", isCelu = node.node.opType == "Celu";
  float alpha =
      node.floatAttribute("alpha", isSelu ? 1.67326319217681884765625f : 1.0f);
  float gamma =
      isSelu ? node.floatAttribute("gamma", 1.05070102214813232421875f) : 1.0f;
  if (node.failed() || !node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0);
  if (isCelu && alpha == 0)
    return node.error("attribute 'alpha' is 0");
  Value scaled = isCelu ? node.createScale("inner", x, 1.0 / alpha) : x;
  Value below =
      node.createScale("below", expBelow(node, scaled), double(alpha) * gamma);
  Value above = gamma == 1 ? x : node.createScale("outer", x, gamma);
  return node.setResult(0, pickAbove(node, x, above, below));
}

LogicalResult importPRelu(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  Value x = node.tensor(0), slope = elementwiseOperand(node, 1, Role::Bias);
  if (x && slope && broadcastShapes(shapeOf(x), shapeOf(slope)) != shapeOf(x))
    return node.error("a slope of shape " + shapeString(shapeOf(slope)) +
                      " does not broadcast to " + shapeString(shapeOf(x)));
  // Not by a choice: the slope of an infinity that is not picked would get 0
  // times infinity.
  Value low = partBelow(node, x);
  return node.setResult(
      0, createBinary<AddOp>(node, "", node.createUnary<ReluOp>("high", x),
                             createBinary<MulOp>(node, "below", low, slope)));
}

LogicalResult importThresholdedRelu(NodeContext &node) {
  float alpha = node.floatAttribute("alpha", 1.0f);
  if (node.failed() || !node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0);
  return node.setResult(
      0, node.createWhere(
             "",
             createBinary<GreaterEqualOp>(
                 node, "is_low", node.createScalar("threshold", alpha), x),
             node.createScalar("zero", 0), x));
}

LogicalResult importSoftsign(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0);
  Value size = x ? node.create<AbsOp>("abs", shapeOf(x), x) : Value();
  return node.setResult(
      0, createBinary<DivOp>(node, "", x,
                             createBinary<AddOp>(node, "plus", size,
                                                 node.createScalar("one", 1))));
}

enum class Arithmetic { Add, Sub, Mul, Div, Max, Min };

/// The op on integers; nothing if the result does not fit or does not exist.
std::optional<int64_t> compute(Arithmetic kind, int64_t x, int64_t y) {
  int64_t result = 0;
  switch (kind) {
  case Arithmetic::Add:
    return __builtin_add_overflow(x, y, &result) ? std::nullopt
                                                 : std::optional(result);
  case Arithmetic::Sub:
    return __builtin_sub_overflow(x, y, &result) ? std::nullopt
                                                 : std::optional(result);
  case Arithmetic::Mul:
    return __builtin_mul_overflow(x, y, &result) ? std::nullopt
                                                 : std::optional(result);
  case Arithmetic::Div:
    return y == 0 || (x == INT64_MIN && y == -1) ? std::nullopt
                                                 : std::optional(x / y);
  case Arithmetic::Max:
    return std::max(x, y);
  case Arithmetic::Min:
    return std::min(x, y);
  }
  return std::nullopt;
}

std::optional<float> compute(Arithmetic kind, float x, float y) {
  switch (kind) {
  case Arithmetic::Add:
    return x + y;
  case Arithmetic::Sub:
    return x - y;
  case Arithmetic::Mul:
    return x * y;
  case Arithmetic::Div:
    return x / y;
  case Arithmetic::Max:
    return std::max(x, y);
  case Arithmetic::Min:
    return std::min(x, y);
  }
  return std::nullopt;
}

/// Binary ops on constants; Max and Min of one or several.
template <Arithmetic kind>
LogicalResult foldBinary(NodeContext &node) {
  if (node.numInputs() == 1)
    return node.setOperand(0, node.operand(0));
  if (node.numInputs() > 2)
    return node.error("more than two operands that are known at import are not "
                      "supported");
  auto operands = broadcastOperands(node);
  if (!operands)
    return failure();
  auto &[a, b] = *operands;
  if (a.dataType != b.dataType)
    return node.error("operands of " + dataTypeName(a.dataType) + " and " +
                      dataTypeName(b.dataType) + " do not match");
  for (auto [left, right] : llvm::zip(a.floats, b.floats))
    left = *compute(kind, left, right);
  for (auto [left, right] : llvm::zip(a.ints, b.ints)) {
    auto value = compute(kind, left, right);
    if (!value)
      return node.error("the result for " + Twine(left) + " and " +
                        Twine(right) + " is not a 64-bit integer");
    left = *value;
  }
  return node.setConstant(0, std::move(a));
}

/// Unary functions of constants, as exporters scale by the root of a shape.
template <double (*function)(double)>
LogicalResult foldUnary(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const Tensor *x = node.constant(0);
  if (!x)
    return failure();
  Tensor result = *x;
  for (float &value : result.floats)
    value = static_cast<float>(function(value));
  for (int64_t &value : result.ints) {
    double number = function(static_cast<double>(value));
    if (!(std::fabs(number) < 0x1p63))
      return node.error("the result for " + Twine(value) +
                        " is not a 64-bit integer");
    value = static_cast<int64_t>(number);
  }
  return node.setConstant(0, std::move(result));
}

double negated(double x) { return -x; }
double magnitude(double x) { return std::fabs(x); }
double power(double x) { return std::exp(x); }
double logarithm(double x) { return std::log(x); }
double root(double x) { return std::sqrt(x); }
double hyperbolicTangent(double x) { return std::tanh(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double inverse(double x) { return 1 / x; }

LogicalResult foldPow(NodeContext &node) {
  auto operands = broadcastOperands(node);
  if (!operands)
    return failure();
  auto &[a, b] = *operands;
  for (int64_t i = 0, count = a.size(); i < count; ++i) {
    double power = std::pow(a.number(i), b.number(i));
    if (a.isFloat())
      a.floats[i] = static_cast<float>(power);
    else if (std::fabs(power) < 9e15)
      a.ints[i] = static_cast<int64_t>(power);
    else
      return node.error("the power " + Twine(std::to_string(power)) +
                        " is too large");
  }
  return node.setConstant(0, std::move(a));
}

} // namespace

void mlir::soap::onnx::addElementwiseOps(OpTable &table) {
  table["Relu"] = {7, kLastOpset, importUnary<ReluOp>, nullptr};
  table["Neg"] = {7, kLastOpset, importUnary<NegOp>, foldUnary<negated>};
  table["Abs"] = {7, kLastOpset, importUnary<AbsOp>, foldUnary<magnitude>};
  table["Exp"] = {7, kLastOpset, importUnary<ExpOp>, foldUnary<power>};
  table["Log"] = {7, kLastOpset, importUnary<LogOp>, foldUnary<logarithm>};
  table["Sqrt"] = {7, kLastOpset, importUnary<SqrtOp>, foldUnary<root>};
  table["Tanh"] = {7, kLastOpset, importUnary<TanhOp>,
                   foldUnary<hyperbolicTangent>};
  table["Sigmoid"] = {7, kLastOpset, importUnary<SigmoidOp>, nullptr};
  table["Add"] = {7, kLastOpset, importBinary<AddOp>,
                  foldBinary<Arithmetic::Add>};
  table["Sub"] = {7, kLastOpset, importBinary<SubOp>,
                  foldBinary<Arithmetic::Sub>};
  table["Mul"] = {7, kLastOpset, importBinary<MulOp>,
                  foldBinary<Arithmetic::Mul>};
  table["Div"] = {7, kLastOpset, importBinary<DivOp>,
                  foldBinary<Arithmetic::Div>};
  table["Sum"] = {8, kLastOpset, importNary<AddOp>, nullptr};
  table["Mean"] = {8, kLastOpset, importNary<AddOp, true>, nullptr};
  table["Max"] = {8, kLastOpset, importNary<MaximumOp>,
                  foldBinary<Arithmetic::Max>};
  table["Min"] = {8, kLastOpset, importNary<MinimumOp>,
                  foldBinary<Arithmetic::Min>};
  table["Clip"] = {7, kLastOpset, importClip, nullptr};
  table["LeakyRelu"] = {7, kLastOpset, importLeakyRelu, nullptr};
  table["HardSigmoid"] = {7, kLastOpset, importHardSigmoid, nullptr};
  table["HardSwish"] = {14, kLastOpset, importHardSwish, nullptr};
  table["Reciprocal"] = {7, kLastOpset, importReciprocal, foldUnary<inverse>};
  table["Pow"] = {7, kLastOpset, importPow, foldPow};
  table["Erf"] = {9, kLastOpset, importUnary<ErfOp>, nullptr};
  table["Sin"] = {7, kLastOpset, importUnary<SinOp>, foldUnary<sine>};
  table["Cos"] = {7, kLastOpset, importUnary<CosOp>, foldUnary<cosine>};
  table["Sign"] = {9, kLastOpset, importUnary<SignOp>, nullptr};
  table["Gelu"] = {20, kLastOpset, importGelu, nullptr};
  table["Elu"] = {7, kLastOpset, importElu, nullptr};
  table["Selu"] = {7, kLastOpset, importElu, nullptr};
  table["Celu"] = {12, kLastOpset, importElu, nullptr};
  table["PRelu"] = {7, kLastOpset, importPRelu, nullptr};
  table["ThresholdedRelu"] = {10, kLastOpset, importThresholdedRelu, nullptr};
  table["Softplus"] = {7, kLastOpset, importUnary<SoftplusOp>, nullptr};
  table["Softsign"] = {7, kLastOpset, importSoftsign, nullptr};
}
