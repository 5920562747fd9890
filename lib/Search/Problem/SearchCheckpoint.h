//===- SearchCheckpoint.h - Files of states of searches ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members that every state of a search has as JSON: the search that it is
// of, fingerprints of model and topology, options, and a checksum.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_PROBLEM_SEARCHCHECKPOINT_H
#define SOAP_LIB_SEARCH_PROBLEM_SEARCHCHECKPOINT_H

#include "Soap/Search/Problem/ParallelizationProblem.h"
#include "Support/Json.h"

namespace soap::searchcheckpoint {

/// Beyond all counts and times in ns of a search.
inline constexpr int64_t maxCount = int64_t(1) << 60;
inline constexpr double maxSeconds = 1e12;

/// The text of a state: `members`, and those that every state has. `search` is
/// the name of the algorithm; `options` are all that the state depends on.
std::string print(const ParallelizationProblem &problem,
                  const std::string &search, const std::string &options,
                  nlohmann::json members);

/// Fails on a state of another search, model, topology, profile, precision or
/// of other options, and on members that are neither common ones nor in `keys`.
void checkIdentity(const jsonfile::Cursor &document,
                   const ParallelizationProblem &problem,
                   const std::string &search, const std::string &options,
                   const std::vector<const char *> &keys);

/// Whether a document has a checksum; older states of chains have none.
bool hasChecksum(const jsonfile::Cursor &document);
/// Fails on a document whose checksum is not its own: what it says has changed
/// since it was written. To be called last, so that other errors come first.
void checkChecksum(const nlohmann::json &document,
                   const jsonfile::Cursor &cursor);

/// The elements of an array of so many.
std::vector<jsonfile::Cursor> elements(const jsonfile::Cursor &entry,
                                       size_t count);

} // namespace soap::searchcheckpoint

#endif // SOAP_LIB_SEARCH_PROBLEM_SEARCHCHECKPOINT_H
