#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains small models of the families that `config.json` names as PyTorch did (record_families.py), and compares.

families.py BUILD [--families a,b] [--strategies a,b]

A config is read as soap-plan reads it. Losses and all weights after the last step are compared under each strategy. The
last line is "N passed, N failed".
"""

import argparse
import json
import os
import sys
import tempfile

import numpy as np

from experts import apart, write_safetensors
from recorded import read_safetensors
from soap_tools import Counter, Failure, Tools

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "Python"))
import own_planning  # noqa: E402, F401
from soap_planning.errors import PlanError  # noqa: E402
from soap_planning.families import read_config  # noqa: E402

FOLDER = os.path.join(HERE, "Inputs", "families")
RATE = 0.2  # as record_families.py has it
STRATEGIES = {
    "single": ["--soap-apply-strategy=preset=single topology=cpu-1"],
    "megatron": ["--soap-apply-strategy=preset=megatron(tp=2) topology=cpu-2"],
    "hybrid": ["--soap-plan-hybrid=topology=cpu-4 batch=4 plan=stages=2,tensor=1,context=1,samples=2,zero=1"],
    "context": ["--soap-plan-hybrid=topology=cpu-4 batch=4 plan=stages=1,tensor=2,context=2,samples=4,zero=0"],
    "experts": ["--soap-plan-hybrid=topology=cpu-2 batch=4 plan=stages=1,tensor=1,context=1,samples=2,zero=1,experts=2"],
    "searched": ["--soap-auto-parallel=topology=cpu-4 proposals=100 seed=1 summary=false initial=model-parallel"],
}
TOLERANCE = 1e-4


def compare(tools, family, strategy, count):
    record = np.load(os.path.join(FOLDER, family + ".npz"))
    network = read_config(json.loads(str(record["config"])), family)
    if strategy == "experts" and not network.sizes.experts:
        return
    # The recorded ones drop no token and have no loss that balances experts.
    options = network.generator_options(record["x"].shape[1])
    options |= {"capacity": 0, "balance": 0} if network.sizes.experts else {}
    model, step, lowered, first, last = (tools.path(name) for name in (
        "model.mlir", "step.mlir", "lowered.mlir", "first.safetensors", "last.safetensors"))
    tools.run("soap-translate", "--generate=" + network.generator, "--batch=%d" % len(record["x"]),
              "--option=" + ",".join("%s=%d" % item for item in options.items()), "-o", model)
    tools.run("soap-opt", model, "--soap-build-training-step=learning-rate=%r" % RATE, "-o", step)
    tools.run("soap-opt", step, *STRATEGIES[strategy], "--soap-partition", "--soap-lower-to-cpu", "-o", lowered)
    weights = {key[6:]: record[key] for key in record.files if key.startswith("first.")}
    write_safetensors(first, weights)
    count(sum(value.size for value in weights.values()) == network.parameters,
          "%s: %d parameters" % (family, network.parameters))
    data = tools.path("data.npz")
    np.savez(data, x_train=record["x"], y_train=record["y"])
    report = tools.report(lowered, "--data", "npz:" + data, "--epochs", len(record["losses"]), "--threads-per-device", 1,
                          "--init", first, "--save-weights", last)
    losses = [epoch["loss"] for epoch in report["epochs"]]
    count(apart(losses, record["losses"]) <= TOLERANCE,
          "%s, %s: losses %s, PyTorch's %s" % (family, strategy, losses, list(record["losses"])))
    saved = read_safetensors(last)
    # The change of each weight, which a missing gradient would leave at 0.
    worst = max((apart(saved.get(name, np.nan) - value, record["last." + name] - value), name)
                for name, value in weights.items())
    count(worst[0] <= 100 * TOLERANCE, "%s, %s: changes of weights at most %.1e from PyTorch's (%s)"
          % (family, strategy, *worst))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--families", default=",".join(sorted(name[:-4] for name in os.listdir(FOLDER))))
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    options = parser.parse_args()
    count = Counter()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(os.path.abspath(options.build), folder)
        for family in options.families.split(","):
            for strategy in options.strategies.split(","):
                try:
                    compare(tools, family, strategy, count)
                except (Failure, PlanError, OSError, KeyError) as failure:
                    count(False, "%s, %s: %s" % (family, strategy, failure))
    return count.status()


if __name__ == "__main__":
    sys.exit(main())
