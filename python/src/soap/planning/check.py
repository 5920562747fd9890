# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--check`: what a job of today costs, and what is better."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from .answer import Answer, duration
from .api import PASS_EXECUTORS, find_answer, problem_of, write_answer
from .cluster import find_cluster
from .errors import PlanError
from .executors import deepspeed, fsdp, maxtext, megatron, torchtitan
from .executors.setup import Setup
from .families import read_config
from .measured import Fitted
from .models import find_model
from .network import Network
from .planner import Planner, Problem, Progress
from .tools import Tools


@dataclass(frozen=True)
class Job:
    """A job as a file or a command line says it."""

    executor: ModuleType
    text: str
    where: str
    arguments: str = ""

    def setup(self, devices: int) -> tuple[Setup, list[str]]:
        if self.executor in (fsdp, deepspeed):
            found: tuple[Setup, list[str]] = self.executor.read(self.text, self.where, devices, self.arguments)
        else:
            found = self.executor.read(self.text, self.where, devices)
        setup, notes = found
        if setup.shape.data * setup.shape.context == 1:  # ZeRO over one holder of the weights is none
            setup = replace(setup, shape=replace(setup.shape, zero=0))
        return setup, notes


def find_job(given: str) -> Job:
    """A file by what is in it; else a command line."""
    named = re.search(r"--job\.config[-_]file[= ]\s*(\S+)", given)
    path = Path(named[1] if named else given)
    try:
        exists = path.is_file()
    except OSError:  # longer than any name
        exists = False
    if not exists:
        if "--" not in given:
            raise PlanError(f"--check {given}: no such file, and no command line with flags")
        if named:
            raise PlanError(f"--check: {path}: no such file")
        if not re.search(
            r"--(tensor|pipeline|context)[-_]model[-_]parallel|--(micro|global)-batch-size|--context-parallel", given
        ):
            raise PlanError("--check: expected arguments of Megatron (--tensor-model-parallel-size, --micro-batch-size, ...), "
                            "or a file of another executor")  # fmt: skip
        return Job(megatron, given, "--check")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(f"{path}: cannot be read: {error}") from None
    suffix = path.suffix.lower()
    executor = {".toml": torchtitan, ".json": deepspeed}.get(suffix, megatron)
    if suffix in (".yaml", ".yml"):
        executor = fsdp if re.search(r"^distributed_type:", text, re.M) else maxtext
    beside = path.parent / getattr(executor, "ARGUMENTS", "-")
    return Job(executor, text, str(path), beside.read_text(encoding="utf-8") if beside.is_file() else "")


def problem_of_job(tools: Tools, job: Job, model: str | None, cluster: str, seq_length: int | None, time_limit: float,
                   precision: str) -> tuple[Problem, Setup, list[str], str]:  # fmt: skip
    """The job's problem and plan, what of it is not priced, and its executor as the pass calls it, if it does."""
    where = find_cluster(tools, cluster)
    setup, notes = job.setup(where.devices)
    devices = setup.shape.devices
    if devices > where.devices:
        raise PlanError(f"{job.where}: the job has {devices} devices, {cluster} has {where.devices}; expected a --cluster "
                        "of as many")  # fmt: skip
    network = _network(job, model)
    length = seq_length or setup.length or None
    executor = job.executor.NAME if job.executor.NAME in PASS_EXECUTORS and not job.executor.lacks(network) else ""
    problem = problem_of(tools, network, cluster, setup.batch, length if not network.fixed_length else None, precision,
                         time_limit, executor)  # fmt: skip
    return problem, setup, notes, executor


def check(tools: Tools, given: str, model: str | None, cluster: str, seq_length: int | None, time_limit: float,
          precision: str, folder: Path | None, progress: Progress, fitted: Fitted | None = None,
          command: str = "") -> Answer:  # fmt: skip
    """The answer for the job's model and batch, with the job's own price."""
    job = find_job(given)
    problem, setup, notes, executor = problem_of_job(tools, job, model, fitted.cluster if fitted else cluster, seq_length,
                                                     time_limit, precision)  # fmt: skip
    if fitted:
        if fitted.constants and executor != fitted.executor:
            raise PlanError(f"--check: the job is of {job.executor.NAME}, measured runs are of {fitted.executor}")
        problem = fitted.apply(problem)
    network, devices = problem.model, setup.shape.devices
    assert isinstance(network, Network)
    planner = Planner(tools, problem, progress)
    planner.build_step()
    progress("pricing the job")
    try:
        today = planner.price(setup.shape, simulate=True)
    except PlanError as error:
        try:
            today = planner.price(setup.shape)
        except PlanError:
            raise PlanError(f"{job.where}: the job is no plan of Soap: {error}") from None
    title = job.executor.TITLE
    executor = job.executor.NAME if not job.executor.lacks(network) else ""
    answer, found = find_answer(tools, problem, folder, progress, executor)
    answer.today = today
    answer.notes = [*(f"{job.where}: {note}" for note in notes), *answer.notes]
    if devices < problem.cluster.devices:
        answer.notes.append(f"the job leaves {problem.cluster.devices - devices} devices idle")
    ratio = today.seconds / answer.best.seconds
    if today.fits and today.shape == answer.best.shape or abs(ratio - 1) < 0.005:
        answer.verdict = f"{title}: nothing that was found is faster"
    elif ratio > 1:
        answer.verdict = f"{title}: the plan below is {ratio:.2f} times as fast"
    elif today.fits:
        answer.verdict = f"{title}: the job is faster than the plan below, which takes {duration(answer.best.seconds)}"
    else:
        answer.verdict = f"{title}: the job does not fit; the plan below does"
    write_answer(found, answer, progress, command)
    return answer


def _network(job: Job, model: str | None) -> Network:
    if model is not None:
        found = find_model(model)
        if not isinstance(found, Network):
            raise PlanError(f"{model}: --check prices networks by name or config.json")
        return found
    config = job.executor.config(job.text, job.where)
    if config is None:
        raise PlanError(f"{job.where}: names no model; expected MODEL, too")
    network = read_config(config, job.where)
    return replace(
        network, name=f"the model of {job.where}" if job.where != "--check" else "the model of the arguments"
    )
