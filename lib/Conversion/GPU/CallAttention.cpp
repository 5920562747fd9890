//===- CallAttention.cpp - Attention as one call and one for its gradients ===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: makes a call of cuDNN of each attention, and of each gradient of
// one, that cuDNN computes. Transposes that only bring heads to the front, and
// roundings, become part of the calls.
//
//===----------------------------------------------------------------------===//

#include "AttentionTarget.h"
#include "NarrowValues.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Soap/Analysis/SharedOps.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"

#include <set>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPCALLATTENTION
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

using ::soap::runtime::AttentionCall;
using ::soap::runtime::AttentionKind;
using ::soap::runtime::AttentionTensor;
using ::soap::runtime::HeadLayout;
using enum ::soap::runtime::AttentionTensor;

/// Swaps rows and heads.
TransposeOp asSwap(Operation *op) {
  auto transpose = dyn_cast_or_null<TransposeOp>(op);
  bool swaps =
      transpose && transpose.getPermutation() == ArrayRef<int64_t>{0, 2, 1, 3};
  return swaps ? transpose : TransposeOp();
}

/// Rounds to bf16.
CastOp asRounding(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  bool rounds = cast && typeOf(cast.getY()).getElementType().isBF16();
  return rounds ? cast : CastOp();
}

/// Bytes that engines need at most (measured with cuDNN 9.19, for sm_80, sm_90
/// and sm_100). Gradients whose sums have an order need more: the matrix of
/// queries by keys once, in bf16, with sides of a multiple of 128, which is
/// free for others as soon as the call is over; a number per row; and where
/// heads share keys, gradients of all heads.
int64_t workspaceOf(const AttentionCall &call) {
  constexpr int64_t least = 1 << 12, side = 128, unit = 256;
  if (!call.isBackward())
    return least;
  auto up = [](int64_t n, int64_t to) { return (n + to - 1) / to * to; };
  int64_t matrices = call.batch * call.heads;
  int64_t tiles = up(call.queries, side), keys = up(call.keys, side);
  int64_t ofHeads = call.keyHeads == call.heads
                        ? 0
                        : matrices * keys * (call.width + call.valueWidth) * 2;
  return matrices * tiles * keys * 2 + up(matrices * tiles * 4, unit) * 2 +
         ofHeads + least;
}

/// Makes the calls of one program.
class Rewriter {
public:
  explicit Rewriter(Block &block) : block(block), builder(block.getParent()) {}

  /// Replaces an attention, or its gradient, by `call`.
  void replace(Operation *op, AttentionCall call) {
    task = op;
    made = nullptr;
    if (auto attention = dyn_cast<AttentionOp>(op))
      forward(attention, call);
    else
      backward(cast<AttentionGradOp>(op), call);
    erase(op);
  }

private:
  Block &block;
  OpBuilder builder;
  Operation *task = nullptr;         ///< the op that is replaced
  LibraryCallOp made = nullptr;      ///< by this
  llvm::SetVector<Operation *> gone; ///< what perhaps nothing reads any more

  template <typename OpTy>
  OpTy like(Operation *from, OpTy to) {
    if (Attribute slot = from->getAttr(SoapDialect::kSlot))
      to->setAttr(SoapDialect::kSlot, slot);
    return to;
  }

  void forward(AttentionOp op, AttentionCall call) {
    SmallVector<Value> inputs = {read(op.getQ(), Q, call),
                                 read(op.getK(), K, call),
                                 read(op.getV(), V, call)};
    findLayout(op.getOut(), O, call);
    SmallVector<RankedTensorType> types{typeIn(call, O)};
    if (call.hasStatistics())
      types.push_back(typeOf(op.getLse()));
    make(call, inputs, types);
    write(op.getOut(), 0, O, call);
    if (call.hasStatistics())
      op.getLse().replaceAllUsesWith(made.getValues()[1]);
  }

