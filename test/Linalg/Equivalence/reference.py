# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs as upstream lowers them: bufferization, loops, LLVM; nothing of Soap. Called with ctypes."""

import ctypes
import os
import re
import subprocess

PASSES = ["--convert-elementwise-to-linalg", "--one-shot-bufferize=bufferize-function-boundaries "
          "function-boundary-type-conversion=identity-layout-map", "--convert-linalg-to-loops",
          "--expand-strided-metadata", "--lower-affine", "--convert-scf-to-cf", "--convert-math-to-llvm",
          "--convert-math-to-libm", "--convert-to-llvm", "--reconcile-unrealized-casts"]
CTYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double, "i32": ctypes.c_int32}


def run(command, text):
    result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {result.stderr[:4000]}")
    return result.stdout


class Reference:
    """A shared library of all functions of a module."""

    def __init__(self, llvm_bin, text, folder):
        # Nothing of Soap is left for upstream's tools.
        text = re.sub(r',?\s*soap\.(name|kind) = "[^"]*"', "", text)
        text = re.sub(r"\{\s*,\s*", "{", text)
        lowered = run([os.path.join(llvm_bin, "mlir-opt"), *PASSES], text)
        ir = run([os.path.join(llvm_bin, "mlir-translate"), "--mlir-to-llvmir"], lowered)
        base = os.path.join(folder, "reference")
        run([os.path.join(llvm_bin, "llc"), "-O1", "-relocation-model=pic", "-filetype=obj", "-o", base + ".o"], ir)
        run([os.path.join(llvm_bin, "ld.lld"), "-shared", "-o", base + ".so", base + ".o"], None)
        ctypes.CDLL("libm.so.6", ctypes.RTLD_GLOBAL)
        ctypes.CDLL(os.path.join(llvm_bin, "..", "lib", "libmlir_c_runner_utils.so"), ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(base + ".so")

    def call(self, name, dtype, arguments, shapes):
        """Elements of the results; `arguments` are pairs of shape and elements."""
        element = CTYPES[dtype]
        words, keep = [], []
        for shape, elements in arguments:
            buffer = (element * len(elements))(*elements)
            keep.append(buffer)
            words.append(descriptor(shape, ctypes.addressof(buffer)))
        results = (ctypes.c_int64 * sum(3 + 2 * len(shape) for shape in shapes))()
        getattr(self.library, "_mlir_ciface_" + name)(results, *[ctypes.byref(w) for w in words])
        found, at = [], 0
        for shape in shapes:
            count, rank = 1, len(shape)
            for extent in shape:
                count *= extent
            if list(results[at + 3:at + 3 + rank]) != list(shape):
                raise RuntimeError(f"{name}: upstream returns shape {results[at + 3:at + 3 + rank]}, expected {shape}")
            address = results[at + 1] + results[at + 2] * ctypes.sizeof(element)
            found.append(list((element * count).from_address(address)))
            at += 3 + 2 * rank
        return found


def descriptor(shape, address):
    """Allocated and aligned pointer, offset, sizes, strides."""
    strides, stride = [], 1
    for extent in reversed(shape):
        strides.insert(0, stride)
        stride *= extent
    return (ctypes.c_int64 * (3 + 2 * len(shape)))(address, address, 0, *shape, *strides)
