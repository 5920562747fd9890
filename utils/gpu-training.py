#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what the part `training` of scripts/check-gpu.sh times, on a machine that has the compiler: training steps of
the networks at the sizes of the goals - forward, loss, backward, SGD with momentum - lowered for GPUs alone, in tf32
and bf16 on one device, and some on four, which are virtual ones there.

    gpu-training.py BUILD DIR [--networks=NAME,..] [--chip=sm_90] [--format=bin] [--jobs=1] [--tiny] [--steps]
                    [--missing]

Writes DIR/NAME.soapx and DIR/NAME.json (network, batch, sizes, precision, devices, strategy, variant, number of
parameters, milliseconds known of PyTorch, and its place in the order in which they are timed: the networks of the goals
first), and DIR/steps/*.mlir, the training steps with their strategy, which bench/gpu-fidelity simulates. Weights are
made where it runs. Variants have the same step with other options of the lowering. --tiny: networks of a few thousand
parameters, to try all of this. --steps: no artifacts. --missing: artifacts that are there stay."""

import argparse
import concurrent.futures
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT_S = 3600

# Batch, options; the same on one device, where a layer of an LSTM is one op; small sizes; strategies on four devices.
NETWORKS = {
    "lenet": (64, "", "", "image=12,classes=5", ["data-parallel"]),
    "alexnet": (256, "", "", "image=63,classes=5,divide=32", ["data-parallel", "expert"]),
    "vgg16": (64, "", "", "image=32,classes=5,divide=32", ["expert"]),
    "inception-v3": (64, "", "", "image=75,classes=4,divide=32,a-blocks=1,c-blocks=1,e-blocks=1", ["data-parallel"]),
    "resnet-101": (64, "", "", "image=64,classes=4,width=2,stage1=1,stage2=1,stage3=1,stage4=1", ["data-parallel"]),
    "rnnlm": (64, "", "lstm-chunk=40", "length=4,lstm-chunk=2,layers=2,hidden=5,vocabulary=7", ["expert"]),
    "nmt": (64, "", "lstm-chunk=40", "length=4,lstm-chunk=2,layers=1,hidden=4,vocabulary=7", ["expert"]),
    "gpt": (8, "", "", "length=4,layers=1,heads=2,head-width=3,vocabulary=7", ["data-parallel"]),
}
# On one device: what cuDNN's pooling and norms are worth, which are kernels or calls by default (docs/GPU.md); flags of
# the lowering by precision.
POOLING = {"tf32": "library-pooling=all", "bf16": "library-pooling=all"}
VARIANTS = {
    "alexnet": {"pooling": POOLING},
    "resnet-101": {"pooling": POOLING, "norms": {"tf32": "library-norms=true", "bf16": "library-norms=true"}},
}
# On one device in bf16: the step with tensors of bf16 (precision= of --soap-build-training-step), as variant "types".
TYPED = ["alexnet", "resnet-101", "rnnlm", "gpt"]
# In this order they are timed: what the goals have numbers for, then the others; variants and several devices last.
ORDER = ["alexnet", "resnet-101", "rnnlm", "lenet", "gpt", "vgg16", "inception-v3", "nmt"]
TINY_BATCH = 4
SHORT = {"data-parallel": "dp", "expert": "expert"}
# Milliseconds of PyTorch 2.11 with cuDNN 9.19 on an H200, the faster of torch.compile and eager in a CUDA graph, in
# November 2026.
REFERENCE_MS = {
    "alexnet": {"tf32": 9.2, "bf16": 6.1},
    "resnet-101": {"tf32": 34.3, "bf16": 20.0},
    "rnnlm": {"tf32": 10.5, "bf16": 6.2},
    "lenet": {"tf32": 0.266, "bf16": 0.305},
}


class Failure(Exception):
    pass


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S)
    if done.returncode != 0:
        raise Failure("%s: %s" % (" ".join(command), done.stdout[-1500:]))


def sizes_of(text):
    return {name: int(number) for name, number in (pair.split("=") for pair in text.split(",") if pair)}


def parameters_of(model):
    """The number of weights of a network's IR."""
    names = {}  # of types
    with open(model) as stream:
        for head in stream:
            if "func.func" in head:
                break
            if head.startswith("!"):
                name, _, of = head.strip().partition(" = ")
                names[name] = of
    head = re.sub(r"!\w+", lambda match: names[match[0]], head)
    return sum(math.prod(map(int, shape.split("x"))) for shape in re.findall(r'tensor<([0-9x]+)xf32> \{[^}]*soap\.kind = #soap\.kind<parameter>', head))


class Maker:
    def __init__(self, options):
        self.options = options

    def tool(self, name):
        return os.path.join(self.options.build, "bin", name)

    def path(self, name):
        return os.path.join(self.options.directory, name)

    def step(self, network, devices, strategy, types=""):
        """The training step with its strategy: what is known of it, and its file. With tensors of `types`, if any."""
        batch, sizes, alone, tiny, _ = NETWORKS[network]
        sizes = ",".join(part for part in (sizes, alone if devices == 1 else "") if part)
        if self.options.tiny:
            batch, sizes = TINY_BATCH, tiny
        name = "%s%s-%d%s" % (network, "-types" if types else "", devices, SHORT.get(strategy, ""))
        file = os.path.join("steps", name + ".mlir")
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model.mlir")
            run([self.tool("soap-translate"), "--generate=" + network, "--batch=%d" % batch, *(["--option=" + sizes] if sizes else []), "-o", model])
            run([self.tool("soap-opt"), model, "--soap-build-training-step=learning-rate=0.0001 momentum=0.9 precision=" + types,
                 "--soap-apply-strategy=preset=%s topology=h200-1x%d" % (strategy, devices), "-o", self.path(file)])
            parameters = parameters_of(model)
        return {"network": network, "batch": batch, "sizes": sizes_of(sizes), "devices": devices, "strategy": strategy,
                "parameters": parameters, "step": file}

    def artifact(self, how, precision, variant="", flags=""):
        network = how["network"] + ("-" + variant if variant else "")
        name = "%s-%s-%d%s" % (network, precision, how["devices"], SHORT.get(how["strategy"], ""))
        known = {} if self.options.tiny else REFERENCE_MS.get(how["network"], {})
        order = ORDER.index(how["network"]) + len(ORDER) * (2 if how["devices"] > 1 else 1 if variant else 0)
        with open(self.path(name + ".json"), "w") as stream:
            json.dump({**how, "precision": precision, "variant": variant, "order": order,
                       "reference_ms": known.get(precision) if how["devices"] == 1 else None}, stream, indent=1)
        if self.options.steps or self.options.missing and os.path.exists(self.path(name + ".soapx")):
            return
        with tempfile.TemporaryDirectory() as folder:
            lowered = os.path.join(folder, "lowered.mlir")
            # The products of a step with types are in the precision of their operands.
            of_products = "f32" if variant == "types" else precision
            run([self.tool("soap-opt"), self.path(how["step"]), "--soap-set-precision=precision=" + of_products, "--soap-partition",
                 "--soap-lower-to-cuda=chip=%s format=%s host-references=%s %s" % (
                     self.options.chip, self.options.format, "true" if self.options.tiny else "false", flags),
                 "-o", lowered])
            run([self.tool("soap-translate"), "--emit-artifact", "--artifact-cpu=x86-64-v3", lowered, "-o", self.path(name + ".soapx")])

    def make(self, network, devices, strategy):
        how = self.step(network, devices, strategy)
        for precision in ["tf32", "bf16"] if devices == 1 else ["tf32"]:
            self.artifact(how, precision)
            for variant, flags in VARIANTS.get(network, {}).items() if devices == 1 else []:
                self.artifact(how, precision, variant, flags[precision])
        if network in TYPED and devices == 1:
            self.artifact(self.step(network, devices, strategy, "bf16"), "bf16", "types")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("directory")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--chip", default="sm_90")
    parser.add_argument("--format", default="bin", choices=("bin", "isa"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--steps", action="store_true")
    parser.add_argument("--missing", action="store_true")
    options = parser.parse_args()
    if not shutil.which(os.path.join(options.build, "bin", "soap-opt")):
        sys.exit("gpu-training: %s: expected a build with bin/soap-opt" % options.build)
    networks = options.networks.split(",")
    for name in networks:
        if name not in NETWORKS:
            parser.error("--networks: expected some of %s, got '%s'" % (", ".join(NETWORKS), name))
    os.makedirs(os.path.join(options.directory, "steps"), exist_ok=True)
    maker, failed, done = Maker(options), 0, 0
    cases = [(name, 1, "single") for name in networks] + [(name, 4, strategy) for name in networks for strategy in NETWORKS[name][4]]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(maker.make, *case): case for case in cases}
        for future in concurrent.futures.as_completed(futures):
            try:
                future.result()
                done += 1
            except (Failure, subprocess.TimeoutExpired) as failure:
                print("%s on %d, %s: %s" % (*futures[future], failure))
                failed += 1
    print("%d training steps, %d failed" % (done, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
