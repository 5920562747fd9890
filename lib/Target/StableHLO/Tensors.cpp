//===- Tensors.cpp - Constants, views, and ops that compute tensors -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an import holds and makes tensors: see ImportedTensor.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"

#include <cassert>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::stablehlo_import;

static RankedTensorType withShape(RankedTensorType type,
                                  ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, type.getElementType());
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// `type` is that of the new tensor; `position` gives the place in the old one
/// in row-major order.
static DenseElementsAttr
rearranged(DenseElementsAttr elements, RankedTensorType type,
           llvm::function_ref<int64_t(ArrayRef<int64_t>)> position) {
  if (elements.isSplat())
    return DenseElementsAttr::get(type, elements.getSplatValue<Attribute>());
  auto old = llvm::to_vector(elements.getValues<Attribute>());
  SmallVector<Attribute> values;
  SmallVector<int64_t> index(type.getRank(), 0);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    values.push_back(old[position(index)]);
    for (int64_t d = type.getRank() - 1; d >= 0; --d) {
      if (++index[d] < type.getDimSize(d))
        break;
      index[d] = 0;
    }
  }
  return DenseElementsAttr::get(type, values);
}

static int64_t rowMajor(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [extent, i] : llvm::zip_equal(shape, index))
    position = position * extent + i;
  return position;
}

static bool isSmall(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (extent > maxConstantElements || (count *= extent) > maxConstantElements)
      return false;
  return true;
}

Value Importer::scalar(OpBuilder &builder, Location loc, Attribute value) {
  return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(value));
}

Attribute Importer::splatValue(const TensorRef &tensor) {
  if (!tensor->constant || !tensor->constant.isSplat())
    return {};
  return tensor->constant.getSplatValue<Attribute>();
}

std::optional<int64_t> Importer::knownInteger(const TensorRef &tensor) {
  auto value = dyn_cast_or_null<IntegerAttr>(splatValue(tensor));
  if (!value)
    return std::nullopt;
  return value.getValue().getSExtValue();
}

TensorRef Importer::fromConstant(DenseElementsAttr elements) {
  auto tensor = std::make_shared<ImportedTensor>();
  tensor->type = cast<RankedTensorType>(elements.getType());
  if (elements.isSplat() || isSmall(tensor->type.getShape())) {
    tensor->constant = elements;
    return tensor;
  }
  // A large one is a value from the start.
  Value &value = constants[elements];
  if (!value) {
    OpBuilder::InsertionGuard guard(ops);
    ops.setInsertionPointToStart(&target.getBody().front());
    value = arith::ConstantOp::create(ops, current, elements);
  }
  return fromValue(value);
}

TensorRef Importer::splat(RankedTensorType type, Attribute element) {
  return fromConstant(DenseElementsAttr::get(type, element));
}

TensorRef Importer::fromValue(Value value) {
  assert(value && "no value");
  auto tensor = std::make_shared<ImportedTensor>();
  tensor->type = cast<RankedTensorType>(value.getType());
  tensor->base = value;
  tensor->map =
      AffineMap::getMultiDimIdentityMap(tensor->type.getRank(), context());
  tensor->whole = value;
  return tensor;
}

TensorRef Importer::iota(RankedTensorType type, int64_t dim) {
  assert(dim >= 0 && dim < type.getRank() && "a dim of the tensor");
  auto tensor = std::make_shared<ImportedTensor>();
  tensor->type = type;
  tensor->iota = getAffineDimExpr(dim, context());
  return tensor;
}

//===----------------------------------------------------------------------===//
// Views and moves
//===----------------------------------------------------------------------===//

TensorRef Importer::view(const TensorRef &tensor, ArrayRef<int64_t> shape,
                         AffineMap map) {
  assert(map.getNumDims() == shape.size() &&
         map.getNumResults() == static_cast<size_t>(tensor->type.getRank()) &&
         "from dims of the view to dims of the tensor");
  RankedTensorType type = withShape(tensor->type, shape);
  if (map.isIdentity() && type == tensor->type)
    return tensor;
  if (tensor->constant && (tensor->constant.isSplat() || isSmall(shape)))
    return fromConstant(
        rearranged(tensor->constant, type, [&](ArrayRef<int64_t> index) {
          return rowMajor(tensor->type.getShape(), map.compose(index));
        }));
  auto result = std::make_shared<ImportedTensor>();
  result->type = type;
  if (tensor->iota) {
    result->iota =
        simplifyAffineExpr(tensor->iota.compose(map), map.getNumDims(), 0);
    return result;
  }
  result->base = tensor->constant ? whole(tensor) : tensor->base;
  result->map =
      tensor->constant ? map : simplifyAffineMap(tensor->map.compose(map));
  if (result->isWhole() && result->base.getType() == type)
    result->whole = result->base;
  return result;
}

