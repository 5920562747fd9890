//===- AttentionGraph.cpp - Attention by cuDNN's graph API ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AttentionGraph.h. cuDNN's flash attention engines know a graph by the
// order and the kinds of its operations: they are those that NVIDIA's
// documentation of attention draws, and that cudnn-frontend makes.
//
//===----------------------------------------------------------------------===//

#include "AttentionGraph.h"

#include "CudnnOperations.h"

#include <algorithm>
#include <limits>

using namespace soap;
using namespace soap::runtime;

/// The numbers of tensors in plans: tensors of the call have their number + 1,
/// then come these. From `Between` on they are in no memory.
enum TensorId : int64_t {
  Statistics = 20,
  Scale,
  Never, ///< the score where the mask hides a key
  Left,  ///< keys that a query sees, up to its own
  One,
  RowSums,
  Between = 100,
};
static int64_t idOf(AttentionTensor t) { return int64_t(t) + 1; }

/// The operations of a call.
struct AttentionGraph::Builder : CudnnOperations {
  const AttentionCall &call;
  int64_t between = Between;

  explicit Builder(AttentionGraph &of)
      : CudnnOperations(of.graph, of.alignment), call(of.call) {}

  Dims scores() const {
    return {call.batch, call.heads, call.queries, call.keys};
  }
  Dims rows() const { return {call.batch, call.heads, call.queries, 1}; }
  static Dims swapped(Dims d) {
    std::swap(d[2], d[3]);
    return d;
  }

  size_t virtualTensor(const Dims &dims,
                       cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return tensor(between++, type, dims, packed(dims), Storage::Virtual);
  }
  Dims dimsOf(AttentionTensor t) const {
    return {call.batch, call.headsOf(t), call.rowsOf(t), call.widthOf(t)};
  }
  /// A tensor of the call; `isTransposed`: as [batch, heads, width, rows].
  size_t operand(AttentionTensor t, bool isTransposed = false) {
    Dims dims = dimsOf(t), strides = call.stridesOf(t);
    return tensor(idOf(t), CUDNN_DATA_BFLOAT16,
                  isTransposed ? swapped(dims) : dims,
                  isTransposed ? swapped(strides) : strides, Storage::Memory);
  }
  size_t statistics() {
    return tensor(Statistics, CUDNN_DATA_FLOAT, rows(), packed(rows()));
  }

  /// The result of an elementwise operation, of shape `dims`.
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

  /// The scores that the bounds leave: row >= column, and column + keys > row.
  size_t masked(size_t x) {
    auto index = [&](int64_t axis) {
      return made(CUDNN_POINTWISE_GEN_INDEX, x, {}, scores(), CUDNN_DATA_INT32,
                  axis);
    };
    auto choose = [&](size_t isSeen) {
      x = made(CUDNN_POINTWISE_BINARY_SELECT, x, {number(Never), isSeen},
               scores());
    };
    if (call.right != AttentionCall::unbounded) {
      size_t row = index(2), column = index(3);
      choose(made(CUDNN_POINTWISE_CMP_GE, row, {column}, scores(),
                  CUDNN_DATA_BOOLEAN));
    }
    if (call.left != AttentionCall::unbounded) {
      size_t row = index(2), column = index(3);
      size_t end = made(CUDNN_POINTWISE_ADD, column, {number(Left)}, scores());
      choose(made(CUDNN_POINTWISE_CMP_GT, end, {row}, scores(),
                  CUDNN_DATA_BOOLEAN));
    }
    return x;
  }

  void forward() {
    using enum AttentionTensor;
    size_t q = operand(Q), k = operand(K, /*isTransposed=*/true);
    size_t products = virtualTensor(scores());
    matmul(q, k, products);
    size_t x = masked(scaled(products, number(Scale)));
    size_t maximum = virtualTensor(rows());
    reduce(CUDNN_REDUCE_TENSOR_MAX, x, maximum);
    size_t below = made(CUDNN_POINTWISE_SUB, x, {maximum}, scores());
    size_t exponentials = made(CUDNN_POINTWISE_EXP, below, {}, scores());
    size_t sum = virtualTensor(rows());
    reduce(CUDNN_REDUCE_TENSOR_ADD, exponentials, sum);
    // Engines know no graph without them.
    size_t log = made(CUDNN_POINTWISE_LOG, sum, {}, rows());
    pointwise(CUDNN_POINTWISE_ADD, maximum, {log},
              call.hasStatistics() ? statistics() : virtualTensor(rows()));
    size_t shares = virtualTensor(scores(), CUDNN_DATA_BFLOAT16);
    pointwise(CUDNN_POINTWISE_DIV, exponentials, {sum}, shares);
    matmul(shares, operand(V), operand(O));
  }

