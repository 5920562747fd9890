# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The answer: its figures, as JSON, and as text for a terminal."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from . import html
from .hybrid import Plan
from .network import Network
from .planner import Problem

MFU = ("floating-point operations of the model's forward and backward pass (products of weights, each once, and "
       "attention: causal half of all pairs; nothing recomputed), over time x devices x dense bf16 peak")  # fmt: skip


def gigabytes(count: float) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.1f} MB"


def duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds:.2f} s" if seconds >= 10 else f"{seconds * 1e3:,.1f} ms"


@dataclass
class Answer:
    """All that `soap-plan` prints and writes."""

    problem: Problem
    parameters: int
    pass_flops: float
    best: Plan
    kinds: dict[str, Plan]
    why_missing: dict[str, str] = field(default_factory=dict)
    complete: bool = True
    preset: str = ""
    files: dict[str, str] = field(default_factory=dict)  # name: content
    refused: dict[str, str] = field(default_factory=dict)  # executor: why
    notes: list[str] = field(default_factory=list)
    #: By size of the cluster, where cost is the objective: its name, devices, and plan.
    costs: list[tuple[str, int, Plan]] = field(default_factory=list)
    #: A job that was checked, and what the plan is beside it.
    today: Plan | None = None
    verdict: str = ""
    #: What would do where nothing fits.
    enough: str = ""
    folder: Path | None = None
    #: All that were priced, and what the search says of itself.
    plans: list[Plan] = field(default_factory=list)
    search: dict[str, Any] = field(default_factory=dict)

    # Figures

    @property
    def flops(self) -> float:
        """Of an iteration, by the definition of MFU."""
        model, problem = self.problem.model, self.problem
        if isinstance(model, Network):
            return float(model.flops_of_sample(problem.length) * problem.batch)
        return self.pass_flops

    def mfu(self, plan: Plan) -> float:
        cluster = self.problem.cluster
        return self.flops / plan.seconds / cluster.devices / cluster.peak_flops

    def rate(self, plan: Plan) -> tuple[float, str]:
        """Tokens a second, or samples."""
        if "tokens_per_second" in plan.report:
            return plan.report["tokens_per_second"], "tokens/s"
        if self.problem.length and isinstance(self.problem.model, Network) and not self.problem.model.fixed_length:
            return self.problem.batch * self.problem.length / plan.seconds, "tokens/s"
        return self.problem.batch / plan.seconds, "samples/s"

    def where_time_goes(self, plan: Plan) -> dict[str, float]:
        """Seconds of the stage that works longest, by its price; the rest of the iteration it waits."""
        count = plan.shape.microbatches(plan.batch)
        groups: list[dict[str, float]] = []
        for group in range(plan.shape.stages):
            own = plan.report["by_stage"][group :: plan.shape.stages]
            groups.append({name: sum(stage[key] for stage in own) * times * 1e-9 for name, key, times in (
                ("forward passes", "forward_ns", count),
                ("backward passes, with recomputation", "backward_ns", count),
                ("gradients and weights that nothing hides", "exposed_ns", 1),
                ("updates", "update_ns", 1))})  # fmt: skip
        return max(groups, key=lambda group: sum(group.values()))

    # JSON

    def as_json(self) -> dict[str, Any]:
        problem, model = self.problem, self.problem.model
        return {
            "version": 1,
            "model": {"name": problem.name, "parameters": self.parameters,
                      **({"family": model.family, "sizes": asdict(model.sizes)} if isinstance(model, Network) else {})},
            "cluster": asdict(problem.cluster),
            "global_batch": problem.batch,
            "sequence_length": problem.length,
            "precision": problem.precision,
            "flops": self.flops,
            "best": self._plan_json(self.best),
            **({"today": self._plan_json(self.today), "verdict": self.verdict} if self.today else {}),
            "best_of_kinds": {kind: self._plan_json(plan) for kind, plan in self.kinds.items()},
            "missing": self.why_missing,
            "complete": self.complete,
            "assumed": self.assumed(),
            "limits": self.limits(),
            "notes": self.notes,
            "not_written": self.refused,
            "sizes": [{"cluster": name, "devices": devices, "seconds": plan.seconds, "fits": plan.fits,
                       "device_seconds": devices * plan.seconds} for name, devices, plan in self.costs],
            "enough": self.enough,
        }  # fmt: skip

    def json_text(self) -> str:
        return json.dumps(self.as_json(), indent=2, sort_keys=True) + "\n"

    def _plan_json(self, plan: Plan) -> dict[str, Any]:
        rate, unit = self.rate(plan)
        return {
            "kind": plan.shape.kind(),
            "words": plan.shape.in_words(plan.batch),
            **asdict(plan.shape),
            "recompute_by_stage": plan.recompute_by_stage(),
            "microbatches": plan.shape.microbatches(plan.batch),
            "seconds": plan.seconds,
            "nanoseconds": plan.nanoseconds,
            "state": plan.state(self.problem.cluster.memory_bytes),
            unit.replace("/s", "_per_second"): rate,
            "mfu": self.mfu(plan),
            "fits": plan.fits,
            "excess_bytes": plan.excess_bytes,
            "simulated": plan.is_simulated,
            "peak_bytes": plan.peak_bytes,
            "memory": plan.memory_by_kind(),
            "report": plan.report,
        }

    # Text

    def assumed(self) -> list[str]:
        model, problem = self.problem.model, self.problem
        lines = list(problem.assumed)
        lines += model.assumed
        lines.append(f"AdamW with two moments and weights in f32; products in {problem.precision}")
        return lines

    def limits(self) -> list[str]:
        """The limits that figures say; nothing else."""
        best, cluster = self.best, self.problem.cluster
        lines = []
        bubble = best.report.get("bubble")
        if bubble is not None:
            lines.append(f"devices compute {100 * (1 - bubble):.1f} % of the iteration and wait {100 * bubble:.1f} %")
        again = [level for level in best.recompute_by_stage() if level != "none"]
        if again:
            lines.append(f"memory: {len(again)} of {len(best.recompute_by_stage())} stages compute activations again")
        lines.append(f"memory: {gigabytes(best.peak_bytes)} of {gigabytes(cluster.memory_bytes)} of the fullest device")
        faster = [(kind, plan) for kind, plan in self.kinds.items() if plan.seconds < best.seconds and not plan.fits]
        if faster:
            kind, plan = min(faster, key=lambda row: row[1].excess_bytes)
            if best.fits or plan.excess_bytes > best.excess_bytes:
                lines.append(f"{kind} would take {duration(plan.seconds)} with {gigabytes(plan.excess_bytes)} more memory "
                             "on a device")  # fmt: skip
        return lines

    def as_text(self) -> str:
        rows = self._rows()
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
        numeric = {1, 2, 3, 4}
        table = ["  " + "  ".join([*(cell.rjust(widths[i]) if i in numeric else cell.ljust(widths[i])
                                     for i, cell in enumerate(row[:-1])), row[-1]]) for row in rows]  # fmt: skip
        return "\n".join([*self._before_table(), "", "The best of each kind:", *table, "", *self._behind_table()]) + "\n"

    def _repr_html_(self) -> str:
        """The same as in `as_text`, for notebooks."""
        before = [line.strip() for line in self._before_table() if line]
        header, *rows = self._rows()
        return "<div>" + "".join([
            *(html.paragraph(line, strong=line.startswith(("Plan: ", "Today: "))) for line in before),
            html.table(header, rows), html.listing("Memory, time, limits, and what is assumed", self._behind_table())]) + "</div>"  # fmt: skip

    def _before_table(self) -> list[str]:
        problem, best = self.problem, self.best
        batch = f"{problem.batch:,} samples"
        if problem.length:
            batch += f" of {problem.length:,} positions"
        lines = [
            f"{problem.name}: {self.parameters:,} parameters; {batch} an iteration",
            problem.cluster.in_words(),
            "",
        ]
        if self.today:
            rate, unit = self.rate(self.today)
            state = self.today.state(problem.cluster.memory_bytes)
            lines += [f"Today: {self.today.shape.in_words(self.today.batch)}",
                      f"  {duration(self.today.seconds)} an iteration, {rate:,.0f} {unit}, "
                      f"{100 * self.mfu(self.today):.1f} % MFU, {gigabytes(self.today.peak_bytes)} on the fullest device"
                      + (f"; {state}" if state else ""), f"  {self.verdict}", ""]  # fmt: skip
        lines += [f"Plan: {best.shape.in_words(best.batch)}"]
        if best.shape.devices < problem.cluster.devices:
            lines[-1] += f", {problem.cluster.devices - best.shape.devices} devices idle"
        if best.shape.recompute is None and best.recompute_by_stage():
            lines.append("  recomputation by stage: " + _runs(best.recompute_by_stage()))
        rate, unit = self.rate(best)
        fits = "" if best.fits else f"; DOES NOT FIT, {gigabytes(best.excess_bytes)} too much on a device"
        lines.append(
            f"  {duration(best.seconds)} an iteration, {rate:,.0f} {unit}, {100 * self.mfu(best):.1f} % MFU{fits}"
        )
        if "makespan_range_ns" in best.report:
            least, most = (duration(1e-9 * ns) for ns in best.report["makespan_range_ns"])
            of = "measured runs" if problem.executor.endswith(".json") else "published runs (docs/Executors.md)"
            lines.append(f"  {least} to {most}, as prices of this executor are from {of}")
        if self.enough:
            lines.append(f"  {self.enough}")
        lines += [f"  {note}" for note in self.notes]
        if self.costs:
            lines += ["", "Device-seconds of an iteration, by size:"]
            lines += [f"  {name}: {devices * plan.seconds:,.2f}, {duration(plan.seconds)} an iteration"
                      + ("" if plan.fits else ", does not fit") for name, devices, plan in self.costs]  # fmt: skip
        return lines

    def _behind_table(self) -> list[str]:
        best = self.best
        lines = [f"  {kind}: none: {why}" for kind, why in self.why_missing.items()]
        memory = best.memory_by_kind()
        if memory:
            lines.append("Memory of the fullest device, by its price: "
                         + ", ".join(f"{kind} {gigabytes(count)}" for kind, count in memory.items()))  # fmt: skip
            lines.append(f"  in all {gigabytes(sum(memory.values()))}; the {'simulated' if best.is_simulated else 'priced'} "
                         f"peak is {gigabytes(best.peak_bytes)}")  # fmt: skip
        if best.report.get("by_stage"):
            parts = self.where_time_goes(best)
            rest = best.seconds - sum(parts.values())
            lines.append("Time of the busiest stage, by its price: "
                         + ", ".join(f"{name} {duration(seconds)}" for name, seconds in parts.items() if seconds)
                         + (f", waiting {duration(rest)}" if rest > 0 else ""))  # fmt: skip
        lines += ["Limits and changes:", *(f"  {line}" for line in self.limits())]
        lines += ["Assumed:", *(f"  {line}" for line in self.assumed())]
        if not self.complete:
            lines.append("The time limit ended the search; --time-limit 0 looks at all of it.")
        if self.preset:
            lines.append(f"The preset '{self.preset}', the whole batch at once, is faster; the strategy is that.")
        if self.folder:
            lines += ["", f"Written to {self.folder}: {', '.join(sorted(self.files))}"]
        lines += [f"Not written: {name}: {why}" for name, why in self.refused.items()]
        return lines

    def _rows(self) -> list[list[str]]:
        """The table of kinds, its header first."""
        rows = [["kind", "time", "per second", "MFU", "memory", "", "plan"]]
        for kind, plan in self.kinds.items():
            rate, unit = self.rate(plan)
            state = plan.state(self.problem.cluster.memory_bytes)
            rows.append([kind, duration(plan.seconds), f"{rate:,.0f}", f"{100 * self.mfu(plan):.1f} %",
                         gigabytes(plan.peak_bytes), state, plan.shape.in_words(plan.batch)])  # fmt: skip
        return rows


def _runs(levels: list[str]) -> str:
    """`selective in 0 to 3, none in 4 to 7`."""
    runs: list[tuple[str, int, int]] = []
    for i, level in enumerate(levels):
        if runs and runs[-1][0] == level:
            runs[-1] = (level, runs[-1][1], i)
        else:
            runs.append((level, i, i))
    return ", ".join(f"{level} in {first}" + (f" to {last}" if last > first else "") for level, first, last in runs)
