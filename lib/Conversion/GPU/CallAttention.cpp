//===- CallAttention.cpp - Attention as one call and one for its gradients ===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: finds products of queries and keys, their softmax and the product
// with values, with all that becomes of them in the gradients; drops what not
// all programs do alike, and makes one call of the former and one of the
// latter, so that the matrix of queries by keys is in no buffer.
//
//===----------------------------------------------------------------------===//

#include "../Outline/SlotNames.h"
#include "NarrowValues.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Runtime/Kernels/AttentionCall.h"
#include "Soap/Analysis/SharedOps.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/PrecisionAttribute.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <bit>
#include <map>
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
using ::soap::runtime::AttentionMask;
using ::soap::runtime::AttentionTensor;
using ::soap::runtime::HeadLayout;
using enum ::soap::runtime::AttentionTensor;

/// Swaps rows and heads.
bool swapsHeads(TransposeOp op) {
  return op.getPermutation() == ArrayRef<int64_t>{0, 2, 1, 3};
}

/// A tensor of the call, and how it lies.
struct Heads {
  Value value = {};
  HeadLayout layout = HeadLayout::HeadsFirst;
};

/// Whose elements count up along `axis`, from 0 in steps of 1, and whose other
/// dims have one element.
bool countsAlong(Value value, int64_t axis) {
  auto constant = value.getDefiningOp<ConstantOp>();
  RankedTensorType type = typeOf(value);
  int64_t fromEnd = type.getRank() - axis;
  auto numbers =
      constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  if (!numbers || fromEnd < 1 || type.getNumElements() == 0 ||
      type.getNumElements() != type.getDimSize(axis))
    return false;
  int64_t expected = 0;
  for (const APFloat &number : numbers.getValues<APFloat>())
    if (number.convertToDouble() != static_cast<double>(expected++))
      return false;
  return true;
}

/// The one number of a constant.
std::optional<double> numberOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto numbers =
      constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  if (!numbers || !numbers.isSplat())
    return std::nullopt;
  return numbers.getSplatValue<APFloat>().convertToDouble();
}

/// Whether the condition of a mask is that the row of a query is not above that
/// of a key: an operand [queries, 1] or alike, and one [1, keys].
bool isCausal(Value condition) {
  auto compare = condition.getDefiningOp<GreaterEqualOp>();
  if (!compare)
    return false;
  Value rows = compare.getOperand(0), columns = compare.getOperand(1);
  int64_t rank = typeOf(condition).getRank();
  return rank >= 2 && typeOf(rows).getRank() == rank &&
         typeOf(columns).getRank() == rank && countsAlong(rows, rank - 2) &&
         countsAlong(columns, rank - 1);
}

/// The ops of one attention.
struct Candidate {
  AttentionCall call = {};
  SoftmaxOp softmax = nullptr;
  MatmulOp products = nullptr, mixed = nullptr;
  /// Of the gradients, or null.
  MatmulOp ofShares = nullptr, ofValues = nullptr, ofQueries = nullptr,
           ofKeys = nullptr;
  /// Q, K, V and DO; results are the results of the products.
  std::array<Heads, AttentionCall::tensors> tensors = {};
  llvm::SetVector<Operation *> chain = {}; ///< what the calls replace

  Heads &operator[](AttentionTensor t) {
    return tensors[static_cast<size_t>(t)];
  }
  bool hasGradients() const { return ofShares != nullptr; }
};

/// `value`, or its rounding to bf16 where only that reads it.
Value roundedOnce(Value value) {
  auto cast =
      value.hasOneUse() ? dyn_cast<CastOp>(*value.user_begin()) : CastOp();
  bool isNarrow = cast && typeOf(cast.getY()).getElementType().isBF16();
  return isNarrow ? cast.getY() : value;
}

class Search {
public:
  explicit Search(SoftmaxOp softmax) { c.softmax = softmax; }

  std::optional<Candidate> run() {
    RankedTensorType type = typeOf(c.softmax.getResult());
    int64_t rank = type.getRank();
    Type element = type.getElementType();
    if (!(element.isF32() || element.isBF16()) || (rank != 3 && rank != 4) ||
        static_cast<int64_t>(c.softmax.getAxis()) != rank - 1 ||
        type.getNumElements() == 0 || !findScores() || !findReaders() ||
        !findShape())
      return std::nullopt;
    findLayouts();
    return c;
  }

private:
  Candidate c;
  Value condition; ///< of the mask, or null
  std::optional<double> factor;

