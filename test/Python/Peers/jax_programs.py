# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of JAX as people write them: a function, its arguments, and options of soap.from_jax. Batches are multiples
of eight."""
import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

PROGRAMS = {}
B = 32


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def n(*shape, scale=None, seed=0):
    scale = scale if scale is not None else 1.0
    return (np.random.default_rng([seed, *shape]).standard_normal(shape) * scale).astype(np.float32)


def w(*shape, seed=0):
    return n(*shape, scale=shape[-2] ** -0.5 if len(shape) > 1 else 0.1, seed=seed)


def ints(most, *shape, seed=0):
    return np.random.default_rng([seed, most, *shape]).integers(0, most, shape).astype(np.int32)


def cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1).mean()


def sgd(loss_of, rate=0.1):
    def train_step(params, *batch):
        loss, grads = jax.value_and_grad(loss_of)(params, *batch)
        return jax.tree.map(lambda p, g: p - rate * g, params, grads), loss

    return train_step


def adam_init(params):
    zeros = jax.tree.map(np.zeros_like, params)
    return {"m": zeros, "v": zeros, "count": np.int32(0)}


def adam(loss_of, rate=1e-2, decay=0.0, clip=None):
    """As optax writes it."""

    def train_step(params, state, *batch):
        loss, grads = jax.value_and_grad(loss_of)(params, *batch)
        if clip is not None:
            norm = jnp.sqrt(sum(jnp.sum(jnp.square(g)) for g in jax.tree.leaves(grads)))
            grads = jax.tree.map(lambda g: jnp.where(norm < clip, g, g / norm * clip), grads)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["m"], grads)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, state["v"], grads)
        count = state["count"] + 1
        params = jax.tree.map(
            lambda p, m, v: p - rate * (m / (1 - 0.9**count) / (jnp.sqrt(v / (1 - 0.999**count)) + 1e-8) + decay * p),
            params, m, v)
        return params, {"m": m, "v": v, "count": count}, loss

    return train_step


def mlp_params(i=16, h=64, o=8):
    return {"a": w(i, h), "b": np.zeros(h, np.float32), "c": w(h, o), "d": np.zeros(o, np.float32)}


def mlp_of(p, x):
    return jax.nn.relu(x @ p["a"] + p["b"]) @ p["c"] + p["d"]


def mlp_loss(p, x, y):
    return cross_entropy(mlp_of(p, x), y)


def classes(*shape):
    return n(B, 16), ints(8, B)


def norm(x, g=1.0):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * g


def layer_norm(x, g, b):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * g + b


# --- Dense layers ---------------------------------------------------------------------------------------------------


@program
def mlp_sgd():
    return sgd(mlp_loss), (mlp_params(), *classes()), {}


@program
def mlp_momentum():
    def train_step(params, velocity, x, y):
        loss, g = jax.value_and_grad(mlp_loss)(params, x, y)
        velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, g)
        return jax.tree.map(lambda p, v: p - 0.1 * v, params, velocity), velocity, loss

    return train_step, (mlp_params(), jax.tree.map(np.zeros_like, mlp_params()), *classes()), {}


@program
def mlp_adam():
    return adam(mlp_loss), (mlp_params(), adam_init(mlp_params()), *classes()), {}


@program
def mlp_adamw_clipped():
    return adam(mlp_loss, decay=1e-2, clip=1.0), (mlp_params(), adam_init(mlp_params()), *classes()), {}


@program
def mlp_bf16():
    def loss_of(p, x, y):
        low = jax.tree.map(lambda a: a.astype(jnp.bfloat16), p)
        return cross_entropy(mlp_of(low, x.astype(jnp.bfloat16)).astype(jnp.float32), y)

    return sgd(loss_of), (mlp_params(), *classes()), {"tolerance": 2e-2}


@program
def dropout_with_a_typed_key():
    def loss_of(p, x, y, key):
        return mlp_loss(p, x * jax.random.bernoulli(key, 0.9, x.shape) / 0.9, y)

    return sgd(loss_of), (mlp_params(), *classes(), jax.random.key(3)), {}


@program
def dropout_with_a_raw_key():
    def train_step(params, key, x, y):
        key, now = jax.random.split(key)
        loss, g = jax.value_and_grad(lambda p: mlp_loss(p, x * jax.random.bernoulli(now, 0.9, x.shape) / 0.9, y))(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, g), key, loss

    return train_step, (mlp_params(), jax.random.PRNGKey(3), *classes()), {"updates": "0-3:0-3", "data": [2, 3]}


@program
def noise_by_a_seed():
    def train_step(params, seed, x, y):
        key = jax.random.fold_in(jax.random.key(7), seed)
        loss, g = jax.value_and_grad(lambda p: mlp_loss(p, x + jax.random.normal(key, (16,)), y))(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, g), seed + 1, loss

    return train_step, (mlp_params(), np.uint32(3), *classes()), {}


@functools.partial(jax.tree_util.register_dataclass, data_fields=["params", "opt", "step"], meta_fields=["apply"])
@dataclasses.dataclass
class TrainState:
    params: dict
    opt: dict
    step: int
    apply: object = None


@program
def train_state():
    """As flax's TrainState.create makes it: the step is a number of Python."""

    def train_step(state, x, y):
        loss, g = jax.value_and_grad(state.apply)(state.params, x, y)
        opt = jax.tree.map(lambda m, g: 0.9 * m + g, state.opt, g)
        params = jax.tree.map(lambda p, m: p - 0.1 * m, state.params, opt)
        return dataclasses.replace(state, params=params, opt=opt, step=state.step + 1), loss

    params = mlp_params()
    return train_step, (TrainState(params, jax.tree.map(np.zeros_like, params), 0, mlp_loss), *classes()), {}


