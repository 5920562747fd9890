//===- Config.cpp - How one op is split and where its pieces run ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbering of shards, and the one check that decides which configs are
// refused.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/Config.h"

#include <cassert>
#include <limits>

using namespace soap;

/// a * b for positive numbers, or the largest integer: degrees from files may
/// be anything.
static int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

Config Config::single(const IterationSpace &space, int device) {
  Config config;
  config.degrees.assign(space.loops.size(), 1);
  config.devices = {device};
  return config;
}

int64_t Config::piecesPerReplica() const {
  int64_t n = 1;
  for (int64_t degree : degrees)
    n = saturatingMultiply(n, degree);
  return n;
}

std::vector<Shard> soap::enumerateShards(const IterationSpace &space,
                                         const Config &config) {
  assert(config.degrees.size() == space.loops.size() && "a degree a loop");
  assert(static_cast<int64_t>(config.devices.size()) >=
             config.piecesPerReplica() * config.replicas &&
         "a device a piece");
  int64_t pieces = config.piecesPerReplica();
  size_t loops = space.loops.size();
  std::vector<Shard> shards;
  shards.reserve(pieces * config.replicas);
  for (int64_t index = 0; index < pieces * config.replicas; ++index) {
    Shard shard;
    shard.index = index;
    shard.replica = index / pieces;
    shard.piece.resize(loops);
    shard.box.resize(loops);
    shard.device = config.devices[index];
    int64_t rest = index % pieces;
    for (size_t l = loops; l-- > 0;) {
      shard.piece[l] = rest % config.degrees[l];
      rest /= config.degrees[l];
      shard.box[l] =
          cut(space.loops[l].extent, config.degrees[l], shard.piece[l]);
    }
    shards.push_back(std::move(shard));
  }
  return shards;
}

Config soap::followLoops(const Config &leader, const std::vector<int> &loops) {
  assert(static_cast<int64_t>(leader.devices.size()) ==
             leader.piecesPerReplica() * leader.replicas &&
         "a device a piece");
  // A shard of the leader by coordinates and replica: a number with a digit per
  // loop.
  struct Digit {
    int64_t count, stride;
  };
  size_t leaderLoops = leader.degrees.size();
  std::vector<int64_t> stride(leaderLoops);
  int64_t pieces = 1;
  for (size_t l = leaderLoops; l-- > 0; pieces *= leader.degrees[l])
    stride[l] = pieces;
  std::vector<bool> taken(leaderLoops);
  // Digits of a piece are coordinates of the loops taken, digits of a replica
  // coordinates of the others, behind the leader's replica.
  std::vector<Digit> digits = {{leader.replicas, pieces}}, ofPiece;
  Config config;
  config.degrees.reserve(loops.size());
  for (int loop : loops) {
    assert(loop < static_cast<int>(leaderLoops) && "no loop of the leader");
    int64_t degree = loop < 0 ? 1 : leader.degrees[static_cast<size_t>(loop)];
    config.degrees.push_back(degree);
    if (degree > 1) {
      auto l = static_cast<size_t>(loop);
      // Of a loop that is named twice, the first counts.
      ofPiece.push_back({degree, taken[l] ? 0 : stride[l]});
    }
    if (loop >= 0)
      taken[static_cast<size_t>(loop)] = true;
  }
  config.replicas = leader.replicas;
  for (size_t l = 0; l < leaderLoops; ++l)
    if (!taken[l] && leader.degrees[l] > 1) {
      config.replicas *= leader.degrees[l];
      digits.push_back({leader.degrees[l], stride[l]});
    }
  digits.insert(digits.end(), ofPiece.begin(), ofPiece.end());
  int64_t shards = 1;
  for (const Digit &digit : digits)
    shards *= digit.count;
  config.devices.resize(static_cast<size_t>(shards));
  // The last digit runs fastest: what is there so far, once more for each of
  // its values, from the back, where nothing is read any more.
  std::vector<int> &devices = config.devices;
  size_t known = 1;
  if (shards > 0)
    devices[0] = 0;
  for (const Digit &digit : digits) {
    auto count = static_cast<size_t>(digit.count);
    for (size_t i = known; i-- > 0;) {
      int first = devices[i];
      for (size_t c = count; c-- > 0;)
        devices[i * count + c] =
            first + static_cast<int>(c) * static_cast<int>(digit.stride);
    }
    known *= count;
  }
  assert(known == devices.size() &&
         static_cast<int64_t>(known) ==
             config.piecesPerReplica() * config.replicas &&
         "a device a piece");
  for (int &device : devices)
    device = leader.devices[static_cast<size_t>(device)];
  return config;
}

ConfigCheck soap::checkConfig(const IterationSpace &space, const Config &config,
                              int deviceCount) {
  auto fail = [](ConfigFault fault, std::string message) {
    return ConfigCheck{fault, std::move(message)};
  };
  if (config.degrees.size() != space.loops.size())
    return fail(ConfigFault::UnknownLoop,
                "expected " + std::to_string(space.loops.size()) +
                    " degrees, one per loop, got " +
                    std::to_string(config.degrees.size()));
  for (size_t l = 0; l < space.loops.size(); ++l) {
    const Loop &loop = space.loops[l];
    int64_t degree = config.degrees[l];
    if (degree < 1)
      return fail(ConfigFault::DegreeNotPositive,
                  "degree of loop '" + loop.name +
                      "' must be at least 1, got " + std::to_string(degree));
    if (degree > 1 && loop.type == IteratorType::Serial)
      return fail(ConfigFault::SerialLoopCut,
                  "loop '" + loop.name +
                      "' is serial and may not be split, got degree " +
                      std::to_string(degree));
  }
  if (config.replicas < 1)
    return fail(ConfigFault::ReplicasNotPositive,
                "replicas must be at least 1, got " +
                    std::to_string(config.replicas));
  int64_t expected =
      saturatingMultiply(config.replicas, config.piecesPerReplica());
  if (static_cast<uint64_t>(expected) != config.devices.size())
    return fail(
        ConfigFault::DeviceCount,
        "expected " + std::to_string(expected) +
            " devices, replicas times the product of the degrees, got " +
            std::to_string(config.devices.size()));
  for (int device : config.devices)
    if (device < 0 || (deviceCount >= 0 && device >= deviceCount))
      return fail(ConfigFault::DeviceOutOfRange,
                  deviceCount < 0
                      ? "device " + std::to_string(device) + " is negative"
                      : "device " + std::to_string(device) +
                            " is not in the topology, which has " +
                            std::to_string(deviceCount) + " devices");
  return {};
}

const char *soap::faultName(ConfigFault fault) {
  switch (fault) {
  case ConfigFault::None:
    return "none";
  case ConfigFault::UnknownLoop:
    return "unknown-loop";
  case ConfigFault::DegreeNotPositive:
    return "degree-not-positive";
  case ConfigFault::ReplicasNotPositive:
    return "replicas-not-positive";
  case ConfigFault::DeviceCount:
    return "device-count";
  case ConfigFault::DeviceOutOfRange:
    return "device-out-of-range";
  case ConfigFault::SerialLoopCut:
    return "serial-loop-cut";
  }
  return "none";
}
