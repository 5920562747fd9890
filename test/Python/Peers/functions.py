# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX as people write them: what of them is a training state, what is data, and that what runs is what JAX
computes. Run by scripts/test-peers.sh and test/Python/jax_devices.py, with eight devices of the host.

The last line is "N passed, N failed"."""
import copy
import dataclasses
import functools
import json
import logging
import os
import pickle
import re
import sys
import tempfile
import warnings

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import soap
import soap.jax
from soap._jax_trace import equations

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from runner import raises, run, test  # noqa: E402

DEVICES = 8


def normal(*shape, seed=0, scale=1.0):
    return (np.random.default_rng([seed, *shape]).standard_normal(shape) * scale).astype(np.float32)


class Said(logging.Handler):
    """The lines of the logger."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())

    def __enter__(self):
        logging.getLogger("soap").addHandler(self)
        return self

    def __exit__(self, *_):
        logging.getLogger("soap").removeHandler(self)


def imported(function, *args, **options):
    """The model, its arguments by name, the updates of its results, and the line that says what was assumed."""
    with Said() as said:
        model = soap.from_jax(function, *args, **options)
    about = model.describe()["functions"][0]
    kinds = {a["name"]: (a.get("kind"), a.get("sample_dim")) for a in about["arguments"]}
    assert len(said.lines) <= 1, said.lines
    return model, kinds, [result.get("updates") for result in about["results"]], (said.lines or [""])[0]


def run_in_soap(model, data, steps=1, function="main"):
    """Results of the last step, and the session."""
    session = model.compile(level=0)
    model.restore(session)
    for _ in range(steps):
        results = session.run(function, {name: np.asarray(value) for name, value in data.items()})
    return list(results.values()), session


def close(got, wanted, tolerance=1e-4):
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        difference = np.linalg.norm(a - b) / max(np.linalg.norm(b), 1e-12)
        assert a.shape == b.shape and difference < tolerance, (a, b, difference)


def loss_of(params, x):
    return jnp.mean((x @ params["w"] + params["b"]) ** 2)


def start():
    return {"w": normal(16, 8, seed=1), "b": normal(8, seed=2)}, normal(32, 16, seed=3)


def step(params, x):
    loss, gradients = jax.value_and_grad(loss_of)(params, x)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), loss


@test
def a_state_in_its_place():
    params, x = start()
    model, kinds, updates, said = imported(step, params, x)
    assert kinds == {"params.b": ("parameter", None), "params.w": ("parameter", None), "x": ("data", 0)}, kinds
    assert updates == [0, 1, None]
    assert "result 0 is the new value of 'params'" in said and "'x' has 32 samples along dim 0" in said, said
    expected = params
    for _ in range(3):
        expected, loss = step(expected, x)
    (result,), session = run_in_soap(model, {"x": x}, steps=3)
    close(result, loss)
    close({name: session[f"params.{name}"] for name in params}, expected)


@test
def gradients_are_results():
    params, x = start()
    functions = {
        "value and gradients": lambda params, x: jax.value_and_grad(loss_of)(params, x),
        "gradients": lambda params, x: jax.grad(loss_of)(params, x),
        "gradients at the place of the state": lambda params, x: jax.value_and_grad(loss_of)(params, x)[::-1],
        "of squares of weights": lambda params, x: jax.grad(lambda p: loss_of(jax.tree.map(jnp.square, p), x))(params),
        "jitted": jax.jit(lambda params, x: (jax.grad(loss_of)(params, x), x.sum())),
        "of a loop": lambda params, x: (jax.grad(lambda p: lax.fori_loop(
            0, 3, lambda i, h: jnp.sin(h @ p["w"] @ p["w"].T / 99), x).sum() + p["b"].sum())(params), x.sum()),
    }
    for name, function in functions.items():
        model, kinds, updates, said = imported(function, params, x)
        assert not any(isinstance(update, int) for update in updates), (name, updates)
        assert "and is no new value" in said, (name, said)
        assert kinds["params.w"] == ("parameter", None) and kinds["x"] == ("data", 0), (name, kinds)
        results, _ = run_in_soap(model, {"x": x}, steps=2)
        close(results, function(params, x))


