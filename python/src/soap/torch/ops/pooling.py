# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling over windows."""

from __future__ import annotations

from typing import Any, Sequence

from ..builder import Builder, Unsupported, Value, array
from . import handles


def _pair(values: Any) -> list[int]:
    values = [values] if isinstance(values, int) else list(values)
    return [int(value) for value in (values * 2 if len(values) == 1 else values)]


def _attributes(kernel: list[int], stride: list[int], padding: list[int], dilation: list[int]) -> list[str]:
    return [f"kernel = {array(kernel)}", f"strides = {array(stride)}", f"padding = {array(padding)}",
            f"dilations = {array(dilation)}"]


def _images(b: Builder, x: Any) -> Value:
    x = b.tensor(x)
    return x if x.rank == 4 else b.reshape(x, (1, *x.shape))


def _ends(x: Value, shape: Sequence[int], kernel: list[int], stride: list[int], padding: list[int],
          dilation: list[int]) -> list[int]:
    """The padding after the image with which the windows are as many as the result has rows and columns."""
    return [
        (shape[i] - 1) * stride[i] + (kernel[i] - 1) * dilation[i] + 1 - x.shape[2 + i] - padding[i] for i in range(2)
    ]


@handles("max_pool2d_with_indices", "max_pool2d")
def max_pool(b: Builder, x: Any, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1,
             ceil_mode: bool = False) -> Any:
    x, shape = _images(b, x), b.shape
    kernel = _pair(kernel)
    stride, padding, dilation = _pair(stride) if stride else kernel, _pair(padding), _pair(dilation)
    pads = [*padding, *_ends(x, shape[-2:], kernel, stride, padding, dilation)]
    y = b.emit("max_pool2d", [x], (*x.shape[:2], *shape[-2:]), x.type, x.dtype,
               _attributes(kernel, stride, pads, dilation))
    y = b.reshape(y, shape)
    return (y, None) if b.base_op.endswith("indices") else y


@handles("avg_pool2d")
def avg_pool(b: Builder, x: Any, kernel: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
             count_include_pad: bool = True, divisor_override: int | None = None) -> Value:
    x, shape = _images(b, x), b.shape
    kernel = _pair(kernel)
    stride, padding = _pair(stride) if stride else kernel, _pair(padding)
    pads = [*padding, *_ends(x, shape[-2:], kernel, stride, padding, [1, 1])]
    attributes = _attributes(kernel, stride, pads, [1, 1])
    # Windows of a rounded-up result that reach beyond the padding count what lies in it alone.
    if count_include_pad and any(padding):
        attributes.append(f"count_low = {array(-p for p in padding)}")
        attributes.append(f"count_size = {array(x.shape[2 + i] + 2 * padding[i] for i in range(2))}")
    y = b.emit("avg_pool2d", [x], (*x.shape[:2], *shape[-2:]), x.type, x.dtype, attributes)
    if divisor_override:
        raise Unsupported("a divisor of one's own is not supported")
    return b.reshape(y, shape)


@handles("avg_pool1d", "max_pool1d")
def pool1d(b: Builder, x: Any, *_: Any) -> Value:
    raise Unsupported("not supported")


@handles("_adaptive_avg_pool2d", "adaptive_avg_pool2d")
def adaptive_avg_pool(b: Builder, x: Any, size: Sequence[int]) -> Value:
    """A product with the weights of each window along each dim, unless the windows are all of one size."""
    x, shape = _images(b, x), b.shape
    image, target = x.shape[2:], shape[-2:]
    if all(extent % count == 0 for extent, count in zip(image, target)):
        kernel = [extent // count for extent, count in zip(image, target)]
        y = b.emit("avg_pool2d", [x], (*x.shape[:2], *target), x.type, x.dtype,
                   _attributes(kernel, kernel, [0, 0, 0, 0], [1, 1]))
        return b.reshape(y, shape)
    import torch

    for i in range(2):
        weights = torch.zeros(image[i], target[i])
        for j in range(target[i]):
            begin, end = j * image[i] // target[i], -((-(j + 1) * image[i]) // target[i])
            weights[begin:end, j] = 1 / (end - begin)
        x = b.move_dim(x, 2 + i, 3)
        x = b.move_dim(b.matmul(x, b.constant(weights, x.type)), 3, 2 + i)
    return b.reshape(x, shape)
