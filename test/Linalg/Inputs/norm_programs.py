#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linalg programs that are softmax, layer norm, RMS norm or gelu, and programs that are almost.

    norm_programs.py NAME                prints a module with one function, `main`
    norm_programs.py --check BUILD       --soap-recognize-ops on all of them

Each op of a program is one linalg.generic. The pass finds what RECOGNIZED says, and leaves the programs whose name
begins with "no-" as they are. What it changes computes the same numbers: on one device, and split over rows and along
the dim on four. The last line is "N passed, N failed".
"""

import os
import random
import struct
import subprocess
import sys
import tempfile

from compare_npy import read

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", ".."))
from tally import Tally  # noqa: E402

DIMS = "d0, d1, d2"


class Program:
    """A function on x and dy, tensors of 2 x 3 x N elements, and on gamma and beta, of N."""

    def __init__(self, last=8):
        self.shapes = {"x": (2, 3, last), "dy": (2, 3, last), "gamma": (last,), "beta": (last,), "z": (2, 3, last)}
        self.lines, self.count, self.last = [], 0, last

    def type(self, shape):
        return "tensor<%sf32>" % "".join("%dx" % extent for extent in shape)

    def emit(self, body, operands, maps, shape, result_map, iterators, init):
        self.count += 1
        name = "v%d" % self.count
        arguments = ", ".join("%%a%d: f32" % i for i in range(len(operands) + 1))
        every = ", ".join("affine_map<(%s) -> (%s)>" % (DIMS, m) for m in maps + [result_map])
        self.lines += [
            "%%e%d = tensor.empty() : %s" % (self.count, self.type(shape)),
            "%%c%d = arith.constant %s : f32" % (self.count, init),
            "%%i%d = linalg.fill ins(%%c%d : f32) outs(%%e%d : %s) -> %s"
            % (self.count, self.count, self.count, self.type(shape), self.type(shape)),
            "%%%s = linalg.generic {indexing_maps = [%s], iterator_types = [%s]}"
            % (name, every, ", ".join('"%s"' % kind for kind in iterators)),
            "    ins(%s : %s) outs(%%i%d : %s) {"
            % (
                ", ".join("%" + o for o in operands),
                ", ".join(self.type(self.shapes[o]) for o in operands),
                self.count,
                self.type(shape),
            ),
            "^bb0(%s):" % arguments,
            *body,
            "linalg.yield %%r : f32 } -> %s" % self.type(shape),
        ]
        self.shapes[name] = shape
        return name

    def map_of(self, operand):
        shape = self.shapes[operand]
        return {3: DIMS, 2: "d0, d1", 1: "d2" if shape == (self.last,) else "d1"}[len(shape)]

    def op(self, text, *operands):
        """A point-by-point op: `text` reads %a0, %a1, ..., and makes %r. Of the largest shape."""
        shape = max((self.shapes[o] for o in operands), key=len)
        if len(shape) == 2:
            maps = ["d0, d1"] * len(operands)
            self.count += 1
            name = "v%d" % self.count
            every = ", ".join(["affine_map<(d0, d1) -> (d0, d1)>"] * (len(operands) + 1))
            types = ", ".join([self.type(shape)] * len(operands))
            self.lines += [
                "%%e%d = tensor.empty() : %s" % (self.count, self.type(shape)),
                '%%%s = linalg.generic {indexing_maps = [%s], iterator_types = ["parallel", "parallel"]}' % (name, every),
                "    ins(%s : %s) outs(%%e%d : %s) {"
                % (", ".join("%" + o for o in operands), types, self.count, self.type(shape)),
                "^bb0(%s):" % ", ".join("%%a%d: f32" % i for i in range(len(operands) + 1)),
                *text.split(";"),
                "linalg.yield %%r : f32 } -> %s" % self.type(shape),
            ]
            self.shapes[name] = shape
            return name
        maps = [self.map_of(o) for o in operands]
        return self.emit(text.split(";"), operands, maps, shape, DIMS, ["parallel"] * 3, "0.0")

    def add(self, a, b):
        return self.op("%r = arith.addf %a0, %a1 : f32", a, b)

    def sub(self, a, b):
        return self.op("%r = arith.subf %a0, %a1 : f32", a, b)

    def mul(self, a, b):
        return self.op("%r = arith.mulf %a0, %a1 : f32", a, b)

    def div(self, a, b):
        return self.op("%r = arith.divf %a0, %a1 : f32", a, b)

    def scale(self, a, number):
        return self.op("%%k = arith.constant %s : f32;%%r = arith.mulf %%a0, %%k : f32" % number, a)

    def plus(self, a, number):
        return self.op("%%k = arith.constant %s : f32;%%r = arith.addf %%a0, %%k : f32" % number, a)

    def math(self, name, a):
        return self.op("%%r = math.%s %%a0 : f32" % name, a)

    def reduce(self, fold, a, dims=(2,), init=None):
        kept = [d for d in range(3) if d not in dims]
        shape = tuple(self.shapes[a][d] for d in kept)
        kinds = ["reduction" if d in dims else "parallel" for d in range(3)]
        init = init or {"addf": "0.0", "maximumf": "0xFF800000"}[fold]
        body = ["%%r = arith.%s %%a1, %%a0 : f32" % fold]
        return self.emit(body, [a], [DIMS], shape, ", ".join("d%d" % d for d in kept), kinds, init)

    def sum(self, a, dims=(2,), init=None):
        return self.reduce("addf", a, dims, init)

    def module(self, *results):
        arguments = ["x", "dy", "gamma", "beta", "z"]
        types = ", ".join(self.type(self.shapes[r]) for r in results)
        return "\n".join(
            [
                "func.func @main(%s) -> (%s) {"
                % (", ".join("%%%s: %s" % (a, self.type(self.shapes[a])) for a in arguments), types),
                *self.lines,
                "return %s : %s" % (", ".join("%" + r for r in results), types),
                "}",
            ]
        )


def exponentials(p, axis=2, of="x"):
    maximum = p.reduce("maximumf", of, (axis,))
    if axis != 2:
        raise ValueError(axis)
    return p.math("exp", p.sub(of, maximum))


def softmax(p):
    e = exponentials(p)
    return e, p.div(e, p.sum(e))


def centered(p):
    return p.sub("x", p.scale(p.sum("x"), "0.125"))


def layer_norm(p, epsilon="1.0e-5"):
    c = centered(p)
    root = p.math("sqrt", p.plus(p.scale(p.sum(p.mul(c, c)), "0.125"), epsilon))
    return c, root, p.div(c, root)


def is_softmax():
    p = Program()
    return p.module(softmax(p)[1])


def is_softmax_by_reciprocal():
    p = Program()
    e = exponentials(p)
    inverse = p.op("%k = arith.constant 1.0 : f32;%r = arith.divf %k, %a0 : f32", p.sum(e))
    return p.module(p.mul(inverse, e))


def is_softmax_with_gradient():
    """As differentiation of the quotient writes it."""
    p = Program()
    e = exponentials(p)
    s = p.sum(e)
    y = p.div(e, s)
    inverse = p.op("%k = arith.constant 1.0 : f32;%r = arith.divf %k, %a0 : f32", p.mul(s, s))
    ds = p.sum(p.mul(p.mul("dy", inverse), e))
    negative = p.op("%r = arith.negf %a0 : f32", ds)
    return p.module(y, p.mul(p.add(p.div("dy", s), negative), e))


def is_softmax_with_short_gradient():
    p = Program()
    _, y = softmax(p)
    t = p.mul(y, "dy")
    return p.module(y, p.sub(t, p.mul(y, p.sum(t))))


def is_layer_norm():
    p = Program()
    return p.module(p.add(p.mul(layer_norm(p)[2], "gamma"), "beta"))


def is_layer_norm_by_squares():
    """The variance is the mean of squares less the square of the mean."""
    p = Program()
    mean = p.scale(p.sum("x"), "0.125")
    variance = p.sub(p.scale(p.sum(p.mul("x", "x")), "0.125"), p.mul(mean, mean))
    r = p.math("rsqrt", p.plus(variance, "1.0e-5"))
    return p.module(p.mul(p.sub("x", mean), r))


def is_rms_norm():
    p = Program()
    r = p.math("rsqrt", p.plus(p.scale(p.sum(p.mul("x", "x")), "0.125"), "1.0e-6"))
    return p.module(p.mul(p.mul("x", r), "gamma"))


def is_rms_norm_with_gradient():
    """The gradient is added to that of another path, z."""
    p = Program()
    r = p.math("rsqrt", p.plus(p.scale(p.sum(p.mul("x", "x")), "0.125"), "1.0e-6"))
    xhat = p.mul("x", r)
    g = p.mul("dy", "gamma")
    middle = p.scale(p.sum(p.mul(g, xhat)), "0.125")
    dx = p.add("z", p.mul(r, p.sub(g, p.mul(xhat, middle))))
    return p.module(p.mul(xhat, "gamma"), dx, p.sum(p.mul("dy", xhat), (0, 1)))


def layer_norm_gradient(p, c, root, factor="0.125"):
    xhat = p.div(c, root)
    g = p.mul("dy", "gamma")
    middle = p.mul(xhat, p.scale(p.sum(p.mul(g, xhat)), factor))
    dx = p.div(p.sub(p.sub(g, p.scale(p.sum(g), "0.125")), middle), root)
    return dx, p.sum(p.mul("dy", xhat), (0, 1)), p.sum("dy", (0, 1))


def is_layer_norm_with_gradient():
    p = Program()
    c, root, xhat = layer_norm(p)
    return p.module(p.add(p.mul(xhat, "gamma"), "beta"), *layer_norm_gradient(p, c, root))


def gelu_tanh(p, cubic="0.044715"):
    """The hyperbolic tangent, and x^2."""
    square = p.mul("x", "x")
    return p.math("tanh", p.scale(p.add("x", p.scale(p.mul(square, "x"), cubic)), "0.7978845608028654")), square


def is_gelu_by_tanh():
    p = Program()
    t, _ = gelu_tanh(p)
    return p.module(p.mul(p.scale("x", "0.5"), p.plus(t, "1.0")))


def gelu_tanh_gradient(p, t, square, factor="0.134145"):
    """(1 + t) / 2 + x / 2 * (1 - t) * (1 + t) * k * (1 + 3 c x^2)"""
    rise = p.mul(p.sub(p.plus(p.scale("x", "0.0"), "1.0"), t), p.plus(t, "1.0"))
    inner = p.scale(p.plus(p.scale(square, factor), "1.0"), "0.7978845608028654")
    slope = p.add(p.scale(p.plus(t, "1.0"), "0.5"), p.mul(p.scale("x", "0.5"), p.mul(rise, inner)))
    return p.mul("dy", slope)


def is_gelu_by_tanh_with_gradient():
    p = Program()
    t, square = gelu_tanh(p)
    return p.module(p.mul(p.scale("x", "0.5"), p.plus(t, "1.0")), gelu_tanh_gradient(p, t, square))


def is_gelu_by_error_function():
    """With the complement, as JAX writes it."""
    p = Program()
    e = p.math("erfc", p.scale("x", "-0.7071067811865476"))
    y = p.mul(p.scale("x", "0.5"), e)
    density = p.scale(p.math("exp", p.scale(p.mul("x", "x"), "-0.5")), "0.3989422804014327")
    return p.module(y, p.mul(p.add(p.scale(e, "0.5"), p.mul("x", density)), "dy"))


def no_gelu_with_other_cubic():
    p = Program()
    t, _ = gelu_tanh(p, "0.0447")
    return p.module(p.mul(p.scale("x", "0.5"), p.plus(t, "1.0")))


def no_gelu_of_other_factor():
    """The share is that of x, the factor is z."""
    p = Program()
    t, _ = gelu_tanh(p)
    return p.module(p.mul(p.scale("z", "0.5"), p.plus(t, "1.0")))


def no_gelu_with_wrong_gradient():
    p = Program()
    t, square = gelu_tanh(p)
    return p.module(p.mul(p.scale("x", "0.5"), p.plus(t, "1.0")), gelu_tanh_gradient(p, t, square, "0.1341"))


def no_softmax_without_maximum():
    p = Program()
    e = p.math("exp", "x")
    return p.module(p.div(e, p.sum(e)))


def no_softmax_of_other_maximum():
    """The maximum is that of another tensor."""
    p = Program()
    e = p.math("exp", p.sub("x", p.reduce("maximumf", "z")))
    return p.module(p.div(e, p.sum(e)))


def no_softmax_over_other_dim():
    """The maximum is along d2, the sum along d1."""
    p = Program(3)
    e = exponentials(p)
    s = p.sum(e, (1,))
    maps = [DIMS, "d0, d2"]
    quotient = p.emit(["%r = arith.divf %a0, %a1 : f32"], [e, s], maps, p.shapes[e], DIMS, ["parallel"] * 3, "0.0")
    return p.module(quotient)


def no_softmax_with_other_init():
    p = Program()
    e = exponentials(p)
    return p.module(p.div(e, p.sum(e, init="1.0")))


def no_softmax_whose_exponential_is_used():
    p = Program()
    e, y = softmax(p)
    return p.module(y, e)


def is_softmax_with_other_gradient():
    """The sum of the gradient has another factor: softmax is recognized, the gradient is not."""
    p = Program()
    _, y = softmax(p)
    t = p.mul(y, "dy")
    return p.module(y, p.sub(t, p.mul(y, p.scale(p.sum(t), "1.001"))))


def no_layer_norm_without_epsilon():
    p = Program()
    c = centered(p)
    return p.module(p.div(c, p.math("sqrt", p.scale(p.sum(p.mul(c, c)), "0.125"))))


def no_layer_norm_of_other_count():
    """The variance is the sum of squares over n - 1."""
    p = Program()
    c = centered(p)
    r = p.math("rsqrt", p.plus(p.scale(p.sum(p.mul(c, c)), "0.142857149"), "1.0e-5"))
    return p.module(p.mul(c, r))


def no_layer_norm_with_other_mean():
    """The mean is taken twice."""
    p = Program()
    c = p.sub("x", p.scale(p.sum("x"), "0.25"))
    r = p.math("rsqrt", p.plus(p.scale(p.sum(p.mul(c, c)), "0.125"), "1.0e-5"))
    return p.module(p.mul(p.sub("x", p.scale(p.sum("x"), "0.125")), r))


def no_layer_norm_with_wrong_gradient():
    p = Program()
    c, root, xhat = layer_norm(p)
    return p.module(p.add(p.mul(xhat, "gamma"), "beta"), *layer_norm_gradient(p, c, root, "0.126"))


def no_rms_norm_with_negative_epsilon():
    p = Program()
    r = p.math("rsqrt", p.plus(p.scale(p.sum(p.mul("x", "x")), "0.125"), "-1.0e-6"))
    return p.module(p.mul("x", r))


PROGRAMS = {
    name.replace("_", "-"): value for name, value in list(globals().items()) if name.startswith(("is_", "no_"))
}
RECOGNIZED = {
    "is-softmax": "1 softmax",
    "is-softmax-by-reciprocal": "1 softmax",
    "is-softmax-with-gradient": "1 softmax, 1 softmax_grad",
    "is-softmax-with-short-gradient": "1 softmax, 1 softmax_grad",
    "is-softmax-with-other-gradient": "1 softmax",
    "is-layer-norm": "1 layer_norm",
    "is-layer-norm-by-squares": "1 layer_norm",
    "is-layer-norm-with-gradient": "1 layer_norm, 1 layer_norm_grad",
    "is-gelu-by-tanh": "1 gelu",
    "is-gelu-by-tanh-with-gradient": "1 gelu, 1 gelu_grad",
    "is-gelu-by-error-function": "1 gelu, 1 gelu_grad",
    "is-rms-norm": "1 rms_norm",
    "is-rms-norm-with-gradient": "1 rms_norm, 1 rms_norm_grad",
}
# One config a line would be many programs; a search by chance splits rows on some runs and the dim on others.
STRATEGIES = [
    [],
    ["--soap-apply-strategy=topology=cpu-4 function=main preset=data-parallel", "--soap-partition"],
    ["--soap-auto-parallel=topology=cpu-4 function=main proposals=60 seed=3 summary=false", "--soap-partition"],
]


def run(build, tool, *arguments):
    result = subprocess.run([os.path.join(build, "bin", tool), *arguments], capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError("%s %s: %s" % (tool, " ".join(arguments), result.stderr[:1500]))
    return result.stderr


def numbers(build, folder, module, passes, inputs, count):
    """Results of a module, as lists."""
    lowered, output = os.path.join(folder, "lowered.mlir"), os.path.join(folder, "out")
    marked = "--soap-mark-arguments=data=0-1,4 parameters=2-3"
    run(build, "soap-opt", module, marked, *passes, "--soap-lower-to-cpu", "-o", lowered)
    run(build, "soap-run", "entry", lowered, "main", "--quiet", "--output", output, *inputs)
    return [read(os.path.join(output, "result%d.npy" % i)) for i in range(count)]


def check(build, folder, name, inputs):
    """The fault of a program; nothing, if it has none."""
    path, after = os.path.join(folder, name + ".mlir"), os.path.join(folder, name + ".after.mlir")
    text = PROGRAMS[name]()
    with open(path, "w") as file:
        file.write(text)
    said = run(build, "soap-opt", path, "--soap-recognize-ops", "-o", after)
    expected = RECOGNIZED.get(name)
    if not expected:
        with open(after) as file:
            return "an op was recognized: " + said if "soap." in file.read() or "recognized" in said else None
    if "recognized %s\n" % expected not in said:
        return "expected 'recognized %s', got '%s'" % (expected, said)
    count = text.split("return ")[-1].count("%")
    whole = numbers(build, folder, path, [], inputs, count)
    for passes in STRATEGIES:
        for i, (a, b) in enumerate(zip(whole, numbers(build, folder, after, passes, inputs, count), strict=True)):
            scale = max(abs(value) for value in a)
            worst = max(abs(x - y) for x, y in zip(a, b, strict=True)) / scale
            if not worst < 5e-6:
                return "result %d differs by %g (%s)" % (i, worst, passes[:1])
    return None


def write(path, shape, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %r, }" % (shape,)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%df" % len(values), *values))


def main():
    if sys.argv[1] != "--check":
        print(PROGRAMS[sys.argv[1]]())
        return 0
    tally, chance = Tally(), random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        inputs = []
        for i, shape in enumerate([(2, 3, 8), (2, 3, 8), (8,), (8,), (2, 3, 8)]):
            path = os.path.join(folder, "in%d.npy" % i)
            write(path, shape, [chance.gauss(0, 1) for _ in range(48 if len(shape) == 3 else 8)])
            inputs += ["--input", "arg%d=%s" % (i, path)]
        for name in PROGRAMS:
            try:
                tally.count(name, check(sys.argv[2], folder, name, inputs))
            except (RuntimeError, ValueError, OSError) as error:
                tally.count(name, str(error))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
