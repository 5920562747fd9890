//===- ProfileRecord.h - Measurements on their way to a profile -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured times on their way into a profile: shapes of tasks as text, which
// the compiler writes into manifests, and times by shape, which the runtime
// measures and adds to a profile.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_COST_PROFILERECORD_H
#define SOAP_LIB_COST_PROFILERECORD_H

#include "Soap/Cost/CostModel.h"

#include <map>

namespace soap {

/// Name of the type that a kernel computes in on a type of device (`tf32`).
const char *dtypeOf(const DeviceType &type, const Work &work);

/// The key of a task's time, as text: op, direction, dtype, loops,
/// strides, bytes, as in `conv2d forward f32 n=8,g=1,o=16,... 1,1 91200`; loops
/// and strides are `-` where there are none. Tasks that copy have no loops
/// (`combine`, `fill`), or the sizes of CopyGeometry.h in place of them, at
/// least 1 (`assemble`). `cacheBytes`: of the device. Empty if times of this
/// work are not kept.
std::string printShape(const Work &work, const std::string &dtype,
                       int64_t cacheBytes = defaultCacheBytes);
/// Of a type of device: of its profile, if that is of this type.
int64_t cacheBytesOf(const DeviceType &type);
/// The same of an entry of a table.
std::string printShape(const ProfileTable &table, const ProfileEntry &entry);
/// The table that a shape belongs to, with one entry of 1 ns.
Expected<ProfileTable> parseShape(const std::string &text);

/// Times by shape.
class ProfileRecord {
public:
  /// One more measured time of a shape, in ns.
  void add(const std::string &shape, double ns);
  bool has(const std::string &shape) const { return times.contains(shape); }
  /// Gives each shape its mean in the profile, in place of what was there,
  /// marks its table as exact (`exactProfileNoise`), and fits curves of copies.
  /// An error if a text is no shape.
  MaybeError addTo(Profile &profile) const;

private:
  struct Sum {
    double ns = 0;
    int64_t count = 0;
  };
  std::map<std::string, Sum> times;
};

} // namespace soap

#endif // SOAP_LIB_COST_PROFILERECORD_H
