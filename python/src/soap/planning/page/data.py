# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The data of a page: reports of the tools, as they write them."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from ..cluster import Cluster
from ..errors import OutOfTime, PlanError
from ..tools import Tools
from .blocks import blocks_of
from .render import pack
from .simulations import Simulations
from .what_if import NEAREST_FIRST, WhatIf

#: Devices and ops of which other configs are simulated.
MOST_EXPLAINED_DEVICES, MOST_EXPLAINED = 16, 12
#: The text of exchanges by value that a page has.
MOST_EXCHANGES = 200_000

Progress = Callable[[str], None]


def quiet(_: str) -> None:
    """No progress."""


@dataclass
class Simulated:
    """A module with a strategy, simulated once."""

    report: dict[str, Any]
    timeline: dict[str, Any]
    topology: dict[str, Any]
    topology_name: str
    module: Path

    @property
    def peak_bytes(self) -> int:
        rows = self.report.get("devices") or self.report.get("device_classes") or []
        return max((row["peak_bytes"] for row in rows), default=0)


def simulate(tools: Tools, module: Path, folder: Path, compare: str = "") -> Simulated:
    """`compare`: as the option of --soap-simulate; empty: its own choice."""
    text = head_of(module)
    named = re.search(r'soap\.topology = #soap\.topology<"([^"]+)"', text)
    if not named:
        raise PlanError(
            f"{module}: has no strategy: expected a module with 'soap.topology' and configs, as --soap-auto-parallel "
            "writes it"
        )
    report, timeline = folder / "report.json", folder / "timeline.json"
    words = {
        "report": str(report),
        "timeline": str(timeline),
        "summary": "false",
        **({"compare": compare} if compare else {}),
    }
    tools.run(
        "soap-opt",
        str(module),
        "--soap-simulate=" + " ".join(f"{key}={value}" for key, value in words.items()),
        "-o",
        "/dev/null",
    )
    topology = tools.topology(named[1])
    return Simulated(
        json.loads(report.read_text(encoding="utf-8")),
        json.loads(timeline.read_text(encoding="utf-8")),
        topology,
        named[1],
        module,
    )


def head_of(module: Path) -> str:
    """The first lines of a module: aliases and attributes."""
    try:
        with module.open(encoding="utf-8") as file:
            return file.read(1 << 22)
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(f"{module}: cannot be read: {error}") from None


def bytes_in_words(count: int) -> str:
    for unit, size in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count} B"


def simulation_facts(report: dict[str, Any]) -> list[list[str]]:
    """Rows of the head: the simulator, and bytes."""
    simulator = report["simulator"]
    if "folded" in report:
        folded = report["folded"]
        simulator += f", {folded['tasks']:,} tasks of {folded['devices']:,} of {folded['unfolded_devices']:,} devices"
    else:
        simulator += f", {report['tasks']:,} tasks"
    moved, between = bytes_in_words(report["bytes_moved"]), bytes_in_words(report["bytes_between_machines"])
    return [["simulator of the timeline", simulator], ["moved in an iteration", f"{moved}, {between} between machines"]]


# Parts of the data


def tiers_of(topology: dict[str, Any]) -> list[dict[str, Any]]:
    """Links by bandwidth, latency and what is at their ends, fastest first. `inside`: of single machines."""
    devices = {device["name"] for device in topology["devices"]}
    machines = _machines_of_nodes(topology)

    def kind(node: str) -> str:
        return "device" if node in devices else re.sub(r"\d+", "", node.rsplit(".", 1)[-1])

    groups: dict[tuple, list[int]] = {}
    for number, link in enumerate(topology["links"]):
        ends = tuple(sorted({kind(link["from"]), kind(link["to"])} - {"device"}))
        groups.setdefault((link["bandwidth_bytes_per_s"], link["latency_s"], ends), []).append(number)
    tiers = []
    for (bandwidth, latency, ends), links in sorted(groups.items(), key=lambda row: (-row[0][0], row[0][1])):
        tiers.append(
            {
                "name": " – ".join(ends) if ends else "device to device",
                "bandwidth": bandwidth,
                "latency": latency,
                "links": links,
                "inside": all(
                    len(machines[topology["links"][link][end]]) < 2 for link in links for end in ("from", "to")
                ),
            }
        )
    counts = Counter(tier["name"] for tier in tiers)
    for tier in tiers:
        if counts[tier["name"]] > 1:
            tier["name"] += f", {tier['bandwidth'] / 1e9:,g} GB/s"
    return tiers


