//===- AttentionOps.cpp - Attention and rotary embedding of ONNX -*- C++
//-*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of opset 23 that transformers are made of. Attention is one op, or,
// where its products are read, products, masks and softmax.
//
//===----------------------------------------------------------------------===//

#include "Target/ONNX/Importer.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

class AttentionImporter {
public:
  explicit AttentionImporter(NodeContext &node) : node(node) {}

  LogicalResult run() {
    if (failed(check()))
      return failure();
    Value q = heads("query", 0, queryHeads), k = heads("key", 1, keyHeads),
          v = heads("value", 2, keyHeads);
    k = withPast("present_key", 4, k);
    v = withPast("present_value", 5, v);
    if (!q || !k || !v)
      return failure();
    if (shapeOf(q)[3] != shapeOf(k)[3] || shapeOf(k)[2] != shapeOf(v)[2] ||
        shapeOf(q)[0] != shapeOf(k)[0] || shapeOf(q)[0] != shapeOf(v)[0])
      return node.error("queries " + shapeString(shapeOf(q)) + ", keys " +
                        shapeString(shapeOf(k)) + " and values " +
                        shapeString(shapeOf(v)) + " do not fit");
    if ((node.wantsResult(1) && failed(node.setResult(1, k))) ||
        (node.wantsResult(2) && failed(node.setResult(2, v))))
      return failure();
    double factor = scale ? double(*scale)
                          : 1 / std::sqrt(static_cast<double>(shapeOf(q)[3]));
    if (!node.wantsResult(3))
      return asOneOp(q, k, v, factor);
    k = repeat("keys", k);
    v = repeat("values", v);
    Value scores =
        node.createMatmul("product", q, k, false, /*transposeB=*/true);
    scores = node.createScale("scores", scores, factor);
    if (!scores)
      return failure();
    if (failed(showProducts(0, scores)))
      return failure();
    if (softcap != 0)
      scores = node.createScale(
          "capped",
          node.createUnary<TanhOp>(
              "tanh", node.createScale("inner", scores, 1.0 / softcap)),
          softcap);
    Value bias;
    if (failed(showProducts(1, scores)) ||
        failed(makeBias(shapeOf(scores), bias)) ||
        (isCausal && failed(addCausal(shapeOf(scores), bias))))
      return failure();
    // A row that may see nothing gets zeros.
    Value isMasked;
    if (bias && node.hasInput(3)) {
      Value most = node.createReduce("most", bias, ReduceKind::Max,
                                     {int64_t(shapeOf(bias).size()) - 1}, true);
      isMasked = node.createBinary<EqualOp>(
          "is_masked", most, node.createScalar("nothing", -INFINITY));
    }
    if (bias)
      scores = node.createBinary<AddOp>("masked", scores, bias);
    if (failed(showProducts(2, scores)))
      return failure();
    Value zero = isMasked ? node.createScalar("zero", 0) : Value();
    if (isMasked)
      scores = node.createWhere("seen", isMasked, zero, scores);
    if (!scores)
      return failure();
    Value weights = node.create<SoftmaxOp>("weights", shapeOf(scores), scores,
                                           static_cast<uint64_t>(3));
    if (isMasked)
      weights = node.createWhere("kept", isMasked, zero, weights);
    if (failed(showProducts(3, weights)))
      return failure();
    return setHeads(node.createMatmul(isFlat ? "heads" : "", weights, v));
  }

private:
  /// The result [N, heads, steps, size], in the form that is wanted.
  LogicalResult setHeads(Value y) {
    if (!y || !isFlat)
      return node.setResult(0, y);
    Shape shape = shapeOf(y);
    y = node.createTranspose("steps", y, {0, 2, 1, 3});
    return node.setResult(
        0,
        node.createReshape("", y, {shape[0], shape[2], shape[1] * shape[3]}));
  }

