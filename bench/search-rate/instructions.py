#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions of searches with a fixed number of proposals: a rate that other work on the machine does not change.

    bench/search-rate/instructions.py BUILD [OLD] [--only NETWORK ...] [--clusters CLUSTER ...] [--limit 1.05]
                                      [--tuning "mates=0"]

Each search runs under valgrind's cachegrind: from the data-parallel strategy, uniform proposals, one chain, one thread,
seed 1. The instructions of the same command with one proposal (reading, checking, the start) are subtracted. With OLD,
another build folder, the table has both, and the program exits with 1 where BUILD takes more than `--limit` times the
instructions of OLD. "found" says whether both found the same time. `--tuning` is for BUILD alone: with `mates=0` it
makes the proposals of builds that know no mates.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

# Network, and proposals.
NETWORKS = {"alexnet": 4000, "inception-v3": 600, "resnet-101": 600, "rnntc": 1000, "rnnlm": 1000, "nmt": 600}
# Cluster, and devices.
CLUSTERS = {"k80-1x4": 4, "p100-4x4": 16, "cpu-4": 4}


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"instructions: '{' '.join(command)}' exited with {done.returncode}: {done.stderr[-1000:]}")
    return done.stderr


def batch(network, cluster):
    """As elsewhere 64 samples a GPU, 256 of AlexNet."""
    if cluster == "cpu-4":
        return 16 if network in ("inception-v3", "resnet-101") else 64
    return CLUSTERS[cluster] * (256 if network == "alexnet" else 64)


def search(build, step, cluster, proposals, folder, tuning):
    """Instructions and the best time, ns."""
    report = os.path.join(folder, "report.json")
    flags = (f"topology={cluster} initial=data-parallel seed=1 proposals={proposals} threads=1 summary=false "
             f"report={report} tuning={{proposals-kind=uniform cooling=1 chains=1 {tuning}}}")
    out = run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
               os.path.join(build, "bin", "soap-opt"), step, f"--soap-auto-parallel={flags}", "-o", os.devnull])
    with open(report) as stream:
        return int(re.search(r"I +refs: +([\d,]+)", out)[1].replace(",", "")), json.load(stream)["best_makespan_ns"]


def measure(build, network, cluster, folder, tuning=""):
    """Instructions of the proposals alone, and the best time, ns."""
    forward, step = os.path.join(folder, "forward.mlir"), os.path.join(folder, "step.mlir")
    translate, opt = (os.path.join(build, "bin", tool) for tool in ("soap-translate", "soap-opt"))
    run([translate, f"--generate={network}", f"--batch={batch(network, cluster)}", "-o", forward])
    run([opt, forward, "--soap-build-training-step", "-o", step])
    start, _ = search(build, step, cluster, 1, folder, tuning)
    count, best = search(build, step, cluster, NETWORKS[network], folder, tuning)
    return count - start, best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("old", nargs="?")
    parser.add_argument("--only", nargs="*", default=list(NETWORKS), choices=list(NETWORKS))
    parser.add_argument("--clusters", nargs="*", default=list(CLUSTERS), choices=list(CLUSTERS))
    parser.add_argument("--limit", type=float, default=1.05)
    parser.add_argument("--tuning", default="")
    args = parser.parse_args()
    old = " before | ratio | found |" if args.old else ""
    print("| network | cluster | proposals at most | million instructions |" + old)
    print("|---" * (7 if args.old else 4) + "|", flush=True)
    exceeded = []
    for cluster in args.clusters:
        for network in args.only:
            with tempfile.TemporaryDirectory() as folder:
                count, best = measure(args.build, network, cluster, folder, args.tuning)
                row = f"| {network} | {cluster} | {NETWORKS[network]:,} | {count / 1e6:.1f} |"
                if args.old:
                    before, old_best = measure(args.old, network, cluster, folder)
                    row += f" {before / 1e6:.1f} | {count / before:.3f}x | {'same' if best == old_best else 'other'} |"
                    if count > args.limit * before:
                        exceeded.append(f"{network} on {cluster}: {count / before:.3f}x")
                print(row, flush=True)
    return "\n".join(exceeded) or 0


if __name__ == "__main__":
    sys.exit(main())
