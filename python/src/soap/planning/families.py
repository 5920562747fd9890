# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks from the keys of Hugging Face's `config.json`, by `model_type`.

A reader either says a model exactly - every parameter, every product - or refuses it and names what is missing. Key
names and defaults are as in the classes of `transformers`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable

from .errors import PlanError, listed
from .fields import OTHER_WAY, Fields
from .network import Network, Sizes

ROTARY_LIMIT = 1 << 17


def _positions(fields: Fields) -> tuple[int, str]:
    """The most positions of a sequence, and why."""
    positions = fields.number("max_position_embeddings")
    return min(positions, ROTARY_LIMIT), f"{positions} positions"


def _windows(fields: Fields, every: int = 0, default: int = 0) -> dict[str, int]:
    """Attention of some layers to the last positions alone, as options of the generator. `every`: each so manieth
    layer has none, where the config has no `layer_types`; `default`: the window where it has no `sliding_window`."""
    window, kinds = fields.get("sliding_window"), fields.get("layer_types")
    if window is None and ("sliding_window" in fields.config or not default):
        return {}
    layers, width = fields.number("num_hidden_layers"), fields.number("sliding_window", default or None)
    if kinds is None:
        return {"window": width, **({"full-every": every} if every else {})}
    if not isinstance(kinds, list) or len(kinds) != layers or set(kinds) - {"sliding_attention", "full_attention"}:
        raise fields.error("layer_types", f"'sliding_attention' or 'full_attention' for each of {layers} layers")
    is_full = [kind == "full_attention" for kind in kinds]
    if all(is_full):
        return {}
    first = is_full.index(True) + 1 if any(is_full) else 0
    if is_full != [bool(first) and (i + 1) % first == 0 for i in range(layers)]:
        raise PlanError(f"{fields.where}: 'layer_types': layers without windows are not every so manieth; {OTHER_WAY}")
    return {"window": width, **({"full-every": first} if first else {})}


def _rotary(fields: Fields, default: float) -> tuple[int, list[str]]:
    """The base of layers without windows, and what is assumed."""
    nested = fields.get("rope_parameters")
    if nested is not None and not isinstance(nested, dict):
        raise fields.error("rope_parameters", "an object")
    if nested and isinstance(nested.get("full_attention"), dict):
        nested = nested["full_attention"]
    scaling = fields.get("rope_scaling") or {k: v for k, v in (nested or {}).items() if k != "rope_theta"}
    base = float((nested or {}).get("rope_theta", 0)) or fields.real("rope_theta", default)
    if fields.get("partial_rotary_factor", 1.0) not in (1, 1.0):
        raise PlanError(f"{fields.where}: 'partial_rotary_factor': the generator turns whole heads; {OTHER_WAY}")
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind in (None, "default"):
        return int(base), []
    return int(base), [f"rotary frequencies are not scaled ({kind}); shapes and costs are the same"]


def _rotary_of_windows(fields: Fields, default: float) -> int:
    """The base of layers with windows, where they have one of their own."""
    nested = fields.get("rope_parameters")
    inner = nested.get("sliding_attention") if isinstance(nested, dict) else None
    own = float(inner.get("rope_theta", 0)) if isinstance(inner, dict) else 0.0
    return int(own or fields.real("rope_local_base_freq", default))


def _dropout(fields: Fields, *keys: str) -> list[str]:
    used = [key for key in keys if fields.real(key, 0.0)]
    return [f"no dropout ({', '.join(used)})"] if used else []


def _tail(fields: Fields) -> list[str]:
    unread = fields.unread()
    return [f"keys of the config that are unknown here and left out: {', '.join(unread)}"] if unread else []


def _ten_millionths(fields: Fields, epsilon: float) -> int:
    whole = round(epsilon * 1e7)
    if whole < 1 or abs(whole * 1e-7 - epsilon) > 1e-3 * epsilon:
        raise fields.error("rms_norm_eps", "a multiple of 1e-7")
    return whole


