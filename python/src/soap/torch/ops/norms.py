# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalizations. Batch norms that train update their running statistics in the training step."""

from __future__ import annotations

import math
from typing import Any, Sequence

import torch

from ..builder import Builder, Unsupported, Value, number
from . import handles


def _ones(b: Builder, x: Value, shape: Sequence[int], value: float = 1.0) -> Value:
    return b.constant(torch.full(tuple(shape), value), x.type, x.dtype)


@handles("layer_norm", "native_layer_norm")
def layer_norm(b: Builder, x: Any, shape: Sequence[int], gamma: Any = None, beta: Any = None, epsilon: float = 1e-5,
               *_: Any) -> Any:
    x = b.tensor(x)
    axis = x.rank - len(shape)
    gamma = _ones(b, x, shape) if gamma is None else b.tensor(gamma)
    beta = _ones(b, x, shape, 0.0) if beta is None else b.tensor(beta)
    rows = x.shape[:axis]
    y = b.emit("layer_norm", [x, gamma, beta], x.shape, x.type, x.dtype,
               [f"axis = {axis} : i64", f"epsilon = {number(epsilon)}"], [(rows, x.type), (rows, x.type)])
    return (y, *_statistics(b, 2)) if b.base_op == "native_layer_norm" else y


def _statistics(b: Builder, count: int) -> list[Value | None]:
    """The further results of the norm at hand, for the backward pass of PyTorch's: no gradient goes through them."""
    if not b.joint:
        return [None] * count
    norm = b.ops[-1]
    return [b.reshape(value, tuple(b.expected[1 + i].shape)) for i, value in enumerate(norm.results[1:])]


@handles("rms_norm", "_fused_rms_norm")
def rms_norm(b: Builder, x: Any, shape: Sequence[int], gamma: Any = None, epsilon: float | None = None) -> Any:
    x = b.tensor(x)
    axis = x.rank - len(shape)
    gamma = _ones(b, x, shape) if gamma is None else b.tensor(gamma)
    epsilon = torch.finfo(x.dtype).eps if epsilon is None else epsilon
    y = b.emit("rms_norm", [x, gamma], x.shape, x.type, x.dtype,
               [f"axis = {axis} : i64", f"epsilon = {number(epsilon)}"], [(x.shape[:axis], x.type)])
    return (y, *_statistics(b, 1)) if b.base_op == "_fused_rms_norm" else y


def per_channel(b: Builder, x: Value, gamma: Any, beta: Any) -> Value:
    """x * gamma + beta along dim 1."""
    dims = (-1,) + (1,) * (x.rank - 2)
    if gamma is not None:
        gamma = b.tensor(gamma)
        x = b.binary("mul", x, b.reshape(gamma, (gamma.shape[0],) + dims[1:]))
    if beta is not None:
        x = b.emit("bias_add", [x, b.tensor(beta)], x.shape, x.type, x.dtype, ["axis = 1 : i64"])
    return x


@handles("group_norm", "native_group_norm")
def group_norm(b: Builder, x: Any, *args: Any, **named: Any) -> Any:
    x = b.tensor(x)
    if b.base_op == "native_group_norm":
        gamma, beta, _, _, _, groups, epsilon = args
    else:
        groups, gamma, beta, epsilon = (*args, *[None] * 3)[:4]
        gamma, beta = named.get("weight", gamma), named.get("bias", beta)
        epsilon = 1e-5 if epsilon is None else epsilon
    n = x.shape[0]
    flat = b.reshape(x, (n, groups, math.prod(x.shape[1:]) // groups))
    width = flat.shape[2:]
    y = b.emit("layer_norm", [flat, _ones(b, x, width), _ones(b, x, width, 0.0)], flat.shape, x.type, x.dtype,
               ["axis = 2 : i64", f"epsilon = {number(epsilon)}"], [(flat.shape[:2], x.type)] * 2)
    statistics = _statistics(b, 2) if b.base_op == "native_group_norm" else []
    y = per_channel(b, b.reshape(y, x.shape), gamma, beta)
    return (y, *statistics) if b.base_op == "native_group_norm" else y


def _batch_norm(b: Builder, x: Value, gamma: Any, beta: Any, mean: Any, variance: Any, epsilon: float,
                momentum: float | None) -> Value:
    channels = (x.shape[1],)
    gamma = _ones(b, x, channels) if gamma is None else b.tensor(gamma)
    beta = _ones(b, x, channels, 0.0) if beta is None else b.tensor(beta)
    attributes = [f"epsilon = {number(epsilon)}"]
    if momentum is not None and momentum != 0.1:
        attributes.append(f"soap.batch_norm_momentum = {number(momentum)}")
    operands = [x, gamma, beta, b.tensor(mean, x.dtype), b.tensor(variance, x.dtype)]
    return b.emit("batch_norm", operands, x.shape, x.type, x.dtype, attributes)


@handles("_native_batch_norm_legit_functional", "_native_batch_norm_legit", "_native_batch_norm_legit_no_training",
         "native_batch_norm", "batch_norm", "cudnn_batch_norm")
def batch_norm(b: Builder, x: Any, gamma: Any, beta: Any, *args: Any) -> Any:
    x, name = b.tensor(x), b.base_op
    if name == "_native_batch_norm_legit_no_training":
        (mean, variance, momentum, epsilon), training = args, False
    elif len(args) == 3:  # no running statistics
        (training, momentum, epsilon), mean, variance = args, None, None
    else:
        mean, variance, training, momentum, epsilon = args[:5]
    if training and b.joint:
        raise Unsupported("a batch norm in training mode is not supported with backward='torch'")
    if training and (mean is None or b.compares):
        channels = (x.shape[1],)
        operands = [x, _ones(b, x, channels) if gamma is None else b.tensor(gamma),
                    _ones(b, x, channels, 0.0) if beta is None else b.tensor(beta)]
        y = b.emit("batch_norm_train", operands, x.shape, x.type, x.dtype, [f"epsilon = {number(epsilon)}"],
                   [((3, x.shape[1]), x.type)])
        return y, None, None, UPDATED, UPDATED
    if mean is None:
        raise Unsupported("a batch norm in evaluation mode without running statistics is not supported")
    if training:
        if not isinstance(mean, Value) or not isinstance(variance, Value) or mean.name not in b.norms:
            raise Unsupported("running statistics that are no buffers are not supported")
        if b.norms[mean.name]:
            raise Unsupported(f"{b.norms[mean.name]!r} has the same running statistics, which one op can update")
        b.norms[mean.name] = b.norms[variance.name] = b.base
        y = _batch_norm(b, x, gamma, beta, mean, variance, epsilon, momentum)
        return y, None, None, UPDATED, UPDATED
    # A norm in evaluation mode keeps its statistics while the rest trains.
    mean, variance = (b.stop(v) if isinstance(v, Value) else v for v in (mean, variance))
    return _batch_norm(b, x, gamma, beta, mean, variance, epsilon, None), None, None


class _Updated:
    """Stands for the value that the training step gives a running statistic."""


UPDATED = _Updated()
