//===- MeasuredCopies.h - Devices whose copies were measured ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile that prices copies by bytes, runs and what is cold, and nothing
// else: all of it shows in durations.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_SUPPORT_MEASUREDCOPIES_H
#define SOAP_UNITTESTS_SUPPORT_MEASUREDCOPIES_H

#include "Soap/Profile/ProfileModel.h"
#include "Soap/Topology/Topology.h"

namespace soap::test {

/// Gives the first type of device such a profile. Tiles beyond 256 bytes are
/// cold.
inline void addMeasuredCopies(Topology &topology) {
  DeviceType &type = topology.deviceTypes.front();
  Profile profile;
  profile.device = type.name;
  profile.cacheBytes = 256;
  profile.curves = {{"assemble",
                     "forward",
                     "f32",
                     {{CurveResource::Launch, 500, {}},
                      {CurveResource::Memory, 0.1, {0, 1}},
                      {CurveResource::Memory, 0.7, {0, 0, 1}},
                      {CurveResource::Memory, 53, {0, 0, 0, 1}},
                      {CurveResource::Memory, 3.1, {0, 0, 0, 0, 1}},
                      {CurveResource::Memory, 211, {0, 0, 0, 0, 0, 1}}}}};
  type.costs = std::make_shared<const ProfileModel>(std::move(profile));
}

} // namespace soap::test

#endif // SOAP_UNITTESTS_SUPPORT_MEASUREDCOPIES_H
