# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machines to plan for: a built-in topology or a topology file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .errors import PlanError
from .tools import Tools


@dataclass(frozen=True)
class Cluster:
    name: str  # as the option `topology` takes it
    devices: int
    machines: int
    device: str
    memory_bytes: int
    #: The dense peak in bf16, the base of MFU; of a device without bf16 in the type that it has.
    peak_flops: float
    title: str = ""  # as it is printed
    peak_type: str = "bf16"

    @property
    def per_machine(self) -> int:
        return self.devices // self.machines

    def in_words(self) -> str:
        machines = "1 machine" if self.machines == 1 else f"{self.machines} machines"
        return (f"{self.title or self.name}: {self.devices} x {self.device} in {machines}, "
                f"{self.memory_bytes / 1e9:.0f} GB and {_rounded(self.peak_flops / 1e12)} TFLOP/s ({self.peak_type}) a device")  # fmt: skip


def find_cluster(tools: Tools, name: str) -> Cluster:
    try:
        topology = tools.topology(name)
    except PlanError as error:
        raise PlanError(f"--cluster {name}: " + str(error).removeprefix("--describe-topology: ")) from None
    types = {entry["name"]: entry for entry in topology["device_types"]}
    devices = topology["devices"]
    machines = Counter(device.get("machine", "") for device in devices)
    used = [types[device] for device in dict.fromkeys(device["type"] for device in devices)]
    # Devices of several types count as the slowest one, as in hybrid plans.
    slowest = min(used, key=_peak)
    return Cluster(name=name, devices=len(devices), machines=len(machines), device=slowest["name"],
                   memory_bytes=min(entry["memory_bytes"] for entry in used), peak_flops=_peak(slowest), peak_type=_peak_type(slowest),
                   title=topology["name"])  # fmt: skip


def _peak_type(entry: dict) -> str:
    return next(name for name in ("bf16", "f16", "f32") if name in entry["flops_per_s"])


def _peak(entry: dict) -> float:
    return float(entry["flops_per_s"][_peak_type(entry)])


def _rounded(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
