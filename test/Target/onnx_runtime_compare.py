#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports ONNX models, computes their results with random inputs, and compares them with ONNX Runtime's.

    onnx_runtime_compare.py BUILD [--with soap-run|numpy|both] [--only TEXT] [--no-ops] [--flag=FLAG ..] [FILE.onnx ..]

Without files: networks and single ops made on the spot (Inputs/onnx_models.py). `soap-run` computes through the
lowering, `numpy` with the evaluator of Inputs/soap_numpy.py, which checks import alone. Weights that a file does not
hold are random. The results must agree within 1e-4 norm-wise, |a - b| / |b|. The last line is "N passed, N failed".
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "Inputs"), os.path.join(HERE, "..")]
import onnx_models  # noqa: E402
import soap_numpy  # noqa: E402
from onnx_import import Wrong, sanitized  # noqa: E402
from tally import Tally  # noqa: E402

TOLERANCE = 1e-4
SECONDS = 600


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
    if done.returncode != 0:
        output = done.stdout.decode(errors="replace")
        raise Wrong("%s exited with status %d: %s" % (os.path.basename(command[0]), done.returncode, output[:1500]))


def save_safetensors(path, tensors):
    header, offset = {}, 0
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            stream.write(np.ascontiguousarray(array, np.float32).tobytes())


def load_safetensors(path):
    with open(path, "rb") as stream:
        data = stream.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]],
                                np.float32).reshape(entry["shape"]) for name, entry in header.items()}


def random_tensor(random, argument, low, high):
    """Data in a range; weights so that activations neither grow nor vanish."""
    shape = argument.shape
    if argument.integer:
        return random.integers(0, argument.limit, shape).astype(np.int32)
    if argument.attributes["soap.kind"] == "data":
        return random.uniform(low, high, shape).astype(np.float32)
    if argument.attributes.get("soap.init") == "ones":
        return random.uniform(0.5, 1.5, shape).astype(np.float32)
    fan = argument.attributes.get("soap.fan_in", 100)
    return (random.standard_normal(shape) * np.sqrt(2 / fan)).astype(np.float32)


def compare(got, expected, what):
    if got.shape != expected.shape:
        raise Wrong("%s: shape %s, expected %s" % (what, got.shape, expected.shape))
    if not np.isfinite(got).all():
        raise Wrong("%s: not all values are finite" % what)
    error = np.linalg.norm(got.astype(np.float64) - expected) / max(np.linalg.norm(expected), 1e-30)
    if not error <= TOLERANCE:
        raise Wrong("%s: relative difference %.3g" % (what, error))
    return error


def check(model, folder, build, ways):
    """Raises Wrong; returns the largest relative difference."""
    path = os.path.join(folder, "model.onnx")
    onnx.save(model.proto, path)
    module, weights = os.path.join(folder, "model.mlir"), os.path.join(folder, "weights.safetensors")
    # Values of initializers into a file: the text stays small, and what import wrote is what runs.
    run([os.path.join(build, "bin", "soap-translate"), "--import-onnx", path, "-o", module, "--weights-out", weights] + model.flags)
    with open(module) as stream:
        function = soap_numpy.Function(stream.read())
    initializers = {sanitized(t.name): numpy_helper.to_array(t) for t in model.proto.graph.initializer}
    values = load_safetensors(weights)
    for name, array in values.items():
        if name in initializers and not np.array_equal(array, initializers[name]):
            raise Wrong("the values of '%s' changed" % name)
    random = np.random.default_rng(1)
    feeds, tensors = {}, dict(values)
    by_name = {argument.attributes["soap.name"]: argument for argument in function.arguments}
    for info in model.proto.graph.input:
        name = sanitized(info.name)
        if name in values:
            continue
        if name not in by_name:
            raise Wrong("graph input '%s' has no argument" % info.name)
        tensors[name] = random_tensor(random, by_name[name], model.low, model.high)
        feeds[info.name] = tensors[name].astype(helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type))

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Optimizations quantize operands of products with weights that are dequantized.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    reference = model.reference or model.proto
    session = onnxruntime.InferenceSession(reference.SerializeToString(), options, providers=["CPUExecutionProvider"])
    results = session.run([output.name for output in reference.graph.output], feeds)
    expected = dict(zip([sanitized(output.name) for output in model.proto.graph.output], results))

    worst = 0.0
    if "numpy" in ways:
        got = soap_numpy.evaluate(function, tensors)
        for name, reference in expected.items():
            worst = max(worst, compare(got[name], reference, "import, '%s'" % name))
    if "soap-run" in ways:
        # Weights by file, data by file; everything else is as a user would do it.
        command = [os.path.join(build, "bin", "soap-run"), "entry", module, "forward", "--output", folder]
        data = [name for name, argument in by_name.items() if argument.attributes["soap.kind"] == "data"]
        for name in data:
            file = os.path.join(folder, "input-%s.npy" % name)
            np.save(file, tensors[name])
            command += ["--input", "%s=%s" % (name, file)]
        others = {name: array for name, array in tensors.items() if name not in data}
        if others:
            everything = os.path.join(folder, "everything.safetensors")
            save_safetensors(everything, others)
            command += ["--init", everything]
        run(command)
        for name, reference in expected.items():
            worst = max(worst, compare(np.load(os.path.join(folder, name + ".npy")), reference, "soap-run, '%s'" % name))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--with", dest="way", choices=["soap-run", "numpy", "both"], default="both")
    parser.add_argument("--only", default="", help="models whose name contains this text")
    parser.add_argument("--flag", action="append", default=[], help="an option of import, for the files")
    parser.add_argument("--no-ops", action="store_true", help="networks only")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_intermixed_args()
    ways = ["numpy", "soap-run"] if options.way == "both" else [options.way]
    if options.files:
        models = {os.path.basename(path): onnx_models.Model(onnx.load(path), options.flag) for path in options.files}
    else:
        models = onnx_models.networks() if options.no_ops else onnx_models.models()
    tally = Tally()
    for name, model in models.items():
        if options.only not in name:
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                error = check(model, folder, os.path.abspath(options.build), ways)
            tally.count(name, None)
            if options.verbose or options.files:
                print("%-40s relative difference %.2g" % (name, error), flush=True)
        except Exception as wrong:  # ONNX Runtime has exceptions of its own
            tally.count(name, "%s: %s" % (type(wrong).__name__, wrong))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
