//===- KernelCacheDirect.cpp - Library kernels without a library ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In place of KernelCache.cpp where there is no oneDNN, as on machines that
// only run programs on GPUs: the direct kernels, which are right and slow.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernels/Kernels.h"

using namespace soap::runtime;

struct KernelCache::Impl {};

KernelCache::KernelCache() = default;
KernelCache::~KernelCache() = default;

void KernelCache::conv(ConvKind kind, const ConvShape &shape, const float *a,
                       const float *b, float *result) {
  convDirect(kind, shape, a, b, result);
}

void KernelCache::matmul(const MatmulShape &shape, const float *a,
                         const float *b, float *y) {
  matmulDirect(shape, a, b, y);
}

void KernelCache::conv(ConvKind kind, const ConvShape &shape, const uint16_t *a,
                       const uint16_t *b, uint16_t *result) {
  std::vector<float> storage;
  runInF32(sizesOf(kind, shape), a, b, result, storage,
           [&](const float *a, const float *b, float *result) {
             convDirect(kind, shape, a, b, result);
           });
}

void KernelCache::matmul(const MatmulShape &shape, const uint16_t *a,
                         const uint16_t *b, uint16_t *y) {
  std::vector<float> storage;
  runInF32(sizesOf(shape), a, b, y, storage,
           [&](const float *a, const float *b, float *y) {
             matmulDirect(shape, a, b, y);
           });
}

void KernelCache::matmul(const MatmulShape &shape, const uint16_t *a,
                         const uint16_t *b, float *y) {
  std::vector<float> storage;
  runInF32(sizesOf(shape), a, b, y, storage,
           [&](const float *a, const float *b, float *y) {
             matmulDirect(shape, a, b, y);
           });
}

std::string KernelCache::implementation(ConvKind, const ConvShape &) {
  return "direct";
}

std::string KernelCache::narrowImplementation(ConvKind, const ConvShape &) {
  return "f32";
}