def _machines_of_nodes(topology: dict[str, Any]) -> dict[str, set[str]]:
    """Of a switch the machines of devices that are linked to it, else of switches that are."""
    found = {device["name"]: {device.get("machine", "")} for device in topology["devices"]}
    ends = [(link["from"], link["to"]) for link in topology["links"]]
    for _ in range(2):
        linked: dict[str, set[str]] = {}
        for one, other in [*ends, *((other, one) for one, other in ends)]:
            if one not in found and other in found:
                linked.setdefault(one, set()).update(found[other])
        found |= linked
    return {switch["name"]: set() for switch in topology["switches"]} | found


def topology_of(topology: dict[str, Any], tiers: list[dict[str, Any]]) -> dict[str, Any]:
    number = {node["name"]: i for i, node in enumerate([*topology["devices"], *topology["switches"]])}
    tier_of = {link: t for t, tier in enumerate(tiers) for link in tier["links"]}
    return {
        "devices": [[device["name"], device.get("machine", "")] for device in topology["devices"]],
        "switches": [switch["name"] for switch in topology["switches"]],
        "links": [[number[link["from"]], number[link["to"]], tier_of[i]] for i, link in enumerate(topology["links"])],
        "tiers": [
            {key: tier[key] for key in ("name", "bandwidth", "latency")} | {"count": len(tier["links"])}
            for tier in tiers
        ],
    }


def report_of(report: dict[str, Any]) -> dict[str, Any]:
    """The report without what the timeline has."""
    kept = {key: value for key, value in report.items() if key not in ("critical_path", "critical_path_by_op", "links")}
    if len(json.dumps(kept.get("exchanges", []))) > MOST_EXCHANGES:
        del kept["exchanges"]
    if "pipeline" in kept:
        kept["pipeline"] = {key: value for key, value in kept["pipeline"].items() if key != "passes"}
    return kept


def _timeline_words(simulated: Simulated, dropped: int) -> str:
    timeline, report = simulated.timeline, simulated.report
    devices = len(simulated.topology["devices"])
    lanes = [lane for lane in timeline["lanes"] if "devices" in lane]
    words = [f"Simulated by the {timeline['simulator']}"]
    folded = report.get("folded", {})
    if timeline["replicas"] > 1:
        count = folded.get("devices", len(lanes))
        words.append(
            f"folded: {count} device{'s stand' if count > 1 else ' stands'} for {devices}, as replicas of each stage do "
            "the same at the same times"
        )
    elif folded.get("reason"):
        words.append(f"not folded: {folded['reason']}")
    alike = sum(len(lane["devices"]) for lane in lanes)
    if len(lanes) < alike:
        words.append(f"devices that do the same at the same times are one lane: {len(lanes)} lanes for {alike} devices")
    text = "; ".join(words) + ". Every lane says how many it stands for."
    if dropped:
        text += (
            f" {dropped} of {len(timeline['lanes'])} lanes show no single tasks, so that this file stays small; "
            "--soap-simulate='timeline=t.json' writes all."
        )
    return text


def _stage_blocks(ops: list[list], stages: list[dict[str, Any]], device_names: list[str]) -> dict[int, str]:
    """Blocks of each stage, where no two stages share devices."""
    where = [frozenset(stage["devices"]) for stage in stages]
    if len(set(where)) < len(where):
        return {}
    found: dict[int, dict[str, list[int]]] = {}
    for op in ops:
        match = re.match(r"^(.*?)(\d+)\.", op[0])
        if not match or op[2] != "forward" or not op[5]:
            continue
        first = device_names[op[5][0]]
        for number, names in enumerate(where):
            if first in names:
                found.setdefault(number, {}).setdefault(match[1], []).append(int(match[2]))
                break
    words = {}
    for number, by_prefix in found.items():
        parts = []
        for prefix, numbers in by_prefix.items():
            own = sorted(set(numbers))
            if own == list(range(own[0], own[-1] + 1)):
                parts.append(f"{prefix}{own[0]} to {own[-1]} (× {len(own)})" if len(own) > 1 else f"{prefix}{own[0]}")
        words[number] = ", ".join(parts)
    return words


