# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a file for an executor says, and what an executor cannot say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd
from typing import Callable

from ..errors import PlanError
from ..hybrid import Shape
from ..network import Network


@dataclass(frozen=True)
class Setup:
    """A plan as executors take it: the shape with one level of recomputation, the batch, the length, the machines.
    0: the file does not say."""

    shape: Shape
    batch: int
    length: int
    per_machine: int

    @property
    def microbatches(self) -> int:
        return self.shape.microbatches(self.batch)

    @property
    def machines(self) -> int:
        return -(-self.shape.devices // self.per_machine) if self.per_machine else 1


@dataclass(frozen=True)
class Gap:
    """A part of a plan that an executor cannot say, and the nearest shape that it can; none: nothing is near."""

    what: str
    nearest: Shape | None


#: A rule: what of a setup an executor cannot say.
Rule = Callable[[Setup, Network], Gap | None]


def no_stages(setup: Setup, _: Network) -> Gap | None:
    """Stages become replicas."""
    shape = setup.shape
    if shape.stages == 1:
        return None
    data = shape.data * shape.stages
    return Gap(f"{shape.stages} pipeline stages", replace(shape, stages=1, chunks=1, data=data, zero=3,
                                                          samples=_fitting(setup.batch, data, shape.samples)))  # fmt: skip


def no_tensor(setup: Setup, _: Network) -> Gap | None:
    shape = setup.shape
    if shape.tensor == 1:
        return None
    data = shape.data * shape.tensor
    return Gap(f"tensor parallelism over {shape.tensor} devices",
               replace(shape, tensor=1, sequence=False, data=data, samples=_fitting(setup.batch, data, shape.samples)))  # fmt: skip


def no_experts(setup: Setup, _: Network) -> Gap | None:
    if setup.shape.experts == 1:
        return None
    return Gap(f"experts that {setup.shape.experts} replicas share", replace(setup.shape, experts=1))


def no_overlap(setup: Setup, _: Network) -> Gap | None:
    if not setup.shape.overlap:
        return None
    return Gap("a forward and a backward pass side by side", replace(setup.shape, overlap=False))


def no_context(setup: Setup, _: Network) -> Gap | None:
    shape = setup.shape
    if shape.context == 1:
        return None
    data = shape.data * shape.context
    return Gap(f"sequences split over {shape.context} devices",
               replace(shape, context=1, zigzag=False, data=data, samples=_fitting(setup.batch, data, shape.samples)))  # fmt: skip


def context_is_zigzag(setup: Setup, _: Network) -> Gap | None:
    if setup.shape.context == 1 or setup.shape.zigzag:
        return None
    return Gap("sequences that are split without an early and a late part", replace(setup.shape, zigzag=True))


def is_even(setup: Setup, _: Network) -> Gap | None:
    """Every replica has as many samples in each microbatch."""
    shape, batch = setup.shape, setup.batch
    if shape.is_even(batch):
        return None
    samples = _fitting(batch, shape.data, shape.samples)
    near = replace(shape, samples=samples) if batch % (shape.data * samples) == 0 else None
    if near and not near.is_even(batch):
        near = None
    unit = shape.data * shape.samples
    low, high = max(batch // unit, 1) * unit, -(-batch // unit) * unit
    return Gap(f"a batch of {batch}, as {shape.data} replicas have {shape.samples} at a time (--global-batch "
               + (f"{low} or {high}" if low != high else f"{high}") + " would do)", near)  # fmt: skip


def recompute_all_or_nothing(setup: Setup, _: Network) -> Gap | None:
    level = setup.shape.recompute
    if level in ("none", "whole"):
        return None
    what = "recomputation of all but products with weights" if level == "selective" else "recomputation stage by stage"
    return Gap(what, replace(setup.shape, recompute="whole"))


def one_recompute(setup: Setup, _: Network) -> Gap | None:
    if setup.shape.recompute is not None:
        return None
    return Gap("recomputation stage by stage", replace(setup.shape, recompute="whole"))


def no_offload(setup: Setup, _: Network) -> Gap | None:
    if not setup.shape.offload:
        return None
    return Gap("optimizer states alone in host memory", replace(setup.shape, offload=False))


def whole_heads(setup: Setup, network: Network) -> Gap | None:
    """Members of a tensor-parallel group have as many heads of queries, and of keys or a key's copies."""
    shape, sizes = setup.shape, network.sizes
    if sizes.heads % shape.tensor == 0 and (sizes.kv_heads % shape.tensor == 0 or shape.tensor % sizes.kv_heads == 0):
        return None
    tensor = max(n for n in range(1, shape.tensor) if shape.tensor % n == 0 and sizes.heads % n == 0
                 and (sizes.kv_heads % n == 0 or n % sizes.kv_heads == 0))  # fmt: skip
    data = shape.data * shape.tensor // tensor
    return Gap(f"{sizes.heads} heads, {sizes.kv_heads} of keys, over {shape.tensor} devices",
               replace(shape, tensor=tensor, sequence=shape.sequence and tensor > 1, data=data,
                       samples=_fitting(setup.batch, data, shape.samples)))  # fmt: skip


def whole_layers(setup: Setup, network: Network) -> Gap | None:
    """Every stage has as many layers."""
    shape, layers = setup.shape, network.sizes.layers
    if layers % (shape.stages * shape.chunks) == 0:
        return None
    if layers % shape.stages == 0:
        return Gap(f"{layers} layers in {shape.stages * shape.chunks} stages", replace(shape, chunks=1))
    fewer = max(n for n in range(1, shape.stages + 1) if layers % n == 0 and shape.devices % n == 0)
    data = shape.data * shape.stages // fewer
    near = replace(shape, stages=fewer, chunks=1, data=data, experts=gcd(shape.experts, data),
                   samples=_fitting(setup.batch, data, shape.samples))  # fmt: skip
    return Gap(f"{layers} layers in {shape.stages} stages", near if near.devices == shape.devices else None)


def _fitting(batch: int, replicas: int, most: int) -> int:
    """The most samples up to `most` that divide a replica's part of the batch; else 1."""
    part = batch // replicas
    return max((n for n in range(1, most + 1) if part and part % n == 0), default=1)


def gaps(rules: list[Rule], setup: Setup, network: Network) -> tuple[list[str], Setup | None]:
    """The parts that rules miss, and the nearest setup without them; none where nothing is near."""
    missed: list[str] = []
    for _ in range(2 * len(rules)):
        for rule in rules:
            gap = rule(setup, network)
            if gap:
                missed.append(gap.what)
                if gap.nearest is None:
                    return missed, None
                setup = replace(setup, shape=gap.nearest)
                break
        else:
            return missed, setup
    return missed, None


def number(values: dict, key: str, where: str, default: int | None = None) -> int:
    """A whole number of a parsed file."""
    value = values.get(key, default)
    try:
        if isinstance(value, bool) or int(value) != float(value):
            raise ValueError
        return int(value)
    except (TypeError, ValueError):
        got = f"got {value!r}" if key in values else "it is missing"
        raise PlanError(f"{where}: '{key}': expected a whole number, {got}") from None
