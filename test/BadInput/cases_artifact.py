# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts: files that soap-run refuses, and modules that soap-translate cannot make one of."""

import platform
import struct
import zlib

from case import Case, INFO, artifact, to_json
from cases_json import FORWARD

MANIFEST = {"version": 1, "devices": 1, "tensors": [], "entries": []}
ELF = b"\x7fELF\2\1" + bytes(10) + b"\3\0" + (b"\x3e\0" if platform.machine() == "x86_64" else b"\xb7\0") + bytes(100)


def sections(info=None, manifest=None, code=ELF):
    info = {**INFO, "architecture": platform.machine(), **(info or {})} if not isinstance(info, bytes) else info
    return [("info", info if isinstance(info, bytes) else to_json(info).encode()),
            ("manifest", manifest if isinstance(manifest, bytes) else to_json(manifest or MANIFEST).encode()), ("code", code)]


def deflated(content):
    return struct.pack("<Q", len(content)) + zlib.compress(content)


GOOD = artifact(sections())


def soapx(name, content, *expect, flags=()):
    return Case("artifact: " + name, ["soap-run", "train", "{m.soapx}", "--data=synthetic", *flags], ["m.soapx", *expect],
                {"m.soapx": content})


def emit(name, content, flags, *expect, status=1):
    return Case("emit-artifact: " + name, ["soap-translate", "--emit-artifact", "{m.mlir}", "-o", "{folder}/out.soapx", *flags],
                list(expect), {"m.mlir": content}, status)


LOWERED = """module attributes {soap.manifest = "{}"} {
  llvm.func @f(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr) { llvm.return }
}
"""

CASES = [
    soapx("a first line alone", b"SOAPX\r\n\x1a", "is damaged", "got 8"),
    soapx("truncated", GOOD[:-1], "is damaged", "bytes, got %d" % (len(GOOD) - 1)),
    soapx("more bytes than it says", GOOD + b"\0", "is damaged"),
    soapx("a changed byte of code", GOOD[:-1] + b"\1", "section 'code'", "checksum is wrong"),
    soapx("a changed byte of the header", GOOD[:17] + b"\xff" + GOOD[18:], "is damaged", "header"),
    soapx("line ends converted", b"SOAPX\n\x1a" + GOOD[8:], "is damaged", "transfer as text"),
    soapx("an older version", artifact(sections(), version=0), "expected an artifact of version 2, got version 0"),
    soapx("a version of the future", artifact(sections(), version=7), "got version 7"),
    soapx("another runtime", artifact(sections({"abi": 0})), "version 0", "make it again"),
    soapx("another architecture", artifact(sections({"architecture": "riscv64"})), "got one for riscv64"),
    soapx("a CPU feature of the future", artifact(sections({"features": ["avx4096f"]})), "avx4096f"),
    soapx("code that is no ELF file", artifact(sections(code=b"#!/bin/sh\nexit 0\n" * 10)), "no ELF shared object"),
    soapx("an ELF header and nothing behind it", artifact(sections()), "cannot load the code"),
    soapx("a section missing", artifact(sections()[:2]), "expected 3 sections, got 2"),
    soapx("a section of another name", artifact([("main", b"{}")] + sections()[1:]), "'info'", "'main'"),
    soapx("info that is no JSON", artifact(sections(info=b"hello")), "(info)", "expected JSON"),
    soapx("info of the wrong type", artifact(sections({"features": 7})), "/features"),
    soapx("a manifest that is no JSON", artifact(sections(manifest=b"{")), "(manifest)", "expected JSON"),
    soapx("a manifest of the wrong type", artifact(sections(manifest=dict(MANIFEST, devices=-1))), "/devices"),
    soapx("an unknown encoding", artifact(sections(), encodings={"manifest": 2}), "section 'manifest'", "expected encoding 0 or 1, got 2"),
    soapx("no size before a zlib stream", artifact(sections(manifest=b"123"), encodings={"manifest": 1}), "section 'manifest'", "expected the size"),
    soapx("a zlib stream that is none", artifact(sections(manifest=struct.pack("<Q", 20) + b"hello"), encodings={"manifest": 1}), "section 'manifest'", "expected a zlib stream of 20 bytes"),
    soapx("a zlib stream with another size", artifact(sections(manifest=struct.pack("<Q", 21) + zlib.compress(bytes(20))), encodings={"manifest": 1}), "section 'manifest'", "21 bytes"),
    soapx("a zlib stream that cannot be so large", artifact(sections(manifest=struct.pack("<Q", 1 << 60) + zlib.compress(b"{}")), encodings={"manifest": 1}), "section 'manifest'", "expected at most 67108864 bytes"),
    soapx("a deflated manifest of the wrong type", artifact(sections(manifest=deflated(to_json(dict(MANIFEST, devices=-1)).encode())), encodings={"manifest": 1}), "/devices"),
    soapx("another program's file", ELF, "expected IR, an ONNX model, or an artifact", "SOAPX"),
    soapx("the beginning of a zip file", b"PK\3\4 and more", "expected IR, an ONNX model, or an artifact", "SOAPX"),
    soapx("a damaged first byte", b"T" + GOOD[1:], "expected IR, an ONNX model, or an artifact", "SOAPX"),
    soapx("flags that need IR", GOOD, "'--strategy' needs IR", flags=["--strategy=s.json"]),
    emit("a module that is not lowered", FORWARD, [], "soap-lower-to-cpu"),
    emit("not IR", "hello", [], "m.mlir"),
    emit("no linker", LOWERED, ["--linker=no-such-linker"], "no program 'no-such-linker'"),
    emit("a linker that fails", LOWERED, ["--linker=false"], "cannot be linked with"),
    emit("an unknown CPU", LOWERED, ["--artifact-cpu=z80"], "--artifact-cpu", "'z80'", status=2),
    emit("an optimization level of 9", LOWERED, ["--artifact-opt-level=9"], "--artifact-opt-level", "'9'", status=2),
    emit("a call that the runtime does not have", LOWERED.replace("{ llvm.return", "{ llvm.call @f() : () -> () llvm.return"),
         [], "m.mlir"),
]
