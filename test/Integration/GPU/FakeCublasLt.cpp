//===- FakeCublasLt.cpp - A stand-in for cuBLASLt -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FakeLibraries.h: matrices by columns with leading dimensions, types,
// batches, epilogues with their pointers.
//
//===----------------------------------------------------------------------===//

#include "FakeLibraries.h"
#include "FakeStreams.h"
#include "Runtime/Kernels/LibraryCalls.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace soap::fake;
using namespace soap::runtime;

namespace {

/// Attributes as bytes, by number.
struct Attributes {
  std::map<int, std::vector<char>> bytes;

  void set(int attribute, const void *data, size_t size) {
    const char *from = static_cast<const char *>(data);
    bytes[attribute].assign(from, from + size);
  }
  template <typename T>
  T get(int attribute, T otherwise) const {
    auto found = bytes.find(attribute);
    if (found == bytes.end())
      return otherwise;
    // Of another type: the caller has made a mistake.
    if (found->second.size() != sizeof(T))
      std::abort();
    T value;
    std::memcpy(&value, found->second.data(), sizeof value);
    return value;
  }
};

struct Desc : Attributes {
  cublasComputeType_t compute;
};
struct Layout : Attributes {
  cudaDataType_t type;
  int64_t rows, columns, ld;
};

const Desc &of(cublasLtMatmulDesc_t desc) {
  return *reinterpret_cast<const Desc *>(desc);
}
const Layout &of(cublasLtMatrixLayout_t layout) {
  return *reinterpret_cast<const Layout *>(layout);
}

template <typename T, typename Handle>
cublasStatus_t make(Handle *handle, T value) {
  ++libraryCalls().alive;
  *handle = reinterpret_cast<Handle>(new T(std::move(value)));
  return CUBLAS_STATUS_SUCCESS;
}
template <typename T>
cublasStatus_t destroy(void *handle) {
  --libraryCalls().alive;
  delete static_cast<T *>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

/// A product as the library has read it.
struct Product {
  Desc desc;
  Layout A, B, D;
  const void *a, *b;
  void *d;

  int32_t opA = desc.get<int32_t>(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N);
  int32_t opB = desc.get<int32_t>(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
  cublasLtEpilogue_t epilogue = cublasLtEpilogue_t(desc.get<uint32_t>(
      CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT));
  int64_t m = opA == CUBLAS_OP_N ? A.rows : A.columns;
  int64_t k = opA == CUBLAS_OP_N ? A.columns : A.rows;
  int64_t n = opB == CUBLAS_OP_N ? B.columns : B.rows;
  void *bias = desc.get<void *>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr);
  void *aux =
      desc.get<void *>(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, nullptr);
  int64_t auxLd = desc.get<int64_t>(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 0);
  int64_t auxStride =
      desc.get<int64_t>(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, 0);
  bool isGelu = epilogue == CUBLASLT_EPILOGUE_GELU_AUX ||
                epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
  bool isGeluGrad = epilogue == CUBLASLT_EPILOGUE_DGELU;

  bool isValid() const;
  void run() const;
};

constexpr float scale = 0.7978845608028654f, cube = 0.044715f;

} // namespace

float soap::fake::gelu(float x) {
  return 0.5f * x * (1 + std::tanh(scale * (x + cube * x * x * x)));
}

/// By a difference in f64, not by the formula under test.
float soap::fake::geluSlope(float x) {
  auto f = [](double x) {
    return 0.5 * x *
           (1 + std::tanh(double(scale) * (x + double(cube) * x * x * x)));
  };
  return float((f(x + 1e-5) - f(x - 1e-5)) / 2e-5);
}

extern "C" {
const char *cublasLtGetStatusName(cublasStatus_t) { return "name"; }
const char *cublasLtGetStatusString(cublasStatus_t) { return "text"; }
size_t cublasLtGetVersion() { return 130200; }
cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(8);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc,
                                        cublasComputeType_t compute,
                                        cudaDataType_t scaleType) {
  if (scaleType != CUDA_R_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return make(desc, Desc{{}, compute});
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  return destroy<Desc>(desc);
}
cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                               cublasLtMatmulDescAttributes_t attribute,
                               const void *data, size_t size) {
  reinterpret_cast<Desc *>(desc)->set(attribute, data, size);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld) {
  return make(layout, Layout{{}, type, int64_t(rows), int64_t(columns), ld});
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy<Layout>(layout);
}
cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                 cublasLtMatrixLayoutAttribute_t attribute,
                                 const void *data, size_t size) {
  reinterpret_cast<Layout *>(layout)->set(attribute, data, size);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  return make(preference, Attributes());
}
cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy<Attributes>(preference);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference,
    cublasLtMatmulPreferenceAttributes_t attribute, const void *data,
    size_t size) {
  reinterpret_cast<Attributes *>(preference)->set(attribute, data, size);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t,
    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
    cublasLtMatmulPreference_t preference, int most,
    cublasLtMatmulHeuristicResult_t results[], int *count) {
  LibraryCalls &calls = libraryCalls();
  if (calls.refusesEpilogues &&
      of(desc).get<uint32_t>(CUBLASLT_MATMUL_DESC_EPILOGUE,
                             CUBLASLT_EPILOGUE_DEFAULT) !=
          CUBLASLT_EPILOGUE_DEFAULT) {
    *count = 0;
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  const auto &limits = *reinterpret_cast<const Attributes *>(preference);
  auto workspace =
      limits.get<uint64_t>(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 0);
  const int attributes[] = {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
  for (int i = 0; i < 4; ++i)
    calls.alignment[i] = limits.get<uint32_t>(attributes[i], 256);
  *count = workspace >= calls.smallestWorkspace
               ? std::min(most, calls.productAlgorithms)
               : 0;
  for (int i = 0; i < *count; ++i) {
    results[i] = {};
    results[i].algo.data[0] = uint64_t(i);
    results[i].algo.data[7] = 0xabc;
    results[i].workspaceSize = calls.smallestWorkspace;
    results[i].state = CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_SUCCESS;
}
} // extern "C"

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

bool Product::isValid() const {
  if ((opB == CUBLAS_OP_N ? B.rows : B.columns) != k || D.rows != m ||
      D.columns != n || A.ld < A.rows || B.ld < B.rows || D.ld < D.rows ||
      A.type != B.type || (A.type == CUDA_R_32F && D.type != CUDA_R_32F))
    return false;
  return !(isGelu || isGeluGrad) || (auxLd % 8 == 0 && auxLd >= m && aux);
}

void Product::run() const {
  auto batch = D.get<int32_t>(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 1);
  auto strideOf = [](const Layout &layout) {
    return layout.get<int64_t>(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 0);
  };
  for (int64_t s = 0; s < batch; ++s)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t l = 0; l < k; ++l) {
          int64_t left = opA == CUBLAS_OP_N ? i + l * A.ld : l + i * A.ld;
          int64_t right = opB == CUBLAS_OP_N ? l + j * B.ld : j + l * B.ld;
          float x = load(a, A.type, s * strideOf(A) + left);
          float y = load(b, B.type, s * strideOf(B) + right);
          if (desc.compute == CUBLAS_COMPUTE_32F_FAST_TF32)
            x = toTF32(x), y = toTF32(y);
          sum += x * y;
        }
        int64_t beside = s * auxStride + i + j * auxLd;
        if (epilogue & CUBLASLT_EPILOGUE_BIAS)
          sum += load(bias, D.type, i);
        if ((epilogue & ~CUBLASLT_EPILOGUE_BIAS) == CUBLASLT_EPILOGUE_RELU)
          sum = std::fmax(sum, 0.0f);
        if (isGelu) {
          store(aux, D.type, beside, sum);
          sum = gelu(sum);
        }
        if (isGeluGrad)
          sum *= geluSlope(load(aux, D.type, beside));
        bool isLast = s + 1 == batch && i + 1 == m && j + 1 == n;
        if (isLast && isWrong("cublasLtMatmul"))
          sum += 1;
        store(d, D.type, s * strideOf(D) + i + j * D.ld, sum);
      }
  if (epilogue == CUBLASLT_EPILOGUE_BGRADA)
    for (int64_t i = 0; i < m; ++i) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum +=
            load(a, A.type, opA == CUBLAS_OP_N ? i + l * A.ld : l + i * A.ld);
      store(bias, D.type, i, sum);
    }
  if (epilogue == CUBLASLT_EPILOGUE_BGRADB)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum +=
            load(b, B.type, opB == CUBLAS_OP_N ? l + j * B.ld : j + l * B.ld);
      store(bias, D.type, j, sum);
    }
}

