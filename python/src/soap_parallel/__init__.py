# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools of Soap as commands: `soap-opt`, `soap-run`, `soap-solve`, `soap-translate`, `soap-launch`. A module beside
`soap`, whose import would load what these programs load again."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path


def tools() -> Path:
    """The folder with the programs: in the wheel, or of the Soap that `pip install ./python` was told of."""
    spec = importlib.util.find_spec("soap")
    if not spec or not spec.submodule_search_locations:
        sys.exit("soap_parallel: the package 'soap' is missing")
    package = Path(next(iter(spec.submodule_search_locations)))
    native = package / "_native" / "bin"
    if native.is_dir():
        return native
    recorded = package / "planning" / "tools.txt"  # python/CMakeLists.txt writes it
    if recorded.exists():
        return Path(recorded.read_text(encoding="utf-8").strip())
    sys.exit(f"soap_parallel: {native} and {recorded} are missing")


def main() -> None:
    """Becomes the tool after which the command is named."""
    program = tools() / Path(sys.argv[0]).name
    try:
        os.execv(program, [str(program), *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{program.name}: cannot run {program}: {error.strerror}")