@program
def jitted_and_donated():
    return jax.jit(sgd(mlp_loss), donate_argnums=0), (mlp_params(), *classes()), {}


@program
def a_static_depth():
    @functools.partial(jax.jit, static_argnums=(0, 4))
    def train_step(depth, params, x, y, scaled=True):
        def loss_of(p):
            h = x
            for _ in range(depth):
                h = jnp.tanh(h @ p["a"])
            return cross_entropy(h @ p["c"] * (0.5 if scaled else 1.0), y)

        loss, g = jax.value_and_grad(loss_of)(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, g), loss

    return train_step, (3, {"a": w(16, 16), "c": w(16, 8)}, *classes(), True), {"updates": "0-1:0-1", "data": [2, 3]}


@program
def a_jitted_loss():
    return sgd(jax.jit(mlp_loss)), (mlp_params(), *classes()), {}


@program
def per_example_gradients():
    """Gradients of each sample, clipped, as DP-SGD takes them."""

    def train_step(params, x, y):
        g = jax.vmap(jax.grad(lambda p, x, y: mlp_loss(p, x[None], y[None])), (None, 0, 0))(params, x, y)
        norms = jnp.sqrt(sum(jnp.sum(jnp.square(a).reshape(B, -1), 1) for a in jax.tree.leaves(g)))
        scale = jnp.minimum(1.0, 1.0 / norms)
        g = jax.tree.map(lambda a: jnp.einsum("b,b...->...", scale, a) / B, g)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, g), norms.mean()

    return train_step, (mlp_params(), *classes()), {}


@program
def accumulated_microbatches():
    def train_step(params, x, y):
        def body(total, batch):
            loss, g = jax.value_and_grad(mlp_loss)(params, *batch)
            return jax.tree.map(jnp.add, total, g), loss

        g, losses = lax.scan(body, jax.tree.map(jnp.zeros_like, params), (x.reshape(4, 8, 16), y.reshape(4, 8)))
        return jax.tree.map(lambda p, g: p - 0.1 / 4 * g, params, g), losses.mean()

    return train_step, (mlp_params(), *classes()), {}


@program
def evaluate_accuracy():
    def evaluate(params, x, y):
        logits = mlp_of(params, x)
        return {"loss": cross_entropy(logits, y), "accuracy": (logits.argmax(-1) == y).mean()}

    return evaluate, (mlp_params(), *classes()), {}


@program
def ema_of_weights():
    def train_step(params, average, x, y):
        loss, g = jax.value_and_grad(mlp_loss)(params, x, y)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, g)
        return params, jax.tree.map(lambda a, p: 0.99 * a + 0.01 * p, average, params), loss

    return train_step, (mlp_params(), mlp_params(), *classes()), {}


# --- Convolutions ---------------------------------------------------------------------------------------------------


def conv(x, k, stride=1, groups=1, layout="NCHW"):
    kernel = "OIHW" if layout == "NCHW" else "HWIO"
    return lax.conv_general_dilated(x, k, (stride, stride), "SAME", dimension_numbers=(layout, kernel, layout),
                                    feature_group_count=groups)


