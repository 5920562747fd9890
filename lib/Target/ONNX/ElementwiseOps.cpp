//===- ElementwiseOps.cpp - Elementwise ops of ONNX -------------*- C++ -*-===//
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
  Value x = node.tensor(0);
  return x ? node.setResult(0, node.create<OpTy>("", node.shape(0), x))
           : failure();
}

/// A binary op on values, with broadcasting.
template <typename OpTy>
Value createBinary(NodeContext &node, StringRef suffix, Value x, Value y) {
  if (!x || !y)
    return Value();
  auto shape = broadcastShapes(shapeOf(x), shapeOf(y));
  if (!shape) {
    (void)node.error("operands " + shapeString(shapeOf(x)) + " and " +
                     shapeString(shapeOf(y)) + " do not broadcast");
    return Value();
  }
  return node.create<OpTy>(suffix, *shape, x, y);
}

/// Parameters of elementwise ops begin at what changes nothing.
Value elementwiseOperand(NodeContext &node, size_t index, Role role) {
  return node.tensor(index, node.operand(index).parameter ? role : Role::Other);
}

template <typename OpTy>
constexpr Role neutralRole =
    std::is_same_v<OpTy, MulOp> || std::is_same_v<OpTy, DivOp> ? Role::Scale
                                                               : Role::Bias;

template <typename OpTy>
LogicalResult importBinary(NodeContext &node) {
  if (!node.checkCounts(2, 2))
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
  return node.setResult(0, createBinary<OpTy>(node, "", x, y));
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
    Value x = elementwiseOperand(node, i, Role::Bias);
    bool isLast = i + 1 == count && !isMean;
    result = i == 0 ? x
                    : createBinary<OpTy>(node,
                                         isLast ? std::string()
                                                : "part" + std::to_string(i),
                                         result, x);
    if (!result)
      return failure();
  }
  return node.setResult(0, isMean ? node.createScale("", result, 1.0 / count)
                                  : result);
}

/// min(max(x, low), high); bounds that every float meets are left out.
LogicalResult importClip(NodeContext &node) {
  if (!node.checkCounts(1, node.opset() >= 11 ? 3 : 1))
    return failure();
  float low = -INFINITY, high = INFINITY;
  if (node.opset() < 11) {
    low = node.floatAttribute("min", low);
    high = node.floatAttribute("max", high);
  }
  for (size_t i = 1; i < 3; ++i) {
    if (!node.hasInput(i))
      continue;
    auto bound = node.constantScalar(i);
    if (!bound)
      return node.error("bound " + quote(node.node.inputs[i]) +
                        ": expected a float scalar that is known at import");
    (i == 1 ? low : high) = *bound;
  }
  bool hasLow = low > std::numeric_limits<float>::lowest(),
       hasHigh = high < std::numeric_limits<float>::max();
  if (node.failed())
    return failure();
  if (!hasLow && !hasHigh)
    return node.setOperand(0, node.operand(0));
  Value x = node.tensor(0);
  StringRef first = hasHigh ? "low" : "";
  if (x && hasLow)
    x = low == 0 ? node.create<ReluOp>(first, node.shape(0), x)
                 : createBinary<MaximumOp>(node, first, x,
                                           node.createScalar("min", low));
  if (x && hasHigh)
    x = createBinary<MinimumOp>(node, "", x, node.createScalar("max", high));
  return node.setResult(0, x);
}

LogicalResult importLeakyRelu(NodeContext &node) {
  float alpha = node.floatAttribute("alpha", 0.01f);
  if (node.failed() || !node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0), scaled = node.createScale("slope", x, alpha);
  return node.setResult(0, alpha <= 1
                               ? createBinary<MaximumOp>(node, "", x, scaled)
                               : createBinary<MinimumOp>(node, "", x, scaled));
}

