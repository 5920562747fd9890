# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention on DTensors: each member computes its heads, each place of a sequence its queries. Parts and wholes."""

from __future__ import annotations

from typing import Any, Sequence

import torch
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.overrides import TorchFunctionMode

_ATTENTION = (torch.nn.functional.scaled_dot_product_attention, torch.ops.aten.scaled_dot_product_attention.default)
#: Dims of queries, keys and values.
_SAMPLES, _HEADS, _POSITIONS = 0, 1, 2


Tensors = torch.Tensor | Sequence[torch.Tensor]


def as_tuple(tensors: Tensors) -> tuple[torch.Tensor, ...]:
    return (tensors,) if isinstance(tensors, torch.Tensor) else tuple(tensors)


def whole(tensor: Any) -> torch.Tensor:
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


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
    own = [p if p in (Shard(_SAMPLES), Shard(_HEADS), Shard(_POSITIONS)) else Replicate() for p in q.placements]
    # Places have some queries, and read the keys and values of all: parts of their gradients.
    keys = [Replicate() if p == Shard(_POSITIONS) else p for p in own]
    parts = [Partial() if p == Shard(_POSITIONS) else p for p in own]
    mask = _mask(attn_mask, own, mesh)
    queries = q.redistribute(mesh, own)
    length = k.shape[_POSITIONS]
    q_local = _local(queries, own)
    k_local, v_local = (_local(x.redistribute(mesh, keys), parts) for x in (k, v))
    if is_causal and Shard(_POSITIONS) in own:
        from torch.nn.attention.bias import causal_lower_right

        if q.shape[_POSITIONS] != length:
            raise NotImplementedError("causal attention of places with other numbers of keys than of queries")
        # The keys up to the last query.
        dim = own.index(Shard(_POSITIONS))
        seen = min((mesh.get_local_rank(dim) + 1) * -(-length // mesh.size(dim)), length)
        k_local, v_local = k_local[:, :, :seen], v_local[:, :, :seen]
        mask, is_causal = causal_lower_right(q_local.shape[_POSITIONS], seen), False
    result = torch.nn.functional.scaled_dot_product_attention(q_local, k_local, v_local, attn_mask=mask, is_causal=is_causal,
                                                              **options)  # fmt: skip
    return DTensor.from_local(result, mesh, own, run_check=False)


def _local(x: DTensor, gradients: list[Any]) -> torch.Tensor:
    """A DTensor knows its strides, and a gradient has to have them: kernels return others."""
    local = x.to_local(grad_placements=gradients)
    if local.requires_grad:
        stride = local.stride()
        local.register_hook(lambda grad: grad if grad.stride() == stride else
                            grad.new_empty_strided(grad.shape, stride).copy_(grad))  # fmt: skip
    return local


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
