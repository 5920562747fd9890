#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of soap-plan before parsers and config classes, of the frameworks, for 24 models on 3 clusters; parameters
of all names beside transformers on meta tensors; configs of families that only transformers says. A framework that is
not installed is left out, and said. The last line is "N passed, N failed"."""
import contextlib
import dataclasses
import importlib.metadata
import importlib.util
import io
import json
import logging
import os
import sys
import tempfile

spec = importlib.util.spec_from_file_location(
    "own_tests", os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "planning.py"))
own = importlib.util.module_from_spec(spec)
spec.loader.exec_module(own)

from soap_planning.catalogue import CATALOGUE  # noqa: E402
from soap_planning.executors import EXECUTORS, missing  # noqa: E402
from soap_planning.executors.megatron import parse  # noqa: E402
from soap_planning.executors.setup import Setup  # noqa: E402
from soap_planning.families import read_config  # noqa: E402


def count_parameters():
    """Of all names, beside the model that transformers makes of the same keys."""
    import torch
    import transformers

    kinds = {"bert": transformers.AutoModelForMaskedLM, "vit": transformers.AutoModelForImageClassification}
    for name, config in CATALOGUE.items():
        keys = {**config, "num_labels": 1000} if config["model_type"] == "vit" else config
        # Kimi K2 has the network of DeepSeek-V3, and no class of its own.
        kind = {"kimi_k2": "deepseek_v3"}.get(config["model_type"], config["model_type"])
        of = transformers.AutoConfig.for_model(**{**keys, "model_type": kind})
        with torch.device("meta"):
            model = kinds.get(config["model_type"], transformers.AutoModelForCausalLM).from_config(of)
        count = sum(parameter.numel() for parameter in model.parameters())
        own.check(f"transformers: parameters of {name}", count == read_config(config, name).parameters, count)
    # Keys that a config leaves out are as the class has them.
    kept = {"model_type", "num_hidden_layers", "hidden_size", "num_attention_heads", "num_key_value_heads",
            "intermediate_size", "vocab_size", "max_position_embeddings", "num_local_experts", "n_routed_experts",
            "moe_intermediate_size", "num_experts_per_tok"}  # fmt: skip
    for kind in ("deepseek_v2", "deepseek_v3", "gemma", "gemma2", "gemma3_text", "gpt_oss", "llama", "mistral", "qwen3"):
        of = transformers.AutoConfig.for_model(kind, **({"num_experts_per_tok": 6} if kind == "deepseek_v2" else {}))
        whole, least = of.to_dict(), {key: value for key, value in of.to_dict().items() if key in kept}
        with torch.device("meta"):
            model = transformers.AutoModelForCausalLM.from_config(of)
        count = sum(parameter.numel() for parameter in model.parameters())
        said, short = read_config(whole, kind), read_config(least, kind)
        own.check(f"defaults of {kind}", said.parameters == count and said.sizes == short.sizes, (said, short))


def accelerate(files, setup):
    from accelerate.commands.config.config_args import load_config_from_file
    from accelerate.utils import FullyShardedDataParallelPlugin

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "accelerate.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(files["accelerate.yaml"])
        config = load_config_from_file(path)
    assert config.num_processes == setup.shape.devices and config.mixed_precision == "bf16", config
    if setup.shape.zero == 3:
        plugin = FullyShardedDataParallelPlugin(
            fsdp_version=config.fsdp_config["fsdp_version"],
            reshard_after_forward=config.fsdp_config["fsdp_reshard_after_forward"],
            activation_checkpointing=config.fsdp_config["fsdp_activation_checkpointing"],
            auto_wrap_policy=config.fsdp_config["fsdp_auto_wrap_policy"].lower(),
            state_dict_type=config.fsdp_config["fsdp_state_dict_type"])  # fmt: skip
        assert plugin.reshard_after_forward is True
        assert plugin.activation_checkpointing == (setup.shape.recompute == "whole")
    else:
        assert not config.fsdp_config


def training_arguments(text, setup):
    from transformers import TrainingArguments

    keys = json.loads(text)
    known = {field.name for field in dataclasses.fields(TrainingArguments)}
    assert set(keys) <= known, set(keys) - known
    assert keys["per_device_train_batch_size"] * keys["gradient_accumulation_steps"] * setup.shape.data == setup.batch


def deepspeed(files, setup):
    import unittest.mock

    import deepspeed.runtime.config as module
    from deepspeed.runtime.config import DeepSpeedConfig

    class Units:
        """As many replicas as the plan has."""

        @staticmethod
        def get_data_parallel_world_size():
            return setup.shape.data

    with unittest.mock.patch.object(module.dist, "get_rank", return_value=0):
        config = DeepSpeedConfig(json.loads(files["deepspeed.json"]), mpu=Units)
    assert config.train_batch_size == setup.batch
    assert config.train_micro_batch_size_per_gpu == setup.shape.samples
    assert config.gradient_accumulation_steps == setup.microbatches
    assert config.zero_config.stage == setup.shape.zero
    assert (config.zero_config.offload_optimizer is not None) == setup.shape.offload


def megatron(files, setup):
    """Megatron-LM's arguments are fields of these classes, with `_` for `-`; the others are its own."""
    from megatron.core.num_microbatches_calculator import ConstantNumMicroBatchesCalculator
    from megatron.core.transformer.transformer_config import MLATransformerConfig, TransformerConfig

    values = parse(files["megatron.args"])
    config_class = MLATransformerConfig if "multi-latent-attention" in values else TransformerConfig
    fields = {field.name: field for field in dataclasses.fields(config_class)}
    renamed = {"norm-epsilon": "layernorm_epsilon", "num-experts": "num_moe_experts", "group-query-attention": None,
               "swiglu": "gated_linear_unit", "quick-geglu": "gated_linear_unit", "disable-bias-linear": None, "add-qkv-bias": "add_qkv_bias",
               "qk-layernorm": "qk_layernorm"}  # fmt: skip
    others = {"nproc-per-node", "nnodes", "seq-length", "max-position-embeddings", "vocab-size", "rotary-base",
              "position-embedding-type", "untie-embeddings-and-output-weights", "micro-batch-size",
              "global-batch-size", "optimizer",
              "num-virtual-stages-per-pipeline-rank", "use-distributed-optimizer", "optimizer-cpu-offload",
              "use-precision-aware-optimizer"}  # fmt: skip
    keys = {"add_bias_linear": "disable-bias-linear" not in values, "pipeline_dtype": __import__("torch").bfloat16}
    for name, value in values.items():
        field = renamed.get(name, name.replace("-", "_"))
        if name in others or field is None:
            continue
        assert field in fields, f"--{name} is no field of TransformerConfig"
        try:
            keys[field] = True if value is None else int(value)
        except ValueError:
            try:
                keys[field] = float(value)
            except ValueError:
                keys[field] = value
    if "pipeline-model-parallel-layout" in values:
        keys["pipeline_model_parallel_layout"] = values["pipeline-model-parallel-layout"].strip("'")
    elif setup.shape.chunks > 1:
        keys["virtual_pipeline_model_parallel_size"] = int(values["num-virtual-stages-per-pipeline-rank"])
    if "window-size" in values:
        keys["window_size"] = tuple(map(int, values["window-size"].split(",")))
    if "recompute-modules" in values:
        keys["recompute_modules"] = values["recompute-modules"].split()
    if "quick-geglu" in values:
        from megatron.core.activations import quick_gelu

        keys["activation_func"] = quick_gelu
    config = config_class(**keys)
    assert config.tensor_model_parallel_size == setup.shape.tensor
    assert config.pipeline_model_parallel_size == setup.shape.stages
    if setup.shape.experts > 1:
        assert config.expert_model_parallel_size == setup.shape.experts * setup.shape.tensor
    calculator = ConstantNumMicroBatchesCalculator(setup.batch, setup.shape.samples, setup.shape.data,
                                                   decrease_batch_size_if_needed=False, rank=0)  # fmt: skip
    assert calculator.get() == setup.microbatches


