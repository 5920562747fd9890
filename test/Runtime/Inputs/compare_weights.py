#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two safetensors files tensor by tensor: |a - b| / |b| has to be below a tolerance, 0 for the same bits.

    compare_weights.py FIRST SECOND [--tolerance=X]
"""

import argparse
import json
import struct
import sys


def read(path):
    with open(path, "rb") as stream:
        data = stream.read()
    (length,) = struct.unpack("<Q", data[:8])
    header, payload = json.loads(data[8:8 + length]), data[8 + length:]
    header.pop("__metadata__", None)
    return {name: (entry["dtype"], entry["shape"], payload[slice(*entry["data_offsets"])]) for name, entry in header.items()}


def numbers(entry):
    dtype, _, data = entry
    code = {"F32": "f", "F64": "d", "I32": "i", "I64": "q"}[dtype]
    return struct.unpack("<%d%s" % (len(data) // struct.calcsize(code), code), data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs=2)
    parser.add_argument("--tolerance", type=float, default=0)
    options = parser.parse_args()
    first, second = (read(path) for path in options.files)
    if first.keys() != second.keys():
        sys.exit("the tensors differ: %s" % sorted(first.keys() ^ second.keys()))
    worst = 0
    for name, a in first.items():
        b = second[name]
        if a[:2] != b[:2]:
            sys.exit("'%s' is %s and %s" % (name, a[:2], b[:2]))
        if a[2] == b[2]:
            continue
        difference = sum((x - y) ** 2 for x, y in zip(numbers(a), numbers(b))) ** 0.5
        relative = difference / max(sum(y * y for y in numbers(b)) ** 0.5, 1e-30)
        worst = max(worst, relative)
        if not options.tolerance or not relative <= options.tolerance:
            sys.exit("'%s' differs by %g" % (name, relative))
    print("%d tensors, worst difference %g" % (len(first), worst))


if __name__ == "__main__":
    main()
