//===- Convolution.cpp - Convolutions -----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of any layout, and those that are gradients of others.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::stablehlo_import;
namespace shlo = mlir::soap::stablehlo_import;

namespace {

/// The dims of a tensor: `[b, 0, 1, f]`, `[0, 1, i, o]`.
struct Layout {
  int64_t first = -1, second = -1;
  SmallVector<int64_t> spatial;

  SmallVector<int64_t> order() const {
    SmallVector<int64_t> all = {first, second};
    llvm::append_range(all, spatial);
    return all;
  }
  /// The permutation from `order()` to the tensor's own dims.
  SmallVector<int64_t> inverse() const {
    SmallVector<int64_t> all = order(), result(all.size());
    for (auto [i, dim] : llvm::enumerate(all))
      result[dim] = static_cast<int64_t>(i);
    return result;
  }
};

bool parseLayout(StringRef text, StringRef letters, Layout &layout) {
  text = text.trim();
  if (!text.consume_front("[") || !text.consume_back("]"))
    return false;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  layout.spatial.assign(parts.size() < 2 ? 0 : parts.size() - 2, -1);
  for (auto [d, part] : llvm::enumerate(parts)) {
    part = part.trim();
    size_t number = 0;
    int64_t *place = part == letters.take_front(1)   ? &layout.first
                     : part == letters.drop_front(1) ? &layout.second
                                                     : nullptr;
    if (!place && !part.getAsInteger(10, number) &&
        number < layout.spatial.size())
      place = &layout.spatial[number];
    if (!place || *place != -1)
      return false;
    *place = static_cast<int64_t>(d);
  }
  return layout.first >= 0 && layout.second >= 0;
}

/// `x` is [batch, feature, spatial...], `w` [output feature, input feature,
/// spatial...], and so is the result as `x` is.
struct Convolution {
  TensorRef x, w;
  SmallVector<int64_t> strides, low, high, xDilations, wDilations;
  int64_t featureGroups = 1, batchGroups = 1;
  SmallVector<int64_t> result;

  size_t rank() const { return strides.size(); }
};

class Converter {
public:
  Converter(Importer &importer, Operation *op)
      : importer(importer), op(op), loc(op->getLoc()),
        builder(importer.builder()) {}

  LogicalResult run();

private:
  Importer &importer;
  Operation *op;
  Location loc;
  OpBuilder &builder;
  Layout xLayout, wLayout, yLayout;
  Convolution conv;

  LogicalResult read();
  LogicalResult check();
  TensorRef reverse(const TensorRef &w);
  TensorRef emit();
  TensorRef emitPlain();
  TensorRef emitInputGradient();
  TensorRef emitWeightGradient();
  TensorRef emitGeneric();
  void addSpatialDim();

