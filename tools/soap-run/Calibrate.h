//===- Calibrate.h - Measures this machine ----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-run calibrate: topology and profile of the CPU that it runs on, or of
// its GPUs, and the times of the shapes of a model on the CPU.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_CALIBRATE_H
#define SOAP_TOOLS_SOAPRUN_CALIBRATE_H

#include "CalibrationProfile.h"
#include "Options.h"

#include <functional>

namespace soap::run {

/// Measures, and writes `options.calibrationOutput` + `.topology.json` and
/// `.profile.json` after each group of measurements, from when all that a
/// topology must say was measured. `stop` is asked between runs.
Expected<CalibrationEnd> calibrate(const Options &options,
                                   const std::function<bool()> &stop);

/// The same of the GPUs of this machine: ops with at most
/// `options.calibrationWork` points, and the copies and all-reduces of the
/// topology. An error where there is no GPU or no driver.
Expected<CalibrationEnd> calibrateCuda(const Options &options,
                                       const std::function<bool()> &stop);

/// Adds the shapes of the model `options.file` to that profile: those which a
/// search over the topology's devices meets and the profile lacks. Measures the
/// machine first where there is no topology of this name. `stop` and result as
/// above.
Expected<CalibrationEnd> calibrateModel(const Options &options,
                                        const std::function<bool()> &stop);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_CALIBRATE_H
