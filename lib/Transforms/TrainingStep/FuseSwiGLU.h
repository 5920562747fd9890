//===- FuseSwiGLU.h - Gated swish as one op ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models write gate * sigmoid(beta * gate) * up as three or four ops, of which
// the backward pass would keep every result.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_TRAININGSTEP_FUSESWIGLU_H
#define SOAP_LIB_TRANSFORMS_TRAININGSTEP_FUSESWIGLU_H

namespace mlir {
class Block;
}

namespace mlir::soap {

/// Writes each such chain of a forward function as `soap.swiglu`. Its inner
/// results must have no other readers, and all operands one type.
void fuseSwiGLU(Block &block);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_TRAININGSTEP_FUSESWIGLU_H
