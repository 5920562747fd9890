#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Solves the contest's cost graphs with several seeds, verifies each answer, and prints a table.

The time limits are the contest's (best-known.csv), the scores best known / ours. --generated adds that many instances
of generate.py made of each file (no best known cost: the gap to the proven bound is their score).

usage: run.py BUILD [--data=DIR] [--instances=A,B,G,M,S] [--seeds=N] [--threads=N] [--generated=N] [--limit-share=X]
              [--json=FILE]
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def solve(build, path, limit, seed, threads, folder):
    """One run: what the solution says, and what the run took."""
    tool, output = os.path.join(build, "bin", "soap-solve"), os.path.join(folder, "solution.json")
    if os.path.exists(output):
        os.remove(output)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run = subprocess.run([tool, "cost-graph", path, "--time-limit=%g" % limit, "--seed=%d" % seed, "--threads=%d" % threads,
                          "-o", output], stderr=subprocess.PIPE, text=True)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    result = {"seed": seed, "wall_s": round(wall, 2), "limit_s": limit,
              "cpu_s": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)}
    if run.returncode != 0:
        return dict(result, error=run.stderr.strip())
    check = subprocess.run([tool, "verify", path, output], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with open(output) as file:
        solution = json.load(file)
    return dict(result, cost=solution["cost"], bound=solution["bound"], optimal=solution["optimal"],
                verified=check.returncode == 0)


def show(name, run, best):
    if "error" in run:
        print("| %s | %d | - | - | - | %.1f | %.1f | %s |" % (name, run["seed"], run["wall_s"], run["cpu_s"], run["error"]))
        return
    gap = 100 * (run["cost"] - run["bound"]) / max(run["cost"], 1)
    score = "%.5f" % (best / run["cost"]) if best else "-"
    print("| %s | %d | %d | %s | %.3f %%%s | %.1f | %.1f | %s |" %
          (name, run["seed"], run["cost"], score, gap, " (optimal)" if run["optimal"] else "", run["wall_s"], run["cpu_s"],
           "yes" if run["verified"] else "NO"), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data", "iopddl"))
    parser.add_argument("--instances", default="A,B,G,M,S")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--generated", type=int, default=0)
    parser.add_argument("--limit-share", type=float, default=1, help="of the contest's time limit")
    parser.add_argument("--json")
    options = parser.parse_args()
    built.programs(options.build, "soap-solve")
    with open(os.path.join(options.data, "best-known.csv")) as file:
        known = {row["instance"]: row for row in csv.DictReader(file)}
    print("| instance | seed | cost | score | gap | wall s | CPU s | verified |\n|---|---|---|---|---|---|---|---|")
    table, failed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in options.instances.split(","):
            original = os.path.join(options.data, name + ".json.gz")
            limit = float(known[name]["time_limit_s"]) * options.limit_share
            cases = [(name, original, seed, int(known[name]["best_cost"])) for seed in range(options.seeds)]
            for i in range(1, options.generated + 1):
                path = os.path.join(folder, "%s-%d.json.gz" % (name, i))
                subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), original, path, "--seed=%d" % i], check=True)
                cases.append(("%s generated %d" % (name, i), path, 0, None))
            for case, path, seed, best in cases:
                run = solve(options.build, path, limit, seed, options.threads, folder)
                show(case, run, best)
                failed += "error" in run or not run["verified"]
                table.append(dict(run, instance=case, best_known=best))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"version": 1, "threads": options.threads, "runs": table}, file, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
