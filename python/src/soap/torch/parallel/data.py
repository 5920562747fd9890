# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data parallelism, ZeRO and mixed precision by FSDP2; recomputation by activation checkpointing."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any, Iterator

import torch
from torch import nn
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard

from .blocks import has_parameters
from .local import LocalOps
from .recipe import Recipe

_aten = torch.ops.aten
#: What selective recomputation keeps: products with weights. Attention's products are `bmm`.
_KEPT = {_aten.mm.default, _aten.addmm.default, _aten.linear.default, _aten.convolution.default}


@contextlib.contextmanager
def _both(outer: Any, inner: Any) -> Iterator[None]:
    with outer, inner:
        yield


def recompute(block: nn.Module, level: str) -> None:
    """`whole` keeps what enters the block, `selective` the results of its products with weights, too."""
    from torch.distributed._composable import checkpoint
    from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts

    def policy(_: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
        return CheckpointPolicy.MUST_SAVE if op in _KEPT else CheckpointPolicy.PREFER_RECOMPUTE

    def contexts() -> tuple[Any, Any]:
        """Of the forward pass, and of the backward pass, in which the modes of the forward pass are not active."""
        if level == "whole":
            return contextlib.nullcontext(), LocalOps()
        first, again = create_selective_checkpoint_contexts(policy)
        return first, _both(LocalOps(), again)

    if level != "none":
        checkpoint(block, context_fn=contexts)


def shard(root: nn.Module, blocks: list[nn.Module], mesh: Any, recipe: Recipe, is_last: bool) -> None:
    """Weights, gradients and states of the root's blocks, and of what is left, over the replicas as ZeRO says. Products
    are in the plan's precision, sums of gradients in f32, the result of the last stage, too."""
    zero, halves = recipe.shape.zero, recipe.precision == "bf16"
    if recipe.shape.data == 1 and not halves:
        return
    if not has_parameters(root):
        return
    names = [name for name in mesh.mesh_dim_names if name in ("replicate", "data")]
    where: dict[str, Any] = {"mesh": mesh[tuple(names)] if len(names) > 1 else mesh[names[0]]}
    apply: Any = fully_shard
    if zero == 0 and recipe.shape.data > 1:
        from torch.distributed._composable.replicate_with_fsdp import replicate as apply

        if len(names) > 1:
            where["mesh"] = where["mesh"]._flatten("replicas")
    else:
        # ZeRO-1 and 2 keep gathered weights until the backward pass is done.
        where["reshard_after_forward"] = zero == 3
    half, whole = (torch.bfloat16, torch.float32) if halves else (None, None)
    # The graph of a stage has its casts.
    policy = MixedPrecisionPolicy(param_dtype=half, reduce_dtype=whole, cast_forward_inputs=recipe.stages == 1)
    for block in blocks:
        apply(block, mp_policy=policy, **where)
    apply(root, mp_policy=replace(policy, output_dtype=whole if is_last else None), **where)
    for module in root.modules():
        if isinstance(module, FSDPModule):
            module.set_gradient_divide_factor(1.0)  # losses are scaled, gradients are sums
            module.set_force_sum_reduction_for_comms(True)


def begin_microbatch(root: nn.Module, recipe: Recipe, is_last: bool) -> None:
    """When gradients are reduced and gathered weights are freed: with each microbatch under ZeRO-2 and 3, else once."""
    if not isinstance(root, FSDPModule):
        return
    zero = recipe.shape.zero
    root.set_is_last_backward(is_last)
    root.set_requires_gradient_sync(is_last or zero >= 2)
    root.set_reshard_after_backward(is_last or zero == 3)
