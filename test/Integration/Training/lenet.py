#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LeNet on Fashion-MNIST under one device, data parallel, spatial, model parallel and a searched strategy.

lenet.py BUILD [--epochs N] [--accuracy A] [--iterations N] [--seeds N] [--strategies a,b,..]

Two checks of every strategy, both through the tools that a user calls:
- numbers: after some iterations from the same weights on the same batches, the weights differ from one device's by at
  most ten times what two single-device programs with different orders of sums differ by (the library's kernels against
  the reference kernels); both are printed, the largest over the seeds.
- accuracy: after the epochs, the test accuracy is at least what is asked for.

The last line is "N passed, N failed".
"""

import argparse
import os
import subprocess
import sys
import tempfile

from soap_tools import Failure, Tools

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
DATA = "/usr/share/datasets/fashion-mnist"
STRATEGIES = ["single", "data-parallel", "spatial", "model-parallel", "searched"]
MARGIN = 10


class LeNetTools(Tools):
    def lower(self, name, strategy, kernels=""):
        self.run("soap-opt", self.path("step.mlir"), strategy, "--soap-partition", "--soap-lower-to-cpu" + kernels,
                 "-o", self.path(name + ".mlir"))

    def train(self, name, *arguments):
        return self.report(self.path(name + ".mlir"), "--data", "idx:" + DATA, *arguments)


def prepare(tools, learning_rate, epochs, strategies):
    tools.run("soap-translate", "--import-onnx", os.path.join(SOURCE, "examples", "lenet.onnx"), "-o",
              tools.path("lenet.mlir"))
    tools.run("soap-opt", tools.path("lenet.mlir"), "--soap-build-training-step=loss=softmax-cross-entropy optimizer=sgd "
              "learning-rate=%g momentum=0.9 schedule=linear total-iterations=%d" % (learning_rate, 937 * max(1, epochs)),
              "-o", tools.path("step.mlir"))
    single = "--soap-apply-strategy=preset=single topology=cpu-4"
    tools.lower("reference", single, "=library=none fuse=false")
    for name in strategies:
        tools.lower(name, "--soap-auto-parallel=topology=cpu-4 seed=1 time-limit=5" if name == "searched" else
                    "--soap-apply-strategy=preset=%s topology=cpu-4" % name)


def difference(tools, name, iterations, seeds):
    """The largest over the seeds of the largest relative difference over weight tensors to 'single'."""
    worst = 0.0
    for seed in range(seeds):
        report = tools.train(name, "--compare-with", tools.path("single.mlir"), "--iterations", iterations, "--seed", seed)
        weights = report["comparison"]["weights"]
        # NaN, as the report writes it, is no number.
        if not isinstance(weights, (int, float)):
            raise Failure("'%s' with seed %d: weights are not numbers" % (name, seed))
        worst = max(worst, weights)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--learning-rate", type=float, default=0.05)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--accuracy", type=float, default=0.88)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    options = parser.parse_args()
    strategies = options.strategies.split(",")
    counts = {True: 0, False: 0}

    def count(good, text):
        counts[good] += 1
        print(("ok      " if good else "FAILED  ") + text, flush=True)

    if not os.path.isdir(DATA):
        print("FAILED  no folder '%s': install dataset-fashion-mnist\n0 passed, 1 failed" % DATA)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        tools = LeNetTools(os.path.abspath(options.build), folder)
        try:
            prepare(tools, options.learning_rate, options.epochs, ["single"] + [s for s in strategies if s != "single"])
            orders = difference(tools, "reference", options.iterations, options.seeds)
            print("weights after %d iterations, two orders of sums on one device: %.3g apart" % (options.iterations, orders))
            count(orders > 0, "two orders of sums differ")
            for name in strategies:
                if name == "single":
                    continue
                apart = difference(tools, name, options.iterations, options.seeds)
                count(apart <= MARGIN * orders, "%s: weights %.3g apart from one device's, %.3g times the orders'"
                      % (name, apart, apart / orders if orders else 0))
            for name in strategies if options.epochs else []:
                report = tools.train(name, "--epochs", options.epochs)
                accuracy = report["epochs"][-1]["test_accuracy"]
                count(accuracy >= options.accuracy, "%s: test accuracy %.4f after %d epochs, %.2f ms per iteration"
                      % (name, accuracy, options.epochs, report["milliseconds_per_iteration"]["median"]))
        except (Failure, subprocess.TimeoutExpired) as failure:
            count(False, str(failure))
    print("%d passed, %d failed" % (counts[True], counts[False]))
    return 1 if counts[False] else 0


if __name__ == "__main__":
    sys.exit(main())
