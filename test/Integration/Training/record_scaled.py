#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records two linear layers with scaled casts to 8-bit floats, and their gradients, for scaled.py.

record_scaled.py [--folder FOLDER]

FOLDER/data.npz has x, t and the weights w1 and w2 of y = w2 (w1 x); the loss is the sum of y * t. FOLDER/fp8.npz and
FOLDER/mxfp8.npz have the loss and the gradients of both weights. Casts are by ml_dtypes, to nearest, behind a
clamp to the largest number; sums are in float64. Recipes: Float8CurrentScaling with HYBRID of NVIDIA Transformer Engine
(activations and weights E4M3, gradients E5M2), and the scales of OCP Microscaling Formats 1.0 in blocks of 32 E4M3.

Needs ml_dtypes and numpy, so it is in no suite; the files are committed. Last recorded with ml_dtypes 0.6.0.
"""

import argparse
import os

import ml_dtypes
import numpy as np

SAMPLES, IN, HIDDEN, OUT = 64, 96, 128, 64
E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
LARGEST = {E4M3: 448.0, E5M2: 57344.0}
# Of the largest number of E4M3, the power of two.
EXPONENT = 8


def narrow(values):
    return np.asarray(values, np.float32).astype(ml_dtypes.bfloat16)


def cast(values, kind):
    return np.clip(values, -LARGEST[kind], LARGEST[kind]).astype(np.float32).astype(kind)


def of_tensor(values, kind):
    """Numbers, and what they are to be multiplied by."""
    values = values.astype(np.float32)
    scale = np.float32(LARGEST[kind]) / np.max(np.abs(values))
    return cast(values * scale, kind).astype(np.float64), np.float32(1) / scale


def of_blocks(values, axis):
    """Numbers times their scales."""
    rows = np.moveaxis(values.astype(np.float32), axis, -1)
    blocks = rows.reshape(rows.shape[:-1] + (-1, 32))
    largest = np.max(np.abs(blocks), -1, keepdims=True)
    exponent = np.frexp(np.where(largest == 0, 1, largest))[1] - 1 - EXPONENT
    scale = np.ldexp(1.0, np.where(largest == 0, -127, exponent))
    numbers = cast(blocks / scale, E4M3).astype(np.float64) * scale
    return np.moveaxis(numbers.reshape(rows.shape), -1, axis)


class Recipe:
    def __init__(self, has_blocks):
        self.has_blocks = has_blocks

    def product(self, expression, a, b, axes, kind, result):
        """`axes`: of both, the contracted dim. `kind`: of a."""
        if self.has_blocks:
            sums = np.einsum(expression, of_blocks(a, axes[0]), of_blocks(b, axes[1])).astype(np.float32)
        else:
            (a, of_a), (b, of_b) = of_tensor(a, kind), of_tensor(b, E4M3)
            sums = np.einsum(expression, a, b).astype(np.float32) * of_a * of_b
        return sums.astype(result)


def step(recipe, x, t, w1, w2):
    x, t, w1, w2 = map(narrow, (x, t, w1, w2))
    forward = lambda a, w: recipe.product("nk,mk->nm", a, w, (1, 1), E4M3, ml_dtypes.bfloat16)
    backward = lambda dy, w: recipe.product("nm,mk->nk", dy, w, (1, 0), E5M2, ml_dtypes.bfloat16)
    of_weight = lambda dy, a: recipe.product("nm,nk->mk", dy, a, (0, 0), E5M2, np.float32)
    hidden = forward(x, w1)
    y = forward(hidden, w2)
    loss = np.sum((y.astype(np.float32) * t.astype(np.float32)).astype(ml_dtypes.bfloat16).astype(np.float64))
    return {"loss": loss, "w1": of_weight(backward(t, w2), x), "w2": of_weight(t, hidden)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "scaled"))
    folder = parser.parse_args().folder
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(1)
    normal = lambda *shape: random.standard_normal(shape).astype(np.float32)
    # Rows of many sizes, and blocks of zeros.
    data = {"x": normal(SAMPLES, IN) * np.exp(normal(SAMPLES, 1)), "t": normal(SAMPLES, OUT) * np.float32(1e-3),
            "w1": normal(HIDDEN, IN) * np.float32(0.1), "w2": normal(OUT, HIDDEN) * np.float32(0.05)}
    data["w1"][3] = 0
    data["w2"][5, :40] = 0
    np.savez_compressed(os.path.join(folder, "data.npz"), **data)
    for name, has_blocks in (("fp8", False), ("mxfp8", True)):
        np.savez_compressed(os.path.join(folder, name + ".npz"), **step(Recipe(has_blocks), **data))


if __name__ == "__main__":
    main()
