#!/usr/bin/env python3
"""How long a search takes to reach a good strategy: Table 4 of the SOAP paper.

    bench/search-time/run.py BUILD --reference 100       finds reference strategies with so many seconds each
    bench/search-time/run.py BUILD [--seconds 10]        measures the time to within 1 % of them

    [--only nmt ...] [--clusters k80-16x4 ...] [--threads 2] [--seed 1] [--full-seconds 60] [--json FILE]

References are kept in bench/search-time/reference.json: their times and lower bounds in ns, and the seconds that they were searched for. They should have ten times the budget of the searches. The
bound is that of all strategies (docs/Search.md); "gap" is how far the reference is above it at most. "s to 1 %" is the time from the start of the search, the building of the first plans included,
until the best strategy was within 1 % of the reference, where the search ends, maybe before the expert's strategy is priced ("-"); "> 10": not within the budget. With --full-seconds, the same once more with `simulator=full`, every strategy planned and
simulated from nothing, and its strategies per second.
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


def search(tools, module, cluster, args, seconds, seed, more=""):
    return tools.search(module, f"topology={cluster} seed={seed} time-limit={seconds} threads={args.threads} {more}")


def find_reference(tools, module, cluster, args, entry):
    """The entry with the better of what it had and of what another seed than those that are measured finds."""
    found = search(tools, module, cluster, args, args.reference, args.seed + 1000, "bound=true")
    if not entry or found["best_makespan_ns"] < entry["ns"]:
        entry = {**(entry or {}), "ns": found["best_makespan_ns"]}
    return {**entry, "bound_ns": found["bound_ns"], "seconds": max(entry.get("seconds", 0), args.reference)}


def time_to(tools, module, cluster, args, seconds, goal, simulator):
    """Seconds until the goal or None, and the report."""
    report = search(tools, module, cluster, args, seconds, args.seed, f"simulator={simulator} target={goal}")
    return next((point["seconds"] for point in report["curve"] if point["best_ns"] <= goal), None), report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--reference", type=float, metavar="SECONDS")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--clusters", nargs="*", default=CLUSTERS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full-seconds", type=float, default=0)
    parser.add_argument("--json")
    args = parser.parse_args()
    tools = Tools(args.build)
    references = json.load(open(REFERENCE)) if os.path.exists(REFERENCE) else {}

    rows = []
    if not args.reference:
        print("| network | cluster | data parallel ms | expert ms | reference ms | bound ms | gap | reference's s | best ms | s to 1 % | proposals | full, s to 1 % | full, strategies/s |")
        print("|---" * 13 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for network, batch in NETWORKS:
            if args.only and network not in args.only:
                continue
            for cluster in args.clusters:
                module = tools.step(folder, network, batch, cluster)
                key = f"{network} {cluster}"
                if args.reference:
                    references[key] = find_reference(tools, module, cluster, args, references.get(key))
                    write(REFERENCE, dict(sorted(references.items())))
                    print(f"{key}: {references[key]['ns'] * 1e-6:.3f} ms, at least {references[key]['bound_ns'] * 1e-6:.3f} ms", flush=True)
                    continue
                if key not in references:
                    sys.exit(f"no reference for {key}: run with --reference SECONDS first")
                reference = references[key]
                goal = int(1.01 * reference["ns"])
                seconds, report = time_to(tools, module, cluster, args, args.seconds, goal, "delta")
                row = {"network": network, "cluster": cluster, "initial": report["initial"], "reference": reference,
                       "best_ns": report["best_makespan_ns"], "seconds": seconds, "proposals": report["proposals"]}
                if args.full_seconds:
                    row["full_seconds"], full = time_to(tools, module, cluster, args, args.full_seconds, goal, "full")
                    row["full_proposals"], row["full_searched_seconds"] = full["proposals"], full["seconds"]
                rows.append(row)

                def show(value, cap):
                    return f"> {cap:g}" if value is None else f"{value:.1f}"

                def milliseconds(name):
                    return f"{report['initial'][name] * 1e-6:.2f}" if name in report["initial"] else "-"

                bound = reference["bound_ns"]
                cells = [network, cluster, milliseconds("data-parallel"), milliseconds("expert"), f"{reference['ns'] * 1e-6:.2f}",
                         f"{bound * 1e-6:.2f}" if bound else "-", f"{100 * (reference['ns'] / bound - 1):.1f} %" if bound else "-",
                         f"{reference.get('seconds', 0):g}", f"{row['best_ns'] * 1e-6:.2f}", show(seconds, args.seconds), f"{row['proposals']:,}",
                         show(row["full_seconds"], args.full_seconds) if args.full_seconds else "",
                         f"{(row['full_proposals'] + len(full['initial'])) / row['full_searched_seconds']:.1f}" if args.full_seconds else ""]
                print("| " + " | ".join(cells) + " |", flush=True)
                write(args.json, rows)


if __name__ == "__main__":
    main()
