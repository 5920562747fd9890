# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of JAX under plans: imported as StableHLO, searched for eight devices, run in JAX with the shardings
of the plan, and on the runtime of Soap. Losses and parameters after three steps equal JAX without shardings. Run by
scripts/test-peers.sh, with eight devices of the host; with --core, a part of it, by test/Python/jax_devices.py.

The last line is "N passed, N failed": one check for each program and plan."""
import os
import sys
import tempfile
import traceback
import warnings

import jax
import jax.numpy as jnp
import numpy as np

import soap
import soap.jax
from soap._jax_trace import equations

DEVICES = 8
random = np.random.default_rng(0)


def normal(*shape, scale=1.0):
    return (random.standard_normal(shape) * scale).astype(np.float32)


def cross_entropy(logits, y):
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * y, axis=-1))


def sgd(loss_of):
    def train_step(params, x, y):
        loss, gradients = jax.value_and_grad(loss_of)(params, x, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), loss

    return train_step


def mlp():
    def loss_of(params, x, y):
        return cross_entropy(jax.nn.relu(x @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"], y)

    params = {"w1": normal(64, 256, scale=0.1), "b1": np.zeros(256, np.float32),
              "w2": normal(256, 16, scale=0.1), "b2": np.zeros(16, np.float32)}
    return sgd(loss_of), params, normal(128, 64), np.eye(16, dtype=np.float32)[random.integers(0, 16, 128)]


def conv():
    def loss_of(params, x, y):
        for name in ("c1", "c2"):
            x = jax.lax.conv_general_dilated(x, params[name], (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"))
            x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        return cross_entropy(x.reshape(x.shape[0], -1) @ params["w"], y)

    params = {"c1": normal(8, 3, 3, 3, scale=0.2), "c2": normal(16, 8, 3, 3, scale=0.1), "w": normal(16 * 16, 8, scale=0.1)}
    return sgd(loss_of), params, normal(32, 3, 16, 16), np.eye(8, dtype=np.float32)[random.integers(0, 8, 32)]


def transformer():
    heads, width, length, classes = 4, 32, 16, 24

    def norm(x):
        return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

    def loss_of(params, x, y):
        n = x.shape[0]
        q, k, v = (
            (norm(x) @ params[name]).reshape(n, length, heads, width // heads).transpose(0, 2, 1, 3) for name in "qkv"
        )
        scores = jnp.einsum("nhqd,nhkd->nhqk", q, k) / np.sqrt(width / heads)
        scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
        mixed = jnp.einsum("nhqk,nhkd->nhqd", jax.nn.softmax(scores), v).transpose(0, 2, 1, 3).reshape(n, length, width)
        x = x + mixed @ params["o"]
        x = x + jax.nn.silu(norm(x) @ params["gate"]) @ params["down"]
        return cross_entropy(norm(x) @ params["head"], y)

    params = {name: normal(width, width, scale=0.2) for name in "qkvo"}
    params.update(gate=normal(width, 64, scale=0.2), down=normal(64, width, scale=0.1), head=normal(width, classes, scale=0.2))
    labels = np.eye(classes, dtype=np.float32)[random.integers(0, classes, (64, length))]
    return sgd(loss_of), params, normal(64, length, width), labels


def mixture():
    """Four experts, each sample to all of them with the weights of a gate."""

    def loss_of(params, x, y):
        gate = jax.nn.softmax(x @ params["gate"])
        hidden = jax.nn.relu(jnp.einsum("nd,edh->enh", x, params["up"]))
        return cross_entropy(jnp.einsum("ne,enh,ehk->nk", gate, hidden, params["down"]), y)

    params = {"gate": normal(32, 4, scale=0.2), "up": normal(4, 32, 64, scale=0.2), "down": normal(4, 64, 8, scale=0.1)}
    return sgd(loss_of), params, normal(1024, 32), np.eye(8, dtype=np.float32)[random.integers(0, 8, 1024)]


def steps(step, params, x, y):
    losses = []
    for _ in range(3):
        params, loss = step(params, x, y)
        losses.append(float(loss))
    return losses, params


def equal(losses, params, expected_losses, expected):
    np.testing.assert_allclose(losses, expected_losses, rtol=1e-4)
    for name, value in expected.items():
        difference = np.linalg.norm(np.asarray(params[name]) - np.asarray(value)) / np.linalg.norm(value)
        assert difference < 1e-4, f"{name} differs by {difference}"


def run_in_soap(plan, params, x, y):
    """The same three steps on the runtime of Soap."""
    session = plan.model.compile(level=1)
    plan.model.restore(session)
    losses = []
    for _ in range(3):
        results = session.run("main", {"x": x, "y": y})
        losses.append(float(next(iter(results.values()))))
    return losses, {name: session[f"params.{name}"] for name in params}


def check(make):
    """Yields (plan's name, what was found); raises where numbers differ."""
    train_step, params, x, y = make()
    expected = steps(jax.jit(train_step), params, x, y)
    model = soap.from_jax(train_step, params, x, y)
    plans = {"data-parallel": lambda: soap.apply_strategy(model, f"cpu-{DEVICES}", "data-parallel")}
    plans["searched"] = lambda: soap.find_strategy(model, f"cpu-{DEVICES}", proposals=200, seed=1, space="sap")
    if make is mlp:
        plans["mini-time"] = lambda: soap.find_strategy(model, f"cpu-{DEVICES}", "mini-time", seed=1, space="sap")
    for name, make_plan in plans.items():

        def compare(make_plan=make_plan, name=name):
            plan = make_plan()
            step = soap.jax.jit(train_step, plan, jax.devices())
            equal(*steps(step, params, x, y), *expected)
            equal(*run_in_soap(plan, params, x, y), *expected)
            compiled = step.lower(params, x, y).compile()
            cut = sum(bool(axes) for tensor in plan.layout().tensors.values() for axes in tensor.dims)
            # Numbers do not depend on constraints.
            outer = soap.jax.jit(train_step, plan, jax.devices(), inner=False)
            equal(*steps(outer, params, x, y), *expected)
            if name == "data-parallel":
                # The plan adds up the loss on one device; XLA leaves it on all.
                gradients, loss = sum(v.nbytes for v in params.values()), 4
                ours = plan.collectives()
                theirs = soap.jax.hlo_collectives(compiled).get("all-reduce", {"bytes": 0})["bytes"]
                print(f"  bytes: {2 * (DEVICES - 1) * gradients} of gradients; plan {ours}, XLA {theirs}")
                assert ours["all-reduce"]["bytes"] == 2 * (DEVICES - 1) * gradients
                assert ours["reduce"] == {"count": 1, "bytes": (DEVICES - 1) * loss}
                assert theirs == 2 * (DEVICES - 1) * (gradients + loss)
            before = soap.jax.hlo_collectives(outer.lower(params, x, y).compile())
            without = ", ".join(f"{row['count']} {kind} of {row['bytes']}" for kind, row in before.items()) or "none"
            table = soap.jax.compare_collectives(plan, compiled)
            return f"{cut} cuts\n{table}\n    without inner shardings: {without}"

        yield name, compare


def names_and_trees():
    """Nested trees, arguments that the program does not use, counters, scalars that are no losses."""

    def step(state, rate, batch, unused):
        params, count = state["params"], state["count"]
        loss, gradient = jax.value_and_grad(lambda w: jnp.mean((batch @ w) ** 2))(params[0])
        return {"params": (params[0] - rate * gradient,), "count": count + 1}, loss

    state = {"params": (normal(4, 2),), "count": np.int32(3)}
    model = soap.from_jax(step, state, np.float32(0.1), normal(8, 4), normal(3))
    about = model.describe()["functions"][0]
    found = {a["name"]: (a["kind"], a["shape"]) for a in about["arguments"]}
    assert found == {"state.count": ("state", []), "state.params.0": ("parameter", [4, 2]),
                     "rate": ("data", []), "batch": ("data", [8, 4])}, found
    assert [r.get("updates") for r in about["results"]] == [0, 1, None], about
    plan = soap.apply_strategy(model, f"cpu-{DEVICES}", "data-parallel")
    batch = normal(8, 4)
    ours = soap.jax.jit(step, plan)(state, np.float32(0.1), batch, normal(3))
    theirs = jax.jit(step)(state, np.float32(0.1), batch, normal(3))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), ours, theirs)
    assert int(ours[0]["count"]) == 4
    session = plan.model.compile()
    plan.model.restore(session)
    results = session.run("main", {"rate": np.float32(0.1), "batch": batch})
    np.testing.assert_allclose(next(iter(results.values())), theirs[1], rtol=1e-5)
    np.testing.assert_allclose(session["state.params.0"], theirs[0]["params"][0], rtol=1e-5, atol=1e-6)
    assert int(session["state.count"]) == 4
    return "equal"


