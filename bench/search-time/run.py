#!/usr/bin/env python3
"""How long a search takes to reach a good strategy: Table 4 of the SOAP paper.

    bench/search-time/run.py BUILD --reference 100       finds reference strategies with so many seconds each
    bench/search-time/run.py BUILD [--seconds 10]        measures the time to within 1 % of them

    [--only nmt ...] [--clusters k80-16x4 ...] [--threads 2] [--seed 1] [--full] [--json FILE]

References (their times and, where a search proved one, lower bounds, in ns) are kept in bench/search-time/reference.json. "s to 1 %" is the time from the start of the search, the building of
the first plans included, until the best strategy was within 1 % of the reference; "-": not within the budget. With --full, the same search once more with `simulator=full`.
"""

import argparse
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from search_bench import Tools, write  # noqa: E402

# Network, batch of a device.
NETWORKS = [("alexnet", 256), ("inception-v3", 64), ("resnet-101", 64), ("rnntc", 64), ("rnnlm", 64), ("nmt", 64)]
CLUSTERS = ["k80-1x4", "k80-4x4", "k80-16x4"]
REFERENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.json")


def search(tools, module, cluster, args, seconds, seed, simulator="delta"):
    return tools.search(module, f"topology={cluster} seed={seed} time-limit={seconds} threads={args.threads} simulator={simulator}")


def time_to(report, goal):
    return next((point["seconds"] for point in report["curve"] if point["best_ns"] <= goal), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--reference", type=float, metavar="SECONDS")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--clusters", nargs="*", default=CLUSTERS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--json")
    args = parser.parse_args()
    tools = Tools(args.build)
    references = json.load(open(REFERENCE)) if os.path.exists(REFERENCE) else {}

    rows = []
    if not args.reference:
        print("| network | cluster | data parallel ms | expert ms | reference ms | bound ms | best ms | s to 1 % | full, s to 1 % |")
        print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for network, batch in NETWORKS:
            if args.only and network not in args.only:
                continue
            for cluster in args.clusters:
                module = tools.step(folder, network, batch, cluster)
                key = f"{network} {cluster}"
                if args.reference:
                    # Another seed than those that are measured.
                    found = search(tools, module, cluster, args, args.reference, args.seed + 1000)
                    entry = references.get(key, {"ns": found["best_makespan_ns"], "bound_ns": 0})
                    references[key] = {"ns": min(entry["ns"], found["best_makespan_ns"]),
                                       "bound_ns": max(entry["bound_ns"], found["bound_ns"])}
                    json.dump(references, open(REFERENCE, "w"), indent=1, sort_keys=True)
                    print(f"{key}: {references[key]['ns'] * 1e-6:.3f} ms", flush=True)
                    continue
                if key not in references:
                    sys.exit(f"no reference for {key}: run with --reference SECONDS first")
                goal = 1.01 * references[key]["ns"]
                report = search(tools, module, cluster, args, args.seconds, args.seed)
                row = {"network": network, "cluster": cluster, "initial": report["initial"],
                       "reference_ns": references[key]["ns"], "bound_ns": references[key]["bound_ns"],
                       "best_ns": report["best_makespan_ns"], "seconds": time_to(report, goal),
                       "proposals": report["proposals"]}
                if args.full:
                    row["full_seconds"] = time_to(search(tools, module, cluster, args, args.seconds, args.seed, "full"), goal)
                rows.append(row)

                def show(seconds):
                    return "-" if seconds is None else f"{seconds:.1f}"

                def milliseconds(name):
                    return f"{report['initial'][name] * 1e-6:.2f}" if name in report["initial"] else "as data parallel"

                print(f"| {network} | {cluster} | {milliseconds('data-parallel')} | {milliseconds('expert')} "
                      f"| {row['reference_ns'] * 1e-6:.2f} | {format(row['bound_ns'] * 1e-6, '.2f') if row['bound_ns'] else '-'} | {row['best_ns'] * 1e-6:.2f} "
                      f"| {show(row['seconds'])} | {show(row['full_seconds']) if args.full else ''} |", flush=True)
                write(args.json, rows)


main()
