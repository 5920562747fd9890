//===- OpCases.cpp - One generator per op ---------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes are small and odd: extents that do not divide, of one, and smaller
// than the degrees that split them.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace soap::equivalence {

namespace {

const Fill integers{Fill::Integers, 0}, floats{Fill::Uniform, 0},
    positive{Fill::Positive, 0}, unit{Fill::Uniform, 0, 0.9};

std::vector<int64_t> randomShape(Random &random, int64_t minRank = 1,
                                 int64_t maxRank = 4, int64_t maxExtent = 7) {
  std::vector<int64_t> shape(uniform(random, minRank, maxRank));
  for (int64_t &d : shape)
    d = uniform(random, 1, maxExtent);
  return shape;
}

Case made(const std::string &name, bool exact) {
  Case result;
  result.name = name;
  result.exact = exact;
  return result;
}

//===--- convolution and pooling ------------------------------------------===//

struct Window {
  std::vector<int64_t> kernel, strides, padding, dilations, in, out;
  std::string attributes() const {
    return "strides = " + array(strides) + ", padding = " + array(padding) +
           ", dilations = " + array(dilations);
  }
};

/// A window over an image; `limitPadding`: pads smaller than the kernel, so
/// that no window lies in the padding alone.
Window randomWindow(Random &random, bool limitPadding) {
  Window w;
  for (;;) {
    w.kernel = {uniform(random, 1, 4), uniform(random, 1, 4)};
    w.strides = {uniform(random, 1, 3), uniform(random, 1, 3)};
    w.dilations = {uniform(random, 1, 2), uniform(random, 1, 2)};
    w.in = {uniform(random, 1, 10), uniform(random, 1, 10)};
    w.padding.clear();
    w.out.clear();
    for (int side = 0; side < 4; ++side) {
      int64_t limit =
          limitPadding ? std::min<int64_t>(2, w.kernel[side % 2] / 2) : 3;
      w.padding.push_back(uniform(random, 0, 2) ? uniform(random, 0, limit)
                                                : 0);
    }
    bool fits = true;
    for (int d = 0; d < 2; ++d) {
      int64_t span = w.in[d] + w.padding[d] + w.padding[d + 2] -
                     (w.kernel[d] - 1) * w.dilations[d] - 1;
      fits &= span >= 0;
      w.out.push_back(span / w.strides[d] + 1);
    }
    if (fits)
      return w;
  }
}

enum class Conv { Forward, InputGrad, WeightGrad };

Case conv(Random &random, Conv kind) {
  bool exact = uniform(random, 0, 3) > 0;
  Window w = randomWindow(random, false);
  int64_t n = uniform(random, 1, 5),
          g = uniform(random, 0, 2) ? 1 : uniform(random, 2, 3),
          i = uniform(random, 1, 4), o = uniform(random, 1, 4);
  std::string attributes =
      w.attributes() + ", groups = " + std::to_string(g) + " : i64";
  std::vector<int64_t> x{n, g * i, w.in[0], w.in[1]},
      weights{g * o, i, w.kernel[0], w.kernel[1]},
      y{n, g * o, w.out[0], w.out[1]};
  Fill fill = exact ? integers : floats;
  FunctionText f;
  Case c;
  if (kind == Conv::Forward) {
    c = made("conv2d", exact);
    f.finish(
        c, {f.op1("conv2d", {f.arg(x, fill), f.arg(weights, fill, "parameter")},
                  attributes, y)});
  } else if (kind == Conv::InputGrad) {
    c = made("conv2d_input_grad", exact);
    f.finish(c, {f.op1("conv2d_input_grad",
                       {f.arg(y, fill), f.arg(weights, fill, "parameter")},
                       attributes, x)});
  } else {
    c = made("conv2d_weight_grad", exact);
    f.finish(c, {f.op1("conv2d_weight_grad", {f.arg(x, fill), f.arg(y, fill)},
                       attributes, weights)});
  }
  return c;
}

Case pool(Random &random, bool average, bool gradient) {
  Window w = randomWindow(random, true);
  int64_t n = uniform(random, 1, 4), ch = uniform(random, 1, 4);
  std::string attributes =
      "kernel = " + array(w.kernel) + ", " + w.attributes();
  if (average && uniform(random, 0, 1))
    attributes += ", count_include_pad";
  std::vector<int64_t> x{n, ch, w.in[0], w.in[1]}, y{n, ch, w.out[0], w.out[1]};
  std::string name = std::string(average ? "avg_pool2d" : "max_pool2d") +
                     (gradient ? "_grad" : "");
  Case c = made(name, !average);
  FunctionText f;
  Fill fill = average ? floats : integers; // integers make ties: the first
                                           // maximum takes the gradient
  if (!gradient)
    f.finish(c, {f.op1(name, {f.arg(x, fill)}, attributes, y)});
  else if (average)
    f.finish(c, {f.op1(name, {f.arg(y, fill)}, attributes, x)});
  else {
    Tensor image = f.arg(x, fill);
    Tensor maxima = f.op1("max_pool2d", {image}, attributes, y);
    f.finish(c, {f.op1(name, {f.arg(y, fill), image, maxima}, attributes, x)});
  }
  return c;
}

//===--- matmul and reductions --------------------------------------------===//

Case matmul(Random &random) {
  bool exact = uniform(random, 0, 3) > 0;
  std::vector<int64_t> batch(uniform(random, 0, 2));
  for (int64_t &b : batch)
    b = uniform(random, 1, 3);
  int64_t m = uniform(random, 1, 9), n = uniform(random, 1, 9),
          k = uniform(random, 1, 9);
  bool ta = uniform(random, 0, 1), tb = uniform(random, 0, 1);
  // Batch dims of b: the first ones of a.
  int64_t all = static_cast<int64_t>(batch.size()),
          own = uniform(random, 0, 1) ? all : uniform(random, 0, all);
  auto with = [&](int64_t rows, int64_t columns, int64_t dims) {
    std::vector<int64_t> shape(batch.begin(), batch.begin() + dims);
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  };
  std::string attributes = std::string(ta ? "transpose_a" : "") +
                           (ta && tb ? ", " : "") + (tb ? "transpose_b" : "");
  Case c = made("matmul", exact);
  FunctionText f;
  Fill fill = exact ? integers : floats;
  Tensor a = f.arg(ta ? with(k, m, all) : with(m, k, all), fill);
  Tensor b = f.arg(tb ? with(n, k, own) : with(k, n, own), fill, "parameter");
  f.finish(c, {f.op1("matmul", {a, b}, attributes, with(m, n, all))});
  return c;
}

/// A product of what was cast to 8 bits, and the maxima of both operands: with
/// a scale for all of a tensor or for each block.
Case scaledProduct(Random &random) {
  bool hasBlocks = uniform(random, 0, 1), ta = uniform(random, 0, 1),
       tb = uniform(random, 0, 1), narrow = uniform(random, 0, 1);
  std::vector<int64_t> batch(uniform(random, 0, 1));
  for (int64_t &b : batch)
    b = uniform(random, 1, 3);
  int64_t m = uniform(random, 1, 9), n = uniform(random, 1, 9),
          k = hasBlocks ? 32 * uniform(random, 1, 4) : uniform(random, 1, 40);
  auto matrix = [&](int64_t rows, int64_t columns, bool isBatched) {
    std::vector<int64_t> shape;
    if (isBatched)
      shape = batch;
    shape.insert(shape.end(), {rows, columns});
    return shape;
  };
  bool shared = uniform(random, 0, 1);
  Case c = made("matmul_scaled", false);
  FunctionText f;
  std::vector<Tensor> values, scales, results;
  auto quantize = [&](Tensor x, size_t axis, const std::string &type) {
    Tensor maximum = f.op1("amax", {x}, "", {});
    results.push_back(maximum);
    Tensor scale = maximum;
    if (hasBlocks) {
      std::vector<int64_t> shape = x.shape;
      shape[axis] /= 32;
      scale = f.op1("block_scales", {x},
                    "axis = " + std::to_string(axis) + " : i64, type = " + type,
                    shape, "", "f8E8M0FNU");
    }
    values.push_back(f.op1("quantize", {x, scale}, "", x.shape, "", type));
    scales.push_back(scale);
  };
  Tensor a = f.arg(ta ? matrix(k, m, true) : matrix(m, k, true), floats),
         b = f.arg(tb ? matrix(n, k, !shared) : matrix(k, n, !shared), floats,
                   "parameter");
  quantize(a, a.shape.size() - (ta ? 2 : 1), "f8E4M3FN");
  quantize(b, b.shape.size() - (tb ? 1 : 2),
           uniform(random, 0, 1) ? "f8E5M2" : "f8E4M3FN");
  std::vector<Tensor> operands = values;
  operands.insert(operands.end(), scales.begin(), scales.end());
  std::string attributes = std::string(ta ? "transpose_a" : "") +
                           (ta && tb ? ", " : "") + (tb ? "transpose_b" : "");
  Tensor y = f.op1("matmul_scaled", operands, attributes, matrix(m, n, true),
                   "", narrow ? "bf16" : "f32");
  if (narrow) {
    // Contributions of devices are rounded, each.
    c.tolerance = 0x1p-6;
    y = f.op1("cast", {y}, "", y.shape);
  }
  results.push_back(y);
  f.finish(c, results);
  return c;
}

std::vector<int64_t> randomAxes(Random &random, size_t rank, bool allowAll) {
  std::vector<int64_t> axes;
  while (axes.empty() || (!allowAll && axes.size() == rank)) {
    axes.clear();
    for (size_t d = 0; d < rank; ++d)
      if (uniform(random, 0, 1))
        axes.push_back(static_cast<int64_t>(d));
  }
  return axes;
}

Case reduce(Random &random) {
  std::vector<int64_t> shape = randomShape(random), kept;
  std::vector<int64_t> axes = randomAxes(random, shape.size(), true);
  for (size_t d = 0; d < shape.size(); ++d)
    if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(d)) ==
        axes.end())
      kept.push_back(shape[d]);
  const char *kinds[] = {"sum", "max", "min"};
  Case c = made("reduce", true);
  FunctionText f;
  f.finish(c,
           {f.op1("reduce", {f.arg(shape, integers)}, "axes = " + array(axes),
                  kept, std::string(kinds[uniform(random, 0, 2)]) + " ")});
  return c;
}

