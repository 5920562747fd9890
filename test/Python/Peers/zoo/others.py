# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generators of images, graphs, tables, series, and ways of training."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

from . import Entry, classes, model


def of_classes(out, labels):
    return F.cross_entropy(out, labels)


def simple(name, make, inputs, labels, loss=of_classes, **options):
    @model(name)
    def entry():
        return Entry(make().train(), inputs, labels, loss, **options)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(16, 16), nn.SiLU(), nn.Linear(16, 16))
        self.down1, self.down2 = self.block(3, 8), self.block(8, 16)
        self.middle = self.block(16, 16)
        self.up2, self.up1 = nn.ConvTranspose2d(16, 8, 2, stride=2), self.block(16, 8)
        self.out = nn.Conv2d(8, 3, 3, padding=1)

    @staticmethod
    def block(inputs, outputs):
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(4, outputs), nn.SiLU())

    def forward(self, x, steps):
        half = torch.exp(-torch.arange(8) * 0.5)
        angles = steps[:, None].float() * half
        time = self.time(torch.cat([angles.sin(), angles.cos()], 1))
        a = self.down1(x)
        b = self.down2(F.avg_pool2d(a, 2)) + time[:, :, None, None]
        c = F.interpolate(self.middle(b), scale_factor=2, mode="nearest")
        return self.out(self.up1(torch.cat([F.interpolate(self.up2(b), c.shape[2:]) if 0 else self.up2(b), a], 1))) + (
            c.mean(1, keepdim=True))


simple("U-Net", UNet, lambda: (torch.randn(4, 3, 16, 16), torch.randint(0, 100, (4,))),
       lambda: torch.randn(4, 3, 16, 16), F.mse_loss)


class DiT(nn.Module):
    """Two blocks whose norms are modulated by the condition."""

    def __init__(self, width=32):
        super().__init__()
        self.patch, self.condition = nn.Conv2d(4, width, 2, stride=2), nn.Embedding(10, width)
        self.register_buffer("positions", torch.randn(1, 16, width) * 0.1)
        self.blocks = nn.ModuleList(nn.ModuleDict({
            "norm1": nn.LayerNorm(width, elementwise_affine=False, eps=1e-6), "qkv": nn.Linear(width, 3 * width),
            "out": nn.Linear(width, width), "norm2": nn.LayerNorm(width, elementwise_affine=False, eps=1e-6),
            "up": nn.Linear(width, 64), "down": nn.Linear(64, width), "modulation": nn.Linear(width, 6 * width)})
            for _ in range(2))
        self.final = nn.Linear(width, 16)

    def forward(self, x, y):
        x = self.patch(x).flatten(2).transpose(1, 2) + self.positions
        c = F.silu(self.condition(y))
        for block in self.blocks:
            a, b, g, d, e, h = block["modulation"](c)[:, None].chunk(6, -1)
            z = block["norm1"](x) * (1 + a) + b
            q, k, v = block["qkv"](z).reshape(z.shape[0], 16, 3, 4, 8).permute(2, 0, 3, 1, 4).unbind(0)
            z = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(x.shape)
            x = x + g * block["out"](z)
            z = block["norm2"](x) * (1 + d) + e
            x = x + h * block["down"](F.gelu(block["up"](z), approximate="tanh"))
        x = self.final(x).reshape(-1, 4, 4, 2, 2, 4)
        return torch.einsum("nhwpqc->nchpwq", x).reshape(-1, 4, 8, 8)


simple("DiT", DiT, lambda: (torch.randn(4, 4, 8, 8), torch.randint(0, 10, (4,))), lambda: torch.randn(4, 4, 8, 8),
       F.mse_loss)


