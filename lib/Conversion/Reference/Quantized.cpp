//===- Quantized.cpp - Kernels of 8-bit floats ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of SoapQuantizedOps.td as loop nests. Factors are multiplied one
// after the other, in all kernels in the same order: replicas agree in every
// bit.
//
//===----------------------------------------------------------------------===//

#include "Float8.h"
#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapQuantized.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// The factor of a tensor with the maximum `amax`.
Scalar factorOf(KernelBuilder &k, const Scalar &amax, Type type) {
  using Predicate = arith::CmpFPredicate;
  constexpr double most = std::numeric_limits<float>::max();
  Scalar one = k.number(1), largest = k.number(most);
  Scalar factor = k.number(largestFloat8(type)) / amax;
  // Not `min`, which would say nothing of a NaN.
  factor = select(compare(Predicate::OGT, factor, largest), largest, factor);
  factor = select(compare(Predicate::OEQ, amax, k.number(0)), one, factor);
  Scalar invalid = k.number(std::numeric_limits<double>::quiet_NaN());
  // False of NaN, too.
  return select(compare(Predicate::OLE, amax, largest), factor, invalid);
}

/// The largest size of so many numbers. Bits of sizes compare as sizes do, with
/// NaN above all, and integers need no order to be folded in.
Scalar largestOf(KernelBuilder &k, int64_t count,
                 function_ref<Scalar(const Index &)> numberAt) {
  OpBuilder &b = k.builder;
  Type i32 = b.getI32Type();
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, k.loc, b.getI32IntegerAttr(value));
  };
  Value mask = constant(std::numeric_limits<int32_t>::max());
  Value most = k.foldOf(
      {count}, {constant(0)}, [&](ArrayRef<Index> i, ArrayRef<Value> sofar) {
        Value bits =
            arith::BitcastOp::create(b, k.loc, i32, numberAt(i[0]).value);
        Value size = arith::AndIOp::create(b, k.loc, bits, mask);
        return SmallVector<Value>{
            arith::MaxUIOp::create(b, k.loc, sofar[0], size)};
      })[0];
  return {&k, arith::BitcastOp::create(b, k.loc, b.getF32Type(), most)};
}

void emitAmax(KernelBuilder &k) {
  Tensor x = k.in(0).flattened();
  k.out().set({},
              largestOf(k, x.dim(0), [&](const Index &i) { return x({i}); }));
}

void emitBlockScales(BlockScalesOp op, KernelBuilder &k) {
  Tensor x = k.in(0), y = k.out();
  auto axis = static_cast<size_t>(op.getAxis());
  k.forEachOf(y.shape(), [&](ArrayRef<Index> block) {
    Scalar amax = largestOf(k, kScaleBlock, [&](const Index &element) {
      SmallVector<Index> at(block);
      at[axis] = block[axis] * kScaleBlock + element;
      return x(at);
    });
    y.storeRaw(block,
               encodeBlockScale(k.builder, k.loc, amax.value, op.getType()));
  });
}

/// The scale at an element of a tensor in blocks along `axis`.
Scalar scaleAt(const Tensor &scales, ArrayRef<Index> element, int64_t axis) {
  SmallVector<Index> block(element);
  block[static_cast<size_t>(axis)] =
      block[static_cast<size_t>(axis)] / kScaleBlock;
  return scales(block);
}

void emitQuantize(KernelBuilder &k) {
  Tensor x = k.in(0), scales = k.in(1), y = k.out();
  Type type = y.elementType();
  auto store = [&](ArrayRef<Index> at, const Scalar &number) {
    y.storeRaw(at, encodeFloat8(k.builder, k.loc, number.value, type));
  };
  int64_t axis = blockAxis(x.shape(), scales.shape());
  if (axis < 0) {
    Tensor from = x.flattened(), to = y.flattened();
    Scalar factor = factorOf(k, scales({}), type);
    k.forEach({from.dim(0)}, [&](Index i) {
      Value code =
          encodeFloat8(k.builder, k.loc, (from({i}) * factor).value, type);
      to.storeRaw({i}, code);
    });
    return;
  }
  // Divided: the inverse of the least scale is no f32.
  k.forEachOf(x.shape(), [&](ArrayRef<Index> at) {
    store(at, x(at) / scaleAt(scales, at, axis));
  });
}

