# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The problem of a model and a cluster, and its answer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from .answer import Answer
from .choice import choose_for, other_sizes, sizes_of
from .cluster import find_cluster
from .errors import PlanError, listed
from .executors import EXECUTORS, missing, setup_of
from .hybrid import Plan
from .models import Program, find_model
from .network import Network
from .page import page_of_answer
from .planner import Planner, Problem, Progress, count_samples
from .table import baselines, best_of_kinds, longer_microbatches, simulated
from .tools import Tools

#: Positions of a sequence where neither the model nor the user has fewer, and tokens of an iteration.
LENGTH, TOKENS = 8192, 1 << 22

#: Executors that the option `executor` of --soap-plan-hybrid knows; of others, plans are chosen here.
PASS_EXECUTORS = frozenset({"torch-fsdp", "torchtitan", "megatron-core", "jax"})


def quiet(_: str) -> None:
    """No progress."""


def problem_of(tools: Tools, model: str | Network | Program, cluster: str, global_batch: int | None = None,
               seq_length: int | None = None, precision: str = "bf16", time_limit: float = 30, executor: str = "",
               max_devices: int = 0) -> Problem:  # fmt: skip
    """The problem, with what is assumed of it."""
    if executor and executor not in (*EXECUTORS, "soap"):
        raise PlanError(f"--executor {executor}: expected {listed(['soap', *EXECUTORS])}")
    found = find_model(model) if isinstance(model, str) else model
    assumed: list[str] = []
    length = 0
    where = sizes_of(tools, find_cluster(tools, cluster), max_devices)[-1]
    if isinstance(found, Network):
        length = found.fixed_length or seq_length or min(found.max_length, LENGTH)
        if seq_length is not None:
            found.check_length(seq_length)
        elif not found.fixed_length:
            assumed.append(f"sequences of {length:,} positions (--seq-length)")
        if executor in EXECUTORS and EXECUTORS[executor].lacks(found):
            raise PlanError(f"--executor {executor}: {EXECUTORS[executor].TITLE} cannot say {found.name}: "
                            + EXECUTORS[executor].lacks(found))  # fmt: skip
    else:
        if seq_length is not None:
            raise PlanError(
                f"--seq-length {seq_length}: {found.name} is a program with lengths of its own, expected none"
            )
        if executor not in ("", "soap"):
            raise PlanError(f"--executor {executor}: {found.name} is a program, which no file of {EXECUTORS[executor].TITLE} "
                            "names; expected a config.json or a name")  # fmt: skip
    if global_batch is None and isinstance(found, Program):
        global_batch = found.samples or _samples_of(found)
    if global_batch is None:
        per_sample = length if isinstance(found, Network) and not found.fixed_length else TOKENS // 2048
        global_batch = max(TOKENS // per_sample // where.devices, 1) * where.devices
        assumed.append(f"{global_batch:,} samples an iteration (--global-batch)")
    return Problem(found, where, global_batch, length, precision, time_limit,
                   executor=executor if executor in PASS_EXECUTORS else "", assumed=assumed)  # fmt: skip


def _samples_of(program: Program) -> int | None:
    """Of a program that says them; importers make an ONNX model of any number."""
    if program.is_onnx:
        return None
    try:
        return count_samples(program.path.read_text(encoding="utf-8")) or None
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(f"{program.path}: cannot be read: {error}") from None


def make_answer(tools: Tools, problem: Problem, folder: Path | None = None, progress: Progress = quiet,
                executor: str = "", simulate_all: bool = False, objective: str = "time", max_devices: int = 0,
                command: str = "") -> Answer:  # fmt: skip
    answer, planner = find_answer(tools, problem, folder, progress, executor, simulate_all, objective, max_devices)
    write_answer(planner, answer, progress, command)
    return answer


def find_answer(tools: Tools, problem: Problem, folder: Path | None = None, progress: Progress = quiet,
                executor: str = "", simulate_all: bool = False, objective: str = "time",
                max_devices: int = 0) -> tuple[Answer, Planner]:  # fmt: skip
    """The answer, of whose files only the step with the strategy is written so far."""
    if objective == "cost":
        progress("searching clusters of all sizes")
        problem, costs = other_sizes(tools, problem, max_devices)
    else:
        costs = []
    planner = Planner(tools, problem, progress)
    planner.build_step()
    if folder:
        make_folder(folder)
    strategy = folder / "strategy.mlir" if folder else None
    progress("searching plans")
    memory = problem.cluster.memory_bytes
    with ThreadPoolExecutor(2) as pool:
        searched = pool.submit(planner.search, strategy)
        shapes = baselines(planner)
        priced = pool.submit(planner.price_all, shapes)
        best, others, report = searched.result()
        baseline_prices = priced.result()
    plans = [best, *others, *(plan for plan in baseline_prices if isinstance(plan, Plan))]
    progress("pricing the best of each kind")
    plans += longer_microbatches(planner, plans)
    notes: list[str] = []
    preset = report.get("preset", "")
    if executor in EXECUTORS:
        progress(f"pricing what {executor} runs")
        free = best
        best, notes = choose_for(planner, EXECUTORS[executor], best, plans)
        plans.append(best)
        if best.shape != free.shape:
            preset = ""
            if strategy:
                planner.price(best.shape, output=strategy)
    if simulate_all:
        progress("simulating the best of each kind")
        plans += simulated(planner, plans)
    table = best_of_kinds(plans, memory)
    why = {shape.kind(): found for shape, found in zip(shapes, baseline_prices)
           if isinstance(found, str) and shape.kind() not in table}  # fmt: skip
    answer = Answer(problem, planner.parameters, planner.flops, best, table, why, report["complete"], preset,
                    notes=notes, costs=costs, folder=folder, plans=plans,
                    search={key: report[key] for key in ("shapes", "priced", "simulated", "seconds", "complete")})  # fmt: skip
    if not best.fits:
        progress("searching a cluster that is large enough")
        answer.enough = _enough(tools, problem)
    _add_files(answer, executor)
    return answer, planner


def write_answer(planner: Planner, answer: Answer, progress: Progress, command: str = "") -> None:
    """The files, where the answer has a folder. `command`: what asked for it."""
    folder = answer.folder
    if not folder:
        return
    progress("writing the strategy")
    _write_strategy(planner.tools, answer, folder / "strategy.mlir")
    for name, content in {**answer.files, "plan.json": answer.json_text()}.items():
        if content:
            (folder / name).write_text(content, encoding="utf-8")
        answer.files[name] = content
    (folder / "plan.html").write_text(page_of_answer(planner, answer, progress, command), encoding="utf-8")
    answer.files["plan.html"] = ""


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PlanError(f"-o {folder}: {error.strerror}") from None


def _write_strategy(tools: Tools, answer: Answer, strategy: Path) -> None:
    """The strategy file beside the step that has it. None says an iteration of more samples than the step has."""
    try:
        tools.run("soap-translate", "--strategy-to-json", str(strategy), "-o", str(strategy.with_suffix(".json")))
    except PlanError as error:
        strategy.unlink(missing_ok=True)
        answer.refused["strategy"] = str(error)
        return
    answer.files |= {strategy.name: "", strategy.with_suffix(".json").name: ""}


def _enough(tools: Tools, problem: Problem) -> str:
    """The first of twice, four times, ... as many machines that would do."""
    for cluster in sizes_of(tools, problem.cluster, 16 * problem.cluster.devices, larger=True):
        planner = Planner(tools, replace(problem, cluster=cluster, time_limit=10), quiet)
        planner.build_step()
        try:
            best, _, _ = planner.search(None)
        except PlanError:
            continue
        if best.fits:
            return f"{cluster.name} would do: {best.shape.in_words(best.batch)}, {best.seconds:.2f} s an iteration"
    return ""


def _add_files(answer: Answer, executor: str) -> None:
    problem = answer.problem
    if not isinstance(problem.model, Network) or executor == "soap":
        return
    setup = setup_of(answer.best, problem.length, problem.cluster.per_machine)
    for name in [executor] if executor else EXECUTORS:
        gaps, _ = missing(EXECUTORS[name], setup, problem.model)
        if gaps:
            answer.refused[name] = "; ".join(dict.fromkeys(gaps))
        elif answer.best.fits:
            answer.files |= EXECUTORS[name].files(setup, problem.model)
            if setup.shape.stages > 1 and name != problem.executor:
                answer.notes.append(
                    f"stages of {name} begin where layers do; the price is of stages as Soap cuts them (--executor {name})"
                )
