//===- ZeRO.h - Weights that passes may gather ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fully sharded data parallelism (ZeRO-3; Rajbhandari et al., 2020): weights
// stay split as their updates are (`soap.keep`), each pass gathers what it
// reads, and gradients are reduced to where their updates are.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_ZERO_H
#define SOAP_MODEL_ZERO_H

#include "Soap/Model/Graph.h"

namespace soap {

/// A weight as the passes of a training step read it.
struct GatheredWeight {
  /// The parameter, or its copy in another precision.
  int value = -1;
  /// The parameter.
  int parameter = -1;
  /// Values of the backward pass, of the parameter's shape, that its update
  /// reads, directly or through other updates.
  std::vector<int> gradients;
};

/// The weights whose parameters a node updates, in the order of the inputs. A
/// gradient is listed once.
std::vector<GatheredWeight> gatheredWeights(const Graph &graph);

} // namespace soap

#endif // SOAP_MODEL_ZERO_H
