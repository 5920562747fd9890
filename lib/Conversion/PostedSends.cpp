//===- PostedSends.cpp - Sends that copy nothing --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PostedSends.h.
//
//===----------------------------------------------------------------------===//

#include "PostedSends.h"

#include "Soap/Dialect/Soap/GpuAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::soap;

int64_t mlir::soap::sizeInBytes(MemRefType type) {
  return type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
}

/// The arena: the last argument of a planned program.
static bool isArena(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function && function->hasAttr(SoapDialect::kArenaBytes) &&
         argument.getArgNumber() + 1 == function.getNumArguments();
}

/// Where a buffer lies in its allocation, in bytes; the end is -1 if unknown.
struct Place {
  Value allocation;
  int64_t begin = 0, end = -1;

  bool overlaps(const Place &other) const {
    return end < 0 || other.end < 0 || (begin < other.end && other.begin < end);
  }
};

static Place placeOf(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  bool known = type && type.hasStaticShape();
  int64_t begin = 0;
  Value root = buffer;
  while (auto view = root.getDefiningOp<ViewLikeOpInterface>()) {
    if (isArena(view.getViewSource()))
      break;
    if (auto bytes = dyn_cast<memref::ViewOp>(*view)) {
      std::optional<int64_t> shift = getConstantIntValue(bytes.getByteShift());
      known &= shift.has_value();
      begin += shift.value_or(0);
    } else if (auto part = dyn_cast<memref::SubViewOp>(*view)) {
      auto [strides, offset] = part.getType().getStridesAndOffset();
      known &= part.getType().getRank() == 1 && !ShapedType::isDynamic(offset);
      begin += offset * ((part.getType().getElementTypeBitWidth() + 7) / 8);
    } else if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp,
                    memref::CastOp>(*view)) {
      known = false;
    }
    root = view.getViewSource();
  }
  return {root, begin, known ? begin + sizeInBytes(type) : -1};
}

Value mlir::soap::allocationOf(Value buffer) {
  return placeOf(buffer).allocation;
}

/// Messages of microbatches: memory that is kept to the end would grow with
/// their number.
static bool runsMicrobatches(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  PipelineAttr pipeline =
      module ? readPipeline(module->getAttr(SoapDialect::kPipeline))
             : PipelineAttr();
  return pipeline && pipeline.getMicrobatches() > 1;
}

bool mlir::soap::isPosted(SendBufferOp send) {
  // Below, a copy costs nothing, and lives stay short.
  constexpr int64_t minBytes = 256;
  auto type = dyn_cast<MemRefType>(send.getTile().getType());
  if (!type || sizeInBytes(type) < minBytes || send->hasAttr(kNoPost) ||
      runsMicrobatches(send))
    return false;
  Place message = placeOf(send.getTile());
  SmallVector<Value> views{message.allocation};
  while (!views.empty()) {
    Value view = views.pop_back_val();
    for (OpOperand &use : view.getUses()) {
      Operation *user = use.getOwner();
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(views, user->getResults());
      if (user->getBlock() != send->getBlock() || !send->isBeforeInBlock(user))
        continue;
      auto destination = dyn_cast<DestinationStyleOpInterface>(user);
      auto copy = dyn_cast<memref::CopyOp>(user);
      bool writes = (destination && destination.isDpsInit(&use)) ||
                    (copy && copy.getTarget() == view);
      if (writes && message.overlaps(placeOf(view)))
        return false;
    }
  }
  return true;
}
