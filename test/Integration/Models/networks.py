# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of PyTorch that record.py trains: today's architectures in sizes that run in seconds.

NETWORKS[name]() is a Row. Dropout is 0 and stochastic depth is off, for two frameworks draw other numbers. Needs torch,
transformers and timm.
"""

import dataclasses

import timm
import torch
import transformers
from torch import nn
from torch.nn import functional as F

BATCH, WORDS, LENGTH, CLASSES = 8, 64, 12, 10


@dataclasses.dataclass
class Row:
    """A module, its only batch, and how it trains. `loss` and `optimizer` have the names that Soap's options have."""

    module: nn.Module
    inputs: dict
    target: torch.Tensor
    loss: str = "softmax-cross-entropy"
    optimizer: str = "sgd"
    rate: float = 0.1


def ids(*shape, below=WORDS):
    return torch.randint(0, below, shape)


def words(*shape):
    """Word 0 pads. PyTorch does not train its row of a table (padding_idx), which no ONNX file says."""
    return torch.randint(1, WORDS, shape)


class Result(nn.Module):
    """One result of a model of transformers, as the only result."""

    def __init__(self, model, result="logits", **options):
        super().__init__()
        self.model, self.result, self.options = model, result, options

    def forward(self, x):
        return getattr(self.model(x, **self.options), self.result)


