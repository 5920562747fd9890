# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that move elements."""

from __future__ import annotations

import math
from typing import Any, Sequence

import torch

from ..builder import Builder, Unsupported, Value, dim_of
from . import handles


@handles("view", "reshape", "_unsafe_view", "flatten", "unsqueeze", "squeeze", "unflatten", "view_copy")
def view(b: Builder, x: Value, *_: Any, **__: Any) -> Value:
    if x.dtype != b.dtype:
        raise Unsupported("a view of bits as another type is not supported")
    return b.reshape(x, b.shape)


@handles("permute", "t", "transpose", "numpy_T", "adjoint", "movedim", "swapaxes")
def permute(b: Builder, x: Value, *dims: Any) -> Value:
    if b.base_op == "permute":
        order = [dim_of(dim, x.rank) for dim in dims[0]]
    else:
        order = list(range(x.rank))
        if b.base_op == "t":
            order.reverse()
        elif b.base_op == "transpose":
            i, j = (dim_of(dim, x.rank) for dim in dims)
            order[i], order[j] = order[j], order[i]
        else:
            raise Unsupported(f"{b.base_op} is not supported")
    # Dims of extent 1 may go anywhere.
    if [dim for dim in order if x.shape[dim] > 1] == [dim for dim in range(x.rank) if x.shape[dim] > 1]:
        return b.reshape(x, [x.shape[dim] for dim in order])
    return b.transpose(x, order)


@handles("expand", "broadcast_to", "expand_as", "expand_copy")
def expand(b: Builder, x: Value, *_: Any, **__: Any) -> Value:
    return b.expand(x, b.shape)


@handles("repeat", "tile")
def repeat(b: Builder, x: Value, repeats: Sequence[int]) -> Value:
    padded = (1,) * (len(repeats) - x.rank) + x.shape
    x = b.compute(x)
    inner = [extent for pair in zip((1,) * len(padded), padded) for extent in pair]
    outer = [extent for pair in zip(repeats, padded) for extent in pair]
    return b.reshape(b.expand(b.reshape(x, inner), outer), b.shape)


@handles("repeat_interleave")
def repeat_interleave(b: Builder, x: Value, repeats: Any, dim: int | None = None, output_size: Any = None) -> Value:
    if not isinstance(repeats, int) or dim is None:
        raise Unsupported("repetitions that are no number are not supported")
    dim = dim_of(dim, x.rank)
    inner = x.shape[: dim + 1] + (1,) + x.shape[dim + 1 :]
    outer = x.shape[: dim + 1] + (repeats,) + x.shape[dim + 1 :]
    return b.reshape(b.expand(b.reshape(b.compute(x), inner), outer), b.shape)


