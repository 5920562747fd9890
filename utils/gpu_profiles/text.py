# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles as JSON: one entry or term a line, to be read and compared."""
import json


def to_text(profile):
    """One entry or term a line; a collective a line."""
    def compact(value):
        return json.dumps(value, separators=(",", ":"))
    lines = []
    for name, value in profile.items():
        if name in ("collectives", "products", "attention"):
            lines.append('"' + name + '":[' + ",".join("\n" + compact(item) for item in value) + "]")
        elif name in ("tables", "curves"):
            inner = "entries" if name == "tables" else "terms"
            objects = []
            for item in value:
                head = compact({k: v for k, v in item.items() if k != inner})[:-1]
                objects.append(head + ',"' + inner + '":[\n' + ",\n".join(map(compact, item[inner])) + "]}")
            lines.append('"' + name + '":[\n' + ",\n".join(objects) + "]")
        else:
            lines.append('"' + name + '":' + compact(value))
    return "{" + ",\n".join(lines) + "}\n"
