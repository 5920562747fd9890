# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the argument MODEL names: a name, a config, or a program."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from .catalogue import ALIASES, CATALOGUE
from .errors import PlanError
from .families import read_config
from .network import Network


@dataclass(frozen=True)
class Program:
    """A model as a program: its sizes are its own."""

    name: str
    path: Path
    is_onnx: bool
    samples: int = 0  # of an iteration; 0: not known
    assumed: list[str] = field(default_factory=list)


def config_of(model: str) -> tuple[object, str] | None:
    """The content and the path of the config that `model` names; none: another kind of model."""
    path = _path_of(model)
    return (_load(path), str(path)) if path.suffix.lower() == ".json" else None


def _path_of(model: str) -> Path:
    path = Path(model)
    if not path.is_dir():
        return path
    if not (path / "config.json").exists():
        raise PlanError(f"{model}: the folder has no config.json")
    return path / "config.json"


def find_model(model: str) -> Network | Program:
    """A network by name, by the path of a config (or of its folder), or a program."""
    path = _path_of(model)
    suffix = path.suffix.lower()
    if suffix in (".onnx", ".mlir"):
        if not path.exists():
            raise PlanError(f"{model}: no such file")
        return Program(path.stem, path, suffix == ".onnx")
    if suffix == ".json":
        return read_config(_load(path), str(path))
    name = ALIASES.get(model.lower(), model.lower())
    if name in CATALOGUE:
        network = read_config(CATALOGUE[name], name)
        if name != model:
            network = replace(network, assumed=[f"'{model}' is {name}", *network.assumed])
        return network
    raise PlanError(f"{model}: unknown model; expected the path of a config.json, a model.onnx or a step.mlir, "
                    "PACKAGE.MODULE:FUNCTION, or one of " + ", ".join([*CATALOGUE, *ALIASES]))  # fmt: skip


def _load(path: Path) -> object:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PlanError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(f"{path}: cannot be read: {error}") from None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise PlanError(f"{path}:{error.lineno}:{error.colno}: no JSON: {error.msg}") from None
