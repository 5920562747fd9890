# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keywords that a function does not have."""

from __future__ import annotations

import difflib
import functools
import inspect
from typing import Any, Callable, Iterable, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`, did you mean 'epochs'?`; nothing where no name is near."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f", did you mean {near[0]!r}?" if near else ""


def names_nearest(function: Function) -> Function:
    """The function, whose error for an unknown keyword names the nearest one that it has."""
    known = [name for name in inspect.signature(function).parameters if name != "self"]

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        for name in options:
            if name not in known:
                raise TypeError(f"{function.__name__}() has no argument {name!r}"
                                + (did_you_mean(name, known) or f", expected {', '.join(known)}"))  # fmt: skip
        return function(*args, **options)

    return call  # type: ignore[return-value]
