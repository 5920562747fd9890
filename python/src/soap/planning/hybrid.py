# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A hybrid plan (docs/Hierarchical.md) and its figures, as the pass reports them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

RECOMPUTE = ("none", "selective", "whole")


@dataclass(frozen=True)
class Shape:
    """The value of the option `plan=` of --soap-plan-hybrid."""

    stages: int = 1
    chunks: int = 1
    tensor: int = 1
    context: int = 1
    data: int = 1
    samples: int = 1
    zero: int = 0
    #: Replicas that share the experts of a mixture; tensor parallelism divides them, too.
    experts: int = 1
    sequence: bool = False
    zigzag: bool = False
    #: A forward and a backward pass of different microbatches run side by side.
    overlap: bool = False
    #: None: as little as fits, stage by stage.
    recompute: str | None = None
    offload: bool = False

    @property
    def devices(self) -> int:
        return self.stages * self.data * self.context * self.tensor

    def microbatches(self, batch: int) -> int:
        """As few as need at most `samples` samples; interleaved, the next multiple of the stages."""
        count = -(-batch // (self.data * self.samples))
        return -(-count // self.stages) * self.stages if self.chunks > 1 else count

    def is_even(self, batch: int) -> bool:
        return batch == self.data * self.samples * self.microbatches(batch)

    def option(self) -> str:
        parts = [f"{name}={getattr(self, name)}"
                 for name in ("stages", "chunks", "tensor", "context", "data", "samples", "zero")]  # fmt: skip
        if self.experts > 1:
            parts.append(f"experts={self.experts}")
        parts += [name for name in ("sequence", "zigzag", "overlap", "offload") if getattr(self, name)]
        if self.recompute:
            parts.append(f"recompute={self.recompute}")
        return ",".join(parts)

    def in_words(self, batch: int) -> str:
        spread = [f"{n} {word}" for n, word in ((self.tensor, "tensor"), (self.context, "context"), (self.data, "data"))
                  if n > 1]  # fmt: skip
        parts = [" x ".join(spread) or "1 device"]
        if self.stages > 1:
            of_stage = self.devices // self.stages
            parts[0] = (
                f"{self.stages} stages of {parts[0]}" if of_stage == 1 else f"{self.stages} stages of ({parts[0]})"
            )
            parts.append(f"interleaved 1F1B, {self.chunks} chunks" if self.chunks > 1 else "1F1B")
        count = self.microbatches(batch)
        few = "1 sample" if self.samples == 1 else f"{self.samples} samples"
        parts.append(f"{count} microbatch{'es' * (count > 1)} of {few}")
        if self.sequence:
            parts.append("sequence parallel")
        if self.experts > 1:
            parts.append(f"experts over {self.experts * self.tensor} devices")
        if self.overlap:
            parts.append("passes side by side")
        if self.zero:
            parts.append({1: "ZeRO-1", 2: "ZeRO-2", 3: "ZeRO-3 (FSDP)"}[self.zero])
        elif self.data > 1:
            parts.append("whole states on each replica")
        if self.recompute and self.recompute != "none":
            parts.append(f"{self.recompute} recomputation")
        if self.offload:
            parts.append("optimizer states in host memory")
        return ", ".join(parts)

    def kind(self) -> str:
        """The row of the table that it belongs to."""
        if self.devices == 1:
            return "1 device"
        if self.stages * self.context * self.tensor * self.experts == 1:
            return {0: "DDP", 1: "ZeRO-1", 2: "ZeRO-2", 3: "FSDP (ZeRO-3)"}[self.zero]
        parts = [name for name, n in (("TP", self.tensor), ("CP", self.context), ("EP", self.experts),
                                      ("PP", self.stages)) if n > 1]  # fmt: skip
        return " + ".join(parts) + (" + FSDP" if self.zero == 3 else "")


@dataclass(frozen=True)
class Plan:
    """A priced plan."""

    shape: Shape
    batch: int
    nanoseconds: int
    excess_bytes: int
    peak_bytes: int
    report: dict[str, Any]  # what the pass says of it

    @property
    def seconds(self) -> float:
        return self.nanoseconds * 1e-9

    @property
    def fits(self) -> bool:
        return self.excess_bytes == 0

    @property
    def reserve_bytes(self) -> int:
        """Bytes that an executor holds beside its tensors (docs/Executors.md)."""
        return max(self.report.get("held_bytes", self.peak_bytes) - self.peak_bytes, 0)

    def state(self, memory_bytes: int) -> str:
        """Whether it fits: a price may fall short of what a simulation shows (docs/Hierarchical.md)."""
        if not self.fits:
            return f"does not fit (+{self.excess_bytes / 1e9:.1f} GB)"
        most = self.report.get("max_bytes", self.peak_bytes) + self.reserve_bytes
        if not self.is_simulated and most > memory_bytes:
            return f"may not fit (up to {most / 1e9:.0f} GB)"
        return "" if self.is_simulated else "priced"

    def rank(self, memory_bytes: int) -> tuple[int, int]:
        state = self.state(memory_bytes)
        if not self.fits:
            return 2, self.excess_bytes
        return int(state.startswith("may")), self.nanoseconds

    @property
    def is_simulated(self) -> bool:
        return bool(self.report.get("simulated_microbatches"))

    def recompute_by_stage(self) -> list[str]:
        return [stage["recompute"] for stage in self.report.get("by_stage", [])]

    def memory_by_kind(self) -> dict[str, int]:
        """Of the device that needs most, by its price: bytes of each kind."""
        stages, groups = self.report.get("by_stage", []), self.shape.stages
        kinds = {"weights as passes read them": "parameter_bytes", "gradients": "gradient_bytes",
                 "moments and weights of updates": "state_bytes",
                 "activations": "activation_bytes", "temporaries": "scratch_bytes"}  # fmt: skip
        of_groups = []
        for group in range(groups):
            own = stages[group::groups]
            # Stages of a group share what is there for a moment.
            of_groups.append({kind: (max if kind == "temporaries" else sum)(stage[key] for stage in own)
                              for kind, key in kinds.items()})  # fmt: skip
        most = max(of_groups, key=lambda group: sum(group.values()), default={})
        if most and self.reserve_bytes:
            most["reserve of the executor"] = self.reserve_bytes
        return most


def plan_of(report: dict[str, Any], batch: int) -> Plan:
    """From an entry of the pass's report: `best`, or one of `others` or `all`."""
    levels = {stage["recompute"] for stage in report.get("by_stage", [])}
    shape = Shape(stages=report["stages"], chunks=report["chunks"], tensor=report["tensor"],
                  context=report["context"], data=report["data"], samples=report["samples"], zero=report["zero"],
                  experts=report["experts"], sequence=report["sequence"], zigzag=report["zigzag"],
                  overlap=report["overlap"],
                  recompute=levels.pop() if len(levels) == 1 else None,
                  offload=report.get("host_bytes", 0) > 0)  # fmt: skip
    return Plan(shape=shape, batch=batch, nanoseconds=report["makespan_ns"], excess_bytes=report["excess_bytes"],
                peak_bytes=report.get("peak_bytes", report.get("priced_bytes", 0)), report=report)  # fmt: skip
