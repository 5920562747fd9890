//===- Explain.h - Why an op has its config ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explains the config of a group: prices its alternatives while all other
// groups keep their configs, and finds the neighbours or time steps that, split
// the same way, would make an alternative faster.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_REPORT_EXPLAIN_H
#define SOAP_SEARCH_REPORT_EXPLAIN_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

/// A config of the group's leader, simulated.
struct Alternative {
  Config config;
  /// Where it comes from: `current`, `preset NAME`, `as 'OP'` (split like a
  /// neighbour), or empty: degrees on devices in their order.
  std::string origin;
  Evaluation evaluation;
  /// Whether what follows was looked at: of the first ones and the current one.
  bool detailed = false;
  int64_t computeNs = 0;  ///< kernels of the group, on all devices together
  int64_t bytesMoved = 0; ///< by all transfers of an iteration
  /// The device or link that most of the critical path is on, and its share of
  /// the iteration.
  std::string limit;
  double limitShare = 0;
};

/// Other groups split like an alternative of the group.
struct Pairing {
  size_t alternative = 0; ///< index
  /// One neighbour, or all groups that read the same weights (the other time
  /// steps of a layer).
  std::vector<int> groups;
  std::vector<Config> configs; ///< of their leaders
  Evaluation evaluation;       ///< all changed
  int64_t bytesMoved = 0;
};

struct Explanation {
  int group = -1;
  /// Those that fit into memory first, then by time; the first of equal ones is
  /// the one that was met first, the current one before all others.
  std::vector<Alternative> alternatives;
  size_t current = 0; ///< index of the group's config
  /// Alternatives were left out, because there are more than were asked for.
  bool bounded = false;
  /// Where it is faster to split others like an alternative than to take the
  /// alternative alone; fastest first.
  std::vector<Pairing> pairings;
};

/// Prices up to `most` configs of a group (at least the current one): the
/// current one, the configs of neighbours and presets, then every legal vector
/// of degrees (powers of two beyond 32 devices) on the current devices and on
/// contiguous ones, vectors that split few loops first.
Explanation explainGroup(const ParallelizationProblem &problem,
                         const Strategy &strategy, int group, int64_t most);

/// Group of the op called `name`, or -1.
int groupOfOp(const ParallelizationProblem &problem, const std::string &name);
/// Up to `most` names of ops that are spelled much like `name`, nearest first.
std::vector<std::string> nearNames(const Graph &graph, const std::string &name,
                                   size_t most = 3);
/// `{n = 2, k = 2} x2 on 0-7`: degrees above 1, replicas above 1, devices in
/// their order; `0,4,...,60` with equal steps.
std::string describeConfig(const IterationSpace &space, const Config &config);

} // namespace soap

#endif // SOAP_SEARCH_REPORT_EXPLAIN_H
