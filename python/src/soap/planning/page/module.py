# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a module that has a strategy."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from ..cluster import Cluster, find_cluster
from ..errors import PlanError
from ..tools import Tools
from .data import (
    Progress,
    cluster_data,
    fill,
    fingerprints_of,
    head_of,
    made_by,
    provenance,
    quiet,
    report_of,
    search_of,
    simulate,
    simulation_facts,
)
from .render import pack, render
from .simulations import Simulations


def page_of_module(
    tools: Tools,
    module: Path,
    search: Path | None = None,
    beside: Path | None = None,
    command: str = "",
    progress: Progress = quiet,
    what_if_limit: float = 60,
) -> str:
    """The page of a module that has a strategy. `search`: the report of the search that found it; `beside`: a second
    module, to compare with."""
    with tempfile.TemporaryDirectory(prefix="soap-plan-") as place:
        folder = Path(place)
        progress(f"simulating {module.name}")
        simulated = simulate(tools, module, folder)
        simulations = Simulations(what_if_limit)
        cluster = find_cluster(tools, simulated.topology_name)
        name = _name_of(module)
        data: dict[str, Any] = {"version": 1, "title": f"{name} on {simulated.topology['name']}", "answer": None}
        data["cluster"] = cluster_data(cluster)
        report, ops = simulated.report, simulated.timeline["ops"]
        data["lead"] = _lead(report, ops, cluster)
        data["executor_words"] = "one training iteration" if any(op[2] != "forward" for op in ops) else "one iteration"
        data["facts"] = [
            ["model", name],
            ["cluster", cluster.in_words()],
            *simulation_facts(report),
            ["ops", f"{len(ops):,}"],
        ]
        if report.get("scheduling_anomaly"):
            data["facts"].append(
                [
                    "scheduling anomaly",
                    "with slower links it would be shorter: " + json.dumps(report["scheduling_anomaly"]),
                ]
            )
        fill(data, simulated, tools, folder, progress, simulations)
        if search:
            data["search"] = search_of(_json(search))
        if beside:
            progress(f"simulating {beside.name}")
            other = simulate(tools, beside, folder, compare="none")
            if other.topology != simulated.topology:
                raise PlanError(
                    f"{beside}: is for topology '{other.topology_name}', expected '{simulated.topology_name}' as "
                    f"{module} has it"
                )
            timeline = {key: value for key, value in other.timeline.items() if key != "ops"}
            data["beside"] = {
                "title": beside.stem,
                "report": report_of(other.report),
                "timeline": pack(timeline)[0],
                "peak_bytes": other.peak_bytes,
            }
        data["made"] = made_by(tools, command, _fingerprints(tools, module))
        data["provenance"] = provenance(simulated, has_answer=False, has_alternatives=bool(data["explain"]))
        return render(data)


def _fingerprints(tools: Tools, module: Path) -> dict[str, str]:
    """None of a module that is partitioned, which has no strategy file."""
    try:
        return fingerprints_of(tools.run("soap-translate", "--strategy-to-json", str(module)))
    except PlanError:
        return {}


def _name_of(module: Path) -> str:
    found = re.search(r"^module @([\w.$-]+)", head_of(module), re.M)
    return found[1] if found else module.stem


def _lead(report: dict[str, Any], ops: list[list], cluster: Cluster) -> str:
    pipeline = report.get("pipeline")
    devices = f"{cluster.devices:,} device{'s' * (cluster.devices > 1)}"
    if pipeline and len(pipeline["stages"]) > 1:
        stages, microbatches = len(pipeline["stages"]), pipeline["microbatches"]
        return f"{stages} stages on {devices}, {pipeline['schedule']}, {microbatches} microbatches."
    if pipeline:
        return f"One stage on {devices}, {pipeline['microbatches']} microbatches."
    split = sum(any(loop[3] > 1 for loop in op[3]) for op in ops)
    return f"The whole batch at once on {devices}; {split} of {len(ops)} ops are split."


def _json(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise PlanError(f"{path}: cannot be read: {error}") from None
