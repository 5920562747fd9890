# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors and warnings with the diagnostics of Soap."""

from __future__ import annotations

import contextlib
import logging
import re
import warnings
from typing import Iterator, Sequence

from .planning.keywords import did_you_mean

_logger = logging.getLogger("soap")
_NOTE, _WARNING, _ERROR, _REMARK = range(4)


class SoapError(RuntimeError):
    """A call that failed. The text is that of all errors; `diagnostics` has every message of the call, each with its
    place, severity and text."""

    def __init__(self, message: str, diagnostics: Sequence[str] = ()):
        super().__init__(message)
        self.diagnostics: list[str] = list(diagnostics)


class OptionError(SoapError, TypeError):
    """A keyword that a call does not have. The text names the nearest one."""

    def __init__(self, message: str, diagnostics: Sequence[str] = (), option: str = ""):
        super().__init__(message, diagnostics)
        #: The keyword.
        self.option = option


@contextlib.contextmanager
def keywords_beside(*known: str) -> Iterator[None]:
    """A call whose options stand beside keywords of its own: where an unknown option is near none of the options, the
    nearest one of these is named."""
    try:
        yield
    except OptionError as error:
        near = did_you_mean(error.option, known) if "did you mean" not in str(error) else ""
        if not near:
            raise
        raise OptionError(f"{error}{near}", error.diagnostics, error.option) from None


class SoapWarning(UserWarning):
    """A warning of Soap, for example of a strategy that needs more memory than a device has."""


def _report(diagnostics: Sequence[tuple[int, str]], failed: bool) -> None:
    """Called by the extension after each call: raises, warns and logs."""
    if failed:
        errors = [text for severity, text in diagnostics if severity == _ERROR]
        every = [text for _, text in diagnostics]
        for text in errors:
            if unknown := _unknown_option(text):
                raise OptionError(unknown[1], every, unknown[0])
        raise SoapError("\n".join(errors) or "the call failed without a diagnostic", every)
    for severity, text in diagnostics:
        if severity == _WARNING:
            warnings.warn(text, SoapWarning, stacklevel=4)
        else:
            _logger.info("%s", text)


_PASS = re.compile(r"cannot run '(soap-[\w-]+)[^\n]*: no such option ([\w-]+)(?:, did you mean '([\w-]+)')?")
#: Of importers and networks: `option 'x=1' of StableHLO import: expected data, sample-dim=N or keep-shardings`.
_EXPECTED = re.compile(r"(?:unknown option|has no option|option(?=[^:]* of StableHLO)) '([\w-]+)[^']*'(.*?)[,:] expected "
                       r"([\w-]+(?:=N)?(?:(?:, | or )[\w-]+(?:=N)?)*)$")  # fmt: skip


def _unknown_option(text: str) -> tuple[str, str] | None:
    """An option that a pass, an importer or a network does not have, by the name of Python, and the message; None for
    other messages."""
    if match := _PASS.search(text):
        name = match[2].replace("-", "_")
        near = f", did you mean {match[3].replace('-', '_')!r}?" if match[3] else ""
        return name, f"--{match[1]} has no option {name!r}{near}"
    match = _EXPECTED.search(text)
    if match is None:
        return None
    name = match[1].replace("-", "_")
    known = [one.removesuffix("=N").replace("-", "_") for one in re.split(", | or ", match[3])]
    if name in known:  # its value is wrong
        return None
    before = text[: match.start(1) - 1].removeprefix("error: ")
    expected = ", ".join(known[:-1]) + f" or {known[-1]}" if len(known) > 1 else known[0]
    return name, f"{before}{name!r}{match[2]}, expected {expected}{did_you_mean(name, known)}"
