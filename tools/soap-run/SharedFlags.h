//===- SharedFlags.h - Flags that all processes have ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that a user starts one by one may have other flags by mistake: with
// another seed they draw other weights and batches, with other kernel threads
// they sum in another order, and with other iterations they wait for each
// other.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_SHAREDFLAGS_H
#define SOAP_TOOLS_SOAPRUN_SHAREDFLAGS_H

#include "Options.h"
#include "Soap/Runtime/Processes/World.h"

namespace soap::run {

/// An error that names the first flag that another process has with another
/// value, of those that decide what is computed and which messages are sent.
/// Names of files are not compared: a host may have a file in another place.
/// Files that rank 0 writes are in the flags of rank 0, and all ranks then give
/// their part; another rank alone must not have such a flag.
/// Collective.
MaybeError agreeOnFlags(Options &options, runtime::World &world);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_SHAREDFLAGS_H
