#!/usr/bin/env python3
"""How many proposals a second the search prices.

    bench/search-rate/run.py BUILD [--proposals 250000] [--seconds 20] [--runs 3] [--full-seconds 20] [--only nmt ...] [--json FILE]

For each network and cluster: MCMC from the data-parallel strategy with uniform proposals, one thread, for so many proposals or seconds (a chain also
ends after half of its budget without gain), once more with `simulator=full`, which plans and simulates every proposal from nothing as Algorithm 1 of the SOAP paper does. Medians over the runs. "tasks" are those of an
iteration under the best strategy found: forward, backward, update, movements and communication. "FlexFlow" is what the public code of 2018 was measured to reach
(forward and backward merged, no synchronization in the timeline; another machine, so orders of magnitude only).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

# Network, batch of a device, options, clusters; FlexFlow 2018 proposals a second.
ROWS = [
    ("nmt", 64, [], "k80-1x4", 14500),
    ("nmt", 64, [], "k80-16x4", 143),
    ("inception-v3", 64, [], "k80-1x4", 6300),
    ("inception-v3", 64, [], "k80-16x4", 60),
    ("alexnet", 256, [], "k80-1x4", 90000),
    ("alexnet", 256, [], "k80-16x4", 346),
    ("resnet-101", 64, [], "k80-16x4", 87),
]


def devices(cluster):
    nodes, per_node = cluster.rsplit("-", 1)[1].split("x")
    return int(nodes) * int(per_node)


def search(opt, module, cluster, args, simulator, seconds):
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        options = (f"topology={cluster} initial=data-parallel seed=1 proposals={args.proposals} time-limit={seconds} "
                   f"proposals-kind=uniform chains=1 threads=1 simulator={simulator} report={report.name}")
        result = subprocess.run([opt, module, f"--soap-auto-parallel={options}", "-o", os.devnull],
                                capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(result.stderr)
        return json.load(open(report.name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--proposals", type=int, default=250000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--full-seconds", type=float, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--json")
    args = parser.parse_args()
    translate, opt = (os.path.join(args.build, "bin", name) for name in ("soap-translate", "soap-opt"))

    rows = []
    print("| network | cluster | groups | tasks | delta, proposals/s | accepted | refused before planning | refused while planning | tasks simulated per proposal | full, proposals/s | delta / full | FlexFlow 2018 |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for network, batch, options, cluster, flexflow in ROWS:
            if args.only and network not in args.only:
                continue
            module = os.path.join(folder, "step.mlir")
            generated = os.path.join(folder, "forward.mlir")
            subprocess.run([translate, f"--generate={network}", f"--batch={batch * devices(cluster)}",
                            *[f"--option={o}" for o in options], "-o", generated], check=True)
            subprocess.run([opt, generated, "--soap-build-training-step", "-o", module], check=True)
            delta = [search(opt, module, cluster, args, "delta", args.seconds) for _ in range(args.runs)]
            full = search(opt, module, cluster, args, "full", args.full_seconds)
            rate = statistics.median(r["proposals_per_second"] for r in delta)
            last = delta[-1]
            refused = last["rejected_unsimulated"]
            row = {
                "network": network, "cluster": cluster, "groups": last["groups"], "tasks": last["tasks"],
                "delta_per_second": rate, "delta_range": [min(r["proposals_per_second"] for r in delta),
                                                          max(r["proposals_per_second"] for r in delta)],
                "proposals": last["proposals"], "accepted": last["accepted"],
                "rejected_unsimulated": refused,
                "resimulated_tasks_per_proposal": last["resimulated_tasks_per_proposal"],
                "full_per_second": full["proposals_per_second"],
                "flexflow_2018_per_second": flexflow,
            }
            rows.append(row)
            print(f"| {network} | {cluster} | {row['groups']} | {row['tasks']:,} | {rate:,.0f} "
                  f"[{row['delta_range'][0]:,.0f}, {row['delta_range'][1]:,.0f}] | {100 * row['accepted'] / row['proposals']:.1f} % "
                  f"| {100 * (refused['load'] + refused['paths_and_arrivals']):.1f} % | {100 * refused['planned']:.1f} % "
                  f"| {row['resimulated_tasks_per_proposal']:,.0f} | {row['full_per_second']:,.1f} "
                  f"| {rate / row['full_per_second']:.0f}x | {flexflow:,} |", flush=True)
            if args.json:
                json.dump(rows, open(args.json, "w"), indent=1)


main()
