# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_tree.py PREFIX FOREIGN...: everything that PREFIX has starts from there.

The loader finds every library of every program and library below PREFIX, and takes none from a folder FOREIGN (but from
PREFIX, where that is below it); their search paths name no such folder. `--version` of every program succeeds. The last
line counts programs and libraries.
"""
import glob
import os
import re
import subprocess
import sys


def output(*command):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {run.returncode}\n{run.stdout}")
    return run.stdout


def main():
    prefix, foreign = os.path.realpath(sys.argv[1]), [os.path.realpath(folder) for folder in sys.argv[2:]]
    programs = sorted(glob.glob(os.path.join(prefix, "bin", "soap-*")))
    libraries = sorted(glob.glob(os.path.join(prefix, "lib", "**", "*.so*"), recursive=True))
    if not programs:
        sys.exit(f"no programs in {prefix}/bin")
    for file in programs + libraries:
        with open(file, "rb") as stream:
            if stream.read(2) == b"#!":  # a script: no loader
                continue
        for line in output("ldd", file).splitlines():
            path = re.search(r"(/\S+) \(0x", line)
            place = os.path.realpath(path[1]) if path else ""
            outside = not place.startswith(prefix + "/")
            if "not found" in line or outside and any(place.startswith(folder + "/") for folder in foreign):
                sys.exit(f"{file} needs{line}")
        for path in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", output("readelf", "-d", file)):
            if any(folder in path for folder in foreign):
                sys.exit(f"{file} has the search path {path}")
    for file in programs:
        output(file, "--version")
    print(f"{len(programs) + len(libraries)} programs and libraries")


main()
