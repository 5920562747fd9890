//===- OneDnnConv.h - A convolution primitive for one shape -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds and runs the oneDNN primitive of one convolution (forward or a
// gradient) on data of several layouts and OIHW weights. Operands are copied to
// the library's own layouts where that is faster; rows and columns that no
// window reads are cropped, which is also how negative padding works.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_KERNELS_ONEDNNCONV_H
#define SOAP_LIB_RUNTIME_KERNELS_ONEDNNCONV_H

#include "Runtime/Kernels/Kernels.h"

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

namespace soap::runtime {

/// Memory that all primitives of a thread share, for reordered operands and
/// library scratch. Grows, 64-byte aligned.
class Scratch {
public:
  char *reserve(size_t bytes);

private:
  std::vector<char> storage;
};

/// Keeps the library from AMX, unless `ONEDNN_MAX_CPU_ISA` says what it may
/// use. Of oneDNN 2.6.3, convolutions with AMX crash or give wrong gradients of
/// weights where the window is wider than the image. To be called before
/// anything else of the library.
void avoidAmx();
/// Whether this processor multiplies bf16, as far as oneDNN uses it
/// (`ONEDNN_MAX_CPU_ISA`).
bool multipliesBFloat16();
/// Whether an implementation is as fast as one expects of the library: not its
/// reference, nor, on bf16, one that computes on copies in f32.
bool isFast(const char *implementation, dnnl::memory::data_type type);

class OneDnnConv {
public:
  /// Null if oneDNN has no good implementation of the shape. `type`: of
  /// operands and result, f32 or bf16.
  static std::unique_ptr<OneDnnConv> create(const dnnl::engine &engine,
                                            ConvKind kind,
                                            const ConvShape &shape,
                                            dnnl::memory::data_type type);
  void run(dnnl::stream &stream, Scratch &scratch, const void *a, const void *b,
           void *result);
  const std::string &name() const { return label; }

private:
  /// One operand: the caller's tensor, perhaps cropped, and the layout that the
  /// primitive takes.
  struct Operand {
    dnnl::memory::desc user, inner;
    dnnl::memory userMemory, innerMemory;
    /// Copies between both; empty if they are one layout.
    dnnl::reorder reorder;
    bool reordered = false;
    size_t scratchOffset = 0;
  };

  /// How the primitive reads and writes images: as the caller has them,
  /// channels last, or in the layout that the library likes best.
  enum class DataLayout { AsIs, ChannelsLast, Any };
  /// With `anyWeights`, weights in the layout that the library likes best.
  bool build(const dnnl::engine &engine, DataLayout data, bool anyWeights);
  bool finish(const dnnl::engine &engine, bool cropped);

  ConvKind kind;
  ConvShape shape;
  dnnl::memory::data_type type;
  bool clearResult = false;
  Operand x, w, y;
  dnnl::primitive primitive;
  dnnl::memory scratchpad;
  size_t scratchpadOffset = 0, scratchBytes = 0;
  std::string label;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_KERNELS_ONEDNNCONV_H
