//===- OutlineKernels.cpp - Ops of programs become calls ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: decides per op whether it is a library call, a kernel of its own,
// part of its user's kernel, a view or a constant, and replaces it.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "ExpandRecurrences.h"
#include "ForeignKernels.h"
#include "KernelTable.h"
#include "Layouts.h"
#include "Library.h"
#include "RaiseProducts.h"

#include "Soap/Analysis/SharedOps.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/Ops/ForeignOps.h"
#include "Soap/Dialect/Soap/SoapAttentionTiles.h"
#include "Soap/Dialect/Soap/SoapCollectives.h"
#include "Soap/Dialect/Soap/SoapQuantized.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPOUTLINEKERNELS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

bool isProgramOp(Operation *op) {
  return isModelOp(op) ||
         isa<FillOp, AssembleOp, CombineOp, SendOp, RecvOp, LocalIndexOp,
             PlacedStepOp, AttentionWeightsOp, AttentionWeightsGradOp,
             DequantizeOp, UnscaleOp>(op) ||
         isCollective(op);
}

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Elementwise ops that are written as one kernel, in program order; the last
/// one is where the kernel runs.
using Group = SmallVector<Operation *>;

/// Decides which elementwise ops join their user.
class Fusion {
public:
  Fusion(Block &block, const Layouts &layouts) : layouts(layouts) {
    unsigned segment = 0;
    llvm::DenseMap<Operation *, unsigned> segments;
    for (Operation &op : block) {
      // A value that is computed before a communication stays before it.
      segment += isa<SendOp, RecvOp>(op) || isCollective(&op);
      segments[&op] = segment;
      if (isElementwise(&op))
        groups[&op] = {&op};
    }
    for (Operation &op : block)
      if (auto found = groups.find(&op); found != groups.end())
        for (Value operand : op.getOperands())
          if (Operation *producer = operand.getDefiningOp();
              producer && segments.lookup(producer) == segments.lookup(&op))
            join(producer, &op);
  }

  /// The ops of the kernel that runs at `op`; null if `op` runs in another's.
  const Group *groupAt(Operation *op) const {
    auto found = groups.find(op);
    return found == groups.end() ? nullptr : &found->second;
  }

private:
  const Layouts &layouts;
  llvm::DenseMap<Operation *, Group> groups; ///< by last op

  void join(Operation *producer, Operation *user) {
    auto found = groups.find(producer);
    // Updates write over their operands: what follows must not join them.
    if (found == groups.end() || producer->getNumResults() != 1 ||
        isa<SgdOp>(producer) ||
        shapeOf(producer->getResult(0)) != shapeOf(user->getResult(0)) ||
        layouts.held(producer->getResult(0)) !=
            layouts.held(user->getResult(0)) ||
        llvm::any_of(producer->getUsers(),
                     [&](Operation *other) { return other != user; }))
      return;
    Group merged = found->second;
    llvm::append_range(merged, groups[user]);
    if (!readsConsistently(merged))
      return;
    groups.erase(producer);
    groups[user] = std::move(merged);
  }

  /// All ops compute in one type, and a value that two ops read is read along
  /// the same dims.
  static bool readsConsistently(ArrayRef<Operation *> ops) {
    llvm::DenseMap<Value, SmallVector<bool>> dims;
    auto computeOf = [](Value value) {
      return computeTypeOf(
          cast<RankedTensorType>(value.getType()).getElementType());
    };
    Type compute = computeOf(ops.back()->getResult(0));
    for (Operation *op : ops)
      for (OpOperand &operand : op->getOpOperands()) {
        SmallVector<bool> has = operandDims(op, operand.getOperandNumber());
        auto [known, inserted] = dims.try_emplace(operand.get(), has);
        if (computeOf(operand.get()) != compute ||
            (!inserted && known->second != has))
          return false;
      }
    return true;
  }
};

/// Rewrites the ops of one function.
class Outliner {
public:
  Outliner(KernelTable &kernels, LibraryOptions library, bool fuse)
      : kernels(kernels), library(library), fuse(fuse) {}

