#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device placement on the paper's workloads: Table 1 (throughput) and latencies, every answer verified.

    bench/placement/run.py [--build BUILD] [--data FOLDER] [--seconds N] [--threads N] [--only TEXT] [-o FILE.json]

Prints tables in Markdown and writes JSON; exits with 1 if an answer is refused or misses what is expected of it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# The paper's Table 1: best contiguous split (to its digits, from the published data), any split.
THROUGHPUT = {
    "bert3-operator-inference": (27.918568, 21.91),
    "bert3-operator-training": (65.303149, 54.21),
    "bert12-operator-training": (437.997638, 373.42),
    "resnet50-operator-inference": (124.348850, 124.35),
    "gnmt-layer-inference": (32.910658, 31.68),
    "inceptionv3-layer-training": (122.761616, 117.72),
}
LATENCY = ["bert3-operator-inference", "gnmt-layer-inference"]
# Of a non-contiguous split, compared with the paper's, whose solver stopped at 1 %.
TOLERANCE = 1.001


def solve(options, path, flags, seconds):
    """The solution and what it took; None after a message, if the tool or the verifier refuses."""
    tool = os.path.join(options.build, "bin", "soap-solve")
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "solution.json")
        start = time.monotonic()
        process = subprocess.Popen([tool, "placement", path, "-o", output, "--quiet", "--time-limit=%g" % seconds,
                                    "--threads=%d" % options.threads] + flags, stderr=subprocess.PIPE)
        message = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.monotonic() - start
        if status != 0:
            return None, message.strip()
        check = subprocess.run([tool, "verify", path, output], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if check.returncode != 0:
            return None, check.stderr.decode().strip()
        with open(output) as stream:
            solution = json.load(stream)
    value = solution.get("max_load", solution.get("latency"))
    bound = solution["bound"]
    return {"value": value, "bound": bound, "optimal": solution["optimal"],
            "gap_percent": 100 * (value / bound - 1) if bound > 0 else None,
            "seconds": elapsed, "peak_mb": usage.ru_maxrss / 1024}, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data", "device-placement"))
    parser.add_argument("--seconds", type=float, default=60, help="time limit of searches that have no end")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="files whose name contains this text")
    parser.add_argument("-o", "--output", default="")
    options = parser.parse_args()
    built.programs(options.build, "soap-solve")
    results, problems = [], []

    def run(name, folder, objective, algorithm, flags, seconds):
        path = os.path.join(options.data, folder, name + ".json")
        result, message = solve(options, path, ["--objective=" + objective, "--algorithm=" + algorithm] + flags, seconds)
        if result is None:
            if "this build has no" not in message:
                problems.append("%s, %s: %s" % (name, algorithm, message))
            print("| %s | %s | - | - | - | - | - |" % (name, algorithm), flush=True)
            return None
        result.update(file=name, objective=objective, algorithm=algorithm, flags=flags)
        results.append(result)
        print("| %s | %s | %.6f | %.6f | %s | %.2f | %.0f |" % (
            name, algorithm, result["value"], result["bound"],
            "%.2f %%" % result["gap_percent"] if result["gap_percent"] is not None else "-", result["seconds"],
            result["peak_mb"]), flush=True)
        return result

    def header(title, what):
        print("\n%s\n\n| file | algorithm | %s | bound | gap | s | MB |\n|---|---|---|---|---|---|---|" % (title, what))

    names = [name for name in THROUGHPUT if options.only in name]
    header("Contiguous splits", "max load")
    total = 0
    for name in names:
        expected = THROUGHPUT[name][0]
        exact = run(name, "", "throughput", "dp", [], 600)
        if exact:
            total += exact["seconds"]
            if abs(exact["value"] - expected) > 1e-6:
                problems.append("%s: expected %.6f by dp, got %.6f" % (name, expected, exact["value"]))
        for algorithm in ["dpl", "greedy", "pipedream"]:
            result = run(name, "", "throughput", algorithm, [], 600)
            if algorithm == "dpl" and exact and result and not (
                    exact["value"] * (1 - 1e-9) <= result["value"] <= 1.1 * exact["value"]):
                problems.append("%s: dpl is not between dp and 1.1 dp" % name)
    print("\nAll by dp: %.2f s" % total)
    header("Splits that need not be contiguous", "max load")
    for name in names:
        paper = THROUGHPUT[name][1]
        for algorithm in ["local-search", "milp", "scotch"]:
            result = run(name, "", "throughput", algorithm, ["--contiguous=false"], options.seconds)
            if algorithm == "local-search" and result and result["value"] > TOLERANCE * paper:
                problems.append("%s: expected at most %.4f, got %.6f" % (name, TOLERANCE * paper, result["value"]))
    header("Latencies", "latency")
    for name in [name for name in LATENCY if options.only in name]:
        for algorithm in ["greedy", "max-load", "local-search", "milp"]:
            run(name, "latency", "latency", algorithm, [], options.seconds)
    if options.output:
        with open(options.output, "w") as stream:
            json.dump({"version": 1, "threads": options.threads, "seconds": options.seconds, "results": results}, stream, indent=1)
    for problem in problems:
        print("placement: " + problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
