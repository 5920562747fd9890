//===- PostedSends.cpp - Sends that copy nothing --------------------------===//
//
// See PostedSends.h.
//
//===----------------------------------------------------------------------===//

#include "PostedSends.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

Value mlir::soap::allocationOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (isArena(view.getViewSource()))
      break;
    buffer = view.getViewSource();
  }
  return buffer;
}

bool mlir::soap::isPosted(SendBufferOp send) {
  // Below, a copy costs nothing, and lives stay short.
  constexpr int64_t minBytes = 256;
  auto type = dyn_cast<MemRefType>(send.getTile().getType());
  if (!type || sizeInBytes(type) < minBytes)
    return false;
  SmallVector<Value> views{allocationOf(send.getTile())};
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
      if ((destination && destination.isDpsInit(&use)) ||
          (copy && copy.getTarget() == view))
        return false;
    }
  }
  return true;
}
