# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_tokens.py FOLDER FIRST: 32 samples of 8 tokens below 16, and labels; the first sample begins with FIRST."""
import os
import struct
import sys

folder, first = sys.argv[1], int(sys.argv[2])
os.makedirs(folder)


def write(name, values):
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': (32, 8), }"
    header += " " * (64 - (len(header) + 11) % 64) + "\n"
    with open(os.path.join(folder, name), "wb") as stream:
        stream.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<256i", *values))


write("x_train.npy", [first] + [i * 7 % 16 for i in range(1, 256)])
write("y_train.npy", [i * 5 % 16 for i in range(256)])
