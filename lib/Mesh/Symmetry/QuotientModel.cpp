//===- QuotientModel.cpp - Shared by all quotient plans of a mesh ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See QuotientModel.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/QuotientModel.h"

#include <algorithm>
#include <cassert>

using namespace soap;

QuotientModel::QuotientModel(const Topology &topology, Mesh mesh,
                             Cluster cluster)
    : topology(topology), mesh(std::move(mesh)), cluster(std::move(cluster)),
      workspace(topology),
      reduced(this->cluster.firstMachines(
          topology, std::min(this->cluster.getMachineCount(), maxMachines))),
      cost(reduced) {
  int kept = reduced.deviceCount() / this->cluster.getPerMachine();
  for (size_t l = 0; l < topology.links.size(); ++l) {
    auto link = static_cast<int>(l);
    int machine = this->cluster.machineOf(link);
    if (machine >= kept)
      continue;
    if (machine == 0)
      firstLinks.push_back(static_cast<int>(owners.size()));
    owners.push_back(machine);
    isBetween.push_back(this->cluster.isBetweenMachines(topology.links[l]));
  }
}

std::vector<int>
QuotientModel::linksAt(const std::vector<int> &positions) const {
  std::vector<int> links;
  for (int position : positions) {
    assert(position >= 0 && static_cast<size_t>(position) < firstLinks.size() &&
           "no link of a machine");
    links.push_back(firstLinks[static_cast<size_t>(position)]);
  }
  return links;
}

Expected<std::unique_ptr<QuotientModel>>
QuotientModel::make(const Topology &topology, Mesh mesh) {
  Expected<Cluster> cluster = Cluster::of(topology);
  if (!cluster)
    return cluster.takeError();
  if (mesh.deviceCount() != topology.deviceCount() ||
      mesh.machineCount() != cluster->getMachineCount())
    return Error{"the mesh has " + std::to_string(mesh.machineCount()) +
                 " machines and " + std::to_string(mesh.deviceCount()) +
                 " devices, topology '" + topology.name + "' has " +
                 std::to_string(cluster->getMachineCount()) + " and " +
                 std::to_string(topology.deviceCount())};
  for (size_t a = 1; a < mesh.axes.size(); ++a)
    if (mesh.axes[a].isAcross && !mesh.axes[a - 1].isAcross)
      return Error{"axis '" + mesh.axes[a].name +
                   "' across machines must come before axes inside of them"};
  return std::unique_ptr<QuotientModel>(
      new QuotientModel(topology, std::move(mesh), std::move(*cluster)));
}

const QuotientModel::Known &QuotientModel::knownOf(const Group &group) {
  auto it = known.find(group);
  if (it != known.end())
    return it->second;
  std::vector<int> machines = {0};
  int stride = cluster.getMachineCount();
  for (size_t a = 0; a < mesh.axes.size() && mesh.axes[a].isAcross; ++a) {
    auto size = static_cast<int>(mesh.axes[a].size);
    stride /= size;
    if (!group.spans[a])
      continue;
    std::vector<int> next;
    for (int first : machines)
      for (int c = 0; c < size; ++c)
        next.push_back(first + c * stride);
    machines = std::move(next);
  }
  std::vector<int> devices;
  for (int machine : machines)
    for (int device : group.inside)
      devices.push_back(machine * cluster.getPerMachine() + device);
  if (group.root >= 0)
    std::rotate(devices.begin(),
                std::find(devices.begin(), devices.end(), group.root),
                std::find(devices.begin(), devices.end(), group.root) + 1);
  Known entry{CollectiveModel(workspace, group.kind, devices), {}};
  size_t positions = cluster.linksOf(0).size();
  for (const CollectiveAlgorithm &algorithm : entry.model.getAlgorithms()) {
    Price &price = entry.prices.emplace_back();
    std::vector<size_t> counts(positions);
    for (int link : algorithm.links) {
      ++counts[static_cast<size_t>(cluster.positionOf(link))];
      if (cluster.machineOf(link) == 0)
        price.links.push_back(cluster.positionOf(link));
    }
    for (size_t p = 0; p < positions; ++p) {
      if (counts[p] > 0)
        price.anyLinks.push_back(static_cast<int>(p));
      price.isEven &= counts[p] == 0 || counts[p] == machines.size();
    }
    std::sort(price.links.begin(), price.links.end());
  }
  return known.emplace(group, std::move(entry)).first->second;
}

QuotientModel::Price QuotientModel::price(const Group &group, int64_t bytes) {
  assert(group.spans.size() == mesh.axes.size() && "an entry an axis");
  assert(!group.inside.empty() && std::ranges::is_sorted(group.inside) &&
         "devices of a machine, ascending");
  const Known &entry = knownOf(group);
  Price price;
  const CollectiveAlgorithm *best = entry.model.best(bytes);
  if (best)
    price = entry.prices[static_cast<size_t>(
        best - entry.model.getAlgorithms().data())];
  price.ns = entry.model.ns(bytes);
  return price;
}
