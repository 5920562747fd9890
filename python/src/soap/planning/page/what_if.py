# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same plan on other machines: simulations, made when the page is written."""

from __future__ import annotations

import copy
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from ..errors import PlanError
from ..tools import Tools

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)

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


def what_if(
    tools: Tools,
    module: Path,
    topology: Topology,
    tiers: list[dict[str, Any]],
    base: dict[str, Any],
    peak: int,
    folder: Path,
    time_limit: float,
    progress: Callable[[str], None],
) -> dict[str, Any]:
    """`base`: the report under the topology as it is; `peak`: bytes that the fullest device has in use."""
    rows, missed = rows_of(topology, tiers, folder)
    found: list[dict[str, Any]] = []
    began = time.monotonic()
    for row in rows:
        if time_limit and time.monotonic() - began > time_limit:
            missed.append(f"{row.what} (the time limit)")
            continue
        progress(f"simulating other machines: {row.what}")
        points = _simulate(tools, module, topology, row, folder)
        own = next((point["ns"] for point in points if point["factor"] == 1 and "ns" in point), None)
        for point in points:
            if own and "ns" in point:
                point["share"] = point["ns"] / own - 1
        found.append(
            {"what": row.what, "now": row.now, "points": points, "note": row.note if own != base["makespan_ns"] else ""}
        )
    memory = min(entry["memory_bytes"] for entry in topology["device_types"])
    found.append(
        {
            "what": "memory of a device",
            "now": f"{memory / 1e9:,.1f} GB",
            "points": [
                {
                    "factor": factor,
                    "words": "fits" if peak <= memory * factor else "does not fit",
                    "isBad": peak > memory * factor,
                }
                for factor in FACTORS
            ],
        }
    )
    return {
        "words": "The same plan on machines that differ in one thing, each simulated when this file was written; a "
        "search might find another plan there.",
        "base": base["makespan_ns"],
        "rows": found,
        "left_out": f"Left out: {', '.join(missed)}." if missed else "",
    }


def _simulate(tools: Tools, module: Path, topology: Topology, row: Row, folder: Path) -> list[dict[str, Any]]:
    """A point for each factor."""
    passes, reports = [], []
    for number, factor in enumerate(FACTORS):
        made = copy.deepcopy(topology)
        row.change(made, factor)
        file, report = folder / f"what-if-{number}.json", folder / f"what-if-report-{number}.json"
        file.write_text(json.dumps(made), encoding="utf-8")
        report.unlink(missing_ok=True)
        reports.append(report)
        words = {"topology": file, "report": report, "compare": "none", "anomalies": "never", "summary": "false"}
        passes.append("--soap-simulate=" + " ".join(f"{key}={value}" for key, value in words.items()))
    why = ""
    try:
        tools.run("soap-opt", str(module), *passes, "-o", "/dev/null")
    except PlanError as error:
        why = str(error)
    points: list[dict[str, Any]] = []
    for factor, report in zip(FACTORS, reports):
        if report.exists():
            points.append({"factor": factor, "ns": json.loads(report.read_text(encoding="utf-8"))["makespan_ns"]})
        else:
            points.append({"factor": factor, "why": why})
    return points
