//===- AttentionGraph.cpp - Attention by cuDNN's graph API ----------------===//
//
// See AttentionGraph.h. cuDNN's flash attention engines know a graph by the
// order and the kinds of its operations: they are those that NVIDIA's
// documentation of attention draws, and that cudnn-frontend makes.
//
//===----------------------------------------------------------------------===//

#include "AttentionGraph.h"

#include <algorithm>
#include <limits>

using namespace soap;
using namespace soap::runtime;

/// What tensors are called in plans: those of the call by their number + 1,
/// then these. From `Between` on they are in no memory.
enum TensorId : int64_t {
  Statistics = 20,
  Scale,
  Never, ///< what a score is where the mask hides a key
  One,
  RowSums,
  Between = 100,
};
static int64_t idOf(AttentionTensor t) { return int64_t(t) + 1; }

/// Adds operations to a graph. The first error ends what follows.
struct AttentionGraph::Builder {
  AttentionGraph &of;
  CudnnGraph &graph;
  const AttentionCall &call;
  MaybeError error = std::nullopt;
  int64_t between = Between;

  using Dims = std::array<int64_t, 4>;
  using Storage = CudnnGraph::Storage;
  static constexpr auto descriptor = CUDNN_TYPE_BACKEND_DESCRIPTOR;

  explicit Builder(AttentionGraph &of)
      : of(of), graph(of.graph), call(of.call) {}

  Dims scores() const {
    return {call.batch, call.heads, call.queries, call.keys};
  }
  Dims rows() const { return {call.batch, call.heads, call.queries, 1}; }
  static Dims packed(const Dims &d) {
    return {d[1] * d[2] * d[3], d[2] * d[3], d[3], 1};
  }
  static Dims swapped(Dims d) {
    std::swap(d[2], d[3]);
    return d;
  }

  size_t add(int64_t id, cudnnDataType_t type, const Dims &dims,
             const Dims &strides, Storage storage) {
    if (error)
      return 0;
    auto made = graph.addTensor(id, type, {dims.begin(), dims.end()},
                                {strides.begin(), strides.end()}, of.alignment,
                                storage);
    if (!made) {
      error = made.takeError();
      return 0;
    }
    return *made;
  }
  size_t virtualTensor(const Dims &dims,
                       cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return add(between++, type, dims, packed(dims), Storage::Virtual);
  }
  size_t value(TensorId id) {
    return add(id, CUDNN_DATA_FLOAT, {1, 1, 1, 1}, {1, 1, 1, 1},
               Storage::Value);
  }
  Dims dimsOf(AttentionTensor t) const {
    return {call.batch, call.heads, call.rowsOf(t), call.widthOf(t)};
  }
  /// A tensor of the call; `isTransposed`: as [batch, heads, width, rows].
  size_t tensor(AttentionTensor t, bool isTransposed = false) {
    Dims dims = dimsOf(t), strides = call.stridesOf(t);
    return add(idOf(t), CUDNN_DATA_BFLOAT16,
               isTransposed ? swapped(dims) : dims,
               isTransposed ? swapped(strides) : strides, Storage::Memory);
  }
  size_t statistics() {
    return add(Statistics, CUDNN_DATA_FLOAT, rows(), packed(rows()),
               Storage::Memory);
  }

  template <typename Body>
  void operation(Body body) {
    if (!error)
      error = body();
  }

