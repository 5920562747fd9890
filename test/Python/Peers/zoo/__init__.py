# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of today in small sizes, with random weights.

`MODELS` has for each name a function that returns an `Entry`."""
from dataclasses import dataclass
from typing import Any, Callable

import torch
import torch.nn.functional as F

MODELS: dict[str, Callable[[], "Entry"]] = {}


@dataclass
class Entry:
    """A module, what makes a batch of its inputs (a dict by name, or a tuple), and of its labels, and the loss of its
    result and the labels. `refused` is a part of the message with which from_torch refuses it."""

    module: torch.nn.Module
    inputs: Callable[[], Any]
    labels: Callable[[], Any] | None
    loss: Callable[..., torch.Tensor]
    refused: str = ""
    rate: float = 0.1
    #: Whether module and data are in double precision.
    double: bool = False

    def __post_init__(self):
        if not self.double:
            return
        self.module.double()
        inputs, labels = self.inputs, self.labels
        self.inputs = lambda: widened(inputs())
        self.labels = labels and (lambda: widened(labels()))


def widened(values):
    return torch.utils._pytree.tree_map(
        lambda value: value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value, values)


def model(name):
    def enter(make):
        MODELS[name] = make
        return make

    return enter


def tokens(samples=4, length=8, vocabulary=64):
    return lambda: torch.randint(2, vocabulary, (samples, length))


def images(samples=4, channels=3, size=32):
    return lambda: (torch.randn(samples, channels, size, size),)


def classes(samples=4, count=10):
    return lambda: torch.randint(0, count, (samples,))


def of_logits(out, labels):
    """Cross entropy of the classes, or of the tokens, of a result of transformers."""
    logits = out.logits if hasattr(out, "logits") else out
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))


from . import language, others, vision  # noqa: E402, F401
