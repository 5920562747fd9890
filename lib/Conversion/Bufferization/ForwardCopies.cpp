//===- ForwardCopies.cpp - Parts are made where they belong ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ForwardCopies.h. The buffer becomes one of bytes, of which it and its
// parts are views: all of them are whole buffers to their users.
//
//===----------------------------------------------------------------------===//

#include "ForwardCopies.h"

#include "Conversion/PostedSends.h"

#include "Soap/Dialect/Soap/SoapCollectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Calls `visit(use, isWrite)` for uses of a buffer and of its views that are
/// no views themselves.
void forEachUse(Value buffer, function_ref<void(OpOperand &, bool)> visit) {
  SmallVector<Value> views{buffer};
  while (!views.empty()) {
    Value view = views.pop_back_val();
    for (OpOperand &use : view.getUses()) {
      Operation *user = use.getOwner();
      if (isa<ViewLikeOpInterface>(user)) {
        llvm::append_range(views, user->getResults());
        continue;
      }
      auto destination = dyn_cast<DestinationStyleOpInterface>(user);
      auto copy = dyn_cast<memref::CopyOp>(user);
      visit(use, (destination && destination.isDpsInit(&use)) ||
                     (copy && use.getOperandNumber() == 1));
    }
  }
}

/// One part: made by `producer` in a buffer of its own, then copied.
struct Part {
  memref::CopyOp copy;
  memref::SubViewOp place;
  memref::AllocOp source;
  Operation *producer = nullptr;
};

/// The copy's source has one producer and holds nothing else.
std::optional<Part> partOf(memref::CopyOp copy) {
  Part part{copy, copy.getTarget().getDefiningOp<memref::SubViewOp>(),
            allocationOf(copy.getSource()).getDefiningOp<memref::AllocOp>()};
  if (!part.place || !part.source || !part.place->hasOneUse() ||
      part.source.getType().getNumElements() !=
          part.place.getType().getNumElements())
    return std::nullopt;
  bool good = true;
  forEachUse(part.source, [&](OpOperand &use, bool writes) {
    Operation *user = use.getOwner();
    if (!writes)
      return;
    auto call = dyn_cast<KernelCallOp>(user);
    auto collective = dyn_cast<CollectiveBufferOp>(user);
    good &= !part.producer &&
            isa<KernelCallOp, LibraryCallOp, RecvBufferOp, CollectiveBufferOp>(
                user) &&
            !(call && call.getInPlace()) &&
            !(collective && collective.readsOutputs());
    part.producer = user;
  });
  if (!good || !part.producer)
    return std::nullopt;
  return part;
}

/// The parts of `whole`, if no other op writes to it.
SmallVector<Part> partsOf(memref::AllocOp whole) {
  SmallVector<Part> parts;
  bool good = true;
  llvm::SmallVector<std::pair<int64_t, int64_t>> ranges;
  forEachUse(whole, [&](OpOperand &use, bool writes) {
    if (!writes)
      return;
    auto copy = dyn_cast<memref::CopyOp>(use.getOwner());
    auto place =
        copy ? copy.getTarget().getDefiningOp<memref::SubViewOp>() : nullptr;
    good &= place && place.getSource() == whole.getResult() &&
            place.getType().getRank() == 1 &&
            !ShapedType::isDynamic(place.getStaticOffset(0)) &&
            place.getStaticStride(0) == 1;
    if (!good)
      return;
    int64_t from = place.getStaticOffset(0), to = from + place.getStaticSize(0);
    for (auto [begin, end] : ranges)
      good &= to <= begin || end <= from;
    ranges.emplace_back(from, to);
    std::optional<Part> part = partOf(copy);
    // A tile that is there twice is made in one of its places.
    if (part && llvm::none_of(parts, [&](const Part &other) {
          return other.source == part->source;
        }))
      parts.push_back(*part);
  });
  return good ? parts : SmallVector<Part>();
}

void makeInPlace(memref::AllocOp whole, ArrayRef<Part> parts) {
  Operation *first = whole;
  for (const Part &part : parts)
    if (part.producer->isBeforeInBlock(first))
      first = part.producer;
  OpBuilder builder(first);
  Location loc = whole.getLoc();
  auto bytes = memref::AllocOp::create(
      builder, loc,
      MemRefType::get({sizeInBytes(whole.getType())}, builder.getI8Type()));
  int64_t width =
      sizeInBytes(whole.getType()) / whole.getType().getNumElements();
  auto viewAt = [&](MemRefType type, int64_t element) -> Value {
    Value offset =
        arith::ConstantIndexOp::create(builder, loc, element * width);
    return memref::ViewOp::create(builder, loc, type, bytes, offset,
                                  ValueRange());
  };
  for (Part part : parts) {
    part.source.replaceAllUsesWith(
        viewAt(part.source.getType(), part.place.getStaticOffset(0)));
    part.copy->erase();
    part.place->erase();
    part.source->erase();
  }
  whole.replaceAllUsesWith(viewAt(whole.getType(), 0));
  whole->erase();
}

} // namespace

void mlir::soap::forwardCopies(func::FuncOp program) {
  Block &block = program.getBody().front();
  llvm::SmallVector<memref::AllocOp> wholes(block.getOps<memref::AllocOp>());
  llvm::DenseSet<Operation *> gone;
  for (memref::AllocOp whole : wholes) {
    if (gone.contains(whole) || whole.getType().getRank() != 1 ||
        whole.getType().getNumElements() == 0)
      continue;
    SmallVector<Part> parts = partsOf(whole);
    if (parts.empty())
      continue;
    for (const Part &part : parts)
      gone.insert(part.source);
    makeInPlace(whole, parts);
  }
}