  void matmul(size_t a, size_t b, size_t c) {
    operation([&]() -> MaybeError {
      CudnnDescriptor kind, made;
      SOAP_TRY(kind.create(CUDNN_BACKEND_MATMUL_DESCRIPTOR));
      SOAP_TRY(kind.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
                        CUDNN_DATA_FLOAT));
      SOAP_TRY(kind.finalize());
      SOAP_TRY(made.create(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR));
      SOAP_TRY(made.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, descriptor,
                        graph.tensor(a)));
      SOAP_TRY(made.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, descriptor,
                        graph.tensor(b)));
      SOAP_TRY(made.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, descriptor,
                        graph.tensor(c)));
      SOAP_TRY(
          made.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, descriptor, kind.get()));
      SOAP_TRY(made.finalize());
      graph.addPart(std::move(kind));
      graph.addOperation(std::move(made));
      return std::nullopt;
    });
  }

  void reduce(cudnnReduceTensorOp_t how, size_t x, size_t y) {
    operation([&]() -> MaybeError {
      CudnnDescriptor kind, made;
      SOAP_TRY(kind.create(CUDNN_BACKEND_REDUCTION_DESCRIPTOR));
      SOAP_TRY(kind.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
                        CUDNN_DATA_FLOAT));
      SOAP_TRY(kind.set(CUDNN_ATTR_REDUCTION_OPERATOR,
                        CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, how));
      SOAP_TRY(kind.finalize());
      SOAP_TRY(made.create(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR));
      SOAP_TRY(made.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, descriptor,
                        graph.tensor(x)));
      SOAP_TRY(made.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, descriptor,
                        graph.tensor(y)));
      SOAP_TRY(made.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, descriptor,
                        kind.get()));
      SOAP_TRY(made.finalize());
      graph.addPart(std::move(kind));
      graph.addOperation(std::move(made));
      return std::nullopt;
    });
  }

  void reshape(size_t x, size_t y) {
    operation([&]() -> MaybeError {
      CudnnDescriptor made;
      SOAP_TRY(made.create(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR));
      SOAP_TRY(made.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, descriptor,
                        graph.tensor(x)));
      SOAP_TRY(made.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, descriptor,
                        graph.tensor(y)));
      SOAP_TRY(made.finalize());
      graph.addOperation(std::move(made));
      return std::nullopt;
    });
  }

  /// `others`: a second operand, and what selects between both.
  void pointwise(cudnnPointwiseMode_t mode, size_t x,
                 const std::vector<size_t> &others, size_t y,
                 cudnnDataType_t type = CUDNN_DATA_FLOAT, int64_t axis = -1) {
    operation([&]() -> MaybeError {
      CudnnDescriptor kind, made;
      SOAP_TRY(kind.create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR));
      SOAP_TRY(
          kind.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode));
      SOAP_TRY(
          kind.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, type));
      if (axis >= 0)
        SOAP_TRY(kind.set(CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, axis));
      SOAP_TRY(kind.finalize());
      SOAP_TRY(made.create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
      SOAP_TRY(made.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
                        descriptor, kind.get()));
      SOAP_TRY(made.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, descriptor,
                        graph.tensor(x)));
      static constexpr cudnnBackendAttributeName_t names[] = {
          CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
          CUDNN_ATTR_OPERATION_POINTWISE_TDESC};
      for (size_t i = 0; i < others.size(); ++i)
        SOAP_TRY(made.set(names[i], descriptor, graph.tensor(others[i])));
      SOAP_TRY(made.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, descriptor,
                        graph.tensor(y)));
      SOAP_TRY(made.finalize());
      graph.addPart(std::move(kind));
      graph.addOperation(std::move(made));
      return std::nullopt;
    });
  }

  /// What an elementwise operation makes, of `dims`.
  size_t made(cudnnPointwiseMode_t mode, size_t x,
              const std::vector<size_t> &others, const Dims &dims,
              cudnnDataType_t type = CUDNN_DATA_FLOAT, int64_t axis = -1) {
    size_t y = virtualTensor(dims, type);
    pointwise(mode, x, others, y, type, axis);
    return y;
  }

  size_t scaled(size_t x, size_t scale) {
    return made(CUDNN_POINTWISE_MUL, x, {scale}, scores());
  }

  /// The scores that the mask leaves.
  size_t masked(size_t x) {
    if (call.mask == AttentionMask::None)
      return x;
    size_t row =
        made(CUDNN_POINTWISE_GEN_INDEX, x, {}, scores(), CUDNN_DATA_INT32, 2);
    size_t column =
        made(CUDNN_POINTWISE_GEN_INDEX, x, {}, scores(), CUDNN_DATA_INT32, 3);
    size_t isSeen = made(CUDNN_POINTWISE_CMP_GE, row, {column}, scores(),
                         CUDNN_DATA_BOOLEAN);
    return made(CUDNN_POINTWISE_BINARY_SELECT, x, {value(Never), isSeen},
                scores());
  }

  void forward() {
    using enum AttentionTensor;
    size_t q = tensor(Q), k = tensor(K, /*isTransposed=*/true);
    size_t products = virtualTensor(scores());
    matmul(q, k, products);
    size_t x = masked(scaled(products, value(Scale)));
    size_t most = virtualTensor(rows());
    reduce(CUDNN_REDUCE_TENSOR_MAX, x, most);
    size_t below = made(CUDNN_POINTWISE_SUB, x, {most}, scores());
    size_t exponentials = made(CUDNN_POINTWISE_EXP, below, {}, scores());
    size_t sum = virtualTensor(rows());
    reduce(CUDNN_REDUCE_TENSOR_ADD, exponentials, sum);
    // Engines know no graph without them.
    size_t log = made(CUDNN_POINTWISE_LOG, sum, {}, rows());
    pointwise(CUDNN_POINTWISE_ADD, most, {log},
              call.hasStatistics() ? statistics() : virtualTensor(rows()));
    size_t shares = virtualTensor(scores(), CUDNN_DATA_BFLOAT16);
    pointwise(CUDNN_POINTWISE_DIV, exponentials, {sum}, shares);
    matmul(shares, tensor(V), tensor(O));
  }

  /// What a product reads transposed, in bf16.
  size_t transposed(size_t x) {
    Dims dims = scores();
    size_t y = add(between++, CUDNN_DATA_BFLOAT16, swapped(dims),
                   swapped(packed(dims)), Storage::Virtual);
    reshape(x, y);
    return y;
  }

  void backward() {
    using enum AttentionTensor;
    size_t q = tensor(Q), k = tensor(K, true), v = tensor(V, true);
    size_t o = tensor(O), gradient = tensor(DO);
    size_t scale = value(Scale), stats = statistics();
    // What every element of a row of the softmax's gradient has too much.
    size_t parts = made(CUDNN_POINTWISE_MUL, gradient, {o}, dimsOf(O));
    size_t sums = virtualTensor(rows());
    reduce(CUDNN_REDUCE_TENSOR_ADD, parts, sums);
    size_t excess =
        add(RowSums, CUDNN_DATA_FLOAT, rows(), packed(rows()), Storage::Memory);
    pointwise(CUDNN_POINTWISE_MUL, sums, {value(One)}, excess);
    // The softmax again, from the statistics.
    size_t products = virtualTensor(scores());
    matmul(q, k, products);
    size_t below =
        made(CUDNN_POINTWISE_SUB, scaled(products, scale), {stats}, scores());
    size_t shares = made(CUDNN_POINTWISE_EXP, masked(below), {}, scores());
    matmul(transposed(shares), gradient, tensor(DV));
    size_t ofShares = virtualTensor(scores());
    matmul(gradient, v, ofShares);
    size_t centred = made(CUDNN_POINTWISE_SUB, ofShares, {excess}, scores());
    size_t ofScores = made(CUDNN_POINTWISE_MUL, centred, {shares}, scores());
    ofScores = scaled(ofScores, scale);
    matmul(transposed(ofScores), q, tensor(DK));
    size_t keys = add(between++, CUDNN_DATA_BFLOAT16, dimsOf(K),
                      call.stridesOf(K), Storage::Virtual);
    reshape(k, keys);
    matmul(ofScores, keys, tensor(DQ));
  }
};

