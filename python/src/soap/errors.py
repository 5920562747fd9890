# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors and warnings with the diagnostics of Soap."""

from __future__ import annotations

import logging
import re
import warnings
from typing import Sequence

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


class SoapWarning(UserWarning):
    """A warning of Soap, for example of a strategy that needs more memory than a device has."""


def _report(diagnostics: Sequence[tuple[int, str]], failed: bool) -> None:
    """Called by the extension after each call: raises, warns and logs."""
    if failed:
        errors = [text for severity, text in diagnostics if severity == _ERROR]
        every = [text for _, text in diagnostics]
        for text in errors:
            if unknown := _unknown_option(text):
                raise OptionError(unknown, every)
        raise SoapError("\n".join(errors) or "the call failed without a diagnostic", every)
    for severity, text in diagnostics:
        if severity == _WARNING:
            warnings.warn(text, SoapWarning, stacklevel=4)
        else:
            _logger.info("%s", text)


def _unknown_option(text: str) -> str | None:
    """The message of an option that a pass, an importer or a network does not have, by names of Python; None for
    others."""
    if match := re.search(r"'(--[\w-]+)': no such option ([\w-]+)(?:, did you mean '([\w-]+)')?", text):
        near = f", did you mean {match[3].replace('-', '_')!r}?" if match[3] else ""
        return f"{match[1]} has no option {match[2].replace('-', '_')!r}{near}"
    # A network's options stand beside the keyword `batch`.
    more = ["batch"] if "model '" in text else []
    match = re.search(r"(?:unknown option|has no option) '([\w-]+)'.*?, expected ([\w-]+(?:, [\w-]+)*(?: or [\w-]+)?)$", text)
    if match is None:
        return None
    known = [name.replace("-", "_") for name in re.split(r", | or ", match[2])]
    words = text.removeprefix("error: ").replace(match[0], match[0].replace("-", "_"))
    return words + did_you_mean(match[1].replace("-", "_"), known + more)
