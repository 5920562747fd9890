# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pages.py PAGE...: runs the Python of pages and notebooks, and compares what it prints.

Blocks of ```python of a page run in one namespace, in order, in a folder that has examples/. A block of ```text is what
the block before it prints: "..." stands for any text within a line, a line "..." for any lines. The last line is
"N passed, N failed": one check for each block of Python."""
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def blocks(text):
    """(line, code, expected text or None) for each block of Python."""
    found = []
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.S | re.M):
        if match[1] == "python":
            found.append([text.count("\n", 0, match.start()) + 2, match[2], None])
        elif match[1] == "text":
            if not found or found[-1][2] is not None:
                sys.exit(f"line {text.count(chr(10), 0, match.start()) + 1}: a block of text behind no block of Python")
            found[-1][2] = match[2]
    return found


def cells(text):
    """The same for a notebook, by the number of the cell."""
    found = []
    for number, cell in enumerate(json.loads(text)["cells"]):
        if cell["cell_type"] == "code":
            printed = "".join("".join(output["text"]) for output in cell["outputs"])
            found.append([number, "".join(cell["source"]), printed + "\n" if printed else None])
    return found


def pattern(text):
    parts = []
    for line in text.splitlines():
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(r"[^\n]*?".join(re.escape(part) for part in line.split("...")) + r"\n")
    return "".join(parts)


def run_page(page):
    with open(page, encoding="utf-8") as file:
        found = (cells if page.endswith(".ipynb") else blocks)(file.read())
    if not found:
        sys.exit(f"{page}: no Python")
    name = os.path.basename(page)
    namespace = {"__name__": "__main__"}
    passed = 0
    for line, code, expected in found:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                # Line numbers of the page in tracebacks.
                exec(compile("\n" * (line - 1) + code, page, "exec"), namespace)
        except Exception:
            print(f"{name}:{line}: the block fails")
            traceback.print_exc(file=sys.stdout)
            return passed, len(found) - passed
        if expected is not None and not re.fullmatch(pattern(expected), printed.getvalue()):
            print(f"{name}:{line}: expected\n{expected}\ngot\n{printed.getvalue()}")
            return passed, len(found) - passed
        passed += 1
    return passed, 0


def main():
    pages = [os.path.abspath(page) for page in sys.argv[1:]]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.symlink(os.path.join(ROOT, "examples"), "examples")
        for page in pages:
            good, bad = run_page(page)
            passed, failed = passed + good, failed + bad
        os.chdir(ROOT)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
