//===- IndexBounds.cpp - How large integers of arguments may be -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See IndexBounds.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Dialect/Soap/IndexBounds.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::soap;

/// Whether every element of the result is one of an operand, perhaps of another
/// type.
static bool movesElements(Operation *op) {
  return isa<ReshapeOp, CastOp, StopGradientOp, TransposeOp, SliceOp, ConcatOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

/// Of an op of linalg with a body, the elements of whose operand are an index
/// of `tensor.extract` there: the least extent of that dim.
static std::optional<int64_t> extentReadBy(OpOperand &use) {
  Operation *op = use.getOwner();
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return std::nullopt;
  Block &body = op->getRegion(0).front();
  if (body.getNumArguments() != op->getNumOperands())
    return std::nullopt;
  Value element = body.getArgument(use.getOperandNumber());
  std::optional<int64_t> least;
  body.walk([&](tensor::ExtractOp extract) {
    for (auto [d, index] : llvm::enumerate(extract.getIndices())) {
      Value from = index;
      while (Operation *cast = from.getDefiningOp()) {
        if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                 arith::ExtUIOp, arith::TruncIOp>(cast))
          break;
        from = cast->getOperand(0);
      }
      int64_t extent = extract.getTensor().getType().getShape()[d];
      if (from == element && !ShapedType::isDynamic(extent))
        least = std::min(extent, least.value_or(extent));
    }
  });
  return least;
}

/// Takes what `other` bounds into `bound`; see `indexBounds` for what is
/// negative.
static void tighten(int64_t &bound, int64_t other) {
  if (bound == 0 || other == 0) {
    bound += other;
    return;
  }
  int64_t least = std::min(std::abs(bound), std::abs(other));
  bound = bound < 0 && other < 0 ? -least : least;
}

/// The rows that an op lets an operand choose from, negative if it may count
/// from their end.
static std::optional<int64_t> rowsOf(OpOperand &use) {
  auto last = [](Value logits) {
    return cast<ShapedType>(logits.getType()).getShape().back();
  };
  auto bound = [&](Value indices, int64_t rows) -> std::optional<int64_t> {
    if (use.get() != indices || ShapedType::isDynamic(rows))
      return std::nullopt;
    return rows;
  };
  return TypeSwitch<Operation *, std::optional<int64_t>>(use.getOwner())
      .Case([&](GatherOp op) {
        int64_t rows = static_cast<int64_t>(op.getOffset()) +
                       op.getTable().getType().getShape().front();
        bool wraps = static_cast<int64_t>(op.getWrap()) == rows;
        return bound(op.getIndices(), wraps ? -rows : rows);
      })
      .Case<CrossEntropyOp, SoftmaxStatsOp>(
          [&](auto op) { return bound(op.getLabels(), last(op.getLogits())); })
      .Case([&](tensor::GatherOp op) -> std::optional<int64_t> {
        // Of several dims the indices are tuples.
        if (op.getGatherDims().size() != 1)
          return std::nullopt;
        return bound(op.getIndices(),
                     op.getSourceType().getDimSize(op.getGatherDims()[0]));
      })
      .Default([&](Operation *) { return extentReadBy(use); });
}

/// Where the elements of a value come from: by element, row-major, the place in
/// the argument, or `elsewhere`.
using Places = std::vector<int32_t>;
static constexpr int32_t elsewhere = -1;
/// Of larger arguments, elements are not told apart; and so many places are
/// found at most.
static constexpr int64_t largestArgument = int64_t(1) << 24,
                         maxPlaces = int64_t(1) << 28;

static ArrayRef<int64_t> dimsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The places of a result, element by element: `at` gives the place in the
/// operand of a place in the result.
static Places pick(ArrayRef<int64_t> shape, const Places &from,
                   ArrayRef<int64_t> strides, int64_t first) {
  Places result(llvm::product_of(shape));
  SmallVector<int64_t> at(shape.size(), 0);
  for (int32_t &place : result) {
    int64_t source = first;
    for (auto [position, stride] : llvm::zip_equal(at, strides))
      source += position * stride;
    place = from[source];
    for (size_t d = shape.size(); d-- > 0 && ++at[d] == shape[d];)
      at[d] = 0;
  }
  return result;
}

static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

/// The places of the result of an op that moves elements, of which `operand`
/// has the places `from`.
static Places placesOfResult(OpOperand &operand, const Places &from) {
  Operation *op = operand.getOwner();
  ArrayRef<int64_t> shape = dimsOf(op->getResult(0)),
                    before = dimsOf(operand.get());
  SmallVector<int64_t> own = stridesOf(before);
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<int64_t> strides;
    for (int64_t dim : transpose.getPermutation())
      strides.push_back(own[dim]);
    return pick(shape, from, strides, 0);
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    int64_t first = 0;
    for (auto [d, offset] : llvm::enumerate(slice.getOffsets())) {
      first += offset * own[d];
      own[d] *= slice.getStrides()[d];
    }
    return pick(shape, from, own, first);
  }
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    auto axis = static_cast<size_t>(concat.getAxis());
    int64_t offset = 0;
    for (Value x : op->getOperands().take_front(operand.getOperandNumber()))
      offset += dimsOf(x)[axis];
    SmallVector<int64_t> strides = stridesOf(shape);
    Places result(llvm::product_of(shape), elsewhere);
    for (auto [i, place] : llvm::enumerate(from)) {
      int64_t rest = static_cast<int64_t>(i), to = offset * strides[axis];
      for (size_t d = 0; d < before.size(); ++d) {
        to += rest / own[d] * strides[d];
        rest %= own[d];
      }
      result[to] = place;
    }
    return result;
  }
  return from; // in the same order
}

