# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines of repeated blocks in JAX, as hybrid plans have them.

Each group of devices holds a run of the blocks, or several where stages go round the groups. A tick computes one
microbatch on every group, and `ppermute` passes the results on. In ticks that fill and drain the pipeline, a group
computes what nothing reads. Its inputs are microbatches then, too, so that no such value is infinite: a gradient times
0 would not be a number."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any, Callable, Sequence

import jax as _jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from .planning.errors import PlanError
from .planning.executors.setup import Gap, Rule, Setup, is_even, no_context, no_experts, no_offload, no_overlap, no_tensor
from .planning.keywords import names_nearest
from .planning.recipe import Recipe, read_recipe

_logger = logging.getLogger("soap")
_lax, _tree = _jax.lax, _jax.tree_util


class Pipeline:
    """A function of stacked blocks and a batch, which runs as the pipeline of a plan. `soap.jax.pipeline` makes one."""

    def __init__(self, block: Callable[[Any, Any], Any], recipe: Recipe, mesh: Any):
        self._recipe = recipe
        #: With the dims `stage` and `data`.
        self.mesh = mesh
        self.microbatches = recipe.microbatches
        self._block = _jax.checkpoint(block) if recipe.recompute[0] == "whole" else block

    def shardings(self, blocks: Any) -> Any:
        """Where stacked blocks lie: each group of devices has its own."""
        return self._shardings(blocks, replicas=1)

    def state_shardings(self, blocks: Any) -> Any:
        """Where states of the optimizer for stacked blocks lie: with ZeRO-1 the replicas of a group share them, along
        the first dim of a block that they divide."""
        return self._shardings(blocks, replicas=self._recipe.shape.data if self._recipe.shape.zero else 1)

    def _shardings(self, blocks: Any, replicas: int) -> Any:
        first = list(self._spec)

        def sharding(leaf: Any) -> NamedSharding:
            rest = leaf.shape[len(first) :]
            cut = next((i for i, extent in enumerate(rest) if extent % replicas == 0), None) if replicas > 1 else None
            dims = [*first, *("data" if i == cut else None for i in range(len(rest)))]
            return NamedSharding(self.mesh, PartitionSpec(*dims))

        return _tree.tree_map(sharding, blocks)

    @property
    def _spec(self) -> PartitionSpec:
        """Of stacked blocks."""
        return PartitionSpec("stage") if self._recipe.shape.chunks == 1 else PartitionSpec(None, "stage")

    def __call__(self, blocks: Any, batch: Any) -> Any:
        """The batch after all blocks, on all groups of devices. The first dim of each array of `blocks` counts the
        blocks; where stages go round the groups, the first dim counts the rounds, and the second one the blocks of a
        round. The first dim of `batch` counts the samples."""
        shape, samples = self._recipe.shape, self._recipe.batch
        rounds = [shape.chunks] if shape.chunks > 1 else []
        for path, leaf in _tree.tree_flatten_with_path(blocks)[0]:
            count = len(rounds)
            if len(leaf.shape) <= count or [*leaf.shape[:count]] != rounds or leaf.shape[count] % shape.stages:
                words = f"{shape.chunks} rounds in the first dim, and in the second one" if rounds else "in the first dim"
                raise ValueError(f"blocks{_tree.keystr(path)}: expected stacked blocks, {words} a multiple of "
                                 f"{shape.stages} stages, got shape {list(leaf.shape)}")  # fmt: skip
        if not batch.shape or batch.shape[0] != samples:
            raise ValueError(f"batch: expected the {samples} samples of the plan in the first dim, got shape {list(batch.shape)}")
        split = PartitionSpec("data")
        run = _jax.shard_map(self._run, mesh=self.mesh, in_specs=(self._spec, split), out_specs=split, check_vma=False)
        return run(blocks, batch)

    def _run(self, blocks: Any, batch: Any) -> Any:
        """The program of a device: its blocks, for its samples."""
        stages, rounds, count = self._recipe.shape.stages, self._recipe.shape.chunks, self.microbatches
        parts = batch.reshape(count, -1, *batch.shape[1:])
        group = _lax.axis_index("stage")
        ring = [(i, (i + 1) % stages) for i in range(stages if rounds > 1 else stages - 1)]
        if rounds == 1:
            blocks = _tree.tree_map(lambda leaf: leaf[None], blocks)

        def tick(received: Any, number: Any) -> tuple[Any, Any]:
            # As many microbatches as groups go through all rounds, then the next ones.
            place = _jax.numpy.clip(number - group, 0, count * rounds - 1)
            turn = place // stages % rounds if rounds > 1 else 0
            microbatch = place // (stages * rounds) * stages + place % stages if rounds > 1 else place
            part = _lax.dynamic_index_in_dim(parts, microbatch, keepdims=False)
            value = _jax.numpy.where((group == 0) & (turn == 0), part, received)
            own = _tree.tree_map(lambda leaf: _lax.dynamic_index_in_dim(leaf, turn, keepdims=False), blocks)
            result = _lax.scan(lambda value, block: (self._block(block, value), None), value, own)[0]
            return _lax.ppermute(result, "stage", ring), result

        _, results = _lax.scan(tick, parts[0], _jax.numpy.arange(count * rounds + stages - 1))
        numbers = np.arange(count)
        # The tick in which the last group ends the last round of each microbatch.
        ends = numbers + stages - 1
        if rounds > 1:
            ends = numbers // stages * stages * rounds + (rounds - 1) * stages + numbers % stages + stages - 1
        last = _jax.numpy.where(group == stages - 1, results[ends], 0)
        return _lax.psum(last, "stage").reshape(batch.shape)


