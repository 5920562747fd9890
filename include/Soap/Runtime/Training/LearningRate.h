//===- LearningRate.h - The learning rate of an iteration -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs compute the factor of a schedule themselves (docs/TrainingStep.md);
// this is the same number for logs.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_TRAINING_LEARNINGRATE_H
#define SOAP_RUNTIME_TRAINING_LEARNINGRATE_H

#include <cstdint>
#include <optional>
#include <string>

namespace soap::runtime {

/// The learning rate of an iteration, counted from 1. `training` has the
/// options of the training step, as `Manifest::training` does. None where they
/// do not say it, or where a schedule counts only the iterations whose
/// gradients are finite.
std::optional<double> learningRateAt(const std::string &training,
                                     int64_t iteration);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_TRAINING_LEARNINGRATE_H
