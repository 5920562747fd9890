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
    text = json.dumps(timeline, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(text, 9, mtime=0)).decode("ascii")
