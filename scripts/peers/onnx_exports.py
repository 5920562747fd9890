#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports networks of PyTorch with both exporters, imports them, and compares results with ONNX Runtime's.

    onnx_exports.py BUILD [--only TEXT] [--exporter torchscript|dynamo] [--table] [--keep FOLDER]

Needs torch, transformers, timm, onnx, onnxscript, onnxruntime and numpy. Networks have today's architectures and tiny
sizes, with random weights. A row is one network and one exporter: it passes if import takes the file and |a - b| / |b|
of each result is at most 1e-4; else the row has the message of import, or the difference. Networks that PyTorch itself
can not export are counted apart. `--table` prints the rows of the table in docs/ONNX.md. The last line is "N passed, N
failed": a file that import refuses by name has not failed, one with another result has.
"""

import argparse
import os
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(HERE, "..", "..", "test", "Target")
SECONDS = 900


def language(name, vocabulary=61, **config):
    """A causal language model of transformers by its configuration."""
    import torch
    import transformers

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            made = getattr(transformers, name + "Config")(vocab_size=vocabulary, **config)
            made.use_cache = False
            made._experts_implementation = "batched_mm"
            model = "LMHeadModel" if name == "GPT2" else "ForCausalLM"
            self.model = getattr(transformers, name + model)(made)

        def forward(self, ids):
            # With a mask, transformers does not look for packed sequences, which the older exporter can not write.
            return self.model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits

    return Logits(), (torch.randint(0, vocabulary, (2, 8)),)


def llama_like(name, **more):
    return language(name, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                    max_position_embeddings=32, pad_token_id=0, **more)


def encoder(name, model, vocabulary=61, **config):
    """A text encoder's last hidden state."""
    import torch
    import transformers

    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = getattr(transformers, model)(getattr(transformers, name + "Config")(vocab_size=vocabulary, **config))

        def forward(self, ids):
            return self.model(input_ids=ids)[0]

    return Encoder(), (torch.randint(2, vocabulary, (2, 8)),)


def bert_like(name, **more):
    return encoder(name, name + "Model", hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
                   max_position_embeddings=32, **more)


def t5():
    import torch
    import transformers

    class T5(torch.nn.Module):
        def __init__(self):
            super().__init__()
            config = transformers.T5Config(vocab_size=61, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4,
                                           decoder_start_token_id=0, attn_implementation="eager")
            config.use_cache = False
            self.model = transformers.T5ForConditionalGeneration(config)

        def forward(self, ids, targets):
            return self.model(input_ids=ids, decoder_input_ids=targets).logits

    return T5(), (torch.randint(2, 61, (2, 8)), torch.randint(2, 61, (2, 6)))


