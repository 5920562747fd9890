# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small ONNX models made on the spot: whole networks, and one model per op and variant.

`models()` maps names to `Model`s. Weights are random from a fixed seed, so a model is the same on every machine.
"""

import dataclasses
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


@dataclasses.dataclass
class Model:
    proto: onnx.ModelProto
    # Flags of soap-translate.
    flags: list = dataclasses.field(default_factory=list)
    # Data inputs are drawn from this range.
    low: float = -2.0
    high: float = 2.0
    # The model with the same results, where import means something else than the file says.
    reference: onnx.ModelProto = None


class Builder:
    """A graph under construction; every method returns the name of a value."""

    def __init__(self, name, opset=17, seed=0):
        self.name, self.opset = name, opset
        self.random = np.random.default_rng(seed)
        self.nodes, self.inputs, self.outputs, self.initializers = [], [], [], []
        self.count = 0

    def fresh(self, prefix):
        self.count += 1
        return "%s_%d" % (prefix, self.count)

    def data(self, shape, name="x"):
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def integers(self, shape, name="x"):
        """Indices of a table."""
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.INT64, shape))
        return name

    def parameter_input(self, shape, name):
        """A weight without values: a graph input."""
        return self.data(shape, name)

    def tensor(self, array, name=None):
        name = name or self.fresh("w")
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *shape, name=None):
        fan = int(np.prod(shape[1:])) if len(shape) > 1 else 10
        return self.tensor((self.random.standard_normal(shape) * np.sqrt(2 / fan)).astype(np.float32), name)

    def ints(self, *values, name=None):
        return self.tensor(np.array(values, np.int64), name)

    def scalar(self, value, dtype=np.float32):
        return self.tensor(np.array(value, dtype))

    def op(self, kind, *inputs, outputs=1, name=None, **attributes):
        names = [self.fresh(kind.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=name if name is not None else names[0] + "_node",
                                           **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, array):
        return self.op("Constant", value=numpy_helper.from_array(np.asarray(array), ""))

    def result(self, name, kind=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, kind, None))
        return self

    def model(self, flags=(), low=-2.0, high=2.0):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.initializers)
        proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        proto.ir_version = 8
        return Model(proto, list(flags), low, high)

    # Layers.

    def conv(self, x, channels, out, kernel, bias=True, groups=1, **attributes):
        inputs = [x, self.weight(out, channels // groups, kernel, kernel)] + ([self.weight(out)] if bias else [])
        return self.op("Conv", *inputs, group=groups, **attributes)

    def conv_relu(self, x, channels, out, kernel, **attributes):
        return self.op("Relu", self.conv(x, channels, out, kernel, **attributes))

    def linear(self, x, width, out):
        return self.op("Gemm", x, self.weight(out, width), self.weight(out), transB=1)

    def pool(self, x, kernel=2, stride=2, kind="MaxPool", **attributes):
        return self.op(kind, x, kernel_shape=[kernel] * 2, strides=[stride] * 2, **attributes)

    def norm(self, x, channels):
        positive = lambda: self.tensor(self.random.uniform(0.5, 1.5, channels).astype(np.float32))
        return self.op("BatchNormalization", x, positive(), self.weight(channels), self.weight(channels), positive())


# Networks.


def lenet():
    b = Builder("lenet")
    x = b.data([4, 1, 28, 28])
    x = b.pool(b.conv_relu(x, 1, 6, 5, pads=[2] * 4))
    x = b.pool(b.conv_relu(x, 6, 16, 5))
    x = b.op("Flatten", x, axis=1)
    x = b.op("Relu", b.linear(x, 400, 120))
    x = b.op("Relu", b.linear(x, 120, 84))
    return b.result(b.linear(x, 84, 10)).model()


def lenet_weights_as_inputs():
    b = Builder("lenet_weights_as_inputs", opset=18)
    x = b.data([4, 1, 28, 28])
    w0, w1, w2 = b.parameter_input([6, 1, 5, 5], "c0.weight"), b.parameter_input([16, 6, 5, 5], "c1.weight"), b.parameter_input(
        [10, 400], "onnx::fc.weight")
    x = b.op("Relu", b.op("Conv", x, w0, b.weight(6), pads=[2] * 4))
    x = b.pool(x)
    x = b.pool(b.op("Relu", b.op("Conv", x, w1, b.weight(16))))
    x = b.op("Reshape", x, b.ints(4, 400), allowzero=1)
    return b.result(b.op("Gemm", x, w2, b.weight(10), transB=1)).model()


def residual():
    b = Builder("residual")
    x = b.data([2, 8, 12, 12])
    y = b.op("Relu", b.norm(b.conv(x, 8, 16, 3, pads=[1] * 4, strides=[2, 2], bias=False), 16))
    y = b.norm(b.conv(y, 16, 16, 3, pads=[1] * 4, bias=False), 16)
    short = b.norm(b.conv(x, 8, 16, 1, strides=[2, 2], bias=False), 16)
    y = b.op("Relu", b.op("Add", y, short))
    y = b.op("Flatten", b.op("GlobalAveragePool", y))
    return b.result(b.linear(y, 16, 5)).model()


def inception():
    b = Builder("inception")
    x = b.data([2, 8, 11, 11])
    left = b.conv_relu(x, 8, 4, 1)
    middle = b.conv_relu(b.conv_relu(x, 8, 6, 1), 6, 6, 3, pads=[1] * 4)
    wide = b.conv_relu(b.conv_relu(x, 8, 3, 1), 3, 5, 5, pads=[2] * 4)
    pooled = b.conv_relu(b.pool(x, 3, 1, "AveragePool", pads=[1] * 4), 8, 3, 1)
    y = b.op("Concat", left, middle, wide, pooled, axis=1)
    y = b.pool(y, 3, 2, ceil_mode=1)
    y = b.op("ReduceMean", y, axes=[2, 3], keepdims=0)
    return b.result(b.linear(y, 18, 6)).model()


def alexnet():
    b = Builder("alexnet_small", opset=13)
    x = b.data([2, 3, 63, 63])
    x = b.pool(b.conv_relu(x, 3, 8, 11, strides=[4, 4], pads=[2] * 4), 3)
    x = b.conv_relu(x, 8, 12, 5, pads=[2] * 4, groups=2)
    x = b.pool(b.conv_relu(x, 12, 10, 3, pads=[1] * 4), 3)
    x = b.op("Flatten", b.pool(x, 1, 1, "AveragePool"))
    x = b.op("Relu", b.linear(b.op("Dropout", x), 90, 20))
    return b.result(b.linear(b.op("Dropout", x), 20, 10)).model()


def vgg(*flags):
    b = Builder("vgg_small", opset=11)
    x = b.data([2, 3, 16, 16])
    channels = 3
    for width, depth in [(4, 1), (6, 2), (8, 2)]:
        for _ in range(depth):
            x = b.conv_relu(x, channels, width, 3, pads=[1] * 4)
            channels = width
        x = b.pool(x)
    batch = b.op("Gather", b.op("Shape", x), b.tensor(np.array(0, np.int64)), axis=0)
    shape = b.op("Concat", b.op("Unsqueeze", batch, axes=[0]), b.ints(-1), axis=0)
    x = b.op("Reshape", x, shape)
    shared = b.weight(12)
    x = b.op("Relu", b.op("Gemm", x, b.weight(12, 32), shared, transB=1))
    x = b.op("Relu", b.op("Gemm", x, b.weight(12, 12), b.op("Identity", shared), transB=1))
    return b.result(b.linear(x, 12, 10)).model(flags)


# One op each.


def unary(kind, opset=17, low=-2.0, high=2.0, shape=(3, 4, 5), **attributes):
    b = Builder(kind.lower(), opset)
    return b.result(b.op(kind, b.data(list(shape)), **attributes)).model(low=low, high=high)


def binary(kind, left, right, right_kind="data", opset=17, low=0.5):
    b = Builder(kind.lower(), opset)
    x = b.data(left)
    if right_kind == "data":
        y = b.data(right, "y")
    else:
        values = b.random.uniform(0.5, 2, right).astype(np.float32)
        y = b.tensor(values) if right_kind == "initializer" else b.constant(values)
    inputs = [y, x] if right_kind == "first" else [x, y]
    return b.result(b.op(kind, *inputs)).model(["--data-inputs=x,y"] if right_kind == "data" else [], low=low)


def window(kind, size=(9, 10), channels=4, out=6, opset=17, **attributes):
    b = Builder(kind.lower(), opset)
    x = b.data([2, channels, *size])
    if kind == "Conv":
        kernel = attributes.pop("kernel_shape", [3, 3])
        weight = b.weight(out, channels // attributes.get("group", 1), *kernel)
        return b.result(b.op("Conv", x, weight, b.weight(out), **attributes)).model()
    return b.result(b.op(kind, x, **attributes)).model()


def gemm(transA=0, transB=0, bias=(5,), opset=17, **attributes):
    b = Builder("gemm", opset)
    x = b.data([4, 3] if not transA else [3, 4])
    w = b.weight(*((5, 3) if transB else (3, 5)))
    inputs = [x, w] + ([b.weight(*bias) if bias else b.scalar(0.75)] if bias is not None else [])
    return b.result(b.op("Gemm", *inputs, transA=transA, transB=transB, **attributes)).model()


def matmul(left, right, weight=False):
    b = Builder("matmul")
    x = b.data(left)
    y = b.weight(*right) if weight else b.data(right, "y")
    return b.result(b.op("MatMul", x, y)).model([] if weight else ["--data-inputs=x,y"])


def reduce(kind, axes, keepdims=1, opset=17, as_input=None, **attributes):
    b = Builder(kind.lower(), opset)
    x = b.data([2, 3, 4, 5])
    if kind == "ReduceLogSum":
        x = b.op("Abs", x)
    if kind == "ReduceLogSumExp":  # the exponential of which overflows
        x = b.op("Mul", x, b.scalar(np.float32(60)))
    as_input = opset >= (13 if kind == "ReduceSum" else 18) if as_input is None else as_input
    if as_input:
        return b.result(b.op(kind, x, *([b.ints(*axes)] if axes is not None else []), keepdims=keepdims, **attributes)).model()
    more = {} if axes is None else {"axes": axes}
    return b.result(b.op(kind, x, keepdims=keepdims, **more, **attributes)).model()


def single(kind, shape, *inputs, opset=17, outputs=1, take=0, **attributes):
    """An op whose other operands are integer lists, or arrays; None leaves one out."""
    b = Builder(kind.lower(), opset)
    others = []
    for value in inputs:
        others.append("" if value is None else b.ints(*value) if isinstance(value, (list, tuple)) else b.tensor(value))
    result = b.op(kind, b.data(list(shape)), *others, outputs=outputs, **attributes)
    for name in (result if outputs > 1 else [result]):
        b.result(name)
    return b.model()


def shape_arithmetic():
    """view(x.size(0), -1) and expand as older exporters write them."""
    b = Builder("shape_arithmetic", opset=13)
    x = b.data([3, 2, 4])
    sizes = b.op("Cast", b.op("Shape", x), to=TensorProto.INT64)
    first = b.op("Gather", sizes, b.ints(0), axis=0)
    rest = b.op("Slice", sizes, b.ints(1), b.ints(2**63 - 1), b.ints(0))
    product = b.op("Mul", b.op("Gather", rest, b.ints(0), axis=0), b.op("Gather", rest, b.ints(1), axis=0))
    flat = b.op("Reshape", x, b.op("Concat", first, b.op("Div", product, b.ints(1)), axis=0))
    ones = b.op("ConstantOfShape", b.op("Concat", b.ints(3), b.op("Sub", product, b.ints(7)), axis=0),
                value=helper.make_tensor("v", TensorProto.FLOAT, [1], [2.5]))
    wide = b.op("Expand", b.op("Squeeze", ones, b.ints(1)), b.ints(3))
    wide = b.op("Unsqueeze", b.op("Add", wide, wide), b.ints(1))
    return b.result(b.op("Mul", flat, wide)).model()


def range_gather():
    """Indices known at import select from a constant."""
    b = Builder("range_gather", opset=13)
    x = b.data([2, 4])
    table = b.constant(np.arange(12, dtype=np.float32).reshape(3, 4))
    indices = b.op("Range", b.scalar(2, np.int64), b.scalar(-1, np.int64), b.scalar(-2, np.int64))
    rows = b.op("Gather", table, indices, axis=0)
    rows = b.op("Transpose", b.op("Transpose", rows))
    return b.result(b.op("Add", x, rows)).model()


def final_softmax(kind):
    """Import with --drop-final-softmax means the model without it."""
    b = Builder("final_softmax")
    x = b.linear(b.data([4, 6]), 6, 5)
    reference = b.result(x).model().proto
    b.outputs.clear()
    result = b.result(b.op(kind, x, axis=-1)).model(["--drop-final-softmax"])
    result.reference = reference
    return result


def ops():
    result = {}
    for kind in ["Relu", "Neg", "Abs", "Exp", "Tanh", "Sigmoid", "HardSwish"]:
        result[kind.lower()] = unary(kind)
    for kind in ["Log", "Sqrt", "Reciprocal"]:
        result[kind.lower()] = unary(kind, low=0.25)
    result["relu_opset7"] = unary("Relu", 7)
    result["relu_opset21"] = unary("Relu", 21)
    result["leakyrelu"] = unary("LeakyRelu", alpha=0.1)
    result["hardsigmoid"] = unary("HardSigmoid", alpha=0.3, beta=0.4)
    for exponent in [-1.0, 0.5, 1.0, 2.0, 3.0]:
        b = Builder("pow")
        result["pow_%g" % exponent] = b.result(b.op("Pow", b.op("Relu", b.data([3, 4])), b.scalar(exponent))).model(low=0.25)
    for low, high in [(0.0, 1.0), (-1.0, None), (None, 0.5), (0.0, None)]:
        b = Builder("clip")
        bounds = ["" if value is None else b.scalar(value) for value in (low, high)]
        result["clip_%s_%s" % (low, high)] = b.result(b.op("Clip", b.data([3, 4]), *bounds)).model()
    result["clip_opset7"] = unary("Clip", 7, min=-0.5, max=0.75)
    for kind in ["Add", "Sub", "Mul", "Div"]:
        name = kind.lower()
        result[name + "_same"] = binary(kind, [3, 4], [3, 4])
        result[name + "_broadcast"] = binary(kind, [3, 1, 5], [4, 1])
        result[name + "_vector"] = binary(kind, [3, 4], [4], "initializer")
        result[name + "_channels"] = binary(kind, [2, 3, 4, 4], [3, 1, 1], "initializer")
        result[name + "_scalar"] = binary(kind, [3, 4], [], "initializer")
        result[name + "_constant"] = binary(kind, [3, 4], [1], "constant")
        result[name + "_constant_matrix"] = binary(kind, [2, 3, 4], [3, 4], "constant")
    for kind in ["Sum", "Mean", "Max", "Min"]:
        b = Builder(kind.lower())
        result[kind.lower() + "_nary"] = b.result(
            b.op(kind, b.data([2, 3]), b.data([3], "y"), b.data([2, 1], "z"))).model(["--data-inputs=x,y,z"])

    conv = lambda **a: window("Conv", **a)
    result["conv_stride"] = conv(strides=[2, 3])
    result["conv_pads"] = conv(pads=[0, 1, 2, 3])
    result["conv_dilations"] = conv(dilations=[2, 3], pads=[1, 2, 3, 1])
    result["conv_groups"] = conv(group=2, strides=[1, 2])
    result["conv_depthwise"] = conv(group=4, out=8, pads=[1] * 4)
    result["conv_kernel_1x5"] = conv(kernel_shape=[1, 5], pads=[0, 2, 0, 2])
    result["conv_same_upper"] = conv(auto_pad="SAME_UPPER", strides=[2, 3])
    result["conv_same_lower"] = conv(auto_pad="SAME_LOWER", strides=[2, 2], dilations=[1, 1])
    result["conv_valid"] = conv(auto_pad="VALID", strides=[2, 2])
    result["conv_opset7"] = conv(opset=7)
    for kind in ["MaxPool", "AveragePool"]:
        pool = lambda **a: window(kind, kernel_shape=[3, 2], **a)
        name = kind.lower()
        result[name] = pool()
        result[name + "_opset7"] = pool(opset=7, strides=[2, 2])
        result[name + "_pads"] = pool(strides=[2, 2], pads=[1, 0, 2, 1])
        result[name + "_ceil"] = pool(strides=[2, 3], ceil_mode=1)
        result[name + "_ceil_pads"] = pool(strides=[2, 3], ceil_mode=1, pads=[1, 1, 1, 1])
        result[name + "_ceil_drop"] = window(kind, size=(5, 5), kernel_shape=[2, 2], strides=[3, 3], pads=[0, 0, 1, 1], ceil_mode=1)
        result[name + "_same_upper"] = pool(auto_pad="SAME_UPPER", strides=[2, 2])
        result[name + "_same_lower"] = pool(auto_pad="SAME_LOWER", strides=[2, 2])
    result["maxpool_dilations"] = window("MaxPool", kernel_shape=[3, 2], dilations=[2, 3], pads=[1, 1, 1, 1])
    result["averagepool_include_pad"] = window("AveragePool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1],
                                               count_include_pad=1)
    result["averagepool_include_pad_ceil"] = window("AveragePool", opset=19, kernel_shape=[3, 3], strides=[2, 2],
                                                    pads=[1, 1, 0, 0], count_include_pad=1, ceil_mode=1, size=(8, 10))
    result["averagepool_dilations"] = window("AveragePool", opset=19, kernel_shape=[3, 2], dilations=[2, 2], pads=[1, 1, 1, 1])
    result["globalaveragepool"] = unary("GlobalAveragePool", shape=(2, 3, 4, 5))
    result["globalaveragepool_1d"] = unary("GlobalAveragePool", shape=(2, 3, 7))
    result["globalmaxpool"] = unary("GlobalMaxPool", shape=(2, 3, 4, 5))

    result["gemm"] = gemm()
    result["gemm_transposed"] = gemm(1, 1, alpha=0.5, beta=2.0)
    result["gemm_no_bias"] = gemm(0, 1, None)
    result["gemm_row_bias"] = gemm(0, 1, (1, 5), beta=0.5)
    result["gemm_column_bias"] = gemm(0, 1, (4, 1))
    result["gemm_scalar_bias"] = gemm(0, 1, ())
    result["gemm_beta_zero"] = gemm(0, 1, beta=0.0)
    result["matmul_weight"] = matmul([3, 4], [4, 5], True)
    result["matmul_shared"] = matmul([2, 3, 4], [4, 5], True)
    result["matmul_batched"] = matmul([2, 3, 4], [2, 4, 5])
    result["matmul_broadcast"] = matmul([2, 1, 3, 4], [3, 4, 5])
    result["matmul_left_2d"] = matmul([3, 4], [2, 4, 5])
    result["matmul_vector_right"] = matmul([2, 3, 4], [4], True)
    result["matmul_vector_left"] = matmul([4], [2, 4, 5])
    result["matmul_dot"] = matmul([4], [4])
    for rank in [2, 3, 4]:
        b = Builder("batchnormalization")
        result["batchnormalization_%dd" % rank] = b.result(b.norm(b.data([2, 3, 4, 5][:rank]), 3)).model()
    b = Builder("batchnormalization", opset=7)
    result["batchnormalization_opset7"] = b.result(b.norm(b.data([2, 3, 4, 5]), 3)).model()

    for kind in ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
                 "ReduceSumSquare"]:
        name = kind.lower()
        result[name + "_keep"] = reduce(kind, [2, 3])
        result[name + "_drop"] = reduce(kind, [-1, 1], 0)
        result[name + "_opset18"] = reduce(kind, [1], opset=18)
        result[name + "_opset11"] = reduce(kind, [-2], 0, opset=11)
    result["reducel1_scalar"] = single("ReduceL1", [])
    result["reducel2_all"] = reduce("ReduceL2", None, 1)
    result["reducemean_all"] = reduce("ReduceMean", None, 1)
    result["reducesum_all_drop"] = reduce("ReduceSum", None, 0)
    b = Builder("noop", 18)
    result["reducesum_noop"] = b.result(b.op("Relu", b.op("ReduceSum", b.data([2, 3]), noop_with_empty_axes=1))).model()

    result["reshape"] = single("Reshape", [2, 3, 4], [0, -1])
    result["reshape_allowzero"] = single("Reshape", [2, 3, 4], [4, 6], allowzero=1)
    result["flatten_2"] = single("Flatten", [2, 3, 4, 5], axis=2)
    result["flatten_0"] = single("Flatten", [2, 3, 4], axis=0)
    result["flatten_negative"] = single("Flatten", [2, 3, 4], axis=-1)
    result["squeeze"] = single("Squeeze", [2, 1, 3, 1], [1])
    result["squeeze_all"] = single("Squeeze", [2, 1, 3, 1])
    result["squeeze_opset11"] = single("Squeeze", [2, 1, 3, 1], opset=11, axes=[-1])
    result["unsqueeze"] = single("Unsqueeze", [2, 3], [-1, 1])
    result["unsqueeze_opset11"] = single("Unsqueeze", [2, 3], opset=11, axes=[0, 3])
    result["transpose"] = single("Transpose", [2, 3, 4], perm=[1, 2, 0])
    result["transpose_default"] = single("Transpose", [2, 3, 4])
    b = Builder("concat")
    result["concat"] = b.result(b.op("Concat", b.data([2, 3]), b.weight(2, 1), b.data([2, 2], "y"), axis=-1)).model(
        ["--data-inputs=x,y"])
    result["slice"] = single("Slice", [5, 6, 7], [1, -4], [4, 2**63 - 1], [0, 2], [1, 2])
    result["slice_opset7"] = single("Slice", [5, 6, 7], opset=7, starts=[1, 0], ends=[-1, 3], axes=[1, 2])
    result["split"] = single("Split", [2, 7], [3, 4], outputs=2, axis=1)
    result["split_equal"] = single("Split", [2, 6], opset=11, outputs=3, axis=-1)
    result["split_opset18"] = single("Split", [2, 7], opset=18, outputs=3, axis=1, num_outputs=3)
    result["pad"] = single("Pad", [2, 3, 4], [0, 1, 2, 0, 3, 1], np.array(1.5, np.float32))
    result["pad_axes"] = single("Pad", [2, 3, 4], [1, 2, 0, 1], None, [2, -2], opset=18)
    result["pad_crop"] = single("Pad", [4, 6], [-1, 0, 2, -3])
    result["pad_opset7"] = single("Pad", [2, 3], opset=7, pads=[0, 1, 1, 0], value=0.5)
    result["expand"] = single("Expand", [3, 1], [2, 1, 4])
    result["expand_opset8"] = single("Expand", [1, 3], [4, 1], opset=8)
    b = Builder("dropout", 11)
    result["dropout_opset11"] = b.result(b.op("Relu", b.op("Dropout", b.data([2, 3]), ratio=0.5))).model()
    b = Builder("cast")
    result["cast"] = b.result(b.op("Relu", b.op("Cast", b.data([2, 3]), to=TensorProto.FLOAT))).model()
    result["shape_arithmetic"] = shape_arithmetic()
    result["range_gather"] = range_gather()
    result.update(sequence_ops())
    result.update(composed_ops())
    result["final_softmax"] = final_softmax("Softmax")
    result["final_logsoftmax"] = final_softmax("LogSoftmax")
    return result


def sequence_ops():
    """Ops of language models, and how their exporters use them."""
    result = {}
    for kind in ["Erf", "Sign", "Elu", "Selu", "Softplus", "Softsign", "ThresholdedRelu"]:
        result[kind.lower()] = unary(kind)
    for form in ["none", "tanh"]:
        result["gelu_" + form] = unary("Gelu", 20, approximate=form)
    for axis in [0, 1, -1]:
        for kind in ["Softmax", "LogSoftmax"]:
            b = Builder("softmax")
            result["%s_%d" % (kind.lower(), axis)] = b.result(b.op("Relu", b.op(kind, b.data([3, 4, 5]), axis=axis))).model()
    b = Builder("softmax", 11)
    result["softmax_opset11"] = b.result(b.op("Relu", b.op("Softmax", b.data([3, 4, 5]), axis=1))).model()
    b = Builder("softmax")
    result["softmax_kept"] = b.result(b.op("Softmax", b.data([3, 4]), axis=-1)).model(["--keep-final-softmax"])
    for axis in [1, -1]:
        b = Builder("layer_norm")
        shape = [4, 5] if axis == 1 else [5]
        result["layer_norm_%d" % axis] = b.result(b.op("LayerNormalization", b.data([3, 4, 5]), b.weight(*shape), b.weight(*shape),
                                                       axis=axis, epsilon=1e-3)).model()
    for axis, name in [(0, "rows"), (1, "columns")]:
        b = Builder("gather_" + name)
        result["gather_" + name] = b.result(b.op("Gather", b.weight(7, 6), b.integers([2, 3]), axis=axis)).model()
    # Also negative indices, and fewer rows than the operand has.
    for axis, shape in [(0, [2, 5]), (1, [3, 4]), (-1, [2, 1])]:
        b = Builder("gatherelements")
        indices = np.random.default_rng(4).integers(-3, 3, shape)
        result["gatherelements_constant%d" % axis] = b.result(b.op("GatherElements", b.data([3, 5]), b.tensor(indices), axis=axis)).model()
        b = Builder("gatherelements")
        result["gatherelements%d" % axis] = b.result(b.op("GatherElements", b.data([3, 5]), b.integers(shape, "i"), axis=axis)).model()
    b = Builder("gather_one")
    result["gather_one"] = b.result(b.op("Relu", b.op("Gather", b.data([3, 4, 5]), b.scalar(-2, np.int64), axis=1))).model()
    b = Builder("gather_some")
    result["gather_some"] = b.result(b.op("Gather", b.data([3, 4, 5]), b.tensor(np.array([[1, -1], [0, 2]])), axis=1)).model()
    for kind in ["Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"]:
        b = Builder("where")
        x = b.op("Relu", b.data([3, 4]))
        result["where_" + kind.lower()] = b.result(b.op("Where", b.op(kind, x, b.scalar(np.float32(0))), x, b.weight(4))).model()
    b = Builder("logic")
    x = b.data([3, 4])
    above, below = b.op("Greater", x, b.scalar(np.float32(-1))), b.op("Less", x, b.scalar(np.float32(1)))
    both = b.op("Or", b.op("And", above, below), b.op("Not", b.op("Xor", above, below)))
    result["logic"] = b.result(b.op("Where", both, x, b.op("Neg", x))).model()
    for upper, diagonal in [(0, 0), (1, 1), (0, -1)]:
        b = Builder("trilu")
        result["trilu_%d_%d" % (upper, diagonal)] = b.result(b.op("Trilu", b.data([2, 4, 5]), b.scalar(diagonal, np.int64),
                                                                  upper=upper)).model()
    for equation in ["tbh,sbh->bts", "bts,sbh->tbh", "ij,jk->ik", "bij,bjk->bik", "i,j->ij", "ij,ij->i", "bhqd,bhkd->bhqk"]:
        extents = dict(zip("bdhijkqst", [2, 3, 4, 5, 6, 7, 3, 5, 4]))
        b = Builder("einsum")
        left, right = ([extents[c] for c in letters] for letters in equation.split("->")[0].split(","))
        result["einsum_" + equation] = b.result(b.op("Einsum", b.data(left), b.op("Relu", b.data(right, "z")), equation=equation)).model()
    b = Builder("einsum")
    result["einsum_transposed_sum"] = b.result(b.op("Einsum", b.data([2, 3, 4]), equation="ijk->ki")).model()
    result["pow_2.5"] = single("Pow", [3, 4], np.array(2.5, np.float32))
    result["pow_2.5"].low = 0.25
    for batch_first in [0, 1]:
        b = Builder("lstm")
        x = b.data([4, 3, 5] if batch_first else [3, 4, 5])
        state = [4, 1, 6] if batch_first else [1, 4, 6]
        y, h, c = b.op("LSTM", x, b.weight(1, 24, 5), b.weight(1, 24, 6), b.weight(1, 48), "", b.weight(*state), b.weight(*state),
                       outputs=3, hidden_size=6, layout=batch_first)
        model = b.result(y).model() if batch_first else b.result(b.op("Add", b.op("Squeeze", y, b.ints(1)), b.op("Mul", h, c))).model()
        if not batch_first:  # ONNX Runtime has no batch-first LSTM
            result["lstm"] = model
    b = Builder("lstm")
    y = b.op("LSTM", b.data([3, 4, 5]), b.weight(1, 8, 5), b.weight(1, 8, 2), hidden_size=2)
    result["lstm_plain"] = b.result(b.op("Relu", y)).model()
    for direction, d in [("reverse", 1), ("bidirectional", 2)]:
        b = Builder("lstm")
        y, h, c = b.op("LSTM", b.data([3, 4, 5]), b.weight(d, 24, 5), b.weight(d, 24, 6), b.weight(d, 48), b.tensor(np.full(4, 3, np.int32)),
                       b.weight(d, 4, 6), b.weight(d, 4, 6), outputs=3, hidden_size=6, direction=direction)
        # All three results: [3, d, 4, 6] and [d, 4, 6].
        result["lstm_" + direction] = b.result(b.op("Add", y, b.op("Mul", h, c))).model()
    b = Builder("gelu")
    x = b.op("Relu", b.data([3, 4]))
    curve = b.op("Add", b.op("Erf", b.op("Div", x, b.scalar(np.float32(2 ** 0.5)))), b.scalar(np.float32(1)))
    result["gelu_pieces"] = b.result(b.op("Mul", b.op("Mul", x, curve), b.scalar(np.float32(0.5)))).model()
    result["attention"] = attention()
    b = Builder("dropout", 13)
    result["dropout_opset13"] = b.result(b.op("Relu", b.op("Dropout", b.data([2, 3]), b.scalar(np.float32(0.25))))).model()
    return result


def composed_ops():
    """Ops that import composes of others, and how today's exporters use them."""
    result = {}

    def add(name, build, flags=(), opset=18, types=(), **more):
        b = Builder(name, opset)
        outputs = build(b)
        for i, output in enumerate(outputs if isinstance(outputs, (list, tuple)) else [outputs]):
            b.result(output, types[i] if types else TensorProto.FLOAT)
        result[name] = b.model(flags, **more)

    float32 = lambda *values: np.array(values, np.float32)
    # Convolutions and pools of one and three dims, transposed ones.
    add("conv1d", lambda b: b.op("Conv", b.data([2, 4, 11]), b.weight(6, 2, 3), b.weight(6), group=2, strides=[2], dilations=[2], pads=[1, 2]))
    add("conv3d", lambda b: b.op("Conv", b.data([2, 4, 5, 6, 7]), b.weight(6, 2, 3, 2, 3), b.weight(6), group=2, strides=[2, 1, 2],
                                 dilations=[1, 2, 1], pads=[1, 0, 2, 1, 1, 0]))
    for name, shape, weight, attributes in [
            ("", [2, 4, 5, 6], (4, 3, 3, 2), {}), ("_strides", [2, 4, 5, 6], (4, 3, 3, 2), {"strides": [2, 3], "pads": [1, 0, 0, 1]}),
            ("_groups", [2, 4, 5, 6], (4, 3, 3, 3), {"group": 2, "dilations": [2, 1], "output_padding": [1, 1], "strides": [2, 2]}),
            ("_crop", [1, 2, 4, 4], (2, 3, 2, 2), {"pads": [1, 1, 1, 1]}),
            ("_same", [2, 4, 5, 6], (4, 3, 3, 3), {"strides": [2, 2], "auto_pad": "SAME_UPPER"}),
            ("_1d", [2, 4, 7], (4, 3, 4), {"strides": [2], "pads": [1, 1]}),
            ("_3d", [1, 2, 3, 4, 3], (2, 3, 2, 3, 2), {"strides": [2, 1, 2]})]:
        add("conv_transpose" + name, lambda b: b.op("ConvTranspose", b.data(shape), b.weight(*weight), **attributes))
    for kind in ["MaxPool", "AveragePool"]:
        add(kind.lower() + "_1d", lambda b: b.op(kind, b.data([2, 3, 11]), kernel_shape=[3], strides=[2], pads=[1, 1], ceil_mode=1))
        add(kind.lower() + "_3d", lambda b: b.op(kind, b.data([2, 3, 5, 6, 7]), kernel_shape=[2, 3, 2], strides=[2, 2, 1], pads=[1, 1, 0, 0, 1, 1]))
    add("averagepool_3d_padded", lambda b: b.op("AveragePool", b.data([2, 3, 5, 6, 7]), kernel_shape=[2, 3, 2], pads=[1, 1, 0, 0, 1, 1],
                                                count_include_pad=1))
    add("lppool", lambda b: b.op("LpPool", b.data([2, 3, 6, 7]), kernel_shape=[3, 2], pads=[1, 0, 1, 1], p=2))
    # Resizing: ONNX Runtime computes places in float32, as import does.
    for mode, scales in [("linear", [1, 1, 2, 1.5]), ("linear", [1, 1, 0.6, 0.7]), ("cubic", [1, 1, 2, 0.8]), ("nearest", [1, 1, 2, 3]),
                         ("nearest", [1, 1, 0.7, 1.3])]:
        for coordinates in ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]:
            if coordinates == "align_corners" and scales[2] < 1 or mode == "cubic" and coordinates == "align_corners":
                continue
            add("resize_%s_%s_%s" % (mode, coordinates, scales[2]), lambda b: b.op(
                "Resize", b.data([1, 2, 5, 10]), "", b.tensor(float32(*scales)), mode=mode, coordinate_transformation_mode=coordinates))
    add("resize_sizes", lambda b: b.op("Resize", b.data([1, 2, 5, 6]), "", "", b.ints(1, 2, 8, 3), mode="linear"))
    add("resize_antialias", lambda b: b.op("Resize", b.data([1, 2, 8, 9]), "", "", b.ints(1, 2, 5, 4), mode="linear", antialias=1))
    add("upsample", lambda b: b.op("Upsample", b.data([1, 2, 5, 6]), b.tensor(float32(1, 1, 2, 2)), mode="linear"), opset=9)
    # Selections; rounded operands have equal elements.
    for largest in [0, 1]:
        add("topk_%d" % largest, lambda b: b.op("TopK", b.op("Round", b.data([3, 7, 2])), b.ints(4), axis=1, largest=largest, outputs=2),
            types=(TensorProto.FLOAT, TensorProto.INT64))
    for kind in ["ArgMax", "ArgMin"]:
        for last in [0, 1]:
            add("%s_%d" % (kind.lower(), last), lambda b: b.op(kind, b.op("Round", b.data([3, 7])), axis=1, select_last_index=last, keepdims=last),
                types=(TensorProto.INT64,))
    add("hardmax", lambda b: b.op("Hardmax", b.op("Round", b.data([3, 7])), axis=-1))
    for exclusive, reverse in [(0, 0), (1, 0), (0, 1), (1, 1)]:
        add("cumsum_%d_%d" % (exclusive, reverse), lambda b: b.op("CumSum", b.data([3, 5, 2]), b.scalar(1, np.int64), exclusive=exclusive,
                                                                  reverse=reverse))
    add("onehot", lambda b: b.op("OneHot", b.integers([3, 4], "i"), b.scalar(5, np.int64), b.tensor(float32(-1, 2)), axis=1))
    # Scatters and gathers, to places that are known and to computed ones.
    add("scatterelements_known", lambda b: b.op("ScatterElements", b.data([3, 5]), b.tensor(np.array([[1, -1], [0, 2]])), b.data([2, 2], "u"), axis=1))
    add("scatterelements_added", lambda b: b.op("ScatterElements", b.data([3, 5]), b.tensor(np.array([[1, 1], [0, 0]])), b.data([2, 2], "u"), axis=1,
                                                reduction="add"))
    add("scatterelements", lambda b: b.op("ScatterElements", b.data([3, 5]), b.integers([3, 1], "i"), b.data([3, 1], "u"), axis=1))
    for reduction in ["add", "max", "min"]:
        add("scatterelements_" + reduction, lambda b: b.op("ScatterElements", b.data([3, 5]), b.integers([2, 5], "i"), b.data([2, 5], "u"), axis=0,
                                                           reduction=reduction))
    add("scatternd_known", lambda b: b.op("ScatterND", b.data([4, 5, 2]), b.tensor(np.array([[1, 2], [-1, 0]])), b.data([2, 2], "u")))
    add("scatternd_add", lambda b: b.op("ScatterND", b.data([4, 5]), b.integers([3, 1], "i"), b.data([3, 5], "u"), reduction="add"))
    add("scatternd", lambda b: b.op("ScatterND", b.data([4, 5, 2]), b.integers([1, 2], "i"), b.data([1, 2], "u")))
    add("gathernd_known", lambda b: b.op("GatherND", b.data([4, 5, 2]), b.tensor(np.array([[1, 2], [-1, 0]]))))
    add("gathernd", lambda b: b.op("GatherND", b.data([4, 5, 2]), b.integers([3, 2], "i")))
    add("gathernd_batch", lambda b: b.op("GatherND", b.data([2, 5, 3]), b.integers([2, 1], "i"), batch_dims=1))
    # Rounding, halves among them, and integers.
    for kind in ["Floor", "Ceil", "Round"]:
        add(kind.lower(), lambda b: b.op(kind, b.op("Mul", b.op("Round", b.data([40], "x")), b.scalar(np.float32(0.5)))), low=-9, high=9)
    add("floor_large", lambda b: b.op("Floor", b.op("Mul", b.data([40]), b.scalar(np.float32(1e7)))), low=-9, high=9)
    for fmod in [0, 1]:
        add("mod_%d" % fmod, lambda b: b.op("Cast", b.op("Mod", b.op("Sub", b.op("Mul", b.integers([9], "i"), b.ints(7)), b.ints(*range(9))),
                                                         b.ints(3, -3, 4, -4, 5, -5, 3, 2, 7), fmod=fmod), to=TensorProto.FLOAT))
    add("integers", lambda b: b.op("Gather", b.weight(40, 3), b.op("Where", b.op("Greater", b.integers([2, 4], "i"), b.ints(0)), b.op(
        "Add", b.op("Mul", b.op("Slice", b.op("Concat", "i", "i", axis=1), b.ints(2), b.ints(6), b.ints(1)), b.ints(5)), b.ints(3)), b.op(
            "Div", b.op("Sub", "i", b.ints(19)), b.ints(2)))))
    add("isnan", lambda b: b.op("Where", b.op("IsNaN", b.op("Sqrt", b.data([12]))), b.data([12], "z"), b.op("Exp", "x")))
    # Norms.
    add("instance_norm", lambda b: b.op("InstanceNormalization", b.data([2, 4, 5, 3]), b.weight(4), b.weight(4)))
    add("group_norm", lambda b: b.op("GroupNormalization", b.data([2, 4, 5, 3]), b.weight(4), b.weight(4), num_groups=2), opset=21)
    add("lrn", lambda b: b.op("LRN", b.data([2, 7, 3, 3]), size=5, alpha=0.5))
    add("lp_normalization", lambda b: b.op("LpNormalization", b.data([3, 5]), axis=0, p=1))
    add("mean_variance", lambda b: b.op("MeanVarianceNormalization", b.data([2, 3, 4, 5])))
    # Recurrences.
    for direction, d in [("forward", 1), ("reverse", 1), ("bidirectional", 2)]:
        for after in [0, 1]:
            add("gru_%s_%d" % (direction, after), lambda b: b.op(
                "GRU", b.data([3, 4, 5]), b.weight(d, 18, 5), b.weight(d, 18, 6), b.weight(d, 36), "", b.weight(d, 4, 6), outputs=2, hidden_size=6,
                direction=direction, linear_before_reset=after))
        add("rnn_" + direction, lambda b: b.op("RNN", b.data([3, 4, 5]), b.weight(d, 6, 5), b.weight(d, 6, 6), b.weight(d, 12), outputs=2,
                                               hidden_size=6, direction=direction, activations=["Relu", "Tanh"][:d]))
    # Padding and slices.
    for mode in ["reflect", "edge", "wrap"]:
        add("pad_" + mode, lambda b: b.op("Pad", b.data([2, 4, 5]), b.ints(0, 2, 1, 1, 3, 0), mode=mode), opset=19)
    add("slice_backwards", lambda b: b.op("Slice", b.data([3, 6, 7]), b.ints(-1, 4), b.ints(-100, 0), b.ints(1, 2), b.ints(-1, -2)))
    # Losses: labels are 0 and 1.
    for reduction in ["mean", "sum", "none"]:
        add("cross_entropy_" + reduction, lambda b: b.op("SoftmaxCrossEntropyLoss", b.data([3, 4, 5]), b.integers([3, 5], "labels"), b.weight(4),
                                                         ignore_index=1, reduction=reduction))
    add("likelihood", lambda b: b.op("NegativeLogLikelihoodLoss", b.data([6, 4]), b.integers([6], "labels")))
    # Quantization.
    add("quantized", lambda b: b.op("DequantizeLinear", b.op("QuantizeLinear", b.data([4, 5]), b.scalar(np.float32(0.02)), b.scalar(3, np.uint8)),
                                    b.scalar(np.float32(0.02)), b.scalar(3, np.uint8)), low=-4, high=4)
    add("quantized_weight", lambda b: b.op("MatMul", b.data([4, 5]), b.op("DequantizeLinear", b.tensor(np.arange(-10, 10, dtype=np.int8).reshape(5, 4)),
                                                                         b.tensor(float32(0.1, 0.2, 0.3, 0.4)), axis=1)))
    # Rearrangements.
    add("tile", lambda b: b.op("Tile", b.data([2, 3, 4]), b.ints(2, 1, 3)))
    for mode in ["DCR", "CRD"]:
        add("depth_to_space_" + mode, lambda b: b.op("DepthToSpace", b.data([2, 8, 3, 2]), blocksize=2, mode=mode))
    add("space_to_depth", lambda b: b.op("SpaceToDepth", b.data([2, 3, 4, 6]), blocksize=2))
    add("reverse_sequence", lambda b: b.op("ReverseSequence", b.data([5, 3, 2]), b.ints(2, 5, 1), time_axis=0, batch_axis=1))
    add("reduce_prod", lambda b: b.op("ReduceProd", b.data([3, 5, 4]), b.ints(1), keepdims=0))
    for kind, low in [("Mish", -4), ("Tan", -1), ("Sinh", -2), ("Cosh", -2), ("Asinh", -3), ("Atanh", -0.9), ("Acosh", 1.1), ("Shrink", -2),
                      ("Asin", -0.9), ("Acos", -0.9), ("Atan", -3)]:
        add(kind.lower(), lambda b: b.op(kind, b.data([3, 4])), low=low, high=0.9 if low == -0.9 else 2)
    # Opset 23.
    for name, q, kv, more in [("", 4, 4, {}), ("_groups", 4, 2, {"is_causal": 1}), ("_cap", 4, 4, {"softcap": 2.0, "scale": 0.3})]:
        add("attention_op" + name, lambda b: b.op("Attention", b.data([2, 5, q * 8], "q"), b.data([2, 6, kv * 8], "k"), b.data([2, 6, kv * 8], "v"),
                                                  q_num_heads=q, kv_num_heads=kv, **more), opset=23)
    for interleaved in [0, 1]:
        add("rotary_%d" % interleaved, lambda b: b.op("RotaryEmbedding", b.data([2, 3, 5, 8]), b.weight(9, 4), b.weight(9, 4), b.integers([2, 5], "i"),
                                                      interleaved=interleaved), opset=23)
    # Branches and loops that are known.
    relu = lambda result: helper.make_graph([helper.make_node("Relu", ["x"], [result])], "branch", [], [
        helper.make_tensor_value_info(result, TensorProto.FLOAT, None)])
    other = helper.make_graph([helper.make_node("Neg", ["x"], ["n"])], "branch", [], [helper.make_tensor_value_info("n", TensorProto.FLOAT, None)])
    add("if", lambda b: b.op("If", b.op("Equal", b.op("Size", b.data([3, 4])), b.scalar(12, np.int64)), then_branch=relu("p"), else_branch=other))
    info = helper.make_tensor_value_info
    body = helper.make_graph([helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Mul", ["h", "half"], ["next"]),
                              helper.make_node("Add", ["next", "x"], ["row"])], "body",
                             [info("i", TensorProto.INT64, []), info("go", TensorProto.BOOL, []), info("h", TensorProto.FLOAT, [3])],
                             [info("on", TensorProto.BOOL, []), info("next", TensorProto.FLOAT, [3]), info("row", TensorProto.FLOAT, [3])])

    def loop(b):
        x = b.data([3])
        b.tensor(np.array(0.5, np.float32), "half")
        return b.op("Loop", b.scalar(4, np.int64), "", x, body=body, outputs=2)

    add("loop", loop)
    add("sequence", lambda b: b.op("ConcatFromSequence", b.op("SequenceInsert", b.op("SplitToSequence", b.data([4, 3]), b.ints(1, 3), axis=0), b.op(
        "Exp", "x"), b.scalar(-1, np.int64)), axis=0))
    return result


