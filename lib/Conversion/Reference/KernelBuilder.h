//===- KernelBuilder.h - Writing kernels as loop nests ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small notation for kernels on static row-major buffers, so that a kernel
// reads like the formula of its op:
//
//   k.forEach({N, M}, [&](Index n, Index m) {
//     y.set({n, m}, k.sum({K}, [&](Index i) { return a({n, i}) * b({i, m});
//     }));
//   });
//
// Indices know their range, so that a read in a padded image is guarded exactly
// where it can leave the image, and constants fold while they are written.
// Floats narrower than f32 are computed in f32.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_REFERENCE_KERNELBUILDER_H
#define SOAP_LIB_CONVERSION_REFERENCE_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cassert>
#include <utility>

namespace mlir::soap {

class KernelBuilder;

/// An integer of known range `[lo, hi]`; a constant if both are equal.
struct Index {
  KernelBuilder *k = nullptr;
  Value value; ///< null for constants
  int64_t lo = 0, hi = 0;
  /// If not 0, the value is known to be outer * block + inner, inner < block:
  /// what a buffer in blocks is addressed with.
  int64_t block = 0;
  Value outer = {}, inner = {};

  bool isConstant() const { return lo == hi; }
};
Index operator+(const Index &a, const Index &b);
Index operator-(const Index &a, const Index &b);
Index operator+(const Index &a, int64_t b);
Index operator-(const Index &a, int64_t b);
Index operator*(const Index &a, int64_t b);
/// Rounds towards zero; use where the value is not negative or the division is
/// exact.
Index operator/(const Index &a, int64_t b);
Index operator%(const Index &a, int64_t b);
Index min(const Index &a, const Index &b);
Index max(const Index &a, const Index &b);

/// A condition that may be known already.
struct Condition {
  KernelBuilder *k = nullptr;
  Value value; ///< null if known
  bool known = true;

  bool isKnown() const { return !value; }
};
Condition operator&&(const Condition &a, const Condition &b);
Condition operator!(const Condition &a);
/// `lo <= index < hi`.
Condition within(const Index &index, int64_t lo, int64_t hi);
Index select(const Condition &condition, const Index &a, const Index &b);
Condition operator==(const Index &a, const Index &b);

/// A number in the type that the kernel computes in.
struct Scalar {
  KernelBuilder *k = nullptr;
  Value value;
};
Scalar operator+(const Scalar &a, const Scalar &b);
Scalar operator-(const Scalar &a, const Scalar &b);
Scalar operator*(const Scalar &a, const Scalar &b);
Scalar operator/(const Scalar &a, const Scalar &b);
Scalar operator-(const Scalar &a);
/// Maximum and minimum that propagate NaN, so that the order does not matter.
Scalar max(const Scalar &a, const Scalar &b);
Scalar min(const Scalar &a, const Scalar &b);
Scalar exp(const Scalar &a);
Scalar log(const Scalar &a);
Scalar sqrt(const Scalar &a);
Scalar tanh(const Scalar &a);
Scalar abs(const Scalar &a);
Scalar erf(const Scalar &a);
Scalar log1p(const Scalar &a);
Scalar expm1(const Scalar &a);
/// The angle of the point (x, y), in (-pi, pi].
Scalar atan2(const Scalar &y, const Scalar &x);
/// The size of `a` with the sign of `sign`.
Scalar copySign(const Scalar &a, const Scalar &sign);
Scalar sin(const Scalar &a);
Scalar cos(const Scalar &a);
Scalar pow(const Scalar &a, const Scalar &b);
Condition compare(arith::CmpFPredicate predicate, const Scalar &a,
                  const Scalar &b);
Scalar select(const Condition &condition, const Scalar &a, const Scalar &b);
/// exp(x - maximum) for x <= maximum. It is 1 where both are the same
/// infinity, whose difference is no number.
Scalar expBelow(const Scalar &x, const Scalar &maximum);

/// Order of the elements of an image [N, C, H, W] in its buffer. The numbers
/// are as in the runtime's descriptors.
enum class ImageLayout : int64_t {
  ChannelsFirst = 0, ///< [N, C, H, W]
  ChannelsLast = 1,  ///< [N, H, W, C]
  Blocks8 = 8,       ///< [N, C / 8, H, W, 8]
  Blocks16 = 16,     ///< [N, C / 16, H, W, 16]
};
/// Channels of a block; 0 for layouts without blocks.
inline int64_t channelBlock(ImageLayout layout) {
  auto number = static_cast<int64_t>(layout);
  return number > 1 ? number : 0;
}
/// Which dim of the image is where in the buffer. In blocks, channels are at
/// two places: their blocks, and innermost what is inside of a block.
ArrayRef<unsigned> bufferOrder(ImageLayout layout);

/// A buffer of the kernel, read and written element by element. Indices and
/// shape of an image are of [N, C, H, W], whatever its layout.
class Tensor {
public:
  Tensor() = default;
  Tensor(KernelBuilder &k, Value buffer,
         ImageLayout layout = ImageLayout::ChannelsFirst);

