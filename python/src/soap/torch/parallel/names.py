# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of weights in a module, and in what `parallelize` has made of it."""

from __future__ import annotations

from typing import Mapping

import torch


class Names:
    """Weights of products that were taken apart are whole again under the module's names."""

    def __init__(self) -> None:
        #: By the path of a product: how many parts it has, and whether its weight was transposed.
        self.products: dict[str, tuple[int, bool]] = {}
        #: Further names of tied weights, by the name that a stage has.
        self.tied: dict[str, list[str]] = {}

    def original(self, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        result = dict(state)
        for path, (parts, is_transposed) in self.products.items():
            for kind in ("weight", "bias"):
                keys = [f"{path}.parts.{i}.{kind}" for i in range(parts)] if parts > 1 else [f"{path}.{kind}"]
                if keys[0] not in result:
                    continue
                value = torch.cat([result.pop(key) for key in keys])
                result[f"{path}.{kind}"] = value.t().contiguous() if is_transposed and kind == "weight" else value
        for key, others in self.tied.items():
            if key in result:
                result.update((other, result[key]) for other in others)
        return result

    def changed(self, state: Mapping[str, torch.Tensor], wanted: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        result = dict(state)
        for path, (parts, is_transposed) in self.products.items():
            for kind in ("weight", "bias"):
                key = f"{path}.{kind}"
                if key not in result:
                    continue
                value = result.pop(key)
                value = value.t() if is_transposed and kind == "weight" else value
                for i, part in enumerate(value.chunk(parts)):
                    result[f"{path}.parts.{i}.{kind}" if parts > 1 else key] = part
        return {key: value for key, value in result.items() if key in wanted}
