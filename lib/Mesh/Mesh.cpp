//===- Mesh.cpp - Devices as a product of axes ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Mesh.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Mesh.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

int64_t Mesh::deviceCount() const {
  int64_t count = 1;
  for (const MeshAxis &axis : axes)
    count *= axis.size;
  return count;
}

int64_t Mesh::machineCount() const {
  int64_t count = 1;
  for (const MeshAxis &axis : axes)
    count *= axis.isAcross ? axis.size : 1;
  return count;
}

/// Adds the axes of one level.
static MaybeError addAxes(Mesh &mesh, const std::string &name, bool isAcross,
                          const std::vector<int64_t> &sizes, int64_t count) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 1)
      return Error{"size of an axis " + name + " must be at least 1, got " +
                   std::to_string(size)};
    product =
        size > count || product > count / size ? count + 1 : product * size;
  }
  if (!sizes.empty() && product != count) {
    std::string text;
    for (int64_t size : sizes)
      text += (text.empty() ? "" : " x ") + std::to_string(size);
    return Error{"sizes of the axes " + name + " must multiply to the " +
                 std::to_string(count) +
                 (isAcross ? " machines" : " devices of a machine") + ", got " +
                 text};
  }
  if (sizes.empty())
    mesh.axes.push_back({name, count, isAcross});
  for (size_t i = 0; i < sizes.size(); ++i)
    mesh.axes.push_back({sizes.size() == 1 ? name : name + std::to_string(i),
                         sizes[i], isAcross});
  return std::nullopt;
}

Expected<Mesh> soap::makeMesh(const Topology &topology,
                              const std::vector<int64_t> &across,
                              const std::vector<int64_t> &inside) {
  std::vector<std::vector<int>> machines = topology.machines();
  auto perMachine = static_cast<int64_t>(machines.front().size());
  auto count = static_cast<int64_t>(machines.size());
  int next = 0;
  bool isEven = true;
  for (const std::vector<int> &machine : machines) {
    isEven &= static_cast<int64_t>(machine.size()) == perMachine;
    for (int device : machine)
      isEven &= device == next++;
  }
  if (!isEven) {
    count = 1;
    perMachine = topology.deviceCount();
  }
  Mesh mesh;
  if (MaybeError error = addAxes(mesh, "across", true, across, count))
    return *std::move(error);
  if (MaybeError error = addAxes(mesh, "inside", false, inside, perMachine))
    return *std::move(error);
  return mesh;
}

MaybeError soap::checkMeshConfig(const Mesh &mesh, const IterationSpace &space,
                                 const MeshConfig &config) {
  if (config.targets.size() != mesh.axes.size())
    return Error{"expected " + std::to_string(mesh.axes.size()) +
                 " targets, one per axis of the mesh, got " +
                 std::to_string(config.targets.size())};
  for (size_t a = 0; a < mesh.axes.size(); ++a) {
    int target = config.targets[a];
    if (target < MeshConfig::nothing ||
        target >= static_cast<int>(space.loops.size()))
      return Error{"target of axis '" + mesh.axes[a].name + "' is loop " +
                   std::to_string(target) + ", but there are " +
                   std::to_string(space.loops.size()) + " loops"};
    if (target >= 0 && mesh.axes[a].size > 1 &&
        space.loops[static_cast<size_t>(target)].type == IteratorType::Serial)
      return Error{"loop '" + space.loops[static_cast<size_t>(target)].name +
                   "' is serial and may not be cut, got axis '" +
                   mesh.axes[a].name + "'"};
  }
  return std::nullopt;
}

std::vector<int64_t> soap::degreesOf(const Mesh &mesh, const MeshConfig &config,
                                     size_t loops) {
  assert(config.targets.size() == mesh.axes.size() && "a target an axis");
  std::vector<int64_t> degrees(loops, 1);
  for (size_t a = 0; a < mesh.axes.size(); ++a)
    if (int target = config.targets[a]; target >= 0) {
      assert(static_cast<size_t>(target) < loops && "no such loop");
      degrees[static_cast<size_t>(target)] *= mesh.axes[a].size;
    }
  return degrees;
}