  /// Without products that something reads. Queries begin behind past keys.
  LogicalResult asOneOp(Value q, Value k, Value v, double factor) {
    Value bias;
    if (failed(makeBias(
            {shapeOf(q)[0], queryHeads, shapeOf(q)[2], shapeOf(k)[2]}, bias)))
      return failure();
    if (bias && shapeOf(bias).size() < 4) {
      Shape shape = shapeOf(bias);
      shape.insert(shape.begin(), 4 - shape.size(), 1);
      bias = node.createReshape("bias_of_heads", bias, shape);
    }
    OpBuilder &builder = node.importer.builder;
    auto op = AttentionOp::create(
        builder, node.loc, q, k, v, bias, Value(), Value(),
        builder.getF64FloatAttr(factor),
        builder.getF64FloatAttr(double(softcap)), IntegerAttr(),
        isCausal ? builder.getI64IntegerAttr(0) : IntegerAttr(),
        builder.getI64IntegerAttr(pastSteps));
    node.nameOp(op, isFlat ? "heads" : "");
    return setHeads(op.getOut());
  }

  LogicalResult check() {
    if (!node.checkCounts(3, 6, 4))
      return failure();
    isFlat = node.shape(0).size() == 3;
    isCausal = node.intAttribute("is_causal", 0) != 0;
    mode = node.intAttribute("qk_matmul_output_mode", 0);
    softcap = node.floatAttribute("softcap", 0);
    if (node.hasAttribute("scale"))
      scale = node.floatAttribute("scale", 1);
    node.ignoreAttribute("softmax_precision"); // float32 in any case
    queryHeads = node.intAttribute("q_num_heads", 0);
    keyHeads = node.intAttribute("kv_num_heads", 0);
    if (node.failed())
      return failure();
    if (scale && !(*scale > 0))
      return node.error("attribute 'scale': expected a positive number");
    if (mode < 0 || mode > 3)
      return node.error("attribute 'qk_matmul_output_mode': expected 0 to 3, "
                        "got " +
                        Twine(mode));
    for (size_t i = 0; i < 3; ++i) {
      size_t rank = node.shape(i).size();
      if (rank != (isFlat ? 3u : 4u))
        return node.error("expected queries, keys and values of one rank, 3 or "
                          "4, got " +
                          shapeString(node.shape(i)));
      int64_t &count = i == 0 ? queryHeads : keyHeads;
      if (!isFlat)
        count = node.shape(i)[1];
      else if (count < 1 || node.shape(i)[2] % count != 0)
        return node.error("operand " + quote(node.node.inputs[i]) +
                          " of shape " + shapeString(node.shape(i)) +
                          " can not be divided into " + Twine(count) +
                          " heads");
    }
    if (!isFlat && node.shape(1)[1] != node.shape(2)[1])
      return node.error("keys and values have different numbers of heads");
    if (queryHeads % keyHeads != 0)
      return node.error(Twine(queryHeads) +
                        " heads of queries are no multiple "
                        "of " +
                        Twine(keyHeads) + " heads of keys");
    if (node.hasInput(4) != node.hasInput(5))
      return node.error("expected past keys and values together");
    return success();
  }

  /// Sets the result of the products of queries and keys if it is wanted as
  /// they are now: 0 scaled, 1 capped, 2 masked, 3 after the softmax.
  LogicalResult showProducts(int64_t now, Value products) {
    return mode == now && node.wantsResult(3) ? node.setResult(3, products)
                                              : success(bool(products));
  }

  /// [N, heads, steps, size].
  Value heads(StringRef name, size_t index, int64_t count) {
    Value x = node.tensor(index);
    if (!x || !isFlat)
      return x;
    Shape shape = shapeOf(x);
    x = node.createReshape((name + "_heads").str(), x,
                           {shape[0], shape[1], count, shape[2] / count});
    return node.createTranspose(name, x, {0, 2, 1, 3});
  }

