# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_recompute.py KEPT.json RECOMPUTED.json KEPT.mlir RECOMPUTED.mlir

Reports of --soap-simulate and lowered modules without and with recomputation: simulated memory and arenas shrink, and
what a program needs is what is simulated, up to the rounding of buffers to 64 bytes and the gaps between them.
"""
import json
import re
import sys

kept, again = (json.load(open(name))["devices"][0] for name in sys.argv[1:3])
# Of the largest program, which is that of @train_step.
arenas = [max(map(int, re.findall(r"arena_bytes\\22:(\d+)", open(name).read()))) for name in sys.argv[3:5]]
assert again["peak_bytes"] < kept["peak_bytes"], (again, kept)
assert arenas[1] < arenas[0], arenas
saved = kept["peak_bytes"] - again["peak_bytes"]
assert abs((arenas[0] - arenas[1]) - saved) <= 0.1 * saved, (arenas, kept["peak_bytes"], again["peak_bytes"])
