//===- StructuredModels.cpp - Structured ops as iteration spaces ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ops with linalg's interface: named ones, generic, fill, reduce, map,
// convolutions and poolings. Indexing maps are access maps, a recognized
// combiner makes a reduction loop one that may be split.
//
//===----------------------------------------------------------------------===//

#include "AccessMaps.h"
#include "Models.h"

#include "Soap/Dialect/Soap/KernelOpInterface.h"
#include "Soap/Dialect/Soap/Ops/ForeignOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::soap;
using linalg::LinalgOp;
using ::soap::Combiner;
using ::soap::IterationSpace;

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// How one op folds its operands; none if in no way that parts can be folded.
/// `maxnumf` and `minnumf` ignore NaN, which folding parts would not.
static std::optional<Combiner> combinerOf(Operation *op) {
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return Combiner::Sum;
  if (isa<arith::MaximumFOp, arith::MaxSIOp>(op))
    return Combiner::Max;
  if (isa<arith::MinimumFOp, arith::MinSIOp>(op))
    return Combiner::Min;
  return std::nullopt;
}

/// How result `r` folds the iterations of reduction loops: the op yields a
/// chain of one associative op, at whose end is the value so far, which nothing
/// else reads.
static std::optional<Combiner> matchCombiner(LinalgOp op, unsigned r) {
  Block *body = op.getBlock();
  Value soFar = body->getArgument(op.getNumDpsInputs() + r);
  if (!soFar.hasOneUse())
    return std::nullopt;
  std::optional<Combiner> combiner;
  Operation *user = *soFar.getUsers().begin();
  for (;;) {
    if (user == body->getTerminator())
      return body->getTerminator()->getOperand(r).getDefiningOp()
                 ? combiner
                 : std::nullopt;
    std::optional<Combiner> own = combinerOf(user);
    if (!own || (combiner && *combiner != *own) || user->getBlock() != body ||
        !user->getResult(0).hasOneUse())
      return std::nullopt;
    combiner = own;
    OpOperand &use = *user->getResult(0).getUses().begin();
    if (use.getOwner() == body->getTerminator() && use.getOperandNumber() != r)
      return std::nullopt;
    user = use.getOwner();
  }
}

/// Operations per point. 0 for an op that only moves elements.
static double countFlops(LinalgOp op) {
  int64_t count = 0;
  for (Operation &inner : op.getBlock()->without_terminator())
    if (!matchPattern(&inner, m_Constant()) && !isa<linalg::IndexOp>(inner))
      ++count;
  return static_cast<double>(count);
}

/// One result, which is an operand in another place.
static bool onlyMoves(LinalgOp op) {
  Operation *yield = op.getBlock()->getTerminator();
  if (op->getNumResults() != 1 || op.getNumReductionLoops() != 0)
    return false;
  auto argument = dyn_cast<BlockArgument>(yield->getOperand(0));
  return argument && argument.getOwner() == op.getBlock() &&
         static_cast<int64_t>(argument.getArgNumber()) < op.getNumDpsInputs() &&
         isa<TensorType>(op->getOperand(argument.getArgNumber()).getType());
}

/// One result, which is a sum of multiples of elements, one of each operand at
/// a permutation of the loops. Sums in fewer bits than 32 would round
/// contributions.
static bool addsElements(LinalgOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() != 0)
    return false;
  Block *body = op.getBlock();
  llvm::SmallDenseSet<Value> linear;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (isa<TensorType>(operand->get().getType()) &&
        op.getMatchingIndexingMap(operand).isPermutation())
      linear.insert(body->getArgument(operand->getOperandNumber()));
  auto isConstant = [](Value value) {
    return matchPattern(value, m_Constant());
  };
  auto isZero = [](Value value) {
    return matchPattern(value, m_AnyZeroFloat());
  };
  constexpr unsigned wide = 32;
  for (Operation &inner : body->without_terminator()) {
    if (inner.getNumResults() != 1 ||
        !isa<FloatType>(inner.getResult(0).getType()) ||
        inner.getResult(0).getType().getIntOrFloatBitWidth() < wide)
      continue;
    auto has = [&](unsigned i) { return linear.contains(inner.getOperand(i)); };
    bool isLinear = false;
    if (isa<arith::AddFOp, arith::SubFOp>(inner))
      isLinear = has(0) && (has(1) || isZero(inner.getOperand(1)));
    else if (isa<arith::NegFOp, arith::ExtFOp>(inner))
      isLinear = has(0);
    else if (isa<arith::MulFOp>(inner))
      isLinear = (has(0) && isConstant(inner.getOperand(1))) ||
                 (has(1) && isConstant(inner.getOperand(0)));
    else if (isa<arith::DivFOp>(inner))
      isLinear = has(0) && isConstant(inner.getOperand(1));
    if (isLinear)
      linear.insert(inner.getResult(0));
  }
  Value result = body->getTerminator()->getOperand(0);
  // An argument alone is only moved.
  return !isa<BlockArgument>(result) && linear.contains(result);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Loops of products have the names that cost models know: b, m, n, k.