def inner_shardings():
    """A plan whose arguments are whole, and whose products are not: the constraints make XLA cut them. A plan that no
    mesh has gets none, with the reason."""
    step, params, x, y = mlp()
    model = soap.from_jax(step, params, x, y)
    base = soap.apply_strategy(model, f"cpu-{DEVICES}", "data-parallel")
    found = soap.jax._inner_shardings(step, base, soap.jax.mesh(base), True)
    named = equations(found.closed)
    products = [path for path, _ in found.specs if "dot_general" in str(named[path].primitive)]
    # Both layers, two gradients of weights, one of an activation; sums of gradients are whole.
    assert len(products) == 5, (len(products), found.specs)
    cut = [spec for spec in found.specs.values() if any(spec)]
    assert len(cut) >= 3, found.specs
    # Updates are cut, and what the ops read is gathered: as the plan has it, which arguments alone do not say.
    zero = soap.apply_strategy(model, f"cpu-{DEVICES}", "zero")
    compiled = soap.jax.jit(step, zero, jax.devices()).lower(params, x, y).compile()
    ours, theirs = zero.collectives(), soap.jax.hlo_collectives(compiled)
    assert theirs["all-gather"] == ours["all-gather"], (ours, theirs)
    # The plan adds up the loss on one device, XLA on all.
    scattered = 2 * (ours["reduce-scatter"]["bytes"] + ours["reduce"]["bytes"])
    assert ours["reduce"]["bytes"] == 4 * (DEVICES - 1), ours
    assert theirs["all-reduce"]["bytes"] == scattered, (ours, theirs)
    table = soap.jax.compare_collectives(zero, compiled)
    assert "XLA reduces all and takes a slice" in table, table
    lone = soap.apply_strategy(model, f"cpu-{DEVICES}", "model-parallel")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        equal(*steps(soap.jax.jit(step, lone), params, x, y), *steps(jax.jit(step), params, x, y))
    text = " ".join(str(one.message) for one in said)
    assert "ops of the strategy are on no grid of the 8 devices and have no sharding; op '" in text and "the nearest strategy of a grid" in text, text
    return f"{len(found.specs)} constraints, {len(cut)} of them cut; zero:\n{table}"


