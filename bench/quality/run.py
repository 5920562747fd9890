#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How good the strategies are that searches find.

    bench/quality/run.py BUILD [--seconds 10] [--only nmt ...] [--clusters p100-4x4 ...] [--samples N] [--json FILE]

For each of the paper's networks, at its batch sizes (64 samples a device, AlexNet 256), and each cluster: OptCNN,
placement (operator dimension alone) and Markov chains, `--seconds` each at most; the chains start from all presets and
from what the other two have found. Simulated: speedup over data parallelism and the expert's strategy; cut of the bytes
that are moved and of the time that kernels take on all devices together, beside data parallelism. "-" : nothing that
fits into memory was found in time. Clusters with -p2p have messages between two devices only, as the paper's had. With
--samples a batch has that many samples on all devices together (strong scaling).
"""

import argparse
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from search_bench import Tools, devices, write  # noqa: E402

# Network, batch of a device; speedup of the paper over the best of data parallelism and expert (section 8.2: Figures 7
# and 8; 1.3x to 3.3x where it gives no other figure).
NETWORKS = [("alexnet", 256, "1.3 to 3.3"), ("inception-v3", 64, "1.3 to 3.3"), ("resnet-101", 64, "as data parallel"),
            ("rnntc", 64, "1.3 to 3.3"), ("rnnlm", 64, "1.3 to 3.3"), ("nmt", 64, "1.3 to 3.3; k80-16x4: 1.7 to 2.4, bytes 2x to 5.5x less, compute 20 % less")]
PRESETS = ["data-parallel", "expert", "model-parallel", "spatial", "zero"]


class Cell:
    def __init__(self, tools, folder, network, batch, cluster, seconds):
        self.tools, self.folder, self.cluster, self.seconds = tools, folder, cluster, seconds
        self.module = tools.step(folder, network, batch, cluster)

    def simulated(self, choose):
        """The simulator's report of a strategy; None if there is none that fits."""
        full = self.tools.simulate(self.module, choose, may_not_fit=True)
        if full is None or any(d["peak_bytes"] > d["memory_bytes"] for d in full["devices"]):
            return None
        return {key: full[key] for key in ("makespan_ns", "tasks", "bytes_moved", "bytes_between_machines", "compute_ns", "exposed_communication_ns")}

    def preset(self, name):
        return self.simulated(f"--soap-apply-strategy=preset={name} topology={self.cluster}")

    def search(self, algorithm, more=""):
        report, strategy = (os.path.join(self.folder, f"{algorithm}.{kind}.json") for kind in ("report", "strategy"))
        found = self.simulated(f"--soap-auto-parallel=topology={self.cluster} algorithm={algorithm} seed=1 time-limit={self.seconds} "
                               f"report={report} export={strategy} {more}")
        if found is None:
            return None, None
        full = json.load(open(report))
        for key in ("proposals", "seconds", "minimal", "estimate_ns", "locally_optimal"):
            if key in full:
                found[key] = full[key]
        return found, strategy


def measure(cell):
    row = {name: cell.preset(name) for name in PRESETS}
    starts = [name for name in PRESETS if row[name]] or PRESETS[:1]
    for algorithm in ("optcnn", "placement"):
        row[algorithm], strategy = cell.search(algorithm)
        if strategy:
            starts.append(strategy)
    row["mcmc"], _ = cell.search("mcmc", "initial=" + ",".join(starts))
    return row


def ratio(row, name, key="makespan_ns"):
    """How many times as large a figure is as that of the strategy found."""
    if not row[name] or not row["mcmc"]:
        return "-"
    return f"{row[name][key] / max(row['mcmc'][key], 1):.2f}x"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--clusters", nargs="*", default=["p100-4x4", "k80-16x4"])
    parser.add_argument("--samples", type=int, help="of a batch on all devices together; default: as many a device as in the paper")
    parser.add_argument("--json")
    args = parser.parse_args()
    tools = Tools(args.build)
    rows = []
    print("| network | cluster | data-parallel, ms | found, ms | over data-parallel | over expert | over optcnn | over placement | bytes less than data-parallel, expert | "
          "compute less than data-parallel, expert | the paper |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for cluster in args.clusters:
        for network, batch, paper in NETWORKS:
            if args.only and network not in args.only:
                continue
            if args.samples:
                batch = args.samples // devices(cluster)
                if batch * devices(cluster) != args.samples:
                    sys.exit(f"{args.samples} samples on the {devices(cluster)} devices of {cluster}, expected a multiple")
            with tempfile.TemporaryDirectory() as folder:
                row = measure(Cell(tools, folder, network, batch, cluster, args.seconds))
            row.update(network=network, cluster=cluster, batch=batch * devices(cluster))
            rows.append(row)
            found = row["mcmc"]
            base = row["data-parallel"]
            print(f"| {network} | {cluster} | {base['makespan_ns'] * 1e-6:.1f} | " if base else f"| {network} | {cluster} | - | ", end="")
            print(f"{found['makespan_ns'] * 1e-6:.1f} | " if found else "- | ", end="")
            print(" | ".join(ratio(row, name) for name in ("data-parallel", "expert", "optcnn", "placement")), end="")
            for key in ("bytes_moved", "compute_ns"):
                print(f" | {ratio(row, 'data-parallel', key)}, {ratio(row, 'expert', key)}", end="")
            print(f" | {paper} |", flush=True)
            write(args.json, rows)
            worse = [name for name in PRESETS + ["optcnn", "placement"]
                     if found and row[name] and row[name]["makespan_ns"] < found["makespan_ns"]]
            if worse:
                sys.exit(f"{network} on {cluster}: {', '.join(worse)} is faster than what was found")


main()
