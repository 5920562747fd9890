//===- AttentionTarget.h - Which attention cuDNN computes -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One answer for the pass that leaves attention to cuDNN and the one that makes
// the calls. It depends on the op alone, so that replicas are treated alike.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_ATTENTIONTARGET_H
#define SOAP_LIB_CONVERSION_GPU_ATTENTIONTARGET_H

#include "Runtime/Kernels/AttentionCall.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace mlir::soap {

/// Options of both passes, as they name them.
struct AttentionOptions {
  StringRef attention, chip, precision, library;
};

class AttentionTarget {
public:
  /// Fails, with an error at `module`, for options that are not known, and for
  /// `attention=cuda` where cuDNN computes none.
  static FailureOr<AttentionTarget> of(ModuleOp module,
                                       const AttentionOptions &options);

  /// The call of cuDNN, with all heads first and without a workspace, that
  /// computes a `soap.attention` or a `soap.attention_grad`. None for other
  /// ops, and where cuDNN does not.
  std::optional<::soap::runtime::AttentionCall> callOf(Operation *op) const;

private:
  bool calls = false;  ///< cuDNN at all
  bool rounds = false; ///< products of f32 read bf16
};

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_ATTENTIONTARGET_H