def torchtitan(files, setup):
    """Of versions that read TOML."""
    from torchtitan.config import ConfigManager

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "torchtitan.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(files["torchtitan.toml"])
        config = ConfigManager().parse_args([f"--job.config_file={path}"])
    parallel = config.parallelism
    assert parallel.tensor_parallel_degree == setup.shape.tensor
    assert parallel.pipeline_parallel_degree == setup.shape.stages
    if setup.shape.experts > 1:
        assert parallel.expert_parallel_degree == setup.shape.experts * setup.shape.tensor
    assert parallel.data_parallel_shard_degree * parallel.data_parallel_replicate_degree == setup.shape.data
    assert config.training.global_batch_size == setup.batch


PARSERS = {"torch-fsdp": ("accelerate", accelerate), "deepspeed": ("deepspeed", deepspeed),
           "megatron-core": ("megatron-core", megatron), "torchtitan": ("torchtitan", torchtitan)}  # fmt: skip


#: Shapes of a model on a cluster: parsers take their time.
MOST = 6


def check_files(key, parser):
    executor = EXECUTORS[key]
    for name in own.MODELS:
        network = read_config(CATALOGUE[name], name)
        for machines, width in own.CLUSTERS:
            devices, wrong, seen = machines * width, [], set()
            for shape in own.shapes_of(devices, width, 4 * devices, network.sizes.experts):
                _, near = missing(executor, Setup(shape, 4 * devices, min(network.max_length, 4096), width), network)
                if near is None or near.shape in seen or len(seen) == MOST:
                    continue
                seen.add(near.shape)
                files = executor.files(near, network)
                try:
                    parser(files, near)
                    if "args.json" in getattr(executor, "ARGUMENTS", ""):
                        training_arguments(files[executor.ARGUMENTS], near)
                except Exception as error:
                    wrong.append(f"{near.shape}: {type(error).__name__}: {error}")
            if seen:
                own.check(f"{key}: files of {name} on {machines}x{width}", not wrong, wrong[:1])


