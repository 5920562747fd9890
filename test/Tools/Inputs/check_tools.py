# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks help, man pages and completions of all tools: check_tools.py BUILD FOLDER

Lines of help have at most 100 columns. Every flag of the help is in the man page and in the completion. A man page
passes the checks of man and mandoc, as far as they are installed. Completions are loaded into bash and asked.
"""

import os
import re
import shutil
import subprocess
import sys

build, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
TOOLS = {"soap-opt": [[]], "soap-run": [[], ["train"], ["predict"], ["evaluate"], ["entry"], ["calibrate"], ["check"]], "soap-solve": [[], ["placement"], ["cost-graph"]], "soap-translate": [[]]}


def output_of(*command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                          **options).stdout.decode()


def flags_of(text):
    """Flags that begin a line of help."""
    return {flag for line in text.splitlines() if re.match(r"  -", line)
            for flag in re.findall(r"(?<![\w-])--?[\w-]+", line.strip().split("  ")[0])}


def complete(script, line):
    program = 'source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; _%s; printf "%%s\\n" "${COMPREPLY[@]}"' % line.split()[0].replace("-", "_")
    return output_of("bash", "-c", program, "bash", script, line, cwd=folder).split()


scripts = {}
for tool, commands in TOOLS.items():
    path = os.path.join(build, "bin", tool)
    page = os.path.join(folder, tool + ".1")
    scripts[tool] = os.path.join(folder, tool + ".bash")
    with open(page, "w") as stream:
        stream.write(output_of(path, "--print-man-page"))
    with open(scripts[tool], "w") as stream:
        stream.write(output_of(path, "--print-completion"))
    text = re.sub(r"\\f[BRI]", "", open(page).read()).replace("\\-", "-").replace("\\(aq", "'")
    for command in commands:
        help_text = output_of(path, *command, "--help")
        for line in help_text.splitlines():
            assert len(line) <= 100, "%s: a line of %d columns: %s" % (tool, len(line), line)
        flags = flags_of(help_text)
        assert len(flags) > 2, flags
        for flag in flags:
            assert re.search(r"(^|, )%s($|[ ,=])" % re.escape(flag), text, re.M), "%s.1 lacks %s" % (tool, flag)
        offered = complete(scripts[tool], " ".join([tool] + command + ["-"]))
        assert flags <= set(offered), "%s: not completed: %s" % (tool, sorted(flags - set(offered)))
    if shutil.which("man"):
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert done.returncode == 0 and not done.stderr, done.stderr.decode()
    if shutil.which("mandoc"):
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert done.returncode == 0, done.stdout.decode()

with open(os.path.join(folder, "model one.mlir"), "w"):
    pass
ASKED = [("soap-run train m.mlir --transport ", {"auto", "local", "mpi", "nccl"}),
         ("soap-run train m.mlir --transport=l", {"local"}),
         ("soap-run train m.mlir --ep", {"--epochs"}),
         ("soap-run train model", {"model", "one.mlir"}),
         ("soap-run ca", {"calibrate"}),
         ("soap-run predict m.mlir --ep", set()),
         ("soap-run calibrate --backend ", {"cpu", "cuda"}),
         ("soap-solve pl", {"placement"}),
         ("soap-solve placement p.json --schedule=", {"1f1b", "gpipe"}),
         ("soap-solve cost-graph p.json --algorithm e", {"elimination"}),
         ("soap-translate --topology-as=s", {"svg"}),
         ("soap-opt --soap-simulate=task", {"task-graph="}),
         ("soap-opt m.mlir --soap-part", {"--soap-partition"})]
for line, expected in ASKED:
    found = set(complete(scripts[line.split()[0]], line))
    assert found == expected, "'%s' is completed by %s, expected %s" % (line, sorted(found), sorted(expected))