def first_result(module, inputs, **keywords):
    import torch

    class First(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = module

        def forward(self, x):
            result = self.model(x, **keywords)
            return result[0] if not isinstance(result, torch.Tensor) else result

    return First(), inputs


def whisper():
    import torch
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder
    config = WhisperConfig(d_model=32, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=48, num_mel_bins=16,
                           max_source_positions=20)
    return first_result(WhisperEncoder(config), (torch.randn(2, 16, 40),))


def vision(name, model, size=32, **config):
    import torch
    import transformers
    made = getattr(transformers, name + "Config")(**config)
    return first_result(getattr(transformers, model)(made), (torch.randn(2, 3, size, size),))


def audio(name, **config):
    import torch
    import transformers
    made = getattr(transformers, name + "Config")(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, conv_dim=(16, 16), conv_kernel=(10, 3),
        conv_stride=(5, 2), num_feat_extract_layers=2, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4, vocab_size=20, **config)
    return first_result(getattr(transformers, name + "Model")(made), (torch.randn(2, 400),))


def image(name, size=64, **more):
    import timm
    import torch
    return timm.create_model(name, pretrained=False, num_classes=7, **more), (torch.randn(2, 3, size, size),)


def own(name):
    import torch
    from torch import nn
    F = nn.functional

    class UNet(nn.Module):
        def __init__(self, bilinear):
            super().__init__()
            block = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.SiLU())
            self.a, self.b, self.c = block(3, 8), block(8, 16), block(24, 8)
            self.up = nn.Upsample(scale_factor=2, mode="bilinear") if bilinear else nn.ConvTranspose2d(16, 16, 2, 2)
            self.out = nn.Conv2d(8, 2, 1)

        def forward(self, x):
            a = self.a(x)
            b = self.b(F.max_pool2d(a, 2))
            return self.out(self.c(torch.cat([a, self.up(b)], 1)))

    class Tagger(nn.Module):
        def __init__(self, kind):
            super().__init__()
            self.table = nn.Embedding(50, 16)
            self.layer = getattr(nn, kind)(16, 12, num_layers=2, bidirectional=True, batch_first=True)
            self.out = nn.Linear(24, 5)

        def forward(self, ids):
            return self.out(self.layer(self.table(ids))[0])

    class DLRM(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = nn.ModuleList(nn.Embedding(20, 8) for _ in range(4))
            self.bottom = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU())
            self.top = nn.Sequential(nn.Linear(18, 16), nn.ReLU(), nn.Linear(16, 1))

        def forward(self, dense, ids):
            x = self.bottom(dense)
            parts = torch.stack([x] + [table(ids[:, i]) for i, table in enumerate(self.tables)], 1)
            products = torch.bmm(parts, parts.transpose(1, 2))
            rows, columns = torch.tril_indices(5, 5, -1)
            return torch.sigmoid(self.top(torch.cat([x, products[:, rows, columns]], 1)))

    class Audio(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Conv1d(1, 8, 9, 4), nn.BatchNorm1d(8), nn.ReLU(), nn.MaxPool1d(2),
                                        nn.Conv1d(8, 16, 3, padding=2, dilation=2), nn.GELU(), nn.AvgPool1d(2),
                                        nn.ConvTranspose1d(16, 8, 4, 2, 1), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(8, 4))

        def forward(self, x):
            return self.layers(x)

    class Video(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Conv3d(3, 8, 3, padding=1), nn.BatchNorm3d(8), nn.ReLU(), nn.MaxPool3d(2),
                                        nn.Conv3d(8, 12, (3, 1, 1), stride=(1, 2, 2), padding=(1, 0, 0), groups=4), nn.ReLU(),
                                        nn.AvgPool3d((2, 1, 1)), nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(12, 4))

        def forward(self, x):
            return self.layers(x)

    class GCN(nn.Module):
        """Messages along edges, summed at their ends."""

        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 3)

        def forward(self, x, edges):
            for layer in (self.a, self.b):
                x = layer(x)
                x = torch.relu(torch.zeros_like(x).index_add(0, edges[1], x[edges[0]]))
            return x

    class MoE(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = nn.Linear(16, 4, bias=False)
            self.experts = nn.ModuleList(nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 16)) for _ in range(4))

        def forward(self, x):
            weights, which = torch.topk(torch.softmax(self.gate(x), -1), 2)
            mask = F.one_hot(which, 4).to(x.dtype)
            share = (weights.unsqueeze(-1) * mask).sum(-2)
            return sum(share[..., i:i + 1] * expert(x) for i, expert in enumerate(self.experts))

    generator = lambda: nn.Sequential(
        nn.ConvTranspose2d(16, 32, 4, 1, 0, bias=False), nn.BatchNorm2d(32), nn.ReLU(), nn.ConvTranspose2d(32, 16, 4, 2, 1, bias=False),
        nn.BatchNorm2d(16), nn.ReLU(), nn.ConvTranspose2d(16, 3, 4, 2, 1, bias=False), nn.Tanh())
    discriminator = lambda: nn.Sequential(
        nn.Conv2d(3, 16, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(16, 32, 4, 2, 1), nn.BatchNorm2d(32), nn.LeakyReLU(0.2),
        nn.Conv2d(32, 1, 4), nn.Flatten(), nn.Sigmoid())
    style = lambda: nn.Sequential(nn.ReflectionPad2d(2), nn.Conv2d(3, 8, 5), nn.InstanceNorm2d(8, affine=True), nn.ReLU(),
                                  nn.Upsample(scale_factor=2), nn.ReplicationPad2d(1), nn.Conv2d(8, 3, 3), nn.PixelShuffle(1))
    ids = lambda *shape: torch.randint(0, 20, shape)
    return {
        "unet": lambda: (UNet(False), (torch.randn(2, 3, 16, 16),)),
        "unet-bilinear": lambda: (UNet(True), (torch.randn(2, 3, 16, 16),)),
        "gru-tagger": lambda: (Tagger("GRU"), (ids(2, 7),)),
        "lstm-tagger": lambda: (Tagger("LSTM"), (ids(2, 7),)),
        "rnn-tagger": lambda: (Tagger("RNN"), (ids(2, 7),)),
        "dlrm": lambda: (DLRM(), (torch.randn(3, 6), ids(3, 4))),
        "audio-1d": lambda: (Audio(), (torch.randn(2, 1, 200),)),
        "video-3d": lambda: (Video(), (torch.randn(2, 3, 8, 12, 12),)),
        "gcn": lambda: (GCN(), (torch.randn(6, 6), torch.randint(0, 6, (2, 9)))),
        "moe": lambda: (MoE(), (torch.randn(2, 5, 16),)),
        "dcgan-generator": lambda: (generator(), (torch.randn(2, 16, 1, 1),)),
        "dcgan-discriminator": lambda: (discriminator(), (torch.randn(2, 3, 16, 16),)),
        "style-transfer": lambda: (style(), (torch.randn(2, 3, 12, 12),)),
    }[name]()


NETWORKS = {
    "llama": lambda: llama_like("Llama"),
    "mistral": lambda: llama_like("Mistral"),
    "qwen2": lambda: llama_like("Qwen2"),
    "gemma2": lambda: llama_like("Gemma2", head_dim=8),
    "phi": lambda: llama_like("Phi"),
    "mixtral": lambda: llama_like("Mixtral", num_local_experts=4),
    "gpt2": lambda: language("GPT2", n_embd=32, n_layer=2, n_head=4, n_positions=32),
    "opt": lambda: language("OPT", hidden_size=32, ffn_dim=48, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=32,
                            word_embed_proj_dim=32),
    "gpt-neox": lambda: language("GPTNeoX", hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
                                 max_position_embeddings=32),
    "bloom": lambda: language("Bloom", hidden_size=32, n_layer=2, n_head=4),
    "bert": lambda: bert_like("Bert"),
    "roberta": lambda: bert_like("Roberta", pad_token_id=1),
    "electra": lambda: bert_like("Electra", embedding_size=32),
    "distilbert": lambda: encoder("DistilBert", "DistilBertModel", dim=32, hidden_dim=48, n_layers=2, n_heads=4,
                                  max_position_embeddings=32),
    "deberta-v2": lambda: bert_like("DebertaV2", relative_attention=True, pos_att_type=["p2c", "c2p"]),
    "t5": t5,
    "whisper-encoder": whisper,
    "wav2vec2": lambda: audio("Wav2Vec2"),
    "hubert": lambda: audio("Hubert"),
    "vit": lambda: vision("ViT", "ViTForImageClassification", image_size=32, patch_size=8, hidden_size=32, intermediate_size=48,
                          num_hidden_layers=2, num_attention_heads=4),
    "segformer": lambda: vision("Segformer", "SegformerForSemanticSegmentation", 64, hidden_sizes=[8, 16, 24, 32], depths=[1] * 4,
                                num_attention_heads=[1, 2, 3, 4], decoder_hidden_size=16),
    "clip-vision": lambda: vision("CLIPVision", "CLIPVisionModel", image_size=32, patch_size=8, hidden_size=32, intermediate_size=48,
                                  num_hidden_layers=2, num_attention_heads=4),
    "swin": lambda: image("swin_tiny_patch4_window7_224", 56, img_size=56, window_size=7, embed_dim=24, depths=(2, 2), num_heads=(2, 4)),
    "convnext": lambda: image("convnext_atto", 64, depths=(1, 1, 1, 1), dims=(8, 16, 24, 32)),
    "resnet": lambda: image("resnet18", 64),
    "efficientnet": lambda: image("efficientnet_lite0", 64),
    "mobilenet-v3": lambda: image("mobilenetv3_small_050", 64),
    "densenet": lambda: image("densenet121", 64, growth_rate=8, block_config=(2, 2, 2, 2), stem_type=""),
    "regnet": lambda: image("regnetx_002", 64),
    "mixer": lambda: image("mixer_s32_224", 64, img_size=64),
    "deit": lambda: image("deit_tiny_patch16_224", 64, img_size=64, depth=2, embed_dim=48),
    "coat": lambda: image("coat_lite_tiny", 64, img_size=64),
    "mobilevit": lambda: image("mobilevitv2_050", 64),
    **{name: (lambda name=name: own(name)) for name in (
        "unet", "unet-bilinear", "gru-tagger", "lstm-tagger", "rnn-tagger", "dlrm", "audio-1d", "video-3d", "gcn", "moe",
        "dcgan-generator", "dcgan-discriminator", "style-transfer")},
}
EXPORTERS = ("torchscript", "dynamo")


def export(name, exporter, path):
    import torch
    torch.manual_seed(0)
    warnings.simplefilter("ignore")
    module, inputs = NETWORKS[name]()
    # Heads that begin as zeros would hide what is in front of them.
    for parameter in module.parameters():
        if not parameter.detach().any():
            torch.nn.init.normal_(parameter, std=0.02)
    more = {"opset_version": 17, "dynamo": False} if exporter == "torchscript" else {"dynamo": True, "external_data": False}
    torch.onnx.export(module.eval(), inputs, path, **more)


def export_apart(name, exporter, path, folder):
    """In a process of its own: exporters leave state behind, and may crash. Returns the last line of an error."""
    log = os.path.join(folder, "log")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            stream = os.open(log, os.O_CREAT | os.O_WRONLY)
            os.dup2(stream, 1)
            os.dup2(stream, 2)
            export(name, exporter, path)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    end = time.monotonic() + SECONDS
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "no result after %d s" % SECONDS
        time.sleep(0.1)
    if status == 0:
        return None
    with open(log, errors="replace") as stream:
        lines = stream.read().strip().splitlines() or ["status %d" % status]
    return next((line for line in reversed(lines) if re.match(r"[\w.]*(Error|Exception)\b", line)), lines[-1])[:160]


def outcome(name, exporter, build, keep):
    """The outcome of a row, and why."""
    sys.path[:0] = [TARGET, os.path.join(TARGET, "Inputs")]
    import onnx
    import onnx_models
    import onnx_runtime_compare as compare
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(keep or folder, "%s-%s.onnx" % (name, exporter))
        if not (keep and os.path.exists(path)):
            error = export_apart(name, exporter, path, folder)
            if error:
                return "no export", error
        try:
            error = compare.check(onnx_models.Model(onnx.load(path), ["--keep-final-softmax"]), folder, build, ["soap-run"])
            return "passed", "%.1e" % error
        except Exception as wrong:  # ONNX Runtime has exceptions of its own
            text = str(wrong)
            refused = re.search(r"soap-translate exited with status 1.*?error: (.*)", text, re.S)
            if refused:
                return "refused", refused.group(1).splitlines()[0]
            return "failed", text[:300].replace("\n", " ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="", help="networks whose name contains this text")
    parser.add_argument("--exporter", choices=EXPORTERS)
    parser.add_argument("--table", action="store_true", help="print a row per network")
    parser.add_argument("--keep", help="a folder for the files, which are used again")
    options = parser.parse_args()
    # Once for all processes.
    import timm  # noqa: F401
    import torch
    import transformers  # noqa: F401
    torch.set_num_threads(1)
    build = os.path.abspath(options.build)
    rows = [(name, exporter) for name in NETWORKS if options.only in name
            for exporter in EXPORTERS if options.exporter in (None, exporter)]
    counts = {"passed": 0, "refused": 0, "failed": 0, "no export": 0}
    results = {}
    for name, exporter in rows:
        result, text = outcome(name, exporter, build, options.keep)
        counts[result] += 1
        results.setdefault(name, {})[exporter] = "equal" if result == "passed" else "%s: %s" % (result, text)
        print("%-20s %-12s %s: %s" % (name, exporter, result, text), flush=True)
    if options.table:
        for name, cells in results.items():
            print("| %s | %s |" % (name, " | ".join(cells.get(exporter, "").replace("|", "\\|") for exporter in EXPORTERS)))
    print("%d rows: %d equal, %d refused by name, %d not exported by PyTorch" % (
        len(rows), counts["passed"], counts["refused"], counts["no export"]))
    print("%d passed, %d failed" % (counts["passed"], counts["failed"]))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
