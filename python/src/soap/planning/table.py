# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The best plan of each kind, baselines among them."""

from __future__ import annotations

from dataclasses import replace

from .hybrid import Plan, Shape
from .planner import Planner

#: Kinds that are always named, and their ZeRO.
BASELINES = {"DDP": 0, "ZeRO-1": 1, "FSDP (ZeRO-3)": 3}
#: The most samples of a microbatch that are looked at beside the search.
MOST_SAMPLES = 256


def samples_from(first: int, replicas: int, batch: int) -> list[int]:
    """Powers of two as long as a replica has so many samples."""
    counts = []
    while first <= MOST_SAMPLES and first * replicas <= batch:
        counts.append(first)
        first *= 2
    return counts


def baselines(planner: Planner) -> list[Shape]:
    """Replicas alone, with as little recomputation as fits."""
    devices, batch = planner.problem.cluster.devices, planner.problem.batch
    replicas = min(devices, batch)
    return [Shape(data=replicas, zero=zero, samples=samples)
            for zero in BASELINES.values() for samples in samples_from(1, replicas, batch)]  # fmt: skip


def longer_microbatches(planner: Planner, best: dict[str, Plan]) -> list[Shape]:
    """Of kinds that the search has left behind, whose shapes it did not look at further."""
    batch = planner.problem.batch
    return [replace(plan.shape, samples=samples, recompute=None)
            for kind, plan in best.items() if kind not in BASELINES and not plan.is_simulated
            for samples in samples_from(2 * plan.shape.samples, plan.shape.data, batch)[:4]]  # fmt: skip


def best_of_kinds(plans: list[Plan], memory_bytes: int, by_price: bool = False) -> dict[str, Plan]:
    """Fastest first, then those that may not fit, and those that do not. Of one shape a simulation counts, not its
    price. `by_price`: what may not fit counts as what does."""
    simulated = {plan.shape for plan in plans if plan.is_simulated}
    best: dict[str, Plan] = {}

    def rank(plan: Plan) -> tuple[int, int]:
        level, rest = plan.rank(memory_bytes)
        return (0 if by_price and level == 1 else level), rest

    for plan in plans:
        kind = plan.shape.kind()
        if not plan.is_simulated and plan.shape in simulated:
            continue
        if kind not in best or rank(plan) < rank(best[kind]):
            best[kind] = plan
    return dict(sorted(best.items(), key=lambda row: (row[1].rank(memory_bytes)[0], row[1].nanoseconds)))


def simulated(planner: Planner, plans: list[Plan]) -> list[Plan]:
    """The best of each kind with simulated figures, where it seems to fit and simulations end."""
    best = best_of_kinds(plans, planner.problem.cluster.memory_bytes, by_price=True).values()
    shapes = [plan.shape for plan in best if plan.fits and not plan.is_simulated]
    found = planner.price_all(shapes, simulate=True)
    return [plan for plan in found if isinstance(plan, Plan)]
