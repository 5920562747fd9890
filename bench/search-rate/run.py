#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many proposals a second the search prices.

    bench/search-rate/run.py BUILD [--proposals 250000] [--seconds 20] [--runs 3] [--full-seconds 20] [--only nmt ...]
                             [--json FILE]
    bench/search-rate/run.py BUILD --simulation [--seconds 2] [--only nmt ...] [--json FILE]
    bench/search-rate/run.py BUILD --threads 2 [--clusters k80-16x4] [--seconds 20] [--runs 3] [--only nmt ...]
                             [--json FILE]

For each network and cluster: MCMC from the data-parallel strategy with uniform proposals, one thread, for so many
proposals or seconds (a chain also ends after half of its budget without gain), once more without early rejection, with
`simulator=propagate` (Algorithm 2), and with `simulator=full`, which plans and simulates every proposal from nothing as
Algorithm 1 of the SOAP paper does. Medians over the runs. "tasks" are the tasks of an iteration under the best strategy
found: forward, backward, update, movements and communication. "FlexFlow" is what the public code of 2018 was measured
to reach (forward and backward merged, no synchronization in the timeline; another machine, so orders of magnitude
only).

With --simulation, tasks a second of processor time of full simulations of the data-parallel and the expert's strategy,
planned before. With --threads, the same chain on one thread and on so many, in turns, which evaluate proposals in
advance and decide alike; medians, and the median of the ratios.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402
from search_bench import Tools, write  # noqa: E402

# Network, batch of a device, cluster; FlexFlow 2018 proposals a second.
ROWS = [
    ("nmt", 64, "k80-1x4", 14500),
    ("nmt", 64, "k80-16x4", 143),
    ("inception-v3", 64, "k80-1x4", 6300),
    ("inception-v3", 64, "k80-16x4", 60),
    ("alexnet", 256, "k80-1x4", 90000),
    ("alexnet", 256, "k80-16x4", 346),
    ("resnet-101", 64, "k80-16x4", 87),
]


# LSTMs in chunks of 14, 14 and 12 steps: 42 groups, next to the 40 op groups of FlexFlow's NMT.
OPTIONS = {"nmt": "lstm-chunk=14"}


def search(tools, module, cluster, args, seconds, tuning="", threads=1):
    return tools.search(module, f"topology={cluster} initial=data-parallel seed=1 proposals={args.proposals} time-limit={seconds} "
                                f"threads={threads} tuning={{proposals-kind=uniform cooling=1 chains=1 {tuning}}}")