  /// An operand that a product reads transposed, in bf16.
  size_t transposed(size_t x) {
    Dims dims = scores();
    size_t y = tensor(between++, CUDNN_DATA_BFLOAT16, swapped(dims),
                      swapped(packed(dims)), Storage::Virtual);
    reshape(x, y);
    return y;
  }

  /// A gradient of keys or values: a sum over the heads that share them.
  void ofKeys(size_t shares, size_t rows, AttentionTensor result) {
    if (call.keyHeads == call.heads)
      return matmul(shares, rows, operand(result));
    Dims dims = dimsOf(result);
    dims[1] = call.heads;
    size_t ofHeads = virtualTensor(dims, CUDNN_DATA_BFLOAT16);
    matmul(shares, rows, ofHeads);
    reduce(CUDNN_REDUCE_TENSOR_ADD, ofHeads, operand(result));
  }

  void backward() {
    using enum AttentionTensor;
    size_t q = operand(Q), k = operand(K, true), v = operand(V, true);
    size_t o = operand(O), gradient = operand(DO);
    size_t scale = number(Scale), stats = statistics();
    // Subtracted from every element of a row of the softmax's gradient.
    size_t parts = made(CUDNN_POINTWISE_MUL, gradient, {o}, dimsOf(O));
    size_t sums = virtualTensor(rows());
    reduce(CUDNN_REDUCE_TENSOR_ADD, parts, sums);
    size_t excess = tensor(RowSums, CUDNN_DATA_FLOAT, rows(), packed(rows()));
    pointwise(CUDNN_POINTWISE_MUL, sums, {number(One)}, excess);
    // The softmax again, from the statistics.
    size_t products = virtualTensor(scores());
    matmul(q, k, products);
    size_t below =
        made(CUDNN_POINTWISE_SUB, scaled(products, scale), {stats}, scores());
    size_t shares = made(CUDNN_POINTWISE_EXP, masked(below), {}, scores());
    ofKeys(transposed(shares), gradient, DV);
    size_t ofShares = virtualTensor(scores());
    matmul(gradient, v, ofShares);
    size_t centred = made(CUDNN_POINTWISE_SUB, ofShares, {excess}, scores());
    size_t ofScores = made(CUDNN_POINTWISE_MUL, centred, {shares}, scores());
    ofScores = scaled(ofScores, scale);
    ofKeys(transposed(ofScores), q, DK);
    size_t keys = tensor(between++, CUDNN_DATA_BFLOAT16, dimsOf(K),
                         call.stridesOf(K), Storage::Virtual);
    reshape(k, keys);
    matmul(ofScores, keys, operand(DQ));
  }
};

Expected<std::unique_ptr<AttentionGraph>>
AttentionGraph::make(const CudnnTarget &target, const AttentionCall &call,
                     int64_t alignment, size_t maxEngines) {
  std::unique_ptr<AttentionGraph> made(
      new AttentionGraph(target, call, alignment));
  made->scale = static_cast<float>(call.scale);
  made->never = -std::numeric_limits<float>::infinity();
  if (call.left != AttentionCall::unbounded)
    made->left = static_cast<float>(call.left + 1);
  Builder builder(*made);
  if (call.isBackward())
    builder.backward();
  else
    builder.forward();
  if (builder.error)
    return *builder.error;
  SOAP_TRY(made->graph.finalize());
  SOAP_TRY(made->graph.propose(maxEngines, [](const auto &notes) {
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
  if (call.isBounded())
    add(Never, &never);
  if (call.left != AttentionCall::unbounded)
    add(Left, &left);
  if (call.isBackward()) {
    add(One, &one);
    add(RowSums, buffers.workspace);
  }
  return graph.run(engine, ids, places,
                   static_cast<char *>(buffers.workspace) + rowSumBytes(call));
}
