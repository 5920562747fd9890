# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hybrid plans for engines that run in this process: PyTorch's and JAX's."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Mapping, Sequence

from .errors import PlanError, listed
from .executors.setup import Rule, Setup, gaps
from .hybrid import Shape, plan_of


@dataclass(frozen=True)
class Recipe:
    """A hybrid plan as an engine takes it."""

    shape: Shape
    batch: int
    precision: str
    #: `none`, `selective` or `whole`, of each stage of the pipeline.
    recompute: tuple[str, ...]

    @property
    def stages(self) -> int:
        """Of the pipeline: each group of devices has `chunks` of them."""
        return self.shape.stages * self.shape.chunks

    @property
    def microbatches(self) -> int:
        return self.shape.microbatches(self.batch)

    @property
    def samples(self) -> int:
        """Of a replica in an iteration."""
        return self.batch // self.shape.data

    def in_words(self) -> str:
        return f"{self.shape.in_words(self.batch)}, {self.precision}"


def read_recipe(plan: Any, kind: str | None, engine: str, rules: list[Rule], precisions: Sequence[str]) -> Recipe:
    """The recipe of plan.json (its path, its folder, or what it holds) or of an answer of `soap.plan`; `kind` is a row
    of the table of kinds, else the best. An error names what the engine cannot run, and the nearest that it can."""
    values, where = _values(plan)
    rows = values.get("best_of_kinds", {})
    if kind is not None and kind not in rows:
        raise PlanError(f"{where}: kind {kind!r}: expected {listed(list(rows)) or 'no kind, as the plan has no table'}")
    row = rows[kind] if kind is not None else values.get("best")
    try:
        # A row of plan.json has the pass's report; a plan by hand has the shape's parts alone.
        shape = plan_of(row["report"], 1).shape if "report" in row else Shape(**{k: v for k, v in row.items() if k in _PARTS})
        batch, precision = int(values["global_batch"]), str(values["precision"])
    except (KeyError, TypeError, ValueError) as error:
        raise PlanError(f"{where}: expected the plan.json of soap-plan; '{error}' is missing or of another kind") from None
    levels = tuple(row.get("recompute_by_stage") or [shape.recompute or "none"] * (shape.stages * shape.chunks))
    if precision not in precisions:
        raise PlanError(f"{where}: precision {precision}: {engine} runs {listed(list(precisions))}; the nearest is bf16")
    if shape.data * shape.context == 1:  # ZeRO over one holder of the weights is none
        shape = replace(shape, zero=0)
    if shape.tensor == 1:
        shape = replace(shape, sequence=False)
    missed, nearest = gaps(rules, Setup(shape, batch, 0, 0), None)  # type: ignore[arg-type]
    if missed:
        words = f"the nearest plan that it runs is {nearest.shape.in_words(batch)} (plan={nearest.shape.option()})" \
            if nearest else "no plan is near"  # fmt: skip
        raise PlanError(f"{where}: {engine} cannot run {'; '.join(missed)}; {words}")
    return Recipe(shape, batch, precision, levels)


_PARTS = frozenset(Shape.__dataclass_fields__)


def _values(plan: Any) -> tuple[Mapping[str, Any], str]:
    if isinstance(plan, Mapping):
        return plan, "plan"
    if hasattr(plan, "as_json"):
        return plan.as_json(), "plan"
    if not isinstance(plan, (str, os.PathLike)):
        raise PlanError(f"expected a plan.json, or an answer of soap.plan, got a {type(plan).__name__}")
    path = Path(plan)
    path = path / "plan.json" if path.is_dir() else path
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PlanError(f"{path}: expected the plan.json of soap-plan: {error}") from None
    if not isinstance(values, dict):
        raise PlanError(f"{path}: expected the plan.json of soap-plan")
    return values, str(path)
