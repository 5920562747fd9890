# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_hybrid.py SHARE[,LESS] PLAN SIMULATED ...: reports of soap-plan-hybrid beside reports of soap-simulate on the
strategy that was written: times within SHARE, such as 0.05, memory at most LESS (0.03) less and 20 % more."""
import json
import sys

share, less = map(float, (sys.argv[1] + ",0.03").split(",")[:2])
for plan, simulated in zip(sys.argv[2::2], sys.argv[3::2]):
    best, whole = json.load(open(plan))["best"], json.load(open(simulated))
    time = best["makespan_ns"] / whole["makespan_ns"]
    memory = best["peak_bytes"] / max(device["peak_bytes"] for device in whole["devices"])
    print(f"{best['plan']}: time {time:.3f}, memory {memory:.3f} of the simulated")
    assert abs(time - 1) < share and 1 - less < memory < 1.2, (time, memory)
