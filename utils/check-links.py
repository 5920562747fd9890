#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that what README.md and docs/*.md point at is there: files and headings of links, paths of this source named in the text or in commands;
and that docs/README.md lists every page.

    utils/check-links.py [PAGE...]     of these pages alone
"""

import glob
import os
import re
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = "bench|cmake|data|docs|examples|include|lib|scripts|test|tools|unittests|utils"
PATH = re.compile(r"(?<![\w./{}<>*-])(?:\./)?((?:%s)/[\w.*{},/+-]*[\w*}/])" % FOLDERS)
# A part of a path that stands for others: X, TARGET, X.md.
PLACEHOLDER = re.compile(r"[A-Z][A-Z0-9_]*(\.\w+)?")


def headings(text):
    """What the headings of a page are called in links."""
    found = {}
    for heading in re.findall(r"^#+ +(.*?) *$", re.sub(r"```.*?```", "", text, flags=re.S), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = found[name] = found.get(name, -1) + 1
        if count:
            found["%s-%d" % (name, count)] = 0
    return found


def wrong_links(page, text):
    folder = os.path.dirname(page)
    text = re.sub(r"```.*?```|^    .*$", "", text, flags=re.S | re.M)  # code is not links
    for target, heading in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?[^)]*\)", text):
        file = os.path.join(folder, target) if target else page
        if "://" in target or (not target and not heading):
            continue
        if not os.path.exists(file):
            yield "no such file: " + target
        elif heading and file.endswith(".md"):
            with open(file) as stream:
                if heading not in headings(stream.read()):
                    yield "no such heading: %s#%s" % (target, heading)


def alternatives(path):
    """`a/{b,c}.md` as the paths that it stands for."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [p for choice in match.group(1).split(",") for p in alternatives(path[:match.start()] + choice + path[match.end():])]


def wrong_paths(text):
    for path in sorted(set(PATH.findall(text))):
        if path.count("{") < path.count("}"):
            path = path.rstrip("}")
        if any(PLACEHOLDER.fullmatch(part) and not glob.glob(os.path.join(SOURCE, "**", part), recursive=True)
               for part in path.split("/")):
            continue
        for one in alternatives(path):
            if not glob.glob(os.path.join(SOURCE, one)):
                yield "no such file: " + one


def unlisted():
    with open(os.path.join(SOURCE, "docs", "README.md")) as stream:
        index = stream.read()
    for page in glob.glob(os.path.join(SOURCE, "docs", "*.md")):
        name = os.path.basename(page)
        if name != "README.md" and "](%s)" % name not in index:
            yield "docs/README.md does not list %s" % name


def main():
    wrong = []
    pages = sys.argv[1:]
    if not pages:
        pages = glob.glob(os.path.join(SOURCE, "docs", "**", "*.md"), recursive=True) + [os.path.join(SOURCE, "README.md")]
        wrong += unlisted()
    for page in pages:
        with open(page) as stream:
            text = stream.read()
        wrong += ["%s: %s" % (os.path.relpath(page, SOURCE), what) for what in [*wrong_links(page, text), *wrong_paths(text)]]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
