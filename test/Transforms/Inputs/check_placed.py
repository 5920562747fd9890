# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that programs of a placement take the simulated time, memory and bytes, and compute what one device does.

    check_placed.py SIMULATION PROGRAMS RUN [REPLICAS]

SIMULATION is the report of a strategy, PROGRAMS that of its programs, RUN that of a run beside one device. REPLICAS:
the devices that share stages, by group; otherwise some device has several stages of a pass.
"""
import json
import sys

simulation, programs, run = (json.load(open(path)) for path in sys.argv[1:4])
for key in ("makespan_ns", "bytes_moved"):
    assert simulation[key] == programs[key] > 0, (key, simulation[key], programs[key])
peaks = [[device["peak_bytes"] for device in report["devices"]] for report in (simulation, programs)]
assert peaks[0] == peaks[1], peaks
assert simulation["simulator"] == "task graph", simulation["simulator"]
sent = sum(map(sum, run["bytes_sent"]))
assert sent == simulation["bytes_moved"], (sent, simulation["bytes_moved"])
comparison = run["comparison"]
assert comparison["loss"] <= 1e-5 and comparison["weights"] <= 2e-5, comparison
groups = simulation["pipeline"]["groups"]
stages = simulation["pipeline"]["stages"]
if len(sys.argv) > 4:
    assert sorted(group["replicas"] for group in groups) == sorted(map(int, sys.argv[4].split(","))), groups
else:
    assert len({(s["device"], s["pass"]) for s in stages}) < len(stages), stages
assert max(stage["in_flight"] for stage in stages) > 0, stages
