# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the files torch-*.mlir, torch-*.x.npy and torch-*.y.npy of this folder.

    pip install torch-mlir onnx onnxruntime numpy
    python make_torch_models.py

Small models as ONNX, as torch-mlir lowers them to linalg, with an input and what ONNX Runtime computes of it.
"""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FOLDER = os.path.dirname(os.path.abspath(__file__))
PASSES = ("builtin.module(func.func(convert-torch-onnx-to-torch),torch-lower-to-backend-contract,"
          "func.func(cse,canonicalize),torch-backend-to-linalg-on-tensors-backend-pipeline)")
rng = np.random.default_rng(7)


def weight(name, *shape):
    return numpy_helper.from_array((rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32), name)


def save(name, nodes, x, y, weights, feed):
    model = helper.make_model(helper.make_graph(nodes, name, [x], [y], weights),
                              opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    path = os.path.join(FOLDER, f"torch-{name}")
    onnx.save(model, path + ".onnx")
    bin_folder = os.path.dirname(sys.executable)
    subprocess.run([os.path.join(bin_folder, "torch-mlir-import-onnx"), path + ".onnx", "-o", path + ".torch"],
                   check=True)
    subprocess.run([os.path.join(bin_folder, "torch-mlir-opt"), path + ".torch", "-pass-pipeline=" + PASSES, "-o",
                    path + ".mlir"], check=True)
    result = onnxruntime.InferenceSession(path + ".onnx").run(None, {"x": feed})[0]
    np.save(path + ".x.npy", feed)
    np.save(path + ".y.npy", result)
    os.remove(path + ".onnx")
    os.remove(path + ".torch")


def cnn():
    node = helper.make_node
    nodes = [node("Conv", ["x", "w1", "b1"], ["c1"], pads=[1, 1, 1, 1]), node("Relu", ["c1"], ["r1"]),
             node("MaxPool", ["r1"], ["p1"], kernel_shape=[2, 2], strides=[2, 2]),
             node("Conv", ["p1", "w2", "b2"], ["c2"], strides=[2, 2]), node("Relu", ["c2"], ["r2"]),
             node("GlobalAveragePool", ["r2"], ["g"]), node("Flatten", ["g"], ["f"]),
             node("Gemm", ["f", "w3", "b3"], ["l"], transB=1), node("Softmax", ["l"], ["y"], axis=1)]
    save("cnn", nodes, helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 3, 12, 12]),
         helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 5]),
         [weight("w1", 4, 3, 3, 3), weight("b1", 4), weight("w2", 6, 4, 3, 3), weight("b2", 6), weight("w3", 5, 6),
          weight("b3", 5)], rng.standard_normal((4, 3, 12, 12)).astype(np.float32))


def transformer():
    """Embedding, one head of attention, layer norm and a gelu."""
    node = helper.make_node
    nodes = [node("Gather", ["table", "x"], ["e"]),
             node("LayerNormalization", ["e", "scale", "shift"], ["n"], axis=-1),
             node("MatMul", ["n", "wq"], ["q"]), node("MatMul", ["n", "wk"], ["k"]), node("MatMul", ["n", "wv"], ["v"]),
             node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]), node("MatMul", ["q", "kt"], ["s"]),
             node("Softmax", ["s"], ["p"], axis=-1), node("MatMul", ["p", "v"], ["a"]), node("Add", ["e", "a"], ["r"]),
             node("MatMul", ["r", "w1"], ["h"]), node("Erf", ["h"], ["h1"]), node("Mul", ["h", "h1"], ["h2"]),
             node("MatMul", ["h2", "w2"], ["m"]), node("Add", ["r", "m"], ["y"])]
    save("transformer", nodes, helper.make_tensor_value_info("x", TensorProto.INT64, [2, 6]),
         helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 6, 8]),
         [weight("table", 11, 8), weight("scale", 8), weight("shift", 8), weight("wq", 8, 8), weight("wk", 8, 8),
          weight("wv", 8, 8), weight("w1", 8, 16), weight("w2", 16, 8)],
         rng.integers(0, 11, (2, 6)))


cnn()
transformer()
