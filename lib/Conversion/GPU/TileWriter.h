//===- TileWriter.h - Ops on tiles of tensors -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what replaces an op tile by tile: parts of tensors, products of them,
// and assembled results.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_TILEWRITER_H
#define SOAP_LIB_CONVERSION_GPU_TILEWRITER_H

#include "NarrowValues.h"

#include "Soap/Dialect/Soap/SoapOps.h"

namespace mlir::soap {

/// Positions [lo, hi) of a dim.
struct TileRange {
  int64_t lo = 0, hi = 0;
  int64_t size() const { return hi - lo; }
};
/// A range of each dim.
using TileBox = SmallVector<TileRange>;

/// [0, extent) in steps; the last one may be shorter.
inline SmallVector<TileRange> splitExtent(int64_t extent, int64_t step) {
  SmallVector<TileRange> ranges;
  for (int64_t lo = 0; lo < extent; lo += step)
    ranges.push_back({lo, std::min(lo + step, extent)});
  return ranges;
}

/// Writes the ops that replace one op; each gets its slot.
class TileWriter {
public:
  explicit TileWriter(Operation *op) : builder(op), op(op) {}

  template <typename OpTy, typename... Args>
  OpTy create(Args &&...args) {
    auto made =
        OpTy::create(builder, op->getLoc(), std::forward<Args>(args)...);
    if (Attribute slot = op->getAttr(SoapDialect::kSlot))
      made->setAttr(SoapDialect::kSlot, slot);
    all.push_back(made);
    return made;
  }
  /// Erases the op, and what was written for results that nothing reads.
  void finish() {
    op->erase();
    for (Operation *made : llvm::reverse(all))
      if (made->use_empty())
        made->erase();
  }

  Value cast(Value x, Type element) {
    if (typeOf(x).getElementType() == element)
      return x;
    return create<CastOp>(typeOf(x).clone(element), x).getY();
  }
  Value reshape(Value x, ArrayRef<int64_t> shape) {
    if (typeOf(x).getShape() == shape)
      return x;
    return create<ReshapeOp>(typeOf(x).clone(shape), x).getY();
  }
  Value matmul(Value a, Value b, bool transposeA, bool transposeB) {
    return create<MatmulOp>(a, b, transposeA, transposeB,
                            /*k_factors=*/DenseI64ArrayAttr())
        .getY();
  }
  Value fill(RankedTensorType type, double value) {
    return create<FillOp>(type, builder.getF64FloatAttr(value)).getTile();
  }

  /// A part of a tensor of any type.
  Value part(Value x, const TileBox &box) {
    TileBox whole;
    SmallVector<int64_t> shape;
    for (const TileRange &range : box) {
      whole.push_back({0, range.size()});
      shape.push_back(range.size());
    }
    if (typeOf(x).getShape() == ArrayRef<int64_t>(shape))
      return x;
    return assemble(typeOf(x).clone(shape), {x}, {box}, {whole});
  }
  /// Each part at its box of the result.
  Value put(RankedTensorType type, ArrayRef<Value> parts,
            ArrayRef<TileBox> boxes) {
    if (parts.size() == 1 && parts[0].getType() == type)
      return parts[0];
    SmallVector<TileBox> wholes;
    for (Value each : parts) {
      TileBox whole;
      for (int64_t extent : typeOf(each).getShape())
        whole.push_back({0, extent});
      wholes.push_back(whole);
    }
    return assemble(type, parts, wholes, boxes);
  }
  /// `part` at its box of `shape`, zeros elsewhere, and `sum` if there is one.
  Value accumulate(Value sum, Value part, const TileBox &box,
                   ArrayRef<int64_t> shape) {
    if (typeOf(part).getShape() != shape) {
      SmallVector<int64_t> low, high;
      for (auto [range, extent] : llvm::zip_equal(box, shape)) {
        low.push_back(range.lo);
        high.push_back(extent - range.hi);
      }
      part = create<PadOp>(part, low, high).getY();
    }
    return sum ? create<AddOp>(sum, part).getZ() : part;
  }

private:
  Value assemble(RankedTensorType type, ArrayRef<Value> tiles,
                 ArrayRef<TileBox> sources, ArrayRef<TileBox> targets) {
    auto regions = [&](ArrayRef<TileBox> boxes) {
      SmallVector<Attribute> attributes;
      for (const TileBox &box : boxes) {
        std::vector<::soap::IndexSet> sets;
        for (const TileRange &range : box)
          sets.push_back(::soap::IndexSet(range.lo, range.hi));
        attributes.push_back(
            RegionAttr::get(builder.getContext(), ::soap::Region(sets)));
      }
      return builder.getArrayAttr(attributes);
    };
    return create<AssembleOp>(type, tiles, regions(sources), regions(targets))
        .getTile();
  }

  OpBuilder builder;
  Operation *op;
  SmallVector<Operation *> all;
};

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_TILEWRITER_H
