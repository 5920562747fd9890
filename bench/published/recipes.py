#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts of published runs that the performance recipes of Megatron-Bridge (Apache-2.0) have.

    recipes.py CLONE        writes recipes.csv beside itself, from the release tags of a clone

The summaries name degrees of parallelism; the recipes add what is recomputed, how experts exchange tokens, whether a
forward and a backward pass run side by side, and which kernels are fused. A recipe is run with stand-ins for all that
it imports, and what it sets is read. A row is of the releases from `first` to `last`; later rows of a shape win.
"""

import ast
import csv
import dataclasses
import os
import re
import subprocess
import sys
import types

RELEASES = {"v0.2.1": "25.11", "v0.3.0": "26.02", "v0.3.1": "26.02.01", "v0.4.0": "26.04", "v0.4.2": "26.04.01",
            "v0.5.0": "26.06", "v0.5.1": "26.06.01", "v0.6.0": "26.08"}  # fmt: skip
MODELS = {"DEEPSEEK_V3": "DeepSeekV3", "GPT_OSS_120B": "GPT OSS 120B", "QWEN3_30B_A3B": "Qwen3_30B_a3B",
          "QWEN3_235B_A22B": "Qwen3_235B_a22B", "LLAMA3_70B": "LLAMA3_70B", "LLAMA3_8B": "LLAMA3_8B",
          "LLAMA31_405B": "LLAMA3.1_405B", "KIMI_K2": "Kimi_K2"}  # fmt: skip
PRECISIONS = {"BF16": "BF16", "FP8_CS": "FP8", "FP8CS": "FP8", "FP8_MX": "MXFP8", "FP8MX": "MXFP8", "NVFP4": "NVFP4"}
SHAPE = ["gpus", "batch", "samples", "tensor", "stages", "chunks", "context", "experts"]
FACTS = ["recompute", "dispatcher", "overlap", "graphs", "fused", "attention8", "fsdp", "offloaded"]
COLUMNS = ["model", "gpu", "precision", *SHAPE, "first", "last", *FACTS]
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recipes.csv")


class Anything:
    """A stand-in: has every attribute, and keeps those that are set."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.__dict__[name] = Anything()
        return self.__dict__[name]

    def __call__(self, *_, **values):
        return Anything(**values)

    def __bool__(self):
        return False

    def __iter__(self):
        return iter(())

    def keys(self):
        return ()

    def set(self, name, default=None):
        """The value that was set, else the default."""
        value = self.__dict__.get(name, default)
        return default if isinstance(value, Anything) else value


def git(clone, *arguments):
    return subprocess.run(["git", "-C", clone, *arguments], capture_output=True, text=True, check=True).stdout


def execute(source, scope):
    """Runs a module; names that it imports are stand-ins, unless `scope` has them."""
    tree = ast.parse(source)
    for statement in list(tree.body):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            for alias in statement.names:
                scope.setdefault((alias.asname or alias.name).split(".")[0], Anything())
            tree.body.remove(statement)
    exec(compile(tree, "recipe", "exec"), scope)


def workloads(clone, tag, path):
    """Releases before 26.08: a table of dataclasses for each family."""
    utilities = git(clone, "show", f"{tag}:scripts/performance/utils/utils.py")
    scope = {"dataclass": dataclasses.dataclass, "Optional": __import__("typing").Optional, "List": list}
    found = re.search(r"@dataclass[^\n]*\nclass WorkloadBaseConfig.*?(?=\n\n\n)", utilities, re.S)
    exec(found.group(0), scope)
    scope["replace"] = dataclasses.replace
    execute(git(clone, "show", f"{tag}:{path}"), scope)
    for name, value in scope.items():
        if isinstance(value, scope["WorkloadBaseConfig"]) and not name.startswith("BASE"):
            yield name, Anything(**dataclasses.asdict(value))


