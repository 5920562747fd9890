# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention kernels of a profile: times on a grid of heads, positions and heads of keys, by the width of a head."""
import numpy as np
from scipy.spatial import cKDTree

from . import products

# Heads of keys for 64 heads of queries.
KEY_HEADS = (1, 4, 16, 64)


def axis(sizes, least=0.4):
    """The measured sizes that are apart by so many doublings, with the first and the last."""
    sizes = sorted(set(sizes))
    kept = sizes[:1]
    for size in sizes[1:]:
        if np.log2(size / kept[-1]) > least:
            kept.append(size)
    if kept[-1] != sizes[-1]:
        kept[-1] = sizes[-1]
    return kept


def grid(rows, causal, width):
    """The profile's grid of rows (samples, positions, heads, heads of keys, us)."""
    data = np.array(rows, float)
    samples, positions, heads, keys, us = data.T
    all_heads, share = samples * heads, keys / heads * 64
    flops = 4 * width * (0.5 if causal else 1) * all_heads * positions ** 2
    # A launch and the best rate: differences from that are means of what is nearby.
    launch, rate = np.percentile(us, 2), np.percentile(flops / us, 95)
    off = np.log(us) - np.log(launch + flops / rate)
    top = int(np.ceil(np.log2(all_heads.max())))
    axes = [[2 ** i for i in range(top + 1)], [int(v) for v in axis(positions)],
            [int(v) for v in KEY_HEADS if v >= share.min() / 2] if causal else [32, 64]]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3).astype(float)
    scale = np.array([1, 1.5, 0.5])
    x = np.log2(np.stack([all_heads, positions, share], axis=1)) * scale
    distance, index = cKDTree(x).query(np.log2(nodes) * scale, k=8, p=1)
    weight = np.exp(-(distance - distance[:, :1]) / 0.3)
    log = (weight * off[index]).sum(1) / weight.sum(1)
    log += np.log(launch + 4 * width * (0.5 if causal else 1) * nodes[:, 0] * nodes[:, 1] ** 2 / rate)
    log = products.rising_grid(log.reshape([len(a) for a in axes]))
    ns = [int(float("%.3g" % v)) for v in np.exp(log).ravel() * 1000]
    return {"causal": causal, "width": width, "heads": axes[0], "positions": axes[1], "key_heads": axes[2], "ns": ns}


def grids(causal_rows, whole_rows):
    """All grids of rows (samples, positions, heads, heads of keys, width, us)."""
    result = []
    for rows, causal in ((causal_rows, True), (whole_rows, False)):
        for width in sorted({row[4] for row in rows}):
            result.append(grid([row[:4] + row[5:] for row in rows if row[4] == width], causal, width))
    return result