Case broadcast(Random &random) {
  std::vector<int64_t> shape = randomShape(random), kept;
  std::vector<int64_t> axes = randomAxes(random, shape.size(), true);
  for (size_t d = 0; d < shape.size(); ++d)
    if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(d)) ==
        axes.end())
      kept.push_back(shape[d]);
  Case c = made("broadcast", true);
  FunctionText f;
  f.finish(c, {f.op1("broadcast", {f.arg(kept, integers)},
                     "axes = " + array(axes), shape)});
  return c;
}

//===--- elementwise
//-------------------------------------------------------===//

/// An elementwise op of one operand, or its gradient.
struct Unary {
  const char *name, *attributes;
  Fill fill;
  bool exact;
};
const Unary unaryOps[] = {{"relu", "", integers, true},
                          {"neg", "", integers, true},
                          {"abs", "", integers, true},
                          {"sign", "", integers, true},
                          {"scale", "factor = 5.0e-01 : f64", integers, true},
                          {"exp", "", floats, false},
                          {"log", "", positive, false},
                          {"sqrt", "", positive, false},
                          {"tanh", "", floats, false},
                          {"sigmoid", "", floats, false},
                          {"erf", "", floats, false},
                          {"sin", "", floats, false},
                          {"cos", "", floats, false},
                          {"gelu", "", floats, false},
                          {"gelu", "approximate", floats, false},
                          {"reciprocal", "", positive, false},
                          {"rsqrt", "epsilon = 1.0e-01 : f64", positive, false},
                          {"log1p", "", positive, false},
                          {"expm1", "", floats, false},
                          {"softplus", "", floats, false},
                          {"asin", "", unit, false},
                          {"acos", "", unit, false},
                          {"atan", "", floats, false},
                          {"asinh", "", floats, false},
                          {"atanh", "", unit, false},
                          {"stop_gradient", "", integers, true}};