  /// Takes an op whose result has one reader, or is `last`.
  template <typename OpTy>
  OpTy take(Value value) {
    auto op = value.getDefiningOp<OpTy>();
    if (!op || !value.hasOneUse())
      return nullptr;
    c.chain.insert(op);
    return op;
  }

  static bool isRounding(Operation *op) {
    auto cast = dyn_cast_or_null<CastOp>(op);
    if (!cast)
      return false;
    Type from = typeOf(cast.getX()).getElementType();
    Type to = typeOf(cast.getY()).getElementType();
    return (from.isF32() && to.isBF16()) || (from.isBF16() && to.isF32());
  }

  /// The value before roundings of programs in bf16, which the call leaves out.
  Value before(Value value) {
    while (isRounding(value.getDefiningOp()) && value.hasOneUse()) {
      c.chain.insert(value.getDefiningOp());
      value = value.getDefiningOp<CastOp>().getX();
    }
    return value;
  }

  /// The value behind roundings.
  Value behind(Value value) {
    while (value.hasOneUse() && isRounding(*value.user_begin())) {
      c.chain.insert(*value.user_begin());
      value = cast<CastOp>(*value.user_begin()).getY();
    }
    return value;
  }

  /// The condition of a mask, which may be a number of bf16.
  static Value conditionOf(WhereOp where) {
    Value value = where.getCondition();
    while (isRounding(value.getDefiningOp()))
      value = value.getDefiningOp<CastOp>().getX();
    return value;
  }

  /// The softmax's operand: the product of queries and keys, scaled, masked.
  bool findScores() {
    c.chain.insert(c.softmax);
    Value value = before(c.softmax.getX());
    if (auto where = value.getDefiningOp<WhereOp>()) {
      if (numberOf(where.getY()) != -std::numeric_limits<double>::infinity() ||
          !isCausal(conditionOf(where)) || !take<WhereOp>(value))
        return false;
      condition = conditionOf(where);
      value = before(where.getX());
    }
    if (auto scale = value.getDefiningOp<ScaleOp>()) {
      if (!take<ScaleOp>(value))
        return false;
      factor = scale.getFactor().convertToDouble();
      value = before(scale.getX());
    }
    c.products = take<MatmulOp>(value);
    return c.products && !c.products.getTransposeA() &&
           c.products.getTransposeB() && findOperand(c.products.getA(), Q) &&
           findOperand(c.products.getB(), K);
  }

  /// The tensor is what the operand is in bf16, in all its places.
  bool findOperand(Value operand, AttentionTensor t) {
    Value narrow = narrowOf(operand);
    Value &known = c[t].value;
    if (!narrow || (known && known != narrow))
      return false;
    known = narrow;
    return true;
  }

