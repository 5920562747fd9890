//===- AssignLayouts.cpp - Images with channels inside, for cuDNN ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: which images of programs are NHWC. Convolutions and all that is
// connected to them are decided together (Outline/Layouts.h), for all programs
// of the module. What is left to each program is at the borders: weights, which
// cuDNN wants in the layout of images, and elementwise kernels, which read and
// write any layout, so that no copy stands before or behind them.
//
//===----------------------------------------------------------------------===//

#include "../Outline/ExpandRecurrences.h"
#include "../Outline/Layouts.h"
#include "../Outline/Library.h"
#include "../Reference/Kernels.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Soap/Analysis/SharedOps.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/PrecisionAttribute.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPASSIGNLAYOUTS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr ImageLayout first = ImageLayout::ChannelsFirst,
                      last = ImageLayout::ChannelsLast;

bool isImage(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank() == 4;
}

/// The operand is as large as the result: every thread reads its element.
bool isWhole(OpOperand &operand) {
  Operation *op = operand.getOwner();
  return isImage(operand.get()) &&
         cast<RankedTensorType>(operand.get().getType()).getShape() ==
             cast<RankedTensorType>(op->getResult(0).getType()).getShape();
}

/// Kernels that read every operand in its own layout: they move elements, or
/// compute each by itself.
bool readsAnyLayout(Operation *op) {
  return isElementwise(op) || isa<AssembleOp, ConcatOp, SliceOp, PadOp>(op);
}

/// The tensors of one program that have no layout yet.
class Borders {
public:
  Borders(Block &block, Layouts &layouts) : block(block), layouts(layouts) {}

  void run(function_ref<bool(Operation *)> isLibrary) {
    for (Operation &op : block)
      if (isLibrary(&op))
        assignWeights(&op);
    for (Operation &op : llvm::reverse(block))
      if (isElementwise(&op) || isa<BroadcastOp>(op))
        writeForReaders(&op);
    for (Operation &op : block)
      if (auto cast = dyn_cast<CastOp>(op))
        keepWhenRounded(cast);
    for (Operation &op : block)
      if (readsAnyLayout(&op))
        readAsHeld(&op);
  }

  /// Images that are read in another layout than they are held, each copied
  /// once.
  int64_t copies() const {
    llvm::DenseSet<Value> copied;
    for (Operation &op : block)
      for (OpOperand &operand : op.getOpOperands())
        if (layouts.read(operand) != layouts.held(operand.get()) &&
            !layoutsAgree(cast<RankedTensorType>(operand.get().getType()),
                          first, last))
          copied.insert(operand.get());
    return static_cast<int64_t>(copied.size());
  }

private:
  Block &block;
  Layouts &layouts;

  /// cuDNN's filters of NHWC images are [O, KH, KW, C].
  void assignWeights(Operation *op) {
    if (isa<Conv2DOp, Conv2DInputGradOp>(op) &&
        layouts.read(op->getOpOperand(0)) == last)
      layouts.setRead(op->getOpOperand(1), last);
    if (isa<Conv2DWeightGradOp>(op) &&
        layouts.read(op->getOpOperand(0)) == last)
      layouts.setHeld(op->getResult(0), last);
  }

  /// Where all readers want channels last, the kernel writes that: a rounded
  /// weight has no copy, and an image that only a convolution reads.
  void writeForReaders(Operation *op) {
    if (isa<SgdOp, AdamOp>(op) || op->getNumResults() != 1)
      return;
    Value result = op->getResult(0);
    bool wanted = isImage(result) && !result.use_empty() &&
                  layouts.held(result) == first &&
                  llvm::all_of(result.getUses(), [&](OpOperand &use) {
                    return layouts.read(use) == last;
                  });
    if (!wanted)
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (!isWhole(operand) && isImage(operand.get()))
        return; // A broadcast is read in its own order.
    layouts.setHeld(result, last);
    for (OpOperand &operand : op->getOpOperands())
      if (isWhole(operand))
        layouts.setRead(operand, last);
  }

