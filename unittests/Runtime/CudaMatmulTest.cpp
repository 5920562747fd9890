//===- CudaMatmulTest.cpp - What the backend asks of cuBLASLt -------------===//
//
// CudaMatmul.cpp with a stand-in for cuBLASLt behind it, written after its
// documentation: matrices by columns with leading dimensions, types, batches,
// epilogues with their pointers. Compared with the twins, so that every
// transposition and epilogue is asked for as it should be. CUDA's runtime is
// that of CudaLibrariesTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Runtime/CUDA/CudaMatmul.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <map>
#include <random>

using namespace soap;
using namespace soap::runtime;

//===----------------------------------------------------------------------===//
// The stand-in
//===----------------------------------------------------------------------===//

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
    EXPECT_EQ(found->second.size(), sizeof(T)) << attribute;
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

int calls = 0, alive = 0;
uint64_t smallest = 0; ///< workspace that the stand-in needs
cublasComputeType_t lastCompute;
size_t lastWorkspace;
uint32_t askedAlignment[4];

float load(const void *data, cudaDataType_t type, int64_t i) {
  return type == CUDA_R_16BF
             ? fromBFloat16(static_cast<const uint16_t *>(data)[i])
             : static_cast<const float *>(data)[i];
}
void store(void *data, cudaDataType_t type, int64_t i, float value) {
  if (type == CUDA_R_16BF)
    static_cast<uint16_t *>(data)[i] = toBFloat16(value);
  else
    static_cast<float *>(data)[i] = value;
}

constexpr float scale = 0.7978845608028654f, cube = 0.044715f;
float gelu(float x) {
  return 0.5f * x * (1 + std::tanh(scale * (x + cube * x * x * x)));
}
/// By a difference in f64, not by the formula under test.
float slope(float at) {
  auto f = [](double x) {
    return 0.5 * x *
           (1 + std::tanh(double(scale) * (x + double(cube) * x * x * x)));
  };
  return float((f(at + 1e-5) - f(at - 1e-5)) / 2e-5);
}

const Desc &of(cublasLtMatmulDesc_t desc) {
  return *reinterpret_cast<const Desc *>(desc);
}
const Layout &of(cublasLtMatrixLayout_t layout) {
  return *reinterpret_cast<const Layout *>(layout);
}

template <typename T, typename Handle>
cublasStatus_t make(Handle *handle, T value) {
  ++alive;
  *handle = reinterpret_cast<Handle>(new T(std::move(value)));
  return CUBLAS_STATUS_SUCCESS;
}
template <typename T>
cublasStatus_t destroy(void *handle) {
  --alive;
  delete static_cast<T *>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

} // namespace

