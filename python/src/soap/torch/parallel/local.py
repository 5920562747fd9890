# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention on DTensors: each member computes its heads, each place of a sequence its queries."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.overrides import TorchFunctionMode

_ATTENTION = (torch.nn.functional.scaled_dot_product_attention, torch.ops.aten.scaled_dot_product_attention.default)
#: Dims of queries, keys and values that members may split: samples and heads.
_SAMPLES, _HEADS = 0, 1


class LocalOps(TorchFunctionMode):
    """DTensor has no rule for attention on a CPU, and on GPUs none for places of a sequence."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in _ATTENTION and isinstance(args[0], DTensor):
            return attention(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


def attention(q: DTensor, k: DTensor, v: DTensor, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
              **options: Any) -> DTensor:  # fmt: skip
    mesh = q.device_mesh
    if q.ndim != 4:
        raise NotImplementedError(f"attention of {q.ndim} dims: expected samples x heads x positions x width")
    if dropout_p:
        raise NotImplementedError("dropout in attention that members share")
    own = [p if p in (Shard(_SAMPLES), Shard(_HEADS)) else Replicate() for p in q.placements]
    q, k, v = (x.redistribute(mesh, own) for x in (q, k, v))
    mask = _mask(attn_mask, own, mesh)
    result = torch.nn.functional.scaled_dot_product_attention(
        q.to_local(), k.to_local(), v.to_local(), attn_mask=mask, is_causal=is_causal, **options
    )
    return DTensor.from_local(result, mesh, own, run_check=False)


def _mask(mask: Any, own: list[Any], mesh: Any) -> torch.Tensor | None:
    """A member's part; members that all add it to their own heads have parts of its gradient each."""
    if mask is None:
        return None
    if not isinstance(mask, DTensor):
        mask = DTensor.from_local(mask, mesh, [Replicate()] * mesh.ndim, run_check=False)
    placements, gradients = [], []
    for placement in own:
        dim = mask.ndim - 4 + placement.dim if isinstance(placement, Shard) else -1
        is_cut = dim >= 0 and mask.shape[dim] > 1
        placements.append(Shard(dim) if is_cut else Replicate())
        gradients.append(Shard(dim) if is_cut else Partial() if isinstance(placement, Shard) else Replicate())
    return mask.redistribute(mesh, placements).to_local(grad_placements=gradients)
