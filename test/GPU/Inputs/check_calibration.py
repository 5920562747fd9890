# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_calibration.py PROFILE: times are those that the stand-ins make up (test/GPU/calibrate.test)."""

import json
import sys

with open(sys.argv[1]) as stream:
    profile = json.load(stream)
tables = {(table["op"], table["direction"], table["dtype"]): table["entries"] for table in profile["tables"]}
for op in ("matmul", "conv2d"):
    for direction in ("forward", "input_grad", "weight_grad"):
        for dtype in ("f32", "tf32", "bf16"):
            times = {entry[-1] for entry in tables[op, direction, dtype]}
            # Milliseconds are f32.
            assert times and all(abs(time - 1000000) <= 1000 for time in times), (op, direction, dtype, times)
for kind in ("assemble", "upload", "download"):
    for size, time in tables[kind, "forward", "f32"]:
        assert abs(time - 1000 - size) <= 10 + size // 1000, (kind, size, time)
