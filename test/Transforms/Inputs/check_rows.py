# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares tables of a pipeline with few and with many microbatches.

check_rows.py FEW.mlir MANY.mlir FEW.lowered.mlir MANY.lowered.mlir
"""

import json
import re
import sys


def attributes_of(path):
    with open(path, encoding="utf-8") as file:
        return re.search(r"^module.*$", file.read(), re.MULTILINE)[0]


def manifest_of(path):
    """Strings of MLIR have hexadecimal escapes."""
    text = re.search(r'soap\.manifest = "([^"]*)"', attributes_of(path))[1]
    return json.loads(re.sub(r"\\([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), text))


def tables_of(manifest):
    """Without the tiles, of which each microbatch has some."""
    for entry in manifest["entries"]:
        for rank in entry["ranks"]:
            del rank["args"], rank["results"]
    return manifest["entries"]


few, many, few_lowered, many_lowered = sys.argv[1:]
sizes = [len(re.sub(r"\b(?:args|results) = \[[^=]*(?:=[^=]*)*?\], ", "", attributes_of(path))) for path in (few, many)]
assert sizes[1] < 1.3 * sizes[0], "attributes have %d characters with few microbatches, %d with many" % tuple(sizes)
manifests = [tables_of(manifest_of(path)) for path in (few_lowered, many_lowered)]
sizes = [len(json.dumps(manifest)) for manifest in manifests]
assert sizes[1] < 1.3 * sizes[0], "manifests have %d characters with few microbatches, %d with many" % tuple(sizes)
for before, after in zip(*manifests):
    counts = [entry["schedule"]["counts"].split(" ") for entry in (before, after)]
    assert counts[0][0] == "4" and counts[1][0] == "16", counts
