# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same plan on other machines: simulations, made when the page is written."""

from __future__ import annotations

import copy
import json
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from ..errors import OutOfTime, PlanError
from ..tools import Tools
from .simulations import Simulations

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
#: Of all rows: what a time limit leaves out are the ends.
NEAREST_FIRST = (1.0, 0.5, 2.0, 0.25, 4.0)

Topology = dict[str, Any]


@dataclass
class Row:
    what: str
    now: str
    #: Changes a copy of the topology.
    change: Callable[[Topology, float], None]
    note: str = ""


def rows_of(topology: Topology, tiers: list[dict[str, Any]], folder: Path) -> tuple[list[Row], list[str]]:
    """The rows, and those that cannot be: their names."""
    missing: list[str] = []

    def bandwidth(tier: dict[str, Any]) -> Callable[[Topology, float], None]:
        def change(made: Topology, factor: float) -> None:
            if tier["inside"]:
                by_links(made)
            for number in tier["links"]:
                made["links"][number]["bandwidth_bytes_per_s"] *= factor

        return change

    def latency(made: Topology, factor: float) -> None:
        by_links(made)
        for link in made["links"]:
            link["latency_s"] *= factor

    def by_links(made: Topology) -> None:
        """Measured collectives are of one bandwidth and latency; others take their links."""
        for entry in made["device_types"]:
            if "profile" in entry:
                entry["profile"] = str(_without_collectives(entry, folder))

    def compute(made: Topology, factor: float) -> None:
        """Measured kernels are of one device; types of other names scale them."""
        for entry in made["device_types"]:
            entry["flops_per_s"] = {name: rate * factor for name, rate in entry["flops_per_s"].items()}
            if "profile" in entry:
                entry["name"] += " scaled"
        if any("profile" in entry for entry in made["device_types"]):
            names = {entry["name"].removesuffix(" scaled"): entry["name"] for entry in made["device_types"]}
            for device in made["devices"]:
                device["type"] = names[device["type"]]

    profiles = [entry["profile"] for entry in topology["device_types"] if "profile" in entry]
    note = "collectives take their links: measured ones are for one bandwidth" if profiles else ""
    rows = [
        Row(
            f"bandwidth of {tier['name']}",
            f"{tier['bandwidth'] / 1e9:,g} GB/s",
            bandwidth(tier),
            note if tier["inside"] else "",
        )
        for tier in tiers
    ]
    if tiers:
        latencies = dict.fromkeys(f"{tier['latency'] * 1e6:g} µs" for tier in tiers)
        rows.append(Row("latency of all links", ", ".join(latencies), latency, note))
    if any(profile.endswith(".json") for profile in profiles):
        missing, rows = [f"{row.what} (the profile is a file)" for row in rows], []  # which is no base of another
    rates = topology["device_types"][0]["flops_per_s"]
    name = next(name for name in ("bf16", "f16", "f32") if name in rates)
    rows.insert(
        max(len(rows) - 1, 0),
        Row("FLOP/s of a device, in all types", f"{rates[name] / 1e12:,g} TFLOP/s {name}", compute),
    )
    return rows, missing


def _without_collectives(entry: dict[str, Any], folder: Path) -> Path:
    """A profile that has all of a built-in one except its collectives."""
    profile = {
        "version": 1,
        "device": "by links",
        "base": entry["profile"],
        "collectives": [],
        "flops_per_s": {name: rate for name, rate in entry["flops_per_s"].items()},
        "memory_bandwidth_bytes_per_s": entry["memory_bandwidth_bytes_per_s"],
        "launch_s": entry["launch_s"],
    }
    path = folder / f"by-links-{entry['name']}.json"
    path.write_text(json.dumps(profile), encoding="utf-8")
    return path


class WhatIf:
    """The table."""

    def __init__(self, tools: Tools, module: Path, topology: Topology, tiers: list[dict[str, Any]], base: dict[str, Any],
                 peak: int, folder: Path, simulations: Simulations) -> None:  # fmt: skip
        """`base`: the report under the topology as it is; `peak`: bytes that the fullest device has in use."""
        self.tools, self.module, self.folder, self.simulations = tools, module, folder, simulations
        self.base, self.peak = base["makespan_ns"], peak
        self.memory = min(entry["memory_bytes"] for entry in topology["device_types"])
        self.rows, self.missing = rows_of(topology, tiers, folder)
        self.topology = topology
        self.made: list[tuple[Topology, Future[int]]] = [(topology, _known(self.base))]
        self.times: dict[tuple[str, float], Future[int]] = {}

    def start(self, factor: float) -> None:
        """Starts the simulations of a column."""
        for row in self.rows:
            self.times[row.what, factor] = self._time(self.topology, row, factor)

    def _time(self, topology: Topology, row: Row, factor: float) -> Future[int]:
        """The time on another topology; equal ones are simulated once."""
        wanted = copy.deepcopy(topology)
        row.change(wanted, factor)
        for made, time in self.made:
            if made == wanted:
                return time
        number = len(self.made)
        file, report = self.folder / f"what-if-{number}.json", self.folder / f"what-if-report-{number}.json"
        words = {"topology": file, "report": report, "compare": "none", "anomalies": "never", "summary": "false"}
        options = "--soap-simulate=" + " ".join(f"{key}={value}" for key, value in words.items())

        def simulate(seconds: float | None) -> int:
            file.write_text(json.dumps(wanted), encoding="utf-8")
            self.tools.run("soap-opt", str(self.module), options, "-o", "/dev/null", seconds=seconds)
            return json.loads(report.read_text(encoding="utf-8"))["makespan_ns"]

        self.made.append((wanted, self.simulations.start(simulate)))
        return self.made[-1][1]

    def table(self, progress: Callable[[str], None]) -> dict[str, Any]:
        found: list[dict[str, Any]] = []
        missing = list(self.missing)
        for row in self.rows:
            progress(f"simulating other machines: {row.what}")
            points = [_point(factor, self.times[row.what, factor]) for factor in FACTORS]
            own = next((point["ns"] for point in points if point["factor"] == 1 and "ns" in point), None)
            late = [f"× {point['factor']:g}" for point in points if "short" in point]
            if own is None or len(late) == len(points) - 1:
                late = ["all"]
            for point in points:
                if own and "ns" in point:
                    point["share"] = point["ns"] / own - 1
            if late:
                missing.append(f"{row.what} ({'' if late == ['all'] else ', '.join(late) + ': '}the time limit)")
            if late != ["all"]:
                note = row.note if own != self.base else ""
                found.append({"what": row.what, "now": row.now, "points": points, "note": note})
        found.append(
            {
                "what": "memory of a device",
                "now": f"{self.memory / 1e9:,.1f} GB",
                "points": [
                    {
                        "factor": factor,
                        "words": "fits" if self.peak <= self.memory * factor else "does not fit",
                        "isBad": self.peak > self.memory * factor,
                    }
                    for factor in FACTORS
                ],
            }
        )
        return {
            "words": "The same plan on machines that differ in one thing, each simulated when this file was written; a "
            "search might find another plan there.",
            "base": self.base,
            "rows": found,
            "left_out": f"Left out: {', '.join(missing)}." if missing else "",
        }


def _known(number: int) -> Future[int]:
    future: Future[int] = Future()
    future.set_result(number)
    return future


def _point(factor: float, time: Future[int]) -> dict[str, Any]:
    try:
        return {"factor": factor, "ns": time.result()}
    except OutOfTime:
        return {"factor": factor, "why": "the time limit left it out", "short": "–"}
    except PlanError as error:
        return {"factor": factor, "why": str(error)}