static SmallVector<std::string> loopNames(LinalgOp op) {
  SmallVector<std::string> names(op.getNumLoops());
  if (linalg::isaContractionOpInterface(op))
    if (auto dims = linalg::inferContractionDims(op); succeeded(dims)) {
      auto name = [&](ArrayRef<unsigned> loops, const char *letter) {
        for (auto [i, loop] : llvm::enumerate(loops))
          names[loop] = letter + (loops.size() > 1 ? std::to_string(i) : "");
      };
      name(dims->batch, "b");
      name(dims->m, "m");
      name(dims->n, "n");
      name(dims->k, "k");
    }
  for (auto [d, name] : llvm::enumerate(names))
    if (name.empty())
      name = "d" + std::to_string(d);
  return names;
}

static IterationSpace spaceOf(LinalgOp op) {
  IterationSpace space;
  unsigned count = op.getNumLoops();
  SmallVector<bool> uncut(count);
  for (OpOperand *operand : readOperands(op)) {
    if (operand->getOwner() == op) {
      space.operands.push_back(
          {operandAccess(op.getMatchingIndexingMap(operand), uncut)});
      continue;
    }
    // The body reads it anywhere.
    auto type = cast<RankedTensorType>(operand->get().getType());
    space.operands.push_back(
        {::soap::AccessMap(type.getRank(), ::soap::DimMap::whole())});
  }
  SmallVector<AffineMap> resultMaps;
  bool combines = true;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto type = dyn_cast<RankedTensorType>(init.get().getType());
    if (!type)
      continue;
    auto r = static_cast<unsigned>(resultMaps.size());
    resultMaps.push_back(op.getMatchingIndexingMap(&init));
    std::optional<Combiner> combiner = matchCombiner(op, r);
    combines &= combiner.has_value();
    space.results.push_back(
        {resultAccess(resultMaps.back(), type.getShape(), uncut),
         combiner.value_or(Combiner::Sum)});
  }
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<std::string> names = loopNames(op);
  for (unsigned d = 0; d < count; ++d) {
    bool reduces = iterators[d] == utils::IteratorType::reduction;
    // A parallel loop that a result lacks writes it more than once; a reduction
    // loop that a result has is a scan.
    bool fits = llvm::all_of(resultMaps, [&](AffineMap map) {
      return map.isFunctionOfDim(d) != reduces;
    });
    bool isCut = fits && !uncut[d] && (!reduces || combines);
    space.loops.push_back({names[d], extents[d],
                           !isCut    ? ::soap::IteratorType::Serial
                           : reduces ? ::soap::IteratorType::Reduction
                                     : ::soap::IteratorType::Parallel});
  }
  space.linear = onlyMoves(op) || addsElements(op);
  space.flopsPerPoint = countFlops(op);
  return space;
}

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

TypedAttr mlir::soap::knownInit(Value init) {
  TypedAttr number;
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    matchPattern(fill.getInputs()[0], m_Constant(&number));
    return number;
  }
  DenseElementsAttr elements;
  if (matchPattern(init, m_Constant(&elements)) && elements.isSplat())
    number = dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>());
  return number;
}

/// An init operand whose elements are all `number`.
static Value createFilled(OpBuilder &builder, Location loc,
                          RankedTensorType type, TypedAttr number) {
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  Value scalar = arith::ConstantOp::create(builder, loc, number);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

/// The op with other operands and results. Scalars from outside that its region
/// uses become ops of the region; `map` has the tensors. Uses nothing of the
/// function of `op`: shards are made on several threads.
static LinalgOp cloneOnTiles(LinalgOp op, OpBuilder &builder,
                             ArrayRef<Type> types, ArrayRef<Value> operands,
                             IRMapping &map) {
  Block *block = builder.getInsertionBlock();
  Block::iterator end = builder.getInsertionPoint();
  bool atBegin = end == block->begin();
  Block::iterator before = atBegin ? end : std::prev(end);
  op->walk([&](Operation *inner) {
    if (inner == op.getOperation())
      return;
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()) &&
          !map.contains(operand))
        map.map(operand, cloneScalar(builder, operand));
  });
  SmallVector<Operation *> scalars;
  for (auto it = atBegin ? block->begin() : std::next(before); it != end; ++it)
    scalars.push_back(&*it);

  OperationState state(op.getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  for (Region &region : op->getRegions())
    region.cloneInto(state.addRegion(), map);
  auto local = cast<LinalgOp>(builder.create(state));
  dropSoapAttributes(local);
  Block *body = local.getBlock();
  for (Operation *scalar : llvm::reverse(scalars))
    scalar->moveBefore(body, body->begin());
  return local;
}

/// Positions in the tile become positions in the whole tensor.
static void shiftIndices(LinalgOp local, const ::soap::LoopBox &box) {
  Block *body = local.getBlock();
  for (auto index :
       llvm::make_early_inc_range(body->getOps<linalg::IndexOp>())) {
    int64_t first = box[index.getDim()].lo;
    if (first == 0)
      continue;
    OpBuilder builder(index->getContext());
    builder.setInsertionPointAfter(index);
    Value shift =
        arith::ConstantIndexOp::create(builder, index.getLoc(), first);
    auto sum = arith::AddIOp::create(builder, index.getLoc(), index.getResult(),
                                     shift);
    index.getResult().replaceAllUsesExcept(sum, sum);
  }
}

