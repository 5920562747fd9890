#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hostile ONNX files have to be errors with the expected message; then a valid file with random damage.

    onnx_hostile.py BUILD [--only TEXT] [--damaged N] [--seed N]

Files are encoded by hand (test/BadInput/case.py), because no library would write them. The last line is "N passed, N
failed".
"""

import argparse
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "BadInput"), os.path.join(HERE, "..")]
from case import Case, attribute, field, model, node, tensor, value_info  # noqa: E402
import run  # noqa: E402
from tally import Tally  # noqa: E402

X, Y = value_info("x", [2, 3, 8, 8]), value_info("y", [2, 4, 8, 8])
W = tensor("w", [4, 3, 3, 3])


def case(name, expect, content, flags=(), files=None, status=1):
    command = ["soap-translate", "--import-onnx", "{model.onnx}", "-o", "{folder}/out.mlir", *flags]
    return Case(name, command, [expect] if isinstance(expect, str) else expect, {"model.onnx": content, **(files or {})}, status)


def conv(weights=W, **attributes):
    attributes = {"pads": [1, 1, 1, 1], **attributes}
    return model([node("Conv", ["x", "w"], ["y"], "conv", **attributes)], [X], [Y], [weights])


def graph(*nodes, inputs=(X,), outputs=(Y,), initializers=(), **more):
    return model(list(nodes), list(inputs), list(outputs), list(initializers), **more)


def fold(*nodes, result="s", **more):
    """Shape arithmetic whose result is the target of a Reshape."""
    return graph(*nodes, node("Reshape", ["x", result], ["y"], "reshape"), **more)


def ints(name, *values, shape=None):
    return tensor(name, [len(values)] if shape is None else shape, struct.pack("<%dq" % len(values), *values), 7)


def lstm(*more, inputs=(), initializers=(), **attributes):
    """3 steps of 4 samples, 5 numbers in and 2 units; `more`: lengths, first states."""
    more = list(more)[:1] + ([""] if len(more) < 2 else [more[1]])
    return graph(node("LSTM", ["s", "w", "r", ""] + more, ["y"], hidden_size=2, **attributes),
                 inputs=[value_info("s", [3, 4, 5])] + list(inputs), outputs=[value_info("y", [3, 1, 4, 2])],
                 initializers=[tensor("w", [1, 8, 5]), tensor("r", [1, 8, 2])] + list(initializers))


def external(*entries):
    """An initializer of 4x3x3x3 floats in another file."""
    pairs = b"".join(field(13, field(1, key) + field(2, value)) for key, value in entries)
    return b"".join(field(1, extent) for extent in [4, 3, 3, 3]) + field(2, 1) + field(8, "w") + field(14, 1) + pairs


def nested(depth):
    inner = node("Relu", ["x"], ["y"])
    for _ in range(depth):
        inner = field(1, "x") + field(4, "If") + field(2, "y") + field(5, field(1, "then_branch") + field(6, field(1, inner)) + field(20, 5))
    return inner


def typed_attribute(name, body):
    return field(5, field(1, name) + body)


def function(name, *nodes, opset=17):
    """Of one operand, `a`, and one result, `b`."""
    body = field(1, name) + field(4, "a") + field(5, "b") + b"".join(field(7, inner) for inner in nodes)
    return field(25, body + field(9, field(2, opset)) + field(10, "d"))


def subgraph(*nodes, inputs=(), outputs=("r",), initializers=()):
    return (b"".join(field(1, inner) for inner in nodes) + b"".join(field(5, value) for value in initializers) +
            b"".join(field(11, field(1, name)) for name in inputs) + b"".join(field(12, field(1, name)) for name in outputs))


def with_graphs(content, **graphs):
    return content + b"".join(typed_attribute(name, field(6, body) + field(20, 5)) for name, body in graphs.items())


TRUE = tensor("t", [], b"\1", 9)


def branch(condition="t", result="r", then=None, inputs=(X,)):
    relu = subgraph(node("Relu", ["x"], ["r"]), outputs=[result])
    return graph(with_graphs(node("If", [condition], ["y"]), then_branch=then or relu, else_branch=relu), inputs=inputs, initializers=[TRUE])


def loop(*nodes, count="n", carried=("h",), inputs=(X,), known=True):
    """Of `n` rounds, 3 if that is known, which hand a tensor on."""
    nodes = nodes or (node("Identity", ["t"], ["g"]), node("Relu", ["h"], ["r"]))
    body = subgraph(*nodes, inputs=["i", "c", *carried], outputs=["g", "r"])
    return graph(with_graphs(node("Loop", [count, "t", "x"], ["y"]), body=body), inputs=inputs,
                 initializers=[TRUE] + ([ints("n", 3)] if known else []))


def resize(scales, **attributes):
    return graph(node("Resize", ["x", "", "s"], ["y"], **attributes), initializers=[tensor("s", [4], scales)])


CALL = node("f", ["x"], ["y"], domain="d")
RELU = node("Relu", ["x"], ["y"], "relu")
VALID = conv()
OK_GRAPH = graph(RELU)
HUGE = 1 << 62

CASES = [
    # The container.
    case("empty", "expected an ONNX model with a graph", b""),
    case("truncated", "truncated", VALID[:-1]),
    case("truncated in the middle", "truncated", VALID[:len(VALID) // 2]),
    case("text", "not an ONNX model", "this is no model\n" * 20),
    case("zeros", "not an ONNX model", bytes(1000)),
    case("length beyond the file", "not an ONNX model", b"\x3a\xff\xff\xff\xff\x07"),
    case("directory", "not a regular file", "", files={"d/x": ""}),
    case("missing file", "no such file", ""),
    case("no graph", "with a graph", field(1, 8) + field(8, field(2, 17))),
    case("recursion", ["not an ONNX model"], graph(nested(120))),
    case("no opset", "no opset", graph(RELU, opsets=[])),
    case("opset 6", "opset 6 is not supported, only 7 to 23", graph(RELU, opset=6)),
    case("opset 24", "opset 24 is not supported", graph(RELU, opset=24)),
    case("negative opset", "opset -1 is not supported", graph(RELU, opset=-1)),
    case("function twice", "function 'f' is defined twice", OK_GRAPH + function("f") + function("f")),
    case("recursive function", "function 'f' calls itself", graph(CALL) + function("f", node("f", ["a"], ["b"], domain="d"))),
    case("function with a bomb", "functions expand to more than 1048576 nodes", graph(node("f0", ["x"], ["y"], domain="d")) + b"".join(
        function("f%d" % i, *[node("f%d" % (i + 1), ["a"], ["b%d" % j], domain="d") for j in range(8)]) for i in range(40))),
    case("call with too many operands", "expected at most 1 operands and 1 results, got 2 and 1",
         graph(node("f", ["x", "x"], ["y"], domain="d")) + function("f", RELU)),
    case("function without its result", "graph output 'y' is computed by no node", graph(CALL) + function("f", node("Relu", ["a"], ["c"]))),
    case("function of another domain", "ops of the domain 'e' are not supported", graph(node("f", ["x"], ["y"], domain="e")) + function("f")),
    case("function of another opset", "opset 40", graph(CALL) + function("f", node("Relu", ["a"], ["b"]), opset=40)),
    case("sparse initializer", "sparse initializers", field(1, 8) + field(7, field(1, RELU) + field(15, b"")) + field(8, field(2, 17))),
    # The graph.
    case("cycle", "must be sorted, without cycles", graph(node("Add", ["x", "b"], ["a"], "one"), node("Relu", ["a"], ["b"]),
                                                         node("Relu", ["b"], ["y"]))),
    case("own operand", "must be sorted, without cycles", graph(node("Relu", ["y"], ["y"], "self"))),
    case("unsorted", ["'second'", "must be sorted"], graph(node("Relu", ["a"], ["y"], "second"), node("Relu", ["x"], ["a"]))),
    case("duplicate output", "'y' is defined twice", graph(RELU, node("Relu", ["x"], ["y"], "again"))),
    case("output is an input name", "'x' is defined twice", graph(node("Relu", ["x"], ["x"], "r"), RELU)),
    case("output is an initializer name", "'w' is defined twice", graph(node("Relu", ["x"], ["w"]), RELU, initializers=[W])),
    case("missing operand", ["node 'relu'", "'nowhere' is defined nowhere"], graph(node("Relu", ["nowhere"], ["y"], "relu"))),
    case("empty operand", "operand 0 is missing", graph(node("Relu", [""], ["y"], "relu"))),
    case("too few operands", "expected 2 to 3 operands, got 1", graph(node("Conv", ["x"], ["y"]))),
    case("too many operands", "expected 1 operands, got 2", graph(node("Relu", ["x", "x"], ["y"]))),
    case("no result", "has no result", graph(node("Relu", ["x"], []))),
    case("no outputs", "the graph has no outputs", graph(RELU, outputs=[])),
    case("output that no node computes", "'z' is computed by no node", graph(RELU, outputs=[value_info("z", [1])])),
    case("output is a weight", "does not depend on a computation", graph(node("Identity", ["w"], ["y"]), initializers=[W]),
         flags=["--parameters=w,y"]),
    case("output is an empty constant", "is a constant int64 of shape 0, which is not supported",
         graph(node("Shape", ["x"], ["y"], start=4), outputs=[value_info("y", [0], 7)])),
    case("output is a large integer", "which is no 32-bit integer", graph(node("Identity", ["c"], ["y"]), initializers=[ints("c", HUGE)])),
    case("output is a sequence", "is a sequence, which is not supported", graph(node("SequenceConstruct", ["x"], ["y"]))),
    case("sequence as a tensor", "is a sequence, expected a tensor", graph(node("SequenceConstruct", ["x"], ["s"]), node("Relu", ["s"], ["y"]))),
    case("tensor as a sequence", "expected a sequence", graph(node("SequenceAt", ["x", "c"], ["y"]), initializers=[ints("c", 0)])),
    case("position beyond a sequence", "in a list of 1", graph(node("SequenceConstruct", ["x"], ["s"]), node("SequenceAt", ["s", "c"], ["y"]),
                                                               initializers=[ints("c", 1)])),
    # Branches and bodies.
    case("condition of data", "a condition that data decide", branch("c", inputs=[X, value_info("c", [], 9)])),
    case("branch without its result", "of a branch or body is defined nowhere", branch(result="z")),
    case("branch is no graph", "attribute 'else_branch': expected a graph", graph(node("If", ["t"], ["y"], else_branch=1), initializers=[TRUE])),
    case("weights in a branch", "which would not be trained", branch(then=subgraph(node("Add", ["x", "v"], ["r"]), initializers=[
        tensor("v", [2, 3, 8, 8])]))),
    case("endless loop", "more than 4096 rounds", loop(node("Identity", ["t"], ["g"]), node("Identity", ["h"], ["r"]), count="")),
    case("loop by data", "whose number of rounds is known", loop(inputs=[X, value_info("n", [], 7)], known=False)),
    case("loop that data end", "whether the loop goes on depends on data",
         loop(node("Greater", ["x", "x"], ["g"]), node("Identity", ["h"], ["r"]))),
    case("loop of other operands", "which do not fit 1 values", loop(carried=["h", "k"])),
    case("duplicate input", "graph input 'x' is defined twice", graph(RELU, inputs=[X, X])),
    case("duplicate output info", "graph output 'y' is defined twice", graph(RELU, outputs=[Y, Y])),
    case("duplicate initializer", "initializer 'w' is defined twice", graph(RELU, initializers=[W, W])),
    case("nameless input", "the name is missing", graph(RELU, inputs=[value_info("", [1]), X])),
    case("unknown op", ["node 'strange' ('NonMaxSuppression', opset 17)", "not supported"], graph(node("NonMaxSuppression", ["x"], ["y"], "strange"))),
    case("unknown domain", "domain 'com.microsoft'", graph(node("Gelu", ["x"], ["y"], "g", "com.microsoft"))),
    case("empty op", "this op is not supported", graph(node("", ["x"], ["y"]))),
    case("control characters in names", "\\x1b[31mred\\x0a", graph(node("\x1b[31mred\n", ["x"], ["y"], "\x07"))),
    case("long name", "...'", graph(node("Relu", ["n" * 100000], ["y"]))),
    # Types and shapes.
    case("no shape", "has no shape; give one with --input-shape", graph(RELU, inputs=[field(1, "x") + field(2, field(1, field(1, 1)))])),
    case("symbolic batch", ["dim 0 is dynamic ('N')", "--batch=N"], graph(RELU, inputs=[value_info("x", ["N", 3])])),
    case("symbolic width", ["dim 1 is dynamic ('W')", "--input-shape"], graph(RELU, inputs=[value_info("x", [2, "W"])])),
    case("negative dim", "dim 1 is negative: -3", graph(RELU, inputs=[value_info("x", [2, -3])])),
    case("huge dims", "has too many elements", graph(RELU, inputs=[value_info("x", [HUGE, HUGE, 4])])),
    case("dims that overflow to 0", "has too many elements", graph(RELU, inputs=[value_info("x", [1 << 32, 1 << 32])])),
    case("huge rank", "rank 5000 is too large", graph(RELU, inputs=[value_info("x", [1] * 5000)])),
    case("input that is no tensor", "expected a tensor", graph(RELU, inputs=[field(1, "x")])),
    case("integer data", "holds integers, only float32 is supported here", graph(node("Exp", ["x"], ["y"]), inputs=[value_info("x", [2, 3], 7)])),
    case("complex data", "data of type complex64 is not supported", graph(RELU, inputs=[value_info("x", [2, 3], 14)])),
    case("mixed types", "operands of float32 and int64 do not match", graph(node("Add", ["x", "i"], ["y"]), inputs=[X, value_info("i", [8], 7)])),
    case("unknown element type", "type 77", graph(RELU, inputs=[value_info("x", [2, 3], 77)])),
    case("half weights", "needs 216 bytes of raw data, got 214", conv(tensor("w", [4, 3, 3, 3], bytes(214), 10))),
    case("string initializer", "string", conv(tensor("w", [4, 3, 3, 3], b"", 8))),
    case("integer weights", "int64, only float32", conv(tensor("w", [4, 3, 3, 3], bytes(864), 7))),
    case("initializer of unknown type", "type 1000", conv(tensor("w", [4, 3, 3, 3], b"", 1000))),
    case("initializer without type", "the element type is missing", conv(tensor("w", [4, 3, 3, 3], b"", 0))),
    case("initializer with negative dims", "negative dim", conv(tensor("w", [], b"") + field(1, -4))),
    case("initializer with huge dims", "too many elements", conv(field(1, HUGE) + field(1, HUGE) + field(2, 1) + field(8, "w"))),
    case("initializer beyond its data", "bytes of raw data, got 4", conv(field(1, 1 << 38) + field(2, 1) + field(8, "w") + field(9, b"1234"))),
    case("raw data too short", "needs 432 bytes of raw data, got 428", conv(tensor("w", [4, 3, 3, 3], bytes(428)))),
    case("raw data too long", "got 436", conv(tensor("w", [4, 3, 3, 3], bytes(436)))),
    case("float data too short", "needs 108 values, got 1",
         conv(b"".join(field(1, d) for d in [4, 3, 3, 3]) + field(2, 1) + field(8, "w") + field(4, struct.pack("<f", 1)))),
    case("segment", "segmented", conv(W + field(3, b""))),
    # Data in other files.
    case("external file missing", "can not read the external data file 'w.bin'", conv(external(("location", "w.bin")))),
    case("external without location", "expected a relative path", conv(external())),
    case("external outside", "expected a relative path inside", conv(external(("location", "../../../../../../etc/passwd")))),
    case("external absolute", "expected a relative path inside", conv(external(("location", "/etc/passwd")))),
    case("external too short", "expected 432 bytes, got 431", conv(external(("location", "w.bin"))), files={"w.bin": bytes(431)}),
    case("external offset", "offset 500 exceed", conv(external(("location", "w.bin"), ("offset", "500"))), files={"w.bin": bytes(432)}),
    case("external length", "exceed the file", conv(external(("location", "w.bin"), ("offset", "8"), ("length", "18446744073709551615"))),
         files={"w.bin": bytes(432)}),
    case("external number", "expected a number as 'offset'", conv(external(("location", "w.bin"), ("offset", "-1"))),
         files={"w.bin": bytes(432)}),
    case("external directory", "can not read", conv(external(("location", "d"))), files={"d/x": ""}),
    # Attributes.
    case("unknown attribute", ["node 'relu'", "attribute 'beta' is not supported"], graph(node("Relu", ["x"], ["y"], "relu", beta=1.0))),
    case("attribute twice", "attribute 'group' is given twice",
         graph(node("Conv", ["x", "w"], ["y"], "conv") + field(5, attribute("group", 1)) * 2, initializers=[W])),
    case("attribute of wrong type", "attribute 'strides': expected a list of integers", conv(strides="fast")),
    case("attribute reference", "attribute 'group': expected an integer",
         graph(node("Conv", ["x", "w"], ["y"]) + typed_attribute("group", field(3, 1) + field(20, 2) + field(21, "outer")),
               initializers=[W])),
    case("attribute of graph type", "attribute 'group': expected an integer",
         graph(node("Conv", ["x", "w"], ["y"]) + typed_attribute("group", field(6, b"") + field(20, 5)), initializers=[W])),
    case("stride 0", "attribute 'strides': expected 2 values of at least 1, got [0, 1]", conv(strides=[0, 1])),
    case("negative stride", "attribute 'strides'", conv(strides=[-1, 1])),
    case("huge stride", "out of range", conv(strides=[HUGE, 1])),
    case("three strides", "expected 2 values", conv(strides=[1, 1, 1])),
    case("negative pads", "attribute 'pads'", conv(pads=[-1, 0, 0, 0])),
    case("huge pads", "attribute 'pads': 2147483648 is out of range", conv(pads=[1 << 31] * 4)),
    case("huge dilations", "attribute 'dilations': 2147483648 is out of range", conv(dilations=[1 << 31, 1 << 31])),
    case("dilation 0", "attribute 'dilations'", conv(dilations=[0, 1])),
    case("pads and auto_pad", "exclude each other", conv(auto_pad="SAME_UPPER")),
    case("strange auto_pad", "attribute 'auto_pad': 'MOST' is not supported", conv(auto_pad="MOST", pads=[0] * 4)),
    case("kernel_shape of another weight", "attribute 'kernel_shape' is 5x5, the weight's is 3x3", conv(kernel_shape=[5, 5])),
    case("groups", "2 groups do not fit", conv(group=2)),
    case("no groups", "0 groups do not fit", conv(group=0)),
    case("window larger than the image", "does not fit", conv(pads=[0] * 4, dilations=[9, 9])),
    case("weights of other rank", "expected operands of one rank from 3 to 5", conv(tensor("w", [4, 3]))),
    case("pool without kernel", "attribute 'kernel_shape' is missing", graph(node("MaxPool", ["x"], ["y"]))),
    case("pool indices", "result 1 ('i') is not supported", graph(node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2, 2]))),
    case("pool over rank 6", "only 1-D, 2-D and 3-D images", graph(node("MaxPool", ["x"], ["y"], kernel_shape=[2] * 4),
                                                                   inputs=[value_info("x", [2, 3, 4, 4, 4, 4])])),
    case("deep window", "a window of depth 65 is not supported", graph(node("MaxPool", ["x"], ["y"], kernel_shape=[65, 1, 1]),
                                                                       inputs=[value_info("x", [1, 1, 70, 2, 2])])),
    case("transposed convolution of nothing", "leave nothing", graph(node("ConvTranspose", ["x", "w"], ["y"], pads=[9] * 4),
                                                                    initializers=[tensor("w", [3, 4, 3, 3])])),
    case("scales of nan", "expected positive scales", resize(struct.pack("<4f", 1, 1, math.nan, 1))),
    case("scales of zero", "expected positive scales", resize(bytes(16))),
    case("tiny scales", "dim 2 gets no elements", resize(struct.pack("<4f", 1, 1, 1e-3, 1))),
    case("huge scales", "has too many elements", resize(struct.pack("<4f", 1, 1, 9e5, 9e5))),
    case("scales that implementations round", "which implementations round differently",
         resize(struct.pack("<4f", 1, 1, 0.6, 1), coordinate_transformation_mode="align_corners")),
    case("many largest", "expected a number of elements from 1 to 8, got 9", graph(node("TopK", ["x", "k"], ["y"]), initializers=[ints("k", 9)])),
    case("scatter out of range", "index 9 is out of range for extent 8",
         graph(node("ScatterElements", ["x", "i", "u"], ["y"], axis=3), initializers=[
             tensor("i", [1, 1, 1, 1], struct.pack("<q", 9), 7), tensor("u", [1, 1, 1, 1])])),
    case("scatter of no tuples", "do not fit an operand", graph(node("ScatterND", ["x", "i", "u"], ["y"]), initializers=[
        tensor("i", [1, 0], b"", 7), tensor("u", [1])])),
    case("gather of long tuples", "do not fit an operand", graph(node("GatherND", ["x", "i"], ["y"]), initializers=[ints("i", *[0] * 5)])),
    case("negative repetitions", "expected 4 numbers of repetitions", graph(node("Tile", ["x", "r"], ["y"]), initializers=[ints("r", 1, 1, 1, -1)])),
    case("huge repetitions", "expected 4 numbers of repetitions", graph(node("Tile", ["x", "r"], ["y"]), initializers=[ints("r", 1, 1, 1, HUGE)])),
    case("huge depth", "expected a depth", graph(node("OneHot", ["i", "d", "v"], ["y"]), inputs=[value_info("i", [2], 7)],
                                                initializers=[ints("d", HUGE), tensor("v", [2])])),
    case("division by zero", "of 4 and 0 does not exist", fold(node("Shape", ["x"], ["a"]), node("Size", ["a"], ["b"]),
                                                              node("Mod", ["b", "z"], ["s"]), initializers=[ints("z", 0)])),
    case("bias of wrong shape", "expected a bias of shape 4, got 3",
         graph(node("Conv", ["x", "w", "b"], ["y"]), initializers=[W, tensor("b", [3])])),
    case("gemm shapes", "can not be multiplied",
         graph(node("Gemm", ["x", "w", "w"], ["y"]), inputs=[value_info("x", [2, 3])], initializers=[tensor("w", [2, 3])])),
    case("gemm bias", "does not broadcast to 2x4",
         graph(node("Gemm", ["x", "w", "b"], ["y"]), inputs=[value_info("x", [2, 3])],
               initializers=[tensor("w", [3, 4]), tensor("b", [3])])),
    case("broadcast", "do not broadcast", graph(node("Add", ["x", "w"], ["y"]), initializers=[W])),
    case("statistics of a batch norm in training", "running statistics are only supported as states",
         graph(node("BatchNormalization", ["x"] + ["b"] * 4, ["a", "m", "v"], training_mode=1), node("Add", ["a", "m"], ["y"]),
               initializers=[tensor("b", [3])])),
    case("batch norm momentum", "expected a number in [0, 1], got nan",
         graph(node("BatchNormalization", ["x"] + ["b"] * 4, ["y"], momentum=math.nan), initializers=[tensor("b", [3])])),
    case("cast that may wrap", "int64 to int8 may wrap", graph(node("Cast", ["i"], ["y"], to=3), inputs=[value_info("i", [2], 7)])),
    case("modes of dropout", "expected one bool, got 2",
         graph(node("Dropout", ["x", "r", "t"], ["y"]), initializers=[tensor("r", [], struct.pack("<f", 0.5)), ints("t", 1, 1)])),
    case("batch norm shapes", "of shape 3, got 4", graph(node("BatchNormalization", ["x"] + ["b"] * 4, ["y"]),
                                                        initializers=[tensor("b", [4])])),
    case("softmax axis", "axis 4 is out of range for rank 4", graph(node("Softmax", ["x"], ["a"], axis=4), node("Relu", ["a"], ["y"]))),
    case("layer norm scale", "does not broadcast", graph(node("LayerNormalization", ["x", "b"], ["y"]), initializers=[tensor("b", [3])])),
    case("dropout ratio", "expected a ratio in [0, 1)", graph(node("Dropout", ["x", "r"], ["y"]),
                                                            initializers=[tensor("r", [], struct.pack("<f", 1.5))])),
    case("lstm rank", "expected an operand of rank 3", graph(node("LSTM", ["x", "w", "w"], ["y"], hidden_size=2), initializers=[W])),
    case("lstm direction", "attribute 'direction'", graph(node("LSTM", ["x", "w", "w"], ["y"], hidden_size=2, direction="inside out"),
                                                        initializers=[W])),
    case("lstm of both directions with weights of one", "of shape 2x8x5, got 1x8x5", lstm(direction="bidirectional")),
    case("lstm lengths", "operand 'lengths': sequence lengths are not supported, only sequences that are all as long as the tensor (3 steps)",
         lstm("lengths", initializers=[tensor("lengths", [4], struct.pack("<4i", 3, 3, 2, 3), 6)])),
    case("lstm lengths of data", "operand 'lengths': sequence lengths are not supported",
         lstm("lengths", inputs=[value_info("lengths", [4], 6)])),
    case("lstm state of another size", "of shape 1x4x2, got 1x4x3",
         lstm("", "state", initializers=[tensor("state", [1, 4, 3], bytes(48))])),
    case("lstm state of another batch", "of shape 1x4x2, got 1x5x2",
         lstm("", "state", initializers=[tensor("state", [1, 5, 2], struct.pack("<10f", *range(10)))])),
    case("einsum equation", "attribute 'equation'", graph(node("Einsum", ["x"], ["y"], equation="...->"))),
    case("einsum rank", "an operand has another rank", graph(node("Einsum", ["x"], ["y"], equation="abc->abc"))),
    case("trilu of vector", "expected an operand of rank 2 or more", graph(node("Trilu", ["v"], ["y"]), inputs=[value_info("v", [3])])),
    case("softmax at the end", "--drop-final-softmax", graph(node("Softmax", ["x"], ["y"]))),
    # Shapes computed by nodes.
    case("reshape count", "can not be reshaped to", fold(initializers=[ints("s", 5, 7)])),
    case("reshape with two open dims", "can not be reshaped", fold(initializers=[ints("s", -1, -1)])),
    case("reshape to negative dims", "can not be reshaped", fold(initializers=[ints("s", -2, -192)])),
    case("reshape to overflow", "can not be reshaped", fold(initializers=[ints("s", 1 << 62, 1 << 62, 384)])),
    case("reshape to huge rank", "rank 100000 is too large", fold(initializers=[ints("s", *[1] * 100000)])),
    case("reshape by data", "is not known at import", graph(node("Reshape", ["x", "x"], ["y"]))),
    case("reshape by matrix", "expected a vector of integers", fold(initializers=[ints("s", 1, 2, 3, 4, shape=[2, 2])])),
    case("constant of huge shape", "too large", fold(node("ConstantOfShape", ["n"], ["s"]), initializers=[ints("n", 1 << 40)])),
    case("constant of negative shape", "too large", fold(node("ConstantOfShape", ["n"], ["s"]), initializers=[ints("n", -1)])),
    case("endless range", "too large", fold(node("Range", ["a", "b", "c"], ["s"]), initializers=[
        ints("a", 0, shape=[]), ints("b", 1 << 62, shape=[]), ints("c", 1, shape=[])])),
    case("range of step 0", "step 0", fold(node("Range", ["a", "a", "a"], ["s"]), initializers=[ints("a", 0, shape=[])])),
    case("two updates of one place", "node 'b' ('ScatterElements', opset 17): updates 0 and 2 go to one place, which without a 'reduction'",
         graph(node("Reshape", ["x", "f"], ["a"]), node("ScatterElements", ["a", "i", "u"], ["b"]), node("Reshape", ["b", "t"], ["y"]),
               initializers=[ints("f", -1), ints("i", 1, 3, 1), ints("t", 2, 3, 8, 8), tensor("u", [3], bytes(8) + b"\0\0\x80?")])),
    case("two updates of one row", "updates 0 and 192 go to one place",
         graph(node("ScatterND", ["x", "i", "x"], ["y"]), initializers=[ints("i", 1, -1, shape=[2, 1])])),
    case("an op of a domain of Soap's", "this op is not supported", graph(node("Identity", ["x"], ["y"], domain="soap"))),
    case("huge expand", "too many elements", graph(node("Expand", ["x", "s"], ["y"]), initializers=[ints("s", 1 << 50, 2, 3, 8, 8)])),
    case("gather out of range", "index 9 is out of range for extent 4",
         fold(node("Shape", ["x"], ["a"]), node("Gather", ["a", "i"], ["s"]), initializers=[ints("i", 9)])),
    case("gather by floats", "expected integers", graph(node("Gather", ["x", "x"], ["y"]))),
    case("gather one out of range", "index 9 is out of range for extent 2", graph(node("Gather", ["x", "i"], ["y"]),
                                                                               initializers=[ints("i", 9, shape=[])])),
    case("gather elements of data", "indices of shape 1 do not fit an operand of shape",
         graph(node("GatherElements", ["x", "i"], ["y"]), initializers=[ints("i", 0)])),
    case("gather elements by floats", "expected integer indices", graph(node("GatherElements", ["x", "x"], ["y"]))),
    case("division by zero", "is not a 64-bit integer", fold(node("Div", ["a", "b"], ["s"]), initializers=[ints("a", 1), ints("b", 0)])),
    case("division overflow", "is not a 64-bit integer",
         fold(node("Div", ["a", "b"], ["s"]), initializers=[ints("a", -(1 << 63)), ints("b", -1)])),
    case("reciprocal of zero", "the result for 0 is not a 64-bit integer",
         fold(node("Reciprocal", ["a"], ["s"]), initializers=[ints("a", 0)])),
    case("multiplication overflow", "is not a 64-bit integer",
         fold(node("Mul", ["a", "a"], ["s"]), initializers=[ints("a", 1 << 40)])),
    case("cast of infinity", "can not be cast to int8", fold(node("Cast", ["a"], ["s"], to=3),
                                                   initializers=[tensor("a", [], struct.pack("<f", float("inf")))])),
    case("cast to text", "attribute 'to': string is not supported", graph(node("Cast", ["x"], ["y"], to=8))),
    case("cast to nonsense", "attribute 'to'", graph(node("Cast", ["x"], ["y"], to=1 << 40))),
    case("axis out of range", "axis 7 is out of range for rank 4", graph(node("Concat", ["x", "x"], ["y"], axis=7))),
    case("concat shapes", "can not be concatenated", graph(node("Concat", ["x", "w"], ["y"], axis=1), initializers=[W])),
    case("permutation twice", "an axis is given twice", graph(node("Transpose", ["x"], ["y"], perm=[0, 1, 1, 2]))),
    case("short permutation", "expected a permutation of 4 dims", graph(node("Transpose", ["x"], ["y"], perm=[1, 0]))),
    case("flatten axis", "axis 9 is out of range", graph(node("Flatten", ["x"], ["y"], axis=9))),
    case("squeeze of wide dim", "can not be dropped", graph(node("Squeeze", ["x", "a"], ["y"]), initializers=[ints("a", 1)])),
    case("slice that stands", "step 0", graph(node("Slice", ["x", "a", "b", "c", "d"], ["y"]), initializers=[
        ints("a", 7), ints("b", 0), ints("c", 3), ints("d", 0)])),
    case("empty slice backwards", "is empty", graph(node("Slice", ["x", "a", "b", "c", "d"], ["y"]), initializers=[
        ints("a", 0), ints("b", 5), ints("c", 3), ints("d", -1)])),
    case("empty slice", "is empty", graph(node("Slice", ["x", "a", "b"], ["y"]), initializers=[ints("a", 3), ints("b", 3)])),
    case("slice lists", "differ in length", graph(node("Slice", ["x", "a", "b"], ["y"]), initializers=[ints("a", 3), ints("b", 3, 4)])),
    case("strange pad", "attribute 'mode': 'mirror' is not supported", graph(node("Pad", ["x", "p"], ["y"], mode="mirror"),
                                                                            initializers=[ints("p", *[1] * 8)])),
    case("pads missing", "expected 8 pads, got 2", graph(node("Pad", ["x", "p"], ["y"]), initializers=[ints("p", 1, 1)])),
    case("huge pad", "out of range", graph(node("Pad", ["x", "p"], ["y"]), initializers=[ints("p", *[1 << 62] * 8)])),
    case("pad that crops all", "too many elements", graph(node("Pad", ["x", "p"], ["y"]),
         initializers=[ints("p", 0, 0, 0, -9, 0, 0, 0, 0)])),
    case("split", "can not be split", graph(node("Split", ["x", "p"], ["y", "z"], axis=1), initializers=[ints("p", 5, -2)])),
    case("constant without value", "expected exactly one attribute", fold(node("Constant", [], ["s"]))),
    case("constant of strings", "attribute 'value_string' is not supported", fold(node("Constant", [], ["s"], value_string="a"))),
    case("power", "do not broadcast", graph(node("Pow", ["x", "w"], ["y"]), initializers=[W])),
    case("clip by data", "expected a float scalar", graph(node("Clip", ["x", "x"], ["y"]))),
    # Flags.
    case("unknown data input", "the model has no input 'image'", OK_GRAPH, ["--data-inputs=image"]),
    case("shape of no data input", "which is no data input", OK_GRAPH, ["--input-shape=z:1x2"]),
    case("shape of other rank", "has rank 4, the shape given for it is 1x2", OK_GRAPH, ["--input-shape=x:1x2"]),
    case("weights into a folder that is not there", "cannot write", VALID, ["--weights-out", "{missing}/w.safetensors"]),
    case("pattern that matches nothing", "--parameters=v*: no float32 tensor of the model has such a name", VALID, ["--parameters=w,v*"]),
    case("constant that is not there", "--constants=v: no float32 tensor of the model has such a name", VALID, ["--constants=v"]),
    case("tie that is not there", "--tie-weights=v: no float32 tensor of the model has such a name", VALID, ["--tie-weights=v"]),
    case("untie that is not there", "--untie-weights=v: no float32 tensor of the model has such a name", VALID, ["--untie-weights=v"]),
    case("parameter and constant", "'w' matches --parameters=w and --constants=*, expected one of them", VALID,
         ["--parameters=w", "--constants=*"]),
    case("tied and untied", "'w' matches --tie-weights=? and --untie-weights=w, expected one of them", VALID,
         ["--tie-weights=?", "--untie-weights=w"]),
    case("malformed pattern", "--constants: pattern '[w': ", VALID, ["--constants=[w"]),
    case("pattern of many braces", "--constants: pattern ", VALID, ["--constants=" + "{a.b}" * 3 + "{" * 5]),
    case("no pattern", "--parameters: expected names or patterns", VALID, ["--parameters="], status=2),
    case("no list", "--parameters-from: expected a file", VALID, ["--parameters-from="], status=2),
    case("list that is not there", "expected a file with a name of a parameter a line", VALID, ["--parameters-from={missing}"]),
    case("list without end", "/dev/zero: expected a file with a name of a parameter a line", VALID, ["--parameters-from=/dev/zero"]),
    case("list that is a folder", "expected a file with a name of a parameter a line", VALID, ["--parameters-from={folder}"]),
    case("empty list", "no names, expected a name of a parameter a line", VALID, ["--parameters-from={names}"], files={"names": "\n \n"}),
    case("list of another model", "no tensor of the model has one of its names, the first is 'layer.weight'", VALID,
         ["--parameters-from={names}"], files={"names": "layer.weight\nlayer.bias\n"}),
    case("list of noise", "no tensor of the model has one of its names", VALID, ["--parameters-from={names}"],
         files={"names": bytes(range(256)) * 40}),
    case("constant without values", "graph input 'v' matches --constants=v, but has no values",
         graph(node("Conv", ["x", "v"], ["y"]), inputs=[X, value_info("v", [4, 3, 3, 3])]), ["--constants=v"]),
    case("statistic that is a constant by name", "'b' is a constant by --constants, and a running statistic of node 'norm'",
         graph(node("BatchNormalization", ["x", "a", "a", "b", "c"], ["y"], "norm"),
               initializers=[tensor(name, [3]) for name in "abc"]), ["--constants=b"]),
    case("batch that a reshape contradicts", "(the batch was replaced)", graph(
        node("Reshape", ["x", "s"], ["y"]), initializers=[ints("s", 3, 128)]), ["--batch=5"]),
    case("batch 0", "--batch: expected a positive number", OK_GRAPH, ["--batch=0"], status=2),
    case("batch that is no number", "batch", OK_GRAPH, ["--batch=many"], status=2),
    case("malformed shape", "--input-shape: expected NAME:2x3x4, got 'x=1'", OK_GRAPH, ["--input-shape=x=1"], status=2),
    case("unknown flag", "--frobnicate", OK_GRAPH, ["--frobnicate"], status=2),
]
for each in CASES:
    if each.name == "directory":
        each.command[2] = "{folder}/d"
    elif each.name == "missing file":
        each.command[2] = "{missing}"
CASES += [
    Case("no translation", ["soap-translate", "x.onnx"], ["expected a translation"], status=2),
    Case("no file", ["soap-translate", "--import-onnx"], ["expected an input file"], status=2),
]


def check_link(build):
    """A link out of the model's folder does not help to read other files."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        with open(os.path.join(other, "secret"), "wb") as stream:
            stream.write(bytes(432))
        os.symlink(os.path.join(other, "secret"), os.path.join(folder, "w.bin"))
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as stream:
            stream.write(conv(external(("location", "w.bin"))))
        return translate(build, path, 1, "expected a relative path inside")


