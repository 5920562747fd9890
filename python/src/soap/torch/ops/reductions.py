# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, extremes, places of extremes, sorts, and what softmax is made of."""

from __future__ import annotations

import math
from typing import Any, Sequence

import torch

from ..builder import Builder, Unsupported, Value, dim_of
from . import handles


def axes_of(x: Value, dims: Any) -> list[int]:
    """The dims of a reduction; none, or an empty list, are all."""
    if dims is None or (isinstance(dims, (list, tuple)) and not dims):
        return list(range(x.rank))
    dims = dims if isinstance(dims, (list, tuple)) else [dims]
    return sorted(dim_of(dim, x.rank) for dim in dims) if x.rank else []


@handles("sum")
def sum_(b: Builder, x: Any, dims: Any = None, keepdim: bool = False, dtype: Any = None) -> Value:
    x = b.tensor(x)
    return b.reduce("sum", x, axes_of(x, dims), keepdim)


@handles("mean")
def mean(b: Builder, x: Any, dims: Any = None, keepdim: bool = False, dtype: Any = None) -> Value:
    x = b.tensor(x)
    return b.mean(x, axes_of(x, dims), keepdim)


@handles("amax", "amin")
def extreme(b: Builder, x: Any, dims: Any = None, keepdim: bool = False) -> Value:
    x = b.tensor(x)
    return b.reduce(b.base_op[1:], x, axes_of(x, dims), keepdim)


@handles("any", "all")
def any_all(b: Builder, x: Any, dims: Any = None, keepdim: bool = False) -> Value:
    x = b.compute(x)
    if x.dtype != torch.bool:
        x = b.negated(b.compare("equal", x, 0.0))
    return b.reduce("max" if b.base_op == "any" else "min", x, axes_of(x, dims), keepdim)


def top(b: Builder, x: Value, count: int, dim: int, largest: bool = True) -> tuple[Value, Value]:
    """The largest (or smallest) elements along a dim, and their places."""
    x = b.compute(x)
    moved = b.move_dim(x, dim, x.rank - 1)
    if not largest:
        moved = b.unary("neg", moved)
    shape = (*moved.shape[:-1], count)
    values = b.emit("top_k", [moved], shape, moved.type, x.dtype, [f"k = {count} : i64"], [(shape, "i32")])
    places = b.ops[-1].results[1]
    places = Value(places.name, places.shape, "i32", torch.int64)
    if not largest:
        values = b.unary("neg", values)
    if dim != x.rank - 1:
        values, places = b.move_dim(values, x.rank - 1, dim), b.move_dim(places, x.rank - 1, dim)
    return values, places