  void backward(AttentionGradOp op, AttentionCall call) {
    SmallVector<Value> inputs = {
        read(op.getQ(), Q, call),     read(op.getK(), K, call),
        read(op.getV(), V, call),     read(op.getOut(), O, call),
        read(op.getDout(), DO, call), op.getLse()};
    const std::pair<Value, AttentionTensor> results[] = {
        {op.getDq(), DQ}, {op.getDk(), DK}, {op.getDv(), DV}};
    SmallVector<RankedTensorType> types;
    for (auto [result, tensor] : results) {
      findLayout(result, tensor, call);
      types.push_back(typeIn(call, tensor));
    }
    make(call, inputs, types);
    for (auto [i, result] : llvm::enumerate(results))
      write(result.first, i, result.second, call);
  }

  static bool isTokensFirst(const AttentionCall &call, AttentionTensor t) {
    return call.layouts[static_cast<size_t>(t)] == HeadLayout::TokensFirst;
  }
  static void setTokensFirst(AttentionCall &call, AttentionTensor t) {
    call.layouts[static_cast<size_t>(t)] = HeadLayout::TokensFirst;
  }

  /// The operand in bf16, as it was before heads came first.
  Value read(Value operand, AttentionTensor t, AttentionCall &call) {
    Value narrow = operand;
    if (!typeOf(operand).getElementType().isBF16()) {
      narrow = narrowOf(operand);
      if (narrow) {
        gone.insert(operand.getDefiningOp());
      } else {
        builder.setInsertionPoint(task);
        narrow = like(task, CastOp::create(builder, task->getLoc(),
                                           typeOf(operand).clone(
                                               Type(builder.getBF16Type())),
                                           operand))
                     .getY();
      }
    }
    TransposeOp swap = asSwap(narrow.getDefiningOp());
    if (!swap)
      return narrow;
    gone.insert(swap);
    setTokensFirst(call, t);
    return swap.getX();
  }

  /// Whether a transpose brings what the call writes to another place.
  static bool isSwapped(Value result) {
    return llvm::any_of(result.getUsers(), [](Operation *user) {
      CastOp rounding = asRounding(user);
      return asSwap(user) || (rounding && isSwapped(rounding.getY()));
    });
  }
  static void findLayout(Value result, AttentionTensor t, AttentionCall &call) {
    if (isSwapped(result))
      setTokensFirst(call, t);
  }

  RankedTensorType typeIn(const AttentionCall &call, AttentionTensor t) {
    SmallVector<int64_t> shape{call.batch, call.headsOf(t), call.rowsOf(t),
                               call.widthOf(t)};
    if (isTokensFirst(call, t))
      std::swap(shape[1], shape[2]);
    return RankedTensorType::get(shape, builder.getBF16Type());
  }

  void make(AttentionCall call, ArrayRef<Value> inputs,
            ArrayRef<RankedTensorType> types) {
    call.workspace = workspaceOf(call);
    SmallVector<Type> results(types.begin(), types.end());
    results.push_back(
        RankedTensorType::get({call.workspace}, builder.getI8Type()));
    builder.setInsertionPoint(task);
    SmallVector<Value> outputs;
    for (Type type : results)
      outputs.push_back(tensor::EmptyOp::create(
          builder, task->getLoc(), cast<RankedTensorType>(type).getShape(),
          cast<RankedTensorType>(type).getElementType()));
    made = like(task, LibraryCallOp::create(builder, task->getLoc(), results,
                                            "attention", call.toArray(), inputs,
                                            outputs));
  }

  /// Readers of `result` read what the call writes.
  void write(Value result, size_t i, AttentionTensor t,
             const AttentionCall &call) {
    Value written = made.getValues()[i];
    if (!isTokensFirst(call, t))
      return readNarrow(result, written);
    readSwapped(result, written);
    if (llvm::all_of(result.getUsers(),
                     [&](Operation *user) { return gone.contains(user); }))
      return;
    // With heads first for all others, perhaps the gradient's call, which reads
    // what was before that.
    builder.setInsertionPointAfter(made);
    auto back = like(task, TransposeOp::create(builder, task->getLoc(), written,
                                               ArrayRef<int64_t>{0, 2, 1, 3}));
    gone.insert(back);
    readNarrow(result, back.getY());
  }

