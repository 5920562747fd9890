//===- PrepareCalls.h - Calls before iterations begin -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A backend measures which algorithm of a library is the fastest before
// iterations begin: a measurement would slow down an iteration, and a recorded
// iteration cannot contain one. The programs of an entry decide its calls, so
// they run once on a device that does nothing but prepare the calls of
// libraries.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_EXECUTION_PREPARECALLS_H
#define SOAP_LIB_RUNTIME_EXECUTION_PREPARECALLS_H

#include "Soap/Runtime/Execution/Launcher.h"

namespace soap::runtime {

class Backend;

/// Prepares the library calls of all ranks of this process, one device after
/// the other, on the calling thread; no device may be at work. A call that
/// cannot be prepared is left to the iteration, which knows its op.
///
/// Machines may have files of different choices. With several processes, the
/// choices of the lowest rank hold, so that replicas have the same bits.
/// Collective then; an error if a process has gone.
MaybeError prepareCalls(Execution &execution, Backend &backend);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_EXECUTION_PREPARECALLS_H
