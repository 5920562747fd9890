//===- Fusion.h - What generated kernels keep in registers ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values stay in registers because compilers fuse chains of elementwise
// ops, and the reductions before or after them, into one kernel: such values
// never go through memory, and there is one launch (docs/CostModel.md#fusion).
// It is decided on the graph alone, so the cost of a kernel does not depend on
// how its neighbours are split.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_MODEL_FUSION_H
#define SOAP_LIB_MODEL_FUSION_H

namespace soap {

struct Graph;

/// Sets `Kernel::registers` of all ops of a graph. Stages are left as they are:
/// they exchange what they compute. Linear in the size of the graph, except
/// for the search of paths between neighbours.
void keepInRegisters(Graph &graph);

} // namespace soap

#endif // SOAP_LIB_MODEL_FUSION_H