Case unary(Random &random, const Unary &op) {
  std::vector<int64_t> shape = randomShape(random, 0);
  Case c = made(op.name, op.exact);
  FunctionText f;
  f.finish(c, {f.op1(op.name, {f.arg(shape, op.fill)}, op.attributes, shape)});
  return c;
}

/// Of numbers above 1.
Case acosh(Random &random) {
  std::vector<int64_t> shape = randomShape(random, 0);
  Case c = made("acosh", false);
  FunctionText f;
  f.finish(c,
           {f.op1("acosh", {f.op1("exp", {f.arg(shape, positive)}, "", shape)},
                  "", shape)});
  return c;
}

/// Elementwise ops of two operands: what the left one is filled with; the right
/// one is positive where results are not exact.
struct Binary {
  const char *name;
  Fill left;
};
const Binary binaryOps[] = {{"div", floats},       {"pow", positive},
                            {"add", integers},     {"sub", integers},
                            {"mul", integers},     {"maximum", integers},
                            {"minimum", integers}, {"equal", integers},
                            {"greater", integers}, {"greater_equal", integers}};

Case binary(Random &random, const Binary &op) {
  bool exact = op.left.kind == Fill::Integers;
  std::vector<int64_t> z = randomShape(random), x = z, y = z;
  for (size_t d = 0; d < z.size(); ++d)
    if (!uniform(random, 0, 3))
      (uniform(random, 0, 1) ? x : y)[d] = 1;
  for (std::vector<int64_t> *shape : {&x, &y})
    if (!uniform(random, 0, 2))
      shape->erase(shape->begin(),
                   shape->begin() +
                       uniform(random, 0, static_cast<int64_t>(shape->size())));
  // The result is as broad as its operands.
  std::fill(z.begin(), z.end(), 1);
  size_t rank = std::max(x.size(), y.size());
  z.resize(rank);
  for (size_t d = 0; d < rank; ++d) {
    int64_t a = d + x.size() >= rank ? x[d + x.size() - rank] : 1,
            b = d + y.size() >= rank ? y[d + y.size() - rank] : 1;
    z[d] = std::max(a, b);
  }
  Case c = made(op.name, exact);
  FunctionText f;
  f.finish(c, {f.op1(op.name,
                     {f.arg(x, op.left),
                      f.arg(y, exact ? integers : positive, "parameter")},
                     "", z)});
  return c;
}