  /// Products that read the value, once it was rounded; false: others, too.
  bool findProducts(Value value, SmallVector<OpOperand *> &uses) {
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto cast = dyn_cast<CastOp>(user)) {
        if (!isRounding(cast))
          return false;
        c.chain.insert(cast);
        if (!findProducts(cast.getY(), uses))
          return false;
      } else if (isa<MatmulOp, SoftmaxGradOp>(user)) {
        uses.push_back(&use);
      } else {
        return false;
      }
    }
    return true;
  }

  static bool isProduct(MatmulOp op, bool transposeA, bool transposeB) {
    return op.getTransposeA() == transposeA && op.getTransposeB() == transposeB;
  }

  /// The softmax's readers: the product with the values, and of the gradients
  /// that of the values and that of the softmax.
  bool findReaders() {
    SmallVector<OpOperand *> uses;
    if (!findProducts(c.softmax.getResult(), uses))
      return false;
    SoftmaxGradOp gradient;
    for (OpOperand *use : uses) {
      Operation *user = use->getOwner();
      if (auto found = dyn_cast<SoftmaxGradOp>(user)) {
        if (gradient || use->getOperandNumber() != 1)
          return false;
        gradient = found;
        continue;
      }
      auto product = cast<MatmulOp>(user);
      MatmulOp &place = product.getTransposeA() ? c.ofValues : c.mixed;
      if (place || use->getOperandNumber() != 0 || product.getTransposeB() ||
          !narrowOf(product.getA()))
        return false;
      place = product;
    }
    if (!c.mixed || !findOperand(c.mixed.getB(), V))
      return false;
    c.chain.insert(c.mixed);
    if (!gradient && !c.ofValues)
      return true;
    return gradient && c.ofValues && findOperand(c.ofValues.getB(), DO) &&
           findGradients(gradient);
  }

  bool findGradients(SoftmaxGradOp gradient) {
    c.chain.insert(c.ofValues);
    c.chain.insert(gradient);
    c.ofShares = take<MatmulOp>(before(gradient.getDy()));
    if (!c.ofShares || !isProduct(c.ofShares, false, true) ||
        !findOperand(c.ofShares.getA(), DO) ||
        !findOperand(c.ofShares.getB(), V))
      return false;
    Value value = gradient.getResult();
    if (condition) {
      value = behind(value);
      auto where =
          value.hasOneUse() ? dyn_cast<WhereOp>(*value.user_begin()) : nullptr;
      if (!where || where.getX() != value || conditionOf(where) != condition ||
          numberOf(where.getY()) != 0.0)
        return false;
      c.chain.insert(where);
      value = where.getResult();
    }
    if (factor) {
      value = behind(value);
      auto scale =
          value.hasOneUse() ? dyn_cast<ScaleOp>(*value.user_begin()) : nullptr;
      if (!scale || scale.getFactor().convertToDouble() != *factor)
        return false;
      c.chain.insert(scale);
      value = scale.getResult();
    }
    SmallVector<OpOperand *> uses;
    if (!findProducts(value, uses) || uses.size() != 2)
      return false;
    for (OpOperand *use : uses) {
      auto product = dyn_cast<MatmulOp>(use->getOwner());
      if (!product || use->getOperandNumber() != 0 || product.getTransposeB() ||
          !narrowOf(product.getA()))
        return false;
      (product.getTransposeA() ? c.ofKeys : c.ofQueries) = product;
      c.chain.insert(product);
    }
    // The call for the gradients reads what the one before writes.
    return c.ofKeys && c.ofQueries && findOperand(c.ofKeys.getB(), Q) &&
           findOperand(c.ofQueries.getB(), K) &&
           c.mixed->isBeforeInBlock(c.ofShares) &&
           c.mixed->isBeforeInBlock(c.ofValues);
  }

  /// cuDNN's engines take heads of a multiple of 8 numbers, at most 128.
  bool findShape() {
    ArrayRef<int64_t> q = typeOf(c[Q].value).getShape(),
                      k = typeOf(c[K].value).getShape(),
                      v = typeOf(c[V].value).getShape();
    if (k.size() != q.size() || v.size() != q.size())
      return false;
    AttentionCall &call = c.call;
    call.batch = q[0];
    call.heads = q.size() == 4 ? q[1] : 1;
    call.queries = q[q.size() - 2];
    call.keys = k[k.size() - 2];
    call.width = q.back();
    call.valueWidth = v.back();
    call.scale = factor.value_or(1);
    call.mask = condition ? AttentionMask::Causal : AttentionMask::None;
    return llvm::all_of(
        std::array{call.width, call.valueWidth},
        [](int64_t width) { return width % 8 == 0 && width <= 128; });
  }

  /// A tensor that was transposed only so that heads come first is read, or
  /// written, as it was before.
  void findLayouts() {
    auto read = [&](AttentionTensor t) {
      auto swap =
          c[t].value ? c[t].value.getDefiningOp<TransposeOp>() : nullptr;
      if (swap && swapsHeads(swap)) {
        c[t] = {swap.getX(), HeadLayout::TokensFirst};
        c.call.layouts[static_cast<size_t>(t)] = c[t].layout;
      }
    };
    auto write = [&](AttentionTensor t, MatmulOp product) {
      Value result = roundedOnce(product.getY());
      auto swap = result.hasOneUse()
                      ? dyn_cast<TransposeOp>(*result.user_begin())
                      : nullptr;
      if (swap && swapsHeads(swap)) {
        c[t].layout = HeadLayout::TokensFirst;
        c.call.layouts[static_cast<size_t>(t)] = c[t].layout;
      }
    };
    for (AttentionTensor t : {Q, K, V, DO})
      read(t);
    write(O, c.mixed);
    if (c.hasGradients()) {
      write(DQ, c.ofQueries);
      write(DK, c.ofKeys);
      write(DV, c.ofValues);
    }
  }
};