TensorRef Importer::transpose(const TensorRef &tensor,
                              ArrayRef<int64_t> permutation) {
  assert(permutation.size() == static_cast<size_t>(tensor->type.getRank()) &&
         "a permutation of the dims");
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> exprs(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation)) {
    shape.push_back(tensor->type.getDimSize(dim));
    exprs[dim] = getAffineDimExpr(i, context());
  }
  return view(tensor, shape,
              AffineMap::get(permutation.size(), 0, exprs, context()));
}

/// A reshape that only adds and removes dims of extent 1, as a map.
static AffineMap unitDimsMap(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                             MLIRContext *context) {
  SmallVector<AffineExpr> exprs;
  size_t j = 0;
  for (int64_t extent : from) {
    if (extent == 1) {
      exprs.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    while (j < to.size() && to[j] == 1)
      ++j;
    if (j == to.size() || to[j] != extent)
      return {};
    exprs.push_back(getAffineDimExpr(j++, context));
  }
  while (j < to.size() && to[j] == 1)
    ++j;
  if (j != to.size())
    return {};
  return AffineMap::get(to.size(), 0, exprs, context);
}

TensorRef Importer::reshape(const TensorRef &tensor, ArrayRef<int64_t> shape) {
  assert(llvm::product_of(shape) == tensor->type.getNumElements() &&
         "as many elements");
  RankedTensorType type = withShape(tensor->type, shape);
  if (type == tensor->type)
    return tensor;
  if (tensor->constant)
    return fromConstant(tensor->constant.reshape(type));
  if (AffineMap map = unitDimsMap(tensor->type.getShape(), shape, context()))
    return view(tensor, shape, map);
  return fromValue(ReshapeOp::create(ops, current, type, whole(tensor)));
}

TensorRef Importer::slice(const TensorRef &tensor, ArrayRef<int64_t> offsets,
                          ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  assert(sizes.size() == offsets.size() && sizes.size() == strides.size() &&
         sizes.size() == static_cast<size_t>(tensor->type.getRank()) &&
         "a range a dim");
  RankedTensorType type = withShape(tensor->type, sizes);
  if (type == tensor->type)
    return tensor;
  SmallVector<AffineExpr> exprs;
  for (auto [d, offset] : llvm::enumerate(offsets))
    exprs.push_back(getAffineDimExpr(d, context()) * strides[d] + offset);
  AffineMap map = AffineMap::get(sizes.size(), 0, exprs, context());
  if (tensor->constant || tensor->iota)
    return view(tensor, sizes, map);
  SmallVector<OpFoldResult> o = getAsIndexOpFoldResult(context(), offsets),
                            s = getAsIndexOpFoldResult(context(), sizes),
                            t = getAsIndexOpFoldResult(context(), strides);
  return fromValue(tensor::ExtractSliceOp::create(ops, current, type,
                                                  whole(tensor), o, s, t));
}

TensorRef Importer::concat(ArrayRef<TensorRef> tensors, int64_t dim) {
  assert(!tensors.empty() && "at least one tensor");
  if (tensors.size() == 1)
    return tensors[0];
  SmallVector<int64_t> shape(tensors[0]->type.getShape());
  shape[dim] = 0;
  bool areKnown = true;
  for (const TensorRef &tensor : tensors) {
    shape[dim] += tensor->type.getDimSize(dim);
    areKnown &= tensor->constant != nullptr;
  }
  RankedTensorType type = withShape(tensors[0]->type, shape);
  if (areKnown && isSmall(shape)) {
    // Of the constants as one list.
    SmallVector<Attribute> values;
    SmallVector<int64_t> starts, firsts;
    int64_t first = 0;
    for (const TensorRef &tensor : tensors) {
      starts.push_back(static_cast<int64_t>(values.size()));
      firsts.push_back(first);
      first += tensor->type.getDimSize(dim);
      llvm::append_range(values, tensor->constant.getValues<Attribute>());
    }
    auto list = DenseElementsAttr::get(
        withShape(type, static_cast<int64_t>(values.size())), values);
    return fromConstant(rearranged(list, type, [&](ArrayRef<int64_t> index) {
      size_t part =
          std::distance(firsts.begin(), llvm::upper_bound(firsts, index[dim])) -
          1;
      SmallVector<int64_t> own(index);
      own[dim] -= firsts[part];
      return starts[part] + rowMajor(tensors[part]->type.getShape(), own);
    }));
  }
  SmallVector<Value> values;
  for (const TensorRef &tensor : tensors)
    values.push_back(whole(tensor));
  return fromValue(tensor::ConcatOp::create(ops, current, type, dim, values));
}

TensorRef Importer::pad(const TensorRef &tensor, ArrayRef<int64_t> low,
                        ArrayRef<int64_t> high, ArrayRef<int64_t> interior,
                        Attribute value) {
  TensorRef result = tensor;
  int64_t rank = tensor->type.getRank();
  assert(static_cast<int64_t>(low.size()) == rank &&
         static_cast<int64_t>(high.size()) == rank &&
         static_cast<int64_t>(interior.size()) == rank &&
         "padding of each dim");
  assert(llvm::all_of(interior, [](int64_t count) { return count >= 0; }) &&
         "interior padding does not crop");
  SmallVector<int64_t> zeros(rank, 0), ones(rank, 1);
  // Elements between others: a dim of extent 1 behind each, padded, and merged.
  for (int64_t d = 0; d < rank; ++d) {
    int64_t extent = result->type.getDimSize(d);
    if (interior[d] == 0 || extent == 1)
      continue;
    SmallVector<int64_t> apart(result->type.getShape());
    apart.insert(apart.begin() + d + 1, 1);
    SmallVector<int64_t> after(rank + 1, 0), none(rank + 1, 0);
    after[d + 1] = interior[d];
    SmallVector<int64_t> merged(result->type.getShape());
    merged[d] = extent * (interior[d] + 1);
    result =
        reshape(pad(reshape(result, apart), none, after, none, value), merged);
    merged[d] -= interior[d];
    result = slice(result, zeros, merged, ones);
  }
  SmallVector<int64_t> offsets, cropped, before, after, shape;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t extent = result->type.getDimSize(d);
    offsets.push_back(std::max<int64_t>(0, -low[d]));
    cropped.push_back(extent - offsets.back() - std::max<int64_t>(0, -high[d]));
    before.push_back(std::max<int64_t>(0, low[d]));
    after.push_back(std::max<int64_t>(0, high[d]));
    shape.push_back(extent + low[d] + high[d]);
  }
  // All of it lies in the padding.
  if (llvm::any_of(cropped, [](int64_t extent) { return extent < 1; }))
    return splat(withShape(tensor->type, shape), value);
  result = slice(result, offsets, cropped, ones);
  if (before == zeros && after == zeros)
    return result;
  if (result->constant && isSmall(shape)) {
    auto old = llvm::to_vector(result->constant.getValues<Attribute>());
    SmallVector<Attribute> list(old.begin(), old.end());
    list.push_back(value);
    auto flat = DenseElementsAttr::get(
        withShape(tensor->type, static_cast<int64_t>(list.size())), list);
    return fromConstant(rearranged(
        flat, withShape(tensor->type, shape), [&](ArrayRef<int64_t> index) {
          SmallVector<int64_t> own(index);
          for (int64_t d = 0; d < rank; ++d) {
            own[d] -= before[d];
            if (own[d] < 0 || own[d] >= cropped[d])
              return static_cast<int64_t>(old.size());
          }
          return rowMajor(cropped, own);
        }));
  }
  Value number = scalar(ops, current, value);
  return fromValue(tensor::PadOp::create(
      ops, current, withShape(tensor->type, shape), whole(result),
      getAsIndexOpFoldResult(context(), before),
      getAsIndexOpFoldResult(context(), after), number));
}

