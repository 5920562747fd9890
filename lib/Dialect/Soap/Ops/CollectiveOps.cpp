//===- CollectiveOps.cpp - Verifiers of collectives -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of collectives. One device can know that its tiles fit together.
// The rank table names the devices that take part.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"

#include "Soap/Dialect/Soap/SoapCollectives.h"

#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

#define GET_OP_CLASSES
#include "Soap/Dialect/Soap/SoapCollectives.cpp.inc"

void mlir::soap::registerCollectiveOps(SoapDialect *dialect) {
  RegisteredOperationName::insert<AllReduceOp>(*dialect);
  RegisteredOperationName::insert<ReduceToRootOp>(*dialect);
  RegisteredOperationName::insert<ReduceScatterOp>(*dialect);
  RegisteredOperationName::insert<AllGatherOp>(*dialect);
  RegisteredOperationName::insert<AllToAllOp>(*dialect);
  RegisteredOperationName::insert<GatherToRootOp>(*dialect);
  RegisteredOperationName::insert<BroadcastFromRootOp>(*dialect);
  RegisteredOperationName::insert<CollectiveBufferOp>(*dialect);
  RegisteredOperationName::insert<LocalIndexOp>(*dialect);
  RegisteredOperationName::insert<PlacedStepOp>(*dialect);
}

static LogicalResult checkTypes(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes())))
    if (failed(checkTensorType([&] { return op->emitOpError(); }, type)))
      return failure();
  return success();
}

/// A part of a tile, in positions of it.
static LogicalResult checkPart(Operation *op, RegionAttr part, Value tile) {
  TileRegion region = part.getRegion();
  ArrayRef<int64_t> shape = shapeOf(tile);
  if (region.rank() == shape.size() &&
      TileRegion::whole(toVector(shape)).contains(region))
    return success();
  return op->emitOpError() << "source '" << region.str()
                           << "' does not lie within " << tile.getType();
}

LogicalResult LocalIndexOp::verify() {
  auto wrap = static_cast<int64_t>(getWrap());
  if (wrap < 0 || wrap > std::numeric_limits<int32_t>::max())
    return emitOpError() << "'wrap' must be in [0, "
                         << std::numeric_limits<int32_t>::max() << "], got "
                         << wrap;
  return checkTypes(*this);
}

LogicalResult PlacedStepOp::verify() {
  if (!shapeOf(getStep()).empty())
    return emitOpError() << "expected a step of type tensor<i32>, got "
                         << getStep().getType();
  if (shapeOf(getBoth()) != ArrayRef<int64_t>({2}))
    return emitOpError() << "expected a result of type tensor<2xi32>, got "
                         << getBoth().getType();
  return success();
}

LogicalResult AllReduceOp::verify() { return checkTypes(*this); }

LogicalResult ReduceToRootOp::verify() {
  if (failed(checkTypes(*this)))
    return failure();
  if (getSum() && getSum().getType() != getTile().getType())
    return emitOpError() << "expected a result of type " << getTile().getType()
                         << ", got " << getSum().getType();
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(checkTypes(*this)))
    return failure();
  if (getSources().size() < 2)
    return emitOpError() << "expected the parts of at least 2 devices, got "
                         << getSources().size();
  if (getElementTypeOrSelf(getTile()) != getElementTypeOrSelf(getSum()))
    return emitOpError() << "tiles must have the result's element type";
  bool mine = false;
  for (auto source : getSources().getAsRange<RegionAttr>()) {
    if (failed(checkPart(*this, source, getTile())))
      return failure();
    mine |= ArrayRef<int64_t>(source.getRegion().shape()) == shapeOf(getSum());
  }
  if (!mine)
    return emitOpError() << "no part has the result's shape "
                         << shapeString(shapeOf(getSum()));
  return success();
}

/// Checks the tiles of all devices of a group, of which one is `tile`.
static LogicalResult checkPieces(Operation *op, Value tile, ValueRange pieces) {
  if (pieces.size() < 2)
    return op->emitOpError()
           << "expected the pieces of at least 2 devices, got "
           << pieces.size();
  if (!llvm::is_contained(pieces.getTypes(), tile.getType()))
    return op->emitOpError() << "no piece has the type " << tile.getType()
                             << " of what this device gives";
  for (Value piece : pieces)
    if (getElementTypeOrSelf(piece) != getElementTypeOrSelf(tile))
      return op->emitOpError() << "pieces must have the tile's element type";
  return success();
}

LogicalResult AllGatherOp::verify() {
  if (failed(checkTypes(*this)))
    return failure();
  return checkPieces(*this, getTile(), getPieces());
}

LogicalResult AllToAllOp::verify() {
  if (failed(checkTypes(*this)))
    return failure();
  if (getSources().size() < 2 || getSources().size() != getPieces().size())
    return emitOpError() << "expected a part and a piece for each of at least "
                            "2 devices, got "
                         << getSources().size() << " parts and "
                         << getPieces().size() << " pieces";
  bool mine = false;
  for (auto [source, piece] :
       llvm::zip(getSources().getAsRange<RegionAttr>(), getPieces())) {
    if (failed(checkPart(*this, source, getTile())))
      return failure();
    if (getElementTypeOrSelf(piece) != getElementTypeOrSelf(getTile()))
      return emitOpError() << "pieces must have the tile's element type";
    mine |= ArrayRef<int64_t>(source.getRegion().shape()) == shapeOf(piece);
  }
  if (!mine)
    return emitOpError() << "no part has the shape of the piece of the same "
                            "device, expected this device's own";
  return success();
}

LogicalResult GatherToRootOp::verify() {
  if (failed(checkTypes(*this)))
    return failure();
  return getPieces().empty() ? success()
                             : checkPieces(*this, getTile(), getPieces());
}

LogicalResult BroadcastFromRootOp::verify() {
  if (failed(checkTypes(*this)))
    return failure();
  if (!getTile() == !getPart())
    return emitOpError() << "expected either a tile (of the root) or a result";
  if (!getTile() && getSource())
    return emitOpError() << "has a source, but no tile";
  if (!getTile())
    return success();
  if (!getSource())
    return emitOpError() << "expected the part of the tile that is sent";
  return checkPart(*this, *getSource(), getTile());
}

/// Whether a device may have so many inputs and outputs in a collective.
static bool fits(CollectiveKind kind, size_t inputs, size_t outputs) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return inputs == 0 && outputs == 1;
  case CollectiveKind::ReduceToRoot:
  case CollectiveKind::BroadcastFromRoot:
    return inputs + outputs == 1;
  case CollectiveKind::ReduceScatter:
    return inputs >= 1 && outputs == 1;
  case CollectiveKind::AllGather:
    return inputs == 1 && outputs >= 1;
  case CollectiveKind::AllToAll:
    return inputs >= 1 && outputs >= 1;
  case CollectiveKind::GatherToRoot:
    return inputs == 1;
  }
  return false;
}

LogicalResult CollectiveBufferOp::verify() {
  size_t inputs = getInputs().size(), outputs = getOutputs().size();
  if (!fits(getKind(), inputs, outputs))
    return emitOpError() << "'" << stringifyCollectiveKind(getKind())
                         << "' takes other numbers of inputs and outputs, got "
                         << inputs << " inputs and " << outputs << " outputs";
  Type element = getElementTypeOrSelf(getOperand(0).getType());
  for (Type type : getOperandTypes())
    if (getElementTypeOrSelf(type) != element)
      return emitOpError() << "buffers must have one element type";
  return success();
}
