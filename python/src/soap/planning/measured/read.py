# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of measurements: output of nccl-tests and of `nvidia-smi topo -m`, and iterations of jobs as JSON."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import PlanError

#: Names of the programs of nccl-tests, and of the collectives in profiles.
KINDS = {"all_reduce": "all-reduce", "all_gather": "all-gather", "reduce_scatter": "reduce-scatter",
         "alltoall": "all-to-all"}  # fmt: skip
#: Two measurements of one thing that are further apart contradict each other.
CONTRADICTION = 1.25


@dataclass(frozen=True)
class Collective:
    """Times of one kind over one group: seconds by bytes, as nccl-tests counts them."""

    kind: str
    devices: int
    machines: int
    gpus: tuple[str, ...]  # names of the devices, as the driver has them
    seconds: dict[int, float]
    where: str


@dataclass(frozen=True)
class Run:
    """An iteration of a job that was measured."""

    name: str
    job: str
    model: str | None
    length: int | None
    seconds: float
    where: str


@dataclass
class Measurements:
    collectives: list[Collective] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    #: By pair of GPUs, how they are connected: `NV18`, `PIX`, `SYS`; and where that stands.
    pairs: dict[tuple[int, int], str] = field(default_factory=dict)
    pairs_where: str = ""


def read_measurements(files: list[str]) -> Measurements:
    found = Measurements()
    for name in files:
        try:
            text = Path(name).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise PlanError(f"--measured {name}: no such file") from None
        except (OSError, UnicodeDecodeError) as error:
            raise PlanError(f"--measured {name}: cannot be read: {error}") from None
        if text.lstrip().startswith("{"):
            found.runs += _runs(text, name)
        elif re.search(r"^\s+(?:\x1b\[4m)?\s*GPU0\b", text, re.M):
            if found.pairs:
                raise PlanError(f"--measured {name}: a second output of nvidia-smi topo -m, expected one")
            found.pairs, found.pairs_where = _pairs(text, name), name
        elif "busbw" in text:
            found.collectives += _collectives(text, name)
        else:
            raise PlanError(f"--measured {name}: expected the output of a program of nccl-tests, the output of "
                            "nvidia-smi topo -m, or a JSON file of runs")  # fmt: skip
    _check_contradictions(found.collectives)
    return found


def _collectives(text: str, where: str) -> list[Collective]:
    """The tables of one file: one for each program whose output is in it, with what stands before it."""
    begins = [0]
    for start in [match.start() for match in re.finditer(r"^# nThread", text, re.M)][1:]:
        ended = [match.end() for match in re.finditer(r"^.*Avg bus bandwidth.*$", text[:start], re.M)]
        begins.append(ended[-1] if ended else start)
    return [_collective(text[begin:end], where) for begin, end in zip(begins, [*begins[1:], len(text)])]


def _collective(text: str, where: str) -> Collective:
    names = sorted(KINDS, key=len, reverse=True)
    named = re.search(r"(\w+)_perf\b", text)
    if named and named[1] not in KINDS:
        raise PlanError(f"--measured {where}: output of {named[1]}_perf, of which no price is made; expected one of "
                        + ", ".join(f"{name}_perf" for name in KINDS))  # fmt: skip
    file = re.sub(r"[^a-z]", "", Path(where).name.lower())
    kind = named[1] if named else next((name for name in names if name.replace("_", "") in file), "")
    if not kind:
        raise PlanError(f"--measured {where}: which collective was measured? Expected the name of the program "
                        f"({', '.join(f'{name}_perf' for name in KINDS)}) in the text or the file's name")  # fmt: skip
    ranks = re.findall(r"^#\s+Rank\s+\d+\s.*?\bon\s+(\S+)\s+device\s+\d+\s+\[[^\]]*\]\s+(.+?)\s*$", text, re.M)
    if len(ranks) < 2:
        raise PlanError(f"--measured {where}: expected the lines '# Rank ... on HOST device ...' of two devices or more, "
                        f"got {len(ranks)}")  # fmt: skip
    seconds: dict[int, float] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if len(words) < 8 or not words[0].isdigit() or not words[1].isdigit():
            continue
        try:
            size, time = int(words[0]), float(words[5]) * 1e-6
        except ValueError:
            raise PlanError(f"--measured {where}:{number}: expected a time in us in column 6, got '{words[5]}'") from None
        if time <= 0 or size < 0:
            raise PlanError(f"--measured {where}:{number}: expected a time above 0, got {words[5]} us")
        if size:
            if size in seconds and _apart(seconds[size], time):
                raise PlanError(f"--measured {where}:{number}: {size} bytes take {time * 1e6:g} us here and "
                                f"{seconds[size] * 1e6:g} us above")  # fmt: skip
            seconds[size] = time
    if not seconds:
        raise PlanError(f"--measured {where}: the table has no row with bytes and a time")
    return Collective(KINDS[kind], len(ranks), len({host for host, _ in ranks}),
                      tuple(sorted({gpu for _, gpu in ranks})), dict(sorted(seconds.items())), where)  # fmt: skip


