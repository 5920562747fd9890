# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses that are ops of the dialect; others are composed by PyTorch's decompositions."""

from __future__ import annotations

from typing import Any

import torch

from ..builder import Builder, Unsupported, Value, number
from . import handles
from .reductions import log_sum_exp


@handles("cross_entropy_loss")
def cross_entropy(b: Builder, x: Any, target: Any, weight: Any = None, reduction: int = 1, ignore_index: int = -100,
                  label_smoothing: float = 0.0) -> Value:
    x = b.tensor(x)
    if x.rank == 1:
        x = b.reshape(x, (1, *x.shape))
    # Classes become the last dim.
    x = b.move_dim(x, 1, x.rank - 1)
    classes, rows = x.shape[-1], x.shape[:-1]
    if target.dtype.is_floating_point:
        if weight is not None or label_smoothing or reduction != 1:
            raise Unsupported("probabilities as targets with weights, smoothing or another reduction than the mean are "
                              "not supported")
        probabilities = b.tensor(target, x.dtype)
        probabilities = b.reshape(probabilities, (1, *probabilities.shape)) if probabilities.rank == 1 else probabilities
        probabilities = b.move_dim(probabilities, 1, x.rank - 1)
        logs = b.binary("sub", x, log_sum_exp(b, x, [x.rank - 1]))
        total = b.reduce("sum", b.binary("mul", logs, probabilities), range(x.rank))
        return b.scale(total, -1.0 / max(1, torch.Size(rows).numel()))
    labels = b.reshape(b.as_type(target, "f32"), rows)
    counted = b.negated(b.compare("equal", labels, float(ignore_index)))
    count = b.reduce("sum", counted, range(len(rows)))
    if weight is None and not label_smoothing and reduction in (1, 2):
        known = b.as_type(b.where(counted, labels, b.constant(-1.0, "f32", torch.int64)), "i32")
        # Of 16 bits, loss and count are f32: so many rows have no number in 16 bits.
        wide = "f64" if x.type == "f64" else "f32"
        loss = b.emit("cross_entropy", [x, known], (), wide, x.dtype, [f"scale = {number(1.0)}"],
                      [((), wide), ((3, *rows), wide)])
        loss = loss if reduction == 2 else b.binary("div", loss, b.as_type(count, wide))
        return b.as_type(loss, x.type)
    if reduction != 0 or weight is not None:
        raise Unsupported("class weights, and label smoothing of a mean or a sum, are not supported here: give the loss "
                          "to the training step (class-weights, label-smoothing)")
    logs = b.binary("sub", x, log_sum_exp(b, x, [x.rank - 1]))
    hit = b.compare("equal", b.reshape(labels, (*rows, 1)), b.positions(classes, x.rank - 1, x.rank))
    own = b.unary("neg", b.reduce("sum", b.where(hit, logs, 0.0), [x.rank - 1]))
    if label_smoothing:
        spread = b.scale(b.reduce("sum", logs, [x.rank - 1]), -label_smoothing / classes)
        own = b.binary("add", b.scale(own, 1 - label_smoothing), spread)
    return b.reshape(b.where(counted, own, 0.0), b.shape)


@handles("nll_loss_forward", "nll_loss2d_forward")
def nll_loss(b: Builder, x: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    x = b.tensor(x)
    if weight is not None:
        raise Unsupported("class weights are not supported here")
    if x.rank == 1:
        x = b.reshape(x, (1, *x.shape))
    x = b.move_dim(x, 1, x.rank - 1)
    rows = x.shape[:-1]
    labels = b.reshape(b.as_type(target, "f32"), rows)
    counted = b.negated(b.compare("equal", labels, float(ignore_index)))
    hit = b.compare("equal", b.reshape(labels, (*rows, 1)), b.positions(x.shape[-1], x.rank - 1, x.rank))
    own = b.unary("neg", b.reduce("sum", b.where(hit, x, 0.0), [x.rank - 1]))
    own = b.where(counted, own, 0.0)
    count = b.reduce("sum", counted, range(len(rows)))
    if reduction == 0:
        return b.reshape(own, b.shape), b.as_type(count, x.type)
    wide = "f64" if x.type == "f64" else "f32"
    total = b.reduce("sum", b.as_type(own, wide), range(len(rows)))
    loss = total if reduction == 2 else b.binary("div", total, b.as_type(count, wide))
    return b.as_type(loss, x.type), b.as_type(count, x.type)
