# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans as DTensor placements: four processes of torch.distributed (gloo) compute the loss and the gradients of a
module that is distributed as a plan says, and PyTorch the same of the whole module. Run by scripts/test-peers.sh.

The last line is "N passed, N failed": one check for each model and strategy."""
import os
import sys
import tempfile
import warnings

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

import soap
import soap.torch

RANKS = 4


class MLP(torch.nn.Module):
    width = 32

    def __init__(self):
        super().__init__()
        self.fc1 = torch.nn.Linear(32, 512)
        self.fc2 = torch.nn.Linear(512, 512)
        self.fc3 = torch.nn.Linear(512, 8)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


class Block(torch.nn.Module):
    """A gated block with a norm, as transformers have them between attention layers."""

    width = 128

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(128)
        self.gate = torch.nn.Linear(128, 512)
        self.up = torch.nn.Linear(128, 512)
        self.down = torch.nn.Linear(512, 128)
        self.head = torch.nn.Linear(128, 8)

    def forward(self, x):
        y = self.norm(x)
        return self.head(x + self.down(torch.sigmoid(self.gate(y)) * self.up(y)))


def strategies(model):
    """Named plans on four devices. The space `sap` keeps devices in order, so that a mesh describes its strategies."""
    for preset in ("data-parallel", "model-parallel", "expert", "zero"):
        yield preset, soap.apply_strategy(model, "cpu-4", preset)
    yield "searched", soap.find_strategy(model, "cpu-4", proposals=300, seed=1, space="sap")
    yield "mini-time", soap.find_strategy(model, "cpu-4", "mini-time", seed=1, space="sap")


def pipeline(model):
    """A plan of two stages on two devices each."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pipeline.json")
        model.build_training_step().run_passes(
            f"soap-pipeline{{topology=cpu-4 stages=2 microbatches=4 inside=model-parallel export={path}}}"
        )
        return soap.apply_strategy(model, "cpu-4", path)


def check_stages(rank):
    """Each stage of a pipeline, as DTensors on its own ranks: the whole parameters come together, and both cut some.
    Returns how many parameters of both stages are cut."""
    torch.manual_seed(0)
    module = MLP()
    plan = pipeline(soap.from_torch(module, torch.randn(256, MLP.width)))
    try:
        soap.torch.placements(plan)
    except ValueError as error:
        assert "soap.torch.placements(plan, stage=N)" in str(error), error
    else:
        raise AssertionError("expected an error: the plan has no mesh of all devices")
    meshes = [soap.torch.mesh(plan, stage=stage) for stage in (0, 1)]
    rows = [soap.torch.placements(plan, stage=stage) for stage in (0, 1)]
    assert not {*rows[0]} & {*rows[1]} and {*rows[0], *rows[1]} >= {key for key, _ in module.named_parameters()}, rows
    for stage, mesh in enumerate(meshes):
        # A stage may end between a product and its bias.
        own = torch.nn.Module()
        for key, value in module.named_parameters():
            layer, name = key.split(".")
            if key in rows[stage]:
                own.register_module(layer, getattr(own, layer, torch.nn.Module()))
                getattr(own, layer).register_parameter(name, torch.nn.Parameter(value.detach().clone()))
        if rank in plan.stage_devices(stage):
            for key, value in soap.torch.distribute(own, plan, mesh, stage=stage).named_parameters():
                assert torch.equal(value.full_tensor(), module.get_parameter(key)), key
    return sum(any(p != torch.distributed.tensor.Replicate() for p in row) for each in rows for row in each.values())


def difference(a, b):
    return ((a - b).norm() / b.norm().clamp(min=1e-12)).item()


def run_rank(rank, port, results):
    warnings.simplefilter("ignore", soap.SoapWarning)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=RANKS)
    loss_of = torch.nn.functional.cross_entropy
    for make in (MLP, Block):
        torch.manual_seed(0)
        module = make()
        x, y = torch.randn(256, make.width), torch.randint(0, 8, (256,))
        for name, plan in strategies(soap.from_torch(module, x)):
            torch.manual_seed(0)
            whole = make()
            expected = loss_of(whole(x), y)
            expected.backward()
            mesh = soap.torch.mesh(plan)
            parts = soap.torch.distribute(make(), plan, mesh)
            parts.load_state_dict({k: soap.torch.distribute_like(v, parts.get_parameter(k)) for k, v in whole.state_dict().items()})
            logits = parts(soap.torch.distribute_input(x, "x", plan, mesh)).full_tensor()
            loss = loss_of(logits, y)
            loss.backward()
            worst = max([difference(loss.detach(), expected.detach())] + [
                difference(parts.get_parameter(k).grad.full_tensor(), value.grad) for k, value in whole.named_parameters()])
            kept = sum(value.to_local().numel() for value in parts.parameters())
            if rank == 0:
                cut = sum(p != torch.distributed.tensor.Replicate() for row in soap.torch.placements(plan).values() for p in row)
                results.append((make.__name__, name, worst, tuple(mesh.shape), cut, kept, sum(v.numel() for v in whole.parameters())))
    cut = check_stages(rank)
    if rank == 0:
        results.append(("MLP", "pipeline", 0.0, (2, 2), cut, 0, 0))
    dist.destroy_process_group()


def main():
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with mp.Manager() as manager:
        results = manager.list()
        mp.spawn(run_rank, (port, results), nprocs=RANKS)
        rows = list(results)
    failed = 0
    print("model  strategy        mesh      cuts  parameters on rank 0  largest difference")
    for model, name, worst, mesh, cut, kept, total in rows:
        fault = worst > 1e-5 or (name != "data-parallel" and cut == 0)
        failed += fault
        shape = "x".join(map(str, mesh))
        print(f"{model:6} {name:15} {shape:8}  {cut:4}  {kept:8} of {total:8}  {worst:.1e}{'  FAILED' if fault else ''}")
    expected = 13
    failed += expected - len(rows)
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
