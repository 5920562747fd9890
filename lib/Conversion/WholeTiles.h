//===- WholeTiles.h - Convolutions of more than they read -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan gives a convolution the region that its windows read. Windows of 1x1
// with stride 2 leave out the last row and column of an even extent: the tile
// would be a copy of the image without them. Where the whole image is on the
// device, the convolution reads that.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_WHOLETILES_H
#define SOAP_LIB_CONVERSION_WHOLETILES_H

#include "mlir/IR/Block.h"

namespace mlir::soap {

/// Convolutions, and gradients of weights, read the tile that theirs is the
/// beginning of, if their windows are the same in both. Tiles that nothing
/// reads then are erased.
void readWholeTiles(Block &program);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_WHOLETILES_H
