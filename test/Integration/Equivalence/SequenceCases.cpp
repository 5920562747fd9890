//===- SequenceCases.cpp - Ops of sequence models -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax and norms along rows, gather, LSTM, dropout, Adam, and attention as
// it is composed of matmul, mask and softmax.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <algorithm>

namespace soap::equivalence {

namespace {

const Fill integers{Fill::Integers, 0}, floats{Fill::Uniform, 0},
    positive{Fill::Positive, 0};
using Shape = std::vector<int64_t>;

Shape randomShape(Random &random, int64_t minRank, int64_t maxRank,
                  int64_t maxExtent = 7) {
  Shape shape(uniform(random, minRank, maxRank));
  for (int64_t &d : shape)
    d = uniform(random, 1, maxExtent);
  return shape;
}

Case made(const std::string &name, bool exact = false) {
  Case result;
  result.name = name;
  result.exact = exact;
  return result;
}

std::string attribute(const std::string &name, int64_t value) {
  return name + " = " + std::to_string(value) + " : i64";
}

//===--- softmax and norms ------------------------------------------------===//

Case softmax(Random &random, bool gradient) {
  Shape shape = randomShape(random, 1, 4);
  std::string axis = attribute(
      "axis", uniform(random, 0, static_cast<int64_t>(shape.size()) - 1));
  Case c = made(gradient ? "softmax_grad" : "softmax");
  FunctionText f;
  Tensor x = f.arg(shape, floats);
  if (gradient)
    f.finish(c,
             {f.op1("softmax_grad", {x, f.arg(shape, positive)}, axis, shape)});
  else
    f.finish(c, {f.op1("softmax", {x}, axis, shape)});
  return c;
}

/// Layer norm or RMS norm, or its gradient from its own statistics.
Case rowNorm(Random &random, bool layer, bool gradient) {
  Shape shape = randomShape(random, 1, 4);
  int64_t axis = uniform(random, 0, static_cast<int64_t>(shape.size()) - 1);
  Shape rows(shape.begin(), shape.begin() + axis),
      normalized(shape.begin() + axis, shape.end());
  std::string name = layer ? "layer_norm" : "rms_norm";
  std::string where = attribute("axis", axis);
  Case c = made(name + (gradient ? "_grad" : ""));
  c.tolerance = 1e-3;
  FunctionText f;
  Tensor x = f.arg(shape, floats),
         gamma = f.arg(normalized, floats, "parameter");
  if (!gradient) {
    std::vector<Tensor> operands{x, gamma};
    std::vector<Shape> results{shape, rows};
    if (layer) {
      operands.push_back(f.arg(normalized, floats, "parameter"));
      results.push_back(rows);
    }
    f.finish(
        c, f.op(name, operands, where + ", epsilon = 1.0e-02 : f64", results));
    return c;
  }
  Tensor dy = f.arg(shape, floats);
  std::vector<Tensor> operands{dy, x};
  std::vector<Shape> results{shape, normalized};
  if (layer) {
    operands.push_back(f.arg(rows, floats)); // the mean
    results.push_back(normalized);
  }
  operands.push_back(f.arg(rows, positive));
  operands.push_back(gamma);
  f.finish(c, f.op(name + "_grad", operands, where, results));
  return c;
}

//===--- gather -----------------------------------------------------------===//

/// `isLong`: more indices than a GPU kernel sorts in one block.
Case gather(Random &random, bool gradient, bool isLong = false) {
  Shape indices = isLong ? Shape{uniform(random, 1025, 3000)}
                         : randomShape(random, 0, 2, 6),
        table = isLong ? Shape{uniform(random, 2, 300), uniform(random, 1, 3)}
                       : randomShape(random, 1, 3);
  Shape rows = indices;
  rows.insert(rows.end(), table.begin() + 1, table.end());
  // Labels hold -1, too: the last row with `wrap`, zeros without.
  std::string attributes =
      uniform(random, 0, 1) ? attribute("wrap", table[0]) : "";
  std::string op = gradient ? "gather_grad" : "gather";
  Case c = made(isLong ? op + "_long" : op, true);
  FunctionText f;
  Tensor data =
      gradient ? f.arg(rows, integers) : f.arg(table, integers, "parameter");
  Tensor which = f.arg(indices, {Fill::Labels, table[0]}, "label", "i32");
  f.finish(c, {f.op1(op, {data, which}, attributes, gradient ? table : rows)});
  return c;
}

//===--- LSTM -------------------------------------------------------------===//

Case lstm(Random &random, bool gradient) {
  int64_t t = uniform(random, 1, 4), n = uniform(random, 1, 5),
          h = uniform(random, 1, 6);
  Shape gates{t, n, 4, h}, all{t, n, h}, one{1, n, h};
  Case c = made(gradient ? "lstm_grad" : "lstm");
  FunctionText f;
  Tensor r = f.arg({4, h, h}, floats, "parameter");
  if (!gradient) {
    f.finish(c, f.op("lstm",
                     {f.arg(gates, floats), r, f.arg(one, floats),
                      f.arg(one, floats)},
                     "", {all, all, gates}));
    return c;
  }
  std::vector<Tensor> operands{f.arg(all, floats), r, f.arg(gates, positive),
                               f.arg(all, floats), f.arg(one, floats)};
  if (uniform(random, 0, 1))
    operands.push_back(f.arg(all, floats));
  f.finish(c, f.op("lstm_grad", operands, "", {gates, one, one}));
  return c;
}

/// Steps as ops of their own, chained as the stages of a chunk are.
Case lstmSteps(Random &random) {
  int64_t t = uniform(random, 2, 3), n = uniform(random, 1, 4),
          h = uniform(random, 1, 5);
  Shape gates{t, n, 4, h}, all{t, n, h}, one{1, n, h}, oneGates{1, n, 4, h};
  Case c = made("lstm_steps");
  FunctionText f;
  Tensor x = f.arg(gates, floats), r = f.arg({4, h, h}, floats, "parameter");
  std::vector<Tensor> state{f.arg(one, floats), f.arg(one, floats)};
  std::vector<Tensor> first = f.op("lstm_step", {x, r, state[0], state[1]},
                                   attribute("t", t - 1), {one, one, oneGates});
  Tensor product = f.arg({n, 4, h}, floats);
  std::vector<Tensor> cell = f.op("lstm_cell", {x, product, first[1]},
                                  attribute("t", 0), {one, one, oneGates});
  Tensor dy = f.arg(all, floats), cells = f.arg(all, floats),
         allGates = f.arg(gates, positive);
  std::string at = attribute("t", 1) + ", " + attribute("previous_t", 0);
  std::vector<Tensor> last =
      f.op("lstm_step_grad", {dy, r, allGates, cells, cells},
           "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, " + at,
           {oneGates, one});
  std::vector<Tensor> before =
      f.op("lstm_step_grad",
           {dy, r, allGates, cells, state[1], dy, last[0], last[1]},
           "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1>, " +
               attribute("t", 0) + ", " + attribute("previous_t", 0),
           {oneGates, one});
  std::vector<Tensor> cellGrad =
      f.op("lstm_cell_grad",
           {dy, allGates, cells, cells, f.arg({n, h}, floats), last[1]},
           "operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1>, " + at,
           {oneGates, one});
  f.finish(c, {cell[0], cell[1], cell[2], first[0], before[0], before[1],
               cellGrad[0], cellGrad[1]});
  return c;
}

//===--- dropout, casts, Adam ---------------------------------------------===//

Case dropout(Random &random) {
  Shape shape = randomShape(random, 1, 4);
  Case c = made("dropout", true);
  FunctionText f;
  std::vector<Tensor> operands{f.arg(shape, integers)};
  if (uniform(random, 0, 3))
    operands.push_back(f.arg({}, {Fill::Labels, 1000}, "label", "i32"));
  f.finish(c, {f.op1("dropout", operands,
                     "rate = 5.0e-01 : f64, " +
                         attribute("seed", uniform(random, 0, 1000)),
                     shape)});
  return c;
}

Case cast(Random &random) {
  Shape shape = randomShape(random, 0, 3);
  Case c = made("cast", true);
  FunctionText f;
  Tensor x = f.arg(shape, {Fill::Labels, 9}, "label", "i32");
  f.finish(c, {f.op1("cast", {x}, "", shape)});
  return c;
}

Case where(Random &random) {
  Shape shape = randomShape(random, 1, 3), x = shape, y = shape, mask = shape;
  for (Shape *operand : {&x, &y, &mask})
    for (int64_t &d : *operand)
      if (!uniform(random, 0, 3))
        d = 1;
  for (size_t d = 0; d < shape.size(); ++d)
    shape[d] = std::max({x[d], y[d], mask[d]});
  Case c = made("where", true);
  FunctionText f;
  f.finish(c, {f.op1("where",
                     {f.arg(mask, integers), f.arg(x, integers),
                      f.arg(y, integers, "parameter")},
                     "", shape)});
  return c;
}

Case adam(Random &random) {
  Shape shape = randomShape(random, 0, 4);
  Case c = made("adam");
  FunctionText f;
  Tensor w = f.arg(shape, floats, "parameter"), g = f.arg(shape, floats),
         m = f.arg(shape, floats, "state"), v = f.arg(shape, positive, "state");
  Tensor step = f.arg({}, {Fill::Labels, 50}, "state", "i32");
  Tensor counted = f.op1("counter", {step}, "", {}, "", "i32");
  // One more, as labels may be -1.
  Tensor later = f.op1("counter", {counted}, "", {}, "", "i32");
  Tensor later1 = f.op1("counter", {later}, "", {}, "", "i32");
  Tensor first = f.op1("bias_correction", {later1}, "beta = 9.0e-01 : f64", {});
  Tensor second =
      f.op1("bias_correction", {later1}, "beta = 9.99e-01 : f64", {});
  std::string attributes =
      "learning_rate = 1.0e-01 : f64, beta1 = 9.0e-01 : f64, beta2 = 9.99e-01 "
      ": f64, epsilon = 1.0e-03 : f64, weight_decay = 1.0e-02 : f64";
  if (uniform(random, 0, 1))
    attributes += ", decoupled";
  std::vector<Tensor> results = f.op("adam", {w, g, m, v, first, second},
                                     attributes, {shape, shape, shape});
  results.push_back(counted);
  f.finish(c, results, {0, 2, 3, 4});
  return c;
}

//===--- attention --------------------------------------------------------===//

/// softmax(q * k^T * scale + mask) * v, with a mask of heads or a causal one.
Case attention(Random &random) {
  int64_t b = uniform(random, 1, 3), h = uniform(random, 1, 3),
          s = uniform(random, 1, 6), d = uniform(random, 1, 4);
  Shape heads{b, h, s, d}, scores{b, h, s, s};
  Case c = made("attention_chain");
  FunctionText f;
  Tensor q = f.arg(heads, floats), keys = f.arg(heads, floats),
         v = f.arg(heads, floats);
  Tensor x = f.op1("matmul", {q, keys}, "transpose_b", scores);
  x = f.op1("scale", {x}, "factor = 5.0e-01 : f64", scores);
  if (uniform(random, 0, 1)) {
    x = f.op1("add", {x, f.arg({b, 1, 1, s}, floats)}, "", scores);
  } else {
    // Positions behind the own one do not count.
    Tensor rows = f.arg({s, 1}, integers), columns = f.arg({s}, integers);
    Tensor mask = f.op1("greater_equal", {rows, columns}, "", {s, s});
    x = f.op1("where", {mask, x, f.constant({}, -1e9)}, "", scores);
  }
  Tensor p = f.op1("softmax", {x}, attribute("axis", 3), scores);
  f.finish(c, {f.op1("matmul", {p, v}, "", heads)});
  return c;
}

} // namespace

std::vector<Generator> sequenceGenerators() {
  return {
      {"softmax", [](Random &r) { return softmax(r, false); }},
      {"softmax_grad", [](Random &r) { return softmax(r, true); }},
      {"layer_norm", [](Random &r) { return rowNorm(r, true, false); }},
      {"layer_norm_grad", [](Random &r) { return rowNorm(r, true, true); }},
      {"rms_norm", [](Random &r) { return rowNorm(r, false, false); }},
      {"rms_norm_grad", [](Random &r) { return rowNorm(r, false, true); }},
      {"gather", [](Random &r) { return gather(r, false); }},
      {"gather_grad", [](Random &r) { return gather(r, true); }},
      {"gather_grad_long", [](Random &r) { return gather(r, true, true); }},
      {"lstm", [](Random &r) { return lstm(r, false); }},
      {"lstm_grad", [](Random &r) { return lstm(r, true); }},
      {"lstm_steps", lstmSteps},
      {"dropout", dropout},
      {"cast", cast},
      {"where", where},
      {"adam", adam},
      {"attention_chain", attention},
  };
}

} // namespace soap::equivalence
