# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cluster and the executor as files of measurements have them: `--measured`, and `measured=` in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

from .api import PASS_EXECUTORS, make_folder
from .check import find_job, problem_of_job
from .errors import PlanError, listed
from .hybrid import Shape
from .measured import Fitted, fit, read_measurements
from .measured.read import Run
from .planner import Problem, Progress
from .tools import Tools


def fit_measurements(tools: Tools, files: Sequence[str], model: str | None, cluster: str, executor: str, precision: str,
                     folder: Path, progress: Progress) -> Fitted:  # fmt: skip
    """Fits a cluster and an executor to files. `model` is that of runs that name none; `folder` gets the topology, the
    profile and the constants."""

    def read_job(run: Run, cluster: str) -> tuple[Problem, Shape, str]:
        job = find_job(run.job)
        problem, setup, _, found = problem_of_job(tools, job, run.model or model, cluster, run.length, 0, precision)
        if not found:
            raise PlanError(f"--measured {run.where}: '{run.name}': {job.executor.TITLE} has no constants that could be "
                            f"fitted; expected a job of {listed(sorted(PASS_EXECUTORS))}")  # fmt: skip
        return problem, setup.shape, found

    make_folder(folder)
    return fit(tools, read_measurements(list(files)), cluster, executor, folder, read_job, progress)
