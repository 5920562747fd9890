//===- TrainingData.h - Data and first values -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The beginning of a training and of an evaluation: data, and the values of
// tensors.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_TRAININGDATA_H
#define SOAP_TOOLS_SOAPRUN_TRAININGDATA_H

#include "Options.h"
#include "Soap/Runtime/Training/Trainer.h"

namespace soap::run {

/// The data of `options`, the same on all ranks. Prints what is worth knowing
/// of them.
Expected<runtime::DataSource> openData(const runtime::Trainer &trainer,
                                       const Options &options, uint64_t seed);

/// The values that `options.init` says. Warns of parameters that have none.
MaybeError setFirstValues(runtime::Session &session, const Options &options,
                          uint64_t seed);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_TRAININGDATA_H
