#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far prices of hybrid plans are from their simulations: time and memory of plans drawn at random.

    bench/hybrid/prices.py BUILD [--plans 240] [--seed 0] [--json FILE]

Four layers of LLaMA, GPT, Mixtral and ViT on 4 to 64 H100, in plans with and without stages, interleaving, tensor and
sequence parallelism, context, ZeRO and recomputation. For each class of plans that has a margin
of its own (HybridPlan.cpp, maxOverPrice): how many need more than that, then the least, the median and the largest
simulated peak over its price, and the same of the time. A plan that is none of a model, or is not simulated, is left
out, and another one is drawn."""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import built  # noqa: E402
import search_bench  # noqa: E402

LLAMA = "layers=4,heads=16,kv-heads=8,head-width=128,mlp-width=8192,length=2048,vocabulary=32000"
MODELS = {
    "llama": ["--generate=llama", "--option=" + LLAMA],
    "gpt": ["--generate=gpt", "--option=layers=4,heads=16,head-width=64,length=1024"],
    "mixtral": ["--generate=mixtral", "--option=layers=4,heads=8,kv-heads=8,head-width=64,mlp-width=2048,length=1024"],
    "vit": ["--generate=vit", "--option=layers=4"],
}
TOPOLOGIES = {"h100-4": 4, "h100-1x8": 8, "h100-2x4": 8, "h100-2x8": 16, "h100-8x8": 64}
BATCH = 128


def draw(rng, model, devices):
    """A plan in the words of `plan=`."""
    stages, tensor = rng.choice([1, 1, 2, 4]), rng.choice([1, 1, 2, 4])
    parts = [f"stages={stages}", f"tensor={tensor}", f"samples={rng.choice([1, 2, 4])}", f"zero={rng.choice([0, 1, 3])}",
             f"recompute={rng.choice(['none', 'none', 'selective', 'whole'])}"]
    if stages == 2 and rng.random() < 0.4:
        parts.append("chunks=2")
    if tensor > 1 and rng.random() < 0.5:
        parts.append("sequence")
    if model == "llama" and rng.random() < 0.5:
        parts.append(f"context={rng.choice([2, 4])}")
    return ",".join(parts)


def kind_of(plan):
    if plan["context"] > 1:
        return "context"
    return "whole layers recomputed" if any(s["recompute"] == "whole" for s in plan["by_stage"]) else "other"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--plans", type=int, default=240)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json")
    options = parser.parse_args()
    translate, opt = built.programs(options.build, "soap-translate", "soap-opt")
    rng, rows, seen = random.Random(options.seed), [], set()
    with tempfile.TemporaryDirectory() as folder:
        steps, report = {}, os.path.join(folder, "report.json")
        for model, generate in MODELS.items():
            forward, step = (os.path.join(folder, model.replace(" ", "-") + name) for name in (".forward", ".mlir"))
            subprocess.run([translate, *generate, f"--batch={BATCH}", "-o", forward], check=True)
            subprocess.run([opt, forward, "--soap-build-training-step=optimizer=adamw precision=bf16", "-o", step], check=True)
            steps[model] = step
        for _ in range(20 * options.plans):
            if len(rows) == options.plans:
                break
            model, topology = rng.choice(list(MODELS)), rng.choice(list(TOPOLOGIES))
            plan = draw(rng, model, TOPOLOGIES[topology])
            if (model, topology, plan) in seen:
                continue
            seen.add((model, topology, plan))
            figures = []
            for more in ("", ",simulate"):
                done = subprocess.run([opt, steps[model], f"--soap-plan-hybrid=topology={topology} plan={plan}{more} "
                                       f"time-limit=20 summary=false report={report}", "-o", os.devnull],
                                      stderr=subprocess.PIPE, text=True)
                if done.returncode:
                    break
                figures.append(json.load(open(report))["best"])
            if len(figures) < 2 or not figures[1]["simulated_microbatches"]:
                continue
            priced, best = figures
            rows.append({"model": model, "topology": topology, "plan": plan, "kind": kind_of(best),
                         "memory": best["peak_bytes"] / best["priced_bytes"],
                         "margin": round(priced["max_bytes"] / priced["peak_bytes"], 3), "time": best["makespan_ns"] / best["priced_ns"]})
            search_bench.write(options.json, rows)
    print("| plans | may need, times the price | number | beyond | simulated peak over its price: least, median, most | "
          "time: least, median, most |")
    print("|---|---|---|---|---|---|")
    for kind in sorted({(row["margin"], row["kind"]) for row in rows}):
        own = [row for row in rows if (row["margin"], row["kind"]) == kind]
        beyond = sum(row["memory"] > row["margin"] for row in own)
        figures = (sorted(row[name] for row in own) for name in ("memory", "time"))
        print(f"| {kind[1]} | {kind[0]:.2f} | {len(own)} | {beyond} | "
              + " | ".join(f"{v[0]:.2f}, {v[len(v) // 2]:.2f}, {v[-1]:.2f}" for v in figures) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
