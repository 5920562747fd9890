# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`parallelize`: a module and a plan, on PyTorch's engine."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

from ...planning.errors import PlanError
from ...planning.keywords import names_nearest
from . import tensor
from .blocks import repeated_blocks
from .data import recompute, shard
from .local import as_tuple
from .names import Names
from .pipeline import Pipeline
from .products import Cuts, find_cuts, trace
from .recipe import DIMS, Recipe, check_mesh, read_plan
from .training import Parallel


def engine_mesh(plan: Any, device_type: str = "cpu", *, kind: str | None = None) -> Any:
    """The DeviceMesh of a hybrid plan, with the dims `stage`, `data`, `context` and `tensor`, whose ranks are the
    plan's devices. Every rank calls it, behind `init_process_group`."""
    shape = (plan if isinstance(plan, Recipe) else read_plan(plan, kind)).shape
    sizes = (shape.stages, shape.data, shape.context, shape.tensor)
    return init_device_mesh(device_type, sizes, mesh_dim_names=DIMS)


@names_nearest
def parallelize(module: nn.Module, plan: Any, mesh: Any = None, *, loss: Callable[..., Any],
                example: torch.Tensor | Sequence[torch.Tensor] | None = None, weight: Callable[..., Any] | None = None,
                kind: str | None = None, device_type: str = "cpu") -> Parallel:  # fmt: skip
    """Spreads a module over the processes of torch.distributed as a hybrid plan says (docs/PyTorch.md). Every process
    calls it with the same weights; the module is changed.

    `plan` is the plan.json of `soap-plan`, the folder that has it, or the answer of `soap.plan`; `kind` is a row of its
    table. `mesh` is `engine_mesh(plan)`, or a mesh with the same dims. `loss(output, *labels)` is a mean over the
    samples of a microbatch. `weight(*labels)` counts the elements of that mean where microbatches differ. `example` is
    inputs of one or more samples; plans that cut products or the module itself trace the module on it.

    A `PlanError` names what the engine cannot run of the plan, or of the module, and the nearest plan that it can."""
    recipe = read_plan(plan, kind)
    mesh = mesh if mesh is not None else engine_mesh(recipe, device_type)
    check_mesh(mesh, recipe)
    _check_statistics(module, recipe)
    shape, names = recipe.shape, Names(module)
    inputs = _microbatch(example, recipe)
    cuts, layout = Cuts(), None
    if shape.tensor * shape.context > 1:
        _check_dropout(module)
        dims = tuple(name for name in ("context", "tensor") if mesh[name].size() > 1)
        layout = tensor.Layout(mesh[dims if len(dims) > 1 else dims[0]], shape.sequence)
        if shape.context > 1:
            _check_positions(inputs, shape.context)
        if shape.tensor > 1:
            cuts = find_cuts(module, trace(module, inputs), shape.tensor, cut_head=shape.context == 1)
            tensor.prepare(module, cuts, names)
        tensor.verify(module, cuts, layout, inputs)
    repeated = list(repeated_blocks(module))
    pipeline = Pipeline(module, recipe, mesh, inputs, repeated) if recipe.stages > 1 else None
    if pipeline:
        pipeline.connect(layout)
    modules = pipeline.modules if pipeline else [module]
    for number, part in zip(pipeline.numbers if pipeline else [0], modules):
        is_last = number == recipe.stages - 1
        if layout:
            tensor.cut(part, cuts, layout)
        blocks = [part.get_submodule(path) for path in repeated if tensor.has(part, path)]
        for block in blocks:
            recompute(block, recipe.recompute[number])
        shard(part, blocks, mesh, recipe, is_last)
    result = Parallel(recipe, mesh, modules, names, loss, weight, pipeline, layout, cuts.head is not None, _notes(cuts))
    if pipeline:
        pipeline.build(result.scaled_loss)
    return result


def _microbatch(example: Any, recipe: Recipe) -> tuple[torch.Tensor, ...]:
    """The example with the samples of a microbatch of a replica."""
    if recipe.stages * recipe.shape.tensor * recipe.shape.context == 1:
        return ()
    if example is None:
        raise PlanError("parallelize: a plan with tensor or context parallelism or stages needs example=, inputs of the module")
    samples = recipe.shape.samples
    return tuple(torch.cat([x] * -(-samples // x.shape[0]))[:samples] for x in as_tuple(example))


def _notes(cuts: Cuts) -> list[str]:
    """How each product is cut."""
    lines = [f"{product.path}: columns" + (f", {product.parts} parts" if product.parts > 1 else "")
             for product in (*cuts.columns, *([cuts.head] if cuts.head else []))]  # fmt: skip
    lines += [f"{product.path}: rows" for product in cuts.rows]
    lines += [f"{path}: vocabulary" for path in cuts.embeddings]
    return lines + [f"{path}: whole" for path in cuts.whole]


def _check_positions(inputs: tuple[torch.Tensor, ...], places: int) -> None:
    """Inputs of places are samples x positions."""
    for x in inputs:
        if x.ndim != 2 or x.is_floating_point() or x.shape[1] % places:
            raise PlanError(f"parallelize: context parallelism over {places} devices: an input of {tuple(x.shape)} {x.dtype}; expected "
                            f"samples x positions of tokens, a multiple of {places} positions; the nearest plan has replicas "
                            "instead")  # fmt: skip


def _check_dropout(module: nn.Module) -> None:
    for name, child in module.named_modules():
        if isinstance(child, nn.modules.dropout._DropoutNd) and child.training and child.p:
            raise PlanError(f"parallelize: {name}: dropout of {child.p} with tensor or context parallelism: members would drop different "
                            "elements of what they share; expected p=0, or a plan with replicas instead")  # fmt: skip


def _check_statistics(module: nn.Module, recipe: Recipe) -> None:
    if recipe.shape.data * recipe.microbatches == 1:
        return
    for name, child in module.named_modules():
        if isinstance(child, nn.modules.batchnorm._BatchNorm) and (child.training or not child.track_running_stats):
            raise PlanError(f"parallelize: {name}: a {type(child).__name__} has statistics of the whole batch, of which a "
                            f"microbatch of a replica is 1/{recipe.shape.data * recipe.microbatches}; expected "
                            "GroupNorm, eval() of the norms, or a plan of one replica and one microbatch")  # fmt: skip