def _explained(tools: Tools, simulated: Simulated, folder: Path, progress: Progress,
               simulations: Simulations) -> tuple[list[dict[str, Any]], str]:  # fmt: skip
    """Other configs of the ops that take most, of small plans for the whole batch, one of ops that differ in the number
    of their block; and what the time limit left out."""
    timeline, devices = simulated.timeline, len(simulated.topology["devices"])
    if devices > MOST_EXPLAINED_DEVICES or "pipeline" in simulated.report or not timeline["ops"]:
        return [], ""
    spent: Counter = Counter()
    for lane in timeline["lanes"]:
        if "devices" in lane:
            for group in lane["tasks"]:
                for subject, duration in zip(group[2::3], group[4::3]):
                    if timeline["subjects"][subject][1] == "compute":
                        spent[timeline["subjects"][subject][0]] += duration * len(lane["devices"])
    known = {op[0]: op for op in timeline["ops"]}
    found: list[dict[str, Any]] = []
    grouped: set[str] = set()
    blocks: set[tuple] = set()
    for name, _ in spent.most_common():
        if len(found) == MOST_EXPLAINED:
            break
        if name in grouped or name not in known or known[name][2] != "forward":
            continue
        block = re.sub(r"\d+", "#", name), *map(str, known[name][1:5])
        if block in blocks:
            continue
        blocks.add(block)
        progress(f"simulating other configs of {name}")
        file = folder / "explain.json"
        try:
            words = f"--soap-explain=op={name} most=60 summary=false report={file}"
            tools.run("soap-opt", str(simulated.module), words, "-o", "/dev/null", seconds=simulations.left())
        except OutOfTime:
            return found, f"Left out: other configs of {name} and of ops that take less (the time limit)."
        except PlanError:
            continue
        report = json.loads(file.read_text(encoding="utf-8"))
        grouped.update(report["group"])
        rows = [
            {
                "config": _config(row),
                "ns": row["makespan_ns"],
                "moved": row.get("bytes_moved"),
                "isCurrent": i == report["current"],
                "note": ", ".join(
                    part
                    for part in (
                        row["origin"] if row["origin"] != "current" else "",
                        f"does not fit ({row['excess_bytes'] / 1e9:.1f} GB)" if row["excess_bytes"] else "",
                    )
                    if part
                ),
            }
            for i, row in enumerate(report["alternatives"])
        ]
        rows.sort(key=lambda row: (row["ns"], not row["isCurrent"]))
        loops = ", ".join(f"{loop} {extent} {role}" for loop, extent, role, _ in known[name][3])
        others = len(report["group"]) - 1
        found.append(
            {
                "op": name,
                "rows": rows[:24] + [row for row in rows[24:] if row["isCurrent"]],
                "left_out": "some" if report["bounded"] else 0,
                "current": report["alternatives"][report["current"]]["makespan_ns"],
                "loops": f"{known[name][1]}: {loops}" + (f"; {others} ops follow it" if others else ""),
            }
        )
    return found, ""


def _config(row: dict[str, Any]) -> str:
    degrees = ", ".join(f"{loop} / {degree}" for loop, degree in row["degrees"].items()) or "whole"
    copies = f", {row['replicas']} copies" if row["replicas"] > 1 else ""
    devices = row["devices"]
    if devices == list(range(devices[0], devices[0] + len(devices))):
        where = f"{devices[0]} to {devices[-1]}" if len(devices) > 1 else f"{devices[0]}"
    else:
        where = ", ".join(map(str, devices))
    return f"{degrees}{copies} on {where}"


def search_of(report: dict[str, Any]) -> dict[str, Any]:
    """A report of --soap-auto-parallel, or of --soap-plan-hybrid."""
    facts = [["algorithm", report.get("algorithm", "")]]
    for key, name in (
        ("proposals", "proposals"),
        ("accepted", "accepted"),
        ("seconds", "seconds"),
        ("groups", "groups of ops"),
        ("ops", "ops"),
        ("shapes", "shapes"),
        ("priced", "shapes that were priced"),
        ("simulated", "plans that were simulated"),
        ("seed", "seed"),
    ):
        if report.get(key) is not None:
            facts.append([name, f"{report[key]:,.1f}" if key == "seconds" else f"{report[key]:,}"])
    if report.get("optimal"):
        facts.append(["optimal", "no strategy of its space is faster"])
    if report.get("complete") is not None:
        facts.append(["complete", "yes" if report["complete"] else "no: the time limit ended it"])
    plans = []
    for number, plan in enumerate([report["best"], *report.get("others", [])] if "best" in report else []):
        plans.append(
            {
                "words": plan["plan"],
                "ns": plan["makespan_ns"],
                "bytes": plan.get("peak_bytes", plan.get("priced_bytes")),
                "fits": plan["excess_bytes"] == 0,
                "state": "" if plan["excess_bytes"] == 0 else "does not fit",
                "simulated": bool(plan["simulated_microbatches"]),
                "isBest": number == 0,
            }
        )
    plans = list({(plan["words"], plan["ns"]): plan for plan in reversed(plans)}.values())[::-1]
    return {"facts": facts, "curve": report.get("curve"), "initial": report.get("initial"), "plans": plans}


