# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans as files of frameworks, and back."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

from ..hybrid import Plan
from ..network import Network
from . import deepspeed, fsdp, maxtext, megatron, torchtitan
from .setup import Setup, gaps

EXECUTORS: dict[str, ModuleType] = {module.NAME: module for module in (megatron, torchtitan, fsdp, deepspeed, maxtext)}


def setup_of(plan: Plan, length: int, per_machine: int) -> Setup:
    """One level of recomputation, or none where stages differ; ZeRO over one holder of the weights is none."""
    shape, levels = plan.shape, set(plan.recompute_by_stage())
    if len(levels) == 1:
        shape = replace(shape, recompute=levels.pop())
    if shape.data * shape.context == 1:
        shape = replace(shape, zero=0)
    if shape.tensor == 1:
        shape = replace(shape, sequence=False)
    return Setup(shape, plan.batch, length, per_machine)


def missing(executor: ModuleType, setup: Setup, network: Network) -> tuple[list[str], Setup | None]:
    """The parts of a setup that an executor cannot say, and the nearest setup that it can."""
    lack = executor.lacks(network)
    if lack:
        return [lack], None
    return gaps(executor.RULES, setup, network)
