//===- FakeCudnnGraph.cpp - A stand-in for cuDNN's graph API --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FakeLibraries.h: descriptors hold what they were given, finalizing checks
// it as the documentation says, and plans compute their operations one after
// the other in f32, rounding what is bf16.
//
//===----------------------------------------------------------------------===//

#include "FakeLibraries.h"
#include "FakeStreams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>

using namespace soap;
using namespace soap::runtime;

namespace {

struct Descriptor;
using DescriptorRef = std::shared_ptr<Descriptor>;

/// The value of an attribute.
struct Attribute {
  cudnnBackendAttributeType_t type;
  int64_t count;
  std::vector<char> bytes;
  std::vector<DescriptorRef> descriptors; ///< instead of bytes

  template <typename T>
  std::vector<T> as() const {
    std::vector<T> values(static_cast<size_t>(count));
    if (bytes.size() == values.size() * sizeof(T))
      std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

struct Descriptor {
  cudnnBackendDescriptorType_t type;
  bool isFinal = false;
  std::map<int, Attribute> attributes;

  const Attribute *find(int name) const {
    auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : &found->second;
  }
  template <typename T>
  std::vector<T> list(int name) const {
    const Attribute *attribute = find(name);
    return attribute ? attribute->as<T>() : std::vector<T>();
  }
  template <typename T>
  T value(int name, T otherwise = {}) const {
    auto values = list<T>(name);
    return values.size() == 1 ? values[0] : otherwise;
  }
  DescriptorRef part(int name) const {
    const Attribute *attribute = find(name);
    return attribute && attribute->descriptors.size() == 1
               ? attribute->descriptors[0]
               : nullptr;
  }
};

/// The object behind the caller's handle.
struct Handle {
  DescriptorRef descriptor;
};
DescriptorRef &descriptorOf(cudnnBackendDescriptor_t native) {
  return static_cast<Handle *>(native)->descriptor;
}

size_t widthOf(cudnnBackendAttributeType_t type) {
  switch (type) {
  case CUDNN_TYPE_BOOLEAN:
    return sizeof(bool);
  case CUDNN_TYPE_INT64:
  case CUDNN_TYPE_DOUBLE:
    return 8;
  case CUDNN_TYPE_HANDLE:
  case CUDNN_TYPE_VOID_PTR:
    return sizeof(void *);
  default:
    return 4; // floats and enums
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

using Index = std::array<int64_t, 4>;

Index asIndex(const std::vector<int64_t> &values) {
  Index index{};
  if (values.size() == 4)
    std::copy(values.begin(), values.end(), index.begin());
  return index;
}

struct Tensor {
  int64_t id;
  Index dims, strides;
  bool isNarrow, isVirtual, isValue;
  int64_t alignment;

  explicit Tensor(const Descriptor &d)
      : id(d.value<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID)),
        dims(asIndex(d.list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS))),
        strides(asIndex(d.list<int64_t>(CUDNN_ATTR_TENSOR_STRIDES))),
        isNarrow(d.value<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE) ==
                 CUDNN_DATA_BFLOAT16),
        isVirtual(d.value<uint8_t>(CUDNN_ATTR_TENSOR_IS_VIRTUAL) != 0),
        isValue(d.value<uint8_t>(CUDNN_ATTR_TENSOR_IS_BY_VALUE) != 0),
        alignment(d.value<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT)) {}

  int64_t volume() const { return dims[0] * dims[1] * dims[2] * dims[3]; }
  /// Row-major, whatever the strides.
  size_t number(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return size_t(((n * dims[1] + c) * dims[2] + h) * dims[3] + w);
  }

  /// Calls `body` with the place in memory and the number of each element.
  template <typename Body>
  void forEach(Body body) const {
    for (int64_t n = 0; n < dims[0]; ++n)
      for (int64_t c = 0; c < dims[1]; ++c)
        for (int64_t h = 0; h < dims[2]; ++h)
          for (int64_t w = 0; w < dims[3]; ++w)
            body(n * strides[0] + c * strides[1] + h * strides[2] +
                     w * strides[3],
                 number(n, c, h, w));
  }
  cudaDataType_t type() const { return isNarrow ? CUDA_R_16BF : CUDA_R_32F; }
};

using Values = std::vector<float>;
/// Values of tensors by their ids.
using Memory = std::map<int64_t, Values>;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// An operation with its tensors: operands, then the results, mostly one.
struct Operation {
  DescriptorRef descriptor;
  std::vector<Tensor> tensors;

