# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_host_memory.py STEP.mlir HOST.mlir PLAIN.json HOST.json
check_host_memory.py --same WHOLE.json PARTS.json PLAIN-PARTS.json
check_host_memory.py --small TOPOLOGY.json PLAN.json SMALL.json [FACTOR]

Reports of --soap-simulate of a step whose optimizer states are in the memory of the host, beside reports of the same
step without: all moments are there, devices hold less by their bytes, and the table's rows are the reports.
--same: the report of programs beside the one of their plan, and of programs without. --small: the topology with
devices that hold just what the plan with states in the memory of the host needs, or FACTOR times that.
"""
import json
import re
import sys

widths = {"f32": 4, "i32": 4}


def arguments(path):
    """Attributes and bytes of the arguments of @train_step by name."""
    text = open(path).read()
    start = text.index("@train_step(")
    signature = text[start : text.index(") -> (", start)]
    result = {}
    for shape, attributes in re.findall(r"%\w+: tensor<([^>]*)> \{(.*?)\}(?=, %|$)", signature):
        *dims, dtype = shape.split("x")
        size = widths[dtype]
        for dim in dims:
            size *= int(dim)
        name = re.search(r'soap.name = "([^"]*)"', attributes)
        if name:
            result[name.group(1)] = (attributes, size)
    return result


def load(path):
    return json.load(open(path))


def check(step, host, plain, report):
    before, after = arguments(step), arguments(host)
    assert before.keys() == after.keys()
    states = [name for name in after if re.search(r"\.(m|v)$", name)]
    in_host = [name for name, (attributes, _) in after.items() if 'soap.memory = "host"' in attributes]
    assert states and sorted(states) == sorted(in_host), (states, in_host)
    size = sum(after[name][1] for name in states)
    plain, report = load(plain), load(report)
    held = sum(device["host_bytes"] for device in report["devices"])
    # Updates of vectors may be on several devices.
    assert size <= held <= 1.2 * size, (size, held)
    for one, other in zip(plain["devices"], report["devices"]):
        assert "host_bytes" not in one
        # States are live throughout.
        assert one["peak_bytes"] - other["peak_bytes"] == other["host_bytes"], (one, other)
    rows = {row["name"]: row for row in report["compared"]}
    for name, of in (("this strategy", report), ("zero(offload)", report), ("zero", plain)):
        assert rows[name]["makespan_ns"] == of["makespan_ns"], name
        assert rows[name]["peak_bytes"] == max(device["peak_bytes"] for device in of["devices"]), name
    # The busiest device reads and writes its states over a link of 50 GB/s.
    least = max(device["host_bytes"] for device in report["devices"]) * 2 / 50
    assert report["makespan_ns"] > plain["makespan_ns"]
    assert max(device["compute_ns"] for device in report["devices"]) > least
    print("states in host memory:", len(states))


def same(whole, parts, plain):
    whole, parts, plain = load(whole), load(parts), load(plain)
    assert whole["makespan_ns"] == parts["makespan_ns"], (whole["makespan_ns"], parts["makespan_ns"])
    for one, other, without in zip(whole["devices"], parts["devices"], plain["devices"], strict=True):
        for key in ("compute_ns", "movement_ns"):
            assert one[key] == other[key], (key, one, other)
        assert without["peak_bytes"] - other["peak_bytes"] == one["host_bytes"], (one, other, without)
    print(len(parts["devices"]), "devices have the same times, and less memory by their states")


def small(topology, plan, out, factor=1):
    topology, plan = load(topology), load(plan)
    for kind in topology["device_types"]:
        kind["memory_bytes"] = int(plan["peak_bytes"] * float(factor))
    json.dump(topology, open(out, "w"))


if sys.argv[1] == "--same":
    same(*sys.argv[2:])
elif sys.argv[1] == "--small":
    small(*sys.argv[2:])
else:
    check(*sys.argv[1:])
