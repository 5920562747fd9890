//===- CudaMatmul.cpp - Products by cuBLASLt ------------------------------===//
//
// cuBLASLt knows matrices by columns: a matrix by rows is its transpose, so the
// product is that of the transposes, in the other order. What has a number per
// column here has one per row there, which is what epilogues want.
//
//===----------------------------------------------------------------------===//

#include "CudaMatmul.h"

#include <algorithm>
#include <limits>

using namespace soap;
using namespace soap::runtime;

/// What cuBLASLt needs to know of a product, and the algorithm it proposes.
struct CudaMatmul::Plan {
  cublasLtMatmulDesc_t desc = nullptr;
  /// In cuBLASLt's order: its first operand is b.
  cublasLtMatrixLayout_t first = nullptr, second = nullptr, result = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
  size_t workspaceBytes = 0;

  ~Plan() {
    for (cublasLtMatrixLayout_t layout : {first, second, result})
      if (layout)
        cublasLtMatrixLayoutDestroy(layout);
    if (desc)
      cublasLtMatmulDescDestroy(desc);
  }

  MaybeError describe(const MatmulCall &call);
  MaybeError describeEpilogue(const MatmulCall &call);
  /// Pointers of the epilogue, which are part of the description.
  MaybeError bind(const MatmulCall &call, const MatmulBuffers &buffers);
  MaybeError choose(cublasLtHandle_t blas, const MatmulCall &call,
                    const Alignment &alignment);

  template <typename T>
  MaybeError set(cublasLtMatmulDescAttributes_t attribute, T value) {
    SOAP_CUDA(cublasLtMatmulDescSetAttribute, desc, attribute, &value,
              sizeof value);
    return std::nullopt;
  }
};

#define SOAP_TRY(call)                                                         \
  do                                                                           \
    if (MaybeError soapError = call)                                           \
      return soapError;                                                        \
  while (false)

/// A matrix as cuBLASLt sees it, `batch` of them one after the other.
static MaybeError makeLayout(cublasLtMatrixLayout_t &layout,
                             cudaDataType_t type, int64_t rows, int64_t columns,
                             int64_t batch) {
  SOAP_CUDA(cublasLtMatrixLayoutCreate, &layout, type, uint64_t(rows),
            uint64_t(columns), rows);
  if (batch == 1)
    return std::nullopt;
  auto count = int32_t(batch);
  int64_t stride = rows * columns;
  SOAP_CUDA(cublasLtMatrixLayoutSetAttribute, layout,
            CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
  SOAP_CUDA(cublasLtMatrixLayoutSetAttribute, layout,
            CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
            sizeof stride);
  return std::nullopt;
}

MaybeError CudaMatmul::Plan::describe(const MatmulCall &call) {
  const MatmulShape &s = call.shape;
  SOAP_CUDA(cublasLtMatmulDescCreate, &desc,
            call.precision == Precision::TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                              : CUBLAS_COMPUTE_32F,
            CUDA_R_32F);
  SOAP_TRY(set(CUBLASLT_MATMUL_DESC_TRANSA,
               int32_t(s.transposeB ? CUBLAS_OP_T : CUBLAS_OP_N)));
  SOAP_TRY(set(CUBLASLT_MATMUL_DESC_TRANSB,
               int32_t(s.transposeA ? CUBLAS_OP_T : CUBLAS_OP_N)));
  SOAP_TRY(describeEpilogue(call));
  auto type = call.precision == Precision::BF16 ? CUDA_R_16BF : CUDA_R_32F;
  SOAP_TRY(makeLayout(first, type, s.transposeB ? s.k : s.n,
                      s.transposeB ? s.n : s.k, s.batch));
  SOAP_TRY(makeLayout(second, type, s.transposeA ? s.m : s.k,
                      s.transposeA ? s.k : s.m, s.batch));
  return makeLayout(result, call.narrowResult ? CUDA_R_16BF : CUDA_R_32F, s.n,
                    s.m, s.batch);
}

static cublasLtEpilogue_t nativeEpilogue(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::None:
    return CUBLASLT_EPILOGUE_DEFAULT;
  case Epilogue::Bias:
    return CUBLASLT_EPILOGUE_BIAS;
  case Epilogue::Relu:
    return CUBLASLT_EPILOGUE_RELU;
  case Epilogue::BiasRelu:
    return CUBLASLT_EPILOGUE_RELU_BIAS;
  case Epilogue::Gelu:
    return CUBLASLT_EPILOGUE_GELU_AUX;
  case Epilogue::BiasGelu:
    return CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
  case Epilogue::GeluGrad:
    return CUBLASLT_EPILOGUE_DGELU;
  // Its first operand is b.
  case Epilogue::BiasGradOfA:
    return CUBLASLT_EPILOGUE_BGRADB;
  case Epilogue::BiasGradOfB:
    return CUBLASLT_EPILOGUE_BGRADA;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

/// Whether gelu was or is taken of another buffer.
static bool hasAux(Epilogue epilogue) {
  return epilogue == Epilogue::Gelu || epilogue == Epilogue::BiasGelu ||
         epilogue == Epilogue::GeluGrad;
}

MaybeError CudaMatmul::Plan::describeEpilogue(const MatmulCall &call) {
  SOAP_TRY(set(CUBLASLT_MATMUL_DESC_EPILOGUE,
               uint32_t(nativeEpilogue(call.epilogue))));
  if (hasAux(call.epilogue)) {
    SOAP_TRY(set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t(call.shape.n)));
    SOAP_TRY(set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE,
                 int64_t(call.shape.n * call.shape.m)));
  }
  return std::nullopt;
}

