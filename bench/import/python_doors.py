#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long `soap.from_jax` and `soap.from_torch` take for GPT-2 (make_gpt2.py), and which part of it is Soap's.

    bench/import/python_doors.py [--runs 3] [--doors jax,torch]

Needs the package of python/, jax, torch, transformers and onnx. "framework" is the processor's time of JAX's lowering
and printing, or of torch.onnx; "soap" is that of all else. The first run of a door is not counted."""

import argparse
import functools
import os
import statistics
import time
import warnings

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import make_gpt2  # noqa: E402


class Clock:
    """Adds up the processor's time within calls of functions."""

    def __init__(self):
        self.seconds = 0.0

    def timed(self, function):
        def call(*arguments, **options):
            begin = time.process_time()
            try:
                return function(*arguments, **options)
            finally:
                self.seconds += time.process_time() - begin

        return call


class Lowered:
    """A function of JAX whose lowering is timed."""

    def __init__(self, function, clock):
        import jax

        functools.update_wrapper(self, function)
        self.lower = clock.timed(lambda *values: jax.jit(function).lower(*values))

    def __call__(self, *values):
        return self.__wrapped__(*values)


def doors(names):
    """(name, call, clock of the framework)"""
    import soap

    if "jax" in names:
        import jax
        import soap.jax

        step, arguments = make_gpt2.jax_step()
        clock = Clock()
        soap.jax.generic_stablehlo = clock.timed(soap.jax.generic_stablehlo)
        function = Lowered(step, clock)
        clear = clock.timed(jax.clear_caches)  # a function is lowered once
        yield "from_jax", lambda: (clear(), soap.from_jax(function, *arguments))[1], clock
    if "torch" in names:
        import soap.torch.model

        model, ids = make_gpt2.torch_model()
        clock = Clock()
        soap.torch.model.export = clock.timed(soap.torch.model.export)
        yield "from_torch", lambda: soap.from_torch(model, (ids,), check=False), clock


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--doors", default="jax,torch")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| door | framework, s | soap, s |\n|---|---|---|")
    for name, call, clock in doors(options.doors.split(",")):
        rows = []
        for _ in range(options.runs + 1):
            clock.seconds, begin = 0.0, time.process_time()
            model = call()
            rows.append((clock.seconds, time.process_time() - begin - clock.seconds))
            del model
        framework, own = (statistics.median(row[i] for row in rows[1:]) for i in (0, 1))
        print("| %s | %.2f | %.2f |" % (name, framework, own), flush=True)


if __name__ == "__main__":
    main()
