# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of passes from keyword arguments."""

from __future__ import annotations

import os
from typing import Any, Mapping


def text_of(value: Any) -> str:
    """A value as passes read it: `true`, `1e-3`, `a,b`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, range)):
        return ",".join(text_of(item) for item in value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(value)


def pass_options(options: Mapping[str, Any]) -> str:
    """`{"time_limit": 5}` as `time-limit=5`. Options that are None are left out; values with blanks stand in braces."""
    words = []
    for name, value in options.items():
        if value is None:
            continue
        text = text_of(value)
        if "{" in text or "}" in text:
            raise ValueError(f"option {name!r}: braces are no part of a value, got {text!r}")
        words.append(f"{name.replace('_', '-')}=" + ("{" + text + "}" if " " in text or not text else text))
    return " ".join(words)


def import_options(options: Mapping[str, Any]) -> list[str]:
    """`{"batch": 8, "keep_final_softmax": True}` as `["batch=8", "keep-final-softmax"]`. `input_shape` is a
    dict."""
    words = []
    for name, value in options.items():
        name = name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(name)
        elif isinstance(value, Mapping):
            words += [f"{name}={key}:{'x'.join(str(extent) for extent in shape)}" for key, shape in value.items()]
        else:
            words.append(f"{name}={text_of(value)}")
    return words
