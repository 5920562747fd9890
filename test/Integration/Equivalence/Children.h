//===- Children.h - Programs in watched child processes ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Children run programs and report each; one that dies or stays silent fails
// its program, and another one goes on behind it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TEST_EQUIVALENCE_CHILDREN_H
#define SOAP_TEST_EQUIVALENCE_CHILDREN_H

#include "Report.h"

namespace soap::equivalence {

struct ChildOptions {
  int64_t jobs = 1;    ///< children at a time
  int64_t seconds = 0; ///< that a program may take
};

/// Programs [first, end). `run` is called in the children, for one program;
/// `add` here, for its report. `lost` makes the report of a program whose child
/// `end`s ("crashes", ...) without one. Throws std::runtime_error if there can
/// be no children.
void runInChildren(
    int64_t first, int64_t end, const ChildOptions &options,
    const std::function<Report(int64_t program)> &run,
    const std::function<void(const Report &)> &add,
    const std::function<Report(int64_t program, const std::string &end)> &lost);

} // namespace soap::equivalence

#endif // SOAP_TEST_EQUIVALENCE_CHILDREN_H
