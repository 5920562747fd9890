# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The TOML of torchtitan 0.1 and 0.2 (Meta, BSD-3): sections and keys of its JobConfig."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import PlanError
from ..hybrid import Shape
from ..network import Network
from . import toml
from .setup import (
    Gap,
    Rule,
    Setup,
    context_is_zigzag,
    is_even,
    no_offload,
    no_overlap,
    number,
    one_recompute,
    whole_heads,  # fmt: skip
    whole_layers,
)

NAME, TITLE, FILE = "torchtitan", "torchtitan", "torchtitan.toml"

#: Flavors: layers, width, feed-forward width, vocabulary of (model, flavor).
FLAVORS = {
    ("llama3", "8B"): (32, 4096, 14336, 128256),
    ("llama3", "70B"): (80, 8192, 28672, 128256),
    ("llama3", "405B"): (126, 16384, 53248, 128256),
    ("qwen3", "8B"): (36, 4096, 12288, 151936),
    ("qwen3", "14B"): (40, 5120, 17408, 151936),
    ("qwen3", "32B"): (64, 5120, 25600, 151936),
    ("qwen3", "30B-A3B"): (48, 2048, 768, 151936),
}


def flavor_of(network: Network) -> tuple[str, str] | None:
    sizes = network.sizes
    key = (sizes.layers, sizes.width, sizes.inner, sizes.vocabulary)
    return next((name for name, of in FLAVORS.items()
                 if of == key and (name[0] == "qwen3") == sizes.qk_norm and not sizes.tied), None)  # fmt: skip


def lacks(network: Network) -> str:
    if flavor_of(network):
        return ""
    return "its models have no flavor of these sizes: " + ", ".join(f"{model} {flavor}" for model, flavor in FLAVORS)


def _sequence(setup: Setup, _: Network) -> Gap | None:
    if setup.shape.tensor == 1 or setup.shape.sequence:
        return None
    return Gap("tensor parallelism that is not sequence parallel, too", replace(setup.shape, sequence=True))


def _zero(setup: Setup, _: Network) -> Gap | None:
    """FSDP reduces gradients with each microbatch, unless a pipeline's schedule holds them back."""
    shape = setup.shape
    if shape.stages == 1 and shape.zero in (1, 2):
        return Gap("optimizer states that are split while weights are whole", replace(shape, zero=3))
    return None


