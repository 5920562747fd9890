//===- Plan.h - A module planned by a pass ----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-run --plan: soap-opt runs a pass on the module before it is compiled. A
// search with a time limit finds another plan each time, so one process runs it
// and gives the module to all.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_PLAN_H
#define SOAP_TOOLS_SOAPRUN_PLAN_H

#include "OnnxModel.h"
#include "Options.h"
#include "Soap/Runtime/Processes/World.h"

namespace soap::run {

/// The command for a topology of so many devices; writes the module to
/// `output`.
std::vector<std::string> planCommand(const Options &options,
                                     const std::string &topology, int devices,
                                     const std::string &output);

/// Plans the module of `options.file` if there is an `options.plan`.
/// Afterwards `options` names the planned module instead, in `folder`.
/// Collective if there is a world.
MaybeError planModule(Options &options, runtime::World *world,
                      ScratchFolder &folder);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_PLAN_H
