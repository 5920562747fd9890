# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hybrid plans on PyTorch's own engine: FSDP2, DTensor, activation checkpointing, `torch.distributed.pipelining`."""

from __future__ import annotations

from .api import engine_mesh, parallelize
from .training import Parallel

__all__ = ["Parallel", "engine_mesh", "parallelize"]
