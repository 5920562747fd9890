#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients in 16 bits are summed in f32: errors of first updates do not grow with the number of addends.

gradient_sums.py BUILD

Losses are linear in the weights, and these are 0 at first: an update is a sum of what the data say, which NumPy
computes in float64. Steps have 1 to 4,096 microbatches, of one sample at last, on one device and on two replicas. The
error of one microbatch is that of rounded data; more may add 0.1 % to it. With `gradient-sums=bf16` the error of 512 is
large, or the test would see nothing. Then 4,096 look-ups of one row. The last line is "N passed, N failed".
"""

import argparse
import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from recorded import read_safetensors
from soap_tools import Failure, Tools
from tally import Tally

MOST, ALLOWED = 4096, 1e-3

# The loss is the sum of all elements of x w.
LINEAR = """
func.func @forward(%x: tensor<{n}x{k}xf32> {{soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}},
                   %w: tensor<{k}x{m}xf32> {{soap.kind = #soap.kind<parameter>, soap.name = "w",
                                             soap.init = #soap.init<zeros>}}) -> tensor<f32> {{
  %0 = soap.matmul %x, %w {{soap.name = "fc"}} : (tensor<{n}x{k}xf32>, tensor<{k}x{m}xf32>) -> tensor<{n}x{m}xf32>
  %1 = soap.reduce sum %0 {{axes = array<i64: 0, 1>, soap.name = "sum"}} : (tensor<{n}x{m}xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}}
"""

# As many look-ups of the first row of a table as there are samples.
LOOK_UPS = """
func.func @forward(%i: tensor<{n}xi32> {{soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}},
                   %w: tensor<{k}x{m}xf32> {{soap.kind = #soap.kind<parameter>, soap.name = "w",
                                             soap.init = #soap.init<zeros>}}) -> tensor<f32> {{
  %0 = soap.gather %w, %i {{soap.name = "look_up"}} : (tensor<{k}x{m}xf32>, tensor<{n}xi32>) -> tensor<{n}x{m}xf32>
  %1 = soap.reduce sum %0 {{axes = array<i64: 0, 1>, soap.name = "sum"}} : (tensor<{n}x{m}xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}}
"""


class Case:
    """A model of `text` on data, whose gradient is `exact`; both of float64, except indices."""

    def __init__(self, tools, text, data, exact):
        self.tools, self.exact = tools, exact
        self.model, self.data = tools.path("model.mlir"), tools.path("data.npz")
        with open(self.model, "w") as stream:
            stream.write(text.format(n=len(data), k=exact.shape[0], m=exact.shape[1]))
        # The batch is the whole data set.
        np.savez(self.data, x_train=data if data.dtype == np.int32 else data.astype(np.float32))

    def error(self, options, strategy):
        """Of the first update, relative to its norm."""
        step, lowered, saved = (self.tools.path(name) for name in ("step.mlir", "lowered.mlir", "saved.safetensors"))
        self.tools.run("soap-opt", self.model, "--soap-build-training-step=loss=output learning-rate=1 " + options, "-o", step)
        self.tools.run("soap-opt", step, strategy, "--soap-partition", "--soap-lower-to-cpu", "-o", lowered)
        self.tools.run("soap-run", "train", lowered, "--quiet", "--data", "npz:" + self.data, "--epochs", 1, "--threads-per-device", 1,
                       "--save-weights", saved)
        update = -read_safetensors(saved)["w"].astype(np.float64)
        return np.linalg.norm(update - self.exact) / np.linalg.norm(self.exact)


def pipeline(devices, microbatches):
    inside = "single" if devices == 1 else "data-parallel"
    return "--soap-pipeline=topology=cpu-%d stages=1 microbatches=%d inside=%s" % (devices, microbatches, inside)


def check_microbatches(tools, tally):
    random = np.random.default_rng(1)
    data = random.normal(1, 0.3, (MOST, 3))
    exact = np.repeat(data.astype(np.float32).astype(np.float64).sum(0)[:, None], 2, 1)
    case = Case(tools, LINEAR, data, exact)
    for precision in ("bf16", "f16"):
        options = "precision=" + precision + (" loss-scale=1" if precision == "f16" else "")
        one = case.error(options, pipeline(1, 1))
        tally.count(precision + ", one microbatch", None if one < ALLOWED else "error %.1e" % one)
        for devices, microbatches in ((1, 64), (2, 256)) + (((1, MOST),) if precision == "bf16" else ()):
            error = case.error(options, pipeline(devices, microbatches))
            tally.count("%s, %d microbatches on %d devices" % (precision, microbatches, devices),
                        None if error <= one + ALLOWED else "error %.1e, of one %.1e" % (error, one))
    error = case.error("precision=bf16 gradient-sums=bf16", pipeline(1, 512))
    tally.count("gradient-sums=bf16, 512 microbatches", None if error > 0.02 else "error %.1e, as of f32" % error)


def check_look_ups(tools, tally):
    exact = np.zeros((2, 3))
    exact[0] = MOST
    case = Case(tools, LOOK_UPS, np.zeros(MOST, np.int32), exact)
    for name, strategy in (("one device", "--soap-apply-strategy=preset=single topology=cpu-1"),
                           ("two devices", "--soap-apply-strategy=preset=data-parallel topology=cpu-2"),
                           ("128 microbatches", pipeline(1, 128))):
        error = case.error("precision=bf16", strategy)
        tally.count("look-ups of one row, " + name, None if error <= ALLOWED else "error %.1e" % error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    options = parser.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(os.path.abspath(options.build), folder)
        for check in (check_microbatches, check_look_ups):
            tally.attempt(check.__name__, (Failure, OSError, KeyError), check, tools, tally)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
