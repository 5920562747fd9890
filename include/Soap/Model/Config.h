//===- Config.h - How one op is split and where its pieces run --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallelization configuration c_i of the FlexFlow paper (section 4): a
// degree per loop, a replica count, a device per piece.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_CONFIG_H
#define SOAP_MODEL_CONFIG_H

#include "Soap/Model/IterationSpace.h"

namespace soap {

/// Pieces are numbered row-major over the loops of the op, replica outermost;
/// piece i runs on `devices[i]`.
struct Config {
  /// One per loop of the space, each at least 1.
  std::vector<int64_t> degrees;
  int64_t replicas = 1;
  std::vector<int> devices;

  /// Everything on one device.
  static Config single(const IterationSpace &space, int device = 0);
  /// Product of the degrees: pieces of one replica.
  int64_t piecesPerReplica() const;
  bool operator==(const Config &) const = default;
};

/// One piece decoded.
struct Shard {
  int64_t index = 0; ///< position in the device list
  int64_t replica = 0;
  std::vector<int64_t> piece; ///< coordinate per loop
  LoopBox box;
  int device = 0;
};

/// All pieces of a config, in order, those with empty boxes included.
std::vector<Shard> enumerateShards(const IterationSpace &space,
                                   const Config &config);

/// The config of an op that follows a leader: loop l has the degree of the
/// leader's loop `loops[l]`, -1: it stays whole. Split loops of the leader that
/// are not named become replicas, each piece on the device of the leader's
/// piece.
Config followLoops(const Config &leader, const std::vector<int> &loops);

/// Reasons why a config is refused; the one table of docs/Configs.md.
enum class ConfigFault {
  None,
  UnknownLoop, ///< a degree names no loop of the op
  DegreeNotPositive,
  ReplicasNotPositive,
  DeviceCount,      ///< device list length is not replicas x product of degrees
  DeviceOutOfRange, ///< no such device in the topology
  SerialLoopCut,    ///< a serial loop has a degree above 1
};

/// First fault of a config, with a message; `deviceCount < 0` skips the range
/// check.
struct ConfigCheck {
  ConfigFault fault = ConfigFault::None;
  std::string message;
};
ConfigCheck checkConfig(const IterationSpace &space, const Config &config,
                        int deviceCount);
/// Kebab-case name of a fault, as printed in tables.
const char *faultName(ConfigFault fault);

} // namespace soap

#endif // SOAP_MODEL_CONFIG_H
