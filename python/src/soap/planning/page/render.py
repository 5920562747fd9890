# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The file: a template, its style and scripts, and the data."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
import zlib
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
    width = len(timeline["memory_kinds"]) + 1
    whole = [_lane(lane, width) for lane in timeline["lanes"]]
    bare = [_lane({**lane, "tasks": [], "dropped": True}, width) for lane in timeline["lanes"]]
    path = timeline["critical_path"]
    gaps = _gaps([number for i in range(0, len(path), 4) for number in path[i + 1 : i + 4]])
    rest = _json({**timeline, "gaps": True, "lanes": [], "critical_path": [path[::4], gaps]})
    keep = _fitting(rest, whole, bare, most)
    while True:
        lanes = whole[:keep] + bare[keep:]
        text = rest.replace('"lanes":[]', '"lanes":[' + ",".join(lanes) + "]", 1)
        packed = base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode("ascii")
        if len(packed) <= most or not keep:
            return packed, len(lanes) - keep
        keep = min(keep - 1, int(keep * most / len(packed)))


def _fitting(rest: str, whole: list[str], bare: list[str], most: int) -> int:
    """How many lanes keep their tasks, by what each adds to the packed text."""
    parts = [_sizes([rest, *bare]), _sizes(whole)]
    left = most * 3 // 4 - sum(parts[0])
    for keep, (size, without) in enumerate(zip(parts[1], parts[0][1:])):
        left -= size - without
        if left < 0:
            return keep
    return len(whole)


def _sizes(texts: list[str]) -> list[int]:
    stream = zlib.compressobj(9)
    return [len(stream.compress(text.encode())) + len(stream.flush(zlib.Z_SYNC_FLUSH)) for text in texts]


def _lane(lane: dict[str, Any], width: int) -> str:
    """Blocks that repeat are alike in what differs from task to task: numbers of subjects, gaps, durations."""
    packed = {**lane, "tasks": [[*group[:2], *_gaps(group[2:])] for group in lane["tasks"]]}
    if "memory" in lane:
        points = lane["memory"]
        packed["memory"] = points[:width] + [now - before for before, now in zip(points, points[width:])]
    return _json(packed)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _gaps(tasks: list[int]) -> list[int]:
    """(subject, start, duration) of each task as the subject less the last one, the time since it, the duration."""
    found, subject, end = [], 0, 0
    for i in range(0, len(tasks), 3):
        found += [tasks[i] - subject, tasks[i + 1] - end, tasks[i + 2]]
        subject, end = tasks[i], tasks[i + 1] + tasks[i + 2]
    return found
