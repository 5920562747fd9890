#!/usr/bin/env python3
# Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records values and gradients of elementwise ops and norms at special points.

usage: record_special_points.py OUT.onnx OUT.json

Needs PyTorch and onnx. OUT.onnx has one output per case, each of its own
inputs: an op of ONNX, or a composition as PyTorch's exporters write it.
OUT.json has, of every case, the inputs, and what PyTorch computes for them:
`value` and the gradient of the sum of all results by each input, in float64,
rounded to float32. Where PyTorch's float32 is something else, and often because
it overflows or cancels, `value32` and `gradients32` have that.
"""

import json
import math
import sys

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper, numpy_helper

INF, NAN = math.inf, math.nan
COMMON = [0.0, -0.0, 1e-30, -1e-30, 1e-8, -1e-6, 1e-3, -0.1, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 6.0,
          -6.0, 20.0, -20.0, 60.0, -60.0, 1e4, -1e4, 1e10, -1e10, 1e20, -1e20, INF, -INF, NAN]
# Angles: float32 holds none beyond them.
ANGLES = [x for x in COMMON if not abs(x) > 1e4]
# Results may be smaller than normal numbers, which kernels take for 0, or not.
POWERS = COMMON + [88.5, -88.5, 89.0, 89.2, -89.2, 100.0]


class Graph:
    """The nodes of a case."""

    def __init__(self, case, nodes):
        self.case, self.nodes, self.count = case, nodes, 0

    def name(self):
        self.count += 1
        return f"{self.case}.{self.count}"

    def op(self, kind, *operands, name=None, **attributes):
        name = name or self.name()
        self.nodes.append(helper.make_node(kind, [self.tensor(x) for x in operands], [name], name=name, **attributes))
        return name

    def tensor(self, value):
        if isinstance(value, str):
            return value
        # No initializer, which may be a parameter.
        array = np.asarray(value, dtype=np.int64 if isinstance(value, list) else np.float32)
        return self.op("Constant", value=numpy_helper.from_array(array))


CASES = []


def case(name, build, function, *inputs):
    CASES.append((name, build, function, inputs))


def unary(kind, function, points=None, name=None, **attributes):
    case(name or kind, lambda g, x: g.op(kind, x, **attributes), function, COMMON if points is None else points)


INSIDE = [0.0, -0.0, 1e-30, -1e-30, 1e-8, -1e-6, 1e-3, -0.25, 0.5, -0.9, 0.9999, -0.9999, 1.0, -1.0, 1.5, -2.0, INF, NAN]

unary("Relu", F.relu)
unary("Neg", torch.neg)
unary("Abs", torch.abs)
unary("Exp", torch.exp, POWERS)
unary("Log", torch.log)
unary("Sqrt", torch.sqrt)
unary("Reciprocal", torch.reciprocal)
unary("Tanh", torch.tanh)
unary("Sigmoid", torch.sigmoid)
unary("Erf", torch.erf)
unary("Sign", torch.sign, COMMON[:-1])
unary("Sin", torch.sin, ANGLES)
unary("Cos", torch.cos, ANGLES)
unary("Tan", torch.tan, ANGLES + [1.5, 1.57])
unary("Sinh", torch.sinh, POWERS)
unary("Cosh", torch.cosh, POWERS)
unary("Asin", torch.asin, INSIDE)
unary("Acos", torch.acos, INSIDE)
unary("Atan", torch.atan)
unary("Asinh", torch.asinh)
unary("Acosh", torch.acosh, COMMON + [1.0001, 1.5])
unary("Atanh", torch.atanh, INSIDE)
unary("Floor", torch.floor, COMMON + [2.5, -2.5])
unary("Ceil", torch.ceil, COMMON + [2.5, -2.5])
unary("Round", torch.round, COMMON + [2.5, -2.5, 1.5])
unary("Gelu", F.gelu)
unary("Gelu", lambda x: F.gelu(x, approximate="tanh"), name="GeluTanh", approximate="tanh")
unary("Elu", lambda x: F.elu(x, 1.5), alpha=1.5)
unary("Selu", F.selu)
unary("Celu", lambda x: F.celu(x, 2.0), alpha=2.0)
unary("Softplus", F.softplus, POWERS)
unary("Softsign", F.softsign)
unary("LeakyRelu", lambda x: F.leaky_relu(x, 0.125), alpha=0.125)
unary("LeakyRelu", lambda x: F.leaky_relu(x, 2.0), name="SteepRelu", alpha=2.0)
unary("HardSigmoid", F.hardsigmoid, alpha=1 / 6, beta=0.5)
unary("HardSwish", F.hardswish)
unary("ThresholdedRelu", lambda x: F.threshold(x, 0.5, 0.0), alpha=0.5)
unary("Mish", F.mish)
case("Silu", lambda g, x: g.op("Mul", x, g.op("Sigmoid", x)), F.silu, COMMON)
unary("Shrink", lambda x: F.hardshrink(x, 0.5), COMMON[:-1], name="HardShrink", lambd=0.5, bias=0.0)
unary("Shrink", lambda x: F.softshrink(x, 0.5), COMMON[:-1], name="SoftShrink", lambd=0.5, bias=0.5)
case("PRelu", lambda g, x, a: g.op("PRelu", x, a), lambda x, a: F.prelu(x[None], a)[0], COMMON,
     [0.25 if i % 2 else -0.5 for i in range(len(COMMON))])

# Bounds.
case("Clip", lambda g, x: g.op("Clip", x, -1.0, 2.0), lambda x: torch.clamp(x, -1, 2), COMMON)
case("ClipAtZero", lambda g, x: g.op("Clip", x, 0.0), lambda x: torch.clamp(x, min=0), COMMON)
case("ClipZeroToOne", lambda g, x: g.op("Clip", x, 0.0, 1.0), lambda x: torch.clamp(x, 0, 1), COMMON)
case("Relu6", lambda g, x: g.op("Clip", x, 0.0, 6.0), F.relu6, COMMON)
case("clamp", lambda g, x: g.op("Max", x, 0.5, name="clamp"), lambda x: torch.clamp(x, min=0.5), COMMON)
case("clamp_max", lambda g, x: g.op("Min", x, 0.5, name="clamp_1"), lambda x: torch.clamp(x, max=0.5), COMMON)

# Ties.
LEFT, RIGHT = [0.0, -0.0, 1.0, 2.0, -3.0, 1e20, INF, -INF], [0.0, 0.0, 1.0, 1.0, 4.0, 1e20, INF, -INF]
case("Max", lambda g, x, y: g.op("Max", x, y), torch.maximum, LEFT, RIGHT)
case("Min", lambda g, x, y: g.op("Min", x, y), torch.minimum, LEFT, RIGHT)
case("MaxPlusMin", lambda g, x: g.op("Add", g.op("Max", x, 0.0), g.op("Min", x, 0.0)),
     lambda x: torch.maximum(x, torch.zeros_like(x)) + torch.minimum(x, torch.zeros_like(x)),
     [x for x in COMMON if not math.isnan(x)])
ROWS = [[0.0, 0.0, 0.0], [1.0, 2.0, 2.0], [-1.0, -1.0, -1.0], [3.0, 4.0, 0.0], [1e-10, -1e-10, 0.0], [1e10, 1e10, -1e10]]
ENDS = [[INF, 1.0, 2.0], [-INF, 1.0, 2.0], [-INF, -INF, -INF], [NAN, 1.0, 2.0]]
case("ReduceMax", lambda g, x: g.op("ReduceMax", x, [1], keepdims=0), lambda x: torch.amax(x, 1), ROWS)
case("ReduceMin", lambda g, x: g.op("ReduceMin", x, [1], keepdims=0), lambda x: torch.amin(x, 1), ROWS)
case("MaxPool", lambda g, x: g.op("MaxPool", x, kernel_shape=[3]), lambda x: F.max_pool1d(x, 3), [ROWS])
case("MaxPool3d", lambda g, x: g.op("MaxPool", x, kernel_shape=[3, 1, 1]), lambda x: F.max_pool3d(x, (3, 1, 1)),
     [[[[[v]] for v in row] for row in ROWS]])

case("Where", lambda g, x: g.op("Where", g.op("Greater", x, 0.0), g.op("Log", x), x),
     lambda x: torch.where(x > 0, torch.log(x), x), [x for x in COMMON if not math.isnan(x)])
case("Div", lambda g, x, y: g.op("Div", x, y), torch.div, [0.0, 1.0, -1.0, 0.0, 1e20, 1e-20, 2.0, INF],
     [1.0, 0.0, -0.0, 0.0, 1e-10, 1e15, INF, 2.0])

# Powers.
BASES = [0.0, -0.0, 1e-10, 0.5, 1.0, 2.0, 1e10, INF]
SIGNED = BASES + [-1e-10, -0.5, -1.0, -2.0, -1e10, -INF]
for exponent in [0.0, 1.0, 2.0, 3.0, -1.0, 0.5, 1.5, -0.5, 4.0]:
    whole = exponent == round(exponent)
    case(f"Pow{exponent}", lambda g, x, e=exponent: g.op("Pow", x, e), lambda x, e=exponent: torch.pow(x, e),
         SIGNED if whole else BASES)
case("Pow", lambda g, x, y: g.op("Pow", x, y), torch.pow, [0.0, 0.0, 0.0, -0.0, 2.0, 2.0, 0.5, 1.0, -2.0],
     [0.0, 1.0, 2.0, 0.5, 0.0, 3.0, -1.0, 5.0, 2.0])

# As exporters write them.
case("LogSigmoid", lambda g, x: g.op("Log", g.op("Sigmoid", x)), F.logsigmoid, POWERS)
case("LogOneMinusSigmoid", lambda g, x: g.op("Log", g.op("Sub", 1.0, g.op("Sigmoid", x))),
     lambda x: F.logsigmoid(-x), POWERS)
case("Log1p", lambda g, x: g.op("Log", g.op("Add", x, 1.0)), torch.log1p, COMMON)
case("Expm1", lambda g, x: g.op("Sub", g.op("Exp", x), 1.0), torch.expm1, POWERS)
case("LogOnePlusExp", lambda g, x: g.op("Log", g.op("Add", 1.0, g.op("Exp", x))), F.softplus, POWERS)
case("SoftplusBeta", lambda g, x: g.op("Div", g.op("Softplus", g.op("Mul", x, 2.0)), 2.0),
     lambda x: F.softplus(x, beta=2), COMMON)
case("SoftplusWhere", lambda g, x: g.op("Where", g.op("Greater", x, 20.0), x, g.op("Softplus", x)), F.softplus, COMMON)
case("GeluChain", lambda g, x: g.op("Mul", g.op("Mul", x, g.op("Add", g.op("Erf", g.op("Div", x, math.sqrt(2))), 1.0)),
                                    0.5), F.gelu, COMMON)
case("MishChain", lambda g, x: g.op("Mul", x, g.op("Tanh", g.op("Softplus", x))), F.mish, COMMON)


def arc_tangent(g, y, x, removes_nan):
    a = g.op("Atan", g.op("Div", y, x))
    left = g.op("Where", g.op("Greater", y, 0.0), g.op("Add", a, math.pi), g.op("Sub", a, math.pi))
    a = g.op("Where", g.op("Less", x, 0.0), left, a)
    return g.op("Where", g.op("IsNaN", a), 0.0, a) if removes_nan else a


HEIGHTS = [0.0, 1.0, 0.0, 1.0, -2.0, -2.0, 1e-20, -1e20, 3.0, 0.5, -1.0, 0.0]
WIDTHS = [0.0, 0.0, 1.0, 1.0, 1.0, -1.0, 1e-20, 1e10, -1e-10, -4.0, 0.0, -1.0]
case("Atan2", lambda g, y, x: arc_tangent(g, y, x, False), torch.atan2, HEIGHTS, WIDTHS)
case("Atan2WithoutNaN", lambda g, y, x: arc_tangent(g, y, x, True), torch.atan2, HEIGHTS, WIDTHS)

# Norms of rows.
case("ReduceL1", lambda g, x: g.op("ReduceL1", x, [1], keepdims=0), lambda x: torch.linalg.vector_norm(x, 1, dim=1), ROWS)
case("ReduceL2", lambda g, x: g.op("ReduceL2", x, [1], keepdims=0), lambda x: torch.linalg.vector_norm(x, dim=1), ROWS)
case("ReduceL3", lambda g, x: g.op("Pow", g.op("ReduceSum", g.op("Pow", g.op("Abs", x), 3.0), [1], keepdims=0), 1 / 3),
     lambda x: torch.linalg.vector_norm(x, 3, dim=1), ROWS)
case("ReduceSumSquare", lambda g, x: g.op("ReduceSumSquare", x, [1], keepdims=0), lambda x: (x * x).sum(1), ROWS)
case("ReduceLogSum", lambda g, x: g.op("ReduceLogSum", x, [1], keepdims=0), lambda x: x.sum(1).log(), ROWS)
case("ReduceLogSumExp", lambda g, x: g.op("ReduceLogSumExp", x, [1], keepdims=0), lambda x: torch.logsumexp(x, 1),
     ROWS + ENDS)
case("LogSoftmax", lambda g, x: g.op("LogSoftmax", x, axis=1), lambda x: F.log_softmax(x, 1), ROWS)
case("ReduceProd", lambda g, x: g.op("ReduceProd", x, [1], keepdims=0), lambda x: x.prod(1), ROWS[:4] + [[2.0, 0.0, 3.0]])


def centred(g, x):
    return g.op("Sub", x, g.op("ReduceMean", x, [1], keepdims=1))


def deviation(g, x):
    c = centred(g, x)
    mean = g.op("ReduceMean", g.op("Mul", c, c), [1], keepdims=0)
    return g.op("Sqrt", g.op("Div", g.op("Mul", mean, 3.0), 2.0))


def normalized(g, x, epsilon=1e-12):
    return g.op("Div", x, g.op("Clip", g.op("ReduceL2", x, [1], keepdims=1), epsilon))


def cosine_of_sums(g, x, y):
    sums = [g.op("ReduceSum", g.op("Mul", a, b), [1], keepdims=0) for a, b in [(x, y), (x, x), (y, y)]]
    return g.op("Div", sums[0], g.op("Max", g.op("Sqrt", g.op("Mul", sums[1], sums[2])), 1e-8))


# The last row is constant, and its mean exact.
DEVIATIONS = ROWS[:4] + [[0.25, 0.25, 0.25]]
case("Std", deviation, lambda x: x.std(1), DEVIATIONS)
case("Normalize", normalized, lambda x: F.normalize(x, dim=1), ROWS)
case("Cosine", lambda g, x, y: g.op("ReduceSum", g.op("Mul", normalized(g, x, 1e-8), normalized(g, y, 1e-8)), [1],
                                    keepdims=0),
     lambda x, y: F.cosine_similarity(x, y, dim=1), ROWS[:4], [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0]])
# The older exporter's, which bounds the product of both norms: as that formula, with norms whose gradient at 0 is 0.
case("CosineOfSums", cosine_of_sums,
     lambda x, y: (x * y).sum(1) / torch.maximum(torch.linalg.vector_norm(x, dim=1) * torch.linalg.vector_norm(y, dim=1),
                                                 torch.tensor(1e-8)),
     ROWS[:4], [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0]])

# Norms and softmax of rows, of which the sum of all results is constant: with weights.
WEIGHTS = np.array([1.0, -2.0, 0.5])


def weighted(name, build, function, rows):
    case(name, lambda g, x: g.op("Mul", build(g, x), WEIGHTS), lambda x: function(x) * torch.tensor(WEIGHTS, dtype=x.dtype),
         rows)


def standardized(x):
    return (x - x.mean(1, keepdim=True)) / (x.std(1, correction=0, keepdim=True) + 1e-9)


weighted("Softmax", lambda g, x: g.op("Softmax", x, axis=1), lambda x: F.softmax(x, 1), ROWS + ENDS[1:2])
weighted("LayerNormalization", lambda g, x: g.op("LayerNormalization", x, np.ones(3), axis=1, epsilon=1e-5),
         lambda x: F.layer_norm(x, (3,)), DEVIATIONS)
weighted("InstanceNormalization",
         lambda g, x: g.op("Reshape", g.op("InstanceNormalization", g.op("Reshape", x, [5, 1, 3]), np.ones(1), np.zeros(1),
                                           epsilon=1e-5), [5, 3]),
         lambda x: F.instance_norm(x[:, None])[:, 0], DEVIATIONS)
weighted("MeanVarianceNormalization", lambda g, x: g.op("MeanVarianceNormalization", x, axes=[1]), standardized,
         DEVIATIONS[1:2] + DEVIATIONS[3:4])
case("GlobalLpPool", lambda g, x: g.op("GlobalLpPool", x, p=2), lambda x: torch.linalg.vector_norm(x, dim=2, keepdim=True),
     [DEVIATIONS])


def number(x):
    with np.errstate(over="ignore"):
        x = float(str(np.float32(x)))
    return x if math.isfinite(x) else "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"


def numbers(tensor):
    return [number(x) for x in tensor.detach().flatten().tolist()]


def differ(a, b):
    """Whether float32's results are more than its roundings away."""
    a, b = np.float64([float(x) for x in a]), np.float64([float(x) for x in b])
    with np.errstate(all="ignore"):
        far = ~(np.abs(a - b) <= 1e-4 * np.abs(a)) & ~(a == b) & ~(np.isnan(a) & np.isnan(b))
    return far.any()


