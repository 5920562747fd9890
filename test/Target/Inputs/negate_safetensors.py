"""negate_safetensors.py IN OUT: the same header, all floats with the other sign."""

import struct
import sys

with open(sys.argv[1], "rb") as stream:
    content = stream.read()
begin = 8 + struct.unpack("<Q", content[:8])[0]
values = struct.unpack("<%df" % ((len(content) - begin) // 4), content[begin:])
with open(sys.argv[2], "wb") as stream:
    stream.write(content[:begin] + struct.pack("<%df" % len(values), *(-value for value in values)))
