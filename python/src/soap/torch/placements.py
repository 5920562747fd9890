# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans as placements of torch.distributed's DTensor."""

from __future__ import annotations

import warnings
from typing import Any

import torch

from ..errors import SoapWarning
from ..plan import Plan


def mesh(plan: Plan, device_type: str = "cpu", *, stage: int | None = None) -> Any:
    """The plan's mesh as a DeviceMesh of torch.distributed, whose ranks are the plan's devices; of a pipeline, the mesh
    of a `stage`. Every rank calls it, for every stage in the same order."""
    from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

    layout = plan.layout(stage)
    shape, names = layout.mesh_shape or (1,), tuple(layout.axes) or ("axis0",)
    if stage is None:
        return init_device_mesh(device_type, shape, mesh_dim_names=names)
    return DeviceMesh(device_type, torch.tensor(plan.stage_devices(stage)).reshape(shape), mesh_dim_names=names)


def placements(plan: Plan, *, strict: bool = False, stage: int | None = None) -> dict[str, list[Any]]:
    """DTensor placements of every argument of the plan's function by name, parameters by that of the module: one
    `Shard(dim)` or `Replicate()` for each dim of `mesh(plan)`.

    DTensor splits a dim by the mesh dims from the first to the last. A tensor that the plan splits in another order, or
    that no mesh describes, is split over fewer devices; a warning names it, with `strict` an error. Of a pipeline,
    `stage` chooses the stage whose parameters and states are placed, on `mesh(plan, stage=stage)`."""
    from torch.distributed.tensor import Replicate, Shard

    layout = plan.layout(stage)
    order = list(layout.axes) or ["axis0"]
    faults = dict(layout.inexact)
    result = {}
    for tensor in layout.tensors.values():
        if tensor.argument < 0:
            continue
        row: list[Any] = [Replicate()] * len(order)
        for dim, axes in enumerate(tensor.dims):
            numbers = [order.index(axis) for axis in axes]
            if numbers != sorted(numbers):
                faults.setdefault(tensor.name, f"dim {dim} is split by axes in the order {axes}")
                numbers = numbers[:1]
            for number in numbers:
                row[number] = Shard(dim)
        result[tensor.name] = row
    faults = {name: fault for name, fault in faults.items() if name in result}
    if faults:
        reasons = "; ".join(f"{name!r}: {fault}" for name, fault in faults.items())
        text = "some DTensor placements differ from the plan: " + reasons
        if strict:
            raise ValueError(text)
        warnings.warn(text, SoapWarning, stacklevel=2)
    names = getattr(plan.model, "_names", None)
    if names:
        for key, name in names.items():
            if key != name and name in result:
                result.setdefault(key, result[name])
    return result


def distribute(
    module: torch.nn.Module, plan: Plan, device_mesh: Any = None, *, stage: int | None = None
) -> torch.nn.Module:
    """Makes a DTensor of every parameter of a module, where the plan has it, and returns the module. Buffers are
    replicated. Inputs are DTensors too: `distribute_input`. Of a pipeline, the module is that of a `stage`, with the
    names of the whole: an error if it has parameters that the stage has not."""
    from torch.distributed.tensor import Replicate, distribute_tensor

    device_mesh = device_mesh if device_mesh is not None else mesh(plan, stage=stage)
    rows = placements(plan, stage=stage)
    if stage is not None:
        others = [name for name, _ in module.named_parameters() if name not in rows]
        if others:
            raise KeyError(f"distribute: stage {stage} of the plan has no parameters {others}")
    whole = [Replicate()] * device_mesh.ndim
    for child_name, child in module.named_modules():
        prefix = child_name + "." if child_name else ""
        for name, value in list(child.named_parameters(recurse=False)):
            spec = rows.get(prefix + name, whole)
            tensor = distribute_tensor(value.data, device_mesh, spec)
            child.register_parameter(name, torch.nn.Parameter(tensor, requires_grad=value.requires_grad))
        for name, value in list(child.named_buffers(recurse=False)):
            child.register_buffer(name, distribute_tensor(value, device_mesh, whole))
    return module


def distribute_input(value: torch.Tensor, name: str, plan: Plan, device_mesh: Any) -> Any:
    """An input of the plan's function, by name, as a DTensor where the plan has it."""
    from torch.distributed.tensor import distribute_tensor

    rows = placements(plan)
    if name not in rows:
        raise KeyError(f"no argument {name!r}, expected one of {', '.join(map(repr, rows))}")
    return distribute_tensor(value, device_mesh, rows[name])


def distribute_like(value: torch.Tensor, like: Any) -> Any:
    """A whole tensor as a DTensor on the mesh and with the placements of another: weights for a module that
    `distribute` has made."""
    from torch.distributed.tensor import distribute_tensor

    return distribute_tensor(value, like.device_mesh, like.placements)
