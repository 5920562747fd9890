//===- PrecisionCases.cpp - Training steps in bf16 and f16 ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graphs and networks of the other cases with `precision=bf16` or `f16`.
// Rates are high, so that an update is as large as its weight and a wrong
// gradient is seen beside it.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <cmath>
#include <set>

namespace soap::equivalence {

static void replaceAll(std::string &text, const std::string &from,
                       const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
    text.replace(at, from.size(), to);
}

std::vector<Generator> narrowGenerators(std::vector<Generator> all,
                                        const std::string &precision) {
  std::vector<Generator> result;
  for (Generator &generator : all) {
    Random probe(1);
    // Twenty norms over a few samples each: roundings grow as large as errors.
    // Experts that are chosen by what was rounded: others are as good.
    const std::set<std::string> without{"resnet18_step", "mixtral", "deepseek"};
    if (generator.make(probe).training.empty() ||
        without.contains(generator.name))
      continue;
    result.push_back(
        {generator.name, [make = generator.make, precision](Random &random) {
           return narrowCase(make(random), precision, random);
         }});
  }
  return result;
}

Case narrowCase(Case c, const std::string &precision, Random &random) {
  const char *optimizers[] = {"learning-rate=2 momentum=0.9",
                              "learning-rate=2 weight-decay=0.01",
                              "optimizer=adamw learning-rate=0.1 epsilon=1e-2"};
  // Other options of the case, except those where a rounding changes a choice.
  std::string rest;
  for (const char *option : {" accumulate=true", " clip-norm=0.05", " loss=mse",
                             " loss=softmax-cross-entropy label-smoothing=0.1"})
    if (c.training.find(option) != std::string::npos)
      rest += option;
  // Batch norm in microbatches: statistics of groups of samples.
  if (size_t at = c.training.find(" batch-norm=groups(");
      at != std::string::npos)
    rest += c.training.substr(at, c.training.find(')', at) + 1 - at);
  c.training =
      optimizers[uniform(random, 0, 2)] + rest + " precision=" + precision;
  c.wide = c.amplifies = false;
  c.exact = false;
  bool isHalf = precision == "f16";
  c.rounding = std::ldexp(1.0, isHalf ? -11 : -8);
  // A rounding turns a corner or a maximum around, and then all gradients
  // before it are others.
  replaceAll(c.text, "soap.relu ", "soap.tanh ");
  replaceAll(c.text, "soap.max_pool2d ", "soap.avg_pool2d ");
  if (isHalf) {
    // In one case of four gradients overflow, and all states stay.
    bool overflows = uniform(random, 0, 3) == 0;
    c.fills["loss_scale"] = {Fill::Constant, 0, overflows ? 0x1p120 : 0x1p6};
    c.fills["loss_scale_good_steps"] = {
        Fill::Constant, 0, static_cast<double>(1998 + uniform(random, 0, 1))};
    c.fills["step"] = {Fill::Constant, 0, 7};
    if (overflows) {
      c.keepsStates = true;
      c.rounding = 0;
      c.tolerance = std::ldexp(1.0, -7);
    }
  }
  return c;
}

Case scaledLayers(Random &random) {
  Case c;
  c.name = "scaled_layers";
  FunctionText text;
  const std::string sampleDim = ", soap.sample_dim = 0 : i64";
  // Rows of samples and positions, or of samples alone: gradients of weights
  // contract them in blocks.
  bool hasPositions = uniform(random, 0, 1);
  std::vector<int64_t> rows{hasPositions ? uniform(random, 2, 4) : 64};
  if (hasPositions)
    rows.push_back(32);
  auto shapeOf = [&](int64_t width) {
    std::vector<int64_t> shape = rows;
    shape.push_back(width);
    return shape;
  };
  int64_t width = 32 * uniform(random, 1, 2);
  Tensor x =
      text.arg(shapeOf(width), {Fill::Uniform}, "data", "f32", sampleDim);
  for (int64_t layer = 3; layer-- > 0;) {
    int64_t outputs = layer == 0 ? 8 : 32 * uniform(random, 1, 3);
    Fill fill{Fill::Uniform, 0, 2 / std::sqrt(static_cast<double>(width))};
    bool transposed = uniform(random, 0, 1);
    std::vector<int64_t> of{outputs, width};
    if (!transposed)
      std::swap(of[0], of[1]);
    x = text.op1("matmul", {x, text.arg(of, fill, "parameter")},
                 transposed ? "transpose_b" : "", shapeOf(outputs));
    if (layer > 0)
      x = text.op1("tanh", {x}, "", x.shape);
    width = outputs;
  }
  text.finish(c, {x});
  c = narrowCase(std::move(c), uniform(random, 0, 1) ? "fp8" : "mxfp8", random);
  c.maxPieces = 6;
  return c;
}

} // namespace soap::equivalence
