# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes linalg programs of PyTorch models by torch-mlir, with an input and the output that PyTorch computes.

    pip install torch torchvision transformers timm numpy torch-mlir
    python make_fx_models.py FOLDER [MODEL...]

Writes FOLDER/MODEL.mlir, MODEL.x0.npy, ... and MODEL.y.npy for each model (default: all), with random weights of a
fixed seed. Models are small: they have the ops of the real ones and run in seconds.
"""

import os
import sys
import traceback

import numpy as np
import torch
from torch import nn


def ids(*shape, below):
    return torch.randint(0, below, shape)


class Logits(nn.Module):
    """The logits or the last hidden state of a model of transformers, as the only output."""

    def __init__(self, model, field, **options):
        super().__init__()
        self.model, self.field, self.options = model, field, options

    def forward(self, x):
        return getattr(self.model(x, **self.options), self.field)


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM
    config = LlamaConfig(vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                         num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=32,
                         attn_implementation="eager")
    return Logits(LlamaForCausalLM(config), "logits", use_cache=False), [ids(4, 16, below=64)]


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    config = GPT2Config(vocab_size=64, n_positions=32, n_embd=32, n_layer=2, n_head=4, attn_implementation="eager")
    return Logits(GPT2LMHeadModel(config), "logits", use_cache=False), [ids(4, 16, below=64)]


def bert():
    from transformers import BertConfig, BertModel
    config = BertConfig(vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                        intermediate_size=64, max_position_embeddings=32, attn_implementation="eager")
    return Logits(BertModel(config, add_pooling_layer=False), "last_hidden_state"), [ids(4, 16, below=64)]


def vit():
    import timm
    model = timm.create_model("vit_tiny_patch16_224", img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=4,
                              num_classes=10)
    return model, [torch.randn(4, 3, 32, 32)]


def convnext():
    import timm
    model = timm.models.convnext.ConvNeXt(depths=(1, 1, 1, 1), dims=(8, 16, 16, 32), num_classes=10)
    return model, [torch.randn(4, 3, 64, 64)]


def resnet():
    import timm
    model = timm.models.resnet.ResNet(timm.models.resnet.BasicBlock, [1, 1, 1, 1], num_classes=10,
                                      channels=(8, 16, 16, 32))
    return model, [torch.randn(4, 3, 32, 32)]


class Double(nn.Sequential):
    """Two convolutions of U-Net."""

    def __init__(self, inputs, outputs):
        super().__init__(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(),
                         nn.Conv2d(outputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2, self.bottom = Double(3, 8), Double(8, 16), Double(16, 32)
        self.up1, self.up2 = nn.ConvTranspose2d(32, 16, 2, stride=2), nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.left1, self.left2, self.head = Double(32, 16), Double(16, 8), nn.Conv2d(8, 2, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(self.pool(a))
        c = self.up1(self.bottom(self.pool(b)))
        d = self.up2(self.left1(torch.cat([b, c], 1)))
        return self.head(self.left2(torch.cat([a, d], 1)))


def unet():
    return UNet(), [torch.randn(4, 3, 16, 16)]


class GruTagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.gru, self.head = nn.Embedding(32, 16), nn.GRU(16, 16, batch_first=True), nn.Linear(16, 5)

    def forward(self, x):
        return self.head(self.gru(self.embedding(x))[0])


def gru():
    return GruTagger(), [ids(4, 8, below=32)]


class Dlrm(nn.Module):
    """Dense features and four tables whose products interact."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(50, 8, mode="sum") for _ in range(4))
        self.bottom = nn.Sequential(nn.Linear(13, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(18, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, dense, sparse):
        x = self.bottom(dense)
        features = torch.stack([x] + [table(sparse[:, i]) for i, table in enumerate(self.tables)], 1)
        products = torch.bmm(features, features.transpose(1, 2))
        rows, columns = [i for i in range(5) for j in range(i)], [j for i in range(5) for j in range(i)]
        return torch.sigmoid(self.top(torch.cat([x, products[:, rows, columns]], 1)))


def dlrm():
    return Dlrm(), [torch.randn(8, 13), ids(8, 4, 3, below=50)]


def audio():
    """A 1-D net on a wave, with group norms and strides."""
    model = nn.Sequential(nn.Conv1d(1, 8, 9, stride=4, padding=4), nn.GroupNorm(2, 8), nn.GELU(),
                          nn.Conv1d(8, 16, 5, stride=2, padding=2, groups=2), nn.BatchNorm1d(16), nn.ReLU(),
                          nn.MaxPool1d(2), nn.Conv1d(16, 16, 3, dilation=2), nn.ELU(), nn.AdaptiveAvgPool1d(1),
                          nn.Flatten(), nn.Linear(16, 10))
    return model, [torch.randn(4, 1, 256)]


def video():
    model = nn.Sequential(nn.Conv3d(3, 8, 3, padding=1), nn.BatchNorm3d(8), nn.ReLU(), nn.MaxPool3d(2),
                          nn.Conv3d(8, 16, 3, stride=(1, 2, 2), padding=1), nn.ReLU(), nn.AdaptiveAvgPool3d(1),
                          nn.Flatten(), nn.Linear(16, 6))
    return model, [torch.randn(4, 3, 4, 12, 12)]


def dcgan():
    """The generator."""
    model = nn.Sequential(nn.ConvTranspose2d(16, 16, 4), nn.BatchNorm2d(16), nn.ReLU(),
                          nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
                          nn.ConvTranspose2d(8, 3, 4, stride=2, padding=1), nn.Tanh())
    return model, [torch.randn(4, 16, 1, 1)]


MODELS = [llama, gpt2, bert, vit, convnext, resnet, unet, gru, dlrm, audio, video, dcgan]


def cumsum(x, dim, dtype=None):
    """aten.cumsum by a product with a triangle: torch-mlir makes an op of a dialect of its own of it."""
    x = x.to(dtype if dtype is not None else torch.int64 if not x.is_floating_point() else x.dtype)
    extent = x.shape[dim]
    triangle = torch.arange(extent).unsqueeze(1) <= torch.arange(extent)
    terms = x.movedim(dim, -1).unsqueeze(-1) * triangle.to(x.dtype)
    return terms.sum(-2).movedim(-1, dim)


def make(build, folder):
    from torch_mlir import fx
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table
    decompositions = {**get_decomposition_table(), torch.ops.aten.cumsum.default: cumsum}
    torch.manual_seed(7)
    model, inputs = build()
    model.eval()
    for module in model.modules():
        # torch-mlir finds buffers in the state dict alone.
        module._non_persistent_buffers_set.clear()
        # Statistics unlike those a new model has.
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.running_mean.uniform_(-0.2, 0.2)
            module.running_var.uniform_(0.5, 1.5)
    with torch.no_grad():
        expected = model(*inputs)
        module = fx.export_and_import(model, *inputs, output_type="linalg-on-tensors", func_name="main",
                                      decomposition_table=decompositions)
    path = os.path.join(folder, build.__name__)
    with open(path + ".mlir", "w", encoding="utf-8") as file:
        file.write(str(module))
    for i, value in enumerate(inputs):
        np.save(f"{path}.x{i}.npy", value.numpy())
    np.save(path + ".y.npy", expected.numpy())


def main():
    folder, names = sys.argv[1], sys.argv[2:]
    failed = False
    for build in MODELS:
        if names and build.__name__ not in names:
            continue
        try:
            make(build, folder)
            print(f"{build.__name__}: {os.path.getsize(os.path.join(folder, build.__name__ + '.mlir'))} bytes", flush=True)
        except Exception:  # of torch, torch-mlir or transformers: the next model may work
            failed = True
            print(f"{build.__name__}: {traceback.format_exc(limit=-2)[:2500]}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
