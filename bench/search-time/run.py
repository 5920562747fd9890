#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a search takes to reach a good strategy: Table 4 of the SOAP paper.

    bench/search-time/run.py BUILD --reference 100       finds reference strategies with so many seconds each
    bench/search-time/run.py BUILD [--seconds 10]        measures the time to within 1 % of them

    [--only nmt ...] [--clusters k80-16x4 ...] [--threads 2] [--seed 1] [--full-seconds 60] [--json FILE]

References are kept in bench/search-time/references: strategies (xz), and in index.json the bound of each problem in ns
and the seconds that were searched for. They should have ten times the budget of the searches. Their times are simulated
anew each time. The bound is that of all strategies (docs/Search.md); "gap" is how far the reference is above it at
most. "s to 1 %" is the time from the start of the search, the building of the first plans included, until the best
strategy was within 1 % of the reference, where the search ends, maybe before the expert's strategy is priced ("-"); ">
10": not within the budget. With --full-seconds, the same once more with `simulator=full`, every strategy planned and
simulated from nothing, and its strategies per second.
"""

import argparse
import json
import lzma
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from search_bench import Tools, write  # noqa: E402

# Network, batch of a device.
NETWORKS = [("alexnet", 256), ("inception-v3", 64), ("resnet-101", 64), ("rnntc", 64), ("rnnlm", 64), ("nmt", 64)]
CLUSTERS = ["k80-1x4", "k80-4x4", "k80-16x4"]
REFERENCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "references")
INDEX = os.path.join(REFERENCES, "index.json")


def search(tools, module, cluster, args, seconds, seed, more=""):
    return tools.search(module, f"topology={cluster} seed={seed} time-limit={seconds} threads={args.threads} {more}")


def path_of(network, cluster):
    return os.path.join(REFERENCES, f"{network}.{cluster}.json.xz")


def reference_ns(tools, module, path):
    """The simulated time of a reference; None if there is none."""
    if not os.path.exists(path):
        return None
    with tempfile.NamedTemporaryFile(suffix=".json") as strategy:
        strategy.write(lzma.open(path).read())
        strategy.flush()
        return tools.simulate(module, f"--soap-apply-strategy=strategy={strategy.name}")["makespan_ns"]


def find_reference(tools, module, cluster, args, path, entry):
    """Keeps the better of the strategy that is there and of what another seed than those that are measured finds; the
    entry of the index and the time in ns."""
    known = reference_ns(tools, module, path)
    with tempfile.NamedTemporaryFile(suffix=".json") as strategy:
        found = search(tools, module, cluster, args, args.reference, args.seed + 1000, f"bound=true export={strategy.name}")
        if known is None or found["best_makespan_ns"] < known:
            with lzma.open(path + ".new", "wb", preset=9 | lzma.PRESET_EXTREME) as stream:
                stream.write(open(strategy.name, "rb").read())
            os.replace(path + ".new", path)
            known = found["best_makespan_ns"]
    return {"bound_ns": found["bound_ns"], "seconds": max(entry.get("seconds", 0), args.reference)}, known


def time_to(tools, module, cluster, args, seconds, goal, simulator):
    """Seconds until the goal or None, and the report."""
    report = search(tools, module, cluster, args, seconds, args.seed, f"tuning={{simulator={simulator} target={goal}}}")
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
    index = json.load(open(INDEX)) if os.path.exists(INDEX) else {}

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
                path = path_of(network, cluster)
                if args.reference:
                    index[key], ns = find_reference(tools, module, cluster, args, path, index.get(key, {}))
                    write(INDEX, dict(sorted(index.items())))
                    print(f"{key}: {ns * 1e-6:.3f} ms, at least {index[key]['bound_ns'] * 1e-6:.3f} ms", flush=True)
                    continue
                ns = reference_ns(tools, module, path)
                if ns is None or key not in index:
                    sys.exit(f"no reference for {key}: run with --reference SECONDS first")
                reference = {"ns": ns, **index[key]}
                goal = int(1.01 * ns)
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
