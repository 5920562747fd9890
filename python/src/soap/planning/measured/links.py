# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links of a topology: those between machines, and those between two GPUs of one."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from ..errors import PlanError

#: Bytes a second of one NVLink in one direction, by the device types that have them (data sheets).
NVLINK = {"p100": 20e9, "v100": 25e9, "a100": 25e9, "h20": 25e9, "h100": 25e9, "h200": 25e9, "b200": 50e9, "b300": 50e9,
          "gb200": 50e9, "gb300": 50e9}  # fmt: skip
#: PCIe 5 with 16 lanes: no pair that is connected by PCIe has more.
PCIE = 64e9


class Links:
    """Of a topology file."""

    def __init__(self, topology: dict[str, Any]) -> None:
        self.topology = topology
        self.neighbours: dict[str, dict[str, float]] = defaultdict(dict)
        for link in topology["links"]:
            ends = [(link["from"], link["to"])] + [(link["to"], link["from"])] * bool(link.get("bidirectional"))
            for a, b in ends:
                self.neighbours[a][b] = max(self.neighbours[a].get(b, 0), link["bandwidth_bytes_per_s"])
        self.between = self._between()

    def device_bandwidth(self) -> float:
        """Of the fastest link of the first device."""
        return max(self.neighbours[self.topology["devices"][0]["name"]].values())

    def _between(self) -> set[str]:
        """Switches that several machines are on."""
        machine = {device["name"]: device.get("machine", "") for device in self.topology["devices"]}
        between: set[str] = set()
        frontier = list(machine)
        while frontier:
            reached: dict[str, set[str]] = defaultdict(set)
            for vertex in frontier:
                for other in self.neighbours[vertex]:
                    if other not in machine and other not in between:
                        reached[other].add(machine[vertex])
            frontier = []
            for switch, machines in reached.items():
                if len(machines) > 1:
                    between.add(switch)
                else:
                    machine[switch] = machines.pop()
                    frontier.append(switch)
        return between

    def scaled(self, bandwidth: float, latency: float) -> str:
        """The file with links between machines that have so many times the bandwidth and the latency."""
        links = []
        for link in self.topology["links"]:
            if link["from"] in self.between or link["to"] in self.between:
                link = {**link, "bandwidth_bytes_per_s": link["bandwidth_bytes_per_s"] * bandwidth,
                        "latency_s": link["latency_s"] * latency}  # fmt: skip
            links.append(link)
        return json.dumps({**self.topology, "links": links})

    def pair_bandwidth(self, a: str, b: str) -> float:
        """Of the best route with the fewest hops."""
        best = {a: float("inf")}
        while b not in best:
            ahead: dict[str, float] = {}
            for vertex, so_far in best.items():
                for other, link in self.neighbours[vertex].items():
                    if other not in best:
                        ahead[other] = max(ahead.get(other, 0), min(so_far, link))
            if not ahead:
                return 0
            best = {**best, **ahead}
        return best[b]


def check_pairs(topology: dict[str, Any], pairs: dict[tuple[int, int], str], where: str) -> str:
    """A note, if the first machine is connected as `nvidia-smi topo -m` says."""
    links, devices = Links(topology), topology["devices"]
    inside = [device for device in devices if device.get("machine") == devices[0].get("machine")]
    count = 1 + max(a for a, _ in pairs)
    if count != len(inside):
        raise PlanError(f"--measured {where}: {count} GPUs, a machine of the cluster has {len(inside)}")
    each = NVLINK.get(inside[0]["type"].split("-")[0], 0.0)
    for (a, b), link in sorted(pairs.items()):
        priced = links.pair_bandwidth(inside[a]["name"], inside[b]["name"])
        if link.startswith("NV"):
            measured = int(link[2:]) * each
            holds = each > 0 and 0.9 < priced / measured < 1.1
            words = f"{measured / 1e9:.0f} GB/s of NVLink" if each else "NVLink, of which this device type has none"
        else:
            holds, words = priced <= PCIE, "PCIe"
        if not holds:
            raise PlanError(f"--measured {where}: GPU{a} and GPU{b} are connected by {link} ({words}), in the cluster by "
                            f"{priced / 1e9:.0f} GB/s; expected the cluster's file with such links "
                            "(soap-translate --describe-topology=NAME --topology-as=json)")  # fmt: skip
    return f"measured: the {count} GPUs of a machine are connected as in the cluster"
