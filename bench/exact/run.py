#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proven optima of small networks: section 8.4 of the SOAP paper.

    bench/exact/run.py BUILD [--seconds 600] [--clusters p100-1x4 ...] [--only lenet ...] [--seed 1] [--json FILE]

For LeNet and an RNNLM of two time steps, 64 samples: what `algorithm=exact` proves within so many seconds, and what
Markov chains find (100,000 proposals). "strategies" is the size of exact's space; the best strategy known to it may lie
outside. Seconds of processor time beside those on the clock.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from search_bench import Tools, write  # noqa: E402

NETWORKS = [("lenet", "lenet", []), ("rnnlm, 2 steps", "rnnlm", ["--option=length=2", "--option=lstm-chunk=1"])]


def step(tools, folder, generator, options):
    forward, module = os.path.join(folder, "forward.mlir"), os.path.join(folder, "step.mlir")
    subprocess.run([tools.translate, f"--generate={generator}", "--batch=64", *options, "-o", forward], check=True)
    subprocess.run([tools.opt, forward, "--soap-build-training-step", "-o", module], check=True)
    return module


def timed(function):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result = function()
    return result, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--clusters", nargs="*", default=["p100-1x4"])
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json")
    args = parser.parse_args()
    tools = Tools(args.build)
    rows = []
    print("| network | cluster | strategies | before branching, ms | best, ms | proven, ms | optimal | nodes | priced | seconds | processor seconds | chains, ms |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for network, generator, options in NETWORKS:
            if args.only and generator not in args.only:
                continue
            module = step(tools, folder, generator, options)
            for cluster in args.clusters:
                common = f"topology={cluster} seed={args.seed}"
                exact, seconds = timed(lambda: tools.search(module, f"{common} algorithm=exact time-limit={args.seconds}"))
                chains = tools.search(module, f"{common} algorithm=mcmc proposals=100000")
                if chains["best_makespan_ns"] < exact["bound_ns"]:
                    print(f"note: chains are below what was proven of exact's space ({network}, {cluster})", file=sys.stderr)
                rows.append({"network": network, "cluster": cluster, "processor_seconds": seconds, "mcmc_ns": chains["best_makespan_ns"],
                             **{key: exact[key] for key in ("space_size", "root_bound_ns", "best_makespan_ns", "bound_ns", "optimal", "nodes", "leaves", "seconds")}})
                row = rows[-1]
                print(f"| {network} | {cluster} | {row['space_size']:.1e} | {row['root_bound_ns'] * 1e-6:.3f} | {row['best_makespan_ns'] * 1e-6:.3f} | {row['bound_ns'] * 1e-6:.3f} | "
                      f"{'yes' if row['optimal'] else 'no'} | {row['nodes']:,} | {row['leaves']:,} | {row['seconds']:.0f} | {seconds:.0f} | {row['mcmc_ns'] * 1e-6:.3f} |", flush=True)
                write(args.json, rows)


if __name__ == "__main__":
    main()
