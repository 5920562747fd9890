# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX files, written field by field: what no exporter would write."""

import struct

from case import Case, field, model, node, npy, tensor, value_info

X = value_info("x", [2, 3, 8, 8])
W = tensor("w", [4, 3, 3, 3])
Y = value_info("y", [2, 4, 6, 6])
GOOD = model([node("Conv", ["x", "w"], ["y"], "conv")], [X], [Y], [W])


def onnx(name, content, *expect, options=()):
    return Case("onnx: " + name, ["soap-translate", "--import-onnx", "{m.onnx}", *options], ["m.onnx", *expect],
                {"m.onnx": content})


def op(name, text, *expect, shape=(2, 3, 8, 8), initializers=(W,), **more):
    """One node from x (and w) to y."""
    return onnx(name, model([text], [value_info("x", shape)], [value_info("y", [1])], initializers), *expect, **more)


def elements(name, index, *expect):
    """GatherElements by indices of the data, of which one is given."""
    gather = model([node("GatherElements", ["x", "i"], ["y"], "g", axis=1)],
                   [value_info("x", [2, 3]), value_info("i", [2, 1], dtype=7)], [value_info("y", [2, 1])])
    return Case("onnx: elements " + name, ["soap-run", "entry", "{folder}/f.mlir", "forward", "--input", "x={x.npy}", "--input", "i={i.npy}"],
                list(expect),
                {"m.onnx": gather, "x.npy": npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", bytes(24)),
                 "i.npy": npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1), }", struct.pack("<2q", 0, index))},
                setup=[["soap-translate", "--import-onnx", "{m.onnx}", "-o", "{folder}/f.mlir"]])