Expected<std::unique_ptr<AttentionGraph>>
AttentionGraph::make(const CudnnTarget &target, const AttentionCall &call,
                     int64_t alignment, size_t most) {
  std::unique_ptr<AttentionGraph> made(
      new AttentionGraph(target, call, alignment));
  made->scale = static_cast<float>(call.scale);
  made->never = -std::numeric_limits<float>::infinity();
  Builder builder(*made);
  if (call.isBackward())
    builder.backward();
  else
    builder.forward();
  if (builder.error)
    return *builder.error;
  SOAP_TRY(made->graph.finalize());
  SOAP_TRY(made->graph.propose(most, [](const auto &notes) {
    return std::none_of(notes.begin(), notes.end(), [&](auto note) {
      return note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC;
    });
  }));
  return made;
}

/// Bytes of sums of rows, which the gradients have in front of the engine's
/// workspace.
static size_t rowSumBytes(const AttentionCall &call) {
  constexpr size_t unit = 256;
  return call.isBackward()
             ? (size_t(call.statisticsVolume()) * 4 + unit - 1) / unit * unit
             : 0;
}

Expected<size_t> AttentionGraph::workspaceOf(size_t engine) {
  auto bytes = graph.workspaceOf(engine);
  return bytes ? Expected<size_t>(*bytes + rowSumBytes(call)) : bytes;
}

MaybeError AttentionGraph::run(size_t engine, const AttentionBuffers &buffers) {
  using enum AttentionTensor;
  std::vector<int64_t> ids;
  std::vector<void *> places;
  auto add = [&](int64_t id, void *place) {
    ids.push_back(id);
    places.push_back(place);
  };
  for (AttentionTensor t : {Q, K, V, O})
    add(idOf(t), buffers[t]);
  if (call.isBackward())
    for (AttentionTensor t : {DO, DQ, DK, DV})
      add(idOf(t), buffers[t]);
  if (call.hasStatistics())
    add(Statistics, buffers.statistics);
  add(Scale, &scale);
  if (call.mask == AttentionMask::Causal)
    add(Never, &never);
  if (call.isBackward()) {
    add(One, &one);
    add(RowSums, buffers.workspace);
  }
  return graph.run(engine, ids, places,
                   static_cast<char *>(buffers.workspace) + rowSumBytes(call));
}
