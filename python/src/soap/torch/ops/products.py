# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products and convolutions."""

from __future__ import annotations

import math
from typing import Any, Sequence

import torch

from ..builder import Builder, Unsupported, Value, array
from . import handles


def matmul(b: Builder, x: Value, y: Value) -> Value:
    """torch.matmul: batch dims broadcast; a vector is a row of the left operand or a column of the right one."""
    left, right = x.rank == 1, y.rank == 1
    x = b.reshape(x, (1, *x.shape)) if left else x
    y = b.reshape(y, (*y.shape, 1)) if right else y
    batch = torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x = b.expand(x, (*batch, *x.shape[-2:]))
    if math.prod(y.shape[:-2]) == 1:
        y = b.reshape(y, y.shape[-2:])
    elif y.shape[:-2] != batch:
        y = b.expand(y, (*batch, *y.shape[-2:]))
    z = b.matmul(x, y)
    shape = list(z.shape)
    if right:
        del shape[-1]
    if left:
        del shape[-2 + right]
    return b.reshape(z, shape)


@handles("matmul", "mm", "bmm", "dot", "mv", "inner")
def products(b: Builder, x: Any, y: Any) -> Value:
    return matmul(b, b.tensor(x), b.tensor(y))


@handles("linear")
def linear(b: Builder, x: Any, weight: Any, bias: Any = None) -> Value:
    x, weight = b.tensor(x), b.tensor(weight)
    if weight.rank == 1:
        z = matmul(b, x, weight)
        return z if bias is None else b.binary("add", z, b.tensor(bias))
    rows = b.reshape(x, (1, *x.shape)) if x.rank == 1 else x
    y = b.matmul(rows, weight, transpose_b=True)
    if bias is not None:
        y = b.emit("bias_add", [y, b.tensor(bias)], y.shape, y.type, y.dtype, [f"axis = {y.rank - 1} : i64"])
    return b.reshape(y, b.shape)


@handles("addmm", "baddbmm", "addbmm", "addmv")
def addmm(b: Builder, z: Any, x: Any, y: Any, beta: float = 1, alpha: float = 1) -> Value:
    if b.base_op == "addbmm":
        raise Unsupported("a sum of products over the batch is not supported")
    product = b.scale(matmul(b, b.tensor(x), b.tensor(y)), float(alpha))
    if beta == 0:
        return product
    return b.binary("add", product, b.scale(b.tensor(z), float(beta)))


@handles("addr", "outer", "ger")
def outer(b: Builder, x: Any, y: Any) -> Value:
    if b.base_op == "addr":
        raise Unsupported("not supported")
    x, y = b.tensor(x), b.tensor(y)
    return b.binary("mul", b.reshape(x, (*x.shape, 1)), b.reshape(y, (1, *y.shape)))


@handles("transformers.grouped_mm_fallback", "_grouped_mm")
def grouped_mm(b: Builder, x: Any, weight: Any, offs: Any = None, bias: Any = None, *_: Any, **__: Any) -> Value:
    """Rows of x in groups, each with a matrix of its own: `offs` are the ends of the groups. All products are made,
    and products of other groups are masked."""
    x, weight = b.tensor(x), b.tensor(weight)
    if weight.rank != 3 or x.rank != 2 or offs is None or bias is not None:
        raise Unsupported("only rows with a matrix for each group are supported")
    groups, rows = weight.shape[0], x.shape[0]
    ends = b.reshape(b.as_type(offs, "f32"), (groups, 1))
    begins = b.concat([b.constant(torch.zeros(1, 1), "f32"), b.slice(ends, 0, 0, groups - 1)], 0) if groups > 1 else (
        b.constant(torch.zeros(1, 1), "f32"))
    places = b.positions(rows, 1, 2)
    own = b.binary("mul", b.compare("greater_equal", places, begins), b.compare("greater", ends, places))
    own = b.reshape(b.as_type(own, x.type), (groups, rows, 1))
    y = b.matmul(b.expand(x, (groups, *x.shape)), weight)
    return b.reduce("sum", b.binary("mul", y, own), [0])


# --- Convolutions ---------------------------------------------------------------------------------------------------


def _conv2d(b: Builder, x: Value, w: Value, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
            groups: int) -> Value:
    """`padding` is top, left, bottom, right."""
    extents = [
        (x.shape[2 + i] + padding[i] + padding[2 + i] - (w.shape[2 + i] - 1) * dilation[i] - 1) // stride[i] + 1
        for i in range(2)
    ]
    attributes = [f"strides = {array(stride)}", f"padding = {array(padding)}", f"dilations = {array(dilation)}",
                  f"groups = {groups} : i64"]
    return b.emit("conv2d", [x, w], (x.shape[0], w.shape[0], *extents), x.type, x.dtype, attributes)


def _spread(values: Sequence[int], count: int) -> list[int]:
    return [int(value) for value in (values if len(values) == count else list(values) * count)]


