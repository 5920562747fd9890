//===- Elastic.h - Runs that go on with fewer processes ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of one process in `soap-run --elastic`. soap-launch starts the
// processes, and starts those that are left again when some are lost; each
// start is a new run from the last checkpoint, for the devices that are left.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_ELASTIC_H
#define SOAP_TOOLS_SOAPRUN_ELASTIC_H

#include "LaunchVariable.h"
#include "OnnxModel.h"
#include "Options.h"
#include "Soap/Runtime/Processes/World.h"

namespace soap::run {

/// Sets topology, plan and checkpoint of this start, and says on rank 0 from
/// where and under which plan it goes on. An error names what is missing to go
/// on after a loss. Collective.
MaybeError prepareElastic(Options &options, runtime::World &world,
                          const Launch &launch, ScratchFolder &folder);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_ELASTIC_H