CASES = [
    onnx("an empty file", b"", "graph"),
    onnx("noise", bytes(range(7, 256)) * 20, "not an ONNX model, or truncated"),
    onnx("truncated in a weight", GOOD[:-100], "not an ONNX model, or truncated"),
    onnx("a length beyond the end", GOOD[:2] + b"\x3a\xff\xff\xff\xff\x0f", "not an ONNX model, or truncated"),
    onnx("no opset", model([], [X], [Y], opsets=[]), "no opset of the domain ai.onnx"),
    onnx("opset 6", model([node("Conv", ["x", "w"], ["y"])], [X], [Y], [W], opset=6), "opset 6 is not supported", "7 to 23"),
    onnx("opset 99", model([node("Conv", ["x", "w"], ["y"])], [X], [Y], [W], opset=99), "opset 99 is not supported"),
    op("an op that does not exist", node("Teleport", ["x"], ["y"], "t"), "node 't' ('Teleport', opset 17)",
       "not supported"),
    op("another domain", node("Conv", ["x", "w"], ["y"], "c", domain="com.example"), "domain 'com.example'"),
    op("an attribute that does not exist", node("Conv", ["x", "w"], ["y"], "c", colour=3), "node 'c'", "'colour'"),
    op("an attribute of the wrong type", node("Conv", ["x", "w"], ["y"], "c", group=0.5), "node 'c'", "'group'",
       "an integer"),
    op("strides of zero", node("Conv", ["x", "w"], ["y"], "c", strides=[0, 0]), "node 'c'", "'strides'", "[0, 0]"),
    op("three strides", node("Conv", ["x", "w"], ["y"], "c", strides=[1, 1, 1]), "node 'c'", "'strides'", "[1, 1, 1]"),
    op("absurd pads", node("Conv", ["x", "w"], ["y"], "c", pads=[1 << 62] * 4), "node 'c'", "'pads'"),
    op("a window larger than the image", node("MaxPool", ["x"], ["y"], "p", kernel_shape=[9, 9]), "node 'p'"),
    op("groups that do not fit", node("Conv", ["x", "w"], ["y"], "c", group=2), "node 'c'", "2 groups do not fit"),
    op("channels that do not fit", node("Conv", ["x", "w"], ["y"], "c"), "node 'c'", "do not fit", shape=(2, 5, 8, 8)),
    op("an operand that is defined nowhere", node("Conv", ["x", "v"], ["y"], "c"), "operand 'v' is defined nowhere"),
    op("an operand that is missing", node("Conv", ["x"], ["y"], "c"), "node 'c'", "operands, got 1"),
    onnx("a cycle", model([node("Add", ["x", "b"], ["a"], "first"), node("Relu", ["a"], ["b"], "second")], [X],
                          [value_info("b", [1])]), "node 'first'", "'b'", "without cycles"),
    onnx("a value defined twice", model([node("Relu", ["x"], ["y"], "one"), node("Relu", ["x"], ["y"], "two")], [X], [Y]),
         "'y' is defined twice"),
    onnx("an output that no node computes", model([node("Relu", ["x"], ["z"], "r")], [X], [Y]), "graph output 'y'"),
    onnx("no outputs", model([node("Relu", ["x"], ["y"], "r")], [X], []), "no outputs"),
    onnx("weights shorter than their shape", model([node("Conv", ["x", "w"], ["y"])], [X], [Y],
                                                   [tensor("w", [4, 3, 3, 3], raw=b"1234")]), "initializer 'w'", "got 4"),
    onnx("a weight of absurd size", model([node("Conv", ["x", "w"], ["y"])], [X], [Y],
                                          [tensor("w", [1 << 40, 1 << 40], raw=b"")]), "initializer 'w'",
         "too many elements"),
    onnx("a weight of negative size", model([node("Conv", ["x", "w"], ["y"])], [X], [Y],
                                            [tensor("w", [(1 << 64) - 1, 3], raw=b"")]), "initializer 'w'",
         "negative dim"),
    onnx("a weight twice", model([node("Conv", ["x", "w"], ["y"])], [X], [Y], [W, W]), "'w' is defined twice"),
    onnx("weights outside of the folder",
         model([node("Conv", ["x", "w"], ["y"])], [X], [Y],
               [b"".join(field(1, n) for n in [4, 3, 3, 3]) + field(2, 1) + field(8, "w") + field(14, 1) +
                field(13, field(1, "location") + field(2, "../../etc/passwd"))]), "'../../etc/passwd'",
         "inside of the model's folder"),
    onnx("a symbolic batch", model([node("Conv", ["x", "w"], ["y"])], [value_info("x", ["N", 3, 8, 8])], [Y], [W]),
         "graph input 'x'", "dim 0 is dynamic ('N')", "--batch=N"),
    onnx("a reshape that does not fit",
         model([node("Reshape", ["x", "s"], ["y"], "r")], [X], [value_info("y", [7])],
               [tensor("s", [1], raw=(7).to_bytes(8, "little"), dtype=7)]), "node 'r'", "7"),
    op("a row beyond the table", node("Gather", ["x", "i"], ["y"], "g", axis=1), "node 'g'", "index 3 is out of range for extent 3",
       initializers=(tensor("i", [2], raw=b"".join(n.to_bytes(8, "little", signed=True) for n in (-3, 3)), dtype=7),)),
    op("an element in front of its row", node("GatherElements", ["x", "i"], ["y"], "g", axis=0), "node 'g'",
       "index -3 is out of range for extent 2",
       initializers=(tensor("i", [1, 1, 1, 2], raw=b"".join(n.to_bytes(8, "little", signed=True) for n in (1, -3)), dtype=7),)),
    elements("beyond the row", 3, "i.npy: tensor 'i': sample 1: expected -3 to 2 for data 'i'", "got 3"),
    elements("in front of the row", -4, "i.npy: tensor 'i': sample 1: expected -3 to 2 for data 'i'", "got -4"),
    onnx("a data input that is not there", GOOD, "no input 'photo'", options=["--data-inputs=photo"]),
    Case("onnx: no such file", ["soap-translate", "--import-onnx", "{missing}"], ["no-such-file", "no such file"]),
    Case("onnx: a directory", ["soap-translate", "--import-onnx", "{folder}"], ["not a regular file"]),
]
