#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the test suites of a build directory and sums their counts.

Three kinds of suites: the GoogleTest binaries in bin/unittests, the lit suite, and the programs listed in
test/suites.json. Each of the latter prints a last line "N passed, N failed", and a line "skipped: REASON" for each part
that it leaves out. A suite that crashes, hangs, prints no counts or has checked nothing without a reason is one
failure, never silence; what is skipped is counted and said with its reason. The last line of the output is "N passed, N
failed" over everything, and the exit status is 0 only if nothing failed. Needs nothing but Python's standard library.

Suites share the cores: each takes one, or a quarter of a machine with many if its command names {jobs}; those that
took longest in test/times.json start first. One that says "alone" waits for answers in time: it runs after the others,
beside none. BUILD/test-logs/times.json has what each suite took, of the clock and of the processors. A suite fails if
it takes twice the processor time that test/times.json has for it, measured by how fast this machine runs the other
suites; --record-times writes that file anew.
"""

import argparse
import json
import os
import queue
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Result:
    def __init__(self, name):
        self.name = name
        self.passed = 0
        self.failed = 0
        self.skipped = 0
        self.reasons = {}
        self.notes = []
        self.seconds = 0.0  # of the clock
        self.processor_seconds = 0.0  # of the suite and what it started and waited for

    def fail(self, note):
        self.failed += 1
        self.notes.append(note)

    def skip(self, reason, what=None):
        """One test or part of a suite is left out. `what` is its name, if it is not the suite itself."""
        self.skipped += 1
        self.reasons.setdefault(reason, []).append(what)

    def lines(self):
        """Lines of the report on the suite: reasons why something was skipped, then failures."""
        for reason, names in self.reasons.items():
            named = [name for name in names if name]
            yield "skipped%s: %s%s" % (" %d" % len(names) if len(names) > 1 else "", reason,
                                       " (%s)" % ", ".join(named) if named else "")
        yield from self.notes


def run(result, command, timeout, log, environment=None):
    """Runs a command in its own process group, whose time is added to the result's; returns (exit status or None after
    the time limit, output)."""
    with open(log, "wb") as stream:
        process = subprocess.Popen(
            command, stdout=stream, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            start_new_session=True, cwd=SOURCE, env=environment)
        ended = []
        waiter = threading.Thread(target=lambda: ended.append(os.wait4(process.pid, 0)))
        waiter.start()
        waiter.join(timeout)
        is_late = waiter.is_alive()
        # Whatever the suite left running ends with it.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        waiter.join()
    _, status, usage = ended[0]
    process.returncode = os.waitstatus_to_exitcode(status)
    result.processor_seconds += usage.ru_utime + usage.ru_stime
    with open(log, "r", errors="replace") as stream:
        return None if is_late else process.returncode, stream.read()


def describe(status):
    if status is None:
        return "ran into its time limit"
    if status < 0:
        return "was ended by signal %d" % -status
    return "exited with status %d" % status


def tail(text, lines=25):
    return "\n".join("    " + line for line in text.splitlines()[-lines:])


def gtest_reasons(output):
    """Why tests were skipped, by name: the lines between "FILE:LINE: Skipped" and "[  SKIPPED ] NAME"."""
    reasons, lines = {}, None
    for line in output.splitlines():
        if re.search(r":\d+: Skipped$", line):
            lines = []
        elif match := re.match(r"\[  SKIPPED \] ([^ ,]+)", line):
            reasons.setdefault(match[1], " ".join(lines or []))
            lines = None
        elif lines is not None and line.strip():
            lines.append(line.strip())
    return reasons


def run_gtest(binary, logs, timeout, environment):
    result = Result("unit: " + os.path.basename(binary))
    report = os.path.join(logs, os.path.basename(binary) + ".json")
    if os.path.exists(report):
        os.remove(report)
    status, output = run(result, [binary, "--gtest_output=json:" + report], timeout,
                         os.path.join(logs, os.path.basename(binary) + ".log"), environment)
    # The report is only written at the end: after a crash, the lines printed so far are what is known.
    reasons = gtest_reasons(output)
    try:
        with open(report) as stream:
            suites = json.load(stream)["testsuites"]
        for suite in suites:
            for test in suite["testsuite"]:
                name = test.get("classname", suite["name"]) + "." + test["name"]
                if test.get("failures"):
                    result.fail("%s: %s" % (name, test["failures"][0]["failure"].splitlines()[0]))
                elif test.get("status") == "NOTRUN":
                    result.skip("disabled", name)
                elif test.get("result") == "SKIPPED":
                    result.skip(reasons.get(name) or "the test gives no reason", name)
                else:
                    result.passed += 1
    except (OSError, ValueError, KeyError):
        result.passed = len(re.findall(r"^\[       OK \]", output, re.M))
        result.failed = len(re.findall(r"^\[  FAILED  \] .*\(\d+ ms\)$", output, re.M))
        result.fail("%s before it wrote its report; it printed:\n%s" % (describe(status), tail(output)))
        return result
    if status != 0 and result.failed == 0:
        result.fail("%s although no test failed; it printed:\n%s" % (describe(status), tail(output)))
    return result


def run_lit(build, lit, logs, timeout, jobs, roundtrip, environment):
    result = Result("lit")
    report = os.path.join(logs, "lit.json")
    if os.path.exists(report):
        os.remove(report)
    command = [sys.executable, lit, "-q", "-j", str(jobs), "-o", report]
    if roundtrip:
        command += ["--param", "roundtrip=1"]
    status, output = run(result, command + [os.path.join(build, "test")], timeout,
                         os.path.join(logs, "lit.log"), environment)
    try:
        with open(report) as stream:
            tests = json.load(stream)["tests"]
    except (OSError, ValueError, KeyError):
        result.fail("lit %s without a report; it printed:\n%s" % (describe(status), tail(output)))
        return result
    for test in tests:
        if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
            result.passed += 1
        elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            lines = test.get("output", "").strip().splitlines()
            result.skip(lines[-1] if lines else test["code"].lower(), test["name"])
        else:
            result.fail("%s: %s\n%s" % (test["code"], test["name"], tail(test.get("output", ""), 40)))
    if not tests:
        result.fail("lit found no tests; it printed:\n" + tail(output))
    return result


def run_program(suite, arguments, logs, environment, places):
    result = Result(suite["name"])
    for module in suite.get("python_modules", []):
        if subprocess.run([places["python"], "-c", "import " + module], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode != 0:
            result.skip("Python module '%s' is not installed" % module)
            return result
    command = [part.format(**places) for part in suite["command"] + arguments]
    log = os.path.join(logs, re.sub(r"[^A-Za-z0-9]+", "-", suite["name"]) + ".log")
    try:
        status, output = run(result, command, suite.get("timeout_s", 600), log, environment)
    except OSError as error:
        result.fail("can not start '%s': %s" % (command[0], error.strerror))
        return result
    counts = re.findall(r"^(\d+) passed, (\d+) failed\b", output, re.M)
    for reason in re.findall(r"^skipped: (.*)$", output, re.M):
        result.skip(reason)
    if counts:
        result.passed, result.failed = int(counts[-1][0]), int(counts[-1][1])
    if result.failed:
        result.notes.append(tail(output, 60))
    elif status == 0 and counts and not result.passed and not result.skipped:
        result.fail("checked nothing, and gives no reason; it printed:\n%s" % tail(output))
    elif status != 0 or not counts:
        result.fail("%s%s; it printed:\n%s" % (describe(status), "" if counts else " without a line 'N passed, N failed'",
                                             tail(output)))
    return result


class Job:
    """A suite that is still to run: `run(lanes)` gives its Result."""

    def __init__(self, name, run, spreads=False, alone=False):
        self.name = name
        self.run = run
        self.spreads = spreads  # over as many cores as it is told
        self.alone = alone


def run_jobs(jobs, cores, seconds, known):
    """Results of jobs as they end: those that share the cores, the longest of `known` first, then those that do not."""
    begin = time.monotonic()

    def timed(job, lanes):
        start = time.monotonic()
        if start - begin >= seconds:
            result = Result(job.name)
            result.skip("the time of all suites, %g s, was used up before it started" % seconds)
            return result
        try:
            result = job.run(lanes)
        except Exception as error:  # a suite without a result would be waited for
            result = Result(job.name)
            result.fail("can not be run: %s: %s" % (type(error).__name__, error))
        result.seconds = time.monotonic() - start
        return result

    def lanes_of(job):
        return max(1, cores // 4) if job.spreads else 1

    # A suite that is not known comes early: it may be long.
    waiting = sorted((job for job in jobs if not job.alone), key=lambda job: -known.get(job.name, float("inf")))
    ended = queue.Queue()
    free, running = cores, 0
    while waiting or running:
        fitting = next((job for job in waiting if lanes_of(job) <= free), None)
        if fitting:
            waiting.remove(fitting)
            lanes = lanes_of(fitting)
            free, running = free - lanes, running + 1
            threading.Thread(target=lambda job=fitting, lanes=lanes: ended.put((timed(job, lanes), lanes))).start()
            continue
        result, lanes = ended.get()
        free, running = free + lanes, running - 1
        yield result
    for job in jobs:
        if job.alone:
            yield timed(job, cores)


def compare_times(results, known):
    """A suite that takes twice the known processor time, as this machine runs the others, fails: one line each."""
    rows = [(result, result.processor_seconds, known[result.name]) for result in results
            if result.name in known and result.processor_seconds > 0 and not result.failed]
    # Of short suites start-up and measurement are most.
    ratios = [seconds / expected for _, seconds, expected in rows if expected >= 5]
    if len(ratios) < 5:
        return
    speed = statistics.median(ratios)
    for result, seconds, expected in rows:
        if seconds > 2 * speed * expected + 30:
            result.fail("took %.0f s of processor time where test/times.json has %.0f s, on a machine that runs the "
                        "other suites in %.2f times theirs; if that has to be, record it: --record-times" %
                        (seconds, expected, speed))
            yield result


def keep_times(results, logs, options, known):
    """Writes what suites took into the logs, and where that is asked for, into the table to compare with."""
    with open(os.path.join(logs, "times.json"), "w") as stream:
        json.dump({result.name: {"seconds": round(result.seconds, 1),
                                 "processor_seconds": round(result.processor_seconds, 1),
                                 "passed": result.passed, "failed": result.failed, "skipped": result.skipped}
                   for result in results}, stream, indent=2)
    if options.record_times:
        known.update((result.name, round(result.processor_seconds, 1)) for result in results
                     if result.passed and not result.failed)
        with open(options.times, "w") as stream:
            json.dump({"comment": "Processor seconds of each suite of scripts/test.sh, written by utils/run-suites.py "
                                  "--record-times on two cores. Only their ratios count.",
                       "processor_seconds": dict(sorted(known.items()))}, stream, indent=2)
            stream.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"), help="build directory (default: build)")
    parser.add_argument("--only", default="", help="run the suites whose name contains this text")
    parser.add_argument("--full", action="store_true", help="the longer variants of test/suites.json")
    parser.add_argument("--sample", action="store_true", help="the shorter variants (sanitizer builds)")
    parser.add_argument("--no-lit", action="store_true")
    parser.add_argument("--suites", default=os.path.join(SOURCE, "test", "suites.json"), help="another list of programs")
    parser.add_argument("--times", default=os.path.join(SOURCE, "test", "times.json"),
                        help="processor seconds by suite (default: test/times.json)")
    parser.add_argument("--record-times", action="store_true", help="write that file: of suites that passed")
    parser.add_argument("--roundtrip", action="store_true", help="lit with every soap-opt call round-tripping")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="time after which no further suite starts: each counts as skipped")
    parser.add_argument("--unit-timeout", type=float, default=900)
    parser.add_argument("--lit-timeout", type=float, default=3600)
    options = parser.parse_args()

    build = os.path.abspath(options.build)
    logs = os.path.join(build, "test-logs")
    os.makedirs(logs, exist_ok=True)
    environment = dict(os.environ)
    # LLVM's allocators poison memory in a way that the sanitizer mistakes for a use after free.
    environment.setdefault("ASAN_OPTIONS", "allow_user_poisoning=0")
    environment.setdefault("TSAN_OPTIONS", "suppressions=" + os.path.join(SOURCE, "utils", "tsan.supp"))
    # Threads of loops that wait for others leave the core to the suite beside them.
    environment.setdefault("OMP_WAIT_POLICY", "passive")
    # Suites that compare with NumPy run side by side.
    environment.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Not the user's cache of compiled code, and no code that another build made.
    environment["SOAP_CACHE_DIR"] = os.path.join(build, "test-cache")
    venv_python = os.path.join(build, ".venv", "bin", "python")
    places = {"build": build, "source": SOURCE, "logs": logs,
              "python": venv_python if os.path.exists(venv_python) else sys.executable}

    jobs = []
    unit_directory = os.path.join(build, "bin", "unittests")
    binaries = sorted(os.listdir(unit_directory)) if os.path.isdir(unit_directory) else []
    if not binaries:
        def no_unit_tests(_):
            result = Result("unit")
            result.fail("'%s' has no unit tests: are they built?" % unit_directory)
            return result

        jobs.append(Job("unit", no_unit_tests))
    for name in binaries:
        path = os.path.join(unit_directory, name)
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            jobs.append(Job("unit: " + name,
                            lambda _, path=path: run_gtest(path, logs, options.unit_timeout, environment)))
    if not options.no_lit:
        lit = next((path for path in ["/usr/lib/llvm-22/bin/lit", shutil.which("lit")] if path and os.path.exists(path)),
                   None)

        def lit_suite(lanes):
            if not lit:
                result = Result("lit")
                result.fail("lit is not installed")
                return result
            return run_lit(build, lit, logs, options.lit_timeout, lanes, options.roundtrip, environment)

        jobs.append(Job("lit", lit_suite, spreads=True))
    with open(options.suites) as stream:
        suites = json.load(stream)["suites"]
    for suite in suites:
        variant = "full" if options.full else "sample" if options.sample else "ci"
        arguments = suite.get("arguments", {}).get(variant)
        if arguments is None:
            continue
        jobs.append(Job(suite["name"],
                        lambda lanes, suite=suite, arguments=arguments: run_program(
                            suite, arguments, logs, environment, dict(places, jobs=str(lanes))),
                        spreads=any("{jobs}" in part for part in suite["command"]), alone=suite.get("alone", False)))

    jobs = [job for job in jobs if options.only in job.name]
    known = {}
    if os.path.exists(options.times):
        with open(options.times) as stream:
            known = json.load(stream)["processor_seconds"]
    results = []
    for result in run_jobs(jobs, options.jobs, options.seconds, known):
        results.append(result)
        print("%-44s %6d passed %4d failed %4d skipped %7.1f s" %
              (result.name, result.passed, result.failed, result.skipped, result.seconds), flush=True)
        for line in result.lines():
            print("  " + line, flush=True)
    # Other variants and builds take other times.
    if not options.full and not options.sample:
        for result in compare_times(results, known):
            print("%s %s" % (result.name, result.notes[-1]), flush=True)
        keep_times(results, logs, options, known)
    passed, failed, skipped = (sum(getattr(result, count) for result in results)
                               for count in ("passed", "failed", "skipped"))
    if passed + failed == 0:
        print("no test ran: is '%s' built?" % build)
        failed = 1
    # Again, where a long log ends.
    for result in results:
        if result.failed:
            lines = [line.strip() for note in result.notes for line in note.splitlines()]
            print("failed: %s: %s" % (result.name, next((line for line in lines if "FAILED" in line), lines[0])))
    if skipped:
        print("%d skipped" % skipped)
    print("%d passed, %d failed" % (passed, failed), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception as error:  # the last line is a promise
        import traceback
        traceback.print_exc()
        print("0 passed, 1 failed", flush=True)
        sys.exit(1)
