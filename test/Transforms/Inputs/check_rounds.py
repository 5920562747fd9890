# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_rounds.py REPORT [REPLICAS]: a pipeline of rounds goes at the pace of its greatest load."""
import json
import sys

report = json.load(open(sys.argv[1]))["pipeline"]
assert abs(report["steady_ns"] - report["load_ns"]) <= 0.01 * report["load_ns"], report
devices = [group["device"] for group in report["groups"]]
stages = report["stages"]
assert sorted({stage["device"] for stage in stages}) == sorted(devices), report
assert {stage["pass"] for stage in stages} == {"forward", "backward"}
for group in report["groups"]:
    assert group["peak_bytes"] > group["weight_bytes"] >= 0, group
work = {device: sum(s["ns"] for s in stages if s["device"] == device) for device in devices}
loads = [work[group["device"]] / group["replicas"] for group in report["groups"]]
assert max(loads) <= report["load_ns"] + 1, (loads, report["load_ns"])
if len(sys.argv) > 2:
    assert sum(group["replicas"] for group in report["groups"]) == int(sys.argv[2]), report["groups"]
    assert max(group["replicas"] for group in report["groups"]) > 1
else:  # devices have several stages of a pass
    assert len(stages) > 2 * len(devices), report