@handles("slice", "slice_copy")
def slice_(b: Builder, x: Value, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    dim = dim_of(dim, x.rank)
    if b.shape[dim] == 0:
        return torch.empty(b.shape, dtype=b.dtype)
    extent = x.shape[dim]
    start = 0 if start is None else start
    start = min(max(start + extent if start < 0 else start, 0), extent)
    return b.slice(x, dim, start, b.shape[dim], step)


@handles("narrow")
def narrow(b: Builder, x: Value, dim: int, start: int, length: int) -> Any:
    return slice_(b, x, dim, start, start + length)


@handles("select", "select_copy")
def select(b: Builder, x: Value, dim: int, index: int) -> Value:
    dim = dim_of(dim, x.rank)
    index = index + x.shape[dim] if index < 0 else index
    return b.reshape(b.slice(x, dim, index, 1), b.shape)


@handles("cat", "concat")
def cat(b: Builder, xs: Sequence[Any], dim: int = 0) -> Any:
    # A tensor without elements adds nothing.
    full = [b.tensor(x) for x in xs if math.prod(x.shape)]
    return b.concat(full, dim_of(dim, full[0].rank))


@handles("stack")
def stack(b: Builder, xs: Sequence[Any], dim: int = 0) -> Value:
    values = [b.tensor(x) for x in xs]
    dim = dim_of(dim, values[0].rank + 1)
    return b.concat([b.reshape(x, x.shape[:dim] + (1,) + x.shape[dim:]) for x in values], dim)


@handles("split_with_sizes", "split", "chunk", "tensor_split", "split_copy", "split_with_sizes_copy")
def split(b: Builder, x: Value, sizes: Any, dim: int = 0) -> Any:
    dim, pieces, start = dim_of(dim, x.rank), [], 0
    for piece in b.expected:
        extent = int(piece.shape[dim])
        pieces.append(b.slice(x, dim, start, extent) if extent else torch.empty(tuple(piece.shape), dtype=x.dtype))
        start += extent
    return pieces


@handles("unbind")
def unbind(b: Builder, x: Value, dim: int = 0) -> Any:
    dim = dim_of(dim, x.rank)
    shape = x.shape[:dim] + x.shape[dim + 1 :]
    return [b.reshape(b.slice(x, dim, i, 1), shape) for i in range(x.shape[dim])]


@handles("constant_pad_nd")
def constant_pad(b: Builder, x: Value, pads: Sequence[int], value: float = 0.0) -> Any:
    x = b.tensor(x)
    low = [0] * x.rank
    for i in range(len(pads) // 2):
        low[x.rank - 1 - i] = int(pads[2 * i])
    return b.pad(x, low, b.shape, value=float(value))


@handles("flip")
def flip(b: Builder, x: Value, dims: Sequence[int]) -> Value:
    for dim in dims:
        dim = dim_of(dim, x.rank)
        x = along(b, x, dim, torch.arange(x.shape[dim] - 1, -1, -1))
    return x


@handles("roll")
def roll(b: Builder, x: Value, shifts: Sequence[int], dims: Sequence[int] = ()) -> Value:
    shape = x.shape
    if not dims:
        x, dims = b.reshape(x, [math.prod(shape)]), [0]
    for shift, dim in zip(shifts, dims):
        dim = dim_of(dim, x.rank)
        start = (-shift) % x.shape[dim]
        if start:
            x = b.concat([b.slice(x, dim, start, x.shape[dim] - start), b.slice(x, dim, 0, start)], dim)
    return b.reshape(x, shape)


def along(b: Builder, x: Value, dim: int, places: torch.Tensor) -> Value:
    """The elements at known places along a dim."""
    count = places.numel()
    step = int(places[1] - places[0]) if count > 1 else 1
    if step > 0 and torch.equal(places, places[0] + step * torch.arange(count)):
        return b.slice(x, dim, int(places[0]), count, step)
    return b.move_dim(b.gather(b.move_dim(b.compute(x), dim, 0), places), 0, dim)


@handles("tril", "triu")
def triangle(b: Builder, x: Value, diagonal: int = 0) -> Value:
    ones = torch.ones(x.shape[-2:], dtype=torch.bool)
    kept = torch.tril(ones, diagonal) if b.base_op == "tril" else torch.triu(ones, diagonal)
    x = b.tensor(x)
    return b.where(kept, x, 0.0)


@handles("diagonal", "diagonal_copy")
def diagonal(b: Builder, x: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    dim1, dim2 = dim_of(dim1, x.rank), dim_of(dim2, x.rank)
    rest = [dim for dim in range(x.rank) if dim not in (dim1, dim2)]
    moved = b.transpose(b.compute(x), [*rest, dim1, dim2])
    rows, columns = moved.shape[-2:]
    count = b.shape[-1]
    start = offset if offset >= 0 else -offset * columns
    flat = b.reshape(moved, [*moved.shape[:-2], rows * columns])
    return along(b, flat, flat.rank - 1, start + torch.arange(count) * (columns + 1))


@handles("unfold", "unfold_copy")
def unfold(b: Builder, x: Value, dim: int, size: int, step: int) -> Value:
    dim = dim_of(dim, x.rank)
    count = b.shape[dim]
    places = (torch.arange(count)[:, None] * step + torch.arange(size)[None]).reshape(-1)
    rows = b.gather(b.move_dim(b.compute(x), dim, 0), places)
    rest = rows.shape[1:]
    rows = b.reshape(rows, (count, size, *rest))
    # [count, size, rest..] to [.., count at dim, .., size]
    order = [*range(2, 2 + dim), 0, *range(2 + dim, rows.rank), 1]
    return b.transpose(rows, order)


@handles("pixel_shuffle", "pixel_unshuffle")
def pixel_shuffle(b: Builder, x: Value, factor: int) -> Value:
    x = b.compute(x)
    *batch, channels, height, width = x.shape
    n, r = math.prod(batch), factor
    if b.base_op == "pixel_shuffle":
        y = b.reshape(x, [n, channels // (r * r), r, r, height, width])
        y = b.transpose(y, [0, 1, 4, 2, 5, 3])
    else:
        y = b.reshape(x, [n, channels, height // r, r, width // r, r])
        y = b.transpose(y, [0, 1, 3, 5, 2, 4])
    return b.reshape(y, b.shape)


@handles("as_strided")
def as_strided(b: Builder, x: Value, size: Sequence[int], stride: Sequence[int], offset: int | None = None) -> Value:
    places = torch.arange(math.prod(x.shape)).as_strided(list(size), list(stride), offset or 0)
    return b.reshape(along(b, b.reshape(x, [math.prod(x.shape)]), 0, places.reshape(-1)), size)


@handles("diag_embed")
def diag_embed(b: Builder, x: Value, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Value:
    if offset or (dim1, dim2) != (-2, -1):
        raise Unsupported("an offset, or other dims than the last two, is not supported")
    x = b.tensor(x)
    return b.where(torch.eye(x.shape[-1], dtype=torch.bool), b.reshape(x, (*x.shape, 1)), 0.0)