  int type() const { return descriptor->type; }
  size_t operands() const {
    bool isNorm = type() == CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR ||
                  type() == CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR;
    return tensors.size() - (isNorm ? 3 : 1);
  }
  std::vector<Tensor> results() const {
    return {tensors.begin() + std::ptrdiff_t(operands()), tensors.end()};
  }
  const Tensor &result() const { return tensors.back(); }
};

std::vector<int> tensorNames(const Descriptor &operation) {
  switch (operation.type) {
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX};
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW};
  case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR: {
    auto how = operation.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    switch (how ? how->value<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE,
                                                   CUDNN_POINTWISE_TANH_FWD)
                : CUDNN_POINTWISE_TANH_FWD) {
    case CUDNN_POINTWISE_ADD:
    case CUDNN_POINTWISE_SUB:
    case CUDNN_POINTWISE_MUL:
    case CUDNN_POINTWISE_DIV:
    case CUDNN_POINTWISE_CMP_GE:
    case CUDNN_POINTWISE_CMP_GT:
      return {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
              CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
              CUDNN_ATTR_OPERATION_POINTWISE_YDESC};
    case CUDNN_POINTWISE_BINARY_SELECT:
      return {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
              CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
              CUDNN_ATTR_OPERATION_POINTWISE_TDESC,
              CUDNN_ATTR_OPERATION_POINTWISE_YDESC};
    case CUDNN_POINTWISE_RELU_FWD:
    case CUDNN_POINTWISE_GELU_APPROX_TANH_FWD:
    case CUDNN_POINTWISE_IDENTITY:
    case CUDNN_POINTWISE_EXP:
    case CUDNN_POINTWISE_LOG:
    case CUDNN_POINTWISE_GEN_INDEX:
      return {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
              CUDNN_ATTR_OPERATION_POINTWISE_YDESC};
    case CUDNN_POINTWISE_RELU_BWD:
    case CUDNN_POINTWISE_GELU_APPROX_TANH_BWD:
      return {CUDNN_ATTR_OPERATION_POINTWISE_DYDESC,
              CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
              CUDNN_ATTR_OPERATION_POINTWISE_DXDESC};
    default:
      return {};
    }
  }
  case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_MATMUL_ADESC,
            CUDNN_ATTR_OPERATION_MATMUL_BDESC,
            CUDNN_ATTR_OPERATION_MATMUL_CDESC};
  case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_REDUCTION_XDESC,
            CUDNN_ATTR_OPERATION_REDUCTION_YDESC};
  case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_RESHAPE_XDESC,
            CUDNN_ATTR_OPERATION_RESHAPE_YDESC};
  case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_NORM_FWD_XDESC,
            CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC,
            CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC,
            CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC,
            CUDNN_ATTR_OPERATION_NORM_FWD_YDESC,
            CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC,
            CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC};
  case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC,
            CUDNN_ATTR_OPERATION_NORM_BWD_XDESC,
            CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC,
            CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC,
            CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC,
            CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC,
            CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC,
            CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC};
  case CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC,
            CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC};
  case CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC,
            CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC};
  default:
    return {};
  }
}

std::optional<Operation> operationOf(const DescriptorRef &descriptor) {
  Operation operation{descriptor, {}};
  for (int name : tensorNames(*descriptor)) {
    DescriptorRef tensor = descriptor->part(name);
    if (!tensor || tensor->type != CUDNN_BACKEND_TENSOR_DESCRIPTOR ||
        !tensor->isFinal)
      return std::nullopt;
    operation.tensors.emplace_back(*tensor);
  }
  if (operation.tensors.empty())
    return std::nullopt;
  return operation;
}

/// A convolution's numbers and its images, whichever of them is the result.
struct Convolution {
  std::vector<int64_t> pre, post, strides, dilations;
  const Tensor *x, *w, *y;

  static int nameOf(int type) {
    return type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR
               ? CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC
           : type ==
                   CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR
               ? CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC
               : CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC;
  }

  explicit Convolution(const Operation &operation) {
    DescriptorRef how = operation.descriptor->part(nameOf(operation.type()));
    if (how) {
      pre = how->list<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
      post = how->list<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
      strides = how->list<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
      dilations = how->list<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS);
    }
    const auto &t = operation.tensors;
    bool isData = operation.type() ==
                  CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
    bool isForward = operation.type() ==
                     CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
    x = isData ? &t[2] : &t[0];
    w = isForward || isData ? &t[1] : &t[2];
    y = isForward ? &t[2] : isData ? &t[0] : &t[1];
  }

  bool fits() const {
    for (const auto *list : {&pre, &post, &strides, &dilations})
      if (list->size() != 2)
        return false;
    if (x->dims[0] != y->dims[0] || w->dims[0] != y->dims[1] ||
        x->dims[1] % w->dims[1] != 0 ||
        w->dims[0] % (x->dims[1] / w->dims[1]) != 0)
      return false;
    for (size_t i : {0, 1}) {
      int64_t span = (w->dims[2 + i] - 1) * dilations[i] + 1;
      int64_t room = x->dims[2 + i] + pre[i] + post[i] - span;
      if (room < 0 || room / strides[i] + 1 != y->dims[2 + i])
        return false;
    }
    return true;
  }

  /// Calls `body` with the numbers of the positions in x, w and y of each
  /// product.
  template <typename Body>
  void forEach(Body body) const {
    int64_t outputs = w->dims[0] / (x->dims[1] / w->dims[1]);
    for (int64_t n = 0; n < y->dims[0]; ++n)
      for (int64_t k = 0; k < w->dims[0]; ++k)
        for (int64_t oh = 0; oh < y->dims[2]; ++oh)
          for (int64_t ow = 0; ow < y->dims[3]; ++ow)
            for (int64_t c = 0; c < w->dims[1]; ++c)
              for (int64_t kh = 0; kh < w->dims[2]; ++kh)
                for (int64_t kw = 0; kw < w->dims[3]; ++kw) {
                  int64_t h = oh * strides[0] + kh * dilations[0] - pre[0];
                  int64_t v = ow * strides[1] + kw * dilations[1] - pre[1];
                  if (h < 0 || h >= x->dims[2] || v < 0 || v >= x->dims[3])
                    continue;
                  body(x->number(n, k / outputs * w->dims[1] + c, h, v),
                       w->number(k, c, kh, kw), y->number(n, k, oh, ow));
                }
  }
};

