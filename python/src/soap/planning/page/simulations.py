# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Simulations side by side, of which a time limit leaves out the last ones."""

from __future__ import annotations

import os
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Callable

from ..errors import OutOfTime

#: Of large plans each takes up to gigabytes.
MOST_AT_ONCE = 4


class Simulations:
    def __init__(self, seconds: float) -> None:
        """`seconds`: 0: no limit."""
        self.end = time.monotonic() + seconds if seconds else None
        self.pool = ThreadPoolExecutor(min(os.cpu_count() or 1, MOST_AT_ONCE))

    def start(self, call: Callable[[float | None], Any]) -> Future[Any]:
        """`call` gets the seconds that are left; its future has OutOfTime where there are none."""
        return self.pool.submit(self._run, call)

    def left(self) -> float | None:
        """Seconds, None without a limit; OutOfTime where there are none."""
        if self.end is None:
            return None
        left = self.end - time.monotonic()
        if left <= 0:
            raise OutOfTime("the time limit")
        return left

    def _run(self, call: Callable[[float | None], Any]) -> Any:
        return call(self.left())
