//===- Fusion.h - What generated kernels keep in registers ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers put chains of elementwise ops, with the reductions before or after
// them, into one kernel: what one op of a chain hands to the next never goes
// through memory, and there is one launch (docs/CostModel.md#fusion). Decided
// on the graph alone, so that a kernel costs the same whatever its neighbours
// are cut into.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_FUSION_H
#define SOAP_MODEL_FUSION_H

namespace soap {

struct Graph;

/// Sets `Kernel::registers` of all ops of a graph. Stages are left as they are:
/// they exchange what they compute. Linear in the size of the graph, except
/// for the search of paths between neighbours.
void keepInRegisters(Graph &graph);

} // namespace soap

#endif // SOAP_MODEL_FUSION_H