def _like_llama(fields: Fields, *, tied: bool, options: dict[str, int] | None = None, experts: int = 0,
                theta: float = 10000.0, epsilon: float = 1e-6, generator: str = "", family: str = "llama",
                activation: tuple[str, ...] = ("silu",), head: int = 0, top_k: int = 2) -> Network:  # fmt: skip
    """Llama and what differs from it by `options` of the generator. `head`, `top_k`: where the config has no
    `head_dim`, `num_experts_per_tok`; 0: heads are as wide as the model together."""
    options = dict(options or {})
    of = lambda key: options.get(key, 0)  # noqa: E731
    fields.expect("hidden_act", activation, activation[0],
                  f"the generator has {'gelu' if of('gelu') else 'SwiGLU'} alone there")  # fmt: skip
    layers, width, heads = (fields.number(key) for key in ("num_hidden_layers", "hidden_size", "num_attention_heads"))
    kv_heads = fields.number("num_key_value_heads", heads)
    if of("kv-rank"):
        head_width = of("head-width")
    else:
        if fields.config.get("head_dim") is None and not head and width % heads:
            raise fields.error("num_attention_heads", f"a divisor of hidden_size, {width}")
        head_width = fields.number("head_dim", head or width // heads)
    if heads % kv_heads:
        raise fields.error("num_key_value_heads", f"a divisor of num_attention_heads, {heads}")
    vocabulary = fields.number("vocab_size")
    is_tied = fields.flag("tie_word_embeddings", tied)
    base, assumed = _rotary(fields, theta)
    assumed += _dropout(fields, "attention_dropout", "embd_pdrop", "resid_pdrop")
    inner = fields.number("moe_intermediate_size" if experts and "moe_intermediate_size" in fields.config
                          else "intermediate_size")  # fmt: skip
    dense = of("dense-layers")
    dense_inner = fields.number("intermediate_size") if dense else 0
    longest, why = _positions(fields)
    sizes = Sizes(layers=layers, width=width, heads=heads, kv_heads=kv_heads, head_width=head_width, inner=inner,
                  vocabulary=vocabulary, tied=is_tied, qkv_bias=bool(of("qkv-bias")), qk_norm=bool(of("qk-norm")),
                  experts=experts, top_k=fields.number("num_experts_per_tok", top_k) if experts else 0,
                  norm_epsilon=fields.real("rms_norm_eps", epsilon), rope_base=base, window=of("window"),
                  full_every=of("full-every"), kv_rank=of("kv-rank"), query_rank=of("query-rank"),
                  rope_width=of("rope-width"), value_width=of("value-width"), shared_experts=of("shared-experts"),
                  dense_layers=dense, dense_inner=dense_inner)  # fmt: skip
    options |= {"layers": layers, "heads": heads, "kv-heads": kv_heads, "head-width": head_width,
                "mlp-width": dense_inner or inner, "vocabulary": vocabulary, "rope-base": base,
                "epsilon": _ten_millionths(fields, sizes.norm_epsilon)}  # fmt: skip
    if width != heads * head_width:
        options["width"] = width
    kv = kv_heads * head_width
    attention = sizes.attention_products()
    attention += sizes.query_rank + sizes.kv_rank  # norms
    attention += sizes.attention_width + 2 * kv if of("qkv-bias") else 0
    attention += width if of("output-bias") else 0
    attention += 2 * head_width if of("qk-norm") else 0
    attention += heads if of("sinks") else 0
    fed = 3 * width * inner
    if experts:
        biases = experts * (2 * inner + width + 1) if of("expert-bias") else 0
        fed = (experts + sizes.shared_experts) * fed + width * experts + biases
        options |= {"experts": experts, "top-k": sizes.top_k, "capacity": 100}
        if generator == "deepseek":
            options["expert-width"] = inner
        if "balance" not in options:
            options["balance"] = round(1e4 * fields.real("router_aux_loss_coef", 0.001))
        assumed.append("experts are evenly loaded: each has places for its share of the tokens of a sample")
    if is_tied:
        options["tied"] = 1
    norms = (4 if of("post-norms") else 2) * width
    parameters = vocabulary * width * (1 if is_tied else 2) + width + layers * (attention + norms)
    parameters += (layers - dense) * fed + dense * 3 * width * dense_inner
    return Network(name=fields.where, family=family, generator=generator or ("mixtral" if experts else "llama"),
                   options=options, sizes=sizes, parameters=parameters, max_length=longest, why_max=why,
                   assumed=assumed + _tail(fields))  # fmt: skip


def _llama(fields: Fields) -> Network:
    for key in ("attention_bias", "mlp_bias"):
        fields.expect(key, (False,), False, "the generator has no bias there")
    return _like_llama(fields, tied=False)


def _mistral(fields: Fields) -> Network:
    return _like_llama(fields, tied=False, options=_windows(fields, default=4096))


def _qwen_windows(fields: Fields) -> dict[str, int]:
    """Layers from `max_window_layers` on have windows, the first ones none."""
    if not fields.flag("use_sliding_window", False) or fields.get("sliding_window") is None:
        return {}
    layers, full = fields.number("num_hidden_layers"), fields.get("max_window_layers", 28)
    if fields.get("layer_types") is not None:
        return _windows(fields)
    if full >= layers:
        return {}
    if full:
        raise PlanError(f"{fields.where}: 'max_window_layers': the generator has no first layers without windows; "
                        f"{OTHER_WAY}")  # fmt: skip
    return _windows(fields)


def _qwen2(fields: Fields) -> Network:
    return _like_llama(fields, tied=False, options={"qkv-bias": 1, **_qwen_windows(fields)})


def _qwen3(fields: Fields) -> Network:
    fields.expect(
        "attention_bias", (False,), False, "the generator has a bias or norms of heads, with none on the output"
    )
    return _like_llama(fields, tied=False, options={"qk-norm": 1, **_qwen_windows(fields)})


def _phi3(fields: Fields) -> Network:
    return _like_llama(fields, tied=False, options=_windows(fields), epsilon=1e-5)


def _mixtral(fields: Fields) -> Network:
    return _like_llama(fields, tied=False, options=_windows(fields), experts=fields.number("num_local_experts", 8),
                       theta=1e6, epsilon=1e-5)  # fmt: skip


def _qwen3_moe(fields: Fields) -> Network:
    fields.expect("attention_bias", (False,), False, "the generator has no bias there")
    fields.expect("decoder_sparse_step", (1,), 1, "the generator has experts in every layer")
    fields.expect("mlp_only_layers", ([],), [], "the generator has experts in every layer")
    gates = {} if fields.flag("norm_topk_prob", False) else {"gates": 0}
    fields.number("intermediate_size", 1)  # of layers without experts: there are none
    return _like_llama(fields, tied=False, options={"qk-norm": 1, **gates, **_qwen_windows(fields)},
                       experts=fields.number("num_experts"))  # fmt: skip


TANH_GELU = ("gelu_pytorch_tanh", "gelu")
AROUND_ONE = "weights of norms are 1 + w in transformers, and w here: the shapes and costs are the same"


def _gemma_fields(fields: Fields, **options: int) -> dict[str, int]:
    """Options of all Gemmas. Their configs say the activation twice."""
    fields.expect("attention_bias", (False,), False, "the generator has no bias there")
    fields.expect("hidden_activation", TANH_GELU, "gelu_pytorch_tanh", "the generator has gated gelu there")
    return {"gelu": 1, "scale-embedding": 1, **options}


def _cap(fields: Fields, key: str, default: float | None) -> int:
    value = fields.get(key) if key in fields.config else default
    if value is None:
        return 0
    if fields.real(key, default or 0) != int(value):
        raise PlanError(f"{fields.where}: '{key}': the generator has caps of whole numbers; {OTHER_WAY}")
    return int(value)


def _gemma_network(fields: Fields, options: dict[str, int], family: str, theta: float = 10000.0) -> Network:
    network = _like_llama(fields, tied=True, options={key: value for key, value in options.items() if value},
                          activation=TANH_GELU, family=family, theta=theta, head=256)  # fmt: skip
    network.assumed.append(AROUND_ONE)
    return network


def _gemma(fields: Fields) -> Network:
    return _gemma_network(fields, _gemma_fields(fields), "gemma")


def _gemma2(fields: Fields) -> Network:
    return _gemma_network(fields, _gemma_fields(
        fields, **{"post-norms": 1, "query-scale": fields.number("query_pre_attn_scalar", 256),
                   "attention-cap": _cap(fields, "attn_logit_softcapping", 50.0),
                   "logit-cap": _cap(fields, "final_logit_softcapping", 30.0)}, **_windows(fields, every=2, default=4096)), "gemma2")  # fmt: skip


def _gemma3(fields: Fields) -> Network:
    if "text_config" in fields.config or "vision_config" in fields.config:
        raise PlanError(f"{fields.where}: 'vision_config': the generators have no images beside text; expected the "
                        "'text_config' in it alone, of family 'gemma3_text'")  # fmt: skip
    fields.expect("use_bidirectional_attention", (False,), False, "the generator's attention is causal")
    every = fields.number("sliding_window_pattern", 6)
    windows = _windows(fields, every=every, default=4096)
    if windows:
        windows["window-rope-base"] = _rotary_of_windows(fields, 10000.0)
    return _gemma_network(fields, _gemma_fields(
        fields, **{"post-norms": 1, "qk-norm": 1, "query-scale": fields.number("query_pre_attn_scalar", 256),
                   "attention-cap": _cap(fields, "attn_logit_softcapping", None),
                   "logit-cap": _cap(fields, "final_logit_softcapping", None)}, **windows), "gemma3_text",
        theta=1e6)  # fmt: skip


def _gpt_oss(fields: Fields) -> Network:
    fields.expect("attention_bias", (True,), True, "layers around attention have biases in this family")
    fields.expect("swiglu_alpha", (1.702,), 1.702, "the generator's sigmoid has this factor")
    limit = _cap(fields, "swiglu_limit", 7.0)
    for key in ("initial_context_length", "experts_per_token"):
        fields.get(key)
    fields.get("quantization_config")
    # Transformers adds the balance loss where `output_router_logits` is true.
    balance = round(1e4 * fields.real("router_aux_loss_coef", 0.9)) if fields.get("output_router_logits") else 0
    fields.get("router_aux_loss_coef")
    return _like_llama(fields, tied=False, experts=fields.number("num_local_experts"), theta=150000.0, epsilon=1e-5,
                       options={"qkv-bias": 1, "output-bias": 1, "sinks": 1, "expert-bias": 1, "gate-limit": limit,
                                "balance": balance, **_windows(fields, every=2, default=128)}, family="gpt_oss",
                       head=64, top_k=4)  # fmt: skip


def _deepseek(fields: Fields, family: str, is_v3: bool) -> Network:
    fields.expect("attention_bias", (False,), False, "the generator has no bias there")
    fields.expect("moe_layer_freq", (1,), 1, "the generator has experts in every layer after the first ones")
    scoring = fields.expect("scoring_func", ("sigmoid",) if is_v3 else ("softmax",), "sigmoid" if is_v3 else "softmax",
                            "the generator's gates of this family are others")  # fmt: skip
    fields.expect("norm_topk_prob", (is_v3,), is_v3, "the generator's gates of this family are others")
    fields.expect("topk_method", ("noaux_tc",) if is_v3 else ("greedy", "group_limited_greedy"),
                  "noaux_tc" if is_v3 else "greedy", "the router chooses in another way")  # fmt: skip
    straight, turned = fields.number("qk_nope_head_dim", 128), fields.number("qk_rope_head_dim", 64)
    query_rank = fields.get("q_lora_rank") if "q_lora_rank" in fields.config else 1536
    if "moe_intermediate_size" not in fields.config:
        raise fields.error("moe_intermediate_size", "the width inside of an expert")
    scale = fields.real("routed_scaling_factor", 2.5 if is_v3 else 1.0)
    balance = round(1e4 * fields.real("aux_loss_alpha", 0.0001 if is_v3 else 0.001))
    shared = fields.get("n_shared_experts") if "n_shared_experts" in fields.config else 1 if is_v3 else 2
    shared = fields.number("n_shared_experts", shared) if shared else 0
    groups, further = fields.get("n_group", 8 if is_v3 else 1), fields.get("num_nextn_predict_layers", 0)
    limited = fields.get("topk_group", 4 if is_v3 else 1)
    for key in ("head_dim", "qk_head_dim", "ep_size", "seq_aux", "quantization_config", "rope_interleave"):
        fields.get(key)
    options = {"kv-rank": fields.number("kv_lora_rank", 512), "query-rank": fields.number("q_lora_rank", 1536) if query_rank else 0,
               "head-width": straight + turned, "rope-width": turned, "value-width": fields.number("v_head_dim", 128),
               "dense-layers": int(fields.get("first_k_dense_replace", 3 if is_v3 else 0)),
               "shared-experts": shared,
               "gates": 2 if scoring == "sigmoid" else 0, "gate-scale": round(1000 * scale), "balance": balance}  # fmt: skip
    network = _like_llama(fields, tied=False, experts=fields.number("n_routed_experts"), options=options,
                          generator="deepseek", family=family, top_k=8 if is_v3 else 0)  # fmt: skip
    if groups and groups > 1:
        sizes = replace(network.sizes, expert_groups=int(groups), token_groups=int(limited))
        network = replace(network, sizes=sizes)
        network.assumed.append(f"experts are chosen among all; the router looks at {limited} of {groups} groups")
    if is_v3:
        network.assumed.append("no biases that choose experts: they are no parameters, and balance loads")
    if further:
        network.assumed.append(f"no prediction of further tokens (num_nextn_predict_layers: {further}), as transformers")
    return network


def _deepseek_v2(fields: Fields) -> Network:
    return _deepseek(fields, "deepseek_v2", is_v3=False)


def _deepseek_v3(fields: Fields) -> Network:
    return _deepseek(fields, "deepseek_v3", is_v3=True)


def _gpt2(fields: Fields) -> Network:
    fields.expect("activation_function", ("gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh"), "gelu_new",
                  "the generator has gelu")  # fmt: skip
    fields.expect("add_cross_attention", (False,), False, "the generator has no second sequence")
    layers, width, heads, positions = (fields.number(key) for key in ("n_layer", "n_embd", "n_head", "n_positions"))
    vocabulary = fields.number("vocab_size")
    if width % heads:
        raise fields.error("n_head", f"a divisor of n_embd, {width}")
    if fields.number("n_inner", 4 * width) != 4 * width:
        raise PlanError(
            f"{fields.where}: 'n_inner': feed-forward layers of the generator are 4 x n_embd wide; {OTHER_WAY}"
        )
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
    fields.expect("position_embedding_type", ("absolute",), "absolute", "the generator adds learned positions")
    fields.expect("is_decoder", (False,), False, "the generator's attention looks at all positions")
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
    inner, image, patch = (
        fields.number("intermediate_size"),
        fields.number("image_size", 224),
        fields.number("patch_size", 16),
    )
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
    "deepseek_v2": _deepseek_v2,
    "deepseek_v3": _deepseek_v3,
    "gemma": _gemma,
    "gemma2": _gemma2,
    "gemma3_text": _gemma3,
    "gpt2": _gpt2,
    "gpt_oss": _gpt_oss,
    "kimi_k2": _deepseek_v3,
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
    "gemma3": "images beside text (its 'text_config' alone is of family 'gemma3_text')",
    "mimo": "prediction of several tokens",
    "phi": "attention and feed-forward layer side by side, rotation of a part of each head",
    "qwen2_moe": "a gate of the shared expert",
    "siglip": "a loss over pairs of images and texts",
    "whisper": "an encoder and a decoder with attention between them",
}


def refusal(config: dict[str, Any], where: str) -> str:
    """Why no generator says a family."""
    family = config.get("model_type")
    known = listed(sorted(READERS))
    if family in MISSING:
        return (f"{where}: Soap's generators cannot say family '{family}': they lack {MISSING[family]}. "
                f"Expected {known}; or the model as a program (model.onnx, step.mlir, soap.from_torch)")  # fmt: skip
    what = "has no 'model_type'" if family is None else f"unknown family '{family}'"
    return (f"{where}: {what}; expected {known}; or the model as a program (model.onnx, step.mlir, "
            "soap.from_torch)")  # fmt: skip


def read_config(config: Any, where: str) -> Network:
    """The network of a parsed `config.json`."""
    if not isinstance(config, dict):
        raise PlanError(f"{where}: expected an object with a 'model_type', as Hugging Face's config.json")
    family = config.get("model_type")
    if family not in READERS:
        raise PlanError(refusal(config, where))
    return READERS[family](Fields(config, where))
