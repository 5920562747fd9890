#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the networks that record.py has recorded as PyTorch did, and compares losses and every weight.

    compare.py BUILD [--folder FOLDER] [--only TEXT] [--doors a,b] [--strategies a,b] [--jobs N] [--table]
               [--json FILE] [--keep FOLDER]

Each network takes three steps on one device, data parallel on four, and by a searched strategy on four. An ONNX file is
imported with --assume-roles, and its training step is Soap's; a linalg program is the training step of PyTorch.
Compared are each loss, each tensor of weights and running statistics, norm-wise, and how far the weights have moved:
|a - b| / |b| is at most 1e-4, of the moves 1e-2. A weight that PyTorch trains and Soap does not have, or the other way
round, is a fault. First values are distinct, so a weight is known by its value, transposed and renamed as it may be.
`--table` prints rows for docs/Status.md. The last line is "N passed, N failed": a check is a network, a door and a
strategy. Needs numpy.
"""

import argparse
import concurrent.futures
import glob
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "Training"), os.path.join(HERE, "..", "..")]
from recorded import read_safetensors  # noqa: E402
from soap_tools import Failure, Tools  # noqa: E402
from tally import Tally  # noqa: E402

FUNCTION = {"onnx": "train_step", "linalg": "main"}
DOORS = ("torchscript", "dynamo", "linalg")
STRATEGIES = {
    "one device": "--soap-apply-strategy=preset=single topology=cpu-1 function=%s",
    "data parallel": "--soap-apply-strategy=preset=data-parallel topology=cpu-4 function=%s",
    "searched": "--soap-auto-parallel=topology=cpu-4 function=%s proposals=200 seed=1 summary=false",
}
CLOSE, CLOSE_MOVE, STEPS = 1e-4, 1e-2, 3
# training_step.py has it, too.
DECAY = 0.01


class Different(Exception):
    """The numbers differ, or there is none to compare."""


def apart(got, want):
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    if got.shape != want.shape or not np.isfinite(got).all():
        return np.inf
    return np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-30)


class Values:
    """Where PyTorch's weights are, by their first values."""

    def __init__(self, record):
        names = [key[6:] for key in record.files if key.startswith("first.")]
        first = np.concatenate([record["first." + name].ravel() for name in names])
        last = np.concatenate([record["last." + name].ravel() for name in names])
        order = np.argsort(first, kind="stable")
        self.first, self.last, self.names = first[order], last[order], names
        self.owner = np.repeat(np.arange(len(names)), [record["first." + name].size for name in names])[order]
        if len(np.unique(first)) != len(first):
            raise Different("the record has a first value twice")

    def compare(self, first, last):
        """The largest difference of a tensor, and that of all moves; `first` and `last` are Soap's, by name."""
        seen = np.zeros(len(self.first), bool)
        worst, worst_name, moved, wanted = 0.0, "", [], []
        for name, begin in first.items():
            if name not in last:
                raise Different("'%s' has no value after the training" % name)
            values = begin.ravel().astype(np.float32)
            places = np.minimum(np.searchsorted(self.first, values), len(self.first) - 1)
            if not (self.first[places] == values).all():
                raise Different("'%s' is trained, and is no weight of PyTorch's" % name)
            seen[places] = True
            error = apart(last[name].ravel(), self.last[places])
            if not error <= worst:
                worst, worst_name = error, name
            moved.append(last[name].ravel().astype(np.float64) - values)
            wanted.append(self.last[places].astype(np.float64) - values)
        if not seen.all():
            missing = sorted({self.names[i] for i in self.owner[~seen]})
            raise Different("PyTorch trains %s, Soap does not" % ", ".join(missing[:4]))
        return worst, worst_name, apart(np.concatenate(moved), np.concatenate(wanted))


def unpacked(tools, folder, name):
    """The path of a file that is kept as NAME.xz."""
    with lzma.open(os.path.join(folder, name + ".xz")) as source, open(tools.path(name), "wb") as file:
        file.write(source.read())
    return tools.path(name)


