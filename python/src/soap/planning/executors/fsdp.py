# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FSDP2 by accelerate (Hugging Face, Apache-2.0): its YAML, and keys of TrainingArguments beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from ..errors import PlanError
from ..hybrid import Shape
from ..network import Network
from . import yaml
from .setup import (
    Gap,
    Rule,
    Setup,
    is_even,
    no_context,
    no_experts,
    no_offload,
    no_overlap,
    no_stages,
    no_tensor,
    number,
    recompute_all_or_nothing,  # fmt: skip
)

NAME, TITLE, FILE, ARGUMENTS = "torch-fsdp", "FSDP2 (accelerate)", "accelerate.yaml", "accelerate.args.json"


def lacks(_: Network) -> str:
    return ""


def _zero(setup: Setup, _: Network) -> Gap | None:
    if setup.shape.zero in (1, 2):
        return Gap("optimizer states that are split while weights are whole", replace(setup.shape, zero=3))
    return None


RULES: list[Rule] = [no_offload, no_overlap, no_experts, no_stages, no_context, no_tensor, _zero, is_even, recompute_all_or_nothing]


def files(setup: Setup, _: Network) -> dict[str, str]:
    shape = setup.shape
    is_whole = shape.recompute == "whole"
    values: dict[str, Any] = {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": "FSDP" if shape.zero == 3 else "MULTI_GPU" if shape.devices > 1 else "NO",
        "mixed_precision": "bf16", "num_machines": setup.machines, "num_processes": shape.devices, "machine_rank": 0,
        "main_training_function": "main", "rdzv_backend": "static" if setup.machines == 1 else "c10d"}  # fmt: skip
    if shape.zero == 3:
        values["fsdp_config"] = {
            "fsdp_version": 2, "fsdp_reshard_after_forward": True, "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
            "fsdp_activation_checkpointing": is_whole, "fsdp_offload_params": False,
            "fsdp_state_dict_type": "SHARDED_STATE_DICT", "fsdp_cpu_ram_efficient_loading": True}  # fmt: skip
    arguments = {"bf16": True, "per_device_train_batch_size": shape.samples,
                 "gradient_accumulation_steps": setup.microbatches, "optim": "adamw_torch",
                 "gradient_checkpointing": is_whole and shape.zero != 3}  # fmt: skip
    return {FILE: yaml.dump(values), ARGUMENTS: json.dumps(arguments, indent=2) + "\n"}


def read(text: str, where: str, devices: int = 0, arguments: str = "") -> tuple[Setup, list[str]]:
    values = yaml.load(text, where)
    kind = values.get("distributed_type")
    world = number(values, "num_processes", where, devices or None)
    machines = number(values, "num_machines", where, 1)
    given = json.loads(arguments) if arguments else {}
    notes = [] if arguments else [f"one sample a device and step: {ARGUMENTS} is not beside it"]
    samples = number(given, "per_device_train_batch_size", ARGUMENTS, 1)
    steps = number(given, "gradient_accumulation_steps", ARGUMENTS, 1)
    fsdp = values.get("fsdp_config", {})
    if kind == "FSDP":
        if (
            not fsdp.get("fsdp_reshard_after_forward", True)
            or fsdp.get("fsdp_reshard_after_forward") == "SHARD_GRAD_OP"
        ):
            notes.append("weights that stay after the forward pass are priced as gathered again")
        if fsdp.get("fsdp_offload_params"):
            notes.append("offloaded weights are not priced")
    elif kind not in ("MULTI_GPU", "NO"):
        raise PlanError(f"{where}: 'distributed_type': expected FSDP, MULTI_GPU or NO, got {kind!r}")
    is_whole = bool(fsdp.get("fsdp_activation_checkpointing") or given.get("gradient_checkpointing"))
    shape = Shape(
        data=world, samples=samples, zero=3 if kind == "FSDP" else 0, recompute="whole" if is_whole else "none"
    )
    return Setup(shape, world * samples * steps, 0, world // machines), notes


def config(text: str, where: str) -> dict[str, Any] | None:
    return None
