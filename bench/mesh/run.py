#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seconds to price a mesh strategy by its quotient plan, and a hybrid plan, on clusters of 8 to 16,384 devices.

    bench/mesh/run.py BUILD [--networks gpt,alexnet] [--clusters h100-1x8,...] [--batch N] [--unfold N] [--json FILE]
    bench/mesh/run.py BUILD --hybrid llama [--plan stages=2,tensor=2,...] [--clusters ...] [--json FILE]

Strategies: samples over all devices (data); samples over the machines and parameters inside of each (tensor). Columns:
the first strategy on a mesh, which looks up the prices of collectives; a plan from nothing with these prices known; the
same plan again. On up to --unfold devices (64) the strategy is unfolded, too: exits with 1 if time or memory differ.

--hybrid: one plan of a network (generator, options of --generate), whose replicas take the devices that there are, with
--microbatches of one sample on each: priced, placed and simulated. Columns: processor time of the command, less the
time to read the step; its part that is the simulation, in seconds of the clock; memory; both over the first row's.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import built  # noqa: E402
import search_bench  # noqa: E402


def hybrid(options, translate, opt):
    """One plan on more and more replicas."""
    generate = [f"--generate={options.hybrid}", *(f"--option={text}" for text in options.option)]
    numbers = dict(part.split("=") for part in options.plan.split(",") if "=" in part)
    width = int(numbers.get("stages", 1)) * int(numbers.get("tensor", 1))
    rows = []
    print("| devices | plan | ms | processor s | over the first | simulation, s | GB | over the first |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        forward, step, report = (os.path.join(folder, name) for name in ("forward.mlir", "step.mlir", "report.json"))
        subprocess.run([translate, *generate, "--batch=64", "-o", forward], check=True)
        subprocess.run([opt, forward, "--soap-build-training-step=optimizer=adamw precision=bf16", "-o", step], check=True)
        read = search_bench.timed([opt, step, "-o", os.devnull])
        for cluster in options.clusters.split(","):
            machines, inside = (int(n) for n in cluster.rsplit("-", 1)[1].split("x"))
            devices = machines * inside
            batch = devices // width * options.microbatches
            used = search_bench.timed([opt, step, f"--soap-plan-hybrid=topology={cluster} batch={batch} time-limit=0 report={report} "
                          f"summary=false "
                          f"plan={options.plan},samples=1,simulate", "-o", os.devnull])
            with open(report, encoding="utf-8") as file:
                found = json.load(file)
            best = found["best"]
            row = {"network": options.hybrid, "topology": cluster, "devices": devices, "plan": best["plan"],
                   "microbatches": best["microbatches"], "makespan_ns": best["makespan_ns"],
                   "processor_s": round(used[0] - read[0], 3), "simulation_s": found["seconds"],
                   "memory_gb": round(used[1], 3), "reading_s": read[0], "reading_gb": round(read[1], 3)}
            rows.append(row)
            first = rows[0]
            print(f"| {devices:,} | {best['plan']} | {best['makespan_ns'] * 1e-6:,.1f} | {row['processor_s']:.2f} | "
                  f"{row['processor_s'] / first['processor_s']:.2f} | {row['simulation_s']:.2f} | {row['memory_gb']:.2f} | "
                  f"{row['memory_gb'] / first['memory_gb']:.2f} |", flush=True)
            search_bench.write(options.json, rows)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--networks", default="alexnet,resnet-101,gpt")
    parser.add_argument("--clusters", default="h100-1x8,h100-8x8,h100-128x8,h100-2048x8")
    parser.add_argument("--hybrid", help="a network of soap-translate --generate")
    parser.add_argument("--option", action="append", default=[], help="an option of that network, preset=8b")
    parser.add_argument("--plan", default="stages=2,tensor=2,zero=1,recompute=none")
    parser.add_argument("--microbatches", type=int, default=8)
    parser.add_argument("--strategies", default="data,tensor")
    parser.add_argument("--batch", type=int, default=16384)
    parser.add_argument("--unfold", type=int, default=64)
    parser.add_argument("--json")
    options = parser.parse_args()
    if options.hybrid:
        return hybrid(options, *built.programs(options.build, "soap-translate", "soap-opt"))
    translate, opt, cost = built.programs(options.build, "soap-translate", "soap-opt", "bench/MeshCost")
    rows, status = [], 0
    print("| network | strategy | devices | tasks | first, s | new plan, s | same plan, s | as the unfolded plan |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for network in options.networks.split(","):
            forward, step, problem = (os.path.join(folder, network + end) for end in (".mlir", "-step.mlir", ".json"))
            subprocess.run([translate, f"--generate={network}", f"--batch={options.batch}", "-o", forward], check=True)
            subprocess.run([opt, forward, "--soap-build-training-step", "-o", step], check=True)
            subprocess.run([opt, step, f"--soap-print-op-graph=problem={problem}", "-o", os.devnull], check=True)
            for strategy in options.strategies.split(","):
                result = subprocess.run([cost, problem, strategy, str(options.unfold), *options.clusters.split(",")],
                                        stdout=subprocess.PIPE, text=True)
                status |= result.returncode
                for line in result.stdout.splitlines():
                    if not line.startswith("{"):
                        sys.exit(line)
                    row = {"network": network, **json.loads(line)}
                    rows.append(row)
                    same = {True: "same", False: "DIFFERS", None: "-"}[row["same"]]
                    if row["unfolded"]:
                        same += ", not folded: " + row["unfolded"]
                    print(f"| {network} | {strategy} | {row['devices']:,} | {row['tasks']:,} | {row['first_s']:.3f} | "
                          f"{row['new_plan_s']:.4f} | {row['same_plan_s']:.4f} | {same} |", flush=True)
                    search_bench.write(options.json, rows)
    return status


if __name__ == "__main__":
    sys.exit(main())
