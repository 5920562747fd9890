//===- ProgressDrawing.h - How a search went, as a drawing ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a search as SVG: the best time so far over the time of the search.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_REPORT_PROGRESSDRAWING_H
#define SOAP_SEARCH_REPORT_PROGRESSDRAWING_H

#include "Soap/Search/MCMC/MCMC.h"

namespace soap {

/// An SVG: the best makespan as steps over seconds, with the number of
/// proposals, and a line for each initial strategy that is not far above.
/// `title` names model and topology.
std::string drawProgress(const McmcResult &result, const std::string &title);

} // namespace soap

#endif // SOAP_SEARCH_REPORT_PROGRESSDRAWING_H
