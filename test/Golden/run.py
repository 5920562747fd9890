#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What plans, simulations and partitions of small models are, against what they were.

    run.py BUILD [--record] [--only TEXT] [--jobs N]

A row is a model, its training step, and how it is planned. Compared are makespan, peaks of all devices, bytes moved,
number of tasks, the planned and the partitioned text, the schedule, and the report. A row of golden.json changes only
in a commit that says why: --record writes the file anew, and prints what changed.
"""

import argparse
import concurrent.futures
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from tally import Tally  # noqa: E402

GOLDEN = os.path.join(HERE, "golden.json")

# Name, --generate and its batch and options.
MODELS = {
    "lenet": "lenet --batch=16",
    "alexnet": "alexnet --batch=32",
    "resnet": "resnet-50 --batch=8",
    "inception": "inception-v3 --batch=8",
    "nmt": "nmt --batch=8 --option=length=4,hidden=16,vocabulary=64",
    "wide": "gpt --batch=8 --option=layers=2,heads=4,head-width=64,length=16,vocabulary=64",
    "gpt": "gpt --batch=8 --option=layers=4,heads=4,head-width=8,length=16,vocabulary=64",
    "llama": "llama --batch=8 --option=layers=4,heads=4,kv-heads=2,head-width=8,mlp-width=64,length=16,vocabulary=64",
    "mixtral": "mixtral --batch=8 --option=layers=2,heads=4,kv-heads=2,head-width=8,mlp-width=32,length=16,vocabulary=64",
    "bert": "bert --batch=8 --option=layers=3,heads=4,head-width=8,length=16,vocabulary=64",
    "vit": "vit --batch=8 --option=layers=2,heads=4,head-width=8",
}
STEPS = {
    "sgd": "optimizer=sgd learning-rate=0.1 momentum=0.9",
    "grouped": "optimizer=sgd learning-rate=0.1 batch-norm=groups(8)",
    "adamw": "optimizer=adamw",
    "bf16": "optimizer=adamw precision=bf16",
    "f16": "optimizer=adam precision=f16",
}


def preset(name, topology):
    return "--soap-apply-strategy=preset=%s topology=%s" % (name, topology)


PLANS = {
    "single": [preset("single", "cpu-2")],
    "data": [preset("data-parallel", "h100-4")],
    "data, two machines": [preset("data-parallel", "p100-2x2")],
    "model": [preset("model-parallel", "cpu-4")],
    "spatial": [preset("spatial", "p100-1x4")],
    "expert": [preset("expert", "k80-1x4")],
    "zero": [preset("zero", "h100-8")],
    "zero, offloaded": [preset("zero(offload)", "h100-4")],
    "fsdp": [preset("fsdp", "h100-2x4")],
    "megatron": [preset("megatron(tp=2,sp)", "h100-4")],
    "data, 128 devices": [preset("data-parallel", "h100-16x8")],
    "whole": ["--soap-recompute=blocks=whole topology=h100-2", preset("data-parallel", "h100-2")],
    "selective": ["--soap-recompute=blocks=selective topology=h100-4", preset("zero", "h100-4")],
    "1f1b": ["--soap-pipeline=topology=h100-4 stages=4 microbatches=8"],
    "1f1b on CPUs": ["--soap-pipeline=topology=cpu-2 stages=2 microbatches=4 inside=single"],
    "gpipe": ["--soap-pipeline=topology=h100-4 stages=2 microbatches=4 schedule=gpipe inside=data-parallel"],
    "interleaved": ["--soap-pipeline=topology=h100-4 stages=2 chunks=2 microbatches=4 inside=zero"],
    "hybrid": ["--soap-plan-hybrid=topology=h100-8 plan=stages=2,tensor=2,data=2,samples=1,zero=1,recompute=none "
               "summary=false"],
    "hybrid, recomputed": ["--soap-plan-hybrid=topology=h100-8 plan=stages=2,tensor=1,data=4,samples=1,zero=1,"
                           "recompute=whole summary=false"],
    "hybrid, ZeRO-3": ["--soap-plan-hybrid=topology=h100-4 plan=stages=1,tensor=1,data=4,samples=1,zero=3,"
                       "recompute=selective summary=false"],
    "hybrid, offloaded": ["--soap-plan-hybrid=topology=h100-4 plan=stages=2,tensor=1,data=2,samples=2,zero=1,offload,"
                          "recompute=selective summary=false"],
    "placed": ["--soap-place=topology=h100-4 microbatches=4 summary=false"],
}
CONVOLUTIONS = ["lenet", "alexnet", "resnet", "inception"]
SEQUENCES = ["gpt", "llama", "mixtral", "bert", "vit"]


def rows():
    """(name, model, step, plan) of every row."""
    everywhere = ["single", "data", "data, two machines", "model", "zero", "zero, offloaded", "whole", "1f1b", "gpipe",
                  "interleaved", "placed"]
    for model, plan in itertools.product([name for name in MODELS if name != "wide"], everywhere):
        is_normed = model in ["resnet", "inception"] and plan in ["1f1b", "gpipe", "interleaved", "placed"]
        yield model, "grouped" if is_normed else "sgd" if model in CONVOLUTIONS else "adamw", plan
    for model, plan in itertools.product(["lenet", "alexnet"], ["spatial", "expert", "1f1b on CPUs"]):
        yield model, "sgd", plan
    for model, plan in itertools.product(SEQUENCES, ["fsdp", "megatron", "hybrid", "hybrid, recomputed",
                                                     "hybrid, offloaded"]):
        yield model, "bf16", plan
    for model, plan in itertools.product(["gpt", "llama"], ["selective", "1f1b on CPUs", "data, 128 devices"]):
        yield model, "bf16", plan
    yield "wide", "bf16", "hybrid, ZeRO-3"
    for model in ["lenet", "gpt"]:
        yield model, "f16", "data"
        yield model, "f16", "gpipe"


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Outcome:
    """Computes rows: a dictionary of JSON values each, compared value by value."""

    def __init__(self, tools, folder):
        self.tools, self.folder = tools, folder

    def step_of(self, model, step):
        path = os.path.join(self.folder, "%s-%s.mlir" % (model, step))
        if not os.path.exists(path):
            forward = path + ".forward"
            for command in ([self.tools + "soap-translate", "--generate=" + MODELS[model].split()[0],
                             *MODELS[model].split()[1:], "-o", forward],
                            [self.tools + "soap-opt", forward, "--soap-build-training-step=" + STEPS[step], "-o", path]):
                status, _, errors = run(*command)
                if status:
                    raise RuntimeError("'%s' ends with status %d: %s" % (" ".join(command), status, errors.strip()))
        return path

    def __call__(self, model, step, plan):
        place = os.path.join(self.folder, digest(model + step + plan))
        report, graph, planned = (place + end for end in (".report", ".graph", ".mlir"))
        status, _, errors = run(self.tools + "soap-opt", self.step_of(model, step), *PLANS[plan],
                                "--soap-simulate=report=%s task-graph=%s compare=none summary=false" % (report, graph),
                                "-o", planned)
        if status < 0 or status > 1:
            return {"ended": status}
        if status:
            return {"refused": first_error(errors)}
        with open(report) as stream:
            told = json.load(stream)
        result = {key: told.get(key) for key in ("makespan_ns", "tasks", "bytes_moved", "bytes_in_collectives")}
        # Devices in a row that are alike are one entry: [devices, bytes].
        result["peaks"] = [[len(list(devices)), peak] for peak, devices in
                           itertools.groupby(device.get("peak_bytes") for device in told.get("devices", []))]
        result["report"] = digest(json.dumps(told, sort_keys=True))
        with open(graph) as stream:
            result["schedule"] = digest(stream.read())
        # In generic form: it does not change with the syntax of ops.
        generic = ["--mlir-print-op-generic", "--mlir-print-local-scope", "-o", "-"]
        _, text, _ = run(self.tools + "soap-opt", planned, *generic)
        result["plan"] = digest(text)
        status, text, errors = run(self.tools + "soap-opt", planned, "--soap-partition", *generic)
        result["partitioned"] = digest(text) if status == 0 else "refused: " + first_error(errors)
        for path in (report, graph, planned):
            os.remove(path)
        return result


def first_error(errors):
    match = re.search(r"error: (.*)", errors)
    return match[1] if match else errors.strip()[:200]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    known = {}
    if os.path.exists(GOLDEN):
        with open(GOLDEN) as stream:
            known = json.load(stream)
    all_rows = {", ".join(row): row for row in rows()}
    chosen = {name: row for name, row in all_rows.items() if options.only in name}
    with tempfile.TemporaryDirectory() as folder:
        outcome = Outcome(os.path.join(os.path.abspath(options.build), "bin", ""), folder)
        for model, step in sorted({row[:2] for row in chosen.values()}):
            outcome.step_of(model, step)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            found = dict(zip(chosen, pool.map(lambda row: outcome(*row), chosen.values())))
    tally = Tally()
    for name, result in found.items():
        expected = known.get(name, {})
        changed = sorted(key for key in {**expected, **result} if expected.get(key) != result.get(key))
        tally.count(name, ", ".join("%s is %s, was %s" % (key, result.get(key), expected.get(key)) for key in changed))
    for name in sorted(set(known) - set(all_rows)):
        tally.count(name, "in golden.json, but no row")
    if options.record:
        kept = {name: row for name, row in {**known, **found}.items() if name in all_rows}
        with open(GOLDEN, "w") as stream:
            stream.write("{\n" + ",\n".join("%s: %s" % (json.dumps(name), json.dumps(kept[name]))
                                            for name in all_rows if name in kept) + "\n}\n")
        print("recorded: %d rows, %d changed" % (len(found), tally.failed))
        return 0
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
