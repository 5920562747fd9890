# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logs of trainings: a row for each iteration, as CSV or an object of JSON a line. `soap-run train --log` writes the
same."""

from __future__ import annotations

import csv
import json
import math
import os
from typing import Mapping, TextIO

COLUMNS = ("iteration", "epoch", "loss", "learning_rate", "seconds", "samples_per_second")


class TrainingLog:
    """A file that ends in .csv or .jsonl, which grows by a row for each iteration."""

    def __init__(self, path: str | os.PathLike[str], tests: tuple[str, ...] = ()):
        """`tests`: the columns of evaluations."""
        self.path = os.fspath(path)
        if not self.path.endswith((".csv", ".jsonl")):
            raise ValueError(f"log: expected a name that ends in .csv or .jsonl, got {self.path!r}")
        self.columns = (*COLUMNS, *tests)
        self._latest: dict[str, float | None] | None = None
        self._file: TextIO = open(self.path, "w", encoding="utf-8")
        if self.path.endswith(".csv"):
            self._file.write(",".join(self.columns) + "\n")

    def begin(self, row: Mapping[str, float | None]) -> None:
        """The row of an iteration; the one before is written."""
        self.finish()
        self._latest = dict(row)

    def set(self, row: Mapping[str, float | None]) -> None:
        """Further columns of the latest row."""
        if self._latest is not None:
            self._latest.update(row)

    def finish(self) -> None:
        if self._latest is not None:
            self._file.write(self._line(self._latest) + "\n")
            self._file.flush()
        self._latest = None

    def close(self) -> None:
        self.finish()
        self._file.close()

    def _line(self, row: Mapping[str, float | None]) -> str:
        if self.path.endswith(".csv"):
            return ",".join("" if row.get(name) is None else repr(row[name]) for name in self.columns)
        known = {name: row[name] for name in self.columns if row.get(name) is not None}
        return json.dumps({name: value if math.isfinite(value) else None for name, value in known.items() if value is not None})


def read_log(path: str | os.PathLike[str]) -> list[dict[str, float]]:
    """The rows of a log of `soap.fit` or of `soap-run train --log`: columns that a row lacks are not in it. A last row
    that is being written is left out."""
    path = os.fspath(path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = text[: text.rfind("\n") + 1].splitlines()
    rows: list[dict[str, float]] = []
    try:
        if path.endswith(".jsonl"):
            parsed = [json.loads(line) for line in lines]
            rows = [{name: math.nan if value is None else value for name, value in row.items()} for row in parsed]
        else:
            for row in csv.DictReader(lines):
                rows.append({name: float(value) for name, value in row.items() if value})
        for row in rows:
            row["iteration"] = int(row["iteration"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: is no log of a training: {error}") from None
    return rows
