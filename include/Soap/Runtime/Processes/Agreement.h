//===- Agreement.h - What all ranks have to have alike ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rank reads files itself, and a name may stand for other files on
// another host. Ranks that go on from different ones compute nothing that has a
// meaning, and nothing else tells.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_PROCESSES_AGREEMENT_H
#define SOAP_RUNTIME_PROCESSES_AGREEMENT_H

#include "Soap/Runtime/Processes/Placement.h"

#include <string>

namespace soap::runtime {

/// An error, the same on all ranks, unless all have the same fingerprint, a
/// word: "rank 1 has other WHAT (its source, fingerprint F) than rank 0 (..)".
/// Sources, which say where it comes from, may differ. Without a process group
/// nothing. Collective.
MaybeError checkSame(const Placement &placement, const std::string &what,
                     const std::string &fingerprint, const std::string &source);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_PROCESSES_AGREEMENT_H
