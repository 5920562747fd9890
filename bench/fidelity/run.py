#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How close simulated iterations are to real ones: strategies of small networks on two devices of this machine, one
core each.

run.py BUILD --folder DIR [--json FILE] [--networks a,b] [--rounds 3] [--seconds S]
       [--steps calibrate,compile,measure] [--again]

Calibrates the machine, then, in each round, network by network: measures its shapes (soap-run calibrate), compiles
its strategies if they are not, runs them with soap-run on synthetic data, and simulates them with that topology and
profile. Every round calibrates a network anew, right before it measures it, so that little of the machine's drift is in
the error; strategies are not those that calibration runs. DIR keeps all that was done, so that a run of at most S
seconds goes on where the last one ended: on a machine with other work, measure in slices while the others are stopped.
--again calibrates and measures anew, with the programs that are there. Times are medians over iterations, then over
rounds, simulated ones over rounds; the run-to-run spread of a strategy is the distance of its slowest from its fastest
round, relative to the median. The table and Kendall's tau come last.

Cores of a virtual machine run at half speed while the host gives their other hardware thread to another guest, for a
tenth of a second or for minutes. --gauge shows it. Calibration takes iterations at full speed. So there are
two tables' worth of columns: iterations at full speed, by the gauges before and after them, and all iterations (raw),
against the same simulated times.
"""

import argparse
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402

# Batch and options: an iteration takes some 5 to 200 ms.
NETWORKS = {
    "lenet": (64, ""),
    "alexnet": (16, "image=127,classes=100,divide=4"),
    "resnet-50": (8, "image=96,classes=100,width=16,stage1=1,stage2=2,stage3=2,stage4=1"),
    "inception-v3": (4, "image=107,classes=100,divide=4,a-blocks=1,c-blocks=1,e-blocks=1"),
    "rnnlm": (16, "length=20,lstm-chunk=5,hidden=256,vocabulary=2000"),
    "nmt": (16, "length=12,lstm-chunk=4,hidden=128,vocabulary=2000"),
    "gpt": (4, "length=64,layers=2,heads=4,head-width=32,vocabulary=1000"),
    "bert": (4, "length=64,layers=2,heads=4,head-width=32,vocabulary=1000"),
}
STRATEGIES = ["single", "data-parallel", "model-parallel", "spatial", "expert", "zero", "mixed-1", "mixed-2", "searched"]
WARM = 3
# Cores are at full speed if the gauges before and after it are at most this times the best (SpeedGauge.h).
TOLERANCE = 1.5
# Runs of about a second each until so many iterations were at full speed.
STEADY, MOST_RUNS = 20, 12


class Bench:
    def __init__(self, options):
        self.build, self.folder = os.path.abspath(options.build), os.path.abspath(options.folder)
        os.makedirs(self.folder, exist_ok=True)
        self.rounds, self.end = options.rounds, time.monotonic() + options.seconds
        self.networks = options.networks.split(",")
        self.results = {}
        self.best = float("inf")  # of all gauges
        if os.path.exists(self.path("results.json")):
            with open(self.path("results.json")) as stream:
                self.results = json.load(stream)
        for entry in self.results.values():
            for samples in entry.get("rounds_ms", []):
                self.best = min([self.best] + [gauge for _, *pair in samples for gauge in pair])

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, tool, *arguments):
        command = [os.path.join(self.build, "bin", tool)] + [str(a) for a in arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1800)
        if done.returncode:
            sys.exit("'%s' exited with %d: %s" % (" ".join(command), done.returncode, done.stdout[-2000:]))
        return done.stdout

    def out_of_time(self):
        if time.monotonic() > self.end:
            print("out of time: run this again to go on")
            return True
        return False

    def save(self):
        with open(self.path("results.json.new"), "w") as stream:
            json.dump(self.results, stream, indent=1)
        os.replace(self.path("results.json.new"), self.path("results.json"))

    def step(self, network):
        path = self.path(network + ".step.mlir")
        if not os.path.exists(path):
            batch, sizes = NETWORKS[network]
            plain = self.path(network + ".mlir")
            self.run("soap-translate", "--generate=" + network, "--batch=%d" % batch, *(["--option=" + sizes] if sizes else []),
                     "-o", plain)
            self.run("soap-opt", plain, "--soap-build-training-step=learning-rate=0.001 momentum=0.9", "-o", path)
        return path

    def machine(self):
        """The machine without any network, a topology and a profile that the networks' begin with."""
        if not os.path.exists(self.path("machine.done")):
            self.run("soap-run", "calibrate", "-o", self.path("machine"))
            open(self.path("machine.done"), "w").close()

    def topology(self, network, number=0):
        return self.path("%s.%d.topology.json" % (network, number))

    def calibrate(self, network, number):
        base = "%s.%d" % (network, number)
        if os.path.exists(self.path(base + ".calibrated")):
            return True
        if self.out_of_time():
            return False
        self.machine()
        shutil.copy(self.path("machine.profile.json"), self.path(base + ".profile.json"))
        with open(self.path("machine.topology.json")) as stream:
            topology = json.load(stream)
        for device_type in topology["device_types"]:
            device_type["profile"] = base + ".profile.json"  # beside the topology
        with open(self.path(base + ".topology.json"), "w") as stream:
            json.dump(topology, stream, indent=1)
        output = self.run("soap-run", "calibrate", self.step(network), "-o", self.path(base))
        with open(self.path(base + ".calibrated"), "w") as stream:
            stream.write(output)
        return True

    def strategies(self, network):
        for strategy in STRATEGIES:
            if strategy == "spatial" and network in ("rnnlm", "nmt", "gpt", "bert"):
                continue  # no images
            yield strategy

    def cases(self):
        return ((network, strategy) for network in self.networks for strategy in self.strategies(network))

    def compile(self, network, number):
        for strategy in self.strategies(network):
            key = network + "." + strategy
            if os.path.exists(self.path(key + ".soapx")):
                continue
            if self.out_of_time():
                return False
            apply = ("--soap-auto-parallel=topology=%s seed=1 proposals=3000" if strategy == "searched" else
                     "--soap-apply-strategy=preset=" + strategy + " topology=%s") % self.topology(network)
            self.run("soap-opt", self.step(network), apply, "-o", self.path(key + ".mlir"))
            self.run("soap-opt", self.path(key + ".mlir"), "--soap-partition", "--soap-lower-to-cpu", "-o",
                     self.path(key + ".lowered.mlir"))
            self.run("soap-translate", "--emit-artifact", self.path(key + ".lowered.mlir"), "-o", self.path(key + ".soapx"))
        return True

    def simulate(self, network, number):
        """Anew every time: it takes no time, and the model is what changes."""
        for strategy in self.strategies(network):
            key = network + "." + strategy
            if not os.path.exists(self.path(key + ".mlir")) or not os.path.exists(self.topology(network, number)):
                continue
            self.run("soap-opt", self.path(key + ".mlir"), "--soap-simulate=report=%s compare=none summary=false topology=%s" %
                     (self.path("report.json"), self.topology(network, number)), "-o", os.devnull)
            with open(self.path("report.json")) as stream:
                makespan = json.load(stream)["makespan_ns"] * 1e-6
            self.results.setdefault(key, {}).setdefault("simulated_ms", {})[str(number)] = makespan
        self.save()
        return True

    def measure(self, network, number):
        for strategy in self.strategies(network):
            key = network + "." + strategy
            rounds = self.results.setdefault(key, {}).setdefault("rounds_ms", [])
            if len(rounds) > number:
                continue
            if self.out_of_time():
                return False
            # About a second each.
            guess = self.results[key].get("simulated_ms", {}).get("0", 50)
            iterations = WARM + int(min(200, max(7, 1000 / guess)))
            samples = []
            for _ in range(MOST_RUNS):
                self.run("soap-run", "train", self.path(key + ".soapx"), "--data", "synthetic", "--quiet", "--threads-per-device", 1,
                         "--gauge", "--allow-nonfinite", "--iterations", iterations, "--report", self.path("run.json"))
                with open(self.path("run.json")) as stream:
                    gauge = json.load(stream)["gauge"]
                samples += [(ms, *pair) for ms, pair in
                            list(zip(gauge["milliseconds"], zip(gauge["ns"], gauge["ns"][1:])))[WARM - 1:]]
                self.best = min(self.best, *gauge["ns"])
                if len(self.steady(samples)) >= STEADY:
                    break
            rounds.append(samples)
            self.save()
        return True

    def steady(self, samples):
        return [ms for ms, *gauges in samples if max(gauges) <= TOLERANCE * self.best]

    def medians(self, entry, steady):
        """{round: ms}; rounds with less than three iterations at full speed are left out."""
        found = {number: self.steady(samples) if steady else [ms for ms, *_ in samples]
                 for number, samples in enumerate(entry.get("rounds_ms", []))}
        return {number: statistics.median(ms) for number, ms in found.items() if len(ms) >= 3}

    def forget(self):
        """Calibrations and measurements; programs stay."""
        for network in self.networks:
            for number in range(self.rounds):
                if os.path.exists(self.path("%s.%d.calibrated" % (network, number))):
                    os.remove(self.path("%s.%d.calibrated" % (network, number)))
            for strategy in self.strategies(network):
                self.results.pop(network + "." + strategy, None)
        if os.path.exists(self.path("machine.done")):
            os.remove(self.path("machine.done"))

    def rows(self, steady):
        """Where no round had iterations at full speed, there is no row. Rounds are compared with their own calibration;
        medians over rounds."""
        for network, strategy in self.cases():
            entry = self.results.get(network + "." + strategy, {})
            measured = self.medians(entry, steady)
            if measured and "simulated_ms" in entry:
                rounds = measured.values()
                median = statistics.median(rounds)
                simulated = statistics.median(entry["simulated_ms"][str(number)] for number in measured)
                errors = [entry["simulated_ms"][str(number)] / ms - 1 for number, ms in measured.items()]
                samples = sum(entry["rounds_ms"], [])
                kept = sum(len(self.steady(part)) for part in entry["rounds_ms"])
                yield {"network": network, "strategy": strategy, "measured_ms": median, "lowest_ms": min(rounds), "highest_ms": max(rounds),
                       "spread": (max(rounds) - min(rounds)) / median, "simulated_ms": simulated,
                       "error": statistics.median(errors), "at_full_speed": kept / len(samples)}