def constraints():
    """`with_sharding_constraint` in the middle of a step: kept by the search, and numbers do not depend on it."""
    grid = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 4), ("a", "b"))
    place = jax.sharding.NamedSharding(grid, jax.sharding.PartitionSpec("a", "b"))

    def loss_of(params, x, y):
        hidden = jax.lax.with_sharding_constraint(jax.nn.relu(x @ params["w1"] + params["b1"]), place)
        return cross_entropy(hidden @ params["w2"] + params["b2"], y)

    _, params, x, y = mlp()
    step = sgd(loss_of)
    model = soap.from_jax(step, params, x, y, keep_shardings=True)
    plan = soap.find_strategy(model, f"cpu-{DEVICES}", proposals=200, seed=1)
    found = [op["name"] for op in plan.strategy["ops"]
             if sorted(op.get("degrees", {}).values()) == [2, 4] and op["devices"] == list(range(DEVICES))]
    # Of the activation, and of its gradient.
    assert len(found) >= 2, plan.strategy
    equal(*run_in_soap(plan, params, x, y), *steps(jax.jit(step), params, x, y))
    return f"kept on {', '.join(found)}"


def sixteen_bits():
    """A step with bf16 and f16 arrays of JAX: arguments and results are f32 in Soap."""
    for kind, tolerance in ((jnp.bfloat16, 2e-2), (jnp.float16, 2e-3)):
        w, x = jnp.asarray(normal(8, 8, scale=0.3), kind), jnp.asarray(normal(16, 8), kind)

        def step(params, x):
            loss, gradient = jax.value_and_grad(lambda w: jnp.mean(jnp.tanh(x @ w).astype(jnp.float32) ** 2))(params["w"])
            return {"w": params["w"] - gradient}, loss

        plan = soap.apply_strategy(soap.from_jax(step, {"w": w}, x), f"cpu-{DEVICES}", "data-parallel")
        session = plan.model.compile()
        plan.model.restore(session)
        loss = session.run(next(iter(session.entries)), {"x": x})
        expected, expected_loss = step({"w": w}, x)
        np.testing.assert_allclose(next(iter(loss.values())), expected_loss, rtol=tolerance)
        np.testing.assert_allclose(session["params.w"], np.asarray(expected["w"], np.float32), atol=tolerance)
        sharded, _ = soap.jax.jit(step, plan)({"w": w}, x)
        assert sharded["w"].dtype == kind
        np.testing.assert_allclose(np.asarray(sharded["w"], np.float32), np.asarray(expected["w"], np.float32), atol=tolerance)
    return "equal"


