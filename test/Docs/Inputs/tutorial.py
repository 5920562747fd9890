# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tutorial.py PAGE BUILD FOLDER: runs what a tutorial shows, and compares what it prints.

In blocks of ```console, lines that begin with "$ " are commands, and the lines up to the next command are what the
command prints, both streams together. There, "..." stands for any text within a line, and a line "..." for any lines.
Commands run in FOLDER, with the tools of BUILD; examples/ and utils/ there are the folders of the sources, build is
BUILD. A block of ```cpp or ```tablegen is text of a file in examples/, whose line breaks may differ; a line "..."
stands for other text. The last line is the number of commands.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def commands(text):
    """(line number, command, expected lines) of a page."""
    found, inside = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append((number, line[2:], []))
        elif inside:
            if not found:
                sys.exit(f"line {number}: output before the first command")
            found[-1][2].append(line)
    return found


def pattern(lines):
    """A regular expression for what the lines stand for."""
    parts = []
    for line in lines:
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(r"[^\n]*?".join(re.escape(part) for part in line.split("...")) + r"\n")
    return "".join(parts)


def words(text):
    return re.sub(r"\s+", "", text)


def check_sources(page):
    """Ends the program unless the C++ and TableGen of a page is text of a file in examples/."""
    sources = []
    for folder, _, names in os.walk(os.path.join(ROOT, "examples")):
        for name in names:
            if name.endswith((".h", ".cpp", ".td")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    sources.append(words(file.read()))
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for block in re.findall(r"^```(?:cpp|tablegen)\n(.*?)^```", text, re.S | re.M):
        wanted = ".*".join(re.escape(words(part)) for part in re.split(r"^\.\.\.$", block, flags=re.M))
        if not any(re.search(wanted, source) for source in sources):
            sys.exit(f"{page}: no file in examples/ has\n{block}")


def main():
    page, build, folder = sys.argv[1:4]
    os.makedirs(folder, exist_ok=True)
    for name, target in (("examples", os.path.join(ROOT, "examples")), ("utils", os.path.join(ROOT, "utils")),
                         ("build", build)):
        if not os.path.exists(os.path.join(folder, name)):
            os.symlink(target, os.path.join(folder, name))
    environment = dict(os.environ, PATH=os.path.join(build, "bin") + os.pathsep + os.environ["PATH"])
    with open(page, encoding="utf-8") as file:
        found = commands(file.read())
    if not found:
        sys.exit(f"{page}: no commands")
    check_sources(page)
    for number, command, expected in found:
        run = subprocess.run(command, shell=True, cwd=folder, env=environment, text=True, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode != 0 or not re.fullmatch(pattern(expected), run.stdout):
            sys.exit(f"{page}:{number}: {command}\nstatus {run.returncode}, printed:\n{run.stdout}\nexpected:\n"
                     + "\n".join(expected))
    print(f"{len(found)} commands")


main()
