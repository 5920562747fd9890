//===- CudaMatmul.cpp - Products by cuBLASLt ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLASLt knows matrices by columns: a matrix by rows is its transpose, so the
// product is that of the transposes, in the other order. A bias has a
// number per column here and one per row there, as epilogues need it.
//
//===----------------------------------------------------------------------===//

#include "CudaMatmul.h"

#include "Runtime/CuDNN/EpilogueGraph.h"

#include <algorithm>
#include <cstdio>
#include <limits>

using namespace soap;
using namespace soap::runtime;

/// A plain product and its epilogue apart: of elements a graph that reads the
/// sums, of the gradient of a bias a product with ones.
struct CudaMatmul::Substitute {
  MatmulCall product;
  std::unique_ptr<EpilogueGraph> graph;
  size_t engine = 0, workspaceBytes = 0;
  MatmulCall sum;
  void *ones = nullptr;

  Substitute() = default;
  Substitute(const Substitute &) = delete;
  Substitute &operator=(const Substitute &) = delete;
  ~Substitute() { cudaFree(ones); }

  /// Bytes of the sums that the graph reads, a multiple of 256.
  size_t sumBytes() const {
    return graph ? (size_t(product.resultVolume()) * 4 + 255) / 256 * 256 : 0;
  }
  /// The buffers of the product, whose result is at `sums` with a graph.
  MatmulBuffers ofProduct(const MatmulBuffers &all, void *sums) const {
    return {all.a,   all.b,        nullptr, graph ? sums : all.y,
            nullptr, all.workspace};
  }
  /// The buffers of the product with ones.
  MatmulBuffers ofSum(Epilogue epilogue, const MatmulBuffers &all) const {
    bool ofA = epilogue == Epilogue::BiasGradOfA;
    return {
        ofA ? all.a : ones, ofA ? ones : all.b, nullptr, all.second, nullptr,
        all.workspace};
  }
};

/// The descriptors of a product for cuBLASLt, and the algorithms it proposes.
struct CudaMatmul::Plan {
  cublasLtMatmulDesc_t desc = nullptr;
  /// In cuBLASLt's order: its first operand is b.
  cublasLtMatrixLayout_t first = nullptr, second = nullptr, result = nullptr;
  std::vector<cublasLtMatmulHeuristicResult_t> proposals;
  size_t chosen = 0;
  std::unique_ptr<Substitute> substitute; ///< null: a proposal is taken

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
  MaybeError propose(cublasLtHandle_t blas, const MatmulCall &call,
                     const Alignment &alignment, int maxAlgorithms);

  template <typename T>
  MaybeError set(cublasLtMatmulDescAttributes_t attribute, T value) {
    SOAP_CUDA(cublasLtMatmulDescSetAttribute, desc, attribute, &value,
              sizeof value);
    return std::nullopt;
  }
};

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
  case Epilogue::ReluGrad: // of convolutions only
    break;
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
/// The limits of an algorithm.
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

MaybeError CudaMatmul::Plan::propose(cublasLtHandle_t blas,
                                     const MatmulCall &call,
                                     const Alignment &alignment,
                                     int maxAlgorithms) {
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
  std::vector<cublasLtMatmulHeuristicResult_t> results(size_t(maxAlgorithms),
                                                       {{}, {}, {}, {}, {}});
  int count = 0;
  SOAP_CUDA(cublasLtMatmulAlgoGetHeuristic, blas, desc, first, second, result,
            result, preference.native, maxAlgorithms, results.data(), &count);
  results.resize(size_t(std::clamp(count, 0, maxAlgorithms)));
  for (const auto &proposal : results)
    if (proposal.state == CUBLAS_STATUS_SUCCESS)
      proposals.push_back(proposal);
  if (proposals.empty())
    return Error{"cublasLtMatmulAlgoGetHeuristic: no algorithm for a product "
                 "with a workspace of " +
                 std::to_string(call.workspace) + " bytes"};
  return std::nullopt;
}

CudaMatmul::CudaMatmul() = default;

CudaMatmul::~CudaMatmul() {
  plans.clear();
  if (blas)
    cublasLtDestroy(blas);
}

MaybeError CudaMatmul::open(cudnnHandle_t handle, const CudaTuning *how) {
  dnn = handle;
  tuning = how;
  SOAP_CUDA(cublasLtCreate, &blas);
  return std::nullopt;
}