def provenance(simulated: Simulated | None, has_answer: bool, has_alternatives: bool) -> list[str]:
    lines = []
    if simulated:
        folded = simulated.report.get("folded", {})
        how = f"the {simulated.report['simulator']}"
        if simulated.timeline["replicas"] > 1:
            how += f" of {folded.get('devices')} of {folded.get('unfolded_devices')} devices, one of "
            how += f"{simulated.timeline['replicas']} replicas of each stage"
        lines.append(
            f"Simulated, by {how}: the timeline, the critical path, memory over time and by kind, loads of devices and "
            "links, the table What if"
            + (", other configs of ops" if has_alternatives else "")
            + "."
        )
        lines.append("Each point of memory is the fullest moment of a thousandth of the iteration.")
    if has_answer:
        lines.append(
            "The plan's time and memory, and rows of tables, are simulated where they say so, else priced: sums that a "
            "simulation may contradict "
            "(docs/Hierarchical.md has the factors). Prices of stages are not simulated."
        )
    lines.append(
        "Nothing on this page was measured: all of it is computed for the cluster that the topology describes."
    )
    return lines


# Pages


def fill(
    data: dict[str, Any], simulated: Simulated, tools: Tools, folder: Path, progress: Progress, simulations: Simulations,
    reserve_bytes: int = 0, start_also: Callable[[float], None] = lambda factor: None,
) -> None:
    """All parts that come from a simulation. `reserve_bytes`: what the executor holds of a device beside tensors;
    `start_also`: starts simulations of a factor for a further row of What if."""
    tiers = tiers_of(simulated.topology)
    peak = simulated.peak_bytes + reserve_bytes
    others = WhatIf(tools, simulated.module, simulated.topology, tiers, simulated.report, peak, folder, simulations)
    for factor in NEAREST_FIRST:
        others.start(factor)
        start_also(factor)
    names = [device["name"] for device in simulated.topology["devices"]]
    timeline = dict(simulated.timeline)
    ops = timeline.pop("ops")
    blocks = blocks_of(ops, names)
    data["report"] = report_of(simulated.report)
    data["peak_bytes"] = simulated.peak_bytes
    data["topology"] = topology_of(simulated.topology, tiers)
    data["blocks"] = blocks
    count = sum(block["count"] for block in blocks)
    data["blocks_words"] = (
        f"{len(ops):,} ops in {count:,} blocks; blocks that are split alike, one after the other, are one row with "
        "their number. "
        "A loop that is split says into how many pieces and in which role; times are means of all devices."
    )
    data["stage_blocks"] = _stage_blocks(ops, simulated.report.get("pipeline", {}).get("stages", []), names)
    data["timeline"], dropped = pack(timeline)
    data["timeline_words"] = _timeline_words(simulated, dropped)
    data["explain"], data["explain_left_out"] = _explained(tools, simulated, folder, progress, simulations)
    data["what_if"] = others.table(progress)


def made_by(tools: Tools, command: str, fingerprints: dict[str, str]) -> dict[str, Any]:
    version = tools.run("soap-opt", "--version").splitlines()[0]
    return {
        "version": version,
        "command": command,
        "fingerprints": fingerprints,
        "footer": f"{version}. Computed, not measured.",
    }


def fingerprints_of(strategy: str) -> dict[str, str]:
    """Of the text of a strategy file."""
    written = json.loads(strategy)
    return {"model": written["model_fingerprint"], "topology": written["topology_fingerprint"]}


def cluster_data(cluster: Cluster) -> dict[str, Any]:
    return {
        "name": cluster.name,
        "devices": cluster.devices,
        "machines": cluster.machines,
        "memory_bytes": cluster.memory_bytes,
        "words": cluster.in_words(),
    }
