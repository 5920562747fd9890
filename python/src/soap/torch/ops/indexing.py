# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements at places that other tensors hold: tables, gathers, scatters.

Known places become gathers by a constant. Places that the program computes are rows of a table where one dim is
indexed; else a mask compares them with all positions, so that dims of samples stay dims."""

from __future__ import annotations

import math
from typing import Any, Sequence

import torch

from ..builder import Builder, Unsupported, Value, dim_of, is_known
from . import handles
from .shapes import along

#: Elements of the largest mask of computed places.
_LARGEST_MASK = 1 << 26


@handles("embedding")
def embedding(b: Builder, weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False,
              sparse: bool = False) -> Value:
    if scale_grad_by_freq:
        raise Unsupported("scale_grad_by_freq is not supported")
    rows = b.gather(b.tensor(weight), indices, wraps=False)
    if padding_idx < 0:
        return rows
    # The padding row gets no gradient from its look-ups.
    is_padding = b.compare("equal", b.as_type(indices, "f32"), float(padding_idx))
    return b.where(b.reshape(is_padding, (*is_padding.shape, 1)), b.stop(rows), rows)


@handles("_embedding_bag", "_embedding_bag_forward_only", "embedding_bag")
def embedding_bag(b: Builder, weight: Any, indices: Any, offsets: Any, scale_grad_by_freq: bool = False, mode: int = 0,
                  sparse: bool = False, per_sample_weights: Any = None, include_last_offset: bool = False,
                  padding_idx: int = -1) -> Any:
    if scale_grad_by_freq or padding_idx is not None and padding_idx >= 0:
        raise Unsupported("scale_grad_by_freq and padding_idx are not supported")
    weight = b.tensor(weight)
    rows = b.gather(weight, indices, wraps=False)
    if per_sample_weights is not None:
        rows = b.binary("mul", rows, b.reshape(b.tensor(per_sample_weights), (rows.shape[0], 1)))
    bags, count = b.shape[0], rows.shape[0]
    if is_known(offsets) and count % bags == 0 and torch.equal(
        offsets[:bags].long(), torch.arange(bags) * (count // bags)
    ):
        grouped = b.reshape(rows, (bags, count // bags, rows.shape[1]))
        if mode == 2:
            result = b.reduce("max", grouped, [1])
        else:
            result = b.mean(grouped, [1]) if mode == 1 else b.reduce("sum", grouped, [1])
        return result, None, None, None
    if mode == 2:
        raise Unsupported("the maximum of bags of other sizes is not supported")
    begins = b.reshape(b.slice(b.as_type(offsets, "f32"), 0, 0, bags), (bags, 1))
    if include_last_offset:
        ends = b.reshape(b.slice(b.as_type(offsets, "f32"), 0, 1, bags), (bags, 1))
    else:
        last = b.constant(torch.full((1, 1), float(count)), "f32")
        ends = b.concat([b.slice(begins, 0, 1, bags - 1), last], 0) if bags > 1 else last
    places = b.positions(count, 1, 2)
    own = b.binary("mul", b.compare("greater_equal", places, begins), b.compare("greater", ends, places))
    own = b.as_type(own, rows.type)
    result = b.matmul(b._retyped(own, rows.dtype), rows)
    if mode == 1:
        size = b.reduce("sum", own, [1], True)
        result = b.binary("div", result, b.where(b.compare("equal", size, 0.0), 1.0, b._retyped(size, rows.dtype)))
    return result, None, None, None


# --- Reading --------------------------------------------------------------------------------------------------------


@handles("index_select")
def index_select(b: Builder, x: Any, dim: int, index: Any) -> Value:
    x = b.tensor(x)
    dim = dim_of(dim, x.rank)
    if is_known(index):
        return along(b, x, dim, index.reshape(-1))
    return b.move_dim(b.gather(b.move_dim(x, dim, 0), index), 0, dim)


def _positive(b: Builder, index: Any, extent: int) -> Any:
    """Places that do not count from the end."""
    if is_known(index):
        index = torch.where(index < 0, index + extent, index)
        if index.numel() and (int(index.min()) < 0 or int(index.max()) >= extent):
            raise Unsupported(f"an index is out of range for extent {extent}")
        return index
    index = b.as_type(index, "f32")
    return b.where(b.compare("greater_equal", index, 0.0), index, b.binary("add", index, float(extent)))


def _without_masks(indices: Sequence[Any]) -> list[Any]:
    """Known masks as the places that they choose."""
    result: list[Any] = []
    for index in indices:
        if index is not None and index.dtype == torch.bool:
            if isinstance(index, Value):
                raise Unsupported("a computed mask chooses as many elements as it has ones, which no static shape says")
            result.extend(index.nonzero(as_tuple=True))
        else:
            result.append(index)
    return result


def _flat_places(b: Builder, indices: Sequence[Any], extents: Sequence[int]) -> tuple[Any, tuple[int, ...]]:
    """Row-major numbers of the places in the indexed dims, and the shape of the indices."""
    shape = torch.broadcast_shapes(*(tuple(index.shape) for index in indices))
    if math.prod(extents) > 1 << 24 and not all(is_known(index) for index in indices):
        raise Unsupported("computed places in a table of more than 2^24 rows are not supported")
    total: Any = None
    for index, extent in zip(indices, extents):
        index = _positive(b, index, extent)
        if total is None:
            total = index
        elif is_known(total) and is_known(index):
            total = total * extent + index
        else:
            scaled = b.scale(total, float(extent)) if isinstance(total, Value) else (total * extent)
            total = b.binary("add", b.as_type(scaled, "f32"), b.as_type(index, "f32"), torch.int64)
    if is_known(total):
        return total.expand(shape), shape
    return b.expand(total, shape), shape


@handles("index", "_unsafe_index")
def index(b: Builder, x: Any, indices: Sequence[Any]) -> Any:
    x = b.tensor(x)
    indices = _without_masks(indices)
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    chosen = [indices[dim] for dim in dims]
    if len(dims) > 1 and dims[:2] == [0, 1] and not is_known(chosen[1]) and is_known(chosen[0]):
        result = _of_each_sample(b, x, chosen)
        if result is not None:
            return result
    rest = [dim for dim in range(x.rank) if dim not in dims]
    if len(dims) == 1 and is_known(chosen[0]) and chosen[0].ndim == 1:
        return along(b, x, dims[0], _positive(b, chosen[0], x.shape[dims[0]]))
    places, shape = _flat_places(b, chosen, [x.shape[dim] for dim in dims])
    table = b.transpose(x, [*dims, *rest])
    table = b.reshape(table, (math.prod(x.shape[dim] for dim in dims), *(x.shape[dim] for dim in rest)))
    y = b.gather(table, places, wraps=False)
    # Indexed dims that follow each other keep their place, others go to the front.
    if dims == list(range(dims[0], dims[0] + len(dims))) and dims[0] > 0:
        count = len(shape)
        y = b.transpose(y, [*range(count, count + dims[0]), *range(count), *range(count + dims[0], y.rank)])
    return b.reshape(y, b.shape)


def _of_each_sample(b: Builder, x: Value, chosen: Sequence[Any]) -> Value | None:
    """x[arange(n), places]: a row of every sample, by a mask of its own."""
    if len(chosen) != 2 or x.rank < 2:
        return None
    first, places = chosen
    shape = torch.broadcast_shapes(tuple(first.shape), places.shape)
    if not shape or shape[0] != x.shape[0]:
        return None
    number = torch.arange(x.shape[0]).reshape((-1,) + (1,) * (len(shape) - 1)).expand(shape)
    if not torch.equal(first.expand(shape), number):
        return None
    picks = b.reshape(b.expand(b.as_type(places, "f32"), shape), (x.shape[0], math.prod(shape[1:])))
    mask = b.one_hot(picks, x.shape[1], x.type)
    table = b.reshape(x, (*x.shape[:2], math.prod(x.shape[2:])))
    return b.reshape(b.matmul(b._retyped(mask, x.dtype), table), (*shape, *x.shape[2:]))


@handles("gather")
def gather(b: Builder, x: Any, dim: int, places: Any, sparse_grad: bool = False) -> Value:
    x = b.tensor(x)
    dim = dim_of(dim, x.rank)
    shape = tuple(places.shape)
    if is_known(places):
        grids = torch.meshgrid(*(torch.arange(extent) for extent in shape), indexing="ij")
        flat = torch.zeros(shape, dtype=torch.int64)
        for d, extent in enumerate(x.shape):
            flat = flat * extent + (places if d == dim else grids[d])
        return b.reshape(along(b, b.reshape(x, (math.prod(x.shape),)), 0, flat.reshape(-1)), shape)
    for d in range(x.rank):
        if d != dim and shape[d] != x.shape[d]:
            x = b.slice(x, d, 0, shape[d])
    # [.., places, positions]
    table = b.move_dim(x, dim, x.rank - 1)
    picks = b.as_type(places, "f32")
    picks = b.move_dim(picks, dim, picks.rank - 1)
    if math.prod(picks.shape) * table.shape[-1] > _LARGEST_MASK:
        raise Unsupported("a mask of all places is too large")
    mask = b.one_hot(picks, table.shape[-1], x.type)
    table = b.reshape(table, (*table.shape[:-1], 1, table.shape[-1]))
    y = b.reduce("sum", b.where(mask, table, 0.0), [mask.rank - 1])
    return b.move_dim(y, y.rank - 1, dim)


# --- Writing --------------------------------------------------------------------------------------------------------


def _written_rows(b: Builder, x: Value, places: Any, values: Value, adds: bool) -> Value:
    """`x` [rows, ..] with `values` [n, ..] written, or added, to the rows at `places` [n]."""
    rows = x.shape[0]
    if is_known(places) and not adds:
        # The last value that is written to a row stays.
        source = torch.arange(rows)
        source[places.reshape(-1)] = rows + torch.arange(places.numel())
        return b.gather(b.concat([x, values], 0), source)
    count = values.shape[0]
    if count * rows > _LARGEST_MASK:
        raise Unsupported(f"a mask of {count} values by {rows} rows is too large")
    if is_known(places):
        mask = b.constant(torch.nn.functional.one_hot(places.reshape(-1).long(), rows).float(), x.type, x.dtype)
    else:
        mask = b._retyped(b.one_hot(b.reshape(places, (count,)), rows, x.type), x.dtype)
    flat = b.reshape(values, (count, math.prod(values.shape[1:])))
    added = b.reshape(b.matmul(mask, flat, transpose_a=True), x.shape)
    if adds:
        return b.binary("add", x, added)
    # A row that several values are written to gets their mean: equal values stay exact.
    hits = b.reshape(b.reduce("sum", mask, [0]), (rows,) + (1,) * (x.rank - 1))
    mean = b.binary("div", added, b.binary("maximum", hits, 1.0))
    return b.where(hits, mean, x)


@handles("index_put", "_unsafe_index_put", "_index_put_impl")
def index_put(b: Builder, x: Any, indices: Sequence[Any], values: Any, accumulate: bool = False, *_: Any) -> Value:
    x, values = b.tensor(x), b.tensor(values)
    if len(indices) == 1 and isinstance(indices[0], Value) and indices[0].dtype == torch.bool:
        mask = indices[0]
        if math.prod(values.shape) != 1:
            raise Unsupported("values for the ones of a computed mask are not supported, only one number")
        mask = b.reshape(mask, mask.shape + (1,) * (x.rank - mask.rank))
        value = b.reshape(values, ())
        return b.where(mask, b.binary("add", x, value) if accumulate else value, x)
    indices = _without_masks(indices)
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    rest = [dim for dim in range(x.rank) if dim not in dims]
    places, shape = _flat_places(b, [indices[dim] for dim in dims], [x.shape[dim] for dim in dims])
    # Values have the shape of the result of reading, whose indexed dims are in front or at the place of the first.
    together = dims == list(range(dims[0], dims[0] + len(dims)))
    before = dims[0] if together else 0
    read = (*(x.shape[dim] for dim in rest[:before]), *shape, *(x.shape[dim] for dim in rest[before:]))
    values = b.expand(values, read)
    count = len(shape)
    values = b.transpose(values, [*range(before, before + count), *range(before), *range(before + count, values.rank)])
    tail = tuple(x.shape[dim] for dim in rest)
    values = b.reshape(values, (math.prod(shape), *tail))
    order = [*dims, *rest]
    moved = b.transpose(x, order)
    table = b.reshape(moved, (math.prod(x.shape[dim] for dim in dims), *tail))
    places = places.reshape(-1) if is_known(places) else b.reshape(places, (math.prod(shape),))
    written = b.reshape(_written_rows(b, table, places, values, accumulate), moved.shape)
    return b.transpose(written, [order.index(dim) for dim in range(x.rank)])


@handles("index_add", "index_copy")
def index_add(b: Builder, x: Any, dim: int, places: Any, values: Any, alpha: float = 1) -> Value:
    x, values = b.tensor(x), b.tensor(values)
    dim = dim_of(dim, x.rank)
    values = b.scale(values, float(alpha))
    adds = b.base_op == "index_add"
    places = _positive(b, places, x.shape[dim])
    written = _written_rows(b, b.move_dim(x, dim, 0), places, b.move_dim(values, dim, 0), adds)
    return b.move_dim(written, 0, dim)


@handles("slice_scatter")
def slice_scatter(b: Builder, x: Any, values: Any, dim: int = 0, start: int | None = None, end: int | None = None,
                  step: int = 1) -> Value:
    x, values = b.tensor(x), b.tensor(values)
    dim = dim_of(dim, x.rank)
    places = torch.arange(x.shape[dim])[start:end:step]
    if places.numel() == x.shape[dim]:
        return values
    if step == 1:
        first, last = int(places[0]), int(places[-1]) + 1
        parts = [b.slice(x, dim, 0, first)] if first else []
        parts.append(values)
        if last < x.shape[dim]:
            parts.append(b.slice(x, dim, last, x.shape[dim] - last))
        return b.concat(parts, dim)
    return b.move_dim(_written_rows(b, b.move_dim(x, dim, 0), places, b.move_dim(values, dim, 0), False), 0, dim)


@handles("select_scatter")
def select_scatter(b: Builder, x: Any, values: Any, dim: int, index: int) -> Value:
    x, values = b.tensor(x), b.tensor(values)
    dim = dim_of(dim, x.rank)
    index = index + x.shape[dim] if index < 0 else index
    return slice_scatter(b, x, b.reshape(values, values.shape[:dim] + (1,) + values.shape[dim:]), dim, index, index + 1)


@handles("scatter", "scatter_add", "scatter_reduce")
def scatter(b: Builder, x: Any, dim: int, places: Any, values: Any, reduce: str | None = None,
            include_self: bool = True) -> Value:
    x = b.tensor(x)
    dim = dim_of(dim, x.rank)
    shape = tuple(places.shape)
    values = b.tensor(values)
    values = b.expand(values, shape) if values.rank == 0 else values
    for d in range(x.rank):
        if values.shape[d] != shape[d]:
            values = b.slice(values, d, 0, shape[d])
    kind = "sum" if b.base_op == "scatter_add" else {"add": "sum"}.get(reduce, reduce)  # type: ignore[arg-type]
    if is_known(places) and kind in (None, "sum"):
        grids = torch.meshgrid(*(torch.arange(extent) for extent in shape), indexing="ij")
        flat = torch.zeros(shape, dtype=torch.int64)
        for d, extent in enumerate(x.shape):
            flat = flat * extent + (places if d == dim else grids[d])
        whole = b.reshape(x, (math.prod(x.shape),))
        spread = b.reshape(values, (math.prod(shape),))
        return b.reshape(_written_rows(b, whole, flat.reshape(-1), spread, kind == "sum"), x.shape)
    if any(shape[d] != x.shape[d] for d in range(x.rank) if d != dim):
        raise Unsupported("computed places with other dims than the operand are not supported")
    if kind not in (None, "sum", "mean", "amax", "amin"):
        raise Unsupported(f"reduction {kind!r} is not supported")
    if math.prod(shape) * x.shape[dim] > _LARGEST_MASK:
        raise Unsupported("a mask of all places is too large")
    # [.., updates, positions]
    last = x.rank - 1
    moved, picks = b.move_dim(values, dim, last), b.move_dim(b.as_type(places, "f32"), dim, last)
    own = b.move_dim(x, dim, last)
    mask = b.one_hot(picks, own.shape[-1], x.type)
    spread = b.reshape(moved, (*moved.shape, 1))
    hits = b.reduce("sum", mask, [last])
    if kind in ("amax", "amin"):
        neutral = -math.inf if kind == "amax" else math.inf
        found = b.reduce(kind[1:], b.where(mask, spread, neutral), [last])
        both = b.binary("maximum" if kind == "amax" else "minimum", own, found) if include_self else found
        return b.move_dim(b.where(hits, both, own), last, dim)
    added = b.reduce("sum", b.where(mask, spread, 0.0), [last])
    if kind == "sum":
        total = b.binary("add", own, added) if include_self else b.where(hits, added, own)
        return b.move_dim(total, last, dim)
    if kind == "mean":
        count = b.binary("add", hits, 1.0) if include_self else b.binary("maximum", hits, 1.0)
        total = b.binary("add", own, added) if include_self else added
        return b.move_dim(b.where(hits, b.binary("div", total, b._retyped(count, x.dtype)), own), last, dim)
    mean = b.binary("div", added, b._retyped(b.binary("maximum", hits, 1.0), x.dtype))
    return b.move_dim(b.where(hits, mean, own), last, dim)
