#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of 16 bits in parts: their errors do not grow with the number of addends, or of parts.

partial_sums.py BUILD

Sums of gradients over microbatches are in gradient_sums.py. Here are sums of activations, which stay in 16 bits:
products whose contracted dim is split, forward and backward, also inside of a pipeline, look-ups of one row, uses of
one value, and the weight that the steps of an LSTM share. Sums have up to 4,096 addends, all of one sign, and NumPy
adds them in float64. A sum may be rounded a few times: each contribution, once on each device, and once whole. The last
line is "N passed, N failed".
"""

import argparse
import json
import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from recorded import read_safetensors
from soap_tools import Failure, Tools
from tally import Tally

MOST = 4096
# The most that rounding to nearest changes a number by, and the bits that f32 has more.
ROUNDING = {"bf16": (2.0**-8, 16), "f16": (2.0**-11, 13)}


def rounded(values, precision):
    """To 16 bits and back: f32 without the last bits, to nearest, ties to even. No overflow, no tiny numbers."""
    bits = ROUNDING[precision][1]
    words = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    words = (words + (1 << (bits - 1)) - 1 + (words >> bits & 1)) >> bits << bits
    return words.astype(np.uint32).view(np.float32).astype(np.float64)


def tensor(*shape, element="f32"):
    return "tensor<%s>" % "x".join([str(n) for n in shape] + [element])


def constant(values):
    """A dense attribute; each f32 has its digits."""
    return "dense<%s>" % json.dumps(np.asarray(values, np.float32).astype(float).tolist())


class Program:
    """Ops on data `x`; the loss is the sum of the last result."""

    def __init__(self, x):
        self.x, self.parameters, self.ops = x, [], []
        self.names = {"x": tensor(*x.shape)}

    def parameter(self, name, init, *shape):
        self.parameters.append('%%%s: %s {soap.kind = #soap.kind<parameter>, soap.name = "%s", soap.init = #soap.init<%s>}'
                               % (name, tensor(*shape), name, init))
        self.names[name] = tensor(*shape)

    def op(self, name, kind, operands, shape, attributes=""):
        """`shape`: of the result. `name` may be several results, which all have that of `shape`, a list."""
        results, types = ([name], [tensor(*shape)]) if isinstance(name, str) else (name, [tensor(*s) for s in shape])
        text = "%s = soap.%s %s {soap.name = \"%s\"%s} : (%s) -> %s" % (
            ", ".join("%" + r for r in results), kind, ", ".join("%" + o for o in operands), results[0],
            attributes and ", " + attributes, ", ".join(self.names[o] for o in operands),
            types[0] if len(types) == 1 else "(%s)" % ", ".join(types))
        self.ops.append(text)
        self.names.update(zip(results, types))

    def constant(self, name, values, shape, element="f32"):
        kind = tensor(*shape, element=element)
        self.ops.append("%%%s = soap.constant %s : %s : %s" % (name, values, kind, kind))
        self.names[name] = kind

    def text(self, last):
        rank = self.names[last].count("x")
        self.op("loss", "reduce sum", [last], [], "axes = array<i64: %s>" % ", ".join(map(str, range(rank))))
        data = '%%x: %s {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}' % self.names["x"]
        return "func.func @forward(%s) -> tensor<f32> {\n%s\n  return %%loss : tensor<f32>\n}\n" % (
            ", ".join([data] + self.parameters), "\n".join(self.ops))


class Sums:
    """Trains programs for one step, in one precision."""

    def __init__(self, tools, tally, precision):
        self.tools, self.tally, self.precision = tools, tally, precision
        self.random = np.random.default_rng(1)

    def numbers(self, *shape):
        return rounded(self.random.normal(1, 0.3, shape), self.precision)

    def planned(self, step, split):
        """Options that plan a step: on one device, or with ops whose loops are split over eight devices in turn."""
        if split is None:
            return "--soap-apply-strategy=preset=single topology=cpu-1"
        if isinstance(split, str):
            return split
        op, loop, pieces = split
        strategy = self.tools.path("strategy.json")
        self.tools.run("soap-opt", step, "--soap-apply-strategy=preset=single topology=cpu-8 export=" + strategy, "-o", "-")
        with open(strategy) as stream:
            content = json.load(stream)
        content.pop("schedule", None)
        entry, = (entry for entry in content["ops"] if entry["name"] == op)
        entry.update(degrees={loop: pieces}, devices=[piece % 8 for piece in range(pieces)])
        with open(strategy, "w") as stream:
            json.dump(content, stream)
        return "--soap-apply-strategy=topology=cpu-8 strategy=" + strategy

    def check(self, name, program, last, weight, exact, allowed, split=None):
        """The first update of `weight`, 0 at first, against `exact`; `allowed`: how many roundings."""
        model, data, step, lowered, saved = (
            self.tools.path(file) for file in ("model.mlir", "data.npz", "step.mlir", "lowered.mlir", "saved.safetensors"))
        with open(model, "w") as stream:
            stream.write(program.text(last))
        np.savez(data, x_train=program.x.astype(np.float32))
        options = "loss=output learning-rate=1 precision=" + self.precision
        options += " loss-scale=1" if self.precision == "f16" else ""
        self.tools.run("soap-opt", model, "--soap-build-training-step=" + options, "-o", step)
        self.tools.run("soap-opt", step, self.planned(step, split), "--soap-partition", "--soap-lower-to-cpu", "-o", lowered)
        self.tools.run("soap-run", "train", lowered, "--quiet", "--no-shuffle", "--data", "npz:" + data, "--epochs", 1,
                       "--threads-per-device", 1, "--save-weights", saved)
        update = -read_safetensors(saved)[weight].astype(np.float64)
        error = np.linalg.norm(update - exact) / np.linalg.norm(exact) / ROUNDING[self.precision][0]
        self.tally.count("%s, %s" % (self.precision, name),
                         None if error <= allowed else "error of %.2f roundings, at most %.2f" % (error, allowed))

    def check_products(self):
        """The gradient of `read` is the product before it."""
        for name, pieces, allowed in (("whole", 1, 1), ("in 8", 8, 3), ("in 512", 512, 3)):
            program = Program(self.numbers(2, MOST))
            program.parameter("ones", "ones", MOST, 3)
            program.parameter("read", "zeros", 3, 2)
            program.op("cut", "matmul", ["x", "ones"], [2, 3])
            program.op("out", "matmul", ["cut", "read"], [2, 2])
            exact = np.full((3, 2), program.x.sum())
            self.check("product, " + name, program, "out", "read", exact, allowed, ("cut", "k", pieces))

    def check_products_in_pipelines(self):
        """Microbatches of one sample, on 64 devices that split the contracted dim of every second product."""
        if self.precision == "f16":
            return  # such sums are beyond its numbers
        for devices in (1, 16, 64):
            program = Program(self.numbers(2, 3))
            program.parameter("up", "ones", 3, MOST)
            program.parameter("down", "ones", MOST, 3)
            program.parameter("read", "zeros", 3, 2)
            program.op("wide", "matmul", ["x", "up"], [2, MOST])
            program.op("narrow", "matmul", ["wide", "down"], [2, 3])
            program.op("out", "matmul", ["narrow", "read"], [2, 2])
            exact = np.full((3, 2), MOST * rounded(program.x.sum(1), self.precision).sum())
            self.check("product in microbatches on %d devices" % devices, program, "out", "read", exact, 2,
                       "--soap-pipeline=topology=cpu-%d stages=1 microbatches=2 inside=model-parallel" % devices)

    def check_gradients_of_products(self):
        for name, pieces, allowed in (("whole", 1, 1), ("in 8", 8, 3), ("in 512", 512, 3)):
            program, factors = Program(self.numbers(2, 2)), self.numbers(2, MOST)
            program.parameter("first", "zeros", 2, 3)
            program.parameter("ones", "ones", 3, MOST)
            program.op("h", "matmul", ["x", "first"], [2, 3])
            program.op("cut", "matmul", ["h", "ones"], [2, MOST])
            program.constant("factors", constant(factors), [2, MOST])
            program.op("out", "mul", ["cut", "factors"], [2, MOST])
            exact = np.repeat((program.x.T @ factors.sum(1))[:, None], 3, 1)
            self.check("gradient of a product, " + name, program, "out", "first", exact, allowed,
                       ("cut.input_grad", "k", pieces))

    def check_look_ups(self):
        for name, pieces, allowed in (("whole", 1, 1), ("in 64", 64, 3)):
            program, factors = Program(self.numbers(2, 2)), self.numbers(MOST, 3)
            program.parameter("first", "zeros", 2, 3)
            program.op("h", "matmul", ["x", "first"], [2, 3])
            program.constant("row", "dense<0>", [MOST], "i32")
            program.op("look_up", "gather", ["h", "row"], [MOST, 3])
            program.constant("factors", constant(factors), [MOST, 3])
            program.op("out", "mul", ["look_up", "factors"], [MOST, 3])
            exact = program.x[0][:, None] * factors.sum(0)
            self.check("look-ups of one row, " + name, program, "out", "first", exact, allowed,
                       ("look_up.table_grad", "i0", pieces))

    def check_uses(self):
        for uses in (16, 512):
            program, factors = Program(self.numbers(2, 2)), self.numbers(uses)
            program.parameter("first", "zeros", 2, 3)
            program.op("h", "matmul", ["x", "first"], [2, 3])
            last = None
            for i, factor in enumerate(factors):
                program.op("use%d" % i, "scale", ["h"], [2, 3], "factor = %r : f64" % float(factor))
                if last:
                    program.op("sum%d" % i, "add", [last, "use%d" % i], [2, 3])
                last = "sum%d" % i if last else "use0"
            exact = np.repeat((program.x.sum(0) * factors.sum())[:, None], 3, 1)
            self.check("%d uses of a value" % uses, program, last, "first", exact, 1)

    def check_steps(self):
        """Weights of 0: gates are 1/2, cells 0. The gradient of a cell is 1/2, and half of that of the next step; half
        of it is that of the new content, the last of four gates. Addends are rounded, the sum is not."""
        steps, samples, width = 16, MOST // 16, 2
        for chunks in (1, 4, 16):
            chunk = steps // chunks
            program = Program(self.numbers(samples, steps))
            program.parameter("weight", "zeros", 1, 4 * width)
            program.parameter("recurrent", "zeros", 4, width, width)
            program.op("column", "reshape", ["x"], [samples, steps, 1])
            program.op("time", "transpose", ["column"], [steps, samples, 1], "permutation = array<i64: 1, 0, 2>")
            program.constant("zero", "dense<0.0>", [1, samples, width])
            hidden = cell = "zero"
            last = None
            for c in range(chunks):
                def cut(name, value, at, size, inner):
                    program.op(name, "slice", [value], [size, samples, inner],
                               "offsets = array<i64: %d, 0, 0>, sizes = array<i64: %d, %d, %d>, strides = array<i64: 1, 1, 1>"
                               % (at, size, samples, inner))
                cut("x%d" % c, "time", c * chunk, chunk, 1)
                program.op("product%d" % c, "matmul", ["x%d" % c, "weight"], [chunk, samples, 4 * width])
                program.op("gates%d" % c, "reshape", ["product%d" % c], [chunk, samples, 4, width])
                program.op(["y%d" % c, "c%d" % c, "all%d" % c], "lstm", ["gates%d" % c, "recurrent", hidden, cell],
                           [[chunk, samples, width], [chunk, samples, width], [chunk, samples, 4, width]])
                hidden, cell = "h%d" % c, "e%d" % c
                cut(hidden, "y%d" % c, chunk - 1, 1, width)
                cut(cell, "c%d" % c, chunk - 1, 1, width)
                if last:
                    program.op("sum%d" % c, "add", [last, "y%d" % c], [chunk, samples, width])
                last = "sum%d" % c if last else "y0"
            exact = np.zeros((1, 4 * width))
            exact[0, -width:] = (program.x * (0.5 - 0.5 ** np.arange(steps + 1, 1, -1))).sum()
            self.check("steps of an LSTM in %d ops" % chunks, program, last, "weight", exact, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    options = parser.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(os.path.abspath(options.build), folder)
        for precision in ROUNDING:
            sums = Sums(tools, tally, precision)
            for check in (sums.check_products, sums.check_products_in_pipelines, sums.check_gradients_of_products,
                          sums.check_look_ups, sums.check_uses, sums.check_steps):
                tally.attempt("%s, %s" % (precision, check.__name__), (Failure, OSError, KeyError, ValueError), check)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
