# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""vary_links.py TOPOLOGY.json BANDWIDTH LATENCY MEMORY OUT.json: the topology with these factors on the bandwidth and
the latency of links to switches that are in no machine, and on the memory of devices."""
import json
import sys

topology = json.load(open(sys.argv[1]))
bandwidth, latency, memory = map(float, sys.argv[2:5])
between = {switch["name"] for switch in topology["switches"] if "." not in switch["name"]}
for link in topology["links"]:
    if {link["from"], link["to"]} & between:
        link["bandwidth_bytes_per_s"] *= bandwidth
        link["latency_s"] *= latency
for kind in topology["device_types"]:
    kind["memory_bytes"] = int(kind["memory_bytes"] * memory)
with open(sys.argv[5], "w") as stream:
    json.dump(topology, stream)
