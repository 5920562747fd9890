# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a model and a cluster to priced plans: the calls of the tools."""

from __future__ import annotations

import itertools
import json
import math
import re
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from .cluster import Cluster
from .errors import OutOfTime, PlanError
from .hybrid import Plan, Shape, plan_of
from .models import Program
from .network import Network
from .tools import Tools

Progress = Callable[[str], None]


@dataclass
class Problem:
    """A model, a cluster, and the sizes of an iteration."""

    model: Network | Program
    cluster: Cluster
    batch: int
    length: int  # 0: the program's own
    precision: str = "bf16"
    time_limit: float = 0
    proposals: int = 0
    #: As the pass calls it; empty: any.
    executor: str = ""
    assumed: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.model.name


class Planner:
    """Builds the training step once, and prices plans of it."""

    def __init__(self, tools: Tools, problem: Problem, progress: Progress) -> None:
        self.tools, self.problem, self.progress = tools, problem, progress
        self._folder = tempfile.TemporaryDirectory(prefix="soap-plan-")
        self.folder = Path(self._folder.name)
        self.step = self.small = self.folder
        self.parameters = 0
        self.flops = 0.0  # of an iteration, as the pass counts them
        self._calls = itertools.count()

    def build_step(self) -> None:
        """The step of a whole iteration, whose strategy is written, and for prices that of two samples: its text is
        as long, and nothing is written."""
        self.progress(f"building the training step of {self.problem.name}")
        self.step = self._build("step", self.problem.batch)
        is_program = isinstance(self.problem.model, Program)
        self.small = self.step if is_program or self.problem.batch <= 2 else self._build("small", 2)

    def _build(self, name: str, batch: int) -> Path:
        problem, forward, step = self.problem, self.folder / f"{name}-forward.mlir", self.folder / f"{name}.mlir"
        model = problem.model
        if isinstance(model, Network):
            options = ",".join(f"{key}={value}" for key, value in model.generator_options(problem.length).items())
            self.tools.run("soap-translate", f"--generate={model.generator}", f"--batch={batch}",
                           f"--option={options}", "-o", str(forward))  # fmt: skip
        elif model.is_onnx:
            self.tools.run("soap-translate", "--import-onnx", str(model.path), f"--batch={batch}", "-o",
                           str(forward))  # fmt: skip
        else:
            forward = model.path
        text = forward.read_text(encoding="utf-8")
        self.parameters = count_parameters(text)
        if isinstance(model, Network) and self.parameters != model.parameters:
            raise PlanError(f"{problem.name}: its config has {model.parameters:,} parameters and the generator "
                            f"'{model.generator}' makes {self.parameters:,}; this is a fault of soap-plan")  # fmt: skip
        if "func.func @train_step" in text:
            return forward
        self.tools.run("soap-opt", str(forward), f"--soap-build-training-step=optimizer=adamw precision={problem.precision}",
                       "-o", str(step))  # fmt: skip
        return step

    def _call(self, step: Path, calls: list[dict[str, str]], output: str,
              seconds: float | None = None) -> tuple[list[dict], str]:  # fmt: skip
        """The one call of the pass, which may stand there several times; its reports, fewer than asked for where one
        is refused, and why."""
        problem, passes, files = self.problem, [], []
        for options in calls:
            files.append(self.folder / f"report{next(self._calls)}.json")
            words = {"topology": problem.cluster.name, "batch": str(problem.batch), "summary": "false",
                     "report": str(files[-1]), **({"executor": problem.executor} if problem.executor else {}),
                     **options}  # fmt: skip
            passes.append("--soap-plan-hybrid=" + " ".join(f"{name}={value}" for name, value in words.items()))
        why = ""
        try:
            self.tools.run("soap-opt", str(step), *passes, "-o", output, seconds=seconds)
        except OutOfTime:
            raise
        except PlanError as error:
            why = str(error)
        reports = [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]
        return reports, why

    def search(self, output: Path | None) -> tuple[Plan, list[Plan], dict]:
        """The best plan, the best of others, and the report. `output` gets the step with the strategy."""
        began = time.monotonic()
        options = {"time-limit": f"{self.problem.time_limit:g}"}
        if self.problem.proposals:
            options["proposals"] = str(self.problem.proposals)
        reports, refused = self._call(self.step, [options], str(output or "/dev/null"))
        if refused:
            raise PlanError(f"{self.problem.name} on {self.problem.cluster.name}: {refused}")
        report = reports[0]
        self.flops = report["iteration_flops"]
        self.progress(f"{report['priced']} of {report['shapes']} shapes priced, {report['simulated']} plans simulated in "
                      f"{time.monotonic() - began:.1f} s")  # fmt: skip
        batch = self.problem.batch
        if "best" not in report:
            raise PlanError(f"{self.problem.name}: no hybrid plan on {self.problem.cluster.name}")
        others = [plan_of(entry, batch) for entry in report.get("others", [])]
        return plan_of(report["best"], batch), others, report

    def price(self, shape: Shape, simulate: bool = False, output: Path | None = None) -> Plan:
        """A plan of one shape, written where there is an `output`; an error where the shape is none."""
        option = shape.option() + (",simulate" if simulate else "")
        step = self.step if output else self.small
        reports, why = self._call(step, [{"plan": option, "time-limit": "0"}], str(output or "/dev/null"))
        if why:
            raise PlanError(why.split("': ", 1)[-1])
        self.flops = reports[0]["iteration_flops"]
        return plan_of(reports[0]["best"], self.problem.batch)

    def price_batch(self, shape: Shape, batch: int, seconds: float | None = None) -> dict:
        """The report of a shape under another batch, simulated as far as simulations end; OutOfTime after `seconds`."""
        options = {"plan": shape.option() + ",simulate", "time-limit": "20", "batch": str(batch)}
        reports, why = self._call(self.small, [options], "/dev/null", seconds)
        if why:
            raise PlanError(why.split("': ", 1)[-1])
        return reports[0]["best"]

    def price_all(self, shapes: list[Shape], simulate: bool = False) -> list[Plan | str]:
        """A plan of each shape, or why there is none: many in one call, behind a refused one in another."""
        found: list[Plan | str] = []
        while len(found) < len(shapes):
            calls = [{"plan": shape.option() + (",simulate" if simulate else ""), "time-limit": "20"}
                     for shape in shapes[len(found) :]]  # fmt: skip
            reports, why = self._call(self.small, calls, "/dev/null")
            found += [plan_of(report["best"], self.problem.batch) for report in reports]
            if why:
                found.append(why.split("': ", 1)[-1])
        return found


