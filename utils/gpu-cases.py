#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes cases for scripts/check-gpu.sh on a machine that has the compiler: small networks of drawn sizes under drawn
strategies, lowered to GPUs, as artifacts, and beside each the weights that the unsharded, unfused reference has after a
few iterations on the CPU.

    gpu-cases.py BUILD DIR [--count=500] [--seed=1] [--chip=sm_90] [--format=bin] [--library=both] [--jobs=1]
                 [--missing] [--host-references]

Writes DIR/NNN-NETWORK.soapx, NNN-NETWORK.safetensors and NNN-NETWORK.json (how it was made, and how far weights may be
apart), the last one last. --missing: cases that are there stay. --host-references: they run on CPUs, too."""

import argparse
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

ITERATIONS = 2
LIMIT_S = 1800


def lenet(draw):
    return {"image": draw.choice([12, 14, 16, 20]), "classes": draw.randint(2, 7)}, draw.randint(4, 12), 1e-4


def rnnlm(draw):
    return {"length": 4, "lstm-chunk": draw.choice([1, 2, 4]), "layers": draw.randint(1, 2), "hidden": draw.randint(3, 9),
            "vocabulary": draw.randint(5, 17)}, draw.randint(4, 9), 1e-4


def gpt(draw):
    return {"length": draw.choice([3, 4, 8]), "layers": draw.randint(1, 2), "heads": draw.choice([1, 2]),
            "head-width": draw.randint(2, 5), "vocabulary": draw.randint(5, 13)}, draw.randint(4, 8), 1e-3


def nmt(draw):
    return {"length": 4, "lstm-chunk": draw.choice([2, 4]), "layers": 1, "hidden": draw.randint(3, 7),
            "vocabulary": draw.randint(5, 11)}, draw.randint(4, 8), 1e-4


def alexnet(draw):
    return {"image": 63, "classes": draw.randint(3, 7), "divide": draw.choice([16, 32])}, draw.randint(4, 6), 1e-3


NETWORKS = {"lenet": lenet, "rnnlm": rnnlm, "gpt": gpt, "nmt": nmt, "alexnet": alexnet}
PRESETS = ["data-parallel", "expert", "model-parallel"]
TOPOLOGIES = ["h100-1x1", "h100-1x2", "h100-1x3", "h100-1x4"]


class Failure(Exception):
    pass


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S)
    if done.returncode != 0:
        raise Failure("%s: %s" % (" ".join(command), done.stdout[-1500:]))


def make(options, number):
    """The case of this number: the same for the same seed, whatever was made before."""
    draw = random.Random("%d %d" % (options.seed, number))
    network = sorted(NETWORKS)[number % len(NETWORKS)]
    sizes, batch, tolerance = NETWORKS[network](draw)
    topology = draw.choice(TOPOLOGIES)
    preset = "single" if topology == "h100-1x1" else draw.choice(PRESETS)
    streams = draw.randint(1, 4)
    optimizer = "learning-rate=0.05 momentum=%g" % draw.choice([0, 0.9])
    library = draw.choice(["cuda", "none"]) if options.library == "both" else options.library
    # The calls of cuDNN that are documented to compute the op; drawn last, so that all else of a case stays.
    pooling = draw.choice(["none", "exact"]) if library == "cuda" else "none"
    tool = lambda name: os.path.join(options.build, "bin", name)
    base = os.path.join(options.directory, "%03d-%s" % (number, network))
    if options.missing and all(os.path.exists(base + end) for end in (".soapx", ".safetensors", ".json")):
        return
    with tempfile.TemporaryDirectory() as folder:
        model, step, lowered = (os.path.join(folder, name + ".mlir") for name in ("model", "step", "lowered"))
        text = ",".join("%s=%d" % pair for pair in sizes.items())
        run([tool("soap-translate"), "--generate=" + network, "--batch=%d" % batch, "--option=" + text, "-o", model])
        run([tool("soap-opt"), model, "--soap-build-training-step=" + optimizer, "-o", step])
        # The reference: on one device, kernel by kernel as the ops define them.
        run([tool("soap-run"), "train", step, "--reference", "--no-cache", "--data", "synthetic", "--iterations", str(ITERATIONS), "--quiet",
             "--timeout", "600", "--opt-level", "1", "--save-weights", base + ".safetensors"])
        run([tool("soap-opt"), step, "--soap-apply-strategy=preset=%s topology=%s" % (preset, topology), "--soap-partition",
             "--soap-lower-to-cuda=chip=%s format=%s library=%s streams=%d library-pooling=%s host-references=%s" % (
                 options.chip, options.format, library, streams, pooling, "true" if options.host_references else "false"), "-o", lowered])
        run([tool("soap-translate"), "--emit-artifact", "--artifact-cpu=x86-64-v3", lowered, "-o", base + ".soapx"])
    how = {"network": network, "batch": batch, "sizes": sizes, "preset": preset, "topology": topology, "streams": streams,
               "library": library, "pooling": pooling, "optimizer": optimizer, "iterations": ITERATIONS, "tolerance": tolerance}
    with open(base + ".json", "w") as stream:
        json.dump(how, stream)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("directory")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chip", default="sm_90")
    parser.add_argument("--format", default="bin", choices=("bin", "isa"))
    parser.add_argument("--library", default="both", choices=("both", "cuda", "none"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--host-references", action="store_true")
    options = parser.parse_args()
    if not shutil.which(os.path.join(options.build, "bin", "soap-opt")):
        sys.exit("gpu-cases: %s: expected a build with bin/soap-opt" % options.build)
    os.makedirs(options.directory, exist_ok=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(make, options, number): number for number in range(options.count)}
        for future in concurrent.futures.as_completed(futures):
            try:
                future.result()
            except (Failure, subprocess.TimeoutExpired) as failure:
                print("case %03d: %s" % (futures[future], failure))
                failed += 1
    print("%d cases, %d failed" % (options.count - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