  int64_t dim(size_t i) const {
    assert(i < dims.size() && "no such dim");
    return dims[i];
  }
  int64_t rank() const { return dims.size(); }
  ArrayRef<int64_t> shape() const { return dims; }
  ImageLayout getLayout() const { return layout; }
  /// Dims in the order of the buffer, outermost first; in blocks, channels
  /// twice.
  SmallVector<unsigned> bufferDims() const;
  Type elementType() const { return type.getElementType(); }
  Value getBuffer() const { return buffer; }

  Scalar operator()(ArrayRef<Index> indices) const;
  /// `neutral` outside of the tensor and where `condition` does not hold.
  Scalar guarded(ArrayRef<Index> indices, double neutral,
                 const Condition &condition = {}) const;
  void set(ArrayRef<Index> indices, const Scalar &value) const;
  /// The element as it is: no conversion to the type of computation.
  Value loadRaw(ArrayRef<Index> indices) const;
  void storeRaw(ArrayRef<Index> indices, Value value) const;
  /// Element of an integer tensor, with its range unknown.
  Index loadIndex(ArrayRef<Index> indices) const;
  /// The same elements as one row, in the order of the buffer.
  Tensor flattened() const;
  /// An image with channels last as a matrix, [N * H * W, C]; others as they
  /// are.
  Tensor positionsByChannels() const;
  /// So many dims after the other as one each.
  Tensor joined(ArrayRef<int64_t> counts) const;

private:
  KernelBuilder *k = nullptr;
  Value buffer;
  MemRefType type;
  ImageLayout layout = ImageLayout::ChannelsFirst;
  SmallVector<int64_t> dims;

  SmallVector<Value> positions(ArrayRef<Index> indices) const;
};

/// Inputs and outputs of the kernel, and everything that makes ops.
class KernelBuilder {
public:
  /// `fast` allows sums to be reassociated, so that they vectorize.
  /// `layouts` has the layouts of the buffers, inputs then outputs; empty: all
  /// as the op has them.
  KernelBuilder(OpBuilder &builder, Location loc, ArrayRef<Value> inputs,
                ArrayRef<Value> outputs, bool fast,
                ArrayRef<ImageLayout> layouts = {});

  OpBuilder &builder;
  Location loc;
  bool fast;
  /// Kernels of GPUs, where each iteration of a nest is a thread's: loops of
  /// one nest, the innermost along what lies next to each other in memory.
  bool forThreads = false;

  Tensor in(size_t i) const {
    assert(i < inputs.size() && "no such input");
    return inputs[i];
  }
  Tensor out(size_t i = 0) const {
    assert(i < outputs.size() && "no such output");
    return outputs[i];
  }
  size_t inputCount() const { return inputs.size(); }
  size_t outputCount() const { return outputs.size(); }

  Index constant(int64_t value) { return {this, nullptr, value, value}; }
  Value materialize(const Index &index);
  Value materialize(const Condition &condition);
  /// A constant of the type of computation.
  Scalar number(double value);
  Scalar toScalar(const Index &index);
  /// Memory of the kernel, which all of its loops see. Images of a layout have
  /// the shape of the buffer.
  Tensor allocate(ArrayRef<int64_t> shape, Type element,
                  ImageLayout layout = ImageLayout::ChannelsFirst);
  /// Memory of a block of iterations (Parallelize/CooperativeBlocks.h).
  Tensor allocateInBlock(ArrayRef<int64_t> shape, Type element);
  /// In the last of so many iterations, all of which are one after the other,
  /// behind all else in it: what their block ends with.
  void atBlockEnd(const Condition &isLast, int64_t iterations,
                  function_ref<void()> body);
  /// The loops around what is written next have independent iterations, though
  /// the positions that they write do not show it.
  void markIndependent();
  Type computeType() const { return compute; }
  arith::FastMathFlags flags() const;

