# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""YAML of keys with numbers, words and flags, and one level of keys below a key. Python has no reader."""

from __future__ import annotations

from typing import Any

from ..errors import PlanError


def dump(values: dict[str, Any], indent: str = "") -> str:
    lines = []
    for key, value in values.items():
        if isinstance(value, dict):
            lines.append(f"{indent}{key}:\n" + dump(value, indent + "  ").rstrip("\n"))
        else:
            lines.append(f"{indent}{key}: {_text(value)}")
    return "\n".join(lines) + "\n"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and (value in ("no", "yes", "NO", "YES") or not value.replace("_", "").replace("-", "").isalnum()):
        return f"'{value}'"
    return str(value)


def load(text: str, where: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    inner: dict[str, Any] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.split(" #")[0].rstrip()
        if not bare.strip() or bare.lstrip().startswith(("#", "---", "- ")):
            continue
        key, colon, value = bare.strip().partition(":")
        if not colon:
            raise PlanError(f"{where}:{number}: expected KEY: VALUE")
        if bare[0] == " " and inner is not None:
            inner[key] = _value(value.strip())
        elif value.strip():
            values[key], inner = _value(value.strip()), None
        else:
            inner = values.setdefault(key, {})
    return values


def _value(text: str) -> Any:
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        return text[1:-1]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
