#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the words of comments, messages, names and pages, and the length of lines.

    utils/check-words.py               the paths that utils/words.json lists as clean
    utils/check-words.py --left        counts the faults of all other paths, by folder; says which have none
    utils/check-words.py PATH...       all faults of these files and folders

utils/words.json has the words of docs/Glossary.md that took the place of others, and phrases that leave out their
subject. Lines of pages and comments have at most 120 columns; tables of pages have short cells instead. A sentence of a
page has at most 40 words: it ends at a period, a colon, a semicolon, an item of a list, or a table. Code in quotes is
one word. All pages of docs/ together have at most as many words as words.json says; code is not counted, and neither
are tables of generated pages and of generated parts of pages.
The last line is "N passed, N failed": one check per file.
"""

import io
import json
import os
import re
import subprocess
import sys
import tokenize
from collections import Counter

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CPP = (".h", ".cpp", ".cu", ".c", ".td")
HASH = (".sh", ".cmake", ".txt", ".test", ".in", ".yml")
# C and C++: comments and string literals; all else is code. Raw strings are rare and count as code.
CPP_TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\[\{.*?\}\]|\"(?:[^\"\\\n]|\\.)*\"", re.S)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def kept(text, spans):
    """The text with everything outside of the spans replaced by spaces."""
    parts, end = [], 0
    for start, stop in spans:
        parts += [blank(text[end:start]), text[start:stop]]
        end = stop
    return "".join(parts) + blank(text[end:])


def python_spans(text, only_docstrings=False):
    """(start, end) of comments and strings, or of comments and docstrings."""
    starts = [0]
    for line in text.splitlines(True):
        starts.append(starts[-1] + len(line))
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return [(0, len(text))]
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    statement = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT}
    before = [tokenize.NEWLINE] + [t.type for t in tokens]
    return [(starts[t.start[0] - 1] + t.start[1], starts[t.end[0] - 1] + t.end[1]) for t, last in zip(tokens, before)
            if t.type == tokenize.COMMENT or t.type in kinds and (
                not only_docstrings or last in statement and t.string.startswith('"""'))]


def prose(path, text):
    """Comments, strings and text of pages, at their places in the file."""
    if path.endswith(".md"):
        text = re.sub(r"```.*?```", lambda match: blank(match[0]), text, flags=re.S)
        text = re.sub(r"^    .*$", lambda match: blank(match[0]), text, flags=re.M)
        return re.sub(r"`[^`\n]*`", lambda match: blank(match[0]), text)
    if path.endswith(CPP):
        return kept(text, [match.span() for match in CPP_TEXT.finditer(text)])
    if path.endswith(".mlir"):
        return kept(text, [match.span() for match in re.finditer(r"//(?! *[A-Z0-9_-]+:)[^\n]*", text)])
    if path.endswith(".py"):
        return kept(text, python_spans(text))
    return kept(text, [match.span() for match in re.finditer(r"#(?! *[A-Z0-9_-]+:)[^\n]*", text)])


def first_words(path, text):
    """(offset, first words) of each comment: of a block of comment lines, or of a docstring."""
    if path.endswith(CPP + (".mlir",)):
        block = re.compile(r"(?:^|(?<=\n)|(?<=[;,{] ))[ \t]*///?<? ?(?![^\n]*===)([^\n]*)")
        leader = "//"
    else:
        block = re.compile(r"(?:^|(?<=\n))[ \t]*(?:#|\"\"\") ?([^\n]*)")
        leader = "#"
    for match in block.finditer(text):
        before = text[:match.start()].rstrip("\n").rsplit("\n", 1)[-1].strip()
        if before.startswith(leader) and before.strip("/#<= -"):
            continue  # the comment goes on
        yield match.start(1), match[1]


def page_blocks(text):
    """(line, text) of paragraphs and items of lists of a page; code, tables and headings are left out."""
    text = re.sub(r"```.*?```|<!-- \S+ --table -->.*?<!-- end of the table -->|<!--.*?-->", lambda match: blank(match[0]), text, flags=re.S)
    text = re.sub(r"^(?: {4}| *\||#).*$", "", text, flags=re.M)
    start, lines = 1, []
    for number, line in enumerate(text.split("\n") + [""], 1):
        if lines and (not line.strip() or re.match(r"\s*(?:[-*]|\d+\.) ", line)):
            yield start, " ".join(lines)
            lines = []
        if line.strip():
            start = number if not lines else start
            lines.append(line.strip())


def sentences(text):
    """(line, sentence) of a page; code in quotes is one word, and targets of links are none."""
    for line, block in page_blocks(text):
        block = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", block))
        for sentence in re.split(r"(?<=[.?!:;])[*)\"]* ", block):
            yield line, sentence


