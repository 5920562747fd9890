# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The profile of an H200 from times of single ops (docs/CostModel.md): tables by Soap's ops and loops, and curves
fitted to them.

The CSV has lines `op,direction,dtype,shape,ns`: conv2d N x C x H x W x K x R x S x strides x pads, matmul M x N x K of
Y[M,N] = X[M,K] W[N,K]^T, batch_norm N x C x H x W, softmax_cross_entropy rows x classes, others a number of elements.
"""
import csv
import itertools

import numpy as np

# Of the measured device, from its datasheet: what curves are scaled by on other devices (tf32 and bf16 without
# sparsity).
DEVICE = {"flops_per_s": {"f32": 67e12, "tf32": 494.5e12, "bf16": 990e12}, "memory_bandwidth_bytes_per_s": 4.8e12, "launch_s": 2e-6}
SOURCE = ("One H200, PyTorch 2.11, cuDNN 9.19 (autotuned), cuBLAS 13: median of 7 replays of a CUDA graph of 8 calls that rotate over 3 sets of "
          "buffers. Curves: fitted by utils/make-gpu-profiles.py")
LOOPS = {("conv2d", "forward"): "n g o h w i kh kw", ("conv2d", "input_grad"): "n g i h w o kh kw",
         ("conv2d", "weight_grad"): "g o i kh kw n h w"}


def read(path):
    """{(op, direction, dtype): [(shape, ns)]} in the file's order."""
    tables = {}
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            key = row["op"], row["direction"], row["dtype"]
            tables.setdefault(key, []).append((tuple(map(int, row["shape"].split("x"))), int(row["ns"])))
    return tables


def element_bytes(dtype):
    return 2 if dtype == "bf16" else 4


# Ops that are measured by points, as Soap calls them: kernels of their own, whatever their loops.
BY_POINTS = {"sgd_momentum": "sgd", "softmax_cross_entropy": "cross_entropy"}


class Shape:
    """A measured shape in Soap's terms: extents of the op's loops, strides, bytes, and the sizes that curves are
    functions of."""

    def __init__(self, key, shape):
        op, direction, dtype = key
        e = element_bytes(dtype)
        self.strides = []
        if op == "conv2d":
            n, c, h, w, k, r, s, sh, sw, ph, pw = shape
            oh, ow = (h + 2 * ph - r) // sh + 1, (w + 2 * pw - s) // sw + 1
            at = {"n": n, "g": 1, "o": k, "i": c, "kh": r, "kw": s, "h": oh, "w": ow}
            if direction == "input_grad":
                at["h"], at["w"] = h, w
            self.extents = [at[loop] for loop in LOOPS[op, direction].split()]
            self.strides = [sh, sw]
            self.bytes = e * (n * c * h * w + c * k * r * s + n * k * oh * ow)
            self.sizes = [n * at["h"] * at["w"], c, k, r * s, sh * sw]
        elif op == "matmul":
            m, n, k = shape
            self.extents = {"forward": [m, n, k], "input_grad": [m, k, n], "weight_grad": [n, k, m]}[direction]
            self.bytes = e * (m * n + m * k + n * k)
            self.sizes = [m, n, k]
        else:
            points = int(np.prod(shape))
            # Tiles that Soap's op reads and writes.
            tiles = {("relu", "forward"): 2, ("add", "forward"): 3, ("copy", "forward"): 2, ("sgd_momentum", "forward"): 5,
                     ("batch_norm", "forward"): 2, ("batch_norm", "backward"): 3,
                     ("softmax_cross_entropy", "forward"): 1, ("softmax_cross_entropy", "backward"): 2}[op, direction]
            self.bytes = tiles * e * points
            self.sizes = [points, self.bytes]
            self.extents = [points]
        # Of cross_entropy, labels and what the forward pass keeps of each row, too.
        labels = 16 * shape[0] if op == "softmax_cross_entropy" else 0
        self.entry = self.extents + self.strides + [self.bytes + labels]


