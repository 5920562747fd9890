# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""small_memory.py TOPOLOGY.json KEPT.json RECOMPUTED.json SMALL.json TINY.json

From a topology, and reports of --soap-simulate without and with recomputation: the topology with a memory that lies
between the two peaks, and with one that is too small for both.
"""
import json
import sys

topology = json.load(open(sys.argv[1]))
kept, again = (json.load(open(name))["devices"][0]["peak_bytes"] for name in sys.argv[2:4])
for name, memory in zip(sys.argv[4:], ((kept + again) // 2, again // 2)):
    for kind in topology["device_types"]:
        kind["memory_bytes"] = memory
    with open(name, "w") as stream:
        json.dump(topology, stream)