def pipeline():
    """A plan of two stages on two devices each."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pipeline.json")
        step = soap.generate("lenet").build_training_step()
        step.run_passes(f"soap-pipeline{{topology=cpu-4 stages=2 microbatches=4 inside=data-parallel export={path}}}")
        return soap.apply_strategy(step, "cpu-4", path)


def bad_input():
    """Messages for programs and plans that do not fit."""
    for text, call in (
        ("expected a plan of a model that soap.from_jax made",
         lambda: soap.jax.jit(abs, soap.apply_strategy(soap.generate("lenet"), "cpu-2", "single"))),
        ("the plan has 16 devices, got 8",
         lambda: soap.jax.mesh(soap.apply_strategy(soap.generate("lenet"), "cpu-16", "data-parallel"))),
        ("2 stages on 2 groups of devices, and no mesh of all devices", lambda: soap.jax.shardings(pipeline())),
        ("cholesky", lambda: soap.from_jax(jnp.linalg.cholesky, np.eye(4, dtype=np.float32))),
    ):
        try:
            call()
        except Exception as error:
            assert text in str(error), f"expected {text!r} in {error!r}"
        else:
            raise AssertionError(f"expected {text!r}, got no exception")
    return "refused"


def main():
    warnings.simplefilter("ignore", soap.SoapWarning)
    if len(jax.devices()) != DEVICES:
        sys.exit(f"expected {DEVICES} devices of JAX, got {len(jax.devices())}")
    core = sys.argv[1:] == ["--core"]
    passed = failed = 0
    for make in (mlp, transformer) if core else (mlp, conv, transformer, mixture):
        try:
            checks = list(check(make))
        except Exception:
            failed += 2
            print(f"{make.__name__}: FAILED")
            traceback.print_exc(file=sys.stdout)
            continue
        for name, compare in checks:
            try:
                print(f"{make.__name__}, {name}: equal; {compare()}")
                passed += 1
            except Exception:
                failed += 1
                print(f"{make.__name__}, {name}: FAILED")
                traceback.print_exc(file=sys.stdout)
    others = (names_and_trees, inner_shardings, constraints, sixteen_bits, bad_input)
    for one in others:
        try:
            print(f"{one.__name__}: {one()}")
            passed += 1
        except Exception:
            failed += 1
            print(f"{one.__name__}: FAILED")
            traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
