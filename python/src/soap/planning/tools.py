# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools of a build or an installation, as processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .errors import OutOfTime, PlanError


def _places() -> list[Path]:
    here = Path(__file__).resolve().parent
    if os.environ.get("SOAP_TOOLS"):
        return [Path(os.environ["SOAP_TOOLS"])]
    native = here.parent / "_native" / "bin"
    if native.is_dir():  # a wheel: the tools are its own
        return [native]
    places = []
    if sys.argv and sys.argv[0]:
        places.append(Path(sys.argv[0]).resolve().parent)
    recorded = here / "tools.txt"  # python/CMakeLists.txt writes it
    if recorded.exists():
        places.append(Path(recorded.read_text(encoding="utf-8").strip()))
    found = shutil.which("soap-opt")
    if found:
        places.append(Path(found).resolve().parent)
    # A package in its source tree, beside a build.
    return [*places, *(parent / "build" / "bin" for parent in here.parents[3:5])]


class Tools:
    """soap-translate and soap-opt."""

    def __init__(self) -> None:
        places = _places()
        for place in places:
            if all(os.access(place / tool, os.X_OK) for tool in ("soap-opt", "soap-translate")):
                self.folder = place
                return
        raise PlanError("soap-opt and soap-translate are not found in "
                        + ", ".join(str(place) for place in places)
                        + "; expected them beside soap-plan, in PATH, or in the folder that SOAP_TOOLS names")  # fmt: skip

    def run(self, tool: str, *arguments: str, seconds: float | None = None) -> str:
        """Its output; a failure is an error with its message. `seconds`: OutOfTime where it takes longer."""
        try:
            done = subprocess.run([str(self.folder / tool), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=seconds)  # fmt: skip
        except subprocess.TimeoutExpired:
            raise OutOfTime(f"{tool}: the time limit") from None
        if done.returncode:
            raise PlanError(_message(tool, done.stderr, done.returncode))
        return done.stdout

    def topology(self, name: str) -> dict:
        """The topology file of a name."""
        return json.loads(self.run("soap-translate", f"--describe-topology={name}", "--topology-as=json"))


def _message(tool: str, text: str, status: int) -> str:
    """The first error that a tool prints, without the place in a file that is temporary."""
    for line in text.splitlines():
        if "error: " in line:
            return line.split("error: ", 1)[1]
        if line.startswith(f"{tool}: "):
            return line[len(tool) + 2 :]
    lines = text.strip().splitlines()
    return f"{tool} ends with status {status}" + (f": {lines[-1]}" if lines else "")
