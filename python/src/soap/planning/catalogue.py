# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks by name: sizes of published configs, in the keys of `config.json`."""

from __future__ import annotations

from typing import Any


def _llama(layers: int, width: int, heads: int, kv_heads: int, inner: int, vocabulary: int = 128256,
           positions: int = 8192, theta: float = 500000.0, **others: Any) -> dict[str, Any]:  # fmt: skip
    return {"model_type": "llama", "num_hidden_layers": layers, "hidden_size": width, "num_attention_heads": heads,
            "num_key_value_heads": kv_heads, "intermediate_size": inner, "vocab_size": vocabulary,
            "max_position_embeddings": positions, "rope_theta": theta, "rms_norm_eps": 1e-5, **others}  # fmt: skip


def _llama2(layers: int, width: int, heads: int, kv_heads: int, inner: int) -> dict[str, Any]:
    return _llama(layers, width, heads, kv_heads, inner, vocabulary=32000, positions=4096, theta=10000.0)


def _gpt2(layers: int, width: int, heads: int) -> dict[str, Any]:
    return {"model_type": "gpt2", "n_layer": layers, "n_embd": width, "n_head": heads, "n_positions": 1024,
            "vocab_size": 50257}  # fmt: skip


def _gpt3(layers: int, width: int, heads: int) -> dict[str, Any]:
    return {**_gpt2(layers, width, heads), "n_positions": 2048}


def _qwen(kind: str, layers: int, width: int, heads: int, kv_heads: int, inner: int, **others: Any) -> dict[str, Any]:
    return {"model_type": kind, "num_hidden_layers": layers, "hidden_size": width, "num_attention_heads": heads,
            "num_key_value_heads": kv_heads, "intermediate_size": inner, "max_position_embeddings": 32768,
            "rope_theta": 1e6, "rms_norm_eps": 1e-6, "tie_word_embeddings": False, **others}  # fmt: skip


def _qwen3(layers: int, width: int, heads: int, inner: int, **others: Any) -> dict[str, Any]:
    return _qwen("qwen3", layers, width, heads, 8, inner, vocab_size=151936, head_dim=128, **others)


def _mixtral(
    layers: int, width: int, heads: int, inner: int, vocabulary: int, positions: int, balance: float
) -> dict[str, Any]:
    return {"model_type": "mixtral", "num_hidden_layers": layers, "hidden_size": width, "num_attention_heads": heads,
            "num_key_value_heads": 8, "intermediate_size": inner, "vocab_size": vocabulary, "rms_norm_eps": 1e-5,
            "max_position_embeddings": positions, "num_local_experts": 8, "num_experts_per_tok": 2, "rope_theta": 1e6,
            "router_aux_loss_coef": balance}  # fmt: skip


def _vit(patch: int, layers: int, width: int, heads: int, inner: int) -> dict[str, Any]:
    return {"model_type": "vit", "image_size": 224, "patch_size": patch, "num_hidden_layers": layers,
            "hidden_size": width, "num_attention_heads": heads, "intermediate_size": inner}  # fmt: skip


def _bert(layers: int, width: int, heads: int) -> dict[str, Any]:
    return {"model_type": "bert", "num_hidden_layers": layers, "hidden_size": width, "num_attention_heads": heads,
            "intermediate_size": 4 * width, "max_position_embeddings": 512, "type_vocab_size": 2,
            "vocab_size": 30522}  # fmt: skip


def _gemma(kind: str, layers: int, width: int, heads: int, kv_heads: int, inner: int, head_width: int, vocabulary: int,
           window: int, scalar: int, **others: Any) -> dict[str, Any]:  # fmt: skip
    return {"model_type": kind, "num_hidden_layers": layers, "hidden_size": width, "num_attention_heads": heads,
            "num_key_value_heads": kv_heads, "intermediate_size": inner, "head_dim": head_width, "vocab_size": vocabulary,
            "sliding_window": window, "query_pre_attn_scalar": scalar, "max_position_embeddings": 8192,
            "hidden_activation": "gelu_pytorch_tanh", "rms_norm_eps": 1e-6, **others}  # fmt: skip


