#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds hostile input to every tool: each case has to end in time, with the right exit status and the expected message.

    test/BadInput/run.py BUILD [--only TEXT]

The last line is "N passed, N failed".
"""

import argparse
import importlib
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tally import Tally  # noqa: E402

TABLES = ["cases_flags", "cases_ir", "cases_onnx", "cases_json", "cases_data", "cases_artifact",
          "cases_solve", "cases_cost_graph"]
# A tool that says one of these has crashed, whatever its exit status.
CRASHES = ["PLEASE submit a bug report", "Assertion `", "AddressSanitizer", "runtime error:", "terminate called",
           "Stack dump:"]
SECONDS = 300


def problem(case, build):
    """Runs one case; None, or what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        places = {"missing": os.path.join(folder, "no-such-file"), "folder": folder}
        for name, content in case.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as stream:
                stream.write(content.encode() if isinstance(content, str) else content)
            places[name] = path
        def fill(text):
            for name, path in places.items():
                text = text.replace("{%s}" % name, path)
            return text

        environment = dict(os.environ, ASAN_OPTIONS="allow_user_poisoning=0")

        def execute(command):
            command = [os.path.join(build, "bin", command[0])] + [fill(argument) for argument in command[1:]]
            return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=SECONDS, cwd=folder, env=environment)

        command = case.command
        try:
            for command in case.setup:
                done = execute(command)
                if done.returncode != 0:
                    return "the setup failed: %s\n%s" % (command, done.stderr.decode(errors="replace"))
            command = case.command
            done = execute(command)
        except subprocess.TimeoutExpired:
            return "still running after %d s" % SECONDS
        except OSError as error:
            return "can not run '%s': %s" % (command[0], error.strerror)
        message = done.stderr.decode(errors="replace")
    shown = "\n    " + "\n    ".join(message.splitlines()[:12])
    if done.returncode < 0:
        return "ended by signal %d%s" % (-done.returncode, shown)
    for text in CRASHES:
        if text in message:
            return "crashed: '%s'%s" % (text, shown)
    if done.returncode != case.status:
        return "exit status %d, expected %d%s" % (done.returncode, case.status, shown)
    for text in case.expect:
        if fill(text) not in message:
            return "'%s' is not in the message:%s" % (text, shown)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    sys.path.insert(0, HERE)
    cases = [case for table in TABLES for case in importlib.import_module(table).CASES]
    names = [case.name for case in cases]
    tally = Tally()
    for name in sorted(set(names)):
        if names.count(name) > 1:
            tally.count(name, "the name is used twice")
    for case in cases:
        if options.only in case.name:
            # A case without an expected text would accept any failure.
            tally.count(case.name, problem(case, os.path.abspath(options.build)) if case.expect else "expects no text")
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
