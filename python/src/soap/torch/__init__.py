# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: modules in, trained weights, DTensor placements and modules on several processes out."""

from __future__ import annotations

from typing import Any

import torch

from .._versions import check_version

check_version("torch", torch.__version__)

from .model import TorchModel, from_torch  # noqa: E402
from .placements import distribute, distribute_input, distribute_like, mesh, placements  # noqa: E402

#: Of the folder `parallel`, which needs torch.distributed, and more time to import.
_ENGINE = ("Parallel", "engine_mesh", "parallelize")


def __getattr__(name: str) -> Any:
    if name in _ENGINE:
        from . import parallel

        return getattr(parallel, name)
    raise AttributeError(f"module 'soap.torch' has no attribute {name!r}")


__all__ = [
    "Parallel",
    "TorchModel",
    "distribute",
    "distribute_input",
    "distribute_like",
    "engine_mesh",
    "from_torch",
    "mesh",
    "parallelize",
    "placements",
]
