# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor and sequence parallelism: products cut by `parallelize_module`, everything else as DTensors.

All weights are DTensors, so that each op sees whole shapes and DTensor's own rules say what its result is: how products
are cut decides what is fast, never what is computed."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_module, distribute_tensor
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    ParallelStyle,
    RowwiseParallel,
    parallelize_module,
)

from ...planning.errors import PlanError
from .local import LocalOps
from .names import Names, plain
from .products import Cuts, Product, transposed

#: Sequence parallelism splits activations of samples x positions x width along positions.
POSITIONS = 1


class Parts:
    """What a product that was taken apart returns: it can be taken apart, as its module does, and nothing else."""

    def __init__(self, path: str, parts: list[torch.Tensor]):
        self._path, self._parts = path, parts

    @property
    def shape(self) -> torch.Size:
        first = self._parts[0].shape
        return torch.Size((*first[:-1], first[-1] * len(self._parts)))

    @property
    def ndim(self) -> int:
        return self._parts[0].ndim

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def split(self, sizes: int | list[int], dim: int = 0) -> tuple[torch.Tensor, ...]:
        width = self._parts[0].shape[-1]
        if dim % self.ndim != self.ndim - 1 or sizes not in (width, [width] * len(self._parts)):
            raise self._refused("split")
        return tuple(self._parts)

    def chunk(self, chunks: int, dim: int = 0) -> tuple[torch.Tensor, ...]:
        if dim % self.ndim != self.ndim - 1 or chunks != len(self._parts):
            raise self._refused("chunk")
        return tuple(self._parts)

    def view(self, *shape: Any) -> torch.Tensor:
        """With the parts as a dim of their own behind the others."""
        new = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
        count = self.ndim - 1
        if len(new) != self.ndim + 2 or new[count] != len(self._parts) or \
                any(a not in (b, -1) for a, b in zip(new, self.shape[:-1])):  # fmt: skip
            raise self._refused(f"view{new}")
        return torch.stack([part.reshape(*part.shape[:-1], *new[count + 1 :]) for part in self._parts], dim=count)

    reshape = view

    def __getattr__(self, name: str) -> Any:
        raise self._refused(name)

    def _refused(self, what: str) -> Exception:
        return PlanError(f"parallelize: {self._path}: '{what}' of a product that members share; expected that it is taken "
                         f"apart into {len(self._parts)} equal parts at once, by split, chunk, or a reshape")  # fmt: skip


class PartedLinear(nn.Module):
    """A product whose result is taken apart at once, as one product for each part."""

    def __init__(self, linear: nn.Linear, parts: int, path: str):
        super().__init__()
        self.path = path
        biases = linear.bias.chunk(parts) if linear.bias is not None else [None] * parts
        self.parts = nn.ModuleList(_linear(weight, bias) for weight, bias in zip(linear.weight.chunk(parts), biases))

    def forward(self, x: torch.Tensor) -> Any:
        return Parts(self.path, [part(x) for part in self.parts])


def _linear(weight: torch.Tensor, bias: torch.Tensor | None) -> nn.Linear:
    linear = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None, device="meta")
    linear.weight = nn.Parameter(weight.detach().clone())
    if bias is not None:
        linear.bias = nn.Parameter(bias.detach().clone())
    return linear


def prepare(module: nn.Module, cuts: Cuts, names: Names) -> None:
    """Makes each product that is cut a Linear, or as many as it has parts."""
    for product in (*cuts.columns, *cuts.rows, *([cuts.head] if cuts.head else [])):
        old = module.get_submodule(product.path)
        is_transposed = bool(transposed(old))
        if product.parts == 1 and type(old) is nn.Linear:
            continue
        weight = old.weight.t() if is_transposed else old.weight
        new: nn.Module = _linear(weight, getattr(old, "bias", None))
        if product.parts > 1:
            new = PartedLinear(new, product.parts, product.path)  # type: ignore[arg-type]
        module.set_submodule(product.path, new.train(old.training))
        names.products[product.path] = (product.parts, is_transposed)


class _Shared(ParallelStyle):
    """The result of a module that several products in columns read: whole on all members, its gradient summed once."""

    def _apply(self, module: nn.Module, device_mesh: Any) -> nn.Module:
        module.register_forward_hook(lambda module, given, result: _entered(result, device_mesh))
        return module


class _Columns(ColwiseParallel):
    """Of graphs, too, whose products are in modules of other classes."""

    def __init__(self, is_shared: bool):
        super().__init__(use_local_output=False)
        self.is_shared = is_shared

    def _apply(self, module: nn.Module, device_mesh: Any) -> nn.Module:
        def inputs(module: nn.Module, given: Any, mesh: Any) -> Any:
            return given if self.is_shared else (_entered(given[0], mesh),)

        return distribute_module(module, device_mesh, self._partition_linear_fn, inputs,
                                 partial(self._prepare_output_fn, self.output_layouts, self.use_local_output))  # fmt: skip


def _entered(x: DTensor, mesh: Any) -> DTensor:
    """What products in columns read. Each member has a part of its gradient, and the sum is made here."""
    x = x.redistribute(mesh, [Replicate()])
    return DTensor.from_local(x.to_local(), mesh, [Replicate()], run_check=False)


