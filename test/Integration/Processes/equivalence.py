#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""soap-equivalence in several processes: random programs under random strategies, each device in some rank of mpirun.

    equivalence.py BUILD [--ranks N] [flags of soap-equivalence]

The last line is "N passed, N failed": cases; a case passes if it does on every rank.
"""

import argparse
import os
import subprocess
import sys

from common import ENVIRONMENT, mpirun, need_mpi, tool


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--ranks", type=int, default=3)
    options, flags = parser.parse_known_args()
    build = os.path.abspath(options.build)
    need_mpi(build)
    return subprocess.run(mpirun(options.ranks, tool(build, "soap-equivalence"), "--mpi", *flags), stdin=subprocess.DEVNULL,
                          env=ENVIRONMENT).returncode


if __name__ == "__main__":
    sys.exit(main())