//===----------------------------------------------------------------------===//
// Whole tensors
//===----------------------------------------------------------------------===//

Value Importer::whole(const TensorRef &tensor) {
  if (tensor->whole)
    return tensor->whole;
  if (tensor->constant) {
    Value &value = constants[tensor->constant];
    if (!value) {
      OpBuilder::InsertionGuard guard(ops);
      ops.setInsertionPointToStart(&target.getBody().front());
      value = arith::ConstantOp::create(ops, current, tensor->constant);
    }
    return tensor->whole = value;
  }
  return tensor->whole = materialize(tensor);
}

Value Importer::materialize(const TensorRef &tensor) {
  assert(!tensor->constant && "constants have a value of their own");
  Type element = tensor->type.getElementType();
  if (tensor->base && tensor->map.isPermutation() && !tensor->isWhole() &&
      isa<FloatType>(element)) {
    SmallVector<int64_t> permutation(tensor->type.getRank());
    for (auto [i, expr] : llvm::enumerate(tensor->map.getResults()))
      permutation[cast<AffineDimExpr>(expr).getPosition()] =
          static_cast<int64_t>(i);
    return TransposeOp::create(ops, current, tensor->type, tensor->base,
                               permutation);
  }
  return elementwise(
             tensor->type.getShape(), element, tensor,
             [](OpBuilder &, ValueRange x) { return SmallVector<Value>(x); })
      ->whole;
}

