#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans for large models on clusters: what soap-plan-hybrid finds in a time, beside everything that can be said.

    bench/hybrid/run.py BUILD [--cases llama-70b@h100-8x8,...] [--seconds 10] [--json FILE]

A case is a model, a cluster and a batch; the step is built with 64 samples, AdamW and bf16. Columns: the plan found in
--seconds; its time for an iteration, and the model's FLOPs a second on each device; the time of the best of all shapes
(exhaustive=true, no limit) over it; and of the best there of three kinds: Megatron's (any stages, tensor parallelism,
replicas, microbatches, sequence parallelism, recomputation, ZeRO 0 and 1, not interleaved), FSDP (all devices replicas,
ZeRO-3), ZeRO (all devices replicas, ZeRO-1); then what the whole command took: generation, training step and search.
Ratios are of prices; above 1: slower than what was found; "-": none fits.
"""

import argparse
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import built  # noqa: E402
import search_bench  # noqa: E402

CASES = {
    "llama-70b@h100-8x8": (["--generate=llama", "--option=preset=70b", "--option=length=4096"], 1024),
    "llama-70b@h100-32x8": (["--generate=llama", "--option=preset=70b", "--option=length=4096"], 1024),
    "llama-70b@h100-128x8": (["--generate=llama", "--option=preset=70b", "--option=length=4096"], 1024),
    "llama-8b@h100-8x8": (["--generate=llama", "--option=preset=8b", "--option=length=4096"], 1024),
    "mixtral-8x7b@h100-8x8": (["--generate=mixtral", "--option=preset=8x7b"], 1024),
    "gpt3-175b@a100-128x8": (["--generate=gpt3", "--option=preset=175b"], 1536),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--json")
    options = parser.parse_args()
    translate, opt = built.programs(options.build, "soap-translate", "soap-opt")
    rows = []
    print("| case | plan | ms | TFLOP/s a device | all | Megatron | FSDP | ZeRO | processor s | memory, GB |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        forward, step, report = (os.path.join(folder, name) for name in ("forward.mlir", "step.mlir", "report.json"))
        for case in options.cases.split(","):
            generate, batch = CASES[case]
            topology = case.split("@")[1]
            costs = [search_bench.timed([translate, *generate, "--batch=64", "-o", forward]),
                     search_bench.timed([opt, forward, "--soap-build-training-step=optimizer=adamw precision=bf16", "-o", step])]

            def search(more):
                used = search_bench.timed([opt, step, f"--soap-plan-hybrid=topology={topology} batch={batch} report={report} "
                              f"summary=false {more}", "-o", os.devnull])
                return used, json.load(open(report))

            used, found = search(f"time-limit={options.seconds:g}")
            costs.append(used)
            everything = search("time-limit=0 exhaustive=true")[1]
            best = found["best"]

            def ratio(kind):
                times = [plan["makespan_ns"] for plan in everything["all"] if plan["excess_bytes"] == 0 and kind(plan)]
                return min(times) / best["priced_ns"] if times else None

            ratios = {
                "all": ratio(lambda plan: True),
                "megatron": ratio(lambda plan: plan["zero"] <= 1 and plan["chunks"] == 1),
                "fsdp": ratio(lambda plan: plan["zero"] == 3 and plan["data"] == found["devices"]),
                "zero": ratio(lambda plan: plan["zero"] == 1 and plan["data"] == found["devices"]),
            }
            row = {"case": case, "batch": batch, "best": best, "complete": found["complete"], "seconds": found["seconds"],
                   "shapes": found["shapes"], "priced": found["priced"], "ratios": ratios,
                   "processor_s": sum(cost[0] for cost in costs), "memory_gb": max(cost[1] for cost in costs)}
            rows.append(row)
            text = {name: "-" if value is None else f"{value:.3f}" for name, value in ratios.items()}
            print(f"| {case} | {best['plan']}{'' if best['excess_bytes'] == 0 else ' (does not fit)'} | "
                  f"{best['makespan_ns'] * 1e-6:,.0f} | {best['flops_per_device_per_second'] * 1e-12:.0f} | "
                  f"{text['all']} | {text['megatron']} | {text['fsdp']} | {text['zero']} | {row['processor_s']:.1f} | "
                  f"{row['memory_gb']:.2f} |", flush=True)
            search_bench.write(options.json, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
