#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time from a strategy to GPU programs, and size of the artifact: built-in networks on 1, 4 and 64 devices.

    bench/gpu-lowering/run.py BUILD [--networks resnet-101,nmt,gpt] [--devices 1,4,64]
                              [--strategies data-parallel,expert,searched]
                                    [--proposals 300] [--runs 1] [--format isa] [--json FILE]

Prints a table and, with --json, writes the numbers after every row. "lower" is one process: soap-opt from a training
step with its strategy through --soap-partition and --soap-lower-to-cuda (kernels for the GPU only) to lowered IR as
text; "partition" and the slowest passes are from its -mlir-timing. "artifact" is soap-translate --emit-artifact: the
file holds no weights, but the rules that they start from. Programs are the functions that devices share. On a busy
machine the processor time (cpu) says more than the clock (wall).
"""

import argparse
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402
from compile_bench import measure, passes, summary  # noqa: E402

TOPOLOGIES = {1: "h100-1x1", 4: "h100-1x4", 8: "h100-1x8", 16: "h100-2x8", 64: "h100-8x8"}
# Samples per device, and options that keep the model's size.
NETWORKS = {"lenet": 16, "alexnet": 16, "resnet-101": 16, "inception-v3": 16, "vgg16": 16, "rnnlm": 16, "nmt": 16, "gpt": 2}


def bench(network, devices, strategy, options, folder):
    tool = lambda name: os.path.join(options.build, "bin", name)
    model, step, lowered, artifact = (os.path.join(folder, name) for name in ("m.mlir", "s.mlir", "l.mlir", "m.soapx"))
    measure([tool("soap-translate"), "--generate=" + network, "--batch=%d" % (NETWORKS[network] * devices), "-o", model])
    choose = "--soap-apply-strategy=preset=%s topology=%s" % (strategy, TOPOLOGIES[devices])
    if strategy == "searched":
        choose = "--soap-auto-parallel=proposals=%d seed=1 topology=%s" % (options.proposals, TOPOLOGIES[devices])
    measure([tool("soap-opt"), model, "--soap-build-training-step", choose, "-o", step])
    samples, report = [], ""
    for _ in range(options.runs):
        sample, done = measure([tool("soap-opt"), step, "--soap-partition", "--soap-lower-to-cuda=format=%s host-references=false" % options.format,
                                "-mlir-timing", "-mlir-timing-display=list", "-o", lowered])
        samples.append(sample)
        report = done.stderr.decode(errors="replace")
    row = {"network": network, "devices": devices, "strategy": strategy, "lower": summary(samples), "passes": passes(report)}
    row["lowered_bytes"] = os.path.getsize(lowered)
    row["programs"] = sum(1 for line in open(lowered, errors="replace") if re.match(r"\s*llvm.func @train_step__", line))
    sample, _ = measure([tool("soap-translate"), "--emit-artifact", lowered, "-o", artifact])
    row["artifact"] = summary([sample])
    row["artifact_bytes"] = os.path.getsize(artifact)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--networks", default="resnet-101,nmt,gpt")
    parser.add_argument("--devices", default="1,4,64")
    parser.add_argument("--strategies", default="data-parallel,expert")
    parser.add_argument("--proposals", type=int, default=300, help="of the searched strategy")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--format", default="isa", help="isa (PTX) or bin (cubin, with ptxas)")
    parser.add_argument("--json", help="write the numbers here")
    options = parser.parse_args()
    built.programs(options.build, "soap-translate", "soap-opt")
    unknown = [name for name in options.networks.split(",") if name not in NETWORKS]
    unknown += [count for count in options.devices.split(",") if int(count) not in TOPOLOGIES]
    if unknown:
        parser.error("unknown: %s; expected networks of %s and devices of %s" % (
            ", ".join(unknown), ", ".join(NETWORKS), ", ".join(map(str, TOPOLOGIES))))
    rows = []
    print("%-12s %7s %-14s %8s %9s %9s %10s %9s %12s" % ("network", "devices", "strategy", "programs", "lower s", "cpu s",
                                                        "partition s", "emit s", "artifact MB"))
    for network in options.networks.split(","):
        for devices in map(int, options.devices.split(",")):
            for strategy in options.strategies.split(",") if devices > 1 else ["single"]:
                with tempfile.TemporaryDirectory() as folder:
                    row = bench(network, devices, strategy, options, folder)
                rows.append(row)
                partition = sum(seconds for name, seconds in row["passes"].items() if "artition" in name)
                print("%-12s %7d %-14s %8d %9.1f %9.1f %10.1f %9.1f %12.2f" % (
                    network, devices, strategy, row["programs"], row["lower"]["wall"]["median"], row["lower"]["cpu"]["median"],
                    partition, row["artifact"]["wall"]["median"], row["artifact_bytes"] / 1e6), flush=True)
                if options.json:
                    with open(options.json, "w") as stream:
                        json.dump({"version": 1, "rows": rows}, stream, indent=1)
                        stream.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
