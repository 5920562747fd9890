//===- Reuse.h - Values kept in one form for the backward pass --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor reuse of TensorOpt (Cai et al., 2020, section 4.2). If an op writes a
// value and another op reads it split differently, the value exists in two
// forms, and the backward pass may read both. It is enough to keep one. The
// other one is restored when the backward pass needs it: that takes a second
// re-shard and frees the memory in between.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_REUSE_H
#define SOAP_MODEL_REUSE_H

#include "Soap/Model/Graph.h"
#include "Soap/Support/Error.h"

#include <optional>
#include <span>

namespace soap {

/// `both`, `before`, `after`.
const char *keepName(Keep keep);
std::optional<Keep> findKeep(const std::string &name);

/// The decision for a value of a graph, by number.
struct KeptValue {
  int value = -1;
  Keep keep = Keep::Both;
  bool operator==(const KeptValue &) const = default;
};

/// Why a value cannot be kept in one form only; none: it can. It has to be
/// written in the forward pass, or be a parameter or an input with a place of
/// its own (then it is kept as it is: `Before`), and be read by an op of the
/// forward pass and by one of the backward pass that waits for something else
/// of that pass.
MaybeError checkKeep(const Graph &graph, int value, Keep keep);

/// Restores a value for its readers of the backward pass. Must have passed
/// `checkKeep`; `Both` changes nothing. Numbers of values and nodes stay.
void restoreValue(Graph &graph, int value, Keep keep);

/// Has recomputed ops wait for the backward pass: the nodes `readers`,
/// ascending, read a value of its own instead of `value`, which is made of the
/// tiles that the writer of `value` left, once the writer of `trigger` is done
/// on their device. Without it they would run as soon as the forward pass has
/// what they read, and nothing would be freed. `trigger` is written before the
/// first reader; no node of `readers` may be an update. Numbers of values and
/// nodes stay.
void delayReaders(Graph &graph, int value, int trigger,
                  std::span<const int> readers);

/// The arguments of the calls of `restoreValue`.
std::vector<KeptValue> keptValues(const Graph &graph);

} // namespace soap

#endif // SOAP_MODEL_REUSE_H