def evaluate(function, inputs, dtype):
    leaves = [torch.tensor(np.float32(x), dtype=dtype, requires_grad=True) for x in inputs]
    value = function(*leaves)
    gradients = torch.autograd.grad(value.sum(), leaves, allow_unused=True)
    return numbers(value), [numbers(torch.zeros_like(x) if g is None else g) for x, g in zip(leaves, gradients)]


def main():
    nodes, inputs, outputs, records = [], [], [], []
    for name, build, function, arrays in CASES:
        graph = Graph(name, nodes)
        names = [f"{name}.{'xy'[i]}" for i in range(len(arrays))]
        for operand, array in zip(names, arrays):
            inputs.append(helper.make_tensor_value_info(operand, TensorProto.FLOAT, np.shape(array)))
        outputs.append(helper.make_empty_tensor_value_info(build(graph, *names)))
        value, gradients = evaluate(function, arrays, torch.float64)
        record = {"name": name, "inputs": [[number(x) for x in np.float32(a).flatten()] for a in arrays], "value": value,
                  "gradients": gradients}
        value32, gradients32 = evaluate(function, arrays, torch.float32)
        if differ(value, value32):
            record["value32"] = value32
        if any(differ(a, b) for a, b in zip(gradients, gradients32)):
            record["gradients32"] = gradients32
        records.append(record)
    for output in outputs:
        output.type.tensor_type.elem_type = TensorProto.FLOAT
    graph = helper.make_graph(nodes, "special_points", inputs, outputs)
    opsets = [helper.make_opsetid("", 22)]
    model = onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=opsets, ir_version=10), strict_mode=True)
    onnx.checker.check_model(model)
    onnx.save(model, sys.argv[1])
    with open(sys.argv[2], "w") as file:
        file.write("{\"torch\": " + json.dumps(torch.__version__.split("+")[0]) + ", \"cases\": [\n")
        file.write(",\n".join(json.dumps(record) for record in records) + "\n]}\n")


main()
