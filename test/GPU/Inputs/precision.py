"""Trains generated networks in precisions by twins and compares the last loss with that of f32 on the CPU.

usage: precision.py BUILD DIR NETWORK:PRECISION=TOLERANCE,... ...

DIR/NETWORK.mlir is the network. Prints a line per run; ends with 1 if one differs by more than its tolerance.
"""

import json
import os
import subprocess
import sys


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit("%s ended with %d: %s" % (" ".join(command), done.returncode, done.stdout[-2000:]))


def main():
    build, folder = sys.argv[1:3]
    opt, runner = (os.path.join(build, "bin", name) for name in ["soap-opt", "soap-run"])
    failed = False
    for argument in sys.argv[3:]:
        network, rest = argument.split(":")
        path = lambda name: os.path.join(folder, network + "." + name)
        run(opt, path("mlir"), "--soap-build-training-step=learning-rate=0.01", "-o", path("step.mlir"))
        for item in rest.split(","):
            precision, tolerance = item.split("=")
            run(opt, path("step.mlir"), "--soap-lower-to-cuda=format=isa precision=" + precision, "-o", path("gpu.mlir"))
            run(runner, path("gpu.mlir"), "--compare-with", path("step.mlir"), "--reference", "--data", "synthetic", "--iterations", "40",
                "--no-cache", "--quiet", "--opt-level", "1", "--timeout", "600", "--report", path("json"))
            with open(path("json")) as report:
                loss = json.load(report)["comparison"]["loss"]
            ok = loss <= float(tolerance)
            failed |= not ok
            print("%s %s: loss differs by %.2g: %s" % (network, precision, loss, "ok" if ok else "FAILED"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
