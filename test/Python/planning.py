#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models and files of soap-plan, without its tools: parameters as published, bad configs, files of executors that are
read back. The last line is "N passed, N failed"."""
import os
import sys
from dataclasses import replace

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(SOURCE, "python", "src", "soap", "planning")


sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import own_planning  # noqa: E402, F401

from soap_planning.catalogue import ALIASES, CATALOGUE  # noqa: E402
from soap_planning.errors import PlanError  # noqa: E402
from soap_planning.executors import EXECUTORS, deepspeed, fsdp, maxtext, megatron, missing, torchtitan  # noqa: E402
from soap_planning.executors.setup import Setup  # noqa: E402
from soap_planning.families import MISSING, READERS, read_config  # noqa: E402
from soap_planning.hybrid import Shape, plan_of  # noqa: E402

#: As their publishers count them, and transformers does (test/Python/Peers/planning.py).
PUBLISHED = {
    "bert-base": 109514298, "bert-large": 335174458, "deepseek-v2-lite": 15706484224, "deepseek-v2": 235741434880,
    "deepseek-v3": 671026404352, "gemma-2-2b": 2614341888, "gemma-2-9b": 9241705984, "gemma-2-27b": 27227128320,
    "gemma-3-1b": 999885952, "gpt-oss-20b": 20914757184, "gpt-oss-120b": 116829156672, "kimi-k2": 1026408209408,
    "qwen3-235b-a22b": 235093634560, "gpt2": 124439808, "gpt2-medium": 354823168,
    "gpt2-large": 774030080, "gpt2-xl": 1557611200, "gpt3-1.3b": 1315723264, "gpt3-2.7b": 2651553280,
    "gpt3-6.7b": 6658404352, "gpt3-13b": 12853386240, "gpt3-175b": 174604259328, "llama-2-7b": 6738415616,
    "llama-2-13b": 13015864320, "llama-2-70b": 68976648192, "llama-3-8b": 8030261248, "llama-3-70b": 70553706496,
    "llama-3.1-8b": 8030261248, "llama-3.1-70b": 70553706496, "llama-3.1-405b": 405853388800,
    "llama-3.2-1b": 1235814400, "llama-3.2-3b": 3212749824, "mistral-7b": 7241732096, "mixtral-8x7b": 46702792704,
    "mixtral-8x22b": 140630071296, "phi-4": 14659507200, "qwen2.5-7b": 7615616512, "qwen2.5-14b": 14770033664,
    "qwen2.5-32b": 32763876352, "qwen2.5-72b": 72706203648, "qwen3-8b": 8190735360, "qwen3-14b": 14768307200,
    "qwen3-32b": 32762123264, "qwen3-30b-a3b": 30532122624, "vit-b": 86567656, "vit-l": 304326632, "vit-h": 632045800}
#: Of which files are written and read back, on three clusters.
MODELS = ["bert-base", "deepseek-v2-lite", "deepseek-v3", "gemma-2-9b", "gpt-oss-20b", "gpt2", "gpt2-xl", "gpt3-6.7b", "llama-2-7b", "llama-2-70b", "llama-3.1-8b", "llama-3.1-70b",
          "llama-3.1-405b", "llama-3.2-1b", "mistral-7b", "mixtral-8x7b", "phi-4", "qwen2.5-7b", "qwen2.5-72b",
          "qwen3-8b", "qwen3-14b", "qwen3-32b", "qwen3-30b-a3b", "vit-h"]
#: How many of them an executor says.
SAID = {"megatron-core": 21, "torchtitan": 7, "torch-fsdp": 24, "deepspeed": 24, "jax": 10}
#: Machines and devices of each.
CLUSTERS = [(1, 8), (16, 8), (2, 72)]

passed = failed = 0


def check(what, holds, got=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what} {got}")


def refusal(config, where="config.json"):
    try:
        network = read_config(config, where)
    except PlanError as error:
        return str(error)
    return f"no error: {network.parameters}"


def check_models():
    check("every name has its published parameters", set(PUBLISHED) == set(CATALOGUE), set(PUBLISHED) ^ set(CATALOGUE))
    for name, count in PUBLISHED.items():
        got = read_config(CATALOGUE[name], name).parameters
        check(f"{name} has {count} parameters", got == count, got)
    for short, name in ALIASES.items():
        check(f"{short} stands for a name", name in CATALOGUE and short not in CATALOGUE, name)
    # 6 N D of the dense products, and attention by hand: 2 products x 2 x 3 x T^2 / 2 of each head.
    llama = read_config(CATALOGUE["llama-2-7b"], "llama")
    dense = 6738415616 - 32000 * 4096 - 65 * 4096
    check("flops of LLaMA 2 7B", llama.flops_of_sample(4096) == 6 * dense * 4096 + 6 * 32 * 4096 * 4096 * 4096)
    # 12.9e9 of Mixtral's parameters compute for a token.
    mixtral = read_config(CATALOGUE["mixtral-8x7b"], "mixtral")
    active = mixtral.sizes.products() + 2 * 32000 * 4096
    check("active parameters of Mixtral 8x7B", round(active / 1e9, 1) == 12.9, active)
    # As published: 37e9 of DeepSeek-V3's, 5.1e9 of gpt-oss-120b's, without its embedding 5.1 - 0.6.
    v3, oss = (read_config(CATALOGUE[name], name) for name in ("deepseek-v3", "gpt-oss-120b"))
    active = v3.sizes.products() + 2 * 129280 * 7168
    check("active parameters of DeepSeek-V3", round(active / 1e9) in (37, 38), active)
    active = oss.sizes.products() + 201088 * 2880
    check("active parameters of gpt-oss-120b", round(active / 1e9, 1) == 5.1, active)
    # A query of Mistral sees 4,096 keys at most: the first 4,096 see 1 to 4,096, the others all of these.
    mistral = read_config(CATALOGUE["mistral-7b"], "mistral")
    pairs = 4096 * 4096 // 2 + 4096 * 4096
    check("attention of windows", mistral.attention_flops(8192) == 32 * 12 * 32 * 128 * pairs, mistral.attention_flops(8192))
    check("short sequences have no windows", mistral.attention_flops(2048) == 32 * 12 * 32 * 128 * 2048 * 2048 // 2)


def check_bad_configs():
    llama = CATALOGUE["llama-3-8b"]
    for config, parts in [
        ([], ["config.json: expected an object with a 'model_type'"]),
        ({}, ["has no 'model_type'", "llama", "soap.from_torch"]),
        ({"model_type": "falcon"}, ["unknown family 'falcon'", *READERS, "soap.from_torch"]),
        ({**llama, "hidden_size": "4096"}, ["'hidden_size': expected a whole number of at least 1, got '4096'"]),
        ({**llama, "hidden_size": -1}, ["'hidden_size'", "got -1"]),
        ({**llama, "num_hidden_layers": None}, ["'num_hidden_layers'"]),
        ({key: value for key, value in llama.items() if key != "vocab_size"}, ["'vocab_size'", "it is missing"]),
        ({**llama, "num_key_value_heads": 5}, ["'num_key_value_heads': expected a divisor of num_attention_heads, 32"]),
        ({**llama, "hidden_act": "gelu"}, ["'hidden_act' is 'gelu'", "SwiGLU"]),
        ({**llama, "attention_bias": True}, ["'attention_bias'", "no bias"]),
        ({**llama, "tie_word_embeddings": 1}, ["'tie_word_embeddings': expected true or false, got 1"]),
        ({**CATALOGUE["deepseek-v3"], "norm_topk_prob": False}, ["'norm_topk_prob' is False"]),
        ({**CATALOGUE["deepseek-v3"], "scoring_func": "softmax"}, ["'scoring_func' is 'softmax'"]),
        ({**CATALOGUE["gemma-2-9b"], "attn_logit_softcapping": 0.5}, ["'attn_logit_softcapping'", "whole numbers"]),
        ({**CATALOGUE["gemma-3-1b"], "vision_config": {}}, ["'vision_config'", "'text_config'"]),
        ({**CATALOGUE["gpt-oss-20b"], "swiglu_alpha": 1.5}, ["'swiglu_alpha' is 1.5"]),
        ({**CATALOGUE["gpt-oss-20b"], "layer_types": ["full_attention"]}, ["'layer_types'", "each of 24 layers"]),
        ({**CATALOGUE["gpt-oss-20b"], "layer_types": ["full_attention"] + 23 * ["sliding_attention"]},
         ["'layer_types'", "every so manieth"]),
        ({**llama, "rms_norm_eps": 1e-9}, ["'rms_norm_eps': expected a multiple of 1e-7, got 1e-09"]),
        ({**CATALOGUE["gpt2"], "n_inner": 100}, ["'n_inner'"]),
        ({**CATALOGUE["bert-base"], "position_embedding_type": "relative_key"}, ["'position_embedding_type'"]),
        ({**CATALOGUE["bert-base"], "is_decoder": True}, ["'is_decoder' is True"]),
        ({**CATALOGUE["vit-b"], "patch_size": 15}, ["'patch_size': expected a divisor of image_size, 224"]),
    ]:
        text = refusal(config)
        check(f"the error of {config if len(config) < 4 else parts[0]}", all(part in text for part in parts), text)
    for family, lacks in MISSING.items():
        check(f"{family} is refused by name", f"family '{family}'" in refusal({"model_type": family})
              and lacks in refusal({"model_type": family}))  # fmt: skip



def shapes_of(devices, machine, batch, experts):
    """Shapes of all kinds, some of which no executor says; of a mixture, with its `experts` shared by replicas, too."""
    for stages in (1, 2, 4):
        for chunks in (1, 2) if stages > 1 else (1,):
            for tensor in (1, 2, 8):
                for context in (1, 2):
                    unit = stages * tensor * context
                    if devices % unit or tensor > machine:
                        continue
                    data = devices // unit
                    shared = 2 if context == 1 and data % 2 == 0 and experts and experts % (2 * tensor) == 0 else 1
                    for zero in (0, 1, 3) if stages == 1 else (0, 1):
                        for recompute in (None, "none", "selective", "whole"):
                            yield Shape(stages=stages, chunks=chunks, tensor=tensor, context=context, data=data,
                                        samples=2 if batch % (2 * data) == 0 else 1, zero=zero if data * context > 1 else 0,
                                        experts=shared if recompute != "none" else 1, sequence=tensor > 1,
                                        zigzag=context > 1, overlap=recompute in ("selective", "whole"), recompute=recompute,
                                        offload=zero == 1 and stages == 1 and recompute == "whole")  # fmt: skip


def read_back(executor, files):
    text = files[executor.FILE]
    if executor in (fsdp, deepspeed):
        return executor.read(text, executor.FILE, 0, files[executor.ARGUMENTS])
    return executor.read(text, executor.FILE)


def check_files():
    said = {name: set() for name in EXECUTORS}
    for name in MODELS:
        network = read_config(CATALOGUE[name], name)
        for machines, width in CLUSTERS:
            devices = machines * width
            batch, length = 4 * devices, min(network.max_length, 4096)
            wrong = []
            for shape in shapes_of(devices, width, batch, network.sizes.experts):
                for key, executor in EXECUTORS.items():
                    gaps, near = missing(executor, Setup(shape, batch, length, width), network)
                    if near is None:
                        continue
                    if (near.shape == shape) != (not gaps):
                        wrong.append((key, shape, gaps))
                    again = missing(executor, near, network)
                    setup, notes = read_back(executor, executor.files(near, network))
                    want = replace(near, per_machine=setup.per_machine, length=setup.length or near.length)
                    if again[0] or notes or replace(setup, length=want.length) != want or setup.length not in (0, length):
                        wrong.append((key, near, setup, notes))
                    said[key].add(name)
            check(f"files of {name} on {machines}x{width} are read back equal", not wrong, wrong[:1])
        if not megatron.lacks(network):
            setup = Setup(Shape(), 8, min(network.max_length, 1024), 1)
            text = megatron.files(setup, network)[megatron.FILE]
            again = read_config(megatron.config(text, "args"), "args")
            check(f"Megatron's arguments say the experts of {name}", (again.sizes.expert_groups, again.sizes.token_groups,
                  again.sizes.shared_experts, again.options.get("gate-limit"), again.sizes.window)
                  == (network.sizes.expert_groups, network.sizes.token_groups, network.sizes.shared_experts,
                      network.options.get("gate-limit"), network.sizes.window), again)  # fmt: skip
            check(f"Megatron's arguments say {name}", (again.sizes.width, again.parameters - again.options.get("positions", 0))
                  == (network.sizes.width, network.parameters - network.options.get("positions", 0)), again)  # fmt: skip
    for key, names in said.items():
        check(f"{key} says models", len(names) == SAID[key], sorted(names))


def check_jobs():
    setup, notes = megatron.read("torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --tensor-model-parallel-size 2 "
                                 "--pipeline-model-parallel-size=2 --micro-batch-size 1 --global-batch-size 32 "
                                 "--num-layers 32 --num-layers-per-virtual-pipeline-stage 8 --fp8-format hybrid "
                                 "--recompute-activations --seq-length 2048", "--check")  # fmt: skip
    check("a command of Megatron", setup == Setup(Shape(stages=2, chunks=2, tensor=2, data=4, samples=1, recompute="none"),
                                                  32, 2048, 8), setup)  # fmt: skip
    check("what is not priced is said", any("FP8" in note for note in notes) and any("attention" in note for note in notes))
    setup, notes = megatron.read("--nproc-per-node 8 --nnodes 4 --tensor-model-parallel-size 2 --micro-batch-size 1 "
                                 "--global-batch-size 32 --expert-model-parallel-size 16 "
                                 "--expert-tensor-parallel-size 1", "--check")  # fmt: skip
    check("experts over replicas and members", (setup.shape.experts, setup.shape.data, notes) == (8, 16, []), setup)
    setup, notes = megatron.read("--nproc-per-node 8 --tensor-model-parallel-size 2 --micro-batch-size 1 "
                                 "--expert-model-parallel-size 4", "--check")  # fmt: skip
    check("layers of experts over members are said", setup.shape.experts == 4 and "over 2 devices" in notes[0], notes)
    toml = '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nlocal_batch_size = 2\nseq_len = 8192 # positions\n'
    setup, notes = torchtitan.read(toml, "job.toml", 16)
    check("a job of torchtitan by its defaults", setup == Setup(Shape(data=16, samples=2, zero=3, recompute="selective"),
                                                                32, 8192, 0), setup)  # fmt: skip
    check("its selective recomputation is said", any("selective" in note for note in notes), notes)
    for read, text, part in [
        (megatron.read, "--tensor-model-parallel-size 3 --micro-batch-size 1 --nproc-per-node 8", "no multiple"),
        (megatron.read, "--micro-batch-size 1", "--nproc-per-node"),
        (megatron.read, "--micro-batch-size x --nproc-per-node 8", "'micro-batch-size': expected a whole number, got 'x'"),
        (megatron.read, "--micro-batch-size 3 --global-batch-size 8 --nproc-per-node 2", "global-batch-size"),
        (megatron.read, "--micro-batch-size 1 --nproc-per-node 8 --expert-model-parallel-size 3", "divides 8 replicas"),
        (torchtitan.read, "[training", "TOML" if sys.version_info >= (3, 11) else "--cluster"),
        (torchtitan.read, "[training]\nlocal_batch_size = 1\n", "--cluster"),
        (deepspeed.read, "{", "deepspeed.json:1:2: no JSON"),
        (deepspeed.read, "{}", "'train_micro_batch_size_per_gpu'"),
        (fsdp.read, "distributed_type: TPU\nnum_processes: 8\n", "'distributed_type'"),
        (maxtext.read, "no yaml", "expected KEY: VALUE"),
    ]:
        try:
            got = read(text, {megatron.read: "--check"}.get(read, "deepspeed.json"))
            check(f"the error of {text!r}", False, got)
        except PlanError as error:
            check(f"the error of {text!r}", part in str(error), error)


def check_reports():
    """Figures of a report of the pass."""
    stage = {"recompute": "none", "parameter_bytes": 4, "state_bytes": 3, "gradient_bytes": 2, "activation_bytes": 10,
             "scratch_bytes": 5}  # fmt: skip
    report = {"stages": 2, "chunks": 2, "tensor": 1, "context": 1, "data": 4, "samples": 1, "zero": 1, "sequence": False,
              "zigzag": False, "overlap": False, "experts": 1, "makespan_ns": 7, "excess_bytes": 0, "peak_bytes": 60, "max_bytes": 80,
              "by_stage": [stage, stage, stage, {**stage, "activation_bytes": 20, "scratch_bytes": 6}]}  # fmt: skip
    plan = plan_of(report, 32)
    memory = plan.memory_by_kind()
    # The second group has stages 1 and 3, which share what is there for a moment.
    check("memory of the fullest group", list(memory.values()) == [8, 4, 6, 30, 6], memory)
    check("a price that may fall short", plan.state(70).startswith("may not fit") and plan.state(90) == "priced")
    held = plan_of({**report, "held_bytes": 75}, 32)
    check("what an executor holds", held.memory_by_kind()["reserve of the executor"] == 15
          and held.state(90).startswith("may not fit"), held.memory_by_kind())  # fmt: skip
    check("a simulation counts", plan_of({**report, "simulated_microbatches": 8}, 32).state(70) == "")
    check("what does not fit", "does not fit" in plan_of({**report, "excess_bytes": 1}, 32).state(70))
    check("microbatches", (plan.shape.microbatches(32), plan.shape.microbatches(36)) == (8, 10))
    check("interleaved ones are multiples of the stages", plan.shape.microbatches(36) % 2 == 0)


def main():
    check_models()
    check_bad_configs()
    check_files()
    check_jobs()
    check_reports()
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