class Onnx:
    """A network and its loss: Soap makes the training step."""

    def __init__(self, tools, folder, name, door, record, how):
        self.tools, self.record = tools, record
        names = [key[5:] for key in record.files if key.startswith("data.")]
        data = {("x" if len(names) == 1 else name) + "_train": record["data." + name] for name in names}
        self.data = tools.path("data.npz")
        np.savez(self.data, y_train=record["target"], **data)
        self.weights, self.step = tools.path("first.safetensors"), tools.path("step.mlir")
        tools.run("soap-translate", "--import-onnx", unpacked(tools, folder, "%s.%s.onnx" % (name, door)),
                  "--assume-roles", "--weights-out", self.weights, "-o", tools.path("model.mlir"))
        options = "loss=%(loss)s optimizer=%(optimizer)s learning-rate=%(rate)r" % how
        tools.run("soap-opt", tools.path("model.mlir"), "--soap-build-training-step=" + options
                  + (" weight-decay=%r" % DECAY if how["optimizer"] == "adamw" else ""), "-o", self.step)

    def train(self, lowered):
        saved = self.tools.path("last.safetensors")
        report = self.tools.report(lowered, "--data", "npz:" + self.data, "--epochs", STEPS, "--threads-per-device", 1, "--opt-level", 0,
                                   "--init", self.weights, "--save-weights", saved)
        return [epoch["loss"] for epoch in report["epochs"]], read_safetensors(self.weights), read_safetensors(saved)


class Linalg:
    """The training step of PyTorch: it takes and returns weights, and states of the optimizer behind them."""

    def __init__(self, tools, folder, name, door, record, how):
        self.tools, self.step = tools, tools.path("step.mlir")
        names = [key[6:] for key in record.files if key.startswith("first.")]
        trained = [name for name in names if "running_" not in name]
        self.arrays = [record["first." + name] for name in names]
        if how["optimizer"] == "adamw":
            self.arrays += [np.zeros_like(record["first." + name]) for name in trained for _ in range(2)]
            self.arrays += [np.ones((), np.float32)] * 2
        self.updated, self.weights = len(self.arrays), len(names)
        self.arrays += [record[key] for key in record.files if key.startswith("data.")] + [record["target"]]
        wide = lambda array: array.astype(np.int64) if array.dtype == np.int32 else array
        self.arrays = [wide(array) for array in self.arrays]
        kinds = "parameters=0-%d data=%d-%d labels=%d" % (
            self.weights - 1, self.updated, len(self.arrays) - 2, len(self.arrays) - 1)
        if self.updated > self.weights:
            kinds += " states=%d-%d" % (self.weights, self.updated - 1)
        tools.run("soap-opt", unpacked(tools, folder, name + ".linalg.mlir"), "--linalg-fuse-elementwise-ops",
                  "--canonicalize", "--cse", "--soap-mark-arguments=" + kinds, "-o", self.step)

    def train(self, lowered):
        arrays, losses = list(self.arrays), []
        for _ in range(STEPS):
            inputs = []
            for i, array in enumerate(arrays):
                np.save(self.tools.path("arg%d.npy" % i), array)
                inputs += ["--input", "arg%d=%s" % (i, self.tools.path("arg%d.npy" % i))]
            results = self.tools.path("results")
            for file in glob.glob(os.path.join(results, "*.npy")):
                os.remove(file)
            # So few iterations take less time than optimizing them would.
            self.tools.run("soap-run", "entry", lowered, "main", "--quiet", "--opt-level", 0, "--timeout", 120,
                           "--output", results, *inputs)
            result = lambda i: np.load(os.path.join(results, "result%d.npy" % i))
            losses.append(float(result(0).reshape(())))
            for i in range(self.updated):
                arrays[i] = result(i + 1).reshape(arrays[i].shape)
        named = lambda values: {"arg%d" % i: value for i, value in enumerate(values[:self.weights])}
        return losses, named(self.arrays), named(arrays)


def programs(text):
    """Counts the programs of a lowered module; devices that do the same share one."""
    return max([int(number) + 1 for number in re.findall(r"@(?:train_step|main)__(\d+)", text)] or [1])


