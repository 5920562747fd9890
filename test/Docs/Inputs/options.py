# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the options that README.md and docs/*.md name with the options of the tools.

    options.py BUILD [PAGE...]     of these pages, for what tools do not have

Every pass, option and flag that a command on a page has must be there; every flag of a tool, and every option of a
pipeline, must be on some page (options of passes are in docs/Passes.md, which is generated).
"""

import glob
import os
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
build, pages = sys.argv[1], sys.argv[2:]
# Of LLVM's command line; and flags of mlir-opt that a page mentions of soap-opt are none of ours.
GENERIC = {"help", "help-list", "help-hidden", "help-passes", "version"}


def help_of(*command):
    return subprocess.run([os.path.join(build, "bin", command[0]), *command[1:], "--help"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=True).stdout.decode()


def flags_of(*command):
    return set(re.findall(r"^ +(?:-\w, )?--([\w-]+)", help_of(*command), re.M)) | set(re.findall(r", --([\w-]+)", help_of(*command)))


def passes():
    """Options by pass or pipeline, of those that begin with soap-."""
    found, options = {}, None
    for line in help_of("soap-opt").splitlines():
        if match := re.match(r"  --([\w-]+)", line):
            options = found.setdefault(match.group(1), set()) if match.group(1).startswith("soap-") else None
        elif (match := re.match(r" {6}([\w-]+)=", line)) and options is not None:
            options.add(match.group(1))
    return found


COMMANDS = {command: flags_of("soap-run", command) for command in re.findall(r"^  (\w+) ", help_of("soap-run").split("\ncommands\n")[1], re.M)}
RUN = set().union(*COMMANDS.values())
TOOLS = {"soap-run": RUN, "soap-launch": flags_of("soap-launch") | RUN, "soap-translate": flags_of("soap-translate"),
         "soap-solve": flags_of("soap-solve", "placement") | flags_of("soap-solve", "cost-graph")}
PASSES = passes()


def wrong(text):
    for name, quoted, plain in re.findall(r"--(soap-[\w-]+)(?:='([^'`]*)'|=([^\s'`]+))?", text):
        if name not in PASSES:
            yield "no pass or pipeline --%s" % name
            continue
        for option in re.findall(r"(?:^|\s)([\w-]+)=", quoted or plain):
            if option not in PASSES[name]:
                yield "--%s has no option '%s'" % (name, option)
    # Commands of other tools, up to the end of the line, of the code or of the pipe.
    for tool, rest in re.findall(r"\b(soap-launch|soap-run|soap-translate|soap-solve) ([^|`\n]*)", text):
        known = COMMANDS.get(rest.split(" ")[0], RUN) if tool == "soap-run" else TOOLS[tool]
        for flag in re.findall(r"(?:^|\s)--([\w-]+)", rest.split("#")[0]):
            if flag not in known | GENERIC and not flag.startswith("soap-"):
                yield "%s has no flag --%s" % (tool, flag)


def missing(text):
    for tool, flags in TOOLS.items():
        for flag in sorted(flags - GENERIC):
            if not re.search(r"--%s(?![\w-])" % flag, text):
                yield "no page has --%s of %s" % (flag, tool)
    generated = open(os.path.join(SOURCE, "docs", "Passes.md")).read()
    for name, options in PASSES.items():
        if "`-%s`" % name in generated:
            continue
        if "--" + name not in text:
            yield "no page has the pipeline --%s" % name
        for option in sorted(options):
            if not re.search(r"(?<![\w-])%s(?![\w-])" % option, text):
                yield "no page has the option '%s' of --%s" % (option, name)


found, whole = [], ""
for page in pages or sorted(glob.glob(os.path.join(SOURCE, "docs", "*.md"))) + [os.path.join(SOURCE, "README.md")]:
    with open(page) as stream:
        text = stream.read()
    whole += text
    found += ["%s: %s" % (os.path.relpath(page, SOURCE), what) for what in sorted(set(wrong(text)))]
if not pages:
    found += missing(whole)
print("\n".join(found))
sys.exit(1 if found else 0)
