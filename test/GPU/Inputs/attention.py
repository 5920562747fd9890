# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains networks in bf16 with attention as library calls and as products, and compares the weights.

usage: attention.py BUILD DIR NETWORK:STRATEGY[:step] ...

DIR/NETWORK.mlir is the network. It is trained on one device (single) or on four, by host references and by the backend
cuda over its stand-ins. Prints a line per comparison; ends with 1 if weights are further apart than rounding to bf16
makes them. With `step`, the training step is in bf16 (its option precision), else the products of one in f32.
"""

import importlib.util
import math
import os
import subprocess
import sys

# How far a parameter may be off after three iterations, norm-wise, where gradients are rounded to 2^-8 in several
# places. Biases were 0, so they are their gradients; gradients of keys are rounding alone, as a softmax does not see a
# constant.
TOLERANCES = [("key.bias", math.inf), (".bias", 2**-4), ("", 2**-8)]


def run(*command, environment=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        sys.exit("%s ended with %d: %s" % (" ".join(command), done.returncode, done.stdout[-2000:]))
    return done.stdout


def main():
    build, folder = sys.argv[1:3]
    opt, translate, runner = (os.path.join(build, "bin", name) for name in ["soap-opt", "soap-translate", "soap-run"])
    source = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../../utils/compare-weights.py")
    spec = importlib.util.spec_from_file_location("compare_weights", source)
    weights = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(weights)
    stand_ins = os.path.join(build, "lib", "libSoapFakeCuda.so")
    failed = False

    def report(text, path, base):
        """Says how far the worst parameter is off, in what it may be."""
        nonlocal failed
        ours, theirs = weights.read(path), weights.read(base)
        worst = 0
        for name, values in theirs.items():
            norm = math.sqrt(sum(x * x for x in values) + len(values) * 1e-10)
            off = math.sqrt(sum((x - y) ** 2 for x, y in zip(ours[name], values))) / norm
            tolerance = next(limit for end, limit in TOLERANCES if name.endswith(end))
            # A value that is no number is infinitely far off.
            worst = max(worst, off / tolerance if off == off else math.inf)
        failed |= worst > 1
        print("%s off by %.2g of what they may be: %s" % (text, worst, "ok" if worst <= 1 else "FAILED"))

    for argument in sys.argv[3:]:
        network, strategy, *step = argument.split(":")
        path = lambda name: os.path.join(folder, "%s.%s" % (argument.replace(":", "."), name))
        typed = ["--soap-fuse-attention", "--soap-build-training-step=learning-rate=0.1 precision=bf16"]
        precision = typed if step else ["--soap-fuse-attention", "--soap-build-training-step=learning-rate=0.1",
                                        "--soap-set-precision=precision=bf16"]
        devices = 1 if strategy == "single" else 4
        calls = {}
        for attention in ["auto", "none"]:
            run(opt, os.path.join(folder, network + ".mlir"), *precision,
                "--soap-apply-strategy=preset=%s topology=h100-1x%d" % (strategy, devices), "--soap-partition",
                "--soap-lower-to-cuda=chip=sm_90 format=isa attention=" + attention, "-o", path("mlir"))
            with open(path("mlir")) as lowered:
                calls[attention] = lowered.read().count("call @soap_rt_attention(")
            run(translate, "--emit-artifact", path("mlir"), "-o", path(attention + ".soapx"))
            run(runner, "train", path(attention + ".soapx"), "--data", "synthetic", "--iterations", "3", "--quiet", "--timeout", "600",
                "--save-weights", path(attention + ".safetensors"))
        report("%s: %d calls of attention, %d without: weights" % (" ".join(argument.split(":")), calls["auto"], calls["none"]),
               path("auto.safetensors"), path("none.safetensors"))
        # Each call is compared with the host's, too: one that differs ends the run with status 1.
        run(runner, "check", path("auto.soapx"), "--backend", "cuda", "--data", "synthetic", "--iterations", "3", "--quiet", "--timeout", "600",
            "--check-calls", "distinct", "--save-weights", path("cuda.safetensors"),
            environment={"LD_PRELOAD": stand_ins, "SOAP_FAKE_CUDA_DEVICES": str(devices), "SOAP_GPU_ALGORITHMS": ""})
        report("%s: weights of the stand-in for cuDNN" % " ".join(argument.split(":")), path("cuda.safetensors"), path("auto.safetensors"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
