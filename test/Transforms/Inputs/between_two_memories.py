# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""between_two_memories.py TOPOLOGY.json FIRST.json SECOND.json OUT.json

From a topology, and reports of --soap-simulate of two strategies: the topology with a memory that lies between their
peaks."""
import json
import sys

topology = json.load(open(sys.argv[1]))
peaks = [max(device["peak_bytes"] for device in json.load(open(name))["devices"]) for name in sys.argv[2:4]]
assert peaks[0] != peaks[1], peaks
for kind in topology["device_types"]:
    kind["memory_bytes"] = sum(peaks) // 2
with open(sys.argv[4], "w") as stream:
    json.dump(topology, stream)
