#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers of precision=fp8 and mxfp8 have the losses and gradients that were recorded with the same casts.

scaled.py BUILD

The records are of record_scaled.py. Gradients are equal except for sums in f32, on one device and on several that split
samples; where devices add up contributions of bf16, these may round to other 8-bit numbers, a few of them. The last
line is "N passed, N failed".
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from soap_tools import Failure, Tools
from tally import Tally

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "scaled")
MODEL = """
func.func @forward(%x: {x} {{soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}},
                   %t: {t} {{soap.kind = #soap.kind<data>, soap.name = "t", soap.sample_dim = 0 : i64}},
                   %w1: {w1} {{soap.kind = #soap.kind<parameter>, soap.name = "w1"}},
                   %w2: {w2} {{soap.kind = #soap.kind<parameter>, soap.name = "w2"}}) -> tensor<f32> {{
  %0 = soap.matmul %x, %w1 {{transpose_b, soap.name = "fc1"}} : ({x}, {w1}) -> {h}
  %1 = soap.matmul %0, %w2 {{transpose_b, soap.name = "fc2"}} : ({h}, {w2}) -> {t}
  %2 = soap.mul %1, %t {{soap.name = "mul"}} : {t}
  %3 = soap.reduce sum %2 {{axes = array<i64: 0, 1>, soap.name = "sum"}} : ({t}) -> tensor<f32>
  return %3 : tensor<f32>
}}
"""
# Flags of soap-run, and how far gradients may be away.
RUNS = [(["--topology", "cpu-1", "--preset", "single"], 1e-6), (["--topology", "cpu-1", "--preset", "single", "--reference"], 1e-6),
        (["--topology", "cpu-4", "--preset", "data-parallel"], 1e-6), (["--topology", "cpu-2", "--preset", "zero"], 1e-6),
        (["--topology", "cpu-4", "--preset", "model-parallel"], 0.03)]


def tensor(values):
    return "tensor<%sxf32>" % "x".join(map(str, values.shape))


def check(tools, tally, precision, flags, allowed, data, record):
    inputs = [text for name in data for text in ("--input", "%s=%s" % (name, tools.path(name + ".npy")))]
    folder = tools.path("results")
    tools.run("soap-run", "entry", tools.path(precision + ".mlir"), "train_step", "--output", folder, *flags, *inputs)
    loss = np.load(os.path.join(folder, "batch_loss.npy"))
    # A step of sgd at rate 1: the weight less the gradient.
    away = {name: np.linalg.norm(data[name] - np.load(os.path.join(folder, name + ".npy")) - record[name]) / np.linalg.norm(record[name])
            for name in ("w1", "w2")}
    away["loss"] = abs(loss - record["loss"]) / abs(record["loss"])
    for name, distance in away.items():
        tally.count("%s of %s, %s" % (name, precision, " ".join(flags)),
                    None if distance <= allowed else "%.2g away, expected at most %.2g" % (distance, allowed))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    build = parser.parse_args().build
    data = dict(np.load(os.path.join(INPUTS, "data.npz")))
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(build, folder)
        for name, values in data.items():
            np.save(tools.path(name + ".npy"), values)
        with open(tools.path("model.mlir"), "w") as stream:
            stream.write(MODEL.format(h="tensor<%dx%dxf32>" % (len(data["x"]), len(data["w1"])), **{name: tensor(values) for name, values in data.items()}))
        for precision in ("fp8", "mxfp8"):
            record = np.load(os.path.join(INPUTS, precision + ".npz"))
            tools.run("soap-opt", tools.path("model.mlir"), "--soap-build-training-step=loss=output learning-rate=1 precision=" + precision,
                      "-o", tools.path(precision + ".mlir"))
            for flags, allowed in RUNS:
                tally.attempt("%s, %s" % (precision, " ".join(flags)), (Failure, OSError, subprocess.TimeoutExpired), check, tools, tally,
                              precision, flags, allowed, data, record)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
