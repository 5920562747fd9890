# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools of a build, run as a user would: what the training suites share."""

import json
import os
import subprocess


class Failure(Exception):
    pass


class Counter:
    """Counts and prints what held and what did not."""

    def __init__(self):
        self.passed = self.failed = 0

    def __call__(self, good, text):
        self.passed += bool(good)
        self.failed += not good
        print(("ok      " if good else "FAILED  ") + text, flush=True)

    def status(self):
        """Prints "N passed, N failed"; the exit status."""
        print("%d passed, %d failed" % (self.passed, self.failed))
        return int(self.failed > 0 or not self.passed)


class Tools:
    """`folder` is where files without a place go."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, tool, *arguments):
        """The output of a tool. Raises Failure where it fails."""
        command = [os.path.join(self.build, "bin", tool)] + [str(a) for a in arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800, text=True)
        if done.returncode:
            raise Failure("'%s' exited with %d: %s" % (" ".join(command), done.returncode, done.stdout[-2000:]))
        return done.stdout

    def report(self, *arguments):
        """The report of a run of soap-run. Cores may be fewer than devices, and busy, hence the timeout."""
        report = self.path("report.json")
        command = "check" if "--compare-with" in arguments else "train"
        self.run("soap-run", command, "--quiet", "--timeout", 120, "--report", report, *arguments)
        with open(report) as stream:
            return json.load(stream)