@test
def trees_that_come_back_elsewhere():
    params, x = start()

    def swapped(a, b, x):
        return jax.tree.map(lambda p: p - 1, b), jax.tree.map(lambda p: p + 1, a), x.sum()

    model, _, updates, said = imported(swapped, params, jax.tree.map(lambda p: p + 5, params), x)
    assert updates == [None] * 5 and said.count("is no new value") == 2, (updates, said)
    close(run_in_soap(model, {"x": x})[0], swapped(params, jax.tree.map(lambda p: p + 5, params), x))
    # A loss before the state: said, and the option decides.
    model, _, updates, said = imported(lambda params, x: step(params, x)[::-1], params, x)
    assert updates == [None] * 3 and "result 1 has the form of 'params' and is no new value" in said, said
    model, _, updates, said = imported(lambda params, x: step(params, x)[::-1], params, x, updates="1-2:0-1", data=[1])
    assert updates == [None, 0, 1] and not said, (updates, said)
    # One tree with the names of the arguments.
    function = lambda params, x: dict(zip(("params", "loss"), step(params, x)))
    _, _, updates, _ = imported(function, params, x)
    assert updates == [None, 0, 1], updates


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class TrainState:
    params: dict
    moments: dict
    step: int
    apply: object = dataclasses.field(metadata={"static": True}, default=None)


@test
def a_train_state_with_a_number_of_python():
    params, x = start()

    def train_step(state, x):
        loss, gradients = jax.value_and_grad(state.apply)(state.params, x)
        moments = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.moments, gradients)
        new = jax.tree.map(lambda p, m: p - 0.1 * m / (1 - 0.9 ** (state.step + 1)), state.params, moments)
        return dataclasses.replace(state, params=new, moments=moments, step=state.step + 1), loss

    state = TrainState(params, jax.tree.map(np.zeros_like, params), 0, loss_of)
    model, kinds, updates, _ = imported(train_step, state, x)
    assert updates == [0, 1, 2, 3, 4, None], updates
    assert kinds["state.step"] == ("state", None) and kinds["x"] == ("data", 0), kinds
    assert all(kind == "parameter" for name, (kind, _) in kinds.items() if name not in ("x", "state.step")), kinds
    plan = soap.apply_strategy(model, f"cpu-{DEVICES}", "data-parallel")
    assert not any(plan.layout().tensors["state.params.w"].dims), plan.layout()
    expected = state
    for _ in range(3):
        expected, loss = train_step(expected, x)
    for one in (model, plan.model):
        (result,), session = run_in_soap(one, {"x": x}, steps=3)
        close(result, loss)
        close(session["state.params.w"], expected.params["w"])
        assert int(session["state.step"]) == 3
    sharded, _ = soap.jax.jit(train_step, plan)(state, x)
    close(sharded, train_step(state, x)[0])


@test
def donated_arguments():
    params, x = start()
    last = jax.jit(lambda params, x: step(params, x)[::-1], donate_argnums=0)
    _, _, updates, said = imported(last, params, x)
    assert updates == [None, 0, 1] and "new value" not in said, (updates, said)
    # An array that is all that a function returns is a result, but not where its argument is donated.
    for numbers, expected in (((), [None]), (0, [0])):
        _, _, updates, _ = imported(jax.jit(lambda w, x: x.sum() * w, donate_argnums=numbers), params["w"], x)
        assert updates == expected, updates
    both = lambda params, x: (jax.grad(loss_of)(params, x), step(params, x)[0])
    late = jax.jit(lambda x, y, params: both(params, x + y), donate_argnums=2)
    raises(ValueError, "'params' is donated, and result 0 and result 1 have that form",
           lambda: soap.from_jax(late, x, x, params))
    _, _, updates, _ = imported(late, x, x, params, updates="2-3:2-3", data=[0, 1])
    assert updates == [None, None, 2, 3], updates


