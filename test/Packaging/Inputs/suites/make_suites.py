# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_suites.py FOLDER: a build directory with a stand-in for a unit test, and a list of programs that skip, fail or
check nothing."""

import json
import os
import sys

folder = sys.argv[1]
UNIT = """#!/bin/sh
echo '[ RUN      ] Solver.Works'
echo '[       OK ] Solver.Works (0 ms)'
for name in Milp Cuts; do
  echo "[ RUN      ] Solver.$name"
  echo 'SolverTest.cpp:7: Skipped'
  echo 'built without a solver'
  echo
  echo "[  SKIPPED ] Solver.$name (0 ms)"
done
cat > "${1#--gtest_output=json:}" <<END
{"testsuites": [{"name": "Solver", "testsuite": [
  {"name": "Works", "classname": "Solver", "status": "RUN", "result": "COMPLETED"},
  {"name": "Milp", "classname": "Solver", "status": "RUN", "result": "SKIPPED"},
  {"name": "Cuts", "classname": "Solver", "status": "RUN", "result": "SKIPPED"},
  {"name": "Old", "classname": "Solver", "status": "NOTRUN", "result": "SUPPRESSED"}]}]}
END
"""
os.makedirs(os.path.join(folder, "bin", "unittests"), exist_ok=True)
unit = os.path.join(folder, "bin", "unittests", "UnitTests")
with open(unit, "w") as stream:
    stream.write(UNIT)
os.chmod(unit, 0o755)


def suite(name, script, **more):
    return {"name": name, "command": ["sh", "-c", script], "arguments": {"ci": []}, **more}


with open(os.path.join(folder, "suites.json"), "w") as stream:
    json.dump({"suites": [
        suite("on all cores", "echo '2 passed, 0 failed' # {jobs}"),
        suite("all of it", "echo 'skipped: there is no mpirun'; echo '0 passed, 0 failed'"),
        suite("a part", "echo 'skipped: assembling: there is no ptxas'; echo '3 passed, 0 failed'"),
        suite("a module", "echo '1 passed, 0 failed'", python_modules=["no_such_module"]),
        suite("no reason", "echo '0 passed, 0 failed'")]}, stream)
