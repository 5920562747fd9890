# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the elements of the parameters of a module's @forward, from its text on standard input."""
import math
import re
import sys

text = sys.stdin.read()
for name, of in re.findall(r"^(!\w+) = (.*)$", text, re.M):
    text = re.sub(name + r"\b", of, text)
arguments = re.findall(r"%arg\d+: tensor<([\dx]*?)x?f32> \{[^}]*soap.kind = #soap.kind<parameter>", text)
print(sum(math.prod(int(extent) for extent in shape.split("x")) for shape in arguments), "parameters")
