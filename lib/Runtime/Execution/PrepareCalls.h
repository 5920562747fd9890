//===- PrepareCalls.h - Library calls before the first iteration ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which algorithm of a library is the fastest is measured before iterations
// begin: in them nothing is measured, and a recorded one could not be. What an
// entry will call is what its programs say, so they are run once on a device
// that does nothing but prepare the calls of libraries.
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
/// Of several processes, which may be on machines whose files of choices
/// differ, those of the lowest rank hold, so that what is computed twice has
/// the same bits. Collective then; an error if a process has gone.
MaybeError prepareCalls(Execution &execution, Backend &backend);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_EXECUTION_PREPARECALLS_H
