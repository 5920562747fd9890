#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small Mixtral as PyTorch did (record_experts.py), and compares; counts dropped tokens.

experts.py BUILD [--strategies a,b]

Losses, perplexities and all weights after the last step are compared under each strategy: experts are whole on one
device, cut inside, on different devices that exchange tokens, and in stages of a pipeline. Then trainings with too few
places tell the share of the tokens that they drop. The last line is "N passed, N failed".
"""

import argparse
import json
import os
import struct
import sys
import tempfile

import numpy as np

from recorded import read_safetensors
from soap_tools import Counter, Failure, Tools

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "experts", "mixtral.npz")
# As record_experts.py has them.
OPTIONS = ("length=10,layers=2,heads=4,kv-heads=2,head-width=4,mlp-width=12,experts=5,top-k=2,vocabulary=17,rope-base=100,"
           "balance=500,capacity=0")
RATE = 0.5
EVEN = 0.1  # the balance if all experts have the same load
STRATEGIES = {
    "single": ["--soap-apply-strategy=preset=single topology=cpu-1"],
    "data-parallel": ["--soap-apply-strategy=preset=data-parallel topology=cpu-3"],
    "megatron": ["--soap-apply-strategy=preset=megatron(tp=2) topology=cpu-2"],
    "experts": ["--soap-apply-strategy=preset=expert topology=cpu-5"],
    "gshard": ["--soap-apply-strategy=preset=gshard topology=cpu-5"],
    "pipeline": ["--soap-pipeline=topology=cpu-4 stages=2 microbatches=3 inside=expert"],
    "searched": ["--soap-auto-parallel=topology=cpu-4 proposals=100 seed=1 summary=false initial=model-parallel"],
}
TOLERANCE = 1e-4


def apart(got, want):
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    return np.linalg.norm(got - want) / np.linalg.norm(want) if got.shape == want.shape else np.inf


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, value in tensors.items():
        part = np.ascontiguousarray(value, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    with open(path, "wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text + data)


def lower(tools, batch, options, strategy):
    """A program of a training step of the network."""
    model, step, lowered = (tools.path(name + ".mlir") for name in ("model", "step", "lowered"))
    tools.run("soap-translate", "--generate=mixtral", "--batch=%d" % batch, "--option=" + options, "-o", model)
    tools.run("soap-opt", model, "--soap-build-training-step=learning-rate=%r" % RATE, "-o", step)
    tools.run("soap-opt", step, *strategy, "--soap-partition", "--soap-lower-to-cpu", "-o", lowered)
    return lowered


def compare(tools, name, record, perplexities, count):
    first, data, saved = (tools.path(file) for file in ("first.safetensors", "data.npz", "last.safetensors"))
    write_safetensors(first, {key[6:]: record[key] for key in record.files if key.startswith("first.")})
    np.savez(data, x_train=record["x"], y_train=record["y"])
    lowered = lower(tools, len(record["x"]), OPTIONS, STRATEGIES[name])
    # The batch is the whole data set: an epoch is an iteration.
    report = tools.report(lowered, "--data", "npz:" + data, "--epochs", len(record["losses"]), "--threads-per-device", 1,
                          "--init", first, "--save-weights", saved)
    losses = [epoch["loss"] for epoch in report["epochs"]]
    count(apart(losses, record["losses"]) <= TOLERANCE, "%s: losses %s, PyTorch's %s" % (name, losses, list(record["losses"])))
    last = read_safetensors(saved)
    worst = max((apart(last.get(key[5:], np.nan), record[key]), key) for key in record.files if key.startswith("last."))
    count(worst[0] <= TOLERANCE, "%s: weights at most %.1e from PyTorch's (%s)" % (name, *worst))
    dropped = [epoch["train_metrics"].get("dropped") for epoch in report["epochs"]]
    count(dropped == [0] * len(dropped), "%s: dropped are %s of the tokens" % (name, dropped))
    # The loss has the balance of experts, which is no part of the perplexity.
    found = [epoch["train_metrics"].get("perplexity", np.nan) for epoch in report["epochs"]]
    perplexities.append(found)
    balance = np.array(losses) - np.log(found)
    count(apart(found, perplexities[0]) <= TOLERANCE and np.all((balance >= EVEN) & (balance < 2 * EVEN)),
          "%s: perplexities %s, of the first strategy %s; the balance is %s" % (name, found, perplexities[0], balance))


def count_dropped(tools, count):
    """One expert that all tokens choose has places for some of them."""
    for percent, share in ((100, 0), (30, 0.625)):
        options = "length=8,layers=2,heads=2,kv-heads=2,head-width=2,mlp-width=4,experts=1,top-k=1,vocabulary=5,capacity=%d" % percent
        for strategy in ("single", "data-parallel"):
            report = tools.report(lower(tools, 6, options, STRATEGIES[strategy]), "--data=synthetic", "--epochs", 1,
                                  "--threads-per-device", 1)
            dropped = report["epochs"][0]["train_metrics"]["dropped"]
            count(abs(dropped - share) < 1e-6, "%s, capacity %d %%: dropped are %s of the tokens, expected %s"
                  % (strategy, percent, dropped, share))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    options = parser.parse_args()
    count = Counter()
    record, perplexities = np.load(FILE), []
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(os.path.abspath(options.build), folder)
        for name in options.strategies.split(","):
            try:
                compare(tools, name, record, perplexities, count)
            except (Failure, OSError, KeyError) as failure:
                count(False, "%s: %s" % (name, failure))
        try:
            count_dropped(tools, count)
        except (Failure, OSError, KeyError) as failure:
            count(False, "dropped tokens: %s" % failure)
    return count.status()


if __name__ == "__main__":
    sys.exit(main())