@test
def arguments_with_samples():
    params, x = start()
    y, scale, key = normal(32, 8, seed=4), np.float32(0.5), jax.random.PRNGKey(3)

    def evaluate(params, scale, batch, key):
        noise = jax.random.normal(key, (16,))
        return jnp.mean(((batch["x"] + noise) @ params["w"] + params["b"] - batch["y"]) ** 2) * scale

    model, kinds, _, said = imported(evaluate, params, scale, {"x": x, "y": y}, key)
    assert kinds == {"params.b": ("parameter", None), "params.w": ("parameter", None), "scale": ("data", None),
                     "batch.x": ("data", 0), "batch.y": ("data", 0), "key": (None, None)}, kinds
    assert "'batch' has 32 samples along dim 0" in said and "'params', 'key' have no samples" in said, said
    # An argument that is no data has the value of the example.
    results, _ = run_in_soap(model, {"scale": scale, "batch.x": x, "batch.y": y})
    close(results, [evaluate(params, scale, {"x": x, "y": y}, key)])
    raises(ValueError, "data: expected numbers of arguments, 0 to 1, got 2",
           lambda: soap.from_jax(step, params, x, data=[2]))


@test
def static_arguments():
    """Of functions that are jitted, and of others by the names that jax.jit has for them. Other values are another
    program."""
    params, x = start()

    def train_step(depth, params, x, mode="sum"):
        def loss(p):
            h = x
            for _ in range(depth):
                h = jnp.tanh(h @ p["w"] @ p["w"].T)
            return (h.sum() if mode == "sum" else jnp.mean(h)) + p["b"].sum()

        value, g = jax.value_and_grad(loss)(params)
        return jax.tree.map(lambda p, d: p - 0.1 * d, params, g), value

    jitted = jax.jit(train_step, static_argnums=(0, 3), donate_argnums=1)
    copy = lambda: jax.tree.map(np.array, params)
    for function, more in ((jitted, {}), (train_step, {"static_argnums": (0, 3)}),
                           (train_step, {"static_argnums": 0, "static_argnames": "mode"})):
        values = (2, params, x, "mean") if "static_argnames" not in more else (2, params, x)
        model, kinds, updates, _ = imported(function, *values, updates="0-1:0-1", data=[2], **more)
        assert kinds == {"params.b": ("parameter", None), "params.w": ("parameter", None), "x": ("data", 0)}, kinds
        plan = soap.apply_strategy(model, f"cpu-{DEVICES}", "data-parallel")
        sharded = soap.jax.jit(function, plan, strict=True)
        for other in (values, (1, *values[1:])):
            wanted = train_step(*other)
            close(sharded(other[0], copy(), *other[2:]), wanted)
    raises(ValueError, "the function is jitted already", lambda: soap.from_jax(jitted, *values, static_argnums=0))


@test
def keys():
    """Typed keys as arguments and inside, split and folded."""
    params, x = start()

    def loss(p, x, key):
        first, second = jax.random.split(jax.random.fold_in(key, 3))
        x = x * jax.random.bernoulli(first, 0.9, x.shape)
        return loss_of(p, x + jax.random.normal(second, (16,)))

    def typed(params, x, key):
        value, gradients = jax.value_and_grad(loss)(params, x, key)
        new, _ = jax.random.split(key)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), value, new

    def folded(params, x, seed):
        return typed(params, x, jax.random.fold_in(jax.random.key(7), seed))[:2]

    for function, last in ((typed, jax.random.key(5)), (folded, np.uint32(3))):
        model, kinds, updates, _ = imported(function, params, x, last)
        assert updates[:3] == [0, 1, None], updates
        plan = soap.apply_strategy(model, f"cpu-{DEVICES}", "data-parallel")
        expected = function(params, x, last)
        unkeyed = lambda tree: jax.tree.map(
            lambda a: jax.random.key_data(a) if jnp.issubdtype(a.dtype, jax.dtypes.prng_key) else a, tree)
        close(unkeyed(soap.jax.jit(function, plan)(params, x, last)), unkeyed(expected))
        if function is folded:
            continue
        results, session = run_in_soap(plan.model, {"x": x})
        close(results[0], expected[1])
        close({name: session[f"params.{name}"] for name in params}, expected[0])


