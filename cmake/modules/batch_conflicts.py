# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""batch_conflicts.py ROOT SOURCE...: the sources that cannot share a translation unit with the others, one a line, each
with the reason.

SOAP_QUICK_BUILD compiles several sources of a library as one. Two of them must not define one name at namespace scope,
as files with anonymous namespaces and static functions may, nor one that a header of the project defines. This reads
names, not C++: overloads of one name in two files count, which costs a little build time and nothing else.
"""
import glob
import os
import re
import sys

TYPE = re.compile(r"^(?:struct|class|enum class|enum|union)\s+(\w+)\s*(?:final\b)?\s*(?:[:{]|$)")
# The text before the first bracket or '=' of a definition that begins in the first column: type, then name.
DEFINITION = re.compile(r"^(?!namespace|using namespace|public:|private:|protected:|static_assert|extern)"
                        r"[A-Za-z_][^({=;]*?[\s*&>](\w+)\s*(?:\[.*)?[({=;]")


def lines_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.S)
    # Continued declarations on one line.
    return re.sub(r"\n[ \t]+", " ", text).split("\n")


def types_of(path):
    return {match[1] for match in map(TYPE.match, lines_of(path)) if match}


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
    return names - {"operator", "const", "override", "namespace"}


def main():
    root, sources = sys.argv[1], sys.argv[2:]
    in_headers = set()
    for folder in ("include/Soap", "lib", "tools"):
        for header in glob.glob(os.path.join(root, folder, "**", "*.h"), recursive=True):
            in_headers |= types_of(header) | names_of(header, r"(?:inline|static|constexpr|using) ")
    taken = set()
    for source in sources:
        # Made by the build.
        if not os.path.exists(source):
            print(source, "generated")
            continue
        names = names_of(source)
        clash = names & (taken | in_headers)
        if clash:
            print(source, *sorted(clash))
        else:
            taken |= names


main()
