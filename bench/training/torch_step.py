#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Milliseconds of a training iteration in PyTorch, of a network of soap-translate --generate by its name: forward,
loss, backward, SGD with momentum on one batch that stays on the device.

torch_step.py NETWORK --batch N [--sizes NAME=NUMBER,..] [--precision f32|tf32|bf16] [--device cuda|cpu]
              [--modes graph,compile,eager]
              [--rounds 7] [--seconds 0.5]

Modes: `graph` is eager PyTorch, recorded once as a CUDA graph (images in both layouts, the faster one counts);
`compile` is torch.compile(mode="reduce-overhead") of forward and loss, images in the layout that was faster; `eager` is
neither. On a CPU there is `eager` alone. Precisions: f32, tf32, or bf16 by autocast: weights, their gradients, momentum
and updates stay f32. Libraries choose their algorithms by measuring. The time of a round is that of its iterations,
between two waits for the device, by their number; after a warm-up. Prints a JSON object after each mode, the last one
with all of them: versions, number of parameters (of an LSTM's two biases, which are only added, one), milliseconds of
each mode - the median and the best round - and the fastest mode. A mode that fails has its error; all failed: exit
status 1. Without PyTorch, or a GPU that it sees: 3."""

import argparse
import contextlib
import gc
import json
import statistics
import sys
import time

NOTHING_TO_ASK = 3
try:
    import torch
    import torch.nn.functional as F

    import torch_images
    import torch_language
except ImportError as error:
    print("torch_step: %s: no PyTorch: %s" % (sys.executable, error), file=sys.stderr)
    sys.exit(NOTHING_TO_ASK)


def parameters_of(module):
    return sum(p.numel() for name, p in module.named_parameters() if ".bias_hh_" not in "." + name)


def make(name, batch, given):
    """(module, inputs, labels, whether inputs are images)"""
    if name in torch_images.NETWORKS:
        build, channels, defaults = torch_images.NETWORKS[name]
    elif name in torch_language.NETWORKS:
        build, tensors, time_first, defaults = torch_language.NETWORKS[name]
    else:
        known = sorted([*torch_images.NETWORKS, *torch_language.NETWORKS])
        sys.exit("torch_step: unknown network '%s', expected one of %s" % (name, ", ".join(known)))
    for size in given:
        if size not in defaults:
            sys.exit("torch_step: %s has no size '%s', expected %s" % (name, size, ", ".join(defaults)))
    sizes = {**defaults, **given}
    module = build(sizes)
    if name in torch_images.NETWORKS:
        return module, [torch.randn(batch, channels, sizes["image"], sizes["image"])], torch.randint(0, sizes["classes"], [batch]), True
    shape = [sizes["length"], batch] if time_first else [batch, sizes["length"]]
    tokens = lambda: torch.randint(0, sizes["vocabulary"], shape)
    return module, [tokens() for _ in range(tensors)], tokens(), False


class Step:
    """One network on a device."""

    def __init__(self, options, channels_last):
        torch.manual_seed(0)
        module, inputs, labels, self.has_images = make(options.network, options.batch, options.sizes)
        self.parameters, self.precision, self.device = parameters_of(module), options.precision, options.device
        self.module, self.labels = module.to(self.device), labels.to(self.device)
        self.inputs = [x.to(self.device) for x in inputs]
        if channels_last:
            self.module = self.module.to(memory_format=torch.channels_last)
            self.inputs = [x.contiguous(memory_format=torch.channels_last) for x in self.inputs]
        # One kernel for all updates.
        self.optimizer = torch.optim.SGD(self.module.parameters(), lr=1e-4, momentum=0.9, fused=True if self.device == "cuda" else None)
        self.forward = self.loss

    def loss(self, *inputs):
        # Casts are part of the iteration, and are recorded with it.
        narrow = torch.autocast(self.device, torch.bfloat16, cache_enabled=False) if self.precision == "bf16" else contextlib.nullcontext()
        with narrow:
            logits = self.module(*inputs)
            return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), self.labels.reshape(-1))

    def run(self):
        self.optimizer.zero_grad(set_to_none=True)
        self.forward(*self.inputs).backward()
        self.optimizer.step()

    def run_compiled(self):
        torch.compiler.cudagraph_mark_step_begin()
        self.run()


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def timed(run, options):
    def seconds(iterations):
        wait(options.device)
        start = time.perf_counter()
        for _ in range(iterations):
            run()
        wait(options.device)
        return time.perf_counter() - start

    for _ in range(5):
        run()
    iterations = max(1, min(1000, int(options.seconds / max(seconds(2) / 2, 1e-6))))
    rounds = [seconds(iterations) / iterations * 1e3 for _ in range(options.rounds)]
    return {"ms": statistics.median(rounds), "best_ms": min(rounds), "iterations": iterations, "rounds": len(rounds)}


def recorded(step):
    """The iteration as a CUDA graph; libraries and memory get ready before, on a stream of their own."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(5):
            step.run()
    torch.cuda.current_stream().wait_stream(stream)
    step.optimizer.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step.run()
    return graph.replay


def measure(mode, options, channels_last):
    step = Step(options, channels_last)
    if mode == "graph":
        run = recorded(step)
    elif mode == "compile":
        step.forward = torch.compile(step.loss, mode="reduce-overhead")
        run = step.run_compiled
    else:
        run = step.run
    start = time.perf_counter()
    run()
    wait(options.device)
    first = time.perf_counter() - start
    result = timed(run, options)
    result.update(parameters=step.parameters, first_s=round(first, 3))
    if step.has_images:
        result["layout"] = "nhwc" if channels_last else "nchw"
    return result


def best_layout(mode, options, layouts):
    """The faster layout's numbers. One that fails counts only if all do."""
    results, error = [], None
    for channels_last in layouts:
        try:
            results.append(measure(mode, options, channels_last))
        except Exception as failure:  # whatever PyTorch, a compiler or a driver says
            error = "%s: %s" % (type(failure).__name__, (str(failure).strip().split("\n") or [""])[0])
        # A step and its forward function hold each other.
        gc.collect()
        if options.device == "cuda":
            torch.cuda.empty_cache()
    return min(results, key=lambda result: result["ms"]) if results else {"error": error}


def sizes_of(text):
    pairs = [pair.split("=") for pair in text.split(",") if pair]
    if any(len(pair) != 2 or not pair[1].isdigit() for pair in pairs):
        raise argparse.ArgumentTypeError("expected NAME=NUMBER,.., got '%s'" % text)
    return {name: int(number) for name, number in pairs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--sizes", type=sizes_of, default={})
    parser.add_argument("--precision", choices=("f32", "tf32", "bf16"), default="tf32")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--modes", default="")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a round, about")
    options = parser.parse_args()
    modes = (options.modes or ("graph,compile" if options.device == "cuda" else "eager")).split(",")
    known = ("graph", "compile", "eager") if options.device == "cuda" else ("compile", "eager")
    for mode in modes:
        if mode not in known:
            parser.error("--modes: on %s expected some of %s, got '%s'" % (options.device, ", ".join(known), mode))
    if options.device == "cuda" and not torch.cuda.is_available():
        print("torch_step: %s: PyTorch %s sees no GPU" % (sys.executable, torch.__version__), file=sys.stderr)
        return NOTHING_TO_ASK
    narrow = options.precision == "f32"
    torch.set_float32_matmul_precision("highest" if narrow else "high")
    torch.backends.cudnn.allow_tf32 = not narrow
    torch.backends.cudnn.benchmark = True
    result = {"network": options.network, "batch": options.batch, "sizes": options.sizes, "precision": options.precision,
              "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(),
              "device": torch.cuda.get_device_name() if options.device == "cuda" else "cpu", "modes": {}}
    layouts = [True, False] if options.network in torch_images.NETWORKS else [False]
    for mode in modes:
        numbers = best_layout(mode, options, layouts)
        result["modes"][mode] = numbers
        if "layout" in numbers:
            layouts = [numbers["layout"] == "nhwc"]
        result["parameters"] = numbers.pop("parameters", result.get("parameters"))
        worked = [mode for mode in result["modes"] if "ms" in result["modes"][mode]]
        if worked:
            result["best"] = min(worked, key=lambda mode: result["modes"][mode]["ms"])
        print(json.dumps(result), flush=True)
    return 0 if worked else 1


if __name__ == "__main__":
    sys.exit(main())
