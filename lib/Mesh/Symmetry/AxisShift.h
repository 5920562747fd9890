//===- AxisShift.h - Steps along an axis ------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a step along an axis of a mesh moves what a piece touches.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_MESH_SYMMETRY_AXISSHIFT_H
#define SOAP_LIB_MESH_SYMMETRY_AXISSHIFT_H

#include "Soap/Model/IterationSpace.h"

#include <optional>

namespace soap {

/// How far `step` points of a loop move the indices of a dim, wherever they are
/// and whatever the other loops do; none if that depends on it, or if anything
/// is clipped.
std::optional<int64_t> shiftOf(const DimMap &map, const Term &term,
                               int64_t step, const IterationSpace &space,
                               int64_t extent);

} // namespace soap

#endif // SOAP_LIB_MESH_SYMMETRY_AXISSHIFT_H
