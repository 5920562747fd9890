# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the threads of kernels wait for each other, which their library reads from the environment as it is loaded."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Iterator


@contextmanager
def sleeping_threads() -> Iterator[None]:
    """While the library is loaded: threads that wait go to sleep, unless the user says otherwise. Threads that
    spin take the cores from the others where other programs run, and a step takes a thousand times as long."""
    if "OMP_WAIT_POLICY" in os.environ or "GOMP_SPINCOUNT" in os.environ:
        yield
        return
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        yield
    finally:
        del os.environ["OMP_WAIT_POLICY"]
