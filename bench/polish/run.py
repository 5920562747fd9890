#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether what chains find is locally optimal: section 8.4 of the SOAP paper.

    bench/polish/run.py BUILD [--proposals 20000] [--seconds 120] [--clusters p100-1x2 ...] [--only lenet ...]
                        [--seed 1] [--json FILE]

For each network on 2, 4 and 8 devices, 64 samples a device (AlexNet 256): Markov chains with so many proposals, then
`polish`, which prices every change of a single group (docs/Search.md says which those are) until none gains or its time
is over. "alternatives" were proven to be no faster than the strategy that was found last; "gain" is what polishing took
off the chains' time.
"""

import argparse
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from search_bench import Tools, write  # noqa: E402

NETWORKS = [("lenet", 64), ("alexnet", 256), ("inception-v3", 64), ("resnet-101", 64), ("rnntc", 64), ("rnnlm", 64), ("nmt", 64)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--proposals", type=int, default=20000)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--clusters", nargs="*", default=["p100-1x2", "p100-1x4", "p100-2x4"])
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json")
    args = parser.parse_args()
    tools = Tools(args.build)
    rows = []
    print("| network | cluster | groups | chains, ms | polished, ms | gain | locally optimal | alternatives | priced | all device lists | seconds |")
    print("|---" * 11 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for network, batch in NETWORKS:
            if args.only and network not in args.only:
                continue
            for cluster in args.clusters:
                module = tools.step(folder, network, batch, cluster)
                strategy = os.path.join(folder, "strategy.json")
                common = f"topology={cluster} seed={args.seed}"
                chains = tools.search(module, f"{common} algorithm=mcmc proposals={args.proposals} export={strategy}")
                polished = tools.search(module, f"{common} algorithm=polish initial={strategy} time-limit={args.seconds}")
                rows.append({"network": network, "cluster": cluster, "groups": polished["groups"], "mcmc_ns": chains["best_makespan_ns"], "mcmc_seconds": chains["seconds"],
                             **{key: polished[key] for key in ("best_makespan_ns", "locally_optimal", "alternatives", "proposals", "all_device_lists", "seconds")}})
                row = rows[-1]
                print(f"| {network} | {cluster} | {row['groups']} | {row['mcmc_ns'] * 1e-6:.3f} | {row['best_makespan_ns'] * 1e-6:.3f} | "
                      f"{100 * (1 - row['best_makespan_ns'] / row['mcmc_ns']):.2f} % | {'yes' if row['locally_optimal'] else 'no'} | {row['alternatives']:,} | {row['proposals']:,} | "
                      f"{'yes' if row['all_device_lists'] else 'no'} | {row['seconds']:.0f} |", flush=True)
                write(args.json, rows)


if __name__ == "__main__":
    main()