  Value withPast(StringRef name, size_t index, Value x) {
    if (!x || !node.hasInput(index))
      return x;
    Value past = node.tensor(index);
    if (!past)
      return past;
    Shape before = shapeOf(past), now = shapeOf(x);
    if (before.size() != 4 || before[0] != now[0] || before[1] != now[1] ||
        before[3] != now[3])
      return (void)node.error("operand " + quote(node.node.inputs[index]) +
                              " of shape " + shapeString(before) +
                              " does not fit " + shapeString(now)),
             Value();
    pastSteps = before[2];
    return node.createConcat(name, {past, x}, 2);
  }

  /// Each head of keys for all heads of queries that share it.
  Value repeat(StringRef name, Value x) {
    if (!x || queryHeads == keyHeads)
      return x;
    Shape shape = shapeOf(x);
    Shape wide{shape[0], keyHeads, queryHeads / keyHeads, shape[2], shape[3]};
    x = node.createReshape((name + "_group").str(), x,
                           {shape[0], keyHeads, 1, shape[2], shape[3]});
    x = node.createBroadcast((name + "_repeat").str(), x, wide);
    return node.createReshape(name, x,
                              {shape[0], queryHeads, shape[2], shape[3]});
  }

  /// The tensor that is added to the scores: 0 or the mask, -inf where nothing
  /// is seen.
  LogicalResult makeBias(const Shape &shape, Value &bias) {
    int64_t keys = shape[3];
    if (node.hasInput(3)) {
      bool isBool = node.isBool(3);
      bias = node.floats(3);
      if (!bias)
        return failure();
      Shape mask = shapeOf(bias);
      if (mask.empty() || mask.back() > keys)
        return node.error("a mask of shape " + shapeString(mask) +
                          " does not fit scores of shape " +
                          shapeString(shape));
      Shape low(mask.size(), 0), high(mask.size(), 0);
      high.back() = keys - mask.back();
      if (mask.back() != 1 || keys == 1)
        bias =
            node.createPad("mask_pad", bias, low, high, isBool ? 0 : -INFINITY);
      if (isBool)
        bias =
            node.createWhere("mask_bias", bias, node.createScalar("visible", 0),
                             node.createScalar("hidden", -INFINITY));
      if (!bias || broadcastShapes(shapeOf(bias), shape) != shape)
        return node.error("a mask of shape " + shapeString(mask) +
                          " does not fit scores of shape " +
                          shapeString(shape));
    }
    return success();
  }

  LogicalResult addCausal(const Shape &shape, Value &bias) {
    int64_t queries = shape[2], keys = shape[3];
    if (queries > (1 << 26) / keys)
      return node.error("a causal mask of " + Twine(queries) + " by " +
                        Twine(keys) + " is too large");
    SmallVector<float> values;
    for (int64_t i = 0; i < queries; ++i)
      for (int64_t j = 0; j < keys; ++j)
        values.push_back(j <= i + pastSteps ? 0 : -INFINITY);
    Value causal = node.createConstant("causal", {queries, keys}, values);
    bias = bias ? node.createBinary<AddOp>("bias", bias, causal) : causal;
    return success(bool(bias));
  }

  NodeContext &node;
  bool isFlat = false, isCausal = false;
  int64_t mode = 0, queryHeads = 0, keyHeads = 0, pastSteps = 0;
  float softcap = 0;
  std::optional<float> scale;
};

LogicalResult importAttention(NodeContext &node) {
  return AttentionImporter(node).run();
}