def check(door, program, record, values, strategy):
    """Differences of losses, weights and moves, and the number of programs of devices."""
    tools, lowered = program.tools, program.tools.path("lowered.mlir")
    function = FUNCTION["linalg" if door == "linalg" else "onnx"]
    tools.run("soap-opt", program.step, STRATEGIES[strategy] % function, "--soap-partition", "--soap-lower-to-cpu",
              "-o", lowered)
    with open(lowered, encoding="utf-8") as file:
        count = programs(file.read())
    losses, first, last = program.train(lowered)
    worst, name, moves = values.compare(first, last)
    return {"losses": apart(losses, record["losses"]), "weights": worst, "weight": name, "moves": moves,
            "programs": count}


def verdict(strategy, row):
    """The faults of a row, or nothing."""
    wrong = []
    if not row["losses"] <= CLOSE:
        wrong.append("losses differ by %.1e" % row["losses"])
    if not row["weights"] <= CLOSE:
        wrong.append("'%s' differs by %.1e" % (row["weight"], row["weights"]))
    if not row["moves"] <= CLOSE_MOVE:
        wrong.append("moves differ by %.1e" % row["moves"])
    if strategy != "one device" and row["programs"] < 2:
        wrong.append("all devices run one program, expected a split")
    return "; ".join(wrong)


def table(rows):
    """A line for each network and door."""
    lines = []
    for name, door in dict.fromkeys((row["network"], row["door"]) for row in rows):
        cells = {row["strategy"]: row for row in rows if (row["network"], row["door"]) == (name, door)}
        shown = ["%.1e" % max(cells[s]["losses"], cells[s]["weights"]) if "weights" in cells.get(s, {}) else
                 cells.get(s, {}).get("wrong", "-").splitlines()[0][:80] for s in STRATEGIES]
        count = cells.get("searched", {}).get("programs", "-")
        lines.append("| %s | %s | %s | %s |" % (name, door, " | ".join(shown), count))
    return lines


def check_door(options, name, door):
    """The rows of a network and a door, one for each strategy."""
    record = np.load(os.path.join(options.folder, name + ".npz"))
    program, broken, rows = None, None, []
    with tempfile.TemporaryDirectory() as folder:
        if options.keep:
            folder = os.path.join(options.keep, "%s-%s" % (name, door))
            os.makedirs(folder, exist_ok=True)
        tools = Tools(os.path.abspath(options.build), folder)
        try:
            how, values = json.loads(record["how"].tobytes()), Values(record)
            program = (Linalg if door == "linalg" else Onnx)(tools, options.folder, name, door, record, how)
        except (Failure, Different, OSError, KeyError, subprocess.TimeoutExpired) as failure:
            broken = str(failure)
        for strategy in options.strategies.split(","):
            row = {"network": name, "door": door, "strategy": strategy, "wrong": broken}
            if not broken:
                try:
                    row.update(check(door, program, record, values, strategy))
                    row["wrong"] = verdict(strategy, row)
                except (Failure, Different, OSError, subprocess.TimeoutExpired) as failure:
                    row["wrong"] = str(failure)
            rows.append(row)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--folder", default=os.path.join(HERE, "Inputs"), help="of the records")
    parser.add_argument("--only", default="", help="networks whose name contains this text")
    parser.add_argument("--doors", default=",".join(DOORS))
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--jobs", type=int, default=1, help="networks and doors at a time")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--json", help="a file for the rows")
    parser.add_argument("--keep", help="a folder for all that is made")
    options = parser.parse_args()
    names = [os.path.basename(path)[:-4] for path in sorted(glob.glob(os.path.join(options.folder, "*.npz")))]
    tasks = [(name, door) for name in names if options.only in name for door in options.doors.split(",")
             if glob.glob(os.path.join(options.folder, "%s.%s.*" % (name, door)))]
    tally, rows = Tally(), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in pool.map(lambda task: check_door(options, *task), tasks):
            for row in done:
                what = "%s, %s, %s" % (row["network"], row["door"], row["strategy"])
                if "weights" in row:
                    print("%s: losses %.1e, weights %.1e, moves %.1e, %d programs" % (
                        what, row["losses"], row["weights"], row["moves"], row["programs"]), flush=True)
                tally.count(what, row["wrong"])
            rows += done
    if options.table:
        head = "| network | door | %s | programs |" % " | ".join(STRATEGIES)
        print("\n".join([head, "|---" * (3 + len(STRATEGIES)) + "|"] + table(rows)))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