def _apart(one: float, other: float) -> bool:
    return max(one, other) > CONTRADICTION * min(one, other)


def _check_contradictions(collectives: list[Collective]) -> None:
    known: dict[tuple[str, int, int, int], tuple[float, str]] = {}
    for one in collectives:
        for size, time in one.seconds.items():
            key = (one.kind, one.devices, one.machines, size)
            if key in known and _apart(known[key][0], time):
                raise PlanError(f"--measured: measurements contradict each other: {one.kind} of {size} bytes over "
                                f"{one.devices} devices takes {known[key][0] * 1e6:g} us in {known[key][1]} and "
                                f"{time * 1e6:g} us in {one.where}")  # fmt: skip
            known.setdefault(key, (time, one.where))


def _pairs(text: str, where: str) -> dict[tuple[int, int], str]:
    rows = [line.split() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines() if line.strip()]
    header = [word for word in rows[0] if re.fullmatch(r"GPU\d+", word)]
    found = {}
    for row in rows[1:]:
        if row[0] not in header:
            continue
        for other, link in zip(header, row[1:]):
            if link == "X":
                continue
            if not re.fullmatch(r"NV\d+|PIX|PXB|PHB|NODE|SYS", link):
                raise PlanError(f"--measured {where}: expected NV1, NV2, ..., PIX, PXB, PHB, NODE or SYS between {row[0]} "
                                f"and {other}, got '{link}'")  # fmt: skip
            found[int(row[0][3:]), int(other[3:])] = link
    for (a, b), link in found.items():
        if found.get((b, a)) != link:
            raise PlanError(f"--measured {where}: GPU{a} to GPU{b} is {link}, GPU{b} to GPU{a} is {found.get((b, a))}")
    return found


def _runs(text: str, where: str) -> list[Run]:
    try:
        root = json.loads(text)
    except json.JSONDecodeError as error:
        raise PlanError(f"--measured {where}:{error.lineno}:{error.colno}: no JSON: {error.msg}") from None
    if root.get("version") != 1:
        raise PlanError(f"--measured {where}: expected version 1, got {root.get('version')}")
    entries = root.get("runs")
    if not isinstance(entries, list) or not entries:
        raise PlanError(f"--measured {where}: expected 'runs', a list of measured iterations")
    found = []
    for number, entry in enumerate(entries):
        at = f"--measured {where}: run {number}"
        if not isinstance(entry, dict):
            raise PlanError(f"{at}: expected an object, got {json.dumps(entry)}")
        known = {"name", "job", "model", "seq_length", "seconds"}
        for key in entry:
            if key not in known:
                raise PlanError(f"{at}: unknown key '{key}', expected {', '.join(sorted(known))}")
        for key, kind, word in (("job", str, "a command line or a file, as --check takes it"),
                                ("seconds", (int, float), "the seconds of an iteration")):  # fmt: skip
            if not isinstance(entry.get(key), kind) or isinstance(entry.get(key), bool):
                raise PlanError(f"{at}: expected '{key}', {word}")
        if not 0 < entry["seconds"] < 1e6:
            raise PlanError(f"{at}: expected seconds above 0, got {entry['seconds']}")
        length, model = entry.get("seq_length"), entry.get("model")
        if length is not None and (not isinstance(length, int) or not 0 < length <= 1 << 24):
            raise PlanError(f"{at}: expected a number of positions, got {json.dumps(length)}")
        if model is not None and not isinstance(model, str):
            raise PlanError(f"{at}: expected the model's name or config, got {json.dumps(model)}")
        found.append(Run(str(entry.get("name", f"run {number}")), entry["job"], model, length, float(entry["seconds"]),
                         where))  # fmt: skip
    return found
