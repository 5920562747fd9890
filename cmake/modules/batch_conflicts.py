# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""batch_conflicts.py ROOT SIZE SOURCE...: batches of sources that can share a translation unit, SIZE each at most.

Writes a line for each batch: its sources, separated by vertical bars. A source in no batch is compiled alone.

SOAP_BATCH_SOURCES compiles several sources of a library as one. Two of them must not define one name at namespace
scope, as files with anonymous namespaces and static functions may, nor one that a header of the other declares. This
reads names, not C++: overloads of one name in two files count, which costs a little build time and nothing else.
"""
import functools
import glob
import os
import re
import sys

TYPE = re.compile(r"^(?:struct|class|enum class|enum|union)\s+(\w+)\s*(?:final\b)?\s*(?:[:{]|$)")
# The text before the first bracket or '=' of a definition that begins in the first column: type, then name.
DEFINITION = re.compile(r"^(?!namespace|using namespace|public:|private:|protected:|static_assert|extern)"
                        r"[A-Za-z_][^({=;]*?[\s*&>](\w+)\s*(?:\[.*)?[({=;]")
INCLUDE = re.compile(r'^#\s*include "([^"]+)"', re.M)


@functools.lru_cache(None)
def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.S)


def lines_of(path):
    # Continued declarations on one line.
    return re.sub(r"\n[ \t]+", " ", text_of(path)).split("\n")


def types_of(path):
    return {match[1] for match in map(TYPE.match, lines_of(path)) if match}


@functools.lru_cache(None)
def names_of(path, start=""):
    """Types, functions and variables; with a regular expression `start`, of lines that begin so."""
    names = types_of(path) if not start else set()
    for line in lines_of(path):
        if not re.match(start, line):
            continue
        # enum { n, c, h, w };
        if enumerators := re.match(r"enum (?!class)[\w: ]*\{([^}]*)", line):
            names.update(re.findall(r"(?:^|,)\s*(\w+)", enumerators[1]))
        match = DEFINITION.match(line)
        # Members are defined with their class: `Simulator::run(`.
        if match and not re.search(r"::~?\w+\s*$", line[:match.end(1)]):
            names.add(match[1])
            # const char *ink = "a", *paper = "b";
            names.update(re.findall(r", \*?(\w+) = ", line) if "=" in line[match.end(1):match.end()] else [])
    # Definitions of TableGen have static helpers, whose names repeat in its other files.
    if not start and '.cpp.inc"' in text_of(path):
        names.add(".cpp.inc")
    return names - {"operator", "const", "override", "namespace"}


def headers_of(source, root):
    """The headers of the project that a source includes, also by other headers."""
    found, left = set(), [source]
    while left:
        path = left.pop()
        for name in INCLUDE.findall(text_of(path)):
            for folder in (os.path.dirname(path), root + "/include", root + "/lib", root + "/tools"):
                header = os.path.normpath(os.path.join(folder, name))
                if os.path.exists(header):
                    if header not in found:
                        found.add(header)
                        left.append(header)
                    break
    return found


class Batch:
    def __init__(self):
        self.sources, self.names, self.in_headers = [], set(), set()

    def takes(self, names, in_headers):
        return not (names & (self.names | self.in_headers)) and not (self.names & in_headers)

    def add(self, source, names, in_headers):
        self.sources.append(source)
        self.names |= names
        self.in_headers |= in_headers


def main():
    root, size, sources = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    anywhere = set()
    for folder in ("include/Soap", "lib", "tools"):
        for header in glob.glob(os.path.join(root, folder, "**", "*.h"), recursive=True):
            anywhere |= types_of(header) | names_of(header, r"(?:inline|static|constexpr|using) ")
    # First the sources whose names nothing else has: batches in the order of the sources. Then the others, each in the
    # first of their batches without a conflict.
    taken, plain, others = set(), [], []
    for source in sources:
        # Made by the build.
        if not os.path.exists(source):
            continue
        names = names_of(source)
        if names & (taken | anywhere):
            others.append(source)
        else:
            taken |= names
            plain.append(source)
    batches = [plain[i:i + size] for i in range(0, len(plain), size)]
    mixed = []
    for source in others:
        names = names_of(source)
        in_headers = set().union(*map(names_of, headers_of(source, root)))
        batch = next((one for one in mixed if len(one.sources) < size and one.takes(names, in_headers)), None)
        if not batch:
            batch = Batch()
            mixed.append(batch)
        batch.add(source, names, in_headers)
    for batch in batches + [batch.sources for batch in mixed]:
        if len(batch) > 1:
            print(*batch, sep="|")


main()
