# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How to train a model on a cluster: the command soap-plan, and `plan`.

Nothing here needs the extension module: the tools of a build or an installation do the work."""

from .answer import Answer
from .errors import PlanError
from .objects import plan

__all__ = ["Answer", "PlanError", "plan"]
