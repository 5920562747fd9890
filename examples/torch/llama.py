# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLaMA by a config.json of Hugging Face, in plain PyTorch: nothing here knows of plans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, groups: int):
        super().__init__()
        self.size = width // heads
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, groups * self.size, bias=False)
        self.v_proj = nn.Linear(width, groups * self.size, bias=False)
        self.o_proj = nn.Linear(width, width, bias=False)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        b, t, _ = x.shape
        q, k, v = (p(x).view(b, t, -1, self.size).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        y = F.scaled_dot_product_attention(rotate(q, cos, sin), rotate(k, cos, sin), v, is_causal=True, enable_gqa=True)
        return self.o_proj(y.transpose(1, 2).reshape(b, t, -1))


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-b, a), dim=-1) * sin


class MLP(nn.Module):
    def __init__(self, width: int, inner: int):
        super().__init__()
        self.gate_proj = nn.Linear(width, inner, bias=False)
        self.up_proj = nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Block(nn.Module):
    def __init__(self, width: int, heads: int, groups: int, inner: int, eps: float):
        super().__init__()
        self.input_layernorm = nn.RMSNorm(width, eps)
        self.self_attn = Attention(width, heads, groups)
        self.post_attention_layernorm = nn.RMSNorm(width, eps)
        self.mlp = MLP(width, inner)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        x = x + self.self_attn(self.input_layernorm(x), cos, sin)
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    def __init__(self, config: str | dict[str, Any]):
        super().__init__()
        if isinstance(config, str):
            config = json.loads((Path(__file__).parent / config).read_text())
        width, heads, eps = config["hidden_size"], config["num_attention_heads"], config["rms_norm_eps"]
        self.embed_tokens = nn.Embedding(config["vocab_size"], width)
        self.layers = nn.ModuleList(Block(width, heads, config["num_key_value_heads"], config["intermediate_size"], eps)
                                    for _ in range(config["num_hidden_layers"]))  # fmt: skip
        self.norm = nn.RMSNorm(width, eps)
        self.lm_head = nn.Linear(width, config["vocab_size"], bias=False)
        size = width // heads
        self.register_buffer("rates", config["rope_theta"] ** (-torch.arange(0, size, 2) / size), persistent=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        angles = torch.arange(ids.shape[1], device=ids.device)[:, None] * torch.cat((self.rates, self.rates))
        x = self.embed_tokens(ids)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return self.lm_head(self.norm(x))
