#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains on a split sequence, and compares with the step as it was built.

context.py BUILD

Compared are losses of training and evaluation and all weights after five steps, in f64 within rounding, bytes of every
link with the simulated ones and with theory, bf16 steps with f32 ones, memory of programs with the simulated peak, and
a run in two processes, byte for byte. For long sequences the simulation has to show that no device has whole rows of
scores, and that a zigzag is the same work on all devices. The last line is "N passed, N failed".
"""

import argparse
import json
import os
import shutil
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(HERE)))

from soap_tools import Failure, Tools
from tally import Tally

SHAPE = "heads=4,head-width=4,length=24,vocabulary=13"
KEY_HEADS, HEAD_WIDTH, LENGTH, BATCH = 2, 4, 24, 2
MODELS = {
    "gpt": ["--generate=gpt", "--option=layers=1," + SHAPE],
    "bert": ["--generate=bert", "--option=layers=1," + SHAPE],
    "llama": ["--generate=llama", "--option=layers=2,%s,kv-heads=%d,mlp-width=8,rope-base=100" % (SHAPE, KEY_HEADS)],
    "mixtral": ["--generate=mixtral", "--option=layers=1,%s,kv-heads=2,mlp-width=8,experts=4,capacity=0" % SHAPE],
}
# Model, recipe, topology.
CASES = [
    ("llama", "context(cp=4)", "cpu-4"),
    ("llama", "context(cp=2,zigzag,tp=2,zero)", "cpu-4"),
    ("gpt", "context", "cpu-3"),
    ("bert", "context(cp=2)", "cpu-2"),
    ("bert", "context(cp=4)", "cpu-4"),
    ("mixtral", "context(cp=4,zigzag)", "cpu-4"),
]
TOLERANCE = 1e-12
RUN = ["--data", "synthetic", "--iterations", 5, "--threads-per-device", 1]


def read_safetensors(path):
    with open(path, "rb") as stream:
        header = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
        data = stream.read()
    types = {"F64": "<f8", "F32": "<f4"}
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], types[entry["dtype"]])
            for name, entry in header.items() if name != "__metadata__"}


def build_step(tools, name):
    """A training step in f64; infinities are written as bits of an f32."""
    forward, step = tools.path(name + ".forward.mlir"), tools.path(name + ".mlir")
    tools.run("soap-translate", *MODELS[name], "--batch=%d" % BATCH, "-o", forward)
    with open(forward) as stream:
        text = stream.read()
    for old, new in (("xf32>", "xf64>"), ("tensor<f32>", "tensor<f64>"), ("dense<0xFF800000>", "dense<0xFFF0000000000000>")):
        text = text.replace(old, new)
    with open(forward, "w") as stream:
        stream.write(text)
    tools.run("soap-opt", forward, "--soap-build-training-step=learning-rate=0.5 momentum=0.5", "-o", step)
    return step


def train(tools, module, launcher=()):
    weights = tools.path("weights.safetensors")
    report = tools.report(module, *RUN, "--save-weights", weights, *launcher)
    losses = [report["epochs"][-1][key] for key in ("loss", "test_loss")]
    return report, losses, read_safetensors(weights)


def apart(got, want):
    """The largest difference, of numbers above 1 the relative one."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or got.dtype != np.float64:
        return np.inf
    return float(np.max(np.abs(got - want) / np.maximum(1, np.abs(want)), initial=0))


def split(tools, step, recipe, topology, output, *passes):
    tools.run("soap-opt", step, "--soap-apply-strategy=preset=%s topology=%s" % (recipe, topology), *passes,
              "-o", output)


def simulation(tools, step, recipe, topology, output):
    report = tools.path("simulated.json")
    split(tools, step, recipe, topology, output, "--soap-simulate=compare=none summary=false report=" + report)
    with open(report) as stream:
        return json.load(stream)