static Operation *localizeStructured(LinalgOp op, OpBuilder &builder,
                                     const ::soap::LoopBox &box,
                                     ArrayRef<::soap::Region> operandRegions,
                                     ArrayRef<::soap::Region> resultRegions,
                                     ValueRange tiles) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool moved = false;
  IRMapping captured;
  for (auto [operand, region, tile] :
       llvm::zip_equal(readOperands(op), operandRegions, tiles)) {
    if (operand->getOwner() != op) {
      captured.map(operand->get(), tile);
      continue;
    }
    AffineMap &map = maps[operand->getOperandNumber()];
    AffineMap own = tileMap(map, box, region);
    moved |= own != map;
    map = own;
  }
  // Only generic ops choose their maps.
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (moved && !generic)
    return nullptr;

  bool isFirst = true; // of the pieces of reduction loops
  for (auto [range, iterator] :
       llvm::zip_equal(box, op.getIteratorTypesArray()))
    isFirst &= iterator != utils::IteratorType::reduction || range.lo == 0;
  SmallVector<Type> types = localTypes(op, resultRegions);
  SmallVector<Value> operands = localOperands(op, builder, tiles);
  for (auto [r, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    Value &own = operands[init.getOperandNumber()];
    auto type = cast<RankedTensorType>(types[r]);
    bool isRead = op.payloadUsesValueFromOperand(&init);
    // An init counts once: other pieces of a sum begin at 0.
    if (isRead && !isFirst && matchCombiner(op, r) == Combiner::Sum)
      own = createFilled(builder, op.getLoc(), type,
                         builder.getZeroAttr(type.getElementType()));
    else if (!own && isRead)
      own = createFilled(builder, op.getLoc(), type, knownInit(init.get()));
    else if (!own)
      own = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                    type.getElementType());
  }
  // Operands that only say how many iterations a loop has.
  for (auto [i, own] : llvm::enumerate(operands)) {
    if (own)
      continue;
    auto type = cast<RankedTensorType>(op->getOperand(i).getType());
    SmallVector<int64_t> shape;
    ::soap::AccessMap access;
    SmallVector<bool> uncut(op.getNumLoops());
    access = operandAccess(maps[i], uncut);
    for (int64_t extent :
         ::soap::image(access, box, type.getShape().vec()).shape())
      shape.push_back(extent);
    own = tensor::EmptyOp::create(builder, op.getLoc(), shape,
                                  type.getElementType());
  }
  LinalgOp local = cloneOnTiles(op, builder, types, operands, captured);
  if (moved)
    cast<linalg::GenericOp>(local.getOperation())
        .setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  shiftIndices(local, box);
  return local;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {

struct StructuredSpace
    : public IterationSpaceOpInterface::FallbackModel<StructuredSpace> {
  IterationSpace getIterationSpace(Operation *op) const {
    return spaceOf(cast<LinalgOp>(op));
  }
  Operation *localize(Operation *op, OpBuilder &builder,
                      const ::soap::LoopBox &box,
                      ArrayRef<::soap::Region> operandRegions,
                      ArrayRef<::soap::Region> resultRegions,
                      ValueRange operands) const {
    return localizeStructured(cast<LinalgOp>(op), builder, box, operandRegions,
                              resultRegions, operands);
  }
  double getNeutralValue(Operation *) const { return 0; }
  FailureOr<SmallVector<Value>> decomposeStages(Operation *,
                                                OpBuilder &) const {
    return failure();
  }
};

struct StructuredKernel
    : public KernelOpInterface::FallbackModel<StructuredKernel> {
  LogicalResult emitKernel(Operation *op, OpBuilder &builder, ValueRange inputs,
                           ValueRange outputs) const {
    return emitStructuredKernel(cast<LinalgOp>(op), builder, inputs, outputs);
  }
  bool readsOperand(Operation *op, unsigned number) const {
    auto linalgOp = cast<LinalgOp>(op);
    OpOperand &operand = op->getOpOperand(number);
    bool isUsed = linalgOp.payloadUsesValueFromOperand(&operand);
    if (linalgOp.isDpsInit(&operand))
      return isUsed && !knownInit(operand.get());
    // The window of a pooling is there for its shape.
    constexpr int64_t small = 4096;
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    return isUsed || !type || !type.hasStaticShape() ||
           type.getNumElements() > small;
  }
  std::optional<unsigned> tiedOperand(Operation *op, unsigned result) const {
    unsigned init = static_cast<unsigned>(
        cast<LinalgOp>(op).getDpsInitOperand(result)->getOperandNumber());
    return readsOperand(op, init) ? std::optional(init) : std::nullopt;
  }
};

} // namespace

void mlir::soap::attachStructuredModels(MLIRContext *context) {
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.getDialectNamespace() == "linalg" && name.hasInterface<LinalgOp>())
      name.attachInterface<StructuredSpace, StructuredKernel>();
}
