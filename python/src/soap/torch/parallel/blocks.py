# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The repeated blocks of a module: units of sharding, of recomputation and of pipeline stages."""

from __future__ import annotations

from torch import nn

from ...planning.errors import PlanError


def repeated_blocks(module: nn.Module) -> dict[str, nn.Module]:
    """Children of lists (ModuleList, Sequential, ModuleDict) that have several ones of one class with parameters, by
    path in the order of registration; lists inside blocks have none."""
    found: dict[str, nn.Module] = {}

    def look(parent: nn.Module, path: str) -> None:
        children = [(name, child) for name, child in parent.named_children() if has_parameters(child)]
        kinds = [type(child) for _, child in children]
        is_list = isinstance(parent, (nn.ModuleList, nn.Sequential, nn.ModuleDict))
        for name, child in children:
            inner = f"{path}.{name}" if path else name
            if is_list and kinds.count(type(child)) > 1:
                found[inner] = child
            else:
                look(child, inner)

    look(module, "")
    return found


def has_parameters(module: nn.Module) -> bool:
    return next(module.parameters(), None) is not None


def stage_starts(blocks: list[str], stages: int) -> list[str]:
    """The first blocks of all stages but the first; stages have equally many blocks, or one more."""
    if len(blocks) < stages:
        raise PlanError(f"parallelize: {stages} pipeline stages need as many repeated blocks, and the module has "
                        f"{len(blocks)} (children of one class in a ModuleList or Sequential); the nearest plan has "
                        f"{max(len(blocks), 1)} stages")  # fmt: skip
    return [blocks[len(blocks) * stage // stages] for stage in range(1, stages)]
