# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scaled dot-product attention: products, scale, mask, softmax, products."""

from __future__ import annotations

import math
from typing import Any

import torch

from ..builder import Builder, Unsupported, Value, number
from . import handles
from .reductions import safe_softmax


def _repeated(b: Builder, x: Value, heads: int) -> Value:
    """Each head of keys or values for a group of heads of queries."""
    own = x.shape[-3]
    if own == heads:
        return x
    if heads % own:
        raise Unsupported(f"{heads} heads of queries and {own} of keys do not fit")
    *batch, _, length, width = x.shape
    x = b.expand(b.reshape(x, (*batch, own, 1, length, width)), (*batch, own, heads // own, length, width))
    return b.reshape(x, (*batch, heads, length, width))


@handles("scaled_dot_product_attention")
def attention(b: Builder, query: Any, key: Any, value: Any, mask: Any = None, rate: float = 0.0,
              is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False) -> Value:
    q, k, v = (b.tensor(x) for x in (query, key, value))
    if enable_gqa:
        k, v = _repeated(b, k, q.shape[-3]), _repeated(b, v, q.shape[-3])
    batch = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    q, k, v = (b.expand(x, (*batch, *x.shape[-2:])) for x in (q, k, v))
    scores = b.matmul(q, k, transpose_b=True)
    scores = b.scale(scores, 1 / math.sqrt(q.shape[-1]) if scale is None else float(scale))
    if is_causal:
        mask = b.causal_mask(scores.shape[-2], scores.shape[-1])
    axis = scores.rank - 1
    may_be_empty = False
    if isinstance(mask, torch.Tensor):
        # One mask for all samples and heads: compared positions, as causal attention is recognized by.
        mask = b.narrowed(mask)
        if math.prod(mask.shape[:-2]) == 1 and tuple(mask.shape[-2:]) == scores.shape[-2:]:
            mask = mask.reshape(mask.shape[-2:])
    if mask is not None:
        if mask.dtype == torch.bool:
            scores = b.where(mask, scores, -math.inf)
            may_be_empty = isinstance(mask, Value) or not b.found(mask, "none empty", lambda t: bool(t.any(-1).all()))
        else:
            scores = b.binary("add", scores, b.tensor(mask, q.dtype))
            may_be_empty = not isinstance(mask, Value) and b.found(
                mask, "one empty", lambda t: bool((t == -math.inf).all(-1).any()))
    if may_be_empty:
        weights = safe_softmax(b, scores, axis)
    else:
        weights = b.unary("softmax", scores, [f"axis = {axis} : i64"])
    if rate > 0 and not b.compares:
        b.seeds += 1
        weights = b.unary("dropout", weights, [f"rate = {number(rate)}", f"seed = {b.seeds} : i64"])
    return b.matmul(weights, v)
