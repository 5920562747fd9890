# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the programs that benchmarks run from this source before they run, or refuses them."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def source_of(build):
    """The source of a build tree; None if it is none."""
    try:
        with open(os.path.join(build, "CMakeCache.txt")) as cache:
            for line in cache:
                if line.startswith("CMAKE_HOME_DIRECTORY:"):
                    return line.split("=", 1)[1].strip()
    except OSError:
        pass
    return None


def programs(build, *names):
    """Paths of programs in BUILD/bin ("soap-opt") and BUILD/bin/bench ("bench/Frontier").

    In a build tree of this source they are brought up to date first, which a plain `ninja` does not do for all of them.
    Elsewhere (a copy, another source's) they are taken as they are, with a line that says so. Exits with the command
    that would help if one cannot be made or found."""
    targets = [os.path.basename(name) for name in names]
    paths = [os.path.join(build, "bin", name) for name in names]
    command = ["cmake", "--build", build, "--target", *targets]
    source = source_of(build)
    if source and os.path.realpath(source) == os.path.realpath(ROOT):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"{done.stdout[-3000:]}\n'{' '.join(command)}' failed, expected it to build what is measured")
    else:
        print(f"{build}: no build tree of this source ({ROOT}), its programs are taken as they are", file=sys.stderr)
    missing = [path for path in paths if not os.access(path, os.X_OK)]
    if missing:
        sys.exit(f"no program '{missing[0]}', expected a build folder with it: {' '.join(command)}")
    return paths
