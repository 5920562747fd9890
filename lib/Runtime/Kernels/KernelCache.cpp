//===- KernelCache.cpp - Primitives of one device thread ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds or makes the primitive of a shape, and decides between oneDNN and the
// direct kernels. KernelCacheDirect.cpp is for builds without oneDNN.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernels/Kernels.h"
#include "Runtime/Kernels/OneDnnConv.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <type_traits>

using namespace soap::runtime;

namespace {

dnnl::memory::dims strides(int64_t rows, int64_t cols, bool transposed) {
  return transposed ? dnnl::memory::dims{rows * cols, 1, rows}
                    : dnnl::memory::dims{rows * cols, cols, 1};
}

/// A batched matrix product for one shape.
struct OneDnnMatmul {
  dnnl::memory a, b, y;
  dnnl::matmul primitive;

  /// Null if oneDNN has no good implementation.
  static std::unique_ptr<OneDnnMatmul> create(const dnnl::engine &engine,
                                              const MatmulShape &s,
                                              dnnl::memory::data_type type,
                                              dnnl::memory::data_type result) {
    try {
      dnnl::memory::desc da({s.batch, s.m, s.k}, type,
                            strides(s.m, s.k, s.transposeA)),
          db({s.batch, s.k, s.n}, type, strides(s.k, s.n, s.transposeB)),
          dy({s.batch, s.m, s.n}, result, strides(s.m, s.n, false));
      dnnl::matmul::primitive_desc pd(dnnl::matmul::desc(da, db, dy), engine);
      if (!isFast(pd.impl_info_str(), type))
        return nullptr;
      auto made = std::make_unique<OneDnnMatmul>();
      made->a = dnnl::memory(da, engine, nullptr);
      made->b = dnnl::memory(db, engine, nullptr);
      made->y = dnnl::memory(dy, engine, nullptr);
      made->primitive = dnnl::matmul(pd);
      return made;
    } catch (const dnnl::error &) {
      return nullptr;
    }
  }

  void run(dnnl::stream &stream, const void *pa, const void *pb, void *py) {
    a.set_data_handle(const_cast<void *>(pa));
    b.set_data_handle(const_cast<void *>(pb));
    y.set_data_handle(py);
    primitive.execute(
        stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, y}});
    stream.wait();
  }
};

} // namespace

struct KernelCache::Impl {
  static dnnl::engine makeEngine() {
    avoidAmx();
    return {dnnl::engine::kind::cpu, 0};
  }

  dnnl::engine engine = makeEngine();
  dnnl::stream stream{engine};
  Scratch scratch;
  std::vector<float> wide; ///< copies of operands of bf16
  const bool multipliesNarrow = multipliesBFloat16();
  using Type = dnnl::memory::data_type;
  // Null entries: the direct kernel, or, of bf16, the one of f32.
  std::map<std::tuple<Type, ConvKind, ConvShape>, std::unique_ptr<OneDnnConv>>
      convs;
  // By the types of operands and result.
  std::map<std::tuple<Type, Type, MatmulShape>, std::unique_ptr<OneDnnMatmul>>
      matmuls;

  /// Whether the library is asked for a type.
  bool computes(Type type) const {
    return type == Type::f32 || multipliesNarrow;
  }

  OneDnnConv *find(Type type, ConvKind kind, const ConvShape &shape) {
    auto [it, isNew] = convs.try_emplace({type, kind, shape});
    if (isNew && shape.work() && computes(type))
      it->second = OneDnnConv::create(engine, kind, shape, type);
    return it->second.get();
  }

  OneDnnMatmul *find(Type type, Type result, const MatmulShape &shape) {
    auto [it, isNew] = matmuls.try_emplace({type, result, shape});
    if (isNew && computes(type))
      it->second = OneDnnMatmul::create(engine, shape, type, result);
    return it->second.get();
  }

  /// On operands of bf16, by `inF32` where the library has nothing better.
  template <typename Number, typename Kernel>
  void matmul(const MatmulShape &s, const uint16_t *a, const uint16_t *b,
              Number *y, Kernel inF32) {
    if (isEmpty(s, y))
      return;
    constexpr Type result =
        std::is_same_v<Number, float> ? Type::f32 : Type::bf16;
    if (OneDnnMatmul *matmul = find(Type::bf16, result, s))
      return matmul->run(stream, a, b, y);
    runInF32(sizesOf(s), a, b, y, wide, inF32);
  }

  /// Zeros where there is nothing to multiply; whether that was all.
  template <typename Number>
  static bool isEmpty(const MatmulShape &s, Number *y) {
    if (s.k == 0)
      std::fill_n(y, s.batch * s.m * s.n, Number(0));
    return s.k == 0 || s.batch * s.m * s.n == 0;
  }
};

KernelCache::KernelCache() : impl(std::make_unique<Impl>()) {}
KernelCache::~KernelCache() = default;

void KernelCache::conv(ConvKind kind, const ConvShape &shape, const float *a,
                       const float *b, float *result) {
  if (OneDnnConv *conv = impl->find(Impl::Type::f32, kind, shape))
    conv->run(impl->stream, impl->scratch, a, b, result);
  else
    convDirect(kind, shape, a, b, result);
}

void KernelCache::conv(ConvKind kind, const ConvShape &shape, const uint16_t *a,
                       const uint16_t *b, uint16_t *result) {
  if (OneDnnConv *conv = impl->find(Impl::Type::bf16, kind, shape))
    return conv->run(impl->stream, impl->scratch, a, b, result);
  runInF32(sizesOf(kind, shape), a, b, result, impl->wide,
           [&](const float *a, const float *b, float *result) {
             conv(kind, shape, a, b, result);
           });
}

std::string KernelCache::implementation(ConvKind kind, const ConvShape &shape) {
  OneDnnConv *conv = impl->find(Impl::Type::f32, kind, shape);
  return conv ? conv->name() : "direct";
}

std::string KernelCache::narrowImplementation(ConvKind kind,
                                              const ConvShape &shape) {
  OneDnnConv *conv = impl->find(Impl::Type::bf16, kind, shape);
  return conv ? conv->name() : "f32";
}

void KernelCache::matmul(const MatmulShape &s, const float *a, const float *b,
                         float *y) {
  if (Impl::isEmpty(s, y))
    return;
  if (OneDnnMatmul *matmul = impl->find(Impl::Type::f32, Impl::Type::f32, s))
    matmul->run(impl->stream, a, b, y);
  else
    matmulDirect(s, a, b, y);
}

void KernelCache::matmul(const MatmulShape &s, const uint16_t *a,
                         const uint16_t *b, uint16_t *y) {
  impl->matmul(s, a, b, y, [&](const float *a, const float *b, float *y) {
    matmul(s, a, b, y);
  });
}

void KernelCache::matmul(const MatmulShape &s, const uint16_t *a,
                         const uint16_t *b, float *y) {
  impl->matmul(s, a, b, y, [&](const float *a, const float *b, float *y) {
    matmul(s, a, b, y);
  });
}