/// Rotates pairs of the first elements of each head.
LogicalResult importRotaryEmbedding(NodeContext &node) {
  if (!node.checkCounts(3, 4))
    return failure();
  bool interleaved = node.intAttribute("interleaved", 0) != 0;
  int64_t count = node.intAttribute("num_heads", 0),
          rotated = node.intAttribute("rotary_embedding_dim", 0);
  if (node.failed())
    return failure();
  const Shape shape = node.shape(0);
  Value x = node.tensor(0);
  if (shape.size() == 4) {
    x = node.createTranspose("steps", x, {0, 2, 1, 3});
  } else if (shape.size() == 3 && count > 0 && shape[2] % count == 0) {
    x = node.createReshape("heads", x,
                           {shape[0], shape[1], count, shape[2] / count});
  } else {
    return node.error("expected an operand of rank 4, or of rank 3 that "
                      "'num_heads' divides, got " +
                      shapeString(shape));
  }
  if (!x)
    return failure();
  Shape all = shapeOf(x); // [N, steps, heads, size]
  if (rotated == 0)
    rotated = all[3];
  if (rotated < 2 || rotated % 2 != 0 || rotated > all[3])
    return node.error("attribute 'rotary_embedding_dim': expected an even "
                      "number up to " +
                      Twine(all[3]) + ", got " + Twine(rotated));
  int64_t half = rotated / 2;
  Value tables[2];
  for (size_t i = 0; i < 2; ++i) {
    std::string name = i == 0 ? "cos" : "sin";
    Value table = node.tensor(1 + i);
    if (!table)
      return failure();
    if (node.hasInput(3)) {
      Value positions = node.integers(3);
      Shape which = node.shape(3);
      if (!positions)
        return failure();
      if (shapeOf(table).size() != 2 || which != Shape{all[0], all[1]})
        return node.error("expected positions of shape " +
                          shapeString({all[0], all[1]}) +
                          " into a table of rank 2, got " + shapeString(which) +
                          " and " + shapeString(shapeOf(table)));
      which.push_back(shapeOf(table)[1]);
      table = node.create<GatherOp>(name, which, table, positions, /*offset=*/0,
                                    /*wrap=*/shapeOf(table)[0]);
    }
    Shape expected{all[0], all[1], half};
    if (!table || shapeOf(table) != expected)
      return node.error("expected tables of shape " + shapeString(expected) +
                        ", got " +
                        shapeString(table ? shapeOf(table) : Shape()));
    tables[i] =
        node.createReshape(name + "_heads", table, {all[0], all[1], 1, half});
  }
  auto part = [&](StringRef name, int64_t begin, int64_t size, int64_t step) {
    Shape offsets{0, 0, 0, begin}, sizes = all, steps{1, 1, 1, step};
    sizes[3] = size;
    return sizes == all && step == 1
               ? x
               : node.create<SliceOp>(
                     name, sizes, x, ArrayRef<int64_t>(offsets),
                     ArrayRef<int64_t>(sizes),
                     ArrayRef<int64_t>(size == 1 ? Shape(4, 1) : steps));
  };
  Value first =
            interleaved ? part("even", 0, half, 2) : part("low", 0, half, 1),
        second =
            interleaved ? part("odd", 1, half, 2) : part("high", half, half, 1);
  auto product = [&](StringRef name, Value a, Value b) {
    return node.createBinary<MulOp>(name, a, b);
  };
  Value real = node.createBinary<SubOp>(
            "real", product("cos_first", first, tables[0]),
            product("sin_second", second, tables[1])),
        imaginary = node.createBinary<AddOp>(
            "imaginary", product("sin_first", first, tables[1]),
            product("cos_second", second, tables[0]));
  if (!real || !imaginary)
    return failure();
  Value turned;
  if (interleaved) {
    Shape pair = shapeOf(real), flat = pair;
    pair.push_back(1);
    flat[3] = rotated;
    turned = node.createReshape(
        "turned",
        node.createConcat(
            "pairs",
            {node.createReshape("real_pair", real, pair),
             node.createReshape("imaginary_pair", imaginary, pair)},
            4),
        flat);
  } else {
    turned = node.createConcat("turned", {real, imaginary}, 3);
  }
  if (rotated < all[3])
    turned = node.createConcat(
        "joined", {turned, part("rest", rotated, all[3] - rotated, 1)}, 3);
  return node.setResult(0, shape.size() == 4
                               ? node.createTranspose("", turned, {0, 2, 1, 3})
                               : node.createReshape("", turned, shape));
}

} // namespace

void mlir::soap::onnx::addAttentionOps(OpTable &table) {
  table["Attention"] = {23, kLastOpset, importAttention, nullptr};
  table["RotaryEmbedding"] = {23, kLastOpset, importRotaryEmbedding, nullptr};
}
