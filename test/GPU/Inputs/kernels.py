#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernels.py MODULE CUBIN...: every gpu.func of a module is code in each cubin, and each cubin holds no other.

Reads the ELF sections itself: cuobjdump is not part of every CUDA toolkit."""

import os
import re
import struct
import sys


def sections(path):
    data = open(path, "rb").read()
    if data[:4] != b"\x7fELF" or struct.unpack_from("<H", data, 18)[0] != 190:
        sys.exit("%s: no cubin" % path)
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, offset + i * size) for i in range(count)]
    strings = headers[names][4]
    return [(data[strings + h[0]:].split(b"\0", 1)[0].decode(), h[5]) for h in headers]


def main():
    wanted = set(re.findall(r"gpu\.func @(\w+)", open(sys.argv[1]).read()))
    if not wanted:
        sys.exit("%s: no gpu.func" % sys.argv[1])
    for path in sys.argv[2:]:
        found = {name[len(".text."):] for name, size in sections(path) if name.startswith(".text.") and size > 0}
        if found != wanted:
            sys.exit("%s: missing %s, unexpected %s" % (path, sorted(wanted - found), sorted(found - wanted)))
        print("%s: %d kernels" % (os.path.basename(path), len(found)))


main()
