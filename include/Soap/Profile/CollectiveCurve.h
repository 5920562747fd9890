//===- CollectiveCurve.h - Measured times of a collective -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a collective of any number of bytes, and over any number of
// devices of one machine, between what was measured of a few (docs/CostModel.md
// has the rules). What `Profile::collectives` says is read here only.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PROFILE_COLLECTIVECURVE_H
#define SOAP_PROFILE_COLLECTIVECURVE_H

#include "Soap/Profile/Profile.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace soap {

/// The time of a collective by bytes of the whole tensor.
class CollectiveCurve {
public:
  /// Of one measured group: its entries are on the curve.
  explicit CollectiveCurve(const CollectiveEntries &measured);

  /// Of `kind` over `devices` devices of one machine: as measured, between two
  /// measured numbers of devices, or, with more devices than were measured, as
  /// the links of one device have as much to move. Nothing if the kind was not
  /// measured in one machine, or if `onlyMeasured` and not with so many.
  static std::optional<CollectiveCurve> find(const Profile &profile,
                                             CollectiveKind kind, int devices,
                                             bool onlyMeasured);

  /// In ns, above 0. Never less for more bytes; negative bytes count as 0.
  double ns(double bytes) const;

private:
  CollectiveCurve() = default;
  /// Bytes and ns, rising: a power of the bytes between two of them, a line
  /// before the first and behind the last.
  std::vector<std::array<double, 2>> points;
};

/// Whether a link is as fast as the links with which collectives of a profile
/// were measured, within 10 %.
bool isMeasuredBandwidth(const Profile &profile, double bytesPerSecond);

/// The share of a whole tensor that a link of one of `devices` devices moves in
/// one direction; 0 for kinds without a fixed one.
double linkShare(CollectiveKind kind, int devices);

} // namespace soap

#endif // SOAP_PROFILE_COLLECTIVECURVE_H
