# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes numbers of the manifest of a good artifact, with right checksums, and runs it: each change has to be refused.

    edit_manifest.py SOAP_RUN ARTIFACT FOLDER
"""

import copy
import json
import os
import random
import struct
import subprocess
import sys
import zlib

soap_run, path, folder = sys.argv[1:]
with open(path, "rb") as stream:
    data = stream.read()


def sections():
    for i in range(3):
        row = data[32 + 40 * i:72 + 40 * i]
        offset, size, _, encoding = struct.unpack("<QQII", row[16:])
        content = data[offset:offset + size]
        yield row[:16], zlib.decompress(content[8:]) if encoding else content


parts = list(sections())


def artifact(manifest):
    table, body = b"", b""
    for (name, content), replaced in zip(parts, (None, json.dumps(manifest).encode(), None)):
        content = replaced or content
        body += bytes(-(152 + len(body)) % 64)
        table += name + struct.pack("<QQII", 152 + len(body), len(content), zlib.crc32(content), 0)
        body += content
    head = b"SOAPX\r\n\x1a" + struct.pack("<IIQI", 2, 3, 152 + len(body), zlib.crc32(table))
    return head + struct.pack("<I", zlib.crc32(head)) + table + body


def run(manifest):
    edited = os.path.join(folder, "edited.soapx")
    with open(edited, "wb") as stream:
        stream.write(artifact(manifest))
    done = subprocess.run([soap_run, "train", edited, "--data=synthetic", "--iterations=1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120)
    return done.returncode, done.stderr.decode(errors="replace")


good = json.loads(parts[1][1])
step = [entry["name"] for entry in good["entries"]].index("train_step")
rank = ("entries", step, "ranks", 0)


def at(document, where):
    for key in where:
        document = document[key]
    return document


def changed(where, value):
    manifest = copy.deepcopy(good)
    at(manifest, where[:-1])[where[-1]] = value
    return manifest


failures = 0


def expect(name, manifest, text):
    global failures
    status, message = run(manifest)
    if status != 1 or text not in message:
        failures += 1
        print("%s: exit status %d, expected 1 with '%s':\n%s" % (name, status, text, message))


# Written again by another program: the same numbers in another text.
assert run(good)[0] == 1
arena = at(good, rank + ("arena_bytes",))
assert arena > 64
for value in (0, 64, arena - 64, arena + 64, 1 << 43):
    expect("arena of %d bytes" % value, changed(rank + ("arena_bytes",), value),
           "arena_bytes: program 'train_step__0' expects %d, got %d" % (arena, value))
args = at(good, rank + ("args",))
expect("an argument less", changed(rank + ("args",), args[:-1]), "args and results, together: program 'train_step__0' expects")
expect("an argument twice", changed(rank + ("args",), args + args[-1:]), "args and results, together")
weight = [arg["tensor"] for arg in args].index("fc1.weight")
region = args[weight]["region"]
expect("a smaller region", changed(rank + ("args", weight, "region", 0), [[0, 1]]), "bytes of the region of 'fc1.weight'")
tensor = [info["name"] for info in good["tensors"]].index("fc1.weight")
expect("another type of elements", changed(("tensors", tensor, "dtype"), "i32"), "the type of 'fc1.weight'")
expect("fewer slots", {**good, "entries": [dict(entry, ranks=[dict(row, **{key: row[key][:-1] for key in
       ("tasks", "peers", "transfers", "collectives") if key in row}) for row in entry["ranks"]]) for entry in good["entries"]]}, "")
transfers, peers = at(good, rank + ("transfers",)), at(good, rank + ("peers",))
slot = next(i for i, number in enumerate(transfers) if number >= 0)
silent = copy.deepcopy(good)
for row in at(silent, ("entries", step, "ranks")):
    for i, number in enumerate(row["transfers"]):
        if number == transfers[slot]:
            row["transfers"][i] = row["peers"][i] = -1
expect("a transfer less", silent, "transfers of slot")
# Two numbers exchanged on one side: both ends still name each other.
others = [i for i, number in enumerate(transfers) if number >= 0 and peers[i] == peers[slot] and i != slot]
swapped = copy.deepcopy(good)
row = at(swapped, rank)
row["transfers"][slot], row["transfers"][others[0]] = row["transfers"][others[0]], row["transfers"][slot]
expect("transfers exchanged", swapped, "edited.soapx: the manifest")

# And any other number that the run relies on: where it is, in what the programs cannot see.
places = []


def visit(value, where):
    if isinstance(value, dict):
        for key, member in value.items():
            if key not in ("schedule", "version"):
                visit(member, where + (key,))
    elif isinstance(value, list):
        for i, member in enumerate(value):
            visit(member, where + (i,))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        places.append(where)


visit(good, ())
generator = random.Random(1)
for where in generator.sample(places, 40):
    expect("/".join(map(str, where)), changed(where, at(good, where) + generator.choice((-1, 1, 7))), "edited.soapx")
print("%d failed" % failures)
sys.exit(failures > 0)
