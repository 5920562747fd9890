# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small LLaMA as a plan of soap-plan says (docs/PyTorch.md):

    soap-plan examples/torch/config.json --cluster cpu-4 --global-batch 16 --seq-length 32 --precision f32 -o plan/
    torchrun --nproc-per-node 4 examples/torch/train.py plan/plan.json --kind "TP + PP"
"""
import argparse

import torch
import torch.distributed as dist
import torch.nn.functional as F
from llama import Llama

import soap.torch

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("plan")
parser.add_argument("--kind", help="a row of the plan's table, such as 'TP'")
options = parser.parse_args()

device = "cuda" if torch.cuda.is_available() else "cpu"
dist.init_process_group()
torch.manual_seed(0)  # the same weights and samples on all processes
model = Llama("config.json").to(device)
loss = lambda logits, labels: F.cross_entropy(logits.flatten(0, 1), labels.flatten())  # noqa: E731
tokens = torch.randint(0, 128, (16, 33), device=device)
parallel = soap.torch.parallelize(model, options.plan, kind=options.kind, loss=loss, example=tokens[:1, :-1], device_type=device)
optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    value = parallel.backward(parallel.share(tokens[:, :-1]), parallel.share(tokens[:, 1:]))
    optimizer.step()
    if dist.get_rank() == 0:
        print(f"step {step}: loss {value.item():.6f}")
dist.destroy_process_group()
