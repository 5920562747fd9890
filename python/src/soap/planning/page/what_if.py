# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same plan on other machines: simulations, made when the page is written."""

from __future__ import annotations

import copy
import json
import time
from pathlib import Path
from typing import Any, Callable

from ..errors import PlanError
from ..tools import Tools

FACTORS = (0.25, 0.5, 2.0, 4.0)
LATENCIES = (0.1, 0.5, 2.0, 10.0)
#: A row: what changes, its value now, factors, and the change of a topology; none: of memory alone.
Row = tuple[str, str, tuple[float, ...], Callable[[dict, float], None]]


def rows_of(topology: dict[str, Any], tiers: list[dict[str, Any]]) -> list[Row]:
    def bandwidth(tier: dict[str, Any]) -> Callable[[dict, float], None]:
        def change(made: dict, factor: float) -> None:
            for number in tier["links"]:
                made["links"][number]["bandwidth_bytes_per_s"] *= factor

        return change

    def latency(made: dict, factor: float) -> None:
        for link in made["links"]:
            link["latency_s"] *= factor

    def compute(made: dict, factor: float) -> None:
        for entry in made["device_types"]:
            entry["flops_per_s"] = {name: rate * factor for name, rate in entry["flops_per_s"].items()}

    rows: list[Row] = [(f"bandwidth of {tier['name']}", f"{tier['bandwidth'] / 1e9:,g} GB/s", FACTORS, bandwidth(tier)) for tier in tiers]
    if topology["links"]:
        rows.append(("latency of all links", " and ".join(dict.fromkeys(f"{link['latency_s'] * 1e6:g} us" for link in topology["links"])),
                     LATENCIES, latency))  # fmt: skip
    rates = topology["device_types"][0]["flops_per_s"]
    name = next(name for name in ("bf16", "f16", "f32") if name in rates)
    rows.append((f"peak of products, in all types", f"{rates[name] / 1e12:,g} TFLOP/s {name}", FACTORS, compute))
    return rows


def what_if(tools: Tools, module: Path, topology: dict[str, Any], tiers: list[dict[str, Any]], options: dict[str, str],
            base: dict[str, Any], peak: int, folder: Path, time_limit: float,
            progress: Callable[[str], None]) -> dict[str, Any]:  # fmt: skip
    """`base`: the report under the topology as it is; `peak`: bytes of the fullest device."""
    rows: list[dict[str, Any]] = []
    began, missed = time.monotonic(), []
    for what, now, factors, change in rows_of(topology, tiers):
        points: list[dict[str, Any]] = [{"factor": 1, "ns": base["makespan_ns"]}]
        rows.append({"what": what, "now": now, "points": points})
        if time_limit and time.monotonic() - began > time_limit:
            missed.append(what)
            continue
        progress(f"simulating other machines: {what}")
        passes, reports = [], []
        for number, factor in enumerate(factors):
            made = copy.deepcopy(topology)
            change(made, factor)
            file, report = folder / f"what-if-{number}.json", folder / f"what-if-report-{number}.json"
            file.write_text(json.dumps(made), encoding="utf-8")
            report.unlink(missing_ok=True)
            reports.append(report)
            words = {**options, "topology": str(file), "report": str(report), "compare": "none", "anomalies": "never", "summary": "false"}
            passes.append("--soap-simulate=" + " ".join(f"{key}={value}" for key, value in words.items()))
        why = ""
        try:
            tools.run("soap-opt", str(module), *passes, "-o", "/dev/null")
        except PlanError as error:
            why = str(error)
        for factor, report in zip(factors, reports):
            if report.exists():
                points.append({"factor": factor, "ns": json.loads(report.read_text(encoding="utf-8"))["makespan_ns"]})
            else:
                points.append({"factor": factor, "why": why})
    memory = min(entry["memory_bytes"] for entry in topology["device_types"])
    rows.append({"what": "memory of a device", "now": f"{memory / 1e9:,.1f} GB", "points": [
        {"factor": factor, "words": "fits" if peak <= memory * factor else "does not fit", "isBad": peak > memory * factor}
        for factor in (0.25, 0.5, 1, 2.0, 4.0)]})  # fmt: skip
    return {"words": "The same plan on machines that differ in one thing, each simulated when this file was written; a search might "
                     "find another plan there.",
            "base": base["makespan_ns"], "rows": [row for row in rows if len(row["points"]) > 1],
            "left_out": f"The time limit left out: {', '.join(missed)}." if missed else ""}  # fmt: skip
