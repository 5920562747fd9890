# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws random programs of linalg, tensor, arith and math as MLIR text.

A program is a function of a few ops on small tensors. Every op that becomes a node of the op graph has the attribute
`soap.name` and the mark `CONFIG(name)`, which `with_configs` replaces by a config or by nothing.
"""

import random
import re


class Value:
    def __init__(self, ssa, shape):
        self.ssa = ssa
        self.shape = tuple(shape)


class Program:
    """One function. `kinds` says which kinds of ops were drawn."""

    def __init__(self, name, rng):
        self.name = name
        self.rng = rng
        self.dtype = rng.choices(["f32", "f64", "i32"], [7, 2, 2])[0]
        self.args = []
        self.lines = []
        self.values = []
        self.kinds = []
        self.results = []
        self.next = 0
        self.build()

    # Text

    def type(self, shape, dtype=None):
        return "tensor<" + "".join(f"{d}x" for d in shape) + (dtype or self.dtype) + ">"

    def fresh(self):
        self.next += 1
        return f"%v{self.next}"

    def emit(self, text, shape):
        """Adds an op whose result has a shape; `ATTRS` is where its attributes go, inside of braces."""
        ssa = self.fresh()
        op = f"{self.name}.{ssa[1:]}"
        self.lines.append(f"{ssa} = " + text.replace("ATTRS", f'soap.name = "{op}"CONFIG({op})'))
        return Value(ssa, shape)

    def argument(self, shape):
        name = f"{self.name}.a{len(self.args)}"
        value = Value(f"%arg{len(self.args)}", shape)
        self.args.append((name, value))
        return value

    def scalar(self, number):
        ssa = self.fresh()
        text = str(int(number)) if self.dtype == "i32" else f"{float(number):.6f}"
        self.lines.append(f"{ssa} = arith.constant {text} : {self.dtype}")
        return ssa

    def empty(self, shape):
        return self.emit(f"tensor.empty() {{ATTRS}} : {self.type(shape)}", shape)

    def filled(self, shape, number):
        start, scalar = self.empty(shape), self.scalar(number)
        return self.emit(f"linalg.fill {{ATTRS}} ins({scalar} : {self.dtype}) outs({start.ssa} : {self.type(shape)})"
                         f" -> {self.type(shape)}", shape)

    def init(self, shape, neutral=0):
        """An init operand that is read: a fill, a splat, an argument, or a value of the program."""
        choice = self.rng.random()
        if choice < 0.5:
            return self.filled(shape, neutral)
        if choice < 0.65:
            return self.filled(shape, self.rng.randint(-3, 3))
        if choice < 0.8:
            number = self.rng.randint(-2, 2)
            text = number if self.dtype == "i32" else f"{number}.0"
            return self.emit(f"arith.constant {{ATTRS}} dense<{text}> : {self.type(shape)}", shape)
        return self.operand(shape)

    def operand(self, shape):
        """A value of a shape: one of the program, else a new argument."""
        fitting = [v for v in self.values if v.shape == tuple(shape)]
        if fitting and self.rng.random() < 0.7:
            return self.rng.choice(fitting)
        return self.argument(shape)

    def some(self, rank=None):
        """Any value of the program of a rank, else a new argument."""
        fitting = [v for v in self.values if rank is None or len(v.shape) == rank]
        if fitting and self.rng.random() < 0.85:
            return self.rng.choice(fitting[-3:])
        rank = self.rng.randint(1, 3) if rank is None else rank
        return self.argument([self.extent() for _ in range(rank)])

    def extent(self):
        return self.rng.choice([1, 2, 3, 4, 5, 6, 7, 8])

    def arith(self, name, types=None):
        """`add` is `arith.addf` or `arith.addi`."""
        whole = self.dtype == "i32"
        names = {"add": "addi" if whole else "addf", "mul": "muli" if whole else "mulf",
                 "sub": "subi" if whole else "subf", "max": "maxsi" if whole else "maximumf",
                 "min": "minsi" if whole else "minimumf", "maxnum": "maxsi" if whole else "maxnumf"}
        return "arith." + names[name]

    def generic(self, loops, operands, maps, init, init_map, iterators, body, results=1):
        """`body` has lines of `%x0, %x1, ...` (operands) and `%acc` and ends in a yield."""
        text = ", ".join(f"d{i}" for i in range(loops))
        maps = [f"affine_map<({text}) -> ({m})>" for m in maps + [init_map]]
        names = [f"%x{i}: {self.dtype}" for i in range(len(operands))] + [f"%acc: {self.dtype}"]
        kinds = ", ".join(f'"{kind}"' for kind in iterators)
        ins = ""
        if operands:
            ins = (f"ins({', '.join(o.ssa for o in operands)} : "
                   f"{', '.join(self.type(o.shape) for o in operands)}) ")
        return self.emit(
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} {ins}"
            f"outs({init.ssa} : {self.type(init.shape)}) attrs = {{ATTRS}} {{\n    ^bb0({', '.join(names)}):\n      "
            + "\n      ".join(body) + f"\n    }} -> {self.type(init.shape)}", init.shape)

    # Ops

    def matmul(self):
        a = self.some(2)
        n = self.extent()
        b = self.operand((a.shape[1], n))
        c = self.init((a.shape[0], n))
        return self.emit(f"linalg.matmul {{ATTRS}} ins({a.ssa}, {b.ssa} : {self.type(a.shape)}, {self.type(b.shape)}) "
                         f"outs({c.ssa} : {self.type(c.shape)}) -> {self.type(c.shape)}", c.shape)

    def batch_matmul(self):
        a = self.some(3)
        b = self.operand((a.shape[0], a.shape[2], self.extent()))
        c = self.init((a.shape[0], a.shape[1], b.shape[2]))
        return self.emit(f"linalg.batch_matmul {{ATTRS}} ins({a.ssa}, {b.ssa} : {self.type(a.shape)}, "
                         f"{self.type(b.shape)}) outs({c.ssa} : {self.type(c.shape)}) -> {self.type(c.shape)}", c.shape)

    def product(self):
        """A product as generic, operands and result transposed at random."""
        m, n, k = self.extent(), self.extent(), self.extent()
        maps, operands = [], []
        for loops, extents in [(("d0", "d2"), (m, k)), (("d2", "d1"), (k, n))]:
            turn = self.rng.random() < 0.5
            maps.append(", ".join(loops[::-1] if turn else loops))
            operands.append(self.operand(extents[::-1] if turn else extents))
        turn = self.rng.random() < 0.5
        init = self.init((n, m) if turn else (m, n))
        fold = self.rng.choice(["add", "max", "min", "maxnum"])
        body = [f"%p = {self.arith('mul')} %x0, %x1 : {self.dtype}",
                f"%s = {self.arith(fold)} %acc, %p : {self.dtype}", f"linalg.yield %s : {self.dtype}"]
        return self.generic(3, operands, maps, init, "d1, d0" if turn else "d0, d1",
                            ["parallel", "parallel", "reduction"], body)

    def elementwise(self):
        """Projected permutations: operands are transposed and broadcast, indices and scalars are used."""
        base = self.some()
        rank = len(base.shape)
        order = self.rng.sample(range(rank), rank)
        result = [base.shape[d] for d in order]
        operands, maps = [base], [", ".join(f"d{order.index(d)}" for d in range(rank))]
        for _ in range(self.rng.randint(0, 2)):
            dims = sorted(self.rng.sample(range(rank), self.rng.randint(0, rank)))
            shape, exprs = [], []
            for d in dims:
                one = self.rng.random() < 0.15
                shape.append(1 if one else result[d])
                exprs.append("0" if one else f"d{d}")
            operands.append(self.operand(shape))
            maps.append(", ".join(exprs))
        reads = self.rng.random() < 0.3
        init = self.init(result) if reads else self.empty(result)
        scalar = self.scalar(self.rng.choice([0, 1, 2, -1]))
        body, last = [], "%x0"
        for i, name in enumerate([f"%x{j}" for j in range(1, len(operands))] + [scalar] + (["%acc"] if reads else [])):
            op = self.arith(self.rng.choice(["add", "mul", "sub", "max", "min"]))
            body.append(f"%t{i} = {op} {last}, {name} : {self.dtype}")
            last = f"%t{i}"
        if rank and self.rng.random() < 0.35:
            body += [f"%i = linalg.index {self.rng.randrange(rank)} : index", "%ii = arith.index_cast %i : index to i32"]
            number = "%ii"
            if self.dtype != "i32":
                body.append(f"%if = arith.sitofp %ii : i32 to {self.dtype}")
                number = "%if"
            body.append(f"%u = {self.arith('add')} {last}, {number} : {self.dtype}")
            last = "%u"
        body.append(f"linalg.yield {last} : {self.dtype}")
        identity = ", ".join(f"d{d}" for d in range(rank))
        return self.generic(rank, operands, maps, init, identity, ["parallel"] * rank, body)

    def window(self):
        """Sums or maxima over windows: strides, dilations, offsets, reversed positions."""
        stride, dilation = self.rng.randint(1, 2), self.rng.randint(1, 2)
        size, outputs, channels = self.rng.randint(1, 3), self.extent(), self.extent()
        offset = self.rng.choice([0, 0, 1, 2])
        reach = (outputs - 1) * stride + (size - 1) * dilation
        expr = f"d0 * {stride} + d1 * {dilation} + {offset}"
        if self.rng.random() < 0.25:
            expr = f"d0 * {-stride} + d1 * {-dilation} + {reach + offset}"
        x = self.operand((reach + offset + 1 + self.rng.randint(0, 1), channels))
        k = self.operand((size, channels))
        init = self.init((outputs, channels))
        fold = self.rng.choice(["add", "add", "max", "min"])
        body = [f"%p = {self.arith('mul')} %x0, %x1 : {self.dtype}",
                f"%s = {self.arith(fold)} %p, %acc : {self.dtype}", f"linalg.yield %s : {self.dtype}"]
        return self.generic(3, [x, k], [f"{expr}, d2", "d1, d2"], init, "d0, d2",
                            ["parallel", "reduction", "parallel"], body)

    def gather(self):
        """Rows of a table by numbers that the body computes: `tensor.extract` of a tensor from outside."""
        rows, width, count = self.extent(), self.extent(), self.extent()
        table, init = self.operand((rows, width)), self.empty((count, width))
        body = ["%i = linalg.index 0 : index", "%j = linalg.index 1 : index", f"%n = arith.constant {rows} : index",
                "%three = arith.constant 3 : index", "%k = arith.muli %i, %three : index",
                "%row = arith.remui %k, %n : index",
                f"%e = tensor.extract {table.ssa}[%row, %j] : {self.type(table.shape)}",
                f"%y = {self.arith('add')} %e, %x0 : {self.dtype}", f"linalg.yield %y : {self.dtype}"]
        return self.generic(2, [self.operand((count,))], ["d0"], init, "d0, d1", ["parallel", "parallel"], body)

    def irregular(self):
        """A map that is no window: its loops are not split."""
        outputs, inner = self.extent(), self.extent()
        x = self.operand(((outputs + 1) // 2, inner))
        init = self.empty((outputs, inner))
        return self.generic(2, [x], ["d0 floordiv 2, d1"], init, "d0, d1", ["parallel", "parallel"],
                            [f"linalg.yield %x0 : {self.dtype}"])

    def reduce(self):
        x = self.some()
        if not x.shape:
            return self.elementwise()
        dims = sorted(self.rng.sample(range(len(x.shape)), self.rng.randint(1, len(x.shape))))
        kept = [d for d in range(len(x.shape)) if d not in dims]
        fold = self.rng.choice(["add", "max", "min", "mul", "maxnum"])
        init = self.init([x.shape[d] for d in kept], 1 if fold == "mul" else 0)
        if self.rng.random() < 0.5:
            return self.emit(f"linalg.reduce ins({x.ssa} : {self.type(x.shape)}) outs({init.ssa} : "
                             f"{self.type(init.shape)}) dimensions = [{', '.join(map(str, dims))}] {{ATTRS}}\n"
                             f"    (%in: {self.dtype}, %acc: {self.dtype}) {{\n"
                             f"      %s = {self.arith(fold)} %acc, %in : {self.dtype}\n"
                             f"      linalg.yield %s : {self.dtype}\n    }}", init.shape)
        body = [f"%s = {self.arith(fold)} %acc, %x0 : {self.dtype}", f"linalg.yield %s : {self.dtype}"]
        rank = len(x.shape)
        return self.generic(rank, [x], [", ".join(f"d{d}" for d in range(rank))], init,
                            ", ".join(f"d{d}" for d in kept),
                            ["reduction" if d in dims else "parallel" for d in range(rank)], body)

    def transpose(self):
        x = self.some()
        if not x.shape:
            return self.elementwise()  # upstream's verifier crashes on rank 0
        order = self.rng.sample(range(len(x.shape)), len(x.shape))
        shape = [x.shape[d] for d in order]
        init = self.empty(shape)
        return self.emit(f"linalg.transpose ins({x.ssa} : {self.type(x.shape)}) outs({init.ssa} : {self.type(shape)}) "
                         f"permutation = [{', '.join(map(str, order))}] {{ATTRS}}", shape)

    def broadcast(self):
        x = self.some(self.rng.randint(0, 2))
        dim, extent = self.rng.randint(0, len(x.shape)), self.extent()
        shape = list(x.shape[:dim]) + [extent] + list(x.shape[dim:])
        init = self.empty(shape)
        return self.emit(f"linalg.broadcast ins({x.ssa} : {self.type(x.shape)}) outs({init.ssa} : {self.type(shape)}) "
                         f"dimensions = [{dim}] {{ATTRS}}", shape)

    def convolution(self):
        stride, dilation = self.rng.randint(1, 2), self.rng.randint(1, 2)
        n, c, f = self.rng.randint(1, 3), self.rng.randint(1, 4), self.rng.randint(1, 4)
        out = [self.rng.randint(1, 4), self.rng.randint(1, 4)]
        kernel = [self.rng.randint(1, 3), self.rng.randint(1, 3)]
        size = [(o - 1) * stride + (k - 1) * dilation + 1 for o, k in zip(out, kernel)]
        (h, w), g = size, self.rng.randint(1, 3)
        name, x, k, y = self.rng.choice([
            ("conv_2d_nhwc_hwcf", (n, h, w, c), (*kernel, c, f), (n, *out, f)),
            ("conv_2d_nchw_fchw", (n, c, h, w), (f, c, *kernel), (n, f, *out)),
            ("depthwise_conv_2d_nhwc_hwc", (n, h, w, c), (*kernel, c), (n, *out, c)),
            ("depthwise_conv_2d_nchw_chw", (n, c, h, w), (c, *kernel), (n, c, *out)),
            ("conv_2d_nhwc_fhwc", (n, h, w, c), (f, *kernel, c), (n, *out, f)),
            ("conv_2d_ngchw_gfchw", (n, g, c, h, w), (g, f, c, *kernel), (n, g, f, *out)),
            ("conv_2d_ngchw_fgchw", (n, g, c, h, w), (f, g, c, *kernel), (n, g, f, *out)),
            ("conv_2d_nhwgc_gfhwc", (n, h, w, g, c), (g, f, *kernel, c), (n, *out, g, f)),
            ("conv_1d_nwc_wcf", (n, h, c), (kernel[0], c, f), (n, out[0], f)),
            ("conv_1d_ncw_fcw", (n, c, h), (f, c, kernel[0]), (n, f, out[0])),
            ("pooling_nhwc_sum", (n, h, w, c), tuple(kernel), (n, *out, c)),
            ("pooling_nchw_sum", (n, c, h, w), tuple(kernel), (n, c, *out)),
            ("pooling_nhwc_max", (n, h, w, c), tuple(kernel), (n, *out, c)),
            ("pooling_nhwc_min", (n, h, w, c), tuple(kernel), (n, *out, c)),
        ])
        self.kinds.append(name)
        x, init = self.operand(x), self.init(y)
        k = self.empty(k) if name.startswith("pooling") else self.operand(k)
        dims = 1 if "1d" in name else 2
        return self.emit(
            f"linalg.{name} {{dilations = dense<{dilation}> : tensor<{dims}xi64>, "
            f"strides = dense<{stride}> : tensor<{dims}xi64>, ATTRS}} ins({x.ssa}, {k.ssa} : {self.type(x.shape)}, "
            f"{self.type(k.shape)}) outs({init.ssa} : {self.type(init.shape)}) -> {self.type(init.shape)}", init.shape)

    def pad(self):
        x = self.some()
        low = [self.rng.randint(0, 3) for _ in x.shape]
        high = [self.rng.randint(0, 3) for _ in x.shape]
        shape = [l + d + h for l, d, h in zip(low, x.shape, high)]
        number = self.scalar(self.rng.choice([0, 0, 1, -2]))
        names = ", ".join(f"%p{d}: index" for d in range(len(shape)))
        block = f"^bb0({names}):" if shape else "^bb0:"
        return self.emit(f"tensor.pad {x.ssa} low{low} high{high} {{\n    {block}\n      tensor.yield {number} : "
                         f"{self.dtype}\n    }} {{ATTRS}} : {self.type(x.shape)} to {self.type(shape)}", shape)

    def reduced(self, sizes):
        """The shape of a slice: with its dims of extent 1, or without them. Upstream's lowering crashes on slices of
        rank 0 and on slices that lack some of these dims."""
        kept = [size for size in sizes if size > 1]
        return kept if kept and self.rng.random() < 0.5 else sizes

    def extract_slice(self):
        x = self.some()
        if not x.shape:
            return self.broadcast()
        offsets, sizes, strides = [], [], []
        for extent in x.shape:
            stride = self.rng.randint(1, 2)
            size = self.rng.randint(1, (extent + stride - 1) // stride)
            offsets.append(self.rng.randint(0, extent - 1 - (size - 1) * stride))
            sizes.append(size)
            strides.append(stride)
        shape = self.reduced(sizes)
        return self.emit(f"tensor.extract_slice {x.ssa}{offsets} {sizes} {strides} {{ATTRS}} : {self.type(x.shape)} "
                         f"to {self.type(shape)}", shape)

    def insert_slice(self):
        x = self.some()
        if not x.shape:
            return self.broadcast()
        offsets, sizes = [], []
        for extent in x.shape:
            size = self.rng.randint(1, extent)
            offsets.append(self.rng.randint(0, extent - size))
            sizes.append(size)
        source = self.reduced(sizes)
        s = self.operand(source)
        return self.emit(f"tensor.insert_slice {s.ssa} into {x.ssa}{offsets} {sizes} {[1] * len(sizes)} {{ATTRS}} : "
                         f"{self.type(source)} into {self.type(x.shape)}", x.shape)

    def concat(self):
        x = self.some()
        if not x.shape:
            return self.elementwise()
        dim = self.rng.randrange(len(x.shape))
        parts = [x]
        for _ in range(self.rng.randint(0, 2)):
            shape = list(x.shape)
            shape[dim] = self.extent()
            parts.append(self.operand(shape))
        self.rng.shuffle(parts)
        shape = list(x.shape)
        shape[dim] = sum(p.shape[dim] for p in parts)
        return self.emit(f"tensor.concat dim({dim}) {', '.join(p.ssa for p in parts)} {{ATTRS}} : "
                         f"({', '.join(self.type(p.shape) for p in parts)}) -> {self.type(shape)}", shape)

    def expand_shape(self):
        x = self.some()
        if not x.shape:
            return self.broadcast()
        groups, shape = [], []
        for extent in x.shape:
            factors = [f for f in range(1, extent + 1) if extent % f == 0]
            first = self.rng.choice(factors)
            parts = self.rng.choice([[extent], [first, extent // first]])
            groups.append(list(range(len(shape), len(shape) + len(parts))))
            shape += parts
        return self.emit(f"tensor.expand_shape {x.ssa} {groups} output_shape {shape} {{ATTRS}} : {self.type(x.shape)} "
                         f"into {self.type(shape)}", shape)

    def collapse_shape(self):
        x = self.some(self.rng.choice([2, 3]))
        groups, shape = [], []
        for d, extent in enumerate(x.shape):
            if groups and self.rng.random() < 0.5:
                groups[-1].append(d)
                shape[-1] *= extent
            else:
                groups.append([d])
                shape.append(extent)
        return self.emit(f"tensor.collapse_shape {x.ssa} {groups} {{ATTRS}} : {self.type(x.shape)} into "
                         f"{self.type(shape)}", shape)

    def arithmetic(self):
        x = self.some()
        if self.dtype != "i32" and self.rng.random() < 0.4:
            name = self.rng.choice(["tanh", "absf", "exp", "floor"])
            if name == "exp":
                x = self.emit(f"math.tanh {x.ssa} {{ATTRS}} : {self.type(x.shape)}", x.shape)
            return self.emit(f"math.{name} {x.ssa} {{ATTRS}} : {self.type(x.shape)}", x.shape)
        if self.rng.random() < 0.3:
            count = 1
            for d in x.shape:
                count *= d
            numbers = [self.rng.randint(-9, 9) for _ in range(count)]
            y = self.emit(f"arith.constant {{ATTRS}} dense<{self.elements(numbers, x.shape)}> : {self.type(x.shape)}",
                          x.shape)
        else:
            y = self.operand(x.shape)
        op = self.arith(self.rng.choice(["add", "mul", "sub", "max", "min"]))
        return self.emit(f"{op} {x.ssa}, {y.ssa} {{ATTRS}} : {self.type(x.shape)}", x.shape)

    def elements(self, numbers, shape):
        if not shape:
            number = numbers.pop(0)
            return str(number) if self.dtype == "i32" else f"{number / 4}"
        return "[" + ", ".join(self.elements(numbers, shape[1:]) for _ in range(shape[0])) + "]"

    def build(self):
        ops = [self.matmul, self.batch_matmul, self.product, self.product, self.elementwise, self.elementwise,
               self.window, self.window, self.gather, self.irregular, self.reduce, self.reduce, self.transpose, self.broadcast,
               self.convolution, self.convolution, self.pad, self.extract_slice, self.insert_slice, self.concat,
               self.expand_shape, self.collapse_shape, self.arithmetic]
        for _ in range(self.rng.randint(2, 6)):
            op = self.rng.choice(ops)
            value = op()
            size = 1
            for d in value.shape:
                size *= d
            if size > 4096 or len(value.shape) > 4:
                continue
            self.kinds.append(op.__name__)
            self.values.append(value)
        if not self.values:
            self.values.append(self.elementwise())
        self.results = [self.values[-1]]
        if len(self.values) > 2 and self.rng.random() < 0.4:
            self.results.append(self.rng.choice(self.values[:-1]))

    def text(self, attributes=""):
        args = ", ".join(f'{v.ssa}: {self.type(v.shape)} {{soap.name = "{name}", soap.kind = "data"}}'
                         for name, v in self.args)
        types = ", ".join(f'{self.type(r.shape)} {{soap.name = "{self.name}.r{i}"}}'
                          for i, r in enumerate(self.results))
        returned = ", ".join(r.ssa for r in self.results)
        plain = ", ".join(self.type(r.shape) for r in self.results)
        return (f"func.func @{self.name}({args}) -> ({types}) {attributes}{{\n    "
                + "\n    ".join(self.lines) + f"\n    return {returned} : {plain}\n  }}\n")


def with_configs(text, configs):
    """Text of a module in which ops have the configs of a table by name."""
    return re.sub(r"CONFIG\(([\w.]+)\)",
                  lambda m: f", soap.config = {configs[m[1]]}" if m[1] in configs else "", text)


def draw(name, seed):
    return Program(name, random.Random(seed))
