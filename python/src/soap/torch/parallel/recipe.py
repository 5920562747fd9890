# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a hybrid plan the engine runs, and the mesh that it runs on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...planning.errors import PlanError
from ...planning.executors.setup import Gap, Rule, Setup, is_even, no_experts, no_offload, no_overlap
from ...planning.recipe import Recipe, read_recipe

#: Dims of the mesh, from the slowest: device ((group * data + replica) * context + place) * tensor + member.
DIMS = ("stage", "data", "context", "tensor")
PRECISIONS = ("bf16", "f32")


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


RULES: list[Rule] = [no_offload, no_overlap, no_experts, _in_order, _places_of_stages, _one_sample, _states_of_places, _zero_of_stages, is_even]


def read_plan(plan: Any, kind: str | None = None) -> Recipe:
    """The recipe of a plan for the engine of PyTorch."""
    return read_recipe(plan, kind, "soap.torch", RULES, PRECISIONS)


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
