# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails unless docs/Status.md has exactly the ops of the dialect, and docs/Configs.md exactly the faults of the
core."""

import glob
import os
import re
import sys

source = sys.argv[1]


def read(*path):
    with open(os.path.join(source, *path), encoding="utf-8") as file:
        return file.read()


def compare(what, expected, found):
    for name in sorted(expected - found):
        print("%s lacks '%s'" % (what, name))
    for name in sorted(found - expected):
        print("%s has '%s', which does not exist" % (what, name))
    return expected == found and bool(expected)


def first_cells(text):
    """Quoted names of the first column of all tables."""
    cells = re.findall(r"^\| ((?:`[\w-]+`(?:, )?)+) \|", text, re.M)
    return [name for cell in cells for name in re.findall(r"`([\w-]+)`", cell)]


ops = set()
for path in glob.glob(os.path.join(source, "include/Soap/Dialect/Soap/*.td")):
    ops.update(re.findall(r"^def Soap_\w+Op\s*:\s*(?:Soap_\w*Op|Op)<(?:Soap_Dialect, )?\"(\w+)\"", read(path), re.M))
rows = first_cells(read("docs/Status.md"))
faults = {re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
          for name in re.findall(r"^  (\w+),", read("include/Soap/Model/Config.h").split("enum class ConfigFault")[1].split("};")[0], re.M)}
good = compare("docs/Status.md", ops, set(rows))
good = compare("docs/Configs.md", faults - {"none"}, set(first_cells(read("docs/Configs.md")))) and good
# The last column says which tests an op has.
for line in read("docs/Status.md").split("## Ops without loops")[0].splitlines():
    if line.startswith("| `") and not line.rsplit("|", 2)[1].strip():
        print("docs/Status.md names no tests: " + line)
        good = False
if len(rows) != len(set(rows)):
    print("docs/Status.md has an op twice")
    good = False
sys.exit(0 if good else 1)
