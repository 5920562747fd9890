#!/usr/bin/env python3
"""Milliseconds per training iteration on this machine's CPU: Soap beside PyTorch (eager, better of both layouts).

run.py BUILD --models FOLDER [--only NAME,..] [--rounds N] [--iterations N] [--python PYTHON] [--json FILE]

FOLDER holds the ONNX files. Every round runs, one after the other, PyTorch in NCHW and channels last with as many threads
as cores, Soap on one device with as many threads, and Soap data parallel on two devices with half of them. The table has
the median over the rounds' medians, the spread of the rounds, and the ratios to PyTorch. PYTHON is one with torch, onnx
and numpy; without it, Soap alone.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = [("lenet", 64), ("lenet", 256), ("alexnet", 32), ("resnet18", 16), ("resnet50", 8), ("inception_v3", 4)]


def run(command, environment=None):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=1800, env=environment)
    if done.returncode:
        raise SystemExit("bench: '%s' exited with %d: %s" % (" ".join(map(str, command)), done.returncode, done.stderr[-1500:]))
    return done.stdout


class Soap:
    def __init__(self, build, folder, model, batch):
        self.bin = lambda tool: os.path.join(build, "bin", tool)
        self.folder = folder
        step = os.path.join(folder, "step.mlir")
        imported = os.path.join(folder, "model.mlir")
        run([self.bin("soap-translate"), "--import-onnx", model, "--batch=%d" % batch, "-o", imported])
        run([self.bin("soap-opt"), imported, "--soap-build-training-step=optimizer=sgd learning-rate=1e-4 momentum=0.9",
             "-o", step])
        self.files = {}
        for devices, preset in ((1, "single"), (2, "data-parallel")):
            self.files[devices] = os.path.join(folder, "lowered%d.mlir" % devices)
            run([self.bin("soap-opt"), step, "--soap-apply-strategy=preset=%s topology=cpu-%d" % (preset, devices),
                 "--soap-partition", "--soap-lower-to-cpu", "-o", self.files[devices]])

    def train(self, devices, threads, iterations):
        report = os.path.join(self.folder, "report.json")
        run([self.bin("soap-run"), self.files[devices], "--data", "synthetic", "--iterations", iterations + 2, "--quiet",
             "--report", report, "--threads-per-device", threads, "--timeout", 300])
        with open(report) as stream:
            return json.load(stream)["milliseconds_per_iteration"]["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--models", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--python", default="")
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    rows = []
    for name, batch in MODELS:
        if options.only and name not in options.only.split(","):
            continue
        model = os.path.join(options.models, name + ".onnx")
        # Small iterations: more of them, so that a round takes a second.
        iterations = options.iterations * (20 if name == "lenet" else 1)
        with tempfile.TemporaryDirectory() as folder:
            soap = Soap(os.path.abspath(options.build), folder, model, batch)
            times = {"torch": [], "soap1": [], "soap2": []}
            for _ in range(options.rounds):
                if options.python:
                    command = [options.python, os.path.join(HERE, "torch_model.py"), model, "--batch", batch, "--threads",
                               cores, "--iterations", iterations]
                    times["torch"].append(min(
                        statistics.median(json.loads(run(command + layout))["milliseconds"])
                        for layout in ([], ["--channels-last"])))
                times["soap1"].append(soap.train(1, cores, iterations))
                times["soap2"].append(soap.train(2, max(1, cores // 2), iterations))
        row = {"model": name, "batch": batch}
        for key, values in times.items():
            if values:
                row[key] = {"median": statistics.median(values), "min": min(values), "max": max(values)}
        rows.append(row)
        show = lambda key: "%9.1f [%.1f, %.1f]" % tuple(row[key][k] for k in ("median", "min", "max")) if key in row else "-"
        ratio = lambda a, b: "%.2f" % (row[a]["median"] / row[b]["median"]) if a in row and b in row else "-"
        print("%-13s %4d  PyTorch %-24s 1 device %-24s (%sx)  2 devices %-24s (%sx, %sx of 1)"
              % (name, batch, show("torch"), show("soap1"), ratio("soap1", "torch"), show("soap2"), ratio("soap2", "torch"),
                 ratio("soap2", "soap1")), flush=True)
    if options.json:
        with open(options.json, "w") as stream:
            json.dump({"version": 1, "cores": cores, "rows": rows}, stream, indent=1)


if __name__ == "__main__":
    sys.exit(main())
