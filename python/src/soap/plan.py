# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans: models with a strategy, on a topology."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any, Sequence

from ._options import pass_options
from .errors import SoapError, keywords_beside
from .layout import Layout
from .model import Model, check_model, needs_training_step
from .planning import html
from .planning.keywords import names_nearest

#: TensorOpt's options (Cai et al., 2020).
OPTIONS = ("mini-time", "mini-parallelism", "profiling")


def find_strategy(
    model: Model,
    topology: str | os.PathLike[str],
    option: str | None = None,
    *,
    function: str | None = None,
    optimizer: str = "sgd",
    learning_rate: float = 0.01,
    training: dict[str, Any] | bool = True,
    **search: Any,
) -> Plan:
    """Searches a fast strategy for a model on a topology: a built-in name such as `cpu-4` or `h100-8x8`, or a file.

    `option` is one of TensorOpt's: `mini-time` (the fastest strategy that fits into memory), `mini-parallelism` (the
    fewest devices that some strategy fits on), `profiling` (frontiers for 1, 2, 4, ... devices, then as `mini-time`).
    None is the search of the SOAP paper, ten seconds unless `time_limit` or `proposals` says otherwise.

    A model with `@forward` alone gets a training step first, with `optimizer`, `learning_rate` and the options of the
    dict `training` (docs/TrainingStep.md); with `training=False` the plan is for `@forward`. Further arguments are
    options of `--soap-auto-parallel` (docs/Search.md) with `_` for `-`: `seed=1`, `proposals=2000`.
    `memory_limit="16GB"`, of each device, is one of the searches of TensorOpt, and takes `mini-time` where no other one
    is named. Ctrl-C ends the search with the best strategy so far."""
    check_model(model)
    if search.get("memory_limit") is not None and option is None and "algorithm" not in search:
        option = "mini-time"
    if option is not None:
        if option not in OPTIONS:
            raise ValueError(f"option: expected one of {', '.join(OPTIONS)}, got {option!r}")
        search = {"algorithm": "frontier", "mode": option, **search}
    step = model
    if training is not False and needs_training_step(model):
        more = training if isinstance(training, dict) else {}
        step = model.build_training_step(optimizer, learning_rate, **more)
    core = step._core.clone()
    with keywords_beside("option", "optimizer", "learning_rate", "training"):
        report = core.search(pass_options({"topology": topology, "function": function, **search}))
    return Plan(step._with(core), json.loads(report), function)


@names_nearest
def apply_strategy(
    model: Model,
    topology: str | os.PathLike[str],
    strategy: str | os.PathLike[str],
    *,
    function: str | None = None,
    optimizer: str = "sgd",
    learning_rate: float = 0.01,
    training: dict[str, Any] | bool = True,
) -> Plan:
    """A plan without a search: a preset by name (`data-parallel`, `expert`, `zero`, ...), or a strategy file (*.json).
    The other arguments are as for `find_strategy`."""
    check_model(model)
    step = model
    if training is not False and needs_training_step(model):
        more = training if isinstance(training, dict) else {}
        step = model.build_training_step(optimizer, learning_rate, **more)
    text = os.fspath(strategy)
    kind = "strategy" if text.endswith(".json") else "preset"
    options = pass_options({kind: text, "topology": topology, "function": function})
    return Plan(step.run_passes("soap-apply-strategy{" + options + "}"), None, function)