  LogicalResult run(func::FuncOp function, const Layouts &assigned) {
    Block &block = function.getBody().front();
    layouts = assigned;
    kernels.setLayouts(layouts);
    held.clear();
    copies.clear();
    dead.clear();
    gathered.clear();
    std::optional<Fusion> fusion;
    if (fuse)
      fusion.emplace(block, layouts);
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto call = dyn_cast<LibraryCallOp>(op);
          call && (call->hasAttr(kLayouts) || readsHeld(call))) {
        if (failed(replaceCall(call)))
          return failure();
        continue;
      }
      if (isCheck(&op)) {
        op.emitRemark() << "'" << op.getName()
                        << "' has no result: its assertions are not checked";
        op.erase();
        continue;
      }
      if (!isProgramOp(&op))
        continue;
      if (fusion && isElementwise(&op)) {
        const Group *group = fusion->groupAt(&op);
        // Ops of other groups are erased with the group that they joined.
        if (!group)
          continue;
        if (group->size() > 1) {
          if (failed(replaceGroup(*group)))
            return failure();
          continue;
        }
      }
      if (failed(replace(&op)))
        return failure();
    }
    OpBuilder builder(block.getTerminator());
    for (OpOperand &operand : block.getTerminator()->getOpOperands()) {
      FailureOr<Value> value = read(operand, builder);
      if (failed(value))
        return failure();
      operand.set(*value);
    }
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    eraseUnusedPieces();
    // Kernels have copies of them.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (!isa_and_nonnull<SoapDialect>(op.getDialect()) &&
          isOpTriviallyDead(&op))
        op.erase();
    return success();
  }

