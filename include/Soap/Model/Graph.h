//===- Graph.h - Op graph that searches and plans work on -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator graph G of the FlexFlow paper (section 3.1) without MLIR: values
// (tensors), nodes (ops) with iteration spaces, inputs and outputs. Built from
// IR by Analysis/OpGraph.h; strategies are one Config per node.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_GRAPH_H
#define SOAP_MODEL_GRAPH_H

#include "Soap/Model/Config.h"
#include "Soap/Model/Precision.h"

namespace soap {

/// A tensor. `elementBytes` is the size of one element.
struct GraphValue {
  std::string name;
  std::vector<int64_t> shape;
  int64_t elementBytes = 4;
  /// Of a value that is restored for the backward pass (`Restore`): the value
  /// that it is; -1: a value of its own.
  int restores = -1;
  /// It lives in the memory of the host, beside that of the device (a state of
  /// the optimizer, or its new value; Memory/HostMemory.h).
  bool inHost = false;
  /// Bytes of an element in the memory of a device.
  int64_t deviceElementBytes() const { return inHost ? 0 : elementBytes; }
  int64_t bytes() const {
    int64_t n = elementBytes;
    for (int64_t d : shape)
      n *= d;
    return n;
  }
};

/// Task phases, in the order in which keys sort.
enum class Phase { Forward, Backward, Update };

/// The tiles that a kernel keeps in registers for kernels that are fused with
/// it; set by `keepInRegisters` (Fusion.h).
struct RegisterUse {
  /// By operand and result: its tile stays in registers. Empty: none does.
  std::vector<uint8_t> operands, results;
  /// It is launched together with a kernel before it.
  bool joins = false;
  /// A sum of gradients, all but one of which products compute for it alone.
  bool ofProducts = false;
};

/// One single-stage computation: an op, or one stage of an op whose inner
/// reduction is split.
struct Kernel {
  std::string name; ///< unique: `conv1`, `bn1/batch_norm_stats`
  std::string kind; ///< op mnemonic, `conv2d`: the cost class and profile key
  Phase phase = Phase::Forward;
  IterationSpace space;
  std::vector<int> operands; ///< value ids
  std::vector<int> results;  ///< value ids
  RegisterUse registers;
  /// Of a stage: by loop, which loop of the whole op it is; -1: none, it is not
  /// split. Loops keep the names of the stage's own op, which its cost goes by.
  std::vector<int> wholeLoops;
};

/// One op of the model: its kernel, and its stages, used instead when the
/// config splits a loop marked `stage`.
struct GraphNode {
  Kernel whole;
  std::vector<Kernel> stages;
};

/// A graph input: function argument or constant.
struct GraphInput {
  int value = -1;
  /// Parameter replaced by an update op: it lives on that node's shards, as
  /// operand `updateOperand` of it; -1: none.
  int updateNode = -1, updateOperand = -1, updateResult = -1;
  /// Explicit placement (loops = tensor dims); absent means preplaced: present
  /// wherever it is needed.
  bool hasConfig = false;
  Config config;
};

/// A graph output: gathered where `config` says (loops = tensor dims). Results
/// that replace parameters are not outputs.
struct GraphOutput {
  int value = -1;
  std::string name;
  /// Absent: whole, on the device of the first shard of the producer.
  bool hasConfig = false;
  Config config;
};

/// In which form a value that both passes read is kept from one to the other
/// (tensor reuse; Cai et al., 2020, section 4.2).
enum class Keep {
  Both,   ///< as it was written, and as it was read
  Before, ///< as it was written: before its re-shard, which is done again
  After   ///< as the forward pass read it: after its re-shard, which is undone
};

/// A value that the backward pass does not read as the forward pass left it:
/// its tiles are made again from those that are kept, once a task of the
/// backward pass is done. Readers of the backward pass read `value` instead
/// of `of`; both have the same elements. Made by `restoreValue` and
/// `delayReaders` (Reuse.h).
struct Restore {
  int value = -1, of = -1;
  Keep keep = Keep::Before;
  /// The value whose writer has to be done first, on the same device.
  int trigger = -1;
  /// Readers are recomputed ops of the forward pass: they wait for the trigger
  /// where they read a kept tile as it is, too.
  bool delaysReaders = false;
};

struct Graph {
  std::vector<GraphValue> values;
  std::vector<GraphInput> inputs;
  std::vector<GraphNode> nodes; ///< in program (topological) order
  std::vector<GraphOutput> outputs;
  std::vector<Restore> restores;
  /// In which products of f32 are computed, on devices that have it.
  ProductPrecision precision = ProductPrecision::F32;

  /// The value of which a value is tiles: itself, or what it restores.
  int rootOf(int value) const {
    int root = values[value].restores;
    return root < 0 ? value : root;
  }
};

/// One config per node, over the loops of `whole`.
using Strategy = std::vector<Config>;

/// The config splits a loop whose split replaces the node by its stages.
bool usesStages(const GraphNode &node, const Config &config);
/// Config of a stage: degrees by `wholeLoops`. Loops that the stage lacks
/// become replicas, piece by piece on the same devices: shard (replica, piece)
/// of the stage runs where the corresponding shard of the whole ran. A stage
/// may be given several such shards for one piece only as replicas, so results
/// agree.
Config stageConfig(const GraphNode &node, const Config &config,
                   const Kernel &stage);
/// Iteration space of a tensor seen as an op: loops d0, d1, ... = its dims, one
/// result with identity map.
IterationSpace tensorSpace(const std::vector<int64_t> &shape);

} // namespace soap

#endif // SOAP_MODEL_GRAPH_H
