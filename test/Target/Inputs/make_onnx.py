# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiny ONNX files for the lit tests: make_onnx.py NAME OUT. Encoded by hand, so that the tests need no package."""

import math
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "BadInput"))
from case import field, model, node, tensor, value_info  # noqa: E402


def floats(name, shape, *values):
    return tensor(name, shape, struct.pack("<%df" % len(values), *values))


def ints(name, *values):
    return tensor(name, [len(values)], struct.pack("<%dq" % len(values), *values), 7)


def waves(rows, width):
    """Sines and cosines, as position tables have them."""
    angles = [[row / 100 ** (2 * i / width) for i in range(width // 2)] for row in range(rows)]
    return [f(angle) for row in angles for f in (math.sin, math.cos) for angle in row]


def norm(x, scale, bias, mean, variance, result, name):
    return node("BatchNormalization", [x, scale, bias, mean, variance], [result], name)


def chain(*nodes, initializers, shape=(2, 8), result=None):
    return model(list(nodes), [value_info("x", list(shape))], [value_info("y", list(result or shape))], initializers)


def pytorch(content):
    """The file says that PyTorch wrote it."""
    return content + field(2, "pytorch")


EIGHT = [1, 2, 3, 4, 5, 6, 7, 9]
MODELS = {
    # The tensors of a vision transformer's file: weights, and constants that exporters fold.
    "roles": chain(
        node("MatMul", ["x", "onnx::MatMul_7"], ["a"], "fc"), node("Add", ["a", "net.bias"], ["b"], "fc_bias"),
        node("Mul", ["b", "val_3"], ["c"], "scale"), node("Mul", ["c", "cos"], ["d"], "rope"),
        node("Add", ["d", "limits"], ["e"], "mask"), node("Concat", ["cls", "e"], ["f"], "cat", axis=1),
        node("Add", ["f", "net.pos_embed"], ["g"], "positions"), node("Add", ["g", "pe"], ["h"], "waves"),
        node("Mul", ["h", "net.ls.gamma"], ["i"], "layer_scale"),
        node("LayerNormalization", ["i", "val_9", "val_10"], ["j"], "plain"),
        node("LayerNormalization", ["j", "net.norm.weight", "net.norm.bias"], ["y"], "norm"),
        shape=(2, 6, 8), result=(2, 7, 8),
        initializers=[
            floats("onnx::MatMul_7", [8, 8], *range(64)), floats("net.bias", [8], *EIGHT), floats("val_3", [1], 0.5),
            floats("cos", [6, 8], *range(48)), floats("limits", [6, 1], 0, 0, 0, -1e9, -1e9, -1e9), floats("cls", [2, 1, 8], *range(16)),
            floats("net.pos_embed", [1, 7, 8], *range(56)), floats("pe", [7, 8], *waves(7, 8)), floats("net.ls.gamma", [8], *[0.5] * 8),
            floats("val_9", [8], *[1] * 8), floats("val_10", [8], *[0] * 8), floats("net.norm.weight", [8], *[1] * 8),
            floats("net.norm.bias", [8], *[0] * 8)]),
    # Relative positions: sines that a weight multiplies before they meet data.
    "relative": chain(
        node("MatMul", ["net.pe", "net.pos.weight"], ["a"], "pos"), node("Transpose", ["a"], ["b"], "turn", perm=[1, 0]),
        node("MatMul", ["x", "b"], ["y"], "scores"), result=(2, 7),
        initializers=[floats("net.pe", [7, 8], *waves(7, 8)), floats("net.pos.weight", [8, 8], *range(64))]),
    # The mean of images and their deviation, and a bias after a convolution of them.
    "image": chain(
        node("Sub", ["x", "mu"], ["a"], "centre"), node("Div", ["a", "sigma"], ["b"], "scale"),
        node("Conv", ["b", "stem.w"], ["c"], "stem"),
        node("Add", ["c", "shift"], ["y"], "shift"), shape=(2, 3, 4, 4),
        initializers=[floats("mu", [1, 3, 1, 1], 1, 2, 3), floats("sigma", [1, 3, 1, 1], 4, 5, 7), floats("stem.w", [3, 3, 1, 1], *range(9)),
                      floats("shift", [3, 1, 1], 1, 2, 3)]),
    # A constant in the place of a weight, through an op that would be folded; and a Constant node there.
    "filters": chain(
        node("Transpose", ["blur"], ["t"], "turn", perm=[1, 0]), node("MatMul", ["x", "t"], ["a"], "fixed"),
        node("MatMul", ["a", "learned"], ["y"], "fc"),
        initializers=[floats("blur", [8, 8], *range(64)), floats("learned", [8, 8], *range(1, 65))]),
    "constant-node": chain(
        node("Constant", [], ["w"], "w") + field(5, field(1, "value") + field(5, floats("", [2, 2], 1, 2, 3, 5)) + field(20, 4)),
        node("MatMul", ["x", "w"], ["y"], "fc"), initializers=[], shape=(3, 2)),
    "constant-list": chain(
        node("Constant", [], ["b"], "b") +
        field(5, field(1, "value_floats") + b"".join(field(7, value) for value in (1.0, 2.0, 5.0)) + field(20, 6)),
        node("Conv", ["x", "net.w", "b"], ["y"], "conv"),
        shape=(1, 3, 2, 2), initializers=[floats("net.w", [3, 3, 1, 1], *range(9))]),
    # Scales and variances are ones, biases and means zeros: one tensor each, under two names or one.
    "merged-statistics": chain(
        node("Identity", ["n.weight"], ["n.running_var"]), node("Identity", ["n.bias"], ["n.running_mean"]),
        norm("x", "n.weight", "n.bias", "n.running_mean", "n.running_var", "a", "one"),
        norm("a", "g", "b", "b", "g", "y", "two"), shape=(2, 3),
        initializers=[floats("n.weight", [3], 1, 1, 1), floats("n.bias", [3], 0, 0, 0), floats("g", [3], 1, 1, 1),
                      floats("b", [3], 0, 0, 0)]),
    # A tensor that is not all the same in both roles.
    "scale-is-variance": chain(
        node("Identity", ["s"], ["v"]), norm("x", "s", "b", "m", "v", "y", "bn"), shape=(2, 3),
        initializers=[floats("s", [3], 1, 2, 3), floats("b", [3], 0, 1, 0), floats("m", [3], 1, 0, 0)]),
    # A graph input without values in both roles.
    "input-in-two-roles": model([norm("x", "w", "b", "b", "w", "y", "bn")],
                                [value_info("x", [2, 3]), value_info("w", [3]), value_info("b", [3])], [value_info("y", [2, 3])]),
    # An embedding and the product at the end, stored in two layouts; two layers of a stack that begin alike; biases of
    # zero.
    "equal-weights": model(
        [node("Gather", ["emb.weight", "x"], ["a"], "emb"), node("Identity", ["layers.0.weight"], ["layers.1.weight"]),
         node("Identity", ["layers.0.bias"], ["layers.1.bias"]), node("Identity", ["one.weight"], ["other.weight"]),
         node("Gemm", ["a", "layers.0.weight", "layers.0.bias"], ["b"], "fc0"),
         node("Gemm", ["b", "layers.1.weight", "layers.1.bias"], ["c"], "fc1"),
         node("MatMul", ["c", "one.weight"], ["d"], "one"), node("MatMul", ["d", "other.weight"], ["e"], "other"),
         node("MatMul", ["e", "onnx::MatMul_9"], ["y"], "head")],
        [value_info("x", [4], 7)], [value_info("y", [4, 3])],
        [floats("emb.weight", [3, 2], 1, 2, 3, 4, 5, 6), floats("onnx::MatMul_9", [2, 3], 1, 3, 5, 2, 4, 6),
         floats("layers.0.weight", [2, 2], 1, 2, 3, 5), floats("layers.0.bias", [2], 0, 0), floats("one.weight", [2, 2], 7, 2, 3, 5)]),
    # One initializer, no names of modules: two norms of a stripped file of the newer exporter.
    "merged-norms": chain(
        node("LayerNormalization", ["x", "n1.weight", "n1.bias"], ["a"], "node_layer_norm"),
        node("LayerNormalization", ["a", "n1.weight", "n1.bias"], ["b"], "node_layer_norm_1"),
        node("MatMul", ["b", "val_4"], ["c"], "node_linear"), node("MatMul", ["c", "val_4"], ["y"], "node_linear_1"),
        initializers=[floats("n1.weight", [8], *[1] * 8), floats("n1.bias", [8], *[0] * 8), floats("val_4", [8, 8], *range(64))]),
    # One weight, as it is and by parts.
    "in-parts": chain(
        node("Split", ["m.in_proj_weight"], ["q", "k"], "split", axis=1), node("MatMul", ["x", "q"], ["a"], "query"),
        node("MatMul", ["a", "k"], ["b"], "key"), node("MatMul", ["b", "m.in_proj_weight"], ["y"], "all"), result=(2, 16),
        initializers=[floats("m.in_proj_weight", [8, 16], *range(128))]),
    # Weights are inputs: the second one is used as a weight, so only the first is data.
    "weights-as-inputs": model(
        [node("Gemm", ["x", "onnx::w/1", "b"], ["y"], "/net/fc//Gemm", transB=1)],
        [value_info("x", [4, 3]), value_info("onnx::w/1", [5, 3]), value_info("b", [5])], [value_info("y", [4, 5])]),
    # Nothing is used as a weight: both are data.
    "two-inputs": model([node("Add", ["x", "z"], ["y"])], [value_info("x", [4, 3]), value_info("z", [4, 3])],
                        [value_info("y", [4, 3])]),
    # The batch is open in the first and 4 in a constant.
    "symbolic-batch": model([node("Flatten", ["x"], ["7"], axis=1)], [value_info("x", ["N", 2, 3])], [value_info("7", ["N", 6])]),
    "batch-in-reshape": model([node("Relu", ["x"], ["a"], "relu"), node("Reshape", ["a", "s"], ["y"], "view")],
                              [value_info("x", [4, 2, 3])], [value_info("y", [4, 6])], [ints("s", 4, 6)]),
    "symbolic-width": model([node("Relu", ["x"], ["y"])], [value_info("x", ["N", 2, "W"])], [value_info("y", ["N", 2, "W"])]),
    "softmax": model([node("Relu", ["x"], ["a"], "relu"), node("Softmax", ["a"], ["y"], "softmax", axis=-1)],
                     [value_info("x", [4, 3])], [value_info("y", [4, 3])]),
    # One bias under two names.
    "shared-bias": model(
        [node("Identity", ["b1"], ["b2"]), node("Gemm", ["x", "w1", "b1"], ["h"], "fc", transB=1),
         node("Gemm", ["h", "w2", "b2"], ["y"], "fc", transB=1)],
        [value_info("x", [4, 2])], [value_info("y", [4, 2])],
        [floats("w1", [2, 2], 1, 2, 3, 4), floats("w2", [2, 2], 5, 6, 7, 8), floats("b1", [2], 9, 10)]),
    "large-weight": model([node("MatMul", ["x", "w"], ["y"], "fc")], [value_info("x", [1, 5])], [value_info("y", [1, 13])],
                          [floats("w", [5, 13], *range(65))]),
    "wrong-output-shape": model([node("Relu", ["x"], ["y"])], [value_info("x", [4, 3])], [value_info("y", [4, 4])]),
    "batch-norm": model([node("BatchNormalization", ["x", "g", "b", "m", "v"], ["y"], "bn")],
                        [value_info("x", [2, 3])] + [value_info(name, [3]) for name in "gbmv"], [value_info("y", [2, 3])]),
    # Time first, one layer after another as PyTorch's two exporters write them: the state of zeros is an initializer
    # for the batch of the file (3), or a constant that is expanded to it; the batch is in the middle of a target too.
    "lstm": model(
        [node("Gather", ["table", "x"], ["e"], "embedding"),
         node("LSTM", ["e", "w0", "r0", "", "", "zeros", "zeros"], ["y0"], "lstm0", hidden_size=2),
         node("Transpose", ["y0"], ["t0"], perm=[0, 2, 1, 3]), node("Reshape", ["t0", "target"], ["s0"], "view"),
         node("ConstantOfShape", ["three"], ["none"]), node("Shape", ["x"], ["extents"]),
         node("Slice", ["extents", "one", "two"], ["samples"]), node("Concat", ["one", "samples", "two"], ["states"], axis=0),
         node("Expand", ["none", "states"], ["h"], "expand"),
         node("LSTM", ["s0", "w1", "r1", "", "", "h", "h"], ["y1"], "lstm1", hidden_size=2, direction="reverse")],
        [value_info("x", [5, 3], 7)], [value_info("y1", [5, 1, 3, 2])],
        [floats("table", [4, 2], *range(8)), tensor("zeros", [1, 3, 2]), ints("target", 5, 3, 2), ints("three", 1, 3, 2), ints("one", 1),
         ints("two", 2)] +
        [floats(name, [1, 8, 2], *range(i, i + 16)) for i, name in enumerate(("w0", "r0", "w1", "r1"))]),
    # Nothing is certain of a file of PyTorch's but paths with the names of parameters; numbers are constants.
    "plain-names": pytorch(chain(
        node("Gemm", ["x", "a.weight", "a.bias"], ["a"], "/a/Gemm"), node("Mul", ["a", "scalar_tensor_default"], ["b"], "/Mul"),
        node("Mul", ["b", "norm.weight"], ["c"], "/norm/Mul"), node("Gemm", ["c", "o.weight", "o.bias"], ["y"], "/o/Gemm"),
        initializers=[floats("a.weight", [8, 8], *range(64)), floats("a.bias", [8], *EIGHT), floats("norm.weight", [8], *[1] * 8),
                      floats("scalar_tensor_default", [], 2), floats("o.weight", [8, 8], *range(1, 65)),
                      floats("o.bias", [8], *EIGHT)])),
    # Doubts: a tensor that the exporter named, a bound of a clip with the path of a module, a buffer, a module that is
    # seldom trained, a batch norm in a product.
    "doubts": pytorch(chain(
        node("Gemm", ["x", "a.weight", "a.bias"], ["getitem"], "/a/Gemm"), node("Mul", ["getitem", "add_1"], ["b"], "/Mul"),
        node("Clip", ["b", "", "act.alpha"], ["c"], "/act/Clip"), node("MatMul", ["c", "mix.filter"], ["d"], "/mix/MatMul"),
        node("MatMul", ["d", "teacher.o.weight"], ["y"], "/teacher/o/MatMul"),
        initializers=[floats("a.weight", [8, 8], *range(64)), floats("a.bias", [8], *EIGHT), floats("add_1", [8], *[1] * 8),
                      floats("act.alpha", [], 6), floats("mix.filter", [8, 8], *range(1, 65)),
                      floats("teacher.o.weight", [8, 8], *range(2, 66))])),
    # One weight in two modules that look alike, and in two that do not.
    "copies": pytorch(model(
        [node("Gather", ["e.weight", "x"], ["a"], "/e/Gather"),
         node("MatMul", ["a", "policy.l.weight"], ["b"], "/policy/l/MatMul"),
         node("MatMul", ["b", "policy.l.weight"], ["c"], "/ref/l/MatMul"),
         node("Transpose", ["e.weight"], ["t"], "/head/Transpose", perm=[1, 0]), node("MatMul", ["c", "t"], ["y"], "/head/MatMul")],
        [value_info("x", [4], 7)], [value_info("y", [4, 3])],
        [floats("e.weight", [3, 2], 0, 0, 3, 4, 5, 6), floats("policy.l.weight", [2, 2], 1, 3, 5, 2)])),
    # Of a batch of 8: the mean over the batch, half of it, and each sample by itself with the same numbers.
    "batch-mean": chain(
        node("Gemm", ["x", "w"], ["a"], "fc"), node("ReduceSum", ["a", "zero"], ["s"], "sum"), node("Div", ["s", "eight"], ["m"], "mean"),
        node("Sub", ["a", "m"], ["y"], "centre"), shape=(8, 4), result=(8, 4),
        initializers=[floats("w", [4, 4], *range(16)), ints("zero", 0), floats("eight", [], 8)]),
    "batch-half": chain(
        node("Slice", ["x", "zero", "four", "zero"], ["a"], "first"), node("Slice", ["x", "four", "eight", "zero"], ["b"], "second"),
        node("Mul", ["a", "b"], ["y"], "product"), shape=(8, 4), result=(4, 4),
        initializers=[ints("zero", 0), ints("four", 4), ints("eight", 8)]),
    "batch-places": chain(
        node("Gather", ["x", "places"], ["a"], "turned"), node("Relu", ["a"], ["y"], "relu"), shape=(4, 4), result=(4, 4),
        initializers=[ints("places", 3, 2, 1, 0)]),
    "batch-apart": chain(
        node("Reshape", ["x", "heads"], ["a"], "heads"), node("Mul", ["a", "eighth"], ["b"], "scale"),
        node("Softmax", ["b"], ["c"], "softmax", axis=-1), node("Reshape", ["c", "rows"], ["d"], "rows"), node("Relu", ["d"], ["y"], "relu"),
        shape=(8, 2, 4), result=(8, 8),
        initializers=[ints("heads", 16, 4), ints("rows", 8, 8), floats("eighth", [], 0.125)]),
    # Updates at computed places, of which two may be one.
    "scatter": model(
        [node("ScatterElements", ["x", "i", "u"], ["y"], "put", axis=1)],
        [value_info("x", [4, 4]), value_info("i", [4, 2], 7), value_info("u", [4, 2])], [value_info("y", [4, 4])], []),
    "scatter-add": model(
        [node("ScatterElements", ["x", "i", "u"], ["y"], "put", axis=1, reduction="add")],
        [value_info("x", [4, 4]), value_info("i", [4, 2], 7), value_info("u", [4, 2])], [value_info("y", [4, 4])], []),
    # The two largest of each row differ.
    "scatter-largest": model(
        [node("TopK", ["x", "k"], ["v", "i"], "largest", axis=-1), node("ScatterElements", ["x", "i", "u"], ["y"], "put", axis=1)],
        [value_info("x", [4, 4]), value_info("u", [4, 2])], [value_info("y", [4, 4])], [ints("k", 2)]),
    # Edges are numbers of nodes, which are the batch.
    "graph": model(
        [node("Gemm", ["x", "l.weight"], ["h"], "l"), node("Gather", ["h", "e"], ["g"], "neighbours"), node("Add", ["h", "g"], ["y"], "sum")],
        [value_info("x", [6, 4]), value_info("e", [6], 7)], [value_info("y", [6, 4])], [floats("l.weight", [4, 4], *range(16))]),
    # `detach`, as exporters may be told to write it.
    "stop-gradient": chain(
        node("Gemm", ["x", "w"], ["a"], "fc"), node("StopGradient", ["a"], ["b"], "detach", domain="soap"),
        node("Sub", ["a", "b"], ["y"], "rest"), shape=(2, 4), result=(2, 4), initializers=[floats("w", [4, 4], *range(16))]),
    # Dead code leaves neither ops nor arguments.
    "dead": model([node("Gemm", ["x", "w"], ["unused"], "fc"), node("Relu", ["x"], ["y"], "relu")], [value_info("x", [4, 2])],
                  [value_info("y", [4, 2])], [floats("w", [2, 2], 1, 2, 3, 4)]),
}

if __name__ == "__main__":
    with open(sys.argv[2], "wb") as stream:
        stream.write(MODELS[sys.argv[1]])