#: Configs of families that no generator says; the last one is refused.
OTHERS = {
    "phi": {"architectures": ["PhiForCausalLM"], "num_hidden_layers": 4, "hidden_size": 256, "intermediate_size": 512,
            "num_attention_heads": 4, "vocab_size": 512, "max_position_embeddings": 128},
    "whisper": {"architectures": ["WhisperForConditionalGeneration"], "d_model": 64, "encoder_layers": 2,
                "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2, "vocab_size": 256,
                "encoder_ffn_dim": 128, "decoder_ffn_dim": 128, "max_source_positions": 32,
                "max_target_positions": 16, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
                "decoder_start_token_id": 1},
    "t5": {"architectures": ["T5ForConditionalGeneration"], "num_layers": 2, "d_model": 64, "d_ff": 128, "num_heads": 2,
           "d_kv": 32, "vocab_size": 256},
    "siglip": {"architectures": ["SiglipModel"]},
}  # fmt: skip


def check_other_families():
    """soap-plan makes programs of classes of transformers, with all of their parameters."""
    import transformers

    try:
        from soap.planning.cli import main as soap_plan
        from soap.planning.tools import Tools

        Tools()
    except Exception as error:
        print(f"other families are left out: {error}")
        return
    for kind, keys in OTHERS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"model_type": kind, **keys}, file)
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                status = soap_plan([path, "--cluster", "h100-4", "--global-batch", "8", "--seq-length", "16",
                                    "--time-limit", "5"])  # fmt: skip
        if kind == "siglip":
            own.check("siglip is refused", status == 1 and "whose inputs are not known" in out.getvalue(), out.getvalue())
            continue
        model = getattr(transformers, keys["architectures"][0])(transformers.AutoConfig.for_model(kind, **keys))
        count = sum(parameter.numel() for parameter in model.parameters())
        own.check(f"{kind} by transformers", status == 0 and f"{count:,} parameters" in out.getvalue(), out.getvalue())


def main():
    logging.disable(logging.WARNING)
    count_parameters()
    check_other_families()
    for key, (package, parser) in PARSERS.items():
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            print(f"{package} is not installed: its files are left out")
            continue
        if package == "torchtitan" and tuple(map(int, version.split(".")[:2])) >= (0, 3):
            print(f"torchtitan {version} reads no TOML, expected torchtitan<0.3: its files are left out")
            continue
        print(f"{package} {version}")
        check_files(key, parser)
    print(f"{own.passed} passed, {own.failed} failed")
    return int(own.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
