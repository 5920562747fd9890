# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks of mkdocs: the order of pages, and the pages that are not in docs/.

docs/README.md is the index of the documentation. Its headings are the sections of the site, and the first link of each
table row is a page. README.md, CHANGELOG.md and CONTRIBUTING.md of the root are pages, too: README.md is the first one.
A page of the public C++ headers is made of their file comments; with SOAP_SITE_HEADERS in the environment each links to
its reference, which scripts/site.sh makes afterwards.
"""

import os
import posixpath
import re

from mkdocs.structure.files import File

# Files of the root, and their names in the site.
ROOT_PAGES = {"README.md": "index.md", "CHANGELOG.md": "Changelog.md", "CONTRIBUTING.md": "Contributing.md"}
INDEX, INDEX_PAGE = "README.md", "Contents.md"
HEADERS_PAGE = "Headers.md"
# Files of utils/site that are part of the site.
EXTRA = ("site.css", "site.js")
LINK = re.compile(r"\]\(([^)#\s]*)((?:#[^)\s]+)?)\)")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def moved(path):
    """The site's name of a file that is named relative to docs/; none for a file that is no part of the site."""
    if path.startswith("../docs/"):
        path = path[len("../docs/"):]
    if path.startswith("../"):
        return ROOT_PAGES.get(path[len("../"):])
    return INDEX_PAGE if path == INDEX else path


def relinked(text, folder, target_folder):
    """Markdown whose links count from `folder` (relative to docs/), with links that count from `target_folder`.

    A link to a file that is no part of the site becomes the name of the file.
    """
    def replace(match):
        path, anchor = match[2], match[3]
        if "://" in path or not path:
            return match[0]
        target = moved(posixpath.normpath(posixpath.join(folder, path)))
        if target is None:
            return "`%s`" % posixpath.normpath(posixpath.join(folder, path)).removeprefix("../")
        return "%s](%s%s)" % (match[1], posixpath.relpath(target, target_folder or "."), anchor)

    return re.sub(r"(\[[^\[\]]*)" + LINK.pattern, replace, text)


def indented(text):
    """Markdown with lists as mkdocs wants them.

    Paragraphs and code of an item are indented by four columns, and an empty line precedes an item after a paragraph.
    """
    lines, code, width, loose = [], False, 0, False
    for line in text.split("\n"):
        if line.startswith("```"):
            code = not code
        item = re.match(r"([-*]|\d+\.) +", line)
        if not code and item:
            if loose and lines[-1].strip():
                lines.append("")
            width = len(item[0])
        elif not code and line.strip() and not line.startswith(" "):
            width, loose = 0, False
        elif not code and width and not line.strip():
            loose = True
        if not code and width and line.startswith(" " * width):
            line = " " * (4 - width) + line
        lines.append(line)
    return "\n".join(lines)


def navigation(index):
    """[{section: [page, ...]}, ...] of the index of the documentation."""
    sections, pages, section = [{"Soap": [INDEX_PAGE]}], None, None
    for line in index.splitlines():
        if line.startswith("## "):
            pages = section = []
            sections.append({line[3:].strip(): section})
        elif line.startswith("### "):
            pages = []
            section.append({line[4:].strip(): pages})
        elif pages is not None and (match := re.match(r"\| \[([^\]]*)\]\(([^)#]*)\)", line)):
            pages.append({match[1]: moved(match[2])})
    return sections


def file_comment(text):
    """The title and the first paragraph of a header's file comment; none if it has no such comment."""
    title = re.match(r"//===- \S+ - (.*?) -*\*- C\+\+ -\*-===//", text) or re.match(r"//===- \S+ - (.*?) -*===//", text)
    if not title:
        return None
    body = re.search(r"SPDX-License-Identifier[^\n]*\n//\n(.*?)\n(?://\n|//===)", text, flags=re.S)
    paragraph = " ".join(line.removeprefix("//").strip() for line in body[1].split("\n")) if body else ""
    return title[1], paragraph


def doxygen_page(path):
    """The name that doxygen gives the page of a file."""
    return os.path.basename(path).replace("_", "__").replace(".", "_8") + ".html"


def headers_page(root, linked):
    """Markdown of all public headers, by folder: what each is for."""
    lines = ["# Public headers", "", "What `find_package(Soap)` gives, by folder. Each line is the header's own first comment.", ""]
    names = {}
    for folder, _, files in os.walk(os.path.join(root, "include")):
        for name in files:
            if name.endswith(".h"):
                names.setdefault(name, []).append(os.path.relpath(os.path.join(folder, name), os.path.join(root, "include")))
    folder = None
    for path in sorted((path for paths in names.values() for path in paths), key=lambda path: (os.path.dirname(path), path)):
        comment = file_comment(read(root, "include", path))
        if comment is None:
            continue
        if os.path.dirname(path) != folder:
            folder = os.path.dirname(path)
            lines += ["", "## %s" % folder, ""]
        name = os.path.basename(path)
        # Raw HTML: mkdocs does not know files that are made after it. Doxygen gives files of one name longer names.
        shown = '<a href="api/cpp/%s"><code>%s</code></a>' % (doxygen_page(path), name) if linked and len(names[name]) == 1 else "`%s`" % name
        lines.append("- %s: %s. %s" % (shown, comment[0], comment[1]))
    return "\n".join(lines) + "\n"


def on_config(config):
    config.nav = navigation(read(config.docs_dir, INDEX))
    for section in config.nav:
        if "Project" in section:
            section["Project"].append({"Public headers": HEADERS_PAGE})
    return config


def on_files(files, config):
    files.remove(files.get_file_from_path(INDEX))
    root = os.path.dirname(config.config_file_path)
    for name, page in ROOT_PAGES.items():
        files.append(File.generated(config, page, content=relinked(read(root, name), "..", "")))
    for name in EXTRA:
        files.append(File.generated(config, name, content=read(root, "utils", "site", name)))
    linked = "SOAP_SITE_HEADERS" in os.environ
    files.append(File.generated(config, HEADERS_PAGE, content=headers_page(root, linked)))
    files.append(File.generated(config, INDEX_PAGE, content=relinked(read(config.docs_dir, INDEX), "", "")))
    return files


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri in (*ROOT_PAGES.values(), INDEX_PAGE, HEADERS_PAGE):
        return indented(markdown)
    folder = posixpath.dirname(page.file.src_uri)
    return indented(relinked(markdown, folder, folder))


def on_post_page(output, page, config):
    """A link to the first page names its file: from a folder, nothing serves index.html for it."""
    return re.sub(r'href="(\.{1,2})/?"', lambda match: 'href="%sindex.html"' % ("../" if match[1] == ".." else ""), output)
