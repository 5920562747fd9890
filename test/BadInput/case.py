# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a bad-input case is, and the few helpers that make hostile files: cases_*.py fill the table, run.py runs it."""

import copy
import dataclasses
import json
import os
import re
import struct
import zlib


@dataclasses.dataclass
class Case:
    name: str
    # The tool, then its arguments; {NAME} is the path of a file of this case, {missing} a path where nothing is.
    command: list
    # Every one of these texts has to be in what the tool writes to stderr.
    expect: list
    # File name to content (bytes, or str for text).
    files: dict = dataclasses.field(default_factory=dict)
    # 1: bad input, 2: bad flags.
    status: int = 1
    # Commands of the same form that have to succeed before.
    setup: list = dataclasses.field(default_factory=list)


def to_json(value):
    return json.dumps(value, indent=1)


REMOVED = object()


def changed(document, path, value):
    """A copy of `document` with `value` at `path`; REMOVED removes what is there."""
    result = copy.deepcopy(document)
    at = result
    for key in path[:-1]:
        at = at[key]
    if value is REMOVED:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return result


# --- IDX -------------------------------------------------------------------------------------------------------------


def idx(shape, payload=None, type_code=0x08, zeros=b"\0\0"):
    """An IDX file of bytes; `payload` shorter or longer than the shape says makes it hostile."""
    count = 1
    for extent in shape:
        count *= extent
    data = bytes(count) if payload is None else payload
    return zeros + bytes([type_code, len(shape)]) + b"".join(struct.pack(">I", extent) for extent in shape) + data


# --- NPY -------------------------------------------------------------------------------------------------------------


def npy(header, payload, version=(1, 0), length=None):
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H", len(text) if length is None else length) + text + payload


def npz(arrays, method=8, crc=None, size=None, damage=False, overlap=False):
    """A zip archive of deflated arrays by hand; what is given is said of every member, true or not."""
    body, directory = b"", b""
    for name, content in arrays.items():
        name = (name + ".npy").encode()
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(content) + packer.flush()
        if damage:
            packed = b"\xff" * len(packed)
        common = struct.pack("<HHHIIIIHH", 20, 0, method, 0, zlib.crc32(content) if crc is None else crc, len(packed),
                             len(content) if size is None else size, len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 20) + common + bytes(10) + struct.pack("<I", 0 if overlap else len(body)) + name
        body += b"PK\3\4" + common + name + packed
    return body + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, len(arrays), len(arrays), len(directory), len(body), 0)


# --- safetensors -----------------------------------------------------------------------------------------------------


def safetensors(header, payload=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + payload


# --- artifacts -------------------------------------------------------------------------------------------------------


def abi():
    header = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include", "Soap", "ABI", "Runtime.h")
    with open(header) as stream:
        return int(re.search(r"#define SOAP_RT_ABI_VERSION (\d+)", stream.read()).group(1))


ABI = abi()
INFO = {"version": 2, "soap": "0", "abi": ABI, "architecture": "x86_64", "features": [], "opt_level": 2, "fingerprints": {}}


def artifact(sections, version=2, encodings={}):
    """A container as docs/Artifacts.md describes it, with right checksums."""
    table, body = b"", b""
    start = 32 + 40 * len(sections)
    for name, content in sections:
        body += bytes(-(start + len(body)) % 64)
        table += name.encode().ljust(16, b"\0") + struct.pack("<QQII", start + len(body), len(content), zlib.crc32(content), encodings.get(name, 0))
        body += content
    head = b"SOAPX\r\n\x1a" + struct.pack("<IIQI", version, len(sections), start + len(body), zlib.crc32(table))
    return head + struct.pack("<I", zlib.crc32(head)) + table + body


# --- ONNX: protocol buffers by hand, so that files can be made that no library would write -----------------------------


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    """AttributeProto: int, float, str or list of int."""
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    return field(1, name) + b"".join(field(8, item) for item in value) + field(20, 7)


def node(kind, inputs, outputs, name="", domain="", **attributes):
    return (b"".join(field(1, item) for item in inputs) + b"".join(field(2, item) for item in outputs) + field(3, name) +
            field(4, kind) + b"".join(field(5, attribute(key, value)) for key, value in attributes.items()) +
            (field(7, domain) if domain else b""))


def value_info(name, shape, dtype=1):
    """ValueInfoProto; a dim is an int or the name of a symbolic one."""
    dims = b"".join(field(1, field(1, dim) if isinstance(dim, int) else field(2, dim)) for dim in shape)
    return field(1, name) + field(2, field(1, field(1, dtype) + field(2, dims)))


def tensor(name, shape, raw=None, dtype=1):
    """TensorProto with raw data; zeros of the right size unless given."""
    count = 1
    for extent in shape:
        count *= extent
    size = {1: 4, 6: 4, 7: 8, 11: 8}.get(dtype, 4)
    return (b"".join(field(1, extent) for extent in shape) + field(2, dtype) + field(8, name) +
            field(9, bytes(count * size) if raw is None else raw))


def model(nodes, inputs, outputs, initializers=(), opset=17, ir_version=8, opsets=None):
    graph = (b"".join(field(1, item) for item in nodes) + field(2, "graph") +
             b"".join(field(5, item) for item in initializers) + b"".join(field(11, item) for item in inputs) +
             b"".join(field(12, item) for item in outputs))
    imports = opsets if opsets is not None else [field(2, opset)]
    return field(1, ir_version) + field(7, graph) + b"".join(field(8, item) for item in imports)
