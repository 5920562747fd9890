#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long import of a model takes, by door: files of make_gpt2.py, as modules that a search takes.

    bench/import/run.py BUILD FOLDER [--runs 3] [--json FILE]

Prints a table and, with --json, the numbers. "user" is the processor's time of the process, "cpu" with that of the
kernel for it, for files; both say more than the clock ("wall") on a busy machine. A file that is not in FOLDER has no
row.
"""

import argparse
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402
from compile_bench import measure, summary  # noqa: E402

LAYERS = 12
# Weights of a layer, of words and positions, and of the last norm.
WEIGHTS = 12 * LAYERS + 2 + 2
COMMANDS = {
    "onnx": ("gpt2.onnx", "soap-translate", ["--import-onnx"], ["--weights-out={folder}/w.safetensors"]),
    "linalg": ("gpt2.linalg.mlir", "soap-opt", [], ["--linalg-fuse-elementwise-ops", "--canonicalize", "--cse",
                                                   "--soap-mark-arguments=data=0"]),
    "stablehlo": ("gpt2.stablehlo.mlir", "soap-translate", ["--import-stablehlo"],
                  ["--data=%d" % WEIGHTS, "--labels=%d" % (WEIGHTS + 1),
                   "--updates=1-%d:0-%d" % (WEIGHTS, WEIGHTS - 1)]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args()
    built.programs(options.build, "soap-translate", "soap-opt")
    rows = []
    print("| door | file, MB | user, s | cpu, s | wall, s |\n|---|---|---|---|---|")
    for door, (name, tool, before, after) in COMMANDS.items():
        path = os.path.join(options.folder, name)
        if not os.path.exists(path):
            print("%s: not there, no row" % path, file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            command = [os.path.join(options.build, "bin", tool), *before, path,
                       *(text.format(folder=folder) for text in after), "-o", os.path.join(folder, "model.mlir")]
            row = {"door": door, "file_bytes": os.path.getsize(path)}
            row.update(summary([measure(command)[0] for _ in range(options.runs)]))
        rows.append(row)
        print("| %s | %.1f | %.2f | %.2f | %.2f |" % (door, row["file_bytes"] / 1e6, row["user"]["median"],
                                                     row["cpu"]["median"], row["wall"]["median"]), flush=True)
    if not rows:
        sys.exit("%s has no file of make_gpt2.py" % options.folder)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump({"version": 1, "unit": "s", "runs": options.runs, "rows": rows}, stream, indent=1)


if __name__ == "__main__":
    main()