Case biasAdd(Random &random) {
  std::vector<int64_t> shape = randomShape(random);
  int64_t axis = uniform(random, 0, static_cast<int64_t>(shape.size()) - 1);
  Case c = made("bias_add", true);
  FunctionText f;
  f.finish(c, {f.op1("bias_add",
                     {f.arg(shape, integers),
                      f.arg({shape[axis]}, integers, "parameter")},
                     "axis = " + std::to_string(axis) + " : i64", shape)});
  return c;
}

/// Of dy, and of the op's operand or result, which `fill` is for.
const Unary unaryGrads[] = {{"relu_grad", "", integers, true},
                            {"tanh_grad", "", positive, false},
                            {"sigmoid_grad", "", positive, false},
                            {"sqrt_grad", "", positive, false},
                            {"erf_grad", "", positive, false},
                            {"gelu_grad", "", floats, false},
                            {"gelu_grad", "approximate", floats, false},
                            {"swiglu", "", floats, false},
                            {"swiglu", "beta = 1.5 : f64", floats, false}};

Case unaryGrad(Random &random, const Unary &op) {
  std::vector<int64_t> shape = randomShape(random);
  Case c = made(op.name, op.exact);
  FunctionText f;
  f.finish(c, {f.op1(op.name,
                     {f.arg(shape, op.exact ? integers : floats),
                      f.arg(shape, op.fill)},
                     op.attributes, shape)});
  return c;
}

