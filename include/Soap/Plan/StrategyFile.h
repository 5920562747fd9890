//===- StrategyFile.h - Strategies as JSON ----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strategy outside of the IR: one config per named op, with fingerprints of
// model and topology; see docs/Strategy.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_STRATEGYFILE_H
#define SOAP_PLAN_STRATEGYFILE_H

#include "Soap/Model/Graph.h"
#include "Soap/Topology/Topology.h"

#include <optional>
#include <utility>

namespace soap {

/// Config of one named op, loops by name, as written in files.
struct NamedConfig {
  std::string op;
  std::vector<std::pair<std::string, int64_t>> degrees;
  int64_t replicas = 1;
  std::vector<int> devices;
};

/// A pipeline stage: it begins with the forward op `first`.
struct NamedStage {
  std::string first;
  std::vector<int> devices;
};

/// Microbatches of a strategy whose configs say how one of them is split
/// (docs/Pipeline.md).
struct NamedPipeline {
  int64_t microbatches = 1;
  std::string schedule;           ///< `gpipe` or `1f1b`
  std::vector<NamedStage> stages; ///< empty: every device is one
  /// By device: how many share its ops, itself and those after it. Empty: none
  /// does. Not beside stages.
  std::vector<int> replicas;
};

/// In which form a named value is kept for the backward pass (Reuse.h).
struct NamedKeep {
  std::string value;
  Keep keep = Keep::Before;
};

struct StrategyFile {
  std::string modelFingerprint, topologyFingerprint; ///< empty: not checked
  std::string topology;
  std::vector<NamedConfig> configs;
  std::vector<NamedKeep> keeps; ///< of other values both forms are kept
  std::optional<NamedPipeline> pipeline;
  /// Names of ops that the backward pass computes again. Absent: the file says
  /// nothing of it.
  std::optional<std::vector<std::string>> recomputed;
  /// Names of the arguments that are in the memory of the host. Absent: the
  /// file says nothing of it.
  std::optional<std::vector<std::string>> host;
  std::vector<std::string>
      schedule; ///< task names in global order; may be empty
};

Expected<StrategyFile> parseStrategyFile(const std::string &text,
                                         const std::string &file);
std::string printStrategyFile(const StrategyFile &strategy);
/// Stable hash (hex) of names, kinds, loops and shapes.
std::string fingerprint(const Graph &graph);
std::string fingerprint(const Topology &topology);
/// Of the times that the profiles of its devices hold, which the fingerprint of
/// a topology only names.
std::string fingerprintOfProfiles(const Topology &topology);
/// An error if the file is for another topology; files without a fingerprint
/// fit every topology.
MaybeError checkTopologyFingerprint(const StrategyFile &file,
                                    const Topology &topology,
                                    const std::string &fileName);
/// Strategy of a graph from a file: every node must be there; errors name the
/// op and what was expected.
Expected<Strategy> resolveStrategy(const Graph &graph, const StrategyFile &file,
                                   int deviceCount,
                                   const std::string &fileName);
/// Restores the values of a graph that a file says are kept in one form only.
MaybeError applyKeeps(Graph &graph, const StrategyFile &file,
                      const std::string &fileName);
StrategyFile toStrategyFile(const Graph &graph, const Strategy &strategy,
                            const Topology &topology);

} // namespace soap

#endif // SOAP_PLAN_STRATEGYFILE_H
