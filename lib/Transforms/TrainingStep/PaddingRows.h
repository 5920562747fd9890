//===- PaddingRows.h - Rows of tables without a gradient --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The row of an embedding table that stands for padding: look-ups of it give no
// gradient, as with `padding_idx` of PyTorch's nn.Embedding.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_TRAININGSTEP_PADDINGROWS_H
#define SOAP_LIB_TRANSFORMS_TRAININGSTEP_PADDINGROWS_H

#include "OpMaker.h"
#include "ParameterPatterns.h"

namespace mlir::soap {

/// Sets to 0, in the gradients of the look-ups in `block`, what belongs to the
/// padding row of a table. `rows` has the row by the name of the parameter,
/// `nameOf` the name of an argument of the block (empty: no parameter). Emits
/// an error where a table has no such row, or a named parameter is no table of
/// a look-up.
LogicalResult
maskPaddingRows(OpBuilder &builder, Block &block, const ParameterPatterns &rows,
                llvm::function_ref<StringRef(BlockArgument)> nameOf,
                const OpMaker::Namer &setName);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_TRAININGSTEP_PADDINGROWS_H
