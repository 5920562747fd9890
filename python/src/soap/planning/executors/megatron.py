# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of Megatron-LM's GPT training, whose names are the fields of Megatron-Core's TransformerConfig and
ModelParallelConfig (NVIDIA, BSD-3)."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import Any

from ..errors import PlanError
from ..hybrid import Shape
from ..network import Network
from .setup import (
    Gap,
    Rule,
    Setup,
    context_is_zigzag,
    is_even,
    number,
    recompute_all_or_nothing,
    whole_heads,  # fmt: skip
    whole_layers,
)

NAME, TITLE, FILE = "megatron-core", "Megatron-Core", "megatron.args"


def _zero_one(setup: Setup, _: Network) -> Gap | None:
    if setup.shape.zero in (0, 1):
        return None
    return Gap("ZeRO-3 by its distributed optimizer", replace(setup.shape, zero=1))


def _offload(setup: Setup, _: Network) -> Gap | None:
    if setup.shape.offload and setup.shape.zero == 0:
        return Gap("states in host memory without the distributed optimizer", replace(setup.shape, zero=1))
    return None


def _recompute(setup: Setup, network: Network) -> Gap | None:
    """Its modules that are computed again are norms and activations of experts; all else is whole layers."""
    if setup.shape.recompute == "selective" and network.sizes.experts:
        return None
    return recompute_all_or_nothing(setup, network)


def _overlap(setup: Setup, _: Network) -> Gap | None:
    """It overlaps exchanges of experts, of interleaved stages, without whole layers computed again."""
    shape = setup.shape
    if not shape.overlap or (shape.experts > 1 and (shape.stages == 1 or shape.chunks > 1) and shape.recompute != "whole"):
        return None
    return Gap("passes side by side without experts, with stages that are not interleaved or with whole layers recomputed",
               replace(shape, overlap=False))  # fmt: skip


