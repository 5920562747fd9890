# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images of another size: along each dim a choice of places, or a product with known weights."""

from __future__ import annotations

from typing import Any, Sequence

import torch

from ..builder import Builder, Unsupported, Value
from . import handles
from .shapes import along


@handles("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "_upsample_nearest_exact1d",
         "_upsample_nearest_exact2d", "_upsample_nearest_exact3d")
def nearest(b: Builder, x: Any, size: Any, *scales: Any, **named: Any) -> Value:
    x, exact = b.tensor(x), "exact" in b.base_op
    rank = x.rank - 2
    factors = _factors(rank, scales, named)
    for i in range(rank):
        extent, count = x.shape[2 + i], b.shape[2 + i]
        ramp = torch.arange(extent, dtype=torch.float32).reshape(1, 1, extent)
        op = torch.ops.aten._upsample_nearest_exact1d if exact else torch.ops.aten.upsample_nearest1d
        places = op(ramp, [count], factors[i]).reshape(-1).long()
        if count % extent == 0 and torch.equal(places, torch.arange(extent).repeat_interleave(count // extent)):
            dim = 2 + i
            inner = (*x.shape[: dim + 1], 1, *x.shape[dim + 1 :])
            outer = (*x.shape[: dim + 1], count // extent, *x.shape[dim + 1 :])
            x = b.reshape(b.expand(b.reshape(x, inner), outer), (*x.shape[:dim], count, *x.shape[dim + 1 :]))
        else:
            x = along(b, x, 2 + i, places)
    return x


@handles("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d",
         "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")
def linear(b: Builder, x: Any, size: Any, align_corners: bool, *scales: Any, **named: Any) -> Value:
    """The weights are what the op makes of the identity along one dim."""
    x, name = b.tensor(x), b.base_op
    rank = x.rank - 2
    factors = _factors(rank, scales, named)
    op = getattr(torch.ops.aten, "upsample_bilinear2d" if "linear" in name and "aa" not in name else name)
    for i in range(rank):
        extent, count = x.shape[2 + i], b.shape[2 + i]
        if extent == count:
            continue
        one = torch.eye(extent, dtype=torch.float64).reshape(1, 1, extent, extent)
        weights = op(one, [extent, count], align_corners, None, factors[i]).reshape(extent, count)
        moved = b.move_dim(x, 2 + i, x.rank - 1)
        x = b.move_dim(b.matmul(moved, b.constant(weights, x.type)), x.rank - 1, 2 + i)
    return x


def _factors(rank: int, scales: Sequence[Any], named: dict[str, Any]) -> list[Any]:
    """The factor of each dim, or None where the sizes say it."""
    if len(scales) == 1 and isinstance(scales[0], (list, tuple)):
        scales = scales[0]
    found = list(scales) or [named.get(key) for key in ("scales_d", "scales_h", "scales_w")[3 - rank :]]
    if len(found) != rank:
        found = [None] * rank
    if any(value is not None and not isinstance(value, (int, float)) for value in found):
        raise Unsupported("computed scales are not supported")
    return found
