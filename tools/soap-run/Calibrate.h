//===- Calibrate.h - Measures this machine ----------------------*- C++ -*-===//
//
// soap-run --calibrate: topology and profile of the CPU that it runs on, and
// what the shapes of a model take there.
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

/// Adds the shapes of the model `options.file` to that profile: those which a
/// search over the topology's devices meets and the profile lacks. Measures the
/// machine first where there is no topology of this name. `stop` and result as
/// above.
Expected<bool> calibrateModel(const Options &options,
                              const std::function<bool()> &stop);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_CALIBRATE_H
