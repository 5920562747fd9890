# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare_npy.py EXPECTED FILE...: f32 arrays, norm-wise within 1e-5; prints one line per file."""
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])


def main():
    expected = read(sys.argv[1])
    failed = False
    for path in sys.argv[2:]:
        got = read(path)
        norm = sum(e * e for e in expected) ** 0.5
        error = sum((e - g) ** 2 for e, g in zip(expected, got)) ** 0.5 / norm
        fits = len(got) == len(expected) and error <= 1e-5
        print(f"{path}: {'equal' if fits else f'differs: {len(got)} elements, relative error {error:g}'}")
        failed |= not fits
    sys.exit(failed)


if __name__ == "__main__":
    main()
