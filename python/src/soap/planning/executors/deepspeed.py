# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON of DeepSpeed (Microsoft, Apache-2.0). Recomputation is the model's, by TrainingArguments beside it."""

from __future__ import annotations

import json
from typing import Any

from ..errors import PlanError
from ..hybrid import Shape
from ..network import Network
from .setup import (
    Rule,
    Setup,
    is_even,
    no_context,
    no_experts,
    no_overlap,
    no_stages,
    no_tensor,
    number,
    recompute_all_or_nothing,
)

NAME, TITLE, FILE, ARGUMENTS = "deepspeed", "DeepSpeed", "deepspeed.json", "deepspeed.args.json"
RULES: list[Rule] = [no_overlap, no_experts, no_stages, no_context, no_tensor, is_even, recompute_all_or_nothing]


def lacks(_: Network) -> str:
    return ""


def files(setup: Setup, _: Network) -> dict[str, str]:
    shape = setup.shape
    zero: dict[str, Any] = {"stage": shape.zero, "overlap_comm": True}
    if shape.offload:
        zero["offload_optimizer"] = {"device": "cpu", "pin_memory": True}
    values = {"train_batch_size": setup.batch, "train_micro_batch_size_per_gpu": shape.samples,
              "gradient_accumulation_steps": setup.microbatches, "bf16": {"enabled": True}, "zero_optimization": zero,
              "optimizer": {"type": "AdamW", "params": {"lr": 3e-4}}}  # fmt: skip
    arguments = {"bf16": True, "per_device_train_batch_size": shape.samples,
                 "gradient_accumulation_steps": setup.microbatches,
                 "gradient_checkpointing": shape.recompute == "whole"}  # fmt: skip
    return {FILE: json.dumps(values, indent=2) + "\n", ARGUMENTS: json.dumps(arguments, indent=2) + "\n"}


def read(text: str, where: str, devices: int = 0, arguments: str = "") -> tuple[Setup, list[str]]:
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise PlanError(f"{where}:{error.lineno}:{error.colno}: no JSON: {error.msg}") from None
    samples = number(values, "train_micro_batch_size_per_gpu", where)
    steps = number(values, "gradient_accumulation_steps", where, 1)
    batch = number(values, "train_batch_size", where, samples * steps * devices or None)
    if batch % (samples * steps):
        raise PlanError(f"{where}: 'train_batch_size' {batch} is no multiple of {samples} x {steps}")
    zero = values.get("zero_optimization", {})
    offload = zero.get("offload_optimizer", {}).get("device", "none") != "none"
    notes = [f"'{key}' is not priced" for key in ("tensor_parallel", "sequence_parallel_size") if key in values]
    if zero.get("offload_param", {}).get("device", "none") != "none":
        notes.append("offloaded weights are not priced")
    given = json.loads(arguments) if arguments else {}
    if not arguments:
        notes.append(f"nothing computed again: {ARGUMENTS} is not beside it")
    shape = Shape(data=batch // (samples * steps), samples=samples, zero=number(zero, "stage", where, 0), offload=offload,
                  recompute="whole" if given.get("gradient_checkpointing") else "none")  # fmt: skip
    return Setup(shape, batch, 0, 0), notes


def config(text: str, where: str) -> dict[str, Any] | None:
    return None
