# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops by block: blocks that are split alike, one after the other, are one with a count."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

#: `layers.12.mlp.up`, `block12.mlp.up`: the block's name, its number, the rest.
NUMBERED = re.compile(r"^((?:[^.]+\.)*?|[^.]*[^.\d])(\d+)\.")


def blocks_of(ops: list[list], device_names: list[str]) -> list[dict[str, Any]]:
    """`ops` as the timeline file has them: [name, kind, pass, loops, copies, ranges of devices]."""
    instances: dict[tuple[str, int], list[list]] = {}
    names = {op[0] for op in ops}
    for op in ops:
        instances.setdefault(_place(op[0], names), []).append(op)
    blocks: list[dict[str, Any]] = []
    signatures: list[tuple | None] = []
    for (prefix, number), own in instances.items():
        signature = (prefix, *(_signature(op, prefix, number) for op in own)) if number >= 0 else None
        last = blocks[-1] if blocks else None
        if last and signature is not None and signature == signatures[-1] and number == last["last"] + 1:
            last["last"] = number
            last["count"] += 1
            for row, op in zip(last["ops"], own):
                row["where"].append(_where(op, device_names))
            continue
        blocks.append(
            {
                "prefix": prefix,
                "first": number,
                "last": number,
                "count": 1,
                "split": _split(own),
                "ops": [_row(op, prefix, number, device_names) for op in own],
            }
        )
        signatures.append(signature)
    for block in blocks:
        first, last, prefix = block["first"], block.pop("last"), block["prefix"]
        block["title"] = prefix if first < 0 else f"{prefix}{first}" if first == last else f"{prefix}{first} to {last}"
        for row in block["ops"]:
            places = list(dict.fromkeys(row.pop("where")))
            row["devices"] = places[0] if len(places) == 1 else f"{places[0]} to {places[-1]}, by stage"
    return blocks


def _place(name: str, names: set[str]) -> tuple[str, int]:
    """The block of an op: its numbered name, which is no op's, or the first part of its name."""
    match = NUMBERED.match(name)
    if match and match[1] + match[2] not in names:
        return match[1], int(match[2])
    return name.split(".", 1)[0], -1


def _rest(name: str, prefix: str, number: int) -> str:
    return name[len(f"{prefix}{number}.") :] if number >= 0 else name


def _signature(op: list, prefix: str, number: int) -> tuple:
    name, kind, phase, loops, copies, devices = op
    count = sum(last - first + 1 for first, last in zip(devices[::2], devices[1::2]))
    return _rest(name, prefix, number), kind, phase, tuple(map(tuple, loops)), copies, count


def _row(op: list, prefix: str, number: int, device_names: list[str]) -> dict[str, Any]:
    name, kind, phase, loops, copies, _ = op
    return {
        "name": _rest(name, prefix, number),
        "kind": kind,
        "phase": phase,
        "loops": loops,
        "copies": copies,
        "where": [_where(op, device_names)],
    }


def _where(op: list, names: list[str]) -> str:
    ranges = list(zip(op[5][::2], op[5][1::2]))
    if len(ranges) > 4:
        return f"{len(ranges)} groups from {names[ranges[0][0]]} to {names[ranges[-1][1]]}"
    return ", ".join(names[first] if first == last else f"{names[first]} to {names[last]}" for first, last in ranges)


def _split(ops: list[list]) -> str:
    """The split of most products, else of most ops, in words."""
    shown = [op for op in ops if op[1] in ("matmul", "conv2d", "batch_matmul", "attention")] or ops
    found = Counter(_degrees(op) for op in shown)
    (words, count), *others = found.most_common()
    return words if not others else f"{words} ({count} of {len(shown)} ops)"


def _degrees(op: list) -> str:
    roles: dict[str, int] = {}
    for _, _, role, degree in op[3]:
        if degree > 1:
            roles[role] = roles.get(role, 1) * degree
    named = {"sample": "samples", "parameter": "channels", "reduction": "sums", "attribute": "positions"}
    parts = [f"{named.get(role, role)} / {degree}" for role, degree in roles.items()]
    if op[4] > 1:
        parts.append(f"{op[4]} copies")
    return ", ".join(parts) or "whole"
