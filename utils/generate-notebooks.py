#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a notebook beside each page of Python: text as cells of text, Python as cells of code, and the text that
a block prints as the output of its cell ("..." stands for anything).

    utils/generate-notebooks.py            write all notebooks
    utils/generate-notebooks.py --check    fail if a committed notebook is not what would be written

Notebooks are committed; a test runs --check, and scripts/test-peers.sh runs their code."""
import json
import os
import re
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ["docs/Python.md", "docs/tutorials/PyTorch.md", "docs/tutorials/JAX.md"]
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.S | re.M)


def lines(text):
    """Text as notebooks have it: a list of lines, the last without its end."""
    return text.strip("\n").splitlines(keepends=True)


def cells(page):
    """The cells of a page of Markdown."""
    result = []

    def add(kind, text, **more):
        if text.strip():
            result.append({"cell_type": kind, "id": f"cell-{len(result)}", "metadata": {}, "source": lines(text), **more})

    end = 0
    for block in BLOCK.finditer(page):
        add("markdown", page[end : block.start()])
        end = block.end()
        if block[1] == "python":
            add("code", block[2], execution_count=None, outputs=[])
        else:
            result[-1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": lines(block[2])}]
    add("markdown", page[end:])
    return result


def notebook(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        page = file.read()
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {"cells": cells(page), "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    stale = []
    for page in PAGES:
        path = os.path.join(SOURCE, page[: -len(".md")] + ".ipynb")
        text = notebook(page)
        if sys.argv[1:]:
            with open(path, encoding="utf-8") as file:
                if file.read() != text:
                    stale.append(path)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    for path in stale:
        print(f"generate-notebooks: {os.path.relpath(path, SOURCE)} is out of date; run utils/generate-notebooks.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