@test
def jitted_and_rematerialized():
    """Functions that are jitted already, or have jax.checkpoint inside, get constraints inside, too."""
    params, x = {"w": normal(16, 32, seed=5, scale=0.3)}, normal(64, 16, seed=6)

    def make(wrap):
        def block(h, w):
            return jnp.tanh(h @ w) @ w.T

        def train_step(params, x):
            loss, g = jax.value_and_grad(lambda p: jnp.mean(wrap(block)(x, p["w"]) ** 2))(params)
            return jax.tree.map(lambda p, d: p - 0.1 * d, params, g), loss

        return train_step

    saves = functools.partial(jax.checkpoint, policy=jax.checkpoint_policies.dots_with_no_batch_dims_saveable)
    functions = [make(lambda f: f), make(jax.checkpoint), make(saves), make(jax.jit), jax.jit(make(lambda f: f))]
    for function in functions:
        plan = soap.apply_strategy(imported(function, params, x)[0], f"cpu-{DEVICES}", "data-parallel")
        found = soap.jax._inner_shardings(function, plan, soap.jax.mesh(plan), True)
        assert found is not None and len(found.specs) > 3, found
        close(soap.jax.jit(function, plan, strict=True)(params, x), function(params, x))


@test
def constraints_cut_samples():
    """Attention with grouped queries, whose transposes are folded into ops: data parallelism cuts the dim of samples,
    which no other dim has the extent of, and XLA adds no exchange."""
    samples, length, width, heads = 40, 12, 64, 8

    def norm(x, g):
        return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * g

    for groups in (8, 2):

        def loss(p, x, y):
            h = norm(x, p["g"])
            q = (h @ p["q"]).reshape(samples, length, heads, -1)
            k, v = ((h @ p[n]).reshape(samples, length, groups, -1) for n in "kv")
            a = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(samples, length, width)
            return jnp.mean((jax.nn.gelu(x + a @ p["o"]) @ p["o"].T - y) ** 2)

        def train_step(params, x, y):
            value, gradients = jax.value_and_grad(loss)(params, x, y)
            return jax.tree.map(lambda p, d: p - 0.1 * d, params, gradients), value

        params = {n: normal(width, width, seed=7, scale=0.1) for n in "qo"}
        params.update({n: normal(width, width * groups // heads, seed=8, scale=0.1) for n in "kv"}, g=np.ones(width, np.float32))
        x, y = normal(samples, length, width, seed=9), normal(samples, length, width, seed=10)
        model = imported(train_step, params, x, y)[0]
        plan = soap.apply_strategy(model, f"cpu-{DEVICES}", "data-parallel")
        sharded = plan.model.run_passes("soap-export-shard{function=" + plan.function + "}")
        text = sharded._core.export_shardy(plan.model._core, model._program, model._options)
        lines = re.findall(r"sharding_constraint.*\[(.*)\]>}> : \(tensor<([\dx]*)x\w+>\)", text)
        cut = 0
        for dims, extents in lines:
            for dim, extent in zip(re.findall(r"{(.*?)}", dims), map(int, extents.split("x")), strict=True):
                assert not dim or extent % samples == 0, (groups, dims, extents)
                cut += bool(dim)
        assert cut > 30, cut
        # By JAX's own account device d has the samples [5d, 5d + 5) of each value that is cut, as by the plan.
        found = soap.jax._inner_shardings(train_step, plan, soap.jax.mesh(plan), True)
        cut = 0
        for (path, number), spec in found.specs.items():
            shape = equations(found.closed)[path].outvars[number].aval.shape
            rows = jax.sharding.NamedSharding(found.mesh, spec).devices_indices_map(shape)
            for d, device in enumerate(found.mesh.devices.flatten()):
                for extent, axes, part in zip(shape, spec, rows[device], strict=True):
                    begin, end = (d, d + 1) if axes else (0, DEVICES)
                    assert part.indices(extent)[:2] == (extent * begin // DEVICES, extent * end // DEVICES), (shape, spec)
                    cut += axes is not None
        assert cut > 20 * DEVICES, cut
        # Another strategy leaves other regions on the devices.
        other = soap.apply_strategy(model, f"cpu-{DEVICES}", "single").model
        try:
            sharded._core.export_shardy(other._core, model._program, model._options)
        except soap.SoapError as error:
            assert "of its result on device 0, and the exported sharding [0:5]" in str(error), error
        else:
            raise AssertionError("expected an error")
        if groups == heads:
            continue
        jitted = soap.jax.jit(train_step, plan, strict=True)
        ours, theirs = plan.collectives(), soap.jax.hlo_collectives(jitted.lower(params, x, y).compile())
        # `o` is read twice: the plan adds both contributions before it reduces them, XLA reduces each, and the loss.
        gradients, loss = sum(v.nbytes for v in params.values()), 4
        assert ours["all-reduce"]["bytes"] == 2 * (DEVICES - 1) * gradients, ours
        assert set(theirs) == {"all-reduce"}, theirs
        assert theirs["all-reduce"]["bytes"] == 2 * (DEVICES - 1) * (gradients + params["o"].nbytes + loss), theirs
        close(jitted(params, x, y), jax.jit(train_step)(params, x, y), 1e-3)


@test
def scans():
    """Gradients of scans of any operator: associative_scan makes slices without elements, cumlogsumexp a reduction of
    its own. The program `scans` of test/Target/StableHLO has the scans themselves."""
    x = normal(4, 6, seed=11, scale=0.5)

    def gradient(x):
        def loss(x):
            recurrence = lax.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (x, x), axis=1)[1]
            return jnp.sum(jnp.sin(recurrence)) + jnp.sum(jnp.sin(lax.cumlogsumexp(3 * x, axis=1)))

        return jax.grad(loss)(x)

    model = soap.from_jax(gradient, x, data=[0], updates="none")
    plan = soap.apply_strategy(model, "cpu-4", "data-parallel")
    close(run_in_soap(plan.model, {"x": x})[0], [gradient(x)])
    empty = lambda x: (x[:, :0], x)
    raises(soap.SoapError, "expected at least one element", lambda: soap.from_jax(empty, x, data=[0], updates="none"))


@test
def sixteen_bits_as_close_as_jax():
    """Gradients of bf16 are as far from the gradients of f32 as JAX's are."""
    width = 32
    params = {n: jnp.asarray(normal(width, width, seed=12 + i, scale=0.2), jnp.bfloat16) for i, n in enumerate("qkvo")}
    x = jnp.asarray(normal(8, 16, width, seed=20), jnp.bfloat16)

    def train_step(params, x):
        def loss(p):
            q, k, v = ((x @ p[n]).reshape(8, 16, 4, 8) for n in "qkv")
            a = jax.nn.dot_product_attention(q, k, v).reshape(x.shape)
            return jnp.mean((x + a @ p["o"]).astype(jnp.float32) ** 2)

        value, gradients = jax.value_and_grad(loss)(params)
        return jax.tree.map(lambda p, g: (p - 4 * g).astype(p.dtype), params, gradients), value

    model, _, updates, _ = imported(train_step, params, x)
    assert updates == [0, 1, 2, 3, None], updates
    results, session = run_in_soap(model, {"x": x})
    wide = jax.tree.map(lambda a: a.astype(jnp.float32), (params, x))
    (theirs, loss), (exact, exact_loss) = jax.jit(train_step)(params, x), jax.jit(train_step)(*wide)
    close(results[0], exact_loss, 1e-2)
    for name in params:
        before = np.asarray(wide[0][name], np.float64)
        target = np.asarray(exact[name], np.float64) - before
        ours = np.linalg.norm(session[f"params.{name}"] - before - target)
        jax_is = np.linalg.norm(np.asarray(theirs[name], np.float64) - before - target)
        assert ours < 1.25 * jax_is + 1e-3 * np.linalg.norm(target), (name, ours, jax_is, np.linalg.norm(target))


@test
def batch_statistics():
    """A norm of batches whose statistics are a state beside the parameters, as flax has it."""
    state = {"params": {"w": normal(8, 6, seed=30), "scale": np.ones(6, np.float32)},
             "batch_stats": {"mean": np.zeros(6, np.float32), "var": np.ones(6, np.float32)}}
    x = normal(64, 8, seed=31)

    def train_step(state, x):
        def loss(p):
            h = x @ p["w"]
            mean, var = h.mean(0), h.var(0)
            return jnp.mean(jnp.sin((h - mean) * lax.rsqrt(var + 1e-5) * p["scale"])), {"mean": mean, "var": var}

        (value, new), g = jax.value_and_grad(loss, has_aux=True)(state["params"])
        params = jax.tree.map(lambda p, d: p - 0.1 * d, state["params"], g)
        return {"params": params, "batch_stats": jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, state["batch_stats"], new)}, value

    model, _, updates, _ = imported(train_step, state, x)
    assert updates == [0, 1, 2, 3, None], updates
    plan = soap.apply_strategy(model, f"cpu-{DEVICES}", "data-parallel")
    expected, loss = train_step(*train_step(state, x)[:1], x)
    results, session = run_in_soap(plan.model, {"x": x}, steps=2)
    close(results[0], loss, 1e-3)
    close({n: session[f"state.batch_stats.{n}"] for n in ("mean", "var")}, expected["batch_stats"])
    close(soap.jax.jit(train_step, plan)(state, x)[0], train_step(state, x)[0])


@test
def constants_of_booleans():
    """Of more than a hundred elements, which JAX writes in hexadecimal digits."""
    mask = np.random.default_rng(0).random((32, 21)) < 0.5
    x = normal(32, 21, seed=40)
    function = lambda x: jnp.where(mask, x, -1) + mask.T.sum()
    model = imported(function, x)[0]
    close(run_in_soap(model, {"x": x})[0], function(x))
    plan = soap.apply_strategy(model, f"cpu-{DEVICES}", "data-parallel")
    found = soap.jax._inner_shardings(function, plan, soap.jax.mesh(plan), True)
    assert found is not None and found.specs
    close(soap.jax.jit(function, plan, strict=True)(x), function(x))


@test
def names_and_places():
    """Ops have the names of JAX's scopes, and an error the line of this file."""
    params, x = start()

    def loss(p, x):
        with jax.named_scope("hidden"):
            h = jnp.tanh(x @ p["w"])
        return jnp.mean(h**2) + p["b"].sum()

    model = imported(lambda p, x: (jax.tree.map(lambda a, g: a - g, p, jax.grad(loss)(p, x)), loss(p, x)), params, x)[0]
    names = {op["name"] for op in soap.apply_strategy(model, f"cpu-{DEVICES}", "data-parallel").strategy["ops"]}
    assert {"hidden.dot_general", "hidden.dot_general.grad"} <= names, names  # tanh is a part of another op

    def refused(x):
        return jnp.fft.rfft(x).real

    try:
        soap.from_jax(refused, x)
    except soap.SoapError as error:
        place = re.search(r"functions\.py:(\d+):", str(error))
        # JAX caches jaxprs of its jitted functions without places: then it is the line of the import.
        assert place and int(place[1]) > refused.__code__.co_firstlineno, error
    else:
        raise AssertionError("expected a refusal of fft")


@test
def loops_and_calls():
    """Constraints in bodies of scan, where all turns lie alike, in branches, and in jitted functions."""
    params, x = {"w": normal(3, 16, 16, seed=41, scale=0.2)}, normal(32, 16, seed=42)

    def loss(p, x):
        h, _ = lax.scan(lambda h, w: (jax.jit(lambda h, w: jnp.tanh(h @ w))(h, w), None), x, p["w"])
        h = lax.cond(h.sum() > 0, lambda h: jnp.sin(h) * 2, lambda h: jnp.cos(h), h)
        return jnp.mean(h**2)

    def train_step(params, x):
        value, g = jax.value_and_grad(loss)(params, x)
        return jax.tree.map(lambda p, d: p - 0.1 * d, params, g), value

    model = imported(train_step, params, x)[0]
    plan = soap.apply_strategy(model, f"cpu-{DEVICES}", "data-parallel")
    found = soap.jax._inner_shardings(train_step, plan, soap.jax.mesh(plan), True)
    named = equations(found.closed)
    inside = [named[path].primitive.name for path, number in found.specs if len(path) > 1 and any(found.specs[path, number])]
    assert {"dot_general", "tanh"} <= {*inside}, inside
    close(soap.jax.jit(train_step, plan, strict=True)(params, x), train_step(params, x))


@test
def plans_that_no_mesh_has():
    """The nearest plan of a mesh runs where it is as fast; else an op that is on no mesh loses its own constraint."""
    params, x = start()
    model = imported(step, params, x)[0]
    base = soap.apply_strategy(model, f"cpu-{DEVICES}", "data-parallel")
    assert soap.jax.nearest(base) is base
    with tempfile.TemporaryDirectory() as folder:

        def changed(pick):
            """The plan of data parallelism with some ops on the first device alone."""
            path = os.path.join(folder, "plan.json")
            base.save(path)
            with open(path, encoding="utf-8") as file:
                text = json.load(file)
            count = 0
            for op in text["ops"]:
                if pick(op["name"]):
                    count += 1
                    for key in ("degrees", "replicas"):
                        op.pop(key, None)
                    op["devices"] = [0]
            with open(path, "w", encoding="utf-8") as file:
                json.dump(text, file)
            return soap.apply_strategy(model, f"cpu-{DEVICES}", path), count

        lone, count = changed(lambda name: name.startswith("dot_general"))
        assert count > 1, base.strategy
        with warnings.catch_warnings(record=True) as said, Said() as lines:
            warnings.simplefilter("always")
            found = soap.jax._inner_shardings(step, lone, soap.jax.mesh(lone), False)
            sharded = soap.jax.jit(step, lone)
        texts = " ".join(str(one.message) for one in said)
        whole = soap.jax._inner_shardings(step, base, soap.jax.mesh(base), True)
        assert f"{count} of {len(base.strategy['ops'])} ops of the strategy are on no grid" in texts, texts
        assert 0 < len(found.specs) == len(whole.specs) - count, (len(found.specs), len(whole.specs), count)
        close(sharded(params, x), step(params, x))
        raises(soap.SoapError, "on no grid of the 8 devices",
               lambda: soap.jax._inner_shardings(step, lone, soap.jax.mesh(lone), True))
        assert lines.lines == [] or "runs as the nearest one" in lines.lines[0], lines.lines
        near = soap.jax.nearest(lone)
        if near is not lone:
            assert near.milliseconds <= 1.01 * lone.milliseconds


@test
def unknown_options():
    for given, near in (("static_argnum", "static_argnums"), ("update", "updates"), ("sampledim", "sample_dim")):
        try:
            soap.from_jax(step, *start(), **{given: 0})
        except TypeError as error:
            assert f"option {given!r} of StableHLO import, expected function, data" in str(error), error
            assert f"did you mean {near!r}?" in str(error), error
        else:
            raise AssertionError(f"no error of {given}")


@test
def copied_plans():
    """A pickled plan runs as the plan does: its model has the trees and the program."""
    model = imported(step, *start())[0]
    plan = soap.jax.find_strategy(model, f"cpu-{DEVICES}", proposals=20)
    for again in (pickle.loads(pickle.dumps(plan)), copy.deepcopy(plan)):
        assert again.strategy == plan.strategy and soap.jax.shardings(again) == soap.jax.shardings(plan)
        found = [soap.jax._inner_shardings(step, one, soap.jax.mesh(one), True).specs for one in (plan, again)]
        assert found[0] == found[1] and found[0], found
        close(soap.jax.jit(step, again)(*start()), jax.jit(step)(*start()))


@test
def a_plan_for_the_tools():
    """A strategy file fits the same program where its arguments have no names: soap-translate gives them none."""
    params, x = start()
    model = imported(step, params, x)[0]
    plan = soap.apply_strategy(model, "cpu-4", "data-parallel")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plan.json")
        plan.save(path)
        other = soap.from_stablehlo(model._program, data=[2], updates="0-1:0-1")
        again = soap.apply_strategy(other, "cpu-4", path, function="main")
        assert again.strategy["ops"] == plan.strategy["ops"]


def main():
    warnings.simplefilter("ignore", soap.SoapWarning)
    if len(jax.devices()) != DEVICES:
        sys.exit(f"expected {DEVICES} devices of JAX, got {len(jax.devices())}")
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
