# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user can do something about."""

from __future__ import annotations


class PlanError(Exception):
    """Bad input: where, what, and what was expected."""


class OutOfTime(PlanError):
    """A time limit has ended a tool."""


def listed(names: list[str] | tuple[str, ...], last: str = "or") -> str:
    """`a, b or c`."""
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + f" {last} {names[-1]}"
