#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prices of kernels that no profile was fitted to, beside their measured times, by GPU and kind.

    bench/gpu-kernels/run.py BUILD KERNELS [--only h100] [-o bench/gpu-kernels/results.json]

KERNELS is the folder that utils/make-gpu-profiles.py reads. Products and attention are priced by the built-in profiles,
which are made without them; of collectives, a profile is made without a fifth of their sizes. PredictKernels asks the
cost model. Prints a table and writes JSON: relative errors |price / measured - 1|, median and 95th percentile.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "..", "utils"))
import built  # noqa: E402
from gpu_profiles import collectives, devices, sources  # noqa: E402

PROFILES = os.path.join(HERE, "..", "..", "data", "profiles")
# Bytes of the whole tensor that errors of collectives are of.
LEAST, MOST = 1 << 10, 1 << 29


def quantile(values, share):
    """Linear between the values, as numpy's percentile."""
    values = sorted(values)
    at = share * (len(values) - 1)
    low = int(at)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (at - low)


def prices(program, topology, lines, profile=None):
    """[(ns, basis)] of kernels as lines."""
    done = subprocess.run([program, topology] + ([profile] if profile else []), input="".join(line + "\n" for line in lines),
                          text=True, stdout=subprocess.PIPE, check=True)
    return [(float(ns), basis) for ns, basis in (line.split(" ", 1) for line in done.stdout.splitlines())]


class Bench:
    def __init__(self, program):
        self.program = program
        self.rows = []

    def add(self, device, kind, lines, times):
        if lines:
            self.count(device, kind, prices(self.program, device + "-8", lines), times)

    def count(self, device, kind, found, times):
        assert len(found) == len(times), "a price a kernel"
        errors = [abs(ns / us / 1000 - 1) for (ns, _), us in zip(found, times)]
        bases = {}
        for _, basis in found:
            bases[basis] = bases.get(basis, 0) + 1
        self.rows.append({"gpu": device, "kind": kind, "kernels": len(errors), "median": round(quantile(errors, 0.5), 4),
                          "p95": round(quantile(errors, 0.95), 4), "mean_ratio": round(sum(ns / us / 1000 for (ns, _), us in zip(found, times)) / len(times), 4),
                          "rests_on": bases})
        row = self.rows[-1]
        print("| %s | %s | %d | %.1f %% | %.1f %% |" % (device, kind, row["kernels"], 100 * row["median"], 100 * row["p95"]), flush=True)


def add_collectives(bench, device, rows):
    """Five profiles, each without a fifth of the sizes; the first and the last size of a curve are in all."""
    with open(os.path.join(PROFILES, device + ".json")) as stream:
        profile = json.load(stream)
    ends = min(row[2] for row in rows), max(row[2] for row in rows)
    folds = [[row for row in rows if row[2] not in ends and sources.fold("comm", device, *row[:-1]) == fold] for fold in range(sources.FOLDS)]
    found, times = {}, {}
    for left_out in folds:
        profile["collectives"] = collectives.collectives([row for row in rows if row not in left_out])
        asked = [row for row in left_out if LEAST <= row[2] <= MOST]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as stream:
            json.dump(profile, stream)
            stream.flush()
            lines = ["collective %s %d %d" % (collectives.KINDS[row[0]], row[1], collectives.whole_bytes(*row[:3])) for row in asked]
            for row, price in zip(asked, prices(bench.program, device + "-8", lines, stream.name)):
                found.setdefault(row[0], []).append(price)
                times.setdefault(row[0], []).append(row[3])
    for operation, kind in collectives.KINDS.items():
        bench.count(device, kind, found[operation], times[operation])
    bench.count(device, "collectives, all", sum(found.values(), []), sum(times.values(), []))


def add_products(bench, path):
    """Products of bf16 of another source, by direction, whose features are of whole 16 bytes."""
    tables = {}
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            if (row["op"], row["dtype"]) == ("matmul", "bf16"):
                m, n, k = map(int, row["shape"].split("x"))
                sizes = {"forward": (m, n, k), "input_grad": (m, k, n), "weight_grad": (n, k, m)}[row["direction"]]
                if sizes[1] % 8 == 0 and sizes[2] % 8 == 0:
                    tables.setdefault(row["direction"], []).append((sizes, int(row["ns"]) / 1000))
    for direction, rows in tables.items():
        bench.add("h200", "product bf16 of PyTorch, " + direction, ["product bf16 %d %d %d" % sizes for sizes, _ in rows],
                  [us for _, us in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("kernels")
    parser.add_argument("--ops", help="times of single ops of an H200, too: products of bf16")
    parser.add_argument("--only", choices=sorted(devices.GPUS))
    parser.add_argument("-o", "--output")
    arguments = parser.parse_args()
    program, = built.programs(arguments.build, "bench/PredictKernels")
    bench = Bench(program)
    kernels = sources.kernels(arguments.kernels)
    gemm, causal, whole = kernels.gemm(), kernels.attention("attention"), kernels.attention("encoder_attention")
    print("| GPU | kernels | shapes | median | 95th percentile |")
    print("|---|---|---|---|---|")
    for device in [arguments.only] if arguments.only else devices.GPUS:
        name = devices.GPUS[device]["name"]
        for dtype in ("bf16", "f8", "f4"):
            rows = sources.held("gemm " + dtype, device, gemm.get((name, dtype), []))
            bench.add(device, "product " + dtype, ["product %s %d %d %d" % (dtype, *row[:3]) for row in rows], [row[3] for row in rows])
        for kind, table, mask in (("attention", causal, "causal"), ("encoder_attention", whole, "whole")):
            rows = sources.held(kind, device, table.get(name, []))
            bench.add(device, "attention, " + mask, ["attention %d %d %d %d %d %s" % (*row[:5], mask) for row in rows], [row[5] for row in rows])
        windows = kernels.windows(name)
        bench.add(device, "attention, window", ["attention %d %d %d %d %d %d" % (*row[:5], window) for window, row in windows],
                  [row[5] for _, row in windows])
        add_collectives(bench, device, kernels.comm(name))
    if arguments.ops:
        add_products(bench, arguments.ops)
    if arguments.output:
        with open(arguments.output, "w") as stream:
            json.dump({"rows": bench.rows}, stream, indent=1)
            stream.write("\n")


if __name__ == "__main__":
    main()
