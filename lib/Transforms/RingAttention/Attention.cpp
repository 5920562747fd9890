//===- Attention.cpp - Attention chains of a function ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks from the softmax to the products before and after it, then from its
// gradient to the gradients of queries, keys and values. Everything between
// them may have no other reader, since it is not computed any more.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>
#include <optional>

using namespace mlir;
using namespace mlir::soap;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static std::string nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName);
  return name ? "'" + name.str() + "'"
              : "'" + op->getName().getStringRef().str() + "'";
}

/// The elements of a constant, through conversions of element types.
static std::optional<DenseElementsAttr> constantOf(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getX();
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant ||
      !isa<FloatType>(
          cast<RankedTensorType>(constant.getType()).getElementType()))
    return std::nullopt;
  if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
    return elements;
  // Importers keep elements out of the IR.
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
  if (!resource || resource.getData().empty())
    return std::nullopt;
  bool isSplat = false;
  if (!DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                           resource.getData(), isSplat))
    return std::nullopt;
  return DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                             resource.getData());
}

/// The value of every element of a constant.
static std::optional<double> splatOf(Value value) {
  std::optional<DenseElementsAttr> elements = constantOf(value);
  if (!elements || !elements->isSplat())
    return std::nullopt;
  return elements->getSplatValue<APFloat>().convertToDouble();
}

