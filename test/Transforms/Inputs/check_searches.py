# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_searches.py FOLDER MARGIN PASS OPTIONS TOPOLOGY.json STEP.mlir... -- FACTOR...: the search PASS of every step,
on the topology with its memory times every factor; the steps move and hold fewer bytes from step to step, and the
factors grow. No plan takes longer than MARGIN times one that was found with less memory, or for a step with more bytes;
where one fits, one fits with more memory and with fewer bytes."""
import json
import os
import subprocess
import sys

folder, margin, name, options, topology_file, *rest = sys.argv[1:]
steps, factors = rest[:rest.index("--")], [float(factor) for factor in rest[rest.index("--") + 1:]]
assert factors == sorted(factors)


def search(step, factor):
    """The time of the best plan; infinite if none fits."""
    topology = json.load(open(topology_file))
    for kind in topology["device_types"]:
        kind["memory_bytes"] = int(kind["memory_bytes"] * factor)
    file, report = os.path.join(folder, "memory.json"), os.path.join(folder, "report.json")
    json.dump(topology, open(file, "w"))
    done = subprocess.run(["soap-opt", step, f"--{name}=topology={file} {options} summary=false report={report}", "-o", os.devnull],
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        assert "does not fit" in done.stderr or "no strategy was found that holds" in done.stderr, done.stderr
        return float("inf")
    found = json.load(open(report))
    return found["best_makespan_ns"] if found["excess_bytes"] == 0 else float("inf")


times = [[search(step, factor) for factor in factors] for step in steps]
for row in times:
    print(*row)
for row in times:
    for more in range(1, len(factors)):
        assert row[more] <= float(margin) * min(row[:more]), ("more memory", row)
for fewer in range(1, len(steps)):
    for at in range(len(factors)):
        assert times[fewer][at] <= float(margin) * times[fewer - 1][at], ("fewer bytes", steps[fewer], factors[at])
assert len(set(sum(times, []))) > len(steps), "memory and bytes change nothing"