class Language(nn.Module):
    """The logits of a language model. With a mask, transformers looks for no packed sequences."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(input_ids=x, attention_mask=torch.ones_like(x)).logits


def language(model, config, optimizer="adamw", rate=0.003):
    config.use_cache = False
    module = Language(model(config))
    return Row(module, {"x": words(BATCH, LENGTH)}, words(BATCH, LENGTH), optimizer=optimizer, rate=rate)


LLAMA = dict(vocab_size=WORDS, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=32, pad_token_id=0, attn_implementation="eager")


def llama():
    return language(transformers.LlamaForCausalLM, transformers.LlamaConfig(**LLAMA), rate=0.001)


def mixtral():
    config = transformers.MixtralConfig(num_local_experts=4, **LLAMA)
    config._experts_implementation = "batched_mm"
    return language(transformers.MixtralForCausalLM, config)


def gpt2():
    config = transformers.GPT2Config(vocab_size=WORDS, n_positions=32, n_embd=32, n_layer=2, n_head=4, resid_pdrop=0,
                                     embd_pdrop=0, attn_pdrop=0, attn_implementation="eager")
    return language(transformers.GPT2LMHeadModel, config, "sgd", 0.1)


def bert():
    config = transformers.BertConfig(vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                                     intermediate_size=48, max_position_embeddings=32, hidden_dropout_prob=0,
                                     attention_probs_dropout_prob=0, attn_implementation="eager")
    return Row(Result(transformers.BertForMaskedLM(config)), {"x": words(BATCH, LENGTH)}, words(BATCH, LENGTH))


class Translator(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, source, target):
        return self.model(input_ids=source, decoder_input_ids=target).logits


def t5():
    config = transformers.T5Config(vocab_size=WORDS, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4,
                                   dropout_rate=0, attn_implementation="eager", decoder_start_token_id=0)
    config.use_cache = False
    model = transformers.T5ForConditionalGeneration(config)
    return Row(Translator(model), {"source": words(BATCH, LENGTH), "target": words(BATCH, 8)}, words(BATCH, 8),
               optimizer="adamw", rate=0.003)


class Speech(nn.Module):
    """An encoder of sound, and a class for each of its frames."""

    def __init__(self, encoder, width):
        super().__init__()
        self.encoder, self.head = encoder, nn.Linear(width, CLASSES)

    def forward(self, x):
        return self.head(self.encoder(x)[0])


def whisper():
    from transformers.models.whisper.modeling_whisper import WhisperEncoder
    config = transformers.WhisperConfig(d_model=32, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=48,
                                        num_mel_bins=16, max_source_positions=16, dropout=0, attention_dropout=0,
                                        activation_dropout=0, encoder_layerdrop=0, attn_implementation="eager")
    encoder = WhisperEncoder(config)
    # Positions are sines in Whisper, and not trained.
    return Row(Speech(encoder, 32), {"x": torch.randn(BATCH, 16, 32)}, ids(BATCH, 16, below=CLASSES), rate=0.05)


def conformer():
    """Self attention with relative positions between convolutions along time."""
    from transformers.models.wav2vec2_conformer.modeling_wav2vec2_conformer import Wav2Vec2ConformerEncoder
    config = transformers.Wav2Vec2ConformerConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, conv_depthwise_kernel_size=7,
        position_embeddings_type="relative", max_source_positions=32, hidden_dropout=0, attention_dropout=0,
        activation_dropout=0, layerdrop=0, conformer_conv_dropout=0, attn_implementation="eager")
    encoder = Wav2Vec2ConformerEncoder(config)
    del encoder.pos_conv_embed  # The model has it, and does not use it.
    return Row(Speech(encoder, 32), {"x": torch.randn(BATCH, 16, 32)}, ids(BATCH, 16, below=CLASSES), rate=0.05)


def image(module, size, rate=0.05):
    return Row(module, {"x": torch.randn(BATCH, 3, size, size)}, ids(BATCH, below=CLASSES), rate=rate)


def vit():
    return image(timm.create_model("vit_tiny_patch16_224", img_size=32, patch_size=8, embed_dim=32, depth=2,
                                   num_heads=4, num_classes=CLASSES), 32)


def swin():
    return image(timm.models.swin_transformer.SwinTransformer(
        img_size=32, patch_size=4, num_classes=CLASSES, embed_dim=16, depths=(2, 2), num_heads=(2, 4), window_size=4,
        drop_path_rate=0), 32)


def convnext():
    return image(timm.models.convnext.ConvNeXt(depths=(1, 1, 1, 1), dims=(8, 16, 24, 32), num_classes=CLASSES,
                                               ls_init_value=0.1), 64)


def resnet():
    return image(timm.models.resnet.ResNet(timm.models.resnet.BasicBlock, [1, 1, 1, 1], num_classes=CLASSES,
                                           channels=(8, 16, 24, 32)), 32)


def efficientnet():
    """Inverted bottlenecks with squeeze and excitation, and SiLU."""
    from timm.models._efficientnet_builder import decode_arch_def
    blocks = decode_arch_def([["ds_r1_k3_s1_e1_c8_se0.25"], ["ir_r2_k3_s2_e4_c12_se0.25"],
                              ["ir_r1_k5_s2_e4_c16_se0.25"]])
    return image(timm.models.efficientnet.EfficientNet(blocks, num_classes=CLASSES, num_features=32, stem_size=8,
                                                       fix_stem=True, act_layer=nn.SiLU), 32)


class Double(nn.Sequential):
    def __init__(self, inputs, outputs):
        super().__init__(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(),
                         nn.Conv2d(outputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2, self.bottom = Double(3, 8), Double(8, 16), Double(16, 24)
        self.up1, self.up2 = nn.ConvTranspose2d(24, 16, 2, stride=2), nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.left1, self.left2, self.head = Double(32, 16), Double(16, 8), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        c = self.up1(self.bottom(F.max_pool2d(b, 2)))
        d = self.up2(self.left1(torch.cat([b, c], 1)))
        return self.head(self.left2(torch.cat([a, d], 1)))


def unet():
    return Row(UNet(), {"x": torch.randn(BATCH, 3, 16, 16)}, torch.randn(BATCH, 2, 16, 16), "mse")


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(WORDS, 16)
        self.layer = nn.GRU(16, 16, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(32, CLASSES)

    def forward(self, x):
        return self.out(self.layer(self.table(x))[0])


def gru():
    return Row(Tagger(), {"x": ids(BATCH, 7)}, ids(BATCH, 7, below=CLASSES), rate=0.5)


class Recommender(nn.Module):
    """Dense features and four tables, whose products interact."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(50, 8) for _ in range(4))
        self.bottom = nn.Sequential(nn.Linear(13, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(18, 16), nn.ReLU(), nn.Linear(16, 1))
        rows = [(i, j) for i in range(5) for j in range(i)]
        self.rows, self.columns = [i for i, j in rows], [j for i, j in rows]

    def forward(self, dense, sparse):
        x = self.bottom(dense)
        features = torch.stack([x] + [table(sparse[:, i]) for i, table in enumerate(self.tables)], 1)
        products = torch.bmm(features, features.transpose(1, 2))
        return self.top(torch.cat([x, products[:, self.rows, self.columns]], 1))


def dlrm():
    return Row(Recommender(), {"dense": torch.randn(2 * BATCH, 13), "sparse": ids(2 * BATCH, 4, below=50)},
               torch.randint(0, 2, (2 * BATCH, 1)).float(), "bce-with-logits")


def audio():
    return Row(nn.Sequential(nn.Conv1d(1, 8, 9, stride=4, padding=4), nn.GroupNorm(2, 8), nn.GELU(),
                             nn.Conv1d(8, 16, 5, stride=2, padding=2, groups=2), nn.BatchNorm1d(16), nn.ReLU(),
                             nn.MaxPool1d(2), nn.Conv1d(16, 16, 3, dilation=2), nn.ELU(), nn.AdaptiveAvgPool1d(1),
                             nn.Flatten(),
                             nn.Linear(16, CLASSES)),
               {"x": torch.randn(BATCH, 1, 256)}, ids(BATCH, below=CLASSES))


def video():
    return Row(nn.Sequential(nn.Conv3d(3, 8, 3, padding=1), nn.BatchNorm3d(8), nn.ReLU(), nn.MaxPool3d(2),
                             nn.Conv3d(8, 16, 3, stride=(1, 2, 2), padding=1), nn.ReLU(), nn.AdaptiveAvgPool3d(1),
                             nn.Flatten(), nn.Linear(16, CLASSES)),
               {"x": torch.randn(BATCH, 3, 4, 12, 12)}, ids(BATCH, below=CLASSES))


def dcgan_generator():
    return Row(nn.Sequential(nn.ConvTranspose2d(16, 24, 4, bias=False), nn.BatchNorm2d(24), nn.ReLU(),
                             nn.ConvTranspose2d(24, 12, 4, 2, 1, bias=False), nn.BatchNorm2d(12), nn.ReLU(),
                             nn.ConvTranspose2d(12, 3, 4, 2, 1), nn.Tanh()),
               {"x": torch.randn(BATCH, 16, 1, 1)}, torch.rand(BATCH, 3, 16, 16) * 2 - 1, "mse", rate=0.5)


def dcgan_discriminator():
    return Row(nn.Sequential(nn.Conv2d(3, 16, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(16, 24, 4, 2, 1, bias=False),
                             nn.BatchNorm2d(24), nn.LeakyReLU(0.2), nn.Conv2d(24, 1, 4), nn.Flatten()),
               {"x": torch.randn(BATCH, 3, 16, 16)}, torch.randint(0, 2, (BATCH, 1)).float(), "bce-with-logits")


NETWORKS = {f.__name__.replace("_", "-"): f for f in (
    llama, mixtral, gpt2, bert, t5, whisper, conformer, vit, swin, convnext, resnet, efficientnet, unet, gru, dlrm, audio,
    video, dcgan_generator, dcgan_discriminator)}


def values(module):
    """Weights and running statistics by name; a weight that two modules share once."""
    found = {name: parameter for name, parameter in module.named_parameters() if parameter.requires_grad}
    found.update((name, buffer) for name, buffer in module.named_buffers() if "running_" in name)
    return {name: tensor.detach().clone() for name, tensor in found.items()}


def loss_of(row, result):
    if row.loss == "softmax-cross-entropy":
        return F.cross_entropy(result.reshape(-1, result.shape[-1]), row.target.reshape(-1))
    if row.loss == "bce-with-logits":
        return F.binary_cross_entropy_with_logits(result, row.target)
    return F.mse_loss(result, row.target)
