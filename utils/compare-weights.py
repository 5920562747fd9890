#!/usr/bin/env python3
"""Compares two safetensors files of soap-run --save-weights: prints the largest |a - b| / |b| over their tensors (norms; |b| at
least that of elements of 0.00001) and whose it is. Needs nothing but Python.

    compare-weights.py A.safetensors B.safetensors [TOLERANCE]

Ends with 1 if it is above the tolerance, or the files do not have the same tensors."""

import array
import json
import math
import sys

TYPES = {"F32": "f", "F64": "d"}


def read(path):
    data = open(path, "rb").read()
    size = int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__" or entry["dtype"] not in TYPES:
            continue
        begin, end = entry["data_offsets"]
        tensors[name] = array.array(TYPES[entry["dtype"]], data[8 + size + begin:8 + size + end])
    return tensors


def main():
    first, second = read(sys.argv[1]), read(sys.argv[2])
    tolerance = float(sys.argv[3]) if len(sys.argv) > 3 else math.inf
    if sorted(first) != sorted(second):
        print("other tensors")
        return 1
    worst, name = 0.0, "-"
    for key, a in first.items():
        b = second[key]
        norm = math.sqrt(sum(x * x for x in b) + len(b) * 1e-10)
        difference = math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b))) / norm if len(a) == len(b) and norm else math.inf
        # What is no number is as far off as can be.
        if not difference <= worst:
            worst, name = (math.inf if math.isnan(difference) else difference), key
    print("%.2e %s" % (worst, name))
    return 0 if worst <= tolerance else 1


if __name__ == "__main__":
    sys.exit(main())