@handles("max", "min")
def max_min(b: Builder, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    x, kind = b.tensor(x), b.base_op
    if dim is None:
        return b.reduce(kind, x, range(x.rank))
    if not isinstance(dim, int):
        return b.binary("maximum" if kind == "max" else "minimum", x, b.tensor(dim))
    values, places = top(b, x, 1, dim_of(dim, x.rank), kind == "max")
    return tuple(b.reshape(value, b.shape) for value in (values, places))


@handles("argmax", "argmin")
def argmax(b: Builder, x: Any, dim: int | None = None, keepdim: bool = False) -> Value:
    x = b.compute(x)
    if dim is None:
        x, dim = b.reshape(x, [math.prod(x.shape)]), 0
    return b.reshape(top(b, x, 1, dim_of(dim, x.rank), b.base_op == "argmax")[1], b.shape)


@handles("topk")
def topk(b: Builder, x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    x = b.tensor(x)
    return top(b, x, int(k), dim_of(dim, x.rank), largest)


@handles("sort", "argsort")
def sort(b: Builder, x: Any, *args: Any, stable: Any = None, dim: int = -1, descending: bool = False) -> Any:
    args = tuple(value for value in args if value is not None and value is not stable) or ()
    if args:
        dim = args[0]
    if len(args) > 1:
        descending = args[1]
    x = b.compute(x)
    dim = dim_of(dim, x.rank)
    result = top(b, x, x.shape[dim], dim, descending)
    return result[1] if b.base_op == "argsort" else result


@handles("var", "std", "var_mean", "std_mean")
def variance(b: Builder, x: Any, dims: Any = None, unbiased: Any = None, keepdim: bool = False, *,
             correction: Any = None) -> Any:
    if isinstance(dims, bool):
        dims, unbiased = None, dims
    x = b.tensor(x)
    axes = axes_of(x, dims)
    amount = correction if correction is not None else 1 if unbiased is None or unbiased else 0
    mean_kept = b.mean(x, axes, True)
    centered = b.binary("sub", x, mean_kept)
    count = math.prod(x.shape[axis] for axis in axes)
    if count - amount <= 0:
        raise Unsupported(f"a variance of {count} elements with correction {amount} is not a number")
    squares = b.reduce("sum", b.binary("mul", centered, centered), axes, keepdim)
    result = b.scale(squares, 1.0 / (count - amount))
    if b.base_op.startswith("std"):
        result = b.unary("sqrt", result)
    if not b.base_op.endswith("_mean"):
        return result
    return result, mean_kept if keepdim else b.reshape(mean_kept, result.shape)


@handles("cumsum")
def cumsum(b: Builder, x: Any, dim: int, dtype: Any = None) -> Value:
    x = b.tensor(x)
    dim = dim_of(dim, x.rank)
    moved = b.move_dim(x, dim, x.rank - 1)
    length = moved.shape[-1]
    ones = b.constant(torch.ones(length, length).triu(), x.type)
    rows = b.reshape(moved, [math.prod(moved.shape[:-1]), length])
    summed = b.reshape(b.matmul(rows, ones), moved.shape)
    return b._retyped(b.move_dim(summed, x.rank - 1, dim), x.dtype)


@handles("prod", "cumprod")
def product(b: Builder, x: Any, dim: int | None = None, keepdim: bool = False, dtype: Any = None) -> Value:
    x = b.tensor(x)
    if dim is None:
        x, dim = b.reshape(x, [math.prod(x.shape)]), 0
    dim = dim_of(dim, x.rank)
    if x.shape[dim] > 64:
        raise Unsupported(f"a product of {x.shape[dim]} elements is not supported, only of up to 64")
    parts = [b.slice(x, dim, i, 1) for i in range(x.shape[dim])]
    results = [parts[0]]
    for part in parts[1:]:
        results.append(b.binary("mul", results[-1], part))
    return b.concat(results, dim) if b.base_op == "cumprod" else b.reshape(results[-1], b.shape)


@handles("_softmax", "softmax", "_safe_softmax")
def softmax(b: Builder, x: Any, dim: int, *_: Any, **__: Any) -> Value:
    x = b.tensor(x)
    if x.rank == 0:
        return b.constant(torch.ones(()), x.type, x.dtype)
    axis = dim_of(dim, x.rank)
    if b.base_op == "_safe_softmax":
        return safe_softmax(b, x, axis)
    return b.unary("softmax", x, [f"axis = {axis} : i64"])


def safe_softmax(b: Builder, x: Value, axis: int) -> Value:
    """Softmax whose rows of -inf are 0."""
    seen = b.compare("greater", b.reduce("max", x, [axis], True), -math.inf)
    y = b.unary("softmax", b.where(seen, x, 0.0), [f"axis = {axis} : i64"])
    return b.where(seen, y, 0.0)


def log_sum_exp(b: Builder, x: Value, axes: Sequence[int]) -> Value:
    """Along the axes, which are kept. Exponentials are of differences from the largest element, which is finite: no
    gradient flows through it."""
    largest = b.stop(b.reduce("max", x, axes, True))
    largest = b.where(b.compare("greater", b.unary("abs", largest), 3e38), 0.0, largest)
    total = b.reduce("sum", b.unary("exp", b.binary("sub", x, largest)), axes, True)
    return b.binary("add", b.unary("log", total), largest)


@handles("_log_softmax", "log_softmax")
def log_softmax(b: Builder, x: Any, dim: int, *_: Any, **__: Any) -> Value:
    x = b.tensor(x)
    return b.binary("sub", x, log_sum_exp(b, x, [dim_of(dim, x.rank)]))


@handles("logsumexp")
def logsumexp(b: Builder, x: Any, dims: Any, keepdim: bool = False) -> Value:
    x = b.tensor(x)
    return b.reshape(log_sum_exp(b, x, axes_of(x, dims)), b.shape)


@handles("linalg_vector_norm", "norm")
def vector_norm(b: Builder, x: Any, order: Any = 2, dims: Any = None, keepdim: bool = False, dtype: Any = None) -> Value:
    """The norm of a row of zeros has the gradient 0, as in PyTorch."""
    x = b.tensor(x)
    axes = axes_of(x, dims)
    order = 2.0 if order is None else float(order)
    if order == 1:
        return b.reduce("sum", b.unary("abs", x), axes, keepdim)
    if order == math.inf:
        return b.reduce("max", b.unary("abs", x), axes, keepdim)
    if order != 2:
        raise Unsupported(f"a norm of order {order} is not supported")
    squares = b.reduce("sum", b.binary("mul", x, x), axes, keepdim)
    is_zero = b.compare("equal", squares, 0.0)
    return b.where(is_zero, 0.0, b.unary("sqrt", b.where(is_zero, 1.0, squares)))


@handles("histc", "bincount")
def histogram(b: Builder, x: Any, bins: int = 100, min: float = 0, max: float = 0) -> Value:
    """Counts of numbers in bins of equal width."""
    if max <= min or b.base_op == "bincount":
        raise Unsupported("a histogram without bounds is not supported")
    x = b.compute(x)
    flat = b.reshape(x, [math.prod(x.shape), 1])
    edges = torch.linspace(float(min), float(max), bins + 1)
    low, high = b.constant(edges[:-1].reshape(1, bins), x.type), b.constant(edges[1:].reshape(1, bins), x.type)
    inside = b.binary("mul", b.compare("greater_equal", flat, low), b.compare("greater", high, flat))
    # The last bin has its upper edge.
    last = torch.zeros(1, bins)
    last[0, -1] = 1
    at_edge = b.binary("mul", b.compare("equal", flat, float(max)), b.constant(last, x.type))
    counted = b.binary("add", inside, at_edge, x.dtype)
    return b._retyped(b.reduce("sum", counted, [0]), b.dtype)
