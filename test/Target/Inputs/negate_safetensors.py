# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""negate_safetensors.py IN OUT: the same tensors, all floats with the other sign. Checksums of the values are left
out."""

import json
import struct
import sys

with open(sys.argv[1], "rb") as stream:
    content = stream.read()
begin = 8 + struct.unpack("<Q", content[:8])[0]
header = json.loads(content[8:begin])
for key in ("soap_tensors_crc32", "soap_header_crc32"):
    header.get("__metadata__", {}).pop(key, None)
text = json.dumps(header).encode()
values = struct.unpack("<%df" % ((len(content) - begin) // 4), content[begin:])
with open(sys.argv[2], "wb") as stream:
    stream.write(struct.pack("<Q", len(text)) + text + struct.pack("<%df" % len(values), *(-value for value in values)))
