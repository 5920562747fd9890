# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plan.html: a plan as one page, with everything in it (docs/PlanReport.md)."""

from .answer import page_of_answer
from .module import page_of_module

__all__ = ["page_of_answer", "page_of_module"]