/// The sum of a product, rescaled.
Scalar unscaled(KernelBuilder &k, const Scalar &sum, const Scalar &inverseA,
                const Scalar &inverseB) {
  return sum * inverseA * inverseB;
}

Scalar inverseOf(KernelBuilder &k, const Scalar &amax, Type type) {
  return k.number(1) / factorOf(k, amax, type);
}

void emitMatmulScaled(MatmulScaledOp op, KernelBuilder &k) {
  Tensor a = k.in(0), b = k.in(1), y = k.out();
  bool transposeA = op.getTransposeA(), transposeB = op.getTransposeB();
  int64_t depth = a.dim(a.rank() - (transposeA ? 2 : 1));
  bool hasBlocks = k.in(2).rank() > 0;
  Scalar inverseA, inverseB;
  if (!hasBlocks) {
    inverseA = inverseOf(k, k.in(2)({}), a.elementType());
    inverseB = inverseOf(k, k.in(3)({}), b.elementType());
  }
  k.forEachOf(y.shape(), [&](ArrayRef<Index> loops) {
    auto at = [&](const Tensor &tensor, const Tensor &scales, const Index &row,
                  const Index &column, bool transposed) {
      SmallVector<Index> indices;
      indices.append(loops.begin(), loops.begin() + (tensor.rank() - 2));
      indices.push_back(transposed ? column : row);
      indices.push_back(transposed ? row : column);
      Scalar number = tensor(indices);
      return hasBlocks
                 ? number * scaleAt(scales, indices,
                                    blockAxis(tensor.shape(), scales.shape()))
                 : number;
    };
    Index m = loops[y.rank() - 2], n = loops[y.rank() - 1];
    Scalar sum = k.sum({depth}, [&](Index i) {
      return at(a, k.in(2), m, i, transposeA) *
             at(b, k.in(3), i, n, transposeB);
    });
    if (!hasBlocks) {
      llvm::SaveAndRestore inOrder(k.fast, false);
      sum = unscaled(k, sum, inverseA, inverseB);
    }
    y.set(loops, sum);
  });
}

void emitDequantize(KernelBuilder &k) {
  Tensor x = k.in(0), y = k.out();
  if (k.inputCount() == 1) {
    Tensor from = x.flattened(), to = y.flattened();
    k.forEach({from.dim(0)}, [&](Index i) { to.set({i}, from({i})); });
    return;
  }
  Tensor scales = k.in(1);
  int64_t axis = blockAxis(x.shape(), scales.shape());
  k.forEachOf(x.shape(), [&](ArrayRef<Index> at) {
    y.set(at, x(at) * scaleAt(scales, at, axis));
  });
}

void emitUnscale(UnscaleOp op, KernelBuilder &k) {
  Tensor x = k.in(0).flattened(), y = k.out().flattened();
  llvm::SaveAndRestore inOrder(k.fast, false);
  Scalar a = inverseOf(k, k.in(1)({}), op.getAType()),
         b = inverseOf(k, k.in(2)({}), op.getBType());
  k.forEach({x.dim(0)},
            [&](Index i) { y.set({i}, unscaled(k, x({i}), a, b)); });
}

} // namespace

bool mlir::soap::emitQuantizedKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](AmaxOp) { return emitAmax(k), true; })
      .Case([&](BlockScalesOp scales) {
        return emitBlockScales(scales, k), true;
      })
      .Case([&](QuantizeOp) { return emitQuantize(k), true; })
      .Case([&](MatmulScaledOp product) {
        return emitMatmulScaled(product, k), true;
      })
      .Case([&](DequantizeOp) { return emitDequantize(k), true; })
      .Case([&](UnscaleOp unscale) { return emitUnscale(unscale, k), true; })
      .Default(false);
}
