#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes PyTorch's losses of the ONNX models of Inputs/ that onnx_training.py trains.

onnx_torch.py FOLDER.. [--rate R] [--iterations N]

Runs the graph of FOLDER/model.onnx one node after another in PyTorch, eager, with plain SGD on the one batch of
x_train.npy and y_train.npy, and writes the cross-entropies (mean over all labels) before each update to losses.json.
"constants" there are the float initializers of rank 1 and more that are no parameters; all others are, each Identity of
one is a parameter of its own, and batch norm has the statistics of the batch. Needs Python with torch, numpy and onnx,
so it is in no suite.
"""

import argparse
import json
import os

import numpy
import onnx
import onnx.numpy_helper
import torch
import torch.nn.functional as F


def attributes(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def numbers(tensor):
    return [int(v) for v in tensor.reshape(-1)]


def conv(a, x, w, b=None):
    pads = a.get("pads", [0, 0, 0, 0])
    assert pads[:2] == pads[2:] and a.get("auto_pad", b"NOTSET") in (b"NOTSET", b"VALID")
    return F.conv2d(x, w, b, a.get("strides", [1, 1]), pads[:2], a.get("dilations", [1, 1]), a.get("group", 1))


def gemm(a, x, w, b=None):
    assert a.get("alpha", 1.0) == 1.0 and a.get("beta", 1.0) == 1.0
    x = x.t() if a.get("transA") else x
    w = w if a.get("transB") else w.t()
    return F.linear(x, w, b)


def reshape(a, x, shape):
    return x.reshape([x.shape[i] if n == 0 else n for i, n in enumerate(numbers(shape))])


def clamped(position):
    return max(-2**31, min(position, 2**31))


def slice_(a, x, starts, ends, axes=None, steps=None):
    axes = numbers(axes) if axes is not None else range(len(starts))
    steps = numbers(steps) if steps is not None else [1] * len(starts)
    for start, end, axis, step in zip(numbers(starts), numbers(ends), axes, steps):
        x = x[(slice(None),) * (axis % x.dim()) + (slice(clamped(start), clamped(end), step),)]
    return x


def expand(a, x, shape):
    return x.expand(torch.broadcast_shapes(x.shape, numbers(shape)))


def split(a, x, sizes=None):
    axis = a.get("axis", 0)
    sizes = numbers(sizes) if sizes is not None else [x.shape[axis] // a["num_outputs"]] * a["num_outputs"]
    return torch.split(x, sizes, axis)


def unsqueeze(a, x, axes):
    for axis in sorted(n % (x.dim() + axes.numel()) for n in numbers(axes)):
        x = x.unsqueeze(axis)
    return x


def squeeze(a, x, axes):
    return x.squeeze(tuple(numbers(axes)))


def gather(a, x, index):
    axis = a.get("axis", 0) % x.dim()
    rows = x.index_select(axis, index.reshape(-1) % x.shape[axis])
    return rows.reshape(x.shape[:axis] + index.shape + x.shape[axis + 1:])


def norm(a, x, scale, bias, mean, variance):
    # Training takes the statistics of the batch.
    return F.batch_norm(x, None, None, scale, bias, True, 0.0, a.get("epsilon", 1e-5))


def layer_norm(a, x, scale, bias=None):
    axis = a.get("axis", -1) % x.dim()
    return F.layer_norm(x, x.shape[axis:], scale, bias, a.get("epsilon", 1e-5))


OPS = {
    "Add": lambda a, x, y: x + y,
    "BatchNormalization": norm,
    "Cast": lambda a, x: x.to({1: torch.float32, 7: torch.int64}[a["to"]]),
    "Concat": lambda a, *x: torch.cat(x, a["axis"]),
    "ConstantOfShape": lambda a, s: torch.full(numbers(s), onnx.numpy_helper.to_array(a["value"]).item()),
    "Conv": conv,
    "Div": lambda a, x, y: x / y,
    "Equal": lambda a, x, y: x == y,
    "Erf": lambda a, x: torch.erf(x),
    "Expand": expand,
    "Flatten": lambda a, x: x.flatten(a.get("axis", 1)),
    "Gather": gather,
    "Gelu": lambda a, x: F.gelu(x, approximate=a.get("approximate", b"none").decode()),
    "Gemm": gemm,
    "Identity": lambda a, x: x,
    "LayerNormalization": layer_norm,
    "LeakyRelu": lambda a, x: F.leaky_relu(x, a.get("alpha", 0.01)),
    "MatMul": lambda a, x, y: x @ y,
    "Mul": lambda a, x, y: x * y,
    "Neg": lambda a, x: -x,
    "Pow": lambda a, x, y: x ** y,
    "Reciprocal": lambda a, x: 1 / x,
    "ReduceMean": lambda a, x, axes: x.mean(tuple(numbers(axes)), keepdim=bool(a.get("keepdims", 1))),
    "Relu": lambda a, x: F.relu(x),
    "Reshape": reshape,
    "Shape": lambda a, x: torch.tensor(list(x.shape)[a.get("start", 0):a.get("end")]),
    "Sigmoid": lambda a, x: torch.sigmoid(x),
    "Slice": slice_,
    "Softmax": lambda a, x: F.softmax(x, a.get("axis", -1)),
    "Split": split,
    "Sqrt": lambda a, x: torch.sqrt(x),
    "Squeeze": squeeze,
    "Sub": lambda a, x, y: x - y,
    "Transpose": lambda a, x: x.permute(a["perm"]),
    "Unsqueeze": unsqueeze,
    "Where": lambda a, c, x, y: torch.where(c, x, y),
}


class Model:
    def __init__(self, path, constants):
        graph = onnx.load(path).graph
        self.nodes = [(n.op_type, attributes(n), list(n.input), list(n.output)) for n in graph.node]
        self.values = {t.name: torch.tensor(onnx.numpy_helper.to_array(t).copy()) for t in graph.initializer}
        for kind, a, inputs, outputs in self.nodes:
            if kind == "Identity" and inputs[0] in self.values:
                self.values[outputs[0]] = self.values[inputs[0]].clone()
        statistics = {name for kind, _, inputs, _ in self.nodes if kind == "BatchNormalization" for name in inputs[3:]}
        self.parameters = []
        for name, value in self.values.items():
            if value.is_floating_point() and value.dim() > 0 and name not in constants and name not in statistics:
                self.parameters.append(value.requires_grad_(True))
        self.input, self.output = graph.input[0].name, graph.output[0].name

    def __call__(self, x):
        values = dict(self.values)
        values[self.input] = x
        for kind, a, inputs, outputs in self.nodes:
            if kind == "Constant":
                values[outputs[0]] = torch.tensor(onnx.numpy_helper.to_array(a["value"]).copy())
                continue
            if outputs[0] in values:
                continue
            results = OPS[kind](a, *[values[i] if i else None for i in inputs])
            for name, result in zip(outputs, results if isinstance(results, (tuple, list)) else [results]):
                values[name] = result
        return values[self.output]


def train(folder, rate, iterations):
    path = lambda name: os.path.join(folder, name)
    with open(path("losses.json")) as stream:
        record = json.load(stream)
    model = Model(path("model.onnx"), record.get("constants", []))
    x, y = (torch.tensor(numpy.load(path(name + "_train.npy"))) for name in "xy")
    optimizer = torch.optim.SGD(model.parameters, lr=rate)
    record["losses"] = []
    for _ in range(iterations):
        logits = model(x)
        loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1).long())
        record["losses"].append(round(loss.item(), 6))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with open(path("losses.json"), "w") as stream:
        json.dump(record, stream)
        stream.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--iterations", type=int, default=4)
    options = parser.parse_args()
    for folder in options.folders:
        train(folder, options.rate, options.iterations)


if __name__ == "__main__":
    main()
