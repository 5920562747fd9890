# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor, sequence and context parallelism by DTensor.

All weights are DTensors, so that each op sees whole shapes and DTensor's own rules say what its result is: how products
are cut decides what is fast, never what is computed."""

from __future__ import annotations

import copy
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

from ...planning.errors import PlanError
from .local import LocalOps
from .names import Names, plain
from .products import Cuts, transposed

#: Activations are samples x positions x width.
POSITIONS = 1


class Parts:
    """The result of a product that was taken apart: it can be taken apart, as its module does, and nothing else."""

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


class Layout:
    """How activations lie on the mesh of places and members, whose last dim is members where there are any."""

    def __init__(self, mesh: Any, sequence: bool):
        self.mesh, self.has_members = mesh, "tensor" in mesh.mesh_dim_names
        self._sequence = sequence

    def of_weights(self, members: Any) -> list[Any]:
        """All places have all weights."""
        return self._row(Replicate(), members)

    def of_stream(self) -> list[Any]:
        """Between blocks."""
        return self._row(Shard(POSITIONS), Shard(POSITIONS) if self._sequence else Replicate())

    def of_inputs(self, ndim: int) -> list[Any]:
        """Of samples, and of what enters products in columns: whole on all members."""
        return self.of_activations(ndim, Replicate())

    def of_activations(self, ndim: int, members: Any) -> list[Any]:
        return self._row(Shard(POSITIONS) if ndim > POSITIONS else Replicate(), members)

    def _row(self, places: Any, members: Any) -> list[Any]:
        return [members if name == "tensor" else places for name in self.mesh.mesh_dim_names]

    def spread(self, x: torch.Tensor) -> DTensor:
        """A tensor that all have."""
        every = DTensor.from_local(x, self.mesh, [Replicate()] * self.mesh.ndim, run_check=False)
        return every.redistribute(self.mesh, self.of_inputs(x.ndim))

    def entered(self, x: DTensor) -> DTensor:
        """An activation as products in columns read it. Members have parts of its gradient, and the sum is made here;
        where the stream is cut, the backward pass of the gather makes it."""
        whole = self.of_inputs(x.ndim)
        if list(x.placements) != whole:
            return x.redistribute(self.mesh, whole)
        return DTensor.from_local(x.to_local(), self.mesh, x.placements, run_check=False, shape=x.shape, stride=x.stride())

    def own(self, weight: DTensor) -> torch.Tensor:
        """A member's part of a weight, of whose gradient each place has a part."""
        return weight.to_local(grad_placements=[p if name == "tensor" else Partial() for name, p in
                                                zip(self.mesh.mesh_dim_names, weight.placements)])  # fmt: skip

    def joined(self, local: torch.Tensor, members: Any) -> DTensor:
        return DTensor.from_local(local, self.mesh, self.of_activations(local.ndim, members), run_check=False)


def _columns(module: nn.Module, layout: Layout) -> None:
    """Products of members and their gradients are local: DTensor would choose by its own prices."""
    _place(module, layout.mesh, {"weight": layout.of_weights(Shard(0)), "bias": layout.of_weights(Shard(0))})

    def forward(x: DTensor) -> DTensor:
        if list(x.placements) != layout.of_inputs(x.ndim):
            x = layout.entered(x)
        # Each member has a part of the input's gradient.
        local = x.to_local(grad_placements=layout.of_activations(x.ndim, Partial()))
        result = F.linear(local, layout.own(module.weight), layout.own(module.bias) if _has_bias(module) else None)
        return layout.joined(result, Shard(x.ndim - 1))

    module.forward = forward


def _rows(module: nn.Module, layout: Layout, path: str) -> None:
    """An input that is not cut where the columns before were is an op that DTensor gathers for: an error."""
    _place(module, layout.mesh, {"weight": layout.of_weights(Shard(1)), "bias": layout.of_weights(Replicate())})

    def forward(x: DTensor) -> DTensor:
        if not isinstance(x, DTensor) or list(x.placements) != layout.of_activations(x.ndim, Shard(x.ndim - 1)):
            raise PlanError(f"parallelize: {path}: its input arrives as {getattr(x, 'placements', 'a plain tensor')}, where "
                            "products before it are cut in columns: an op between them reads all columns; the nearest plan "
                            "has tensor=1")  # fmt: skip
        result = layout.joined(F.linear(x.to_local(), layout.own(module.weight)), Partial())
        result = result.redistribute(layout.mesh, layout.of_stream())
        return result + module.bias if _has_bias(module) else result

    module.forward = forward