bool isPointwise(const Operation &operation) {
  return operation.type() == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR;
}

float pointwise(cudnnPointwiseMode_t mode, const std::array<float, 3> &x) {
  switch (mode) {
  case CUDNN_POINTWISE_ADD:
    return x[0] + x[1];
  case CUDNN_POINTWISE_SUB:
    return x[0] - x[1];
  case CUDNN_POINTWISE_MUL:
    return x[0] * x[1];
  case CUDNN_POINTWISE_DIV:
    return x[0] / x[1];
  case CUDNN_POINTWISE_CMP_GE:
    return x[0] >= x[1] ? 1 : 0;
  case CUDNN_POINTWISE_CMP_GT:
    return x[0] > x[1] ? 1 : 0;
  case CUDNN_POINTWISE_BINARY_SELECT:
    return x[2] != 0 ? x[0] : x[1];
  case CUDNN_POINTWISE_EXP:
    return std::exp(x[0]);
  case CUDNN_POINTWISE_LOG:
    return std::log(x[0]);
  case CUDNN_POINTWISE_RELU_FWD:
    return x[0] < 0 ? 0 : x[0];
  case CUDNN_POINTWISE_GELU_APPROX_TANH_FWD:
    return fake::gelu(x[0]);
  case CUDNN_POINTWISE_GELU_APPROX_TANH_BWD:
    return x[0] * fake::geluSlope(x[1]);
  case CUDNN_POINTWISE_IDENTITY:
    return x[0];
  default: // CUDNN_POINTWISE_RELU_BWD
    return x[1] > 0 ? x[0] : 0;
  }
}

/// The number of an element's operand in `x`, which has one number for all
/// positions where its extent is 1.
size_t broadcast(const Tensor &x, const Index &at) {
  Index own = at;
  for (size_t d = 0; d < 4; ++d)
    own[d] = x.dims[d] == 1 ? 0 : at[d];
  return x.number(own[0], own[1], own[2], own[3]);
}

Index indexOf(const Tensor &tensor, size_t i) {
  Index at{};
  for (size_t d = 4; d-- > 0; i /= size_t(tensor.dims[d]))
    at[d] = int64_t(i) % tensor.dims[d];
  return at;
}

void computePointwise(const Operation &operation, Memory &memory) {
  DescriptorRef how =
      operation.descriptor->part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  auto mode = how->value<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
  auto axis = how->value<int64_t>(CUDNN_ATTR_POINTWISE_AXIS);
  const Tensor &y = operation.result();
  Values result(static_cast<size_t>(y.volume()));
  y.forEach([&](int64_t, size_t i) {
    Index at = indexOf(y, i);
    if (mode == CUDNN_POINTWISE_GEN_INDEX) {
      result[i] = float(at[size_t(axis)]);
      return;
    }
    std::array<float, 3> operands{};
    for (size_t k = 0; k + 1 < operation.tensors.size(); ++k) {
      const Tensor &x = operation.tensors[k];
      operands[k] = memory[x.id][broadcast(x, at)];
    }
    result[i] = pointwise(mode, operands);
  });
  memory[y.id] = std::move(result);
}

/// A [.., m, k] times b [.., k, n]; several heads of a may share one of b.
void computeMatmul(const Operation &operation, Memory &memory) {
  const Tensor &a = operation.tensors[0], &b = operation.tensors[1],
               &c = operation.result();
  const Values &x = memory[a.id], &y = memory[b.id];
  Values sums(static_cast<size_t>(c.volume()));
  int64_t shared = a.dims[1] / b.dims[1];
  c.forEach([&](int64_t, size_t i) {
    Index at = indexOf(c, i);
    for (int64_t k = 0; k < a.dims[3]; ++k)
      sums[i] += x[a.number(at[0], at[1], at[2], k)] *
                 y[b.number(at[0], at[1] / shared, k, at[3])];
  });
  memory[c.id] = std::move(sums);
}

/// Of heads, as many as share one of the result.
void computeReduction(const Operation &operation, Memory &memory) {
  auto how = operation.descriptor->part(CUDNN_ATTR_OPERATION_REDUCTION_DESC)
                 ->value<cudnnReduceTensorOp_t>(CUDNN_ATTR_REDUCTION_OPERATOR);
  const Tensor &x = operation.tensors[0], &y = operation.result();
  bool isSum = how == CUDNN_REDUCE_TENSOR_ADD;
  Values result(static_cast<size_t>(y.volume()), isSum ? 0 : -INFINITY);
  x.forEach([&](int64_t, size_t i) {
    Index at = indexOf(x, i);
    at[1] /= x.dims[1] / y.dims[1];
    float &sum = result[broadcast(y, at)];
    float value = memory[x.id][i];
    sum = isSum ? sum + value : std::max(sum, value);
  });
  memory[y.id] = std::move(result);
}

