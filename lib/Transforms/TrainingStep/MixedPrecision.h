//===- MixedPrecision.h - 16-bit floats in a training step ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a program are bf16 or f16, as types of the IR. Parameters,
// states and data of a model stay f32. Ops that compute with them are narrow,
// except those that lose too much (docs/TrainingStep.md#precision).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_TRAININGSTEP_MIXEDPRECISION_H
#define SOAP_LIB_TRANSFORMS_TRAININGSTEP_MIXEDPRECISION_H

#include "OpMaker.h"

#include <optional>

namespace mlir::soap {

/// The values of the option `precision` of the training step.
enum class StepPrecision { Default, F32, TF32, BF16, F16, FP8, MXFP8 };

/// None if `name` is neither empty nor that of a precision.
std::optional<StepPrecision> stepPrecisionNamed(StringRef name);
/// The type of narrow values, of which 8-bit floats are made; null: there are
/// none.
FloatType narrowTypeOf(StepPrecision precision, MLIRContext *context);

/// Changes the f32 values of the forward ops in `block` to `narrow` (bf16 or
/// f16) where that loses no more than the op's own rounding. Arguments keep
/// their types, and so do values that are no f32. `nameOfArgument` and
/// `setName` are for the casts, which are called after what they convert.
void narrowForward(Block &block, FloatType narrow,
                   llvm::function_ref<StringRef(BlockArgument)> nameOfArgument,
                   const OpMaker::Namer &setName);

/// The cast of a parameter to a narrow type, which the ops of the step read;
/// null if `value` is none.
CastOp workingCopyOf(Value parameter);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_TRAININGSTEP_MIXEDPRECISION_H
