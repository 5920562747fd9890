#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records how PyTorch trains a Mixtral of the library transformers, for experts.py.

record_experts.py [--file FILE]

FILE gets tokens and labels of one batch, the loss before each step of plain SGD ('losses'), and all weights before the
first step and after the last ('first.NAME', 'last.NAME') by the names of soap-translate --generate=mixtral. The loss is
the mean cross-entropy of all positions and, for each layer and sample, experts * sum over the experts of (choices per
token) * (mean probability), the mean of these times COEFFICIENT. Every expert takes all tokens that choose it.

Needs torch, transformers and numpy, so it is in no suite; the file is committed. Last recorded with torch 2.15.0 and
transformers 5.24.0.
"""

import argparse
import os

import numpy as np
import torch
import torch.nn.functional as F
import transformers

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "experts", "mixtral.npz")
BATCH, LENGTH, LAYERS, HEADS, GROUPS, HEAD, INNER, EXPERTS, CHOICES, VOCABULARY = 3, 10, 2, 4, 2, 4, 12, 5, 2, 17
COEFFICIENT, RATE, STEPS = 0.05, 0.5, 3
PARTS = {"input_layernorm": "attention_norm", "post_attention_layernorm": "mlp_norm", "self_attn.q_proj": "attention.query",
         "self_attn.k_proj": "attention.key", "self_attn.v_proj": "attention.value", "self_attn.o_proj": "attention.output",
         "mlp.gate": "experts.router"}


def named(model):
    """Weights by their names here."""
    result = {}
    for name, value in model.named_parameters():
        value = value.detach().numpy().copy()
        name = name.removeprefix("model.")
        if name.endswith("experts.gate_up_proj"):
            layer = name.split(".mlp.")[0]
            result[layer + ".experts.gate.weight"], result[layer + ".experts.up.weight"] = np.split(value, 2, axis=1)
        elif name.endswith("experts.down_proj"):
            result[name.split(".mlp.")[0] + ".experts.down.weight"] = value
        elif name.startswith("layers."):
            _, layer, part = name.removesuffix(".weight").split(".", 2)
            result["layers.%s.%s.weight" % (layer, PARTS[part])] = value
        else:
            result[{"embed_tokens.weight": "embedding.weight", "lm_head.weight": "head.weight"}.get(name, name)] = value
    return result


def balance(logits):
    """The term of one layer, whose router gave `logits` [BATCH * LENGTH, EXPERTS]."""
    probabilities = F.softmax(logits.view(BATCH, LENGTH, EXPERTS), dim=2)
    chosen = F.one_hot(torch.topk(probabilities, CHOICES, dim=2).indices, EXPERTS).sum(2).float()
    return (EXPERTS * (chosen.mean(1) * probabilities.mean(1)).sum(1)).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", default=FILE)
    options = parser.parse_args()
    torch.manual_seed(5)
    model = transformers.MixtralForCausalLM(transformers.MixtralConfig(
        vocab_size=VOCABULARY, hidden_size=HEADS * HEAD, intermediate_size=INNER, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, num_key_value_heads=GROUPS, head_dim=HEAD, num_local_experts=EXPERTS,
        num_experts_per_tok=CHOICES, rms_norm_eps=1e-5, rope_theta=100.0, initializer_range=0.3,
        attn_implementation="eager", sliding_window=None))
    model.train()
    if hasattr(model.config, "rope_parameters"):
        assert model.config.rope_parameters["rope_theta"] == 100.0, model.config.rope_parameters
    routers = []
    for layer in model.model.layers:
        layer.mlp.gate.register_forward_hook(
            lambda module, inputs, _: routers.append(F.linear(inputs[0].reshape(-1, HEADS * HEAD), module.weight)))
    tokens, labels = (torch.randint(VOCABULARY, (BATCH, LENGTH)) for _ in range(2))
    first, losses = named(model), []
    for _ in range(STEPS):
        routers.clear()
        logits = model(input_ids=tokens).logits
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        loss = loss + COEFFICIENT * sum(balance(router) for router in routers) / LAYERS
        losses.append(loss.item())
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= RATE * parameter.grad
    np.savez_compressed(options.file, x=tokens.numpy().astype(np.int32), y=labels.numpy().astype(np.int32), losses=losses,
                        **{"first." + name: value for name, value in first.items()},
                        **{"last." + name: value for name, value in named(model).items()})
    print(losses, len(routers))


if __name__ == "__main__":
    main()
