# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The file: a template, its style and scripts, and the data."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SCRIPTS = ("logic.js", "timeline.js", "view.js")
#: Bytes of a packed timeline; what is beyond loses tasks, from the last lane on.
MOST_PACKED = 1_800_000


def render(data: dict[str, Any]) -> str:
    parts = {
        "TITLE": html.escape(data["title"]),
        "STYLE": _read("page.css"),
        "FOOTER": html.escape(data["made"]["footer"]),
        # No end tag, and no start of a comment, inside of a script.
        "DATA": json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        "SCRIPT": "\n".join(_read(name) for name in SCRIPTS),
    }
    return re.sub(r"@([A-Z]+)@", lambda match: parts[match[1]], _read("page.html"))


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def pack(timeline: dict[str, Any], most: int = MOST_PACKED) -> tuple[str, int]:
    """A timeline as base64 of gzip, and how many lanes had to leave out their tasks; passes and memory stay."""
    lanes = timeline["lanes"]
    dropped = 0
    while True:
        text = _packed(timeline)
        if len(text) <= most or dropped == len(lanes):
            return text, dropped
        # Lanes have about as much each.
        keep = int((len(lanes) - dropped) * most / len(text) * 0.97)
        for lane in lanes[min(keep, len(lanes) - dropped - 1) :]:
            lane["tasks"], lane["dropped"] = [], True
        dropped = sum("dropped" in lane for lane in lanes)


def _packed(timeline: dict[str, Any]) -> str:
    """Blocks that repeat are alike in what differs from task to task: numbers of subjects, gaps, durations."""
    lanes = []
    width = len(timeline["memory_kinds"]) + 1
    for lane in timeline["lanes"]:
        lanes.append({**lane, "tasks": [[*group[:2], *_gaps(group[2:])] for group in lane["tasks"]]})
        if "memory" in lane:
            points = lane["memory"]
            lanes[-1]["memory"] = points[:width] + [now - before for before, now in zip(points, points[width:])]
    path = timeline["critical_path"]
    gaps = _gaps([number for i in range(0, len(path), 4) for number in path[i + 1 : i + 4]])
    packed = {**timeline, "gaps": True, "lanes": lanes, "critical_path": [path[::4], gaps]}
    text = json.dumps(packed, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(text, 9, mtime=0)).decode("ascii")


def _gaps(tasks: list[int]) -> list[int]:
    """(subject, start, duration) of each task as the subject less the last one, the time since it, the duration."""
    found, subject, end = [], 0, 0
    for i in range(0, len(tasks), 3):
        found += [tasks[i] - subject, tasks[i + 1] - end, tasks[i + 2]]
        subject, end = tasks[i], tasks[i + 1] + tasks[i + 2]
    return found