  /// The gradient of a weight that is rounded, as cuDNN writes it.
  void keepWhenRounded(CastOp cast) {
    bool isNarrow =
        cast.getType().getElementType().getIntOrFloatBitWidth() < 32;
    if (!isNarrow || !isImage(cast.getY()) ||
        layouts.held(cast.getX()) != last || layouts.held(cast.getY()) != first)
      return;
    layouts.setRead(cast->getOpOperand(0), last);
    layouts.setHeld(cast.getY(), last);
  }

  /// A copy that only such kernels would read is none: they read what it is
  /// made of.
  void readAsHeld(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      ImageLayout held = layouts.held(value), wanted = layouts.read(operand);
      if (!isImage(value) || held == wanted ||
          (isElementwise(op) && !isWhole(operand)))
        continue;
      bool isCopiedAnyway = llvm::any_of(value.getUses(), [&](OpOperand &use) {
        return layouts.read(use) == wanted && !readsAnyLayout(use.getOwner());
      });
      if (!isCopiedAnyway)
        layouts.setRead(operand, held);
    }
  }
};

/// 80 of "sm_80" or "sm_80a"; none of what is no chip, which a later pass says.
std::optional<unsigned> numberOf(StringRef chip) {
  unsigned number = 0;
  if (!chip.consume_front("sm_"))
    return std::nullopt;
  chip = chip.take_while(llvm::isDigit);
  if (chip.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// Whether some convolution reads numbers of 16 bits, as
/// `--soap-narrow-products` leaves it: behind a conversion to f32.
bool hasNarrowConvolutions(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        if (!isa<Conv2DOp, Conv2DInputGradOp, Conv2DWeightGradOp>(op))
          return WalkResult::advance();
        auto conversion = op->getOperand(0).getDefiningOp<CastOp>();
        if (!conversion)
          return WalkResult::advance();
        auto from = cast<RankedTensorType>(conversion.getX().getType());
        auto element = dyn_cast<FloatType>(from.getElementType());
        return element && element.getWidth() == 16 ? WalkResult::interrupt()
                                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

struct AssignLayoutsPass
    : public mlir::soap::impl::SoapAssignLayoutsBase<AssignLayoutsPass> {
  using SoapAssignLayoutsBase::SoapAssignLayoutsBase;

  /// None: there is an error.
  std::optional<ImageLayout> chosen() {
    if (layout == "nchw")
      return first;
    if (layout == "nhwc")
      return last;
    if (layout != "auto") {
      getOperation().emitError("unknown layout '")
          << layout << "': expected nchw, nhwc or auto";
      return std::nullopt;
    }
    auto resolved = resolvePrecision(getOperation(), precision);
    if (!resolved)
      return std::nullopt;
    // From sm_80 on, tensor cores compute what is not f32, best from NHWC.
    bool isNarrow = *resolved != ::soap::ProductPrecision::F32 ||
                    hasNarrowConvolutions(getOperation());
    return isNarrow && numberOf(chip).value_or(0) >= 80 ? last : first;
  }

  void runOnOperation() override {
    if (failed(inlineSharedOps(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    std::optional<ImageLayout> preferred = chosen();
    if (!preferred)
      return signalPassFailure();
    if (*preferred == first)
      return;
    SmallVector<func::FuncOp> programs;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && function.getBody().hasOneBlock()) {
        expandRecurrences(function.getBody().front());
        programs.push_back(function);
      }
    LibraryOptions library{Library::Cuda};
    auto isConvolution = [&](Operation *op) {
      return isa<Conv2DOp, Conv2DInputGradOp, Conv2DWeightGradOp>(op) &&
             libraryFunctionOf(op, library).has_value();
    };
    SmallVector<Layouts> assigned = assignLayouts(
        module, programs, isConvolution, {*preferred, /*gpu=*/true});
    for (auto [program, layouts] : llvm::zip(programs, assigned)) {
      Block &block = program.getBody().front();
      Borders borders(block, layouts);
      borders.run(isConvolution);
      addTo(copied, borders.copies());
      layouts.writeAttributes(block);
    }
  }
};

} // namespace