/// Each element of the result is the one at the same place in memory.
void computeReshape(const Operation &operation, Memory &memory) {
  const Tensor &x = operation.tensors[0], &y = operation.result();
  std::map<int64_t, float> places;
  x.forEach([&](int64_t place, size_t i) { places[place] = memory[x.id][i]; });
  Values result(static_cast<size_t>(y.volume()));
  y.forEach([&](int64_t place, size_t i) { result[i] = places.at(place); });
  memory[y.id] = std::move(result);
}

void computeConvolution(const Operation &operation, Memory &memory) {
  Convolution conv(operation);
  const Tensor &result = operation.result();
  Values sums(static_cast<size_t>(result.volume()));
  const Values &a = memory[operation.tensors[0].id],
               &b = memory[operation.tensors[1].id];
  conv.forEach([&](size_t x, size_t w, size_t y) {
    switch (operation.type()) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      sums[y] += a[x] * b[w];
      break;
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      sums[x] += a[y] * b[w];
      break;
    default:
      sums[w] += a[x] * b[y];
    }
  });
  memory[result.id] = std::move(sums);
}

/// Mean and 1 / sqrt(variance + epsilon) of each channel in f64, and y of them.
void computeNorm(const Operation &operation, Memory &memory) {
  const Tensor &x = operation.tensors[0], &y = operation.tensors[4];
  auto of = [&](size_t tensor) -> Values & {
    return memory[operation.tensors[tensor].id];
  };
  const Values gamma = of(1), beta = of(2);
  double epsilon = of(3).at(0), count = double(x.volume() / x.dims[1]);
  auto channels = size_t(x.dims[1]);
  auto sums = [&](auto body) {
    std::vector<double> list(channels);
    x.forEach([&](int64_t, size_t i) {
      auto c = size_t(indexOf(x, i)[1]);
      list[c] += body(c, double(of(0)[i])) / count;
    });
    return list;
  };
  auto mean = sums([](size_t, double value) { return value; });
  auto variance = sums([&](size_t c, double value) {
    return (value - mean[c]) * (value - mean[c]);
  });
  Values result(static_cast<size_t>(y.volume()));
  for (size_t c = 0; c < channels; ++c) {
    of(5).at(c) = float(mean[c]);
    of(6).at(c) = float(1 / std::sqrt(variance[c] + epsilon));
  }
  y.forEach([&](int64_t, size_t i) {
    auto c = size_t(indexOf(y, i)[1]);
    result[i] = float((of(0)[i] - mean[c]) / std::sqrt(variance[c] + epsilon) *
                          gamma[c] +
                      beta[c]);
  });
  of(4) = std::move(result);
}

void computeNormGradient(const Operation &operation, Memory &memory) {
  const Tensor &x = operation.tensors[1];
  auto of = [&](size_t tensor) -> Values & {
    return memory[operation.tensors[tensor].id];
  };
  const Values &dy = of(0), &image = of(1), &mean = of(2), &inverse = of(3),
               &gamma = of(4);
  auto channels = size_t(x.dims[1]);
  double count = double(x.volume() / x.dims[1]);
  auto normal = [&](size_t c, size_t i) {
    return (double(image[i]) - mean[c]) * inverse[c];
  };
  std::vector<double> scaled(channels), plain(channels);
  x.forEach([&](int64_t, size_t i) {
    auto c = size_t(indexOf(x, i)[1]);
    scaled[c] += dy[i] * normal(c, i);
    plain[c] += dy[i];
  });
  Values dx(static_cast<size_t>(x.volume()));
  x.forEach([&](int64_t, size_t i) {
    auto c = size_t(indexOf(x, i)[1]);
    dx[i] = float(gamma[c] * inverse[c] *
                  (dy[i] - (plain[c] + normal(c, i) * scaled[c]) / count));
  });
  for (size_t c = 0; c < channels; ++c) {
    of(6).at(c) = float(scaled[c]);
    of(7).at(c) = float(plain[c]);
  }
  of(5) = std::move(dx);
}

/// Windows over an image.
struct Resampling {
  cudnnResampleMode_t mode;
  std::vector<int64_t> window, pre, post, strides;

  static int nameOf(int type) {
    return type == CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR
               ? CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC
               : CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC;
  }
  explicit Resampling(const Descriptor &how)
      : mode(how.value<cudnnResampleMode_t>(CUDNN_ATTR_RESAMPLE_MODE)),
        window(how.list<int64_t>(CUDNN_ATTR_RESAMPLE_WINDOW_DIMS)),
        pre(how.list<int64_t>(CUDNN_ATTR_RESAMPLE_PRE_PADDINGS)),
        post(how.list<int64_t>(CUDNN_ATTR_RESAMPLE_POST_PADDINGS)),
        strides(how.list<int64_t>(CUDNN_ATTR_RESAMPLE_STRIDES)) {}

