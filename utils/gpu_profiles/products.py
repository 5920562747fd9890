# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products of a profile: a model of tiles and waves, and by how much measured times differ from it, on a grid.

docs/CostModel.md has the formula; lib/Profile/ProductModel.cpp computes the same.
"""
import numpy as np
from scipy.spatial import cKDTree

# Rows and columns of the tiles that a kernel may have, and into how many parts it may split the depth.
TILES = ((64, 64), (128, 64), (128, 128), (256, 128), (256, 256))
SPLITS = (1, 2, 4, 8, 16)
DEPTH = 64
# Multiples that rows are compared with; fewer rows are in one tile anyhow.
ROWS = 16
# Levels of a difference: one character each.
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
NAMES = ("launch", "wave", "row", "operand", "cache", "memory", "split")


def element_bytes(dtype):
    return {"bf16": 2, "f8": 1, "f4": 0.5}[dtype]


def tiles_us(x, processors, cache_bytes, eb, p):
    """The model's time in us of products of m, n, k. p: launch, wave, row, operand, cache, memory, split, then a time
    by tile."""
    m, n, k = x[:, 0], x[:, 1], x[:, 2]
    best = np.full(len(x), np.inf)
    for i, (a, b) in enumerate(TILES):
        for bm, bn in ((a, b), (b, a)) if a != b else ((a, b),):
            tiles = np.ceil(m / bm) * np.ceil(n / bn)
            for s in SPLITS:
                t = np.ceil(tiles * s / processors) * (p[1] + np.ceil(k / s / DEPTH) * p[7 + i])
                if s > 1:
                    t = t + p[1] + p[6] * m * n * s
                best = np.minimum(best, t)
    size = eb * (m * k + n * k) + 2 * m * n
    moving = np.minimum(size, cache_bytes) * p[4] + np.maximum(size - cache_bytes, 0) * p[5]
    return p[0] + p[2] * m + p[3] * m * k + (best ** 3 + moving ** 3) ** (1 / 3)


def fit_tiles(x, us, processors, cache_bytes, eb, peak, bandwidth, seed=1, most=3000, rounds=60):
    """The numbers of `tiles_us`, by pattern search on a sample."""
    draw = np.random.default_rng(seed)
    some = draw.permutation(len(x))[:most]
    x, y = x[some], np.log(us[some])
    per = 2 * DEPTH / (peak / processors) * 1e6
    # Of a tile: multiples of the time at the peak.
    at = np.log(np.array([2.0, 0.5, 1e-4, 1e-8, 0.5e6 / bandwidth, 1.2e6 / bandwidth, 4e6 / bandwidth]
                         + [per * a * b * f for (a, b), f in zip(TILES, (2.5, 1.8, 1.5, 1.3, 1.3))]))

    def cost(q):
        e = np.log(tiles_us(x, processors, cache_bytes, eb, np.exp(q))) - y
        return np.mean(np.sqrt(e ** 2 + 0.03 ** 2))

    best, at = search(cost, at, rounds)
    return np.exp(at), best


def search(cost, at, rounds):
    """A pattern search: one number up or down at a time, in steps that grow and shrink."""
    best, step = cost(at), np.full(len(at), 0.5)
    for _ in range(rounds):
        for d in range(len(at)):
            for sign in (1, -1):
                q = at.copy()
                q[d] += sign * step[d]
                value = cost(q)
                if value < best:
                    best, at = value, q
                    step[d] *= 1.5
                    break
            else:
                step[d] *= 0.5
        step = np.maximum(step, 0.002)
    return best, at


def is_odd(m):
    """Rows for which kernels are slower."""
    return (m > ROWS) & (m % ROWS != 0)


def grid_axes(x):
    """Rows, columns and depths of the grid: those that were measured, of rows the whole ones."""
    rows = np.unique(x[:, 0])
    rows = rows[~is_odd(rows)]
    small = [r for r in rows if r <= ROWS and int(r) & (int(r) - 1) == 0]
    return [np.array(small + [r for r in rows if r > ROWS]), np.unique(x[:, 1]), np.unique(x[:, 2])]


def grid_differences(x, log, nodes, shape, near=8, length=0.25):
    """On all nodes of the grid: means of the logarithms nearby, in doublings of the sizes."""
    distance, index = cKDTree(np.log2(x)).query(np.log2(nodes), k=near, p=1)
    weight = np.exp(-(distance - distance[:, :1]) / length)
    return ((weight * log[index]).sum(1) / weight.sum(1)).reshape(shape)


def rising_line(values):
    """The values that never fall and differ least in sum from these: neighbours that fall get their median."""
    pools = []
    for value in values:
        pools.append(([value], value))
        while len(pools) > 1 and pools[-2][1] > pools[-1][1]:
            pool = pools[-2][0] + pools[-1][0]
            pools[-2:] = [(pool, float(np.median(pool)))]
    return np.concatenate([np.full(len(pool), middle) for pool, middle in pools])


def rising_grid(values, rounds=6):
    """The same along all axes, in turn, then exactly: half way between the largest before and the smallest behind."""
    for _ in range(rounds):
        for d in range(values.ndim):
            moved = np.moveaxis(values, d, -1)
            falls = (np.diff(moved, axis=-1) < 0).any(axis=-1)
            if falls.any():
                moved = moved.copy()
                for line in np.argwhere(falls):
                    moved[tuple(line)] = rising_line(moved[tuple(line)])
                values = np.moveaxis(moved, -1, d)
    upper, lower = values, values
    for d in range(values.ndim):
        upper = np.maximum.accumulate(upper, axis=d)
        lower = np.flip(np.minimum.accumulate(np.flip(lower, d), axis=d), d)
    return (upper + lower) / 2


def grid(device, dtype, rows, gpu, odd_features):
    """The profile's `products` of rows (m, n, k, us), and the error of the model of tiles alone."""
    data = np.array(rows, float)
    x, us = data[:, :3], data[:, 3]
    eb, cache = element_bytes(dtype), gpu["cache"] * 2 ** 20
    numbers, error = fit_tiles(x, us, gpu["processors"], cache, eb, gpu["rates"][dtype] * 1e12, gpu["memory"] * 1e12)
    numbers = np.array([float("%.5g" % v) for v in numbers])
    axes = grid_axes(x)
    odd, log = is_odd(x[:, 0]), np.log(us) - np.log(tiles_us(x, gpu["processors"], cache, eb, numbers))
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    differences = []
    for is_odd_grid in (False, True):
        chosen = odd == is_odd_grid if (odd == is_odd_grid).sum() > 100 else ~odd
        at = nodes + [[1, 0, 0]] * (nodes[:, :1] >= ROWS) if is_odd_grid else nodes
        off = grid_differences(x[chosen], log[chosen], at, [len(a) for a in axes])
        model = np.log(tiles_us(at, gpu["processors"], cache, eb, numbers)).reshape(off.shape)
        differences.append(rising_grid(model + off) - model)
    step = float("%.3g" % (1.001 * max(np.abs(d).max() for d in differences) / 31))
    step = min(step, 0.04)
    texts = ["".join(ALPHABET[int(v)] for v in np.clip(np.rint(d / step) + 32, 0, 63).ravel()) for d in differences]
    times = numbers * 1000
    return {"dtype": dtype, "processors": gpu["processors"], "cache_bytes": cache,
            "times_ns": dict(zip(NAMES, times[:7].round(12).tolist())), "tile_ns": times[7:].tolist(), "odd_features": odd_features,
            "rows": [int(v) for v in axes[0]], "columns": [int(v) for v in axes[1]], "depths": [int(v) for v in axes[2]],
            "step": step, "differences": texts[0], "odd_differences": texts[1]}, error
