#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines on the devices of this machine: simulated and measured time, bubble, memory, and the size of programs.

run.py BUILD [--networks a,b] [--microbatches 4,8] [--iterations N] [--topology T --profile P] [--json FILE]

Each row is a training step (SGD with momentum) on two or four devices of one core each. `one` is a device alone,
`data-parallel` the batch as a whole; the others have two stages: `gpipe`, `1f1b`, `interleaved` (two stages a device),
`1f1b+dp` and `1f1b+tp` (two devices a stage, data or tensor parallelism inside).
  sim ms, bubble   --soap-simulate; the bubble is the share of the iteration in which devices compute nothing
  peak, arena      MiB of the device that needs most: simulated, weights included; temporary memory of the program
  ms, busy         median over iterations of soap-run; share of it in which devices run ops, by the trace
  program          KiB of the partitioned module as text; s: processor time of --soap-lower-to-cpu
--topology and --profile are of soap-run --calibrate, for rows of two devices: then simulated times are this machine's.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402
from compile_bench import measure  # noqa: E402

NETWORKS = {
    "gpt 8x128": ("gpt", 16, "layers=8,heads=4,head-width=32,length=32,vocabulary=512"),
    "llama 4x64": ("llama", 16, "layers=4,heads=4,kv-heads=2,head-width=16,mlp-width=128,length=32,vocabulary=256"),
}
MiB = 1 << 20


def strategies(microbatches):
    yield "one", 1, ""
    yield "data-parallel", 2, "--soap-apply-strategy=preset=data-parallel topology=%s"
    for name, devices, options in (("gpipe", 2, "schedule=gpipe"), ("1f1b", 2, ""), ("interleaved", 2, "chunks=2"),
                                   ("1f1b+dp", 4, "inside=data-parallel"), ("1f1b+tp", 4, "inside=expert")):
        for count in microbatches:
            yield "%s, %d" % (name, count), devices, \
                "--soap-pipeline=topology=%s stages=2 microbatches=" + str(count) + " summary=false " + options


def read(path):
    with open(path) as stream:
        return json.load(stream)


def busy_share(path, devices):
    """Of the last iteration: time in ops other than messages, over devices times the iteration."""
    events = [e for e in read(path)["traceEvents"] if e.get("ph") == "X"]
    last = max(e["args"].get("iteration", 0) for e in events)
    events = [e for e in events if e["args"].get("iteration", 0) == last]
    begin, end = min(e["ts"] for e in events), max(e["ts"] + e["dur"] for e in events)
    return sum(e["dur"] for e in events if e["cat"] != "transfer") / (end - begin) / devices


def row(tools, folder, step, devices, strategy, options):
    path = lambda name: os.path.join(folder, name)  # noqa: E731
    topology = options.topology if options.topology and devices == 2 else "cpu-%d" % devices
    profile = " profile=" + options.profile if options.profile and devices == 2 else ""
    passes = [strategy % topology] if strategy else []
    subprocess.run([tools["soap-opt"], step, *passes, "--soap-simulate=topology=%s%s compare=none summary=false report=%s" %
                    (topology, profile, path("s.json")) if passes else "--canonicalize", "-o", path("p.mlir")], check=True)
    result = {}
    if passes:
        simulated = read(path("s.json"))
        result["simulated_ms"] = simulated["makespan_ns"] * 1e-6
        bubble = simulated.get("pipeline", {}).get("bubble")
        result["bubble"] = bubble if bubble is not None else \
            1 - simulated["compute_ns"] / simulated["makespan_ns"] / devices
        result["peak_mib"] = max(d["peak_bytes"] for d in simulated["devices"]) / MiB
        subprocess.run([tools["soap-opt"], path("p.mlir"), "--soap-partition", "-o", path("q.mlir")], check=True)
        result["program_kib"] = os.path.getsize(path("q.mlir")) / 1024
    else:
        os.replace(path("p.mlir"), path("q.mlir"))
    lower = [tools["soap-opt"], path("q.mlir"), "--soap-lower-to-cpu", "-o", path("l.mlir")]
    result["lowering_s"] = measure(lower)[0]["cpu"]
    subprocess.run([tools["soap-run"], path("l.mlir"), "--data=synthetic", "--iterations=%d" % options.iterations, "--quiet",
                    "--no-cache", "--threads-per-device=1", "--report", path("r.json"), "--trace", path("t.json")], check=True)
    run = read(path("r.json"))
    result["measured_ms"] = run["milliseconds_per_iteration"]["median"]
    result["arena_mib"] = max(run["arena_bytes"]) / MiB
    result["loss"] = run["epochs"][0]["loss"]
    result["busy"] = busy_share(path("t.json"), devices)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--microbatches", default="4,8")
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--topology")
    parser.add_argument("--profile")
    parser.add_argument("--json")
    options = parser.parse_args()
    tools = dict(zip(("soap-translate", "soap-opt", "soap-run"),
                     built.programs(options.build, "soap-translate", "soap-opt", "soap-run")))
    results = []
    print("| network | strategy | devices | sim ms | bubble | peak MiB | arena MiB | ms | busy | program KiB | s |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.networks.split(","):
            generator, batch, sizes = NETWORKS[name]
            step, losses = os.path.join(folder, "step.mlir"), []
            model = subprocess.run([tools["soap-translate"], "--generate=" + generator, "--batch=%d" % batch, "--option=" + sizes],
                                   check=True, stdout=subprocess.PIPE).stdout
            subprocess.run([tools["soap-opt"], "--soap-build-training-step=optimizer=sgd momentum=0.9", "-o", step], check=True, input=model)
            for strategy, devices, passes in strategies([int(count) for count in options.microbatches.split(",")]):
                result = row(tools, folder, step, devices, passes, options)
                results.append(dict(result, network=name, strategy=strategy, devices=devices))
                losses.append(result["loss"])
                form = lambda key, text="%.3f": text % result[key] if key in result else "-"  # noqa: E731
                print("| %s | %s | %d | %s | %s | %s | %s | %s | %s | %s | %s |" % (
                    name, strategy, devices, form("simulated_ms"), form("bubble", "%.2f"), form("peak_mib", "%.2f"),
                    form("arena_mib", "%.2f"), form("measured_ms"), form("busy", "%.2f"), form("program_kib", "%.0f"),
                    form("lowering_s", "%.2f")), flush=True)
                if options.json:
                    with open(options.json, "w") as stream:
                        json.dump(results, stream, indent=1)
            spread = max(losses) - min(losses)
            print("%s: losses within %.1e of each other" % (name, spread / abs(statistics.median(losses))), file=sys.stderr)
            if spread > 1e-4 * abs(statistics.median(losses)):
                sys.exit("losses differ: %s" % losses)


if __name__ == "__main__":
    main()
