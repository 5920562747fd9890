//===- Experts.h - Mixtures of experts over devices -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expert parallelism (GShard, Lepikhin et al., 2020): the experts of a layer
// are on different devices, everything else is data parallel.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_PRESETS_EXPERTS_H
#define SOAP_LIB_SEARCH_PRESETS_EXPERTS_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

/// By node: whether `top_k` reads its results, through softmax and conversions,
/// as the logits of a mixture of experts.
std::vector<bool> choosesExperts(const Graph &graph);

/// By node: its loop over experts, if it computes with tokens that experts have
/// been given, or with weights of experts; -1: it does not. What gives tokens
/// to experts, and takes them back, is not among them.
std::vector<int> expertLoops(const Graph &graph);

/// The number of experts that all mixtures of a graph divide into: a divisor of
/// it divides each; 0: no op dispatches tokens.
int64_t commonExperts(const Graph &graph);

/// Data parallelism whose experts are split over `devices` neighbours, which
/// exchange tokens with each other; each such group has all experts, and its
/// share of the samples. 0: as many as the experts and the devices allow. An
/// error: no op dispatches tokens, or the number does not divide the devices
/// and the experts of every layer.
Expected<Strategy> gshardStrategy(const ParallelizationProblem &problem,
                                  int64_t devices);

} // namespace soap

#endif // SOAP_LIB_SEARCH_PRESETS_EXPERTS_H