/// Images lie as the model says: tensors of calls are no images of convolutions
/// in another order.
bool liesPlainly(Value value) {
  Operation *maker = value ? value.getDefiningOp() : nullptr;
  auto names = maker ? maker->getAttrOfType<ArrayAttr>(kLayouts) : nullptr;
  if (!names)
    return true;
  size_t place =
      maker->getNumOperands() + cast<OpResult>(value).getResultNumber();
  return place < names.size() &&
         enumValue<TensorLayoutAttr>(names[place]) == TensorLayout::NCHW;
}

/// Makes the calls.
class Rewriter {
public:
  explicit Rewriter(MLIRContext *context) : builder(context) {}

  void replace(Candidate &c) {
    AttentionCall call = c.call;
    call.kind =
        c.hasGradients() ? AttentionKind::Training : AttentionKind::Forward;
    SmallVector<Value> inputs{c[Q].value, c[K].value, c[V].value};
    SmallVector<RankedTensorType> types{heads(c, O)};
    if (c.hasGradients())
      types.push_back(RankedTensorType::get(
          {call.batch, call.heads, call.queries}, builder.getF32Type()));
    forward = make(c.mixed, call, inputs, types);
    backward = nullptr;
    if (c.hasGradients()) {
      call.kind = AttentionKind::Backward;
      inputs.append(
          {forward.getValues()[0], c[DO].value, forward.getValues()[1]});
      // Both read nothing that is made later than the other.
      Operation *place =
          c.ofShares->isBeforeInBlock(c.ofValues) ? c.ofShares : c.ofValues;
      backward =
          make(place, call, inputs, {heads(c, DQ), heads(c, DK), heads(c, DV)});
    }
    gone = c.chain;
    take(c.mixed, c[O], forward.getValues()[0]);
    ofForward.clear();
    for (Operation *op : gone)
      if (!backward || op->isBeforeInBlock(backward))
        ofForward.insert(op);
    if (backward) {
      take(c.ofQueries, c[DQ], backward.getValues()[0]);
      take(c.ofKeys, c[DK], backward.getValues()[1]);
      take(c.ofValues, c[DV], backward.getValues()[2]);
    }
    erase();
  }

private:
  OpBuilder builder;
  LibraryCallOp forward, backward;
  llvm::SetVector<Operation *> gone; ///< no op reads them any more
  llvm::DenseSet<Operation *> ofForward;

  static void copySlot(Operation *from, Operation *to) {
    if (Attribute slot = from->getAttr(SoapDialect::kSlot))
      to->setAttr(SoapDialect::kSlot, slot);
  }

  /// As the call writes it.
  RankedTensorType heads(Candidate &c, AttentionTensor t) {
    const AttentionCall &call = c.call;
    int64_t rows = call.rowsOf(t), width = call.widthOf(t);
    SmallVector<int64_t> shape{call.batch, call.heads, rows, width};
    if (c[t].layout == HeadLayout::TokensFirst)
      std::swap(shape[1], shape[2]);
    else if (typeOf(c.mixed.getY()).getRank() == 3)
      shape.erase(shape.begin() + 1);
    return RankedTensorType::get(shape, builder.getBF16Type());
  }

  /// Bytes that engines need at most (measured with cuDNN 9.19, for sm_80,
  /// sm_90 and sm_100). Gradients whose sums have an order need more: the
  /// matrix of queries by keys once, in bf16, with sides of a multiple of 128,
  /// which is free for others as soon as the call is over; and a number per
  /// row.
  static int64_t workspaceOf(const AttentionCall &call) {
    constexpr int64_t least = 1 << 12, side = 128, unit = 256;
    if (!call.isBackward())
      return least;
    auto up = [](int64_t n, int64_t to) { return (n + to - 1) / to * to; };
    int64_t matrices = call.batch * call.heads;
    int64_t tiles = up(call.queries, side);
    return matrices * tiles * up(call.keys, side) * 2 +
           up(matrices * tiles * 4, unit) * 2 + least;
  }