  bool isMax() const { return mode == CUDNN_RESAMPLE_MAXPOOL; }
  bool fits(const Tensor &x, const Tensor &y) const {
    for (const auto *list : {&window, &pre, &post, &strides})
      if (list->size() != 2)
        return false;
    for (size_t i : {0, 1}) {
      int64_t room = x.dims[2 + i] + pre[i] + post[i] - window[i];
      if (room < 0 || room / strides[i] + 1 != y.dims[2 + i])
        return false;
    }
    return x.dims[0] == y.dims[0] && x.dims[1] == y.dims[1];
  }
  /// Calls `body` with the numbers of what a window has of the image.
  template <typename Body>
  void forEach(const Tensor &x, const Index &at, Body body) const {
    for (int64_t i = 0; i < window[0]; ++i)
      for (int64_t j = 0; j < window[1]; ++j) {
        int64_t h = at[2] * strides[0] + i - pre[0],
                w = at[3] * strides[1] + j - pre[1];
        if (h >= 0 && h < x.dims[2] && w >= 0 && w < x.dims[3])
          body(x.number(at[0], at[1], h, w));
      }
  }
  float divisor(const Tensor &x, const Index &at) const {
    if (mode == CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING)
      return float(window[0] * window[1]);
    int64_t count = 0;
    forEach(x, at, [&](size_t) { ++count; });
    return float(count);
  }
};

void computePooling(const Operation &operation, Memory &memory) {
  const Resampling how(
      *operation.descriptor->part(Resampling::nameOf(operation.type())));
  const Tensor &from = operation.tensors[0], &to = operation.tensors[1];
  const Values &values = memory[from.id];
  Values result(static_cast<size_t>(to.volume()));
  if (operation.type() == CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR)
    to.forEach([&](int64_t, size_t i) {
      Index at = indexOf(to, i);
      float most = -INFINITY, sum = 0;
      how.forEach(from, at, [&](size_t element) {
        float value = values[element];
        sum += value;
        most = std::isnan(value) || value > most ? value : most;
      });
      result[i] = how.isMax() ? most : sum / how.divisor(from, at);
    });
  else
    from.forEach([&](int64_t, size_t i) {
      Index at = indexOf(from, i);
      how.forEach(to, at, [&](size_t element) {
        result[element] += values[i] / how.divisor(to, at);
      });
    });
  memory[to.id] = std::move(result);
}

//===----------------------------------------------------------------------===//
// Checks, when a descriptor is finalized
//===----------------------------------------------------------------------===//

/// Tensors have a type, four dims with strides, an id and an alignment.
bool isTensor(const Descriptor &d) {
  Tensor tensor(d);
  bool whole = d.list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS).size() == 4 &&
               d.list<int64_t>(CUDNN_ATTR_TENSOR_STRIDES).size() == 4 &&
               d.find(CUDNN_ATTR_TENSOR_DATA_TYPE) &&
               d.find(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  int64_t least = tensor.isNarrow ? 2 : 4;
  return whole && tensor.alignment >= least &&
         (tensor.alignment & (tensor.alignment - 1)) == 0 &&
         std::all_of(tensor.dims.begin(), tensor.dims.end(),
                     [](int64_t extent) { return extent > 0; });
}

/// Nothing is cropped.
bool isConvolution(const Descriptor &d) {
  for (int name : {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
                   CUDNN_ATTR_CONVOLUTION_POST_PADDINGS})
    for (int64_t padding : d.list<int64_t>(name))
      if (padding < 0)
        return false;
  return d.value<int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS) == 2 &&
         d.value<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE,
                                         CUDNN_CONVOLUTION) ==
             CUDNN_CROSS_CORRELATION &&
         d.find(CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
}

bool arePerChannel(const Tensor &image, const std::vector<Tensor> &list) {
  return std::all_of(list.begin(), list.end(), [&](const Tensor &tensor) {
    return tensor.dims == Index{1, image.dims[1], 1, 1};
  });
}

bool isOperation(const DescriptorRef &d) {
  auto operation = operationOf(d);
  if (!operation)
    return false;
  const auto &t = operation->tensors;
  switch (d->type) {
  case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
    return true;
  case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
    return d->part(CUDNN_ATTR_OPERATION_MATMUL_DESC) &&
           t[0].dims[0] == t[1].dims[0] && t[0].dims[1] % t[1].dims[1] == 0 &&
           t[2].dims ==
               Index{t[0].dims[0], t[0].dims[1], t[0].dims[2], t[1].dims[3]} &&
           t[0].dims[3] == t[1].dims[2];
  case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR: {
    DescriptorRef how = d->part(CUDNN_ATTR_OPERATION_REDUCTION_DESC);
    auto kind =
        how ? how->value<cudnnReduceTensorOp_t>(CUDNN_ATTR_REDUCTION_OPERATOR,
                                                CUDNN_REDUCE_TENSOR_MUL)
            : CUDNN_REDUCE_TENSOR_MUL;
    for (size_t i = 0; i < 4; ++i)
      if (i == 1 ? t[0].dims[i] % t[1].dims[i] != 0
                 : t[1].dims[i] != 1 && t[1].dims[i] != t[0].dims[i])
        return false;
    return kind == CUDNN_REDUCE_TENSOR_ADD || kind == CUDNN_REDUCE_TENSOR_MAX;
  }
  case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
    return t[0].volume() == t[1].volume();
  case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
    return d->value<cudnnBackendNormMode_t>(
               CUDNN_ATTR_OPERATION_NORM_FWD_MODE) == CUDNN_BATCH_NORM &&
           d->value<cudnnBackendNormFwdPhase_t>(
               CUDNN_ATTR_OPERATION_NORM_FWD_PHASE) ==
               CUDNN_NORM_FWD_TRAINING &&
           t[0].dims == t[4].dims && t[3].isValue &&
           arePerChannel(t[0], {t[1], t[2], t[5], t[6]});
  case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
    return d->value<cudnnBackendNormMode_t>(
               CUDNN_ATTR_OPERATION_NORM_BWD_MODE) == CUDNN_BATCH_NORM &&
           t[0].dims == t[1].dims && t[0].dims == t[5].dims &&
           arePerChannel(t[0], {t[2], t[3], t[4], t[6], t[7]});
  case CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR: {
    bool isForward = d->type == CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR;
    DescriptorRef how = d->part(Resampling::nameOf(d->type));
    if (!how || !how->isFinal)
      return false;
    Resampling windows(*how);
    return windows.fits(isForward ? t[0] : t[1], isForward ? t[1] : t[0]) &&
           (isForward || !windows.isMax());
  }
  default:
    break;
  }
  DescriptorRef how = d->part(Convolution::nameOf(d->type));
  return how && how->isFinal && Convolution(*operation).fits();
}

