# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A topology of eight devices that are so slow that plans of small programs cut them."""
import json
import os

DEVICES = 8


def slow_devices(folder, machines=1):
    """Writes a topology file, and returns its path: devices of 100 Mflop/s, a link between each two."""
    names = [f"core {i}" for i in range(DEVICES)]
    kind = {"name": "core", "memory_bytes": 1 << 34, "memory_bandwidth_bytes_per_s": 1e9, "flops_per_s": {"f32": 1e8},
            "launch_s": 1e-6, "copies_occupy_receiver": True}  # fmt: skip
    links = [{"from": a, "to": b, "bandwidth_bytes_per_s": 8e9, "latency_s": 1e-6} for a in names for b in names if a != b]
    devices = [{"name": name, "type": "core", "machine": f"host {i * machines // DEVICES}"} for i, name in enumerate(names)]
    name = f"slow-{machines}x{DEVICES // machines}"
    path = os.path.join(folder, f"{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"version": 1, "name": name, "device_types": [kind], "devices": devices, "links": links}, file)
    return path
