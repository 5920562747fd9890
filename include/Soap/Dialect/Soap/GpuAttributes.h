//===- GpuAttributes.h - Names that tie programs to GPU kernels -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that tie ops of device programs to the GPU kernels they launch.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_GPUATTRIBUTES_H
#define SOAP_DIALECT_SOAP_GPUATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::soap {

/// On `soap.parallel_call`: @soap_kernels::@NAME, the GPU kernel that does the
/// same for the whole extent. Its arguments are pointers to the call's buffers.
inline constexpr llvm::StringLiteral kGpuKernel = "soap.gpu_kernel";

/// The gpu.module, later gpu.binary, of a module's kernels.
inline constexpr llvm::StringLiteral kGpuModuleName = "soap_kernels";

/// On functions that `soap.parallel_call` calls for ranges, and on the `scf.if`
/// that is all of an iteration of theirs: 32 iterations are the lanes of a
/// warp, which do what the `scf.if` says of the first one together
/// (CooperativeRows.h).
inline constexpr llvm::StringLiteral kLanes = "soap.lanes";

/// On functions that `soap.parallel_call` calls for ranges, and before on the
/// `scf.if` that ends a block: so many iterations that follow each other are a
/// block, whose threads end it together.
inline constexpr llvm::StringLiteral kBlock = "soap.block";
/// On the `scf.if` that ends a block, behind all else in its last iteration,
/// and on memory of a block (CooperativeBlocks.h).
inline constexpr llvm::StringLiteral kTogether = "soap.together";

/// On loops of kernels: their iterations write different elements, though the
/// positions do not show it. On all stores of a kernel to a buffer: together
/// they store each element once, whatever the data, though conditions do not
/// show it.
inline constexpr llvm::StringLiteral kIndependent = "soap.independent";

/// On programs: how many streams their ops run on.
inline constexpr llvm::StringLiteral kStreams = "soap.streams";
/// On ops of programs: the stream that they run on; absent: 0.
inline constexpr llvm::StringLiteral kStream = "soap.stream";
/// On sends whose bytes must have left when they end: their buffer is free
/// then.
inline constexpr llvm::StringLiteral kNoPost = "soap.no_post";
/// On `soap.parallel_call`: it updates buffers in place, and nothing in the
/// iteration reads them later (optimizers, running statistics).
inline constexpr llvm::StringLiteral kUpdate = "soap.update";
/// On ops of programs on tensors that have images with channels inside: a
/// `#soap.layout<...>` for each operand, as it is read, and for each result, as
/// it is held. Types are not changed.
inline constexpr llvm::StringLiteral kLayouts = "soap.layouts";
/// On the module: {chip = "sm_90", format = "bin", host_references = true},
/// what the kernels of its programs are for.
inline constexpr llvm::StringLiteral kGpuTarget = "soap.gpu_target";

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_GPUATTRIBUTES_H
