#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of from_torch at corners: 0, bounds, ties, rows of zeros. One module has a parameter per function, whose
elements are such points; from_torch compares results and gradients with PyTorch's. The last line is "N passed, N
failed".
"""

import sys

import soap
import torch
import torch.nn.functional as F

POINTS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 6.0, -6.0]
ROWS = [[0.0, 0.0, 0.0], [1.0, 2.0, 2.0], [-1.0, -1.0, -1.0], [3.0, 3.0, 0.0]]
OF_POINTS = {
    "relu": F.relu,
    "relu6": F.relu6,
    "hardtanh": F.hardtanh,
    "hardsigmoid": F.hardsigmoid,
    "hardswish": F.hardswish,
    "leaky_relu": F.leaky_relu,
    "elu": F.elu,
    "celu": F.celu,
    "selu": F.selu,
    "softplus": F.softplus,
    "logsigmoid": F.logsigmoid,
    "mish": F.mish,
    "softsign": F.softsign,
    "softshrink": F.softshrink,
    "hardshrink": F.hardshrink,
    "threshold": lambda x: F.threshold(x, 0.5, 0.0),
    "abs": torch.abs,
    "sign": lambda x: x * torch.sign(x),
    "round": lambda x: x + torch.round(x) + torch.floor(x),
    "clamp": lambda x: x.clamp(-1, 2),
    "clamp_min": lambda x: x.clamp(min=0.5),
    "clamp_max": lambda x: x.clamp(max=-0.5),
    "maximum": lambda x: torch.maximum(x, x.flip(0)) + torch.minimum(x, torch.zeros_like(x)),
    "pow": lambda x: x**0 + x**1 + x**2 + x**3,
    "asinh": torch.asinh,
    "atan": torch.atan,
    "where": lambda x: torch.where(x > 0, x, -x),
}
OF_PAIRS = {
    "atan2": lambda p: torch.atan2(p[0], p[1]),
    "pow of two": lambda p: torch.pow(p[0].abs(), p[1].abs()),
}
# Heights and widths. -0 is 0 where an angle turns.
PAIRS = [[0.0, 1.0, 0.0, 1.0, -2.0, -2.0, 3.0, -1.0], [0.0, 0.0, 1.0, 1.0, 1.0, -1.0, -0.25, 0.0]]
OF_ROWS = {
    "norm": lambda x: torch.linalg.vector_norm(x, dim=1),
    "normalize": lambda x: F.normalize(x, dim=1, eps=0.1),
    "cosine": lambda x: F.cosine_similarity(x, torch.ones_like(x), eps=0.1),
    "std": lambda x: x.std(1),
    "logsumexp": lambda x: torch.logsumexp(x, 1),
    "amax": lambda x: x.amax(1),
}


class Corner(torch.nn.Module):
    def __init__(self, function, points):
        super().__init__()
        self.function = function
        self.point = torch.nn.Parameter(torch.tensor(points))

    def forward(self, x):
        return x.sum() * self.function(self.point).sum()


def main():
    failed = 0
    functions = [
        (name, function, points)
        for group, points in [(OF_POINTS, POINTS), (OF_PAIRS, PAIRS), (OF_ROWS, ROWS)]
        for name, function in group.items()
    ]
    for name, function, points in functions:
        try:
            soap.from_torch(Corner(function, points), torch.ones(4, 1))
        except soap.SoapError as error:
            failed += 1
            print(f"FAILED {name}: {error}")
    print(f"{len(functions) - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
