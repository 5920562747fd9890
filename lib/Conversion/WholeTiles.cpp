//===- WholeTiles.cpp - Convolutions of more than they read ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WholeTiles.h.
//
//===----------------------------------------------------------------------===//

#include "WholeTiles.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether the tile is the first rows and columns of all channels of one other
/// tile, in their order.
bool isBeginning(AssembleOp tile) {
  if (tile.getTiles().size() != 1 || shapeOf(tile.getTile()).size() != 4)
    return false;
  ArrayRef<int64_t> shape = shapeOf(tile.getTile());
  auto whole =
      ::soap::Region::whole(std::vector<int64_t>(shape.begin(), shape.end()));
  return cast<RegionAttr>(tile.getSources()[0]).getRegion() == whole &&
         cast<RegionAttr>(tile.getTargets()[0]).getRegion() == whole &&
         shape.take_front(2) == shapeOf(tile.getTiles()[0]).take_front(2);
}

/// Whether windows of `kernel` over an image of `whole` are the same as over
/// one of `tile`, whose result is `result`: as many, and none reads what is
/// behind the tile.
template <typename ConvOp>
bool hasSameWindows(ConvOp op, ArrayRef<int64_t> kernel, ArrayRef<int64_t> tile,
                    ArrayRef<int64_t> whole, ArrayRef<int64_t> result) {
  for (size_t dim : {0, 1}) {
    int64_t stride = op.getStrides()[dim], before = op.getPadding()[dim],
            behind = op.getPadding()[dim + 2],
            reach = (kernel[dim] - 1) * op.getDilations()[dim] + 1;
    int64_t count = (whole[dim] + before + behind - reach) / stride + 1;
    int64_t end = (result[dim] - 1) * stride + reach - before;
    if (count != result[dim] || end > tile[dim])
      return false;
  }
  return true;
}

bool hasSameWindows(Operation *op, ArrayRef<int64_t> whole) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](Conv2DOp conv) {
        return hasSameWindows(conv, shapeOf(conv.getW()).drop_front(2),
                              shapeOf(conv.getX()).drop_front(2), whole,
                              shapeOf(conv.getY()).drop_front(2));
      })
      .Case([&](Conv2DWeightGradOp grad) {
        return hasSameWindows(grad, shapeOf(grad.getDw()).drop_front(2),
                              shapeOf(grad.getX()).drop_front(2), whole,
                              shapeOf(grad.getDy()).drop_front(2));
      })
      .Default(false);
}

} // namespace

void mlir::soap::readWholeTiles(Block &program) {
  for (auto tile : llvm::make_early_inc_range(program.getOps<AssembleOp>())) {
    if (!isBeginning(tile))
      continue;
    Value whole = tile.getTiles()[0];
    for (OpOperand &use : llvm::make_early_inc_range(tile.getTile().getUses()))
      if (use.getOperandNumber() == 0 &&
          hasSameWindows(use.getOwner(), shapeOf(whole).drop_front(2)))
        use.set(whole);
    if (tile.getTile().use_empty())
      tile.erase();
  }
}
