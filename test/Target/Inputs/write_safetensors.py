# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""write_safetensors.py FILE NAME=2x3 ..: float tensors of 0, 1, 2, ..."""

import json
import struct
import sys

header, data = {}, b""
for argument in sys.argv[2:]:
    name, shape = argument.split("=")
    dims = [int(dim) for dim in shape.split("x")]
    count = 1
    for dim in dims:
        count *= dim
    values = struct.pack("<%df" % count, *range(count))
    header[name] = {"dtype": "F32", "shape": dims, "data_offsets": [len(data), len(data) + len(values)]}
    data += values
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(sys.argv[1], "wb") as stream:
    stream.write(struct.pack("<Q", len(text)) + text + data)
