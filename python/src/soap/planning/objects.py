# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`plan(...)`: the answer for a model, also an object of Python, and a cluster."""

from __future__ import annotations

import os
import sys
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
from .named import is_named, made_by_name
from .tools import Tools


@names_nearest
def plan(model: Any, cluster: str, *, example_inputs: Any = None, global_batch: int | None = None,
         seq_length: int | None = None, precision: str = "bf16", executor: str = "",
         measured: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (), time_limit: float = 30,
         simulate_all: bool = False, folder: str | os.PathLike[str] | None = None) -> Answer:  # fmt: skip
    """Plans the training of a model on a cluster (docs/SoapPlan.md).

    `model` is a name, the path of a config.json, a model.onnx or a step.mlir, or PACKAGE.MODULE:FUNCTION; a model of
    `soap.from_*` with `@forward` or `@train_step`; or, with `example_inputs`, a module of PyTorch, on the device meta,
    too. `measured` is a file, or several, with measurements of the cluster: output of nccl-tests or of nvidia-smi topo
    -m, or iterations of jobs as JSON. `folder` gets the files."""
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
        found = named_or_written(model, example_inputs, place / "model.mlir")
        if isinstance(found, str) and (program := program_of_config(found, global_batch, seq_length, place)):
            found, seq_length = program, None
        problem = problem_of(tools, found, cluster, global_batch, seq_length, precision, time_limit, executor)
        if fitted:
            problem = fitted.apply(problem)
        return make_answer(tools, problem, output, executor=executor, simulate_all=simulate_all,
                           command=command)  # fmt: skip


def named_or_written(model: Any, example_inputs: Any, path: Path) -> str | Program:
    """Objects of Python, and functions of modules that give them, become programs in a file."""
    name = type(model).__name__
    options: dict[str, Any] = {}
    if isinstance(model, (str, os.PathLike)):
        model = os.fspath(model)
        if not is_named(model):
            return model
        name = model
        _soap_for(name)
        made = made_by_name(name)
        if isinstance(made, dict):
            options = dict(made)
            made = options.pop("module"), options.pop("example_inputs")
        model, example_inputs = made if isinstance(made, tuple) else (made, None)
    if not hasattr(model, "save_ir"):
        if not hasattr(model, "state_dict") and callable(model):
            raise PlanError(f"{name}: functions of JAX are planned by soap.jax.find_strategy, as soap-plan builds the "
                            "training step itself; expected a module of PyTorch or a model of soap.from_*")  # fmt: skip
        if example_inputs is None:
            raise PlanError(f"soap.plan: a {name} needs example_inputs=")
        soap = _soap_for(name)
        try:
            model = soap.from_torch(model, example_inputs, **options)
        except (ImportError, soap.SoapError) as error:
            raise PlanError(f"{name}: {error}") from None
    model.save_ir(path)
    return Program(getattr(model, "name", None) or name, path, is_onnx=False)


def _soap_for(name: str) -> Any:
    try:
        import soap
    except ImportError as missing:
        raise PlanError(f"{name}: models of Python need soap in the Python of soap-plan, {sys.executable} "
                        f"({missing})") from None  # fmt: skip
    return soap
