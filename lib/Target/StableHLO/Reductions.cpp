//===- Reductions.cpp - Ops with a region that folds --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, windows, and the gradient of max pooling.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::soap::stablehlo_import;
namespace shlo = mlir::soap::stablehlo_import;

//===----------------------------------------------------------------------===//
// Regions of scalars
//===----------------------------------------------------------------------===//

LogicalResult Importer::checkScalarRegion(Operation *op, Region &region,
                                          ArrayRef<Type> arguments,
                                          ArrayRef<Type> results) {
  if (!region.hasOneBlock())
    return error(op) << "has a region without one block";
  Block &block = region.front();
  if (block.getArgumentTypes() != TypeRange(arguments))
    return error(op) << "has a region with other arguments than "
                        "elements of its operands";
  for (Operation &inner : block) {
    for (Type type : inner.getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          !tensor || tensor.getRank() != 0)
        return error(&inner)
               << "is in the region of '" << op->getName()
               << "' and has a result of type " << type << ", expected rank 0";
    if (inner.getName().getStringRef() == "stablehlo.return") {
      if (inner.getOperandTypes() != TypeRange(results))
        return error(op) << "has a region that returns other values than "
                            "elements of its results";
      for (Value operand : inner.getOperands())
        if (operand.getParentRegion() != &region)
          return error(&inner) << "returns a value from outside of the region";
      return success();
    }
    for (Value operand : inner.getOperands())
      if (operand.getParentRegion() != &region)
        return error(&inner) << "reads a value from outside of the region";
    if (inner.getName().getStringRef() == "stablehlo.constant") {
      if (inner.getNumResults() != 1 || inner.getNumOperands() != 0)
        return error(&inner) << "has operands, or not one result";
      if (failed(importConstant(*this, &inner)))
        return failure();
      continue;
    }
    if (!isElementwise(inner.getName().getStringRef()))
      return error(&inner) << "is in the region of '" << op->getName()
                           << "', which may have elementwise ops only";
    if (failed(checkElementwise(*this, &inner)))
      return failure();
  }
  return error(op) << "has a region without 'stablehlo.return'";
}

SmallVector<Value> Importer::scalars(Region &region, OpBuilder &builder,
                                     ValueRange arguments) {
  IRMapping map;
  Block &block = region.front();
  map.map(block.getArguments(), arguments);
  SmallVector<Value> results;
  for (Operation &inner : block) {
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(map.lookup(operand));
    StringRef name = inner.getName().getStringRef();
    if (name == "stablehlo.return")
      return operands;
    if (name == "stablehlo.constant")
      map.map(inner.getResult(0),
              scalar(builder, current, splatValue(get(inner.getResult(0)))));
    else
      map.map(inner.getResult(0), emitScalar(&inner, builder, operands));
  }
  return results;
}

Operation *shlo::foldingOp(Region &region) {
  if (!region.hasOneBlock())
    return nullptr;
  Block &block = region.front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return nullptr;
  Operation *op = &block.front(), *end = &block.back();
  static constexpr StringRef names[] = {
      "stablehlo.add",     "stablehlo.and", "stablehlo.maximum",
      "stablehlo.minimum", "stablehlo.or",  "stablehlo.multiply",
      "stablehlo.xor"};
  bool folds = llvm::is_contained(names, op->getName().getStringRef()) &&
               op->getNumOperands() == 2 && op->getNumResults() == 1 &&
               ((op->getOperand(0) == block.getArgument(0) &&
                 op->getOperand(1) == block.getArgument(1)) ||
                (op->getOperand(0) == block.getArgument(1) &&
                 op->getOperand(1) == block.getArgument(0))) &&
               end->getName().getStringRef() == "stablehlo.return" &&
               end->getNumOperands() == 1 &&
               end->getOperand(0) == op->getResult(0);
  return folds ? op : nullptr;
}

