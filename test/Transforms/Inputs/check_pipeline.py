# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_pipeline.py REPORT SOLUTION: the simulated pace is the predicted greatest load."""
import json
import sys

report = json.load(open(sys.argv[1]))["pipeline"]
solution = json.load(open(sys.argv[2]))
assert solution["optimal"], solution
predicted = solution["max_load"] * 1e6
ops = max(len(device["nodes"]) for device in solution["devices"])
assert abs(report["load_ns"] - predicted) <= ops, (report["load_ns"], predicted)
# Stages of nearly the same load take many microbatches to settle.
assert abs(report["steady_ns"] - report["load_ns"]) <= 0.01 * report["load_ns"], report
assert len(report["stages"]) == 4
for stage in report["stages"]:
    assert stage["peak_bytes"] == stage["weight_bytes"] + stage["in_flight"] * stage["activation_bytes"], stage
