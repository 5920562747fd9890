#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records losses and gradients of small models computed by JAX.

The unit test RecordedGradientsTest compares them with what the training step
computes through the reference lowering. JAX knows nothing of Soap: convolution,
pooling, batch norm and the loss are written down here a second time, and
differentiated by JAX.

    pip install jax
    utils/record_gradients.py test/Gradients/data

writes lenet.safetensors and residual_block.safetensors. Inputs are random
numbers of float32 precision, everything is computed in float64. Tensor names
are the `soap.name`s of the arguments of the .mlir files beside them; gradients
are called `grad.<name>`, updated running statistics `new.<name>`.
"""

import json
import struct
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

DTYPES = {np.dtype("float32"): "F32", np.dtype("float64"): "F64", np.dtype("int32"): "I32"}


def write_safetensors(path, tensors):
    header, blobs, offset = {}, [], 0
    for name, tensor in tensors.items():
        blob = np.ascontiguousarray(tensor).tobytes()
        header[name] = {
            "dtype": DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + len(blob)],
        }
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def conv(x, w, stride, padding):
    """NCHW by OIHW; `padding` = top, left, bottom, right."""
    top, left, bottom, right = padding
    return jax.lax.conv_general_dilated(
        x, w, (stride, stride), ((top, bottom), (left, right)),
        dimension_numbers=("NCHW", "OIHW", "NCHW"), precision="highest")


def max_pool(x):
    """2x2 windows, stride 2."""
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


def batch_norm(x, gamma, beta, epsilon=1e-5):
    """With the statistics of the batch. Returns them as well."""
    mean = x.mean(axis=(0, 2, 3))
    var = ((x - mean[:, None, None]) ** 2).mean(axis=(0, 2, 3))
    y = (x - mean[:, None, None]) / jnp.sqrt(var + epsilon)[:, None, None]
    return y * gamma[:, None, None] + beta[:, None, None], (mean, var)


def cross_entropy(logits, labels):
    log_p = jax.nn.log_softmax(logits, axis=1)
    return -jnp.take_along_axis(log_p, labels[:, None], axis=1).mean()


def lenet(p, x):
    y = jax.nn.relu(conv(x, p["conv1.weight"], 1, (2, 2, 2, 2)) + p["conv1.bias"][:, None, None])
    y = max_pool(y)
    y = jax.nn.relu(conv(y, p["conv2.weight"], 1, (0, 0, 0, 0)) + p["conv2.bias"][:, None, None])
    y = max_pool(y).reshape(x.shape[0], -1)
    y = jax.nn.relu(y @ p["fc1.weight"].T + p["fc1.bias"])
    y = jax.nn.relu(y @ p["fc2.weight"].T + p["fc2.bias"])
    return y @ p["fc3.weight"].T + p["fc3.bias"], {}


LENET = {
    "conv1.weight": (6, 1, 5, 5), "conv1.bias": (6,),
    "conv2.weight": (16, 6, 5, 5), "conv2.bias": (16,),
    "fc1.weight": (120, 400), "fc1.bias": (120,),
    "fc2.weight": (84, 120), "fc2.bias": (84,),
    "fc3.weight": (10, 84), "fc3.bias": (10,),
}


def residual_block(p, x):
    """A ResNet stage's first block: stride 2, projection shortcut."""
    y, stats1 = batch_norm(conv(x, p["conv1.weight"], 2, (1, 1, 1, 1)), p["bn1.gamma"], p["bn1.beta"])
    y = jax.nn.relu(y)
    y, stats2 = batch_norm(conv(y, p["conv2.weight"], 1, (1, 1, 1, 1)), p["bn2.gamma"], p["bn2.beta"])
    s, stats3 = batch_norm(conv(x, p["shortcut.weight"], 2, (0, 0, 0, 0)), p["bn3.gamma"], p["bn3.beta"])
    y = jax.nn.relu(y + s).mean(axis=(2, 3))
    return y @ p["fc.weight"] + p["fc.bias"], {"bn1": stats1, "bn2": stats2, "bn3": stats3}


RESIDUAL_BLOCK = {
    "conv1.weight": (12, 6, 3, 3), "bn1.gamma": (12,), "bn1.beta": (12,),
    "conv2.weight": (12, 12, 3, 3), "bn2.gamma": (12,), "bn2.beta": (12,),
    "shortcut.weight": (12, 6, 1, 1), "bn3.gamma": (12,), "bn3.beta": (12,),
    "fc.weight": (12, 5), "fc.bias": (5,),
}


def record(path, model, shapes, data_shape, classes, seed):
    random = np.random.default_rng(seed)

    def draw(shape, scale):
        return (random.standard_normal(shape) * scale).astype(np.float32)

    inputs = {}
    for name, shape in shapes.items():
        fan_in = np.prod(shape[1:]) if len(shape) > 1 else 1
        inputs[name] = draw(shape, np.sqrt(2 / fan_in) if len(shape) > 1 else 0.1)
        if name.endswith(".gamma"):
            inputs[name] += np.float32(1)
    x = draw(data_shape, 1)
    labels = random.integers(0, classes, data_shape[0], dtype=np.int32)

    params = {name: jnp.asarray(value, jnp.float64) for name, value in inputs.items()}
    # At least one row is classified right.
    labels[0] = int(model(params, x.astype(np.float64))[0][0].argmax())

    def loss(params):
        logits, stats = model(params, x.astype(np.float64))
        return cross_entropy(logits, labels), (logits, stats)

    (value, (logits, stats)), grads = jax.value_and_grad(loss, has_aux=True)(params)
    correct = float((np.asarray(logits).argmax(axis=1) == labels).sum())
    tensors = {"x": x, "label": labels, **inputs}
    for name, (mean, var) in stats.items():
        # Running statistics with momentum 0.1, the variance unbiased.
        samples = data_shape[0] * (data_shape[2] // 2) * (data_shape[3] // 2)
        running_mean, running_var = draw(mean.shape, 1), np.abs(draw(var.shape, 1)) + np.float32(0.5)
        tensors[name + ".mean"], tensors[name + ".var"] = running_mean, running_var
        unbiased = var * samples / (samples - 1)
        tensors["new." + name + ".mean"] = np.asarray(0.9 * running_mean.astype(np.float64) + 0.1 * mean)
        tensors["new." + name + ".var"] = np.asarray(0.9 * running_var.astype(np.float64) + 0.1 * unbiased)
    tensors["loss"] = np.asarray(value, np.float64)
    tensors["correct"] = np.asarray(correct, np.float64)
    for name, grad in grads.items():
        tensors["grad." + name] = np.asarray(grad, np.float64)
    write_safetensors(path, tensors)
    print(f"{path}: loss {value:.6f}, {path.stat().st_size} bytes")


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    folder = Path(sys.argv[1])
    record(folder / "lenet.safetensors", lenet, LENET, (4, 1, 28, 28), 10, seed=1)
    record(folder / "residual_block.safetensors", residual_block, RESIDUAL_BLOCK, (4, 6, 10, 14), 5, seed=2)


if __name__ == "__main__":
    main()
