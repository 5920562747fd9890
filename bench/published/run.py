#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Published training runs beside what soap-plan-hybrid says of the same strategies.

    bench/published/run.py BUILD [--rows 1,2,...] [--efficiency X] [--json FILE]

Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM" (2021,
arXiv 2104.04473), Table 1: GPTs of 1.7B to 1008B parameters on A100 of 80 GB, sequences of 2,048 tokens, a vocabulary
of 51,200, every activation recomputed. Teraflops count the recomputed pass: an iteration has
96 B s l h^2 (1 + s / 6h + V / 16lh). The table does not say how many samples a microbatch has: the fastest of 1, 2, 4
and 8 that fits is taken; nor how pipelines of more than one stage are scheduled: 1F1B is taken.

One constant is fitted, the share of the profile's speed that kernels reach, and on the odd rows only: such that the
geometric mean of simulated over published is 1 there. The even rows are the test. --efficiency gives it instead.
"""

import argparse
import csv
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import built  # noqa: E402
import search_bench  # noqa: E402

LENGTH, VOCABULARY = 2048, 51200


class Row:
    """A row of the table: its training step, and what the pass says of it."""

    def __init__(self, tools, folder, number, fields):
        self.tools, self.number, self.fields = tools, number, fields
        translate, opt = tools
        get = {name: int(fields[name]) for name in ("layers", "hidden", "heads", "tensor", "stages", "devices", "batch")}
        self.get = get
        forward, self.step = (os.path.join(folder, f"{number}{end}") for end in (".mlir", "-step.mlir"))
        options = {"layers": get["layers"], "heads": get["heads"], "head-width": get["hidden"] // get["heads"],
                   "length": LENGTH, "vocabulary": VOCABULARY}
        subprocess.run([translate, "--generate=gpt", "--batch=64", "-o", forward] +
                       [f"--option={name}={value}" for name, value in options.items()], check=True)
        subprocess.run([opt, forward, "--soap-build-training-step=optimizer=adam precision=bf16", "-o", self.step],
                       check=True)
        os.remove(forward)
        s, l, h = LENGTH, get["layers"], get["hidden"]
        self.flops = 96 * get["batch"] * s * l * h * h * (1 + s / (6 * h) + VOCABULARY / (16 * l * h))
        self.published = float(fields["tflops"])

    def price(self, samples, efficiency):
        """The report of a microbatch of so many samples; None if the batch does not divide."""
        get = self.get
        if get["batch"] * get["tensor"] * get["stages"] % (get["devices"] * samples):
            return None
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            result = subprocess.run(
                [self.tools[1], self.step, f"--soap-plan-hybrid=topology=a100-{get['devices'] // 8}x8 batch={get['batch']} "
                 f"kernel-efficiency={efficiency} plan=stages={get['stages']},tensor={get['tensor']},samples={samples},"
                 f"recompute=whole report={report.name} summary=false", "-o", os.devnull],
                stderr=subprocess.PIPE, text=True)
            if result.returncode:
                sys.exit(result.stderr[:2000])
            return json.load(open(report.name))["best"]

    def simulate(self, efficiency, samples=None):
        """The fastest plan that fits; with `samples` that one."""
        plans = [self.price(n, efficiency) for n in ([samples] if samples else (1, 2, 4, 8))]
        plans = [plan for plan in plans if plan and (samples or plan["excess_bytes"] == 0)]
        if not plans:
            sys.exit(f"row {self.number}: no microbatch fits")
        self.best = min(plans, key=lambda plan: plan["makespan_ns"])
        self.simulated = self.flops / self.get["devices"] / (self.best["makespan_ns"] * 1e-9) * 1e-12
        return self.simulated / self.published


def fit(rows):
    """The efficiency with which the odd rows have the geometric mean 1; three significant digits."""
    odd = [row for row in rows if row.number % 2]
    efficiency = 1.0
    samples = {}
    for step in range(6):
        mean = math.exp(statistics.mean(math.log(row.simulate(efficiency, samples.get(row.number))) for row in odd))
        samples = {row.number: row.best["samples"] for row in odd}
        print(f"# efficiency {efficiency:.3f}: odd rows at {mean:.3f} of the published", file=sys.stderr, flush=True)
        changed = round(efficiency / mean, 3)
        if changed == efficiency:
            break
        efficiency = changed
    return efficiency


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rows", help="numbers, from 1")
    parser.add_argument("--efficiency", type=float)
    parser.add_argument("--json")
    options = parser.parse_args()
    tools = built.programs(options.build, "soap-translate", "soap-opt")
    chosen = [int(number) for number in options.rows.split(",")] if options.rows else None
    with open(os.path.join(HERE, "megatron.csv")) as stream:
        table = list(csv.DictReader(stream))
    with tempfile.TemporaryDirectory() as folder:
        rows = [Row(tools, folder, number, fields) for number, fields in enumerate(table, 1)
                if not chosen or number in chosen]
        if options.efficiency is None and not any(row.number % 2 for row in rows):
            sys.exit("no odd row to fit the efficiency on, expected one, or --efficiency")
        efficiency = options.efficiency or fit(rows)
        print(f"Kernel efficiency {efficiency:.3f}\n")
        print("| row | parameters | tensor x stages x data | samples | published, TFLOP/s a GPU | simulated | ratio | memory, GB |")
        print("|---|---|---|---|---|---|---|---|")
        results = []
        for row in rows:
            ratio = row.simulate(efficiency)
            best = row.best
            results.append({"row": row.number, "parameters": row.fields["parameters"], "published": row.published,
                            "simulated": row.simulated, "ratio": ratio, "efficiency": efficiency, "plan": best})
            print(f"| {row.number} | {row.fields['parameters']} | {best['tensor']} x {best['stages']} x {best['data']} | "
                  f"{best['samples']} | {row.published:.0f} | {row.simulated:.0f} | {ratio:.2f} | "
                  f"{best['peak_bytes'] * 1e-9:.0f} |", flush=True)
            search_bench.write(options.json, results)
    for name, remainder in (("odd rows (fitted)", 1), ("even rows", 0)):
        errors = [abs(result["ratio"] - 1) for result in results if result["row"] % 2 == remainder]
        if errors:
            print(f"\n{name}: median error {100 * statistics.median(errors):.1f} %, largest {100 * max(errors):.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
