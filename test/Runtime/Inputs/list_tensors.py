# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""list_tensors.py FILE: prints 'tensor NAME' of each tensor after checking the file's checksums against Python's zlib.

    --flip NAME OUT   also writes OUT, with a bit of the tensor changed
    --strip OUT       also writes OUT as version 1 of checkpoints was, without checksums
"""

import argparse
import json
import struct
import zlib

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--flip", nargs=2)
parser.add_argument("--strip")
options = parser.parse_args()
with open(options.file, "rb") as stream:
    content = stream.read()
begin = 8 + struct.unpack("<Q", content[:8])[0]
header = json.loads(content[8:begin])
metadata = header.pop("__metadata__")
own = metadata.pop("soap_header_crc32")
sums = json.loads(metadata.pop("soap_tensors_crc32"))
text = content[:begin].replace(b'"soap_header_crc32":"' + own.encode(), b'"soap_header_crc32":"00000000')
assert own == "%08x" % zlib.crc32(text), "the checksum of the header"
assert sorted(sums) == sorted(header), "tensors with checksums"
for name in sorted(header):
    first, last = (begin + offset for offset in header[name]["data_offsets"])
    assert sums[name] == "%08x" % zlib.crc32(content[first:last]), "the checksum of " + name
    print("tensor " + name)
if options.flip:
    at = begin + header[options.flip[0]]["data_offsets"][0] + 2
    with open(options.flip[1], "wb") as stream:
        stream.write(content[:at] + bytes([content[at] ^ 16]) + content[at + 1:])
if options.strip:
    metadata["state"] = json.dumps(dict(json.loads(metadata["state"]), version=1))
    text = json.dumps(dict(header, __metadata__=metadata)).encode()
    with open(options.strip, "wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text + content[begin:])
