#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes GPT-2 (124 million weights, a batch of 1 x 128 words) as each door of Soap takes it, for run.py.

    bench/import/make_gpt2.py FOLDER [DOOR...]

- gpt2.onnx: torch.onnx, the older exporter; weights are in the file;
- gpt2.linalg.mlir: torch-mlir's fx.export_and_import; weights are in the text, as resources;
- gpt2.stablehlo.mlir: a training step of JAX; weights are arguments.

Weights are random. Needs torch, transformers and onnx; torch and torch-mlir; jax. Each door takes up to 6 GB of memory.
"""

import os
import sys

WORDS, POSITIONS, WIDTH, LAYERS, HEADS, LENGTH = 50257, 1024, 768, 12, 12, 128


def torch_model():
    import torch
    import transformers

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = transformers.GPT2LMHeadModel(transformers.GPT2Config(attn_implementation="eager"))
            self.model.config.use_cache = False

        def forward(self, ids):
            return self.model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits

    torch.manual_seed(0)
    return Logits().eval(), torch.randint(0, WORDS, (1, LENGTH))


def onnx(path):
    import torch
    model, ids = torch_model()
    torch.onnx.export(model, (ids,), path, dynamo=False, input_names=["ids"], output_names=["logits"],
                      training=torch.onnx.TrainingMode.EVAL, do_constant_folding=False, opset_version=17)


def linalg(path):
    import torch
    from torch_mlir import fx
    model, ids = torch_model()
    with torch.no_grad():
        module = fx.export_and_import(model, ids, output_type="linalg-on-tensors", func_name="main")
    with open(path, "w", encoding="utf-8") as file:
        file.write(str(module))


def jax_step():
    """A training step, and the shapes of its arguments."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    import jax.numpy as jnp

    def norm(x, p):
        x = x - x.mean(-1, keepdims=True)
        return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p["scale"] + p["bias"]

    def linear(x, p):
        return x @ p["weight"] + p["bias"]

    def split(x):
        return x.reshape(*x.shape[:2], HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

    def block(x, p):
        q, k, v = (split(part) for part in jnp.split(linear(norm(x, p["norm1"]), p["qkv"]), 3, -1))
        scores = q @ k.swapaxes(-1, -2) / (WIDTH // HEADS) ** 0.5
        scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e9)
        mixed = (jax.nn.softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(x.shape)
        x = x + linear(mixed, p["out"])
        return x + linear(jax.nn.gelu(linear(norm(x, p["norm2"]), p["up"])), p["down"])

    def loss(p, ids, labels):
        x = p["words"][ids] + p["positions"][:LENGTH]
        for layer in p["layers"]:
            x = block(x, layer)
        logits = jax.nn.log_softmax(norm(x, p["norm"]) @ p["words"].T)
        return -jnp.take_along_axis(logits, labels[..., None], -1).mean()

    def step(p, ids, labels):
        value, gradients = jax.value_and_grad(loss)(p, ids, labels)
        return value, jax.tree.map(lambda weight, gradient: weight - 0.1 * gradient, p, gradients)

    array = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    affine = lambda inputs, outputs: {"weight": array(inputs, outputs), "bias": array(outputs)}
    scale = lambda: {"scale": array(WIDTH), "bias": array(WIDTH)}
    layer = lambda: {"norm1": scale(), "qkv": affine(WIDTH, 3 * WIDTH), "out": affine(WIDTH, WIDTH), "norm2": scale(),
                     "up": affine(WIDTH, 4 * WIDTH), "down": affine(4 * WIDTH, WIDTH)}
    weights = {"words": array(WORDS, WIDTH), "positions": array(POSITIONS, WIDTH), "norm": scale(),
               "layers": [layer() for _ in range(LAYERS)]}
    ids = jax.ShapeDtypeStruct((1, LENGTH), jnp.int32)
    return step, (weights, ids, ids)


def stablehlo(path):
    step, arguments = jax_step()
    import jax
    lowered = jax.jit(step).lower(*arguments)
    with open(path, "w", encoding="utf-8") as file:
        file.write(lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True))


DOORS = {"onnx": (onnx, "gpt2.onnx"), "linalg": (linalg, "gpt2.linalg.mlir"),
         "stablehlo": (stablehlo, "gpt2.stablehlo.mlir")}


def main():
    folder, doors = sys.argv[1], sys.argv[2:] or list(DOORS)
    os.makedirs(folder, exist_ok=True)
    for door in doors:
        make, name = DOORS[door]
        path = os.path.join(folder, name)
        make(path)
        print("%s: %.1f MB" % (path, os.path.getsize(path) / 1e6), flush=True)


if __name__ == "__main__":
    main()