/// max(0, min(1, alpha * x + beta)).
Value createHardSigmoid(NodeContext &node, StringRef suffix, Value x,
                        float alpha, float beta) {
  Value line =
      createBinary<AddOp>(node, "line", node.createScale("alpha", x, alpha),
                          node.createScalar("beta", beta));
  Value positive =
      line ? node.create<ReluOp>("positive", shapeOf(line), line) : Value();
  return createBinary<MinimumOp>(node, suffix, positive,
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
  return node.setResult(0, createBinary<DivOp>(node, "",
                                               node.createScalar("one", 1),
                                               node.tensor(0)));
}

LogicalResult importPow(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  auto exponent = node.constantScalar(1);
  if (!exponent && node.isConstant(1) &&
      isInteger(node.operand(1).constant->dataType) &&
      node.operand(1).constant->size() == 1)
    exponent = static_cast<float>(node.operand(1).constant->ints[0]);
  if (!exponent ||
      broadcastShapes(node.shape(0), node.shape(1)) != node.shape(0))
    return node.error(
        "only exponents that are scalars known at import are supported");
  if (*exponent == 1)
    return node.setOperand(0, node.operand(0));
  Value x = node.tensor(0);
  if (!x)
    return failure();
  if (*exponent == 2)
    return node.setResult(0, createBinary<MulOp>(node, "", x, x));
  if (*exponent == 3)
    return node.setResult(
        0, createBinary<MulOp>(node, "",
                               createBinary<MulOp>(node, "square", x, x), x));
  if (*exponent == 0.5f)
    return node.setResult(0, node.create<SqrtOp>("", shapeOf(x), x));
  if (*exponent == -1)
    return node.setResult(
        0, createBinary<DivOp>(node, "", node.createScalar("one", 1), x));
  return node.error("exponent " + Twine(std::to_string(*exponent)) +
                    " is not supported, only -1, 0.5, 1, 2 and 3");
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

/// Binary ops on constants.
template <Arithmetic kind>
LogicalResult foldBinary(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  const Tensor *x = node.constant(0), *y = node.constant(1);
  if (!x || !y)
    return failure();
  auto shape = broadcastShapes(x->dims, y->dims);
  if (!shape || x->dataType != y->dataType)
    return node.error("operands " + dataTypeName(x->dataType) + " " +
                      shapeString(x->dims) + " and " +
                      dataTypeName(y->dataType) + " " + shapeString(y->dims) +
                      " do not match");
  auto a = pickElements(node, *x, *shape, broadcastIndex(x->dims, *shape));
  auto b = pickElements(node, *y, *shape, broadcastIndex(y->dims, *shape));
  if (!a || !b)
    return failure();
  for (auto [left, right] : llvm::zip(a->floats, b->floats))
    left = *compute(kind, left, right);
  for (auto [left, right] : llvm::zip(a->ints, b->ints)) {
    auto value = compute(kind, left, right);
    if (!value)
      return node.error("the result for " + Twine(left) + " and " +
                        Twine(right) + " is not a 64-bit integer");
    left = *value;
  }
  return node.setConstant(0, std::move(*a));
}

} // namespace

void mlir::soap::onnx::addElementwiseOps(OpTable &table) {
  table["Relu"] = {7, kLastOpset, importUnary<ReluOp>, nullptr};
  table["Neg"] = {7, kLastOpset, importUnary<NegOp>, nullptr};
  table["Abs"] = {7, kLastOpset, importUnary<AbsOp>, nullptr};
  table["Exp"] = {7, kLastOpset, importUnary<ExpOp>, nullptr};
  table["Log"] = {7, kLastOpset, importUnary<LogOp>, nullptr};
  table["Sqrt"] = {7, kLastOpset, importUnary<SqrtOp>, nullptr};
  table["Tanh"] = {7, kLastOpset, importUnary<TanhOp>, nullptr};
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
  table["Reciprocal"] = {7, kLastOpset, importReciprocal, nullptr};
  table["Pow"] = {7, kLastOpset, importPow, nullptr};
}
