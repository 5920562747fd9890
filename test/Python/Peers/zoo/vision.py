# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images and audio: transformers by config, timm by name."""
import timm
import torch
import torch.nn.functional as F
import transformers as t

from . import Entry, classes, images, model, of_logits, tokens

VIT = dict(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, image_size=32,
           patch_size=8)


def pixels(size=32, samples=4):
    return lambda: {"pixel_values": torch.randn(samples, 3, size, size)}


def classifier(name, make, size=32):
    @model(name)
    def entry():
        return Entry(make().train(), pixels(size), classes(), of_logits)


def off(config):
    """The config without dropout of any kind."""
    for name in list(vars(config)):
        if ("drop" in name) and isinstance(getattr(config, name), float):
            setattr(config, name, 0.0)
    return config


classifier("ViT", lambda: t.ViTForImageClassification(t.ViTConfig(**VIT, num_labels=10)))
classifier("DINOv2", lambda: t.Dinov2ForImageClassification(t.Dinov2Config(**VIT, num_labels=10)))
classifier("SigLIP", lambda: t.SiglipForImageClassification(t.SiglipConfig(
    vision_config=VIT, text_config=dict(hidden_size=32, intermediate_size=48, num_hidden_layers=1,
                                        num_attention_heads=4, vocab_size=64), num_labels=10)))
classifier("Swin", lambda: t.SwinForImageClassification(off(t.SwinConfig(
    image_size=32, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4, num_labels=10))))
classifier("ConvNeXt V2", lambda: t.ConvNextV2ForImageClassification(off(t.ConvNextV2Config(
    hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 2, 1], num_labels=10))))
classifier("BEiT", lambda: t.BeitForImageClassification(off(t.BeitConfig(
    **VIT, num_labels=10, use_relative_position_bias=True))))


@model("CLIP")
def clip():
    module = t.CLIPModel(t.CLIPConfig(
        text_config=dict(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
                         vocab_size=64, max_position_embeddings=16, eos_token_id=63, projection_dim=16),
        vision_config={**VIT, "projection_dim": 16}, projection_dim=16))

    def loss(out):
        own = torch.arange(out.logits_per_text.shape[0])
        return (F.cross_entropy(out.logits_per_text, own) + F.cross_entropy(out.logits_per_image, own)) / 2

    return Entry(module.train(), lambda: {"input_ids": tokens()(), **pixels()()}, None, loss)


@model("SAM")
def sam():
    module = t.SamModel(off(t.SamConfig(
        vision_config=dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, image_size=64, patch_size=8,
                           output_channels=16, mlp_dim=48, window_size=4, global_attn_indexes=[1], num_pos_feats=8),
        prompt_encoder_config=dict(hidden_size=16, image_size=64, patch_size=8, mask_input_channels=4),
        mask_decoder_config=dict(hidden_size=16, mlp_dim=32, num_hidden_layers=1, num_attention_heads=2,
                                 iou_head_hidden_dim=16))))

    def inputs():
        return {"pixel_values": torch.randn(2, 3, 64, 64), "input_points": torch.rand(2, 1, 2, 2) * 64}

    def loss(out, labels):
        return F.mse_loss(out.pred_masks[:, 0, 0], labels) + out.iou_scores.mean()

    return Entry(module.train(), inputs, lambda: torch.rand(2, 32, 32), loss)


@model("Segformer")
def segformer():
    module = t.SegformerForSemanticSegmentation(off(t.SegformerConfig(
        hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], num_attention_heads=[1, 1, 2, 2], decoder_hidden_size=16,
        num_labels=4)))
    return Entry(module.train(), pixels(64, 2), lambda: torch.randint(0, 4, (2, 16, 16)),
                 lambda out, labels: F.cross_entropy(out.logits, labels))


@model("DETR")
def detr():
    module = t.DetrForObjectDetection(off(t.DetrConfig(
        use_timm_backbone=False, use_pretrained_backbone=False, backbone=None,
        backbone_config=t.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic",
                                       out_features=["stage2"]),
        d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4,
        encoder_ffn_dim=48, decoder_ffn_dim=48, num_queries=5, num_labels=3)))

    def loss(out, labels):
        return F.cross_entropy(out.logits.transpose(1, 2), labels) + F.l1_loss(
            out.pred_boxes, torch.full_like(out.pred_boxes, 0.3))

    return Entry(module.train(), pixels(64, 2), lambda: torch.randint(0, 4, (2, 5)), loss,
                 refused="torch.export refuses the module: GuardOnDataDependentSymNode")


@model("Whisper")
def whisper():
    module = t.WhisperForConditionalGeneration(off(t.WhisperConfig(
        vocab_size=64, num_mel_bins=8, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, max_source_positions=16,
        max_target_positions=16, pad_token_id=0, bos_token_id=1, eos_token_id=1, decoder_start_token_id=1,
        use_cache=False)))
    return Entry(module.train(), lambda: {"input_features": torch.randn(2, 8, 32), "decoder_input_ids": tokens(2)()},
                 tokens(2), of_logits)


@model("wav2vec2")
def wav2vec2():
    module = t.Wav2Vec2ForSequenceClassification(off(t.Wav2Vec2Config(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, conv_dim=[8, 8],
        conv_stride=[5, 2], conv_kernel=[10, 3], num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=4,
        classifier_proj_size=16, num_labels=10, apply_spec_augment=False, layerdrop=0.0)))
    return Entry(module.train(), lambda: {"input_values": torch.randn(2, 400)}, classes(2), of_logits)


def from_timm(name, size=64, **options):
    """Norms over a few small images amplify differences: a relative change of 1e-11 in the first gradients of
    EfficientNet changes PyTorch's own fourth loss by 4e-4 at a rate of 1e-3. So these are in double precision, in tiny
    steps. PyTorch's gradient of hardsigmoid has 1/6 in single precision."""

    @model(f"timm {name}")
    def entry():
        module = timm.create_model(name, num_classes=10, **options)
        return Entry(module.train(), images(4, size=size), classes(), of_logits, rate=1e-6, double=True)


from_timm("resnet18", 32)
from_timm("resnet50", 32)
from_timm("resnext50_32x4d", 32)
from_timm("efficientnet_b0", 32)
from_timm("mobilenetv3_small_100", 32)
from_timm("regnety_002", 32)
from_timm("densenet121", 32)
from_timm("convnext_atto", 32)
from_timm("mobilevit_xxs", 64)
# Smaller images than their names say: the same ops, of which those in double precision take minutes at 224.
from_timm("levit_128s", 64, img_size=64)
from_timm("coatnet_pico_rw_224", 64, img_size=64)
from_timm("mixer_s32_224", 64, img_size=64)
from_timm("deit_tiny_patch16_224", 32, img_size=32)
from_timm("poolformer_s12", 64)
from_timm("repvgg_a0", 32)
