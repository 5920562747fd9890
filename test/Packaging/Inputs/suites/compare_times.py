# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare_times of utils/run-suites.py: a machine that is half as fast is no reason to fail, a suite that doubles is.

    compare_times.py RUN_SUITES
"""
import importlib.util
import sys

spec = importlib.util.spec_from_file_location("run_suites", sys.argv[1])
run_suites = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run_suites)

KNOWN = {"a": 10, "b": 20, "c": 30, "d": 40, "e": 50, "short": 1}


def failing(seconds):
    results = []
    for name, taken in seconds.items():
        result = run_suites.Result(name)
        result.passed, result.processor_seconds = 1, taken
        results.append(result)
    return [result.name for result in run_suites.compare_times(results, KNOWN)]


assert failing(KNOWN) == []
assert failing({name: 2.5 * seconds for name, seconds in KNOWN.items()}) == []
assert failing(dict(KNOWN, c=91)) == ["c"]
assert failing(dict(KNOWN, c=89)) == []
assert failing(dict({name: 2 * seconds for name, seconds in KNOWN.items()}, c=151)) == ["c"]
assert failing(dict(KNOWN, short=30, new=1000)) == []  # start-up; not known
