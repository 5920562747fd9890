#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seconds to price a mesh strategy by its quotient plan, on clusters of 8 to 4,096 devices.

    bench/mesh/run.py BUILD [--networks gpt,alexnet] [--clusters h100-1x8,...] [--batch N] [--unfold N] [--json FILE]

Strategies: samples over all devices (data); samples over the machines and parameters inside of each (tensor). Columns:
the first strategy on a mesh, which looks up the prices of collectives; a plan from nothing with these prices known; the
same plan again. On up to --unfold devices (64) the strategy is unfolded, too: exits with 1 if time or memory differ.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import built  # noqa: E402
import search_bench  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--networks", default="alexnet,resnet-101,gpt")
    parser.add_argument("--clusters", default="h100-1x8,h100-8x8,h100-128x8,h100-512x8")
    parser.add_argument("--strategies", default="data,tensor")
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--unfold", type=int, default=64)
    parser.add_argument("--json")
    options = parser.parse_args()
    translate, opt, cost = built.programs(options.build, "soap-translate", "soap-opt", "bench/MeshCost")
    rows, status = [], 0
    print("| network | strategy | devices | tasks | first, s | new plan, s | same plan, s | as the unfolded plan |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for network in options.networks.split(","):
            forward, step, problem = (os.path.join(folder, network + end) for end in (".mlir", "-step.mlir", ".json"))
            subprocess.run([translate, f"--generate={network}", f"--batch={options.batch}", "-o", forward], check=True)
            subprocess.run([opt, forward, "--soap-build-training-step", "-o", step], check=True)
            subprocess.run([opt, step, f"--soap-print-op-graph=problem={problem}", "-o", os.devnull], check=True)
            for strategy in options.strategies.split(","):
                result = subprocess.run([cost, problem, strategy, str(options.unfold), *options.clusters.split(",")],
                                        stdout=subprocess.PIPE, text=True)
                status |= result.returncode
                for line in result.stdout.splitlines():
                    if not line.startswith("{"):
                        sys.exit(line)
                    row = {"network": network, **json.loads(line)}
                    rows.append(row)
                    same = {True: "same", False: "DIFFERS", None: "-"}[row["same"]]
                    if row["unfolded"]:
                        same += ", not folded: " + row["unfolded"]
                    print(f"| {network} | {strategy} | {row['devices']:,} | {row['tasks']:,} | {row['first_s']:.3f} | "
                          f"{row['new_plan_s']:.4f} | {row['same_plan_s']:.4f} | {same} |", flush=True)
                    search_bench.write(options.json, rows)
    return status


if __name__ == "__main__":
    sys.exit(main())
