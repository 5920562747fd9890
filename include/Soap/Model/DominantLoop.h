//===- DominantLoop.h - The loop that splits a dim --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loop is split when a dim of a tensor is split that several loops index:
// the dominant one. Analyses and searches relate the loops of ops by it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_DOMINANTLOOP_H
#define SOAP_MODEL_DOMINANTLOOP_H

#include "Soap/Model/IterationSpace.h"

namespace soap {

/// The loop that a tensor dim is split by when it is split with one loop: of
/// those with an extent above 1, else of all, the outermost. -1: none.
int dominantLoop(const IterationSpace &space, const DimMap &map);

} // namespace soap

#endif // SOAP_MODEL_DOMINANTLOOP_H
