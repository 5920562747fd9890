#!/usr/bin/env python3
"""Small sizes of the networks under strategies, lowered to GPUs: every kernel is assembled by ptxas, every program runs on the CPU, with the
twins of its kernels, and is compared with the unfused reference.

    networks.py BUILD [--all] [--devices=1,4] [--networks=NAME,..]

A network per chip, and on one device once more in bf16 or tf32; or with --all each for every chip and precision, on 64 devices, too. Ends with "N passed, N failed"."""

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

# Name, batch, options. Largest differences of loss and weights (relative, as soap-run --compare-with has them): batch norm over few
# numbers amplifies rounding.
NETWORKS = [
    ("lenet", 8, "image=12,classes=5", 1e-5, 1e-4),
    ("rnnlm", 4, "length=4,lstm-chunk=2,layers=2,hidden=5,vocabulary=7", 1e-5, 1e-4),
    ("gpt", 4, "length=4,layers=1,heads=2,head-width=3,vocabulary=7", 1e-5, 1e-3),
    ("resnet-101", 4, "image=64,classes=4,width=2,stage1=1,stage2=1,stage3=1,stage4=1", 1e-4, 1e-2),
    ("alexnet", 4, "image=63,classes=5,divide=32", 1e-5, 1e-3),
    ("vgg16", 4, "image=32,classes=5,divide=32", 1e-5, 1e-3),
    ("nmt", 4, "length=4,lstm-chunk=2,layers=1,hidden=4,vocabulary=7", 1e-5, 1e-4),
    ("inception-v3", 8, "image=107,classes=4,divide=32,a-blocks=1,c-blocks=1,e-blocks=1", 1e-2, 1.0),
]
CHIPS = ["sm_75", "sm_80", "sm_90", "sm_100"]
STRATEGIES = {
    1: [("single", "h100-1x1")],
    4: [("data-parallel", "h100-1x4"), ("expert", "h100-1x4")],
    64: [("data-parallel", "h100-8x8"), ("expert", "h100-8x8")],
}
PRECISIONS = ["f32", "bf16", "tf32"]
# Of losses in bf16 and tf32: products of few numbers, two iterations. Weights that were 0 are what their first gradients are, so they
# are not compared.
ROUNDED_LOSS = 0.05
# Runs end by themselves; this is for machines that are very busy.
LIMIT_S = 1800


class Failure(Exception):
    pass


def toolkit():
    for name in ["CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"]:
        if os.environ.get(name):
            return os.environ[name]
    ptxas = shutil.which("ptxas")
    folder = os.path.dirname(os.path.dirname(os.path.realpath(ptxas))) if ptxas else "/usr/local/cuda"
    return folder if os.access(os.path.join(folder, "bin", "ptxas"), os.X_OK) else ""


def run(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        raise Failure("%s did not end in %d s" % (command[0], LIMIT_S))
    if done.returncode != 0:
        raise Failure("%s ended with %d: %s" % (" ".join(command), done.returncode, done.stdout[-2000:]))


class Suite:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.cuda = toolkit()

    def tool(self, name):
        return os.path.join(self.build, "bin", name)

    def path(self, name):
        return os.path.join(self.folder, name)

    def step(self, name, batch, options):
        model, step = self.path(name + ".mlir"), self.path(name + ".step.mlir")
        run([self.tool("soap-translate"), "--generate=" + name, "--batch=%d" % batch, "--option=" + options, "-o", model])
        run([self.tool("soap-opt"), model, "--soap-build-training-step=learning-rate=0.01", "-o", step])
        return step

    def case(self, step, preset, topology, chip, precision, loss, weights):
        lowered, report = self.path("lowered.mlir"), self.path("report.json")
        image = "format=bin toolkit=" + self.cuda if self.cuda else "format=isa"
        run([self.tool("soap-opt"), step, "--soap-apply-strategy=preset=%s topology=%s" % (preset, topology), "--soap-partition",
             "--soap-lower-to-cuda=chip=%s precision=%s %s" % (chip, precision, image), "-o", lowered])
        run([self.tool("soap-run"), lowered, "--compare-with", step, "--reference", "--data", "synthetic", "--iterations", "2",
             "--no-cache", "--quiet", "--opt-level", "1", "--timeout", "600", "--report", report])
        difference = json.load(open(report))["comparison"]
        if not (difference["loss"] <= loss and difference["weights"] <= weights):
            raise Failure("loss differs by %g, weights by %g: expected at most %g and %g" %
                          (difference["loss"], difference["weights"], loss, weights))
        return difference


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--devices", default="")
    parser.add_argument("--networks", default="")
    options = parser.parse_args()
    devices = [int(text) for text in options.devices.split(",") if text] or ([1, 4, 64] if options.all else [1, 4])
    chosen = options.networks.split(",") if options.networks else [row[0] for row in NETWORKS[: None if options.all else len(CHIPS)]]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(options.build, folder)
        if not suite.cuda:
            print("no ptxas: kernels are PTX, which nobody assembles")
        for index, (name, batch, sizes, loss, weights) in enumerate(NETWORKS):
            if name not in chosen:
                continue
            chips = CHIPS if options.all else [CHIPS[index % len(CHIPS)]]
            for count in devices:
                precisions = PRECISIONS if options.all else ["f32", PRECISIONS[1 + index % 2]][: 2 if count == 1 else 1]
                for (preset, topology), chip, precision in itertools.product(STRATEGIES[count], chips, precisions):
                    what = "%s %s %s %s %s" % (name, preset, topology, chip, precision)
                    limits = (loss, weights) if precision == "f32" else (max(loss, ROUNDED_LOSS), float("inf"))
                    try:
                        difference = suite.case(suite.step(name, batch, sizes), preset, topology, chip, precision, *limits)
                        print("%s: loss differs by %.2g, weights by %.2g" % (what, difference["loss"], difference["weights"]))
                        passed += 1
                    except Failure as failure:
                        print("FAILED: %s: %s" % (what, failure))
                        failed += 1
                    sys.stdout.flush()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