def pooled(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


@program
def cnn_nchw():
    def loss_of(p, x, y):
        x = pooled(jax.nn.relu(conv(x, p["a"])))
        x = pooled(jax.nn.relu(conv(x, p["b"])))
        return cross_entropy(x.reshape(B, -1) @ p["c"], y)

    params = {"a": n(8, 3, 3, 3, scale=0.2), "b": n(16, 8, 3, 3, scale=0.1), "c": w(256, 8)}
    return sgd(loss_of), (params, n(B, 3, 16, 16), ints(8, B)), {}


@program
def cnn_nhwc_strided():
    def loss_of(p, x, y):
        x = jax.nn.relu(conv(x, p["a"], 2, layout="NHWC"))
        x = jax.nn.relu(conv(x, p["b"], 2, layout="NHWC"))
        return cross_entropy(x.mean((1, 2)) @ p["c"], y)

    params = {"a": n(3, 3, 3, 8, scale=0.2), "b": n(3, 3, 8, 16, scale=0.1), "c": w(16, 8)}
    return sgd(loss_of), (params, n(B, 16, 16, 3), ints(8, B)), {}


@program
def residual_with_batch_norm():
    def loss_of(p, stats, x, y):
        h = conv(x, p["a"])
        mean, var = h.mean((0, 2, 3)), h.var((0, 2, 3))
        h = (h - mean[:, None, None]) * lax.rsqrt(var[:, None, None] + 1e-5) * p["g"][:, None, None]
        h = jax.nn.relu(h + conv(x, p["s"]))
        new = {"mean": 0.9 * stats["mean"] + 0.1 * mean, "var": 0.9 * stats["var"] + 0.1 * var}
        return cross_entropy(h.mean((2, 3)) @ p["c"], y), new

    def train_step(params, stats, x, y):
        (loss, stats), g = jax.value_and_grad(loss_of, has_aux=True)(params, stats, x, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, g), stats, loss

    params = {"a": n(16, 3, 3, 3, scale=0.2), "s": n(16, 3, 1, 1, scale=0.3), "g": np.ones(16, np.float32), "c": w(16, 8)}
    stats = {"mean": np.zeros(16, np.float32), "var": np.ones(16, np.float32)}
    return train_step, (params, stats, n(B, 3, 8, 8), ints(8, B)), {"tolerance": 1e-3}


@program
def depthwise():
    def loss_of(p, x, y):
        x = jax.nn.silu(conv(conv(x, p["a"]), p["d"], groups=16))
        return cross_entropy(x.mean((2, 3)) @ p["c"], y)

    params = {"a": n(16, 3, 1, 1, scale=0.5), "d": n(16, 1, 3, 3, scale=0.3), "c": w(16, 8)}
    return sgd(loss_of), (params, n(B, 3, 8, 8), ints(8, B)), {}


@program
def unet():
    def loss_of(p, x, y):
        a = jax.nn.relu(conv(x, p["a"], layout="NHWC"))
        b = jax.nn.relu(conv(a, p["b"], 2, layout="NHWC"))
        up = lax.conv_transpose(b, p["u"], (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        out = conv(jnp.concatenate([a, up], -1), p["o"], layout="NHWC")
        return jnp.mean((out - y) ** 2)

    params = {"a": n(3, 3, 1, 8, scale=0.3), "b": n(3, 3, 8, 16, scale=0.1), "u": n(2, 2, 16, 8, scale=0.1),
              "o": n(1, 1, 16, 1, scale=0.2)}
    return sgd(loss_of), (params, n(B, 8, 8, 1), n(B, 8, 8, 1, seed=1)), {}


# --- Transformers ---------------------------------------------------------------------------------------------------

T, D, H, V = 16, 32, 4, 64


def heads(x, count):
    return x.reshape(*x.shape[:-1], count, -1)


def attention(q, k, v, mask=None):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = jnp.where(mask, scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)


CAUSAL = np.tril(np.ones((T, T), bool))


def rope(x):
    d = x.shape[-1] // 2
    t = jnp.arange(x.shape[1])[:, None] * (10000.0 ** (-jnp.arange(d) / d))
    c, s = jnp.cos(t)[None, :, None], jnp.sin(t)[None, :, None]
    a, b = jnp.split(x, 2, -1)
    return jnp.concatenate([a * c - b * s, a * s + b * c], -1)


def block_params(seed=0, kv=H, hidden=64):
    return {"q": w(D, D, seed=seed), "k": w(D, D * kv // H, seed=seed + 1), "v": w(D, D * kv // H, seed=seed + 2),
            "o": w(D, D, seed=seed + 3), "up": w(D, hidden, seed=seed + 4), "gate": w(D, hidden, seed=seed + 5),
            "down": w(hidden, D, seed=seed + 6), "n1": np.ones(D, np.float32), "n2": np.ones(D, np.float32)}


def llama_block(p, x, kv=H):
    h = norm(x, p["n1"])
    q, k, v = heads(h @ p["q"], H), heads(h @ p["k"], kv), heads(h @ p["v"], kv)
    x = x + jax.nn.dot_product_attention(rope(q), rope(k), v, is_causal=True).reshape(x.shape) @ p["o"]
    h = norm(x, p["n2"])
    return x + (jax.nn.silu(h @ p["gate"]) * (h @ p["up"])) @ p["down"]


def gpt_block(p, x):
    h = layer_norm(x, p["n1"], 0.0)
    x = x + attention(*(heads(h @ p[name], H) for name in "qkv"), CAUSAL).reshape(x.shape) @ p["o"]
    return x + jax.nn.gelu(layer_norm(x, p["n2"], 0.0) @ p["up"]) @ p["down"]


def tokens():
    return ints(V, B, T), ints(V, B, T, seed=1)


@program
def gpt():
    def loss_of(p, x, y):
        h = p["embed"][x] + p["position"]
        for name in ("first", "second"):
            h = gpt_block(p[name], h)
        return cross_entropy(norm(h) @ p["embed"].T, y)

    params = {"embed": n(V, D, scale=0.1), "position": n(T, D, scale=0.1), "first": block_params(1), "second": block_params(9)}
    return sgd(loss_of), (params, *tokens()), {}


@program
def llama():
    def loss_of(p, x, y):
        h = p["embed"][x]
        for block in p["blocks"]:
            h = llama_block(block, h)
        return cross_entropy(norm(h, p["norm"]) @ p["head"], y)

    params = {"embed": n(V, D, scale=0.1), "blocks": [block_params(1), block_params(9)], "norm": np.ones(D, np.float32),
              "head": w(D, V)}
    return adam(loss_of, 1e-3), (params, adam_init(params), *tokens()), {}


@program
def llama_grouped_queries():
    def loss_of(p, x, y):
        return cross_entropy(norm(llama_block(p["block"], p["embed"][x], 2)) @ p["head"], y)

    params = {"embed": n(V, D, scale=0.1), "block": block_params(1, kv=2), "head": w(D, V)}
    return sgd(loss_of), (params, *tokens()), {}


def stacked():
    return jax.tree.map(lambda *a: np.stack(a), *(block_params(10 * i) for i in range(3)))


@program
def scanned_layers():
    def loss_of(p, x, y):
        h, _ = lax.scan(lambda h, block: (llama_block(block, h), None), p["embed"][x], p["blocks"])
        return cross_entropy(norm(h) @ p["head"], y)

    return sgd(loss_of), ({"embed": n(V, D, scale=0.1), "blocks": stacked(), "head": w(D, V)}, *tokens()), {}


@program
def scanned_and_rematerialized():
    def loss_of(p, x, y):
        block = jax.checkpoint(llama_block, policy=jax.checkpoint_policies.dots_with_no_batch_dims_saveable)
        h, _ = lax.scan(lambda h, own: (block(own, h), None), p["embed"][x], p["blocks"])
        return cross_entropy(norm(h) @ p["head"], y)

    return sgd(loss_of), ({"embed": n(V, D, scale=0.1), "blocks": stacked(), "head": w(D, V)}, *tokens()), {}


@program
def rematerialized_blocks():
    def loss_of(p, x, y):
        h = p["embed"][x]
        for name in ("first", "second"):
            h = jax.checkpoint(gpt_block)(p[name], h)
        return cross_entropy(norm(h) @ p["head"], y)

    params = {"embed": n(V, D, scale=0.1), "head": w(D, V), "first": block_params(1), "second": block_params(9)}
    return sgd(loss_of), (params, *tokens()), {}


@program
def bert():
    def loss_of(p, x, mask, y):
        h = p["embed"][x] + p["position"]
        keys = mask[:, None, None, :] > 0
        q, k, v = (heads(h @ p["block"][name], H) for name in "qkv")
        h = layer_norm(h + attention(q, k, v, keys).reshape(h.shape) @ p["block"]["o"], p["block"]["n1"], 0.0)
        h = layer_norm(h + jax.nn.gelu(h @ p["block"]["up"], approximate=False) @ p["block"]["down"], p["block"]["n2"], 0.0)
        logp = jax.nn.log_softmax(h @ p["embed"].T)
        picked = jnp.take_along_axis(logp, y[..., None], -1)[..., 0]
        return -(picked * mask).sum() / mask.sum()

    params = {"embed": n(V, D, scale=0.1), "position": n(T, D, scale=0.1), "block": block_params(1)}
    mask = (np.random.default_rng(0).random((B, T)) < 0.8).astype(np.float32)
    return sgd(loss_of), (params, ints(V, B, T), mask, ints(V, B, T, seed=1)), {}


@program
def vit():
    def loss_of(p, x, y):
        patches = lax.conv_general_dilated(x, p["patch"], (4, 4), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        h = patches.reshape(B, -1, D)
        h = jnp.concatenate([jnp.broadcast_to(p["cls"], (B, 1, D)), h], 1) + p["position"]
        q, k, v = (heads(layer_norm(h, 1.0, 0.0) @ p["block"][name], H) for name in "qkv")
        h = h + attention(q, k, v).reshape(h.shape) @ p["block"]["o"]
        h = h + jax.nn.gelu(layer_norm(h, 1.0, 0.0) @ p["block"]["up"]) @ p["block"]["down"]
        return cross_entropy(h[:, 0] @ p["head"], y)

    params = {"patch": n(4, 4, 3, D, scale=0.1), "cls": n(1, 1, D, scale=0.1), "position": n(17, D, scale=0.1),
              "block": block_params(1), "head": w(D, 8)}
    return sgd(loss_of), (params, n(B, 16, 16, 3), ints(8, B)), {}


@program
def encoder_decoder():
    def loss_of(p, source, target, y):
        e = gpt_like(p["encoder"], p["embed"][source])
        d = gpt_block(p["decoder"], p["embed"][target])
        q, k, v = heads(norm(d) @ p["cross"]["q"], H), heads(e @ p["cross"]["k"], H), heads(e @ p["cross"]["v"], H)
        d = d + attention(q, k, v).reshape(d.shape) @ p["cross"]["o"]
        return cross_entropy(norm(d) @ p["embed"].T, y)

    def gpt_like(p, x):
        q, k, v = (heads(norm(x) @ p[name], H) for name in "qkv")
        return x + attention(q, k, v).reshape(x.shape) @ p["o"]

    params = {"embed": n(V, D, scale=0.1), "encoder": block_params(1), "decoder": block_params(9), "cross": block_params(17)}
    return sgd(loss_of), (params, ints(V, B, T), *tokens()), {}


@program
def soft_mixture():
    def loss_of(p, x, y):
        gate = jax.nn.softmax(x @ p["gate"])
        hidden = jax.nn.relu(jnp.einsum("nd,edh->enh", x, p["up"]))
        return cross_entropy(jnp.einsum("ne,enh,ehk->nk", gate, hidden, p["down"]), y)

    return sgd(loss_of), ({"gate": w(16, 8), "up": w(8, 16, 32), "down": w(8, 32, 8)}, *classes()), {}


@program
def top_two_mixture():
    """Tokens to their two best experts by one-hot dispatch, as in GShard without a capacity."""

    def loss_of(p, x, y):
        probabilities = jax.nn.softmax(x @ p["gate"])
        best, index = lax.top_k(probabilities, 2)
        weights = (jax.nn.one_hot(index, 8) * (best / best.sum(-1, keepdims=True))[..., None]).sum(1)
        hidden = jax.nn.relu(jnp.einsum("nd,edh->enh", x, p["up"]))
        out = jnp.einsum("ne,enh,ehk->nk", weights, hidden, p["down"])
        balance = (probabilities.mean(0) * (weights > 0).mean(0)).sum() * 8
        return cross_entropy(out, y) + 0.01 * balance

    return sgd(loss_of), ({"gate": w(16, 8), "up": w(8, 16, 32), "down": w(8, 32, 8)}, *classes()), {}


@program
def sliding_window():
    def loss_of(p, x, y):
        h = p["embed"][x]
        i, j = jnp.arange(T)[:, None], jnp.arange(T)[None]
        q, k, v = heads(h @ p["q"], H), heads(h @ p["k"], 1), heads(h @ p["v"], 1)
        mask = (j <= i) & (i - j < 4)
        a = attention(q, jnp.broadcast_to(k, q.shape), jnp.broadcast_to(v, q.shape), mask)
        return cross_entropy((h + a.reshape(h.shape) @ p["o"]) @ p["embed"].T, y)

    params = {"embed": n(V, D, scale=0.1), "q": w(D, D), "k": w(D, 8), "v": w(D, 8), "o": w(D, D)}
    return sgd(loss_of), (params, *tokens()), {}


@program
def decode_with_a_cache():
    def decode(params, cache, position, token):
        h = params["embed"][token]
        q, k, v = (heads(h @ params[name], H) for name in "qkv")
        keys = lax.dynamic_update_slice(cache["k"], k[:, None], (0, position, 0, 0))
        values = lax.dynamic_update_slice(cache["v"], v[:, None], (0, position, 0, 0))
        scores = jnp.einsum("bhd,bkhd->bhk", q, keys) / np.sqrt(D // H)
        scores = jnp.where(jnp.arange(T) <= position, scores, -1e9)
        out = jnp.einsum("bhk,bkhd->bhd", jax.nn.softmax(scores), values).reshape(B, D)
        logits = (h + out @ params["o"]) @ params["embed"].T
        return {"k": keys, "v": values}, logits.argmax(-1)

    params = {"embed": n(V, D, scale=0.3), **{name: w(D, D, seed=i) for i, name in enumerate("qkvo")}}
    cache = {"k": n(B, T, H, D // H), "v": n(B, T, H, D // H, seed=1)}
    return decode, (params, cache, np.int32(5), ints(V, B)), {"updates": "none", "data": [1, 3]}


@program
def prefill():
    def forward(p, x):
        return norm(llama_block(p["block"], p["embed"][x], 2)) @ p["head"]

    return forward, ({"embed": n(V, D, scale=0.1), "block": block_params(1, kv=2), "head": w(D, V)}, ints(V, B, T)), {}


@program
def lora():
    def train_step(adapter, base, x, y):
        def loss_of(a):
            h = base["embed"][x]
            for name in "qkv":
                h = h + norm(h) @ (base[name] + a[name]["down"] @ a[name]["up"])
            return cross_entropy(h @ base["embed"].T, y)

        loss, g = jax.value_and_grad(loss_of)(adapter)
        return jax.tree.map(lambda p, g: p - 0.1 * g, adapter, g), loss

    base = {"embed": n(V, D, scale=0.1), **{name: w(D, D, seed=i) for i, name in enumerate("qkv")}}
    adapter = {name: {"down": w(D, 4), "up": np.zeros((4, D), np.float32)} for name in "qkv"}
    return train_step, (adapter, base, *tokens()), {"data": [2, 3]}


@program
def label_smoothing():
    def loss_of(p, x, y):
        logp = jax.nn.log_softmax(gpt_block(p["block"], p["embed"][x]) @ p["embed"].T)
        target = jax.nn.one_hot(y, V) * 0.9 + 0.1 / V
        return -(target * logp).sum(-1).mean()

    return sgd(loss_of), ({"embed": n(V, D, scale=0.1), "block": block_params(1)}, *tokens()), {}


# --- Recurrences ----------------------------------------------------------------------------------------------------


@program
def rnn():
    def loss_of(p, x, y):
        h, _ = lax.scan(lambda h, x: (jnp.tanh(x @ p["x"] + h @ p["h"]), None), jnp.zeros((B, D)), x.swapaxes(0, 1))
        return cross_entropy(h @ p["o"], y)

    return sgd(loss_of), ({"x": w(16, D), "h": w(D, D), "o": w(D, 8)}, n(B, 6, 16), ints(8, B)), {}


@program
def lstm():
    def loss_of(p, x, y):
        def cell(state, x):
            h, c = state
            i, f, g, o = jnp.split(x @ p["x"] + h @ p["h"] + p["b"], 4, -1)
            c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((B, D))
        _, out = lax.scan(cell, (zero, zero), x.swapaxes(0, 1))
        return cross_entropy(out.mean(0) @ p["o"], y)

    params = {"x": w(16, 4 * D), "h": w(D, 4 * D), "b": np.zeros(4 * D, np.float32), "o": w(D, 8)}
    return sgd(loss_of), (params, n(B, 6, 16), ints(8, B)), {}


@program
def gru():
    def loss_of(p, x, y):
        def cell(h, x):
            z = jax.nn.sigmoid(x @ p["xz"] + h @ p["hz"])
            r = jax.nn.sigmoid(x @ p["xr"] + h @ p["hr"])
            h = (1 - z) * h + z * jnp.tanh(x @ p["xh"] + (r * h) @ p["hh"])
            return h, None

        h, _ = lax.scan(cell, jnp.zeros((B, D)), x.swapaxes(0, 1))
        return cross_entropy(h @ p["o"], y)

    params = {name: w(16 if name[0] == "x" else D, D, seed=i) for i, name in enumerate(("xz", "xr", "xh", "hz", "hr", "hh"))}
    return sgd(loss_of), ({**params, "o": w(D, 8)}, n(B, 5, 16), ints(8, B)), {}


@program
def state_space():
    """A diagonal recurrence by lax.associative_scan, as S5 and LRU have it."""

    def loss_of(p, x, y):
        decay = jax.nn.sigmoid(p["a"])
        u = x @ p["in"]
        coefficients = jnp.broadcast_to(decay, u.shape)
        _, h = lax.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (coefficients, u), axis=1)
        return cross_entropy(jax.nn.gelu(h).mean(1) @ p["o"], y)

    return sgd(loss_of), ({"a": n(D), "in": w(16, D), "o": w(D, 8)}, n(B, 8, 16), ints(8, B)), {}


@program
def linear_attention():
    def loss_of(p, x, y):
        q, k, v = (heads(x @ p[name], H) for name in "qkv")
        q, k = jax.nn.elu(q) + 1, jax.nn.elu(k) + 1
        state = jnp.cumsum(jnp.einsum("bthd,bthe->bthde", k, v), 1)
        total = jnp.cumsum(k, 1)
        out = jnp.einsum("bthd,bthde->bthe", q, state) / (jnp.einsum("bthd,bthd->bth", q, total)[..., None] + 1e-6)
        return jnp.mean((out.reshape(x.shape) @ p["o"] - y) ** 2)

    params = {name: w(D, D, seed=i) for i, name in enumerate("qkvo")}
    return sgd(loss_of), (params, n(B, 8, D), n(B, 8, D, seed=1)), {}


# --- Others ---------------------------------------------------------------------------------------------------------


@program
def vae():
    def loss_of(p, x, key):
        mean, logvar = jnp.split(jnp.tanh(x @ p["e"]) @ p["m"], 2, -1)
        z = mean + jnp.exp(0.5 * logvar) * jax.random.normal(key, mean.shape)
        out = jax.nn.sigmoid(jnp.tanh(z @ p["d"]) @ p["o"])
        kl = -0.5 * jnp.sum(1 + logvar - mean**2 - jnp.exp(logvar), -1)
        return jnp.mean(jnp.sum((out - x) ** 2, -1) + kl)

    params = {"e": w(16, 32), "m": w(32, 8), "d": w(4, 32), "o": w(32, 16)}
    return sgd(loss_of, 0.01), (params, n(B, 16), jax.random.key(1)), {}


@program
def gan():
    def train_step(generator, discriminator, noise, real):
        make = lambda g: jnp.tanh(jax.nn.relu(noise @ g["a"]) @ g["b"])
        judge = lambda d, x: (jax.nn.leaky_relu(x @ d["a"], 0.2) @ d["b"])[:, 0]

        def of_discriminator(d):
            return jnp.mean(jax.nn.softplus(-judge(d, real))) + jnp.mean(jax.nn.softplus(judge(d, make(generator))))

        d_loss, d_grads = jax.value_and_grad(of_discriminator)(discriminator)
        new = jax.tree.map(lambda p, g: p - 0.1 * g, discriminator, d_grads)
        g_loss, g_grads = jax.value_and_grad(lambda g: jnp.mean(jax.nn.softplus(-judge(new, make(g)))))(generator)
        return jax.tree.map(lambda p, g: p - 0.1 * g, generator, g_grads), new, d_loss, g_loss

    args = ({"a": w(8, 32), "b": w(32, 16)}, {"a": w(16, 32), "b": w(32, 1)}, n(B, 8), n(B, 16))
    return train_step, args, {}


@program
def contrastive():
    def loss_of(p, a, b):
        unit = lambda x: x / jnp.linalg.norm(x, axis=-1, keepdims=True)
        scores = unit(a @ p["a"]) @ unit(b @ p["b"]).T * jnp.exp(p["t"])
        logits = jax.nn.log_softmax(scores), jax.nn.log_softmax(scores.T)
        return -0.5 * sum(jnp.mean(jnp.diag(one)) for one in logits)

    return sgd(loss_of), ({"a": w(16, 8), "b": w(24, 8), "t": np.float32(1.0)}, n(B, 16), n(B, 24)), {}


@program
def recommendation():
    """DLRM: tables, pairwise interactions, binary labels."""

    def loss_of(p, dense, sparse, y):
        rows = [p["tables"][i][sparse[:, i]] for i in range(3)]
        f = jnp.stack([jax.nn.relu(dense @ p["bottom"]), *rows], 1)
        i, j = np.triu_indices(4, 1)
        pairs = jnp.einsum("bid,bjd->bij", f, f)[:, i, j]
        logit = (jnp.concatenate([f.reshape(B, -1), pairs], -1) @ p["top"])[:, 0]
        return jnp.mean(jnp.maximum(logit, 0) - logit * y + jnp.log1p(jnp.exp(-jnp.abs(logit))))

    params = {"tables": [n(64, 8, seed=i) for i in range(3)], "bottom": w(13, 8), "top": w(38, 1)}
    y = ints(2, B).astype(np.float32)
    return sgd(loss_of), (params, n(B, 13), ints(64, B, 3), y), {}


@program
def matrix_factorization():
    def loss_of(p, user, item, rating):
        return jnp.mean((jnp.sum(p["u"][user] * p["i"][item], -1) + p["b"] - rating) ** 2)

    params = {"u": n(64, 8, scale=0.3), "i": n(128, 8, scale=0.3), "b": np.zeros((), np.float32)}
    return sgd(loss_of), (params, ints(64, B), ints(128, B), n(B)), {}


@program
def graph_convolution():
    def loss_of(p, x, adjacency, y):
        scaled = adjacency / jnp.maximum(adjacency.sum(1, keepdims=True), 1)
        return cross_entropy(scaled @ jax.nn.relu(scaled @ x @ p["a"]) @ p["b"], y)

    adjacency = (np.random.default_rng(0).random((B, B)) < 0.3).astype(np.float32)
    return sgd(loss_of), ({"a": w(16, 32), "b": w(32, 8)}, n(B, 16), adjacency, ints(8, B)), {}


@program
def message_passing():
    def loss_of(p, x, sender, receiver, y):
        messages = jax.nn.relu(x[sender] @ p["m"])
        h = jax.ops.segment_sum(messages, receiver, num_segments=B) + x @ p["s"]
        return cross_entropy(jax.nn.relu(h) @ p["o"], y)

    params = {"m": w(16, 32), "s": w(16, 32), "o": w(32, 8)}
    return sgd(loss_of), (params, n(B, 16), ints(B, 128), ints(B, 128, seed=1), ints(8, B)), {"data": [1, 4]}


@program
def physics_informed():
    """A Poisson residual by second derivatives with respect to the input."""

    def loss_of(p, x):
        u = lambda x: (jnp.tanh(jnp.tanh(x[None] @ p["a"] + p["b"]) @ p["c"]) @ p["d"])[0, 0]
        laplace = jax.vmap(lambda x: jnp.trace(jax.hessian(u)(x)))(x)
        return jnp.mean((laplace + jnp.sin(x).sum(-1)) ** 2)

    params = {"a": w(2, 32), "b": np.zeros(32, np.float32), "c": w(32, 32), "d": w(32, 1)}
    return sgd(loss_of, 0.01), (params, n(B, 2)), {}


@program
def neural_ode():
    def loss_of(p, x, y):
        field = lambda h: jnp.tanh(h @ p["a"]) @ p["b"]

        def rk4(h, _):
            k1 = field(h)
            k2 = field(h + 0.05 * k1)
            k3 = field(h + 0.05 * k2)
            return h + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + field(h + 0.1 * k3)), None

        h, _ = lax.scan(rk4, x, None, length=4)
        return cross_entropy(h @ p["o"], y)

    return sgd(loss_of), ({"a": w(16, 32), "b": w(32, 16), "o": w(16, 8)}, *classes()), {}


@program
def policy_gradient():
    def loss_of(p, x, action, old, advantage):
        logp = jnp.take_along_axis(jax.nn.log_softmax(mlp_of(p, x)), action[:, None], 1)[:, 0]
        ratio = jnp.exp(logp - old)
        return -jnp.minimum(ratio * advantage, jnp.clip(ratio, 0.8, 1.2) * advantage).mean()

    return sgd(loss_of), (mlp_params(), *classes(), n(B, scale=0.1) - 2, n(B, seed=1)), {}


@program
def target_network():
    def train_step(online, target, x, action, reward, after):
        def loss_of(p):
            goal = reward + 0.9 * lax.stop_gradient(mlp_of(target, after)).max(-1)
            value = jnp.take_along_axis(mlp_of(p, x), action[:, None], 1)[:, 0]
            error = value - goal
            return jnp.where(jnp.abs(error) < 1, 0.5 * error**2, jnp.abs(error) - 0.5).mean()

        loss, g = jax.value_and_grad(loss_of)(online)
        online = jax.tree.map(lambda p, g: p - 0.1 * g, online, g)
        return online, jax.tree.map(lambda t, p: 0.99 * t + 0.01 * p, target, online), loss

    params = mlp_params()
    return train_step, (params, params, *classes(), n(B), n(B, 16, seed=2)), {}


@program
def diffusion():
    def loss_of(p, x, t, noise):
        level = jnp.cos(t * np.pi / 2)[:, None]
        mixed = level * x + jnp.sqrt(1 - level**2) * noise
        features = jnp.concatenate([jnp.sin(t[:, None] * 2.0 ** jnp.arange(4)), jnp.cos(t[:, None] * 2.0 ** jnp.arange(4))], -1)
        out = jax.nn.silu(mixed @ p["a"] + features @ p["t"]) @ p["b"]
        return jnp.mean((out - noise) ** 2)

    t = np.random.default_rng(0).random(B).astype(np.float32)
    return adam(loss_of), (p := {"a": w(16, 64), "t": w(8, 64), "b": w(64, 16)}, adam_init(p), n(B, 16), t, n(B, 16, seed=1)), {}


@program
def normalizing_flow():
    def loss_of(p, x):
        total = jnp.zeros(B)
        for layer in p:
            a, b = jnp.split(x, 2, -1)
            s, t = jnp.split(jnp.tanh(a @ layer["a"]) @ layer["b"], 2, -1)
            x = jnp.concatenate([b * jnp.exp(jnp.tanh(s)) + t, a], -1)
            total += jnp.tanh(s).sum(-1)
        return jnp.mean(0.5 * (x**2).sum(-1) - total)

    return sgd(loss_of, 0.01), ([{"a": w(8, 32, seed=i), "b": w(32, 16, seed=i)} for i in range(2)], n(B, 16)), {}


@program
def k_means():
    def iteration(centres, x):
        distances = ((x[:, None] - centres[None]) ** 2).sum(-1)
        picked = jax.nn.one_hot(distances.argmin(-1), 8)
        return (picked.T @ x) / jnp.maximum(picked.sum(0), 1)[:, None], distances.min(-1).mean()

    return iteration, (n(8, 16), n(B, 16, seed=1)), {"updates": "0:0", "data": [1]}


@program
def logistic_regression():
    def loss_of(p, x, y):
        return jnp.mean(jax.nn.softplus(x @ p["w"] + p["b"]) - y * (x @ p["w"] + p["b"])) + 1e-3 * jnp.sum(p["w"] ** 2)

    return sgd(loss_of), ({"w": n(16, scale=0.1), "b": np.float32(0)}, n(B, 16), ints(2, B).astype(np.float32)), {}


@program
def adversarial_training():
    def train_step(params, x, y):
        ascent = jnp.sign(jax.grad(mlp_loss, argnums=1)(params, x, y))
        loss, g = jax.value_and_grad(mlp_loss)(params, x + 0.1 * ascent, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, g), loss

    return train_step, (mlp_params(), *classes()), {}


@program
def meta_learning():
    """MAML: a gradient through one step of gradient descent, for each of eight tasks."""

    def loss_of(p, x, y):
        def inner(x, y):
            fast = jax.tree.map(lambda p, g: p - 0.1 * g, p, jax.grad(mlp_loss)(p, x[:2], y[:2]))
            return mlp_loss(fast, x[2:], y[2:])

        return jax.vmap(inner)(x.reshape(8, 4, 16), y.reshape(8, 4)).mean()

    return sgd(loss_of), (mlp_params(), *classes()), {}


@program
def quantile_by_sort():
    def loss_of(p, x, y):
        errors = jnp.abs((x @ p["w"])[:, 0] - y)
        return jnp.sort(errors)[: B // 2].mean()

    return sgd(loss_of), ({"w": w(16, 1)}, n(B, 16), n(B)), {}


@program
def spectral():
    return sgd(lambda p, x: jnp.mean(jnp.abs(jnp.fft.rfft(x @ p["w"])))), ({"w": w(16, 16)}, n(B, 16)), {}


@program
def gaussian_process():
    def loss_of(p, x, y):
        kernel = jnp.exp(-((x[:, None] - x[None]) ** 2).sum(-1) * jnp.exp(p["s"])) + 0.1 * jnp.eye(B)
        factor = jnp.linalg.cholesky(kernel)
        return jnp.sum(jax.scipy.linalg.solve_triangular(factor, y, lower=True) ** 2) + jnp.log(jnp.diag(factor)).sum()

    return sgd(loss_of, 1e-3), ({"s": np.zeros((), np.float32)}, n(B, 4), n(B)), {}


@program
def a_loop_until_it_converges():
    def solve(p, x):
        step = lambda h: jnp.tanh(h @ p["w"] * 0.5 + x)
        return lax.while_loop(lambda h: jnp.abs(step(h) - h).max() > 1e-5, step, jnp.zeros_like(x))

    return solve, ({"w": w(16, 16)}, n(B, 16)), {}
