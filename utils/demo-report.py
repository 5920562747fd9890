#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what scripts/demo.sh found: the gain, the strategy per op, simulated and measured times, the accuracy, what to
open next."""

import json
import os
import re
import sys

TITLES = [("single", "one device"), ("data-parallel", "data parallel, 4 devices"), ("searched", "searched, 4 devices")]
# The loops of LeNet's ops in words; others keep their names.
LOOPS = {
    "conv2d": {"n": "samples", "o": "output channels", "i": "input channels", "h": "rows", "w": "columns"},
    "max_pool2d": {"n": "samples", "c": "channels", "h": "rows", "w": "columns"},
    "matmul": {"m": "samples", "n": "outputs", "k": "inputs, partial sums"},
    "cross_entropy": {"n": "samples"},
    "reshape": {"f0": "samples"},
}
ELEMENTWISE = {"d0": "samples", "d1": "features"}


def load(*path):
    with open(os.path.join(*path)) as stream:
        return json.load(stream)


def configs(path):
    """(name, kind, degrees, replicas, devices) of every op of @train_step that has a config."""
    rows = []
    inside = False
    with open(path) as stream:
        for line in stream:
            if "func.func" in line:
                inside = "@train_step" in line
                continue
            op = re.search(r'"?soap\.([a-z0-9_]+)"? ?', line.split(" = ", 1)[-1])
            config = re.search(r"soap\.config = #soap\.config<(.*?)devices = \[([0-9a-z, ]*)\]>", line)
            name = re.search(r'soap\.name = "([^"]*)"', line)
            if inside and op and config and name:
                degrees = re.search(r"\{([^}]*)\}", config.group(1))
                replicas = re.search(r"replicas = (\d+)", config.group(1))
                rows.append((name.group(1), op.group(1), degrees.group(1) if degrees else "",
                             int(replicas.group(1)) if replicas else 1, listed(config.group(2))))
    return rows


def listed(devices):
    """All devices of a list that may have ranges, `0 to 14 step 2`."""
    return re.sub(r"(\d+) to (\d+)(?: step (\d+))?",
                  lambda match: ", ".join(map(str, range(int(match[1]), int(match[2]) + 1, int(match[3] or 1)))), devices)


def in_words(kind, degrees, replicas):
    """`n = 4` of a convolution: "samples in 4"."""
    words = LOOPS.get(kind, ELEMENTWISE)
    cuts = ["%s in %s" % (words.get(loop, loop), degree) for loop, degree in re.findall(r"(\w+) = (\d+)", degrees)]
    if replicas > 1:
        cuts.append("%d copies" % replicas)
    return ", ".join(cuts) or "whole"


def gain(folder):
    """The search's result in one sentence."""
    reports = {key: load(folder, key + ".simulated.json") for key, _ in TITLES}
    times = {key: report["makespan_ns"] / 1e6 for key, report in reports.items()}
    memory = {key: max(device["peak_bytes"] for device in report["devices"]) / 2**20 for key, report in reports.items()}
    return ("On the four devices of cpu-4 a training iteration takes %.3f ms under the strategy that the search found, %.3f ms\n"
            "under data parallelism and %.3f ms on one device: %.2f and %.2f times as fast, with %.2f MiB on the fullest device\n"
            "instead of %.2f and %.2f (simulated)." %
            (times["searched"], times["data-parallel"], times["single"], times["data-parallel"] / times["searched"],
             times["single"] / times["searched"], memory["searched"], memory["data-parallel"], memory["single"]))


def main():
    folder = sys.argv[1]
    print(gain(folder))
    print("\nHow the strategy splits the forward pass; gradients and updates follow their forward ops:\n")
    print("  %-18s %-14s %-32s %s" % ("op", "kind", "split into", "devices"))
    for name, kind, degrees, replicas, devices in configs(os.path.join(folder, "searched.mlir")):
        # Here the backward pass begins.
        if name.endswith(".seed"):
            break
        print("  %-18s %-14s %-32s %s" % (name, kind, in_words(kind, degrees, replicas), devices))

    print("\nMilliseconds per training iteration (batch 64):\n")
    print("  %-26s %10s %10s" % ("strategy", "simulated", "measured"))
    for key, title in TITLES:
        simulated = load(folder, key + ".simulated.json")["makespan_ns"] / 1e6
        measured = load(folder, key + ".run.json")["milliseconds_per_iteration"]["median"]
        print("  %-26s %10.3f %10.3f" % (title, simulated, measured))
    print("\n  The simulated times are for the topology cpu-4, a machine with a core for every device;")
    print("  this machine has %d." % len(os.sched_getaffinity(0)))

    epochs = load(folder, "train.json")["epochs"]
    print("\n  epoch     loss   train    test   samples/s")
    for row in epochs:
        print("  %5d %8.4f  %6.4f  %6.4f  %10.0f" %
              (row["epoch"], row["loss"], row["train_accuracy"], row["test_accuracy"], row["samples_per_second"]))
    print("\ntest accuracy %.4f\n" % epochs[-1]["test_accuracy"])

    print("Open next:")
    for name, what in [("plan.html", "the plan in a browser: timeline, ops, links, beside data parallelism"),
                       ("strategy.svg", "the strategy drawn, an op a box"),
                       ("progress.svg", "the best time over the seconds of the search"),
                       ("topology.svg", "the devices and their links"),
                       ("searched.mlir", "the training step with a soap.config on every op"),
                       ("parts.mlir", "the device programs, with sends and receives"),
                       ("trace.json", "what ran when in 20 iterations, for https://ui.perfetto.dev"),
                       ("searched.simulated.json", "the simulated times, memory and bytes on every link"),
                       ("train.json", "the measured ones")]:
        print("  %-36s %s" % (os.path.join(folder, name), what))
    print("  %-36s %s" % ("docs/Architecture.md", "how the parts fit together"))


if __name__ == "__main__":
    main()