def compare(tools, case, step, reference, tally):
    model, recipe, topology = case
    label = "%s, %s" % (model, recipe)
    module = tools.path("split.mlir")
    simulated = simulation(tools, step, recipe, topology, module)
    report, losses, weights = train(tools, module)
    _, want_losses, want = reference
    distance = apart(losses, want_losses)
    tally.count(label + ": losses", None if distance <= TOLERANCE else "%s, want %s" % (losses, want_losses))
    worst = max((apart(weights.get(name, []), want[name]), name) for name in want)
    tally.count(label + ": weights", None if worst[0] <= TOLERANCE else "%.1e apart (%s)" % worst)
    tally.count(label + ": bytes", None if report["bytes_sent"] == simulated["bytes_between"] else
                "sent %s, simulated %s" % (report["bytes_sent"], simulated["bytes_between"]))
    return simulated, module, weights


def check_bytes(simulated, layers, devices, causal, key_heads, tally):
    """Each device gets each block that its queries see once a pass; the gradients of keys and values go back."""
    pairs = devices * (devices - 1) // (2 if causal else 1)
    block = BATCH * key_heads * (LENGTH // devices) * HEAD_WIDTH * 8
    kinds = simulated["bytes_by_kind"]
    # Beside blocks there is the loss.
    beside = kinds["activations"] - layers * pairs * 4 * block
    tally.count("bytes of blocks", None if 0 <= beside <= 256 else "%d bytes beside blocks" % beside)
    back = kinds["activation_gradients"] - layers * pairs * 2 * block
    tally.count("bytes of gradients of blocks", None if back == 0 else "%d bytes beside blocks" % back)


def check_processes(tools, module, weights, tally):
    if not shutil.which("mpirun") or not os.path.exists(os.path.join(tools.build, "lib", "libSoapMPI.so")):
        print("skipped: there is no mpirun, or no transport mpi")
        return
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "Processes"))
    from common import execute, mpirun, tool
    saved = tools.path("ranks.safetensors")
    execute(mpirun(2, tool(tools.build, "soap-run"), "train", module, *map(str, RUN), "--quiet", "--save-weights", saved))
    got = read_safetensors(saved)
    wrong = [name for name in weights if not np.array_equal(got.get(name), weights[name])]
    tally.count("two processes", "other weights: %s" % wrong if wrong else None)


def check_gpu(tools, step, reference, tally):
    """A program of GPUs, with the host references of its kernels."""
    module = tools.path("gpu.mlir")
    split(tools, step, "context(cp=2,zigzag)", "h100-1x2", module, "--soap-partition",
          "--soap-lower-to-cuda=chip=sm_90 layout=auto format=isa")
    weights = tools.path("gpu.safetensors")
    report = tools.report(module, *RUN, "--backend", "cpu", "--reference", "--opt-level", 1, "--save-weights", weights)
    got, want = read_safetensors(weights), reference[2]
    worst = max((apart(got.get(name, []), want[name]), name) for name in want)
    tally.count("GPU program: loss", None if apart(report["epochs"][-1]["loss"], reference[1][0]) <= TOLERANCE else
                "%r, want %r" % (report["epochs"][-1]["loss"], reference[1][0]))
    tally.count("GPU program: weights", None if worst[0] <= TOLERANCE else "%.1e apart (%s)" % worst)


def check_bf16(tools, tally):
    """In bf16, split sequences round otherwise, but end within twice the distance of the step without from f32."""
    forward, module = tools.path("bf16.forward.mlir"), tools.path("bf16.split.mlir")
    tools.run("soap-translate", *MODELS["llama"], "--batch=%d" % BATCH, "-o", forward)
    trained, steps = {}, {}
    for precision in ("f32", "bf16"):
        steps[precision] = tools.path(precision + ".mlir")
        tools.run("soap-opt", forward, "--soap-build-training-step=learning-rate=0.05 precision=" + precision,
                  "-o", steps[precision])
        trained[precision] = train(tools, steps[precision])

    def distance(run):
        (_, losses, weights), (_, want_losses, want) = run, trained["f32"]
        squares = [np.sum((weights[name].astype(np.float64) - want[name]) ** 2) for name in want]
        return max(abs(a - b) for a, b in zip(losses, want_losses)), float(np.sqrt(sum(squares)))
    split(tools, steps["bf16"], "megatron(tp=2)", "cpu-4", module)
    tensor = train(tools, module)
    for recipe, without in (("context(cp=4)", trained["bf16"]), ("context(cp=2,zigzag,tp=2,zero)", tensor)):
        whole_loss, whole_weights = distance(without)
        simulated = simulation(tools, steps["bf16"], recipe, "cpu-4", module)
        run = train(tools, module)
        loss, weights = distance(run)
        near = loss <= 2 * whole_loss and 0 < weights <= 2 * whole_weights
        tally.count("bf16, " + recipe, None if near else "loss %.1e and weights %.1e from f32, without it "
                    "%.1e and %.1e" % (loss, weights, whole_loss, whole_weights))
        tally.count("bytes in bf16, " + recipe, None if run[0]["bytes_sent"] == simulated["bytes_between"] else
                    "sent %s, simulated %s" % (run[0]["bytes_sent"], simulated["bytes_between"]))


