#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cross-validation of the cost model on measured times of an H200: profile and curves from 80 % of the measurements,
the others predicted by the C++.

    bench/cost-model/run.py BUILD h200-ops.csv [--splits 5] [-o result.json]

`--by-shape` keeps all directions and element types of a shape on one side of a split.
Prints a table and writes JSON: relative errors |predicted / measured - 1|, median and 95th percentile.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "utils"))
from gpu_profiles import ops as profiles, text  # noqa: E402


def summary(errors):
    errors = np.asarray(errors)
    return {"shapes": len(errors), "median": round(float(np.median(errors)), 4), "p95": round(float(np.percentile(errors, 95)), 4)}


def predict(program, profile, shapes):
    """[(model ns, curve ns)] of [(key, Shape)]."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as stream:
        stream.write(text.to_text(profile))
        stream.flush()
        lines = "".join(" ".join([*key, *map(str, shape.entry)]) + "\n" for key, shape in shapes)
        done = subprocess.run([program, stream.name], input=lines, text=True, stdout=subprocess.PIPE, check=True)
    return [tuple(map(float, line.split())) for line in done.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("csv")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--by-shape", action="store_true")
    parser.add_argument("-o", "--output")
    arguments = parser.parse_args()
    program, = built.programs(arguments.build, "bench/PredictTimes")

    tables = {key: rows for key, rows in profiles.read(arguments.csv).items() if key[0] in ("conv2d", "matmul")}
    model, curve, even = {}, {}, []
    for split in range(arguments.splits):
        draw = random.Random(arguments.seed * 1000 + split)
        if arguments.by_shape:
            shapes = sorted({(key[0], shape) for key, rows in tables.items() for shape, _ in rows})
            held = set(draw.sample(shapes, len(shapes) // 5))
            isHeld = {key: [(key[0], shape) in held for shape, _ in rows] for key, rows in tables.items()}
        else:
            isHeld = {}
            for key, rows in sorted(tables.items()):
                chosen = set(draw.sample(range(len(rows)), len(rows) // 5))
                isHeld[key] = [i in chosen for i in range(len(rows))]
        known = {key: [row for row, held in zip(rows, isHeld[key]) if not held] for key, rows in tables.items()}
        asked = [(key, profiles.Shape(key, shape), ns) for key, rows in sorted(tables.items())
                 for (shape, ns), held in zip(rows, isHeld[key]) if held]
        times = predict(program, profiles.make_profile(known), [(key, shape) for key, shape, _ in asked])
        for (key, shape, ns), (by_model, by_curve) in zip(asked, times):
            error = abs(by_model / ns - 1)
            model.setdefault(key, []).append(error)
            curve.setdefault(key, []).append(abs(by_curve / ns - 1))
            if not profiles.is_odd(key[2], shape.sizes):
                even.append(error)
        print("split", split + 1, "of", arguments.splits, "done", file=sys.stderr)

    result = {"splits": arguments.splits, "seed": arguments.seed, "by_shape": arguments.by_shape, "tables": [],
              "all": summary(sum(model.values(), [])), "curves_alone": summary(sum(curve.values(), [])), "aligned": summary(even)}
    print("| op | direction | dtype | shapes | median | 95th percentile | curve alone: median | 95th |")
    print("|---|---|---|---|---|---|---|---|")
    for key in sorted(model):
        own, alone = summary(model[key]), summary(curve[key])
        result["tables"].append({"op": key[0], "direction": key[1], "dtype": key[2], **own, "curve": alone})
        print("| %s | %d | %.1f %% | %.1f %% | %.1f %% | %.1f %% |" % (" | ".join(key), own["shapes"], 100 * own["median"], 100 * own["p95"],
                                                                 100 * alone["median"], 100 * alone["p95"]))
    for name, label in (("all", "all"), ("aligned", "channels and features of whole 16 bytes")):
        own = result[name]
        alone = result["curves_alone"] if name == "all" else None
        print("| %s | | | %d | %.1f %% | %.1f %% | %s |" % (label, own["shapes"], 100 * own["median"], 100 * own["p95"],
              "%.1f %% | %.1f %%" % (100 * alone["median"], 100 * alone["p95"]) if alone else " | "))
    if arguments.output:
        with open(arguments.output, "w") as stream:
            json.dump(result, stream, indent=1)
            stream.write("\n")


if __name__ == "__main__":
    main()
