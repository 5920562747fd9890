//===- TouchedBuffers.cpp - Which buffers launches touch ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TouchedBuffers.h.
//
//===----------------------------------------------------------------------===//

#include "TouchedBuffers.h"

#include "Conversion/Parallelize/IndependentLoops.h"
#include "Conversion/PostedSends.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <cassert>

using namespace mlir;
using namespace mlir::soap;

void Touched::add(const Touched &other) {
  read.insert(other.read.begin(), other.read.end());
  written.insert(other.written.begin(), other.written.end());
}

bool Touched::conflictsWith(const Touched &other) const {
  auto meet = [](const llvm::DenseSet<Value> &a,
                 const llvm::DenseSet<Value> &b) {
    return llvm::any_of(a, [&](Value value) { return b.contains(value); });
  };
  return meet(written, other.written) || meet(written, other.read) ||
         meet(read, other.written);
}

Touched TouchedBuffers::touchedBy(Operation *op) {
  Touched touched;
  if (isa<ViewLikeOpInterface>(op) || isMemoryEffectFree(op))
    return touched;
  if (auto call = dyn_cast<LibraryCallOp>(op)) {
    for (Value input : call.getInputs())
      touched.read.insert(rootBuffer(input));
    for (Value output : call.getOutputs())
      touched.written.insert(rootBuffer(output));
    return touched;
  }
  auto call = dyn_cast<ParallelCallOp>(op);
  func::FuncOp part = call ? partOf(call) : nullptr;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (isa<BaseMemRefType>(operand.getType()))
      (!part || part.isExternal() || isWritten(part, i) ? touched.written
                                                        : touched.read)
          .insert(rootBuffer(operand));
  return touched;
}

bool TouchedBuffers::isWritten(func::FuncOp part, size_t argument) {
  auto [known, isNew] = stores.try_emplace(part);
  if (isNew)
    part.walk([&](Operation *op) {
      if (Value buffer = writtenBy(op))
        if (auto to = dyn_cast<BlockArgument>(rootBuffer(buffer)))
          known->second.insert(to.getArgNumber());
    });
  return known->second.contains(static_cast<unsigned>(argument));
}

bool ShownBytes::isWhole() const {
  return begin == 0 && end == sizeInBytes(cast<MemRefType>(root.getType()));
}

bool ShownBytes::overlaps(const ShownBytes &other) const {
  return root == other.root && begin < other.end && other.begin < end;
}

std::optional<ShownBytes> mlir::soap::shownBytes(Value buffer) {
  ShownBytes shown{buffer};
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return std::nullopt;
  while (auto view = shown.root.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto bytes = dyn_cast<memref::ViewOp>(view.getOperation())) {
      std::optional<int64_t> at = getConstantIntValue(bytes.getByteShift());
      if (!at)
        return std::nullopt;
      shown.begin += *at;
    } else if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(
                   view.getOperation())) {
      return std::nullopt;
    }
    shown.root = view.getViewSource();
  }
  shown.end = shown.begin + sizeInBytes(type);
  return shown;
}

SmallVector<Operation *> mlir::soap::usersOf(Value root) {
  SmallVector<Operation *> found;
  SmallVector<Value> views{root};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        views.push_back(user->getResult(0));
      else
        found.push_back(user);
    }
  return found;
}

bool mlir::soap::canMoveUp(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  return !op || ((isa<memref::AllocOp>(op) || isMemoryEffectFree(op)) &&
                 op->getNumRegions() == 0 &&
                 llvm::all_of(op->getOperands(), canMoveUp));
}

void mlir::soap::moveUp(Value buffer, Operation *place) {
  Operation *op = buffer.getDefiningOp();
  if (!op || op->isBeforeInBlock(place))
    return;
  assert(canMoveUp(buffer) &&
         "an allocation or a view that can stand anywhere");
  assert(op->getBlock() == place->getBlock() && "of one block");
  for (Value operand : op->getOperands())
    moveUp(operand, place);
  op->moveBefore(place);
}

void mlir::soap::setSlots(Operation *launch, Operation *place,
                          ArrayRef<Operation *> calls) {
  assert(llvm::is_contained(calls, place) && "`place` is one of the calls");
  SmallVector<int64_t> slots;
  for (Operation *call : calls) {
    if (auto fused =
            call->getAttrOfType<DenseI64ArrayAttr>(SoapDialect::kFusedSlots))
      llvm::append_range(slots, fused.asArrayRef());
    if (auto slot = call->getAttrOfType<IntegerAttr>(SoapDialect::kSlot);
        slot && call != place)
      slots.push_back(slot.getInt());
  }
  if (Attribute slot = place->getAttr(SoapDialect::kSlot))
    launch->setAttr(SoapDialect::kSlot, slot);
  if (!slots.empty())
    launch->setAttr(SoapDialect::kFusedSlots,
                    DenseI64ArrayAttr::get(launch->getContext(), slots));
}
