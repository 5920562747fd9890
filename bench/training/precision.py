#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains LeNet on Fashion-MNIST and the GPT of examples/ on a text in f32, bf16 and f16, from several seeds.

precision.py BUILD [--models lenet,gpt] [--precisions f32,bf16,f16] [--seeds N] [--epochs N] [--iterations N]

Prints per model and precision the test accuracy (LeNet) or the test loss (GPT) of each seed, mean and range. Ends
with 1 if a mean is further from the mean of f32 than the range of all seeds in f32 is wide, or than FLOOR.
"""

import argparse
import os
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "test", "Integration", "Training"))

from soap_tools import Tools  # noqa: E402

DATA = "idx:/usr/share/datasets/fashion-mnist"
TEXT = "text:/usr/share/common-licenses/GPL-3,level=byte"
MODELS = {
    "lenet": ("learning-rate=0.05 momentum=0.9", DATA, "test_accuracy"),
    "gpt": ("optimizer=adam learning-rate=0.003", TEXT, "test_loss"),
}
# Three seeds say little about the noise of one number: accuracies within 0.01 and losses within 0.03 are alike.
FLOOR = {"test_accuracy": 0.01, "test_loss": 0.03}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--precisions", default="f32,bf16,f16")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=0, help="of an epoch, at most; 0: all")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(os.path.abspath(options.build), folder)
        for model in options.models.split(","):
            step, data, what = MODELS[model]
            tools.run("soap-translate", "--import-onnx", os.path.join(SOURCE, "examples", model + ".onnx"), "-o", tools.path("m.mlir"))
            base = None
            for precision in options.precisions.split(","):
                tools.run("soap-opt", tools.path("m.mlir"), "--soap-build-training-step=%s precision=%s" % (step, precision),
                          "--soap-apply-strategy=preset=single topology=cpu-1", "--soap-partition", "--soap-lower-to-cpu", "-o", tools.path("l.mlir"))
                count = ["--iterations", options.iterations] if options.iterations else ["--epochs", options.epochs]
                values = []
                for seed in range(1, options.seeds + 1):
                    report = tools.report(tools.path("l.mlir"), "--data", data, "--quiet", "--seed", seed,
                                          "--threads-per-device", 1, *count)
                    values.append(report["epochs"][-1][what])
                mean, width = sum(values) / len(values), max(values) - min(values)
                base = base or (mean, width)
                ok = abs(mean - base[0]) <= max(base[1], FLOOR[what])
                failed |= not ok
                print("%s %s: %s %s, mean %.4f, range %.4f: %s" % (
                    model, precision, what, " ".join("%.4f" % value for value in values), mean, width, "ok" if ok else "FAILED"), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
