# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare_floats.py FILE NUMBER...: fails unless the float32 elements are the numbers, each within 1e-5 of itself.

FILE is an array of NumPy, or a safetensors file of one tensor.
"""

import json
import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
if data.startswith(b"\x93NUMPY"):
    assert b"'descr': '<f4'" in data[:128], data[:128]
    data = data[10 + struct.unpack("<H", data[8:10])[0] :]
else:
    size = struct.unpack("<Q", data[:8])[0]
    tensors = [t for name, t in json.loads(data[8 : 8 + size]).items() if name != "__metadata__"]
    assert len(tensors) == 1 and tensors[0]["dtype"] == "F32", tensors
    data = data[8 + size :]
elements = [x for (x,) in struct.iter_unpack("<f", data)]
expected = [float(x) for x in sys.argv[2:]]
if len(elements) != len(expected) or any(not abs(a - b) <= 1e-5 * abs(b) for a, b in zip(elements, expected)):
    sys.exit("got %s, expected %s" % (elements, expected))
