# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of Python by name: PACKAGE.MODULE:FUNCTION, a function that returns a model and example inputs."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from .errors import PlanError, listed
from .keywords import did_you_mean

#: A function as it is expected.
EXAMPLE = "def planned(): return module, (batch,)"


def is_named(model: str) -> bool:
    """Whether a text is MODULE:FUNCTION, and no file."""
    module, colon, function = model.partition(":")
    parts = [*module.split("."), *function.split(".")]
    return bool(colon) and all(part.isidentifier() for part in parts) and not Path(model).exists()


def made_by_name(name: str) -> Any:
    """The result of the function: a model of `soap.from_*`, a module of PyTorch with its example inputs, or a dict of
    the arguments of `soap.from_torch`."""
    function = _function(name)
    if not callable(function):
        raise PlanError(f"{name}: is of type {type(function).__name__}, expected a function that returns a model and example "
                        f"inputs: {EXAMPLE}")  # fmt: skip
    needed = _needed(function)
    if needed:
        raise PlanError(f"{name}: takes {listed(needed, 'and')}, whose shapes are not known; expected a function without "
                        f"arguments that returns a model and example inputs: {EXAMPLE}")  # fmt: skip
    try:
        made = function()
    except Exception as error:
        raise PlanError(f"{name}: {_where(error)}{type(error).__name__}: {error}") from None
    if hasattr(made, "save_ir") or isinstance(made, dict) and {"module", "example_inputs"} <= set(made):
        return made
    if isinstance(made, (tuple, list)) and len(made) == 2 and callable(made[0]):
        return tuple(made)
    what = f"a {type(made).__name__}" + (f" of {len(made)}" if isinstance(made, (tuple, list)) else "")
    if isinstance(made, dict):
        what += " without 'module' and 'example_inputs'"
    raise PlanError(f"{name}: gives {what}, expected a model and its example inputs: {EXAMPLE}")


def _function(name: str) -> Any:
    module, _, path = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(error.name + ".")):
            raise PlanError(f"{name}: Python finds no module '{error.name}' here or in its path ({sys.executable})") from None
        raise PlanError(f"{name}: {_where(error)}{error} ({sys.executable})") from None
    except Exception as error:
        raise PlanError(f"{name}: {_where(error)}{type(error).__name__}: {error}") from None
    for part in path.split("."):
        if not hasattr(found, part):
            raise PlanError(f"{name}: {getattr(found, '__name__', module)} has no '{part}'"
                            + did_you_mean(part, (one for one in dir(found) if not one.startswith("_"))))  # fmt: skip
        found = getattr(found, part)
    return found


def _needed(function: Any) -> list[str]:
    """Arguments without a default."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [f"'{one.name}'" for one in parameters
            if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]  # fmt: skip


def _where(error: BaseException) -> str:
    """The place in the user's file."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if frame.filename != __file__ and "importlib" not in frame.filename]  # fmt: skip
    return f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""
