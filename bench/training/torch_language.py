"""The language models of the benchmark as a PyTorch user writes them: modules and fused functions, not an ONNX graph.

RNNLM: nn.LSTM, time first. GPT: pre-norm blocks with scaled_dot_product_attention. Their shapes are those of
utils/make-language-model-onnx.py and of the GPT in the folder of models.
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


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp1, self.mlp2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        samples, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(samples, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(mixed.transpose(1, 2).reshape(samples, length, width))
        return x + self.mlp2(F.gelu(self.mlp1(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self, vocabulary, width, layers, heads, length):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.randn(length, width) * 0.02)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
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
