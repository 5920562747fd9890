# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The versions of other packages that the tests run with."""

from __future__ import annotations

import warnings

from .errors import SoapWarning

#: Major and minor versions that scripts/test-peers.sh has run with.
TESTED = {"jax": ("0.10",), "torch": ("2.15",)}
_warned: set[str] = set()


def check_version(package: str, version: str) -> None:
    """Warns once of a version that the tests have not run with."""
    short = ".".join(version.split("+")[0].split(".")[:2])
    if short in TESTED[package] or package in _warned:
        return
    _warned.add(package)
    warnings.warn(
        f"{package} {version} is not tested with this version of Soap, which was with {', '.join(TESTED[package])}",
        SoapWarning,
        stacklevel=3,
    )
