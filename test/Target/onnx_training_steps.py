#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the small files of Inputs/models on four devices, and compares with one device.

    onnx_training_steps.py BUILD [--only TEXT]

Their ops are compositions of ops of the dialect, so gradients and shards come with these. For each file: import, a
training step, then three steps on synthetic data under data parallelism, model parallelism and a cut of image dims;
losses and weights must equal the ones of one device (soap-run check). The last line is "N passed, N failed".
"""

import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "Inputs"), os.path.join(HERE, "..")]
from onnx_import import Wrong  # noqa: E402
from tally import Tally  # noqa: E402

MODELS = os.path.join(HERE, "Inputs", "models")
PRESETS = ("single", "data-parallel", "model-parallel", "spatial")
FLAGS = {"gru": ["--sample-dim=1"]}
SECONDS = 600


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
    if done.returncode != 0:
        raise Wrong("%s exited with status %d: %s" % (os.path.basename(command[0]), done.returncode,
                                                      done.stdout.decode(errors="replace")[:1500]))


def train(name, build, folder):
    tool = lambda name: os.path.join(build, "bin", name)
    path = lambda suffix: os.path.join(folder, suffix + ".mlir")
    run(tool("soap-translate"), "--import-onnx", os.path.join(MODELS, name + ".onnx"), "--batch=4", "--assume-roles", *FLAGS.get(name, []), "-o", path("model"))
    run(tool("soap-opt"), path("model"), "--soap-build-training-step=loss=softmax-cross-entropy learning-rate=0.01", "-o", path("step"))
    for preset in PRESETS:
        run(tool("soap-opt"), path("step"), "--soap-apply-strategy=preset=%s topology=cpu-4" % preset, "--soap-partition",
            "--soap-lower-to-cpu", "-o", path(preset))
    for preset in PRESETS[1:]:
        run(tool("soap-run"), "check", path(preset), "--data", "synthetic", "--iterations", "3", "--compare-with", path("single"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="", help="files whose name contains this text")
    options = parser.parse_args()
    tally = Tally()
    for name in sorted(file[:-5] for file in os.listdir(MODELS)):
        if options.only not in name:
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                train(name, os.path.abspath(options.build), folder)
            tally.count(name, None)
        except (Wrong, subprocess.TimeoutExpired) as wrong:
            tally.count(name, wrong)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
