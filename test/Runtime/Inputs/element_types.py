# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""element_types.py BUILD FOLDER: lowers and runs functions of many element types.

TABLE says of each type whether a function can be given it (`held`), whether ops can compute with it (`computed`), and
in which order passes refuse what cannot: the dialect's verifiers, or the lowering. All others run. Values of casts
equal ONNX Runtime's."""

import os
import subprocess
import sys

import numpy
import onnxruntime
from onnx import TensorProto, helper

HELD, NO_LAUNCHER, NO_LOWERING = "", "which programs can not be given and can not return: expected f32, f64, f16, bf16, i32 or i64", "has no lowering: expected f16, bf16, f32, f64 or an integer"
NO_CAST, NO_TENSOR = "expected floats or integers of 8 to 64 bits in whole bytes", "must be ranked tensor of floating-point or signless integer values"
# Type: as argument and result of a function; made by a cast and read by one.
TABLE = {
    "f32": (HELD, HELD), "f64": (HELD, HELD), "i32": (HELD, HELD), "i64": (HELD, HELD),
    "f16": (HELD, HELD), "bf16": (HELD, HELD), "i8": (NO_LAUNCHER, HELD), "i16": (NO_LAUNCHER, HELD),
    "f8E4M3FN": (NO_LAUNCHER, NO_LOWERING), "f8E5M2": (NO_LAUNCHER, NO_LOWERING), "f80": (NO_LAUNCHER, NO_LOWERING),
    "f128": (NO_LAUNCHER, NO_LOWERING), "tf32": (NO_LAUNCHER, NO_LOWERING),
    "i1": (NO_CAST, NO_CAST), "i4": (NO_CAST, NO_CAST), "i128": (NO_CAST, NO_CAST),
    "si32": (NO_TENSOR, NO_TENSOR), "ui8": (NO_TENSOR, NO_TENSOR), "index": (NO_TENSOR, NO_TENSOR), "complex<f32>": (NO_TENSOR, NO_TENSOR),
}
ONNX = {"f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16, "f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE,
        "i8": TensorProto.INT8, "i16": TensorProto.INT16, "i32": TensorProto.INT32, "i64": TensorProto.INT64}
NUMPY = {"f32": numpy.float32, "f64": numpy.float64, "i32": numpy.int32, "i64": numpy.int64}
LOWERINGS = ["--soap-lower-to-cpu", "--soap-lower-to-cpu=library=none fuse=false", "--soap-lower-to-cuda=format=isa"]
COUNT = 48


def function(arguments, body, results):
    """@forward of rows of COUNT elements; results: name to (value, type)."""
    given = ", ".join('%%%s: tensor<%dx%s> {soap.kind = #soap.kind<data>, soap.name = "%s"}' % (name, COUNT, kind, name) for name, kind in arguments.items())
    types = ['tensor<%dx%s>' % (COUNT, kind) for _, kind in results.values()]
    returned = ", ".join('%s {soap.kind = #soap.kind<output>, soap.name = "%s"}' % pair for pair in zip(types, results))
    return "func.func @forward(%s) -> (%s) {\n%s  return %s : %s\n}\n" % (
        given, returned, "".join(body), ", ".join(value for value, _ in results.values()), ", ".join(types))


def cast(result, value, source, target):
    return "  %s = soap.cast %s : (tensor<%dx%s>) -> tensor<%dx%s>\n" % (result, value, COUNT, source, COUNT, target)


