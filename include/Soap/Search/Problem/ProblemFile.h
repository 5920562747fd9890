//===- ProblemFile.h - Parallelization problems as JSON ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallelization problem as a file: op graph, groups and roles as JSON
// (docs/Search.md). For benchmarks, tests and tools that need no MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_PROBLEM_PROBLEMFILE_H
#define SOAP_SEARCH_PROBLEM_PROBLEMFILE_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

/// All of a problem but its topology.
struct ProblemFile {
  Graph graph;
  std::vector<OpGroup> groups;
  std::vector<std::vector<Role>> roles; ///< per node, per loop
};

std::string printProblemFile(const ProblemFile &problem);
/// Errors name the file, the path in it and what was expected. What is read is
/// well-formed: numbers are in range, values are written before they are read.
Expected<ProblemFile> parseProblemFile(const std::string &text,
                                       const std::string &file);
/// Of a file, which must be there.
Expected<ProblemFile> loadProblemFile(const std::string &file);

} // namespace soap

#endif // SOAP_SEARCH_PROBLEM_PROBLEMFILE_H
