# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The best plan of each kind, baselines among them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from .hybrid import Plan, Shape
from .planner import Planner

#: Kinds that are always named, and their ZeRO.
BASELINES = {"DDP": 0, "ZeRO-1": 1, "FSDP (ZeRO-3)": 3}
#: The most samples of a microbatch that are looked at beside the search.
MOST_SAMPLES = 128


def baselines(planner: Planner) -> list[Shape]:
    """Replicas alone, with as little recomputation as fits."""
    devices, batch = planner.problem.cluster.devices, planner.problem.batch
    return [Shape(data=min(devices, batch), zero=zero) for zero in BASELINES.values()] if devices > 1 else []


def longer_microbatches(planner: Planner, plans: list[Plan]) -> list[Plan]:
    """Of kinds that the search has left behind: twice as many samples, as long as that is better."""
    batch, memory = planner.problem.batch, planner.problem.cluster.memory_bytes
    found: list[Plan] = []
    open_kinds: set[str] | None = None
    while open_kinds is None or open_kinds:
        best = best_of_kinds([*plans, *found], memory, by_price=True)
        shapes = [replace(plan.shape, samples=2 * plan.shape.samples, recompute=None) for kind, plan in best.items()
                  if plan.fits and not plan.is_simulated and (open_kinds is None or kind in open_kinds)]  # fmt: skip
        shapes = [shape for shape in shapes if shape.samples <= MOST_SAMPLES and shape.samples * shape.data <= batch]
        longer = [plan for plan in in_two(planner, shapes) if isinstance(plan, Plan)]
        open_kinds = {plan.shape.kind() for plan in longer
                      if plan.fits and plan.nanoseconds < best[plan.shape.kind()].nanoseconds}  # fmt: skip
        found += longer
    return found


def in_two(planner: Planner, shapes: list[Shape], simulate: bool = False) -> list[Plan | str]:
    """Prices by two processes."""
    with ThreadPoolExecutor(2) as pool:
        halves = pool.map(lambda part: planner.price_all(part, simulate), (shapes[::2], shapes[1::2]))
    return [plan for half in halves for plan in half]


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
    found = in_two(planner, shapes, simulate=True)
    return [plan for plan in found if isinstance(plan, Plan)]
