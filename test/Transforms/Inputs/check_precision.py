# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_precision.py F32 TF32: simulated iterations of AlexNet, 64 samples, on one H200, in both precisions.

In tf32 PyTorch 2.11 takes 3.31 ms there (the better of torch.compile and eager in a CUDA graph). In f32 the products
alone take as long as the data sheet's 67 TFLOP/s allow."""

import json
import sys

PYTORCH_TF32_MS, WITHIN = 3.31, 0.1
F32_PEAK = 67e12
# Multiplications and additions of a sample of AlexNet without groups, for 224 x 224 pixels, forward (Krizhevsky, 2014;
# torchvision says 0.71 G).
MULTIPLICATIONS = 0.71e9

f32, tf32 = (json.load(open(path))["makespan_ns"] * 1e-6 for path in sys.argv[1:3])
assert abs(tf32 / PYTORCH_TF32_MS - 1) <= WITHIN, tf32
# Forward and two gradients, of all but the first layer's input.
least = 64 * 2 * 2.8 * MULTIPLICATIONS / F32_PEAK * 1e3
assert f32 >= least and f32 >= 1.3 * tf32, (f32, least)