def _gemma2(layers: int, width: int, heads: int, kv_heads: int, inner: int, head_width: int, scalar: int) -> dict[str, Any]:
    return _gemma("gemma2", layers, width, heads, kv_heads, inner, head_width, 256000, 4096, scalar,
                  attn_logit_softcapping=50.0, final_logit_softcapping=30.0)  # fmt: skip


def _gpt_oss(layers: int, experts: int) -> dict[str, Any]:
    return {"model_type": "gpt_oss", "num_hidden_layers": layers, "hidden_size": 2880, "num_attention_heads": 64,
            "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2880, "vocab_size": 201088,
            "sliding_window": 128, "num_local_experts": experts, "num_experts_per_tok": 4, "rope_theta": 150000,
            "rms_norm_eps": 1e-5, "swiglu_limit": 7.0, "max_position_embeddings": 131072, "attention_bias": True}  # fmt: skip


def _deepseek(kind: str, layers: int, width: int, heads: int, inner: int, expert: int, experts: int, shared: int,
              top_k: int, vocabulary: int, **others: Any) -> dict[str, Any]:  # fmt: skip
    return {"model_type": kind, "num_hidden_layers": layers, "hidden_size": width, "num_attention_heads": heads,
            "num_key_value_heads": heads, "intermediate_size": inner, "moe_intermediate_size": expert,
            "n_routed_experts": experts, "n_shared_experts": shared, "num_experts_per_tok": top_k,
            "vocab_size": vocabulary, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64, "v_head_dim": 128, "first_k_dense_replace": 1, "rope_theta": 10000,
            "rms_norm_eps": 1e-6, "max_position_embeddings": 163840, **others}  # fmt: skip