class Plan:
    """A model with a config on every op. `print(plan)` says what it is and what it costs. The plan of a pipeline, which
    searches for more than 16 devices may find, runs its batch in microbatches through stages (docs/Pipeline.md)."""

    def __init__(self, model: Model, report: dict[str, Any] | None, function: str | None):
        #: The model with the strategy on its ops; `fit` runs it.
        self.model = model
        #: The report of the search (docs/Search.md); None for a plan without a search.
        self.report = report
        self._function = function
        self._simulation: dict[str, Any] | None = None
        self._priced: dict[str, Any] | None = None
        self._strategy: dict[str, Any] | None = None

    # --- The strategy -------------------------------------------------------------------------------------------------

    @property
    def strategy(self) -> dict[str, Any]:
        """Config of every op: loops with roles, degrees, replicas, devices."""
        if self._strategy is None:
            self._strategy = json.loads(self.model._core.strategy(self._function))
        return self._strategy

    @property
    def function(self) -> str:
        """The function that the plan is for."""
        return self.strategy["function"]

    @property
    def topology(self) -> str:
        return self.strategy["topology"]

    @property
    def devices(self) -> int:
        return self.strategy["devices"]

    @property
    def pipeline(self) -> dict[str, Any] | None:
        """Of a pipeline: `microbatches`, `schedule`, and `stages`, each with its `first` op and its `devices` (without
        stages every device is one); `replicas` where devices share stages. Configs of ops say how one microbatch is
        split. None: the whole batch goes through at once."""
        return self.strategy.get("pipeline")

    @property
    def recomputed(self) -> list[str]:
        """Names of the ops that the backward pass computes again (docs/Recomputation.md)."""
        return self.strategy["recomputed"]

    def placement(self) -> dict[str, Any]:
        """Which region of every argument and result each device holds."""
        return json.loads(self.model._core.placement(self._function))

    def layout(self, stage: int | None = None) -> Layout:
        """The placement as a mesh of devices with an axis list for every dim of every tensor (docs/Python.md). A
        pipeline has no such mesh, for each stage is on devices of its own: with the number of a `stage` it is the
        layout of the parameters and states on the devices of that stage."""
        if stage is not None:
            return Layout.of(self.placement(), self.stage_devices(stage))
        if self.pipeline is not None:
            raise ValueError(
                f"{self._pipeline_in_words()}, and no mesh of all devices describes it: layout(stage=N) and "
                "soap.torch.placements(plan, stage=N) describe one stage; find_strategy(..., algorithm='mcmc') and "
                "apply_strategy(..., 'megatron(tp=N)') give plans without stages; fit and emit run the plan as it is"
            )
        return Layout.of(self.placement())

    def stage_devices(self, stage: int) -> list[int]:
        """The devices of a stage of a pipeline."""
        stages = self.pipeline["stages"] if self.pipeline is not None else []
        if not 0 <= stage < len(stages):
            raise IndexError(f"stage {stage}: the plan has {len(stages)} stages of several devices, from 0 on")
        return stages[stage]["devices"]

    # --- Its price ----------------------------------------------------------------------------------------------------

    @property
    def simulation(self) -> dict[str, Any]:
        """The report of the simulation (docs/Looking.md)."""
        if self._simulation is None:
            self._simulation = json.loads(self.model._core.simulate(pass_options({"function": self._function})))
        return self._simulation

    @property
    def milliseconds(self) -> float:
        """Simulated time of an iteration. The time of a hybrid plan that has too many pieces to be simulated is the one
        that the search composed (docs/Hierarchical.md)."""
        return self._summary()["makespan_ns"] * 1e-6

    @property
    def peak_bytes(self) -> int:
        """Memory that the fullest device needs."""
        return self._summary()["peak_bytes"]

    def _summary(self) -> dict[str, Any]:
        """Time and memory, and what else `compare` shows of them. `composed`: from the search."""
        if self._priced is None:
            try:
                peak = max((device["peak_bytes"] for device in self.simulation["devices"]), default=0)
                known = {key: self.simulation[key] for key in _COMPARED if key in self.simulation}
                self._priced = {"peak_bytes": peak, **known}
            except SoapError:
                if self.report is None or self.report.get("algorithm") != "hybrid":
                    raise
                time = self.report["best_makespan_ns"]
                self._priced = {"makespan_ns": time, "peak_bytes": self.report["peak_bytes"], "composed": True}
        return self._priced

    def collectives(self) -> dict[str, dict[str, int]]:
        """Exchanges of an iteration by pattern (`all-reduce`, `point-to-point`, ...): how many, and bytes in all."""
        table: dict[str, dict[str, int]] = {}
        for exchange in self.simulation["exchanges"]:
            row = table.setdefault(exchange["pattern"], {"count": 0, "bytes": 0})
            row["count"] += 1
            row["bytes"] += exchange["bytes"]
        return table

    def compare(self, strategies: Sequence[str | os.PathLike[str]]) -> Comparison:
        """Prices other strategies for the same model and topology: presets and recipes by name (`"zero"`, `"fsdp"`,
        `"megatron(tp=8,sp)"`; docs/Search.md), or strategy files. A recipe that the model does not allow has a row that
        says why."""
        if isinstance(strategies, (str, os.PathLike)):
            strategies = [strategies]
        rows = [self._row_of(os.fspath(strategy)) for strategy in strategies]
        this = {"name": "this plan", "warnings": [], "devices": self.devices, **self._summary()}
        return Comparison([this, *rows])

    def _row_of(self, strategy: str) -> dict[str, Any]:
        try:
            return json.loads(self.model._core.compare([strategy], self._function, None))[0]
        except SoapError as error:
            reason = str(error).partition(f"recipe '{strategy}': ")[2]
            if not reason:
                raise
            return {"name": strategy, "error": reason}

    def explain(self, op: str, most: int | None = None) -> dict[str, Any]:
        """Other configs of an op with their price, and the reasons (docs/Looking.md)."""
        return json.loads(
            self.model._core.explain(pass_options({"op": op, "most": most, "function": self._function}))
        )

    # --- Out ----------------------------------------------------------------------------------------------------------

    def draw(self, path: str | os.PathLike[str] | None = None) -> str:
        """The strategy as a drawing (SVG), which is also written to `path` if one is given."""
        text = self.model._core.draw(self._function)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    @names_nearest
    def page(self, path: str | os.PathLike[str], beside: Plan | None = None) -> None:
        """Writes `plan.html`, one file that shows the plan in a browser (docs/PlanReport.md): timeline, memory, ops,
        links, baselines, other machines. `beside` is a second plan on the same topology, compared with this one."""
        from .planning.page import page_of_module
        from .planning.tools import Tools

        if beside is not None and beside.topology != self.topology:
            raise ValueError(f"beside: expected a plan on {self.topology!r}, got one on {beside.topology!r}")
        with tempfile.TemporaryDirectory(prefix="soap-plan-") as place:
            folder = Path(place)
            files = []
            for name, plan in (("plan", self), ("beside", beside)):
                files.append(folder / f"{name}.mlir" if plan is not None else None)
                if plan is not None:
                    plan.model.save_ir(files[-1])
            search = folder / "search.json" if self.report is not None else None
            if search:
                search.write_text(json.dumps(self.report), encoding="utf-8")
            text = page_of_module(Tools(), files[0], search, files[1], f"soap.Plan.page({os.fspath(path)!r})")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a strategy file (docs/Strategy.md), which `apply_strategy` and the passes read."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.model._core.strategy_file(self._function))

    @names_nearest
    def emit(self, path: str | os.PathLike[str], *, level: int = 2, cpu: str = "host") -> None:
        """Writes an artifact (docs/Artifacts.md): `soap-run` and `Session.load` run it without a compiler."""
        self.model._core.emit_artifact(os.fspath(path), level, cpu)

    def __str__(self) -> str:
        lines = [self._headline()]
        if self.pipeline is not None:
            lines.append(f"  {self._pipeline_in_words()}; of one microbatch:")
        return "\n".join([*lines, *_table(self.strategy["ops"], len(self.recomputed))])

    def _pipeline_in_words(self) -> str:
        assert self.pipeline is not None
        stages, microbatches = self.pipeline["stages"], self.pipeline["microbatches"]
        groups = len({tuple(stage["devices"]) for stage in stages})
        where = f"{len(stages)} stages on {groups} groups of devices" if stages else "stages of one device each"
        return f"the plan is a pipeline ({self.pipeline['schedule']}): {microbatches} microbatches through {where}"

    def _headline(self) -> str:
        parts = [f"{self.model.name}, @{self.function} on {self.topology}: {self.milliseconds:.3f} ms an iteration"]
        if "composed" in self._summary():
            parts[0] += ", composed, for its pieces are too many to simulate"
        else:
            for preset, gain in self.simulation.get("speedup_over", {}).items():
                parts.append(f"{gain:.2f}x as fast as {preset}")
            for preset, why in self.simulation.get("no_speedup_over", {}).items():
                parts.append(f"{preset} {why}")
        parts.append(f"at most {_bytes(self.peak_bytes)} on a device")
        return "; ".join(parts)

    def __repr__(self) -> str:
        return f"<soap.Plan {self._headline()}>"

    def _repr_html_(self) -> str:
        """The text of `print(plan)` as a table, and the drawing, for notebooks."""
        ops, rest = _lines(self.strategy["ops"], len(self.recomputed))
        words = [f"{self._pipeline_in_words()}; of one microbatch:"] if self.pipeline is not None else []
        return "".join([
            "<div>", html.paragraph(self._headline(), strong=True), *map(html.paragraph, words),
            html.table(["ops of the forward pass", "config", "devices", ""], ops), *map(html.paragraph, rest),
            "<details><summary>drawing</summary>", self.draw(), "</details></div>"])  # fmt: skip


