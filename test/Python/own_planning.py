# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes soap-plan's package of this checkout importable as `soap_planning`, without the rest of the package `soap`, as
the launcher of build trees loads it."""

import importlib.util
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "python", "src",
                      "soap", "planning")  # fmt: skip


def _load():
    spec = importlib.util.spec_from_file_location("soap_planning", os.path.join(FOLDER, "__init__.py"),
                                                  submodule_search_locations=[FOLDER])  # fmt: skip
    module = importlib.util.module_from_spec(spec)
    sys.modules["soap_planning"] = module
    spec.loader.exec_module(module)


_load()
