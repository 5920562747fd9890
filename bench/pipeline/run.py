#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines on the devices of this machine: simulated and measured time, bubble, memory, and the size of programs.

run.py BUILD [--calibrate DIR | --topology T --profile P] [--networks a,b] [--microbatches 4,8] [--devices 2,4]
       [--iterations N] [--json FILE]

Each row is a training step (SGD with momentum) on two or four devices of one core each. `one` is a device alone,
`data-parallel` the batch as a whole; the others have two stages: `gpipe`, `1f1b`, `interleaved` (two stages a device),
`1f1b+dp` and `1f1b+tp` (two devices a stage, data or tensor parallelism inside).
  sim ms           --soap-simulate
  ms               median over iterations of soap-run: of those at full speed (--gauge), for which it runs up
                   to four times; if they are less than five, of all, which a star marks
  bubble           the share of the iteration in which devices compute nothing: simulated; and by the trace, the median
                   over iterations of what is no op other than messages
  peak, arena      MiB of the device that needs most: simulated, weights included; temporary memory of the program
  program          KiB of the partitioned module as text; s: processor time of --soap-lower-to-cpu
Simulated times are this machine's with --calibrate, which measures the machine (once for DIR) and the shapes of each
network and of its microbatches (soap-run calibrate --microbatches) and keeps both in DIR; or with --topology and
--profile of another calibration. Then the last lines have the errors of the rows of as many devices as were calibrated.
Rows of more devices than there are cores share these: their simulated times are of a machine with enough of them, and
their errors are of no account.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402
from compile_bench import measure  # noqa: E402

# Generator, batch, sizes, options of the training step: batch norms over groups of two samples run in microbatches.
NETWORKS = {
    "gpt 8x128": ("gpt", 16, "layers=8,heads=4,head-width=32,length=32,vocabulary=512", ""),
    "llama 4x64": ("llama", 16, "layers=4,heads=4,kv-heads=2,head-width=16,mlp-width=128,length=32,vocabulary=256", ""),
    "resnet-18": ("resnet-18", 16, "image=64,classes=100,width=32", " batch-norm=groups(8)"),
}
MiB = 1 << 20
WARM = 3
# Cores are at full speed if the gauges before and after an iteration are at most this times the best (SpeedGauge.h).
TOLERANCE, ENOUGH, MOST_RUNS = 1.5, 5, 4


def strategies(microbatches):
    yield "one", 1, "--soap-apply-strategy=preset=single topology=%s"
    yield "data-parallel", 2, "--soap-apply-strategy=preset=data-parallel topology=%s"
    for name, devices, options in (("gpipe", 2, "schedule=gpipe"), ("1f1b", 2, ""), ("interleaved", 2, "chunks=2"),
                                   ("1f1b+dp", 4, "inside=data-parallel"), ("1f1b+tp", 4, "inside=expert")):
        for count in microbatches:
            yield "%s, %d" % (name, count), devices, \
                "--soap-pipeline=topology=%s stages=2 microbatches=" + str(count) + " summary=false " + options


def read(path):
    with open(path) as stream:
        return json.load(stream)


