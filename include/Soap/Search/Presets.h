//===- Presets.h - Strategies that need no search ---------------*- C++ -*-===//
//
// The strategies that people know by name: baselines, and where searches start.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_PRESETS_H
#define SOAP_SEARCH_PRESETS_H

#include "Soap/Search/ParallelizationProblem.h"

namespace soap {

/// Everything on device 0.
Strategy singleStrategy(const ParallelizationProblem &problem);
/// Sample loops cut over all devices; ops without samples (updates) replicated
/// on all.
Strategy dataParallelStrategy(const ParallelizationProblem &problem);
/// The largest parameter loop of each group's leader cut over all devices;
/// groups without one whole on the device with the least work so far (the
/// operator dimension).
Strategy modelParallelStrategy(const ParallelizationProblem &problem);
/// Spatial loops (attribute loops that slide windows) cut over all devices;
/// groups without them by samples.
Strategy spatialStrategy(const ParallelizationProblem &problem);

/// `single`, `data-parallel`, `model-parallel`, `spatial`.
const std::vector<std::string> &presetNames();
/// Strategy of a preset by name; an error lists the names.
Expected<Strategy> presetStrategy(const std::string &name,
                                  const ParallelizationProblem &problem);

} // namespace soap

#endif // SOAP_SEARCH_PRESETS_H
