# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives of an iteration by `soap.torch.parallelize`, beside those that Soap's simulator has for the same plan and
model: kinds, and bytes that all four processes send. Needs the tools (SOAP_TOOLS).

The last line is "N passed, N failed": one check for each plan."""
import collections
import json
import os
import sys
import tempfile
from dataclasses import asdict

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode

import soap.torch
from soap.planning.families import read_config
from soap.planning.hybrid import Shape
from soap.planning.tools import Tools

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "examples", "torch"))
from llama import Llama  # noqa: E402

CONFIG = {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "vocab_size": 128,
          "num_attention_heads": 4, "num_key_value_heads": 4, "max_position_embeddings": 64, "rms_norm_eps": 1e-5,
          "rope_theta": 10000.0, "tie_word_embeddings": False, "hidden_act": "silu"}  # fmt: skip
BATCH, LENGTH, PROCESSES = 16, 32, 4
#: The kinds of each plan whose bytes have to agree, to 1 %: padding, losses.
PLANS = {
    "data": (Shape(data=4, samples=4), ["all-reduce"]),
    "data, 2 microbatches": (Shape(data=4, samples=2), ["all-reduce"]),
    "ZeRO-1": (Shape(data=4, samples=4, zero=1), ["all-gather", "reduce-scatter"]),
    "tensor": (Shape(tensor=4, samples=16), ["all-reduce"]),
    "tensor, sequence": (Shape(tensor=4, samples=16, sequence=True), ["all-gather", "reduce-scatter"]),
}


class Counter(TorchDispatchMode):
    """Bytes that this process sends, by kind, as ring algorithms send them."""

    KINDS = {"_c10d_functional::all_reduce": "all-reduce", "_c10d_functional::all_gather_into_tensor": "all-gather",
             "_c10d_functional::reduce_scatter_tensor": "reduce-scatter", "c10d::allreduce_": "all-reduce",
             "c10d::_allgather_base_": "all-gather", "c10d::_reduce_scatter_base_": "reduce-scatter",
             "_c10d_functional::all_to_all_single": "all-to-all", "c10d::send": "point-to-point"}  # fmt: skip

    def __init__(self):
        super().__init__()
        self.bytes, self.count = collections.Counter(), collections.Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        name = func._schema.name
        kind = self.KINDS.get(name)
        if kind is None:
            return result
        sizes = [sum(t.numel() * t.element_size() for t in (x if isinstance(x, (list, tuple)) else [x])
                     if isinstance(t, torch.Tensor)) for x in args if isinstance(x, (torch.Tensor, list, tuple))]  # fmt: skip
        if kind == "all-reduce":
            if name.startswith("_"):
                group = dist.distributed_c10d._resolve_process_group(args[2]).size()
            else:
                group = dist.ProcessGroup.unbox(args[1]).size()
            sent = 2 * (group - 1) * sizes[0] // group
        elif name == "_c10d_functional::all_gather_into_tensor":
            sent = (args[1] - 1) * sizes[0]
        elif name == "_c10d_functional::reduce_scatter_tensor":
            sent = (args[2] - 1) * sizes[0] // args[2]
        elif kind in ("all-gather", "reduce-scatter"):
            sent = abs(sizes[0] - sizes[1])
        else:
            sent = sizes[0]
        self.bytes[kind] += sent
        self.count[kind] += bool(sent)
        return result


def plans_collectives(shape):
    """By the simulator: bytes of all devices, by kind."""
    tools, network = Tools(), read_config(CONFIG, "config")
    options = ",".join(f"{key}={value}" for key, value in network.generator_options(LENGTH).items())
    with tempfile.TemporaryDirectory() as folder:
        forward, step, report = (os.path.join(folder, name) for name in ("forward.mlir", "step.mlir", "report.json"))
        tools.run("soap-translate", f"--generate={network.generator}", f"--batch={BATCH}", f"--option={options}", "-o", forward)
        tools.run("soap-opt", forward, "--soap-build-training-step=optimizer=sgd", "-o", step)
        tools.run("soap-opt", step, f"--soap-plan-hybrid=topology=cpu-4 batch={BATCH} plan={shape.option()}",
                  f"--soap-simulate=report={report}", "-o", os.devnull)  # fmt: skip
        with open(report, encoding="utf-8") as stream:
            exchanges = json.load(stream)["exchanges"]
    table = collections.Counter()
    for exchange in exchanges:
        table[exchange["pattern"]] += exchange["bytes"]
    return table


def work(rank, port, results):
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=PROCESSES)
    tokens = torch.randint(0, 128, (BATCH, LENGTH + 1), generator=torch.Generator().manual_seed(0))
    for title, (shape, _) in PLANS.items():
        torch.manual_seed(0)
        plan = {"best": asdict(shape), "global_batch": BATCH, "precision": "f32"}
        parallel = soap.torch.parallelize(Llama(CONFIG), plan, example=tokens[:1, :-1], loss=lambda x, y: F.cross_entropy(
            x.flatten(0, 1), y.flatten()))  # fmt: skip
        inputs, labels = (parallel.share(x) for x in (tokens[:, :-1], tokens[:, 1:]))
        parallel.backward(inputs, labels)
        for parameter in parallel.parameters():
            parameter.grad = None
        with Counter() as counter:
            parallel.backward(inputs, labels)
        every = [None] * PROCESSES
        dist.all_gather_object(every, (dict(counter.bytes), dict(counter.count)))
        if rank == 0:
            results[title] = ({kind: sum(row[0].get(kind, 0) for row in every) for kind in counter.bytes}, every[0][1])
    dist.destroy_process_group()


def main():
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    passed = failed = 0
    with mp.Manager() as manager:
        results = manager.dict()
        mp.start_processes(work, args=(port, results), nprocs=PROCESSES, start_method="fork")
        for title, (found, counts) in results.items():
            shape, kinds = PLANS[title]
            planned = plans_collectives(shape)
            good = all(abs(found.get(kind, 0) - planned[kind]) <= 0.01 * planned[kind] for kind in kinds)
            passed, failed = passed + good, failed + (not good)
            rows = ", ".join(f"{kind} {planned.get(kind, 0):,} and {found.get(kind, 0):,} ({counts.get(kind, 0)} on a process)"
                             for kind in sorted({*planned, *found}))  # fmt: skip
            print(f"{'ok  ' if good else 'FAIL'} {title}: bytes of the plan and of PyTorch: {rows}")
    print(f"{passed} passed, {failed or len(PLANS) - passed} failed")


if __name__ == "__main__":
    main()
