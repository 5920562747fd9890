# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an NPY file of f32: make_npy.py FILE ROWS COLUMNS FIRST. Elements are FIRST, FIRST + 1, ..."""
import struct
import sys

path, rows, columns, first = sys.argv[1], *map(int, sys.argv[2:])
header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack(f"<{rows * columns}f", *[first + i for i in range(rows * columns)]))