static uint32_t alignmentOf(const void *pointer) {
  auto address = reinterpret_cast<uintptr_t>(pointer) | 256;
  return uint32_t(address & -address);
}

/// The algorithm as text. The same version of the library can read it again, as
/// its documentation says.
static std::string nameOf(const cublasLtMatmulAlgo_t &algorithm) {
  std::string text = "algorithm";
  for (uint64_t word : algorithm.data) {
    char digits[20];
    std::snprintf(digits, sizeof digits, " %llx",
                  static_cast<unsigned long long>(word));
    text += digits;
  }
  return text;
}

/// The call, for people and as part of a key.
static std::string describe(const MatmulCall &call) {
  const MatmulShape &s = call.shape;
  static const char *const precisions[] = {"f32", "tf32", "bf16"};
  std::string text =
      std::string("matmul ") + precisions[size_t(call.precision)] +
      (call.narrowResult ? " to bf16" : "") +
      " batch=" + std::to_string(s.batch) + " m=" + std::to_string(s.m) +
      " n=" + std::to_string(s.n) + " k=" + std::to_string(s.k) +
      (s.transposeA ? " transpose_a" : "") +
      (s.transposeB ? " transpose_b" : "") +
      " epilogue=" + std::to_string(int64_t(call.epilogue)) +
      " workspace=" + std::to_string(call.workspace);
  return text;
}

static std::string keyOf(const MatmulCall &call,
                         const std::array<uint32_t, 6> &alignment) {
  std::string text = describe(call) + " aligned=";
  for (size_t i = 0; i < alignment.size(); ++i)
    text += (i ? "," : "") + std::to_string(alignment[i]);
  return text;
}

MaybeError CudaMatmul::launch(const Plan &plan, size_t proposal,
                              const MatmulBuffers &buffers,
                              cudaStream_t stream) {
  float one = 1, zero = 0;
  const cublasLtMatmulHeuristicResult_t &how = plan.proposals[proposal];
  SOAP_CUDA(cublasLtMatmul, blas, plan.desc, &one, buffers.b, plan.first,
            buffers.a, plan.second, &zero, buffers.y, plan.result, buffers.y,
            plan.result, &how.algo, buffers.workspace, how.workspaceSize,
            stream);
  return std::nullopt;
}

Autotuner::Measure CudaMatmul::measureOf(Plan &plan, const MatmulCall &call,
                                         const Alignment &alignment,
                                         CudaTimer &timer) {
  return [&, buffers = MatmulBuffers{}](
             size_t candidate) mutable -> Expected<double> {
    if (!buffers.y) {
      const MatmulShape &s = call.shape;
      int64_t from = call.precision == Precision::BF16 ? 2 : 4;
      int64_t to = call.narrowResult ? 2 : 4;
      const int64_t bytes[6] = {
          from * s.batch * s.m * s.k, from * s.batch * s.k * s.n,
          to * call.resultVolume(),   to * call.thirdVolume(),
          to * call.secondVolume(),   call.workspace};
      void *places[6] = {};
      for (size_t i = 0; i < 6; ++i) {
        auto place = timer.scratch(bytes[i], alignment[i]);
        if (!place)
          return place.takeError();
        places[i] = *place;
      }
      buffers = {places[0], places[1], places[3],
                 places[2], places[4], places[5]};
      if (MaybeError error = plan.bind(call, buffers))
        return *error;
    }
    return timer.measure([&](cudaStream_t stream) {
      return launch(plan, candidate, buffers, stream);
    });
  };
}

Expected<CudaMatmul::Plan *> CudaMatmul::find(const MatmulCall &call,
                                              const MatmulBuffers &buffers,
                                              bool mayMeasure) {
  Alignment alignment{
      alignmentOf(buffers.a),      alignmentOf(buffers.b),
      alignmentOf(buffers.y),      alignmentOf(buffers.third),
      alignmentOf(buffers.second), alignmentOf(buffers.workspace)};
  if (!plans[{call, alignment}]) {
    auto made = std::make_unique<Plan>();
    if (MaybeError error = made->describe(call))
      return *error;
    // Operands of the epilogue count for the choice, too.
    if (MaybeError error = made->bind(call, buffers))
      return *error;
    constexpr int several = 8;
    bool chooses = tuning && tuning->tuner;
    if (MaybeError error =
            made->propose(blas, call, alignment, chooses ? several : 1)) {
      if (call.epilogue == Epilogue::None)
        return *error;
      auto other = substitute(call, buffers, mayMeasure, *error);
      if (!other)
        return other.takeError();
      made->substitute = std::move(*other);
    } else if (chooses) {
      std::vector<std::string> names;
      for (const auto &proposal : made->proposals)
        names.push_back(nameOf(proposal.algo));
      CudaTimer timer;
      made->chosen = tuning->choose(
          keyOf(call, alignment),
          "cuBLASLt " + std::to_string(cublasLtGetVersion()), names,
          mayMeasure ? measureOf(*made, call, alignment, timer) : nullptr);
    }
    plans[{call, alignment}] = std::move(made);
  }
  return plans[{call, alignment}].get();
}

