# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of weights in a module, and in what `parallelize` makes of it."""

from __future__ import annotations

import re
from typing import Mapping

import torch
from torch import nn


class Names:
    """Taken before a module is changed."""

    def __init__(self, module: nn.Module):
        self.keys = list(module.state_dict(keep_vars=True))
        first: dict[int, str] = {}
        #: The first name of each parameter, by all its names.
        self.first = {name: first.setdefault(id(parameter), name)
                      for name, parameter in module.named_parameters(remove_duplicate=False)}  # fmt: skip
        #: By the path of a product that was changed: how many parts it has now, and whether its weight was transposed.
        self.products: dict[str, tuple[int, bool]] = {}

    def whole(self, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Tensors by their names in the module, from those by names in what was made of it, or in a stage."""
        found = {plain(key): value for key, value in state.items()}
        for path, (parts, is_transposed) in self.products.items():
            for kind in ("weight", "bias"):
                keys = [f"{path}.parts.{i}.{kind}" for i in range(parts)] if parts > 1 else [f"{path}.{kind}"]
                if keys[0] in found:
                    value = torch.cat([found.pop(key) for key in keys])
                    found[f"{path}.{kind}"] = value.t().contiguous() if is_transposed and kind == "weight" else value
        by_first = {self.first.get(key, key): value for key, value in found.items()}
        names = {key: self.first.get(key, key) for key in self.keys}
        return {key: by_first[name] for key, name in names.items() if name in by_first}

    def parts(self, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """The reverse."""
        found = dict(state)
        for path, (parts, is_transposed) in self.products.items():
            for kind in ("weight", "bias"):
                key = f"{path}.{kind}"
                if key in found:
                    value = found.pop(key).t() if is_transposed and kind == "weight" else found.pop(key)
                    pieces = value.chunk(parts)
                    found.update((f"{path}.parts.{i}.{kind}" if parts > 1 else key, piece) for i, piece in enumerate(pieces))
        return found


def plain(name: str) -> str:
    """A module that is called twice is two in a graph."""
    return re.sub(r"@\d+", "", name)
