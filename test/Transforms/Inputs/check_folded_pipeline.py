# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the report of a folded pipeline with that of the one that is written out.

    check_folded_pipeline.py FOLDED WRITTEN

A device of the folded report stands for the corresponding one of every replica of its stage.
"""
import json
import sys


def number(name):
    return int(name.removeprefix("gpu"))


folded, written = (json.load(open(path)) for path in sys.argv[1:])
for key in ("makespan_ns", "compute_ns", "movement_ns", "exposed_communication_ns", "bytes_moved",
            "bytes_between_machines", "bytes_by_kind"):
    assert folded[key] == written[key], (key, folded[key], written[key])
mine, its = folded["pipeline"], written["pipeline"]
assert (mine["schedule"], mine["microbatches"]) == (its["schedule"], its["microbatches"])
assert abs(mine["bubble"] - its["bubble"]) < 1e-9, (mine["bubble"], its["bubble"])
assert mine["stages"] == its["stages"], (mine["stages"], its["stages"])
simulated = {entry["first"]: entry for entry in folded["device_classes"]}
assert mine["passes"] == [p for p in its["passes"] if p["device"] in simulated]
# All replicas have the same passes.
replicas, group = folded["folded"]["replicas"], len(mine["stages"][0]["devices"])
unit = group // replicas
assert len(simulated) * replicas == folded["folded"]["unfolded_devices"] == len(written["devices"])
passes = {}
for entry in its["passes"]:
    passes.setdefault(entry["device"], []).append({k: v for k, v in entry.items() if k != "device"})
for device in written["devices"]:
    name = device["name"]
    first = f"gpu{number(name) // group * group + number(name) % unit}"
    assert passes[name] == passes[first], (name, first)
    assert device["peak_bytes"] <= simulated[first]["peak_bytes"], (name, device["peak_bytes"])
    if name == first:
        for key in ("peak_bytes", "compute_ns", "movement_ns", "exposed_communication_ns"):
            assert device[key] == simulated[name][key], (name, key)
