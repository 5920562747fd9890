#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains in several processes and in one, and compares the results.

Compared are weights byte for byte, losses, bytes sent, traced events, and results of a function that runs once.

    equal.py BUILD [--full]

Models are a small network, LeNet and a translation network with two data tensors, strategies the presets, ZeRO (updates
split over the devices), searched ones and pipelines; the devices are dealt to two, three and four ranks. The last line
is "N passed, N failed": comparisons of runs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from common import LENET, MLP, NMT, execute, lower, mpirun, need_mpi, same_bytes, tool, training_step
from tally import Tally

# Under mpirun a process may use fewer cores, and library kernels may sum in another order on other numbers of threads.
THREADS = "--threads-per-device=1"


def zero(build, step, folder):
    """A strategy file: data parallel, but each device updates its part of the parameters."""
    path = os.path.join(folder, "zero.json")
    execute([tool(build, "soap-opt"), step, "--soap-apply-strategy=preset=data-parallel topology=cpu-4 export=" + path,
             "-o", os.devnull])
    with open(path) as stream:
        strategy = json.load(stream)
    del strategy["schedule"]
    for op in strategy["ops"]:
        if op["name"].endswith(".sgd"):
            op.update(degrees={"d0": 4}, replicas=1)
    with open(path, "w") as stream:
        json.dump(strategy, stream)
    return "strategy=%s topology=cpu-4" % path


def read(path):
    with open(path) as stream:
        return json.load(stream)


def differences(first, second):
    """The differences of two runs, by the prefix of their files."""
    wrong = []
    if not same_bytes(first + ".safetensors", second + ".safetensors"):
        wrong.append("the weights differ")
    a, b = read(first + ".json"), read(second + ".json")
    if a["bytes_sent"] != b["bytes_sent"]:
        wrong.append("bytes sent: %s and %s" % (a["bytes_sent"], b["bytes_sent"]))
    for key in ("loss", "train_accuracy", "test_accuracy"):
        mine, other = [e[key] for e in a["epochs"]], [e[key] for e in b["epochs"]]
        if mine != other:
            wrong.append("%s: %s and %s" % (key, mine, other))
    events = [sorted((e["name"], e.get("tid"), e["args"].get("iteration", 0)) for e in read(run + ".trace")["traceEvents"])
              for run in (first, second)]
    if events[0] != events[1]:
        wrong.append("the traces have %d and %d events, or others" % (len(events[0]), len(events[1])))
    return wrong


def compare(build, folder, name, module, ranks, iterations):
    """Runs the module in one process and in each number of ranks; yields descriptions and what is wrong."""
    def train(prefix):
        return [tool(build, "soap-run"), "train", module, "--data=synthetic", "--iterations=%d" % iterations, "--quiet", THREADS,
                "--seed=11", "--timeout=60", "--save-state", prefix + ".safetensors", "--report", prefix + ".json",
                "--trace", prefix + ".trace"]

    alone = os.path.join(folder, "alone")
    execute(train(alone))
    for count in ranks:
        together = os.path.join(folder, "together")
        execute(mpirun(count, *train(together)))
        yield "%s on %d ranks" % (name, count), differences(alone, together)


def compare_entry(build, folder, module):
    """`evaluate` once: its results are gathered from all ranks."""
    outputs = []
    for command in ([], mpirun(3)):
        output = os.path.join(folder, "entry%d" % len(outputs))
        execute(command + [tool(build, "soap-run"), "entry", module, "evaluate", "--init=he", "--output", output, THREADS] +
                ["--input=%s=%s" % item for item in inputs(folder).items()])
        outputs.append(output)
    names = [sorted(os.listdir(output)) for output in outputs]
    if names[0] != names[1] or not names[0]:
        return ["results %s and %s" % tuple(names)]
    return ["'%s' differs" % name for name in names[0]
            if not same_bytes(os.path.join(outputs[0], name), os.path.join(outputs[1], name))]


def inputs(folder):
    """NPY files for the arguments of the small network's evaluation."""
    def write(name, kind, shape, payload):
        header = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)).encode()
        header += b" " * (-(len(header) + 11) % 64) + b"\n"
        path = os.path.join(folder, name)
        with open(path, "wb") as stream:
            stream.write(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + payload)
        return path

    return {"x": write("x.npy", "|u1", "(16, 24)", bytes(i * 7 % 5 for i in range(16 * 24))),
            "label": write("label.npy", "|u1", "(16,)", bytes(i % 10 for i in range(16)))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--full", action="store_true", help="more strategies and numbers of ranks")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    need_mpi(build)
    tally = Tally()

    def count(text, wrong):
        if not wrong:
            print("equal: " + text, flush=True)
        tally.count(text, "; ".join(wrong))

    with tempfile.TemporaryDirectory() as folder:
        for model, path, iterations in (("mlp", MLP, 25), ("lenet", LENET, 6), ("nmt", NMT, 6)):
            step, module = os.path.join(folder, model + ".mlir"), os.path.join(folder, "lowered.mlir")
            try:
                training_step(build, path, step)
                strategies = {"data parallel": "preset=data-parallel topology=cpu-4", "ZeRO": zero(build, step, folder),
                              "searched": "search topology=cpu-4 seed=3 proposals=60",
                              "pipeline": "pipeline topology=cpu-4 stages=2 microbatches=4 summary=false"}
                if options.full or model == "mlp":
                    strategies["model parallel"] = "preset=model-parallel topology=cpu-8"
                if (options.full and model != "nmt") or model == "lenet":
                    strategies["spatial"] = "preset=spatial topology=cpu-4"
                if options.full:
                    strategies.update({"searched %d" % seed: "search topology=cpu-%d seed=%d proposals=60 initial=data-parallel" %
                                       (4 + seed, seed) for seed in range(5)})
                for i, (name, strategy) in enumerate(strategies.items()):
                    lower(build, step, strategy, module)
                    ranks = (2, 3, 4) if options.full else ((4,), (3,), (2,))[i % 3]
                    for text, wrong in compare(build, folder, "%s, %s" % (model, name), module, ranks, iterations):
                        count(text, wrong)
                if model == "mlp":
                    count("mlp, evaluate once", compare_entry(build, folder, module))
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                count(model, [str(error)])
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
