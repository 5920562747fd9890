#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Markov chains gain from mates: one proposal for all groups at the same place of repeated blocks.

    bench/mates/run.py BUILD [--proposals 5000] [--seeds 1 2 3] [--only resnet-101 ...] [--json FILE]

Each cell is searched with as many proposals with mates (`tuning={mates=0.5}`, the default) and without (`mates=0`), on
one thread, with each seed. What is found depends on the seed and the proposals alone, not on the load of the machine.
"found" is the mean over the seeds, in ms. "s" is processor time of the whole command. "as good after": the seconds of a
search with mates, of the same seed, until it has what the one without mates ends with, over the seconds that one took
until it had it; the median over the seeds; "-": never in most of them. It depends on the load.

--ops searches GPT and BERT as `algorithm=auto` does at its end: from `zero`, every op a group, with and without mates.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from search_bench import Tools, devices, write  # noqa: E402

# Network, samples on all devices together (0: 64 a device), cluster. Messages between two devices as in the paper's
# setting; strong scaling with collectives; and data parallelism at its best.
CELLS = [("resnet-101", 0, "p100-4x4-p2p"), ("inception-v3", 0, "p100-4x4-p2p"), ("resnet-101", 64, "p100-4x4"),
         ("inception-v3", 64, "p100-4x4"), ("resnet-101", 0, "k80-4x4"), ("inception-v3", 0, "k80-4x4"),
         ("rnntc", 0, "p100-4x4"), ("rnnlm", 0, "p100-4x4-p2p"), ("nmt", 0, "p100-4x4-p2p"),
         ("rnnlm", 0, "p100-4x4"), ("nmt", 0, "p100-4x4")]
BY_OP = [("gpt", 128, "p100-4x4"), ("gpt", 512, "h100-8x8"), ("bert", 1024, "p100-4x4")]


def search(tools, module, cluster, proposals, seed, tuning, more=""):
    """The report, with the processor seconds of the command."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([tools.opt, module, f"--soap-auto-parallel=topology={cluster} algorithm=mcmc proposals={proposals} seed={seed} threads=1 "
                        f"summary=false bound={'true' if more else 'false'} report={report.name} tuning={{{tuning}}} {more}", "-o", os.devnull], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = json.load(open(report.name))
    found["processor_seconds"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return found


def seconds_to(report, goal):
    """Seconds until the best was at most the goal; None: never."""
    return next((point["seconds"] for point in report["curve"] if point["best_ns"] <= goal), None)


def measure(tools, module, cluster, args):
    reports = {mates: [search(tools, module, cluster, args.proposals, seed, f"mates={mates}") for seed in args.seeds] for mates in (0, 0.5)}
    ratios = []
    for without, tied in zip(reports[0], reports[0.5]):
        goal = without["best_makespan_ns"]
        reached = seconds_to(tied, goal)
        ratios.append(float("inf") if reached is None else reached / max(seconds_to(without, goal), 1e-9))
    row = {"as_good_after": statistics.median(ratios)}
    for mates, name in ((0, "without"), (0.5, "with")):
        row[name] = {"best_ns": [r["best_makespan_ns"] for r in reports[mates]],
                     "start_ns": [min(r["initial"].values()) for r in reports[mates]],
                     "data_parallel_ns": reports[mates][0]["initial"]["data-parallel"],
                     "processor_seconds": [r["processor_seconds"] for r in reports[mates]]}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--proposals", type=int, default=5000)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--ops", action="store_true")
    parser.add_argument("--json")
    args = parser.parse_args()
    tools = Tools(args.build)
    rows = []
    mean = statistics.mean
    if args.ops:
        print("| network, samples | cluster | `zero`, ms | without mates, ms | with mates, ms | bound, ms | s |\n|---|---|---:|---:|---:|---:|---:|")
    else:
        print("| network, samples | cluster | data parallel, ms | without mates, ms | with mates, ms | s, without | s, with | as good after |\n|---|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for network, samples, cluster in BY_OP if args.ops else CELLS:
            if args.only and network not in args.only:
                continue
            batch = samples // devices(cluster) if samples else 64
            module = tools.step(folder, network, batch, cluster)
            name = f"{network}, {batch * devices(cluster):,}"
            if args.ops:
                found = {mates: [search(tools, module, cluster, args.proposals, seed, f"untied=true mates={mates}", "initial=zero") for seed in args.seeds]
                         for mates in (0, 0.5)}
                row = {"zero_ns": found[0][0]["initial"]["zero"], "bound_ns": found[0][0]["bound_ns"],
                       "without_ns": [r["best_makespan_ns"] for r in found[0]], "with_ns": [r["best_makespan_ns"] for r in found[0.5]],
                       "processor_seconds": [r["processor_seconds"] for r in found[0.5]]}
                print(f"| {name} | {cluster} | {row['zero_ns'] * 1e-6:.2f} | {mean(row['without_ns']) * 1e-6:.2f} | {mean(row['with_ns']) * 1e-6:.2f} | "
                      f"{row['bound_ns'] * 1e-6:.2f} | {mean(row['processor_seconds']):.1f} |", flush=True)
            else:
                row = measure(tools, module, cluster, args)
                ratio = row["as_good_after"]
                row["as_good_after"] = None if ratio == float("inf") else ratio
                print(f"| {name} | {cluster} | {row['without']['data_parallel_ns'] * 1e-6:.1f} | "
                      + " | ".join(f"{mean(row[kind]['best_ns']) * 1e-6:.2f}" for kind in ("without", "with")) + " | "
                      + " | ".join(f"{mean(row[kind]['processor_seconds']):.1f}" for kind in ("without", "with"))
                      + f" | {'-' if row['as_good_after'] is None else f'{ratio:.2f}x'} |", flush=True)
            row.update(network=network, samples=batch * devices(cluster), cluster=cluster, proposals=args.proposals, seeds=args.seeds)
            rows.append(row)
            write(args.json, rows)


if __name__ == "__main__":
    main()