_COMPARED = ("makespan_ns", "bytes_moved", "bytes_between_machines", "compute_ns", "movement_ns")
_COMPARED += ("exposed_communication_ns",)


class Comparison(list[dict[str, Any]]):
    """Rows with `name`, `makespan_ns`, `peak_bytes` and `warnings`, and, up to 64 devices, `bytes_moved`,
    `bytes_between_machines` and sums over `devices`: `compute_ns`, `movement_ns` (assembled tiles),
    `exposed_communication_ns`. A recipe that the model does not allow has `name` and `error`. As text, a table. The
    first row is the plan."""

    def __str__(self) -> str:
        width = max(len(row["name"]) for row in self)
        base = self[0]["makespan_ns"]
        head = f"{'strategy':{width}}  {'ms':>10}  {'of this':>8}  {'memory':>10}  {'moved':>10}"
        lines = [head + "  compute  exposed     idle"]
        for row in self:
            if "error" in row:
                lines.append(f"{row['name']:{width}}  does not apply: {row['error']}")
                continue
            # A strategy that does not fit is no baseline.
            note = "  does not fit" if row["warnings"] else ""
            ratio = "-" if row["warnings"] else f"{row['makespan_ns'] / base:.2f}"
            moved = _bytes(row["bytes_moved"]) if "bytes_moved" in row else "-"
            lines.append(
                f"{row['name']:{width}}  {row['makespan_ns'] * 1e-6:10.3f}  {ratio:>8}"
                f"  {_bytes(row['peak_bytes']):>10}  {moved:>10}{_times(row)}{note}"
            )
        return "\n".join(lines)