CATALOGUE: dict[str, dict[str, Any]] = {
    "bert-base": _bert(12, 768, 12),
    "bert-large": _bert(24, 1024, 16),
    "deepseek-v2-lite": _deepseek("deepseek_v2", 27, 2048, 16, 10944, 1408, 64, 2, 6, 102400, q_lora_rank=None),
    "deepseek-v2": _deepseek("deepseek_v2", 60, 5120, 128, 12288, 1536, 160, 2, 6, 102400, n_group=8, topk_group=3,
                             topk_method="group_limited_greedy", routed_scaling_factor=16.0),
    "deepseek-v3": _deepseek("deepseek_v3", 61, 7168, 128, 18432, 2048, 256, 1, 8, 129280, n_group=8, topk_group=4,
                             first_k_dense_replace=3, routed_scaling_factor=2.5, num_nextn_predict_layers=1,
                             norm_topk_prob=True),
    "gemma-2-2b": _gemma2(26, 2304, 8, 4, 9216, 256, 256),
    "gemma-2-9b": _gemma2(42, 3584, 16, 8, 14336, 256, 256),
    "gemma-2-27b": _gemma2(46, 4608, 32, 16, 36864, 128, 144),
    "gemma-3-1b": _gemma("gemma3_text", 26, 1152, 4, 1, 6912, 256, 262144, 512, 256, max_position_embeddings=32768,
                         rope_theta=1e6, rope_local_base_freq=10000.0),
    "gpt-oss-20b": _gpt_oss(24, 32),
    "gpt-oss-120b": _gpt_oss(36, 128),
    "gpt2": _gpt2(12, 768, 12),
    "gpt2-medium": _gpt2(24, 1024, 16),
    "gpt2-large": _gpt2(36, 1280, 20),
    "gpt2-xl": _gpt2(48, 1600, 25),
    "gpt3-1.3b": _gpt3(24, 2048, 16),
    "gpt3-2.7b": _gpt3(32, 2560, 32),
    "gpt3-6.7b": _gpt3(32, 4096, 32),
    "gpt3-13b": _gpt3(40, 5120, 40),
    "gpt3-175b": _gpt3(96, 12288, 96),
    "kimi-k2": _deepseek("kimi_k2", 61, 7168, 64, 18432, 2048, 384, 1, 8, 163840, rope_theta=50000.0,
                         routed_scaling_factor=2.827, norm_topk_prob=True, scoring_func="sigmoid",
                         topk_method="noaux_tc"),
    "llama-2-7b": _llama2(32, 4096, 32, 32, 11008),
    "llama-2-13b": _llama2(40, 5120, 40, 40, 13824),
    "llama-2-70b": _llama2(80, 8192, 64, 8, 28672),
    "llama-3-8b": _llama(32, 4096, 32, 8, 14336),
    "llama-3-70b": _llama(80, 8192, 64, 8, 28672),
    "llama-3.1-8b": _llama(32, 4096, 32, 8, 14336, positions=131072),
    "llama-3.1-70b": _llama(80, 8192, 64, 8, 28672, positions=131072),
    "llama-3.1-405b": _llama(126, 16384, 128, 8, 53248, positions=131072),
    "llama-3.2-1b": _llama(16, 2048, 32, 8, 8192, positions=131072, head_dim=64, tie_word_embeddings=True),
    "llama-3.2-3b": _llama(28, 3072, 24, 8, 8192, positions=131072, head_dim=128, tie_word_embeddings=True),
    "mistral-7b": {**_llama(32, 4096, 32, 8, 14336, vocabulary=32000, positions=32768, theta=10000.0),
                   "model_type": "mistral", "sliding_window": 4096},
    "mixtral-8x7b": _mixtral(32, 4096, 32, 14336, 32000, 32768, 0.02),
    "mixtral-8x22b": _mixtral(56, 6144, 48, 16384, 32768, 65536, 0.001),
    "phi-4": {**_llama(40, 5120, 40, 10, 17920, vocabulary=100352, positions=16384, theta=250000.0),
              "model_type": "phi3"},
    "qwen2.5-7b": _qwen("qwen2", 28, 3584, 28, 4, 18944, vocab_size=152064),
    "qwen2.5-14b": _qwen("qwen2", 48, 5120, 40, 8, 13824, vocab_size=152064),
    "qwen2.5-32b": _qwen("qwen2", 64, 5120, 40, 8, 27648, vocab_size=152064),
    "qwen2.5-72b": _qwen("qwen2", 80, 8192, 64, 8, 29568, vocab_size=152064),
    "qwen3-8b": _qwen3(36, 4096, 32, 12288),
    "qwen3-14b": _qwen3(40, 5120, 40, 17408),
    "qwen3-32b": _qwen3(64, 5120, 64, 25600),
    "qwen3-30b-a3b": {**_qwen("qwen3_moe", 48, 2048, 32, 4, 6144, vocab_size=151936, head_dim=128),
                      "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8,
                      "norm_topk_prob": True},
    "qwen3-235b-a22b": {**_qwen("qwen3_moe", 94, 4096, 64, 4, 12288, vocab_size=151936, head_dim=128),
                        "moe_intermediate_size": 1536, "num_experts": 128, "num_experts_per_tok": 8,
                        "norm_topk_prob": True},
    "vit-b": _vit(16, 12, 768, 12, 3072),
    "vit-l": _vit(16, 24, 1024, 16, 4096),
    "vit-h": _vit(14, 32, 1280, 16, 5120),
}  # fmt: skip

#: The names behind short names and names of `soap-translate --generate`.
ALIASES = {
    "bert": "bert-base",
    "gpt3": "gpt3-175b",
    "gpt-small": "gpt2",
    "gpt-medium": "gpt2-medium",
    "gpt-large": "gpt2-large",
    "gpt-xl": "gpt2-xl",
    "llama-1b": "llama-3.2-1b",
    "llama-3b": "llama-3.2-3b",
    "llama-7b": "llama-2-7b",
    "llama-8b": "llama-3.1-8b",
    "llama-13b": "llama-2-13b",
    "llama-70b": "llama-3.1-70b",
    "llama-405b": "llama-3.1-405b",
    "mixtral": "mixtral-8x7b",
    "vit": "vit-b",
}
