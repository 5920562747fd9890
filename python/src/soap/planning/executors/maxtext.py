# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The YAML of MaxText (Google, Apache-2.0), by the keys that its documentation and base.yml name; no parser of it has
read these files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..hybrid import Shape
from ..network import Network
from . import yaml
from .setup import (
    Gap,
    Rule,
    Setup,
    context_is_zigzag,
    is_even,
    no_offload,
    no_overlap,
    no_stages,
    number,
    one_recompute,  # fmt: skip
)

NAME, TITLE, FILE = "jax", "MaxText", "maxtext.yml"


def lacks(network: Network) -> str:
    if network.family != "llama" or network.sizes.experts or network.sizes.qkv_bias or network.sizes.window:
        return "its llama and qwen3 blocks do not say this model"
    return ""


def _zero(setup: Setup, _: Network) -> Gap | None:
    if setup.shape.zero in (1, 2):
        return Gap("optimizer states that are split while weights are whole", replace(setup.shape, zero=3))
    return None


RULES: list[Rule] = [no_offload, no_overlap, no_stages, context_is_zigzag, _zero, is_even, one_recompute]
POLICIES = {"whole": "full", "selective": "minimal", "none": "none"}


def files(setup: Setup, network: Network) -> dict[str, str]:
    shape, sizes = setup.shape, network.sizes
    # Axes inside of a machine (slice) and between machines: what a machine holds of replicas is inside.
    inside = max(min(setup.per_machine // (shape.tensor * shape.context), shape.data), 1)
    if shape.data % inside:
        inside = 1
    axis = "fsdp" if shape.zero == 3 else "data"
    values: dict[str, Any] = {
        "base_config": "base.yml", "decoder_block": "qwen3" if sizes.qk_norm else "llama2",
        "base_num_decoder_layers": sizes.layers, "base_emb_dim": sizes.width, "base_num_query_heads": sizes.heads,
        "base_num_kv_heads": sizes.kv_heads, "head_dim": sizes.head_width, "base_mlp_dim": sizes.inner,
        "vocab_size": sizes.vocabulary, "rope_max_timescale": sizes.rope_base, "logits_via_embedding": sizes.tied,
        "normalization_layer_epsilon": sizes.norm_epsilon, "dtype": "bfloat16", "weight_dtype": "float32",
        "opt_type": "adamw", "max_target_length": setup.length,
        "per_device_batch_size": shape.samples / (shape.tensor * shape.context),
        "gradient_accumulation_steps": setup.microbatches, "remat_policy": POLICIES[shape.recompute or "whole"],
        f"ici_{axis}_parallelism": inside, f"dcn_{axis}_parallelism": shape.data // inside,
        ("ici_tensor_sequence_parallelism" if shape.sequence else "ici_tensor_parallelism"): shape.tensor,
        "ici_context_parallelism": shape.context, "context_parallel_load_balance": shape.zigzag}  # fmt: skip
    if axis == "fsdp":
        values["dcn_data_parallelism"] = 1
    return {FILE: yaml.dump(values)}


def read(text: str, where: str, devices: int = 0) -> tuple[Setup, list[str]]:
    values = yaml.load(text, where)
    axes = {axis: number(values, f"ici_{axis}_parallelism", where, 1) * number(values, f"dcn_{axis}_parallelism", where, 1)
            for axis in ("data", "fsdp", "tensor", "tensor_sequence", "context")}  # fmt: skip
    notes = []
    if axes["data"] > 1 and axes["fsdp"] > 1:
        notes.append("FSDP beside replicas is priced as FSDP over all of them")
    tensor = axes["tensor"] * axes["tensor_sequence"]
    per_device = values.get("per_device_batch_size", 1)
    samples = round(float(per_device) * tensor * axes["context"])
    data = axes["data"] * axes["fsdp"]
    steps = number(values, "gradient_accumulation_steps", where, 1)
    policy = values.get("remat_policy", "full")
    level = {name: level for level, name in POLICIES.items()}.get(policy)
    if level is None:
        notes.append(f"remat_policy '{policy}' is priced as 'minimal'")
    shape = Shape(tensor=tensor, context=axes["context"], data=data, samples=max(samples, 1),
                  zero=3 if axes["fsdp"] > 1 else 0, sequence=axes["tensor_sequence"] > 1,
                  zigzag=axes["context"] > 1 and bool(values.get("context_parallel_load_balance", True)),
                  recompute=level or "selective")  # fmt: skip
    return Setup(shape, data * max(samples, 1) * steps, number(values, "max_target_length", where, 0), 0), notes


def config(text: str, where: str) -> dict[str, Any] | None:
    return None
