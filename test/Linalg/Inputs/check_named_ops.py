# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_named_ops.py BUILD FOLDER: runs named-ops.mlir on one device and partitioned, against formulas of its ops."""
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Equivalence"))
from run import differs, read_npy, write_npy  # noqa: E402

X = [[math.sin(3 * i + j) for j in range(6)] for i in range(8)]
INDICES = [[5, 0], [1, 3], [2, 2], [4, 5]]
PACKED = [(p * 7) % 48 - 20 for p in range(2 * 3 * 4 * 3)]


def flat(rows):
    return [e for row in rows for e in row]


def softmax(row):
    powers = [math.exp(e - max(row)) for e in row]
    return [p / sum(powers) for p in powers]


def packed(i0, i1, i2, i3):
    """Tiles of 4 columns and 3 rows, tiles of columns outermost; 7 beyond the ends."""
    row, column = 3 * i1 + i3, 4 * i0 + i2
    return X[row][column] if row < 8 and column < 6 else 7


EXPECTED = {
    "softmax": [flat(softmax(row) for row in X),
                flat(zip(*[softmax([X[i][j] for i in range(8)]) for j in range(6)]))],
    "pack": [[packed(a, b, c, d) for a in range(2) for b in range(3) for c in range(4) for d in range(3)],
             [abs(e) for e in flat(X)]],
    "cropped": [[PACKED[((j // 4 * 3 + i // 3) * 4 + j % 4) * 3 + i % 3] for i in range(8) for j in range(6)]],
    "gather": [flat(X[i] for i in flat(INDICES)), [X[row][i] for i in flat(INDICES) for row in range(8)]],
    "loop": [[e * (2 if i in (0, 3, 6) else 1) for i, row in enumerate(X) for e in row]],
}


def main():
    build, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)

    def run(tool, *arguments):
        subprocess.run([os.path.join(build, "bin", tool), *arguments], check=True)

    x, packed_x, indices = (os.path.join(folder, name) for name in ("x.npy", "packed.npy", "indices.npy"))
    write_npy(x, "f32", [8, 6], flat(X))
    write_npy(packed_x, "f32", [2, 3, 4, 3], PACKED)
    write_npy(indices, "i32", [4, 2, 1], flat(INDICES))
    failed = False
    for way, passes in (("whole", ()), ("partitioned", ("--soap-apply-strategy=topology=cpu-4 preset=data-parallel function=loop",
                                                        "--soap-partition=topology=cpu-4"))):
        lowered = os.path.join(folder, way + ".mlir")
        source = os.path.join(HERE, "named-ops.mlir")
        if not passes:
            # Without configs, which whole programs do not use.
            with open(source, encoding="utf-8") as file, open(lowered + ".in", "w", encoding="utf-8") as plain:
                for line in file:
                    begin = line.find("{soap.config")
                    plain.write(line if begin < 0 else line[:begin] + line[line.index(">", line.index("devices")) + 2:])
            source = lowered + ".in"
        run("soap-opt", source, "--soap-unroll-loops", *passes, "--soap-lower-to-cpu", "-o", lowered)
        for entry, results in EXPECTED.items():
            output = os.path.join(folder, "out")
            values = ["--input", f"packed={packed_x}" if entry == "cropped" else f"arg0={x}"]
            if entry == "gather":
                values += ["--input", f"arg1={indices}"]
            run("soap-run", "entry", lowered, entry, "--quiet", "--output", output, *values)
            for i, expected in enumerate(results):
                # With several results of one name in a module, files have the name of the entry, too.
                names = [f"{entry}.result{i}.npy", f"result{i}.npy"]
                path = next(p for p in (os.path.join(output, name) for name in names) if os.path.exists(p))
                why = differs("f32", expected, read_npy(path, "f32"))
                os.remove(path)
                print(f"{way} {entry} {i}: {why or 'equal'}")
                failed |= why is not None
    sys.exit(failed)


if __name__ == "__main__":
    main()