def _layout(stages: int, layers: int) -> str:
    """Layers of uneven stages. From both ends, where the embedding and the loss are, stages have one layer less: 7
    layers in 4 stages are Et|t*2|t*2|t*2L."""
    most = -(-layers // stages)
    fewer = stages * most - layers
    inwards = [stage // 2 if stage % 2 == 0 else stages - 1 - stage // 2 for stage in range(stages)]
    counts = [most - (stage in inwards[:fewer]) for stage in range(stages)]
    parts = ["t" if count == 1 else f"t*{count}" for count in counts]
    return "|".join(["E" + parts[0], *parts[1:-1], parts[-1] + "L"])


def _layers(setup: Setup, network: Network) -> Gap | None:
    is_enough = network.sizes.layers >= setup.shape.stages * setup.shape.chunks
    return None if is_enough else whole_layers(setup, network)


RULES: list[Rule] = [
    _zero_one,
    _offload,
    context_is_zigzag,
    is_even,
    _recompute,
    _overlap,
    whole_heads,
    _layers,
]


def lacks(network: Network) -> str:
    if network.family not in ("llama", "gpt2", "gpt_oss", "deepseek_v2", "deepseek_v3"):
        return f"its GPT arguments do not say the family {network.family}"
    return ""


def model_arguments(network: Network, length: int) -> dict[str, Any]:
    sizes = network.sizes
    values: dict[str, Any] = {
        "num-layers": sizes.layers, "hidden-size": sizes.width, "num-attention-heads": sizes.heads,
        "kv-channels": sizes.head_width, "ffn-hidden-size": sizes.inner, "seq-length": length,
        "max-position-embeddings": max(length, network.max_length if not sizes.rope_base else length),
        "vocab-size": sizes.vocabulary, "norm-epsilon": sizes.norm_epsilon, "attention-dropout": 0,
        "hidden-dropout": 0}  # fmt: skip
    if sizes.kv_heads != sizes.heads and not sizes.kv_rank:
        values |= {"group-query-attention": None, "num-query-groups": sizes.kv_heads}
    if sizes.rope_base:
        values |= {"position-embedding-type": "rope", "rotary-base": sizes.rope_base, "normalization": "RMSNorm",
                   "swiglu": None, "disable-bias-linear": None}  # fmt: skip
        if sizes.qkv_bias:
            values["add-qkv-bias"] = None
        if sizes.qk_norm:
            values["qk-layernorm"] = None
    else:
        values["position-embedding-type"] = "learned_absolute"
    if not sizes.tied:
        values["untie-embeddings-and-output-weights"] = None
    if sizes.experts:
        values |= {"num-experts": sizes.experts, "moe-router-topk": sizes.top_k, "moe-ffn-hidden-size": sizes.inner,
                   "moe-grouped-gemm": None}  # fmt: skip
    if sizes.window:
        # Keys before a query, and behind it; every so manieth layer has no window.
        values |= {"window-size": f"{sizes.window - 1},0"}
        if sizes.full_every:
            values["window-attn-skip-freq"] = sizes.full_every
    if network.family == "gpt_oss":
        del values["swiglu"], values["disable-bias-linear"], values["add-qkv-bias"]
        values |= {"quick-geglu": None, "glu-linear-offset": 1.0, "softmax-type": "learnable",
                   "activation-func-clamp-value": network.options["gate-limit"]}  # fmt: skip
    if sizes.kv_rank:
        values |= _latent(network)
    return values


def _latent(network: Network) -> dict[str, Any]:
    """Multi-latent attention, and the experts of DeepSeek."""
    sizes, options = network.sizes, network.options
    values: dict[str, Any] = {
        "multi-latent-attention": None, "kv-lora-rank": sizes.kv_rank, "qk-head-dim": sizes.head_width - sizes.rope_width,
        "qk-pos-emb-head-dim": sizes.rope_width, "v-head-dim": sizes.value_width, "qk-layernorm": None,
        "rope-type": "rope", "moe-router-topk-scaling-factor": options["gate-scale"] / 1000}  # fmt: skip
    if sizes.query_rank:
        values["q-lora-rank"] = sizes.query_rank
    if sizes.shared_experts:
        values["moe-shared-expert-intermediate-size"] = sizes.shared_experts * sizes.inner
    if sizes.dense_layers:
        values |= {"ffn-hidden-size": sizes.dense_inner,
                   "moe-layer-freq": f"'([0]*{sizes.dense_layers}+[1]*{sizes.layers - sizes.dense_layers})'"}  # fmt: skip
    if sizes.expert_groups:
        values |= {"moe-router-num-groups": sizes.expert_groups, "moe-router-group-topk": sizes.token_groups}
    if network.family == "deepseek_v3":
        values |= {"moe-router-score-function": "sigmoid", "moe-router-enable-expert-bias": None}
    else:
        values["moe-router-pre-softmax"] = None
    return values


def files(setup: Setup, network: Network) -> dict[str, str]:
    shape = setup.shape
    values = model_arguments(network, setup.length)
    values |= {"tensor-model-parallel-size": shape.tensor, "pipeline-model-parallel-size": shape.stages,
               "context-parallel-size": shape.context, "micro-batch-size": shape.samples,
               "global-batch-size": setup.batch, "bf16": None, "optimizer": "adam"}  # fmt: skip
    if network.sizes.layers % (shape.stages * shape.chunks):
        layout = _layout(shape.stages * shape.chunks, network.sizes.layers)
        values["pipeline-model-parallel-layout"] = f"'{layout}'"
    elif shape.chunks > 1:
        values["num-virtual-stages-per-pipeline-rank"] = shape.chunks
    if shape.sequence:
        values["sequence-parallel"] = None
    if shape.zero:
        values["use-distributed-optimizer"] = None
    if shape.recompute == "whole":
        values |= {"recompute-granularity": "full", "recompute-method": "uniform", "recompute-num-layers": 1}
    if shape.recompute == "selective":
        values |= {"recompute-granularity": "selective", "recompute-modules": "layernorm moe_act"}
    if shape.offload:
        values |= {"optimizer-cpu-offload": None, "use-precision-aware-optimizer": None}
    # Members of a tensor-parallel group have whole experts, too.
    sharing = shape.experts * shape.tensor
    if network.sizes.experts and network.sizes.experts % sharing == 0 and sharing > 1:
        values |= {"expert-model-parallel-size": sharing, "expert-tensor-parallel-size": 1,
                   "moe-token-dispatcher-type": "alltoall"}  # fmt: skip
    if shape.overlap:
        values["overlap-moe-expert-parallel-comm"] = None
    lines = [f"--nproc-per-node {min(setup.per_machine, shape.devices)}", f"--nnodes {setup.machines}"]
    lines += [f"--{key}" if value is None else f"--{key} {value}" for key, value in values.items()]
    return {FILE: "\n".join(lines) + "\n"}


def parse(text: str) -> dict[str, str | None]:
    """Flags of a command line or a file of arguments, by name; what stands before the first flag is a command."""
    values: dict[str, str | None] = {}
    name = None
    for word in shlex.split(text, comments=True):
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            name = name.replace("_", "-")
            values[name] = value or None
        elif name is not None and values[name] is None:
            values[name] = word
        elif name == "recompute-modules":
            values[name] = f"{values[name]} {word}"
        elif name is not None and not word.endswith(".py"):
            name = None
    return values


#: What takes time or memory and is not priced.
NOT_PRICED = {"use-megatron-fsdp": "Megatron FSDP", "use-torch-fsdp2": "FSDP2", "tp-comm-overlap": "overlapped "
              "tensor-parallel collectives", "fp8-format": "FP8", "fp8": "FP8", "overlap-grad-reduce": "",
              "decoder-first-pipeline-num-layers": "uneven stages", "decoder-last-pipeline-num-layers": "uneven stages"}  # fmt: skip


def _experts(values: dict[str, str | None], of: Any, where: str, tensor: int, data: int) -> tuple[int, str]:
    """Replicas that share experts, and what of it is priced in another way."""
    devices, inside = of("expert-model-parallel-size", 1), of("expert-tensor-parallel-size", tensor)
    if devices == 1:
        return 1, ""
    sharing = devices * inside
    if inside not in (1, tensor) or sharing % tensor or data % (sharing // tensor):
        raise PlanError(
            f"{where}: experts over {devices} devices, with {inside} in each, are no whole number of replicas of tensor "
            f"{tensor} that divides {data} replicas"
        )
    note = f"layers of experts over {inside} devices, priced as whole experts on each" if inside > 1 else ""
    return sharing // tensor, note


def read(text: str, where: str, devices: int = 0) -> tuple[Setup, list[str]]:
    values = parse(text)
    of = lambda key, default=None: number(values, key, where, default)  # noqa: E731
    tensor, stages = of("tensor-model-parallel-size", 1), of("pipeline-model-parallel-size", 1)
    context, samples = of("context-parallel-size", 1), of("micro-batch-size", None)
    per_machine = of("nproc-per-node", 0)
    world = per_machine * of("nnodes", 1) or devices
    if not world:
        raise PlanError(f"{where}: expected --nproc-per-node and --nnodes, or --cluster")
    unit = tensor * stages * context
    if min(tensor, stages, context) < 1 or world % unit:
        raise PlanError(
            f"{where}: {world} devices are no multiple of tensor {tensor} x pipeline {stages} x context {context}"
        )
    data = world // unit
    chunks = of("num-virtual-stages-per-pipeline-rank", 1)
    if "num-layers-per-virtual-pipeline-stage" in values:
        chunks = of("num-layers") // stages // of("num-layers-per-virtual-pipeline-stage")
    layout = (values.get("pipeline-model-parallel-layout") or "").strip("'\"")
    if layout:
        chunks, rest = divmod(layout.count("|") + 1, stages)
        if rest:
            raise PlanError(f"{where}: 'pipeline-model-parallel-layout' has {layout.count('|') + 1} stages, expected a "
                            f"multiple of {stages}")  # fmt: skip
    batch = of("global-batch-size", samples * data)
    if batch % (samples * data):
        raise PlanError(
            f"{where}: 'global-batch-size' {batch} is no multiple of micro-batch-size {samples} x {data} replicas"
        )
    granularity = values.get("recompute-granularity")
    if "recompute-activations" in values:
        granularity = "selective"
    # With attention in one kernel, recomputation of `core_attn` computes nothing again that is large.
    recompute = "whole" if granularity == "full" else "none"
    modules = set((values.get("recompute-modules") or "").split())
    if granularity == "selective" and "moe_act" in modules:
        recompute = "selective"
    notes = [f"{name or key} is not priced" for key, name in NOT_PRICED.items() if key in values and name]
    if layout and layout != _layout(chunks * stages, of("num-layers", 0) or chunks * stages):
        notes.append("layers of pipeline-model-parallel-layout are priced as even stages")
    if granularity == "selective" and recompute == "none":
        notes.append("selective recomputation of attention, which is one kernel: nothing is computed again")
    experts, note = _experts(values, of, where, tensor, data)
    if note:
        notes.append(note)
    shape = Shape(stages=stages, chunks=chunks, tensor=tensor, context=context, data=data, samples=samples,
                  experts=experts, zero=1 if "use-distributed-optimizer" in values else 0, sequence="sequence-parallel" in values,
                  zigzag=context > 1, overlap="overlap-moe-expert-parallel-comm" in values,
                  recompute=recompute, offload="optimizer-cpu-offload" in values)  # fmt: skip
    return Setup(shape, batch, of("seq-length", 0), per_machine), notes


def config(text: str, where: str) -> dict[str, Any] | None:
    """The model of the arguments, as keys of `config.json`; none where they name no model, or one that is not
    Llama's or GPT-2's."""
    values = parse(text)
    if "num-layers" not in values:
        return None
    of = lambda key, default=None: number(values, key, where, default)  # noqa: E731
    heads, width = of("num-attention-heads"), of("hidden-size")
    vocabulary = of("vocab-size") if "vocab-size" in values else of("padded-vocab-size")
    if values.get("position-embedding-type") != "rope":
        return {"model_type": "gpt2", "n_layer": of("num-layers"), "n_embd": width, "n_head": heads,
                "n_positions": of("max-position-embeddings", of("seq-length")), "vocab_size": vocabulary,
                "n_inner": of("ffn-hidden-size", 4 * width),
                "tie_word_embeddings": "untie-embeddings-and-output-weights" not in values}  # fmt: skip
    found: dict[str, Any] = {
        "model_type": "llama", "num_hidden_layers": of("num-layers"), "hidden_size": width,
        "num_attention_heads": heads, "num_key_value_heads": of("num-query-groups", heads),
        "head_dim": of("kv-channels", width // heads), "intermediate_size": of("ffn-hidden-size"),
        "vocab_size": vocabulary, "max_position_embeddings": of("max-position-embeddings", of("seq-length")),
        "rope_theta": of("rotary-base", 10000),
        "tie_word_embeddings": "untie-embeddings-and-output-weights" not in values}  # fmt: skip
    if "window-size" in values:
        left = str(values["window-size"]).strip("()").split(",")[0]
        if not left.isdigit():
            raise PlanError(f"{where}: '--window-size': expected the keys before a query and 0, got {values['window-size']}")
        every, layers = of("window-attn-skip-freq", 0), of("num-layers")
        found |= {"sliding_window": int(left) + 1, "layer_types": [
            "full_attention" if every and (i + 1) % every == 0 else "sliding_attention" for i in range(layers)]}  # fmt: skip
    if "multi-latent-attention" in values:
        return _latent_config(values, found, of, where)
    if values.get("softmax-type") == "learnable":
        return found | {"model_type": "gpt_oss", "num_local_experts": of("num-experts"), "attention_bias": True,
                        "num_experts_per_tok": of("moe-router-topk", 2),
                        "intermediate_size": of("moe-ffn-hidden-size", found["intermediate_size"]),
                        "swiglu_limit": float(values.get("activation-func-clamp-value") or 7)}  # fmt: skip
    if found.get("sliding_window"):
        found["model_type"] = "mistral"
    if "num-experts" in values:
        found |= {"num_local_experts": of("num-experts"), "num_experts": of("num-experts"),
                  "num_experts_per_tok": of("moe-router-topk", 2), "norm_topk_prob": True,
                  "model_type": "qwen3_moe" if "qk-layernorm" in values else "mixtral"}  # fmt: skip
        inner = of("moe-ffn-hidden-size", found["intermediate_size"])
        found |= {"intermediate_size": inner, "moe_intermediate_size": inner}
        if found["model_type"] == "mixtral":
            del found["num_experts"], found["norm_topk_prob"], found["moe_intermediate_size"]
    elif "qk-layernorm" in values:
        found["model_type"] = "qwen3"
    elif "add-qkv-bias" in values:
        found["model_type"] = "qwen2"
    return found


def _latent_config(values: dict[str, str | None], found: dict[str, Any], of: Any, where: str) -> dict[str, Any]:
    """The config of a DeepSeek whose arguments `found` has as if it were a Llama."""
    inner = of("moe-ffn-hidden-size", found["intermediate_size"])
    dense, frequency = 0, values.get("moe-layer-freq")
    if frequency:
        match = re.fullmatch(r"\(?\[0\]\*(\d+)\+\[1\]\*\d+\)?", frequency.strip("'\""))
        if not match:
            raise PlanError(f"{where}: '--moe-layer-freq': expected ([0]*N+[1]*M), got {frequency}")
        dense = int(match.group(1))
    is_v3 = values.get("moe-router-score-function") == "sigmoid"
    del found["head_dim"]
    return found | {
        "model_type": "deepseek_v3" if is_v3 else "deepseek_v2", "num_key_value_heads": found["num_attention_heads"],
        "kv_lora_rank": of("kv-lora-rank", 512), "q_lora_rank": of("q-lora-rank") if "q-lora-rank" in values else None,
        "qk_nope_head_dim": of("qk-head-dim", 128), "qk_rope_head_dim": of("qk-pos-emb-head-dim", 64),
        "v_head_dim": of("v-head-dim", 128), "moe_intermediate_size": inner, "n_routed_experts": of("num-experts"),
        "num_experts_per_tok": of("moe-router-topk", 2), "first_k_dense_replace": dense, "norm_topk_prob": is_v3,
        "n_shared_experts": of("moe-shared-expert-intermediate-size", 0) // inner,
        "n_group": of("moe-router-num-groups", 1), "topk_group": of("moe-router-group-topk", 1),
        "topk_method": "noaux_tc" if is_v3 else "group_limited_greedy" if "moe-router-num-groups" in values else "greedy",
        "routed_scaling_factor": float(values.get("moe-router-topk-scaling-factor") or 1)}  # fmt: skip
