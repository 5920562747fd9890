#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the pages of the root and of docs/: files and headings that links lead to, and source paths that the text
names.

    utils/check-links.py [PAGE...]     checks these pages alone

Also checks that docs/README.md lists every page, and that an empty line precedes each list (else mkdocs takes the list
for text). CHANGELOG.md speaks of what was: paths that it names may be gone. The last line is "N passed, N failed": one
check per page, and one of the list of pages.
"""

import functools
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
    """The anchors of a page's headings."""
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
    text = re.sub(r"```.*?```|^    [^\n]*$", "", text, flags=re.S | re.M)  # code is not links
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


@functools.cache
def names():
    """Names of all files and folders of the project; builds are left out."""
    found = set()
    for top in FOLDERS.split("|"):
        for _, folders, files in os.walk(os.path.join(SOURCE, top)):
            found.update(folders, files)
    return found


def wrong_paths(text):
    for path in sorted(set(PATH.findall(text))):
        if path.count("{") < path.count("}"):
            path = path.rstrip("}")
        if any(PLACEHOLDER.fullmatch(part) and part not in names() for part in path.split("/")):
            continue
        for one in alternatives(path):
            if not glob.glob(os.path.join(SOURCE, one)):
                yield "no such file: " + one


def glued_lists(text):
    """Lists that follow a line of text without an empty line between."""
    item = re.compile(r"\s*([-*]|\d+\.) ")
    before = ""
    for line in re.sub(r"```.*?```", "", text, flags=re.S).splitlines():
        if re.match(r"([-*]|\d+\.) ", line) and before.strip() and not item.match(before) and not before.startswith("  "):
            yield "no empty line before the list: " + line
        before = line


def unlisted():
    docs = os.path.join(SOURCE, "docs")
    with open(os.path.join(docs, "README.md")) as stream:
        index = stream.read()
    for page in sorted(glob.glob(os.path.join(docs, "**", "*.md"), recursive=True)):
        name = os.path.relpath(page, docs)
        if name != "README.md" and "](%s)" % name not in index:
            yield "docs/README.md does not list %s" % name


def wrong_page(page):
    name = os.path.relpath(page, SOURCE)
    with open(page) as stream:
        text = stream.read()
    wrong = list(wrong_links(page, text))
    if not text.startswith("<!-- Generated"):
        wrong += glued_lists(text)
    if name != "CHANGELOG.md":
        wrong += wrong_paths(text)
    return ["%s: %s" % (name, what) for what in wrong]


def main():
    pages = sys.argv[1:]
    checks = []
    if not pages:
        pages = sorted(glob.glob(os.path.join(SOURCE, "docs", "**", "*.md"), recursive=True))
        pages += [os.path.join(SOURCE, name) for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
        checks.append(list(unlisted()))
    checks += [wrong_page(page) for page in pages]
    for wrong in checks:
        for what in wrong:
            print(what)
    failed = sum(1 for wrong in checks if wrong)
    print("%d passed, %d failed" % (len(checks) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
