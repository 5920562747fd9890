#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of PyTorch's exporters train as PyTorch does: parameters, and equal weights that are tied or not.

onnx_training.py BUILD [--only TEXT]

Each folder of Inputs/ has a model with its weights, one batch, and the losses of PyTorch in four iterations of plain
SGD (onnx_torch.py and make_equal_weights.py wrote them). Checks, all through the tools that a user calls:
- the losses of soap-run, of one device and of some strategies;
- the trained weights, written back into the ONNX file and run by ONNX Runtime, give the loss that PyTorch has next.

The last line is "N passed, N failed".
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy
import onnxruntime

from soap_tools import Counter, Failure, Tools

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, "Inputs")
RATE, CLOSE = 0.1, 1e-4
# Name, folder, options of import, presets on how many devices.
SINGLE, DATA, MODEL = ("single", 1), ("data-parallel", 2), ("model-parallel", 2)
LIST = "--parameters-from={folder}/parameters.txt"
CASES = [
    ("vit", "vit", ["--batch=4"], [SINGLE]),
    ("hf_vit", "hf_vit", [], [SINGLE]),
    ("dcgan", "dcgan", [], [SINGLE]),
    ("llama", "llama", [], [SINGLE]),
    ("llama, named", "llama", [LIST], [SINGLE]),
    # By default and by names: both have to find what the exporters merged.
    ("equal weights, dynamo", "equal_dynamo", [], [SINGLE]),
    ("equal weights, dynamo, named", "equal_dynamo", [LIST], [DATA, MODEL]),
    ("equal weights, torchscript", "equal_torchscript", [], [SINGLE]),
    ("equal weights, torchscript, named", "equal_torchscript", [LIST], [DATA, MODEL]),
    ("blocks, dynamo", "blocks_dynamo", [], [SINGLE]),
    ("blocks, dynamo, named", "blocks_dynamo", [LIST], [SINGLE]),
    ("blocks, torchscript", "blocks_torchscript", [], [SINGLE]),
    ("blocks, torchscript, named", "blocks_torchscript", [LIST], [SINGLE]),
]
# In inference, the norms of these use running statistics.
NORMED = {"dcgan"}


def cross_entropy(path, folder):
    """The loss of an ONNX model on the batch of a folder, by ONNX Runtime."""
    x, y = (numpy.load(os.path.join(folder, name + "_train.npy")) for name in "xy")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    data = session.get_inputs()[0]
    x = x.astype(numpy.int64 if "int64" in data.type else numpy.float32)
    logits = session.run(None, {data.name: x})[0].astype(numpy.float64)
    logits, y = logits.reshape(-1, logits.shape[-1]), y.reshape(-1)
    largest = logits.max(1, keepdims=True)
    logs = logits - largest - numpy.log(numpy.exp(logits - largest).sum(1, keepdims=True))
    return -logs[numpy.arange(len(y)), y].mean()


def check(tools, name, folder, options, presets, count):
    folder = os.path.join(INPUTS, folder)
    options = [option.format(folder=folder) for option in options]
    with open(os.path.join(folder, "losses.json")) as stream:
        losses = json.load(stream)["losses"]
    model, imported, step = os.path.join(folder, "model.onnx"), tools.path("model.mlir"), tools.path("step.mlir")
    # Exporters have folded and merged parameters of these: the guesses are tested.
    options.append("--assume-roles")
    tools.run("soap-translate", "--import-onnx", model, *options, "-o", imported)
    tools.run("soap-opt", imported, "--soap-build-training-step=loss=softmax-cross-entropy optimizer=sgd learning-rate=%g" % RATE,
              "-o", step)
    train = ["--data", "npy:" + folder, "--threads-per-device", 1]
    for preset, devices in presets:
        report = tools.report(step, *train, "--epochs", len(losses), "--preset", preset, "--topology", "cpu-%d" % devices)
        got = [epoch["loss"] for epoch in report["epochs"]]
        good = len(got) == len(losses) and all(abs(a - b) <= CLOSE for a, b in zip(got, losses))
        count(good, "%s, %s: losses %s, PyTorch's are %s" % (name, preset, ["%.6f" % loss for loss in got], losses))

    if os.path.basename(folder) in NORMED:
        return
    weights, trained = tools.path("weights.safetensors"), tools.path("trained.onnx")
    tools.report(step, *train, "--epochs", len(losses) - 1, "--save-weights", weights)
    tools.run("soap-translate", "--update-onnx", model, *options, "--weights", weights, "-o", trained)
    got = cross_entropy(trained, folder)
    count(abs(got - losses[-1]) <= CLOSE, "%s: the trained ONNX file has the loss %.6f, PyTorch's is %.6f" % (name, got, losses[-1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    count = Counter()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(os.path.abspath(options.build), folder)
        for name, *case in CASES:
            if options.only not in name:
                continue
            try:
                check(tools, name, *case, count)
            except (Failure, subprocess.TimeoutExpired) as failure:
                count(False, "%s: %s" % (name, failure))
    return count.status()


if __name__ == "__main__":
    sys.exit(main())