  /// The layout of images, if some have another than the op: loops follow it.
  ImageLayout getLayout() const { return layout; }
  bool hasChannelsInside() const {
    return layout != ImageLayout::ChannelsFirst;
  }
  /// Loops over channels are inside of those over windows, for vectors.
  bool walksRows() const { return hasChannelsInside() && !forThreads; }

  /// Loops over `extents` in any order: the last innermost, or where images
  /// have another layout and there are four loops, in the order of the buffer.
  void forEachOf(ArrayRef<int64_t> extents,
                 function_ref<void(ArrayRef<Index>)> body);
  /// Loops over `extents`, the last innermost.
  void forEachInOrder(ArrayRef<int64_t> extents,
                      function_ref<void(ArrayRef<Index>)> body);
  using RowLoop = function_ref<void(function_ref<void(const Index &)>)>;
  /// Calls `body(n, h, w, channels)` for the positions of an image whose layout
  /// is that of the kernel and has channels inside; `channels` loops over those
  /// that lie next to each other there: all, or one block of them.
  void forEachRow(
      const Tensor &image,
      function_ref<void(const Index &, const Index &, const Index &, RowLoop)>
          body);
  /// Carries values through all iterations of the nest.
  SmallVector<Value> foldOf(
      ArrayRef<int64_t> extents, ArrayRef<Value> init,
      function_ref<SmallVector<Value>(ArrayRef<Index>, ArrayRef<Value>)> body);
  void ifThen(const Condition &condition, function_ref<void()> body);
  void ifThenElse(const Condition &condition, function_ref<void()> body,
                  function_ref<void()> otherwise);

  template <size_t N, typename Body>
  void forEach(const int64_t (&extents)[N], Body body) {
    forEachOf(extents,
              [&](ArrayRef<Index> i) { apply(body, i, sequence<N>()); });
  }
  template <size_t N, typename Body>
  Scalar sum(const int64_t (&extents)[N], Body body) {
    return reduce(extents, 0.0, [&](const Scalar &acc, auto... i) {
      return acc + body(i...);
    });
  }
  /// `body(acc, indices...)` folded over the nest, from `init`.
  template <size_t N, typename Body>
  Scalar reduce(const int64_t (&extents)[N], double init, Body body) {
    return {this,
            foldOf(extents, {number(init).value},
                   [&](ArrayRef<Index> i, ArrayRef<Value> acc) {
                     return SmallVector<Value>{
                         applyFold(body, Scalar{this, acc[0]}, i, sequence<N>())
                             .value};
                   })[0]};
  }
  /// As `reduce`, over any number of loops.
  Scalar reduceOf(ArrayRef<int64_t> extents, double init,
                  function_ref<Scalar(Scalar, ArrayRef<Index>)> body);
  Scalar sumOf(ArrayRef<int64_t> extents,
               function_ref<Scalar(ArrayRef<Index>)> body);

private:
  template <size_t N>
  using sequence = std::make_index_sequence<N>;
  template <typename Body, size_t... I>
  static auto apply(Body &body, ArrayRef<Index> i, std::index_sequence<I...>) {
    return body(i[I]...);
  }
  template <typename Body, size_t... I>
  static Scalar applyFold(Body &body, const Scalar &acc, ArrayRef<Index> i,
                          std::index_sequence<I...>) {
    return body(acc, i[I]...);
  }

  SmallVector<Tensor> inputs, outputs;
  ImageLayout layout = ImageLayout::ChannelsFirst;
  Type compute;
  /// Constants live at the start of the kernel, once each.
  llvm::DenseMap<Attribute, Value> constants;
  Value constantOp(TypedAttr attribute);
  /// The channel `inner` of block `outer`.
  Index inBlock(const Index &outer, const Index &inner);
};

/// f16 and bf16 compute in f32; other floats, and integers, in themselves.
Type computeTypeOf(Type element);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_REFERENCE_KERNELBUILDER_H