class Flux(nn.Module):
    """A double-stream block: text and image attend together, with norms of queries and keys and rotary positions."""

    def __init__(self, width=32):
        super().__init__()
        self.streams = nn.ModuleList(nn.ModuleDict({
            "mod": nn.Linear(width, 3 * width), "qkv": nn.Linear(width, 3 * width), "q": nn.RMSNorm(8),
            "k": nn.RMSNorm(8), "out": nn.Linear(width, width)}) for _ in range(2))

    def rotate(self, x):
        angles = torch.arange(x.shape[2])[:, None] / 10.0 ** torch.arange(4)
        even, odd = x.reshape(*x.shape[:-1], 4, 2).unbind(-1)
        cos, sin = angles.cos(), angles.sin()
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(3)

    def forward(self, image, text, condition):
        parts = []
        for stream, x in zip(self.streams, (text, image)):
            shift, scale, _ = stream["mod"](F.silu(condition))[:, None].chunk(3, -1)
            z = F.layer_norm(x, x.shape[-1:]) * (1 + scale) + shift
            q, k, v = stream["qkv"](z).unflatten(-1, (3, 4, 8)).permute(2, 0, 3, 1, 4)
            parts.append((stream["q"](q), stream["k"](k), v))
        q, k, v = (torch.cat(pair, 2) for pair in zip(*parts))
        z = F.scaled_dot_product_attention(self.rotate(q), self.rotate(k), v).transpose(1, 2).flatten(2)
        results = []
        for stream, x, y in zip(self.streams, (text, image), z.split([text.shape[1], image.shape[1]], 1)):
            gate = stream["mod"](F.silu(condition))[:, None].chunk(3, -1)[2]
            results.append(x + gate * stream["out"](y))
        return torch.cat(results, 1)


simple("Flux block", Flux, lambda: (torch.randn(4, 6, 32), torch.randn(4, 3, 32), torch.randn(4, 32)),
       lambda: torch.randn(4, 9, 32), F.mse_loss)


