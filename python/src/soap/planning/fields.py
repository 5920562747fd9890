# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads `config.json` key by key, and knows which keys are left."""

from __future__ import annotations

from typing import Any

from .errors import PlanError

#: Keys that change neither shapes nor what is computed for a token: special tokens, starts of training, inference.
HARMLESS = {
    "_name_or_path", "architectures", "auto_map", "bad_words_ids", "begin_suppress_tokens", "bos_token_id",
    "chunk_size_feed_forward", "classifier_dropout", "decoder_start_token_id", "dtype", "eos_token_id", "finetuning_task",
    "gradient_checkpointing", "head_dropout", "id2label", "initializer_factor", "initializer_range", "is_decoder",
    "is_encoder_decoder", "label2id", "max_window_layers", "model_type", "n_ctx", "output_attentions",
    "output_hidden_states", "output_past", "output_router_logits", "pad_token_id", "position_embedding_type",
    "pretraining_tp", "problem_type", "reorder_and_upcast_attn", "return_dict", "router_jitter_noise", "rope_theta_scale",
    "scale_attn_by_inverse_layer_idx", "sep_token_id", "summary_activation", "summary_first_dropout",
    "summary_proj_to_labels", "summary_type", "summary_use_proj", "task_specific_params", "torch_dtype",
    "transformers_version", "use_cache", "use_mrope", "original_max_position_embeddings", "num_labels", "vocab",
    "encoder_stride", "gradient_checkpoint", "pruned_heads", "tokenizer_class", "cls_token_id", "mask_token_id",
    "pooler_output_size", "pooler_act",
}  # fmt: skip


class Fields:
    """The keys of a config; reading one remembers it."""

    def __init__(self, config: dict[str, Any], where: str) -> None:
        self.config, self.where = config, where
        self.read: set[str] = set()

    def error(self, key: str, expected: str) -> PlanError:
        got = f"got {self.config[key]!r}" if key in self.config else "it is missing"
        return PlanError(f"{self.where}: '{key}': expected {expected}, {got}")

    def get(self, key: str, default: Any = None) -> Any:
        self.read.add(key)
        value = self.config.get(key)
        return default if value is None else value

    def number(self, key: str, default: int | None = None) -> int:
        """A whole number of at least 1."""
        value = self.get(key, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value) or value < 1:
            raise self.error(key, "a whole number of at least 1")
        return int(value)

    def real(self, key: str, default: float) -> float:
        value = self.get(key, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(key, "a number")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        value = self.get(key, default)
        if not isinstance(value, bool):
            raise self.error(key, "true or false")
        return value

    def expect(self, key: str, expected: tuple[Any, ...], default: Any, lacks: str) -> Any:
        """A value that the generator computes with; another one is refused."""
        value = self.get(key, default)
        if value not in expected:
            raise PlanError(f"{self.where}: '{key}' is {value!r}: {lacks}; " + OTHER_WAY)
        return value

    def unread(self) -> list[str]:
        """Keys that say something and that no reader has read."""
        return sorted(key for key, value in self.config.items()
                      if key not in self.read and key not in HARMLESS and value not in (None, False, [], {}))  # fmt: skip


OTHER_WAY = "Soap's generators cannot say this model; give it as a program instead (model.onnx, step.mlir, or soap.from_torch)"