def busy_share(path, devices):
    """Time in ops other than messages, over devices times the iteration: the median over iterations."""
    iterations = {}
    for event in read(path)["traceEvents"]:
        if event.get("ph") == "X":
            iterations.setdefault(event["args"].get("iteration", 0), []).append(event)
    shares = []
    for number in sorted(iterations)[WARM:] or iterations:
        events = iterations[number]
        begin, end = min(e["ts"] for e in events), max(e["ts"] + e["dur"] for e in events)
        shares.append(sum(e["dur"] for e in events if e["cat"] != "transfer") / (end - begin) / devices)
    return statistics.median(shares)


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tools = dict(zip(("soap-translate", "soap-opt", "soap-run"),
                              built.programs(options.build, "soap-translate", "soap-opt", "soap-run")))
        self.topology, self.profile = options.topology, options.profile
        self.calibrated = 0  # devices
        self.best = float("inf")  # of all gauges
        if options.topology:
            self.calibrated = len(read(options.topology)["devices"])

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, tool, *arguments):
        subprocess.run([self.tools[tool], *arguments], check=True)

    def calibrate(self, name, step):
        """The machine's files are copied, so that each network has the machine's profile and its own shapes."""
        folder = self.options.calibrate
        os.makedirs(folder, exist_ok=True)
        machine, base = os.path.join(folder, "machine"), os.path.join(folder, name.replace(" ", "-"))
        if not os.path.exists(machine + ".done"):
            self.run("soap-run", "calibrate", "--quiet", "-o", machine)
            open(machine + ".done", "w").close()
        self.topology, self.profile = base + ".topology.json", base + ".profile.json"
        shutil.copy(machine + ".profile.json", self.profile)
        topology = read(machine + ".topology.json")
        for device_type in topology["device_types"]:
            device_type["profile"] = os.path.basename(self.profile)
        with open(self.topology, "w") as stream:
            json.dump(topology, stream, indent=1)
        self.calibrated = len(topology["devices"])
        self.run("soap-run", "calibrate", step, "--quiet", "--microbatches", self.options.microbatches, "-o", base)

    def simulate(self, devices, strategy):
        """Writes the planned module to p.mlir."""
        fits = max(devices, 2) == self.calibrated
        topology = self.topology if fits else "cpu-%d" % max(devices, 2)
        profile = " profile=" + self.profile if self.profile else ""
        self.run("soap-opt", self.path("step.mlir"), strategy % topology,
                 "--soap-simulate=topology=%s%s compare=none summary=false report=%s" % (topology, profile, self.path("s.json")),
                 "-o", self.path("p.mlir"))
        simulated = read(self.path("s.json"))
        ms = simulated["makespan_ns"] * 1e-6
        bubble = simulated.get("pipeline", {}).get("bubble")
        if bubble is None:
            bubble = 1 - simulated["compute_ns"] / simulated["makespan_ns"] / devices
        return {"simulated_ms": ms, "bubble": bubble, "calibrated": fits,
                "peak_mib": max(d["peak_bytes"] for d in simulated["devices"]) / MiB}

    def execute(self, devices):
        run = [self.path("l.mlir"), "--data=synthetic", "--quiet", "--threads-per-device=1", "--report", self.path("r.json")]
        samples, fast = [], []
        for _ in range(MOST_RUNS):
            self.run("soap-run", "train", *run, "--gauge", "--iterations=%d" % (WARM + self.options.iterations))
            report = read(self.path("r.json"))
            gauge = report["gauge"]
            self.best = min(self.best, *gauge["ns"])
            # The first iterations warm up.
            samples += list(zip(gauge["milliseconds"], zip(gauge["ns"], gauge["ns"][1:])))[WARM - 1:]
            fast = [ms for ms, pair in samples if max(pair) <= TOLERANCE * self.best]
            if len(fast) >= ENOUGH:
                break
        steady = len(fast) >= ENOUGH
        result = {"measured_ms": statistics.median(fast if steady else [ms for ms, _ in samples]), "at_full_speed": steady,
                  "arena_mib": max(report["arena_bytes"]) / MiB,
                  "loss": report["epochs"][0]["loss"]}
        self.run("soap-run", "train", *run, "--trace", self.path("t.json"), "--iterations=%d" % (2 * WARM))
        result["measured_bubble"] = 1 - busy_share(self.path("t.json"), devices)
        return result

    def row(self, devices, strategy):
        result = self.simulate(devices, strategy)
        self.run("soap-opt", self.path("p.mlir"), "--soap-partition", "-o", self.path("q.mlir"))
        result["program_kib"] = os.path.getsize(self.path("q.mlir")) / 1024
        lower = [self.tools["soap-opt"], self.path("q.mlir"), "--soap-lower-to-cpu", "-o", self.path("l.mlir")]
        result["lowering_s"] = measure(lower)[0]["cpu"]
        result.update(self.execute(devices))
        result["error"] = result["simulated_ms"] / result["measured_ms"] - 1
        return result

    def make_step(self, name):
        generator, batch, sizes, step = NETWORKS[name]
        self.run("soap-translate", "--generate=" + generator, "--batch=%d" % batch, "--option=" + sizes, "-o", self.path("model.mlir"))
        self.run("soap-opt", self.path("model.mlir"), "--soap-build-training-step=optimizer=sgd momentum=0.9 learning-rate=0.001" + step,
                 "-o", self.path("step.mlir"))

    def network(self, name):
        self.make_step(name)
        if self.options.calibrate:
            self.calibrate(name, self.path("step.mlir"))
        wanted = [int(count) for count in self.options.devices.split(",")]
        for strategy, devices, passes in strategies([int(count) for count in self.options.microbatches.split(",")]):
            if max(devices, 2) in wanted:
                yield dict(self.row(devices, passes), network=name, strategy=strategy, devices=devices)