  LibraryCallOp make(Operation *place, AttentionCall call,
                     ArrayRef<Value> inputs, ArrayRef<RankedTensorType> types) {
    call.workspace = workspaceOf(call);
    SmallVector<int64_t> descriptor{static_cast<int64_t>(call.kind),
                                    call.batch,
                                    call.heads,
                                    call.queries,
                                    call.keys,
                                    call.width,
                                    call.valueWidth,
                                    static_cast<int64_t>(call.mask),
                                    std::bit_cast<int64_t>(call.scale),
                                    call.workspace};
    for (HeadLayout layout : call.layouts)
      descriptor.push_back(static_cast<int64_t>(layout));
    SmallVector<Type> results(types.begin(), types.end());
    results.push_back(
        RankedTensorType::get({call.workspace}, builder.getI8Type()));
    builder.setInsertionPoint(place);
    SmallVector<Value> outputs;
    for (Type type : results)
      outputs.push_back(tensor::EmptyOp::create(
          builder, place->getLoc(), cast<RankedTensorType>(type).getShape(),
          cast<RankedTensorType>(type).getElementType()));
    auto made = LibraryCallOp::create(builder, place->getLoc(), results,
                                      "attention", descriptor, inputs, outputs);
    copySlot(place, made);
    return made;
  }

  /// Readers of a product read the call's result.
  void take(MatmulOp product, const Heads &heads, Value made) {
    Value result = product.getY();
    if (heads.layout == HeadLayout::TokensFirst) {
      Value swapped = roundedOnce(result);
      if (swapped != result)
        gone.insert(swapped.getDefiningOp());
      Operation *swap = *swapped.user_begin();
      gone.insert(swap);
      result = swap->getResult(0);
    }
    if (result.getType() == made.getType())
      result.replaceAllUsesWith(made);
    else
      readNarrow(result, made);
  }

  /// Roundings of what is bf16 now are the call's result; others read it in
  /// f32, behind reshapes.
  void readNarrow(Value wide, Value narrow) {
    for (Operation *user : llvm::make_early_inc_range(wide.getUsers())) {
      if (auto cast = dyn_cast<CastOp>(user);
          cast && cast.getY().getType() == narrow.getType()) {
        cast.getY().replaceAllUsesWith(narrow);
        gone.insert(cast);
      } else if (auto reshape = dyn_cast<ReshapeOp>(user)) {
        builder.setInsertionPoint(reshape);
        auto copy = ReshapeOp::create(
            builder, reshape.getLoc(),
            typeOf(reshape.getY()).clone(typeOf(narrow).getElementType()),
            narrow);
        copySlot(reshape, copy);
        readNarrow(reshape.getY(), copy.getY());
        gone.insert(reshape);
      }
    }
    bool isRead = llvm::any_of(
        wide.getUsers(), [&](Operation *user) { return !gone.contains(user); });
    if (!isRead)
      return;
    builder.setInsertionPointAfterValue(narrow);
    auto again = CastOp::create(builder, wide.getLoc(), wide.getType(), narrow);
    copySlot(narrow.getDefiningOp(), again);
    wide.replaceAllUsesWith(again.getY());
  }

  /// Erases what was replaced and what only that has read: roundings,
  /// transposes, masks. The calls stand for the tasks that nothing else does.
  void erase() {
    SmallVector<std::pair<int64_t, LibraryCallOp>> tasks;
    Block *block = forward->getBlock();
    while (!gone.empty()) {
      Operation *op = gone.pop_back_val();
      if (!op->use_empty())
        continue;
      for (Value operand : op->getOperands())
        if (Operation *maker = operand.getDefiningOp();
            maker && !isa<LibraryCallOp>(maker) && isOurs(maker))
          gone.insert(maker);
      if (auto slot = op->getAttrOfType<IntegerAttr>(SoapDialect::kSlot))
        tasks.push_back({slot.getInt(), isGradient(op) ? backward : forward});
      op->erase();
    }
    std::set<int64_t> done;
    for (Operation &op : *block)
      if (auto slot = op.getAttrOfType<IntegerAttr>(SoapDialect::kSlot))
        done.insert(slot.getInt());
    llvm::sort(tasks, llvm::less_first());
    std::map<Operation *, SmallVector<int64_t>> slots;
    for (auto &[slot, call] : tasks)
      if (done.insert(slot).second)
        slots[call].push_back(slot);
    for (auto &[call, list] : slots)
      call->setAttr(SoapDialect::kFusedSlots,
                    builder.getDenseI64ArrayAttr(list));
  }

