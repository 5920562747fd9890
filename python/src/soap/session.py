# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that run: device programs, the memory of their tensors, a thread per device."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Mapping

import numpy as np

from . import _core
from .planning.keywords import names_nearest

#: Arrays of tensors by type. NumPy has no bfloat16: its arrays are float32 whose numbers are rounded to bf16.
_TYPES = {"f16": np.float16, "bf16": np.float32, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}


class Session:
    """Runs the entries of a module, such as `forward` and `train_step`. `Model.compile` makes one, and `Session.load`
    from an artifact. Tensors go in and out as whole arrays, however the plan cuts them."""

    def __init__(self, core: _core.Session):
        self._core = core
        about = json.loads(core.describe())
        self.devices: int = about["devices"]
        self.topology: str = about["topology"]
        #: Description of each tensor by name: kind, shape, dtype, and where known sample_dim and classes,
        #: and `counts_from_end` where negative integers do so, as in ONNX.
        self.tensors: dict[str, dict[str, Any]] = {row["name"]: row for row in about["tensors"]}
        names = list(self.tensors)
        #: Names of the arguments and results of each entry.
        self.entries: dict[str, dict[str, Any]] = {
            row["name"]: {
                "batch": row["batch"],
                "arguments": [names[i] for i in row["arguments"]],
                "results": [names[i] for i in row["results"]],
            }
            for row in about["entries"]
        }

    @staticmethod
    @names_nearest
    def load(path: str | os.PathLike[str], *, pin: bool = False, threads: int = 0) -> Session:
        """Loads an artifact. Its code is native: load only files that you trust."""
        return Session(_core.Session.load(os.fspath(path), pin, threads))

    @names_nearest
    def initialize(self, seed: int = 0, rule: str = "") -> None:
        """Gives parameters and states their first values. `rule`: "" takes each tensor's own, "he" and "glorot" replace
        it, all else is the path of a safetensors file."""
        self._core.initialize(rule, seed)

    def __setitem__(self, name: str, value: Any) -> None:
        """Sets a tensor. Integers become the tensor's type if all fit, floats if that loses nothing but rounding."""
        array = self._convert(name, value)
        self._core.set(name, _bits_of_bf16(array) if self.tensors[name]["dtype"] == "bf16" else array)

    def __getitem__(self, name: str) -> np.ndarray:
        """The current value of a tensor. That of a bf16 tensor is float32."""
        return self._filled(name, lambda array: self._core.get(name, array))

    def run(self, entry: str, inputs: Mapping[str, Any] | None = None) -> dict[str, np.ndarray]:
        """Sets `inputs`, runs one iteration of an entry, and returns its results by name, without new values of
        parameters and states: these are `session[name]` from then on."""
        self._entry(entry)
        for name, value in (inputs or {}).items():
            self[name] = value
        self._core.run(entry)
        results = {}
        for name in self.entries[entry]["results"]:
            results[name] = self._filled(name, lambda array, name=name: self._core.result(entry, name, array))
        return results

    @property
    def last_milliseconds(self) -> float:
        """Wall time of the latest iteration."""
        return self._core.last_milliseconds()

    def learning_rate(self, iteration: int) -> float | None:
        """The learning rate of an iteration, counted from 1; None where the options of the step do not say it."""
        rate = self._core.learning_rate(iteration)
        return None if rate < 0 else rate

    def save(self, path: str | os.PathLike[str], all_states: bool = False) -> None:
        """Writes parameters and buffers to a safetensors file; with `all_states` the states of the optimizer, too."""
        self._core.save(os.fspath(path), all_states)

    def names(self, kind: str, entry: str | None = None) -> list[str]:
        """Names of the tensors of a kind, of an entry alone if one is given."""
        tensors = self.tensors
        if entry is not None:
            about = self._entry(entry)
            tensors = {name: tensors[name] for name in about["arguments"] + about["results"]}
        return [name for name, about in tensors.items() if about["kind"] == kind]

    def saved_names(self) -> list[str]:
        """Parameters, and the states that another entry than `train_step` reads: the model without its optimizer."""
        read = {
            name for entry, about in self.entries.items() if entry != "train_step" for name in about["arguments"]
        }
        states = [n for n in self.names("state") if n in read or list(self.entries) == ["train_step"]]
        return self.names("parameter") + states

    def _entry(self, entry: str) -> dict[str, Any]:
        if entry not in self.entries:
            raise KeyError(f"no entry {entry!r}, expected one of {', '.join(map(repr, self.entries))}")
        return self.entries[entry]

    def _about(self, name: str) -> dict[str, Any]:
        if name not in self.tensors:
            raise KeyError(f"no tensor {name!r}, expected one of {', '.join(map(repr, self.tensors))}")
        return self.tensors[name]

    def _filled(self, name: str, fill: Callable[[np.ndarray], None]) -> np.ndarray:
        """An array of a tensor's shape, after `fill`."""
        about = self._about(name)
        if about["dtype"] != "bf16":
            array = np.empty(about["shape"], _type_of(about))
            fill(array)
            return array
        bits = np.empty(about["shape"], np.uint16)
        fill(bits)
        return (bits.astype(np.uint32) << 16).view(np.float32)

    def _convert(self, name: str, value: Any) -> np.ndarray:
        about = self._about(name)
        array = as_array(value, f"tensor {name!r}")
        wanted = np.dtype(_type_of(about))
        if list(array.shape) != about["shape"]:
            raise ValueError(f"tensor {name!r}: expected shape {about['shape']}, got {list(array.shape)}")
        if array.dtype != wanted:
            array = _converted(array, wanted, f"tensor {name!r}")
        return np.ascontiguousarray(array).reshape(about["shape"])


def _type_of(about: Mapping[str, Any]) -> Any:
    if about["dtype"] not in _TYPES:
        raise TypeError(f"tensor {about['name']!r} is of {about['dtype']}: expected one of {', '.join(_TYPES)}")
    return _TYPES[about["dtype"]]


def _bits_of_bf16(array: np.ndarray) -> np.ndarray:
    """The bits of float32 numbers rounded to bf16, to the nearest one, to the even one of two."""
    bits = array.view(np.uint32)
    rounded = (bits + (((bits >> 16) & 1) + np.uint32(0x7FFF))) >> 16
    # A carry out of the mantissa of a NaN would make another number of it.
    return np.where(np.isnan(array), (bits >> 16) | 0x40, rounded).astype(np.uint16)


def as_array(value: Any, what: str) -> np.ndarray:
    """A NumPy array of an array of any library on the CPU; an error for what is none."""
    if hasattr(value, "detach"):  # a tensor of PyTorch
        value = value.detach().cpu()
        # NumPy has no bfloat16.
        value = (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy()
    array = np.asarray(value)
    if array.dtype.name == "bfloat16":  # a type of JAX's ml_dtypes, which is no kind of NumPy's
        array = array.astype(np.float32)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what}: expected an array of numbers, got {type(value).__name__} of {array.dtype}")
    return array


def _converted(array: np.ndarray, wanted: np.dtype, what: str) -> np.ndarray:
    """The array in another type; an error where numbers would change by more than rounding."""
    if wanted.kind == "f":
        return array.astype(wanted)
    if array.dtype.kind == "f":
        raise TypeError(f"{what}: expected {wanted}, got {array.dtype}: convert it, if it holds whole numbers")
    limits = np.iinfo(wanted)
    if array.size and (int(array.min()) < limits.min or int(array.max()) > limits.max):
        raise OverflowError(f"{what}: numbers from {array.min()} to {array.max()} do not fit into {wanted}")
    return array.astype(wanted)