extern "C" {
const char *cublasLtGetStatusName(cublasStatus_t) { return "name"; }
const char *cublasLtGetStatusString(cublasStatus_t) { return "text"; }
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
    cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
    cublasLtMatmulPreference_t preference, int,
    cublasLtMatmulHeuristicResult_t results[], int *count) {
  const auto &limits = *reinterpret_cast<const Attributes *>(preference);
  auto workspace =
      limits.get<uint64_t>(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 0);
  const int attributes[] = {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
  for (int i = 0; i < 4; ++i)
    askedAlignment[i] = limits.get<uint32_t>(attributes[i], 256);
  *count = workspace >= smallest ? 1 : 0;
  results[0] = {};
  results[0].workspaceSize = smallest;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t descHandle,
                              const void *alpha, const void *a,
                              cublasLtMatrixLayout_t aHandle, const void *b,
                              cublasLtMatrixLayout_t bHandle, const void *beta,
                              const void *c, cublasLtMatrixLayout_t cHandle,
                              void *d, cublasLtMatrixLayout_t dHandle,
                              const cublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t bytes, cudaStream_t) {
  ++calls;
  const Desc &desc = of(descHandle);
  const Layout &A = of(aHandle), &B = of(bHandle), &D = of(dHandle);
  lastCompute = desc.compute;
  lastWorkspace = bytes;
  auto opA = desc.get<int32_t>(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N);
  auto opB = desc.get<int32_t>(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
  auto epilogue = cublasLtEpilogue_t(desc.get<uint32_t>(
      CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT));
  int64_t m = opA == CUBLAS_OP_N ? A.rows : A.columns;
  int64_t k = opA == CUBLAS_OP_N ? A.columns : A.rows;
  int64_t n = opB == CUBLAS_OP_N ? B.columns : B.rows;
  if ((opB == CUBLAS_OP_N ? B.rows : B.columns) != k || D.rows != m ||
      D.columns != n || A.ld < A.rows || B.ld < B.rows || D.ld < D.rows ||
      A.type != B.type || c != d || cHandle != dHandle || !algo ||
      (A.type == CUDA_R_32F && D.type != CUDA_R_32F) || (bytes && !workspace) ||
      *static_cast<const float *>(alpha) != 1 ||
      *static_cast<const float *>(beta) != 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  auto *bias = desc.get<void *>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr);
  auto *aux =
      desc.get<void *>(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, nullptr);
  auto auxLd = desc.get<int64_t>(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 0);
  auto auxStride =
      desc.get<int64_t>(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, 0);
  bool isGelu = epilogue == CUBLASLT_EPILOGUE_GELU_AUX ||
                epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
  bool isGeluGrad = epilogue == CUBLASLT_EPILOGUE_DGELU;
  if ((isGelu || isGeluGrad) && (auxLd % 8 != 0 || auxLd < m || !aux))
    return CUBLAS_STATUS_INVALID_VALUE;
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
          sum *= slope(load(aux, D.type, beside));
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
  return CUBLAS_STATUS_SUCCESS;
}
} // extern "C"

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

namespace {

std::mt19937 generator(2);

/// Numbers of a type, as bytes of it. Small integers, whose sums are exact in
/// any order, or a few bits of fraction.
std::vector<float> numbers(int64_t count, bool narrow, float unit = 1) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    store(values.data(), narrow ? CUDA_R_16BF : CUDA_R_32F, int64_t(i),
          unit * float(int(generator() % 7) - 3));
  return values;
}

class CudaMatmulTest : public testing::Test {
protected:
  CudaMatmul products;
  void SetUp() override {
    calls = 0;
    smallest = 0;
    ASSERT_FALSE(products.open());
  }

  /// Compares with the twin.
  void expectProduct(const MatmulCall &call) {
    const MatmulShape &s = call.shape;
    bool narrow = call.precision == Precision::BF16;
    auto a = numbers(s.batch * s.m * s.k, narrow);
    auto b = numbers(s.batch * s.k * s.n, narrow);
    int64_t volume = call.resultVolume();
    auto third = numbers(volume, call.narrowResult, 0.25f);
    std::vector<float> y[2], second[2];
    for (int i : {0, 1}) {
      y[i].resize(size_t(volume));
      second[i].resize(size_t(volume));
    }
    std::vector<char> workspace(size_t(call.workspace) + 1);
    auto buffers = [&](int i) {
      return MatmulBuffers{
          a.data(),
          b.data(),
          hasThirdOperand(call.epilogue) ? third.data() : nullptr,
          y[i].data(),
          hasSecondResult(call.epilogue) ? second[i].data() : nullptr,
          call.workspace ? workspace.data() : nullptr};
    };
    runTwin(call, buffers(0), matmulDirect);
    MaybeError error = products.run(call, buffers(1), nullptr);
    ASSERT_FALSE(error) << error->message;
    auto type = call.narrowResult ? CUDA_R_16BF : CUDA_R_32F;
    for (int64_t i = 0; i < volume; ++i) {
      float expected = load(y[0].data(), type, i);
      EXPECT_NEAR(load(y[1].data(), type, i), expected,
                  1e-4f +
                      std::abs(expected) * (call.narrowResult ? 0.01f : 1e-4f))
          << i;
    }
    for (int64_t i = 0; i < call.secondVolume(); ++i)
      EXPECT_EQ(load(second[1].data(), type, i),
                load(second[0].data(), type, i))
          << i;
  }
};

TEST_F(CudaMatmulTest, Products) {
  for (int64_t batch : {1, 3})
    for (int64_t transposeA : {0, 1})
      for (int64_t transposeB : {0, 1})
        expectProduct({{batch, 4, 5, 6, transposeA, transposeB}});
  EXPECT_EQ(calls, 8);
  EXPECT_EQ(lastCompute, CUBLAS_COMPUTE_32F);
}

TEST_F(CudaMatmulTest, Precisions) {
  for (int64_t transposeA : {0, 1})
    for (int64_t transposeB : {0, 1}) {
      MatmulShape s{2, 4, 5, 6, transposeA, transposeB};
      expectProduct({s, Precision::TF32});
      EXPECT_EQ(lastCompute, CUBLAS_COMPUTE_32F_FAST_TF32);
      expectProduct({s, Precision::BF16});
      expectProduct({s, Precision::BF16, /*narrowResult=*/true});
      EXPECT_EQ(lastCompute, CUBLAS_COMPUTE_32F);
    }
}

TEST_F(CudaMatmulTest, Epilogues) {
  for (Epilogue epilogue :
       {Epilogue::Bias, Epilogue::Relu, Epilogue::BiasRelu, Epilogue::Gelu,
        Epilogue::BiasGelu, Epilogue::GeluGrad, Epilogue::BiasGradOfA,
        Epilogue::BiasGradOfB})
    for (bool narrow : {false, true})
      for (int64_t transpose : {0, 1})
        expectProduct({{1, 4, 8, 6, transpose, transpose},
                       narrow ? Precision::BF16 : Precision::F32,
                       narrow,
                       epilogue});
  EXPECT_EQ(calls, 32);
}

TEST_F(CudaMatmulTest, Workspaces) {
  smallest = 64;
  expectProduct(
      {{1, 4, 5, 6, 0, 0}, Precision::F32, false, Epilogue::None, 64});
  EXPECT_EQ(lastWorkspace, 64u);
  float x[64] = {};
  auto error = products.run(
      {{1, 4, 5, 6, 0, 0}, Precision::F32, false, Epilogue::None, 32},
      {x, x, nullptr, x, nullptr, x}, nullptr);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "cublasLtMatmulAlgoGetHeuristic: no algorithm for a product with "
            "a workspace of 32 bytes");
}