/// log(e^a + e^b) of the two arguments, as JAX writes it for cumlogsumexp: the
/// larger one and log_plus_one of the exponential of how far the other is below
/// it, or their sum where the difference is no number.
static bool isLogAddExp(Region &region) {
  Block &block = region.front();
  if (block.getNumArguments() != 2 || block.back().getNumOperands() != 1)
    return false;
  Value a = block.getArgument(0), b = block.getArgument(1);
  auto made = [](Value value, StringRef name, size_t operands) -> Operation * {
    Operation *op = value.getDefiningOp();
    return op && op->getName().getStringRef() == name &&
                   op->getNumOperands() == operands
               ? op
               : nullptr;
  };
  auto isOfBoth = [&](Value value, StringRef name) {
    Operation *op = made(value, name, 2);
    return op && ((op->getOperand(0) == a && op->getOperand(1) == b) ||
                  (op->getOperand(0) == b && op->getOperand(1) == a));
  };
  Operation *select = made(block.back().getOperand(0), "stablehlo.select", 3);
  if (!select || !isOfBoth(select->getOperand(1), "stablehlo.add"))
    return false;
  Operation *isNone = made(select->getOperand(0), "stablehlo.compare", 2),
            *sum = made(select->getOperand(2), "stablehlo.add", 2);
  if (!isNone || !sum || isNone->getOperand(0) != isNone->getOperand(1) ||
      enumText(isNone, "comparison_direction") != "NE" ||
      !isOfBoth(isNone->getOperand(0), "stablehlo.subtract") ||
      !isOfBoth(sum->getOperand(0), "stablehlo.maximum"))
    return false;
  Value inner = sum->getOperand(1);
  for (StringRef name : {"stablehlo.log_plus_one", "stablehlo.exponential",
                         "stablehlo.negate", "stablehlo.abs"}) {
    Operation *op = made(inner, name, 1);
    if (!op)
      return false;
    inner = op->getOperand(0);
  }
  return inner == isNone->getOperand(0);
}

/// Several values are folded together where each comparison orders them, as in
/// argmax: results are chosen among the arguments.
static bool isChoice(Region &region) {
  static constexpr StringRef names[] = {
      "stablehlo.add",     "stablehlo.and",   "stablehlo.compare",
      "stablehlo.maximum", "stablehlo.or",    "stablehlo.minimum",
      "stablehlo.not",     "stablehlo.select"};
  for (Operation &inner : region.front())
    if (!llvm::is_contained(names, inner.getName().getStringRef()) &&
        inner.getName().getStringRef() != "stablehlo.return")
      return false;
  return llvm::all_of(
      region.front().getArguments(),
      [](BlockArgument argument) { return !argument.use_empty(); });
}

static Type scalarType(Value value) {
  return RankedTensorType::get({}, elementOf(value));
}

