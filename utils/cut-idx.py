#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies a data set of the MNIST family with fewer training samples: the first ones; the test set stays whole.

    cut-idx.py FROM TO SAMPLES

FROM has train-images-idx3-ubyte.gz and the like. The same input gives the same bytes."""

import gzip
import os
import struct
import sys


def cut(data, samples):
    """The first samples of an IDX file: two zero bytes, type, rank, an extent each (big-endian), then elements."""
    rank = data[3] if data[:2] == b"\0\0" and len(data) >= 4 else 0
    head = 4 + 4 * rank
    if rank == 0 or len(data) < head:
        raise ValueError("expected an IDX file")
    extents = struct.unpack(">%dI" % rank, data[4:head])
    if extents[0] == 0 or (len(data) - head) % extents[0]:
        raise ValueError("expected whole samples, got %d bytes for %d" % (len(data) - head, extents[0]))
    kept = min(samples, extents[0])
    size = (len(data) - head) // extents[0]
    return data[:4] + struct.pack(">%dI" % rank, kept, *extents[1:]) + data[head:head + kept * size]


def main():
    if len(sys.argv) != 4 or not sys.argv[3].isdigit():
        sys.exit(__doc__)
    source, target, samples = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.makedirs(target, exist_ok=True)
    for name in sorted(os.listdir(source)):
        if not name.endswith("-ubyte.gz"):
            continue
        try:
            with gzip.open(os.path.join(source, name)) as stream:
                data = stream.read()
            data = cut(data, samples) if name.startswith("train-") else data
        except (OSError, EOFError, ValueError) as error:
            sys.exit("cut-idx: %s: %s" % (os.path.join(source, name), error))
        with open(os.path.join(target, name), "wb") as stream:
            stream.write(gzip.compress(data, 9, mtime=0))


if __name__ == "__main__":
    main()
