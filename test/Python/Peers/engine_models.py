# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of today's architectures, as people write them in PyTorch, and batches of samples for them. Each
function returns a module, example inputs and labels of a whole batch, and a loss that is a mean over samples."""

from __future__ import annotations

from typing import Any, Callable

import torch
import torch.nn.functional as F
from torch import nn

Case = tuple[nn.Module, tuple[torch.Tensor, ...], torch.Tensor, Callable[..., Any]]
VOCABULARY, LENGTH = 64, 16


def token_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


class RMSNorm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


def rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-b, a), dim=-1) * sin


class LlamaAttention(nn.Module):
    """Grouped queries with rotary positions, and the norms of heads that Qwen 3 has."""

    def __init__(self, width: int, heads: int, groups: int, normed: bool = False):
        super().__init__()
        self.size = width // heads
        self.q_proj = nn.Linear(width, heads * self.size, bias=False)
        self.k_proj = nn.Linear(width, groups * self.size, bias=False)
        self.v_proj = nn.Linear(width, groups * self.size, bias=False)
        self.o_proj = nn.Linear(heads * self.size, width, bias=False)
        self.q_norm = RMSNorm(self.size) if normed else nn.Identity()
        self.k_norm = RMSNorm(self.size) if normed else nn.Identity()

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        b, t, _ = x.shape
        q = self.q_norm(self.q_proj(x).view(b, t, -1, self.size)).transpose(1, 2)
        k = self.k_norm(self.k_proj(x).view(b, t, -1, self.size)).transpose(1, 2)
        v = self.v_proj(x).view(b, t, -1, self.size).transpose(1, 2)
        q, k = rotated(q, cos, sin), rotated(k, cos, sin)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.o_proj(y.transpose(1, 2).reshape(b, t, -1))


class GatedMLP(nn.Module):
    def __init__(self, width: int, inner: int):
        super().__init__()
        self.gate_proj = nn.Linear(width, inner, bias=False)
        self.up_proj = nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Experts(nn.Module):
    """Mixtral's: each token by the two experts that a router chooses; all experts see all tokens."""

    def __init__(self, width: int, inner: int, experts: int = 4):
        super().__init__()
        self.router = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(GatedMLP(width, inner) for _ in range(experts))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        chances, chosen = self.router(x).softmax(-1).topk(2, dim=-1)
        chances = chances / chances.sum(-1, keepdim=True)
        total = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            share = (chances * (chosen == i)).sum(-1, keepdim=True)
            total = total + share * expert(x)
        return total


class LlamaBlock(nn.Module):
    def __init__(self, width: int, heads: int, groups: int, inner: int, normed: bool, experts: bool):
        super().__init__()
        self.input_norm = RMSNorm(width)
        self.attention = LlamaAttention(width, heads, groups, normed)
        self.post_norm = RMSNorm(width)
        self.mlp = Experts(width, inner) if experts else GatedMLP(width, inner)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.input_norm(x), cos, sin)
        return x + self.mlp(self.post_norm(x))