extern "C" cublasStatus_t
cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc, const void *alpha,
               const void *a, cublasLtMatrixLayout_t aLayout, const void *b,
               cublasLtMatrixLayout_t bLayout, const void *beta, const void *c,
               cublasLtMatrixLayout_t cLayout, void *d,
               cublasLtMatrixLayout_t dLayout, const cublasLtMatmulAlgo_t *algo,
               void *workspace, size_t bytes, cudaStream_t stream) {
  LibraryCalls &calls = libraryCalls();
  ++calls.products;
  Product product{of(desc), of(aLayout), of(bLayout), of(dLayout), a, b, d};
  calls.compute = product.desc.compute;
  calls.productWorkspace = bytes;
  if (c != d || cLayout != dLayout || !algo || (bytes && !workspace) ||
      reinterpret_cast<uintptr_t>(workspace) % 256 != 0 ||
      *static_cast<const float *>(alpha) != 1 ||
      *static_cast<const float *>(beta) != 0 || !product.isValid() ||
      algo->data[7] != 0xabc)
    return CUBLAS_STATUS_INVALID_VALUE;
  calls.productAlgorithm = algo->data[0];
  if (int(calls.productAlgorithm) == calls.failing)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  double time = calls.timeOf(int(calls.productAlgorithm));
  cudaError_t error = give(stream, [product, time] {
    product.run();
    pass(time);
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                              : CUBLAS_STATUS_EXECUTION_FAILED;
}
