//===- OneForwardOneBackward.h - Orders of passes on devices ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPipe (Huang et al., 2019), 1F1B, and interleaved 1F1B (Narayanan et al.,
// 2021), where a group of devices has several stages.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PIPELINE_ONEFORWARDONEBACKWARD_H
#define SOAP_PIPELINE_ONEFORWARDONEBACKWARD_H

#include "Soap/Pipeline/Pipeline.h"
#include "Soap/Plan/PassOrder.h"

namespace soap {

/// The passes of each of `devices` devices, in their order. `stageDevices[s]`
/// are the devices of stage s: of two stages the same, or none in common.
/// Stages go round the groups of devices (0, 1, 0, 1); an error says where they
/// do not, and of interleaved 1F1B, that microbatches are no multiple of the
/// groups. `inFlight`: of 1F1B with one stage a group, most microbatches in
/// flight by stage; empty: as many as there are stages behind, itself counted.
Expected<std::vector<std::vector<PipelinePass>>>
schedulePasses(PipelineSchedule schedule,
               const std::vector<std::vector<int>> &stageDevices,
               int64_t microbatches, int devices,
               const std::vector<int> &inFlight = {});

} // namespace soap

#endif // SOAP_PIPELINE_ONEFORWARDONEBACKWARD_H
