#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strategies for devices that differ in speed or in their links.

    bench/uneven/run.py BUILD [--seconds 10] [--only het ...] [--json FILE]

Simulated ms of an iteration in tf32: data parallelism in equal pieces, without the slow devices (preset fast-devices),
in pieces by speed (preset weighted), and what the search finds in `--seconds`. The last column is the best strategy
that was written by hand.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from search_bench import Tools, write  # noqa: E402

# Topology, network, batch, the best strategy written by hand (ms).
CASES = [("het", "alexnet", 240, 33.06), ("two-h100-two-a100", "inception-v3", 256, 65.79), ("straggler", "nmt", 512, 11.87)]
PRESETS = ["data-parallel", "fast-devices", "weighted"]


def measure(tools, case, seconds, folder):
    name, network, batch, by_hand = case
    forward, module = os.path.join(folder, "forward.mlir"), os.path.join(folder, "step.mlir")
    topology = os.path.join(HERE, name + ".json")
    subprocess.run([tools.translate, f"--generate={network}", f"--batch={batch}", "-o", forward], check=True)
    subprocess.run([tools.opt, forward, "--soap-build-training-step", "--soap-set-precision=precision=tf32", "-o", module], check=True)
    row = {"topology": name, "network": network, "batch": batch, "seconds": seconds, "by_hand_ms": by_hand}
    for preset in PRESETS:
        row[preset + "_ms"] = tools.simulate(module, f"--soap-apply-strategy=preset={preset} topology={topology}")["makespan_ns"] / 1e6
    found = tools.search(module, f"topology={topology} seed=1 time-limit={seconds} summary=false")
    row["found_ms"], row["proposals"] = found["best_makespan_ns"] / 1e6, found["proposals"]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", nargs="+", default=[case[0] for case in CASES])
    parser.add_argument("--json")
    options = parser.parse_args()
    tools, rows = Tools(options.build), []
    print("%-18s %-13s %5s %13s %12s %9s %9s %9s" % ("topology", "network", "batch", "data-parallel", "fast-devices", "weighted", "found", "by hand"))
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if case[0] not in options.only:
                continue
            row = measure(tools, case, options.seconds, folder)
            print("%-18s %-13s %5d %13.3f %12.3f %9.3f %9.3f %9.2f" % (
                row["topology"], row["network"], row["batch"], row["data-parallel_ms"], row["fast-devices_ms"], row["weighted_ms"], row["found_ms"], row["by_hand_ms"]), flush=True)
            rows.append(row)
            write(options.json, rows)


if __name__ == "__main__":
    main()