@names_nearest
def pipeline(
    block: Callable[[Any, Any], Any], plan: Any, devices: Sequence[Any] | None = None, *, kind: str | None = None
) -> Pipeline:
    """A function `run(blocks, batch)` that equals `jax.lax.scan` of `block(parameters, value)` over stacked parameters,
    and runs as the pipeline of a hybrid plan, by `shard_map` and `ppermute`. It stands in a step that is jitted and
    differentiated; what is before and behind the blocks XLA distributes.

    `plan` is the plan.json of `soap-plan`, the folder that has it, or the answer of `soap.plan`; `kind` is a row of its
    table. Value and result of a block have one shape and type, with samples along the first dim. All groups compute in
    all ticks; the backward pass follows the whole forward pass (GPipe), so a device holds what blocks keep of all
    microbatches. A `PlanError` names what of the plan JAX does not run so, and the nearest plan that it does."""
    recipe = read_recipe(plan, kind, "soap.jax.pipeline", RULES, ("bf16", "f16", "f32"))
    shape = recipe.shape
    levels = set(recipe.recompute)
    if len(levels) > 1 or "selective" in levels:
        raise PlanError(f"plan: soap.jax.pipeline cannot run recomputation of {', '.join(recipe.recompute)} by stage: all "
                        "groups run one program; the nearest is 'whole' for all stages, or 'none'")  # fmt: skip
    given = list(devices if devices is not None else _jax.devices())
    if len(given) < shape.devices:
        raise ValueError(f"the plan has {shape.devices} devices, got {len(given)}")
    grid = np.array(given[: shape.devices], dtype=object).reshape(shape.stages, shape.data)
    if recipe.microbatches > shape.stages and "none" in levels:
        _logger.warning("soap.jax.pipeline: the backward pass follows the whole forward pass: devices hold activations of "
                        "%d microbatches, the plan's 1F1B of at most %d", recipe.microbatches, shape.stages)  # fmt: skip
    return Pipeline(block, recipe, _jax.sharding.Mesh(grid, ("stage", "data")))


def _some_stages(setup: Setup, _: Any) -> Gap | None:
    return Gap("a plan without stages, which is a mesh", None) if setup.shape.stages == 1 else None


def _whole_weights(setup: Setup, _: Any) -> Gap | None:
    shape = setup.shape
    return None if shape.zero < 2 else Gap(f"ZeRO-{shape.zero} with stages", replace(shape, zero=1))


RULES: list[Rule] = [_some_stages, no_offload, no_overlap, no_experts, no_tensor, no_context, _whole_weights, is_even]