/// Ops of an affine expression on the indices of a linalg op.
static Value emitIndex(OpBuilder &builder, Location loc, AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return linalg::IndexOp::create(builder, loc, dim.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value a = emitIndex(builder, loc, binary.getLHS()),
        b = emitIndex(builder, loc, binary.getRHS());
  // Views have sums and products only.
  return expr.getKind() == AffineExprKind::Add
             ? arith::AddIOp::create(builder, loc, a, b).getResult()
             : arith::MulIOp::create(builder, loc, a, b).getResult();
}

static Value emitIota(OpBuilder &builder, Location loc, AffineExpr expr,
                      Type element) {
  Value index = emitIndex(builder, loc, expr);
  if (isa<IntegerType>(element))
    return arith::IndexCastOp::create(builder, loc, element, index);
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  return arith::SIToFPOp::create(builder, loc, element, integer);
}

/// The results of `body` on constants, where it folds.
static std::optional<SmallVector<Attribute>>
computeConstants(OpBuilder &ops, Location loc, ArrayRef<Attribute> operands,
                 Body body) {
  Block scratch;
  OpBuilder builder(ops.getContext());
  builder.setInsertionPointToEnd(&scratch);
  SmallVector<Value> values;
  for (Attribute operand : operands)
    values.push_back(Importer::scalar(builder, loc, operand));
  SmallVector<Attribute> results;
  for (Value value : body(builder, values)) {
    Attribute result;
    if (!matchPattern(value, m_Constant(&result)))
      return std::nullopt;
    results.push_back(result);
  }
  return results;
}

/// The constants of `operands` computed at once; none where it does not fold.
static std::optional<SmallVector<DenseElementsAttr>>
computeConstants(OpBuilder &ops, Location loc, ArrayRef<int64_t> shape,
                 ArrayRef<Type> elements, ArrayRef<TensorRef> operands,
                 Body body) {
  bool areSplats = true;
  for (const TensorRef &operand : operands) {
    if (!operand->constant)
      return std::nullopt;
    areSplats &= operand->constant.isSplat();
  }
  // Few enough to compute each by ops that fold.
  constexpr int64_t few = 256;
  if (operands.empty() || (!areSplats && !isSmall(shape)))
    return std::nullopt;
  int64_t count = areSplats ? 1 : ShapedType::getNumElements(shape);
  if (count > few)
    return std::nullopt;
  SmallVector<SmallVector<Attribute>> values, results(elements.size());
  for (const TensorRef &operand : operands) {
    values.emplace_back();
    if (areSplats)
      values.back().push_back(operand->constant.getSplatValue<Attribute>());
    else
      llvm::append_range(values.back(),
                         operand->constant.getValues<Attribute>());
  }
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Attribute> point;
    for (const auto &list : values)
      point.push_back(list[i]);
    auto computed = computeConstants(ops, loc, point, body);
    if (!computed)
      return std::nullopt;
    for (auto [list, value] : llvm::zip_equal(results, *computed))
      list.push_back(value);
  }
  SmallVector<DenseElementsAttr> constants;
  for (auto [element, list] : llvm::zip_equal(elements, results)) {
    auto type = RankedTensorType::get(shape, element);
    constants.push_back(areSplats ? DenseElementsAttr::get(type, list[0])
                                  : DenseElementsAttr::get(type, list));
  }
  return constants;
}

