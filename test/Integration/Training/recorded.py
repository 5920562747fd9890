#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains networks whose training PyTorch has recorded (record_torch.py), and compares.

recorded.py BUILD [--networks a,b]

Every network is imported, built into a training step and trained on its one batch, on one device and data parallel on
two. Checked are the loss of every iteration and the running statistics of batch norms after the last: ONNX keeps
`momentum` of the old ones and PyTorch gives the batch 1 - momentum; both normalize with the biased variance, and what
goes into the running one is unbiased in PyTorch and here. The last line is "N passed, N failed".
"""

import argparse
import json
import os
import sys
import tempfile

import numpy as np

from soap_tools import Counter, Failure, Tools

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "recorded")
# Options beside the defaults, of import and of the training step: a result that is not logits has to be asked for.
NETWORKS = {
    "resnet18": ([], ""),
    "regnety": ([], ""),
    "convnext": ([], ""),
    "norms": ([], ""),
    "dynamo": ([], ""),
    "sigmoid": ([], "loss=softmax-cross-entropy"),
    "softmax": (["--keep-final-softmax"], "loss=softmax-cross-entropy"),
    "log-softmax": (["--keep-final-softmax"], ""),
}
STRATEGIES = {"single": "preset=single topology=cpu-1", "data-parallel": "preset=data-parallel topology=cpu-2"}
TOLERANCE = 1e-4


def read_safetensors(path):
    with open(path, "rb") as stream:
        size = int.from_bytes(stream.read(8), "little")
        header, data = json.loads(stream.read(size)), stream.read()
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__" and entry["dtype"] == "F32"}


def check(tools, name, strategy, count):
    flags, loss = NETWORKS[name]
    folder = os.path.join(FOLDER, name)
    recorded = np.load(os.path.join(folder, "torch.npz"))
    losses = recorded["losses"]
    tools.run("soap-translate", "--import-onnx", "--assume-roles", *flags, os.path.join(folder, "model.onnx"), "-o",
              tools.path("model.mlir"))
    tools.run("soap-opt", tools.path("model.mlir"), "--soap-build-training-step=%s optimizer=sgd learning-rate=%r"
              % (loss, float(recorded["rate"])), "--soap-apply-strategy=" + STRATEGIES[strategy], "--soap-partition",
              "--soap-lower-to-cpu", "-o", tools.path("lowered.mlir"))
    report = tools.report(tools.path("lowered.mlir"), "--data", "npy:" + folder, "--epochs", len(losses), "--threads-per-device", 1,
                          "--save-weights", tools.path("weights.safetensors"))
    # The batch is the whole data set: an epoch is an iteration.
    got = np.array([epoch["loss"] for epoch in report["epochs"]], np.float64)
    apart = np.max(np.abs(got - losses)) if got.shape == losses.shape else np.inf
    count(apart <= TOLERANCE, "%s, %s: losses %s, %.1e from PyTorch's" % (name, strategy, got, apart))
    weights, worst = read_safetensors(tools.path("weights.safetensors")), 0.0
    statistics = [key for key in recorded.files if ".running_" in key]
    for key in statistics:
        if key not in weights:
            return count(False, "%s, %s: no running statistics '%s'" % (name, strategy, key))
        worst = max(worst, np.max(np.abs(weights[key] - recorded[key]) / np.max(np.abs(recorded[key]))))
    if statistics:
        count(worst <= TOLERANCE, "%s, %s: running statistics %.1e from PyTorch's" % (name, strategy, worst))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    options = parser.parse_args()
    count = Counter()
    if sorted(os.listdir(FOLDER)) != sorted(NETWORKS):
        count(False, "recorded are %s, expected %s" % (sorted(os.listdir(FOLDER)), sorted(NETWORKS)))
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(os.path.abspath(options.build), folder)
        for name in options.networks.split(","):
            for strategy in STRATEGIES:
                try:
                    check(tools, name, strategy, count)
                except (Failure, OSError, KeyError) as failure:
                    count(False, "%s, %s: %s" % (name, strategy, failure))
    return count.status()


if __name__ == "__main__":
    sys.exit(main())