private:
  KernelTable &kernels;
  LibraryOptions library;
  bool fuse;
  Layouts layouts;
  /// The value that holds an image that is not NCHW. Until the end, the op that
  /// made the value stays: its type is that of the model.
  llvm::DenseMap<Value, Value> held;
  /// Copies of values in other layouts.
  std::map<std::pair<void *, ImageLayout>, Value> copies;
  SmallVector<Operation *> dead;
  /// Where an all-gathered piece lies.
  struct Gathered {
    Value row;
    int64_t offset = 0;
  };
  llvm::DenseMap<Value, Gathered> gathered;

  //===--------------------------------------------------------------------===//
  // Layouts
  //===--------------------------------------------------------------------===//

  /// The operand, in the layout in which its op reads it.
  FailureOr<Value> read(OpOperand &operand, OpBuilder &builder) {
    return inLayout(operand.get(), layouts.read(operand), builder);
  }

  FailureOr<Value> inLayout(Value value, ImageLayout layout,
                            OpBuilder &builder) {
    Value holder = held.lookup(value);
    ImageLayout from =
        holder ? layouts.held(value) : ImageLayout::ChannelsFirst;
    if (from == layout)
      return holder ? holder : value;
    Value &copy = copies[{value.getAsOpaquePointer(), layout}];
    if (copy)
      return copy;
    auto type = cast<RankedTensorType>(value.getType());
    RankedTensorType target = bufferType(type, layout);
    Value source = holder ? holder : value;
    if (layoutsAgree(type, from, layout))
      return copy = reshape(builder, value.getLoc(), source, target);
    FailureOr<FlatSymbolRefAttr> kernel =
        kernels.layoutKernel(value.getLoc(), type, from, layout);
    if (failed(kernel))
      return failure();
    auto call = KernelCallOp::create(
        builder, value.getLoc(), TypeRange{target}, kernel->getValue(), source,
        createEmpty(builder, value.getLoc(), target), /*in_place=*/false,
        /*elementwise=*/false);
    if (Operation *user =
            builder.getInsertionPoint() != builder.getInsertionBlock()->end()
                ? &*builder.getInsertionPoint()
                : nullptr)
      copySlot(user, call);
    return copy = call.getValues()[0];
  }

  FailureOr<SmallVector<Value>> readAll(Operation *op, OpBuilder &builder) {
    SmallVector<Value> values;
    for (OpOperand &operand : op->getOpOperands()) {
      FailureOr<Value> value = read(operand, builder);
      if (failed(value))
        return failure();
      values.push_back(*value);
    }
    return values;
  }

  /// Type of a result as the program holds it.
  Type heldType(Value result) const {
    return bufferType(cast<RankedTensorType>(result.getType()),
                      layouts.held(result));
  }

  SmallVector<Type> heldTypes(Operation *op) const {
    SmallVector<Type> types;
    for (Value result : op->getResults())
      types.push_back(heldType(result));
    return types;
  }

  static Value createEmpty(OpBuilder &builder, Location loc, Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor::EmptyOp::create(builder, loc, tensor.getShape(),
                                   tensor.getElementType());
  }

  SmallVector<Value> createEmpties(OpBuilder &builder, Operation *op) {
    SmallVector<Value> values;
    for (Type type : heldTypes(op))
      values.push_back(createEmpty(builder, op->getLoc(), type));
    return values;
  }

  static void copySlot(Operation *from, Operation *to) {
    if (Attribute slot = from->getAttr(SoapDialect::kSlot))
      to->setAttr(SoapDialect::kSlot, slot);
  }

  void replaceOp(Operation *op, Operation *call) {
    copySlot(op, call);
    bool stays = false;
    for (auto [result, value] :
         llvm::zip(op->getResults(), call->getResults())) {
      if (layouts.held(result) != ImageLayout::ChannelsFirst) {
        held[result] = value;
        stays = true;
      } else {
        result.replaceAllUsesWith(value);
      }
    }
    if (stays)
      dead.push_back(op);
    else
      op->erase();
  }

  /// Ops of other dialects write their kernels themselves, or are upstream's to
  /// bufferize.
  LogicalResult replaceForeign(Operation *op, OpBuilder &builder) {
    auto kernelOp = dyn_cast<KernelOpInterface>(op);
    if (!kernelOp || isRowSlice(op)) {
      if (isa<arith::ConstantOp, tensor::EmptyOp, tensor::ExpandShapeOp,
              tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op))
        return success();
      return op->emitError() << "'" << op->getName()
                             << "' has no lowering, expected an op that "
                                "implements 'KernelOpInterface'";
    }
    SmallVector<Value> tied(op->getNumResults());
    for (unsigned r = 0; r < op->getNumResults(); ++r)
      if (std::optional<unsigned> operand = kernelOp.tiedOperand(r)) {
        Value value = op->getOperand(*operand);
        // A value that another op reads must not be written over.
        if (value.getType() == op->getResult(r).getType() && value.hasOneUse())
          tied[r] = value;
      }
    FailureOr<FlatSymbolRefAttr> kernel =
        kernels.foreignKernelOf(kernelOp, tied);
    if (failed(kernel))
      return failure();
    SmallVector<Value> inputs;
    for (OpOperand *operand : readOperands(op))
      if (!llvm::is_contained(tied, operand->get())) {
        FailureOr<Value> input = read(*operand, builder);
        if (failed(input))
          return failure();
        inputs.push_back(*input);
      }
    replaceOp(op, createCall(builder, op, *kernel, inputs, tied,
                             /*elementwise=*/false));
    return success();
  }

  /// Elements of a row that lie next to each other: a view.
  static bool isRowSlice(Operation *op) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
    return slice && slice.getSourceType().getRank() == 1 &&
           llvm::equal(slice.getStaticStrides(), ArrayRef<int64_t>{1});
  }

  LogicalResult replace(Operation *op) {
    OpBuilder builder(op);
    if (!isa_and_nonnull<SoapDialect>(op->getDialect()))
      return replaceForeign(op, builder);
    if (auto reshape = dyn_cast<ReshapeOp>(op))
      return replaceReshape(reshape, builder);
    if (auto slice = dyn_cast<SliceOp>(op); slice && fuse && isWhole(slice)) {
      slice.replaceAllUsesWith(slice.getX());
      slice.erase();
      return success();
    }
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto value = arith::ConstantOp::create(
          builder, op->getLoc(), cast<TypedAttr>(constant.getValue()));
      op->replaceAllUsesWith(value->getResults());
      op->erase();
      return success();
    }
    if (auto send = dyn_cast<SendOp>(op))
      return replaceSend(send, builder);
    if (isCollective(op))
      return replaceCollective(op, builder);
    if (auto concat = dyn_cast<ConcatOp>(op); concat && fuse)
      if (AssembleOp assemble = assembledBy(concat, builder))
        op = assemble;
    if (auto assemble = dyn_cast<AssembleOp>(op);
        assemble && fuse && replaceAssemble(assemble, builder))
      return success();
    if (auto combine = dyn_cast<CombineOp>(op))
      if (Value row = gatheredRow(combine))
        return replaceCombine(combine, row, builder);
    if (isa<RecvOp>(op)) {
      replaceOp(op, RecvBufferOp::create(builder, op->getLoc(),
                                         op->getResultTypes(),
                                         createEmpties(builder, op)[0]));
      return success();
    }
    if (std::optional<LibraryFunction> function =
            libraryFunctionOf(op, library, layouts)) {
      FailureOr<SmallVector<Value>> operands = readAll(op, builder);
      if (failed(operands))
        return failure();
      SmallVector<Type> types = heldTypes(op);
      SmallVector<Value> outputs = createEmpties(builder, op);
      if (function->workspace > 0) {
        types.push_back(function->workspaceType(builder.getContext()));
        outputs.push_back(createEmpty(builder, op->getLoc(), types.back()));
      }
      auto call =
          LibraryCallOp::create(builder, op->getLoc(), types, function->name,
                                function->descriptor, *operands, outputs);
      replaceOp(op, call);
      return success();
    }
    return replaceByKernel(op, builder);
  }

  /// Whether an input lies in another layout than NCHW.
  bool readsHeld(LibraryCallOp call) const {
    return llvm::any_of(call.getInputs(),
                        [&](Value input) { return held.contains(input); });
  }

  /// A call that was made before: its images have the shapes of buffers now.
  LogicalResult replaceCall(LibraryCallOp op) {
    OpBuilder builder(op);
    SmallVector<Value> inputs;
    for (OpOperand &operand :
         op->getOpOperands().take_front(op.getInputs().size())) {
      FailureOr<Value> input = read(operand, builder);
      if (failed(input))
        return failure();
      inputs.push_back(*input);
    }
    auto call = LibraryCallOp::create(builder, op.getLoc(), heldTypes(op),
                                      op.getName(), op.getDescriptor(), inputs,
                                      createEmpties(builder, op));
    if (Attribute slots = op->getAttr(SoapDialect::kFusedSlots))
      call->setAttr(SoapDialect::kFusedSlots, slots);
    replaceOp(op, call);
    return success();
  }

  /// Operands that results are written over, by result; null: a new buffer. An
  /// operand with two new values keeps its own buffer for the first.
  static SmallVector<Value> tiedOperands(Operation *op) {
    SmallVector<Value> tied(op->getNumResults());
    for (auto [result, operand] : updatedOperands(op)) {
      Value value = op->getOperand(operand);
      if (op->getResult(result).getType() == value.getType() &&
          !llvm::is_contained(tied, value))
        tied[result] = value;
    }
    return tied;
  }

  KernelCallOp createCall(OpBuilder &builder, Operation *op,
                          FlatSymbolRefAttr kernel, ArrayRef<Value> inputs,
                          ArrayRef<Value> tied, bool elementwise) {
    SmallVector<Value> outputs(tied);
    SmallVector<Type> types = heldTypes(op);
    for (auto [output, type] : llvm::zip(outputs, types))
      if (!output)
        output = createEmpty(builder, op->getLoc(), type);
    bool inPlace = llvm::any_of(tied, [](Value value) { return !!value; });
    return KernelCallOp::create(builder, op->getLoc(), types, kernel.getValue(),
                                inputs, outputs, inPlace, elementwise);
  }

  LogicalResult replaceByKernel(Operation *op, OpBuilder &builder) {
    SmallVector<Value> tied = tiedOperands(op);
    FailureOr<FlatSymbolRefAttr> kernel = kernels.kernelOf(op, tied);
    if (failed(kernel))
      return failure();
    SmallVector<Value> inputs;
    for (OpOperand &operand : op->getOpOperands())
      if (!llvm::is_contained(tied, operand.get())) {
        FailureOr<Value> input = read(operand, builder);
        if (failed(input))
          return failure();
        inputs.push_back(*input);
      }
    replaceOp(
        op, createCall(builder, op, *kernel, inputs, tied, isElementwise(op)));
    return success();
  }

  LogicalResult replaceGroup(ArrayRef<Operation *> ops) {
    Operation *root = ops.back();
    SmallVector<Value> tied = tiedOperands(root);
    llvm::SetVector<Value> inputs;
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        if (!llvm::is_contained(ops, operand.getDefiningOp()) &&
            !llvm::is_contained(tied, operand))
          inputs.insert(operand);
    OpBuilder builder(root);
    FailureOr<FlatSymbolRefAttr> kernel =
        kernels.kernelOf(ops, inputs.getArrayRef(), tied);
    if (failed(kernel))
      return failure();
    llvm::DenseMap<Value, Value> reads;
    for (Operation *op : ops)
      for (OpOperand &operand : op->getOpOperands())
        if (inputs.contains(operand.get())) {
          FailureOr<Value> value = read(operand, builder);
          if (failed(value))
            return failure();
          reads[operand.get()] = *value;
        }
    SmallVector<Value> arguments;
    for (Value input : inputs)
      arguments.push_back(reads.lookup(input));
    KernelCallOp call = createCall(builder, root, *kernel, arguments, tied,
                                   /*elementwise=*/true);
    // The ops before the last ran in this kernel, too.
    SmallVector<int64_t> others;
    for (Operation *op : ops.drop_back())
      if (auto slot = op->getAttrOfType<IntegerAttr>(SoapDialect::kSlot))
        others.push_back(slot.getInt());
    if (!others.empty())
      call->setAttr("soap.fused_slots", builder.getDenseI64ArrayAttr(others));
    bool stays = layouts.held(root->getResult(0)) != ImageLayout::ChannelsFirst;
    // Users go before what they use: the last of `dead` is erased first.
    if (stays)
      llvm::append_range(dead, ops.drop_back());
    replaceOp(root, call);
    if (!stays)
      for (Operation *op : llvm::reverse(ops.drop_back()))
        op->erase();
    return success();
  }

  /// The same buffer: as one row, then in the new shape.
  static Value reshape(OpBuilder &builder, Location loc, Value value,
                       RankedTensorType to) {
    auto from = cast<RankedTensorType>(value.getType());
    auto all = [](RankedTensorType type) {
      SmallVector<ReassociationIndices> groups;
      if (type.getRank() > 0)
        groups.emplace_back(
            llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
      return groups;
    };
    auto row =
        RankedTensorType::get({from.getNumElements()}, from.getElementType());
    if (from.getRank() > 1)
      value =
          tensor::CollapseShapeOp::create(builder, loc, row, value, all(from));
    else if (from.getRank() == 0 && to.getRank() > 0)
      value =
          tensor::ExpandShapeOp::create(builder, loc, row, value, all(from));
    if (to.getRank() > 1)
      value = tensor::ExpandShapeOp::create(builder, loc, to, value, all(to));
    else if (to.getRank() == 0 && from.getRank() > 0)
      value = tensor::CollapseShapeOp::create(builder, loc, to, value, all(to));
    return value;
  }

  LogicalResult replaceReshape(ReshapeOp op, OpBuilder &builder) {
    FailureOr<Value> x = read(op->getOpOperand(0), builder);
    if (failed(x))
      return failure();
    op.replaceAllUsesWith(reshape(builder, op.getLoc(), *x,
                                  cast<RankedTensorType>(op.getY().getType())));
    op.erase();
    return success();
  }

  /// A device has of its operand what the slice takes: nothing is left to cut.
  bool isWhole(SliceOp op) const {
    return op.getX().getType() == op.getY().getType() &&
           !held.contains(op.getX()) &&
           layouts.held(op.getY()) == ImageLayout::ChannelsFirst;
  }

  /// `count` elements from `offset` on, in the order of the buffer.
  struct Run {
    int64_t offset, count;
  };

  /// The region of a tile as one run; none if its elements are not next to each
  /// other.
  static std::optional<Run> runOf(RankedTensorType tile,
                                  const ::soap::Region &region) {
    if (region.volume() == 0)
      return std::nullopt;
    Run run{0, region.volume()};
    int64_t stride = 1;
    bool whole = true; // All dims behind this one are.
    for (size_t d = region.rank(); d-- > 0;) {
      if (region[d].intervals().size() != 1)
        return std::nullopt;
      ::soap::Interval interval = region[d].intervals()[0];
      if (!whole && interval.size() != 1)
        return std::nullopt;
      whole &= interval.size() == tile.getDimSize(d);
      run.offset += interval.lo * stride;
      stride *= tile.getDimSize(d);
    }
    return run;
  }

  static RankedTensorType rowType(RankedTensorType type) {
    return RankedTensorType::get({type.getNumElements()},
                                 type.getElementType());
  }

  /// A part of a tile as a buffer of its own: the tile itself, a view of it, or
  /// a copy.
  FailureOr<Value> partOf(Operation *op, Value tile,
                          const ::soap::Region &region, OpBuilder &builder) {
    auto type = cast<RankedTensorType>(tile.getType());
    Value holder = held.lookup(tile);
    if (holder &&
        layoutsAgree(type, layouts.held(tile), ImageLayout::ChannelsFirst)) {
      tile = reshape(builder, op->getLoc(), holder, type);
      holder = nullptr;
    }
    std::optional<Run> run =
        holder || !fuse ? std::nullopt : runOf(type, region);
    if (region.volume() == type.getNumElements() && !holder)
      return tile;
    if (run) {
      Value row = reshape(builder, op->getLoc(), tile, rowType(type));
      return sliceOf(builder, op->getLoc(), row, run->offset, run->count);
    }
    auto packed = RankedTensorType::get(region.shape(), type.getElementType());
    FailureOr<FlatSymbolRefAttr> kernel = kernels.packKernel(
        op->getLoc(), type, region,
        holder ? layouts.held(tile) : ImageLayout::ChannelsFirst);
    if (failed(kernel))
      return failure();
    auto pack = KernelCallOp::create(builder, op->getLoc(), TypeRange{packed},
                                     kernel->getValue(), holder ? holder : tile,
                                     createEmpty(builder, op->getLoc(), packed),
                                     /*in_place=*/false,
                                     /*elementwise=*/false);
    copySlot(op, pack);
    return pack.getValues()[0];
  }

  LogicalResult replaceSend(SendOp op, OpBuilder &builder) {
    FailureOr<Value> tile =
        partOf(op, op.getTile(), op.getSource().getRegion(), builder);
    if (failed(tile))
      return failure();
    auto send = SendBufferOp::create(builder, op.getLoc(), *tile);
    copySlot(op, send);
    op.erase();
    return success();
  }

  static Value sliceOf(OpBuilder &builder, Location loc, Value row,
                       int64_t offset, int64_t count) {
    return tensor::ExtractSliceOp::create(
        builder, loc, row, ArrayRef<OpFoldResult>{builder.getIndexAttr(offset)},
        ArrayRef<OpFoldResult>{builder.getIndexAttr(count)},
        ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  }

  CollectiveBufferOp createCollective(OpBuilder &builder, Operation *op,
                                      ArrayRef<Value> inputs,
                                      ArrayRef<Value> outputs) {
    auto call = CollectiveBufferOp::create(
        builder, op->getLoc(), llvm::to_vector(ValueRange(outputs).getTypes()),
        *symbolizeCollectiveKind(op->getName().stripDialect()), inputs,
        outputs);
    copySlot(op, call);
    return call;
  }

  /// Sums of whole tiles are made in place: the tile is the output.
  LogicalResult replaceCollective(Operation *op, OpBuilder &builder) {
    if (isa<AllGatherOp>(op) ||
        (isa<GatherToRootOp>(op) && op->getNumResults() > 0))
      return replaceGather(op, builder);
    if (auto exchange = dyn_cast<AllToAllOp>(op))
      return replaceAllToAll(exchange, builder);
    if (auto scatter = dyn_cast<ReduceScatterOp>(op))
      return replaceReduceScatter(scatter, builder);
    auto broadcast = dyn_cast<BroadcastFromRootOp>(op);
    SmallVector<Value> inputs, outputs;
    if (op->getNumOperands() > 0) {
      Value tile = op->getOperand(0);
      ::soap::Region part =
          broadcast ? broadcast.getSource()->getRegion() : wholeOf(tile);
      FailureOr<Value> buffer = partOf(op, tile, part, builder);
      if (failed(buffer))
        return failure();
      bool inPlace =
          isa<AllReduceOp, ReduceToRootOp>(op) && op->getNumResults() > 0;
      (inPlace ? outputs : inputs).push_back(*buffer);
    } else {
      outputs = createEmpties(builder, op);
    }
    replaceOp(op, createCollective(builder, op, inputs, outputs));
    return success();
  }

  static ::soap::Region wholeOf(Value tile) {
    return ::soap::Region::whole(
        cast<RankedTensorType>(tile.getType()).getShape().vec());
  }

  /// Pieces of one type lie one after the other in one buffer.
  LogicalResult replaceGather(Operation *op, OpBuilder &builder) {
    Value tile = op->getOperand(0);
    FailureOr<Value> mine = partOf(op, tile, wholeOf(tile), builder);
    if (failed(mine))
      return failure();
    receivePieces(op, *mine, builder);
    return success();
  }

  /// The collective of an op that gets a piece from each device.
  void receivePieces(Operation *op, ArrayRef<Value> inputs,
                     OpBuilder &builder) {
    if (!llvm::all_equal(op->getResultTypes())) {
      replaceOp(op, createCollective(builder, op, inputs,
                                     createEmpties(builder, op)));
      return;
    }
    Location loc = op->getLoc();
    auto piece = cast<RankedTensorType>(op->getResultTypes()[0]);
    int64_t count = piece.getNumElements();
    auto all = RankedTensorType::get({count * op->getNumResults()},
                                     piece.getElementType());
    Value row =
        createCollective(builder, op, inputs, createEmpty(builder, loc, all))
            .getValues()[0];
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      int64_t offset = static_cast<int64_t>(i) * count;
      Value part = reshape(builder, loc,
                           sliceOf(builder, loc, row, offset, count), piece);
      gathered[part] = {row, offset};
      result.replaceAllUsesWith(part);
    }
    op->erase();
  }

  /// Views of pieces that were read as one row.
  void eraseUnusedPieces() {
    for (const auto &[piece, from] : gathered)
      for (Operation *view = piece.getDefiningOp();
           view && view->use_empty() &&
           isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
               tensor::CollapseShapeOp>(view);) {
        Operation *source = view->getOperand(0).getDefiningOp();
        view->erase();
        view = source;
      }
  }

  /// The row that all tiles of an op are, one after the other; null if they lie
  /// elsewhere, or parts of them are folded.
  Value gatheredRow(CombineOp op) {
    auto type = cast<RankedTensorType>(op.getTile().getType());
    Value row = gathered.lookup(op.getTiles()[0]).row;
    int64_t end = 0;
    for (auto [tile, source] :
         llvm::zip(op.getTiles(), op.getSources().getAsRange<RegionAttr>())) {
      Gathered from = gathered.lookup(tile);
      if (from.row != row || from.offset != end || tile.getType() != type ||
          source.getRegion() != wholeOf(tile))
        return nullptr;
      end += type.getNumElements();
    }
    return layouts.held(op.getTile()) == ImageLayout::ChannelsFirst ? row
                                                                    : nullptr;
  }

  /// As one operand, whatever the number of devices: their loop is in the
  /// kernel.
  LogicalResult replaceCombine(CombineOp op, Value row, OpBuilder &builder) {
    FailureOr<FlatSymbolRefAttr> kernel =
        kernels.rowCombineKernel(op, cast<RankedTensorType>(row.getType()),
                                 static_cast<int64_t>(op.getTiles().size()));
    if (failed(kernel))
      return failure();
    replaceOp(op, createCall(builder, op, *kernel, row, SmallVector<Value>(1),
                             /*elementwise=*/false));
    return success();
  }

  /// The parts that a device gives to each device. Parts of one size that lie
  /// one after the other are one buffer: the tile.
  FailureOr<SmallVector<Value>> partsOf(Operation *op, Value tile,
                                        ArrayAttr sources, OpBuilder &builder) {
    SmallVector<Value> inputs;
    auto type = cast<RankedTensorType>(tile.getType());
    int64_t end = 0, piece = 0;
    bool inOrder = fuse && !held.lookup(tile);
    for (auto source : sources.getAsRange<RegionAttr>()) {
      std::optional<Run> run = runOf(type, source.getRegion());
      inOrder &= run && run->offset == end && (end == 0 || run->count == piece);
      if (run) {
        piece = run->count;
        end = run->offset + run->count;
      }
    }
    if (inOrder && end == type.getNumElements()) {
      inputs.push_back(tile);
      return inputs;
    }
    for (auto source : sources.getAsRange<RegionAttr>()) {
      FailureOr<Value> part = partOf(op, tile, source.getRegion(), builder);
      if (failed(part))
        return failure();
      inputs.push_back(*part);
    }
    return inputs;
  }

  LogicalResult replaceReduceScatter(ReduceScatterOp op, OpBuilder &builder) {
    FailureOr<SmallVector<Value>> inputs =
        partsOf(op, op.getTile(), op.getSources(), builder);
    if (failed(inputs))
      return failure();
    replaceOp(
        op, createCollective(builder, op, *inputs, createEmpties(builder, op)));
    return success();
  }

  LogicalResult replaceAllToAll(AllToAllOp op, OpBuilder &builder) {
    FailureOr<SmallVector<Value>> inputs =
        partsOf(op, op.getTile(), op.getSources(), builder);
    if (failed(inputs))
      return failure();
    receivePieces(op, *inputs, builder);
    return success();
  }

  /// Tensors that lie one behind the other are a tile assembled of them, which
  /// takes the place of the op; null if they do not.
  AssembleOp assembledBy(ConcatOp op, OpBuilder &builder) {
    ArrayRef<int64_t> shape = shapeOf(op.getResult());
    auto axis = static_cast<size_t>(op.getAxis());
    auto isHeld = [&](Value value) {
      return held.lookup(value) ||
             layouts.held(value) != ImageLayout::ChannelsFirst;
    };
    if (llvm::any_of(shape.take_front(axis),
                     [](int64_t n) { return n != 1; }) ||
        llvm::is_contained(shape, 0) || isHeld(op.getResult()) ||
        llvm::any_of(op->getOperands(), [&](Value part) {
          return isHeld(part) || shapeOf(part)[axis] == 0;
        }))
      return nullptr;
    SmallVector<Attribute> sources, targets;
    int64_t begin = 0;
    for (Value part : op->getOperands()) {
      auto region = ::soap::Region::whole(shapeOf(part).vec());
      sources.push_back(RegionAttr::get(op.getContext(), region));
      int64_t size = region[axis].size();
      region[axis] = ::soap::IndexSet(begin, begin + size);
      targets.push_back(RegionAttr::get(op.getContext(), region));
      begin += size;
    }
    auto assemble = AssembleOp::create(
        builder, op.getLoc(), op.getResult().getType(), op->getOperands(),
        builder.getArrayAttr(sources), builder.getArrayAttr(targets));
    copySlot(op, assemble);
    op.getResult().replaceAllUsesWith(assemble.getTile());
    op.erase();
    return assemble;
  }

  /// Whole tiles that lie one after the other are parts of one buffer, in which
  /// their producers can write them; false if there are others.
  bool replaceAssemble(AssembleOp op, OpBuilder &builder) {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<Run> runs;
    int64_t covered = 0;
    for (auto [i, tile] : llvm::enumerate(op.getTiles())) {
      auto tileType = cast<RankedTensorType>(tile.getType());
      ::soap::Region source = cast<RegionAttr>(op.getSources()[i]).getRegion();
      std::optional<Run> run =
          runOf(type, cast<RegionAttr>(op.getTargets()[i]).getRegion());
      if (!run || run->count != tileType.getNumElements() ||
          source.volume() != tileType.getNumElements() || held.lookup(tile))
        return false;
      for (const Run &other : runs)
        if (run->offset < other.offset + other.count &&
            other.offset < run->offset + run->count)
          return false;
      covered += run->count;
      runs.push_back(*run);
    }
    if (covered != type.getNumElements() ||
        layouts.held(op.getResult()) != ImageLayout::ChannelsFirst)
      return false;
    Location loc = op.getLoc();
    // All-gathered in the order in which they are wanted.
    Value whole = gathered.lookup(op.getTiles()[0]).row;
    for (auto [run, tile] : llvm::zip(runs, op.getTiles())) {
      Gathered from = gathered.lookup(tile);
      if (from.row != whole || from.offset != run.offset)
        whole = nullptr;
    }
    if (whole && whole.getType() == rowType(type)) {
      op.getResult().replaceAllUsesWith(reshape(builder, loc, whole, type));
      op.erase();
      return true;
    }
    // It stays: bufferization makes it one buffer, and copies.
    return true;
  }
};

