# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: modules in, trained weights and DTensor placements out."""

from __future__ import annotations

import torch

from .._versions import check_version

check_version("torch", torch.__version__)

from .model import TorchModel, from_torch  # noqa: E402
from .placements import distribute, distribute_input, distribute_like, mesh, placements  # noqa: E402

__all__ = [
    "TorchModel",
    "distribute",
    "distribute_input",
    "distribute_like",
    "from_torch",
    "mesh",
    "placements",
]
