# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the ops of ATen are in the soap dialect: a table of handlers by the op's name, a module for each family.

A handler gets the builder and the op's arguments, of which tensors are `Value`s or known `torch.Tensor`s, and returns
the op's result, or a tuple of several."""

from __future__ import annotations

from typing import Any, Callable

Handler = Callable[..., Any]

#: By the name of the op, for all its overloads: "aten.add".
HANDLERS: dict[str, Handler] = {}


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Enters a handler under the names."""

    def enter(handler: Handler) -> Handler:
        for name in names:
            HANDLERS[name if "." in name else f"aten.{name}"] = handler
        return handler

    return enter


from . import attention, elementwise, indexing, losses, norms, pooling, products, reductions, resampling, shapes  # noqa: E402, F401
