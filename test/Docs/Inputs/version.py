# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""version.py BUILD: the version of CMakeLists.txt is that of everything else.

`--version` of the five tools is one line, the same, with it; the CMake package, the Debian packages, docs/Artifacts.md
and CHANGELOG.md have it.
"""
import os
import re
import subprocess
import sys

build = sys.argv[1]
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def read(path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


version = re.search(r"^project\(Soap VERSION (\d+\.\d+\.\d+) ", read("CMakeLists.txt"), re.M)[1]
pattern = rf"Soap {re.escape(version)} \(LLVM \d+\.\d+\.\d+\)\n"
lines = {}
for tool in ("soap-opt", "soap-translate", "soap-run", "soap-launch", "soap-solve"):
    run = subprocess.run([os.path.join(build, "bin", tool), "--version"], capture_output=True, text=True, check=False)
    if run.returncode != 0 or run.stderr or not re.fullmatch(pattern, run.stdout):
        sys.exit(f"{tool} --version: expected '{pattern}', got {run.returncode}, {run.stdout!r}, {run.stderr!r}")
    lines[tool] = run.stdout
if len(set(lines.values())) != 1:
    sys.exit(f"the tools disagree: {lines}")
for path, line in (("lib/cmake/Soap/SoapConfigVersion.cmake", f'set(PACKAGE_VERSION "{version}")'),
                   ("CPackConfig.cmake", f'set(CPACK_PACKAGE_VERSION "{version}")')):
    with open(os.path.join(build, path), encoding="utf-8") as file:
        if line not in file.read():
            sys.exit(f"{path} of the build has no line {line}")
if f'"soap": "{version}"' not in read("docs/Artifacts.md"):
    sys.exit(f"docs/Artifacts.md does not show version {version}")
if not re.search(rf"^## {re.escape(version)}\b", read("CHANGELOG.md"), re.M):
    sys.exit(f"CHANGELOG.md has no section {version}")
