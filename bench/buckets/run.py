#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What buckets of gradients save: simulated iterations of data parallelism with and without soap-bucket-gradients.

    bench/buckets/run.py BUILD [--clusters k80-16x4 ...] [--only resnet-101 ...] [--sizes 0 65536 ...] [--json FILE]

64 samples a device, products in tf32 where devices have it. Of each network: the iteration without buckets, then with
buckets of at most so many bytes; 0: of the size that simulation finds best, and which that is.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from search_bench import Tools, write  # noqa: E402

NETWORKS = ["vgg16", "inception-v3", "resnet-101", "nmt", "gpt"]


def simulate(tools, module, folder, passes):
    """The report of a simulation behind these passes, and what they said."""
    report = os.path.join(folder, "report.json")
    result = subprocess.run([tools.opt, module, *passes, f"--soap-simulate=report={report} compare=none summary=false", "-o", os.devnull],
                            capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(result.stderr)
    with open(report) as stream:
        return json.load(stream), result.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--clusters", nargs="*", default=["k80-16x4", "h100-8x8"])
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--sizes", nargs="*", type=int, default=[0])
    parser.add_argument("--json")
    args = parser.parse_args()
    tools = Tools(args.build)
    rows = []
    print("| network | cluster | without, ms | most bytes of a bucket | gradients | buckets | with, ms | gain |")
    print("|---" * 8 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for network in args.only or NETWORKS:
            for cluster in args.clusters:
                module = tools.step(folder, network, 64, cluster)
                placed = ["--soap-set-precision=precision=tf32", f"--soap-apply-strategy=preset=data-parallel topology={cluster}"]
                without, _ = simulate(tools, module, folder, placed)
                for size in args.sizes:
                    report, said = simulate(tools, module, folder, placed + [f"--soap-bucket-gradients=bytes={size}"])
                    counts = re.search(r"(\d+) gradients in (\d+) buckets? of at most (\d+) bytes", said)
                    gradients, buckets, most = (int(n) for n in counts.groups()) if counts else (0, 0, 0)
                    before, after = without["makespan_ns"], report["makespan_ns"]
                    rows.append({"network": network, "cluster": cluster, "without_ns": before, "with_ns": after, "bytes": most, "chosen": size == 0, "gradients": gradients,
                                 "buckets": buckets})
                    print(f"| {network} | {cluster} | {before * 1e-6:.3f} | {most:,} | {gradients} | {buckets} | {after * 1e-6:.3f} | {100 * (1 - after / before):.2f} % |", flush=True)
                    write(args.json, rows)


if __name__ == "__main__":
    main()
