# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of an answer of soap-plan."""

from __future__ import annotations

import tempfile
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

from ..errors import OutOfTime, PlanError
from ..hybrid import Plan
from ..network import Network
from .data import (
    Simulated,
    cluster_data,
    fill,
    fingerprints_of,
    made_by,
    provenance,
    report_of,
    simulate,
    simulation_facts,
    tiers_of,
    topology_of,
)
from .render import pack, render
from .simulations import Simulations

if TYPE_CHECKING:
    from ..answer import Answer
    from ..planner import Planner

BATCHES = (0.25, 0.5, 2.0, 4.0)


def page_of_answer(planner: Planner, answer: Answer, progress: Callable[[str], None], command: str) -> str:
    problem, tools = answer.problem, planner.tools
    strategy = answer.folder / "strategy.mlir" if answer.folder else None
    with tempfile.TemporaryDirectory(prefix="soap-plan-") as place:
        folder = Path(place)
        simulated: Simulated | None = None
        why = answer.refused.get("strategy", "the answer has no strategy")
        if strategy and strategy.exists():
            progress("simulating the plan for its page")
            try:
                simulated = simulate(tools, strategy, folder, compare="none")
            except PlanError as error:
                why = str(error)
        data: dict[str, Any] = {
            "version": 1,
            "title": f"{problem.name} on {problem.cluster.name}",
            "cluster": cluster_data(problem.cluster),
        }
        data["lead"] = _sentence(answer.best.shape.in_words(answer.best.batch))
        data["executor_words"] = f"as {problem.executor} runs it" if problem.executor else "one training iteration"
        data["answer"] = answer.as_json()
        data["facts"] = _facts(answer, simulated)
        data["search"] = _search(answer)
        if simulated:
            simulations = Simulations(planner.problem.time_limit)
            batches = Batches(planner, answer, simulations)
            # A batch that makes no whole microbatches is not written, so the module's is the answer's.
            fill(data, simulated, tools, folder, progress, simulations, answer.best.reserve_bytes, batches.start)
            batches.add_row(data["what_if"])
            if answer.today and answer.today.shape != answer.best.shape:
                _add_today(data, planner, answer.today, simulated, folder, progress)
        else:
            data["why_no_timeline"] = f"No timeline: {why}."
            topology = tools.topology(problem.cluster.name)
            data["topology"] = topology_of(topology, tiers_of(topology))
        fingerprints = {}
        if simulated and strategy:  # written beside it
            fingerprints = fingerprints_of(strategy.with_suffix(".json").read_text(encoding="utf-8"))
        data["made"] = made_by(tools, command, fingerprints)
        data["provenance"] = provenance(simulated, has_answer=True, has_alternatives=bool(data.get("explain")))
        return render(data)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + "."


def _facts(answer: Answer, simulated: Simulated | None) -> list[list[str]]:
    problem = answer.problem
    batch = f"{problem.batch:,} samples"
    if problem.length:
        batch += f" of {problem.length:,} positions"
    rows = [
        ["model", f"{problem.name}, {answer.parameters:,} parameters"],
        ["cluster", problem.cluster.in_words()],
        ["an iteration", batch],
        ["precision", f"products in {problem.precision}, weights and states in f32"],
        [
            "search",
            f"{answer.search['priced']:,} of {answer.search['shapes']:,} shapes priced, "
            f"{answer.search['simulated']:,} simulated",
        ],
    ]
    if problem.executor:
        rows.append(["executor", problem.executor])
    if simulated:
        rows += simulation_facts(simulated.report)
    if answer.preset:
        rows.append(["preset", f"'{answer.preset}', the whole batch at once, is faster; the strategy is that"])
    return rows


