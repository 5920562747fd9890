# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the comparisons of imported models share."""


class Wrong(Exception):
    """A result, or an exit status, that is not the expected one."""


def sanitized(name):
    """How import writes names: see docs/ONNX.md."""
    result = ""
    for c in name:
        c = "." if c == "/" else c
        if c == "." and (not result or result[-1] == "."):
            continue
        result += c if c.isascii() and (c.isalnum() or c in "_-.") else "_"
    return result