def non_negative_least_squares(a, b):
    """Lawson and Hanson: minimizes |a x - b| with x >= 0."""
    columns = a.shape[1]
    x, passive = np.zeros(columns), np.zeros(columns, bool)
    gram, right = a.T @ a, a.T @ b
    for _ in range(3 * columns):
        gradient = right - gram @ x
        gradient[passive] = -np.inf
        best = int(np.argmax(gradient))
        if gradient[best] <= 1e-10 * abs(right[best]):
            break
        passive[best] = True
        while True:
            trial = np.zeros(columns)
            trial[passive] = np.linalg.lstsq(a[:, passive], b, rcond=None)[0]
            if (trial[passive] > 0).all():
                x = trial
                break
            negative = passive & (trial <= 0)
            step = np.min(x[negative] / (x[negative] - trial[negative]))
            x = x + step * (trial - x)
            passive &= x > 1e-12 * x.max()
            x[~passive] = 0
    return x


def candidates(op):
    """(resource, powers of the sizes) of the terms that a curve may have: the tensors' bytes, and the work times
    falling powers of the sizes, which say how efficiency comes with size."""
    if op == "conv2d":
        terms = [("memory", (1, 1, 0, 0, 1)), ("memory", (1, 1, 0, 0, 0)), ("memory", (0, 1, 1, 1, 0)), ("memory", (1, 0, 1, 0, 0))]
        terms += [("compute", powers + (0,)) for powers in itertools.product((0, 0.5, 1), repeat=4) if any(powers)]
        terms += [("compute", (a, b, c, c, 0)) for a, b, c in itertools.product((0, 0.25, 0.5, 0.75, 1), repeat=3) if a + b + c]
        terms += [("compute", (a, b, c, b, 0)) for a, b, c in itertools.product((0, 0.25, 0.5, 0.75, 1), repeat=3) if a + b + c]
    elif op == "matmul":
        terms = [("memory", powers) for powers in ((1, 1, 0), (1, 0, 1), (0, 1, 1))]
        terms += [("compute", powers) for powers in itertools.product((0, 0.25, 0.5, 0.75, 1), repeat=3) if any(powers)]
    else:
        terms = [("memory", (0, 1))]
    return [("launch", ())] + list(dict.fromkeys(terms))


def columns(terms, sizes):
    sizes = np.asarray(sizes, float)
    return np.stack([np.prod(sizes[:, :len(powers)] ** np.asarray(powers), axis=1) if powers else np.ones(len(sizes))
                     for _, powers in terms], axis=1)


def is_odd(dtype, sizes):
    """Sizes that library kernels are slow for: not a multiple of 16 bytes."""
    multiple = {"bf16": 8, "tf32": 4}.get(dtype, 1)
    return len(sizes) > 2 and (sizes[1] % multiple != 0 or sizes[2] % multiple != 0)


def fit_curve(key, shapes, times):
    """Terms with their ns; relative errors, the large ones of them counting less than squared."""
    terms = candidates(key[0])
    sizes = [shape.sizes for shape in shapes]
    table, times = columns(terms, sizes), np.asarray(times, float)
    scale = table.max(axis=0)
    base = np.where([is_odd(key[2], s) for s in sizes], 0.2, 1.0) / times
    weight = base
    for _ in range(5):
        x = non_negative_least_squares(table / scale * weight[:, None], times * weight)
        error = np.abs(table / scale @ x / times - 1)
        weight = base / np.sqrt(np.maximum(error, 0.05))
    x = x / scale
    return [{"resource": resource, "ns": float("%.6g" % ns), **({"powers": list(powers)} if powers else {})}
            for (resource, powers), ns in zip(terms, x) if ns > 0]


def evaluate(terms, sizes):
    return np.maximum(columns([(t["resource"], tuple(t.get("powers", ()))) for t in terms], sizes) @ np.array([t["ns"] for t in terms]), 1)


