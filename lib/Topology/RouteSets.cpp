//===- RouteSets.cpp - Which devices send over which links ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From all routes: a link has a product of two sets if the pairs that take it
// are as many as its senders times its receivers.
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/RouteSets.h"

#include <algorithm>

using namespace soap;

/// Up to here all pairs are looked at.
static constexpr int maxDevices = 256;

RouteSets::Members RouteSets::keep(const std::vector<std::vector<bool>> &sets,
                                   size_t devices, bool Pairs::*allBut,
                                   std::vector<Pairs> &links) {
  std::vector<std::vector<int>> linksOf(devices);
  for (size_t l = 0; l < sets.size(); ++l) {
    auto size =
        static_cast<size_t>(std::count(sets[l].begin(), sets[l].end(), true));
    links[l].*allBut = size * 2 > devices;
    for (size_t d = 0; d < devices; ++d)
      if (sets[l][d] != links[l].*allBut)
        linksOf[d].push_back(static_cast<int>(l));
  }
  Members members;
  for (const std::vector<int> &list : linksOf) {
    members.start.push_back(members.links.size());
    members.links.insert(members.links.end(), list.begin(), list.end());
  }
  members.start.push_back(members.links.size());
  return members;
}

RouteSets::RouteSets(const Topology &topology) : topology(topology) {
  if (topology.deviceCount() > maxDevices)
    return;
  auto devices = static_cast<size_t>(topology.deviceCount());
  size_t count = topology.links.size();
  std::vector<std::vector<bool>> sending(count, std::vector<bool>(devices)),
      receiving = sending;
  std::vector<int64_t> pairs(count);
  for (size_t from = 0; from < devices; ++from)
    for (size_t to = 0; to < devices; ++to) {
      int a = static_cast<int>(from), b = static_cast<int>(to);
      diameterNs = std::max(diameterNs, topology.distance(a, b));
      for (int link : topology.route(a, b)) {
        auto l = static_cast<size_t>(link);
        sending[l][from] = receiving[l][to] = true;
        ++pairs[l];
      }
    }
  for (size_t l = 0; l < count; ++l) {
    int64_t from = 0, to = 0, both = 0;
    for (size_t d = 0; d < devices; ++d) {
      from += sending[l][d];
      to += receiving[l][d];
      both += sending[l][d] && receiving[l][d];
    }
    if (both > 0 || from * to != pairs[l])
      return;
  }
  links.resize(count);
  senders = keep(sending, devices, &Pairs::allSendersBut, links);
  receivers = keep(receiving, devices, &Pairs::allReceiversBut, links);
  for (size_t l = 0; l < count; ++l)
    if (links[l].allSendersBut && links[l].allReceiversBut)
      always.push_back(static_cast<int>(l));
}

void RouteSets::addLoads(std::span<const int> from,
                         std::span<const int64_t> bytes,
                         std::span<const int> to, std::vector<int64_t> &load,
                         std::vector<int> &used) {
  std::vector<int> &list = listedLinks;
  listed.resize(links.size());
  list.clear();
  auto at = [&](int link) -> Listed & {
    Listed &entry = listed[static_cast<size_t>(link)];
    if (!entry.isListed) {
      entry.isListed = true;
      list.push_back(link);
    }
    return entry;
  };
  int64_t total = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    total += bytes[i];
    for (int link : senders.of(from[i]))
      at(link).sent += bytes[i];
  }
  for (int device : to)
    for (int link : receivers.of(device))
      ++at(link).received;
  for (int link : always)
    at(link);
  auto count = static_cast<int64_t>(to.size());
  for (int link : list) {
    auto l = static_cast<size_t>(link);
    auto [sent, received, isListed] = listed[l];
    listed[l] = {};
    if (links[l].allSendersBut)
      sent = total - sent;
    if (links[l].allReceiversBut)
      received = count - received;
    if (sent == 0 || received == 0)
      continue;
    if (load[l] == 0)
      used.push_back(link);
    load[l] += sent * received;
  }
}

int64_t RouteSets::longestNs(std::span<const int> from,
                             std::span<const int> to) const {
  int64_t longestNs = 0;
  for (int a : from)
    for (int b : to) {
      // 0 from a device to itself.
      longestNs = std::max(longestNs, topology.distance(a, b));
      if (longestNs == diameterNs)
        return longestNs;
    }
  return longestNs;
}
