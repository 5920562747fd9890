# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HTML of answers and plans, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Iterable, Sequence


def paragraph(text: str, strong: bool = False) -> str:
    return f"<p><b>{escape(text)}</b></p>" if strong else f"<p>{escape(text)}</p>"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def listing(title: str, lines: Sequence[str]) -> str:
    """A title and lines that a click shows; nothing where there are none."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<details><summary>{escape(title)}</summary><ul>{items}</ul></details>" if lines else ""
