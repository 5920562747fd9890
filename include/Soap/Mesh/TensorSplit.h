//===- TensorSplit.h - Tensors of a cut op along axes -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings of GSPMD and of upstream's shard dialect cut each dim of a tensor
// into equal blocks along axes of one grid of devices. An op whose loops are
// cut along these axes leaves its tensors in such blocks, or in regions that no
// sharding describes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MESH_TENSORSPLIT_H
#define SOAP_MESH_TENSORSPLIT_H

#include "Soap/Model/IterationSpace.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace soap {

/// Axes of a grid, the one of the larger blocks first.
using Axes = std::vector<int>;
/// Axes by dim of a tensor, or by loop of an op.
using Split = std::vector<Axes>;

/// The axes that cut each dim of a tensor whose indices are `map` of the loops
/// of an op: loop l is cut into `degrees[l]` equal pieces along `axes[l]`. None
/// where some cut of a loop is no cut of a dim into blocks.
std::optional<Split> splitOf(const AccessMap &map,
                             const std::vector<int64_t> &shape,
                             const IterationSpace &space,
                             const std::vector<int64_t> &degrees,
                             const Split &axes);

} // namespace soap

#endif // SOAP_MESH_TENSORSPLIT_H
