# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes zeros as a NumPy file: zeros.py FILE DIM..."""

import math
import struct
import sys

shape = tuple(map(int, sys.argv[2:]))
header = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (shape,)
header += " " * (-(len(header) + 11) % 64) + "\n"
with open(sys.argv[1], "wb") as stream:
    stream.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(4 * math.prod(shape)))
