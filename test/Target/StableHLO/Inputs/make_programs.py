#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records programs of JAX: their StableHLO in generic form, and arrays of what they take and return.

    make_programs.py FOLDER [NAME...]      writes FOLDER/NAME.mlir and FOLDER/NAME.npz
    make_programs.py --check [NAME...]     makes them anew and compares with what lies beside this script

An .npz has in0, in1, ...: arguments; out0, out1, ...: results, some by NumPy in float64 (EXACT); and of a training step
last0, last1, ...: results after three steps. scripts/test-peers.sh runs it with --check, whose last line is
"N passed, N failed". Needs jax and optax.
Programs that are only planned have shapes for arguments, and no arrays: --check leaves them out.
"""

import os
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

NHWC = ("NHWC", "HWIO", "NHWC")


def floats(random, *shape, scale=1.0):
    return (random.randn(*shape) * scale).astype("float32")


def pick(logits, labels):
    """The mean cross entropy."""
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1).mean()


def sgd(loss):
    """A training step: the loss, and new parameters."""

    def step(parameters, *data):
        value, gradients = jax.value_and_grad(loss)(parameters, *data)
        return value, jax.tree.map(lambda p, g: (p - 0.1 * g).astype(p.dtype), parameters, gradients)

    return step


def mlp():
    random = np.random.RandomState(0)

    def forward(x, w1, b1, w2, b2):
        return jnp.tanh(x @ w1 + b1) @ w2 + b2

    return forward, tuple(floats(random, *shape) for shape in [(8, 12), (12, 16), (16,), (16, 6), (6,)])


def conv():
    """Convolutions with groups and strides, batch norm, max and average pooling, gelu, dropout by threefry."""
    random = np.random.RandomState(1)
    parameters = {
        "b1": floats(random, 8, scale=0.1),
        "g": 1 + floats(random, 8, scale=0.1),
        "w1": floats(random, 3, 3, 3, 8, scale=0.3),
        "w2": floats(random, 3, 3, 1, 16, scale=0.3),
        "w3": floats(random, 256, 10, scale=0.1),
    }

    def loss(p, x, labels, key):
        h = lax.conv_general_dilated(x, p["w1"], (1, 1), "SAME", dimension_numbers=NHWC) + p["b1"]
        h = (h - h.mean((0, 1, 2))) * lax.rsqrt(h.var((0, 1, 2)) + 1e-5) * p["g"]
        h = lax.reduce_window(jax.nn.relu(h), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        h = lax.conv_general_dilated(h, p["w2"], (2, 2), "SAME", dimension_numbers=NHWC, feature_group_count=8)
        h = jax.nn.gelu(h)
        h = jnp.where(jax.random.bernoulli(key, 0.9, h.shape), h / 0.9, 0)
        h = lax.reduce_window(h, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
        return pick(h.reshape(4, -1) @ p["w3"], labels)

    return sgd(loss), (
        parameters,
        floats(random, 4, 32, 32, 3),
        random.randint(0, 10, 4).astype("int32"),
        np.array([0, 7], "uint32"),
    )


def resnet():
    """Overlapping max pooling, strides, dilations and a transposed convolution."""
    random = np.random.RandomState(2)

    def weights(*shape):
        return floats(random, *shape, scale=np.prod(shape[:-1]) ** -0.5)

    parameters = {
        "c0": weights(3, 3, 3, 8),
        "a": weights(3, 3, 8, 16),
        "b": weights(3, 3, 16, 16),
        "s": weights(1, 1, 8, 16),
        "t": weights(2, 2, 8, 16),
        "f": weights(16, 10),
    }

    def convolve(x, w, stride=1, dilation=1):
        return lax.conv_general_dilated(
            x, w, (stride,) * 2, "SAME", rhs_dilation=(dilation,) * 2, dimension_numbers=NHWC
        )

    def loss(p, x, labels):
        h = jax.nn.relu(convolve(x, p["c0"]))
        h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        k = jax.nn.relu(convolve(h, p["a"], 2))
        h = jax.nn.relu(convolve(k, p["b"], 1, 2) + convolve(h, p["s"], 2))
        u = lax.conv_transpose(h[..., :8], p["t"], (2, 2), "SAME", dimension_numbers=NHWC)
        return pick((h.mean((1, 2)) + u.mean((1, 2))) @ p["f"], labels)

    return sgd(loss), (parameters, floats(random, 4, 16, 16, 3), random.randint(0, 10, 4).astype("int32"))


def make_transformer(layers, dtype):
    """Grouped queries, rotary embeddings, RMS norm, SwiGLU; blocks under scan and remat."""
    random = np.random.RandomState(3)
    width, heads, groups, words, batch, length, hidden = 32, 4, 2, 100, 2, 16, 64
    size = width // heads

    def weights(*shape):
        return floats(random, layers, *shape, scale=0.2)

    parameters = {
        "emb": floats(random, words, width, scale=0.5),
        "layers": {
            "n1": 1 + weights(width) / 2,
            "n2": 1 + weights(width) / 2,
            "wq": weights(width, width),
            "wk": weights(width, groups * size),
            "wv": weights(width, groups * size),
            "wo": weights(width, width),
            "w1": weights(width, hidden),
            "w3": weights(width, hidden),
            "w2": weights(hidden, width),
        },
    }
    parameters = jax.tree.map(lambda p: jnp.asarray(p, dtype), parameters)

    def norm(x, gain):
        return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * gain

    def rotate(x):
        half = x.shape[-1] // 2
        angle = jnp.arange(x.shape[1])[:, None] * (10000.0 ** (-jnp.arange(half) / half))[None]
        cos, sin = (f(angle)[None, :, None].astype(x.dtype) for f in (jnp.cos, jnp.sin))
        a, b = x[..., :half], x[..., half:]
        return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1)

    @jax.checkpoint
    def block(x, p):
        h = norm(x, p["n1"])
        q = rotate((h @ p["wq"]).reshape(batch, length, heads, size))
        k = rotate((h @ p["wk"]).reshape(batch, length, groups, size))
        v = (h @ p["wv"]).reshape(batch, length, groups, size)
        scores = jnp.einsum("btkgd,bskd->bkgts", q.reshape(batch, length, groups, heads // groups, size), k)
        scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores / size**0.5, -1e9)
        mixed = jnp.einsum("bkgts,bskd->btkgd", jax.nn.softmax(scores), v)
        x = x + mixed.reshape(batch, length, width) @ p["wo"]
        h = norm(x, p["n2"])
        return x + (jax.nn.silu(h @ p["w1"]) * (h @ p["w3"])) @ p["w2"]

    def loss(p, ids, labels):
        x, _ = lax.scan(lambda x, layer: (block(x, layer), None), p["emb"][ids], p["layers"])
        return pick((x @ p["emb"].T).astype("float32"), labels)

    return sgd(loss), (parameters, *(random.randint(0, words, (batch, length)).astype("int32") for _ in range(2)))


def transformer():
    return make_transformer(3, "float32")


def bfloat16():
    return make_transformer(1, "bfloat16")


def moe():
    """Experts that the two largest of a softmax choose."""
    random = np.random.RandomState(4)
    parameters = {
        "r": floats(random, 16, 4),
        "w1": floats(random, 4, 16, 32, scale=0.2),
        "w2": floats(random, 4, 32, 16, scale=0.2),
    }

    def loss(p, x, target):
        weights, experts = lax.top_k(jax.nn.softmax(x @ p["r"]), 2)
        weights = weights / weights.sum(-1, keepdims=True)
        gate = (jax.nn.one_hot(experts, 4) * weights[..., None]).sum(-2)
        h = jax.nn.gelu(jnp.einsum("btd,edf->btef", x, p["w1"]))
        return ((jnp.einsum("btef,efd,bte->btd", h, p["w2"], gate) - target) ** 2).mean()

    return sgd(loss), (parameters, floats(random, 4, 8, 16), floats(random, 4, 8, 16))


def lstm():
    """A recurrence under scan."""
    random = np.random.RandomState(5)
    batch, units = 4, 12
    parameters = {
        "wx": floats(random, 8, 4 * units, scale=0.3),
        "wh": floats(random, units, 4 * units, scale=0.3),
        "b": floats(random, 4 * units, scale=0.1),
        "o": floats(random, units, 3, scale=0.3),
    }

    def loss(p, x, labels):
        def cell(carry, step):
            h, c = carry
            i, f, g, o = jnp.split(step @ p["wx"] + h @ p["wh"] + p["b"], 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), None

        (h, _), _ = lax.scan(cell, (jnp.zeros((batch, units)),) * 2, x.swapaxes(0, 1))
        return pick(h @ p["o"], labels)

    return sgd(loss), (parameters, floats(random, batch, 6, 8), random.randint(0, 3, batch).astype("int32"))


def make_rnn(dtype):
    """64 steps share a weight: its gradient is a sum of 64 products."""
    random = np.random.RandomState(16)
    batch, length, units = 8, 64, 16
    parameters = {"b": floats(random, units, scale=0.1), "w": floats(random, units, units, scale=0.2)}

    def loss(p, x):
        p = jax.tree.map(lambda leaf: leaf.astype(dtype), p)

        def cell(h, step):
            return jnp.tanh(h @ p["w"] + step + p["b"]), None

        h, _ = lax.scan(cell, jnp.zeros((batch, units), dtype), x.astype(dtype).swapaxes(0, 1))
        return (h.astype("float32") ** 2).mean()

    return sgd(loss), (parameters, floats(random, batch, length, units))


def rnn():
    return make_rnn("float32")


def rnn_bf16():
    return make_rnn(jnp.bfloat16)


def vit():
    """Patches, layer norm, attention, exact gelu; AdamW of optax with its state."""
    random = np.random.RandomState(6)
    batch, width, heads, patches = 4, 24, 3, 16
    weights = {
        "patch": floats(random, 4, 4, 3, width, scale=0.1),
        "cls": floats(random, 1, 1, width, scale=0.1),
        "pos": floats(random, 1, patches + 1, width, scale=0.1),
        "head": floats(random, width, 10, scale=0.2),
        "g1": np.ones(width, "float32"),
        "b1": np.zeros(width, "float32"),
        "g2": np.ones(width, "float32"),
        "b2": np.zeros(width, "float32"),
        "qkv": floats(random, width, 3 * width, scale=0.2),
        "o": floats(random, width, width, scale=0.2),
        "w1": floats(random, width, 48, scale=0.2),
        "c1": np.zeros(48, "float32"),
        "w2": floats(random, 48, width, scale=0.2),
    }

    def norm(x, gain, bias):
        centered = x - x.mean(-1, keepdims=True)
        return centered / jnp.sqrt((centered * centered).mean(-1, keepdims=True) + 1e-5) * gain + bias

    def loss(p, x, labels):
        h = lax.conv_general_dilated(x, p["patch"], (4, 4), "VALID", dimension_numbers=NHWC)
        h = jnp.concatenate([jnp.broadcast_to(p["cls"], (batch, 1, width)), h.reshape(batch, patches, width)], 1)
        h = h + p["pos"]
        parts = jnp.split(norm(h, p["g1"], p["b1"]) @ p["qkv"], 3, -1)
        q, k, v = (part.reshape(batch, patches + 1, heads, width // heads) for part in parts)
        h = h + jax.nn.dot_product_attention(q, k, v).reshape(batch, patches + 1, width) @ p["o"]
        h = h + jax.nn.gelu(norm(h, p["g2"], p["b2"]) @ p["w1"] + p["c1"], approximate=False) @ p["w2"]
        return pick(h[:, 0] @ p["head"], labels)

    optimizer = optax.adamw(1e-2)

    def step(kept, x, labels):
        parameters, state = kept
        value, gradients = jax.value_and_grad(loss)(parameters, x, labels)
        updates, state = optimizer.update(gradients, state, parameters)
        return value, (optax.apply_updates(parameters, updates), state)

    return step, (
        (weights, optimizer.init(weights)),
        floats(random, batch, 16, 16, 3),
        random.randint(0, 10, batch).astype("int32"),
    )


def ops():
    """Single ops: each result is one or a few."""
    random = np.random.RandomState(7)

    def results(x, i, key, n):
        rows, by_rows = jnp.sort(x, 1), jnp.argsort(-x, 1)
        yield from (rows, by_rows, jnp.argmax(x, 1), jnp.cumsum(x, 1), jnp.cumprod(x, 0), jnp.clip(x, -0.5, 0.5))
        yield from (jnp.round(x * 3), jnp.sign(x), jnp.floor(x) + jnp.ceil(x), jnp.expm1(x), jnp.log1p(jnp.abs(x)))
        yield from (x.at[i].add(1.0), x.at[1, 2].set(5.0), x.at[:, i].max(0.5), x[::-1, 1:7:2], jnp.roll(x, 2, 0))
        yield from (
            jax.random.normal(key, (5,)),
            jax.random.uniform(key, (3, 3)),
            jax.random.randint(key, (4,), 0, 100),
        )
        yield from (jax.random.permutation(key, 6), jnp.linalg.norm(x), jnp.where(x > 0, x, 0) ** 2.5, jnp.tan(x))
        yield from (
            jnp.mod(i, 3),
            i // 3,
            i // (i - 3),
            jnp.bitwise_xor(i, 5) << 2,
            lax.population_count(i),
            lax.clz(i),
        )
        yield from (jnp.arctan2(x, x + 1), lax.erf(x), lax.rem(x, jnp.full_like(x, 0.7)), jnp.cbrt(x), jnp.isfinite(x))
        yield from (lax.dynamic_slice(x, (n, n), (2, 3)), lax.dynamic_update_slice(x, x[:2, :2], (n, 0)))
        yield from (
            lax.cond(n > 1, lambda a: a * 2, lambda a: a - 1, x),
            lax.fori_loop(0, 5, lambda j, a: a * 0.5 + j, x),
        )
        yield lax.switch(n, [lambda a: a, lambda a: -a, lambda a: a * a], x)
        yield from (jnp.any(x > 2, 1), jnp.all(x < 2, 0), (x > 0) & (x < 1), (x * 10).astype("int32"), jnp.median(x, 1))
        yield from ((x * 1e10).astype("int32"), (x * 100).astype("uint8"), (i > 3).astype("float32"), i.astype("int8"))
        yield from (jnp.take(x, i, 1), x[i, i], jnp.take_along_axis(x, by_rows, 1), jax.nn.one_hot(i, 8), jnp.tril(x))
        yield from (jnp.einsum("ij,kj->ki", i[:, None], i[:, None]), jnp.pad(x, 1, mode="reflect"), jnp.diagonal(x))
        yield from (lax.reduce_precision(x, 8, 7), jnp.searchsorted(rows[0], x[1]), jnp.unique(i, size=4))
        yield from (
            lax.conv_general_dilated(x[None], x[:4, :, None], (2,), [(1, 2)], dimension_numbers=("NWC", "WIO", "NWC")),
            lax.conv_general_dilated(x.reshape(1, 2, 2, 3, 4), x.reshape(3, 2, 2, 2, 2), (1, 1, 1), "SAME"),
        )
        yield from (lax.pad(x, 0.5, [(1, -1, 1), (-2, 1, 2)]), lax.pad(x, x[0, 0], [(1, 1, 0), (0, 0, 0)]))
        yield from (jnp.outer(x[0], x[1]), jnp.tensordot(x, x, ((0, 1), (0, 1))), jnp.einsum("ab,ac->abc", x, x))

    def function(x, i, key, n):
        return list(results(x, i, key, n))

    return function, (
        floats(random, 6, 8),
        random.randint(0, 8, 6).astype("int32"),
        np.array([3, 4], "uint32"),
        np.int32(2),
    )


def corners():
    """Functions where formulas would lose digits or overflow, each of numbers of one size."""

    def functions(small, near, large, far):
        for f in (jnp.log1p, jnp.expm1, jnp.sinh, jnp.tanh, jnp.arcsin, jnp.arctan, jnp.arcsinh, jnp.arctanh):
            yield f(small)
        yield from (jnp.arccosh(1 + 1e3 * near), jnp.arccos(1 - near), jnp.arctan2(near, -near))
        yield from (jnp.arcsinh(large), jnp.arccosh(jnp.abs(large)), jnp.arctan(large))
        yield from (jax.nn.softplus(far), jax.nn.log_sigmoid(far), jnp.logaddexp(far, 1.0), jax.nn.logsumexp(far, 1))
        yield from (jnp.cosh(far), jnp.sinh(far), jnp.linalg.norm(far, axis=1))

    def function(*x):
        return list(functions(*x))

    ramp = np.linspace(-1, 1, 24).reshape(8, 3).astype("float32")
    return function, (ramp * 1e-6, np.abs(ramp) * 1e-4, ramp * 1e20, ramp * 89)


def scans():
    """Scans of operators of their own, along both dims: associative_scan, which makes slices without elements, and
    cumlogsumexp, whose fold is no single op; also of numbers far apart. What is empty adds nothing."""
    random = np.random.RandomState(10)

    def function(x):
        recurrence = lax.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (x, x), axis=1)[1]
        nothing = x[:, :0].sum(1) + x[:, :0] @ jnp.zeros(0) + jnp.pad(x[:, :0], ((0, 0), (0, 1)))[:, 0]
        return [
            recurrence,
            lax.associative_scan(jnp.add, x, axis=0),
            lax.associative_scan(jnp.maximum, x, reverse=True, axis=1),
            lax.cumlogsumexp(x, axis=1),
            lax.cumlogsumexp(200 * x, axis=0, reverse=True),
            lax.cumprod(x, axis=1),
            nothing,
        ]

    return function, (floats(random, 8, 9, scale=0.5),)


def vocabulary():
    """The cross entropy of optax over many classes."""
    random = np.random.RandomState(9)

    def loss(p, x, labels):
        return optax.softmax_cross_entropy_with_integer_labels(jnp.tanh(x @ p["w1"]) @ p["w2"], labels).mean()

    parameters = {"w1": floats(random, 16, 32, scale=0.3), "w2": floats(random, 32, 256, scale=0.3)}
    return sgd(loss), (parameters, floats(random, 8, 24, 16), random.randint(0, 256, (8, 24)).astype("int32"))


def placed():
    """A step on a mesh of 2 x 2 devices, with `with_sharding_constraint` on tensors in between: what an op makes
    alone, a product, one that the next op normalizes, one that is constrained twice, a mask, a constant, a dim that
    is left open; and shardings of parameters and data."""
    random = np.random.RandomState(8)
    mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("a", "b"))

    def place(*spec):
        return NamedSharding(mesh, PartitionSpec(*spec))

    def at(x, *spec):
        return lax.with_sharding_constraint(x, place(*spec))

    def loss(p, x, labels):
        h = at(jnp.tanh(x @ p["w1"]), "a", "b")
        h = at(h - h.mean(-1, keepdims=True), None, ("b", "a"))
        h = h * lax.rsqrt((h * h).mean(-1, keepdims=True) + 1e-5)
        h = at(h @ p["w2"], "a", None) + at(jnp.ones((24, 8), "float32"), "a")
        h = at(at(h, None, "a"), "b", None)
        h = jnp.where(at(h > 0, "b"), h, 0.1 * h)
        return pick(at(h, PartitionSpec.UNCONSTRAINED, None), labels)

    parameters = {"w1": floats(random, 16, 32, scale=0.3), "w2": floats(random, 32, 8, scale=0.3)}
    of = {"w1": place(None, "b"), "w2": place("b", None)}
    step = jax.jit(sgd(loss), in_shardings=(of, place("a"), place("a")), out_shardings=(place(), of))
    return step, (parameters, floats(random, 24, 16), random.randint(0, 8, 24).astype("int32"))


def gspmd():
    """The same without Shardy: `custom_call @Sharding`."""
    return placed()


def narrow_sums():
    """Sums of 4,096 and more numbers of bf16, all near 1: XLA adds the ones of scatters in bf16, which end at 256."""
    zero = np.array(0, jnp.bfloat16)
    x = (1 + floats(np.random.RandomState(15), 4096, 2, scale=0.3)).astype(jnp.bfloat16).astype("float32")

    def sums(x):
        x = x.astype(jnp.bfloat16)
        row = jnp.zeros(4096, "int32")
        image = x.reshape(1, 1024, 2, 2, 2)
        return tuple(
            y.astype("float32")
            for y in (
                lax.reduce(x, zero, lax.add, (0,)),
                lax.reduce_window(x, zero, lax.add, (4096, 1), (1, 1), "VALID"),
                jnp.zeros((2, 2), jnp.bfloat16).at[row].add(x),
                jnp.zeros((2, 2), jnp.bfloat16).at[row, row].add(x[:, 0]),
                x.T @ jnp.ones((4096, 1), jnp.bfloat16),
                lax.conv_general_dilated(image, jnp.ones((1, 1024, 2, 2, 2), jnp.bfloat16), (1, 1, 1), "VALID"),
            )
        )

    return sums, (x,)


def exact_narrow_sums(x):
    """The same by NumPy in float64."""
    total = x.astype("float64").sum(0)
    table, cell = np.zeros((2, 2)), np.zeros((2, 2))
    table[0], cell[0, 0] = total, total[0]
    return total, total[None], table, cell, total[:, None], total.sum().reshape(1, 1, 1, 1, 1)


PROGRAMS = {
    f.__name__: f
    for f in (
        *(mlp, conv, resnet, transformer, bfloat16, moe, lstm, vit, ops, corners, scans, vocabulary, placed, gspmd),
        narrow_sums,
        rnn,
        rnn_bf16,
    )
}
EXACT = {"narrow_sums": exact_narrow_sums}


def plain(value):
    """An array of a type that Soap's programs exchange."""
    value = np.asarray(value.astype("float32") if value.dtype == jnp.bfloat16 else value)
    return value.astype("int32") if value.dtype.itemsize < 4 else value