def counted_words(path, text):
    """Words of a page outside of code; of a generated page, or the part of a page, outside of tables, too."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    text = re.sub(r"^ {4}.*$", "", text, flags=re.M)
    text = re.sub(r"<!-- \S+ --table -->.*?<!-- end of the table -->", lambda match: re.sub(r"^ *\|.*$", "", match[0], flags=re.M),
                  text, flags=re.S)
    if text.startswith("<!-- Generated"):
        text = re.sub(r"^ *\|.*$", "", text, flags=re.M)
    return len(text.split())


class Rules:
    def __init__(self):
        with open(os.path.join(ROOT, "utils", "words.json"), encoding="utf-8") as file:
            self.all = json.load(file)
        for kind in ("identifiers", "phrases", "first"):
            for rule in self.all[kind]:
                flags = re.I if kind == "phrases" else 0
                rule["pattern"] = re.compile(rule["find"], flags)

    def applies(self, rule, path):
        return "in" not in rule or path.startswith(tuple(rule["in"]))

    def faults(self, path):
        """"line: what" of a file."""
        with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
            text = file.read()
        found = []

        def add(offset, what):
            found.append((text.count("\n", 0, offset) + 1, what))

        texts = prose(path, text)
        page = path.endswith(".md")
        if page and path != "CHANGELOG.md":
            found += [(line, "a sentence of %d words, at most %d: '%s ...'" % (len(sentence.split()), self.all["sentence"], sentence[:40]))
                      for line, sentence in sentences(text) if len(sentence.split()) > self.all["sentence"]]
        for rule in self.all["identifiers"]:
            if self.applies(rule, path):
                for match in rule["pattern"].finditer(texts if page else text):
                    add(match.start(), "'%s': say %s" % (match[0], rule["say"]))
        for rule in self.all["phrases"]:
            if self.applies(rule, path):
                for match in rule["pattern"].finditer(texts):
                    add(match.start(), "'%s': say %s" % (match[0], rule["say"]))
        if not page:
            for offset, words in first_words(path, text):
                for rule in self.all["first"]:
                    if re.match(r"(?:%s)\b(?![^.]*\?)" % rule["find"], words) and self.applies(rule, path):
                        add(offset, "a comment begins with '%s': begin with %s" % (words.split()[0], rule["say"]))
        if page or path.endswith((".py",) + HASH):
            self.long_lines(path, text, texts, found)
        return ["%s:%d: %s" % (path, line, what) for line, what in sorted(found)]

    def long_lines(self, path, text, texts, found):
        code = False
        if path.endswith(".py"):
            texts = kept(text, python_spans(text, only_docstrings=True))
        for number, (line, words) in enumerate(zip(text.splitlines(), texts.splitlines()), 1):
            if line.startswith("```"):
                code = not code
            if path.endswith(".md") and line.startswith("|"):
                widths = [len(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)]
                found += [(number, "a cell of %d columns, at most %d" % (width, self.all["cell"]))
                          for width in widths if width > self.all["cell"]]
            elif path.endswith(".md") and (code or line.startswith("    ")):
                continue
            elif not path.endswith(".md") and words.strip() != line.strip():
                continue  # a line of code
            elif len(line) > self.all["columns"] and not re.search(r"RUN:|[A-Z]+:|CHECK|https?://", line):
                found.append((number, "a line of %d columns, at most %d" % (len(line), self.all["columns"])))

    def is_exempt(self, path):
        return path.startswith(tuple(self.all["exempt"]))

    def is_clean(self, path):
        return any(path == clean or path.startswith(clean.rstrip("/") + "/") for clean in self.all["clean"])


def files(paths=()):
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *paths]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    suffixes = CPP + HASH + (".md", ".mlir", ".py")
    return sorted({path for path in listed if path.endswith(suffixes) and os.path.exists(os.path.join(ROOT, path))})


def folder_of(path):
    """The part of the tree that is cleaned at once: include/Soap/Search, lib/Search, test/Docs, docs/Search.md."""
    parts = path.split("/")
    if parts[0] == "docs" or len(parts) == 1:
        return path
    return "/".join(parts[:3] if parts[:2] == ["include", "Soap"] else parts[:2])


def left(rules):
    faults, clean = Counter(), set()
    for path in files():
        if not rules.is_clean(path) and not rules.is_exempt(path):
            faults[folder_of(path)] += len(rules.faults(path))
    for folder in sorted(faults):
        if faults[folder]:
            print("%6d  %s" % (faults[folder], folder))
        else:
            clean.add(folder)
    print("%6d  left" % sum(faults.values()))
    print("without faults, and not listed as clean: " + (" ".join(sorted(clean)) or "none"))
    return 0


def main():
    rules = Rules()
    if sys.argv[1:] == ["--left"]:
        return left(rules)
    if any(argument.startswith("-") for argument in sys.argv[1:]):
        print(__doc__)
        return 0 if sys.argv[1] in ("-h", "--help") else 2
    named = sys.argv[1:]
    paths = files(named) if named else [path for path in files() if rules.is_clean(path)]
    paths = [path for path in paths if path in named or not rules.is_exempt(path)]
    passed = failed = 0
    for path in paths:
        faults = rules.faults(path)
        print("\n".join(faults) + "\n" if faults else "", end="")
        passed, failed = passed + (not faults), failed + bool(faults)
    if not named:
        words = 0
        for path in files(["docs"]):
            if path.endswith(".md"):
                with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                    words += counted_words(path, file.read())
        if words > rules.all["words"]:
            print("docs: %d words, at most %d" % (words, rules.all["words"]))
        passed, failed = passed + (words <= rules.all["words"]), failed + (words > rules.all["words"])
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