class Llama(nn.Module):
    def __init__(self, width: int = 32, heads: int = 8, groups: int = 4, inner: int = 48, layers: int = 4,
                 normed: bool = False, experts: bool = False):  # fmt: skip
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, width)
        self.layers = nn.ModuleList(LlamaBlock(width, heads, groups, inner, normed, experts) for _ in range(layers))
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, VOCABULARY, bias=False)
        frequencies = 10000.0 ** (-torch.arange(0, width // heads, 2) / (width // heads))
        self.register_buffer("frequencies", frequencies, persistent=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.embed(ids)
        angles = torch.arange(ids.shape[1], device=ids.device)[:, None] * self.frequencies
        angles = torch.cat((angles, angles), dim=-1)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return self.head(self.norm(x))


class GPT2Block(nn.Module):
    """One product for queries, keys and values."""

    def __init__(self, width: int, heads: int, causal: bool):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.ln_1 = nn.LayerNorm(width)
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width)
        self.c_fc = nn.Linear(width, 4 * width)
        self.out = nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, c = x.shape
        parts = self.c_attn(self.ln_1(x)).split(c, dim=2)
        q, k, v = (part.view(b, t, self.heads, c // self.heads).transpose(1, 2) for part in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        x = x + self.c_proj(y.transpose(1, 2).contiguous().view(b, t, c))
        return x + self.out(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))


class GPT2(nn.Module):
    """The head's weight is the embedding's."""

    def __init__(self, width: int = 32, heads: int = 4, layers: int = 4):
        super().__init__()
        self.wte = nn.Embedding(VOCABULARY, width)
        self.wpe = nn.Embedding(LENGTH, width)
        self.h = nn.ModuleList(GPT2Block(width, heads, causal=True) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        self.head = nn.Linear(width, VOCABULARY, bias=False)
        self.head.weight = self.wte.weight

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1], device=ids.device))
        for block in self.h:
            x = block(x)
        return self.head(self.ln_f(x))


class ViTBlock(nn.Module):
    """timm's: one product, which is taken apart by a reshape."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).reshape(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    def __init__(self, width: int = 32, heads: int = 4, layers: int = 4, classes: int = 10):
        super().__init__()
        self.patches = nn.Conv2d(3, width, kernel_size=4, stride=4)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, 17, width) * 0.02)
        self.blocks = nn.Sequential(*(ViTBlock(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat((self.token.expand(x.shape[0], -1, -1), x), dim=1) + self.positions
        return self.head(self.norm(self.blocks(x))[:, 0])


class T5Attention(nn.Module):
    """Products and a softmax, with a bias of relative positions."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x: torch.Tensor, memory: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        b, t, s = x.shape[0], x.shape[1], memory.shape[1]
        q = self.q(x).view(b, t, self.heads, self.size).transpose(1, 2)
        k = self.k(memory).view(b, s, self.heads, self.size).transpose(1, 2)
        v = self.v(memory).view(b, s, self.heads, self.size).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(3, 2))
        if bias is not None:
            scores = scores + bias
        y = torch.matmul(scores.softmax(-1), v)
        return self.o(y.transpose(1, 2).reshape(b, t, -1))


class T5Block(nn.Module):
    def __init__(self, width: int, heads: int, decodes: bool):
        super().__init__()
        self.norm, self.attention = RMSNorm(width), T5Attention(width, heads)
        if decodes:
            self.cross_norm, self.cross = RMSNorm(width), T5Attention(width, heads)
        self.mlp_norm = RMSNorm(width)
        self.wi, self.wo = nn.Linear(width, 2 * width, bias=False), nn.Linear(2 * width, width, bias=False)

    def forward(self, x: torch.Tensor, bias: torch.Tensor, memory: torch.Tensor | None = None) -> torch.Tensor:
        y = self.norm(x)
        x = x + self.attention(y, y, bias)
        if memory is not None:
            x = x + self.cross(self.cross_norm(x), memory, None)
        return x + self.wo(F.relu(self.wi(self.mlp_norm(x))))


