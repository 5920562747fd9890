# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TOML of sections with numbers, words and flags, as job files have it: Python reads it from 3.11, and writes none."""

from __future__ import annotations

from typing import Any

from ..errors import PlanError


def dump(sections: dict[str, dict[str, Any]]) -> str:
    lines = []
    for name, values in sections.items():
        lines += [f"[{name}]", *(f"{key} = {_text(value)}" for key, value in values.items()), ""]
    return "\n".join(lines[:-1]) + "\n"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def load(text: str, where: str) -> dict[str, dict[str, Any]]:
    try:
        import tomllib
    except ModuleNotFoundError:
        return _load_simple(text, where)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{where}: no TOML: {error}") from None


def _load_simple(text: str, where: str) -> dict[str, dict[str, Any]]:
    """Of Python 3.10: values of one line; others are left out."""
    sections: dict[str, dict[str, Any]] = {}
    section: dict[str, Any] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line.startswith("["):
            section = sections.setdefault(line.split("]")[0].strip("[ "), {})
        elif "=" in line and not line.startswith("#"):
            key, _, value = (part.strip() for part in line.partition("="))
            if value[:1] in "\"'":
                end = value.find(value[0], 1)
                if end < 0:
                    raise PlanError(f"{where}:{number}: expected the end of a string")
                section[key] = value[1:end]
                continue
            value = value.split("#")[0].strip()
            if value in ("true", "false"):
                section[key] = value == "true"
            else:
                try:
                    section[key] = float(value) if set(".e") & set(value) else int(value)
                except ValueError:
                    continue
    return sections
