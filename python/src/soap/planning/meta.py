# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configs of families that no generator says: the classes of `transformers`, on the device meta, as programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .errors import PlanError
from .families import READERS, refusal
from .models import Program, config_of
from .planner import count_parameters

#: Samples and positions of the program where the user says neither.
SAMPLES, LENGTH = 64, 2048


def program_of_config(model: str, samples: int | None, length: int | None, place: Path) -> Program | None:
    """The program of a config that no generator says, in the folder `place`; none: `model` is no such config."""
    found = config_of(model)
    if found is None or not isinstance(found[0], dict) or found[0].get("model_type") in (None, *READERS):
        return None
    config, where = found
    try:
        import accelerate
        import torch
        import transformers

        import soap
    except ImportError as missing:
        raise PlanError(f"{refusal(config, where)}. With torch, transformers, accelerate and soap in one Python, it is "
                        f"made of their classes (here: {missing})") from None  # fmt: skip
    module = _on_meta(torch, transformers, accelerate, config, where)
    assumed = [] if samples else [f"{SAMPLES} samples an iteration (--global-batch)"]
    samples = samples or SAMPLES
    inputs = _inputs(torch, module.config, samples, length, where)
    assumed += [f"its input {name} of [{', '.join(map(str, value.shape))}]" for name, value in inputs.items()]
    assumed.append("the loss is the cross-entropy of its logits")
    try:
        written = soap.from_torch(_logits_of(torch, module, inputs), tuple(inputs.values()))
    except soap.SoapError as error:
        raise PlanError(f"{where}: family '{config['model_type']}' by transformers: {error}") from None
    path = place / "model.mlir"
    written.save_ir(path)
    has, said = sum(value.numel() for value in module.parameters()), count_parameters(path.read_text(encoding="utf-8"))
    if has != said:
        raise PlanError(f"{where}: the program has {said:,} of the {has:,} parameters of {type(module).__name__}; give it "
                        "as a program instead (soap.plan(module, example_inputs=...))")  # fmt: skip
    return Program(f"{config['model_type']} by transformers {transformers.__version__}", path, is_onnx=False,
                   samples=samples, assumed=assumed)  # fmt: skip


def _on_meta(torch: Any, transformers: Any, accelerate: Any, config: dict[str, Any], where: str) -> Any:
    """The module: parameters on meta, buffers (tables of positions) with their numbers."""
    architecture = (config.get("architectures") or [None])[0]
    kind = getattr(transformers, architecture or "", None)
    if kind is None and (architecture or config.get("is_encoder_decoder")):
        raise PlanError(f"{where}: 'architectures': expected a class of transformers {transformers.__version__}, got "
                        f"{architecture or 'none'}")  # fmt: skip
    try:
        of = transformers.AutoConfig.for_model(**config)
    except (ValueError, TypeError) as error:
        raise PlanError(f"{where}: transformers {transformers.__version__} does not know it: {str(error)[:200]}") from None
    try:
        with accelerate.init_empty_weights(include_buffers=False):
            module = kind._from_config(of) if kind else transformers.AutoModelForCausalLM.from_config(of)
    except (ValueError, TypeError, AttributeError) as error:
        raise PlanError(f"{where}: transformers makes no {architecture or 'causal language model'} of it: "
                        f"{str(error)[:200]}") from None  # fmt: skip
    module.tie_weights()
    return module.to(torch.float32)


def _inputs(torch: Any, config: Any, samples: int, length: int | None, where: str) -> dict[str, Any]:
    """Of zeros: tokens, images or sound, and tokens of a decoder."""
    positions = getattr(config, "max_position_embeddings", None) or getattr(config, "max_target_positions", None) or LENGTH
    length = length or min(positions, LENGTH)
    if length > positions:
        raise PlanError(f"--seq-length {length}: {where} has {positions} positions, expected at most {positions}")
    tokens = torch.zeros(samples, length, dtype=torch.long, device="meta")
    if getattr(config, "num_mel_bins", None) and config.is_encoder_decoder:
        sound = torch.zeros(samples, config.num_mel_bins, 2 * config.max_source_positions, device="meta")
        return {"input_features": sound, "decoder_input_ids": tokens}
    if getattr(config, "text_config", None) or getattr(config, "vision_config", None):
        raise PlanError(f"{where}: images beside text, whose inputs are not known; give it as a program instead "
                        "(soap.plan(module, example_inputs=...), model.onnx or step.mlir)")  # fmt: skip
    if getattr(config, "image_size", None):
        size = config.image_size if isinstance(config.image_size, (list, tuple)) else [config.image_size] * 2
        return {"pixel_values": torch.zeros(samples, getattr(config, "num_channels", 3), *size, device="meta")}
    if config.is_encoder_decoder:
        return {"input_ids": tokens, "decoder_input_ids": tokens}
    return {"input_ids": tokens}


def _logits_of(torch: Any, module: Any, inputs: dict[str, Any]) -> Any:
    class Logits(torch.nn.Module):
        """The logits alone, without a cache of keys."""

        def __init__(self) -> None:
            super().__init__()
            self.model = module

        def forward(self, *values: Any) -> Any:
            cache = {"use_cache": False} if hasattr(module.config, "use_cache") else {}
            return self.model(**dict(zip(inputs, values)), **cache).logits

    return Logits()