std::vector<Operation> operationsOf(const Descriptor &graph) {
  std::vector<Operation> operations;
  if (const Attribute *list = graph.find(CUDNN_ATTR_OPERATIONGRAPH_OPS))
    for (const DescriptorRef &one : list->descriptors)
      if (auto operation = operationOf(one))
        operations.push_back(*operation);
  return operations;
}

/// A virtual tensor is made before it is read, and read; the last result is in
/// memory, and a number of the host's memory is no result.
bool isGraph(const Descriptor &graph) {
  if (!graph.find(CUDNN_ATTR_OPERATIONGRAPH_HANDLE))
    return false;
  auto operations = operationsOf(graph);
  std::set<int64_t> made, read;
  for (const Operation &operation : operations) {
    for (size_t i = 0; i < operation.operands(); ++i) {
      const Tensor &tensor = operation.tensors[i];
      if (tensor.isVirtual && !made.count(tensor.id))
        return false;
      read.insert(tensor.id);
    }
    for (const Tensor &result : operation.results())
      if (result.isValue || !made.insert(result.id).second)
        return false;
  }
  // An engine needs the logarithms of attention, read or not.
  for (const Operation &operation : operations)
    if (operation.result().isVirtual && !read.count(operation.result().id) &&
        !isPointwise(operation))
      return false;
  return !operations.empty() && !operations.back().result().isVirtual;
}

/// Attention has heads of a multiple of 8 numbers.
bool hasEngines(const Descriptor &graph) {
  for (const Operation &operation : operationsOf(graph))
    if (operation.type() == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)
      for (const Tensor &tensor : operation.tensors)
        if (!tensor.isVirtual && tensor.dims[3] % 8 != 0 &&
            tensor.dims[2] % 8 != 0)
          return false;
  return true;
}

/// Engines in the order of heuristics, behind one that the device does not
/// have: one whose sums have no order, one that reads f32 as tf32, one that
/// needs more memory than there is, and two that serve.
struct EngineKind {
  int64_t index;
  int note; ///< -1: none
};
constexpr EngineKind engineKinds[] = {
    {fake::firstEngine + 3, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC},
    {fake::firstEngine + 4, CUDNN_NUMERICAL_NOTE_TENSOR_CORE},
    {fake::firstEngine + 2, -1},
    {fake::firstEngine, -1},
    {fake::firstEngine + 1, CUDNN_NUMERICAL_NOTE_WINOGRAD}};

int64_t engineOf(const Descriptor &settings) {
  return settings.part(CUDNN_ATTR_ENGINECFG_ENGINE)
      ->value<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
}

/// Bytes that a plan of the settings needs: none for pooling.
int64_t workspaceOf(const Descriptor &settings) {
  DescriptorRef engine = settings.part(CUDNN_ATTR_ENGINECFG_ENGINE);
  auto first =
      operationsOf(*engine->part(CUDNN_ATTR_ENGINE_OPERATION_GRAPH))[0].type();
  return first == CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR ||
                 first == CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR
             ? 0
             : int64_t(fake::convWorkspace);
}

template <typename T>
void put(Descriptor &d, int name, cudnnBackendAttributeType_t type, T value) {
  Attribute attribute{type, 1, std::vector<char>(sizeof(T)), {}};
  std::memcpy(attribute.bytes.data(), &value, sizeof(T));
  d.attributes[name] = attribute;
}

DescriptorRef made(cudnnBackendDescriptorType_t type) {
  auto descriptor = std::make_shared<Descriptor>();
  descriptor->type = type;
  descriptor->isFinal = true;
  return descriptor;
}

