# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_hybrid.py PLAN SIMULATED ...: reports of soap-plan-hybrid beside reports of soap-simulate on the strategy that
was written: times within 5 %, memory within 15 %."""
import json
import sys

for plan, simulated in zip(sys.argv[1::2], sys.argv[2::2]):
    best, whole = json.load(open(plan))["best"], json.load(open(simulated))
    time = best["makespan_ns"] / whole["makespan_ns"]
    memory = best["peak_bytes"] / max(device["peak_bytes"] for device in whole["devices"])
    print(f"{best['plan']}: time {time:.3f}, memory {memory:.3f} of the simulated")
    assert 0.95 < time < 1.05 and 0.85 < memory < 1.15, (time, memory)
