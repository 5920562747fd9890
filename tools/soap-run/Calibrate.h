//===- Calibrate.h - Measures this machine ----------------------*- C++ -*-===//
//
// soap-run --calibrate: topology and profile of the CPU that it runs on.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_CALIBRATE_H
#define SOAP_TOOLS_SOAPRUN_CALIBRATE_H

#include "Options.h"

#include <functional>

namespace soap::run {

/// Measures, and writes `options.calibrationOutput` + `.topology.json` and
/// `.profile.json` after each group of measurements. `stop` is asked between
/// runs. True if all was measured, false if it was stopped.
Expected<bool> calibrate(const Options &options,
                         const std::function<bool()> &stop);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_CALIBRATE_H
