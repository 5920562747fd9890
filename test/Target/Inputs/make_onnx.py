"""Tiny ONNX files for the lit tests: make_onnx.py NAME OUT. Encoded by hand, so that the tests need no package."""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "BadInput"))
from case import model, node, tensor, value_info  # noqa: E402


def floats(name, shape, *values):
    return tensor(name, shape, struct.pack("<%df" % len(values), *values))


def ints(name, *values):
    return tensor(name, [len(values)], struct.pack("<%dq" % len(values), *values), 7)


MODELS = {
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
    # Time first, one layer after another as PyTorch's two exporters write them: the state of zeros is an initializer for the
    # batch of the file (3), or a constant that is expanded to it; the batch is in the middle of a target too.
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
    # Dead code leaves neither ops nor arguments.
    "dead": model([node("Gemm", ["x", "w"], ["unused"], "fc"), node("Relu", ["x"], ["y"], "relu")], [value_info("x", [4, 2])],
                  [value_info("y", [4, 2])], [floats("w", [2, 2], 1, 2, 3, 4)]),
}

if __name__ == "__main__":
    with open(sys.argv[2], "wb") as stream:
        stream.write(MODELS[sys.argv[1]])
