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
    window: int = 0  # keys that a query sees; 0: all
    full_every: int = 0  # every so many blocks, one without a window
    kv_rank: int = 0  # of latent keys and values (DeepSeek-V2); 0: none
    query_rank: int = 0
    rope_width: int = 0  # elements of latent heads that turn
    value_width: int = 0  # 0: head_width
    shared_experts: int = 0
    expert_groups: int = 0  # of which a token's experts are of `token_groups`; no generator has them
    token_groups: int = 0
    dense_layers: int = 0  # first blocks without experts, with feed-forward layers of `dense_inner`
    dense_inner: int = 0

    @property
    def attention_width(self) -> int:
        return self.heads * self.head_width

    @property
    def full_layers(self) -> int:
        """Blocks without a window."""
        return self.layers if not self.window else self.layers // self.full_every if self.full_every else 0

    def attention_products(self) -> int:
        """Elements of the weights of attention in a block."""
        if not self.kv_rank:
            return self.width * 2 * (self.attention_width + self.kv_heads * self.head_width)
        straight = self.head_width - self.rope_width
        queries = (self.width + self.attention_width) * self.query_rank or self.width * self.attention_width
        down = self.width * (self.kv_rank + self.rope_width)
        up = self.kv_rank * self.heads * (straight + self.value_width)
        return queries + down + up + self.heads * self.value_width * self.width

    def products(self) -> int:
        """Elements of the weights that one token is multiplied by in all blocks."""
        feed = (3 if self.gated else 2) * self.width
        of_experts = self.width * self.experts + (self.top_k + self.shared_experts) * feed * self.inner
        sparse = self.layers - self.dense_layers
        fed = sparse * (of_experts if self.experts else feed * self.inner) + self.dense_layers * feed * self.dense_inner
        return self.layers * self.attention_products() + fed


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
            raise PlanError(
                f"--seq-length {length}: {self.name} has {self.fixed_length} positions, expected no --seq-length"
            )
        if length > self.max_length:
            raise PlanError(
                f"--seq-length {length}: {self.name} has {self.why_max}, expected at most {self.max_length}"
            )

    def generator_options(self, length: int) -> dict[str, int]:
        return dict(self.options) if self.fixed_length else {**self.options, "length": length}

    def flops_of_sample(self, length: int) -> int:
        """Of the forward and the backward pass: products, each once, and attention as far as it is looked at. Nothing
        that is recomputed. The definition of MFU in docs/SoapPlan.md."""
        of_token = self.sizes.products() + self.other_products
        elements = of_token * length
        if self.rare_products[1]:
            elements += self.rare_products[0] * self.rare_products[1]
        else:
            elements += self.sizes.width * self.sizes.vocabulary * length
        return 6 * elements + self.attention_flops(length)

    def attention_flops(self, length: int, whole: bool = False) -> int:
        """Of a sample; causal attention looks at half of all pairs, or at a window of keys. `whole`: at all."""
        sizes = self.sizes
        # Two products of two operations, three times: of heads of keys, and of values.
        widths = 6 * sizes.heads * (sizes.head_width + (sizes.value_width or sizes.head_width))
        pairs = length * length if whole or not sizes.causal else length * length // 2
        keys = min(sizes.window, length)
        windowed = pairs if whole else keys * length - keys * keys // 2
        return widths * (sizes.full_layers * pairs + (sizes.layers - sizes.full_layers) * windowed)
