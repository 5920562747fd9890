# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The best plan of each kind, baselines among them."""

from __future__ import annotations

from .errors import PlanError
from .hybrid import Plan, Shape
from .planner import Planner

#: Kinds that are always named, and their ZeRO.
BASELINES = {"DDP": 0, "ZeRO-1": 1, "FSDP (ZeRO-3)": 3}


def is_better(a: Plan, b: Plan) -> bool:
    return (a.excess_bytes, a.nanoseconds) < (b.excess_bytes, b.nanoseconds)


def price_baseline(planner: Planner, kind: str) -> Plan | str:
    """Replicas alone, with as little recomputation as fits; or why there is none."""
    devices, batch = planner.problem.cluster.devices, planner.problem.batch
    try:
        return planner.price(Shape(data=min(devices, batch), zero=BASELINES[kind]))
    except PlanError as error:
        return str(error).split("': ", 1)[-1]


def best_of_kinds(plans: list[Plan]) -> dict[str, Plan]:
    """Fastest first, those that do not fit last."""
    best: dict[str, Plan] = {}
    for plan in plans:
        kind = plan.shape.kind()
        if kind not in best or is_better(plan, best[kind]):
            best[kind] = plan
    return dict(sorted(best.items(), key=lambda row: (row[1].excess_bytes > 0, row[1].nanoseconds)))
