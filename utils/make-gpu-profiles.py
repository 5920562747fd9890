#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the built-in profiles of GPUs (docs/CostModel.md) from measured kernels.

    utils/make-gpu-profiles.py KERNELS --ops h200-ops.csv -o data/profiles [--only h100]

KERNELS is the folder of the package aiconfigurator-core of PyPI (.../site-packages/aiconfigurator_core), or one of
gemm.csv, attention.csv, encoder_attention.csv and comm.csv (gpu_profiles/sources.py). h200-ops.csv has times of single
ops of an H200 (gpu_profiles/ops.py). A fifth of the products and of the attention kernels is left out, for
bench/gpu-kernels. Needs numpy and scipy.
"""
import argparse
import os

from gpu_profiles import attention, collectives, devices, ops, products, sources, text

SOURCE = ("Products and attention of vLLM, NCCL on one machine: package aiconfigurator-core 0.12.0 of PyPI "
          "(Apache-2.0). Made by utils/make-gpu-profiles.py")
# How many times longer products take whose features are no multiple of 16 bytes: median of 24 shapes on an H200, bf16.
ODD_FEATURES = 2.7


class Kernels:
    """All measured kernels, read once."""

    def __init__(self, folder):
        source = sources.kernels(folder)
        self.comm = source.comm
        self.gemm = source.gemm()
        self.causal = source.attention("attention")
        self.whole = source.attention("encoder_attention")


def make(device, kernels, arguments):
    gpu = devices.GPUS[device]
    profile = devices.header(device)
    profile["source"] = SOURCE
    tables, curves = [], []
    if device == "h200":
        base = ops.make_profile(ops.read(arguments.ops))
        profile.update(source=base["source"] + ". " + SOURCE, flops_per_s=dict(base["flops_per_s"], f8=gpu["rates"]["f8"] * 1e12))
        # Products of bf16 are by the grid.
        tables = [table for table in base["tables"] if (table["op"], table["dtype"]) != ("matmul", "bf16")]
        curves = base["curves"]
    else:
        profile["base"] = "h200"
    profile.update(tables=tables, curves=curves, collectives=collectives.collectives(kernels.comm(gpu["name"])), products=[])
    for dtype in ("bf16", "f8", "f4"):
        if rows := kernels.gemm.get((gpu["name"], dtype)):
            grid, error = products.grid(device, dtype, sources.known("gemm " + dtype, device, rows), gpu, ODD_FEATURES)
            print("%s, products of %s: tiles alone are off by %.3f in the mean of logarithms" % (device, dtype, error), flush=True)
            profile["products"].append(grid)
    profile["attention"] = attention.grids(sources.known("attention", device, kernels.causal.get(gpu["name"], [])),
                                           sources.known("encoder_attention", device, kernels.whole.get(gpu["name"], [])))
    return profile


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels")
    parser.add_argument("--ops", required=True)
    parser.add_argument("--only", choices=sorted(devices.GPUS))
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    kernels = Kernels(arguments.kernels)
    for device in [arguments.only] if arguments.only else devices.GPUS:
        profile = text.to_text(make(device, kernels, arguments))
        with open(os.path.join(arguments.output, device + ".json"), "w") as stream:
            stream.write(profile)


if __name__ == "__main__":
    main()