def _search(answer: Answer) -> dict[str, Any]:
    memory, best = answer.problem.cluster.memory_bytes, answer.best
    simulated = {plan.shape for plan in answer.plans if plan.is_simulated}
    plans: dict[tuple, dict[str, Any]] = {}
    for plan in [best, *answer.plans]:
        if not plan.is_simulated and plan.shape in simulated:
            continue
        words = plan.shape.in_words(plan.batch)
        plans.setdefault(
            (words, plan.nanoseconds),
            {
                "words": words,
                "ns": plan.nanoseconds,
                "bytes": plan.peak_bytes,
                "fits": plan.rank(memory)[0] == 0,
                "state": plan.state(memory).removesuffix("priced"),
                "simulated": plan.is_simulated,
                "isBest": plan is best,
            },
        )
    facts = [
        ["shapes", f"{answer.search['shapes']:,}"],
        ["shapes that were priced", f"{answer.search['priced']:,}"],
        ["plans that were simulated", f"{answer.search['simulated']:,}"],
        ["seconds", f"{answer.search['seconds']:.1f}"],
        ["complete", "yes" if answer.complete else "no: the time limit ended it"],
    ]
    sizes = [
        {
            "cluster": name,
            "devices": devices,
            "seconds": plan.seconds,
            "fits": plan.fits,
            "device_seconds": devices * plan.seconds,
        }
        for name, devices, plan in answer.costs
    ]
    return {"facts": facts, "plans": list(plans.values()), "sizes": sizes}


class Batches:
    """The plan's shape under other batches, by time for as many samples."""

    def __init__(self, planner: Planner, answer: Answer, simulations: Simulations) -> None:
        self.planner, self.simulations = planner, simulations
        self.shape, self.batch, self.now = answer.best.shape, answer.best.batch, answer.best.nanoseconds
        counts = {factor: round(self.batch * factor) for factor in BATCHES}
        is_network = isinstance(answer.problem.model, Network) and self.shape.devices > 0
        self.counts = counts if is_network else {}
        self.found: dict[float, Future[dict[str, Any]]] = {}

    def start(self, factor: float) -> None:
        count = self.counts.get(factor, 0)
        if count and not self._is_small(count):
            self.found[factor] = self.simulations.start(
                lambda left: self.planner.price_batch(self.shape, count, left)
            )

    def _is_small(self, count: int) -> bool:
        return count < self.shape.data * self.shape.samples

    def add_row(self, table: dict[str, Any]) -> None:
        if not self.counts:
            return
        points: list[dict[str, Any]] = [{"factor": 1, "ns": self.now, "share": 0}]
        points += [self._point(factor, count) for factor, count in self.counts.items()]
        table["rows"].append({"what": "samples of an iteration", "now": f"{self.batch:,}", "points": points})

    def _point(self, factor: float, count: int) -> dict[str, Any]:
        if self._is_small(count):
            why = f"{count} samples are less than {self.shape.data} replicas of {self.shape.samples} take at a time"
            return {"factor": factor, "short": "too small", "why": why}
        try:
            found = self.found[factor].result()
        except OutOfTime:
            return {"factor": factor, "short": "–", "why": "the time limit left it out"}
        except PlanError as error:
            return {"factor": factor, "why": str(error)}
        return {
            "factor": factor,
            "ns": found["makespan_ns"],
            "share": found["makespan_ns"] / factor / self.now - 1,
            "unit": "a sample",
            "fits": found["excess_bytes"] == 0,
            "priced": not found["simulated_microbatches"],
        }


def _add_today(
    data: dict[str, Any],
    planner: Planner,
    today: Plan,
    simulated: Simulated,
    folder: Path,
    progress: Callable[[str], None],
) -> None:
    """The job of today as plan B."""
    progress("simulating the job of today")
    module = folder / "today.mlir"
    try:
        planner.price(today.shape, output=module)
        other = simulate(planner.tools, module, folder, compare="none")
    except PlanError as error:
        data["answer"]["notes"].append(f"the job of today is not compared on one axis: {error}")
        return
    timeline = {key: value for key, value in other.timeline.items() if key != "ops"}
    data["beside"] = {
        "title": "today: " + today.shape.in_words(today.batch),
        "report": report_of(other.report),
        "timeline": pack(timeline)[0],
        "peak_bytes": other.peak_bytes,
    }