class VAE(nn.Module):
    """The noise is an input."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 16))
        self.decoder = nn.Sequential(nn.Linear(8, 8 * 36), nn.ReLU(), nn.Unflatten(1, (8, 6, 6)),
                                     nn.ConvTranspose2d(8, 1, 3, 2, 1, output_padding=1))

    def forward(self, x, noise):
        mean, log_variance = self.encoder(x).chunk(2, 1)
        y = self.decoder(mean + noise * torch.exp(0.5 * log_variance))
        divergence = -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum(1)
        return F.binary_cross_entropy_with_logits(y, x.sigmoid()) + 0.01 * divergence.mean()


simple("VAE", VAE, lambda: (torch.randn(4, 1, 12, 12), torch.randn(4, 8)), None, lambda out: out)


class RandomVAE(VAE):
    def forward(self, x):
        return super().forward(x, torch.randn(x.shape[0], 8))


simple("VAE with noise of its own", RandomVAE, lambda: (torch.randn(4, 1, 12, 12),), None, lambda out: out,
       refused="randn")


class GAT(nn.Module):
    """Attention over the edges of a graph, by scatters."""

    def __init__(self):
        super().__init__()
        self.w, self.source, self.target = nn.Linear(8, 16), nn.Linear(16, 1), nn.Linear(16, 1)
        self.out = nn.Linear(16, 4)

    def forward(self, x, edges):
        h = self.w(x)
        source, target = edges[0], edges[1]
        score = F.leaky_relu(self.source(h)[source] + self.target(h)[target], 0.2)[:, 0]
        most = torch.full((x.shape[0],), -1e9).scatter_reduce(0, target, score.detach(), "amax")
        weight = torch.exp(score - most[target])
        total = torch.zeros(x.shape[0]).index_add(0, target, weight)
        weight = weight / (total[target] + 1e-9)
        return self.out(torch.zeros_like(h).index_add(0, target, weight[:, None] * h[source]))


simple("GAT", GAT, lambda: (torch.randn(12, 8), torch.randint(0, 12, (2, 30))), classes(12, 4))


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 10)

    def forward(self, x, edges):
        h = self.layer(x)
        return h + torch.zeros_like(h).index_add(0, edges[:, 1], h[edges[:, 0]])


simple("GCN", GCN, lambda: (torch.randn(12, 8), torch.randint(0, 12, (12, 2))), classes(12))


class DLRM(nn.Module):
    def __init__(self):
        super().__init__()
        self.bottom = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.bags = nn.ModuleList(nn.EmbeddingBag(20, 8, mode="sum") for _ in range(3))
        self.top = nn.Sequential(nn.Linear(8 + 6, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, dense, a, b, c):
        x = self.bottom(dense)
        rows = torch.stack([x, *(bag(ids) for bag, ids in zip(self.bags, (a, b, c)))], 1)
        pairs = rows @ rows.transpose(1, 2)
        i, j = torch.tril_indices(4, 4, -1)
        return self.top(torch.cat([x, pairs[:, i, j]], 1))[:, 0]


simple("DLRM", DLRM, lambda: (torch.randn(8, 4), *(torch.randint(0, 20, (8, 3)) for _ in range(3))),
       lambda: torch.randint(0, 2, (8,)).float(), F.binary_cross_entropy_with_logits)


class Bags(nn.Module):
    """Bags of any size: their beginnings are an input."""

    def __init__(self, mode):
        super().__init__()
        self.bag, self.out = nn.EmbeddingBag(20, 8, mode=mode), nn.Linear(8, 3)

    def forward(self, ids, offsets):
        return self.out(self.bag(ids, offsets))


for _mode in ("sum", "mean"):
    simple(f"bags of any size, {_mode}", lambda mode=_mode: Bags(mode),
           lambda: (torch.randint(0, 20, (12,)), torch.tensor([0, 3, 4, 9])), classes(4, 3))


class DeepFM(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.table = nn.Embedding(40, 1), nn.Embedding(40, 8)
        self.deep = nn.Sequential(nn.Linear(40, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))
        self.register_buffer("offsets", torch.arange(5) * 8)

    def forward(self, ids):
        ids = ids + self.offsets
        rows = self.table(ids)
        second = 0.5 * (rows.sum(1) ** 2 - (rows**2).sum(1)).sum(1)
        return self.linear(ids).sum((1, 2)) + second + self.deep(rows.flatten(1))[:, 0]


simple("DeepFM", DeepFM, lambda: (torch.randint(0, 8, (8, 5)),), lambda: torch.randint(0, 2, (8,)).float(),
       F.binary_cross_entropy_with_logits)


class PatchTST(nn.Module):
    """Patches of a series, normalized by its own mean and deviation."""

    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Linear(8, 16), nn.Linear(16 * 7, 6)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True), 2, enable_nested_tensor=False)

    def forward(self, x):
        mean, deviation = x.mean(1, keepdim=True), x.std(1, keepdim=True, unbiased=False) + 1e-5
        z = ((x - mean) / deviation).transpose(1, 2).flatten(0, 1)
        z = self.encoder(self.embed(z.unfold(1, 8, 4)))
        y = self.head(z.flatten(1)).reshape(x.shape[0], -1, 6).transpose(1, 2)
        return y * deviation + mean


simple("PatchTST", PatchTST, lambda: (torch.randn(4, 32, 3),), lambda: torch.randn(4, 6, 3), F.mse_loss)


class LoRA(nn.Module):
    """A frozen base with factors of low rank beside it."""

    def __init__(self):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(12, 16), nn.GELU(), nn.Linear(16, 5))
        self.base.requires_grad_(False)
        self.a, self.b = nn.Parameter(torch.randn(2, 12) * 0.3), nn.Parameter(torch.zeros(16, 2))

    def forward(self, x):
        h = self.base[0](x) + 2.0 * (x @ self.a.T @ self.b.T)
        return self.base[2](self.base[1](h))


simple("LoRA", LoRA, lambda: (torch.randn(8, 12),), classes(8, 5))


class DPO(nn.Module):
    """A policy and its frozen copy on a pair of sequences."""

    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Embedding(30, 16), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 30))
        self.reference = copy.deepcopy(self.policy).requires_grad_(False)

    def log_probability(self, network, tokens):
        logs = network(tokens[:, :-1]).log_softmax(-1)
        return logs.gather(2, tokens[:, 1:, None])[..., 0].sum(1)

    def forward(self, chosen, rejected):
        with torch.no_grad():
            old = self.log_probability(self.reference, chosen) - self.log_probability(self.reference, rejected)
        new = self.log_probability(self.policy, chosen) - self.log_probability(self.policy, rejected)
        return -F.logsigmoid(0.5 * (new - old)).mean()


simple("DPO pair", DPO, lambda: (torch.randint(0, 30, (4, 7)), torch.randint(0, 30, (4, 7))), None, lambda out: out)


class TargetNetwork(nn.Module):
    """Deep Q-learning: the target network is frozen."""

    def __init__(self):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
        self.target = copy.deepcopy(self.online).requires_grad_(False)

    def forward(self, state, action, reward, following):
        q = self.online(state).gather(1, action[:, None])[:, 0]
        best = self.target(following).max(1).values
        return F.smooth_l1_loss(q, reward + 0.9 * best)


simple("target network", TargetNetwork,
       lambda: (torch.randn(8, 6), torch.randint(0, 3, (8,)), torch.randn(8), torch.randn(8, 6)), None,
       lambda out: out)


class Quantized(nn.Module):
    """Rounding with a straight-through gradient."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 4)

    def forward(self, x):
        z = self.a(x)
        return self.b(z + (torch.round(2 * z) / 2 - z).detach())


