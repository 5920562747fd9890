#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hybrid plans on PyTorch's engine: the core of Peers/engine.py, which scripts/test-peers.sh runs as a whole.

    test/Python/torch_engine.py BUILD

PyTorch is in the environment that SOAP_PEERS names, in BUILD/.peers, which scripts/test-peers.sh makes, or beside this
Python; where it is in none the suite is skipped. The package of python/ is installed into BUILD/.python-torch. The last
line is "N passed, N failed"."""
import os
import sys

import package


def find_python(build):
    """A Python of this version that has PyTorch."""
    check = f"import sys, numpy, torch; assert sys.version_info[:2] == {sys.version_info[:2]}"
    places = [os.environ.get("SOAP_PEERS"), os.path.join(build, ".peers")]
    pythons = [os.path.join(place, "bin", "python") for place in places if place] + [sys.executable]
    return next((python for python in pythons if os.path.exists(python) and package.run([python, "-c", check]).returncode == 0),
                None)


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build = os.path.abspath(sys.argv[1])
    python = find_python(build)
    if python is None:
        print(f"skipped: plans in PyTorch: neither SOAP_PEERS nor {build}/.peers nor this Python has torch, which "
              "scripts/test-peers.sh installs")
        print("0 passed, 0 failed")
        return 0
    target = os.path.join(build, ".python-torch")
    status = package.install_package(build, "--upgrade", "--target", target)
    if status is not None:
        return status
    environment = {**os.environ, "PYTHONPATH": target, "SOAP_TOOLS": os.path.join(build, "bin")}
    peers = os.path.join(package.SOURCE, "test", "Python", "Peers")
    return package.run_tests([[python, os.path.join(peers, "engine.py"), "--core"]], env=environment)


if __name__ == "__main__":
    sys.exit(main())