/// Calls `body` with every use of the argument's elements as indices, their
/// bound and, if elements are told apart, their places.
static void forEachTable(BlockArgument argument, bool hasPlaces,
                         function_ref<void(int64_t, const Places &)> body) {
  std::vector<std::pair<Value, Places>> values;
  Places own;
  for (int64_t i = 0,
               count = hasPlaces ? llvm::product_of(dimsOf(argument)) : 0;
       i < count; ++i)
    own.push_back(static_cast<int32_t>(i));
  values.emplace_back(argument, std::move(own));
  llvm::SmallPtrSet<Value, 8> seen;
  int64_t found = 0;
  while (!values.empty() && found < maxPlaces) {
    auto [value, places] = std::move(values.back());
    values.pop_back();
    // On another way, it may have other places.
    if (!hasPlaces && !seen.insert(value).second)
      continue;
    found += static_cast<int64_t>(places.size());
    for (OpOperand &use : value.getUses()) {
      if (auto rows = rowsOf(use))
        body(*rows, places);
      if (movesElements(use.getOwner()))
        values.emplace_back(use.getOwner()->getResult(0),
                            hasPlaces ? placesOfResult(use, places) : Places());
    }
  }
}

SmallVector<int64_t> mlir::soap::indexBounds(BlockArgument argument,
                                             int64_t sampleDim) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() == 0 ||
      !type.getElementType().isInteger())
    return {};
  bool isCut = false;
  int64_t all = 0;
  forEachTable(argument, /*hasPlaces=*/false,
               [&](int64_t rows, const Places &) { tighten(all, rows); });
  if (all == 0)
    return {};
  // Most arguments are indices as a whole.
  llvm::SmallSetVector<Operation *, 8> moves;
  for (Operation *user : argument.getUsers())
    moves.insert(user);
  for (size_t i = 0; i < moves.size(); ++i)
    if (movesElements(moves[i])) {
      isCut |= isa<SliceOp>(moves[i]);
      for (Operation *user : moves[i]->getUsers())
        moves.insert(user);
    }
  ArrayRef<int64_t> shape = type.getShape();
  int64_t samples = shape.empty() ? 1 : shape[sampleDim],
          count = type.getNumElements() / samples;
  if (!isCut)
    return {count, all};
  if (type.getNumElements() > largestArgument)
    return {};
  SmallVector<int64_t> strides = stridesOf(shape);
  int64_t inner = shape.empty() ? 1 : strides[sampleDim];
  SmallVector<int64_t> bounds(count, 0);
  forEachTable(
      argument, /*hasPlaces=*/true, [&](int64_t rows, const Places &places) {
        for (int32_t place : places)
          if (place != elsewhere)
            tighten(bounds[place / (inner * samples) * inner + place % inner],
                    rows);
      });
  SmallVector<int64_t> runs;
  for (int64_t bound : bounds)
    if (!runs.empty() && runs.back() == bound)
      ++runs[runs.size() - 2];
    else
      runs.append({1, bound});
  return runs;
}

Attribute mlir::soap::boundsAttribute(FunctionOpInterface function,
                                      BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  auto classes =
      function.getArgAttrOfType<IntegerAttr>(number, SoapDialect::kClasses);
  auto sampleDim =
      function.getArgAttrOfType<IntegerAttr>(number, SoapDialect::kSampleDim);
  SmallVector<int64_t> runs =
      indexBounds(argument, sampleDim ? sampleDim.getInt() : 0);
  if (classes) {
    if (runs.empty())
      return classes;
    for (size_t i = 1; i < runs.size(); i += 2)
      tighten(runs[i], classes.getInt());
  }
  Builder builder(argument.getContext());
  bool isOne = !runs.empty();
  for (size_t i = 1; i < runs.size(); i += 2)
    isOne &= runs[i] == runs[1];
  if (isOne)
    return builder.getI64IntegerAttr(runs[1]);
  return runs.empty() ? Attribute() : builder.getDenseI64ArrayAttr(runs);
}

void mlir::soap::boundElements(Value value, int64_t bound,
                               MutableArrayRef<DictionaryAttr> attributes) {
  Builder builder(value.getContext());
  llvm::SmallSetVector<Value, 8> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    if (auto argument = dyn_cast<BlockArgument>(values[i])) {
      assert(argument.getArgNumber() < attributes.size() &&
             "expected the attributes of all arguments");
      DictionaryAttr &dictionary = attributes[argument.getArgNumber()];
      NamedAttrList list(dictionary);
      auto known = dictionary.getAs<IntegerAttr>(SoapDialect::kClasses);
      int64_t both = known ? known.getInt() : 0;
      tighten(both, bound);
      list.set(SoapDialect::kClasses, builder.getI64IntegerAttr(both));
      dictionary = list.getDictionary(value.getContext());
    } else if (Operation *op = values[i].getDefiningOp();
               movesElements(op) && !isa<SliceOp, ConcatOp>(op)) {
      values.insert(op->getOperand(0));
    }
  }
}