def count_parameters(text: str) -> int:
    """Elements of the parameters of @forward, of a module's text."""
    return sum(math.prod(shape) for shape, _ in _arguments(text, "parameter"))


def count_samples(text: str) -> int:
    """Samples of the data of @forward, of a module's text; 0: not known."""
    for shape, attributes in _arguments(text, "data"):
        if dim := re.search(r"soap\.sample_dim = (\d+)", attributes):
            return shape[int(dim[1])]
    return 0


def _arguments(text: str, kind: str) -> list[tuple[list[int], str]]:
    """Shapes and attributes of the arguments of a kind: of @forward, else of @train_step."""
    function = re.search(r"func\.func @forward\((.*?)\) -> ", text, re.S)
    if not function:
        function = re.search(r"func\.func @train_step\((.*?)\) -> ", text, re.S)
    if not function:
        return []
    aliases = dict(re.findall(r"^(!\w+) = (.*)$", text, re.M))
    found = []
    for shape, attributes in re.findall(
        rf"%arg\d+: (tensor<[^>]*>|!\w+) (\{{[^}}]*#soap\.kind<{kind}>[^}}]*\}})", function.group(1)
    ):
        extents = aliases.get(shape, shape)[len("tensor<") :].split("x")[:-1]
        found.append(([int(extent) for extent in extents], attributes))
    return found