/// A region that folds elements of the operands.
static LogicalResult checkFold(Importer &importer, Operation *op,
                               Region &region, ValueRange values) {
  SmallVector<Type> elements, arguments;
  for (Value value : values)
    elements.push_back(scalarType(value));
  arguments = elements;
  llvm::append_range(arguments, elements);
  if (failed(importer.checkScalarRegion(op, region, arguments, elements)))
    return failure();
  if (values.size() == 1 ? foldingOp(region) || isLogAddExp(region)
                         : isChoice(region))
    return success();
  return importer.error(op)
         << "has a region that is no reduction: expected one of add, "
            "multiply, maximum, minimum, and, or, xor of its two arguments, "
            "the logarithm of the sum of their exponentials as JAX writes it, "
            "or comparisons and selections of several values";
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Initial values of rank 0, for each element of a result.
static FailureOr<TensorRef> readInit(Importer &importer, Operation *op,
                                     unsigned number, RankedTensorType type,
                                     ArrayRef<int64_t> shape) {
  TensorRef init = importer.get(op, number);
  if (init->type.getRank() != 0 ||
      init->type.getElementType() != type.getElementType())
    return importer.error(op)
           << "has an initial value of type "
           << op->getOperand(number).getType()
           << ", expected a tensor of rank 0 and " << type.getElementType();
  return importer.view(init, shape,
                       AffineMap::get(shape.size(), 0, importer.context()));
}

/// The type that elements are folded in.
static Type foldType(Region &region, Type element) {
  Operation *fold = foldingOp(region);
  bool adds = fold && fold->getName().getStringRef() == "stablehlo.add";
  return adds ? sumType(element) : element;
}

/// Whether an op adds elements to an initial value that is known to be 0.
static bool addsToZero(Operation *op, const TensorRef &init) {
  Operation *fold = foldingOp(op->getRegion(0));
  Attribute number = Importer::splatValue(init);
  if (!fold || fold->getName().getStringRef() != "stablehlo.add" || !number)
    return false;
  if (auto real = dyn_cast<FloatAttr>(number))
    return real.getValue().isZero();
  auto integer = dyn_cast<IntegerAttr>(number);
  return integer && integer.getValue().isZero();
}

/// Elements and the values so far, in `foldType`, folded by a region.
static SmallVector<Value> foldScalars(Importer &importer, Operation *op,
                                      OpBuilder &builder, Type element,
                                      ValueRange x) {
  size_t count = x.size() / 2;
  if (x.front().getType() != element)
    return {builder.createOrFold<arith::AddFOp>(importer.loc(), x[1], x[0])};
  // The region has the values so far first.
  SmallVector<Value> arguments(x.take_back(count));
  llvm::append_range(arguments, x.take_front(count));
  return importer.scalars(op->getRegion(0), builder, arguments);
}

LogicalResult shlo::importReduce(Importer &importer, Operation *op) {
  unsigned count = op->getNumOperands() / 2;
  if (count == 0 || op->getNumOperands() % 2 || op->getNumResults() != count)
    return importer.error(op)
           << "has " << op->getNumOperands() << " operands and "
           << op->getNumResults() << " results, expected two operands a result";
  ArrayRef<int64_t> shape = importer.get(op, 0)->type.getShape();
  auto rank = static_cast<int64_t>(shape.size());
  FailureOr<SmallVector<int64_t>> dims = importer.dims(op, "dimensions", rank);
  if (failed(dims) || failed(checkFold(importer, op, op->getRegion(0),
                                       op->getOperands().take_front(count))))
    return failure();
  SmallVector<int64_t> kept, reduced;
  SmallVector<AffineExpr> exprs(rank);
  auto isReduced = [&](int64_t d) { return llvm::is_contained(*dims, d); };
  for (int64_t d = 0; d < rank; ++d)
    if (!isReduced(d)) {
      exprs[d] = getAffineDimExpr(kept.size(), importer.context());
      kept.push_back(shape[d]);
    }
  for (int64_t d = 0; d < rank; ++d)
    if (isReduced(d)) {
      exprs[d] =
          getAffineDimExpr(kept.size() + reduced.size(), importer.context());
      reduced.push_back(shape[d]);
    }
  SmallVector<TensorRef> operands, inits;
  for (unsigned i = 0; i < count; ++i) {
    operands.push_back(importer.get(op, i));
    if (operands.back()->type.getShape() != shape)
      return importer.error(op) << "reduces operands of different shapes";
    FailureOr<TensorRef> init =
        readInit(importer, op, count + i, operands.back()->type, kept);
    if (failed(init))
      return failure();
    inits.push_back(*init);
  }
  // A sum of one element each, as gradients of broadcasts have, is that
  // element.
  if (count == 1 && llvm::all_equal(ArrayRef<int64_t>(reduced)) &&
      !reduced.empty() && reduced[0] == 1 && addsToZero(op, inits[0]))
    return importer.set(op, 0, importer.reshape(operands[0], kept));
  Type element = operands[0]->type.getElementType(),
       wide = foldType(op->getRegion(0), element);
  operands[0] = convertElements(importer, operands[0], false, wide);
  inits[0] = convertElements(importer, inits[0], false, wide);
  SmallVector<AffineMap> maps(
      count, AffineMap::get(rank, 0, exprs, importer.context()));
  SmallVector<TensorRef> results =
      importer.fold(kept, reduced, operands, maps, inits,
                    [&](OpBuilder &builder, ValueRange x) {
                      return foldScalars(importer, op, builder, element, x);
                    });
  results[0] = convertElements(importer, results[0], false, element);
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(importer.set(op, i, result)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {

struct Window {
  SmallVector<int64_t> extents, strides, dilations, baseDilations, low, high;
};

FailureOr<Window> readWindow(Importer &importer, Operation *op,
                             ArrayRef<int64_t> shape,
                             SmallVector<int64_t> &resultShape) {
  auto rank = static_cast<int64_t>(shape.size());
  FailureOr<SmallVector<int64_t>>
      extents = importer.integers(op, "window_dimensions", rank),
      strides = importer.integersOr(op, "window_strides", rank, 1),
      dilations = importer.integersOr(op, "window_dilations", rank, 1),
      base = importer.integersOr(op, "base_dilations", rank, 1),
      padding = importer.integersOr(op, "padding", 2 * rank, 0);
  if (failed(extents) || failed(strides) || failed(dilations) || failed(base) ||
      failed(padding))
    return failure();
  Window window = {*extents, *strides, *dilations, *base, {}, {}};
  for (int64_t d = 0; d < rank; ++d) {
    if ((*extents)[d] < 1 || (*strides)[d] < 1 || (*dilations)[d] < 1 ||
        (*base)[d] < 1)
      return importer.error(op) << "has a window with an extent, a stride or a "
                                   "dilation below 1";
    window.low.push_back((*padding)[2 * d]);
    window.high.push_back((*padding)[2 * d + 1]);
    int64_t padded = (shape[d] - 1) * (*base)[d] + 1 + window.low[d] +
                     window.high[d],
            span = ((*extents)[d] - 1) * (*dilations)[d] + 1;
    if (padded < span)
      return importer.error(op)
             << "has a window that is larger than dim " << d << " with padding";
    resultShape.push_back((padded - span) / (*strides)[d] + 1);
  }
  return window;
}

/// The position in the padded operand, for loops over results and window. Dims
/// whose window has one element have no loop.
AffineMap windowMap(const Window &window, MLIRContext *context,
                    SmallVectorImpl<int64_t> &loops) {
  size_t rank = window.extents.size();
  SmallVector<AffineExpr> exprs;
  for (size_t d = 0; d < rank; ++d) {
    AffineExpr expr = getAffineDimExpr(d, context) * window.strides[d];
    if (window.extents[d] > 1) {
      expr = expr + getAffineDimExpr(rank + loops.size(), context) *
                        window.dilations[d];
      loops.push_back(window.extents[d]);
    }
    exprs.push_back(expr);
  }
  return AffineMap::get(rank + loops.size(), 0, exprs, context);
}

} // namespace

LogicalResult shlo::importReduceWindow(Importer &importer, Operation *op) {
  TensorRef x = importer.get(op, 0);
  ArrayRef<int64_t> shape = x->type.getShape();
  SmallVector<int64_t> result;
  FailureOr<Window> window = readWindow(importer, op, shape, result);
  if (failed(window) || failed(checkFold(importer, op, op->getRegion(0),
                                         op->getOperands().take_front(1))))
    return failure();
  RankedTensorType declared = importer.resultType(op);
  if (!declared)
    return failure();
  if (declared.getShape() != ArrayRef(result))
    return importer.error(op)
           << "has a result of type " << op->getResult(0).getType()
           << ", which is not the shape of its windows";
  FailureOr<TensorRef> init = readInit(importer, op, 1, x->type, result);
  if (failed(init))
    return failure();
  Attribute value = Importer::splatValue(importer.get(op, 1));
  if (!value)
    return importer.error(op) << "has an initial value that is no constant";
  SmallVector<int64_t> interior;
  for (int64_t dilation : window->baseDilations)
    interior.push_back(dilation - 1);
  TensorRef padded =
      importer.pad(x, window->low, window->high, interior, value);
  SmallVector<int64_t> loops;
  AffineMap map = windowMap(*window, importer.context(), loops);
  if (loops.empty()) // Each window is one element.
    return importer.set(op, 0,
                        importer.slice(padded,
                                       SmallVector<int64_t>(shape.size(), 0),
                                       result, window->strides));
  Type element = x->type.getElementType(),
       wide = foldType(op->getRegion(0), element);
  TensorRef folded = importer.fold(
      result, loops, convertElements(importer, padded, false, wide), map,
      convertElements(importer, *init, false, wide),
      [&](OpBuilder &builder, ValueRange v) {
        return foldScalars(importer, op, builder, element, v);
      })[0];
  return importer.set(op, 0, convertElements(importer, folded, false, element));
}

/// Each window chooses its first element that is larger (GE, GT) or smaller
/// (LE, LT) than all others; the source's element of the window is added there.
/// First the position of the choice within each window, then, for each element,
/// the sum over the windows that chose it.
LogicalResult shlo::importSelectAndScatter(Importer &importer, Operation *op) {
  TensorRef x = importer.get(op, 0), source = importer.get(op, 1);
  ArrayRef<int64_t> shape = x->type.getShape();
  auto rank = static_cast<int64_t>(shape.size());
  SmallVector<int64_t> windows;
  FailureOr<Window> window = readWindow(importer, op, shape, windows);
  if (failed(window))
    return failure();
  Type element = scalarType(op->getOperand(0));
  Type i1 = RankedTensorType::get({}, IntegerType::get(importer.context(), 1));
  if (failed(importer.checkScalarRegion(op, op->getRegion(0),
                                        {element, element}, i1)) ||
      failed(checkFold(importer, op, op->getRegion(1),
                       op->getOperands().take_front(1))))
    return failure();
  Operation &compare = op->getRegion(0).front().front();
  StringRef direction = enumText(&compare, "comparison_direction");
  bool isLargest = direction == "GE" || direction == "GT",
       isFirst = direction == "GE" || direction == "LE";
  if (op->getRegion(0).front().getOperations().size() != 2 ||
      compare.getName().getStringRef() != "stablehlo.compare" ||
      compare.getOperands() !=
          ValueRange(op->getRegion(0).front().getArguments()) ||
      !(isLargest || direction == "LE" || direction == "LT"))
    return importer.error(op)
           << "selects by a region that is no comparison of its two arguments "
              "by GE, GT, LE or LT";
  Operation *scatter = foldingOp(op->getRegion(1));
  auto floatType = dyn_cast<FloatType>(x->type.getElementType());
  if (!scatter || scatter->getName().getStringRef() != "stablehlo.add" ||
      !floatType)
    return importer.error(op) << "scatters by something else than a sum of "
                                 "floats";
  if (source->type != RankedTensorType::get(windows, floatType))
    return importer.error(op)
           << "has a source of type " << op->getOperand(1).getType()
           << ", which is not the shape of its windows";
  FailureOr<TensorRef> init = readInit(importer, op, 2, x->type, shape);
  if (failed(init))
    return failure();

  // Padding is never chosen: it is beyond all elements.
  Builder builder(importer.context());
  SmallVector<int64_t> zeros(rank, 0);
  APFloat beyond =
      APFloat::getInf(floatType.getFloatSemantics(), /*Negative=*/isLargest);
  Attribute limit = builder.getFloatAttr(floatType, beyond);
  TensorRef padded = importer.pad(x, window->low, window->high, zeros, limit);
  SmallVector<int64_t> loops;
  AffineMap map = windowMap(*window, importer.context(), loops);
  // The number of an element of the window, in row-major order.
  AffineExpr number = getAffineConstantExpr(0, importer.context());
  for (size_t w = 0; w < loops.size(); ++w)
    number = number * loops[w] + getAffineDimExpr(rank + w, importer.context());
  Type i32 = builder.getI32Type();
  auto position = std::make_shared<ImportedTensor>();
  SmallVector<int64_t> all(windows);
  llvm::append_range(all, loops);
  position->type = RankedTensorType::get(all, i32);
  position->iota = number;
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(all.size(), importer.context());
  Location loc = op->getLoc();
  auto predicate =
      isLargest
          ? (isFirst ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OGT)
          : (isFirst ? arith::CmpFPredicate::OLE : arith::CmpFPredicate::OLT);
  // The value so far, and its number: none yet is a negative one.
  TensorRef chosen = importer.fold(
      windows, loops, {padded, position}, {map, identity},
      {importer.splat(RankedTensorType::get(windows, floatType), limit),
       importer.splat(RankedTensorType::get(windows, i32),
                      builder.getI32IntegerAttr(-1))},
      [&](OpBuilder &ops, ValueRange v) {
        Value none = arith::CmpIOp::create(
            ops, loc, arith::CmpIPredicate::slt, v[3],
            Importer::scalar(ops, loc, ops.getI32IntegerAttr(0)));
        // Padding does not become the choice, except where nothing is chosen.
        Value stays = arith::CmpFOp::create(ops, loc, predicate, v[2], v[0]);
        Value replaces = arith::XOrIOp::create(
            ops, loc, stays, Importer::scalar(ops, loc, ops.getBoolAttr(true)));
        replaces = arith::OrIOp::create(ops, loc, none, replaces);
        return SmallVector<Value>{
            arith::SelectOp::create(ops, loc, replaces, v[0], v[2]),
            arith::SelectOp::create(ops, loc, replaces, v[1], v[3])};
      })[1];

  // Element i of the operand lies at i + low; window o begins at o * stride. So
  // both are spread by the stride, and i sees the windows at i + low - k.
  SmallVector<int64_t> before, after, between;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t span = window->extents[d] - 1,
            spread = (windows[d] - 1) * window->strides[d] + 1;
    between.push_back(window->strides[d] - 1);
    before.push_back(span - window->low[d]);
    after.push_back(shape[d] + window->low[d] - spread);
  }
  TensorRef choices = importer.pad(chosen, before, after, between,
                                   builder.getI32IntegerAttr(-1));
  Type wide = sumType(floatType);
  TensorRef values =
      convertElements(importer,
                      importer.pad(source, before, after, between,
                                   builder.getZeroAttr(floatType)),
                      false, wide);
  SmallVector<AffineExpr> exprs;
  size_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    AffineExpr expr = getAffineDimExpr(d, importer.context());
    if (window->extents[d] > 1)
      expr = expr + (window->extents[d] - 1) -
             getAffineDimExpr(rank + next++, importer.context());
    exprs.push_back(expr);
  }
  AffineMap seen = AffineMap::get(all.size(), 0, exprs, importer.context());
  SmallVector<int64_t> extents(shape);
  llvm::append_range(extents, loops);
  auto own = std::make_shared<ImportedTensor>(*position);
  own->type = RankedTensorType::get(extents, i32);
  TensorRef sums = importer.fold(
      shape, loops, {choices, values, own}, {seen, seen, identity},
      convertElements(importer, *init, false, wide),
      [&](OpBuilder &ops, ValueRange v) {
        Value isOwn = arith::CmpIOp::create(ops, loc, arith::CmpIPredicate::eq,
                                            v[0], v[2]);
        Value zero = Importer::scalar(ops, loc, ops.getZeroAttr(wide));
        Value part = arith::SelectOp::create(ops, loc, isOwn, v[1], zero);
        return SmallVector<Value>{arith::AddFOp::create(ops, loc, v[3], part)};
      })[0];
  return importer.set(op, 0, convertElements(importer, sums, false, floatType));
}
