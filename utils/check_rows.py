# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of checks that take long: run one after the other or several at a time, printed and kept in a file as they end,
so that a run that is cut off loses only what it was at, and another one goes on from there."""

import concurrent.futures
import json
import os
import tempfile
import time

VERSION = 1


class Failure(Exception):
    """The reason why a check fails; `found`: what its row has beside."""

    def __init__(self, message, **found):
        super().__init__(message)
        self.found = found


def read(file):
    """The rows of a file that Rows has written; none if there is no file. Failure if it is another."""
    try:
        with open(file) as stream:
            rows = json.load(stream)["checks"]
            if not all(isinstance(row, dict) and {"part", "name", "result"} <= row.keys() for row in rows):
                raise ValueError("rows without part, name and result")
            return rows
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Failure("%s: expected what --json writes: %s" % (file, error))


class Rows:
    """`file`: where rows are kept as JSON, or empty. `minutes`: after so many no check begins; 0: no end. `kept`: rows
    of an earlier run; a check of these that passed is not run again. `times`: keys of a row that are printed as
    milliseconds."""

    def __init__(self, file, minutes=0, kept=(), times=()):
        self.file, self.times, self.left_out, self.missed = file, times, {}, 0
        self.rows = list(kept)
        self.known = {(row["part"], row["name"]) for row in kept if row["result"] == "passed"}
        self.end, self.is_stopped = time.monotonic() + 60 * minutes if minutes else float("inf"), False

    def is_over(self):
        return self.is_stopped or time.monotonic() >= self.end

    def stop(self):
        """No check begins any more; one that fails from now on is none."""
        self.is_stopped = True

    def of(self, part):
        return [row for row in self.rows if row["part"] == part]

    def count(self, result):
        return sum(row["result"] == result for row in self.rows)

    def write(self):
        if not self.file:
            return
        content = {"version": VERSION, "passed": self.count("passed"), "failed": self.count("failed"), "left_out": self.left_out,
                   "missed": self.missed, "checks": self.rows}
        with open(self.file + ".new", "w") as stream:
            json.dump(content, stream, indent=1)
        os.replace(self.file + ".new", self.file)

    def leave_out(self, part, why):
        self.left_out[part] = why
        print("%-11s left out: %s" % (part, why), flush=True)
        self.write()

    def check(self, part, name, body):
        self.check_all(part, [(name, body)])

    def check_all(self, part, checks, jobs=1):
        """Runs (name, body) pairs, `jobs` at a time, and adds their rows in this order. A body gets a folder of its own
        and returns what its row has beside part, name and result; a Failure is a row that failed."""
        checks = [(name, body) for name, body in checks if (part, name) not in self.known]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for row in pool.map(lambda check: self.row(part, *check), checks):
                if row:
                    self.add(row)
                else:
                    self.missed += 1

    def row(self, part, name, body):
        if self.is_over():
            return None
        start, row = time.monotonic(), {"part": part, "name": name}
        try:
            with tempfile.TemporaryDirectory() as folder:
                row.update(body(folder), result="passed")
        except Failure as failure:
            row.update(failure.found, result="failed", detail=str(failure))
        except Exception as error:  # the other checks go on
            row.update(result="failed", detail="%s: %s" % (type(error).__name__, error))
        if self.is_stopped and row["result"] == "failed":
            return None
        row["seconds"] = round(time.monotonic() - start, 3)
        return row

    def add(self, row):
        self.rows = [old for old in self.rows if (old["part"], old["name"]) != (row["part"], row["name"])] + [row]
        times = "".join("  %s %.3f ms" % (key, row[key + "_ms"]) for key in self.times if key + "_ms" in row)
        print("%-11s %-20s %-6s %s%s" % (row["part"], row["name"], row["result"], row.get("detail", ""), times), flush=True)
        self.write()
