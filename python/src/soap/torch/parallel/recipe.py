# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a hybrid plan the engine runs, and the mesh that it runs on."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Mapping

from ...planning.errors import PlanError, listed
from ...planning.executors.setup import Gap, Rule, Setup, gaps, is_even, no_experts, no_offload
from ...planning.hybrid import Shape, plan_of

#: Dims of the mesh, from the slowest: device ((group * data + replica) * context + place) * tensor + member.
DIMS = ("stage", "data", "context", "tensor")
PRECISIONS = ("bf16", "f32")


@dataclass(frozen=True)
class Recipe:
    """A plan as the engine takes it."""

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


def read_plan(plan: Any, kind: str | None = None) -> Recipe:
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
    if precision not in PRECISIONS:
        raise PlanError(f"{where}: precision {precision}: soap.torch runs {listed(PRECISIONS)}; the nearest is bf16")
    if shape.data * shape.context == 1:  # ZeRO over one holder of the weights is none
        shape = replace(shape, zero=0)
    if shape.tensor == 1:
        shape = replace(shape, sequence=False)
    missed, nearest = gaps(RULES, Setup(shape, batch, 0, 0), None)  # type: ignore[arg-type]
    if missed:
        words = f"the nearest plan that it runs is {nearest.shape.in_words(batch)} (plan={nearest.shape.option()})" \
            if nearest else "no plan is near"  # fmt: skip
        raise PlanError(f"{where}: soap.torch cannot run {'; '.join(missed)}; {words}")
    return Recipe(shape, batch, precision, levels)


_PARTS = frozenset(Shape.__dataclass_fields__)


def _values(plan: Any) -> tuple[Mapping[str, Any], str]:
    if isinstance(plan, Mapping):
        return plan, "plan"
    if hasattr(plan, "as_json"):
        return plan.as_json(), "plan"
    if not isinstance(plan, (str, os.PathLike)):
        raise PlanError(f"parallelize: a plan is a plan.json, or an answer of soap.plan, got a {type(plan).__name__}")
    path = Path(plan)
    path = path / "plan.json" if path.is_dir() else path
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PlanError(f"{path}: expected the plan.json of soap-plan: {error}") from None
    if not isinstance(values, dict):
        raise PlanError(f"{path}: expected the plan.json of soap-plan")
    return values, str(path)


def _in_order(setup: Setup, _: Any) -> Gap | None:
    """Positions of a DTensor are in order."""
    if not setup.shape.zigzag:
        return None
    return Gap("places with an early and a late part of a sequence", replace(setup.shape, zigzag=False))


def _one_sample(setup: Setup, _: Any) -> Gap | None:
    if setup.shape.context == 1 or setup.shape.samples == 1:
        return None
    return Gap("context parallelism with several samples in a microbatch", replace(setup.shape, samples=1))


def _states_of_places(setup: Setup, _: Any) -> Gap | None:
    """Places of a sequence hold the same weights and states."""
    shape = setup.shape
    if shape.context == 1 or shape.zero == 0:
        return None
    return Gap("states that are split over the places of a sequence", replace(shape, zero=0))


def _places_of_stages(setup: Setup, _: Any) -> Gap | None:
    shape = setup.shape
    if shape.context == 1 or shape.stages == 1:
        return None
    return Gap("context parallelism with pipeline stages", replace(shape, stages=1, chunks=1, data=shape.data * shape.stages))


def _zero_of_stages(setup: Setup, _: Any) -> Gap | None:
    """Schedules reduce gradients once, behind the last microbatch."""
    shape = setup.shape
    if shape.stages == 1 or shape.zero < 2:
        return None
    return Gap(f"ZeRO-{shape.zero} with pipeline stages", replace(shape, zero=1))


RULES: list[Rule] = [no_offload, no_experts, _in_order, _places_of_stages, _one_sample, _states_of_places, _zero_of_stages, is_even]


def check_mesh(mesh: Any, recipe: Recipe) -> None:
    """An error unless the mesh has the plan's dims. `data` may be two dims, `replicate` and `data`: ZeRO is then within
    the second one (HSDP)."""
    shape, names = recipe.shape, tuple(mesh.mesh_dim_names or ())
    sizes = dict(zip(names, mesh.shape))
    hybrid = ("stage", "replicate", *DIMS[1:])
    expected = {"stage": shape.stages, "data": shape.data, "context": shape.context, "tensor": shape.tensor}
    if names == hybrid:
        sizes["data"] *= sizes.pop("replicate")
    if names not in (DIMS, hybrid) or sizes != expected:
        raise PlanError(f"parallelize: the mesh is {dict(zip(names, mesh.shape)) or tuple(mesh.shape)}; expected {expected}, as "
                        "engine_mesh(plan) makes it")  # fmt: skip
