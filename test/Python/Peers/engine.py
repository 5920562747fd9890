# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hybrid plans by `soap.torch.parallelize`: processes of torch.distributed (gloo) train small models as plans say, and
one process trains the same without them. Losses of all iterations and all weights behind them have to be equal.

    engine.py [--core] [--only TEXT]

`--core` is the part that scripts/test.sh runs; scripts/test-peers.sh runs all. The last line is "N passed, N failed".
"""
import argparse
import faulthandler
import os
import socket
import sys
import time
import traceback
from dataclasses import asdict

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

import soap.torch
from soap.planning import PlanError
from soap.planning.hybrid import Shape

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engine_models  # noqa: E402

BATCH, STEPS = 8, 3
#: Of all gradients, at most.
NORM = 0.5
#: Seconds after which a process that hangs says where.
LIMIT = int(os.environ.get('LIMIT', 300))
#: Losses and weights, relative to the largest weight of a tensor or 1.
TOLERANCE = {"f32": 1e-5, "bf16": 2e-2}

PLANS = {
    "data 4": Shape(data=4, samples=2),
    "data 4, 2 microbatches": Shape(data=4, samples=1),
    "ZeRO-1": Shape(data=4, samples=1, zero=1),
    "ZeRO-3": Shape(data=4, samples=1, zero=3),
    "ZeRO-3, whole recomputation": Shape(data=4, samples=2, zero=3, recompute="whole"),
    "data 4, selective recomputation": Shape(data=4, samples=2, recompute="selective"),
    "2 stages, data 2": Shape(stages=2, data=2, samples=1),
    "2 stages, ZeRO-1": Shape(stages=2, data=2, samples=1, zero=1, recompute="whole"),
    "4 stages": Shape(stages=4, samples=2),
    "2 stages, interleaved, data 2": Shape(stages=2, chunks=2, data=2, samples=1),
    "2 stages, tensor 2, sequence": Shape(stages=2, tensor=2, samples=2, sequence=True),
    "context 2, data 2": Shape(context=2, data=2, samples=1),
    "context 4": Shape(context=4, samples=1, recompute="whole"),
    "context 2, tensor 2, sequence": Shape(context=2, tensor=2, samples=1, sequence=True),
    "tensor 4": Shape(tensor=4, samples=8),
    "tensor 4, sequence": Shape(tensor=4, samples=4, sequence=True),
    "tensor 2, sequence, data 2": Shape(tensor=2, data=2, samples=2, sequence=True),
    "tensor 2, sequence, ZeRO-3": Shape(tensor=2, data=2, samples=2, sequence=True, zero=3, recompute="whole"),
}


#: On eight processes.
EIGHT = {
    "2 stages, tensor 2, sequence, ZeRO-1": Shape(stages=2, tensor=2, data=2, samples=1, zero=1, sequence=True),
    "tensor 2, sequence, ZeRO-3, data 4": Shape(tensor=2, data=4, samples=1, zero=3, sequence=True, recompute="whole"),
    "4 stages, data 2": Shape(stages=4, data=2, samples=1),
}
#: The part that takes a minute.
CORE = [("llama", "ZeRO-3, whole recomputation"), ("llama", "2 stages, interleaved, data 2"), ("gpt2", "ZeRO-1"),
        ("llama", "tensor 2, sequence, data 2"), ("gpt2", "2 stages, tensor 2, sequence"),
        ("llama, labels left out", "2 stages, data 2")]  # fmt: skip
#: In bf16, too.
HALVES = ("data 4", "ZeRO-3", "tensor 2, sequence, data 2", "2 stages, tensor 2, sequence")


#: Parts of plans that models have no place for, and what the error says.
REFUSED = {
    ("resnet", "tensor"): "no products were found that follow each other",
    ("resnet", "context"): "context parallelism over",
    ("vit", "context"): "context parallelism over",
    ("resnet-bn", "data"): "a BatchNorm2d has statistics of the whole batch",
}


def plan_of(shape, precision="f32"):
    """A plan.json by hand."""
    return {"best": asdict(shape), "global_batch": BATCH, "precision": precision}


def train(module, inputs, labels, loss):
    """Three iterations of SGD with momentum in one process."""
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        value = loss(module(*inputs), labels)
        value.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), NORM)
        optimizer.step()
        losses.append(value.item())
    return losses, module.state_dict()


def train_by_plan(name, shape, precision="f32"):
    module, inputs, labels, loss = engine_models.make_case(name, BATCH, seed=1)
    weight = engine_models.count if (labels < 0).any() else None
    parallel = soap.torch.parallelize(module, plan_of(shape, precision), loss=loss, example=[x[:1] for x in inputs],
                                      weight=weight)  # fmt: skip
    # The weights that the reference begins with.
    parallel.load_state_dict(engine_models.make_case(name, BATCH)[0].state_dict())
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for step in range(STEPS):
        optimizer.zero_grad()
        value = parallel.backward([parallel.share(x) for x in inputs], parallel.share(labels))
        if step == 1:  # gradients add up
            parallel.backward([parallel.share(x) for x in inputs], parallel.share(labels))
            for parameter in parallel.parameters():
                if parameter.grad is not None:
                    parameter.grad.mul_(0.5)
        parallel.clip_grad_norm_(NORM)
        optimizer.step()
        losses.append(value.item())
    return losses, parallel


def refusals():
    """Plans that the engine cannot run, before any process is asked: what the error says, and the nearest plan."""
    cases = [
        (Shape(context=2, samples=1, zigzag=True), "early and a late part", "context=2,data=1,samples=1,zero=0)"),
        (Shape(data=2, samples=4, offload=True), "host memory", "data=2,samples=4,zero=0)"),
        (Shape(data=4, samples=2, experts=2), "experts that 2 replicas share", "data=4,samples=2,zero=0)"),
        (Shape(data=3, samples=1), "a batch of 8, as 3 replicas have 1 at a time", "no plan is near"),
        (Shape(stages=2, data=2, samples=1, zero=3), "ZeRO-3 with pipeline stages", "zero=1"),
        (Shape(context=2, data=2, samples=1, zero=1), "states that are split over the places", "zero=0"),
        (Shape(context=2, data=2, samples=2), "several samples in a microbatch", "samples=1"),
        (Shape(context=2, stages=2, samples=1), "context parallelism with pipeline stages", "stages=1,chunks=1"),
    ]
    for shape, what, near in cases:
        try:
            soap.torch.parallelize(torch.nn.Linear(2, 2), plan_of(shape), loss=None)
            text = "no error"
        except PlanError as error:
            text = str(error)
        good = what in text and near in text
        if not good:
            print(f"FAIL {shape.option()}: {text}")
        yield good
    for plan, what in (({"best": {}}, "expected the plan.json of soap-plan"), ("no/such/plan.json", "no/such/plan.json"),
                       (plan_of(Shape(data=4, samples=2), "f16"), "precision f16")):  # fmt: skip
        try:
            soap.torch.parallelize(torch.nn.Linear(2, 2), plan, loss=None)
            yield False
        except PlanError as error:
            yield what in str(error)


def difference(expected, found):
    """The largest of all tensors, and its name."""
    if expected.keys() != found.keys():
        return float("inf"), f"names differ: {sorted(expected.keys() ^ found.keys())}"
    return max((float((value - found[key]).abs().max() / max(value.abs().max(), 1)), key)
               for key, value in expected.items() if value.is_floating_point())  # fmt: skip


def check(name, title, shape, precision, reference):
    losses, parallel = train_by_plan(name, shape, precision)
    state = parallel.state_dict()
    expected, weights = reference
    loss_error = max(abs(a - b) / abs(a) for a, b in zip(expected, losses))
    weight_error, where = difference(weights, state)
    tolerance = TOLERANCE[precision]
    good = loss_error <= tolerance and weight_error <= tolerance
    return good, f"losses within {loss_error:.1e}, weights within {weight_error:.1e} ({where})"


def work(rank, processes, port, rows, results, verbose):
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE=str(processes))
    dist.init_process_group("gloo", rank=rank, world_size=processes)
    references = {}
    for name, title, shape, precision in rows:
        if name not in references:
            references[name] = train(*engine_models.make_case(name, BATCH))
        began = time.process_time()
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        try:
            good, text = check(name, title, shape, precision, references[name])
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            good = any(what in text for (model, part), what in REFUSED.items() if model == name and part in title)
            if verbose and not good:
                print(f"process {rank}: {traceback.format_exc()}", flush=True)
        faulthandler.cancel_dump_traceback_later()
        verdicts = [None] * processes
        dist.all_gather_object(verdicts, good)
        if rank == 0:
            results.append((all(verdicts), name, title))
            seconds = time.process_time() - began
            print(f"{'ok  ' if all(verdicts) else 'FAIL'} {name}: {title}: {text}, {seconds:.1f} s", flush=True)
    dist.destroy_process_group()


def run(processes, rows, verbose):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with mp.Manager() as manager:
        results = manager.list()
        # Forked processes share the import of PyTorch.
        mp.start_processes(work, args=(processes, port, rows, results, verbose), nprocs=processes, start_method="fork")
        return [good for good, _, _ in results]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true", help="whole tracebacks")
    options = parser.parse_args()
    names = engine_models.NAMES
    rows = [(name, title, shape, "f32") for name in names for title, shape in PLANS.items()]
    rows += [(name, title + ", bf16", PLANS[title], "bf16") for name in names for title in HALVES]
    rows += [("llama, labels left out", title, PLANS[title], "f32") for title in ("ZeRO-3", "2 stages, data 2", "tensor 4")]
    rows.append(("resnet-bn", "data 4", PLANS["data 4"], "f32"))
    more = [(name, title, shape, "f32") for name in names for title, shape in EIGHT.items()]
    if options.core:
        rows, more = [row for row in rows if row[:2] in CORE], []
    rows, more = ([row for row in part if options.only in f"{row[0]}: {row[1]}"] for part in (rows, more))
    verdicts = list(refusals()) if not options.only else []
    verdicts += [verdict for count, part in ((4, rows), (8, more)) if part for verdict in run(count, part, options.verbose)]
    print(f"{verdicts.count(True)} passed, {verdicts.count(False)} failed")


if __name__ == "__main__":
    main()
