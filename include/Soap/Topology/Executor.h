//===- Executor.h - Frameworks that run plans -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A framework and its treatment of plans: those it can run, which ops are one
// kernel, how fast its kernels and collectives are beside the measured
// ones, and what its allocator and libraries hold of a device's memory
// (docs/Executors.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOPOLOGY_EXECUTOR_H
#define SOAP_TOPOLOGY_EXECUTOR_H

#include "Soap/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace soap {

struct Executor {
  std::string name = "soap"; ///< `soap`: programs that Soap writes
  /// Of an executor of a file: the built-in one whose facts it has.
  std::string base = {};

  // Plans that it can run.
  bool configs = true;    ///< any strategy; else hybrid plans alone
  bool stages = true;     ///< pipelines, 1F1B
  bool chunks = true;     ///< interleaved 1F1B
  bool tensor = true;     ///< tensor parallelism
  bool context = true;    ///< context parallelism
  bool zigzag = true;     ///< of it, with two parts of each sequence
  bool contiguous = true; ///< of it, with one part
  bool sequence = true;   ///< tensor with sequence parallelism
  bool noSequence = true; ///< tensor without
  bool experts = true;    ///< replicas that share experts
  bool overlap = true;    ///< a forward and a backward pass side by side
  bool selective = true;  ///< recomputation of all but products
  bool uneven = true;     ///< replicas with one sample less
  bool offload = true;    ///< states of the optimizer in host memory
  bool anyCut = true;     ///< stages begin anywhere; else where blocks do
  std::vector<int> zero = {0, 1, 3}; ///< levels of ZeRO

  // Its treatment of a plan.
  bool fuses = true; ///< chains of elementwise ops are one kernel
  /// Kernels take the strides of their tensors: a transposition or a reshape is
  /// a view of its operand, without time or memory.
  bool views = false;
  /// Products add to what is there: weight gradients of a microbatch to the
  /// sum, gradients of one tensor to each other.
  bool accumulates = false;
  /// A device keeps its part of what products read whole, and gathers it again
  /// in the backward pass.
  bool regathers = false;
  /// One kernel finds scales and writes both copies of 8-bit floats.
  bool quantizesAtOnce = false;
  /// The type in which it sums gradients over replicas: `f32`, `bf16`.
  std::string gradientSums = "f32";
  /// Of a device's memory: contexts of CUDA and of libraries, buffers of NCCL.
  int64_t reservedBytes = 0;

  // Six constants, fitted to published runs.
  /// Speed of products, attention and all other kernels, over the price.
  double products = 1, attention = 1, others = 1;
  /// A limit of its attention kernels, whatever the GPU, in FLOP/s; 0: there is
  /// none.
  double attentionFlops = 0;
  int64_t dispatchNs = 0; ///< a kernel takes at least as long: its host's part
  double fragmentation = 0; ///< of the peak: what the allocator can not use

  double collectives = 1; ///< speed of collectives, over the price
  /// The 10th and 90th percentile of published over simulated times; 0: there
  /// are no published runs.
  double least = 0, most = 0;

  /// Positions of long sequences are permuted when data is loaded: the places
  /// of context parallelism have equal parts of attention, and what they hold
  /// is one tile.
  bool permutes() const { return zigzag && !contiguous; }
  bool isDefault() const { return *this == Executor(); }
  /// Whether kernels take another time than they were measured with.
  bool changesKernels() const {
    return !fuses || views || accumulates || quantizesAtOnce ||
           attentionFlops > 0 || dispatchNs > 0 || products != 1 ||
           attention != 1 || others != 1;
  }
  /// The bytes that tensors may have of `memoryBytes`.
  int64_t usableBytes(int64_t memoryBytes) const;
  /// The bytes that a device has in use where tensors have `tensorBytes`.
  int64_t heldBytes(int64_t tensorBytes) const;
  bool operator==(const Executor &) const = default;
};

/// Names of the built-in executors.
std::vector<std::string> executorNames();
/// A built-in name, or a JSON file: a built-in `base` with other constants.
Expected<Executor> loadExecutor(const std::string &nameOrFile);
/// The JSON text of an executor that is not a built-in one; else its name.
/// `parseExecutor` reads it.
std::string printExecutor(const Executor &executor);
/// Reads a name or JSON text; `file` is for messages.
Expected<Executor> parseExecutor(const std::string &text,
                                 const std::string &file);

} // namespace soap

#endif // SOAP_TOPOLOGY_EXECUTOR_H