Config soap::unfold(const Mesh &mesh, const MeshConfig &config, size_t loops) {
  Config result;
  result.degrees = degreesOf(mesh, config, loops);
  // Digits of the number of a shard, the last one fastest: replicas, then the
  // coordinates of the loops.
  struct Digit {
    int64_t count;
    int stride;
  };
  std::vector<int> strides(mesh.axes.size());
  int stride = 1;
  for (size_t a = mesh.axes.size(); a-- > 0;) {
    strides[a] = stride;
    stride *= static_cast<int>(mesh.axes[a].size);
  }
  std::vector<Digit> digits;
  for (int target = MeshConfig::replicas; target < static_cast<int>(loops);
       ++target)
    for (size_t a = 0; a < mesh.axes.size(); ++a)
      if (config.targets[a] == target) {
        digits.push_back({mesh.axes[a].size, strides[a]});
        if (target == MeshConfig::replicas)
          result.replicas *= mesh.axes[a].size;
      }
  result.devices = {0};
  for (const Digit &digit : digits) {
    std::vector<int> next;
    next.reserve(result.devices.size() * static_cast<size_t>(digit.count));
    for (int first : result.devices)
      for (int c = 0; c < static_cast<int>(digit.count); ++c)
        next.push_back(first + c * digit.stride);
    result.devices = std::move(next);
  }
  assert(static_cast<int64_t>(result.devices.size()) ==
             result.replicas * result.piecesPerReplica() &&
         "a device a piece");
  return result;
}

Strategy soap::unfold(const Mesh &mesh, const Graph &graph,
                      const MeshStrategy &strategy) {
  assert(strategy.size() == graph.nodes.size() && "a config a node");
  Strategy result;
  for (size_t n = 0; n < strategy.size(); ++n)
    result.push_back(
        unfold(mesh, strategy[n], graph.nodes[n].whole.space.loops.size()));
  return result;
}

/// Whether two configs run the same pieces on the same devices.
static bool areAlike(const Config &a, const Config &b) {
  if (a.degrees != b.degrees || a.replicas != b.replicas ||
      a.devices.size() != b.devices.size())
    return false;
  if (a.devices == b.devices)
    return true;
  auto pieces = static_cast<size_t>(a.piecesPerReplica());
  for (size_t p = 0; p < pieces; ++p) {
    std::vector<int> mine, its;
    for (size_t s = p; s < a.devices.size(); s += pieces) {
      mine.push_back(a.devices[s]);
      its.push_back(b.devices[s]);
    }
    std::sort(mine.begin(), mine.end());
    std::sort(its.begin(), its.end());
    if (mine != its)
      return false;
  }
  return true;
}

std::optional<MeshConfig> soap::findMeshConfig(const Mesh &mesh,
                                               const IterationSpace &space,
                                               const Config &config) {
  if (static_cast<int64_t>(config.devices.size()) > mesh.deviceCount())
    return std::nullopt;
  auto loops = static_cast<int>(space.loops.size());
  MeshConfig candidate;
  candidate.targets.assign(mesh.axes.size(), MeshConfig::nothing);
  for (;;) {
    if (degreesOf(mesh, candidate, space.loops.size()) == config.degrees &&
        areAlike(unfold(mesh, candidate, space.loops.size()), config))
      return candidate;
    size_t a = 0;
    while (a < mesh.axes.size() && ++candidate.targets[a] == loops)
      candidate.targets[a++] = MeshConfig::nothing;
    if (a == mesh.axes.size())
      return std::nullopt;
  }
}

MeshConfig soap::followMesh(const MeshConfig &leader,
                            const std::vector<int> &loops) {
  MeshConfig config;
  for (int target : leader.targets) {
    auto it = target < 0 ? loops.end()
                         : std::find(loops.begin(), loops.end(), target);
    if (it != loops.end())
      config.targets.push_back(static_cast<int>(it - loops.begin()));
    else
      config.targets.push_back(std::min(target, MeshConfig::replicas));
  }
  return config;
}