def _times(row: dict[str, Any]) -> str:
    """Where the time of all devices goes, in percent: kernels and assembled tiles, communication that is not hidden,
    nothing."""
    if "exposed_communication_ns" not in row:
        return f"  {'-':>7}  {'-':>7}  {'-':>7}"
    whole = max(row["makespan_ns"] * row["devices"], 1)
    busy = (row["compute_ns"] + row["movement_ns"]) / whole
    exposed = row["exposed_communication_ns"] / whole
    return f"  {busy:7.1%}  {exposed:7.1%}  {max(1 - busy - exposed, 0):7.1%}"


def _bytes(count: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def _devices(numbers: Sequence[int]) -> str:
    """`0-3`, `0,2,1,3`."""
    if len(numbers) > 2 and list(numbers) == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{numbers[0]}-{numbers[-1]}"
    return ",".join(map(str, numbers)) if len(numbers) <= 8 else f"{numbers[0]},...,{numbers[-1]} ({len(numbers)})"


def _table(ops: Sequence[dict[str, Any]], recomputed: int) -> list[str]:
    """The lines of a plan as text."""
    rows, rest = _lines(ops, recomputed)
    width, cuts_width = (max((len(row[i]) for row in rows), default=0) for i in (0, 1))
    lines = [
        f"  {label:{width}}  {cuts:{cuts_width}}  devices {devices}" + (f"  {repeat}" if repeat else "")
        for label, cuts, devices, repeat in rows
    ]
    return [*lines, *(f"  {line}" for line in rest)]


def _lines(ops: Sequence[dict[str, Any]], recomputed: int) -> tuple[list[tuple[str, str, str, str]], list[str]]:
    """A row for each run of ops of the forward pass with the same config: names, degrees with roles, devices, how often
    its layer repeats. Gradients and updates follow their op: a line behind the rows counts them, and ops that are
    recomputed."""
    rows: list[tuple[list[str], str, str]] = []
    for op in ops:
        if op["phase"] != "forward":
            continue
        roles = {loop["name"]: loop["role"] for loop in op["loops"]}
        cuts = ", ".join(f"{roles[loop]} {degree}" for loop, degree in op["degrees"].items())
        if op["replicas"] > 1:
            cuts = ", ".join(filter(None, [cuts, f"replicas {op['replicas']}"]))
        config = (cuts or "whole", _devices(op["devices"]))
        if rows and (rows[-1][1], rows[-1][2]) == config:
            rows[-1][0].append(op["name"])
        else:
            rows.append(([op["name"]], *config))
    others = sum(op["phase"] != "forward" for op in ops) - recomputed
    rows, repeats = _without_repeats(rows)
    labels = [names[0] if len(names) == 1 else f"{names[0]} ... {names[-1]} ({len(names)})" for names, _, _ in rows]
    again = f"; {recomputed} ops are recomputed" if recomputed else ""
    rest = [f"and {others} ops of the backward pass and the updates{again}"] if others else []
    return [(label, cuts, devices, repeat) for label, (_, cuts, devices), repeat in zip(labels, rows, repeats)], rest


def _without_repeats(rows: list[tuple[list[str], str, str]]) -> tuple[list[tuple[list[str], str, str]], list[str]]:
    """Rows without the rows of layers that repeat, up to numbers in names, and a text behind each row that stays:
    behind the last row of a layer it says how often the layer is there."""
    keys = [(re.sub(r"\d+", "#", " ".join(names)), cuts, devices) for names, cuts, devices in rows]
    kept: list[tuple[list[str], str, str]] = []
    texts: list[str] = []
    first = 0
    while first < len(rows):
        period, count = 1, 1
        for length in range(1, 65):
            times = 1
            while keys[first : first + length] == keys[first + times * length : first + (times + 1) * length]:
                times += 1
            if times > 2 and times * length > period * count:
                period, count = length, times
        kept += rows[first : first + period]
        texts += [""] * (period - 1)
        lines = "this line" if period == 1 else f"these {period} lines"
        texts.append(f"({lines} {count} times, up to numbers)" if count > 1 else "")
        first += period * count
    return kept, texts
