# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a model in PyTorch, eager: an ONNX graph, one op per node, or a language model of torch_language.py.

torch_model.py MODEL.onnx|rnnlm|gpt --batch N --threads T --iterations I [--channels-last]

Weights are random: this is for timing. Prints a JSON object: the milliseconds of each iteration (forward, softmax cross
entropy over all positions, backward, SGD with momentum), after two that do not count, and PyTorch's version.
"""

import argparse
import json
import time

import numpy
import onnx
import onnx.numpy_helper
import torch
import torch.nn.functional as F

import torch_language


def attributes(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def padded(x, pads, value):
    """Symmetric padding as a number pair; asymmetric padding by hand."""
    half = len(pads) // 2
    if pads[:half] == pads[half:]:
        return x, list(pads[:half])
    flat = [p for i in reversed(range(half)) for p in (pads[i], pads[half + i])]
    return F.pad(x, flat, value=value), [0] * half


def conv(a, x, w, b=None):
    x, pads = padded(x, a.get("pads", [0, 0, 0, 0]), 0.0)
    return F.conv2d(x, w, b, a.get("strides", [1, 1]), pads, a.get("dilations", [1, 1]), a.get("group", 1))


def max_pool(a, x):
    x, pads = padded(x, a.get("pads", [0, 0, 0, 0]), -float("inf"))
    return F.max_pool2d(x, a["kernel_shape"], a.get("strides", [1, 1]), pads, a.get("dilations", [1, 1]),
                        ceil_mode=bool(a.get("ceil_mode", 0)))


def average_pool(a, x):
    x, pads = padded(x, a.get("pads", [0, 0, 0, 0]), 0.0)
    return F.avg_pool2d(x, a["kernel_shape"], a.get("strides", [1, 1]), pads,
                        count_include_pad=bool(a.get("count_include_pad", 0)))


def gemm(a, x, w, b=None):
    x = x.t() if a.get("transA") else x
    w = w if a.get("transB") else w.t()
    return F.linear(x, w, b)


OPS = {
    "Conv": conv,
    "MaxPool": max_pool,
    "AveragePool": average_pool,
    "Gemm": gemm,
    "Relu": lambda a, x: F.relu(x),
    "Add": lambda a, x, y: x + y,
    "MatMul": lambda a, x, y: x @ y,
    "Concat": lambda a, *x: torch.cat(x, a["axis"]),
    "Flatten": lambda a, x: x.flatten(a.get("axis", 1)),
    "Reshape": lambda a, x, s: x.reshape([x.shape[0]] + [-1]) if len(s) == 2 else x.reshape([int(v) for v in s]),
    "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
    "ReduceMean": lambda a, x, *s: x.mean(tuple(int(v) for v in (a.get("axes") or s[0])), keepdim=bool(a.get("keepdims", 1))),
    "Identity": lambda a, x: x,
    "Dropout": lambda a, x, *rest: x,
}


class Model:
    def __init__(self, path, batch):
        graph = onnx.load(path).graph
        self.nodes = [(n.op_type, attributes(n), list(n.input), list(n.output)) for n in graph.node]
        generator = torch.Generator().manual_seed(0)
        self.values, self.parameters = {}, []
        for initializer in graph.initializer:
            self.add(initializer.name, torch.tensor(onnx.numpy_helper.to_array(initializer).copy()))
        names = set(self.values)
        shape = lambda i: [d.dim_value for d in i.type.tensor_type.shape.dim]
        inputs = [i for i in graph.input if i.name not in names]
        self.input = inputs[0].name
        self.shape = [batch] + shape(inputs[0])[1:]
        for i in inputs[1:]:
            s = shape(i)
            self.add(i.name, torch.randn(s, generator=generator) * (2 / max(1, numpy.prod(s[1:]))) ** 0.5)
        self.output = graph.output[0].name

    def add(self, name, tensor):
        if tensor.is_floating_point():
            tensor.requires_grad_(True)
            self.parameters.append(tensor)
        self.values[name] = tensor

    def __call__(self, x):
        values = dict(self.values)
        values[self.input] = x
        for kind, a, inputs, outputs in self.nodes:
            if kind == "Constant":
                values[outputs[0]] = torch.tensor(onnx.numpy_helper.to_array(a["value"]).copy())
                continue
            if kind not in OPS:
                raise SystemExit("torch_model: no op '%s'" % kind)
            values[outputs[0]] = OPS[kind](a, *[values[i] if i else None for i in inputs])
        return values[self.output]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--channels-last", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.model in ("rnnlm", "gpt"):
        model, x, labels = torch_language.build(options.model, options.batch)
        parameters = list(model.parameters())
    else:
        model = Model(options.model, options.batch)
        parameters = model.parameters
        x, labels = torch.randn(model.shape), torch.randint(0, 10, [options.batch])
    if options.channels_last and x.dim() == 4:
        x = x.contiguous(memory_format=torch.channels_last)
        for p in parameters:
            if p.dim() == 4:
                p.data = p.data.contiguous(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(parameters, lr=1e-4, momentum=0.9)
    times = []
    for i in range(options.iterations + 2):
        start = time.perf_counter()
        optimizer.zero_grad()
        logits = model(x)
        F.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1)).backward()
        optimizer.step()
        times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps({"milliseconds": times[2:], "torch": torch.__version__}))


if __name__ == "__main__":
    main()