def _vocabulary(module: nn.Module, layout: Layout) -> None:
    """Each member looks up the tokens that it has."""
    _place(module, layout.mesh, {"weight": layout.of_weights(Shard(0))})
    member = layout.mesh.get_local_rank("tensor")

    def forward(ids: DTensor) -> DTensor:
        weight = layout.own(module.weight)
        local = ids.to_local() - member * weight.shape[0]
        is_other = (local < 0) | (local >= weight.shape[0])
        result = F.embedding(local.masked_fill(is_other, 0), weight).masked_fill(is_other[..., None], 0)
        return layout.joined(result, Partial()).redistribute(layout.mesh, layout.of_stream())

    module.forward = forward


def _has_bias(module: nn.Module) -> bool:
    return getattr(module, "bias", None) is not None


def _place(module: nn.Module, mesh: Any, placements: dict[str, list[Any]]) -> None:
    for name, parameter in list(module.named_parameters(recurse=False)):
        data = distribute_tensor(parameter.data, mesh, placements[name], src_data_rank=None)
        module.register_parameter(name, nn.Parameter(data, requires_grad=parameter.requires_grad))


def cut(module: nn.Module, cuts: Cuts, layout: Layout) -> None:
    """Cuts a module, or a stage of it. Weights that are not cut are whole on all members."""
    first: dict[int, str] = {}
    names = {name: first.setdefault(id(parameter), name)
             for name, parameter in module.named_parameters(remove_duplicate=False)}  # fmt: skip
    columns = {f"{product.path}.parts.{i}" if product.parts > 1 else product.path
               for product in (*cuts.columns, *([cuts.head] if cuts.head else [])) for i in range(product.parts)}  # fmt: skip
    rows = {product.path for product in cuts.rows}
    for path, child in list(module.named_modules()):
        name = plain(path)  # a module that is called twice is two in the graph of a stage
        if name in columns:
            _columns(child, layout)
        elif name in rows:
            _rows(child, layout, name)
        elif name in cuts.embeddings:
            _vocabulary(child, layout)
        elif name in cuts.shared_inputs:
            child.register_forward_hook(lambda module, given, result: layout.entered(result))
    done: dict[str, nn.Parameter] = {}
    for name, tied in names.items():
        path, _, key = name.rpartition(".")
        child = module.get_submodule(path)
        if tied not in done:
            parameter = child.get_parameter(key)
            if not isinstance(parameter, DTensor):
                data = distribute_tensor(parameter.data, layout.mesh, layout.of_weights(Replicate()), src_data_rank=None)
                parameter = nn.Parameter(data, requires_grad=parameter.requires_grad)
            done[tied] = parameter
        child.register_parameter(key, done[tied])


def has(module: nn.Module, path: str) -> bool:
    try:
        module.get_submodule(path)
    except AttributeError:
        return False
    return True


def verify(module: nn.Module, cuts: Cuts, layout: Layout, example: tuple[torch.Tensor, ...]) -> None:
    """Runs a copy without numbers: an op that DTensor cannot compute of what is cut is an error here, by name."""
    from torch.distributed.tensor.experimental import implicit_replication

    memo: dict[int, Any] = {}
    for parameter in module.parameters():
        memo[id(parameter)] = nn.Parameter(torch.empty_like(parameter, device="meta"), requires_grad=parameter.requires_grad)
    ghost = copy.deepcopy(module, memo).to("meta")
    cut(ghost, cuts, layout)
    inputs = [layout.spread(x.to("meta")) for x in example]
    try:
        with torch.device("meta"), implicit_replication(), LocalOps(), torch.no_grad():
            ghost(*inputs)
    except PlanError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())
        raise PlanError(f"parallelize: {' x '.join(f'{name}={size}' for name, size in zip(layout.mesh.mesh_dim_names, layout.mesh.shape))}: "
                        f"{_line(error)}{type(error).__name__}: {reason[:300]}; the nearest plan has replicas instead") from error  # fmt: skip


def _line(error: BaseException) -> str:
    """The user's line that fails: the last frame that is none of PyTorch's or of ours."""
    import traceback

    inside = ("/torch/", "/soap/torch/")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not any(part in frame.filename for part in inside)]
    return f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""
