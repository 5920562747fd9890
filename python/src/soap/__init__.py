# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Soap finds a fast way to train a neural network on several devices, and trains it.

    import soap

    model = soap.from_onnx("lenet.onnx")
    plan = soap.find_strategy(model, topology="cpu-4", time_limit=5)
    print(plan)
    soap.fit(model, (images, labels), plan=plan, epochs=5)
    weights = model.state_dict()

`soap.jax` and `soap.torch` are imported when they are used: they need these frameworks."""

from __future__ import annotations

from typing import Any

from ._openmp import sleeping_threads

with sleeping_threads():
    from . import _core
from .errors import OptionError, SoapError, SoapWarning
from .importers import from_jax, from_mlir, from_onnx, from_stablehlo, from_torch, generate
from .layout import Layout, TensorLayout
from .logs import read_log
from .model import Model
from .plan import Comparison, Plan, apply_strategy, find_strategy
from .planning import Answer, PlanError
from .session import Session
from .training import Epoch, History, fit
from .planning import plan  # isort: skip  # behind the module `soap.plan`, whose name it takes

#: The version of Soap and of LLVM that this package uses.
version: str = _core.version()
__version__: str = version.split()[1]

__all__ = [
    "Answer",
    "Comparison",
    "Epoch",
    "History",
    "Layout",
    "Model",
    "OptionError",
    "Plan",
    "PlanError",
    "Session",
    "SoapError",
    "SoapWarning",
    "TensorLayout",
    "apply_strategy",
    "find_strategy",
    "fit",
    "from_jax",
    "from_mlir",
    "from_onnx",
    "from_stablehlo",
    "from_torch",
    "generate",
    "plan",
    "read_log",
    "version",
]


def __getattr__(name: str) -> Any:
    if name in ("jax", "torch"):
        import importlib

        return importlib.import_module(f"soap.{name}")
    raise AttributeError(f"module 'soap' has no attribute {name!r}")