  bool allOnes(ArrayRef<int64_t> list) const {
    return llvm::all_of(list, [](int64_t value) { return value == 1; });
  }
  ArrayRef<int64_t> xShape() const { return conv.x->type.getShape(); }
  ArrayRef<int64_t> wShape() const { return conv.w->type.getShape(); }
};

LogicalResult Converter::read() {
  auto attribute =
      dyn_cast_or_null<OpaqueAttr>(op->getAttr("dimension_numbers"));
  StringRef text = attribute ? attribute.getAttrData() : "";
  StringRef inner = text;
  bool isFine = inner.consume_front("conv<") && inner.consume_back(">");
  auto [operands, result] = inner.split("->");
  size_t cross = operands.find("]x[");
  isFine &= cross != StringRef::npos;
  isFine = isFine &&
           parseLayout(operands.take_front(cross + 1), "bf", xLayout) &&
           parseLayout(operands.drop_front(cross + 2), "oi", wLayout) &&
           parseLayout(result, "bf", yLayout);
  size_t spatial = xLayout.spatial.size();
  if (!isFine || wLayout.spatial.size() != spatial ||
      yLayout.spatial.size() != spatial)
    return importer.error(op)
           << "has 'dimension_numbers' = '" << text
           << "', expected #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, "
              "1, f]> or another order of these dims";
  RankedTensorType type = importer.resultType(op);
  if (!type)
    return failure();
  auto rank = static_cast<int64_t>(spatial) + 2;
  for (RankedTensorType own :
       {importer.get(op, 0)->type, importer.get(op, 1)->type, type})
    if (own.getRank() != rank)
      return importer.error(op)
             << "has a tensor of type " << own << ", expected rank " << rank;
  int64_t size = rank - 2;
  FailureOr<SmallVector<int64_t>>
      strides = importer.integersOr(op, "window_strides", size, 1),
      padding = importer.integersOr(op, "padding", 2 * size, 0),
      xDilations = importer.integersOr(op, "lhs_dilation", size, 1),
      wDilations = importer.integersOr(op, "rhs_dilation", size, 1),
      reversal = importer.integersOr(op, "window_reversal", size, 0);
  FailureOr<int64_t> features = importer.integer(op, "feature_group_count"),
                     batches = importer.integer(op, "batch_group_count");
  if (failed(strides) || failed(padding) || failed(xDilations) ||
      failed(wDilations) || failed(reversal) || failed(features) ||
      failed(batches))
    return failure();
  conv.strides = *strides;
  conv.xDilations = *xDilations;
  conv.wDilations = *wDilations;
  conv.featureGroups = *features;
  conv.batchGroups = *batches;
  for (int64_t d = 0; d < size; ++d) {
    conv.low.push_back((*padding)[2 * d]);
    conv.high.push_back((*padding)[2 * d + 1]);
  }
  TensorRef x = importer.get(op, 0), w = importer.get(op, 1);
  FailureOr<Type> element = shlo::productType(importer, op);
  if (failed(element))
    return failure();
  x = convertElements(importer, x, isUnsigned(elementOf(op->getOperand(0))),
                      *element);
  w = convertElements(importer, w, isUnsigned(elementOf(op->getOperand(1))),
                      *element);
  conv.x = importer.transpose(x, xLayout.order());
  conv.w = importer.transpose(w, wLayout.order());
  for (int64_t dim : yLayout.order())
    conv.result.push_back(type.getDimSize(dim));
  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0; d < rank; ++d) {
    AffineExpr dim = getAffineDimExpr(d, importer.context());
    bool isReversed = d >= 2 && (*reversal)[d - 2] != 0;
    exprs.push_back(isReversed ? wShape()[d] - 1 - dim : dim);
  }
  conv.w = importer.view(conv.w, wShape(),
                         AffineMap::get(rank, 0, exprs, importer.context()));
  return success();
}

LogicalResult Converter::check() {
  int64_t groups = conv.featureGroups, batches = conv.batchGroups;
  if (groups < 1 || batches < 1 || (groups > 1 && batches > 1))
    return importer.error(op)
           << "has " << groups << " feature groups and " << batches
           << " batch groups, expected 1 of one of them";
  if (xShape()[1] % groups || wShape()[1] != xShape()[1] / groups ||
      wShape()[0] % (groups * batches) || xShape()[0] % batches)
    return importer.error(op)
           << "has features of " << op->getOperand(0).getType() << " and "
           << op->getOperand(1).getType() << " that do not fit " << groups
           << " feature groups and " << batches << " batch groups";
  SmallVector<int64_t> expected = {xShape()[0] / batches, wShape()[0]};
  for (size_t d = 0; d < conv.rank(); ++d) {
    if (conv.strides[d] < 1 || conv.xDilations[d] < 1 || conv.wDilations[d] < 1)
      return importer.error(op) << "has a stride or a dilation below 1";
    int64_t padded = (xShape()[2 + d] - 1) * conv.xDilations[d] + 1 +
                     conv.low[d] + conv.high[d],
            span = (wShape()[2 + d] - 1) * conv.wDilations[d] + 1;
    expected.push_back(padded < span ? 0
                                     : (padded - span) / conv.strides[d] + 1);
  }
  if (expected == conv.result)
    return success();
  return importer.error(op)
         << "has a result of type " << op->getResult(0).getType()
         << ", which is not the shape of its windows";
}

TensorRef Converter::reverse(const TensorRef &w) {
  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0; d < w->type.getRank(); ++d) {
    AffineExpr dim = getAffineDimExpr(d, importer.context());
    exprs.push_back(d < 2 ? dim : w->type.getDimSize(d) - 1 - dim);
  }
  return importer.view(
      w, w->type.getShape(),
      AffineMap::get(w->type.getRank(), 0, exprs, importer.context()));
}

