# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains networks in precisions by host references and compares them with f32 on the CPU.

usage: precision.py BUILD DIR NETWORK:ITERATIONS:PRECISION=LOSS[/WEIGHTS],... ...

DIR/NETWORK.mlir is the network; LOSS is how far the last loss may be off, relatively, and WEIGHTS how far the new
values of any parameter, norm-wise: both in units of what rounding an operand to the precision changes at most. Prints a
line per run; ends with 1 if one is further off.
"""

import json
import os
import subprocess
import sys

# Half of the distance from 1 to the next number.
ROUNDING = {"f32": 2**-24, "tf32": 2**-11, "bf16": 2**-8}


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit("%s ended with %d: %s" % (" ".join(command), done.returncode, done.stdout[-2000:]))


def main():
    build, folder = sys.argv[1:3]
    opt, runner = (os.path.join(build, "bin", name) for name in ["soap-opt", "soap-run"])
    failed = False
    for argument in sys.argv[3:]:
        network, iterations, rest = argument.split(":")
        path = lambda name: os.path.join(folder, network + "." + name)
        run(opt, path("mlir"), "--soap-build-training-step=learning-rate=0.01", "-o", path("step.mlir"))
        for item in rest.split(","):
            precision, tolerances = item.split("=")
            run(opt, path("step.mlir"), "--soap-lower-to-cuda=format=isa precision=" + precision, "-o", path("gpu.mlir"))
            run(runner, "check", path("gpu.mlir"), "--compare-with", path("step.mlir"), "--reference", "--data", "synthetic", "--iterations", iterations,
                "--no-cache", "--quiet", "--opt-level", "1", "--timeout", "600", "--report", path("json"))
            with open(path("json")) as report:
                comparison = json.load(report)["comparison"]
            for what, tolerance in zip(["loss", "weights"], tolerances.split("/")):
                off = comparison[what] / ROUNDING[precision]
                ok = off <= float(tolerance)
                failed |= not ok
                print("%s %s: %s off by %.2g roundings: %s" % (network, precision, what, off, "ok" if ok else "FAILED"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