/// The answer of heuristics: settings of engines, each with a knob.
void propose(Descriptor &heuristics) {
  DescriptorRef graph = heuristics.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  Attribute results{CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, {}, {}};
  if (!hasEngines(*graph)) {
    heuristics.attributes[CUDNN_ATTR_ENGINEHEUR_RESULTS] = results;
    return;
  }
  // One that this device does not have.
  results.descriptors.push_back(made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
  for (const EngineKind &kind : engineKinds) {
    auto engine = made(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    put(*engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, kind.index);
    engine->attributes[CUDNN_ATTR_ENGINE_OPERATION_GRAPH] = {
        CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, {}, {graph}};
    if (kind.note >= 0)
      put(*engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
          kind.note);
    auto knob = made(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
    put(*knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE,
        CUDNN_KNOB_TYPE_TILE_SIZE);
    put(*knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, int64_t(5));
    auto settings = made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    settings->attributes[CUDNN_ATTR_ENGINECFG_ENGINE] = {
        CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, {}, {engine}};
    settings->attributes[CUDNN_ATTR_ENGINECFG_KNOB_CHOICES] = {
        CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, {}, {knob}};
    results.descriptors.push_back(settings);
  }
  results.count = int64_t(results.descriptors.size());
  heuristics.attributes[CUDNN_ATTR_ENGINEHEUR_RESULTS] = results;
}

cudnnStatus_t finalize(const DescriptorRef &d) {
  auto is = [](bool good) {
    return good ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
  };
  switch (d->type) {
  case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
    return is(isTensor(*d));
  case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
    return is(isConvolution(*d));
  case CUDNN_BACKEND_POINTWISE_DESCRIPTOR:
    return is(d->find(CUDNN_ATTR_POINTWISE_MODE) &&
              d->find(CUDNN_ATTR_POINTWISE_MATH_PREC));
  case CUDNN_BACKEND_RESAMPLE_DESCRIPTOR: {
    bool isMax = Resampling(*d).isMax();
    return is(d->find(CUDNN_ATTR_RESAMPLE_MODE) &&
              d->find(CUDNN_ATTR_RESAMPLE_COMP_TYPE) &&
              d->value<int64_t>(CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS) == 2 &&
              d->value<cudnnNanPropagation_t>(
                  CUDNN_ATTR_RESAMPLE_NAN_PROPAGATION) == CUDNN_PROPAGATE_NAN &&
              d->value<cudnnPaddingMode_t>(CUDNN_ATTR_RESAMPLE_PADDING_MODE,
                                           CUDNN_EDGE_VAL_PAD) ==
                  (isMax ? CUDNN_NEG_INF_PAD : CUDNN_ZERO_PAD));
  }
  case CUDNN_BACKEND_MATMUL_DESCRIPTOR:
    return is(d->find(CUDNN_ATTR_MATMUL_COMP_TYPE));
  case CUDNN_BACKEND_REDUCTION_DESCRIPTOR:
    return is(d->find(CUDNN_ATTR_REDUCTION_OPERATOR) &&
              d->find(CUDNN_ATTR_REDUCTION_COMP_TYPE));
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR:
    return is(isOperation(d));
  case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
    if (fake::libraryCalls().refusesGraphs)
      return CUDNN_STATUS_NOT_SUPPORTED;
    return is(isGraph(*d));
  case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
    if (!d->part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH) ||
        !d->part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)->isFinal)
      return CUDNN_STATUS_BAD_PARAM;
    propose(*d);
    return CUDNN_STATUS_SUCCESS;
  case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: {
    DescriptorRef settings = d->part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    if (!settings || !settings->isFinal)
      return CUDNN_STATUS_BAD_PARAM;
    int64_t engine = engineOf(*settings);
    if (engine == fake::libraryCalls().failingPlan)
      return CUDNN_STATUS_NOT_SUPPORTED;
    bool isLarge = engine == fake::firstEngine + 2;
    put(*d, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
        isLarge ? int64_t(1) << 40 : workspaceOf(*settings));
    return CUDNN_STATUS_SUCCESS;
  }
  case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR: {
    const Attribute *ids = d->find(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS),
                    *places = d->find(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
    return is(ids && places && ids->count == places->count &&
              d->find(CUDNN_ATTR_VARIANT_PACK_WORKSPACE));
  }
  default:
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
}

void computeOne(const Operation &operation, Memory &memory) {
  switch (operation.type()) {
  case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
    return computePointwise(operation, memory);
  case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
    return computeMatmul(operation, memory);
  case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
    return computeReduction(operation, memory);
  case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
    return computeReshape(operation, memory);
  case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
    return computeNorm(operation, memory);
  case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
    return computeNormGradient(operation, memory);
  case CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR:
    return computePooling(operation, memory);
  default:
    return computeConvolution(operation, memory);
  }
}

/// Reads what is in memory, computes, and writes results.
void compute(const std::vector<Operation> &operations,
             const std::map<int64_t, void *> &places, Memory memory) {
  for (const Operation &operation : operations) {
    for (size_t k = 0; k < operation.tensors.size(); ++k) {
      const Tensor &tensor = operation.tensors[k];
      if (tensor.isVirtual || memory.count(tensor.id))
        continue;
      Values &values = memory[tensor.id];
      values.resize(static_cast<size_t>(tensor.volume()));
      if (k < operation.operands())
        tensor.forEach([&](int64_t place, size_t i) {
          values[i] = fake::load(places.at(tensor.id), tensor.type(), place);
        });
    }
    computeOne(operation, memory);
    for (const Tensor &result : operation.results())
      if (result.isNarrow)
        for (float &value : memory[result.id])
          value = fromBFloat16(toBFloat16(value));
  }
  for (const Operation &operation : operations)
    for (const Tensor &result : operation.results())
      if (!result.isVirtual)
        result.forEach([&](int64_t place, size_t i) {
          bool isLast = i + 1 == size_t(result.volume());
          fake::store(
              places.at(result.id), result.type(), place,
              memory[result.id][i] +
                  float(isLast && fake::isWrong("cudnnBackendExecute")));
        });
}

} // namespace

extern "C" {
cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t *native) {
  auto descriptor = std::make_shared<Descriptor>();
  descriptor->type = type;
  *native = new Handle{descriptor};
  ++fake::libraryCalls().alive;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t native) {
  delete static_cast<Handle *>(native);
  --fake::libraryCalls().alive;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t native,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type,
                                       int64_t count, const void *values) {
  DescriptorRef &d = descriptorOf(native);
  if (d->isFinal || count < 0 || (count > 0 && !values))
    return CUDNN_STATUS_BAD_PARAM;
  Attribute attribute{type, count, {}, {}};
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    auto list = static_cast<const cudnnBackendDescriptor_t *>(values);
    for (int64_t i = 0; i < count; ++i) {
      if (!list[i] || !descriptorOf(list[i])->isFinal)
        return CUDNN_STATUS_BAD_PARAM;
      attribute.descriptors.push_back(descriptorOf(list[i]));
    }
  } else {
    attribute.bytes.resize(size_t(count) * widthOf(type));
    std::memcpy(attribute.bytes.data(), values, attribute.bytes.size());
  }
  d->attributes[name] = std::move(attribute);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const native,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type,
                                       int64_t most, int64_t *count,
                                       void *values) {
  const DescriptorRef &d = descriptorOf(native);
  if (!d->isFinal)
    return CUDNN_STATUS_BAD_PARAM;
  const Attribute *attribute = d->find(name);
  if (!attribute && name == CUDNN_ATTR_ENGINECFG_ENGINE)
    return CUDNN_STATUS_NOT_SUPPORTED;
  *count = attribute ? attribute->count : 0;
  if (!attribute || most == 0)
    return CUDNN_STATUS_SUCCESS;
  if (attribute->type != type)
    return CUDNN_STATUS_BAD_PARAM;
  int64_t given = std::min(most, attribute->count);
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    // The caller has made descriptors of the type that it expects.
    auto list = static_cast<cudnnBackendDescriptor_t *>(values);
    for (int64_t i = 0; i < given; ++i) {
      if (descriptorOf(list[i])->type !=
          attribute->descriptors[size_t(i)]->type)
        return CUDNN_STATUS_BAD_PARAM;
      descriptorOf(list[i]) = attribute->descriptors[size_t(i)];
    }
  } else {
    std::memcpy(values, attribute->bytes.data(), size_t(given) * widthOf(type));
  }
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t native) {
  DescriptorRef &d = descriptorOf(native);
  cudnnStatus_t status = finalize(d);
  d->isFinal = status == CUDNN_STATUS_SUCCESS;
  return status;
}
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle,
                                  cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack) {
  fake::LibraryCalls &calls = fake::libraryCalls();
  const Descriptor &list = *descriptorOf(pack);
  DescriptorRef settings =
      descriptorOf(plan)->part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  if (!settings || !list.isFinal)
    return CUDNN_STATUS_BAD_PARAM;
  DescriptorRef engine = settings->part(CUDNN_ATTR_ENGINECFG_ENGINE);
  ++calls.plans;
  calls.engine = engineOf(*settings);
  auto operations =
      operationsOf(*engine->part(CUDNN_ATTR_ENGINE_OPERATION_GRAPH));
  auto ids = list.list<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  auto pointers = list.list<void *>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  calls.workspace = list.value<void *>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  if (!calls.workspace && workspaceOf(*settings) > 0)
    return CUDNN_STATUS_BAD_PARAM;
  std::map<int64_t, void *> places;
  for (size_t i = 0; i < ids.size(); ++i)
    places[ids[i]] = pointers[i];
  for (const Operation &operation : operations)
    for (const Tensor &tensor : operation.tensors)
      if (!tensor.isVirtual &&
          (!places[tensor.id] ||
           (!tensor.isValue && reinterpret_cast<uintptr_t>(places[tensor.id]) %
                                       uintptr_t(tensor.alignment) !=
                                   0)))
        return CUDNN_STATUS_BAD_PARAM;
  // Numbers of the host's memory are read at once.
  Memory values;
  for (const Operation &operation : operations)
    for (const Tensor &tensor : operation.tensors)
      if (tensor.isValue)
        values[tensor.id] = {fake::load(places[tensor.id], tensor.type(), 0)};
  double time = calls.timeOf(int(calls.engine));
  cudaError_t error = fake::give(fake::streamOf(handle), [=] {
    compute(operations, places, values);
    fake::pass(time);
  });
  return error == cudaSuccess ? CUDNN_STATUS_SUCCESS
                              : CUDNN_STATUS_EXECUTION_FAILED;
}
} // extern "C"