def clipped():
    """A wide perceptron for a search: all updates read the norm of all gradients."""
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1))

    def loss(p, x, labels):
        logits = jax.nn.relu(jax.nn.relu(x @ p["a"]) @ p["b"]) @ p["c"]
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    def step(p, x, labels):
        value, gradients = jax.value_and_grad(loss)(p, x, labels)
        updates, _ = optimizer.update(gradients, optimizer.init(p), p)
        return value, optax.apply_updates(p, updates)

    def shape(*dims, dtype="float32"):
        return jax.ShapeDtypeStruct(dims, dtype)

    parameters = {"a": shape(1024, 8192), "b": shape(8192, 8192), "c": shape(8192, 1024)}
    return step, (parameters, shape(256, 1024), shape(256, dtype="int32"))


PLANNED = {"clipped": clipped}


def record(name, folder):
    jax.config.update("jax_use_shardy_partitioner", name != "gspmd")
    function, arguments = (PROGRAMS | PLANNED)[name]()
    step = function if hasattr(function, "lower") else jax.jit(function)
    lowered = step.lower(*arguments)
    with open(os.path.join(folder, name + ".mlir"), "w") as file:
        file.write(lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True))
    if name in PLANNED:
        return
    result = EXACT.get(name, step)(*arguments)
    arrays = {"in": arguments, "out": result}
    if name in EXACT:
        arrays["out"] = tuple(value.astype("float32") for value in result)
    elif isinstance(result, tuple):
        kept = arguments[0]
        for _ in range(3):
            last = step(kept, *arguments[1:])
            kept = last[1]
        arrays["last"] = last
    np.savez_compressed(
        os.path.join(folder, name + ".npz"),
        **{
            "%s%d" % (what, i): plain(leaf)
            for what, tree in arrays.items()
            for i, leaf in enumerate(jax.tree.leaves(tree))
        }
    )


def differs(name, folder, recorded):
    """Texts may differ between versions of JAX; what they compute may not."""
    new, old = (np.load(os.path.join(place, name + ".npz")) for place in (folder, recorded))
    if set(new) != set(old):
        return "other arrays"
    for key in new:
        error = np.linalg.norm(new[key].astype("float64") - old[key]) / max(np.linalg.norm(old[key]), 1e-30)
        if not error < 1e-4:
            return "%s has a relative error of %g" % (key, error)
    return None


def main():
    check = sys.argv[1] == "--check"
    names = sys.argv[2:] or PROGRAMS
    if not check:
        for name in sys.argv[2:] or PROGRAMS | PLANNED:
            record(name, sys.argv[1])
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            record(name, folder)
            wrong = differs(name, folder, os.path.dirname(os.path.abspath(__file__)))
            failed += wrong is not None
            if wrong:
                print("FAILED %s: %s" % (name, wrong))
    print("%d passed, %d failed" % (len(names) - failed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
