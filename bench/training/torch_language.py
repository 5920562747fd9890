# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Language models as a PyTorch user writes them: modules and fused functions, not an ONNX graph.

RNNLM: nn.LSTM, time first. GPT: pre-norm blocks with scaled_dot_product_attention. NMT: two LSTMs, attention over the
encoder's outputs. `build` has the models of the benchmark on CPUs, in the shapes of utils/make-language-model-onnx.py
and of the GPT in the folder of models; NETWORKS has the models of soap-translate --generate, by name and with the same
sizes.
"""

import torch
import torch.nn.functional as F
from torch import nn


class Rnnlm(nn.Module):
    def __init__(self, vocabulary, width, layers):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, width, layers)
        self.output = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        return self.output(self.lstm(self.embedding(tokens))[0])


class Nmt(nn.Module):
    def __init__(self, vocabulary, width, layers):
        super().__init__()
        self.sources, self.targets = nn.Embedding(vocabulary, width), nn.Embedding(vocabulary, width)
        self.encoder, self.decoder = nn.LSTM(width, width, layers), nn.LSTM(width, width, layers)
        self.mix = nn.Linear(2 * width, width, bias=False)
        self.output = nn.Linear(width, vocabulary)

    def forward(self, source, target):
        encoded, state = self.encoder(self.sources(source))
        queries = self.decoder(self.targets(target), state)[0].transpose(0, 1)
        weights = torch.softmax(queries @ encoded.permute(1, 2, 0), 2)
        mixed = torch.tanh(self.mix(torch.cat([weights @ encoded.transpose(0, 1), queries], 2)))
        return self.output(mixed.transpose(0, 1))


class Block(nn.Module):
    def __init__(self, width, heads, approximate):
        super().__init__()
        self.heads, self.approximate = heads, approximate
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp1, self.mlp2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        samples, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(samples, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(mixed.transpose(1, 2).reshape(samples, length, width))
        return x + self.mlp2(F.gelu(self.mlp1(self.norm2(x)), approximate=self.approximate))


class Gpt(nn.Module):
    def __init__(self, vocabulary, width, layers, heads, length, approximate="none"):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.randn(length, width) * 0.02)
        self.blocks = nn.Sequential(*(Block(width, heads, approximate) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        return self.output(self.norm(self.blocks(self.embedding(tokens) + self.positions)))


def build(model, batch):
    """(module, tokens, labels): a batch of random tokens."""
    if model == "rnnlm":
        vocabulary, shape, module = 10000, [20, batch], Rnnlm(10000, 512, 2)
    else:
        vocabulary, shape, module = 8192, [batch, 128], Gpt(8192, 384, 6, 6, 128)
    return module, torch.randint(0, vocabulary, shape), torch.randint(0, vocabulary, shape)


def rnnlm(sizes):
    return Rnnlm(sizes["vocabulary"], sizes["hidden"], sizes["layers"])


def nmt(sizes):
    return Nmt(sizes["vocabulary"], sizes["hidden"], sizes["layers"])


def gpt(sizes):
    return Gpt(sizes["vocabulary"], sizes["heads"] * sizes["head-width"], sizes["layers"], sizes["heads"], sizes["length"], "tanh")


# Name: maker, tensors of tokens, whether time is first, sizes as soap-translate --list-models has them (how LSTMs are
# cut along time is nothing to PyTorch).
RECURRENT = {"length": 40, "lstm-chunk": 10, "layers": 2}
NETWORKS = {
    "rnnlm": (rnnlm, 1, True, {**RECURRENT, "hidden": 2048, "vocabulary": 10000}),
    "nmt": (nmt, 2, True, {**RECURRENT, "hidden": 1024, "vocabulary": 32000}),
    "gpt": (gpt, 1, False, {"layers": 12, "heads": 12, "head-width": 64, "length": 1024, "vocabulary": 50257}),
}
