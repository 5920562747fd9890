# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the models that make_fx_models.py has written, and compares with what PyTorch computed.

    python run_fx_models.py BUILD FOLDER [MODEL...]

Each model runs as it is on one device, data parallel on four, and by a searched strategy on four. Prints a row of
docs/Linalg.md for each: nodes of the op graph, and for each run the norm of the difference over that of the output.
Fails if one is above 1e-5.
"""

import glob
import os
import re
import subprocess
import sys

from compare_npy import read

PASSES = ["--linalg-fuse-elementwise-ops", "--canonicalize", "--cse"]
RUNS = {
    "one device": [],
    "data parallel": ["--soap-apply-strategy=topology=cpu-4 preset=data-parallel function=main", "--soap-partition"],
    "searched": ["--soap-auto-parallel=topology=cpu-4 function=main proposals=400", "--soap-partition"],
}


def run(build, tool, *arguments):
    result = subprocess.run([os.path.join(build, "bin", tool), *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{tool} {' '.join(arguments)}: exit status {result.returncode}\n{result.stderr[:3000]}")
    return result.stdout


def difference(expected, got):
    """Norm of the difference over the norm of the expected elements."""
    if len(expected) != len(got):
        raise RuntimeError(f"{len(got)} elements, expected {len(expected)}")
    norm = sum(e * e for e in expected) ** 0.5
    return sum((e - g) ** 2 for e, g in zip(expected, got)) ** 0.5 / norm


def check(build, folder, model):
    path = os.path.join(folder, model)
    expected = read(path + ".y.npy")
    inputs = sorted(glob.glob(path + ".x*.npy"))
    marked = path + ".marked.mlir"
    run(build, "soap-opt", path + ".mlir", *PASSES, f"--soap-mark-arguments=data=0-{len(inputs) - 1}", "-o", marked)
    graph = run(build, "soap-opt", marked, "--soap-print-op-graph=function=main", "-o", os.devnull)
    nodes = len(re.findall(r"^  [\w.]+: ", graph, re.MULTILINE))
    row = [model, str(nodes)]
    for name, passes in RUNS.items():
        lowered, output = path + ".lowered.mlir", path + ".out"
        run(build, "soap-opt", marked, *passes, "--soap-lower-to-cpu", "-o", lowered)
        values = [f for i, x in enumerate(inputs) for f in ("--input", f"arg{i}={x}")]
        run(build, "soap-run", "entry", lowered, "main", "--quiet", "--output", output, *values)
        result, = glob.glob(os.path.join(output, "*.npy"))
        row.append(f"{difference(expected, read(result)):.1e}")
        os.remove(result)
    return row


def main():
    build, folder, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    failed = False
    names = names or sorted(os.path.basename(path)[:-6] for path in glob.glob(os.path.join(folder, "*.y.npy")))
    print("| model | nodes | " + " | ".join(RUNS) + " |\n" + "|---" * (len(RUNS) + 2) + "|")
    for name in names:
        try:
            row = check(build, folder, name)
            failed |= any(not float(value) <= 1e-5 for value in row[2:])
            print("| " + " | ".join(row) + " |", flush=True)
        except RuntimeError as error:
            failed = True
            print(f"{name}: {error}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
