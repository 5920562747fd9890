# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the report and the trace of a simulation (arguments: both files): what has to agree does, and is not empty."""

import json
import sys

with open(sys.argv[1]) as stream:
    report = json.load(stream)
with open(sys.argv[2]) as stream:
    trace = json.load(stream)["traceEvents"]

makespan = report["makespan_ns"]
assert makespan > 0 and report["tasks"] > 0
assert report["speedup_over"]["data-parallel"] == 1 and report["presets_ns"]["data-parallel"] == makespan
assert abs(report["speedup_over"]["expert"] * makespan - report["presets_ns"]["expert"]) < 1

# The path leads from the start to the end without a gap, and its sums by op are the whole of it.
path = report["critical_path"]
assert path[0]["start_ns"] == 0 and path[-1]["end_ns"] == makespan
assert all(a["end_ns"] == b["start_ns"] for a, b in zip(path, path[1:]))
assert sum(share["ns"] for share in report["critical_path_by_op"]) == makespan
assert all(0 <= stretch["queued_ns"] and stretch["tasks"] > 0 for stretch in path)

devices = report["devices"]
for key in ("compute_ns", "movement_ns", "communication_ns", "exposed_communication_ns"):
    assert report[key] == sum(device[key] for device in devices), key
assert report["compute_ns"] > 0 and report["exposed_communication_ns"] > 0
for device in devices:
    assert device["busy_ns"] >= device["compute_ns"] + device["movement_ns"]
    # It computes, or waits, or both are over.
    assert device["exposed_communication_ns"] + device["compute_ns"] + device["movement_ns"] <= makespan
    assert 0 < device["peak_bytes"] <= device["memory_bytes"]

kinds = report["bytes_by_kind"]
# Between pairs of devices, most of it in collectives; machines are devices 0 and 1, 2 and 3.
between = report["bytes_between"]
moved = sum(map(sum, between))
assert moved >= report["bytes_in_collectives"] > 0
across = sum(between[a][b] for a in range(4) for b in range(4) if a // 2 != b // 2)
assert abs(across - report["bytes_between_machines"]) < 0.01 * moved, (across, report["bytes_between_machines"])
assert sum(kinds.values()) == moved == report["bytes_moved"] > 0
assert kinds["weight_gradients"] > 0.9 * moved and kinds["activation_gradients"] == 0
assert 0 < report["bytes_between_machines"] < moved

# A memory counter per device, whose largest value is the peak; times that do not go back.
for device in devices:
    points = [event for event in trace if event["ph"] == "C" and event["name"] == "memory of " + device["name"]]
    assert max(event["args"]["bytes"] for event in points) == device["peak_bytes"]
    assert len(points) > 10 and points[0]["ts"] == 0
    assert all(a["ts"] < b["ts"] for a, b in zip(points, points[1:]))
    assert points[-1]["ts"] <= makespan / 1000
links = [event for event in trace if event["ph"] == "X" and event["pid"] == 1]
assert links and sum(link["bytes"] for link in report["links"]) >= moved