//===----------------------------------------------------------------------===//
// Epilogues without an algorithm
//===----------------------------------------------------------------------===//

/// The largest power of two, at most 16, of which all buffers of the epilogue
/// are multiples.
static int64_t alignmentOfEpilogue(const MatmulBuffers &buffers) {
  uintptr_t bits = 16;
  for (const void *buffer :
       {static_cast<const void *>(buffers.y), buffers.third,
        static_cast<const void *>(buffers.second)})
    bits |= reinterpret_cast<uintptr_t>(buffer);
  return static_cast<int64_t>(bits & (~bits + 1));
}

static const char *nameOf(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::Bias:
    return "bias";
  case Epilogue::Relu:
    return "relu";
  case Epilogue::BiasRelu:
    return "bias and relu";
  case Epilogue::Gelu:
    return "gelu";
  case Epilogue::BiasGelu:
    return "bias and gelu";
  case Epilogue::GeluGrad:
    return "gradient of gelu";
  case Epilogue::BiasGradOfA:
  case Epilogue::BiasGradOfB:
    return "gradient of a bias";
  case Epilogue::None:
  case Epilogue::ReluGrad:
    break;
  }
  return "none";
}

/// Ones of the device, of the type of a product's operands.
static Expected<void *> makeOnes(int64_t count, bool isNarrow) {
  std::vector<uint16_t> narrow(isNarrow ? size_t(count) : 0, toBFloat16(1));
  std::vector<float> wide(isNarrow ? 0 : size_t(count), 1.0f);
  const void *host = isNarrow ? static_cast<const void *>(narrow.data())
                              : static_cast<const void *>(wide.data());
  size_t bytes = size_t(count) * (isNarrow ? 2 : 4);
  void *ones = nullptr;
  SOAP_CUDA(cudaMalloc, &ones, bytes);
  MaybeError error = check(
      cudaMemcpy(ones, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  // It may return before the bytes have arrived.
  if (!error)
    error =
        check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
  if (!error)
    return ones;
  cudaFree(ones);
  return *error;
}

Expected<std::unique_ptr<CudaMatmul::Substitute>>
CudaMatmul::substitute(const MatmulCall &call, const MatmulBuffers &buffers,
                       bool mayMeasure, const Error &why) {
  auto made = std::make_unique<Substitute>();
  bool isGrad = isBiasGrad(call.epilogue);
  made->product = call;
  made->product.epilogue = Epilogue::None;
  // The epilogue rounds once.
  made->product.narrowResult = isGrad && call.narrowResult;
  auto failed = [&](const Error &other) {
    return Error{why.message + "; without the epilogue: " + other.message};
  };
  if (isGrad) {
    const MatmulShape &s = call.shape;
    bool ofA = call.epilogue == Epilogue::BiasGradOfA;
    // Operands of f32 are not rounded, as by the epilogue.
    made->sum = {{1, ofA ? s.m : 1, ofA ? 1 : s.n, s.k, ofA ? s.transposeA : 0,
                  ofA ? 0 : s.transposeB},
                 call.precision == Precision::BF16 ? Precision::BF16
                                                   : Precision::F32,
                 call.narrowResult,
                 Epilogue::None,
                 call.workspace};
    auto ones = makeOnes(s.k, call.precision == Precision::BF16);
    if (!ones)
      return failed(ones.takeError());
    made->ones = *ones;
    auto sum = find(made->sum, made->ofSum(call.epilogue, buffers), mayMeasure);
    if (!sum)
      return failed(sum.takeError());
  } else {
    constexpr size_t engines = 3;
    auto graph =
        EpilogueGraph::make({dnn}, call, alignmentOfEpilogue(buffers), engines);
    if (!graph)
      return failed(graph.takeError());
    Error last;
    for (size_t i = 0; !made->graph && i < (*graph)->engines().size(); ++i) {
      auto bytes = (*graph)->workspaceOf(i);
      // As calls without a workspace of their own.
      if (!bytes || *bytes > size_t(256) << 20) {
        last = bytes ? Error{"a plan of cuDNN needs " + std::to_string(*bytes) +
                             " bytes, expected at most 268435456"}
                     : bytes.takeError();
        continue;
      }
      made->engine = i;
      made->workspaceBytes = *bytes;
      made->graph = std::move(*graph);
      break;
    }
    if (!made->graph)
      return failed(last);
  }
  // Sums are where cudaMalloc puts them.
  auto *sums = reinterpret_cast<void *>(uintptr_t(256));
  auto product =
      find(made->product, made->ofProduct(buffers, sums), mayMeasure);
  if (!product)
    return failed(product.takeError());
  if (tuning && tuning->note)
    tuning->note("cuBLASLt has no algorithm for the epilogue (" +
                 std::string(nameOf(call.epilogue)) + ") of " +
                 ::describe(call) +
                 (isGrad ? ": a product with ones computes it"
                         : ": a kernel of cuDNN computes it, on sums in " +
                               std::to_string(made->sumBytes()) +
                               " bytes beside the plan"));
  return made;
}

MaybeError CudaMatmul::runSubstitute(Substitute &how, const MatmulCall &call,
                                     const MatmulBuffers &buffers,
                                     cudaStream_t stream) {
  if (!how.graph) {
    SOAP_TRY(run(how.product, how.ofProduct(buffers, nullptr), stream));
    return run(how.sum, how.ofSum(call.epilogue, buffers), stream);
  }
  auto memory = beside.of(stream, how.sumBytes() + how.workspaceBytes);
  if (!memory)
    return memory.takeError();
  SOAP_TRY(run(how.product, how.ofProduct(buffers, *memory), stream));
  SOAP_CUDA(cudnnSetStream, dnn, stream);
  return how.graph->run(how.engine, buffers, *memory,
                        static_cast<char *>(*memory) + how.sumBytes());
}

/// An error if the library cannot be asked for it; false: there is nothing to
/// multiply.
static Expected<bool> isProduct(const MatmulCall &call) {
  const MatmulShape &s = call.shape;
  for (int64_t extent : {s.batch, s.m, s.n, s.k})
    if (extent < 0 || extent > std::numeric_limits<int>::max())
      return Error{"a matrix has an extent beyond 2147483647"};
  return call.resultVolume() != 0 && s.k != 0;
}

MaybeError CudaMatmul::prepare(const MatmulCall &call,
                               const MatmulBuffers &buffers) {
  auto product = isProduct(call);
  if (!product || !*product)
    return std::nullopt; // said by the iteration, which has the op's name
  auto plan = find(call, buffers, /*mayMeasure=*/true);
  return plan ? std::nullopt : MaybeError(plan.takeError());
}

void CudaMatmul::forget() { plans.clear(); }

MaybeError CudaMatmul::run(const MatmulCall &call, const MatmulBuffers &buffers,
                           cudaStream_t stream) {
  int64_t volume = call.resultVolume();
  if (volume == 0)
    return std::nullopt;
  auto product = isProduct(call);
  if (!product)
    return product.takeError();
  if (!*product) {
    if (call.epilogue != Epilogue::None)
      return Error{"a product over nothing has no epilogue"};
    SOAP_CUDA(cudaMemsetAsync, buffers.y, 0,
              size_t(volume * (call.narrowResult ? 2 : 4)), stream);
    return std::nullopt;
  }
  // As cublasLtMatmul demands it.
  constexpr uintptr_t aligned = 256;
  if (auto behind = reinterpret_cast<uintptr_t>(buffers.workspace) % aligned)
    return Error{"the workspace of a product begins " + std::to_string(behind) +
                 " bytes behind a multiple of 256, expected a multiple of 256"};
  auto plan = find(call, buffers, /*mayMeasure=*/false);
  if (!plan)
    return plan.takeError();
  if ((*plan)->substitute)
    return runSubstitute(*(*plan)->substitute, call, buffers, stream);
  SOAP_TRY((*plan)->bind(call, buffers));
  return launch(**plan, (*plan)->chosen, buffers, stream);
}
