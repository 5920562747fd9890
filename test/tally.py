# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counting of what a suite checks, and its last line: utils/run-suites.py reads "N passed, N failed"."""


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def count(self, name, wrong):
        """One check: `wrong` is what is wrong, or nothing."""
        if wrong:
            self.failed += 1
            print("FAILED %s: %s" % (name, wrong), flush=True)
        else:
            self.passed += 1

    def attempt(self, name, errors, check, *arguments):
        """A check that counts by itself; one of `errors` that ends it is one failure."""
        try:
            check(*arguments)
        except errors as error:
            self.count(name, str(error) or type(error).__name__)

    def finish(self):
        """The last line; the exit status, which a suite that checked nothing does not pass."""
        print("%d passed, %d failed" % (self.passed, self.failed), flush=True)
        return 1 if self.failed or not self.passed else 0
