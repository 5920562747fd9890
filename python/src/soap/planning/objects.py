# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`plan(...)`: the answer for a model, also an object of Python, and a cluster."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Sequence

from .answer import Answer
from .api import make_answer, problem_of, quiet
from .errors import PlanError
from .fitted import fit_measurements
from .keywords import names_nearest
from .meta import program_of_config
from .models import Program
from .tools import Tools


@names_nearest
def plan(model: Any, cluster: str, *, example_inputs: Any = None, global_batch: int | None = None,
         seq_length: int | None = None, precision: str = "bf16", executor: str = "",
         measured: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (), time_limit: float = 30,
         simulate_all: bool = False, folder: str | os.PathLike[str] | None = None) -> Answer:  # fmt: skip
    """Plans the training of a model on a cluster (docs/SoapPlan.md).

    `model` is a name, the path of a config.json, a model.onnx or a step.mlir; a model of `soap.from_*`; or, with
    `example_inputs`, a module of PyTorch, on the device meta, too, or a function of JAX. `measured` is a file, or
    several, with measurements of the cluster: output of nccl-tests or of nvidia-smi topo -m, or iterations of jobs as
    JSON. `folder` gets the files."""
    tools, command = Tools(), f"soap.plan(..., {cluster!r}{', measured=...' if measured else ''})"
    given = [measured] if isinstance(measured, (str, os.PathLike)) else list(measured)
    with tempfile.TemporaryDirectory(prefix="soap-plan-") as name:
        place = Path(name)
        output = Path(folder) if folder is not None else None
        fitted = None
        if given:
            named = os.fspath(model) if isinstance(model, (str, os.PathLike)) else None
            fitted = fit_measurements(tools, [os.fspath(file) for file in given], named, cluster, executor, precision,
                                      output or place, quiet)  # fmt: skip
            cluster, executor = fitted.cluster, fitted.executor
        found = _named_or_written(model, example_inputs, place / "model.mlir")
        if isinstance(found, str) and (program := program_of_config(found, global_batch, seq_length, place)):
            found, seq_length = program, None
        problem = problem_of(tools, found, cluster, global_batch, seq_length, precision, time_limit, executor)
        if fitted:
            problem = fitted.apply(problem)
        return make_answer(tools, problem, output, executor=executor, simulate_all=simulate_all,
                           command=command)  # fmt: skip


def _named_or_written(model: Any, example_inputs: Any, path: Path) -> str | Program:
    """Objects of Python become programs in a file."""
    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    name = type(model).__name__
    if not hasattr(model, "save_ir"):
        if example_inputs is None:
            raise PlanError(f"soap.plan: a {name} needs example_inputs=")
        import soap

        if hasattr(model, "state_dict"):
            model = soap.from_torch(model, example_inputs)
        else:
            name = getattr(model, "__name__", name)
            model = soap.from_jax(model, *example_inputs)
    model.save_ir(path)
    return Program(getattr(model, "name", None) or name, path, is_onnx=False)
