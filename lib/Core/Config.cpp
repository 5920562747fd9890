//===- Config.cpp - How one op is cut and where its pieces run ------------===//
//
// Numbering of shards, and the one check that decides which configs are
// refused.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/Config.h"

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
                      "' is serial and may not be cut, got degree " +
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
