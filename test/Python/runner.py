# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the functions of a script that are marked as tests, and counts them."""

import sys
import traceback

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def raises(kind, text, call):
    """The exception of a call, which must be of this kind and have this text."""
    try:
        call()
    except kind as error:
        message = str(error.args[0] if isinstance(error, KeyError) else error)
        assert text in message, f"expected {text!r} in {message!r}"
        return error
    raise AssertionError(f"expected {kind.__name__} with {text!r}, got no exception")


def run(names=()):
    """The exit status of all tests, or of those that are named; prints failures and "N passed, N failed"."""
    chosen = [function for function in TESTS if not names or function.__name__ in names]
    failed = 0
    for function in chosen:
        try:
            function()
        except Exception:
            failed += 1
            print(f"{function.__name__}: FAILED")
            traceback.print_exc(file=sys.stdout)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return int(failed > 0 or not chosen)