def attention():
    """A causal self-attention block as PyTorch writes it, embedding and shape arithmetic included. The mask is too
    large to be printed in place."""
    b = Builder("attention")
    ids = b.integers([2, 9])
    x = b.op("Gather", b.weight(11, 8), ids)
    x = b.op("LayerNormalization", b.op("Add", x, b.weight(9, 8)), b.weight(8), b.weight(8))
    qkv = b.op("Add", b.weight(24), b.op("MatMul", x, b.weight(8, 24)))
    parts = b.op("Transpose", b.op("Reshape", qkv, b.ints(2, 9, 3, 2, 4)), perm=[2, 0, 3, 1, 4])
    q, k, v = (b.op("Squeeze", part, b.ints(0)) for part in b.op("Split", parts, b.ints(1, 1, 1), outputs=3, axis=0))
    length = b.op("Slice", b.op("Shape", q), b.ints(-2), b.ints(-1))
    mask = b.op("Trilu", b.op("Expand", b.scalar(np.float32(1)), b.op("Concat", length, length, axis=0)), upper=0)
    mask = b.op("Where", b.op("Equal", mask, b.scalar(np.float32(0))), b.scalar(np.float32(-np.inf)), b.scalar(np.float32(0)))
    scale = b.op("Sqrt", b.op("Div", b.scalar(np.float32(1)), b.op("Sqrt", b.op("Cast", b.op(
        "Slice", b.op("Shape", q), b.ints(-1), b.ints(2**63 - 1)), to=TensorProto.FLOAT))))
    scores = b.op("MatMul", b.op("Mul", q, scale), b.op("Mul", b.op("Transpose", k, perm=[0, 1, 3, 2]), scale))
    p = b.op("Softmax", b.op("Add", scores, mask), axis=-1)
    y = b.op("Reshape", b.op("Transpose", b.op("MatMul", p, v), perm=[0, 2, 1, 3]), b.ints(2, 9, 8))
    return b.result(b.op("MatMul", y, b.weight(8, 8))).model()


def networks():
    return {"lenet": lenet(), "lenet_weights_as_inputs": lenet_weights_as_inputs(), "residual": residual(),
            "inception": inception(), "alexnet_small": alexnet(), "vgg_small": vgg(),
            "vgg_small_untied": vgg("--untie-weights")}


def recorded():
    """Small files of Inputs/models: patterns of today's exporters, each with an open batch."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")
    flags = {"gru": ["--sample-dim=1"]}
    return {"file_" + name[:-5]: Model(onnx.load(os.path.join(folder, name)),
                                       ["--batch=2", "--keep-final-softmax"] + flags.get(name[:-5], []))
            for name in sorted(os.listdir(folder))}


def models():
    return {**networks(), **recorded(), **ops()}
