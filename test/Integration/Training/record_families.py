#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records how PyTorch trains small models of families of the library transformers, for families.py.

record_families.py [FAMILY ...]

Inputs/families/FAMILY.npz gets the config as JSON ('config'), tokens and labels of one batch, the loss before each step
of plain SGD ('losses'), and all weights before the first step and after the last ('first.NAME', 'last.NAME') by the
names of soap-translate --generate. The loss is the mean cross-entropy of all positions.

Needs torch, transformers and numpy, so it is in no suite; the files are committed. Last recorded with torch 2.15.0 and
transformers 5.24.0.
"""

import json
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F
import transformers

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "families")
BATCH, LENGTH, RATE, STEPS = 4, 12, 0.2, 3
SIZES = {"vocab_size": 29, "hidden_size": 16, "intermediate_size": 20, "num_attention_heads": 4,
         "num_key_value_heads": 2, "head_dim": 6, "max_position_embeddings": 32, "initializer_range": 0.2}
EXPERTS = {"num_experts_per_tok": 2, "output_router_logits": False}
LATENT = {**SIZES, **EXPERTS, "num_key_value_heads": 4, "head_dim": None, "num_hidden_layers": 2, "kv_lora_rank": 8,
          "q_lora_rank": 10, "qk_rope_head_dim": 4, "qk_nope_head_dim": 6, "v_head_dim": 5, "n_routed_experts": 6,
          "moe_intermediate_size": 12, "first_k_dense_replace": 1, "n_shared_experts": 2, "topk_group": 1, "n_group": 1}
ROPE = {"rope_type": "default", "rope_theta": 100.0}
FAMILIES = {
    "mistral": {**SIZES, "num_hidden_layers": 2, "sliding_window": 5, "rope_parameters": ROPE},
    "gemma": {**SIZES, "num_hidden_layers": 2, "rope_parameters": ROPE},
    "gemma2": {**SIZES, "num_hidden_layers": 3, "sliding_window": 5, "query_pre_attn_scalar": 9,
               "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0, "rope_parameters": ROPE},
    "gemma3_text": {**SIZES, "num_hidden_layers": 3, "sliding_window": 4, "query_pre_attn_scalar": 8,
                    "layer_types": ["sliding_attention", "sliding_attention", "full_attention"],
                    "rope_parameters": {"full_attention": ROPE,
                                        "sliding_attention": {"rope_type": "default", "rope_theta": 10.0}}},
    "gpt_oss": {**SIZES, **EXPERTS, "num_hidden_layers": 2, "sliding_window": 4, "num_local_experts": 6,
                "swiglu_limit": 1.0, "rope_parameters": ROPE},
    "deepseek_v2": {**LATENT, "q_lora_rank": None, "routed_scaling_factor": 1.5, "rope_parameters": ROPE},
    "deepseek_v3": {**LATENT, "rope_parameters": ROPE},
}
PARTS = {"input_layernorm": "attention_norm", "self_attn.q_proj": "attention.query", "self_attn.k_proj": "attention.key",
         "self_attn.v_proj": "attention.value", "self_attn.o_proj": "attention.output",
         "self_attn.q_norm": "attention.query.norm", "self_attn.k_norm": "attention.key.norm",
         "self_attn.q_a_proj": "attention.query_down", "self_attn.q_a_layernorm": "attention.query_norm",
         "self_attn.q_b_proj": "attention.query", "self_attn.kv_a_proj_with_mqa": "attention.kv_down",
         "self_attn.kv_a_layernorm": "attention.kv_norm", "self_attn.kv_b_proj": "attention.kv",
         "mlp.gate_proj": "mlp.gate", "mlp.up_proj": "mlp.up", "mlp.down_proj": "mlp.down",
         "mlp.gate": "experts.router", "mlp.router": "experts.router", "mlp.shared_experts.gate_proj": "shared.gate",
         "mlp.shared_experts.up_proj": "shared.up", "mlp.shared_experts.down_proj": "shared.down"}
OUTSIDE = {"embed_tokens.weight": "embedding.weight", "lm_head.weight": "head.weight", "norm.weight": "norm.weight"}


def halves(rows):
    """Pairs of neighbours that turn together, as an element of the first and one of the second half."""
    return np.concatenate([rows[0::2], rows[1::2]])


def turned(value, config, part):
    """DeepSeek turns pairs of neighbours."""
    turns = config["qk_rope_head_dim"]
    if part == "attention.kv_down":
        return np.concatenate([value[:-turns], halves(value[-turns:])])
    heads = value.reshape(config["num_attention_heads"], -1, value.shape[1])
    return np.concatenate([np.concatenate([head[:-turns], halves(head[-turns:])]) for head in heads])


def of_experts(layer, part, value, is_oss):
    """gate_up_proj, down_proj and, of gpt-oss, biases of all experts: gpt-oss has inputs first, and gates and ups in
    turns."""
    name, isbias = layer + ".experts.", part.endswith("_bias")
    part = part.removesuffix("_bias")
    if is_oss:
        value = value[:, None, None] if isbias else value.transpose(0, 2, 1)
    suffix = ".bias" if isbias else ".weight"
    if part == "down_proj":
        return {name + "down" + suffix: value}
    axis = 3 if isbias else 1
    if is_oss:
        gate, up = (np.take(value, np.arange(first, value.shape[axis], 2), axis) for first in (0, 1))
    else:
        gate, up = np.split(value, 2, axis=axis)
    return {name + "gate" + suffix: gate, name + "up" + suffix: up}


def named(model, family, config):
    """Weights by their names here."""
    result = {}
    norms = {"post_attention_layernorm": "mlp_norm"}
    if family in ("gemma2", "gemma3_text"):
        norms = {"post_attention_layernorm": "attention_post_norm", "pre_feedforward_layernorm": "mlp_norm",
                 "post_feedforward_layernorm": "mlp_post_norm"}
    for name, value in model.named_parameters():
        value = value.detach().numpy().copy()
        name = name.removeprefix("model.")
        if family.startswith("gemma") and "norm" in name:
            value = 1 + value
        if name in OUTSIDE:
            result[OUTSIDE[name]] = value
            continue
        _, number, part = name.split(".", 2)
        layer = "layers." + number
        if ".experts." in part and "shared" not in part:
            result |= of_experts(layer, part.split(".experts.")[1], value, family == "gpt_oss")
        elif part == "self_attn.sinks":
            result[layer + ".attention.sinks"] = value[:, None]
        else:
            stem, _, kind = part.rpartition(".")
            own = {**PARTS, **norms}[stem]
            if family.startswith("deepseek") and own in ("attention.query", "attention.kv_down"):
                value = turned(value, config, own)
            result[f"{layer}.{own}.{kind}"] = value
    return result


def record(family):
    torch.manual_seed(7)
    kind = {"mistral": "Mistral", "gemma": "Gemma", "gemma2": "Gemma2", "gemma3_text": "Gemma3", "gpt_oss": "GptOss",
            "deepseek_v2": "DeepseekV2", "deepseek_v3": "DeepseekV3"}[family]
    config = getattr(transformers, kind + ("TextConfig" if family == "gemma3_text" else "Config"))(
        **FAMILIES[family], attn_implementation="eager")
    model = getattr(transformers, kind + "ForCausalLM")(config)
    model.train()
    with torch.no_grad():
        for name, value in model.named_parameters():  # nothing is at the value that a fault could have, too
            value += 0.1 * torch.randn_like(value)
    said = config.to_dict()
    # Token 0 pads in Gemma: transformers leaves its row of the embedding alone.
    tokens, labels = (torch.randint(1, SIZES["vocab_size"], (BATCH, LENGTH)) for _ in range(2))
    first, losses = named(model, family, said), []
    for _ in range(STEPS):
        loss = F.cross_entropy(model(input_ids=tokens).logits.flatten(0, 1), labels.flatten())
        losses.append(loss.item())
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= RATE * parameter.grad
    os.makedirs(FOLDER, exist_ok=True)
    np.savez_compressed(os.path.join(FOLDER, family + ".npz"), config=json.dumps(said), x=tokens.numpy().astype(np.int32),
                        y=labels.numpy().astype(np.int32), losses=losses,
                        **{"first." + name: value for name, value in first.items()},
                        **{"last." + name: value for name, value in named(model, family, said).items()})
    print(family, losses)


if __name__ == "__main__":
    for name in sys.argv[1:] or FAMILIES:
        record(name)
