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
from .errors import PlanError
from .hybrid import Plan, Shape, plan_of
from .models import Program
from .network import Network
from .tools import Tools

Progress = Callable[[str], None]


@dataclass
class Problem:
    """What is planned."""

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
        self.step = self.folder / "step.mlir"
        self.parameters = 0
        self.flops = 0.0  # of an iteration, as the pass counts them
        self._calls = itertools.count()

    def build_step(self) -> None:
        problem, forward = self.problem, self.folder / "forward.mlir"
        model = problem.model
        self.progress(f"building the training step of {problem.name}")
        if isinstance(model, Network):
            options = ",".join(f"{key}={value}" for key, value in model.generator_options(problem.length).items())
            self.tools.run("soap-translate", f"--generate={model.generator}", f"--batch={problem.batch}",
                           f"--option={options}", "-o", str(forward))  # fmt: skip
        elif model.is_onnx:
            self.tools.run("soap-translate", "--import-onnx", str(model.path), f"--batch={problem.batch}", "-o",
                           str(forward))  # fmt: skip
        else:
            forward = model.path
        text = forward.read_text(encoding="utf-8")
        self.parameters = count_parameters(text)
        if isinstance(model, Network) and self.parameters != model.parameters:
            raise PlanError(f"{problem.name}: its config has {model.parameters:,} parameters and the generator "
                            f"'{model.generator}' makes {self.parameters:,}; this is a fault of soap-plan")  # fmt: skip
        if "func.func @train_step" in text:
            self.step = forward
            return
        self.tools.run("soap-opt", str(forward), f"--soap-build-training-step=optimizer=adamw precision={problem.precision}",
                       "-o", str(self.step))  # fmt: skip

    def _call(self, options: dict[str, str], output: str) -> dict:
        """The one call of the pass; its report."""
        problem = self.problem
        report = self.folder / f"report{next(self._calls)}.json"
        words = {"topology": problem.cluster.name, "batch": str(problem.batch), "summary": "false",
                 "report": str(report), **({"executor": problem.executor} if problem.executor else {}),
                 **options}  # fmt: skip
        text = " ".join(f"{name}={value}" for name, value in words.items())
        self.tools.run("soap-opt", str(self.step), f"--soap-plan-hybrid={text}", "-o", output)
        parsed = json.loads(report.read_text(encoding="utf-8"))
        self.flops = parsed["iteration_flops"]
        return parsed

    def search(self, output: Path | None) -> tuple[Plan, list[Plan], dict]:
        """The best plan, the best of others, and the report. `output` gets the step with the strategy."""
        began = time.monotonic()
        options = {"time-limit": f"{self.problem.time_limit:g}"}
        if self.problem.proposals:
            options["proposals"] = str(self.problem.proposals)
        report = self._call(options, str(output or "/dev/null"))
        self.progress(f"{report['priced']} of {report['shapes']} shapes priced, {report['simulated']} plans simulated in "
                      f"{time.monotonic() - began:.1f} s")  # fmt: skip
        batch = self.problem.batch
        if "best" not in report:
            raise PlanError(f"{self.problem.name}: no hybrid plan on {self.problem.cluster.name}")
        others = [plan_of(entry, batch) for entry in report.get("others", [])]
        return plan_of(report["best"], batch), others, report

    def price(self, shape: Shape, simulate: bool = False, output: Path | None = None) -> Plan:
        """A plan of one shape; an error where the shape is none."""
        option = shape.option() + (",simulate" if simulate else "")
        report = self._call({"plan": option, "time-limit": "0"}, str(output or "/dev/null"))
        return plan_of(report["best"], self.problem.batch)


def count_parameters(text: str) -> int:
    """Elements of the parameters of @forward, of a module's text."""
    function = re.search(r"func\.func @forward\((.*?)\) -> ", text, re.S)
    if not function:
        return 0
    aliases = dict(re.findall(r"^(!\w+) = (.*)$", text, re.M))
    total = 0
    for shape, _ in re.findall(r"%arg\d+: (tensor<[^>]*>|!\w+) (\{[^}]*#soap\.kind<parameter>[^}]*\})", function.group(1)):
        extents = aliases.get(shape, shape)[len("tensor<") :].split("x")[:-1]
        total += math.prod(int(extent) for extent in extents)
    return total