def kendall(rows):
    """Tau, pairs: over pairs of the same network whose measured times are further apart than their spreads."""
    agree = pairs = 0
    for a, b in itertools.combinations(rows, 2):
        if a["network"] != b["network"]:
            continue
        gap = abs(a["measured_ms"] - b["measured_ms"])
        if gap <= max(a["highest_ms"] - a["lowest_ms"], b["highest_ms"] - b["lowest_ms"]):
            continue
        pairs += 1
        product = (a["measured_ms"] - b["measured_ms"]) * (a["simulated_ms"] - b["simulated_ms"])
        agree += (product > 0) - (product < 0)
    return agree / pairs if pairs else 1.0, pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--folder", required=True)
    parser.add_argument("--json")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--steps", default="calibrate,compile,measure")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    built.programs(options.build, "soap-translate", "soap-opt", "soap-run")
    bench = Bench(options)
    steps = options.steps.split(",")
    if options.again:
        bench.forget()
    for number in range(options.rounds):
        for network in bench.networks:
            # `all` ends at the first step that is out of time.
            all(getattr(bench, step)(network, number) for step in ("calibrate", "compile", "simulate", "measure")
                if step == "simulate" or step in steps)
    steady, raw = list(bench.rows(True)), list(bench.rows(False))
    if not raw:
        return
    print("| network | strategy | measured ms | spread | simulated ms | error | at full speed | all iterations: measured ms | spread | error |\n"
          "|---|---|---|---|---|---|---|---|---|---|")
    at_full_speed = {(row["network"], row["strategy"]): row for row in steady}
    for row in raw:
        full = at_full_speed.get((row["network"], row["strategy"]))
        print("| %(network)s | %(strategy)s |" % row,
              "%.2f | %.1f %% | %.2f | %+.1f %% |" % (full["measured_ms"], 100 * full["spread"], full["simulated_ms"], 100 * full["error"])
              if full else "- | - | %.2f | - |" % row["simulated_ms"], "%.0f %% |" % (100 * row["at_full_speed"]),
              "%.2f | %.1f %% | %+.1f %% |" % (row["measured_ms"], 100 * row["spread"], 100 * row["error"]))
    print()
    summaries = {name: summarize(rows, options.rounds, name) for name, rows in (("iterations at full speed", steady), ("all iterations", raw))
                 if rows}
    if options.json:
        with open(options.json, "w") as stream:
            json.dump({"summary": summaries, "rows": steady, "raw_rows": raw}, stream, indent=1)


def summarize(rows, rounds, name):
    errors = [abs(row["error"]) for row in rows]
    tau, pairs = kendall(rows)
    summary = {"strategies": len(rows), "networks": len({row["network"] for row in rows}), "rounds": rounds,
               "median_error": statistics.median(errors), "worst_error": max(errors), "within_15": sum(error <= 0.15 for error in errors),
               "median_spread": statistics.median(row["spread"] for row in rows), "kendall_tau": tau, "pairs": pairs}
    print(name + ": %(strategies)d strategies of %(networks)d networks" % summary, "error: median %.1f %%, worst %.1f %%," %
          (100 * summary["median_error"], 100 * summary["worst_error"]), "%(within_15)d within 15 %%;" % summary,
          "spread: median %.1f %%;" % (100 * summary["median_spread"]), "Kendall tau %(kendall_tau).3f over %(pairs)d pairs" % summary)
    return summary


if __name__ == "__main__":
    main()