def _transposed(b: Builder, x: Value, w: Value, stride: list[int], padding: list[int], dilation: list[int],
                groups: int, output_padding: list[int]) -> Value:
    """A convolution of the operand with zeros between its elements, by the flipped kernels."""
    inputs, outputs = w.shape[0], w.shape[1]
    low, shape = [0, 0], list(x.shape[:2])
    for i in range(2):
        reach = dilation[i] * (w.shape[2 + i] - 1)
        low.append(reach - padding[i])
        shape.append((x.shape[2 + i] - 1) * stride[i] + 1 + 2 * (reach - padding[i]) + output_padding[i])
    spread = b.pad(x, low, shape, [0, 0, stride[0] - 1, stride[1] - 1])
    w = b.reshape(w, (groups, inputs // groups, outputs, *w.shape[2:]))
    w = b.transpose(w, [0, 2, 1, 3, 4])
    w = b.reshape(w, (groups * outputs, inputs // groups, *w.shape[3:]))
    area = w.shape[2] * w.shape[3]
    if area > 1:
        from .shapes import along

        flat = b.reshape(w, (*w.shape[:2], area))
        w = b.reshape(along(b, flat, 2, torch.arange(area - 1, -1, -1)), w.shape)
    return _conv2d(b, spread, w, [1, 1], [0, 0, 0, 0], dilation, groups)


def _patches(b: Builder, x: Value, w: Value) -> Value:
    """A convolution whose windows tile the operand: a product of patches."""
    n, channels, *image = x.shape
    outputs, _, *kernel = w.shape
    counts = [extent // size for extent, size in zip(image, kernel)]
    rank = len(kernel)
    split = [extent for pair in zip(counts, kernel) for extent in pair]
    y = b.reshape(x, (n, channels, *split))
    order = [0, *range(2, 2 + 2 * rank, 2), 1, *range(3, 3 + 2 * rank, 2)]
    y = b.reshape(b.transpose(y, order), (n, math.prod(counts), channels * math.prod(kernel)))
    y = b.matmul(y, b.reshape(w, (outputs, channels * math.prod(kernel))), transpose_b=True)
    return b.reshape(b.transpose(y, [0, 2, 1]), (n, outputs, *counts))


def _conv3d(b: Builder, x: Value, w: Value, stride: list[int], padding: list[int], dilation: list[int],
            groups: int) -> Value:
    """A sum of 2-D convolutions, one for each depth of the kernel, of slices that are samples."""
    n, channels, depth, height, width = x.shape
    if padding[0]:
        shape = (n, channels, depth + 2 * padding[0], height, width)
        x = b.pad(x, [0, 0, padding[0], 0, 0], shape)
    steps = (x.shape[2] - (w.shape[2] - 1) * dilation[0] - 1) // stride[0] + 1
    total = None
    for k in range(w.shape[2]):
        part = b.slice(x, 2, k * dilation[0], steps, stride[0]) if steps > 1 else b.slice(x, 2, k * dilation[0], 1)
        part = b.reshape(b.transpose(part, [0, 2, 1, 3, 4]), (n * steps, channels, height, width))
        kernel = b.reshape(b.slice(w, 2, k, 1), (*w.shape[:2], *w.shape[3:]))
        y = _conv2d(b, part, kernel, stride[1:], [*padding[1:], *padding[1:]], dilation[1:], groups)
        total = y if total is None else b.binary("add", total, y)
    assert total is not None
    y = b.reshape(total, (n, steps, *total.shape[1:]))
    return b.transpose(y, [0, 2, 1, 3, 4])


@handles("convolution", "conv1d", "conv2d", "conv3d")
def convolution(b: Builder, x: Any, w: Any, bias: Any, stride: Sequence[int], padding: Sequence[int],
                dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int) -> Value:
    x, w = b.tensor(x), b.tensor(w)
    rank = w.rank - 2
    unbatched = x.rank == w.rank - 1
    if unbatched:
        x = b.reshape(x, (1, *x.shape))
    stride, padding, dilation = _spread(stride, rank), _spread(padding, rank), _spread(dilation, rank)
    extra = _spread(output_padding, rank)
    result_shape = b.shape
    if not transposed and groups == 1 and stride == list(w.shape[2:]) and not any(padding) and rank == 3 and all(
        e % k == 0 for e, k in zip(x.shape[2:], w.shape[2:])
    ):
        y = _patches(b, x, w)
    elif rank == 3:
        if transposed:
            raise Unsupported("transposed convolutions in 3-D are not supported")
        y = _conv3d(b, x, w, stride, padding, dilation, groups)
    else:
        if rank == 1:
            x, w = b.reshape(x, (*x.shape[:2], 1, x.shape[2])), b.reshape(w, (*w.shape[:2], 1, w.shape[2]))
            stride, padding, dilation, extra = [1, *stride], [0, *padding], [1, *dilation], [0, *extra]
        if transposed:
            y = _transposed(b, x, w, stride, padding, dilation, groups, extra)
        else:
            y = _conv2d(b, x, w, stride, [*padding, *padding], dilation, groups)
    if bias is not None:
        y = b.emit("bias_add", [y, b.tensor(bias)], y.shape, y.type, y.dtype, ["axis = 1 : i64"])
    return b.reshape(y, result_shape)


@handles("convolution_backward")
def convolution_backward(b: Builder, dy: Any, x: Any, w: Any, _: Any, stride: Sequence[int], padding: Sequence[int],
                         dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int,
                         mask: Sequence[bool]) -> Any:
    dy, x, w = b.compute(dy), b.compute(x), b.compute(w)
    if x.rank != 4 or transposed:
        raise Unsupported("only 2-D convolutions that are not transposed have a backward pass here")
    (top, left) = padding
    attributes = [f"strides = {array(stride)}", f"padding = {array((top, left, top, left))}",
                  f"dilations = {array(dilation)}", f"groups = {groups} : i64"]
    return (
        b.emit("conv2d_input_grad", [dy, w], x.shape, x.type, x.dtype, attributes) if mask[0] else None,
        b.emit("conv2d_weight_grad", [x, dy], w.shape, w.type, w.dtype, attributes) if mask[1] else None,
        b.reduce("sum", dy, [0, 2, 3]) if mask[2] else None,
    )
