#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""site.py BUILD: builds the documentation as a site, and checks its pages.

Every link, anchor and picture of every page has to be there, and every item of a numbered list; no script, style or
picture comes from another host, and no link needs a server to find the page of a folder. A copy of the sources
with a dead link, a dead anchor and a page that no index lists has to fail. Says "skipped: REASON" where mkdocs is not
installed and PyPI cannot be reached.
The last line is "N passed, N failed": one check per page, and one per fault of the copy.
"""

import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SITE = ["docs", "mkdocs.yml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "scripts/site.sh",
        "utils/site_hooks.py", "utils/site", "include", "CMakeLists.txt"]


class Page(html.parser.HTMLParser):
    """The links of a page, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.links, self.resources, self.anchors = [], [], set()
        self.lists, self.numbered_items = [], 0
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("ol", "ul"):
            self.lists.append(tag)
        elif tag == "li":
            self.numbered_items += self.lists[-1:] == ["ol"]
        self.anchors.update(value for name, value in attributes if name in ("id", "name") and value)
        link = values.get("href") if tag in ("a", "link") else values.get("src")
        if link:
            self.links.append(link)
            if tag != "a":
                self.resources.append(link)

    def handle_endtag(self, tag):
        if tag in ("ol", "ul") and self.lists:
            self.lists.pop()


def numbered_items(source):
    """Items of numbered lists of a page."""
    with open(source, encoding="utf-8") as file:
        return len(re.findall(r"^\d+\. ", re.sub(r"```.*?```", "", file.read(), flags=re.S), re.M))


def site_faults(site):
    """{page: [fault, ...]} of a folder of HTML."""
    pages = {}
    for folder, _, names in os.walk(site):
        # Doxygen's own pages link each other in ways of their own; links to them are checked.
        if os.path.relpath(folder, site).startswith("api"):
            continue
        for name in names:
            if name.endswith(".html") and name not in ("404.html", "search.html"):
                path = os.path.join(folder, name)
                pages[path] = Page(path)
    faults = {}
    for path, page in pages.items():
        name = os.path.relpath(path, site)
        found = faults[name] = []
        source = os.path.join(ROOT, "docs", os.path.splitext(name)[0] + ".md")
        if os.path.exists(source) and page.numbered_items != numbered_items(source):
            found.append("%d items of numbered lists, the source has %d" % (page.numbered_items, numbered_items(source)))
        found += ["a file of another host: " + link for link in page.resources if urllib.parse.urlsplit(link).netloc]
        for link in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(url.path))) if url.path else path
            if os.path.isdir(target):
                found.append("a folder: " + link)
            elif not os.path.exists(target):
                found.append("no such file: " + link)
            elif url.fragment and target in pages and urllib.parse.unquote(url.fragment) not in pages[target].anchors:
                found.append("no such anchor: " + link)
    return faults


def build_site(root, build, **environment):
    run = subprocess.run(["bash", os.path.join(root, "scripts", "site.sh"), build], text=True, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, **environment))
    return run.returncode, run.stdout


def main():
    build = os.path.abspath(sys.argv[1])
    passed, failed = 0, 0

    def check(name, good, output=""):
        nonlocal passed, failed
        if good:
            passed += 1
        else:
            failed += 1
            print("%s\n%s" % (name, output))

    with tempfile.TemporaryDirectory() as folder:
        # No package index answers at this address.
        status, output = build_site(ROOT, os.path.join(folder, "offline"), PIP_INDEX_URL="http://127.0.0.1:9/simple",
                                    PIP_RETRIES="0", PIP_NO_CACHE_DIR="1", PIP_EXTRA_INDEX_URL="", PIP_FIND_LINKS="")
        check("without an index of packages the script ends with status 3", status == 3, output)
    status, output = build_site(ROOT, build)
    if status == 3:
        print("skipped: mkdocs is not installed and PyPI cannot be reached")
        print("%d passed, %d failed" % (passed, failed))
        return 1 if failed else 0
    check("the site is built", status == 0, output)
    if status == 0:
        faults = site_faults(os.path.join(build, "site"))
        listed = sum(name.endswith(".md") for _, _, names in os.walk(os.path.join(ROOT, "docs")) for name in names)
        check("the site has every page of docs/", len(faults) >= listed, "%d of %d" % (len(faults), listed))
        if not shutil.which("doxygen"):
            print("skipped: the reference of the C++ headers: doxygen is not installed")
        for page, found in sorted(faults.items()):
            check(page, not found, "\n".join(found))

    with tempfile.TemporaryDirectory() as folder:
        for name in SITE:
            source, target = os.path.join(ROOT, name), os.path.join(folder, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)
        with open(os.path.join(folder, "docs", "Unlisted.md"), "w", encoding="utf-8") as file:
            file.write("# Unlisted\n\n[a](missing.md), [b](Glossary.md#no-heading)\n")
        os.makedirs(os.path.join(folder, "build"))
        os.symlink(os.path.join(build, ".site-venv"), os.path.join(folder, "build", ".site-venv"))
        status, output = build_site(folder, os.path.join(folder, "build"))
        check("faults end the build", status not in (0, 3), output)
        for fault in ("missing.md", "no-heading", "Unlisted.md"):
            check("the build names " + fault, fault in output, output)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
