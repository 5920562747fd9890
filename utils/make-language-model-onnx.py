#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the language models of examples/ and bench/ as ONNX files: an RNNLM and a small GPT.

    utils/make-language-model-onnx.py                     examples/rnnlm.onnx and examples/gpt.onnx
    utils/make-language-model-onnx.py rnnlm|gpt OUTPUT [--vocabulary V] [--width W] [--layers L] [--heads A]
                                      [--length T]
                                      [--batch N] [--no-weights]

Needs the packages onnx and numpy (scripts/python-env.sh makes a virtual environment that has them).

rnnlm: an embedding, L layers of LSTM (Hochreiter & Schmidhuber) and a linear layer, as in Mikolov et al. and Zaremba et
al.; tokens and logits have time first, [T, N] and [T, N, V], which is how ONNX and PyTorch lay out an LSTM by default.
gpt: token and position embeddings, L pre-norm blocks of causal self-attention and an MLP of gelu, a last layer norm and
a linear layer, as in GPT-2 (Radford et al.) without dropout; tokens are [N, T], logits [N, T, V].

Weights are random from a fixed seed, so a file is the same on every run: as PyTorch's modules start in the RNNLM,
normal with deviation 0.02 (GPT-2) in the GPT. With --no-weights they are graph inputs without values, to be initialized
where the model is trained: for benchmarks.
"""

import argparse
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXAMPLES = [("rnnlm", "rnnlm.onnx", dict(vocabulary=1000, width=32, layers=2, heads=1, length=20, batch=16)),
            ("gpt", "gpt.onnx", dict(vocabulary=100, width=48, layers=2, heads=3, length=64, batch=16))]


class Graph:
    """Collects nodes and weights."""

    def __init__(self, seed, weights):
        self.random = np.random.RandomState(seed)
        self.weights = weights
        self.nodes, self.initializers, self.inputs = [], [], []

    def node(self, kind, inputs, name, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def parameter(self, name, value):
        """A weight. Biases and scales keep their values where weights have none, as their role would not be guessed."""
        value = np.asarray(value, np.float32)
        if self.weights or value.size <= sum(value.shape):
            self.initializers.append(numpy_helper.from_array(value, name))
        else:
            self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, value.shape))
        return name

    def integers(self, name, values):
        self.initializers.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def scalar(self, name, value):
        self.initializers.append(numpy_helper.from_array(np.float32(value), name))
        return name

    def uniform(self, name, shape, limit):
        return self.parameter(name, self.random.uniform(-limit, limit, shape))

    def normal(self, name, shape, deviation):
        return self.parameter(name, self.random.standard_normal(shape) * deviation)

    def save(self, path, name, tokens, logits):
        info = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)
        graph = helper.make_graph(self.nodes, name, [info("tokens", TensorProto.INT64, tokens)] + self.inputs,
                                  [info("logits", TensorProto.FLOAT, logits)], self.initializers)
        model = helper.make_model(graph, producer_name="make-language-model-onnx", ir_version=8,
                                  opset_imports=[helper.make_opsetid("", 17)])
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, path)


def write_rnnlm(path, o):
    g = Graph(1997, o.weights)
    width = o.width
    # Glorot & Bengio, per gate.
    limit = (3 / width) ** 0.5
    value = g.node("Gather", [g.normal("embedding.weight", [o.vocabulary, width], 1), "tokens"], "embedding", axis=0)
    for layer in range(o.layers):
        name = "lstm%d" % layer
        # One direction: [1, 4 W, W], gates in ONNX's order (input, output, forget, cell); both biases in one row.
        weights = [g.uniform(name + "." + kind, [1, 4 * width, width], limit) for kind in ("weight", "recurrent")]
        bias = np.zeros([1, 8 * width])
        # Cells remember from the start (Gers et al.): the forget gate's bias.
        bias[0, 2 * width:3 * width] = 1
        value = g.node("LSTM", [value] + weights + [g.parameter(name + ".bias", bias)], name, hidden_size=width)
        value = g.node("Squeeze", [value, g.integers(name + ".direction", [1])], name + ".steps")
    value = g.node("MatMul", [value, g.uniform("output.weight", [width, o.vocabulary], limit)], "output")
    g.node("Add", [value, g.parameter("output.bias", np.zeros(o.vocabulary))], "logits")
    g.save(path, "rnnlm", [o.length, o.batch], [o.length, o.batch, o.vocabulary])


def write_gpt(path, o):
    g = Graph(2019, o.weights)
    width, head = o.width, o.width // o.heads
    vector = lambda name, size, value: g.parameter(name, np.full(size, value))

    def linear(value, name, inputs, outputs, deviation=0.02):
        product = g.node("MatMul", [value, g.normal(name + ".weight", [inputs, outputs], deviation)], name + ".matmul")
        return g.node("Add", [product, vector(name + ".bias", outputs, 0)], name)

    def norm(value, name):
        return g.node("LayerNormalization", [value, vector(name + ".weight", width, 1), vector(name + ".bias", width, 0)],
                      name, axis=-1)

    def attention(value, name):
        qkv = linear(value, name + ".qkv", width, 3 * width)
        qkv = g.node("Reshape", [qkv, "heads.shape"], name + ".heads")
        qkv = g.node("Transpose", [qkv], name + ".parts", perm=[2, 0, 3, 1, 4])
        q, k, v = (g.node("Gather", [qkv, str(i)], name + "." + part, axis=0) for i, part in enumerate("qkv"))
        scores = g.node("MatMul", [q, g.node("Transpose", [k], name + ".kt", perm=[0, 1, 3, 2])], name + ".products")
        scores = g.node("Mul", [scores, "scale"], name + ".scores")
        # True where a position may look: at itself and back.
        scores = g.node("Where", ["causal", scores, "minus_infinity"], name + ".masked")
        mixed = g.node("MatMul", [g.node("Softmax", [scores], name + ".softmax", axis=-1), v], name + ".mixed")
        mixed = g.node("Transpose", [mixed], name + ".joined", perm=[0, 2, 1, 3])
        mixed = g.node("Reshape", [mixed, "joined.shape"], name + ".rows")
        return linear(mixed, name + ".proj", width, width, residual)

    def gelu(value, name):
        erf = g.node("Erf", [g.node("Div", [value, "sqrt2"], name + ".div")], name + ".erf")
        product = g.node("Mul", [value, g.node("Add", [erf, "one"], name + ".add")], name + ".mul")
        return g.node("Mul", [product, "half"], name)

    # GPT-2 starts what is added to the residual stream smaller, the deeper the model is.
    residual = 0.02 * (2 * o.layers) ** -0.5
    g.integers("heads.shape", [0, 0, 3, o.heads, head])
    g.integers("joined.shape", [0, 0, width])
    for i in range(3):
        g.integers(str(i), i)
    g.initializers.append(numpy_helper.from_array(np.tril(np.ones([o.length, o.length], bool)), "causal"))
    for name, number in (("scale", head ** -0.5), ("minus_infinity", -np.inf), ("sqrt2", 2 ** 0.5), ("one", 1), ("half", 0.5)):
        g.scalar(name, number)
    value = g.node("Gather", [g.normal("embedding.weight", [o.vocabulary, width], 0.02), "tokens"], "embedding", axis=0)
    value = g.node("Add", [value, g.normal("positions.weight", [o.length, width], 0.02)], "positions")
    for layer in range(o.layers):
        name = "block%d" % layer
        value = g.node("Add", [value, attention(norm(value, name + ".norm1"), name + ".attention")], name + ".residual1")
        hidden = gelu(linear(norm(value, name + ".norm2"), name + ".mlp1", width, 4 * width), name + ".gelu")
        value = g.node("Add", [value, linear(hidden, name + ".mlp2", 4 * width, width, residual)], name + ".residual2")
    value = norm(value, "norm")
    g.node("MatMul", [value, g.normal("output.weight", [width, o.vocabulary], 0.02)], "logits")
    g.save(path, "gpt", [o.batch, o.length], [o.batch, o.length, o.vocabulary])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", choices=["rnnlm", "gpt"])
    parser.add_argument("output", nargs="?")
    for name in ("vocabulary", "width", "layers", "heads", "length", "batch"):
        parser.add_argument("--" + name, type=int)
    parser.add_argument("--no-weights", dest="weights", action="store_false")
    options = parser.parse_args()
    if options.model and not options.output:
        parser.error("expected a file to write")
    for model, file, defaults in EXAMPLES:
        if options.model not in (None, model):
            continue
        for name, value in defaults.items():
            if not options.model or getattr(options, name) is None:
                setattr(options, name, value)
        if min(getattr(options, name) for name in defaults) < 1 or options.width % options.heads:
            parser.error("expected numbers of at least 1, and a width that the heads divide")
        write = write_rnnlm if model == "rnnlm" else write_gpt
        write(options.output or os.path.join(SOURCE, "examples", file), options)


if __name__ == "__main__":
    sys.exit(main())
