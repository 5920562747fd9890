# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks from the keys of Hugging Face's `config.json`, by `model_type`.

A reader either says a model exactly - every parameter, every product - or refuses it and names what is missing. Key
names and defaults are as in the classes of `transformers`."""

from __future__ import annotations

from typing import Any, Callable

from .errors import PlanError, listed
from .fields import OTHER_WAY, Fields
from .network import Network, Sizes

ROTARY_LIMIT = 1 << 17


def _window(fields: Fields, key: str = "sliding_window", uses: bool = True) -> tuple[int, str]:
    """The most positions without windows of attention, which no generator has."""
    positions = fields.number("max_position_embeddings")
    kinds = fields.get("layer_types")
    window = fields.get(key)
    is_windowed = window is not None and uses and (kinds is None or any(kind != "full_attention" for kind in kinds))
    if is_windowed and fields.number(key) < positions:
        return fields.number(key), f"attention in windows of {fields.number(key)} positions, which Soap's generators lack"
    return min(positions, ROTARY_LIMIT), f"{positions} positions"


def _rotary(fields: Fields, default: float) -> tuple[int, list[str]]:
    nested = fields.get("rope_parameters")
    if nested is not None and not isinstance(nested, dict):
        raise fields.error("rope_parameters", "an object")
    scaling = fields.get("rope_scaling") or {k: v for k, v in (nested or {}).items() if k != "rope_theta"}
    base = float((nested or {}).get("rope_theta", 0)) or fields.real("rope_theta", default)
    if fields.get("partial_rotary_factor", 1.0) not in (1, 1.0):
        raise PlanError(f"{fields.where}: 'partial_rotary_factor': the generator turns whole heads; {OTHER_WAY}")
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind in (None, "default"):
        return int(base), []
    return int(base), [f"rotary frequencies are not scaled ({kind}); shapes and costs are the same"]


def _dropout(fields: Fields, *keys: str) -> list[str]:
    used = [key for key in keys if fields.real(key, 0.0)]
    return [f"no dropout ({', '.join(used)})"] if used else []


def _tail(fields: Fields) -> list[str]:
    unread = fields.unread()
    return [f"keys of the config that say nothing here: {', '.join(unread)}"] if unread else []


def _like_llama(fields: Fields, *, tied: bool, qkv_bias: bool = False, qk_norm: bool = False, experts: int = 0,
                uses_window: bool = True, window: str = "sliding_window", theta: float = 10000.0,
                epsilon: float = 1e-6) -> Network:  # fmt: skip
    """Llama and what differs from it by options of the generator."""
    fields.expect("hidden_act", ("silu",), "silu", "the generator has SwiGLU alone")
    layers, width, heads = (fields.number(key) for key in ("num_hidden_layers", "hidden_size", "num_attention_heads"))
    kv_heads = fields.number("num_key_value_heads", heads)
    if "head_dim" not in fields.config or fields.config["head_dim"] is None:
        if width % heads:
            raise fields.error("num_attention_heads", f"a divisor of hidden_size, {width}")
    head_width = fields.number("head_dim", width // heads)
    if heads % kv_heads:
        raise fields.error("num_key_value_heads", f"a divisor of num_attention_heads, {heads}")
    vocabulary = fields.number("vocab_size")
    is_tied = fields.flag("tie_word_embeddings", tied)
    base, assumed = _rotary(fields, theta)
    assumed += _dropout(fields, "attention_dropout", "embd_pdrop", "resid_pdrop")
    inner = fields.number("moe_intermediate_size" if experts and "moe_intermediate_size" in fields.config
                          else "intermediate_size")  # fmt: skip
    longest, why = _window(fields, window, uses_window)
    sizes = Sizes(layers=layers, width=width, heads=heads, kv_heads=kv_heads, head_width=head_width, inner=inner,
                  vocabulary=vocabulary, tied=is_tied, qkv_bias=qkv_bias, qk_norm=qk_norm, experts=experts,
                  top_k=fields.number("num_experts_per_tok", 2) if experts else 0,
                  norm_epsilon=fields.real("rms_norm_eps", epsilon), rope_base=base)  # fmt: skip
    options = {"layers": layers, "heads": heads, "kv-heads": kv_heads, "head-width": head_width, "mlp-width": inner,
               "vocabulary": vocabulary, "rope-base": base}  # fmt: skip
    if width != heads * head_width:
        options["width"] = width
    if qkv_bias:
        options["qkv-bias"] = 1
    if qk_norm:
        options["qk-norm"] = 1
    kv = kv_heads * head_width
    attention = width * (2 * sizes.attention_width + 2 * kv)
    attention += sizes.attention_width + 2 * kv if qkv_bias else 0
    attention += 2 * head_width if qk_norm else 0
    fed = 3 * width * inner
    if experts:
        if is_tied:
            raise PlanError(f"{fields.where}: 'tie_word_embeddings': mixtures have a head of their own; {OTHER_WAY}")
        fed = experts * fed + width * experts
        options |= {"experts": experts, "top-k": sizes.top_k, "capacity": 100,
                    "balance": round(1e4 * fields.real("router_aux_loss_coef", 0.001))}  # fmt: skip
        assumed.append("experts are evenly loaded: each has places for its share of the tokens of a sample")
    elif is_tied:
        options["tied"] = 1
    parameters = vocabulary * width * (1 if is_tied else 2) + width + layers * (attention + fed + 2 * width)
    return Network(name=fields.where, family="llama", generator="mixtral" if experts else "llama", options=options,
                   sizes=sizes, parameters=parameters, max_length=longest, why_max=why,
                   assumed=assumed + _tail(fields))  # fmt: skip


def _llama(fields: Fields) -> Network:
    for key in ("attention_bias", "mlp_bias"):
        fields.expect(key, (False,), False, "the generator has no bias there")
    return _like_llama(fields, tied=False)


def _mistral(fields: Fields) -> Network:
    return _like_llama(fields, tied=False)


def _qwen2(fields: Fields) -> Network:
    return _like_llama(fields, tied=False, qkv_bias=True, uses_window=fields.flag("use_sliding_window", False))


def _qwen3(fields: Fields) -> Network:
    fields.expect("attention_bias", (False,), False, "the generator has a bias or norms of heads, with none on the output")
    return _like_llama(fields, tied=False, qk_norm=True, uses_window=fields.flag("use_sliding_window", False))


def _phi3(fields: Fields) -> Network:
    return _like_llama(fields, tied=False, epsilon=1e-5)


def _mixtral(fields: Fields) -> Network:
    return _like_llama(fields, tied=False, experts=fields.number("num_local_experts", 8), theta=1e6, epsilon=1e-5)


def _qwen3_moe(fields: Fields) -> Network:
    fields.expect("attention_bias", (False,), False, "the generator has no bias there")
    fields.expect("decoder_sparse_step", (1,), 1, "the generator has experts in every layer")
    fields.expect("mlp_only_layers", ([],), [], "the generator has experts in every layer")
    fields.expect("norm_topk_prob", (True,), False, "the generator's gates sum to one")
    fields.number("intermediate_size", 1)  # of layers without experts: there are none
    return _like_llama(fields, tied=False, qk_norm=True, experts=fields.number("num_experts"),
                       uses_window=fields.flag("use_sliding_window", False))  # fmt: skip


def _gpt2(fields: Fields) -> Network:
    fields.expect("activation_function", ("gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh"), "gelu_new",
                  "the generator has gelu")  # fmt: skip
    fields.expect("add_cross_attention", (False,), False, "the generator has no second sequence")
    layers, width, heads, positions = (fields.number(key) for key in ("n_layer", "n_embd", "n_head", "n_positions"))
    vocabulary = fields.number("vocab_size")
    if width % heads:
        raise fields.error("n_head", f"a divisor of n_embd, {width}")
    if fields.number("n_inner", 4 * width) != 4 * width:
        raise PlanError(f"{fields.where}: 'n_inner': feed-forward layers of the generator are 4 x n_embd wide; {OTHER_WAY}")
    tied = fields.flag("tie_word_embeddings", True)
    sizes = Sizes(layers=layers, width=width, heads=heads, kv_heads=heads, head_width=width // heads, inner=4 * width,
                  vocabulary=vocabulary, gated=False, tied=tied, qkv_bias=True,
                  norm_epsilon=fields.real("layer_norm_epsilon", 1e-5))  # fmt: skip
    options = {"layers": layers, "heads": heads, "head-width": width // heads, "vocabulary": vocabulary,
               "positions": positions, "tied": int(tied)}  # fmt: skip
    parameters = vocabulary * width * (1 if tied else 2) + positions * width + 2 * width
    parameters += layers * _block_with_biases(width, 4 * width)
    return Network(name=fields.where, family="gpt2", generator="gpt", options=options, sizes=sizes,
                   parameters=parameters, max_length=positions, why_max=f"{positions} learned positions",
                   assumed=_dropout(fields, "attn_pdrop", "embd_pdrop", "resid_pdrop") + _tail(fields))  # fmt: skip


def _block_with_biases(width: int, inner: int) -> int:
    """Four products of attention, two of the feed-forward layer, two layer norms."""
    return 4 * (width * width + width) + 2 * width * inner + inner + width + 4 * width


def _bert(fields: Fields) -> Network:
    fields.expect("hidden_act", ("gelu", "gelu_new"), "gelu", "the generator has gelu")
    layers, width, heads = (fields.number(key) for key in ("num_hidden_layers", "hidden_size", "num_attention_heads"))
    positions, vocabulary = fields.number("max_position_embeddings", 512), fields.number("vocab_size")
    inner, segments = fields.number("intermediate_size", 4 * width), fields.number("type_vocab_size", 2)
    if width % heads:
        raise fields.error("num_attention_heads", f"a divisor of hidden_size, {width}")
    if inner != 4 * width:
        raise PlanError(f"{fields.where}: 'intermediate_size': feed-forward layers of the generator are 4 x hidden_size "
                        f"wide; {OTHER_WAY}")  # fmt: skip
    tied = fields.flag("tie_word_embeddings", True)
    sizes = Sizes(layers=layers, width=width, heads=heads, kv_heads=heads, head_width=width // heads, inner=inner,
                  vocabulary=vocabulary, gated=False, causal=False, tied=tied, qkv_bias=True,
                  norm_epsilon=fields.real("layer_norm_eps", 1e-12))  # fmt: skip
    options = {"layers": layers, "heads": heads, "head-width": width // heads, "vocabulary": vocabulary,
               "positions": positions, "segments": segments, "tied": int(tied)}  # fmt: skip
    parameters = vocabulary * width * (1 if tied else 2) + (positions + segments) * width + 2 * width
    parameters += layers * _block_with_biases(width, inner) + width * width + 3 * width + vocabulary
    assumed = ["the masked language model (BertForMaskedLM): no pooler", "all tokens are of the first segment",
               "a loss at every position"]  # fmt: skip
    assumed += _dropout(fields, "attention_probs_dropout_prob", "hidden_dropout_prob")
    return Network(name=fields.where, family="bert", generator="bert", options=options, sizes=sizes,
                   parameters=parameters, max_length=positions, why_max=f"{positions} learned positions",
                   other_products=width * width, assumed=assumed + _tail(fields))  # fmt: skip


def _vit(fields: Fields) -> Network:
    fields.expect("hidden_act", ("gelu", "gelu_new", "gelu_fast"), "gelu", "the generator has gelu")
    fields.expect("num_channels", (3,), 3, "the generator has 3 channels")
    fields.expect("qkv_bias", (True,), True, "the generator has these biases")
    layers, width, heads = (fields.number(key) for key in ("num_hidden_layers", "hidden_size", "num_attention_heads"))
    inner, image, patch = fields.number("intermediate_size"), fields.number("image_size", 224), fields.number("patch_size", 16)
    if width % heads:
        raise fields.error("num_attention_heads", f"a divisor of hidden_size, {width}")
    if image % patch:
        raise fields.error("patch_size", f"a divisor of image_size, {image}")
    labels = fields.get("id2label")
    classes = fields.number("num_labels", len(labels) if isinstance(labels, dict) and labels else 1000)
    patches = (image // patch) ** 2
    sizes = Sizes(layers=layers, width=width, heads=heads, kv_heads=heads, head_width=width // heads, inner=inner,
                  vocabulary=classes, gated=False, causal=False, qkv_bias=True,
                  norm_epsilon=fields.real("layer_norm_eps", 1e-12))  # fmt: skip
    options = {"image": image, "patch": patch, "layers": layers, "heads": heads, "head-width": width // heads,
               "mlp-width": inner, "classes": classes}  # fmt: skip
    parameters = 3 * patch * patch * width + width + width + (patches + 1) * width + 2 * width
    parameters += layers * _block_with_biases(width, inner) + width * classes + classes
    assumed = [f"a head of {classes} classes on the class token (ViTForImageClassification)"]
    assumed += _dropout(fields, "attention_probs_dropout_prob", "hidden_dropout_prob")
    return Network(name=fields.where, family="vit", generator="vit", options=options, sizes=sizes,
                   parameters=parameters, max_length=patches + 1, why_max=f"{patches + 1} positions",
                   fixed_length=patches + 1, rare_products=(width * classes + 3 * patch * patch * width * patches, 1),
                   assumed=assumed + _tail(fields))  # fmt: skip


READERS: dict[str, Callable[[Fields], Network]] = {
    "bert": _bert,
    "gpt2": _gpt2,
    "llama": _llama,
    "mistral": _mistral,
    "mixtral": _mixtral,
    "phi3": _phi3,
    "qwen2": _qwen2,
    "qwen3": _qwen3,
    "qwen3_moe": _qwen3_moe,
    "vit": _vit,
}

#: Families that no generator says, and what is missing.
MISSING = {
    "deepseek_v2": "attention with latent keys and values (MLA)",
    "deepseek_v3": "attention with latent keys and values (MLA), gates by sigmoid, prediction of several tokens",
    "gemma": "norms with weights around 1, feed-forward layers of gated gelu",
    "gemma2": "norms behind each half, caps of logits, windows of attention, gated gelu",
    "gemma3": "norms behind each half, windows of attention, gated gelu",
    "gemma3_text": "norms behind each half, windows of attention, gated gelu",
    "gpt_oss": "windows of attention, sinks, biases of experts, clamped SwiGLU",
    "mimo": "prediction of several tokens",
    "phi": "attention and feed-forward layer side by side, rotation of a part of each head",
    "qwen2_moe": "a gate of the shared expert",
    "siglip": "a loss over pairs of images and texts",
    "whisper": "an encoder and a decoder with attention between them",
}


def read_config(config: Any, where: str) -> Network:
    """The network of a parsed `config.json`."""
    if not isinstance(config, dict):
        raise PlanError(f"{where}: expected an object with a 'model_type', as Hugging Face's config.json")
    family = config.get("model_type")
    known = listed(sorted(READERS))
    if family in MISSING:
        raise PlanError(f"{where}: Soap's generators cannot say family '{family}': they lack {MISSING[family]}. "
                        f"Expected {known}; or the model as a program (model.onnx, step.mlir, soap.from_torch)")  # fmt: skip
    if family not in READERS:
        what = "has no 'model_type'" if family is None else f"unknown family '{family}'"
        raise PlanError(f"{where}: {what}; expected {known}; or the model as a program (model.onnx, step.mlir, "
                        "soap.from_torch)")  # fmt: skip
    return READERS[family](Fields(config, where))
