//===- McmcCheckpoint.h - States of searches as JSON ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a Markov chain search as JSON, with which a search that was
// stopped goes on; docs/Search.md, Checkpoints.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_MCMC_MCMCCHECKPOINT_H
#define SOAP_SEARCH_MCMC_MCMCCHECKPOINT_H

#include "Soap/Search/MCMC/MCMC.h"

namespace soap {

/// The state with fingerprints of model and topology, and the options that it
/// depends on (not budgets: those may be raised).
std::string printMcmcCheckpoint(const ParallelizationProblem &problem,
                                const McmcOptions &options,
                                const McmcState &state);
/// Errors name the file, the path in it and what was expected: a checkpoint of
/// another model, topology, space or of other options is refused, and so are
/// configs that are not legal.
Expected<McmcState> parseMcmcCheckpoint(const std::string &text,
                                        const std::string &file,
                                        const ParallelizationProblem &problem,
                                        const McmcOptions &options);

} // namespace soap

#endif // SOAP_SEARCH_MCMC_MCMCCHECKPOINT_H