static std::vector<double> numbersOf(DenseElementsAttr elements) {
  std::vector<double> numbers;
  for (const APFloat &element : elements.getValues<APFloat>())
    numbers.push_back(element.convertToDouble());
  return numbers;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Whether `isVisible` of the elements of a [.., T, T] tensor is true on and
/// below the diagonal, and `isHidden` above it.
template <typename Visible, typename Hidden>
static bool isTriangle(DenseElementsAttr elements, int64_t length,
                       Visible isVisible, Hidden isHidden) {
  ArrayRef<int64_t> shape = elements.getType().getShape();
  if (shape.size() < 2 || elements.getNumElements() != length * length ||
      shape.end()[-1] != length || shape.end()[-2] != length)
    return false;
  int64_t place = 0;
  for (const APFloat &element : elements.getValues<APFloat>()) {
    double number = element.convertToDouble();
    bool below = place % length <= place / length;
    ++place;
    if (!(below ? isVisible(number) : isHidden(number)))
      return false;
  }
  return true;
}

/// Whether `rows` [T, 1] and `columns` [1, T] are numbers of which row i is
/// above (or, if `orEqual`, at least) the numbers of columns up to i alone.
static bool comparesPositions(Value rows, Value columns, bool orEqual,
                              int64_t length) {
  std::optional<DenseElementsAttr> r = constantOf(rows),
                                   c = constantOf(columns);
  if (!r || !c || r->getNumElements() != length ||
      c->getNumElements() != length || shapeOf(rows).size() < 2 ||
      shapeOf(rows).end()[-2] != length || shapeOf(columns).empty() ||
      shapeOf(columns).back() != length)
    return false;
  std::vector<double> row = numbersOf(*r), column = numbersOf(*c);
  auto sees = [&](int64_t i, int64_t j) {
    return orEqual ? row[i] >= column[j] : row[i] > column[j];
  };
  for (int64_t i = 0; i < length; ++i)
    if (!sees(i, i) || (i > 0 && !(column[i - 1] <= column[i])) ||
        (i + 1 < length && sees(i, i + 1)))
      return false;
  return true;
}

/// Whether a condition is true where a query may look: at itself and before.
static bool isCausalCondition(Value condition, int64_t length) {
  while (auto cast = condition.getDefiningOp<CastOp>())
    condition = cast.getX();
  if (auto compared = condition.getDefiningOp<GreaterEqualOp>())
    return comparesPositions(compared.getX(), compared.getY(), true, length);
  if (auto compared = condition.getDefiningOp<GreaterOp>())
    return comparesPositions(compared.getX(), compared.getY(), false, length);
  std::optional<DenseElementsAttr> elements = constantOf(condition);
  return elements && isTriangle(
                         *elements, length, [](double x) { return x != 0; },
                         [](double x) { return x == 0; });
}

/// A number that no exponential of a difference to a score survives.
static bool hides(double number) { return number <= -1e4; }

//===----------------------------------------------------------------------===//
// The forward pass
//===----------------------------------------------------------------------===//

/// From the operand of the softmax to the products. Returns why it fails, or
/// nothing.
static std::string findProducts(Attention &found, Value scores,
                                int64_t length) {
  bool isMasked = false;
  auto mask = [&]() -> std::string {
    if (isMasked)
      return "it has more than one mask";
    // A scale of what is masked already would scale the mask, too.
    isMasked = found.isCausal = true;
    return "";
  };
  while (true) {
    Operation *op = scores.getDefiningOp();
    if (!op)
      return "its scores are an argument of the function";
    if (auto products = dyn_cast<MatmulOp>(op)) {
      found.products = products;
      return "";
    }
    std::optional<double> number;
    if (auto scale = dyn_cast<ScaleOp>(op)) {
      found.factor *= scale.getFactor().convertToDouble();
      scores = scale.getX();
    } else if (auto mul = dyn_cast<MulOp>(op);
               mul && (number = splatOf(mul.getY()))) {
      found.factor *= *number;
      scores = mul.getX();
    } else if (auto div = dyn_cast<DivOp>(op);
               div && (number = splatOf(div.getY())) && *number != 0) {
      found.factor /= *number;
      scores = div.getX();
    } else if (auto where = dyn_cast<WhereOp>(op);
               where && (number = splatOf(where.getY())) && hides(*number) &&
               isCausalCondition(where.getCondition(), length)) {
      if (std::string why = mask(); !why.empty())
        return why;
      if (found.factor != 1)
        return "its mask comes before a scale";
      scores = where.getX();
    } else if (auto add = dyn_cast<AddOp>(op)) {
      std::optional<DenseElementsAttr> elements = constantOf(add.getY());
      if (!elements ||
          !isTriangle(
              *elements, length, [](double x) { return x == 0; }, hides))
        return nameOf(op) + " adds a mask that is not causal";
      if (std::string why = mask(); !why.empty())
        return why;
      if (found.factor != 1)
        return "its mask comes before a scale";
      scores = add.getX();
    } else if (isa<WhereOp>(op)) {
      return nameOf(op) + " is a mask that is not causal";
    } else {
      return nameOf(op) + " is between the products and the softmax";
    }
    if (shapeOf(scores) != shapeOf(found.softmax.getX()))
      return nameOf(op) + " repeats scores";
  }
}

/// The heads of keys or values before their repetition: [.., K, S, D] to
/// [.., K * group, S, D]. Null: they are not repeated.
static Value beforeRepetition(Value heads, int64_t &group) {
  auto reshape = heads.getDefiningOp<ReshapeOp>();
  auto broadcast =
      reshape ? reshape.getX().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (!broadcast)
    return {};
  ArrayRef<int64_t> whole = shapeOf(heads);
  ArrayRef<int64_t> apart = shapeOf(broadcast.getY());
  int64_t rank = static_cast<int64_t>(whole.size());
  if (rank < 4 || apart.size() != whole.size() + 1 ||
      broadcast.getAxes() != ArrayRef<int64_t>{rank - 2} ||
      apart.take_front(rank - 3) != whole.take_front(rank - 3) ||
      apart.take_back(2) != whole.take_back(2))
    return {};
  group = apart[rank - 2];
  return broadcast.getX();
}

//===----------------------------------------------------------------------===//
// The backward pass
//===----------------------------------------------------------------------===//

static std::string addOnce(Value &place, Value value, const char *what) {
  if (place)
    return std::string("it has two gradients of its ") + what;
  place = value;
  return "";
}

/// The gradients that read the gradient of the products.
static std::string findProductGrads(Attention &found, Value grad,
                                    Value allKeys) {
  for (Operation *user : grad.getUsers()) {
    auto product = dyn_cast<MatmulOp>(user);
    std::string why;
    if (product && product.getA() == grad && product.getB() == allKeys &&
        !product.getTransposeA() &&
        product.getTransposeB() == found.keysAreColumns)
      why = addOnce(found.queriesGrad, product.getY(), "queries");
    else if (product && product.getTransposeA() && !product.getTransposeB() &&
             !found.keysAreColumns && product.getA() == grad &&
             product.getB() == found.queries)
      why = addOnce(found.keysGrad, product.getY(), "keys");
    else if (product && product.getTransposeA() && !product.getTransposeB() &&
             found.keysAreColumns && product.getA() == found.queries &&
             product.getB() == grad)
      why = addOnce(found.keysGrad, product.getY(), "keys");
    else
      why = nameOf(user) + " reads the gradient of its scores";
    if (!why.empty())
      return why;
  }
  return "";
}

/// From the gradient of the softmax to the gradients of queries and keys,
/// through the gradients of mask and scale.
static std::string findScoreGrads(Attention &found, Value grad, Value allKeys) {
  double factor = 1;
  while (grad.hasOneUse()) {
    Operation *op = *grad.getUsers().begin();
    std::optional<double> number;
    if (auto scale = dyn_cast<ScaleOp>(op)) {
      factor *= scale.getFactor().convertToDouble();
    } else if (auto mul = dyn_cast<MulOp>(op);
               mul && mul.getX() == grad && (number = splatOf(mul.getY()))) {
      factor *= *number;
    } else if (auto div = dyn_cast<DivOp>(op); div && div.getX() == grad &&
                                               (number = splatOf(div.getY())) &&
                                               *number != 0) {
      factor /= *number;
    } else if (auto where = dyn_cast<WhereOp>(op);
               where && where.getX() == grad) {
      if (!found.isCausal ||
          !isCausalCondition(where.getCondition(), found.length()) ||
          splatOf(where.getY()) != 0)
        return nameOf(op) + " hides other gradients than its mask";
    } else {
      break;
    }
    grad = op->getResult(0);
  }
  if (!(std::abs(factor - found.factor) <= 1e-6 * std::abs(found.factor)))
    return "its gradient has another scale";
  return findProductGrads(found, grad, allKeys);
}

static std::string findGrads(Attention &found, Value allKeys, Value allValues) {
  Value probabilities = found.softmax.getY();
  SoftmaxGradOp softmaxGrad;
  for (Operation *user : probabilities.getUsers()) {
    if (user == found.mixed)
      continue;
    auto product = dyn_cast<MatmulOp>(user);
    if (auto grad = dyn_cast<SoftmaxGradOp>(user);
        grad && grad.getY() == probabilities && !softmaxGrad &&
        grad.getAxis() == found.softmax.getAxis()) {
      softmaxGrad = grad;
    } else if (product && product.getA() == probabilities &&
               product.getTransposeA() && !product.getTransposeB() &&
               !found.valuesGrad) {
      found.valuesGrad = product.getY();
      found.resultGrad = product.getB();
      found.firstGrad = product;
    } else {
      return nameOf(user) + " reads its probabilities";
    }
  }
  if (!softmaxGrad)
    return "";
  auto ofProbabilities = softmaxGrad.getDy().getDefiningOp<MatmulOp>();
  if (!ofProbabilities || !ofProbabilities.getY().hasOneUse() ||
      ofProbabilities.getB() != allValues || ofProbabilities.getTransposeA() ||
      !ofProbabilities.getTransposeB())
    return "the gradient of its probabilities is no product with its values";
  if (found.resultGrad && found.resultGrad != ofProbabilities.getA())
    return "its gradients read two gradients of its result";
  found.resultGrad = ofProbabilities.getA();
  if (!found.firstGrad || ofProbabilities->isBeforeInBlock(found.firstGrad))
    found.firstGrad = ofProbabilities;
  return findScoreGrads(found, softmaxGrad.getDx(), allKeys);
}

/// The sum over repeated heads that follows the gradient of all heads. Null:
/// there is none.
static Value sumOfRepetition(Value grad, Value repeated) {
  if (!grad.hasOneUse())
    return {};
  auto reshape = dyn_cast<ReshapeOp>(*grad.getUsers().begin());
  if (!reshape || !reshape.getY().hasOneUse())
    return {};
  auto sum = dyn_cast<ReduceOp>(*reshape.getY().getUsers().begin());
  int64_t rank = static_cast<int64_t>(shapeOf(repeated).size());
  if (!sum || sum.getKind() != ReduceKind::Sum ||
      sum.getAxes() != ArrayRef<int64_t>{rank - 2} ||
      shapeOf(sum.getY()) != shapeOf(repeated))
    return {};
  return sum.getY();
}

/// The operand of a transpose to columns; null: there is none.
static Value beforeColumns(Value columns) {
  auto transpose = columns.getDefiningOp<TransposeOp>();
  if (!transpose)
    return {};
  ArrayRef<int64_t> order = transpose.getPermutation();
  auto rank = static_cast<int64_t>(order.size());
  for (int64_t d = 0; d + 2 < rank; ++d)
    if (order[d] != d)
      return {};
  return order[rank - 2] == rank - 1 ? transpose.getX() : Value();
}

/// Keys that a transpose makes columns of are rows before it.
static void useRows(Attention &found) {
  if (!found.keysAreColumns)
    return;
  Value rows = beforeColumns(found.keys);
  if (!rows)
    return;
  if (found.keysGrad) {
    // Their gradient is transposed back.
    if (!found.keysGrad.hasOneUse())
      return;
    auto back = dyn_cast<TransposeOp>(*found.keysGrad.getUsers().begin());
    if (!back || beforeColumns(back.getY()) != found.keysGrad)
      return;
    found.keysGrad = back.getY();
  }
  found.keys = rows;
  found.keysAreColumns = false;
}

/// Sends blocks of what heads are repeated from, where keys and values are.
static void useUnrepeated(Attention &found) {
  int64_t keyGroup = 1, valueGroup = 1;
  Value keys = beforeRepetition(found.keys, keyGroup),
        values = beforeRepetition(found.values, valueGroup);
  if (!keys || !values || keyGroup != valueGroup || found.keysAreColumns)
    return;
  Value keysGrad, valuesGrad;
  if (found.keysGrad && !(keysGrad = sumOfRepetition(found.keysGrad, keys)))
    return;
  if (found.valuesGrad &&
      !(valuesGrad = sumOfRepetition(found.valuesGrad, values)))
    return;
  found.keys = keys;
  found.values = values;
  found.keysGrad = keysGrad;
  found.valuesGrad = valuesGrad;
  found.group = keyGroup;
}

/// Values on the way that something else reads, too, have to be computed.
static std::string findOtherReader(Attention &found) {
  Operation *op = found.softmax;
  while (op != found.products) {
    // Masks and scales have their scores as operand 0, `where` as operand 1.
    Value scores = op->getOperand(isa<WhereOp>(op) ? 1 : 0);
    if (!scores.hasOneUse())
      return nameOf(scores.getDefiningOp()) + " has another reader";
    op = scores.getDefiningOp();
  }
  return "";
}

std::variant<Attention, std::string>
mlir::soap::findAttention(SoftmaxOp softmax) {
  Attention found;
  found.softmax = softmax;
  ArrayRef<int64_t> shape = shapeOf(softmax.getX());
  size_t rank = shape.size();
  if (rank < 3 || softmax.getAxis() != rank - 1)
    return "it is not over the last dim of three or more";
  if (shape[rank - 1] != shape[rank - 2])
    return "its scores are not of one sequence: " +
           std::to_string(shape[rank - 2]) + " queries and " +
           std::to_string(shape[rank - 1]) + " keys";
  for (Operation *user : softmax.getY().getUsers())
    if (auto product = dyn_cast<MatmulOp>(user);
        product && product.getA() == softmax.getY() &&
        !product.getTransposeA() && !product.getTransposeB() && !found.mixed &&
        shapeOf(product.getB()).size() == rank)
      found.mixed = product;
  if (!found.mixed)
    return "no product of it and values follows";
  if (std::string why = findProducts(found, softmax.getX(), shape[rank - 1]);
      !why.empty())
    return why;
  if (found.products.getTransposeA() ||
      shapeOf(found.products.getB()).size() != rank)
    return nameOf(found.products) + " is no product of queries and keys";
  found.queries = found.products.getA();
  found.keys = found.products.getB();
  found.keysAreColumns = !found.products.getTransposeB();
  found.values = found.mixed.getB();
  if (std::string why = findOtherReader(found); !why.empty())
    return why;
  if (std::string why = findGrads(found, found.keys, found.values);
      !why.empty())
    return why;
  useRows(found);
  useUnrepeated(found);
  return found;
}