def functions(clone, tag, path):
    """Releases from 26.08 on: a function for each recipe."""
    family, source = path.split("/")[4], git(clone, "show", f"{tag}:{path}")
    scope = {}
    for part in ("_common.py", f"{family}/common.py"):
        execute(git(clone, "show", f"{tag}:src/megatron/bridge/perf_recipes/{part}"), scope)
    execute(source, scope)
    for name in re.findall(r"^def (\w+_config)\(", source, re.M):
        recipe = scope[name]()
        model, overlap = recipe.model, recipe.comm_overlap
        overlaps = model.set("moe_a2a_overlap") or overlap.set("overlap_moe_expert_parallel_comm")
        values = {key: model.set(key) for key in vars(model)}
        values.update(num_gpus=int(re.search(r"(\d+)gpu", name).group(1)), moe_a2a_overlap=overlaps,
                      global_batch_size=recipe.train.set("global_batch_size"),
                      micro_batch_size=recipe.train.set("micro_batch_size"),
                      use_megatron_fsdp=recipe.ddp.set("use_megatron_fsdp"),
                      fp8_dot_product_attention=Anything(**vars(recipe.mixed_precision)).set("fp8_dot_product_attention"),
                      cutedsl_fused_grouped_mlp=model.set("use_transformer_engine_op_fuser"))  # fmt: skip
        yield re.sub(r"_\d+GPU_", "_CONFIG_", name.upper()), Anything(**values)


def recipes(clone, tag):
    paths = git(clone, "ls-tree", "-r", "--name-only", tag).split("\n")
    tables = [path for path in paths if re.fullmatch(r"scripts/performance/configs/\w+/\w*workload_base_configs.py", path)]
    for path in tables:
        yield from workloads(clone, tag, path)
    if tables:
        return
    for path in paths:
        if re.fullmatch(r"src/megatron/bridge/perf_recipes/(deepseek|gpt_oss|qwen|llama|kimi)/\w+/[a-z]\w+.py", path):
            yield from functions(clone, tag, path)


def graphs(recipe):
    scope = recipe.set("cuda_graph_scope") or []
    if recipe.set("cuda_graph_impl") == "full_iteration" or (
            recipe.set("cuda_graph_impl") not in (None, "none") and "full_iteration" in scope):
        return "iteration"
    return "layers" if recipe.set("cuda_graph_impl") not in (None, "none") else ""


def row_of(name, recipe):
    match = re.match(rf"({'|'.join(MODELS)})_(?:PRETRAIN_CONFIG_)?(GB300|GB200|B300|B200|H100)_({'|'.join(PRECISIONS)})"
                     r"(?=_|$)", name)  # fmt: skip
    if not match or "SFT" in name or "LORA" in name or not recipe.set("global_batch_size"):
        return None
    model, gpu, precision = match.groups()
    layers = recipe.set("recompute_num_layers")
    modules = recipe.set("recompute_modules") or []
    one = {"gpus": "num_gpus", "tensor": "tensor_model_parallel_size", "stages": "pipeline_model_parallel_size",
           "chunks": "virtual_pipeline_model_parallel_size", "context": "context_parallel_size",
           "experts": "expert_model_parallel_size", "batch": "global_batch_size", "samples": "micro_batch_size"}
    row = {"model": MODELS[model], "gpu": gpu, "precision": PRECISIONS[precision],
           **{column: recipe.set(key) or 1 for column, key in one.items()}}  # fmt: skip
    row.update(recompute=f"{layers} layers" if layers else " ".join(modules),
               dispatcher=recipe.set("moe_flex_dispatcher_backend") or "",
               overlap=int(bool(recipe.set("moe_a2a_overlap"))), graphs=graphs(recipe),
               fused=int(bool(recipe.set("cutedsl_fused_grouped_mlp"))),
               attention8=int(bool(recipe.set("fp8_dot_product_attention"))),
               fsdp=int(bool(recipe.set("use_megatron_fsdp"))),
               offloaded=recipe.set("cpu_offloading_num_layers") or 0)  # fmt: skip
    return row


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rows, before = [], {}
    for tag, release in RELEASES.items():
        here = {}
        for name, recipe in recipes(sys.argv[1], tag):
            row = row_of(name, recipe)
            key = tuple(row.values()) if row else None
            if not row or key in here:
                continue
            here[key] = before.get(key) or {**row, "first": release}
            here[key]["last"] = release
            if key not in before:
                rows.append(here[key])
        before = here
    rows.sort(key=lambda row: [row[column] for column in ("model", "gpu", "precision", *SHAPE, "first")])
    with open(FILE, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{len(rows)} recipes in {FILE}")


if __name__ == "__main__":
    main()