struct OutlineKernelsPass
    : public mlir::soap::impl::SoapOutlineKernelsBase<OutlineKernelsPass> {
  using SoapOutlineKernelsBase::SoapOutlineKernelsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SoapOutlineKernelsBase::getDependentDialects(registry);
    insertKernelDialects(registry);
  }

  static std::optional<Library> parseLibrary(StringRef name) {
    return llvm::StringSwitch<std::optional<Library>>(name)
        .Case("onednn", Library::OneDnn)
        .Case("cuda", Library::Cuda)
        .Case("none", Library::None)
        .Default(std::nullopt);
  }

  void runOnOperation() override {
    if (failed(inlineSharedOps(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    std::optional<Library> chosen = parseLibrary(library);
    if (!chosen) {
      module.emitError("unknown library '")
          << library << "': expected onednn, cuda or none";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> programs;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (!function.isExternal() &&
          llvm::any_of(function.getOps(),
                       [](Operation &op) { return isProgramOp(&op); }))
        programs.push_back(function);
    if (failed(checkTensorTypes(module)) ||
        llvm::any_of(programs, [](func::FuncOp program) {
          return failed(checkComputedTypes(program));
        }))
      return signalPassFailure();
    std::optional<ImageLayout> preferred = parseLayout(layout);
    if (!preferred) {
      module.emitError("unknown layout '")
          << layout << "': expected auto, nchw, nhwc, nchw8c or nchw16c";
      return signalPassFailure();
    }
    std::optional<LibraryOptions> options =
        cudaOptions(module, precision, workspace);
    if (!options)
      return signalPassFailure();
    options->library = *chosen;
    if (options->tf32 && *chosen != Library::Cuda) {
      module.emitError("precision tf32 is one of cuDNN and cuBLAS: expected "
                       "library=cuda of '--soap-lower-to-cuda', got '")
          << library << "'";
      return signalPassFailure();
    }
    KernelTable kernels(module, fuse, /*forThreads=*/*chosen == Library::Cuda);
    bool useLibrary = *chosen != Library::None;
    for (func::FuncOp program : programs) {
      if (!program.getBody().hasOneBlock()) {
        program.emitError("program '")
            << program.getName() << "' must be straight-line code";
        return signalPassFailure();
      }
      if (useLibrary) {
        expandRecurrences(program.getBody().front());
        raiseProducts(program.getBody().front());
      }
    }
    bool isCuda = *chosen == Library::Cuda;
    SmallVector<Layouts> layouts;
    if (isCuda)
      for (func::FuncOp program : programs)
        layouts.push_back(Layouts::ofAttributes(program.getBody().front()));
    else
      layouts =
          assignLayouts(module, programs,
                        [&](Operation *op) {
                          return libraryFunctionOf(op, *options).has_value();
                        },
                        {useLibrary ? *preferred : ImageLayout::ChannelsFirst});
    Outliner outliner(kernels, *options, fuse);
    for (auto [program, assigned] : llvm::zip(programs, layouts))
      if (failed(outliner.run(program, assigned)))
        return signalPassFailure();
  }
};

} // namespace