def check_memory(tools, tally):
    """Programs of one device and of four, for a sequence of which scores are most of the memory."""
    forward, step, module = (tools.path(name) for name in ("middle.forward.mlir", "middle.mlir", "middle.split.mlir"))
    tools.run("soap-translate", "--generate=llama", "--batch=1", "-o", forward,
              "--option=layers=1,heads=4,kv-heads=2,head-width=16,length=512,vocabulary=32,mlp-width=64")
    tools.run("soap-opt", forward, "--soap-build-training-step", "-o", step)
    run = ["--data", "synthetic", "--iterations", 1, "--threads-per-device", 1]
    whole = max(tools.report(step, *run)["arena_bytes"])
    for recipe in ("context(cp=4)", "context(cp=4,zigzag)"):
        devices = simulation(tools, step, recipe, "cpu-4", module)["devices"]
        peak = max(device["peak_bytes"] for device in devices)
        arena = max(tools.report(module, *run)["arena_bytes"])
        tally.count("memory of " + recipe, None if arena <= peak and arena < 0.4 * whole else
                    "programs need %d bytes, simulated peak %d, of one device %d" % (arena, peak, whole))


def check_long(tools, tally):
    """8,192 positions on 8 devices: f32 rows of the scores of a device are 256 MiB."""
    forward, step, output = (tools.path(name) for name in ("long.forward.mlir", "long.mlir", "long.split.mlir"))
    tools.run("soap-translate", "--generate=llama", "--batch=1", "-o", forward,
              "--option=layers=1,heads=8,kv-heads=4,head-width=64,length=8192,vocabulary=256,mlp-width=1024")
    tools.run("soap-opt", forward, "--soap-build-training-step", "-o", step)
    rows = 8 * (8192 // 8) * 8192 * 4

    def devices(recipe):
        simulated = simulation(tools, step, recipe, "h100-1x8", output)["devices"]
        return [d["peak_bytes"] for d in simulated], [d["compute_ns"] for d in simulated]
    peaks, plain = devices("context(cp=8)")
    tally.count("peak of a causal split", None if max(peaks) < rows else "%s bytes, rows of scores are %d" % (peaks, rows))
    peaks, zigzag = devices("context(cp=8,zigzag)")
    tally.count("peak of a zigzag", None if 2 * max(peaks) < rows else "%s bytes, rows of scores are %d" % (peaks, rows))
    tally.count("a causal split is uneven", None if max(plain) > 1.5 * min(plain) else "%s ns of each device" % plain)
    tally.count("a zigzag is even", None if max(zigzag) < 1.01 * min(zigzag) else "%s ns of each device" % zigzag)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    options = parser.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(os.path.abspath(options.build), folder)
        steps, references = {}, {}
        for case in CASES:
            model = case[0]
            try:
                if model not in steps:
                    steps[model] = build_step(tools, model)
                    references[model] = train(tools, steps[model])
                simulated, module, weights = compare(tools, case, steps[model], references[model], tally)
                if case == CASES[0]:
                    check_bytes(simulated, 2, 4, True, KEY_HEADS, tally)
                    check_processes(tools, module, weights, tally)
                elif case[:2] == ("bert", "context(cp=4)"):
                    check_bytes(simulated, 1, 4, False, 4, tally)
                elif model == "gpt":
                    check_gpu(tools, steps[model], references[model], tally)
            except (Failure, RuntimeError) as failure:
                tally.count(str(case), str(failure))
        for check in (check_bf16, check_memory, check_long):
            tally.attempt(check.__doc__, Failure, check, tools, tally)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