def print_row(row):
    of = lambda key, text: text % row[key]  # noqa: E731
    alone = row["devices"] == 1
    print("| %s | %s | %d | %s | %s%s | %s | %s | %s | %s | %s | %s | %s |" % (
        row["network"], row["strategy"], row["devices"], of("simulated_ms", "%.1f"), of("measured_ms", "%.1f"),
        "" if row["at_full_speed"] else "*", "%+.1f %%" % (100 * row["error"]) if row["calibrated"] else "-",
        "-" if alone else of("bubble", "%.2f"), "-" if alone else of("measured_bubble", "%.2f"), of("peak_mib", "%.2f"),
        of("arena_mib", "%.2f"), of("program_kib", "%.0f"), of("lowering_s", "%.2f")), flush=True)


def summarize(rows):
    """Errors of the rows on the calibrated devices, and how far bubbles are apart."""
    rows = [row for row in rows if row["calibrated"]]
    for name in dict.fromkeys(row["network"] for row in rows) if rows else ():
        mine = [row for row in rows if row["network"] == name]
        errors = [abs(row["error"]) for row in mine]
        bubbles = [abs(row["bubble"] - row["measured_bubble"]) for row in mine if row["devices"] > 1]
        print("%s: error of %d rows: median %.1f %%, worst %.1f %%; bubbles are %.3f apart in the median, %.3f at most" %
              (name, len(mine), 100 * statistics.median(errors), 100 * max(errors), statistics.median(bubbles), max(bubbles)))
    if rows:
        errors = [abs(row["error"]) for row in rows]
        print("all: error of %d rows: median %.1f %%, worst %.1f %%" % (len(rows), 100 * statistics.median(errors), 100 * max(errors)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--microbatches", default="4,8")
    parser.add_argument("--devices", default="2,4")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--calibrate")
    parser.add_argument("--topology")
    parser.add_argument("--profile")
    parser.add_argument("--json")
    options = parser.parse_args()
    if options.calibrate and (options.topology or options.profile):
        sys.exit("'--calibrate' excludes '--topology' and '--profile'")
    results = []
    print("| network | strategy | devices | sim ms | ms | error | sim bubble | bubble | peak MiB | arena MiB | program KiB | s |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for name in options.networks.split(","):
            losses = []
            for row in bench.network(name):
                print_row(row)
                results.append(row)
                losses.append(row["loss"])
                if options.json:
                    with open(options.json, "w") as stream:
                        json.dump(results, stream, indent=1)
            spread = max(losses) - min(losses)
            print("%s: losses within %.1e of each other" % (name, spread / abs(statistics.median(losses))), file=sys.stderr)
            if spread > 1e-4 * abs(statistics.median(losses)):
                sys.exit("losses differ: %s" % losses)
    summarize(results)


if __name__ == "__main__":
    main()