class _Rows(RowwiseParallel):
    """An input that is not cut where the columns before were is an op that DTensor gathers for: an error."""

    def __init__(self, path: str, **layouts: Any):
        super().__init__(**layouts)
        self.path = path

    def _apply(self, module: nn.Module, device_mesh: Any) -> nn.Module:
        def inputs(module: nn.Module, given: Any, mesh: Any) -> Any:
            (x,) = given
            if not isinstance(x, DTensor) or x.placements != (Shard(x.ndim - 1),):
                raise PlanError(f"parallelize: {self.path}: its input arrives as {getattr(x, 'placements', 'a plain tensor')}, where "
                                "products before it are cut in columns: an op between them reads all columns; the "
                                "nearest plan has tensor=1")  # fmt: skip
            return x

        return distribute_module(module, device_mesh, self._partition_linear_fn, inputs,
                                 partial(self._prepare_output_fn, self.output_layouts, self.use_local_output))  # fmt: skip


class _Vocabulary(RowwiseParallel):
    def _apply(self, module: nn.Module, device_mesh: Any) -> nn.Module:
        self.desired_input_layouts = (Replicate(),)
        return distribute_module(module, device_mesh, self._partition_embedding_fn,
                                 partial(self._prepare_input_fn, self.input_layouts, self.desired_input_layouts),
                                 partial(self._prepare_output_fn, self.output_layouts, self.use_local_output))  # fmt: skip


def styles(cuts: Cuts, sequence: bool) -> dict[str, ParallelStyle]:
    """The style of each module that is cut, by path."""
    stream: Any = Shard(POSITIONS) if sequence else Replicate()
    result: dict[str, ParallelStyle] = {}
    for product in (*cuts.columns, *([cuts.head] if cuts.head else [])):
        for path in _paths(product):
            result[path] = _Columns(product.path in cuts.shares)
    for product in cuts.rows:
        result[product.path] = _Rows(product.path, output_layouts=stream, use_local_output=False)
    for path in cuts.embeddings:
        result[path] = _Vocabulary(input_layouts=Replicate(), output_layouts=stream, use_local_output=False)
    result |= {path: _Shared() for path in cuts.shared_inputs}
    return result


def _paths(product: Product) -> list[str]:
    return [f"{product.path}.parts.{i}" for i in range(product.parts)] if product.parts > 1 else [product.path]


def cut(module: nn.Module, cuts: Cuts, mesh: Any, sequence: bool) -> None:
    """Cuts a module, or a stage of it, over the members of a mesh of one dim."""
    # A module that is called twice is two in the graph of a stage.
    every = styles(cuts, sequence)
    own = {path: every[plain(path)] for path, _ in module.named_modules() if plain(path) in every}
    first: dict[int, str] = {}
    names = {name: first.setdefault(id(parameter), name)
             for name, parameter in module.named_parameters(remove_duplicate=False)}  # fmt: skip
    parallelize_module(module, mesh, own)
    done: dict[str, nn.Parameter] = {}
    for name, tied in names.items():
        path, _, key = name.rpartition(".")
        child = module.get_submodule(path)
        if tied not in done:
            parameter = child.get_parameter(key)
            if not isinstance(parameter, DTensor):
                data = distribute_tensor(parameter.data, mesh, [Replicate()], src_data_rank=None)
                parameter = nn.Parameter(data, requires_grad=parameter.requires_grad)
            done[tied] = parameter
        child.register_parameter(key, done[tied])


def has(module: nn.Module, path: str) -> bool:
    try:
        module.get_submodule(path)
    except AttributeError:
        return False
    return True


def verify(module: nn.Module, cuts: Cuts, mesh: Any, sequence: bool, example: tuple[torch.Tensor, ...]) -> None:
    """Runs a copy without numbers: an op that DTensor cannot compute of what is cut is an error here, by name."""
    from torch.distributed.tensor.experimental import implicit_replication

    memo: dict[int, Any] = {}
    for parameter in module.parameters():
        memo[id(parameter)] = nn.Parameter(torch.empty_like(parameter, device="meta"), requires_grad=parameter.requires_grad)
    ghost = copy.deepcopy(module, memo).to("meta")
    cut(ghost, cuts, mesh, sequence)
    inputs = [DTensor.from_local(x.to("meta"), mesh, [Replicate()], run_check=False) for x in example]
    try:
        with torch.device("meta"), implicit_replication(), LocalOps(), torch.no_grad():
            ghost(*inputs)
    except PlanError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())
        raise PlanError(f"parallelize: tensor parallelism over {mesh.size()} devices: {_place(error)}{type(error).__name__}: "
                        f"{reason[:300]}; the nearest plan has tensor=1") from error  # fmt: skip


def _place(error: BaseException) -> str:
    """The user's line that fails: the last frame that is none of PyTorch's or of ours."""
    import traceback

    inside = ("/torch/", "/soap/torch/")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not any(part in frame.filename for part in inside)]
    return f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""