class Runner:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def tool(self, name, *arguments):
        return subprocess.run([os.path.join(self.build, "bin", name), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def lower(self, text, how):
        with open(self.path("module.mlir"), "w") as stream:
            stream.write(text)
        return self.tool("soap-opt", self.path("module.mlir"), how, "-o", self.path("lowered.mlir"))

    def run(self, inputs):
        flags = []
        for name, values in inputs.items():
            numpy.save(self.path(name + ".npy"), values)
            flags += ["--input", "%s=%s" % (name, self.path(name + ".npy"))]
        return self.tool("soap-run", "entry", self.path("lowered.mlir"), "forward", "--backend", "cpu", *flags, "--output", self.path("out"), "--no-cache",
                         "--opt-level", "1")


def numbers(kind):
    """Small, and some that two roundings take elsewhere than one."""
    values = numpy.random.default_rng(1).uniform(-100, 100, COUNT)
    values[:4] = [1 + 2.0**-8, -(1 + 2.0**-11), 0.1, 3e-7]
    return values.astype(NUMPY[kind])


def check_types(runner):
    failures = count = 0
    for kind, expected in TABLE.items():
        wide = "f32" if kind != "f32" else "f64"
        # soap-run converts floats of files.
        held = kind if kind in NUMPY else "f32" if kind in ("f16", "bf16") else wide
        programs = {
            "argument and result": (function({"x": kind}, [cast("%a", "%x", kind, wide), cast("%y", "%a", wide, kind)], {"y": ("%y", kind)}), held),
            "inside": (function({"x": wide}, [cast("%a", "%x", wide, kind), cast("%y", "%a", kind, wide)], {"y": ("%y", wide)}), wide),
        }
        for (what, (text, given)), message in zip(programs.items(), expected):
            for how in LOWERINGS:
                count += 1
                lowered = runner.lower(text, how)
                ran = runner.run({"x": numbers(given)}) if lowered.returncode == 0 else None
                # Whoever lowers says that it cannot run: soap-run never does.
                fine = ran is not None and ran.returncode == 0 if not message else lowered.returncode == 1 and message in lowered.stdout
                if not fine:
                    failures += 1
                    print("%s as %s, %s: %s" % (kind, what, how, ((ran or lowered).stdout.strip() or "lowered").splitlines()[0]))
    return count, failures


def reference(kind, chains, values):
    """By ONNX Runtime: the rows of values that casts along each chain, then to f64, give."""
    nodes, outputs = [], []
    for i, chain in enumerate(chains):
        last = "x"
        for j, target in enumerate([*chain, "f64"]):
            name = "v%d_%d" % (i, j)
            # Identities, so that two casts do not become one.
            nodes.append(helper.make_node("Identity", [last], [name + "_from"]))
            nodes.append(helper.make_node("Cast", [name + "_from"], [name], to=ONNX[target]))
            last = name
        outputs.append(helper.make_tensor_value_info(last, TensorProto.DOUBLE, [COUNT]))
    graph = helper.make_graph(nodes, "casts", [helper.make_tensor_value_info("x", ONNX[kind], [COUNT])], outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": values})


def check_casts(runner):
    failures = count = 0
    chains = [(a, b) for a in ONNX for b in ONNX]
    for kind in NUMPY:
        body, results = [], {}
        for i, chain in enumerate(chains):
            value, current = "%x", kind
            for j, target in enumerate([*chain, "f64"]):
                if target != current:
                    name = "%%v%d_%d" % (i, j)
                    body.append(cast(name, value, current, target))
                    value, current = name, target
            if value != "%x":
                results["%s_%s" % chain] = (value, "f64")
        values = numbers(kind)
        wanted = dict(zip(("%s_%s" % chain for chain in chains), reference(kind, chains, values)))
        for how in LOWERINGS:
            lowered = runner.lower(function({"x": kind}, body, results), how)
            ran = runner.run({"x": values}) if lowered.returncode == 0 else lowered
            if ran.returncode:
                failures += 1
                print("casts of %s, %s: %s" % (kind, how, ran.stdout[:500]))
                continue
            for name in results:
                count += 1
                got = numpy.load(runner.path("out/%s.npy" % name))
                if not numpy.array_equal(got, wanted[name]):
                    failures += 1
                    at = numpy.flatnonzero(got != wanted[name])[0]
                    print("%s to %s, %s: %r is %r, expected %r" % (kind, name, how, values[at], got[at], wanted[name][at]))
    return count, failures


def check_precision(runner):
    """A product of f32 in a module whose precision is bf16, on the CPU: of rounded operands, summed up in f32."""
    random = numpy.random.default_rng(2)
    x, w = (random.standard_normal(shape).astype(numpy.float32) for shape in ((3, 64), (64, 5)))
    nodes = [helper.make_node("Cast", [a], [b], to=to) for a, b, to in (("x", "xb", TensorProto.BFLOAT16), ("w", "wb", TensorProto.BFLOAT16),
                                                                        ("xb", "xf", TensorProto.FLOAT), ("wb", "wf", TensorProto.FLOAT))]
    nodes.append(helper.make_node("MatMul", ["xf", "wf"], ["y"]))
    info = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "product", [info("x", [3, 64]), info("w", [64, 5])], [info("y", [3, 5])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    wanted, = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, {"x": x, "w": w})
    exact = x.astype(numpy.float64) @ w
    failures = 0
    for precision, expected, others in (("f32", exact, wanted), ("bf16", wanted, exact)):
        text = """module attributes {soap.precision = #soap.precision<%s>} {
func.func @forward(%%x: tensor<3x64xf32> {soap.kind = #soap.kind<data>, soap.name = "x"}, %%w: tensor<64x5xf32> {soap.kind = #soap.kind<data>, soap.name = "w"})
    -> (tensor<3x5xf32> {soap.kind = #soap.kind<output>, soap.name = "y"}) {
  %%y = soap.matmul %%x, %%w : (tensor<3x64xf32>, tensor<64x5xf32>) -> tensor<3x5xf32>
  return %%y : tensor<3x5xf32>
}
}
""" % precision
        for how in LOWERINGS:
            lowered = runner.lower(text, how)
            ran = runner.run({"x": x, "w": w}) if lowered.returncode == 0 else lowered
            got = numpy.load(runner.path("out/y.npy")) if ran.returncode == 0 else numpy.full((3, 5), numpy.nan)
            near, far = (numpy.abs(got - values).max() / numpy.abs(values).max() for values in (expected, others))
            if not (near < 1e-6 and far > 1e-4):
                failures += 1
                print("product in %s, %s: off by %g, by %g of the other precision: %s" % (precision, how, near, far, ran.stdout[:500]))
    return failures


def main():
    runner = Runner(*sys.argv[1:3])
    types, wrong = check_types(runner)
    casts, off = check_casts(runner)
    off += check_precision(runner)
    print("%d of types and %d of casts as expected" % (types - wrong, casts - off))
    return 1 if wrong or off else 0


if __name__ == "__main__":
    sys.exit(main())
