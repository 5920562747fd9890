# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network to plan: how `soap-translate --generate` makes it, and its sizes."""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import PlanError


@dataclass(frozen=True)
class Sizes:
    """Sizes of a transformer."""

    layers: int
    width: int
    heads: int
    kv_heads: int
    head_width: int
    inner: int  # of a feed-forward layer, or of an expert
    vocabulary: int  # or classes
    gated: bool = True  # SwiGLU: three products instead of two
    causal: bool = True
    tied: bool = False
    qkv_bias: bool = False
    qk_norm: bool = False
    experts: int = 0
    top_k: int = 0
    norm_epsilon: float = 1e-5
    rope_base: int = 0  # 0: positions are learned

    @property
    def attention_width(self) -> int:
        return self.heads * self.head_width

    def block_products(self) -> int:
        """Elements of the weights that one token is multiplied by in a block."""
        kv = self.kv_heads * self.head_width
        attention = self.width * (2 * self.attention_width + 2 * kv)
        fed = (3 if self.gated else 2) * self.width * self.inner
        if self.experts:
            return attention + self.width * self.experts + self.top_k * fed
        return attention + fed


@dataclass(frozen=True)
class Network:
    """A network that a generator of Soap says exactly."""

    name: str
    family: str  # as `model_type` of a config
    generator: str
    options: dict[str, int]
    sizes: Sizes
    parameters: int
    #: The most positions of a sequence, and why.
    max_length: int
    why_max: str
    #: The positions of every sequence; 0: the user's choice.
    fixed_length: int = 0
    #: Elements that only some positions are multiplied by, as the head of an image: (elements, positions).
    rare_products: tuple[int, int] = (0, 0)
    #: Elements behind the blocks that every position is multiplied by, beside the head of the vocabulary.
    other_products: int = 0
    assumed: list[str] = field(default_factory=list)

    def check_length(self, length: int) -> None:
        if self.fixed_length and length != self.fixed_length:
            raise PlanError(f"--seq-length {length}: {self.name} has {self.fixed_length} positions, expected no --seq-length")
        if length > self.max_length:
            raise PlanError(f"--seq-length {length}: {self.name} has {self.why_max}, expected at most {self.max_length}")

    def generator_options(self, length: int) -> dict[str, int]:
        return dict(self.options) if self.fixed_length else {**self.options, "length": length}

    def flops_of_sample(self, length: int) -> int:
        """Of the forward and the backward pass: products, each once, and attention as far as it is looked at. Nothing
        that is recomputed. The definition of MFU in docs/SoapPlan.md."""
        of_token = self.sizes.layers * self.sizes.block_products() + self.other_products
        elements = of_token * length
        if self.rare_products[1]:
            elements += self.rare_products[0] * self.rare_products[1]
        else:
            elements += self.sizes.width * self.sizes.vocabulary * length
        return 6 * elements + self.attention_flops(length)

    def attention_flops(self, length: int, whole: bool = False) -> int:
        """Of a sample; causal attention looks at half of all pairs. `whole`: at all."""
        pairs = 12 * self.sizes.layers * self.sizes.attention_width * length * length
        return pairs // 2 if self.sizes.causal and not whole else pairs
