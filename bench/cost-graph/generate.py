#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes further cost graphs of an instance's structure: other costs, other limit.

Each node's costs and each edge's costs are multiplied by a factor of their own, between 1/4 and 4, so another solution
is best; what is forbidden stays so. The limit is multiplied by a factor that is given or drawn between 0.9 and 1.5.

usage: generate.py INSTANCE OUT.json.gz --seed=N [--limit-factor=X]
"""

import argparse
import gzip
import json
import random

FORBIDDEN = 10**18


def read(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as file:
        return json.load(file)


def scaled(costs, factor):
    return [cost if cost >= FORBIDDEN else round(cost * factor) for cost in costs]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("instance")
    parser.add_argument("output")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit-factor", type=float)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    document = read(options.instance)
    problem = document["problem"]
    for part in ("nodes", "edges"):
        lists = problem[part]["costs"]
        problem[part]["costs"] = [scaled(costs, 4 ** draw.uniform(-1, 1)) for costs in lists]
    factor = options.limit_factor or draw.uniform(0.9, 1.5)
    problem["usage_limit"] = int(problem["usage_limit"] * factor)
    problem["name"] = "%s, seed %d, limit times %.3f" % (problem.get("name", "graph"), options.seed, factor)
    with gzip.open(options.output, "wt", compresslevel=3) as file:
        json.dump(document, file, separators=(",", ":"))


if __name__ == "__main__":
    main()
