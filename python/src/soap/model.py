# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models: modules of IR with what Python knows of them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Mapping, Sequence

import numpy as np

from . import _core
from ._options import pass_options
from .errors import SoapError, keywords_beside
from .planning.keywords import names_nearest
from .session import Session, as_array


class Model:
    """A model as IR, and the values of its parameters. Functions that change the IR return a new model; `fit` changes
    the values of the model that it trains."""

    def __init__(self, core: _core.Module, name: str = "model"):
        self._core = core
        self.name = name
        #: Values of parameters and buffers by name, once there are some.
        self._values: dict[str, np.ndarray] | None = None
        self._predictor: Session | None = None

    # --- IR -----------------------------------------------------------------------------------------------------------

    @property
    def ir(self) -> str:
        """The IR as text."""
        return self._core.print()

    def describe(self) -> dict[str, Any]:
        """The topology and the functions of the module, with their arguments and results."""
        return json.loads(self._core.describe())

    def function(self, name: str) -> dict[str, Any] | None:
        """The description of a function, or None."""
        return next((f for f in self.describe()["functions"] if f["name"] == name), None)

    @property
    def has_training_step(self) -> bool:
        return self.function("train_step") is not None

    def run_passes(self, pipeline: str) -> Model:
        """A copy of the model after passes, in MLIR's syntax: `"soap-partition,soap-lower-to-cpu"`."""
        core = self._core.clone()
        core.run_passes(pipeline)
        return self._with(core)

    def build_training_step(self, optimizer: str = "sgd", learning_rate: float = 0.01, **options: Any) -> Model:
        """The model with `@train_step` and `@evaluate` beside `@forward`. `--soap-build-training-step`
        has further options (docs/TrainingStep.md), with `_` for `-`: `momentum=0.9`, `weight_decay=1e-4`."""
        text = pass_options({"optimizer": optimizer, "learning_rate": learning_rate, **options})
        return self.run_passes("soap-build-training-step{" + text + "}")

    def mark_arguments(self, **options: Any) -> Model:
        """Says by numbers which arguments of a function are `data`, `labels`, `parameters` or `states`. Further options
        of `--soap-mark-arguments`: `sample_dim=0`, `batch=8`, `function="main"`."""
        with keywords_beside("data", "labels", "parameters", "states", "sample_dim", "batch", "function"):
            return self.run_passes("soap-mark-arguments{" + pass_options(options) + "}")

    def name_arguments(self, names: Sequence[str], function: str | None = None) -> Model:
        """The model with names for the arguments of a function: tensors of sessions and plans have them."""
        core = self._core.clone()
        core.name_arguments(list(names), function)
        return self._with(core)

    def save_ir(self, path: str | os.PathLike[str]) -> None:
        """Writes the IR to a file, for soap-opt and soap-run."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.ir)

    # --- Running ------------------------------------------------------------------------------------------------------

    @names_nearest
    def compile(self, *, level: int = 2, cache: bool = True, pin: bool = False, threads: int = 0) -> Session:
        """Compiles the module for this machine. A module without a strategy runs on one device. `level` is LLVM's,
        `cache` that of compiled code on disk; `pin` binds devices to cores; `threads` of kernels a device, 0: the
        machine's cores divided by the devices."""
        return Session(_core.Session.compile(self._core, level, cache, pin, threads))

    def predict(self, *inputs: Any, function: str = "forward", **named: Any) -> np.ndarray | dict[str, np.ndarray]:
        """Runs the model on one batch, with the current values of its parameters: the result, or a dict of several.
        Inputs come in the order of the function's data arguments, or by name."""
        if self._predictor is None:
            self._predictor = self.compile()
            self._predictor.initialize()
        session = self._predictor
        self.restore(session)
        names = session.names("data", function)
        if len(inputs) > len(names):
            raise TypeError(f"{function!r} has {len(names)} data arguments, got {len(inputs)}")
        results = session.run(function, {**dict(zip(names, inputs)), **named})
        return next(iter(results.values())) if len(results) == 1 else results

    # --- Values -------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Parameters and buffers by name: first values of the model, or what `fit` has made of them."""
        return {name: value.copy() for name, value in self._numbers().items()}

    def load_state_dict(self, values: Mapping[str, Any]) -> None:
        """Sets parameters and buffers. Names and shapes are as in `state_dict()`; all must be there."""
        current = self._numbers()
        missing, unknown = sorted(set(current) - set(values)), sorted(set(values) - set(current))
        if missing or unknown:
            raise KeyError(f"expected the names of state_dict(): missing {missing}, unknown {unknown}")
        new = {}
        for name, old in current.items():
            array = as_array(values[name], name)
            if array.shape != old.shape:
                raise ValueError(f"{name!r}: expected shape {list(old.shape)}, got {list(array.shape)}")
            new[name] = array.astype(old.dtype)
        self._values = new

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes parameters and buffers to a safetensors file. `MODEL.soap`, or `MODEL.mlir`, gets the IR, and
        `MODEL.safetensors` beside it the values: soap-opt and soap-run read them."""
        file = Path(path)
        if file.suffix in (".soap", ".mlir"):
            self.save_ir(file)
            file = file.with_suffix(".safetensors")
        if self._has_numbers():
            self._save_values(file)
        elif file == Path(path):
            raise SoapError(f"{self.name} has no numbers to save: its parameters are on meta")

    def _has_numbers(self) -> bool:
        return True

    def _save_values(self, path: Path) -> None:
        session = self._inference_session()
        self.restore(session)
        session.save(path)

    def _numbers(self) -> dict[str, np.ndarray]:
        if self._values is None:
            session = self._inference_session()
            self._values = {name: session[name] for name in session.saved_names()}
        return self._values

    def _inference_session(self) -> Session:
        session = self.compile(level=0)
        session.initialize()
        return session

    def restore(self, session: Session) -> None:
        """Gives the tensors of a session the model's values, where it has some."""
        for name, value in (self._values or {}).items():
            session[name] = value

    def _with(self, core: _core.Module) -> Model:
        """A model of the same kind on other IR."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._core = core
        copy._predictor = None
        return copy

    def __getstate__(self) -> dict[str, Any]:
        """The IR as text, and the values: pickle and copy take these."""
        return {**self.__dict__, "_core": self._core.print(), "_predictor": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._core = _core.Module.parse(state["_core"], self.name, [])

    def __repr__(self) -> str:
        functions = ", ".join(f"@{f['name']} ({f['ops']} ops)" for f in self.describe()["functions"])
        return f"<soap.Model {self.name!r}: {functions}>"


def needs_training_step(model: Model) -> bool:
    """Whether a training step can be built: a `@forward` with parameters, and no step yet."""
    forward = model.function("forward")
    return (
        forward is not None
        and not model.has_training_step
        and any(argument.get("kind") == "parameter" for argument in forward["arguments"])
    )


def check_model(model: Any) -> Model:
    """The model itself; an error for anything else."""
    if not isinstance(model, Model):
        raise TypeError(
            f"expected a soap.Model, got {type(model).__name__}: soap.from_onnx, from_torch, from_jax, from_mlir and "
            "generate make one"
        )
    return model
