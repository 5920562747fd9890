#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Long sequences: simulated time, memory and bytes of tensor parallelism and of context parallelism.

    run.py BUILD [--lengths 8192,32768] [--model llama] [--options layers=2] [--json FILE]

Prints the rows of the table of docs/ContextParallelism.md.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from built import programs

# Recomputed blocks, strategy.
ROWS = [
    (None, "megatron(tp=8,sp)"),
    ("whole", "megatron(tp=8,sp)"),
    (None, "context(cp=8,zero)"),
    (None, "context(cp=8,zigzag,zero)"),
    ("whole", "context(cp=8,zigzag,zero)"),
    (None, "context(cp=4,zigzag,tp=2,zero)"),
]


def simulate(soap_opt, step, row, topology, report):
    recomputed, strategy = row
    passes = ["--soap-apply-strategy=preset=%s topology=%s" % (strategy, topology)]
    if recomputed:
        passes.append("--soap-recompute=blocks=" + recomputed)
    passes.append("--soap-simulate=compare=none summary=false report=" + report)
    done = subprocess.run([soap_opt, step, *passes, "-o", os.devnull], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit("%s: %s" % (strategy, done.stdout[-2000:]))
    with open(report) as stream:
        found = json.load(stream)
    kinds = found["bytes_by_kind"]
    return {"recomputed": recomputed, "strategy": strategy, "ms": found["makespan_ns"] / 1e6,
            "peak_gib": max(device["peak_bytes"] for device in found["devices"]) / 2**30,
            "sent_gib": (kinds["activations"] + kinds["activation_gradients"]) / 2**30}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--lengths", default="8192,32768,131072")
    parser.add_argument("--model", default="llama")
    parser.add_argument("--options", default="", help="more options of --generate, as layers=2")
    parser.add_argument("--topology", default="h100-1x8")
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()
    translate, soap_opt = programs(options.build, "soap-translate", "soap-opt")
    results = []
    print("| length | strategy | ms | peak, GiB | sent, GiB |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        forward, step, report = (os.path.join(folder, name) for name in ("forward.mlir", "step.mlir", "report.json"))
        for length in map(int, options.lengths.split(",")):
            chosen = ["--option=length=%d" % length] + (["--option=" + options.options] if options.options else [])
            subprocess.run([translate, "--generate=" + options.model, "--batch=1", *chosen, "-o", forward], check=True)
            subprocess.run([soap_opt, forward, "--soap-build-training-step=precision=bf16 optimizer=adam", "-o", step], check=True,
                           stderr=subprocess.DEVNULL)
            for row in ROWS:
                found = dict(simulate(soap_opt, step, row, options.topology, report), length=length)
                results.append(found)
                print("| {length:,} | `{strategy}`{again} | {ms:,.0f} | {peak_gib:,.1f} | {sent_gib:,.1f} |".format(
                    again=", recomputed" if found["recomputed"] else "", **found), flush=True)
    if options.json:
        with open(options.json, "w") as stream:
            json.dump({"topology": options.topology, "model": options.model, "rows": results}, stream, indent=1)
            stream.write("\n")


if __name__ == "__main__":
    main()
