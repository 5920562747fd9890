#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes large placement problems, in the format of the paper's workloads.

chain: each node reads the one before it. tree: each node but the first is read by a later one, drawn at random. dag:
each node reads up to three of the 64 before it. training: a dag of forward nodes, whose gradients come in the opposite
order and share their color classes.

usage: generate.py KIND NODES OUT.json [--seed=N] [--accelerators=K] [--cpus=L]
"""

import argparse
import random

NODE = '{"id":%d,"supportedOnFpga":%d,"isBackwardNode":%d,"cpuLatency":%d,"fpgaLatency":%d,"size":%d%s}'
EDGE = '{"sourceId":%d,"destId":%d,"cost":%d}'
WINDOW = 64  # how far back nodes of a dag read


def forward_edges(kind, nodes, draw):
    """Pairs of nodes, the earlier one first."""
    if kind == "chain":
        return [(i - 1, i) for i in range(1, nodes)]
    if kind == "tree":
        return [(i, draw.randrange(i + 1, min(i + WINDOW, nodes - 1) + 1)) for i in range(nodes - 1)]
    pairs = set()
    for i in range(1, nodes):
        for _ in range(draw.randint(1, 3)):
            pairs.add((draw.randrange(max(0, i - WINDOW), i), i))
    return sorted(pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=["chain", "tree", "dag", "training"])
    parser.add_argument("nodes", type=int)
    parser.add_argument("output")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--accelerators", type=int, default=8)
    parser.add_argument("--cpus", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    training = options.kind == "training"
    forward = options.nodes // 2 if training else options.nodes
    edges = forward_edges(options.kind, forward, draw)
    costs = [draw.randint(1, 9) for _ in range(forward)]
    with open(options.output, "w") as file:
        # Twice the memory that equal shares would take.
        file.write('{"maxSizePerFPGA":%d,"maxFPGAs":%d,"maxCPUs":%d,"nodes":[' %
                   (8 * options.nodes // max(options.accelerators, 1), options.accelerators, options.cpus))
        rows = [NODE % (i, 1, 0, draw.randint(100, 900), draw.randint(1, 60), draw.randint(1, 7),
                        ',"colorClass":%d' % i if training else "") for i in range(forward)]
        if training:
            last = 2 * forward - 1
            rows += [NODE % (last - i, 1, 1, draw.randint(100, 900), draw.randint(1, 120), draw.randint(1, 7),
                             ',"colorClass":%d' % i) for i in reversed(range(forward))]
        file.write(",\n".join(rows) + '],"edges":[')
        rows = [EDGE % (a, b, costs[a]) for a, b in edges]
        if training:  # the output of the last forward node starts the backward pass
            rows += [EDGE % (forward - 1, forward, costs[forward - 1])]
            rows += [EDGE % (last - b, last - a, costs[b]) for a, b in edges]
        file.write(",\n".join(rows) + "]}\n")


if __name__ == "__main__":
    main()