//===--- shape ops
//---------------------------------------------------------===//

Case accumulate(Random &random) {
  std::vector<int64_t> shape = randomShape(random);
  Case c = made("accumulate", true);
  FunctionText f;
  std::vector<Tensor> xs;
  for (int64_t i = uniform(random, 1, 4); i > 0; --i)
    xs.push_back(f.arg(shape, integers));
  f.finish(c, {f.op1("accumulate", xs, "", shape)});
  return c;
}

/// Splits and merges the factors of a shape.
Case reshape(Random &random) {
  std::vector<int64_t> factors = randomShape(random, 2, 5, 4), from, to;
  for (std::vector<int64_t> *shape : {&from, &to}) {
    int64_t open = 1;
    for (int64_t factor : factors) {
      open *= factor;
      if (uniform(random, 0, 1)) {
        shape->push_back(open);
        open = 1;
      }
    }
    if (open > 1 || shape->empty())
      shape->push_back(open);
  }
  Case c = made("reshape", true);
  FunctionText f;
  f.finish(c, {f.op1("reshape", {f.arg(from, integers)}, "", to)});
  return c;
}

Case transpose(Random &random) {
  std::vector<int64_t> shape = randomShape(random), permutation(shape.size()),
                       out;
  std::iota(permutation.begin(), permutation.end(), 0);
  std::shuffle(permutation.begin(), permutation.end(), random);
  for (int64_t p : permutation)
    out.push_back(shape[p]);
  Case c = made("transpose", true);
  FunctionText f;
  f.finish(c, {f.op1("transpose", {f.arg(shape, integers)},
                     "permutation = " + array(permutation), out)});
  return c;
}

Case concat(Random &random) {
  std::vector<int64_t> shape = randomShape(random);
  int64_t axis = uniform(random, 0, static_cast<int64_t>(shape.size()) - 1);
  shape[axis] = 0;
  Case c = made("concat", true);
  FunctionText f;
  std::vector<Tensor> xs;
  for (int64_t i = uniform(random, 1, 4); i > 0; --i) {
    std::vector<int64_t> part = shape;
    part[axis] = uniform(random, 1, 4);
    xs.push_back(f.arg(part, integers));
  }
  for (const Tensor &x : xs)
    shape[axis] += x.shape[axis];
  f.finish(c, {f.op1("concat", xs, "axis = " + std::to_string(axis) + " : i64",
                     shape)});
  return c;
}

/// Products whose sums may be split, through one bucket.
Case buckets(Random &random) {
  Case c = made("buckets", true);
  FunctionText f;
  std::vector<Tensor> gradients;
  int64_t elements = 0;
  for (int64_t i = uniform(random, 1, 4); i > 0; --i) {
    int64_t m = uniform(random, 1, 5), n = uniform(random, 1, 5),
            k = uniform(random, 1, 8);
    Tensor a = f.arg({k, m}, integers), b = f.arg({k, n}, integers);
    gradients.push_back(f.op1("matmul", {a, b}, "transpose_a", {m, n}));
    elements += m * n;
  }
  Tensor bucket = f.op1("bucket", gradients, "", {elements});
  std::vector<std::vector<int64_t>> shapes;
  for (const Tensor &gradient : gradients)
    shapes.push_back(gradient.shape);
  f.finish(c, f.op("unbucket", {bucket}, "", shapes));
  return c;
}

