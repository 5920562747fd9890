# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m soap.torch export PACKAGE.MODULE:FUNCTION -o MODEL.soap

The function returns a module and example inputs, or a dict of the arguments of `soap.from_torch`. Writes the program
to MODEL.soap, and the values of its parameters to MODEL.safetensors: soap-opt and soap-run read them."""

from __future__ import annotations

import argparse
import sys

import soap
from soap.planning.named import is_named, made_by_name

from . import from_torch


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m soap.torch", description=(__doc__ or "").split("\n\n")[1])
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser("export", help="write a module of PyTorch as a program")
    export.add_argument("function", help="PACKAGE.MODULE:FUNCTION")
    export.add_argument("-o", dest="output", required=True, metavar="MODEL.soap")
    export.add_argument("--batch", type=int, help="samples of the program's batch, as many as the example has by default")
    export.add_argument("--no-check", action="store_true", help="do not compare the program with the module")
    options = parser.parse_args(arguments)
    if not options.output.endswith((".soap", ".mlir")):
        parser.error(f"-o: expected a path that ends in .soap or .mlir, got {options.output!r}")
    if not is_named(options.function):
        parser.error(f"expected PACKAGE.MODULE:FUNCTION, got {options.function!r}")
    try:
        made = made_by_name(options.function)
    except soap.PlanError as error:
        parser.error(str(error))
    if not isinstance(made, (dict, tuple)):
        parser.error(f"{options.function}: gives a {type(made).__name__}, expected a module and example inputs")
    named = dict(made) if isinstance(made, dict) else dict(zip(("module", "example_inputs"), made))
    if options.batch is not None:
        named["batch"] = options.batch
    named["check"] = not options.no_check and named.get("check", True)
    try:
        model = from_torch(named.pop("module"), named.pop("example_inputs"), **named)
        model.save(options.output)
    except (soap.SoapError, TypeError, ValueError, KeyError, OSError) as error:
        print(f"soap.torch: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