def check_external(build):
    """The same file, honest: it works."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "data"))
        with open(os.path.join(folder, "data", "w.bin"), "wb") as stream:
            stream.write(bytes(100) + bytes(432))
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as stream:
            stream.write(conv(external(("location", "data/w.bin"), ("offset", "100"), ("length", "432"))))
        return translate(build, path, 0, "")


def check_long_chain(build):
    """No recursion over the graph."""
    nodes = [node("Identity", ["x" if i == 0 else "v%d" % i], ["v%d" % (i + 1)]) for i in range(50000)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as stream:
            stream.write(graph(*nodes, node("Relu", ["v50000"], ["y"]), outputs=[value_info("y", [2, 3, 8, 8])]))
        return translate(build, path, 0, "")


def translate(build, path, status, text):
    """None, or what is wrong."""
    done = subprocess.run([os.path.join(build, "bin", "soap-translate"), "--import-onnx", path, "-o", path + ".mlir"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                          env=dict(os.environ, ASAN_OPTIONS="allow_user_poisoning=0"))
    message = done.stderr.decode(errors="replace")
    if any(crash in message for crash in run.CRASHES):
        return "crashed: " + message[:1000]
    statuses = [status] if status is not None else [0, 1]
    if done.returncode not in statuses or text not in message:
        return "exit status %d: %s" % (done.returncode, message[:500])
    if done.returncode == 1 and "error: " not in message:
        return "no error message: %s" % message[:500]
    return None


def damaged(content, generator):
    """Content with a few bytes changed, removed or repeated."""
    data = bytearray(content)
    for _ in range(generator.choice([1, 1, 2, 4, 16])):
        position = generator.randrange(len(data))
        kind = generator.randrange(4)
        if kind == 0:
            data[position] = generator.randrange(256)
        elif kind == 1:
            data[position] ^= 1 << generator.randrange(8)
        elif kind == 2:
            del data[position:position + generator.randrange(1, 8)]
        else:
            data[position:position] = data[position:position + generator.randrange(1, 16)]
    return bytes(data)


def small_network():
    """Every family of handlers in a few hundred bytes."""
    return graph(
        node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1, 1, 1, 1], strides=[2, 2], dilations=[1, 1], group=1),
        node("BatchNormalization", ["c", "b", "b", "b", "b"], ["n"], "norm", epsilon=0.5),
        node("Clip", ["n", "zero"], ["r"], "clip"),
        node("MaxPool", ["r"], ["p"], "pool", kernel_shape=[2, 2], strides=[1, 2], pads=[0, 1, 1, 0], ceil_mode=1),
        node("AveragePool", ["p"], ["q"], "average", kernel_shape=[2, 2], auto_pad="SAME_UPPER", count_include_pad=1),
        node("Shape", ["q"], ["s"], "shape"), node("Gather", ["s", "i"], ["d"], "gather", axis=0),
        node("Concat", ["d", "m"], ["t"], "concat", axis=0), node("Reshape", ["q", "t"], ["f"], "reshape"),
        node("Transpose", ["f"], ["ft"], "transpose", perm=[1, 0]), node("Transpose", ["ft"], ["ff"], "back", perm=[1, 0]),
        node("Slice", ["ff", "i", "two", "one"], ["g"], "slice"), node("Pad", ["g", "pads"], ["h"], "pad"),
        node("ReduceMean", ["h"], ["y"], "mean", axes=[1], keepdims=1),
        outputs=[value_info("y", [2, 1])],
        initializers=[W, tensor("b", [4]), tensor("zero", [], bytes(4)), ints("i", 0), ints("m", -1), ints("one", 1), ints("two", 2),
                      ints("pads", 0, 1, 0, 1)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    parser.add_argument("--damaged", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    tally = Tally()
    for each in CASES:
        if options.only in each.name:
            tally.count(each.name, run.problem(each, build))
    for name, check in [("external link", check_link), ("external data", check_external), ("long chain", check_long_chain)]:
        if options.only in name:
            tally.count(name, check(build))
    if not options.only:
        generator = random.Random(options.seed)
        content = small_network()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            with open(path, "wb") as stream:
                stream.write(content)
            tally.count("the network that is damaged", translate(build, path, 0, ""))
            for i in range(options.damaged):
                with open(path, "wb") as stream:
                    stream.write(damaged(content, generator) if i % 5 else content[:generator.randrange(len(content))])
                try:
                    wrong = translate(build, path, None, "")
                except subprocess.TimeoutExpired:
                    wrong = "still running after 60 s"
                if wrong:
                    wrong += " (seed %d, file %d)" % (options.seed, i)
                tally.count("damaged", wrong)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