TEST_F(CudaMatmulTest, SaysHowOperandsAreAligned) {
  alignas(256) float memory[256] = {};
  // a is aligned by 4 bytes, b by 16, y by 64: cuBLASLt's a is our b.
  MatmulBuffers buffers{memory + 1,  memory + 4, nullptr,
                        memory + 16, nullptr,    nullptr};
  ASSERT_FALSE(products.run({{1, 2, 2, 2, 0, 0}}, buffers, nullptr));
  EXPECT_EQ(askedAlignment[0], 16u);
  EXPECT_EQ(askedAlignment[1], 4u);
  EXPECT_EQ(askedAlignment[2], 64u);
  EXPECT_EQ(askedAlignment[3], 64u);
}

TEST_F(CudaMatmulTest, ProductsOfNothing) {
  float y[4] = {1, 2, 3, 4};
  MatmulBuffers buffers{y, y, nullptr, y, nullptr, nullptr};
  EXPECT_FALSE(products.run({{1, 2, 2, 0, 0, 0}}, buffers, nullptr));
  for (float value : y)
    EXPECT_EQ(value, 0);
  EXPECT_FALSE(products.run({{0, 2, 2, 2, 0, 0}}, buffers, nullptr));
  EXPECT_EQ(calls, 0);
  EXPECT_TRUE(
      products.run({{1, int64_t(1) << 31, 1, 1, 0, 0}}, buffers, nullptr));
}

TEST(CudaMatmulMemory, IsFreed) {
  int before = alive;
  {
    CudaMatmul products;
    ASSERT_FALSE(products.open());
    float x[4] = {};
    EXPECT_FALSE(products.run({{1, 2, 2, 2, 0, 0}},
                              {x, x, nullptr, x, nullptr, nullptr}, nullptr));
    EXPECT_GT(alive, before);
  }
  EXPECT_EQ(alive, before);
}

TEST(LibraryTwins, RoundToBFloat16) {
  EXPECT_EQ(toBFloat16(1.0f), 0x3f80);
  // Half way: to even.
  EXPECT_EQ(toBFloat16(1.00390625f), 0x3f80);
  EXPECT_EQ(toBFloat16(1.01171875f), 0x3f82);
  EXPECT_EQ(toBFloat16(INFINITY), 0x7f80);
  EXPECT_TRUE(std::isnan(fromBFloat16(toBFloat16(NAN))));
  EXPECT_EQ(fromBFloat16(0xc040), -3.0f);
}

TEST(LibraryTwins, RoundToTF32) {
  EXPECT_EQ(toTF32(1.0f), 1.0f);
  EXPECT_EQ(toTF32(1 + 1.0f / 2048), 1 + 1.0f / 1024); // half way: away from 0
  EXPECT_EQ(toTF32(1 + 1.0f / 4096), 1.0f);
  EXPECT_EQ(toTF32(-INFINITY), -INFINITY);
}

TEST(LibraryTwins, KeepNaNInRelu) {
  float a = NAN, b = 1, y = 0;
  runTwin(MatmulCall{{1, 1, 1, 1, 0, 0}, Precision::F32, false, Epilogue::Relu},
          {&a, &b, nullptr, &y, nullptr, nullptr}, matmulDirect);
  EXPECT_TRUE(std::isnan(y));
}

} // namespace