class T5(nn.Module):
    def __init__(self, width: int = 32, heads: int = 4, layers: int = 2):
        super().__init__()
        self.shared = nn.Embedding(VOCABULARY, width)
        self.encoder_bias, self.decoder_bias = nn.Embedding(8, heads), nn.Embedding(8, heads)
        self.encoder = nn.ModuleList(T5Block(width, heads, decodes=False) for _ in range(layers))
        self.decoder = nn.ModuleList(T5Block(width, heads, decodes=True) for _ in range(layers))
        self.encoder_norm, self.decoder_norm = RMSNorm(width), RMSNorm(width)
        self.head = nn.Linear(width, VOCABULARY, bias=False)

    def _bias(self, table: nn.Embedding, t: int) -> torch.Tensor:
        places = torch.arange(t, device=table.weight.device)
        distance = (places[None, :] - places[:, None]).clamp(-4, 3) + 4
        return table(distance).permute(2, 0, 1)[None]

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        x, bias = self.shared(source), self._bias(self.encoder_bias, source.shape[1])
        for block in self.encoder:
            x = block(x, bias)
        memory = self.encoder_norm(x)
        t = target.shape[1]
        hidden = torch.full((t, t), -1e9, device=target.device).triu(1)
        y, bias = self.shared(target), self._bias(self.decoder_bias, t)
        bias = bias + hidden.to(bias.dtype)
        for block in self.decoder:
            y = block(y, bias, memory)
        return self.head(self.decoder_norm(y))


class Bottleneck(nn.Module):
    def __init__(self, width: int, inner: int, norm: Callable[[int], nn.Module]):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(width, inner, 1, bias=False), norm(inner)
        self.conv2, self.norm2 = nn.Conv2d(inner, inner, 3, padding=1, bias=False), norm(inner)
        self.conv3, self.norm3 = nn.Conv2d(inner, width, 1, bias=False), norm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.relu(self.norm1(self.conv1(x)))
        y = F.relu(self.norm2(self.conv2(y)))
        return F.relu(x + self.norm3(self.conv3(y)))


class ResNet(nn.Module):
    def __init__(self, width: int = 16, layers: int = 4, classes: int = 10, batch_norm: bool = False):
        super().__init__()

        def norm(channels: int) -> nn.Module:
            return nn.BatchNorm2d(channels) if batch_norm else nn.GroupNorm(4, channels)

        self.stem = nn.Conv2d(3, width, 3, stride=2, padding=1, bias=False)
        self.norm = norm(width)
        self.layers = nn.Sequential(*(Bottleneck(width, 8, norm) for _ in range(layers)))
        self.fc = nn.Linear(width, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.norm(self.stem(images))), 2)
        return self.fc(self.layers(x).mean((2, 3)))


def tokens(batch: int, seed: int) -> torch.Tensor:
    return torch.randint(0, VOCABULARY, (batch, LENGTH), generator=torch.Generator().manual_seed(seed))


def text(make: Callable[[], nn.Module], batch: int) -> Case:
    return make(), (tokens(batch, 1),), tokens(batch, 2), token_loss


def images(make: Callable[[], nn.Module], batch: int) -> Case:
    generator = torch.Generator().manual_seed(1)
    pictures = torch.randn(batch, 3, 16, 16, generator=generator)
    return make(), (pictures,), torch.randint(0, 10, (batch,), generator=generator), F.cross_entropy


def translation(batch: int) -> Case:
    return T5(), (tokens(batch, 1), tokens(batch, 3)), tokens(batch, 2), token_loss


def count(labels: torch.Tensor) -> torch.Tensor:
    """Labels that losses do not leave out."""
    return (labels >= 0).sum()


def make_case(name: str, batch: int, seed: int = 0) -> Case:
    torch.manual_seed(seed)
    if name == "llama, labels left out":
        module, inputs, labels, loss = make_case("llama", batch, seed)
        # Of each sample another number.
        return module, inputs, labels.where(torch.arange(LENGTH) > torch.arange(batch)[:, None], -100), loss
    if name == "t5":
        return translation(batch)
    if name in ("vit", "resnet", "resnet-bn"):
        make = {"vit": ViT, "resnet": ResNet, "resnet-bn": lambda: ResNet(batch_norm=True)}[name]
        return images(make, batch)
    return text({"llama": Llama, "qwen3": lambda: Llama(normed=True), "mixtral": lambda: Llama(experts=True),
                 "gpt2": GPT2}[name], batch)  # fmt: skip


NAMES = ("llama", "qwen3", "gpt2", "vit", "mixtral", "t5", "resnet")
