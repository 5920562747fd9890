//===- GraphCases.cpp - Whole small graphs --------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training steps of a residual block, ResNet-18, an inception block, an MLP,
// LeNet, a GPT block and an LSTM model, and chains of linear ops that pass
// partial tensors on.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

namespace soap::equivalence {

namespace {

const Fill integers{Fill::Integers, 0}, floats{Fill::Uniform, 0};
const std::string sampleDim = ", soap.sample_dim = 0 : i64";

std::string convAttributes(int64_t stride, int64_t pad) {
  return "strides = " + array({stride, stride}) +
         ", padding = " + array({pad, pad, pad, pad}) +
         ", dilations = array<i64: 1, 1>, groups = 1 : i64";
}

/// Layers that append themselves to a function.
struct Network {
  FunctionText f;
  Fill fill = floats;

  Tensor conv(const Tensor &x, int64_t channels, int64_t kernel, int64_t stride,
              int64_t pad, bool bias = true) {
    auto extent = [&](int64_t size) {
      return (size + 2 * pad - kernel) / stride + 1;
    };
    std::vector<int64_t> shape{x.shape[0], channels, extent(x.shape[2]),
                               extent(x.shape[3])};
    Tensor y = f.op1(
        "conv2d",
        {x, f.arg({channels, x.shape[1], kernel, kernel}, fill, "parameter")},
        convAttributes(stride, pad), shape);
    return bias ? f.op1("bias_add", {y, f.arg({channels}, fill, "parameter")},
                        "axis = 1 : i64", shape)
                : y;
  }
  Tensor relu(const Tensor &x) { return f.op1("relu", {x}, "", x.shape); }
  Tensor batchNorm(const Tensor &x) {
    std::vector<int64_t> c{x.shape[1]};
    return f.op1("batch_norm",
                 {x, f.arg(c, floats, "parameter"),
                  f.arg(c, floats, "parameter"), f.arg(c, floats, "state"),
                  f.arg(c, {Fill::Positive, 0}, "state")},
                 "epsilon = 1.0e-03 : f64", x.shape);
  }
  Tensor maxPool(const Tensor &x, int64_t kernel, int64_t stride, int64_t pad) {
    auto extent = [&](int64_t size) {
      return (size + 2 * pad - kernel) / stride + 1;
    };
    return f.op1(
        "max_pool2d", {x},
        "kernel = " + array({kernel, kernel}) +
            ", strides = " + array({stride, stride}) + ", padding = " +
            array({pad, pad, pad, pad}) + ", dilations = array<i64: 1, 1>",
        {x.shape[0], x.shape[1], extent(x.shape[2]), extent(x.shape[3])});
  }
  Tensor averagePool(const Tensor &x, int64_t kernel) {
    return f.op1("avg_pool2d", {x},
                 "kernel = " + array({kernel, kernel}) +
                     ", strides = array<i64: 1, 1>, padding = " +
                     array({kernel / 2, kernel / 2, kernel / 2, kernel / 2}) +
                     ", dilations = array<i64: 1, 1>",
                 x.shape);
  }
  Tensor flatten(const Tensor &x) {
    return f.op1("reshape", {x}, "",
                 {x.shape[0], x.shape[1] * x.shape[2] * x.shape[3]});
  }
  Tensor linear(const Tensor &x, int64_t features) {
    std::vector<int64_t> shape{x.shape[0], features};
    Tensor y =
        f.op1("matmul", {x, f.arg({features, x.shape[1]}, fill, "parameter")},
              "transpose_b", shape);
    return f.op1("bias_add", {y, f.arg({features}, fill, "parameter")},
                 "axis = 1 : i64", shape);
  }
  /// Two convolutions and a shortcut, which a convolution adapts where the
  /// channels or the size change.
  Tensor residual(const Tensor &x, int64_t channels, int64_t stride) {
    Tensor a = relu(batchNorm(conv(x, channels, 3, stride, 1, false)));
    Tensor b = batchNorm(conv(a, channels, 3, 1, 1, false));
    Tensor shortcut = x;
    if (stride > 1 || channels != x.shape[1])
      shortcut = batchNorm(conv(x, channels, 1, stride, 0, false));
    return relu(f.op1("add", {b, shortcut}, "", b.shape));
  }
  /// Global average pooling.
  Tensor globalAverage(const Tensor &x) {
    Tensor sum = f.op1("reduce", {x}, "axes = array<i64: 2, 3>",
                       {x.shape[0], x.shape[1]}, "sum ");
    return f.op1(
        "scale", {sum},
        "factor = " +
            std::to_string(1.0 / static_cast<double>(x.shape[2] * x.shape[3])) +
            " : f64",
        sum.shape);
  }
};

Case training(const std::string &name, Network &network, const Tensor &logits,
              Random &random) {
  Case c;
  c.name = name;
  c.tolerance = 1e-3;
  c.training = drawTraining(random);
  c.maxPieces = 6;
  network.f.finish(c, {logits});
  return c;
}

Case residualBlock(Random &random) {
  Network n;
  Tensor x = n.f.arg({uniform(random, 3, 5), 3, 6, 6}, floats, "data", "f32",
                     sampleDim);
  Tensor stem = n.relu(n.batchNorm(n.conv(x, 4, 3, 1, 1, false)));
  Tensor y = n.residual(stem, 6, 2);
  Case c =
      training("residual_block", n, n.linear(n.globalAverage(y), 5), random);
  int64_t samples = x.shape[0];
  if (uniform(random, 0, 1))
    c.training +=
        " batch-norm=groups(" +
        std::to_string(samples == 4 ? uniform(random, 1, 2) * 2 : samples) +
        ")";
  return c;
}

/// ResNet-18 with few channels and small images: all its layers.
Case resnet18(Random &random) {
  Network n;
  Tensor x = n.f.arg({uniform(random, 2, 3), 3, 40, 40}, floats, "data", "f32",
                     sampleDim);
  Tensor y = n.relu(n.batchNorm(n.conv(x, 2, 7, 2, 3, false)));
  y = n.maxPool(y, 3, 2, 1);
  for (int64_t stage = 0; stage < 4; ++stage)
    for (int64_t block = 0; block < 2; ++block)
      y = n.residual(y, stage + 2, stage > 0 && block == 0 ? 2 : 1);
  return training("resnet18_step", n, n.linear(n.globalAverage(y), 5), random);
}

Case inceptionBlock(Random &random) {
  Network n;
  Tensor x = n.f.arg({uniform(random, 2, 4), 4, 5, 5}, floats, "data", "f32",
                     sampleDim);
  Tensor stem = n.relu(n.conv(x, 4, 1, 1, 0));
  std::vector<Tensor> branches{
      n.relu(n.conv(stem, 3, 1, 1, 0)),
      n.relu(n.conv(n.relu(n.conv(stem, 2, 1, 1, 0)), 4, 3, 1, 1)),
      n.conv(n.averagePool(stem, 3), 2, 1, 1, 0), n.maxPool(stem, 3, 1, 1)};
  Tensor joined =
      n.f.op1("concat", branches, "axis = 1 : i64", {x.shape[0], 13, 5, 5});
  return training("inception_block", n, n.linear(n.globalAverage(joined), 4),
                  random);
}

Case mlp(Random &random) {
  Network n;
  Tensor x = n.f.arg({uniform(random, 3, 6), uniform(random, 3, 9)}, floats,
                     "data", "f32", sampleDim);
  Tensor h = n.relu(n.linear(x, uniform(random, 4, 9)));
  h = n.relu(n.linear(h, uniform(random, 4, 9)));
  return training("mlp", n, n.linear(h, uniform(random, 2, 7)), random);
}

Case lenet(Random &random) {
  Network n;
  Tensor x = n.f.arg({uniform(random, 2, 4), 1, 16, 16}, floats, "data", "f32",
                     sampleDim);
  Tensor y = n.maxPool(n.relu(n.conv(x, 6, 5, 1, 2)), 2, 2, 0);
  y = n.maxPool(n.relu(n.conv(y, 16, 5, 1, 0)), 2, 2, 0);
  y = n.relu(n.linear(n.flatten(y), 20));
  y = n.relu(n.linear(y, 14));
  return training("lenet_step", n, n.linear(y, 10), random);
}

/// Token ids [a, b], whose samples are along `sampleDim`.
Tensor tokens(Network &n, int64_t a, int64_t b, int64_t vocabulary,
              int64_t dim) {
  return n.f.arg({a, b}, {Fill::Labels, vocabulary}, "data", "i32",
                 ", soap.sample_dim = " + std::to_string(dim) + " : i64");
}

/// Embeddings of tokens and positions, causal self-attention with heads, a
/// feed-forward part, both with norms and residuals.
Case gptBlock(Random &random) {
  Network n;
  FunctionText &f = n.f;
  int64_t b = uniform(random, 2, 3), s = uniform(random, 2, 4), heads = 2,
          d = uniform(random, 1, 3), width = heads * d, vocabulary = 6;
  std::vector<int64_t> full{b, s, width}, split{b, s, heads, d},
      byHead{b, heads, s, d}, scores{b, heads, s, s};
  auto weight = [&](std::vector<int64_t> shape) {
    return f.arg(std::move(shape), floats, "parameter");
  };
  auto norm = [&](const Tensor &x) {
    return f.op("layer_norm", {x, weight({width}), weight({width})},
                "axis = 2 : i64, epsilon = 1.0e-02 : f64",
                {full, {b, s}, {b, s}})[0];
  };
  auto head = [&](const Tensor &x) {
    Tensor y = f.op1("matmul", {x, weight({width, width})}, "", full);
    return f.op1("transpose", {f.op1("reshape", {y}, "", split)},
                 "permutation = array<i64: 0, 2, 1, 3>", byHead);
  };
  Tensor x = f.op1(
      "gather", {weight({vocabulary, width}), tokens(n, b, s, vocabulary, 0)},
      "wrap = 6 : i64", full);
  x = f.op1("add", {x, weight({s, width})}, "", full);
  x = f.op1("dropout", {x}, "rate = 2.5e-01 : f64, seed = 1 : i64", full);
  Tensor h = norm(x), q = head(h), k = head(h), v = head(h);
  Tensor a = f.op1("matmul", {q, k}, "transpose_b", scores);
  if (uniform(random, 0, 1)) {
    a = f.op1("add", {a, f.arg({s, s}, floats, "state")}, "", scores);
  } else {
    // Whichever positions the data say: the row of the first may see itself.
    Tensor mask =
        f.op1("greater_equal",
              {f.arg({s, 1}, integers, "state"), f.arg({s}, integers, "state")},
              "", {s, s});
    a = f.op1("where", {mask, a, f.constant({}, -1e9)}, "", scores);
  }
  a = f.op1("softmax", {a}, "axis = 3 : i64", scores);
  a = f.op1("matmul", {a, v}, "", byHead);
  a = f.op1(
      "reshape",
      {f.op1("transpose", {a}, "permutation = array<i64: 0, 2, 1, 3>", split)},
      "", full);
  x = f.op1("add", {x, a}, "", full);
  std::vector<int64_t> wide{b, s, 2 * width};
  Tensor y = f.op1("matmul", {norm(x), weight({width, 2 * width})}, "", wide);
  y = f.op1("gelu", {y}, "", wide);
  y = f.op1("matmul", {y, weight({2 * width, width})}, "", full);
  x = f.op1("add", {x, y}, "", full);
  Tensor logits = f.op1("matmul", {norm(x), weight({width, vocabulary})}, "",
                        {b, s, vocabulary});
  return training("gpt_block", n, logits, random);
}

/// Embedding, two layers of an LSTM with dropout between them, each in two
/// chunks with shared weights, a linear layer.
Case lstmModel(Random &random) {
  Network n;
  FunctionText &f = n.f;
  int64_t t = 2, b = uniform(random, 2, 4), in = uniform(random, 2, 4),
          h = uniform(random, 2, 4), vocabulary = 5;
  auto weight = [&](std::vector<int64_t> shape) {
    return f.arg(std::move(shape), floats, "parameter");
  };
  auto slice = [&](const Tensor &of, std::vector<int64_t> offsets,
                   std::vector<int64_t> sizes) {
    std::vector<int64_t> ones(sizes.size(), 1);
    return f.op1("slice", {of},
                 "offsets = " + array(offsets) + ", sizes = " + array(sizes) +
                     ", strides = " + array(ones),
                 sizes);
  };
  auto layer = [&](const Tensor &x) {
    std::vector<int64_t> wide{2 * t, b, 4 * h};
    Tensor gates =
        f.op1("matmul", {x, weight({4 * h, x.shape[2]})}, "transpose_b", wide);
    gates = f.op1("bias_add", {gates, weight({4 * h})}, "axis = 2 : i64", wide);
    gates = f.op1("reshape", {gates}, "", {2 * t, b, 4, h});
    Tensor r = weight({4, h, h});
    Tensor state = f.arg({1, b, h}, floats, "state"),
           cell = f.arg({1, b, h}, floats, "state");
    std::vector<Tensor> outputs;
    for (int64_t chunk = 0; chunk < 2; ++chunk) {
      Tensor part = slice(gates, {chunk * t, 0, 0, 0}, {t, b, 4, h});
      std::vector<Tensor> results = f.op("lstm", {part, r, state, cell}, "",
                                         {{t, b, h}, {t, b, h}, {t, b, 4, h}});
      outputs.push_back(results[0]);
      state = slice(results[0], {t - 1, 0, 0}, {1, b, h});
      cell = slice(results[1], {t - 1, 0, 0}, {1, b, h});
    }
    return f.op1("concat", outputs, "axis = 0 : i64", {2 * t, b, h});
  };
  Tensor x = f.op1(
      "gather", {weight({vocabulary, in}), tokens(n, 2 * t, b, vocabulary, 1)},
      "wrap = 5 : i64", {2 * t, b, in});
  Tensor y = layer(x);
  y = f.op1("dropout", {y}, "rate = 2.5e-01 : f64, seed = 2 : i64", y.shape);
  y = layer(y);
  Tensor logits =
      f.op1("matmul", {y, weight({h, vocabulary})}, "", {2 * t, b, vocabulary});
  return training("lstm_model", n, logits, random);
}

/// A split contraction, then linear ops that may pass the partial sum on, then
/// a use that needs it whole.
Case linearChain(Random &random) {
  Case c;
  c.name = "linear_chain";
  c.exact = true;
  FunctionText f;
  int64_t m = uniform(random, 1, 6), k = uniform(random, 2, 8),
          n = uniform(random, 1, 3), o = uniform(random, 1, 3);
  Tensor x =
      f.op1("matmul",
            {f.arg({m, k}, integers), f.arg({k, n * o}, integers, "parameter")},
            "", {m, n * o});
  Tensor y =
      f.op1("matmul",
            {f.arg({m, k}, integers), f.arg({k, n * o}, integers, "parameter")},
            "", {m, n * o});
  for (int64_t steps = uniform(random, 1, 4); steps > 0; --steps)
    switch (uniform(random, 0, 6)) {
    case 0:
      x = f.op1("neg", {x}, "", x.shape);
      break;
    case 1:
      x = f.op1("scale", {x}, "factor = 2.0 : f64", x.shape);
      break;
    case 2:
      x = f.op1("accumulate", {x, y}, "", x.shape);
      break;
    case 3:
      x = f.op1("add", {x, y}, "", x.shape);
      break;
    case 4: { // there and back
      Tensor t =
          f.op1("transpose", {x}, "permutation = array<i64: 1, 0>", {n * o, m});
      x = f.op1("transpose", {t}, "permutation = array<i64: 1, 0>", {m, n * o});
      break;
    }
    case 5: {
      Tensor t = f.op1("reshape", {x}, "", {m, n, o});
      x = f.op1("reshape", {t}, "", {m, n * o});
      break;
    }
    case 6: {
      Tensor t = f.op1("concat", {x, y}, "axis = 0 : i64", {2 * m, n * o});
      x = f.op1("slice", {t},
                "offsets = " + array({uniform(random, 0, m), 0}) +
                    ", sizes = " + array({m, n * o}) +
                    ", strides = array<i64: 1, 1>",
                {m, n * o});
      break;
    }
    }
  f.finish(c, {f.op1("relu", {x}, "", x.shape),
               f.op1("reduce", {x}, "axes = array<i64: 0>", {n * o}, "sum ")});
  return c;
}

} // namespace

/// A loss that fits any result, and what happens to gradients and the rate.
static std::string drawLossAndSchedule(Random &random) {
  const char *losses[] = {
      "",
      "",
      "",
      " loss=mse",
      " loss=l1",
      " loss=huber huber-delta=0.3",
      " loss=bce-with-logits",
      " loss=softmax-cross-entropy label-smoothing=0.1",
      " loss=softmax-cross-entropy ignore-index=0 label-smoothing=0.2"};
  const char *rest[] = {
      "",
      "",
      "",
      " clip-norm=0.05",
      " accumulate=true",
      " accumulate=true clip-norm=0.05",
      " schedule=step decay-every=3 decay-factor=0.5",
      " schedule=cosine warmup-iterations=3 total-iterations=20",
      " schedule=linear total-iterations=20 final-factor=0.1 clip-norm=0.1"};
  return std::string(losses[uniform(random, 0, 8)]) +
         rest[uniform(random, 0, 8)];
}

std::string drawTraining(Random &random) {
  const char *optimizers[] = {
      "learning-rate=0.1 momentum=0.9 weight-decay=0.01", "learning-rate=0.1",
      "optimizer=adam learning-rate=0.01 weight-decay=0.01 epsilon=1e-3",
      "optimizer=adamw learning-rate=0.01 weight-decay=0.01 epsilon=1e-3"};
  return optimizers[uniform(random, 0, 3)] + drawLossAndSchedule(random);
}

std::vector<Generator> graphGenerators() {
  return {{"linear_chain", linearChain},
          {"mlp", mlp},
          {"residual_block", residualBlock},
          {"resnet18_step", resnet18},
          {"inception_block", inceptionBlock},
          {"lenet_step", lenet},
          {"gpt_block", gptBlock},
          {"lstm_model", lstmModel},
          {"expert_layer", expertLayer},
          {"attention_layer", attentionLayer},
          {"scaled_layers", scaledLayers}};
}

} // namespace soap::equivalence
