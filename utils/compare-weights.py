#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two safetensors files of soap-run train --save-weights: prints the largest |a - b| / |b| over their tensors
(norms; |b| at least that of elements of FLOOR, default 0.00001) and whose it is. Needs nothing but Python; with NumPy
it is faster.

    compare-weights.py A.safetensors B.safetensors [TOLERANCE [FLOOR]]

Ends with 1 if it is above the tolerance, or the files do not have the same tensors."""

import array
import json
import math
import sys

try:
    import numpy
except ImportError:
    numpy = None

TYPES = {"F32": "f", "F64": "d"}


def read(path):
    with open(path, "rb") as stream:
        data = stream.read()
    size = int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__" or entry["dtype"] not in TYPES:
            continue
        begin, end = entry["data_offsets"]
        tensors[name] = array.array(TYPES[entry["dtype"]], data[8 + size + begin:8 + size + end])
    return tensors


def squares(a, b):
    """The sums of the squares of a - b and of b, of as many numbers."""
    if numpy is None:
        return sum((x - y) ** 2 for x, y in zip(a, b)), sum(y * y for y in b)
    a, b = (numpy.frombuffer(x, numpy.dtype(x.typecode)).astype(numpy.float64) for x in (a, b))
    return float(numpy.dot(a - b, a - b)), float(numpy.dot(b, b))


def main():
    first, second = read(sys.argv[1]), read(sys.argv[2])
    tolerance = float(sys.argv[3]) if len(sys.argv) > 3 else math.inf
    floor = float(sys.argv[4]) if len(sys.argv) > 4 else 1e-5
    if sorted(first) != sorted(second):
        print("other tensors")
        return 1
    worst, name = 0.0, "-"
    for key, a in first.items():
        b = second[key]
        difference = math.inf
        if len(a) == len(b) and len(b):
            apart, size = squares(a, b)
            difference = math.sqrt(apart / (size + len(b) * floor * floor))
        # A value that is no number is infinitely far off.
        if not difference <= worst:
            worst, name = (math.inf if math.isnan(difference) else difference), key
    print("%.2e %s" % (worst, name))
    return 0 if worst <= tolerance else 1


if __name__ == "__main__":
    sys.exit(main())