def _kv_heads(setup: Setup, network: Network) -> Gap | None:
    """Members of a tensor-parallel group have no copies of heads of keys."""
    shape, heads = setup.shape, network.sizes.kv_heads
    if heads % shape.tensor == 0:
        return None
    tensor = max(n for n in range(1, shape.tensor) if heads % n == 0 and shape.tensor % n == 0)
    near = replace(shape, tensor=tensor, data=shape.data * shape.tensor // tensor, samples=1, sequence=tensor > 1)
    return Gap(f"{heads} heads of keys over {shape.tensor} devices", near)


def _context_shards(setup: Setup, _: Network) -> Gap | None:
    """Places of a sequence share weights as FSDP does."""
    shape = setup.shape
    if shape.context == 1 or shape.zero:
        return None
    return Gap("places of a sequence that all have whole weights", replace(shape, zero=1 if shape.stages > 1 else 3))


def _expert_shards(setup: Setup, _: Network) -> Gap | None:
    """Devices that share experts are devices that share weights."""
    shape = setup.shape
    if shape.experts == 1 or shape.zero:
        return None
    return Gap("experts that replicas of whole weights share", replace(shape, zero=1 if shape.stages > 1 else 3))


RULES: list[Rule] = [
    no_offload,
    no_overlap,
    _kv_heads,
    context_is_zigzag,
    _sequence,
    _context_shards,
    _expert_shards,
    _zero,
    is_even,
    one_recompute,
    whole_heads,
    whole_layers,
]


def files(setup: Setup, network: Network) -> dict[str, str]:
    shape, (model, flavor) = setup.shape, flavor_of(network) or ("", "")
    piped = shape.stages > 1
    parallelism: dict[str, Any] = {
        "data_parallel_replicate_degree": 1 if shape.zero else shape.data,
        "data_parallel_shard_degree": shape.data if shape.zero else 1,
        "fsdp_reshard_after_forward": "never" if shape.zero == 1 else "always",
        "tensor_parallel_degree": shape.tensor,
        "pipeline_parallel_degree": shape.stages,
        "context_parallel_degree": shape.context,
    }
    if shape.experts > 1:
        parallelism |= {"expert_parallel_degree": shape.experts * shape.tensor, "expert_tensor_parallel_degree": 1}
    if piped:
        parallelism |= {"pipeline_parallel_schedule": "Interleaved1F1B" if shape.chunks > 1 else "1F1B",
                        "pipeline_parallel_microbatch_size": shape.samples,
                        "pipeline_parallel_layers_per_stage": network.sizes.layers // (shape.stages * shape.chunks),
                        "pipeline_parallel_first_stage_less_layers": 0,
                        "pipeline_parallel_last_stage_less_layers": 0}  # fmt: skip
    text = toml.dump({
        "model": {"name": model, "flavor": flavor},
        "optimizer": {"name": "AdamW"},
        "training": {"local_batch_size": shape.samples * (setup.microbatches if piped else 1),
                     "global_batch_size": setup.batch, "seq_len": setup.length},
        "parallelism": parallelism,
        # By op, torchtitan keeps products and attention, nearly what Soap's selective recomputation keeps.
        "activation_checkpoint": {"mode": "selective", "selective_ac_option": "op"} if shape.recompute == "selective"
                                 else {"mode": "full" if shape.recompute == "whole" else "none"},
    })  # fmt: skip
    devices = min(setup.per_machine, shape.devices)
    return {FILE: f"# torchrun --nproc-per-node {devices} --nnodes {setup.machines} -m torchtitan.train "
                  f"--job.config_file {FILE}\n" + text}  # fmt: skip


def read(text: str, where: str, devices: int = 0) -> tuple[Setup, list[str]]:
    values = toml.load(text, where)
    parallel, training = values.get("parallelism", {}), values.get("training", {})
    of = lambda key, default: number(parallel, key, f"{where}: [parallelism]", default)  # noqa: E731
    tensor, stages, context = (of(f"{name}_parallel_degree", 1) for name in ("tensor", "pipeline", "context"))
    replicate, shard = of("data_parallel_replicate_degree", 1), of("data_parallel_shard_degree", -1)
    if shard == -1:
        if not devices or devices % (tensor * stages * context * replicate):
            raise PlanError(f"{where}: [parallelism]: 'data_parallel_shard_degree' is what is left of the devices; expected "
                            f"--cluster of a multiple of {tensor * stages * context * replicate} devices")  # fmt: skip
        shard = devices // (tensor * stages * context * replicate)
    notes = []
    if replicate > 1 and shard > 1:
        notes.append(f"HSDP, {shard} shards x {replicate} replicas, is priced as ZeRO over all {shard * replicate}")
    data = replicate * shard
    sharing, inside = of("expert_parallel_degree", 1), of("expert_tensor_parallel_degree", 1)
    if sharing > 1 and (inside not in (1, tensor) or sharing * inside % tensor or shard % (sharing * inside // tensor)):
        raise PlanError(
            f"{where}: [parallelism]: 'expert_parallel_degree' {sharing}: expected a whole number of replicas of tensor "
            f"{tensor} that divides {shard}"
        )
    if sharing > 1 and inside > 1:
        notes.append(f"layers of experts over {inside} devices, priced as whole experts on each")
    experts = max(sharing * inside // tensor, 1) if sharing > 1 else 1
    local = number(training, "local_batch_size", f"{where}: [training]", 8)
    batch = number(training, "global_batch_size", f"{where}: [training]", -1)
    batch = local * data if batch == -1 else batch
    samples = of("pipeline_parallel_microbatch_size", 1) if stages > 1 else local
    checkpoint = values.get("activation_checkpoint", {})
    mode = checkpoint.get("mode", "selective")
    if mode not in ("none", "full") and str(checkpoint.get("selective_ac_option")) != "op":
        notes.append(f"activation_checkpoint.mode = '{mode}' is priced as Soap's selective recomputation")
    chunks = 1
    if stages > 1 and "nterleaved" in str(parallel.get("pipeline_parallel_schedule", "1F1B")):
        chunks = 2
        flavor = (values.get("model", {}).get("name", ""), values.get("model", {}).get("flavor", ""))
        per_stage = of("pipeline_parallel_layers_per_stage", 0)
        if per_stage and flavor in FLAVORS:
            chunks = max(FLAVORS[flavor][0] // per_stage // stages, 1)
    is_sharded = shard > 1 or (context > 1 and replicate == 1)
    zero = (1 if stages > 1 else 3) if is_sharded else 0
    if parallel.get("fsdp_reshard_after_forward") == "always" and is_sharded and stages == 1:
        zero = 3
    if batch % (data * samples):
        raise PlanError(
            f"{where}: [training]: 'global_batch_size' {batch} is no multiple of {samples} x {data} replicas"
        )
    shape = Shape(stages=stages, chunks=chunks, tensor=tensor, context=context, data=data, samples=samples, zero=zero,
                  experts=experts, sequence=tensor > 1, zigzag=context > 1, recompute={"none": "none", "full": "whole"}.get(mode, "selective"))  # fmt: skip
    length = number(training, "seq_len", f"{where}: [training]", 2048)
    return Setup(shape, batch, length, 0), notes


def config(text: str, where: str) -> dict[str, Any] | None:
    from ..catalogue import CATALOGUE

    model = toml.load(text, where).get("model", {})
    names = {("llama3", "8B"): "llama-3.1-8b", ("llama3", "70B"): "llama-3.1-70b", ("llama3", "405B"): "llama-3.1-405b",
             ("qwen3", "8B"): "qwen3-8b", ("qwen3", "14B"): "qwen3-14b", ("qwen3", "32B"): "qwen3-32b",
             ("qwen3", "30B-A3B"): "qwen3-30b-a3b"}  # fmt: skip
    name = names.get((model.get("name"), model.get("flavor")))
    return CATALOGUE[name] if name else None