Case slice(Random &random) {
  std::vector<int64_t> shape = randomShape(random), offsets, sizes, strides;
  for (int64_t d : shape) {
    offsets.push_back(uniform(random, 0, d - 1));
    strides.push_back(uniform(random, 1, 3));
    sizes.push_back(
        uniform(random, 1, (d - 1 - offsets.back()) / strides.back() + 1));
  }
  Case c = made("slice", true);
  FunctionText f;
  f.finish(c, {f.op1("slice", {f.arg(shape, integers)},
                     "offsets = " + array(offsets) + ", sizes = " +
                         array(sizes) + ", strides = " + array(strides),
                     sizes)});
  return c;
}

Case pad(Random &random) {
  std::vector<int64_t> shape = randomShape(random, 1, 3), low, interior, out;
  for (int64_t d : shape) {
    low.push_back(uniform(random, -1, 2));
    interior.push_back(uniform(random, 0, 2));
    out.push_back(std::max<int64_t>(1, low.back() +
                                           (d - 1) * (interior.back() + 1) + 1 +
                                           uniform(random, -1, 2)));
  }
  Case c = made("pad", true);
  FunctionText f;
  std::string value = uniform(random, 0, 1) ? ", value = 3.0e+00 : f64" : "";
  f.finish(c, {f.op1("pad", {f.arg(shape, integers)},
                     "low = " + array(low) + ", interior = " + array(interior) +
                         value,
                     out)});
  return c;
}

Case constant(Random &random) {
  std::vector<int64_t> shape = randomShape(random, 1, 3);
  Case c = made("constant", true);
  FunctionText f;
  Tensor x = f.arg(shape, integers);
  f.finish(c, {f.op1("add", {x, f.constant(shape, 2)}, "", shape)});
  return c;
}

//===--- normalization, losses, updates
//------------------------------------===//

std::vector<int64_t> imageShape(Random &random) {
  return {uniform(random, 2, 5), uniform(random, 1, 4), uniform(random, 2, 5),
          uniform(random, 2, 5)};
}
const std::string epsilon = "epsilon = 1.0e-05 : f64";

/// Groups of samples of a batch norm: half of the time one, else a divisor.
int64_t drawGroups(Random &random, int64_t samples) {
  int64_t groups = uniform(random, 0, 1) ? uniform(random, 1, samples) : 1;
  while (samples % groups != 0)
    --groups;
  return groups;
}
std::string groupsOf(int64_t groups) {
  return "groups = " + std::to_string(groups) + " : i64";
}

Case batchNorm(Random &random) {
  std::vector<int64_t> shape = randomShape(random, 2, 4), channels{shape[1]};
  Case c = made("batch_norm", false);
  FunctionText f;
  f.finish(c,
           {f.op1("batch_norm",
                  {f.arg(shape, floats), f.arg(channels, floats, "parameter"),
                   f.arg(channels, floats, "parameter"),
                   f.arg(channels, floats, "state"),
                   f.arg(channels, positive, "state")},
                  epsilon, shape)});
  return c;
}

Case batchNormTrain(Random &random) {
  std::vector<int64_t> shape = imageShape(random), channels{shape[1]};
  int64_t groups = drawGroups(random, shape[0]);
  std::vector<int64_t> stats{3, groups * shape[1]};
  std::string attributes = epsilon + ", " + groupsOf(groups);
  Case c = made("batch_norm_train", false);
  c.tolerance = 5e-4;
  FunctionText f;
  f.finish(c, f.op("batch_norm_train",
                   {f.arg(shape, floats), f.arg(channels, floats, "parameter"),
                    f.arg(channels, floats, "parameter")},
                   attributes, {shape, stats}));
  return c;
}