  /// Transposes of `result`, or of what it is rounded to, are `written`.
  void readSwapped(Value result, Value written) {
    for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
      if (TransposeOp swap = asSwap(user)) {
        readNarrow(swap.getY(), written);
        gone.insert(swap);
      } else if (CastOp rounding = asRounding(user)) {
        readSwapped(rounding.getY(), written);
      }
    }
  }

  /// Roundings of what is bf16 now are the call's result; others read it in
  /// f32, behind reshapes.
  void readNarrow(Value wide, Value narrow) {
    if (wide.getType() == narrow.getType())
      return wide.replaceUsesWithIf(narrow, [&](OpOperand &use) {
        return !gone.contains(use.getOwner());
      });
    for (Operation *user : llvm::make_early_inc_range(wide.getUsers())) {
      if (gone.contains(user))
        continue;
      if (CastOp rounding = asRounding(user)) {
        readNarrow(rounding.getY(), narrow);
        gone.insert(rounding);
      } else if (auto reshape = dyn_cast<ReshapeOp>(user)) {
        builder.setInsertionPoint(reshape);
        auto copy = like(
            reshape,
            ReshapeOp::create(
                builder, reshape.getLoc(),
                typeOf(reshape.getY()).clone(typeOf(narrow).getElementType()),
                narrow));
        readNarrow(reshape.getY(), copy.getY());
        gone.insert(reshape);
      }
    }
    auto isRead = [&](Operation *user) { return !gone.contains(user); };
    if (llvm::none_of(wide.getUsers(), isRead))
      return;
    builder.setInsertionPointAfterValue(narrow);
    auto again =
        like(narrow.getDefiningOp(),
             CastOp::create(builder, wide.getLoc(), wide.getType(), narrow));
    wide.replaceUsesWithIf(
        again.getY(), [&](OpOperand &use) { return isRead(use.getOwner()); });
  }

  /// Erases the op, and what only it and what it replaces has read: roundings,
  /// transposes, reshapes. The call stands for the tasks that nothing else
  /// does.
  void erase(Operation *op) {
    std::set<int64_t> tasks;
    auto remove = [&](Operation *dead) {
      if (auto slot = dead->getAttrOfType<IntegerAttr>(SoapDialect::kSlot))
        tasks.insert(slot.getInt());
      for (Value operand : dead->getOperands())
        if (isa_and_nonnull<CastOp, TransposeOp, ReshapeOp>(
                operand.getDefiningOp()))
          gone.insert(operand.getDefiningOp());
      dead->erase();
    };
    bool isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (Operation *dead : llvm::to_vector(gone))
        if (dead->use_empty()) {
          gone.remove(dead);
          remove(dead);
          isChanged = true;
        }
      if (!isChanged && op && op->use_empty()) {
        remove(op);
        op = nullptr;
        isChanged = true;
      }
    }
    assert(!op && "all results are replaced");
    gone.clear();
    for (Operation &other : block)
      if (auto slot = other.getAttrOfType<IntegerAttr>(SoapDialect::kSlot))
        tasks.erase(slot.getInt());
    if (!tasks.empty())
      made->setAttr(SoapDialect::kFusedSlots,
                    builder.getDenseI64ArrayAttr(
                        SmallVector<int64_t>(tasks.begin(), tasks.end())));
  }
};

struct CallAttentionPass
    : public mlir::soap::impl::SoapCallAttentionBase<CallAttentionPass> {
  using SoapCallAttentionBase::SoapCallAttentionBase;

  void runOnOperation() override {
    if (failed(inlineSharedOps(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    FailureOr<AttentionTarget> target =
        AttentionTarget::of(module, {attention, chip, precision, library});
    if (failed(target))
      return signalPassFailure();
    for (func::FuncOp program : module.getOps<func::FuncOp>()) {
      if (program.isExternal() || !program.getBody().hasOneBlock())
        continue;
      Block &block = program.getBody().front();
      SmallVector<Operation *> found;
      for (Operation &op : block)
        if (isa<AttentionOp, AttentionGradOp>(op))
          found.push_back(&op);
      Rewriter rewriter(block);
      for (Operation *op : found) {
        std::optional<AttentionCall> call = target->callOf(op);
        if (!call)
          continue;
        addTo(forward, !call->isBackward());
        addTo(backward, call->isBackward());
        rewriter.replace(op, *call);
      }
    }
  }
};

} // namespace
