# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tiny_idx.py DIR: a data set of the MNIST family of 12 x 12 images, whose class is where the light is."""
import os
import random
import struct
import sys

random.seed(1)
os.makedirs(sys.argv[1], exist_ok=True)
for name, count in (("train", 64), ("t10k", 32)):
    labels = [random.randrange(5) for _ in range(count)]
    pixels = bytes(255 if x // 2 == label else random.randrange(40) for label in labels for _ in range(12) for x in range(12))
    with open(os.path.join(sys.argv[1], name + "-images-idx3-ubyte"), "wb") as file:
        file.write(struct.pack(">IIII", 0x803, count, 12, 12) + pixels)
    with open(os.path.join(sys.argv[1], name + "-labels-idx1-ubyte"), "wb") as file:
        file.write(struct.pack(">II", 0x801, count) + bytes(labels))
