#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes examples/lenet.onnx: LeNet-5 for 28x28 images, with rectifiers and max pooling.

    utils/make-lenet-onnx.py [OUTPUT]

Needs the packages onnx and numpy (scripts/python-env.sh makes a virtual environment that has them). The weights are
He-normal from a fixed seed, so the file is the same on every run.
"""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BATCH = 64


def main():
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    output = sys.argv[1] if len(sys.argv) > 1 else os.path.join(source, "examples", "lenet.onnx")
    random = np.random.RandomState(1998)
    initializers = []

    def parameters(name, shape):
        fan_in = int(np.prod(shape[1:]))
        weight = (random.standard_normal(shape) * np.sqrt(2.0 / fan_in)).astype(np.float32)
        initializers.append(numpy_helper.from_array(weight, name + ".weight"))
        initializers.append(numpy_helper.from_array(np.zeros(shape[0], np.float32), name + ".bias"))
        return [name + ".weight", name + ".bias"]

    nodes = []

    def node(kind, inputs, name, **attributes):
        nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def pool(value, name):
        return node("MaxPool", [value], name, kernel_shape=[2, 2], strides=[2, 2])

    def linear(value, name, outputs, inputs):
        return node("Gemm", [value] + parameters(name, [outputs, inputs]), name, transB=1)

    value = node("Conv", ["image"] + parameters("conv1", [6, 1, 5, 5]), "conv1", kernel_shape=[5, 5],
                 strides=[1, 1], pads=[2, 2, 2, 2])
    value = pool(node("Relu", [value], "relu1"), "pool1")
    value = node("Conv", [value] + parameters("conv2", [16, 6, 5, 5]), "conv2", kernel_shape=[5, 5],
                 strides=[1, 1], pads=[0, 0, 0, 0])
    value = pool(node("Relu", [value], "relu2"), "pool2")
    value = node("Flatten", [value], "flatten", axis=1)
    value = node("Relu", [linear(value, "fc1", 120, 400)], "relu3")
    value = node("Relu", [linear(value, "fc2", 84, 120)], "relu4")
    value = linear(value, "fc3", 10, 84)

    graph = helper.make_graph(
        nodes, "lenet",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [BATCH, 1, 28, 28])],
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, [BATCH, 10])], initializers)
    model = helper.make_model(graph, producer_name="make-lenet-onnx", ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17)])
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, output)


if __name__ == "__main__":
    main()
