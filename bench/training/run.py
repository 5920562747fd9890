#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Milliseconds and memory of a training iteration on a CPU: Soap beside PyTorch (eager, better of both layouts).

run.py BUILD --models FOLDER [--only NAME,..] [--rounds N] [--iterations N] [--columns C,..] [--python PYTHON]
       [--json FILE]

FOLDER holds the ONNX files; the RNNLM is written by utils/make-language-model-onnx.py. Every round runs, one after the
other:
  torch     PyTorch with as many threads as cores, images in NCHW and channels last
  single    Soap on one device with as many threads
  parallel  Soap data parallel on two devices with half of them
  searched  Soap on two devices with the strategy that --soap-auto-parallel finds (seed 1, --search-seconds)
all with SGD and momentum in f32; language models have the loss on all positions. Soap runs compiled artifacts, so that
neither time nor memory is that of a compiler. The table has the median over the rounds' medians, the spread of the
rounds, the ratios to PyTorch, and the peak resident memory of each process. PYTHON is one with torch, onnx and numpy;
without it, Soap alone, and no RNNLM. JSON is written after every row.
"""

import argparse
import array
import datetime
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))


class Row:
    """`tokens` is (vocabulary, length of a sequence) of a language model."""

    def __init__(self, name, batch, file=None, tokens=None, generate=None, options=()):
        self.name, self.batch, self.tokens, self.generate = name, batch, tokens, generate
        self.file, self.options = file or name + ".onnx", list(options)


ROWS = [
    Row("lenet", 64),
    Row("lenet", 256),
    Row("alexnet", 32),
    Row("resnet18", 16),
    Row("resnet50", 8),
    Row("inception_v3", 4),
    Row("rnnlm", 32, tokens=(10000, 20), options=["--sample-dim=1"],
        generate=["--vocabulary=10000", "--width=512", "--layers=2", "--length=20", "--no-weights"]),
    # Norms that start with equal values are one initializer in the file; they are weights of their own.
    Row("gpt", 8, "gpt_6l_384.onnx", tokens=(8192, 128), options=["--untie-weights"]),
]
COLUMNS = ["torch", "single", "parallel", "searched"]


def run(command, limit=3600):
    """Output and peak resident MiB of a process."""
    command = [str(c) for c in command]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors)
        timer = threading.Timer(limit, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        if process.returncode:
            raise SystemExit("bench: '%s' exited with %d: %s" % (" ".join(command), process.returncode, errors.read()[-1500:]))
        return out.read(), usage.ru_maxrss / 1024


class Soap:
    """The artifacts of one row."""

    def __init__(self, row, columns, options, folder):
        self.folder = folder
        self.tool = lambda name: os.path.join(options.build, "bin", name)
        model = os.path.join(options.models, row.file)
        if row.generate:
            model = os.path.join(folder, row.file)
            run([options.python, os.path.join(SOURCE, "utils", "make-language-model-onnx.py"), row.name, model] + row.generate)
        imported, step = os.path.join(folder, "model.mlir"), os.path.join(folder, "step.mlir")
        run([self.tool("soap-translate"), "--import-onnx", model, "--batch=%d" % row.batch, "-o", imported] + row.options)
        run([self.tool("soap-opt"), imported, "--soap-build-training-step=optimizer=sgd learning-rate=1e-4 momentum=0.9",
             "-o", step])
        strategies = {
            "single": (1, "--soap-apply-strategy=preset=single topology=cpu-1"),
            "parallel": (2, "--soap-apply-strategy=preset=data-parallel topology=cpu-2"),
            "searched": (2, "--soap-auto-parallel=topology=cpu-2 seed=1 time-limit=%g" % options.search_seconds),
        }
        self.files = {}
        for column in columns:
            if column not in strategies:
                continue
            devices, strategy = strategies[column]
            lowered, artifact = (os.path.join(folder, column + ending) for ending in (".mlir", ".soapx"))
            run([self.tool("soap-opt"), step, strategy, "--soap-partition", "--soap-lower-to-cpu", "-o", lowered])
            run([self.tool("soap-translate"), "--emit-artifact", lowered, "-o", artifact])
            os.remove(lowered)
            self.files[column] = devices, artifact
        self.data = "synthetic"
        if row.tokens:
            vocabulary, length = row.tokens
            self.data = "tokens:%s,test=0" % os.path.join(folder, "tokens.bin")
            chance = random.Random(1)
            with open(os.path.join(folder, "tokens.bin"), "wb") as stream:
                array.array("H", (chance.randrange(vocabulary) for _ in range(8 * row.batch * length + 1))).tofile(stream)

    def train(self, column, cores, iterations):
        report = os.path.join(self.folder, "report.json")
        devices, artifact = self.files[column]
        _, memory = run([self.tool("soap-run"), "train", artifact, "--data", self.data, "--iterations", iterations + 2, "--quiet",
                         "--allow-nonfinite", "--report", report, "--threads-per-device", max(1, cores // devices), "--timeout", 300])
        with open(report) as stream:
            return json.load(stream)["milliseconds_per_iteration"]["median"], memory


def train_torch(row, options, cores, iterations):
    """Milliseconds, MiB, version; of the faster layout."""
    model = row.name if row.tokens else os.path.join(options.models, row.file)
    command = [options.python, os.path.join(HERE, "torch_model.py"), model, "--batch", row.batch, "--threads", cores,
               "--iterations", iterations]
    best = None
    for layout in [[]] if row.tokens else [[], ["--channels-last"]]:
        out, memory = run(command + layout)
        result = json.loads(out)
        candidate = statistics.median(result["milliseconds"]), memory, result["torch"]
        best = min(best or candidate, candidate)
    return best


def measure(row, options, cores):
    columns = [c for c in options.columns.split(",") if c != "torch" or options.python]
    # Small iterations: more of them, so that a round takes a second.
    iterations = options.iterations * (20 if row.name == "lenet" else 1)
    result = {"model": row.name, "batch": row.batch, "rounds": options.rounds, "iterations": iterations}
    times, memory = {c: [] for c in columns}, {c: [] for c in columns}
    with tempfile.TemporaryDirectory() as folder:
        soap = Soap(row, columns, options, folder)
        for _ in range(options.rounds):
            for column in columns:
                if column == "torch":
                    milliseconds, peak, result["torch_version"] = train_torch(row, options, cores, iterations)
                else:
                    milliseconds, peak = soap.train(column, cores, iterations)
                times[column].append(milliseconds)
                memory[column].append(peak)
    for column in columns:
        values = times[column]
        result[column] = {"median": statistics.median(values), "min": min(values), "max": max(values),
                          "peak_mib": round(max(memory[column]))}
    return result


def show(row):
    cells = ["%-12s %4d" % (row["model"], row["batch"])]
    for column in COLUMNS:
        if column not in row:
            continue
        cell = "%s %.1f [%.1f, %.1f] ms %d MiB" % (column, *(row[column][key] for key in ("median", "min", "max", "peak_mib")))
        if column != "torch" and "torch" in row:
            cell += " %.2fx" % (row[column]["median"] / row["torch"]["median"])
        cells.append(cell)
    print("  ".join(cells), flush=True)


def machine(cores):
    text = lambda command: subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    with open("/proc/cpuinfo") as stream:
        names = [line.split(":", 1)[1].strip() for line in stream if line.startswith("model name")]
    return {"processor": names[0] if names else platform.machine(), "cores": cores,
            "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2 ** 30, 1),
            "date": datetime.date.today().isoformat(), "commit": text(["git", "-C", SOURCE, "rev-parse", "--short", "HEAD"]),
            "changed": bool(text(["git", "-C", SOURCE, "status", "--porcelain", "--untracked-files=no"]))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--models", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--columns", default=",".join(COLUMNS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--search-seconds", type=float, default=30)
    parser.add_argument("--python", default="")
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    built.programs(options.build, "soap-translate", "soap-opt", "soap-run")
    options.build = os.path.abspath(options.build)
    only = [name for name in options.only.split(",") if name]
    for name in set(only) - {row.name for row in ROWS}:
        parser.error("--only: expected one of %s, got '%s'" % (", ".join(sorted({row.name for row in ROWS})), name))
    for name in set(options.columns.split(",")) - set(COLUMNS):
        parser.error("--columns: expected some of %s, got '%s'" % (", ".join(COLUMNS), name))
    cores = len(os.sched_getaffinity(0))
    report = {"version": 2, **machine(cores), "rows": []}
    for row in ROWS:
        if only and row.name not in only or row.generate and not options.python:
            continue
        report["rows"].append(measure(row, options, cores))
        show(report["rows"][-1])
        if options.json:
            with open(options.json, "w") as stream:
                json.dump(report, stream, indent=1)


if __name__ == "__main__":
    sys.exit(main())
