# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans that an executor runs, and clusters of other sizes."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import ModuleType

from .cluster import Cluster, find_cluster
from .errors import PlanError
from .executors import missing, setup_of
from .hybrid import Plan, Shape
from .network import Network
from .planner import Planner, Problem
from .table import in_two
from .tools import Tools

#: Plans that are simulated of those whose prices are best.
SIMULATED = 3
#: A file says one level of recomputation for all stages.
LEVELS = ("none", "whole")


def choose_for(planner: Planner, executor: ModuleType, best: Plan, plans: list[Plan]) -> tuple[Plan, list[str]]:
    """The best of the nearest plans that an executor runs, and what it cannot say of the best."""
    problem = planner.problem
    assert isinstance(problem.model, Network)
    memory, per_machine = problem.cluster.memory_bytes, problem.cluster.per_machine
    shapes: dict[Shape, None] = {}
    gaps_of_best: list[str] = []
    for plan in [best, *plans]:
        gaps, near = missing(executor, setup_of(plan, problem.length, per_machine), problem.model)
        if plan is best:
            gaps_of_best = list(dict.fromkeys(gaps))
            if not gaps and best.fits:
                return best, []
        if near and near.shape.devices <= problem.cluster.devices:
            shapes[near.shape] = None
            if gaps and near.shape.recompute == "whole":
                shapes[replace(near.shape, recompute="none")] = None
    found = [plan for plan in in_two(planner, list(shapes)) if isinstance(plan, Plan)]
    if not found:
        raise PlanError(f"{executor.TITLE} cannot say any plan that was found: {'; '.join(gaps_of_best)}")
    found.sort(key=lambda plan: (not plan.fits, plan.excess_bytes, plan.nanoseconds))
    judged = planner.price_all([plan.shape for plan in found[:SIMULATED]], simulate=True)
    found += [plan for plan in judged if isinstance(plan, Plan)]
    done = {plan.shape for plan in found if plan.is_simulated}
    found = [plan for plan in found if plan.is_simulated or plan.shape not in done]
    chosen = min(found, key=lambda plan: plan.rank(memory))
    ratio = chosen.seconds / best.seconds
    note = f"{executor.TITLE} cannot say of the best plan ({best.shape.in_words(best.batch)}): {'; '.join(gaps_of_best)}"
    return chosen, [note, f"its best that was found takes {ratio:.2f} times as long"]


def sizes_of(tools: Tools, cluster: Cluster, most: int = 0, larger: bool = False) -> list[Cluster]:
    """A cluster and its halves, or twice and four times as many machines, with at most `most` devices."""
    match = re.fullmatch(r"(.+-)(?:(\d+)x)?(\d+)(-p2p)?", cluster.name)
    if not match:
        if most and cluster.devices > most:
            raise PlanError(f"--max-devices {most}: the file {cluster.name} has {cluster.devices} devices, expected a "
                            "built-in cluster")  # fmt: skip
        return [] if larger else [cluster]
    machines, width = int(match[2] or 1), int(match[3])
    counts = [machines << i for i in range(1, 5)] if larger else [machines >> i for i in range(machines.bit_length())][::-1]
    found = []
    for count in counts:
        if most and count * width > most:
            continue
        name = cluster.name if count == machines else f"{match[1]}{count}x{width}{match[4] or ''}"
        try:
            found.append(find_cluster(tools, name))
        except PlanError:
            continue
    if not found and not larger:
        raise PlanError(f"--max-devices {most}: a machine of {cluster.name} has {width} devices, expected at least as many")
    return found


def other_sizes(tools: Tools, problem: Problem, most: int) -> tuple[Problem, list[tuple[str, int, Plan]]]:
    """The cluster whose plan takes the fewest device-seconds, and what all sizes take."""

    def search(cluster: Cluster) -> tuple[Cluster, Plan] | None:
        planner = Planner(tools, replace(problem, cluster=cluster), lambda _: None)
        planner.build_step()
        try:
            return cluster, planner.search(None)[0]
        except PlanError:
            return None

    with ThreadPoolExecutor(2) as pool:
        found = [entry for entry in pool.map(search, sizes_of(tools, problem.cluster, most)) if entry]
    rows = [(cluster.name, cluster.devices, plan) for cluster, plan in found]
    fitting = [entry for entry in found if entry[1].fits]
    if not fitting:
        return problem, rows
    cluster, _ = min(fitting, key=lambda entry: entry[0].devices * entry[1].seconds)
    return replace(problem, cluster=cluster), rows
