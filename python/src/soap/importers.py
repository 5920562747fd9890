# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models from files and other programs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Sequence

from . import _core
from ._options import import_options
from .errors import keywords_beside
from .model import Model
from .planning.keywords import names_nearest


def from_onnx(path: str | os.PathLike[str], **options: Any) -> Model:
    """Imports an ONNX file (docs/ONNX.md). The options of `soap-translate --import-onnx` have `_` for `-`:
    `batch=8`, `input_shape={"x": (8, 3, 32, 32)}`, `parameters_from="names.txt"`, `keep_final_softmax=True`. A training
    step is built only where the file, or an option, makes certain what is trained; `assume_roles=True` guesses."""
    path = os.fspath(path)
    return Model(_core.Module.import_onnx(path, import_options(options)), Path(path).stem)


@names_nearest
def from_mlir(
    text_or_path: str | os.PathLike[str], *, dialect_plugins: Sequence[str | os.PathLike[str]] = ()
) -> Model:
    """Parses IR: text, or the path of a file of text or bytecode. A path is a `pathlib.Path`, or a text of one line that
    ends with `.mlir`, `.mlirbc` or `.soap`. Programs of linalg need `mark_arguments` before a search (docs/Linalg.md).
    `dialect_plugins` are shared objects with dialects of other projects (docs/OtherDialects.md): native code, so load
    only files that you trust."""
    plugins = [os.fspath(plugin) for plugin in dialect_plugins]
    if isinstance(text_or_path, os.PathLike) or (
        "\n" not in text_or_path and text_or_path.endswith((".mlir", ".mlirbc", ".soap"))
    ):
        path = os.fspath(text_or_path)
        return Model(_core.Module.parse_file(path, plugins), Path(path).stem)
    return Model(_core.Module.parse(text_or_path, "text", plugins))


def from_stablehlo(text: str, name: str = "stablehlo", **options: Any) -> Model:
    """Imports StableHLO in its generic form, as JAX prints it with `print_generic_op_form=True`. The options of
    `soap-translate --import-stablehlo` have `_` for `-`: `data=[0]`, `labels=[1]`, `parameters=range(2, 8)`, `states`,
    `updates`, `sample_dim`, `keep_shardings=True`."""
    return Model(_core.Module.import_stablehlo(text, name, import_options(options)), name)


def generate(name: str, *, batch: int = 0, **options: Any) -> Model:
    """A network by name, without trained weights (docs/Models.md): `generate("gpt", batch=8, layers=2)`,
    `generate("llama", preset="8b")`. `batch` 0: the network's default."""
    with keywords_beside("batch"):
        return Model(_core.Module.generate(name, batch, import_options(options)), name)


def from_torch(module: Any, example_inputs: Any, **options: Any) -> Model:
    """Imports a module of PyTorch; see `soap.torch.from_torch`."""
    from . import torch as soap_torch

    return soap_torch.from_torch(module, example_inputs, **options)


def from_jax(function: Callable[..., Any], *args: Any, **options: Any) -> Model:
    """Imports a function of JAX; see `soap.jax.from_jax`."""
    from . import jax as soap_jax

    return soap_jax.from_jax(function, *args, **options)
