# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates the text of an imported module with NumPy: a second opinion on import that needs no lowering.

It knows the ops that ONNX import emits, one per line, with constants in place or as resources. Written from the op
descriptions, not from the lowering.
"""

import ast
import dataclasses
import math
import re

import numpy as np


@dataclasses.dataclass
class Argument:
    value: str
    shape: tuple
    attributes: dict
    integer: bool = False
    limit: int = 2  # of indices: rows of the smallest table that they index


@dataclasses.dataclass
class Op:
    results: list
    name: str
    operands: list
    attributes: dict
    shapes: list
    text: str
    types: str
    resource: bytes = b""  # of a large constant

    @property
    def shape(self):
        return self.shapes[0]


class Function:
    def __init__(self, text):
        # Names of long constants and types.
        names = dict(re.findall(r"^([#!]\w+) = (.*)$", text, re.M))
        text = re.sub(r"(?<![\w#!])[#!]\w+\b(?! = )", lambda match: names.get(match.group(), match.group()), text)
        head = re.search(r"func\.func @forward\((.*)\) -> (.*) \{$", text, re.M)
        self.arguments = [Argument(value, shape_of(kind), attributes_of(rest), "i32>" in kind)
                          for value, kind, rest in re.findall(r"(%\w+): (tensor<[^>]*>) \{((?:[^{}]|\{[^{}]*\})*)\}", head.group(1))]
        self.results = [(shape_of(kind), attributes_of(rest))
                        for kind, rest in re.findall(r"(tensor<[^>]*>) \{([^{}]*)\}", head.group(2))]
        # The file's end: large constants. The first 4 bytes of each are its alignment.
        body, _, resources = text[head.end():].partition("dialect_resources")
        resources = {name: bytes.fromhex(digits[8:]) for name, digits in re.findall(r'^\s*"?([^"\s]+?)"?: "0x([0-9A-Fa-f]*)"', resources, re.M)}
        self.ops, self.returned = [], []
        for line in body.splitlines():
            line = line.strip()
            op = re.match(r"(%\w+(?:, %\w+)*) = soap\.(\w+)(.*) : (.*)$", line)
            if op:
                rest, types = op.group(3), op.group(4)
                attributes = re.search(r" \{(.*)\}", rest)
                before = rest[:attributes.start()] if attributes else rest
                shapes = [shape_of(kind) for kind in re.findall(r"tensor<[^>]*>", types.rsplit("->", 1)[-1])]
                self.ops.append(Op(op.group(1).split(", "), op.group(2), re.findall(r"%\w+", before),
                                   {**defaults_of(op.group(2), len(shapes[0])),
                                    **(attributes_of(attributes.group(1)) if attributes else {})}, shapes, rest, types,
                                   next((resources[name] for name in re.findall(r'dense_resource<"?([^">]*)"?>', rest)), b"")))
            elif line.startswith("return"):
                self.returned = re.findall(r"%\w+", line.split(" : ")[0])
            elif line == "}":
                break
        for argument in self.arguments:
            tables = [shape_of(op.types) for op in self.ops if op.name == "gather" and op.operands[1] == argument.value]
            argument.limit = min([shape[0] for shape in tables], default=2)


def shape_of(text):
    dims = re.search(r"tensor<((?:\d+x)*)[fi]32>", text).group(1)
    return tuple(int(dim) for dim in dims.split("x") if dim)


def attributes_of(text):
    """The attributes that the evaluator reads: enums, strings, numbers, integer lists and unit attributes."""
    result = {}
    for key, value in re.findall(r"([\w.]+)(?: = (array<i64[^>]*>|#soap\.\w+<\w+>|\"[^\"]*\"|dense(?:_resource)?<[^>]*> : tensor<[^>]*>|[-\w.+]+(?: : \w+)?))?", text):
        if value.startswith("array<i64"):
            result[key] = [int(item) for item in re.findall(r"-?\d+", value[len("array<i64"):])]
        elif value.startswith("#soap"):  # an enum
            result[key] = value[value.index("<") + 1:-1]
        elif value.startswith('"'):
            result[key] = value[1:-1]
        elif re.match(r"0x[0-9A-F]{16} : f64", value):  # an infinity
            result[key] = np.frombuffer(bytes.fromhex(value[2:18])[::-1], np.float64)[0]
        elif re.match(r"-?[\d.]+([eE][-+]?\d+)?( :|$)", value):
            number = value.split(" ")[0]
            result[key] = float(number) if "." in number else int(number)
        else:
            result[key] = value or True
    return result


def defaults_of(name, rank):
    """Attributes that are not printed where they have these values."""
    if name.startswith("conv2d"):
        return {"padding": [0] * 4, "dilations": [1, 1], "groups": 1}
    if "pool2d" in name:
        return {"padding": [0] * 4, "dilations": [1, 1]}
    if name == "slice":
        return {"offsets": [0] * rank, "strides": [1] * rank}
    return {"low": [0] * rank, "interior": [0] * rank} if name == "pad" else {}


def dense(text, shape, kind=np.float32):
    if '"0x' in text:
        return np.frombuffer(bytes.fromhex(re.search(r'"0x([0-9A-Fa-f]*)"', text).group(1)), kind).reshape(shape)
    values = re.search(r"dense<(.*?)>(?: : tensor|$)", text).group(1)
    if values.startswith("0x"):
        return np.full(shape, np.frombuffer(bytes.fromhex(values[2:])[::-1], np.float32)[0], np.float32)
    # Infinities are printed as their bits.
    values = values.replace("0xFF800000", "-1e999").replace("0x7F800000", "1e999")
    return np.broadcast_to(np.array(ast.literal_eval(values), kind), shape)


def constant(op):
    kind = np.int32 if "i32>" in op.types else np.float32
    return np.frombuffer(op.resource, kind).reshape(op.shape) if op.resource else dense(op.text, op.shape, kind)


def windows(x, kernel, strides, padding, dilations, fill):
    """[n, c, oh, ow, kh, kw] with values outside of x replaced."""
    top, left, bottom, right = padding
    padded = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    view = np.lib.stride_tricks.sliding_window_view(padded, reach, axis=(2, 3))
    return view[:, :, ::strides[0], ::strides[1], ::dilations[0], ::dilations[1]]


def conv2d(op, x, w):
    a = op.attributes
    groups, out = a["groups"], w.shape[0]
    view = windows(x, w.shape[2:], a["strides"], a["padding"], a["dilations"], 0)
    parts = []
    for g in range(groups):
        channels = slice(g * w.shape[1], (g + 1) * w.shape[1])
        filters = w[g * (out // groups):(g + 1) * (out // groups)]
        parts.append(np.einsum("nchwij,ocij->nohw", view[:, channels], filters, optimize=True))
    return np.concatenate(parts, 1)


def avg_pool2d(op, x):
    a = op.attributes
    top, left, bottom, right = a["padding"]
    pool = lambda image: windows(image, a["kernel"], a["strides"], a["padding"], a["dilations"], 0).sum((-1, -2))
    # The counted elements: the image, the padded image, or what count_low and count_size say.
    counted = np.zeros((1, 1, x.shape[2] + top + bottom, x.shape[3] + left + right))
    low, size = a.get("count_low", [0, 0]), a.get("count_size", x.shape[2:])
    if "count_include_pad" in a and "count_low" not in a:
        low, size = [-top, -left], counted.shape[2:]
    counted[:, :, low[0] + top:low[0] + top + size[0], low[1] + left:low[1] + left + size[1]] = 1
    count = windows(counted, a["kernel"], a["strides"], [0] * 4, a["dilations"], 0).sum((-1, -2))
    return pool(x) / count


def pad(op, x):
    a = op.attributes
    result = np.full(op.shape, a.get("value", 0.0), np.float32)
    for index in np.ndindex(*x.shape):
        target = tuple(i * (interior + 1) + low for i, low, interior in zip(index, a["low"], a["interior"]))
        if all(0 <= t < extent for t, extent in zip(target, op.shape)):
            result[target] = x[index]
    return result


def slice_(op, x):
    a = op.attributes
    return x[tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in zip(a["offsets"], a["sizes"], a["strides"]))]


def broadcast(op, x):
    return np.broadcast_to(np.expand_dims(x, tuple(op.attributes["axes"])), op.shape)


def matmul(op, a, b):
    a = np.swapaxes(a, -1, -2) if "transpose_a" in op.attributes else a
    b = np.swapaxes(b, -1, -2) if "transpose_b" in op.attributes else b
    # The batch dims of b are the first ones of a.
    return a @ b.reshape(b.shape[:-2] + (1,) * (a.ndim - b.ndim) + b.shape[-2:])


def reduce(op, x):
    kind = re.match(r"[ <]*(\w+)", op.text).group(1)
    return {"sum": np.sum, "max": np.max, "min": np.min}[kind](x, axis=tuple(op.attributes["axes"]))


def along(op, vector, x):
    return vector.reshape([-1 if i == op else 1 for i in range(x.ndim)])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


erf = np.vectorize(math.erf, otypes=[np.float64])


def gelu(op, x):
    if "approximate" in op.attributes:
        return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
    return x / 2 * (1 + erf(x / np.sqrt(2)))


def swiglu(op, gate, up):
    return gate * sigmoid(op.attributes.get("beta", 1) * gate) * up


def softmax(op, x):
    axis = op.attributes["axis"]
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def attention(op, q, k, v, *bias):
    """With a bias, but no segments."""
    a, groups = op.attributes, q.shape[1] // k.shape[1]
    s = a["scale"] * np.einsum("nhid,nhjd->nhij", q, np.repeat(k, groups, 1))
    if a.get("softcap"):
        s = a["softcap"] * np.tanh(s / a["softcap"])
    if bias:
        s = s + bias[0]
    distance = np.arange(k.shape[2])[None, :] - np.arange(q.shape[2])[:, None] - a.get("offset", 0)
    hidden = (distance < -a.get("left", np.inf)) | (distance > a.get("right", np.inf))
    s = np.where(hidden, -np.inf, s)
    most = np.maximum(s.max(-1, keepdims=True), -1e300)
    e = np.exp(s - most)
    total = e.sum(-1, keepdims=True)
    out = np.einsum("nhij,nhje->nhie", e / np.where(total > 0, total, 1), np.repeat(v, groups, 1))
    with np.errstate(divide="ignore"):
        return out, (most + np.log(total))[..., 0]


def layer_norm(op, x, gamma, beta):
    axes = tuple(range(op.attributes["axis"], x.ndim))
    mean = x.mean(axes, keepdims=True)
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + op.attributes["epsilon"])
    return (x - mean) * rstd * gamma + beta, mean.reshape(op.shapes[1]), rstd.reshape(op.shapes[2])


def rms_norm(op, x, gamma):
    axes = tuple(range(op.attributes["axis"], x.ndim))
    rstd = 1 / np.sqrt((x ** 2).mean(axes, keepdims=True) + op.attributes["epsilon"])
    return x * rstd * gamma, rstd.reshape(op.shapes[1])


def gather(op, table, indices):
    index = indices.astype(np.int64)
    index = np.where(index < 0, index + op.attributes.get("wrap", 0), index) - op.attributes.get("offset", 0)
    inside = (index >= 0) & (index < len(table))
    rows = table[np.where(inside, index, 0)]
    return rows * inside.reshape(inside.shape + (1,) * (table.ndim - 1))


def top_k(op, x):
    """Of equal elements, the first one comes first."""
    places = np.argsort(-x, axis=-1, kind="stable")[..., :op.shapes[0][-1]]
    return np.take_along_axis(x, places, -1), places.astype(np.float64)


def lstm(op, x, r, h, c):
    hs, cs, gates = [], [], []
    h, c = h[0], c[0]
    for step in x:
        z = step + np.einsum("nk,gak->nga", h, r)
        i, o, f, new = sigmoid(z[:, 0]), sigmoid(z[:, 1]), sigmoid(z[:, 2]), np.tanh(z[:, 3])
        c = f * c + i * new
        h = o * np.tanh(c)
        hs.append(h)
        cs.append(c)
        gates.append(np.stack([i, o, f, new], 1))
    return np.stack(hs), np.stack(cs), np.stack(gates)


def cast(op, x):
    return np.trunc(x) if op.types.endswith("xi32>") or op.types.endswith("<i32>") else x


OPS = {
    "gelu": gelu,
    "swiglu": swiglu,
    "softmax": softmax,
    "attention": attention,
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "gather": gather,
    "top_k": top_k,
    "lstm": lstm,
    "cast": cast,
    "dropout": lambda op, x: x,
    "erf": lambda op, x: erf(x),
    "sin": lambda op, x: np.sin(x),
    "cos": lambda op, x: np.cos(x),
    "reciprocal": lambda op, x: 1 / x,
    "sign": lambda op, x: np.sign(x),
    "stop_gradient": lambda op, x: x,
    "log1p": lambda op, x: np.log1p(x),
    "expm1": lambda op, x: np.expm1(x),
    "softplus": lambda op, x: np.logaddexp(x, 0),
    "asin": lambda op, x: np.arcsin(x),
    "acos": lambda op, x: np.arccos(x),
    "atan": lambda op, x: np.arctan(x),
    "asinh": lambda op, x: np.arcsinh(x),
    "acosh": lambda op, x: np.arccosh(x),
    "atanh": lambda op, x: np.arctanh(x),
    "pow": lambda op, x, y: x ** y,
    "where": lambda op, mask, x, y: np.where(mask != 0, x, y),
    "equal": lambda op, x, y: np.float64(x == y),
    "greater": lambda op, x, y: np.float64(x > y),
    "greater_equal": lambda op, x, y: np.float64(x >= y),
    "conv2d": conv2d,
    "avg_pool2d": avg_pool2d,
    "max_pool2d": lambda op, x: windows(x, op.attributes["kernel"], op.attributes["strides"], op.attributes["padding"],
                                        op.attributes["dilations"], -np.inf).max((-1, -2)),
    "matmul": matmul,
    "reduce": reduce,
    "broadcast": broadcast,
    "pad": pad,
    "slice": slice_,
    "reshape": lambda op, x: x.reshape(op.shape),
    "transpose": lambda op, x: x.transpose(op.attributes["permutation"]),
    "concat": lambda op, *xs: np.concatenate(xs, op.attributes["axis"]),
    "bias_add": lambda op, x, b: x + along(op.attributes["axis"], b, x),
    "batch_norm": lambda op, x, gamma, beta, mean, var:
        (x - along(1, mean, x)) / np.sqrt(along(1, var, x) + op.attributes["epsilon"]) * along(1, gamma, x) + along(1, beta, x),
    "scale": lambda op, x: x * op.attributes["factor"],
    "constant": constant,
    "relu": lambda op, x: np.maximum(x, 0),
    "neg": lambda op, x: -x,
    "abs": lambda op, x: np.abs(x),
    "exp": lambda op, x: np.exp(x),
    "log": lambda op, x: np.log(x),
    "sqrt": lambda op, x: np.sqrt(x),
    "tanh": lambda op, x: np.tanh(x),
    "sigmoid": lambda op, x: 1 / (1 + np.exp(-x)),
    "add": lambda op, x, y: x + y,
    "sub": lambda op, x, y: x - y,
    "mul": lambda op, x, y: x * y,
    "div": lambda op, x, y: x / y,
    "maximum": lambda op, x, y: np.maximum(x, y),
    "minimum": lambda op, x, y: np.minimum(x, y),
}


def evaluate(function, tensors):
    """Results by name, from arguments by name. Raises ValueError where a shape is not what the text says."""
    values = {argument.value: np.asarray(tensors[argument.attributes["soap.name"]], np.float64) for argument in function.arguments}
    for op in function.ops:
        result = OPS[op.name](op, *[values[operand] for operand in op.operands])
        for name, shape, value in zip(op.results, op.shapes, result if isinstance(result, tuple) else (result,)):
            if tuple(value.shape) != shape:
                raise ValueError("%s (soap.%s) has the type of shape %s, its value has %s" %
                                 (op.attributes.get("soap.name"), op.name, shape, tuple(value.shape)))
            values[name] = value
    return {attributes["soap.name"]: values[value] for value, (_, attributes) in zip(function.returned, function.results)}