Case batchNormStages(Random &random) {
  std::vector<int64_t> shape = imageShape(random), channels{shape[1]};
  int64_t groups = drawGroups(random, shape[0]);
  std::vector<int64_t> perGroup{groups * shape[1]}, stats{3, perGroup[0]};
  std::string attributes = epsilon + ", " + groupsOf(groups);
  Case c = made("batch_norm_stages", false);
  c.tolerance = 5e-4;
  FunctionText f;
  Tensor x = f.arg(shape, floats), gamma = f.arg(channels, floats, "parameter"),
         dy = f.arg(shape, floats);
  Tensor s = f.op1("batch_norm_stats", {x}, groupsOf(groups), stats);
  Tensor y = f.op1("batch_norm_apply",
                   {x, s, gamma, f.arg(channels, floats, "parameter")},
                   attributes, shape);
  std::vector<Tensor> sums = f.op("batch_norm_grad_reduce", {dy, x, s},
                                  attributes, {perGroup, perGroup});
  Tensor dx = f.op1("batch_norm_grad_apply",
                    {dy, x, s, gamma, sums[0], sums[1]}, attributes, shape);
  f.finish(c, {y, sums[0], sums[1], dx});
  return c;
}

Case batchNormGrad(Random &random) {
  std::vector<int64_t> shape = imageShape(random), channels{shape[1]};
  int64_t groups = drawGroups(random, shape[0]);
  std::vector<int64_t> perGroup{groups * shape[1]}, stats{3, perGroup[0]};
  std::string attributes = epsilon + ", " + groupsOf(groups);
  Case c = made("batch_norm_grad", false);
  c.tolerance = 5e-4;
  FunctionText f;
  Tensor x = f.arg(shape, floats);
  Tensor s = f.op1("batch_norm_stats", {x}, groupsOf(groups), stats);
  f.finish(c, f.op("batch_norm_grad",
                   {f.arg(shape, floats), x, s,
                    f.arg(channels, floats, "parameter")},
                   attributes, {shape, perGroup, perGroup}));
  return c;
}

Case runningStats(Random &random) {
  std::vector<int64_t> shape = imageShape(random), channels{shape[1]};
  int64_t groups = drawGroups(random, shape[0]);
  std::vector<int64_t> stats{3, groups * shape[1]};
  Case c = made("running_stats_update", false);
  FunctionText f;
  Tensor mean = f.arg(channels, floats, "state"),
         var = f.arg(channels, positive, "state");
  Tensor s = f.op1("batch_norm_stats", {f.arg(shape, floats)}, groupsOf(groups),
                   stats);
  f.finish(c,
           f.op("running_stats_update", {mean, var, s},
                "momentum = 1.0e-01 : f64, " + groupsOf(groups),
                {channels, channels}),
           {0, 1});
  return c;
}

/// Rows of a loss: samples, or positions of sequences.
struct LossShapes {
  std::vector<int64_t> rows, logits, stats{3};

  LossShapes(Random &random, int64_t classes) {
    rows.push_back(uniform(random, 1, 7));
    if (uniform(random, 0, 1))
      rows.push_back(uniform(random, 1, 5));
    logits = rows;
    logits.push_back(classes);
    stats.insert(stats.end(), rows.begin(), rows.end());
  }
};

Case crossEntropy(Random &random) {
  int64_t k = uniform(random, 1, 9);
  LossShapes shapes(random, k);
  Case c = made("cross_entropy", false);
  FunctionText f;
  Tensor x = f.arg(shapes.logits, floats),
         labels = f.arg(shapes.rows, {Fill::Labels, k}, "label", "i32");
  f.finish(c, f.op("cross_entropy", {x, labels}, "scale = 2.5e-01 : f64",
                   {{}, {}, shapes.stats}));
  return c;
}