MaybeError CudaMatmul::Plan::bind(const MatmulCall &call,
                                  const MatmulBuffers &buffers) {
  if (hasBias(call.epilogue))
    SOAP_TRY(set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, buffers.third));
  if (isBiasGrad(call.epilogue))
    SOAP_TRY(set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, buffers.second));
  if (call.epilogue == Epilogue::GeluGrad)
    SOAP_TRY(set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, buffers.third));
  else if (hasAux(call.epilogue))
    SOAP_TRY(set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, buffers.second));
  return std::nullopt;
}

namespace {
/// What an algorithm may use.
struct Preference {
  cublasLtMatmulPreference_t native = nullptr;

  Preference() = default;
  Preference(const Preference &) = delete;
  Preference &operator=(const Preference &) = delete;
  ~Preference() {
    if (native)
      cublasLtMatmulPreferenceDestroy(native);
  }

  template <typename T>
  MaybeError set(cublasLtMatmulPreferenceAttributes_t attribute, T value) {
    SOAP_CUDA(cublasLtMatmulPreferenceSetAttribute, native, attribute, &value,
              sizeof value);
    return std::nullopt;
  }
};
} // namespace

MaybeError CudaMatmul::Plan::choose(cublasLtHandle_t blas,
                                    const MatmulCall &call,
                                    const Alignment &alignment) {
  Preference preference;
  SOAP_CUDA(cublasLtMatmulPreferenceCreate, &preference.native);
  SOAP_TRY(preference.set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                          uint64_t(call.workspace)));
  SOAP_TRY(
      preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment[1]));
  SOAP_TRY(
      preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment[0]));
  SOAP_TRY(
      preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment[2]));
  SOAP_TRY(
      preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment[2]));
  cublasLtMatmulHeuristicResult_t proposal = {};
  int count = 0;
  SOAP_CUDA(cublasLtMatmulAlgoGetHeuristic, blas, desc, first, second, result,
            result, preference.native, 1, &proposal, &count);
  if (count < 1 || proposal.state != CUBLAS_STATUS_SUCCESS)
    return Error{"cublasLtMatmulAlgoGetHeuristic: no algorithm for a product "
                 "with a workspace of " +
                 std::to_string(call.workspace) + " bytes"};
  algorithm = proposal.algo;
  workspaceBytes = proposal.workspaceSize;
  return std::nullopt;
}

CudaMatmul::CudaMatmul() = default;

CudaMatmul::~CudaMatmul() {
  plans.clear();
  if (blas)
    cublasLtDestroy(blas);
}

MaybeError CudaMatmul::open() {
  SOAP_CUDA(cublasLtCreate, &blas);
  return std::nullopt;
}

static uint32_t alignmentOf(const void *pointer) {
  auto address = reinterpret_cast<uintptr_t>(pointer) | 256;
  return uint32_t(address & -address);
}

Expected<CudaMatmul::Plan *> CudaMatmul::find(const MatmulCall &call,
                                              const MatmulBuffers &buffers) {
  Alignment alignment{
      alignmentOf(buffers.a),      alignmentOf(buffers.b),
      alignmentOf(buffers.y),      alignmentOf(buffers.third),
      alignmentOf(buffers.second), alignmentOf(buffers.workspace)};
  std::unique_ptr<Plan> &known = plans[{call, alignment}];
  if (!known) {
    auto made = std::make_unique<Plan>();
    if (MaybeError error = made->describe(call))
      return *error;
    // What the epilogue reads counts for the choice, too.
    if (MaybeError error = made->bind(call, buffers))
      return *error;
    if (MaybeError error = made->choose(blas, call, alignment))
      return *error;
    known = std::move(made);
  }
  return known.get();
}

MaybeError CudaMatmul::run(const MatmulCall &call, const MatmulBuffers &buffers,
                           cudaStream_t stream) {
  const MatmulShape &s = call.shape;
  int64_t volume = call.resultVolume();
  if (volume == 0)
    return std::nullopt;
  if (s.k == 0) {
    if (call.epilogue != Epilogue::None)
      return Error{"a product over nothing has no epilogue"};
    SOAP_CUDA(cudaMemsetAsync, buffers.y, 0,
              size_t(volume * (call.narrowResult ? 2 : 4)), stream);
    return std::nullopt;
  }
  for (int64_t extent : {s.batch, s.m, s.n, s.k})
    if (extent < 0 || extent > std::numeric_limits<int>::max())
      return Error{"a matrix has an extent beyond 2147483647"};
  auto plan = find(call, buffers);
  if (!plan)
    return plan.takeError();
  Plan &p = **plan;
  SOAP_TRY(p.bind(call, buffers));
  float one = 1, zero = 0;
  SOAP_CUDA(cublasLtMatmul, blas, p.desc, &one, buffers.b, p.first, buffers.a,
            p.second, &zero, buffers.y, p.result, buffers.y, p.result,
            &p.algorithm, buffers.workspace, p.workspaceBytes, stream);
  return std::nullopt;
}