def compare_threads(tools, args):
    rows = []
    print(f"| network | cluster | proposals/s, 1 thread | {args.threads} threads | ratio | accepted |")
    print("|---" * 6 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for network, batch, cluster, _ in ROWS:
            if (args.only and network not in args.only) or cluster not in args.clusters:
                continue
            module = tools.step(folder, network, batch, cluster, OPTIONS.get(network, ""))
            pairs = [[search(tools, module, cluster, args, args.seconds, threads=threads) for threads in (1, args.threads)] for _ in range(args.runs)]
            one, many = (statistics.median(pair[i]["proposals_per_second"] for pair in pairs) for i in (0, 1))
            ratio = statistics.median(pair[1]["proposals_per_second"] / pair[0]["proposals_per_second"] for pair in pairs)
            accepted = pairs[-1][0]["accepted"] / pairs[-1][0]["proposals"]
            rows.append({"network": network, "cluster": cluster, "threads": args.threads, "one_per_second": one, "many_per_second": many,
                         "ratio": ratio, "ratios": [pair[1]["proposals_per_second"] / pair[0]["proposals_per_second"] for pair in pairs],
                         "accepted": accepted})
            print(f"| {network} | {cluster} | {one:,.0f} | {many:,.0f} | {ratio:.2f}x | {100 * accepted:.1f} % |", flush=True)
            write(args.json, rows)


def simulate(tools, args):
    program, = built.programs(args.build, "bench/FullSimulation")
    rows = []
    print("| network | cluster | strategy | tasks | tasks a second, million |")
    print("|---" * 5 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for network, batch, cluster, _ in ROWS:
            if args.only and network not in args.only:
                continue
            problem = os.path.join(folder, "problem.json")
            subprocess.run([tools.opt, tools.step(folder, network, batch, cluster, OPTIONS.get(network, "")), f"--soap-print-op-graph=problem={problem}", "-o", os.devnull],
                           stdout=subprocess.DEVNULL, check=True)
            done = subprocess.run([program, problem, cluster, str(args.seconds), "data-parallel", "expert"], stdout=subprocess.PIPE, text=True)
            if done.returncode:
                sys.exit(done.stdout)
            for line in done.stdout.splitlines():
                row = {"network": network, "cluster": cluster, **json.loads(line)}
                rows.append(row)
                print(f"| {network} | {cluster} | {row['preset']} | {row['tasks']:,} | {row['tasks_per_second'] / 1e6:.1f} |", flush=True)
            write(args.json, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--proposals", type=int, default=250000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--full-seconds", type=float, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--json")
    parser.add_argument("--simulation", action="store_true")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--clusters", nargs="*", default=["k80-16x4"])
    args = parser.parse_args()
    tools = Tools(args.build)
    if args.simulation:
        simulate(tools, args)
        return
    if args.threads:
        compare_threads(tools, args)
        return

    rows = []
    print("| network | cluster | groups | tasks | delta, proposals/s | accepted | pruned before planning | pruned while planning | tasks simulated per proposal | without early rejection, proposals/s | propagate, proposals/s | full, proposals/s | delta / full | FlexFlow 2018 |")
    print("|---" * 14 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for network, batch, cluster, flexflow in ROWS:
            if args.only and network not in args.only:
                continue
            module = tools.step(folder, network, batch, cluster, OPTIONS.get(network, ""))
            delta = [search(tools, module, cluster, args, args.seconds) for _ in range(args.runs)]
            late = search(tools, module, cluster, args, args.full_seconds, "early-rejection=false")
            propagate = search(tools, module, cluster, args, args.full_seconds, "simulator=propagate")
            full = search(tools, module, cluster, args, args.full_seconds, "simulator=full")
            rate = statistics.median(r["proposals_per_second"] for r in delta)
            last = delta[-1]
            pruned = last["pruned_unsimulated"]
            row = {
                "network": network, "cluster": cluster, "groups": last["groups"], "tasks": last["tasks"],
                "delta_per_second": rate, "delta_range": [min(r["proposals_per_second"] for r in delta),
                                                          max(r["proposals_per_second"] for r in delta)],
                "proposals": last["proposals"], "accepted": last["accepted"],
                "pruned_unsimulated": pruned,
                "resimulated_tasks_per_proposal": last["resimulated_tasks_per_proposal"],
                "delta_without_early_rejection_per_second": late["proposals_per_second"],
                "resimulated_without_early_rejection": late["resimulated_tasks_per_proposal"],
                "propagate_per_second": propagate["proposals_per_second"],
                "resimulated_by_propagate": propagate["resimulated_tasks_per_proposal"],
                "full_per_second": full["proposals_per_second"],
                "flexflow_2018_per_second": flexflow,
            }
            rows.append(row)
            print(f"| {network} | {cluster} | {row['groups']} | {row['tasks']:,} | {rate:,.0f} "
                  f"[{row['delta_range'][0]:,.0f}, {row['delta_range'][1]:,.0f}] | {100 * row['accepted'] / row['proposals']:.1f} % "
                  f"| {100 * (pruned['load'] + pruned['transfers']):.1f} % | {100 * pruned['planned']:.1f} % "
                  f"| {row['resimulated_tasks_per_proposal']:,.0f} | {late['proposals_per_second']:,.1f} | {propagate['proposals_per_second']:,.1f} | {row['full_per_second']:,.1f} "
                  f"| {rate / row['full_per_second']:.0f}x | {flexflow:,} |", flush=True)
            write(args.json, rows)


main()