simple("straight-through rounding", Quantized, lambda: (torch.randn(8, 6),), classes(8, 4))


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.embedding, self.out = nn.Embedding(30, 8), nn.Linear(12, 30)
        self.layer = kind(8, 12, batch_first=True)

    def forward(self, tokens):
        return self.out(self.layer(self.embedding(tokens))[0]).transpose(1, 2)


for _kind in (nn.LSTM, nn.GRU):
    simple(_kind.__name__, lambda kind=_kind: Recurrent(kind), lambda: (torch.randint(0, 30, (4, 6)),),
           lambda: torch.randint(0, 30, (4, 6)))


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        return -gradient


class Adversarial(nn.Module):
    """A gradient of one's own."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 4)

    def forward(self, x):
        return self.b(Reversed.apply(self.a(x)))


simple("gradient reversal", Adversarial, lambda: (torch.randn(8, 6),), classes(8, 4), refused="differs")


class Center(nn.Module):
    """A mean over the batch, written by hand."""

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(6, 3)

    def forward(self, x):
        z = self.l(x)
        return z - z.sum(0, keepdim=True) / x.shape[0]


simple("mean by hand", Center, lambda: (torch.randn(8, 6),), classes(8, 3))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.out = nn.Linear(32, 8)

    def forward(self, x):
        return self.out(self.layer(x).mean(1))


simple("TransformerEncoderLayer", Encoder, lambda: (torch.randn(4, 8, 32),), classes(4, 8))


class Gpt(nn.Module):
    """Grouped queries, rotary positions and gated units, written by hand."""

    def __init__(self):
        super().__init__()
        self.table, self.norm = nn.Embedding(40, 32), nn.RMSNorm(32)
        self.q, self.kv, self.o = nn.Linear(32, 32, False), nn.Linear(32, 32, False), nn.Linear(32, 32, False)
        self.head = nn.Linear(32, 40, bias=False)
        self.head.weight = self.table.weight

    def forward(self, tokens):
        x = self.table(tokens)
        z = self.norm(x)
        n, t, _ = z.shape
        q = self.q(z).view(n, t, 4, 8).transpose(1, 2)
        k, v = self.kv(z).view(n, t, 2, 2, 8).permute(2, 0, 3, 1, 4)
        x = x + self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True).transpose(1, 2).flatten(2))
        return self.head(x).transpose(1, 2)


simple("tied grouped attention", Gpt, lambda: (torch.randint(0, 40, (4, 8)),), lambda: torch.randint(0, 40, (4, 8)))


class Linears(nn.Module):
    """Scalars, scales 1 + w, group norm, rows of a parameter, batch norm of rows: what exporters fold."""

    def __init__(self):
        super().__init__()
        self.a, self.o = nn.Linear(12, 32), nn.Linear(32, 10)
        self.scale, self.rows = nn.Parameter(torch.zeros(32)), nn.Parameter(torch.ones(2, 32))
        self.group, self.norm = nn.GroupNorm(2, 32), nn.BatchNorm1d(32)

    def forward(self, x):
        h = self.norm(self.a(x)) * self.rows[0]
        h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * (1.0 + self.scale)
        return 2 * self.o(torch.tanh(self.group(h) * self.rows[1]))


simple("what exporters fold", Linears, lambda: (torch.randn(8, 12),), classes(8))


class Frozen(nn.Module):
    """A padding row, a batch norm in evaluation mode while the rest trains, a frozen bias, a branch under no_grad."""

    def __init__(self):
        super().__init__()
        self.words, self.hidden = nn.Embedding(20, 8, padding_idx=0), nn.Linear(8, 12)
        self.fixed, self.norm, self.out = nn.BatchNorm1d(12), nn.BatchNorm1d(12, momentum=0.3), nn.Linear(12, 3)
        self.fixed.running_mean.fill_(0.2)
        self.hidden.bias.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        self.fixed.eval()
        return self

    def forward(self, words):
        h = self.norm(torch.relu(self.fixed(self.hidden(self.words(words).mean(1)))))
        with torch.no_grad():
            scale = h.abs().mean()
        return self.out(h / (scale + 1))


def padded():
    words = torch.randint(1, 20, (8, 6))
    words[:, 4:] = 0
    return (words,)


simple("padding row and frozen norm", Frozen, padded, classes(8, 3))