/// One dimension becomes two, the first of extent 1.
void Converter::addSpatialDim() {
  auto widen = [&](const TensorRef &tensor) {
    SmallVector<int64_t> shape(tensor->type.getShape());
    shape.insert(shape.begin() + 2, 1);
    return importer.reshape(tensor, shape);
  };
  conv.x = widen(conv.x);
  conv.w = widen(conv.w);
  conv.result.insert(conv.result.begin() + 2, 1);
  for (auto *list : {&conv.strides, &conv.xDilations, &conv.wDilations})
    list->insert(list->begin(), 1);
  for (auto *list : {&conv.low, &conv.high})
    list->insert(list->begin(), 0);
}

TensorRef Converter::emitPlain() {
  Value x = importer.whole(conv.x), w = importer.whole(conv.w);
  auto type = RankedTensorType::get(conv.result, conv.x->type.getElementType());
  int64_t padding[] = {conv.low[0], conv.low[1], conv.high[0], conv.high[1]};
  return importer.fromValue(
      Conv2DOp::create(builder, loc, type, x, w, conv.strides, padding,
                       conv.wDilations, conv.featureGroups));
}

/// The gradient of a convolution with respect to its input: its stride spreads
/// the elements of `x`, which is the gradient of its result, and its weights
/// are `w` reversed, inputs and outputs exchanged within each group.
TensorRef Converter::emitInputGradient() {
  int64_t groups = conv.featureGroups, outputs = wShape()[1],
          inputs = wShape()[0] / groups;
  SmallVector<int64_t> padding(4);
  for (size_t d : {0, 1}) {
    int64_t span = (wShape()[2 + d] - 1) * conv.wDilations[d];
    padding[d] = span - conv.low[d];
    padding[2 + d] = (xShape()[2 + d] - 1) * conv.xDilations[d] + span + 1 -
                     conv.result[2 + d] - padding[d];
  }
  // [g * inputs, outputs, ...] to [g * outputs, inputs, ...].
  TensorRef w = reverse(conv.w);
  if (groups == 1) {
    w = importer.transpose(w, {1, 0, 2, 3});
  } else {
    int64_t height = wShape()[2], width = wShape()[3];
    w = importer.reshape(w, {groups, inputs, outputs, height, width});
    w = importer.transpose(w, {0, 2, 1, 3, 4});
    w = importer.reshape(w, {groups * outputs, inputs, height, width});
  }
  Value x = importer.whole(conv.x), weights = importer.whole(w);
  auto type = RankedTensorType::get(conv.result, conv.x->type.getElementType());
  return importer.fromValue(
      Conv2DInputGradOp::create(builder, loc, type, x, weights, conv.xDilations,
                                padding, conv.wDilations, groups));
}

/// The gradient of a convolution with respect to its weights: batches are its
/// input channels, features its samples, and `w` is the gradient of its result.
TensorRef Converter::emitWeightGradient() {
  SmallVector<int64_t> padding(4);
  for (size_t d : {0, 1}) {
    padding[d] = conv.low[d];
    padding[2 + d] = (wShape()[2 + d] - 1) * conv.wDilations[d] +
                     (conv.result[2 + d] - 1) * conv.strides[d] + 1 -
                     xShape()[2 + d] - padding[d];
  }
  Value x = importer.whole(importer.transpose(conv.x, {1, 0, 2, 3})),
        dy = importer.whole(importer.transpose(conv.w, {1, 0, 2, 3}));
  auto type = RankedTensorType::get(
      {conv.result[1], conv.result[0], conv.result[2], conv.result[3]},
      conv.x->type.getElementType());
  TensorRef dw = importer.fromValue(
      Conv2DWeightGradOp::create(builder, loc, type, x, dy, conv.wDilations,
                                 padding, conv.strides, conv.batchGroups));
  return importer.transpose(dw, {1, 0, 2, 3});
}