SmallVector<TensorRef> Importer::elementwise(ArrayRef<int64_t> shape,
                                             ArrayRef<Type> elements,
                                             ArrayRef<TensorRef> operands,
                                             Body body) {
  SmallVector<TensorRef> results;
  if (auto known =
          computeConstants(ops, current, shape, elements, operands, body)) {
    for (DenseElementsAttr constant : *known)
      results.push_back(fromConstant(constant));
    return results;
  }
  SmallVector<AffineMap> maps(
      operands.size(),
      AffineMap::getMultiDimIdentityMap(shape.size(), context()));
  return fold(shape, {}, operands, maps, {},
              [&](OpBuilder &builder, ValueRange x) {
                SmallVector<Value> values = body(builder, x);
                return values;
              });
}

SmallVector<TensorRef> Importer::fold(ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> windows,
                                      ArrayRef<TensorRef> operands,
                                      ArrayRef<AffineMap> maps,
                                      ArrayRef<TensorRef> inits, Body body) {
  assert(operands.size() == maps.size() && "a map an operand");
  unsigned loops = shape.size() + windows.size();
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> inputMaps, outputMaps;
  // Where the scalar of each operand comes from.
  SmallVector<int> numbers;
  for (auto [operand, map] : llvm::zip_equal(operands, maps)) {
    numbers.push_back(-1);
    if (splatValue(operand) || operand->iota)
      continue;
    numbers.back() = static_cast<int>(inputs.size());
    if (operand->constant) {
      inputs.push_back(whole(operand));
      inputMaps.push_back(map);
    } else {
      inputs.push_back(operand->base);
      inputMaps.push_back(simplifyAffineMap(operand->map.compose(map)));
    }
  }
  // Loops that no operand has by itself need a shape to run over.
  llvm::SmallBitVector known(loops);
  for (AffineMap map : inputMaps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        known.set(dim.getPosition());
  SmallVector<AffineExpr> missing;
  SmallVector<int64_t> extents;
  for (size_t w = 0; w < windows.size(); ++w)
    if (!known[shape.size() + w]) {
      missing.push_back(getAffineDimExpr(shape.size() + w, context()));
      extents.push_back(windows[w]);
    }

  AffineMap resultMap = AffineMap::get(
      loops, 0,
      AffineMap::getMultiDimIdentityMap(shape.size(), context()).getResults(),
      context());
  SmallVector<Type> resultTypes;
  auto addOutput = [&](Value value) {
    outputs.push_back(value);
    outputMaps.push_back(resultMap);
    resultTypes.push_back(value.getType());
  };
  for (const TensorRef &init : inits) {
    Attribute value = splatValue(init);
    if (!value) {
      addOutput(whole(init));
      continue;
    }
    Value empty = tensor::EmptyOp::create(ops, current, shape,
                                          init->type.getElementType());
    addOutput(
        linalg::FillOp::create(ops, current, scalar(ops, current, value), empty)
            .getResult(0));
  }
  if (!missing.empty()) {
    inputs.push_back(
        tensor::EmptyOp::create(ops, current, extents, ops.getF32Type()));
    inputMaps.push_back(AffineMap::get(loops, 0, missing, context()));
  }
  // The body says the types of results without initial values.
  SmallVector<Type> elements;
  if (inits.empty()) {
    Block scratch;
    OpBuilder builder(context());
    builder.setInsertionPointToEnd(&scratch);
    SmallVector<Value> arguments;
    for (const TensorRef &operand : operands)
      arguments.push_back(
          scratch.addArgument(operand->type.getElementType(), current));
    for (Value value : body(builder, arguments))
      elements.push_back(value.getType());
    for (Type element : elements)
      addOutput(tensor::EmptyOp::create(ops, current, shape, element));
  }
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), shape.size(), utils::IteratorType::parallel);
  SmallVector<AffineMap> allMaps(inputMaps);
  allMaps.append(outputMaps);
  auto generic = linalg::GenericOp::create(
      ops, current, resultTypes, inputs, outputs, allMaps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        SmallVector<Value> values;
        for (auto [i, operand] : llvm::enumerate(operands)) {
          if (numbers[i] >= 0)
            values.push_back(arguments[numbers[i]]);
          else if (operand->iota)
            values.push_back(emitIota(builder, loc,
                                      operand->iota.compose(maps[i]),
                                      operand->type.getElementType()));
          else
            values.push_back(scalar(builder, loc, splatValue(operand)));
        }
        if (!inits.empty())
          llvm::append_range(values, arguments.take_back(inits.size()));
        linalg::YieldOp::create(builder, loc, body(builder, values));
      });
  SmallVector<TensorRef> results;
  for (Value value : generic.getResults())
    results.push_back(fromValue(value));
  return results;
}
