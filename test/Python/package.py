#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs the Python package of python/ against a build, and runs its tests with NumPy alone.

    test/Python/package.py BUILD

The environment is BUILD/.python-package: it is made once, and needs the network for that (nanobind, scikit-build-core,
NumPy). Where there is none the suite is skipped. The last line is "N passed, N failed"."""
import fcntl
import os
import re
import subprocess
import sys
import sysconfig

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=900, **options)


def make_environment(folder):
    """A virtual environment with what the package is built with; None, or why there is none."""
    python = os.path.join(folder, "bin", "python")
    check = [python, "-c", "import numpy, nanobind, scikit_build_core"]
    if os.path.exists(python) and run(check).returncode == 0:
        return None
    made = run([sys.executable, "-m", "venv", "--clear", folder])
    if made.returncode:
        return "python3 -m venv fails: " + (made.stdout + made.stderr).strip().splitlines()[-1]
    install = run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--retries", "2", "--timeout", "20",
                   "numpy>=1.26", "nanobind>=2.4", "scikit-build-core>=0.10", "ninja"])
    if install.returncode:
        return "nanobind, scikit-build-core and NumPy can not be installed (no network?)"
    return None


def install_package(build, *options):
    """Builds and installs the package with BUILD/.python-package, into it or where `options` say. What the caller
    returns where it was not installed, after saying why; None where it was. Two suites that run side by side use one
    environment: the second one waits."""
    folder = os.path.join(build, ".python-package")
    with open(folder + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return install_into(folder, build, *options)


def install_into(folder, build, *options):
    if not os.path.exists(os.path.join(build, "lib", "libSoapCAPI.so")):
        print(f"{build}/lib/libSoapCAPI.so is missing: build the target SoapCAPI")
        print("0 passed, 1 failed")
        return 1
    header = os.path.join(sysconfig.get_path("include"), "Python.h")
    missing = None if os.path.exists(header) else f"{header} is missing (python3-dev)"
    missing = missing or make_environment(folder)
    if missing:
        print(f"skipped: the Python package: {missing}")
        print("1 passed, 0 failed")
        return 0
    environment = {**os.environ, "Soap_DIR": os.path.join(build, "lib", "cmake", "Soap")}
    installed = run([os.path.join(folder, "bin", "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check",
                     "--no-build-isolation", "--no-deps", *options, "-C", "build-dir=" + os.path.join(build, "python-package"),
                     os.path.join(SOURCE, "python")], env=environment)
    if installed.returncode:
        print(installed.stdout + installed.stderr)
        print("pip install ./python fails")
        print("0 passed, 1 failed")
        return 1
    return None


def run_tests(commands, **options):
    """Runs test programs, whose last lines are counted."""
    passed = failed = 0
    for command in commands:
        tests = run(command, **options)
        *text, last = tests.stdout.strip().splitlines() or [""]
        counts = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
        name = os.path.basename(command[1])
        print("\n".join(text if counts else [*text, last, f"{name} ends with status {tests.returncode}"]))
        if tests.stderr and not (counts and counts[2] == "0"):
            print(tests.stderr)
        passed += int(counts[1]) if counts else 0
        failed += int(counts[2]) if counts else 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build = os.path.abspath(sys.argv[1])
    status = install_package(build, "--force-reinstall")
    if status is not None:
        return status
    python, tests = os.path.join(build, ".python-package", "bin", "python"), os.path.join(SOURCE, "test", "Python")
    return run_tests([[python, os.path.join(tests, "cases.py"), SOURCE, build],
                      [python, os.path.join(tests, "plan_cases.py"), SOURCE, build],
                      [python, os.path.join(tests, "torch_programs.py")],
                      [python, os.path.join(tests, "pages.py"), os.path.join(SOURCE, "docs", "Python.md")]])


if __name__ == "__main__":
    sys.exit(main())