  bool isGradient(Operation *op) const {
    return backward && !ofForward.contains(op) &&
           LibraryCallOp(forward)->isBeforeInBlock(op);
  }

  static bool isOurs(Operation *op) {
    return isa<CastOp, TransposeOp, ReshapeOp, ConstantOp, GreaterEqualOp,
               WhereOp, ScaleOp, SoftmaxOp, SoftmaxGradOp, MatmulOp>(op);
  }
};

/// 80 of "sm_80" or "sm_80a"; 0 of what is no chip, which a later pass says.
unsigned numberOfChip(StringRef chip) {
  unsigned number = 0;
  if (!chip.consume_front("sm_") ||
      chip.take_while(llvm::isDigit).getAsInteger(10, number))
    return 0;
  return number;
}

struct CallAttentionPass
    : public mlir::soap::impl::SoapCallAttentionBase<CallAttentionPass> {
  using SoapCallAttentionBase::SoapCallAttentionBase;

  static std::optional<Candidate> find(SoftmaxOp softmax) {
    std::optional<Candidate> candidate = Search(softmax).run();
    if (candidate && !llvm::all_of(candidate->tensors, [](const Heads &t) {
          return liesPlainly(t.value);
        }))
      candidate.reset();
    return candidate;
  }

  void runOnOperation() override {
    if (failed(inlineSharedOps(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    if (attention != "auto" && attention != "cuda" && attention != "none") {
      module.emitError("unknown attention '")
          << attention << "': expected auto, cuda or none";
      return signalPassFailure();
    }
    auto resolved = resolvePrecision(module, precision);
    if (!resolved)
      return signalPassFailure();
    bool isNarrow = *resolved == ::soap::ProductPrecision::BF16;
    module.walk([&](SoftmaxOp softmax) {
      isNarrow |= typeOf(softmax.getResult()).getElementType().isBF16();
    });
    StringRef missing = numberOfChip(chip) < 80 ? "a chip from sm_80 on"
                        : !isNarrow             ? "precision=bf16"
                        : library != "cuda"     ? "library=cuda"
                                                : "";
    if (attention == "cuda" && !missing.empty()) {
      module.emitError("attention=cuda needs ")
          << missing << ", got chip=" << chip
          << " precision=" << ::soap::precisionName(*resolved)
          << " library=" << library;
      return signalPassFailure();
    }
    if (attention == "none" || !missing.empty())
      return;
    SlotNames names(module);
    SmallVector<SoftmaxOp> candidates;
    // An op of the model is treated alike in all programs of an entry.
    std::map<StringRef, std::set<bool>> outcomes;
    for (func::FuncOp program : module.getOps<func::FuncOp>()) {
      if (program.isExternal() || !program.getBody().hasOneBlock())
        continue;
      for (auto softmax : program.getBody().front().getOps<SoftmaxOp>()) {
        bool isFound = find(softmax).has_value();
        for (StringRef name : names.of(program, softmax))
          outcomes[name].insert(isFound);
        if (isFound)
          candidates.push_back(softmax);
      }
    }
    llvm::erase_if(candidates, [&](SoftmaxOp softmax) {
      auto program = softmax->getParentOfType<func::FuncOp>();
      return llvm::any_of(names.of(program, softmax), [&](StringRef name) {
        return outcomes[name].size() > 1;
      });
    });
    // Found again: what one reads may be what another has become.
    Rewriter rewriter(&getContext());
    for (SoftmaxOp softmax : candidates) {
      std::optional<Candidate> c = find(softmax);
      if (!c)
        continue;
      addTo(forward);
      addTo(backward, c->hasGradients());
      rewriter.replace(*c);
    }
  }
};

} // namespace