/// A structured op over windows, of any rank and element type: loops are group,
/// batch, feature, and positions, then the input features and the window.
TensorRef Converter::emitGeneric() {
  size_t rank = conv.rank();
  Type element = sumType(conv.x->type.getElementType());
  conv.x = convertElements(importer, conv.x, false, element);
  conv.w = convertElements(importer, conv.w, false, element);
  SmallVector<int64_t> low(rank + 2, 0), high(rank + 2, 0),
      interior(rank + 2, 0);
  for (size_t d = 0; d < rank; ++d) {
    low[2 + d] = conv.low[d];
    high[2 + d] = conv.high[d];
    interior[2 + d] = conv.xDilations[d] - 1;
  }
  TensorRef x =
      importer.pad(conv.x, low, high, interior, builder.getZeroAttr(element));
  int64_t groups = std::max(conv.featureGroups, conv.batchGroups);
  SmallVector<int64_t> split(x->type.getShape()), weights(wShape());
  bool hasBatchGroups = conv.batchGroups > 1;
  // [G, B, F, ...] or [B, G, F, ...], and [G, O, I, ...].
  split[0] /= conv.batchGroups;
  split[1] /= conv.featureGroups;
  split.insert(split.begin() + (hasBatchGroups ? 0 : 1), groups);
  weights[0] /= groups;
  weights.insert(weights.begin(), groups);
  x = importer.reshape(x, split);
  TensorRef w = importer.reshape(conv.w, weights);
  SmallVector<int64_t> shape = {conv.result[0], groups, weights[1]},
                       loops = {weights[2]};
  llvm::append_range(shape, ArrayRef(conv.result).drop_front(2));
  llvm::append_range(loops, wShape().drop_front(2));
  auto loop = [&](size_t d) { return getAffineDimExpr(d, importer.context()); };
  SmallVector<AffineExpr> xExprs = {loop(0), loop(1), loop(3 + rank)},
                          wExprs = {loop(1), loop(2), loop(3 + rank)};
  if (hasBatchGroups)
    std::swap(xExprs[0], xExprs[1]);
  for (size_t d = 0; d < rank; ++d) {
    xExprs.push_back(loop(3 + d) * conv.strides[d] +
                     loop(4 + rank + d) * conv.wDilations[d]);
    wExprs.push_back(loop(4 + rank + d));
  }
  unsigned count = shape.size() + loops.size();
  TensorRef zero = importer.splat(RankedTensorType::get(shape, element),
                                  builder.getZeroAttr(element));
  TensorRef y = importer.fold(
      shape, loops, {x, w},
      {AffineMap::get(count, 0, xExprs, importer.context()),
       AffineMap::get(count, 0, wExprs, importer.context())},
      zero, [&](OpBuilder &ops, ValueRange v) {
        if (isa<FloatType>(element)) {
          Value product = arith::MulFOp::create(ops, loc, v[0], v[1]);
          return SmallVector<Value>{
              arith::AddFOp::create(ops, loc, v[2], product)};
        }
        Value product = arith::MulIOp::create(ops, loc, v[0], v[1]);
        return SmallVector<Value>{
            arith::AddIOp::create(ops, loc, v[2], product)};
      })[0];
  return importer.reshape(y, conv.result);
}

TensorRef Converter::emit() {
  bool isFloat = isa<FloatType>(conv.x->type.getElementType());
  if (!isFloat || (conv.rank() != 1 && conv.rank() != 2))
    return emitGeneric();
  SmallVector<int64_t> shape = conv.result;
  if (conv.rank() == 1)
    addSpatialDim();
  bool spreads = !allOnes(conv.xDilations);
  // Gradients of inputs have reversed weights.
  bool isReversed = conv.w->base && !conv.w->map.isProjectedPermutation(
                                        /*allowZeroInResults=*/true);
  // Gradients of weights have windows as large as the image.
  int64_t window = wShape()[2] * wShape()[3],
          positions = conv.result[2] * conv.result[3];
  TensorRef y;
  if ((spreads || isReversed) && conv.batchGroups == 1 && allOnes(conv.strides))
    y = emitInputGradient();
  else if (!spreads && conv.featureGroups == 1 &&
           (conv.batchGroups > 1 || window > positions))
    y = emitWeightGradient();
  else if (!spreads && conv.batchGroups == 1)
    y = emitPlain();
  else
    y = emitGeneric();
  return importer.reshape(y, shape);
}

LogicalResult Converter::run() {
  if (failed(read()) || failed(check()))
    return failure();
  TensorRef y = importer.transpose(emit(), yLayout.inverse());
  Type wanted = signless(elementOf(op->getResult(0)));
  if (isa<IntegerType>(wanted) && wanted != y->type.getElementType())
    return importer.error(op)
           << "has a result that is narrower than its operands";
  return importer.set(op, 0, convertElements(importer, y, false, wanted));
}

} // namespace

LogicalResult shlo::importConvolution(Importer &importer, Operation *op) {
  return Converter(importer, op).run();
}
