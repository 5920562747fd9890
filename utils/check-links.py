#!/usr/bin/env python3
"""Checks that relative links of README.md and docs/*.md lead to files, and that docs/README.md lists every page."""

import glob
import os
import re
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    wrong = []
    pages = glob.glob(os.path.join(SOURCE, "docs", "**", "*.md"), recursive=True)
    for page in pages + [os.path.join(SOURCE, "README.md")]:
        with open(page) as stream:
            text = stream.read()
        text = re.sub(r"```.*?```|^    .*$", "", text, flags=re.S | re.M)  # code is not links
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target and not os.path.exists(os.path.join(os.path.dirname(page), target)):
                wrong.append("%s: no such file: %s" % (os.path.relpath(page, SOURCE), target))
    with open(os.path.join(SOURCE, "docs", "README.md")) as stream:
        index = stream.read()
    for page in glob.glob(os.path.join(SOURCE, "docs", "*.md")):
        name = os.path.basename(page)
        if name != "README.md" and "](%s)" % name not in index:
            wrong.append("docs/README.md does not list %s" % name)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
