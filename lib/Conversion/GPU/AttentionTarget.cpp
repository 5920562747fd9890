//===- AttentionTarget.cpp - Which attention cuDNN computes ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AttentionTarget.h. The conditions are those that cuDNN's documentation of
// attention and cudnn-frontend name for its fused engines.
//
//===----------------------------------------------------------------------===//

#include "AttentionTarget.h"

#include "Soap/Dialect/Soap/PrecisionAttribute.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::soap;
using ::soap::runtime::AttentionCall;
using ::soap::runtime::AttentionKind;

/// 80 of "sm_80" or "sm_80a"; 0 of what is no chip, which a later pass says.
static unsigned numberOfChip(StringRef chip) {
  unsigned number = 0;
  if (!chip.consume_front("sm_") ||
      chip.take_while(llvm::isDigit).getAsInteger(10, number))
    return 0;
  return number;
}

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

static bool isAttention(Operation *op) {
  return isa<AttentionOp, AttentionPartialOp, AttentionGradOp>(op);
}

FailureOr<AttentionTarget>
AttentionTarget::of(ModuleOp module, const AttentionOptions &options) {
  StringRef attention = options.attention;
  if (attention != "auto" && attention != "cuda" && attention != "none") {
    module.emitError("unknown attention '")
        << attention << "': expected auto, cuda or none";
    return failure();
  }
  auto precision = resolvePrecision(module, options.precision);
  if (!precision)
    return failure();
  AttentionTarget target;
  target.rounds = *precision == ::soap::ProductPrecision::BF16;
  bool isNarrow = target.rounds;
  module.walk([&](Operation *op) {
    isNarrow |= isAttention(op) && elementOf(op->getOperand(0)).isBF16();
  });
  StringRef missing = numberOfChip(options.chip) < 80 ? "a chip from sm_80 on"
                      : !isNarrow                     ? "precision=bf16"
                      : options.library != "cuda"     ? "library=cuda"
                                                      : "";
  if (attention == "cuda" && !missing.empty()) {
    module.emitError("attention=cuda needs ")
        << missing << ", got chip=" << options.chip
        << " precision=" << ::soap::precisionName(*precision)
        << " library=" << options.library;
    return failure();
  }
  target.calls = attention != "none" && missing.empty();
  return target;
}

/// Sets the bounds of the call: none, causal, or causal with a window.
template <typename Op>
static bool findBounds(Op op, AttentionCall &call) {
  auto offset = static_cast<int64_t>(op.getOffset());
  auto bound = [](std::optional<uint64_t> distance) {
    return static_cast<int64_t>(*distance);
  };
  // Of j - i, for query i and key j; those that hide nothing are none.
  std::optional<int64_t> low, high;
  if (op.getLeft() && offset - bound(op.getLeft()) > -(call.queries - 1))
    low = offset - bound(op.getLeft());
  if (op.getRight() && offset + bound(op.getRight()) < call.keys - 1)
    high = offset + bound(op.getRight());
  if (high)
    call.right = *high;
  if (low)
    call.left = -*low;
  if (!low)
    return !high || *high == 0;
  // A window has its own key in it, and every query sees one.
  return high && *high == 0 && *low <= 0 && call.queries <= call.keys;
}

/// Engines take heads of a multiple of 8 numbers, at most 128.
static bool isWidth(int64_t width) { return width % 8 == 0 && width <= 128; }

template <typename Op>
static std::optional<AttentionCall> computedBy(Op op, bool rounds) {
  Type element = elementOf(op.getQ());
  bool isNarrow = element.isBF16() || (rounds && element.isF32());
  auto hasElement = [&](Value value) { return elementOf(value) == element; };
  if (!isNarrow || !hasElement(op.getK()) || !hasElement(op.getV()) ||
      !op.getSoftcap().isZero() || op.getBias() || op.getQuerySegments())
    return std::nullopt;
  auto q = cast<RankedTensorType>(op.getQ().getType()).getShape(),
       k = cast<RankedTensorType>(op.getK().getType()).getShape();
  AttentionCall call;
  call.batch = q[0];
  call.heads = q[1];
  call.keyHeads = k[1];
  call.queries = q[2];
  call.keys = k[2];
  call.width = q[3];
  call.valueWidth = cast<RankedTensorType>(op.getV().getType()).getDimSize(3);
  call.scale = op.getScale().convertToDouble();
  if (!isWidth(call.width) || !isWidth(call.valueWidth) ||
      !findBounds(op, call))
    return std::nullopt;
  return call;
}

std::optional<AttentionCall> AttentionTarget::callOf(Operation *op) const {
  if (!calls)
    return std::nullopt;
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    auto call = computedBy(attention, rounds);
    if (call && !attention.getLse().use_empty())
      call->kind = AttentionKind::Training;
    return call;
  }
  auto grad = dyn_cast<AttentionGradOp>(op);
  if (!grad || grad.getDlse())
    return std::nullopt;
  auto call = computedBy(grad, rounds);
  // No engine has the gradient of one query and one key.
  if (!call || call->queries * call->keys == 1 ||
      !elementOf(grad.getLse()).isF32())
    return std::nullopt;
  call->kind = AttentionKind::Backward;
  return call;
}