Case crossEntropyStages(Random &random) {
  int64_t k = uniform(random, 1, 9);
  LossShapes shapes(random, k);
  Case c = made("cross_entropy_stages", false);
  FunctionText f;
  Tensor x = f.arg(shapes.logits, floats),
         labels = f.arg(shapes.rows, {Fill::Labels, k}, "label", "i32");
  Tensor stats = f.op1("softmax_stats", {x, labels}, "", shapes.stats);
  std::vector<Tensor> results = f.op("cross_entropy_loss", {stats, labels},
                                     "scale = 2.5e-01 : f64", {{}, {}});
  Tensor dx = f.op1("cross_entropy_grad", {f.arg({}, floats), x, labels, stats},
                    "scale = 2.5e-01 : f64", shapes.logits);
  f.finish(c, {results[0], results[1], dx});
  return c;
}

Case sgd(Random &random) {
  std::vector<int64_t> shape = randomShape(random);
  bool momentum = uniform(random, 0, 1);
  Case c = made("sgd", false);
  FunctionText f;
  Tensor w = f.arg(shape, floats, "parameter");
  std::vector<Tensor> operands{w};
  if (momentum)
    operands = {w, f.arg(shape, floats), f.arg(shape, floats, "state")};
  else
    operands = {w, f.arg(shape, floats)};
  std::string attributes =
      std::string("learning_rate = 1.0e-01 : f64, momentum = ") +
      (momentum ? "9.0e-01" : "0.0") + " : f64, weight_decay = 1.0e-02 : f64";
  if (momentum)
    f.finish(c, f.op("sgd", operands, attributes, {shape, shape}), {0, 2});
  else
    f.finish(c, f.op("sgd", operands, attributes, {shape}), {0});
  return c;
}

} // namespace

std::vector<Generator> opGenerators() {
  std::vector<Generator> generators{
      {"conv2d", [](Random &r) { return conv(r, Conv::Forward); }},
      {"conv2d_input_grad", [](Random &r) { return conv(r, Conv::InputGrad); }},
      {"conv2d_weight_grad",
       [](Random &r) { return conv(r, Conv::WeightGrad); }},
      {"max_pool2d", [](Random &r) { return pool(r, false, false); }},
      {"max_pool2d_grad", [](Random &r) { return pool(r, false, true); }},
      {"avg_pool2d", [](Random &r) { return pool(r, true, false); }},
      {"avg_pool2d_grad", [](Random &r) { return pool(r, true, true); }},
      {"matmul", matmul},
      {"matmul_scaled", scaledProduct},
      {"reduce", reduce},
      {"broadcast", broadcast},
      {"bias_add", biasAdd},
      {"acosh", acosh},
      {"accumulate", accumulate},
      {"reshape", reshape},
      {"transpose", transpose},
      {"concat", concat},
      {"buckets", buckets},
      {"slice", slice},
      {"pad", pad},
      {"constant", constant},
      {"batch_norm", batchNorm},
      {"batch_norm_train", batchNormTrain},
      {"batch_norm_stages", batchNormStages},
      {"batch_norm_grad", batchNormGrad},
      {"running_stats_update", runningStats},
      {"cross_entropy", crossEntropy},
      {"cross_entropy_stages", crossEntropyStages},
      {"sgd", sgd},
  };
  for (const Unary &op : unaryOps)
    generators.push_back({op.name, [&op](Random &r) { return unary(r, op); }});
  for (const Unary &op : unaryGrads)
    generators.push_back(
        {op.name, [&op](Random &r) { return unaryGrad(r, op); }});
  for (const Binary &op : binaryOps)
    generators.push_back({op.name, [&op](Random &r) { return binary(r, op); }});
  for (const Generator &generator : expertGenerators())
    generators.push_back(generator);
  for (const Generator &generator : attentionGenerators())
    generators.push_back(generator);
  for (const Generator &generator : sequenceGenerators())
    generators.push_back(generator);
  return generators;
}

} // namespace soap::equivalence
