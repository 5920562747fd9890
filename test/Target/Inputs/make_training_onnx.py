# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiny ONNX files about training for the lit tests: make_training_onnx.py NAME OUT."""

import sys

from make_onnx import floats
from case import model, node, tensor, value_info

NORM = ["x", "g", "b", "m", "v"]


def norm(results, opset, outputs=("y",), **attributes):
    return model([node("BatchNormalization", NORM, results, "bn", **attributes)], [value_info("x", [2, 3])],
                 [value_info(name, [2, 3] if name == "y" else [3]) for name in outputs],
                 [floats(name, [3], *values) for name, values in zip(NORM[1:], ((1, 2, 3), (4, 5, 6), (7, 8, 9), (1, 3, 5)))], opset=opset)


def norms():
    """One in training mode, one in evaluation mode, one with the statistics of its batch as operands."""
    return model([node("BatchNormalization", NORM, ["t"], "trains", training_mode=1),
                  node("BatchNormalization", ["t", "g2", "b2", "m2", "v2"], ["f"], "frozen"),
                  node("ReduceMean", ["f"], ["mean"], axes=[0], keepdims=0), node("Mul", ["mean", "mean"], ["variance"]),
                  node("BatchNormalization", ["f", "g3", "b3", "mean", "variance"], ["y"], "none", training_mode=1)],
                 [value_info("x", [2, 3])], [value_info("y", [2, 3])],
                 [floats(name, [3], *range(i, i + 3)) for i, name in enumerate(NORM[1:] + ["g2", "b2", "m2", "v2", "g3", "b3"])])


def dropout(results, outputs=("y",), opset=17):
    return model([node("Dropout", ["x", "rate", "mode"], results, "drop")], [value_info("x", [2, 3])],
                 [value_info("y", [2, 3])] + [value_info(name, [2, 3], 9) for name in outputs[1:]],
                 [floats("rate", [], 0.25), tensor("mode", [], b"\1", 9)], opset=opset)


def chain(count, weight="w%d", more=(), bias=True):
    """Convolutions 1x1, one behind the other."""
    nodes = [node("Conv", ["x%d" % i, weight % i] + ["b%d" % i] * bias, ["x%d" % (i + 1)], "conv%d" % i) for i in range(count)]
    last = "x%d" % count
    for kind in more:
        nodes.append(node(kind, [last], ["y%d" % len(nodes)]))
        last = "y%d" % (len(nodes) - 1)
    return model(nodes, [value_info("x0", [1, 1, 2, 2])], [value_info(last, [1, 1, 2, 2])],
                 [floats(weight % i, [1, 1, 1, 1], 1 + i) for i in range(count)] + [floats("b%d" % i, [1], i) for i in range(count) if bias])


def one_convolution(weight, bias):
    return model([node("Conv", ["x", weight, bias], ["y"], "conv")], [value_info("x", [1, 1, 2, 2])], [value_info("y", [1, 1, 2, 2])],
                 [floats(weight, [1, 1, 1, 1], 2), floats(bias, [1], 3)])


def token(*rows, name="token"):
    """A tensor [4, 1, 2] that is added to data of 4 samples."""
    return model([node("Add", ["x", name], ["h"], "plus"), node("MatMul", ["h", "w"], ["y"], "fc")], [value_info("x", [4, 1, 2])],
                 [value_info("y", [4, 1, 4])], [floats(name, [4, 1, 2], *rows), floats("w", [2, 4], *range(8))])


MODELS = {
    # Training mode has 3 results, or up to opset 13 as many as there are.
    "norm-training": lambda: norm(["y", "m1", "v1"], 17, training_mode=1, momentum=0.75),
    "norm-training-13": lambda: norm(["y", "m1", "v1", "m2", "v2"], 13, momentum=0.9),
    "norm-statistics-used": lambda: norm(["y", "m1", "v1"], 17, outputs=("y", "v1"), training_mode=1),
    "norm-statistics-13": lambda: norm(["y", "m1"], 9, outputs=("y", "m1")),
    "norm-cumulative": lambda: norm(["y"], 17, momentum=1.0),
    "norm-last": lambda: norm(["y"], 17, momentum=0.0),
    "norms-mixed": lambda: norms(),
    "norm-momentum": lambda: norm(["y"], 17, momentum=1.5),
    "dropout-training": lambda: dropout(["y", "mask"]),
    "dropout-mask": lambda: dropout(["y", "mask"], outputs=("y", "mask")),
    # Names of what other programs fold.
    "tf2onnx": lambda: one_convolution("net/Conv2D_weights_fused_bn", "net/Conv2D_bias_fused_bn"),
    "onnxscript": lambda: one_convolution("net.weight", "net.weight_bias"),
    "onnxruntime": lambda: one_convolution("ConvBnFusion_W_net.weight", "ConvBnFusion_BN_B_net.bias"),
    "plain": lambda: one_convolution("net.weight", "net.bias"),
    # Nothing but depth tells.
    "deep": lambda: chain(17),
    "vgg": lambda: chain(16),
    "deep-modules": lambda: chain(17, weight="net.%d.weight"),
    "deep-dropout": lambda: chain(17, more=["Dropout"]),
    "deep-no-bias": lambda: chain(17, bias=False),
    "token": lambda: token(*[1, 2] * 4),
    "token-constant": lambda: token(*[1, 2] * 4, name="val_7"),
    "zeros-constant": lambda: token(*[0] * 8, name="val_7"),
    "tokens": lambda: token(*range(8)),
}

if __name__ == "__main__":
    with open(sys.argv[2], "wb") as stream:
        stream.write(MODELS[sys.argv[1]]())
