# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds a kept value to a strategy file. usage: keep.py STRATEGY OUT VALUE FORM"""

import json
import sys

source, target, value, form = sys.argv[1:]
with open(source) as file:
    strategy = json.load(file)
strategy["keep"] = [{"value": value, "form": form}]
strategy.pop("schedule", None)
with open(target, "w") as file:
    json.dump(strategy, file)