def fit_kernel(key, shapes, times, terms, rounds=40):
    """Lengths (in doublings of each size), spread, noise and the distance between aligned and odd shapes of a Gaussian
    process on log(measured / curve), of largest likelihood."""
    sizes = np.asarray([shape.sizes for shape in shapes], float)
    x, y = np.log2(sizes), np.log(np.asarray(times, float) / evaluate(terms, sizes))
    odd = np.array([is_odd(key[2], s) for s in sizes])
    apart = odd[:, None] != odd[None]
    distances = np.abs(x[:, None] - x[None])

    def cost(p):
        lengths, spread, noise, alignment = np.exp(p[:-3]), np.exp(2 * p[-3]), np.exp(2 * p[-2]), np.exp(p[-1])
        matrix = spread * np.exp(-(distances / lengths).sum(axis=2) - alignment * apart) + noise * np.eye(len(y))
        try:
            lower = np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            return 1e9
        z = np.linalg.solve(lower, y)
        return z @ z / 2 + np.log(np.diag(lower)).sum() + 0.05 * ((p[:-3] - np.log(3)) ** 2).sum() + 0.05 * p[-1] ** 2

    p = np.r_[np.full(x.shape[1], np.log(3.0)), np.log(max(y.std(), 0.05)), np.log(0.1), 0.0]
    best, step = cost(p), np.full(len(p), 0.6)
    for i in range(rounds):
        d = i % len(p)
        for sign in (1, -1):
            q = p.copy()
            q[d] += sign * step[d]
            value = cost(q)
            if value < best:
                best, p, step[d] = value, q, step[d] * 1.3
                break
        else:
            step[d] *= 0.5
    values = [float("%.3g" % v) for v in np.exp(p)]
    return {"lengths": [min(max(v, 0.1), 50) for v in values[:-3]], "spread": max(values[-3], 0.01), "noise": max(values[-2], 0.02),
            "alignment": min(values[-1], 50)}


def table(key, loops, shapes, times, terms, kernels):
    kernel = kernels[key] if kernels else fit_kernel(key, shapes, times, terms)
    op, direction, dtype = key
    return {"op": BY_POINTS.get(op, op), "direction": direction, "dtype": dtype, "loops": loops, "strides": len(shapes[0].strides), **kernel,
            "entries": [shape.entry + [ns] for shape, ns in sorted(zip(shapes, times), key=lambda it: it[0].entry)]}


def make_profile(tables, kernels=None):
    """The profile of {key: [(shape, ns)]}. `kernels`: parameters by key, where they are known already."""
    profile = {"version": 1, "device": "h200", "source": SOURCE, **DEVICE, "tables": [], "curves": [], "collectives": []}
    rest = {}
    for key, rows in sorted(tables.items()):
        shapes, times = [Shape(key, shape) for shape, _ in rows], [ns for _, ns in rows]
        if key[0] not in ("conv2d", "matmul"):
            kind = {"batch_norm": "normalization", "softmax_cross_entropy": "softmax"}.get(key[0], "elementwise")
            rest.setdefault((kind, key[1], key[2]), []).extend(zip(shapes, times))
            if key[0] in BY_POINTS:
                profile["tables"].append(table(key, ["points"], shapes, times, fit_curve(key, shapes, times), kernels))
            continue
        terms = fit_curve(key, shapes, times)
        op, direction, dtype = key
        profile["tables"].append(table(key, LOOPS.get((op, direction), "m n k").split(), shapes, times, terms, kernels))
        profile["curves"].append({"op": op, "direction": direction, "dtype": dtype, "terms": terms})
    for key, rows in sorted(rest.items()):
        terms = fit_curve(key, [shape for shape, _ in rows], [ns for _, ns in rows])
        profile["curves"].append({"op": key[0], "direction": key[1], "dtype": key[2], "terms": terms})
    return profile
