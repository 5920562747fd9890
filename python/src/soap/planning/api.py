# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`plan(...)`: the answer for a model and a cluster."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .answer import Answer
from .cluster import Cluster, find_cluster
from .errors import PlanError
from .hybrid import Plan
from .models import find_model
from .network import Network
from .planner import Planner, Problem, Progress
from .table import baselines, best_of_kinds, longer_microbatches, simulated
from .tools import Tools

#: Positions of a sequence where neither the model nor the user has fewer, and tokens of an iteration.
LENGTH, TOKENS = 8192, 1 << 22


def quiet(_: str) -> None:
    """No progress."""


def problem_of(tools: Tools, model: str, cluster: str, global_batch: int | None, seq_length: int | None,
               **others: object) -> Problem:  # fmt: skip
    """What is planned, with what is assumed of it."""
    found = find_model(model)
    assumed: list[str] = []
    length = 0
    where: Cluster = find_cluster(tools, cluster)
    if isinstance(found, Network):
        length = found.fixed_length or seq_length or min(found.max_length, LENGTH)
        if seq_length is not None:
            found.check_length(seq_length)
        elif not found.fixed_length:
            assumed.append(f"sequences of {length:,} positions (--seq-length)")
    elif seq_length is not None:
        raise PlanError(f"--seq-length {seq_length}: {model} is a program with lengths of its own, expected none")
    if global_batch is None:
        per_sample = length if length and isinstance(found, Network) and not found.fixed_length else TOKENS // 2048
        global_batch = max(TOKENS // per_sample // where.devices, 1) * where.devices
        assumed.append(f"{global_batch:,} samples an iteration (--global-batch)")
    return Problem(found, where, global_batch, length, assumed=assumed, **others)  # type: ignore[arg-type]


def make_answer(tools: Tools, problem: Problem, folder: Path | None, progress: Progress = quiet) -> Answer:
    planner = Planner(tools, problem, progress)
    planner.build_step()
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    step = folder / "strategy.mlir" if folder else None
    progress("searching plans")
    memory = problem.cluster.memory_bytes
    with ThreadPoolExecutor(2) as pool:
        searched = pool.submit(planner.search, step)
        shapes = baselines(planner)
        priced = pool.submit(planner.price_all, shapes)
        best, others, report = searched.result()
        baseline_prices = priced.result()
    plans = [best, *others, *(plan for plan in baseline_prices if isinstance(plan, Plan))]
    progress("pricing the best of each kind")
    plans += longer_microbatches(planner, plans)
    progress("simulating the best of each kind")
    plans += simulated(planner, plans)
    table = best_of_kinds(plans, memory)
    why = {shape.kind(): found for shape, found in zip(shapes, baseline_prices)
           if isinstance(found, str) and shape.kind() not in table}  # fmt: skip
    answer = Answer(problem, planner.parameters, planner.flops, best, table, why, report["complete"],
                    report.get("preset", ""), folder=folder)  # fmt: skip
    if folder:
        answer.files["strategy.mlir"] = ""
        write(answer, folder, "plan.json", json.dumps(answer.as_json(), indent=2, sort_keys=True) + "\n")
    return answer


def write(answer: Answer, folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content, encoding="utf-8")
    answer.files[name] = content


def plan(model: str, cluster: str, *, global_batch: int | None = None, seq_length: int | None = None,
         precision: str = "bf16", time_limit: float = 30, folder: str | os.PathLike[str] | None = None) -> Answer:  # fmt: skip
    """Plans the training of a model on a cluster (docs/SoapPlan.md).

    `model` is a name, the path of a config.json, a model.onnx or a step.mlir. `folder` gets the files."""
    tools = Tools()
    problem = problem_of(tools, model, cluster, global_batch, seq_length, precision=precision, time_limit=time_limit)
    return make_answer(tools, problem, Path(folder) if folder is not None else None)

