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
                                              const MatmulShape &s) {
    auto f32 = dnnl::memory::data_type::f32;
    try {
      dnnl::memory::desc da({s.batch, s.m, s.k}, f32,
                            strides(s.m, s.k, s.transposeA)),
          db({s.batch, s.k, s.n}, f32, strides(s.k, s.n, s.transposeB)),
          dy({s.batch, s.m, s.n}, f32, strides(s.m, s.n, false));
      dnnl::matmul::primitive_desc pd(dnnl::matmul::desc(da, db, dy), engine);
      if (std::string(pd.impl_info_str()).rfind("ref", 0) == 0)
        return nullptr;
      auto result = std::make_unique<OneDnnMatmul>();
      result->a = dnnl::memory(da, engine, nullptr);
      result->b = dnnl::memory(db, engine, nullptr);
      result->y = dnnl::memory(dy, engine, nullptr);
      result->primitive = dnnl::matmul(pd);
      return result;
    } catch (const dnnl::error &) {
      return nullptr;
    }
  }

  void run(dnnl::stream &stream, const float *pa, const float *pb, float *py) {
    a.set_data_handle(const_cast<float *>(pa));
    b.set_data_handle(const_cast<float *>(pb));
    y.set_data_handle(py);
    primitive.execute(
        stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, y}});
    stream.wait();
  }
};

} // namespace

struct KernelCache::Impl {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  Scratch scratch;
  // Null entries: the direct kernel.
  std::map<std::pair<ConvKind, ConvShape>, std::unique_ptr<OneDnnConv>> convs;
  std::map<MatmulShape, std::unique_ptr<OneDnnMatmul>> matmuls;

  OneDnnConv *find(ConvKind kind, const ConvShape &shape) {
    auto [it, isNew] = convs.try_emplace({kind, shape});
    if (isNew && shape.work())
      it->second = OneDnnConv::create(engine, kind, shape);
    return it->second.get();
  }
};

KernelCache::KernelCache() : impl(std::make_unique<Impl>()) {}
KernelCache::~KernelCache() = default;

void KernelCache::conv(ConvKind kind, const ConvShape &shape, const float *a,
                       const float *b, float *result) {
  if (OneDnnConv *conv = impl->find(kind, shape))
    conv->run(impl->stream, impl->scratch, a, b, result);
  else
    convDirect(kind, shape, a, b, result);
}

std::string KernelCache::implementation(ConvKind kind, const ConvShape &shape) {
  OneDnnConv *conv = impl->find(kind, shape);
  return conv ? conv->name() : "direct";
}

void KernelCache::matmul(const MatmulShape &s, const float *a, const float *b,
                         float *y) {
  if (s.batch * s.m * s.n == 0)
    return;
  if (s.k == 0) {
    std::fill_n(y, s.batch * s.m * s.n, 0.0f);
    return;
  }
  auto [it, isNew] = impl->matmuls.try_emplace(s);
  if (isNew)
    it->second = OneDnnMatmul::create(impl->engine, s);
  if (it->second)
    it->second->run(impl->stream, a, b, y);
  else
    matmulDirect(s, a, b, y);
}
