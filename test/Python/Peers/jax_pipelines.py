# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines of repeated blocks in JAX, on eight devices of the host: values and gradients equal a scan over the blocks,
microbatches travel by permutations, and plans that are none of such blocks are refused. Run by
scripts/test-peers.sh and test/Python/jax_devices.py. The last line is "N passed, N failed"."""
import json
import logging
import os
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import jax_programs
import soap
import soap.jax

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from runner import raises, run, test  # noqa: E402

BATCH, LENGTH, WIDTH = 32, jax_programs.T, jax_programs.D


def plan_of(batch=BATCH, **shape):
    return {"best": shape, "global_batch": batch, "precision": "f32"}


def blocks_of(count):
    return jax.tree.map(lambda *one: np.stack(one), *(jax_programs.block_params(10 * i) for i in range(count)))


def scanned(block, rounds):
    """A scan over stacked blocks, in rounds or not."""

    def through(blocks, x):
        if rounds > 1:
            blocks = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), blocks)
        return lax.scan(lambda x, one: (block(one, x), None), x, blocks)[0]

    return through


def steps(block, run, rounds):
    """Value and gradients of a step around the blocks, by a scan and by a pipeline."""

    def step(through):
        def loss(weights, x):
            return jnp.mean((through(weights["blocks"], x @ weights["in"]) @ weights["out"]) ** 2)

        return jax.value_and_grad(loss)

    return jax.jit(step(scanned(block, rounds))), jax.jit(step(run))


def in_rounds(blocks, rounds):
    return jax.tree.map(lambda leaf: leaf.reshape(rounds, -1, *leaf.shape[1:]), blocks) if rounds > 1 else blocks


def weights_of(blocks):
    return {"in": jax_programs.w(WIDTH, WIDTH, seed=1), "blocks": blocks, "out": jax_programs.w(WIDTH, 8, seed=2)}


def same(ours, theirs, tolerance=1e-5):
    for (path, a), b in zip(jax.tree_util.tree_flatten_with_path(ours)[0], jax.tree.leaves(theirs), strict=True):
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        assert np.linalg.norm(a - b) <= tolerance * np.linalg.norm(b), (jax.tree_util.keystr(path), a, b)


def unguarded(p, h):
    """A block whose value and gradient at zeros are no numbers."""
    return h + (h / jnp.sqrt(jnp.mean(h**2, -1, keepdims=True))) @ p["w"]


@test
def pipelines_equal_scans():
    x = jax_programs.n(BATCH, LENGTH, WIDTH)
    plain = {"w": jax_programs.w(8, WIDTH, WIDTH)}
    for block, blocks, shape in [
        (jax_programs.llama_block, blocks_of(4), {"stages": 4, "data": 2, "samples": 4}),
        (jax_programs.gpt_block, blocks_of(12), {"stages": 2, "data": 2, "samples": 4, "chunks": 3}),
        (unguarded, plain, {"stages": 2, "data": 1, "samples": 8, "recompute": "whole"}),
        (unguarded, plain, {"stages": 8, "data": 1, "samples": 1}),
        (unguarded, plain, {"stages": 2, "data": 4, "samples": 8}),  # one microbatch
        (unguarded, plain, {"stages": 4, "data": 2, "samples": 2}),
        (unguarded, plain, {"stages": 4, "data": 2, "samples": 2, "chunks": 2, "recompute": "whole"}),
    ]:
        rounds = shape.get("chunks", 1)
        run = soap.jax.pipeline(block, plan_of(**shape))
        scan, pipelined = steps(block, run, rounds)
        weights = weights_of(in_rounds(blocks, rounds))
        compiled = pipelined.lower(weights, x).compile()
        same(compiled(weights, x), scan(weights, x))
        # Every tick each pair of groups passes a microbatch on, forward and backward.
        moved = soap.jax.hlo_collectives(compiled)["point-to-point"]
        microbatch = 4 * shape["samples"] * LENGTH * WIDTH
        pairs = shape["stages"] - (rounds == 1)  # in rounds, the last group passes on to the first one
        assert moved == {"count": 2, "bytes": 2 * pairs * shape["data"] * microbatch}, (shape, moved)


@test
def weights_and_states_stay_where_their_blocks_are():
    for rounds in (1, 2):
        run = soap.jax.pipeline(unguarded, plan_of(stages=4, data=2, samples=4, zero=1, chunks=rounds))
        blocks = in_rounds({"w": jax_programs.w(8, WIDTH, WIDTH)}, rounds)
        held = jax.tree.map(jax.device_put, blocks, run.shardings(blocks))
        states = jax.tree.map(jax.device_put, jax.tree.map(np.zeros_like, blocks), run.state_shardings(blocks))
        for part, states_of_one, whole in zip(jax.tree.leaves(held), jax.tree.leaves(states), jax.tree.leaves(blocks)):
            assert all(shard.data.size * 4 == whole.size for shard in part.addressable_shards), whole.shape
            assert all(shard.data.size * 8 == whole.size for shard in states_of_one.addressable_shards), whole.shape
            # Devices 0 and 1 are the first group.
            np.testing.assert_array_equal(part.addressable_shards[1].data, whole[:2] if rounds == 1 else whole[:, :1])

        def update(weights, momentum, x, run=run):
            gradient = jax.grad(lambda blocks: jnp.mean(run(blocks, x) ** 2))(weights)
            momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradient)
            return jax.tree.map(lambda w, m: w - 0.1 * m, weights, momentum), momentum

        places = (run.shardings(blocks), run.state_shardings(blocks))
        x = jax_programs.n(BATCH, LENGTH, WIDTH)
        step = jax.jit(update, in_shardings=(*places, None), out_shardings=places)
        new, momentum = step(held, states, x)
        scan = scanned(unguarded, rounds)
        wanted = jax.jit(jax.grad(lambda blocks, scan=scan: jnp.mean(scan(blocks, x) ** 2)))(blocks)
        same(momentum, wanted)
        same(new, jax.tree.map(lambda w, g: w - 0.1 * g, blocks, wanted))


@test
def answers_are_plans():
    answer = soap.plan("gpt2", "h100-8", global_batch=64, seq_length=128, time_limit=0)
    raises(soap.PlanError, "expected ", lambda: soap.jax.pipeline(jax_programs.gpt_block, answer, kind="none"))
    rows = answer.as_json()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "plan.json"), "w", encoding="utf-8") as file:
            json.dump(rows, file)
        ran = 0
        for kind, plan in answer.kinds.items():
            shape = plan.shape
            call = lambda: soap.jax.pipeline(jax_programs.gpt_block, folder, kind=kind)
            if shape.stages == 1:
                raises(soap.PlanError, "a plan without stages, which is a mesh", call)
            elif shape.tensor > 1:
                raises(soap.PlanError, f"tensor parallelism over {shape.tensor} devices", call)
            else:
                blocks = in_rounds(blocks_of(shape.stages * shape.chunks), shape.chunks)
                x = jax_programs.n(64, LENGTH, WIDTH)
                same(jax.jit(call())(blocks, x), jax.jit(scanned(jax_programs.gpt_block, shape.chunks))(blocks, x))
                ran += 1
        assert ran, answer.kinds


@test
def bad_plans_and_arguments():
    block = jax_programs.gpt_block
    for text, plan in [
        ("ZeRO-3 with stages", plan_of(stages=2, data=2, samples=8, zero=3)),
        ("sequences split over 2 devices", plan_of(stages=2, context=2, samples=8)),
        ("recomputation of selective, selective by stage", plan_of(stages=2, samples=8, recompute="selective")),
        ("expected a plan.json, or an answer of soap.plan, got a int", 3),
    ]:
        raises(soap.PlanError, text, lambda plan=plan: soap.jax.pipeline(block, plan))
    raises(ValueError, "the plan has 16 devices, got 8", lambda: soap.jax.pipeline(block, plan_of(stages=16, samples=2)))
    raises(TypeError, "did you mean 'devices'?", lambda: soap.jax.pipeline(block, plan_of(stages=2, samples=2), device=[]))
    run = soap.jax.pipeline(block, plan_of(stages=2, data=2, samples=8))
    x = jax_programs.n(BATCH, LENGTH, WIDTH)
    raises(ValueError, "expected stacked blocks, in the first dim a multiple of 2 stages, got shape [3, ",
           lambda: run(blocks_of(3), x))  # fmt: skip
    rounds = soap.jax.pipeline(block, plan_of(stages=2, data=2, samples=4, chunks=2))
    raises(ValueError, "expected stacked blocks, 2 rounds in the first dim, and in the second one a multiple of 2 stages",
           lambda: rounds(blocks_of(4), x))  # fmt: skip
    raises(ValueError, "batch: expected the 32 samples of the plan in the first dim, got shape [16, ",
           lambda: run(blocks_of(4), x[:16]))  # fmt: skip
    function, args, options = jax_programs.PROGRAMS["llama"]()
    model = soap.from_jax(function, *args, **options)
    staged = model.run_passes("soap-pipeline{topology=cpu-8 stages=4 microbatches=4 inside=data-parallel function=main}")
    plan = soap.Plan(staged, None, "main")
    for call in (lambda: soap.jax.jit(function, plan), lambda: soap.jax.put(plan, *args), lambda: soap.jax.shardings(plan)):
        raises(ValueError, "soap.jax.pipeline(block, soap.plan(...)) runs stages of repeated blocks", call)


def main():
    logging.getLogger("soap").setLevel(logging.ERROR)
    return run()


if __name__ == "__main__":
    sys.exit(main())
