# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors and warnings with the diagnostics of Soap."""

from __future__ import annotations

import logging
import warnings
from typing import Sequence

_logger = logging.getLogger("soap")
_NOTE, _WARNING, _ERROR, _REMARK = range(4)


class SoapError(RuntimeError):
    """A call that failed. The text is that of all errors; `diagnostics` has every message of the call, each with its
    place, severity and text."""

    def __init__(self, message: str, diagnostics: Sequence[str] = ()):
        super().__init__(message)
        self.diagnostics: list[str] = list(diagnostics)


class SoapWarning(UserWarning):
    """A warning of Soap, for example of a strategy that needs more memory than a device has."""


def _report(diagnostics: Sequence[tuple[int, str]], failed: bool) -> None:
    """Called by the extension after each call: raises, warns and logs."""
    if failed:
        errors = [text for severity, text in diagnostics if severity == _ERROR]
        raise SoapError("\n".join(errors) or "the call failed without a diagnostic", [text for _, text in diagnostics])
    for severity, text in diagnostics:
        if severity == _WARNING:
            warnings.warn(text, SoapWarning, stacklevel=4)
        else:
            _logger.info("%s", text)
